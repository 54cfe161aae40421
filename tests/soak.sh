#!/bin/sh
# make soak: everything that takes too long for CI. Every step replaces its row in docs/soak.md, with
# the commit and the day; details stay in build*/soak-*.log. Takes hours; SOAK_ONLY="STEP..." runs some
# steps, so that the table can be renewed in parts. A failed step does not stop the others.
set -u

build=${BUILD:-build}
jobs=${JOBS:-2}
seed=${SOAK_SEED:-1}
document=docs/soak.md
failures=0

# Configures folder $1 with the further arguments, builds it and runs the tests whose names do not
# match $skip; the end says what was skipped.
tested_build() {
    folder=$1
    shift
    sh tools/build.sh "$folder" -DTILEC_TESTS=ON "$@" || return 1
    passed=0
    (cd "$folder" && ctest --output-on-failure -j "$jobs" ${skip:+-E "$skip"}) || passed=1
    sh tests/skips.sh "$folder"
    return $passed
}

# shared_kernels COUNT ARGUMENT...: so many random kernels, shared by as many processes as there are
# jobs. What failed is shown; the last line sums up.
shared_kernels() {
    each=$((($1 + jobs - 1) / jobs)) i=0
    shift
    rm -f "$build"/soak-random-*
    while [ $i -lt "$jobs" ]; do
        "$build/random_kernels" --count $each --seed $((seed + i * each)) "$@" \
            >"$build/soak-random-$i" 2>&1 &
        i=$((i + 1))
    done
    wait
    cat "$build"/soak-random-*
    cat "$build"/soak-random-* | awk -v first="$seed" '
        /kernels from seed/ { kernels += $2; failures += $(NF - 1) }
        /of the elements/ { same += $5 }
        /beyond a limit/ { refused += $2 }
        END { printf "%d kernels from seed %d on, %d refused for a limit of Metal, %d elements " \
                  "the same, %d failures\n", kernels, first, refused, same, failures
              exit failures > 0 }' &&
        [ "$(grep -l '; 0 failures' "$build"/soak-random-* | wc -l)" = "$jobs" ] &&
        ! grep -q '^paths marked' "$build"/soak-random-*
}

step_tests() { tested_build "$build"; }
step_sanitizers() { tested_build build-sanitize -DTILEC_SANITIZE=address,undefined; }
step_clang() { tested_build build-clang -DCMAKE_C_COMPILER=clang-19; }
step_no_llvm() { tested_build build-no-cpu -DTILEC_CPU=OFF; }
# The program that is carried to a GPU machine: it must need the C library alone, and run.
step_static() {
    sh tools/build.sh build-static -DTILEC_CPU=OFF -DTILEC_STATIC=ON -DTILEC_TESTS=OFF &&
        build-static/tilec check kernels/vector_add.tile.c X=rand:f32[8]:1 Y=rand:f32[8]:2 \
            Out=new:f32[8] n=8 &&
        ldd build-static/tilec &&
        ! ldd build-static/tilec | grep -v 'linux-vdso\|ld-linux\|libc\.so\|libm\.so' &&
        echo "needs libc and libm only"
}
# With tiny limits the shipped kernels, which the lab measures, and the texts of limits are other ones,
# and what random tiles become on a GPU has more ops than fit.
step_tiny_limits() {
    skip='golden|exec|random|lab_run|lab_tune|lab_fresh|autotune|msl_products|msl_gemm|gpu_pipeline|soak|cpu_levels' tested_build build-tiny -DTILEC_TINY_LIMITS=ON
}
step_math() { "$build/soak_math"; }
step_msl_products() {
    MSL_GEMM_WHOLE=1 "$build/test_msl_gemm" &&
        MSL_PRODUCTS_SEEDS=${SOAK_PRODUCTS:-3000} "$build/test_msl_products"
}
step_random_kernels() { shared_kernels "${SOAK_KERNELS:-100000}"; }
# Of all the code that may be made of a kernel every path must be taken, in every process.
step_random_variants() {
    levels=$(case $(uname -m) in x86_64) echo native x86-64-v3 generic ;; *) echo native generic ;; esac)
    passed=0
    for level in $levels; do
        echo "$level:"
        shared_kernels "${SOAK_VARIANT_KERNELS:-3000}" --targets interp,cpu-variants --cpu "$level" \
            --least 1 || passed=1
    done
    "$build/exec_kernels" cpu-variants || passed=1
    [ $passed = 0 ] && echo "all of it for each of: $levels; and exec_kernels cpu-variants"
}
step_random_msl() { shared_kernels "${SOAK_MSL_KERNELS:-5000}" --targets interp,cpu,msl-host; }
step_random_c() {
    shared_kernels "${SOAK_C_PROGRAMS:-20000}" --targets interp,c:cc,c:clang-19,cpu
}
step_aarch64() { sh tools/aarch64.sh build-aarch64; }
step_fuzzers() { sh tests/fuzz/run.sh; }

# step NAME WHAT: runs step_NAME and puts a row into the table, in place of the one before.
step() {
    case " ${SOAK_ONLY:-$1} " in *" $1 "*) ;; *) return ;; esac
    log=$build/soak-$1.log
    begin=$(date +%s)
    echo "soak: $1"
    verdict=passed
    if ! ("step_$1") >"$log" 2>&1; then
        verdict=FAILED
        failures=$((failures + 1))
        tail -n 20 "$log"
    fi
    seconds=$(($(date +%s) - begin))
    last=$(grep -v '^ *$' "$log" | tail -n 1 | tr '|' '/' | cut -c 1-120)
    row="| $1 | $2 | $commit | $verdict | $seconds s | $(date -u +%Y-%m-%d), $(uname -m), $(
        nproc) processors; $last |"
    grep -q "^| $1 |" "$document" || echo "soak: $document has no row for this: $row"
    ROW=$row awk -v step="$1" 'index($0, "| " step " |") == 1 { print ENVIRON["ROW"]; next }
                               { print }' "$document" >"$build/soak.md" &&
        cp "$build/soak.md" "$document"
}

mkdir -p "$build"
# The table itself is no change.
commit=$(git rev-parse --short=7 HEAD)$(
    git diff --quiet HEAD -- . ":!$document" || echo " with changes")

step tests "all tests, release build"
step sanitizers "all tests with ASan and UBSan, every failing allocation among them"
step clang "all tests, built by clang"
step no_llvm "all tests without the CPU backend"
step static "the program for a GPU machine: what it needs, and that it runs"
step tiny_limits "unit tests with every limit shrunk"
step math "every one-argument function over all floats"
step random_kernels "${SOAK_KERNELS:-100000} random kernels, interpreter against CPU"
step random_variants "${SOAK_VARIANT_KERNELS:-3000} random kernels in all the code that the CPU backend may make of them"
step random_msl "${SOAK_MSL_KERNELS:-5000} random kernels, interpreter against CPU and msl-host"
step random_c "${SOAK_C_PROGRAMS:-20000} random programs, C's compilers against the interpreter and the CPU"
step msl_products "the recorded products whole, and ${SOAK_PRODUCTS:-3000} random ones, on msl-host"
step aarch64 "tests of the CPU backend on AArch64, under qemu-user"
step fuzzers "each fuzzer for ${FUZZ_SECONDS:-600} s"

echo "soak: $failures steps failed; the table is in $document"
[ "$failures" = 0 ]
