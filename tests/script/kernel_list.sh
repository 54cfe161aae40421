#!/bin/sh
# kernels/README.md names each file and each kernel in it, and no others.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in kernels/*.tile.c; do
    names=$(sed -n 's/^kernel void \([A-Za-z0-9_]*\)(.*/\1/p' "$file" | tr '\n' ' ' | sed 's/ $//')
    name=$(basename "$file" .tile.c)
    echo "| [$name]($name.tile.c) | \`$names\` |"
done >"$work/there"
sed -n 's/^\(| \[[^|]*| `[^|]*|\).*/\1/p' kernels/README.md >"$work/listed"
diff "$work/listed" "$work/there"
