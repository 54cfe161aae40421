#!/bin/sh
# make soak: everything that takes too long for CI. Every step replaces its row in docs/soak.md, with
# the commit and the day; details stay in build*/soak-*.log. Takes hours; SOAK_ONLY="STEP..." runs some
# steps, so that the table can be renewed in parts. A failed step does not stop the others.
#
# SOAK_LANES=N has N steps run side by side, each with JOBS jobs: no test keeps all processors busy to its
# end. A step for which something is missing here is skipped: its row stays as it is.
set -u

build=${BUILD:-build}
jobs=${JOBS:-2}
seed=${SOAK_SEED:-1}
document=docs/soak.md
lanes=${SOAK_LANES:-1}
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
    rows=$build/soak-$name-row
    rm -f "$rows"-*
    while [ $i -lt "$jobs" ]; do
        "$build/random_kernels" --count $each --seed $((seed + i * each)) "$@" >"$rows-$i" 2>&1 &
        i=$((i + 1))
    done
    wait
    cat "$rows"-*
    cat "$rows"-* | awk -v first="$seed" '
        /kernels from seed/ { kernels += $2; failures += $(NF - 1) }
        /of the elements/ { same += $5 }
        /beyond a limit/ { refused += $2 }
        END { printf "%d kernels from seed %d on, %d refused for a limit of Metal, %d elements " \
                  "the same, %d failures\n", kernels, first, refused, same, failures
              exit failures > 0 }' &&
        [ "$(grep -l '; 0 failures' "$rows"-* | wc -l)" = "$jobs" ] &&
        ! grep -q '^paths marked' "$rows"-*
}

step_tests() { tested_build "$build"; }
step_sanitizers() { tested_build build-sanitize -DTILEC_SANITIZE=address,undefined; }
# Without OpenMP, whose waiting ThreadSanitizer does not know: it would call every launch on several threads
# a race.
step_threads() {
    sh tools/build.sh build-threads -DTILEC_TESTS=ON -DTILEC_SANITIZE=thread -DCMAKE_C_COMPILER=clang-19 \
        -DCMAKE_DISABLE_FIND_PACKAGE_OpenMP=ON &&
        (cd build-threads && ctest --output-on-failure -j "$jobs" \
            -R '^test_(threads|api|api_misuse|run_cache|cpu_parts)$')
}
step_clang() { tested_build build-clang -DCMAKE_C_COMPILER=clang-19; }
step_compilers() { JOBS=$jobs sh tools/replay.sh --compilers gcc clang-19; }
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
step_math() { OMP_NUM_THREADS=$jobs "$build/soak_math"; }
step_msl_products() {
    TILEC_SEEDS=$(sed -n 's/^TILEC_SEEDS:PATH=//p' "$build/CMakeCache.txt")
    export TILEC_SEEDS
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
step_gpu() { LOGS=$build/soak-gpu sh tests/gpu_device.sh "$build" "${SOAK_GPU_KERNELS:-5000}" "$jobs" "$seed"; }

# What the code of the CPU backend is made for here.
machine() {
    vectors=$(grep -o -m 1 -w 'avx512f\|avx2\|asimd' /proc/cpuinfo | sort -r | head -n 1)
    echo "$(uname -m)${vectors:+ with $vectors}, $(env -u OMP_NUM_THREADS nproc) processors"
}

# step NAME WHAT: runs step_NAME and puts a row into the table, in place of the one before.
step() {
    case " ${SOAK_ONLY:-$1} " in *" $1 "*) ;; *) return ;; esac
    if [ -n "${SOAK_LIST:-}" ]; then
        echo "$1"
        return
    fi
    name=$1
    log=$build/soak-$1.log
    begin=$(date +%s)
    echo "soak: $1"
    verdict=passed
    ("step_$1") >"$log" 2>&1
    status=$?
    if [ $status = 77 ]; then
        echo "soak: $1: $(grep '^skipped: ' "$log" | tail -n 1)"
        return
    elif [ $status != 0 ]; then
        verdict=FAILED
        failures=$((failures + 1))
        tail -n 20 "$log"
    fi
    seconds=$(($(date +%s) - begin))
    last=$(grep -v '^ *$' "$log" | tail -n 1 | tr '|' '/' | cut -c 1-120)
    row="| $1 | $2 | $commit | $verdict | $seconds s | $(date -u +%Y-%m-%d), $(machine); $last |"
    grep -q "^| $1 |" "$document" || echo "soak: $document has no row for this: $row"
    { # one lane at a time
        flock 9
        ROW=$row awk -v step="$1" 'index($0, "| " step " |") == 1 { print ENVIRON["ROW"]; next }
                                   { print }' "$document" >"$build/soak.md" &&
            cp "$build/soak.md" "$document"
    } 9>"$build/soak.lock"
    echo "soak: $1: $verdict, $seconds s"
}

mkdir -p "$build"
# The table itself is no change.
commit=$(git rev-parse --short=7 HEAD)$(
    git diff --quiet HEAD -- . ":!$document" || echo " with changes")

# Lanes: what most steps use is built first; each step is a run of this script by itself.
if [ "$lanes" -gt 1 ]; then
    sh tools/build.sh "$build" -DTILEC_TESTS=ON || exit 1
    export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$jobs}" OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"
    SOAK_LANES=1 SOAK_LIST=1 sh "$0" >"$build/soak-steps"
    SOAK_LANES=1 xargs -P "$lanes" -I STEP env SOAK_ONLY=STEP SOAK_QUIET=1 sh "$0" <"$build/soak-steps"
    failed=$?
    [ $failed = 0 ] || echo "soak: a step failed"
    echo "soak: the table is in $document"
    exit $failed
fi

# The long ones first, as nothing runs beside the last one of all lanes.
step tests "all tests, release build"
step sanitizers "all tests with ASan and UBSan, every failing allocation among them"
step threads "tests of threads with ThreadSanitizer, without OpenMP"
step fuzzers "each fuzzer for ${FUZZ_SECONDS:-600} s"
step clang "all tests, built by clang"
step gpu "\`make test-gpu\`, on an NVIDIA GPU"
step aarch64 "tests of the CPU backend on AArch64, under qemu-user"
step math "every one-argument function over all floats"
step random_kernels "${SOAK_KERNELS:-100000} random kernels, interpreter against CPU"
step random_c "${SOAK_C_PROGRAMS:-20000} random programs, C's compilers against the interpreter and the CPU"
step random_variants "${SOAK_VARIANT_KERNELS:-3000} random kernels in all the code that the CPU backend may make of them"
step random_msl "${SOAK_MSL_KERNELS:-5000} random kernels, interpreter against CPU and msl-host"
step tiny_limits "unit tests with every limit shrunk"
step no_llvm "all tests without the CPU backend"
step msl_products "the recorded products whole, and ${SOAK_PRODUCTS:-3000} random ones, on msl-host"
step compilers "\`tools/replay.sh --compilers gcc clang-19\`: the same code from both builds"
step static "the program for a GPU machine: what it needs, and that it runs"

[ -z "${SOAK_LIST:-}" ] || exit 0
[ -n "${SOAK_QUIET:-}" ] || echo "soak: $failures steps failed; the table is in $document"
[ "$failures" = 0 ]
