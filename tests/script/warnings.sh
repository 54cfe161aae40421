#!/bin/sh
# Neither compiler warns: what gcc builds is read by clang and the other way round, with the build's own
# flags, warnings being errors. A test that clang did not take went unseen for days.
set -eu
list=$TILEC_BUILD_DIR/compile_commands.json
[ -f "$list" ] || { echo "skipped: the build made no compile_commands.json"; exit 77; }
other=clang-19
grep -q '"command": *"[^"]*clang' "$list" && other=gcc
command -v $other >/dev/null || { echo "skipped: there is no $other"; exit 77; }
tab=$(printf '\t')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each source once, as `source<tab>flags`: without the compiler in front and the object behind. Names with
# blanks stand in quotes, as clang and gcc read them from a file of arguments.
sed -n 's/^ *"command": "\(.*\)",$/\1/p' "$list" | sed '
    s/\\\(.\)/\1/g
    s/^[^-]* -/-/
    s/ -o [^ ]*//
    s/-fopenmp=libomp/-fopenmp/
    s/\(.*\) -c \(.*\)/\2\t\1/' | sort -u -t "$tab" -k 1,1 >"$work/sources"
count=$(wc -l <"$work/sources")
[ "$count" -gt 100 ] || { echo "only $count sources in $list"; exit 1; }
status=0
while IFS=$tab read -r source flags; do
    echo "$flags -Wno-unknown-warning-option -Werror -fsyntax-only $source" >"$work/flags"
    $other "@$work/flags" >"$work/out" 2>&1 || { cat "$work/out"; status=1; }
done <"$work/sources"
echo "$count sources read by $other"
exit $status
