#!/bin/sh
# make test-gpu: what needs an NVIDIA GPU, in one go. The programs may have been built elsewhere:
#   gpu_device.sh BUILD-FOLDER [RANDOM-KERNELS] [PROCESSES] [FIRST-SEED]
# Runs in the root of the source tree. Nearly all time goes into NVIDIA's compiler, which uses one
# processor; so every part is split into tasks, which so many processes share. Every part says what it
# did; the last line sums up. Status 77: there is no GPU here. A task may take LIMIT seconds (300), so that one
# which hangs does not cost what the others find. LOGS=FOLDER keeps what tasks say, as far as they came.
set -u
build=${1:-build} count=${2:-5000} jobs=${3:-$(nproc 2>/dev/null || echo 2)} seed=${4:-1}
work=$(mktemp -d) logs=${LOGS:-}
trap 'rm -rf "$work"' EXIT
[ -n "$logs" ] || logs=$work
mkdir -p "$logs"
: >"$logs/results"
export TILEC_TEST_GPU=1 LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export TILEC_CACHE_DIR="$work/cache" LC_ALL=C
begin=$(date +%s)

"$build/tilec" devices | grep '^cuda' || { echo "skipped: no device cuda"; exit 77; }
if "$build/tilec" devices | grep '^cuda' | grep -q 'not available'; then
    echo "skipped: the device cuda is not here"
    exit 77
fi

# ---- Tasks: lines "PART COMMAND", the long ones first ------------------------------------------

tasks=$work/tasks
task() { echo "$*" >>"$tasks"; }

task ops "$build/test_cuda_ops"
task chains "$build/test_cuda_chains"
task squares "$build/test_gpu_squares"

# Edge cases: a task for each letter that their names begin with, as compiling takes the time.
if [ -x "$build/edge" ]; then
    for letter in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
        task edge "$build/edge" cuda "'$letter*'"
    done
else
    echo "skipped: the program 'edge' is not here"
fi

# Kernels of kernels/ against references in double; the interpreter and the CPU run elsewhere.
shares=$((2 * jobs))
for program in exec_products exec_kernels; do
    i=0
    while [ $i -lt $shares ]; do
        task $program env EXEC_SHARE=$i/$shares "$build/$program" cuda
        # in blocks of several programs, of which the last has parts without one for most sizes
        task shared_blocks env EXEC_SHARE=$i/$shares EXEC_REQUIRE=programs_per_block=3 \
            "$build/$program" cuda
        i=$((i + 1))
    done
done
tiles=${TILES:-400} first=1
while [ "$first" -le "$tiles" ]; do
    n=$((tiles - first + 1 < 20 ? tiles - first + 1 : 20))
    task tiles env CUDA_TILES_FIRST=$first CUDA_TILES_SEEDS=$n "$build/test_cuda_tiles"
    first=$((first + n))
done

