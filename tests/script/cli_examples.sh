#!/bin/sh
# The examples of the pages print what the pages say. An example is a run of lines indented by four
# blanks that starts with "$ tilec"; its output follows, up to the next command or blank line.
# What depends on the machine is not compared: times, and how far sums differ. The examples of a page
# run in their order, in one fresh folder.
set -u
build=${TILEC_BUILD_DIR:-build}
[ -x "$build/tilec" ] || { echo "skipped: there is no tilec"; exit 77; }
"$build/tilec" devices | grep -q '^cpu *level' ||
    { echo "skipped: built without the CPU backend"; exit 77; }
root=$(pwd)
case $build in /*) ;; *) build=$root/$build ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
PATH=$build:$PATH

without_times() {
    sed 's/median .* us of [0-9]* runs, .* GB/median T us of N runs, R GB/
        s/, largest difference .*/, largest difference D/'
}

# Built with the address sanitizer, a program with stacks of its own (msl-host) is warned of, in three lines.
without_warnings() {
    sed '/WARNING: ASan is ignoring requested __asan_handle_no_return/,/^For details see/d'
}

# The examples of a page; with `commands` without their output. A command may go on over lines that end
# with a backslash.
examples() {
    sed -n 's/^    //p; /^$/p' "$root/$1" | awk -v commands="${2:-}" '
        /^\$ / { show = /^\$ tilec / }
        /^$/ { show = 0 }
        show && (!commands || /^\$ / || more)
        { more = /\\$/ }'
}

run_all() {
    while IFS= read -r line; do
        printf '%s\n' "$line"
        command=${line#\$ }
        while [ "${command%\\}" != "$command" ] && IFS= read -r line; do
            printf '%s\n' "$line"
            command=${command%\\}$line
        done
        sh -c "$command" 2>&1 </dev/null
    done
}

# page FILE: its examples, in a folder of their own
page() {
    mkdir run && ln -s "$root/kernels" "$root/examples" "$root/lab" run
    examples "$1" | without_times >wanted
    (cd run && examples "$1" commands | run_all) | without_warnings | without_times >got
    grep -q '^\$ tilec' wanted || { echo "$1 has no examples"; status=1; }
    diff -u --label "$1" --label "what it prints" wanted got || status=1
    rm -rf run
}

status=0
page README.md
page docs/cli.md
page docs/report.md
if tilec devices | grep '^msl-host' | grep -qv 'not available'; then
    page docs/msl-host.md
fi
exit $status
