#!/bin/sh
# The C of the pages and of tilec.h's first comment compiles without a warning, as it stands there: each
# block indented by four blanks that calls something of tilec's, as a function of its own. What a block
# takes for granted is declared in front; a line '...' stands for what the reader has.
set -eu
build=${TILEC_BUILD_DIR:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/taken" <<'END'
#define TILEC_EXPERIMENTAL
#include <stdio.h>
#include <tilec/cuda.h>
extern tilec_context *context;
extern tilec_program *program;
extern tilec_kernel *kernel;
extern tilec_prepared *prepared;
extern tilec_argument arguments[4];
extern tilec_source source;
extern tilec_compile_options options;
extern float *in, *out;
extern int rows, columns;
extern size_t bytes;
END

# blocks FILE PREFIX: the blocks of C behind the prefix, each in a file
blocks() {
    sed -n "s/^$2    //p; t; s/.*//p" "$1" | awk -v base="$work/$(basename "$1")" '
        function close_block() {
            if (text ~ /tilec_[a-z_]*\(/ && text ~ /;/ && text !~ /(^|\n)(\$|tilec |cc |int32_t |extern )/)
                printf "%s", text > (base "." ++count ".part")
            text = ""; blank = ""
        }
        # One blank line is part of a block; a line that is no block leaves two.
        /^$/ { if (blank != "") close_block(); blank = "\n"; next }
        { text = text (text != "" ? blank : "") $0 "\n"; blank = "" }
        END { close_block() }'
}

blocks README.md ""
for page in docs/*.md; do
    blocks "$page" ""
done
blocks include/tilec/tilec.h " \\*"

count=0
for part in "$work"/*.part; do
    {
        cat "$work/taken"
        echo "void example(void);"
        echo "void example(void)"
        echo "{"
        sed 's/^ *\.\.\.$/;/' "$part"
        echo "}"
    } >"$part.c"
    used="" # what '...' uses is not seen
    ! grep -q '^ *\.\.\.$' "$part" || used=-Wno-unused-variable
    for standard in c17 c2x; do
        cc -std=$standard -Wall -Wextra -Werror $used -fsyntax-only -Iinclude "$part.c" 2>"$work/log" ||
            { echo "$(basename "$part" .part):"; cat "$part" "$work/log"; exit 1; }
    done
    count=$((count + 1))
done
[ $count -ge 6 ] || { echo "only $count blocks of C were found"; exit 1; }

# docs/aot.md's loop over a pool of threads, with the header that it is for.
[ -f "$build/libtilec-cpu.so" ] || { echo "$count blocks; none of aot.md's: built without the CPU backend"; exit 0; }
"$build/tilec" build kernels/softmax.tile.c:softmax -D BLOCK=256 -o "$work/softmax.o" --header "$work/softmax.h"
sed -n '/^    static void run(/,/^$/s/^    //p' docs/aot.md >"$work/loop"
grep -q '^\.\.\.$' "$work/loop" || { echo "docs/aot.md has no loop"; exit 1; }
{
    cat <<'END'
#include "softmax.h"
struct pool;
void pool_for(struct pool *pool, int64_t count, void (*body)(void *state, int64_t begin, int64_t end),
              void *state);
extern struct pool *pool;
extern float *x, *out;
extern int rows, n;
END
    sed '/^\.\.\.$/,$d' "$work/loop"
    echo "void example(void);"
    echo "void example(void)"
    echo "{"
    sed '1,/^\.\.\.$/d' "$work/loop"
    echo "}"
} >"$work/loop.c"
cc -std=c99 -Wall -Wextra -Werror -fsyntax-only -I"$work" "$work/loop.c"
