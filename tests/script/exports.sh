#!/bin/sh
# Each public header compiles alone as C17 and C++ and is short; the library exports what it
# declares and nothing else.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=include/tilec/tilec.h
headers="$header include/tilec/lab.h include/tilec/cuda.h"

for file in $headers; do [ "$(wc -l <"$file")" -le 600 ]; done
printf '#include <tilec/lab.h>\n#include <tilec/cuda.h>\n#include <tilec/tilec.h>\n' >"$work/alone.c"
cp "$work/alone.c" "$work/alone.cc"
strict="-pedantic -Wall -Wextra -Wshadow -Wconversion -Werror -Iinclude -DTILEC_EXPERIMENTAL"
for compiler in "gcc -std=c17" "clang-19 -std=c17" "g++ -std=c++11" "clang++-19 -std=c++20"; do
    command -v "${compiler%% *}" >/dev/null || continue
    case $compiler in
    *++*) source=$work/alone.cc more='-Wold-style-cast -Wsign-conversion' ;;
    *) source=$work/alone.c more=-Wcast-qual ;;
    esac
    $compiler $strict $more -c "$source" -o "$work/alone.o"
done

sed -n 's/^TILEC_API .*[ *]\(tilec_[a-z_]*\)(.*/\1/p' $headers | sort >"$work/declared"
# clang's instrumentation marks its sections with names of its own.
nm -D --defined-only "$TILEC_BUILD_DIR/libtilec.so" |
    awk '$3 !~ /^__(start|stop)_/ { print $3 }' | sort >"$work/exported"
diff "$work/declared" "$work/exported"

# What the library calls of its own is its own: a second version in the process, or a program's function
# of that name, must not take its place.
if readelf -W -r "$TILEC_BUILD_DIR/libtilec.so" | grep ' tilec_'; then exit 1; fi
