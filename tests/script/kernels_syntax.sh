#!/bin/sh
# Every kernel shipped or measured is C to an editor: clang reads it through the header made for that, without a
# warning, for each storage type.
set -u
if ! command -v clang-19 >/dev/null 2>&1; then
    echo "skipped: clang-19 is not installed"
    exit 77
fi
status=0
for file in kernels/*.tile.c lab/kernels/*.tile.c; do
    for type in float half bfloat; do
        clang-19 -std=c23 -fsyntax-only -Wall -Wextra -Werror -Iinclude -DT=$type "$file" || status=1
    done
done
exit $status
