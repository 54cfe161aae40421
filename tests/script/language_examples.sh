#!/bin/sh
# The examples of docs/language.md are C to an editor, like the shipped kernels.
set -u
if ! command -v clang-19 >/dev/null 2>&1; then
    echo "skipped: clang-19 is not installed"
    exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
awk -v folder="$folder" '
    /^```c$/ { count++; inside = 1; print "#include <tilec/kernel.h>" > (folder "/" count ".c"); next }
    /^```/   { inside = 0 }
    inside   { print > (folder "/" count ".c") }' docs/language.md
status=0
for file in "$folder"/*.c; do
    clang-19 -std=c23 -fsyntax-only -Wall -Wextra -Werror -Iinclude "$file" || status=1
done
exit $status
