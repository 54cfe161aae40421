#!/bin/sh
# Whole compilers on CUDA, on a stand-in for the driver whose kernels do nothing: they are wrong on both
# sides, so that nothing regressed, and the record of four processes verifies.
set -u
tilec=$TILEC_BUILD_DIR/tilec
TILEC_CUDA_DRIVER=$TILEC_BUILD_DIR/libfake_cuda.so
export TILEC_CUDA_DRIVER
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -e "$TILEC_CUDA_DRIVER" ] && "$tilec" build kernels/copy.tile.c --target cuda --arch sm_90a \
    -o "$work/k.cubin" >/dev/null 2>&1 || { echo "skipped: no compiler for CUDA"; exit 77; }
sed "s,\"../../kernels,\"$PWD/kernels,; s/\"targets\": \[\"cpu\"\]/\"targets\": [\"cuda\"]/" \
    tests/lab/declared-processes.json >"$work/experiment.json"
grep -q '"cuda"' "$work/experiment.json" || { echo "the experiment is not for cuda"; exit 1; }
"$tilec" lab regress "$work/experiment.json" --target cuda --baseline "$tilec" \
    -o "$work/record.json" || exit 1
grep -q 'replay of a graph' "$work/record.json" || { echo "no replays"; exit 1; }
"$tilec" lab verify "$work/record.json" || exit 1
