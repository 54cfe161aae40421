#!/bin/sh
# Signals and the compilers that tilec starts. What ends tilec while clang++ works for msl-host, or nvcc
# for cuda, leaves nothing in the folder for temporary files.
set -u
tilec=$(pwd)/${TILEC_BUILD_DIR:-build}/tilec
case ${TILEC_BUILD_DIR:-build} in /*) tilec=$TILEC_BUILD_DIR/tilec ;; esac
[ -x "$tilec" ] || { echo "skipped: there is no tilec"; exit 77; }
command -v clang++-19 >/dev/null || { echo "skipped: clang++-19 is not in PATH"; exit 77; }
env --default-signal=INT true 2>/dev/null || { echo "skipped: env knows no --default-signal"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# interrupt NAME FILE COMMAND...: sends each signal to the command as soon as the file is there.
interrupt() {
    name=$1 file=$2
    shift 2
    for signal in INT TERM HUP; do
        folder=$work/$name-$signal
        mkdir "$folder"
        # A shell ignores interrupts in what runs beside it.
        TMPDIR=$folder env --default-signal=INT "$@" >"$work/out" 2>&1 &
        process=$!
        tries=0
        until ls "$folder"/$file >/dev/null 2>&1; do
            tries=$((tries + 1))
            [ $tries -lt 3000 ] && kill -0 $process 2>/dev/null || break
            sleep 0.01
        done
        kill -$signal $process
        wait $process
        ended=$?
        if [ $ended -le 128 ]; then
            echo "$name, SIG$signal: the status is $ended"
            cat "$work/out"
            status=1
        fi
        left=$(ls "$folder")
        [ -z "$left" ] || { echo "$name, SIG$signal leaves $left"; status=1; }
    done
}

interrupt msl-host 'tilec-msl-*/kernel.cpp' "$tilec" run kernels/softmax.tile.c:softmax_tile \
    X=rand:f32[4,100]:1 Out=new:f32[4,100] rows=4 N=100 --target msl-host

# Who ignores SIGCHLD hands that down, to clang++ too.
env --ignore-signal=CHLD "$tilec" run kernels/softmax.tile.c:softmax_tile X=rand:f32[4,100]:1 \
    Out=new:f32[4,100] rows=4 N=100 --target msl-host || status=1

# A compiler that takes its time; signals reach tilec alone.
printf '#!/bin/sh\nsleep 1\nexit 1\n' >"$work/nvcc"
chmod +x "$work/nvcc"
TILEC_NVRTC=/none TILEC_NVCC=$work/nvcc
export TILEC_NVRTC TILEC_NVCC
interrupt nvcc 'tilec-cuda-*/kernel.cu' "$tilec" build kernels/copy.tile.c --target cuda -o "$work/k.cubin"
exit $status
