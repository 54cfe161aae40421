#!/bin/sh
# The Makefile takes a build folder and a prefix with spaces in their names, for every command; in a
# folder that is not tilec's it says so.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/my build" "$work/build-old" "$work/tools"
for program in sh cmake ctest; do
    printf '#!/bin/sh\necho "%s:$(for a; do printf " <%%s>" "$a"; done)"\n' $program >"$work/bin/$program"
    sed -i "1s,.*,#!$(command -v dash || command -v bash)," "$work/bin/$program"
    chmod +x "$work/bin/$program"
done
cp "$work/bin/sh" "$work/my build/tilec-demo"
cp Makefile "$work"
cp tools/deps.sh "$work/tools"
said() {
    (cd "$work" && PATH="$work/bin:$PATH" make -s SHELL=/bin/sh BUILD="my build" PREFIX="$work/my prefix" "$@")
}
fail() {
    echo "make $1: $2"
    exit 1
}
for goal in all demo test test-gpu bench install bless; do
    text=$(said "$goal")
    case $text in *"<my>"*) fail "$goal" "$text" ;; esac
    case $text in *"<my build>"*) ;; *) fail "$goal" "$text" ;; esac
done
said install | grep -q "<--prefix> <$work/my prefix>" || fail install "loses the prefix"
said clean
[ ! -e "$work/my build" ] || fail clean "leaves the build"

mkdir "$work/elsewhere"
text=$(make -C "$work/elsewhere" -f "$work/Makefile" demo 2>&1) && fail demo "goes on elsewhere: $text"
case $text in *"make -C FOLDER"*) ;; *) fail demo "$text" ;; esac
