#!/bin/sh
# Builds the fuzzers in build-fuzz/ and runs each for $FUZZ_SECONDS (600), or only those named. What
# they learn stays in fuzz-corpus/NAME; a failing input is left in fuzz-corpus/ as NAME-crash-...
set -eu

build=build-fuzz
seconds=${FUZZ_SECONDS:-600}
jobs=${JOBS:-2}
seeds=$build/seeds
CMAKE_ARGS="" sh tools/build.sh $build -DCMAKE_C_COMPILER=clang-19 -DTILEC_FUZZ=ON \
    -DTILEC_SANITIZE=address,undefined -DTILEC_CPU=OFF -DTILEC_TESTS=ON >$build.log 2>&1 ||
    { cat $build.log >&2; exit 1; }

# What the readers see in real life: kernels, the golden tests, arrays.
rm -rf $seeds
mkdir -p $seeds/fuzz_lang $seeds/fuzz_ir $seeds/fuzz_npy $seeds/fuzz_elf $seeds/fuzz_record
cp kernels/*.tile.c $seeds/fuzz_lang/
for file in tests/lang/*.tile.c tests/error/*.tile.c tests/run/*.tile.c; do
    [ ! -f "$file" ] || sed '/^---$/,$d' "$file" >"$seeds/fuzz_lang/$(basename "$file")"
done
for file in tests/lang/*.tile.c; do
    [ ! -f "$file" ] || sed '1,/^---$/d' "$file" >"$seeds/fuzz_ir/$(basename "$file").ir"
done
for file in tests/ir/*.ir tests/pass/*.ir; do
    [ ! -f "$file" ] || sed '/^---$/,$d' "$file" >"$seeds/fuzz_ir/$(basename "$file")"
done
head -c 4096 examples/example.npy >$seeds/fuzz_npy/example
cp lab/*.json tests/lab/*.json $seeds/fuzz_record/
$build/test_lab_verify --write $seeds/fuzz_record

fuzz() {
    name=$1
    mkdir -p fuzz-corpus/$name
    longest=8192
    [ $name != fuzz_record ] || longest=100000 # a whole record, or nothing is reached
    status=0
    $build/$name -max_total_time=$seconds -timeout=10 -rss_limit_mb=2048 -max_len=$longest \
        -artifact_prefix=fuzz-corpus/$name- -print_final_stats=1 \
        fuzz-corpus/$name $seeds/$name >$build/$name.log 2>&1 || status=$?
    echo "$name: $seconds seconds, status $status"
    tail -n 12 $build/$name.log
    return $status
}

# As many side by side as there are jobs, in rounds; a failed one does not stop the others.
failed=0 running=""
await() {
    for process in $running; do
        wait "$process" || failed=1
    done
    running=""
}
count=0
for name in ${*:-fuzz_npy fuzz_ir fuzz_lang fuzz_elf fuzz_record}; do
    fuzz $name &
    running="$running $!" count=$((count + 1))
    [ $((count % jobs)) != 0 ] || await
done
await
exit $failed
