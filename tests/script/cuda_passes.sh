#!/bin/sh
# The flags of passes reach those over GPU IR in 'tilec run --target cuda', also of code that is made at
# the launch, for what is known of its arguments; on a stand-in for the driver.
set -u
. tests/script/fake_cuda.inc
status=0
# 1001 is no multiple of 16: the code made for multiples does not do.
ran() { # ARGUMENT...
    "$tilec" run kernels/copy.tile.c --target cuda X=rand:f32[1001]:1 Out=new:f32[1001] n=1001 "$@" >"$out" 2>&1
}
ran --time-passes && grep -q 'gpu:narrow' "$out" || { echo "no time of gpu:narrow:"; cat "$out"; status=1; }
ran --time-passes --off narrow,gpu:licm && ! grep -q 'gpu:narrow\|gpu:licm' "$out" && grep -q ' licm' "$out" ||
    { echo "narrow and gpu:licm were not left out:"; cat "$out"; status=1; }
ran --dump gpu:scalarise && grep -q '^// [0-9]* gpu:scalarise' "$out" || { echo "no dump:"; cat "$out"; status=1; }
ran --off gpu:licn && status=1
grep -q "unknown pass 'licn' over GPU IR" "$out" || { echo "accepted gpu:licn:"; cat "$out"; status=1; }
exit $status
