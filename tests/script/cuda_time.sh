#!/bin/sh
# 'tilec run --time --target cuda' times replays on the device, not copies; on a stand-in for the driver.
set -u
. tests/script/fake_cuda.inc
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
