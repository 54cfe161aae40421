#!/bin/sh
# tools/replay.sh A [B]: does a change leave the generated code as it was? Builds commits A and B (the
# working tree, if B is not given) and compares, byte for byte, what both make of the kernels of
# kernels/ and of the golden tests: Tile IR, LLVM IR of three processors, Metal and CUDA, or the
# messages where they refuse. Ends with status 1 where a text differs; the texts stay in
# build-replay/A and build-replay/B, for diff. The kernels are those of the working tree for both.
#
# tools/replay.sh --compilers gcc clang-19: does the working tree make the same code whatever compiles
# it? C does not order arguments, so that calls which build IR must not stand beside each other there.
set -eu
compilers=no
[ "${1-}" != --compilers ] || { compilers=yes; shift; }
if [ $# -lt 1 ] || [ $# -gt 2 ] || { [ $compilers = yes ] && [ $# -ne 2 ]; }; then
    echo "usage: tools/replay.sh A [B] | --compilers CC CC" >&2
    exit 2
fi
cd "$(dirname "$0")/.."
root=$PWD
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
out=$root/build-replay
work=$(mktemp -d)
trap 'rm -rf "$work"; git worktree prune' EXIT
rm -rf "$out"
mkdir "$out"

# compiler SIDE [COMMIT]: builds it, and writes the path of its program to $work/SIDE.
compiler() {
    tree=$root
    if [ $# = 2 ]; then
        tree=$work/tree.$1
        git worktree add -q --detach "$tree" "$2"
    fi
    (cd "$tree" && JOBS=$jobs sh tools/build.sh "$work/build.$1" -DTILEC_TESTS=OFF >/dev/null)
    echo "$work/build.$1/tilec" >"$work/$1"
}

# One line for each text: the file, then the options that make it.
inputs() {
    for file in kernels/*.tile.c tests/lang/*.tile.c tests/pass/*.tile.c tests/run/*.tile.c \
        tests/emit/*.tile.c tests/perf/*.tile.c; do
        types=none
        grep -q '^#define T ' "$file" && types="none half bfloat"
        for type in $types; do
            define=
            [ "$type" = none ] || define="-D T=$type"
            for stage in "tile" "llvm --cpu x86-64-v3" "llvm --cpu x86-64-v4" "llvm --cpu aarch64" \
                "msl" "cuda" "cuda --arch sm_90a --aligned all"; do
                echo "$file $define --stage $stage"
            done
        done
    done
}

# texts SIDE: the text of every line of the inputs, in a file named by it.
texts() {
    mkdir "$out/$1"
    TILEC=$(cat "$work/$1") OUT=$out/$1 xargs -P "$jobs" -L 1 sh -c '
        name=$(echo "$*" | tr "/ " "__")
        timeout 60 "$TILEC" emit "$@" >"$OUT/$name" 2>&1 </dev/null || echo "status $?" >>"$OUT/$name"
    ' one <"$work/inputs"
}

if [ $compilers = yes ]; then
    CC=$1 compiler A
    CC=$2 compiler B
else
    compiler A "$1"
    compiler B ${2:+"$2"}
fi
inputs >"$work/inputs"
texts A
texts B

diff -rq "$out/A" "$out/B" | sed 's|^Files .*/A/\(.*\) and .*|differs: \1|' >"$work/different" || true
cat "$work/different"
echo "$(wc -l <"$work/different") of $(wc -l <"$work/inputs") texts differ"
[ ! -s "$work/different" ]
