#!/bin/sh
# Metal source as a program: what builds write can be read again, other people's source runs when it
# is trusted, and what is wrong with it is found.
set -u
tilec=$(pwd)/${TILEC_BUILD_DIR:-build}/tilec
case ${TILEC_BUILD_DIR:-build} in /*) tilec=$TILEC_BUILD_DIR/tilec ;; esac
[ -x "$tilec" ] || { echo "skipped: there is no tilec"; exit 77; }
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
fail() {
    echo "$1"
    [ ! -f "$work/out" ] || cat "$work/out"
    status=1
}
# expect WORDS COMMAND...: the command fails and says so.
expect() {
    words=$1
    shift
    if "$@" >"$work/out" 2>&1; then fail "succeeds: $*"; fi
    grep -qF -- "$words" "$work/out" || fail "does not say '$words': $*"
}

# ---- launch exports of all kernels: only the arguments are missing
for file in kernels/*.tile.c; do
    for kernel in $(sed -n 's/^kernel void \([a-z_0-9]*\).*/\1/p' "$file"); do
        "$tilec" build "$file:$kernel" -D BLOCK=64 -D BLOCK_M=32 -D BLOCK_N=32 -D BLOCK_K=16 -D PART=16 \
            --target msl -o "$work/k.metal" >"$work/out" 2>&1 || continue
        built=$kernel
        expect 'needs the argument' "$tilec" run "$work/k.metal" --trust-source
    done
done
[ -n "${built:-}" ] || fail "no kernel was built"

# ---- exports that are wrong
cd "$work" || exit 1
"$tilec" build "$root/kernels/softmax.tile.c:softmax_tile" -D BLOCK=64 --target msl -o k.metal || fail build
arguments='X=rand:f32[2,60]:1 Out=new:f32[2,60] rows=2 N=60'
for change in 's/"le(N, 64)"/"le(N)"/;does not take' 's/"le(N, 64)"/"le(N, 64"/;has no ' \
    's/"le(N, 64)"/"add(N, 64)"/;no condition' 's/"le(N, 64)"/"exp(N)"/;an op' \
    's/"le(N, 64)"/"le(M, 64)"/;no scalar of the kernel' 's/"buffer": 1/"buffer": 0/;argument 1' \
    's/"buffer": 1/"buffer": 31/;argument 1' 's/"threads_per_threadgroup": [0-9]*/"threads_per_threadgroup": 0/;how many threads' \
    's/"function": "softmax_tile"/"function": "other"/;no kernel' 's/{/[/;no JSON'; do
    sed "${change%;*}" k.json >bad.json
    cmp -s k.json bad.json && fail "no change: $change"
    expect "${change##*;}" "$tilec" run k.metal --launch bad.json --trust-source $arguments
done
cp k.metal other.metal
echo '// changed' >>other.metal
expect 'SHA-256 is another' "$tilec" run other.metal --launch k.json --trust-source $arguments
expect 'of which nothing else is made' "$tilec" run k.metal --target cpu --trust-source $arguments
expect "no Metal source: a file that ends" "$tilec" run "$root/kernels/copy.tile.c" --trust-source

# ---- running
command -v clang++-19 >/dev/null || command -v clang++ >/dev/null || {
    echo "skipped: what runs: there is no clang++-19"
    [ $status = 0 ] && exit 77
    exit $status
}
expect 'would run as native code' "$tilec" run k.metal $arguments
"$tilec" run k.metal --trust-source $arguments --out Out=soft.npy || fail "does not run"
"$tilec" run "$root/kernels/softmax.tile.c:softmax_tile" -D BLOCK=64 --target interp $arguments \
    --expect Out=@soft.npy --rtol 1e-5 >out 2>&1 || fail "is not right"
# what a launch computes once
"$tilec" build "$root/kernels/softmax.tile.c:softmax" -D BLOCK=16 --target msl -o loop.metal || fail build
grep -q '"uniform"' loop.json || fail "the loop's kernel has no uniforms"
"$tilec" run loop.metal --trust-source $arguments --expect Out=@soft.npy --rtol 1e-5 >out 2>&1 ||
    fail "a kernel with uniforms is not right"
sed 's/"kind": "uniform"/"kind": "scalar"/' loop.json >bad.json
expect 'needs the argument' "$tilec" run loop.metal --launch bad.json --trust-source $arguments
expect 'do not meet launch_require' "$tilec" run k.metal --trust-source \
    'X=rand:f32[2,70]:1' 'Out=new:f32[2,70]' rows=2 N=70

# shader NAME BODY: a source without an export, of 64 threads
shader() {
    printf '%s\n' '#include <metal_stdlib>' 'using namespace metal;' \
        "[[max_total_threads_per_threadgroup(64)]] kernel void $1(device int *x [[buffer(0)]]," \
        'constant int &n [[buffer(2)]], uint i [[thread_index_in_threadgroup]]) {' "$2" '}' >"$1.metal"
}
go() {
    name=$1
    shift
    "$tilec" check "$name.metal" --trust-source --grid "1" 'x=rand:i32[64]:1' n=64 "$@"
}
shader fine 'threadgroup int t[64]; t[i] = n - int(i); threadgroup_barrier(mem_flags::mem_threadgroup); x[i] = t[63 - i];'
go fine --order 5 || fail "a right source does not run"
"$tilec" run fine.metal --trust-source --grid 1 'x=rand:i32[64]:1' n=64 --order 5 >out 2>&1 ||
    fail "'--order' is not for Metal source that runs"
shader race 'threadgroup int t[64]; t[i] = n; x[i] = t[63 - i];'
expect 'which no thread has written' go race
shader race 'threadgroup int t[64]; t[i] = 1; t[63 - i] = n; x[i] = t[i];'
expect 'a race' go race
shader diverge 'if (int(i) < n - 10) threadgroup_barrier(mem_flags::mem_device); x[i] = 1;'
expect 'threads diverge' go diverge
shader beyond 'x[int(i) + n - 63] = 1;'
expect "buffer 0 ('x') at offset 256, which has 256 bytes" go beyond
expect 'has no launch_grid' "$tilec" run fine.metal --trust-source 'x=rand:i32[64]:1' n=64
printf '{"cases": [{"shader": {"function_name": "fine", "threadgroup_size": [32, 2, 1], "msl_source": "%s"}}]}' \
    "$(sed 's/.*/&\\n/' fine.metal | tr -d '\n')" >record.json
"$tilec" run record.json --entry cases/0/shader --trust-source --grid 1 'x=rand:i32[64]:1' n=64 >out 2>&1 ||
    fail "an entry of a record does not run"
# A stranger's: a key that stands twice would be whichever a reader takes, and brackets without end take
# a stack.
sed 's/^{/{"cases": [],/' record.json >twice.json
cmp -s record.json twice.json && fail 'no change: a key twice'
expect 'duplicate object key' "$tilec" run twice.json --entry cases/0/shader --trust-source --grid 1
{ printf '{"cases": '; printf '%05000d' 0 | tr 0 '['; } >deep.json
expect 'more than 48 brackets' "$tilec" run deep.json --entry cases --trust-source --grid 1
expect 'no such entry' "$tilec" run record.json --entry cases/1/shader --trust-source --grid 1
expect 'would run as native code' "$tilec" run record.json --entry cases/0/shader --grid 1 'x=rand:i32[64]:1' n=64
exit $status
