#!/bin/sh
# make test-gpu: what needs an NVIDIA GPU, in one go. The programs may have been built elsewhere:
#   gpu_device.sh BUILD-FOLDER [RANDOM-KERNELS] [PROCESSES]
# Runs in the root of the source tree. Every part says what it did; the last line sums up. Status 77:
# there is no GPU here.
set -u
build=${1:-build} count=${2:-5000} jobs=${3:-$(nproc 2>/dev/null || echo 2)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TILEC_TEST_GPU=1 LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export TILEC_CACHE_DIR="$work/cache" LC_ALL=C
failed=0
seconds() { date +%s; }
begin=$(seconds)

"$build/tilec" devices | grep '^cuda' || { echo "no device cuda"; exit 77; }
if "$build/tilec" devices | grep '^cuda' | grep -q 'not available'; then
    exit 77
fi

# part NAME COMMAND...: the output only where it fails
part() {
    name=$1 from=$(seconds)
    shift
    if "$@" >"$work/$name.log" 2>&1; then
        echo "passed: $name ($(($(seconds) - from)) s)"
    else
        failed=1
        echo "FAILED: $name (status $?)"
        grep -v '^\[ *\(RUN\|OK\|SKIPPED\)' "$work/$name.log" | tail -${TAIL:-40}
    fi
}

part ops "$build/test_cuda_ops"
part tiles env CUDA_TILES_SEEDS=${TILES:-400} "$build/test_cuda_tiles"
[ -x "$build/test_cuda_chains" ] && part chains "$build/test_cuda_chains"
part api "$build/test_cuda_api"

# Kernels of kernels/ against references in double; the interpreter and the CPU run elsewhere.
for program in exec_kernels exec_products; do
    [ -x "$build/$program" ] && part "$program" "$build/$program" cuda
done

# random_part FIRST COUNT NUMBER
random_part() {
    "$build/random_kernels" --targets interp,cuda --seed "$1" --count "$2" >"$work/random.$3" 2>&1
    echo $? >"$work/random.$3.status"
}
from=$(seconds)
each=$(((count + jobs - 1) / jobs))
i=0
while [ $i -lt "$jobs" ]; do
    random_part $((1 + i * each)) $each $i &
    i=$((i + 1))
done
wait
if cat "$work"/random.*.status | grep -qv '^0$'; then
    failed=1
    echo "FAILED: random kernels"
    for log in "$work"/random.*.status; do
        [ "$(cat "$log")" = 0 ] || tail -60 "${log%.status}"
    done | head -150
else
    echo "passed: $((each * jobs)) random kernels ($(($(seconds) - from)) s)"
    cat "$work"/random.? "$work"/random.?? 2>/dev/null | grep 'of the elements' |
        awk '{ same += $5; bound += $11; free += $16 }
             END { print "  elements: " same " the same, " bound " within a bound, " free " free" }'
fi

# compute-sanitizer over one launch of each kernel; its tools run side by side.
cat >"$work/launches" <<EOF
kernels/activations.tile.c:gelu X=rand:f32[1000]:1 Out=new:f32[1000] n=1000
kernels/activations.tile.c:swiglu Gate=rand:f32[1000]:1 Up=rand:f32[1000]:2 Out=new:f32[1000] n=1000
kernels/copy.tile.c X=rand:f32[70000]:1 Out=new:f32[70000] n=70000
kernels/cross_entropy.tile.c X=rand:f32[3,301]:1 Label=rand:i32[3]:2 Loss=new:f32[3] rows=3 N=301
kernels/gemm.tile.c A=rand:f32[37,45]:1 B=rand:f32[45,61]:2 C=new:f32[37,61] M=37 N=61 K=45
kernels/histogram.tile.c X=rand:i32[1000]:1 Count=rand:i32[10]:3 n=1000 bins=10
kernels/layernorm.tile.c:layernorm X=rand:f32[3,1001]:1 W=rand:f32[1001]:2 B=rand:f32[1001]:3 Out=new:f32[3,1001] rows=3 N=1001 eps=1e-5
kernels/rmsnorm.tile.c:rmsnorm X=rand:f32[3,1009]:1 W=rand:f32[1009]:2 Out=new:f32[3,1009] rows=3 N=1009 eps=1e-5
kernels/rmsnorm.tile.c:rmsnorm_tile X=rand:f32[3,1024]:1 W=rand:f32[1024]:2 Out=new:f32[3,1024] rows=3 N=1024 eps=1e-5
kernels/row_argmax.tile.c X=rand:f32[3,301]:1 Index=new:i32[3] rows=3 N=301
kernels/row_cumsum.tile.c X=rand:f32[3,301]:1 Out=new:f32[3,301] rows=3 N=301
kernels/softmax.tile.c:softmax X=rand:f32[3,1001]:1 Out=new:f32[3,1001] rows=3 N=1001
kernels/softmax.tile.c:softmax_tile X=rand:f32[3,1001]:1 Out=new:f32[3,1001] rows=3 N=1001
kernels/transpose.tile.c X=rand:f32[70,90]:1 Out=new:f32[90,70] M=70 N=90
kernels/vector_add.tile.c X=rand:f32[1000]:1 Y=rand:f32[1000]:2 Out=new:f32[1000] n=1000
EOF
sanitize() {
    tool=$1 clean=0 bad=0 from=$(seconds)
    while read -r line; do
        # shellcheck disable=SC2086
        if compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/tilec" run --target cuda $line \
            >"$work/$tool.log" 2>&1 </dev/null; then
            clean=$((clean + 1))
        elif grep -q 'Device not supported\|Unable to' "$work/$tool.log"; then
            echo "skipped: $tool: $(grep -m1 'Device not supported\|Unable to' "$work/$tool.log")"
            return
        else
            bad=$((bad + 1))
            echo "FAILED: $tool: $line"
            [ $bad -gt 2 ] || tail -25 "$work/$tool.log"
            : >"$work/failed"
        fi
    done <"$work/launches"
    echo "$tool: $clean kernels clean, $bad not ($(($(seconds) - from)) s)"
}
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck; do
        sanitize $tool >"$work/$tool.said" &
    done
    wait
    cat "$work"/*.said
    [ ! -e "$work/failed" ] || failed=1
else
    echo "skipped: compute-sanitizer is not installed"
fi

[ $failed = 0 ] && echo "test-gpu: all passed ($(($(seconds) - begin)) s)" || echo "test-gpu: FAILED"
exit $failed
