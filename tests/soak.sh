#!/bin/sh
# make soak: everything that takes too long for CI. The result, with date and commit, replaces
# docs/soak.md; details stay in build*/soak-*.log. Takes hours; SOAK_ONLY="STEP..." runs some steps
# and writes no document. A failed step does not stop the others.
set -u

build=${BUILD:-build}
jobs=${JOBS:-2}
result=$build/soak.md
failures=0

# Configures folder $1 with the further arguments, builds it and runs the tests whose names do not
# match $skip.
tested_build() {
    folder=$1
    shift
    sh tools/build.sh "$folder" -DTILEC_TESTS=ON "$@" &&
        (cd "$folder" && ctest --output-on-failure -j "$jobs" ${skip:+-E "$skip"})
}

step_tests() { tested_build "$build"; }
step_sanitizers() { tested_build build-sanitize -DTILEC_SANITIZE=address,undefined; }
step_clang() { tested_build build-clang -DCMAKE_C_COMPILER=clang-19; }
step_no_llvm() { tested_build build-no-cpu -DTILEC_CPU=OFF; }
# With tiny limits the shipped kernels, which the lab measures, and the texts of limits are other ones,
# and what random tiles become on a GPU has more ops than fit.
step_tiny_limits() {
    skip='golden|exec|random|lab_run|lab_tune|lab_fresh|autotune|gpu_tiles|msl_products|msl_gemm|gpu_pipeline|soak' tested_build build-tiny -DTILEC_TINY_LIMITS=ON
}
step_math() { "$build/soak_math"; }
step_msl_products() {
    MSL_GEMM_WHOLE=1 "$build/test_msl_gemm"
    MSL_PRODUCTS=${SOAK_PRODUCTS:-3000} "$build/test_msl_products"
}
step_random_kernels() { "$build/random_kernels" --count "${SOAK_KERNELS:-100000}"; }
step_random_msl() {
    "$build/random_kernels" --count "${SOAK_MSL_KERNELS:-5000}" --targets interp,cpu,msl-host
}
step_fuzzers() { sh tests/fuzz/run.sh; }

# step NAME WHAT: runs step_NAME and adds a row to the table.
step() {
    case " ${SOAK_ONLY:-$1} " in *" $1 "*) ;; *) return ;; esac
    log=$build/soak-$1.log
    begin=$(date +%s)
    echo "soak: $1"
    verdict=passed
    if ! (set -e; "step_$1") >"$log" 2>&1; then
        verdict=FAILED
        failures=$((failures + 1))
        tail -n 20 "$log"
    fi
    seconds=$(($(date +%s) - begin))
    last=$(grep -v '^ *$' "$log" | tail -n 1 | tr '|' '/' | cut -c 1-100)
    echo "| $1 | $2 | $verdict | $seconds s | $last |" >>"$result"
}

mkdir -p "$build"
cat >"$result" <<HEAD
# The last long test

\`make soak\` wrote this on $(date -u +%Y-%m-%d) at commit $(git rev-parse --short=12 HEAD)$(
    git diff --quiet HEAD || echo " with changes"), on $(uname -m), $(nproc) processors.

| step | what | result | time | its last line |
|---|---|---|---|---|
HEAD

step tests "all tests, release build"
step sanitizers "all tests with ASan and UBSan, every failing allocation among them"
step clang "all tests, built by clang"
step no_llvm "all tests without the CPU backend"
step tiny_limits "unit tests with every limit shrunk"
step math "every one-argument function over all floats"
step random_kernels "${SOAK_KERNELS:-100000} random kernels, interpreter against CPU"
step random_msl "${SOAK_MSL_KERNELS:-5000} random kernels, interpreter against CPU and msl-host"
step msl_products "the recorded products whole, and ${SOAK_PRODUCTS:-3000} random ones, on msl-host"
step fuzzers "each fuzzer for ${FUZZ_SECONDS:-600} s"

if [ -z "${SOAK_ONLY:-}" ]; then
    mkdir -p docs
    cp "$result" docs/soak.md
fi
echo "soak: $failures steps failed; see $result"
[ "$failures" = 0 ]