# compute-sanitizer over one launch of each kind of kernel; its tools run side by side.
cat >"$work/launches" <<EOF
kernels/activations.tile.c:gelu X=rand:f32[1000]:1 Out=new:f32[1000] n=1000
kernels/activations.tile.c:swiglu Gate=rand:f32[1000]:1 Up=rand:f32[1000]:2 Out=new:f32[1000] n=1000
kernels/adam.tile.c P=rand:f32[1000]:1 G=rand:f32[1000]:2 M=zeros:f32[1000] V=zeros:f32[1000] n=1000 lr=0.01 beta1=0.9 beta2=0.999 eps=1e-8 decay=0 correction1=0.1 correction2=0.001
kernels/attention.tile.c -D D=64 Q=rand:f32[2,37,64]:1 K=rand:f32[2,70,64]:2 V=rand:f32[2,70,64]:3 Out=new:f32[2,37,64] heads=2 n=37 keys=70 scale=0.125 causal=1
kernels/attention.tile.c -D D=64 -D T=half Q=rand:f16[2,37,64]:1 K=rand:f16[2,70,64]:2 V=rand:f16[2,70,64]:3 Out=new:f16[2,37,64] heads=2 n=37 keys=70 scale=0.125 causal=0
kernels/attention.tile.c -D D=64 -D T=half -D BLOCK_M=64 -D BLOCK_N=64 Q=rand:f16[2,37,64]:1 K=rand:f16[2,203,64]:2 V=rand:f16[2,203,64]:3 Out=new:f16[2,37,64] heads=2 n=37 keys=203 scale=0.125 causal=1
kernels/attention.tile.c -D D=128 -D T=bfloat -D BLOCK_M=128 -D BLOCK_N=128 --require buffering=2 Q=rand:bf16[1,130,128]:1 K=rand:bf16[1,300,128]:2 V=rand:bf16[1,300,128]:3 Out=new:bf16[1,130,128] heads=1 n=130 keys=300 scale=0.125 causal=0
kernels/attention.tile.c -D D=64 -D T=half -D BLOCK_M=32 -D BLOCK_N=16 --require buffering=3 Q=rand:f16[2,37,64]:1 K=rand:f16[2,70,64]:2 V=rand:f16[2,70,64]:3 Out=new:f16[2,37,64] heads=2 n=37 keys=70 scale=0.125 causal=1
kernels/copy.tile.c X=rand:f32[70000]:1 Out=new:f32[70000] n=70000
kernels/cross_entropy.tile.c X=rand:f32[3,301]:1 Label=rand:i32[3]:2 Loss=new:f32[3] rows=3 N=301
kernels/dropout.tile.c X=rand:f32[1000]:1 Out=new:f32[1000] n=1000 p=0.25 seed=7
kernels/gemm.tile.c A=rand:f32[37,45]:1 B=rand:f32[45,61]:2 C=new:f32[37,61] M=37 N=61 K=45
kernels/gemm.tile.c -D T=half A=rand:f16[136,200]:1 B=rand:f16[200,72]:2 C=new:f16[136,72] M=136 N=72 K=200
kernels/gemm.tile.c -D T=half -D BLOCK_M=128 -D BLOCK_N=256 -D BLOCK_K=64 A=rand:f16[144,208]:1 B=rand:f16[208,272]:2 C=new:f16[144,272] M=144 N=272 K=208
kernels/gemm_gated.tile.c:gemm_gated -D T=bfloat -D BLOCK_M=64 -D BLOCK_N=64 -D BLOCK_K=64 --require groups=4 X=rand:bf16[144,208]:1 Gate=rand:bf16[208,272]:2 Up=rand:bf16[208,272]:3 Out=new:bf16[144,272] M=144 N=272 K=208
kernels/gemm_int8.tile.c:gemm_int8 A=rand:i8[80,112]:1 B=rand:i8[112,96]:2 C=new:i32[80,96] M=80 N=96 K=112
kernels/histogram.tile.c X=rand:i32[1000]:1 Count=rand:i32[10]:3 n=1000 bins=10
kernels/layernorm.tile.c:layernorm X=rand:f32[3,1001]:1 W=rand:f32[1001]:2 B=rand:f32[1001]:3 Out=new:f32[3,1001] rows=3 N=1001 eps=1e-5
kernels/layernorm.tile.c:layernorm_tile X=rand:f32[3,1001]:1 W=rand:f32[1001]:2 B=rand:f32[1001]:3 Out=new:f32[3,1001] rows=3 N=1001 eps=1e-5
kernels/layernorm.tile.c:layernorm_tile -D T=half X=new:f16[3,1024] W=rand:f16[1024]:2 B=rand:f16[1024]:3 Out=new:f16[3,1024] rows=3 N=1024 eps=1e-5
kernels/matvec_nf4.tile.c Q=rand:u8[9,7,32]:1 Absmax=rand:f32[9,7]:2 X=rand:f32[7,64]:3 Y=new:f32[9] rows=9 blocks=7
kernels/matvec_q4.tile.c Q=rand:u8[9,7,16]:1 Scale=rand:f16[9,7]:2 X=rand:f32[7,32]:3 Y=new:f32[9] rows=9 groups=7
kernels/matvec_q8.tile.c W=rand:i8[9,7,32]:1 Scale=rand:f16[9,7]:2 X=rand:i8[7,32]:3 XScale=rand:f32[7]:4 Y=new:f32[9] rows=9 groups=7
kernels/median.tile.c X=rand:f32[3,1009]:1 Out=new:f32[3,1009] rows=3 n=1009
kernels/nbody.tile.c P=rand:f32[3,100]:1 M=rand:f32[100]:2 A=new:f32[3,100] n=100 soft=0.01
kernels/rope.tile.c:rope X=rand:f32[5,3,2,33]:1 Position=rand:i32[5]:2 Out=new:f32[5,3,2,33] tokens=5 heads=3 pairs=33 base=10000
kernels/rope.tile.c:rope_pairs X=rand:f32[5,3,33,2]:1 Cos=rand:f32[5,33]:2 Sin=rand:f32[5,33]:3 Out=new:f32[5,3,33,2] tokens=5 heads=3 pairs=33
kernels/rmsnorm.tile.c:rmsnorm X=rand:f32[3,1009]:1 W=rand:f32[1009]:2 Out=new:f32[3,1009] rows=3 N=1009 eps=1e-5
kernels/rmsnorm.tile.c:rmsnorm_tile X=rand:f32[3,1024]:1 W=rand:f32[1024]:2 Out=new:f32[3,1024] rows=3 N=1024 eps=1e-5
kernels/rmsnorm_backward.tile.c X=rand:f32[7,1009]:1 W=rand:f32[1009]:2 dY=rand:f32[7,1009]:3 dX=new:f32[7,1009] Part=new:f32[4,1009] rows=7 N=1009 programs=4 eps=1e-5
kernels/row_argmax.tile.c X=rand:f32[3,301]:1 Index=new:i32[3] rows=3 N=301
kernels/row_cumsum.tile.c X=rand:f32[3,301]:1 Out=new:f32[3,301] rows=3 N=301
kernels/softmax.tile.c:softmax X=rand:f32[3,1001]:1 Out=new:f32[3,1001] rows=3 N=1001
kernels/softmax.tile.c:softmax_tile X=rand:f32[3,1001]:1 Out=new:f32[3,1001] rows=3 N=1001
kernels/softmax.tile.c:softmax_tile --require programs_per_block=2 X=rand:f32[3,1001]:1 Out=new:f32[3,1001] rows=3 N=1001
kernels/transpose.tile.c --require programs_per_block=4 X=rand:f32[70,90]:1 Out=new:f32[90,70] M=70 N=90
kernels/softmax.tile.c:softmax_tile X=rand:f32[2,131072]:1 Out=new:f32[2,131072] rows=2 N=131072
kernels/sum.tile.c:sum_parts X=rand:f32[9999]:1 Parts=new:f32[5] n=9999 programs=5
kernels/transpose.tile.c X=rand:f32[70,90]:1 Out=new:f32[90,70] M=70 N=90
kernels/upsample.tile.c X=rand:f32[3,5,70]:1 Out=new:f32[3,10,140] channels=3 height=5 width=70
kernels/vector_add.tile.c X=rand:f32[1000]:1 Y=rand:f32[1000]:2 Out=new:f32[1000] n=1000
EOF
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck; do
        while read -r line; do
            task $tool compute-sanitizer --tool $tool --error-exitcode 9 "$build/tilec" run \
                --target cuda "$line"
        done <"$work/launches"
    done
