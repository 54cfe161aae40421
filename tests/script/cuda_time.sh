#!/bin/sh
# 'tilec run --time --target cuda' times replays on the device, not copies; on a stand-in for the driver.
set -u
tilec=$TILEC_BUILD_DIR/tilec
TILEC_CUDA_DRIVER=$TILEC_BUILD_DIR/libfake_cuda.so
export TILEC_CUDA_DRIVER
[ -e "$TILEC_CUDA_DRIVER" ] || { echo "skipped: no stand-in for the driver"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out
"$tilec" build kernels/copy.tile.c --target cuda --arch sm_90a -o "$work/k.cubin" >"$out" 2>&1 ||
    { echo "skipped: no compiler for CUDA: $(cat "$out")"; exit 77; }
status=0
timed() { # WORDS ARGUMENT...
    words=$1
    shift
    "$tilec" run "$@" --time --target cuda >"$out" 2>&1 || status=1
    grep -q "$words" "$out" || { echo "not '$words':"; cat "$out"; status=1; }
}
timed 'copy: median [0-9.e+-]* us of [0-9]* replays of [0-9]* launches, on the device' \
    kernels/copy.tile.c X=rand:f32[1000]:1 Out=new:f32[1000] n=1000
timed 'replays of' kernels/copy.tile.c X=new:f32[0] Out=new:f32[0] n=0
[ ! -e "$TILEC_BUILD_DIR/libtilec-cpu.so" ] ||
    "$tilec" run kernels/copy.tile.c X=rand:f32[1000]:1 Out=new:f32[1000] n=1000 --time | grep -q ' runs, ' ||
    { echo "the CPU is not timed by runs"; status=1; }
exit $status
