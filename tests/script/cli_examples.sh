#!/bin/sh
# The examples of docs/cli.md print what the page says. An example is a run of lines indented by
# four blanks that starts with "$ command"; its output follows, up to the next command or blank line.
# What depends on the machine is not compared: times, and how far sums differ. Examples run in the order of the page, in one fresh folder.
set -u
build=${TILEC_BUILD_DIR:-build}
[ -x "$build/tilec" ] || exit 77
"$build/tilec" devices | grep -q '^cpu *level' || exit 77 # built without LLVM
root=$(pwd)
case $build in /*) ;; *) build=$root/$build ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
sed -n 's/^    //p; /^$/p' docs/cli.md >"$folder/page"
cd "$folder" || exit 1
ln -s "$root/kernels" kernels
ln -s "$root/examples" examples
PATH=$build:$PATH

without_times() {
    sed 's/median .* us of [0-9]* runs, .* GB/median T us of N runs, R GB/
        s/, largest difference .*/, largest difference D/'
}
awk '/^\$ / { show = 1 } /^$/ { show = 0 } show' page | without_times >wanted
awk '/^\$ / { show = 1 } /^$/ { show = 0 } show && /^\$ /' page | while IFS= read -r line; do
    printf '%s\n' "$line"
    sh -c "${line#\$ }" 2>&1
done | without_times >got
diff -u wanted got