else
    echo "skipped: compute-sanitizer is not installed"
fi

# Last and in small pieces, so that no processor waits for another at the end.
pieces=$((8 * jobs))
each=$(((count + pieces - 1) / pieces)) i=0
while [ $i -lt $pieces ]; do
    task random "$build/random_kernels" --targets interp,cuda --seed $((seed + i * each)) \
        --count $each
    i=$((i + 1))
done

# ---- Running them ------------------------------------------------------------------------------

# Alone, one after the other: they fill the memory of the GPU and lose the device.
for test in api codes failures; do
    echo "api $build/test_cuda_$test"
done >"$work/alone"

# Output, status and seconds of the task whose line is the arguments go to files of its own.
cat >"$work/one" <<'EOF'
part=$1 log=$(mktemp "$LOGS/log.$1.XXXXXX") from=$(date +%s)
shift
timeout -k 5 "${LIMIT:-300}" "$@" >"$log" 2>&1 </dev/null
status=$?
case $part in
*check) # the machine's runtime may refuse compute-sanitizer
    [ $status = 0 ] || ! grep -q 'Device not supported\|Unable to' "$log" || status=refused ;;
esac
echo "$part $status $(($(date +%s) - from)) $log $*" >>"$LOGS/results"
EOF
export LOGS="$logs"
xargs -P 1 -L 1 sh "$work/one" <"$work/alone"
xargs -P "$jobs" -L 1 sh "$work/one" <"$tasks"

# ---- What came of them -------------------------------------------------------------------------

sort "$logs/results" | awk '
    $2 == 0 { passed[$1]++ }
    $2 == "refused" { refused[$1]++ }
    { count[$1]++; seconds[$1] += $3; if ($3 > longest[$1]) longest[$1] = $3 }
    END { for (part in count)
              printf "%s: %d of %d tasks passed, %d refused; %d s, the longest %d s\n", part,
                  passed[part], count[part], refused[part], seconds[part], longest[part] }' | sort
failed=0 shown=0 last=
sort "$logs/results" | grep -v '^[a-z_]* 0 ' >"$work/rest"
while read -r part status _ log command; do
    if [ "$status" = refused ]; then
        grep -h -m 1 'Device not supported\|Unable to' "$log" >>"$work/refusals"
        continue
    fi
    failed=$((failed + 1))
    [ "$part" = "$last" ] || shown=0
    last=$part shown=$((shown + 1))
    [ $shown -le 3 ] || continue # of each part
    echo "FAILED (status $status): $command"
    grep -v '^\[ *\(RUN\|OK\|SKIPPED\)' "$log" | tail -n "${TAIL:-40}"
done <"$work/rest"
[ ! -e "$work/refusals" ] || sort -u "$work/refusals"
cat "$logs"/log.random.* | awk '/kernels from seed/ { kernels += $2 }
    /of the elements/ { same += $5; bound += $11; free += $15 }
    END { print "random: " kernels " kernels; of the elements " same " had to be the same, " bound \
          " within a bound, " free " were free" }'

[ $failed = 0 ] && said="all passed" || said="$failed tasks FAILED"
echo "test-gpu: $said ($(($(date +%s) - begin)) s)"
[ $failed = 0 ]
