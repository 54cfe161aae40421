#!/bin/sh
# Each folder of an installation may lie outside of the prefix, as some packagers have it: pkg-config and
# the program still find the library. Configured only; examples.sh installs in earnest.
set -eu
work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/headers/include" "$work/libraries/lib/pkgconfig" "$work/own"

# expect WHAT IS WANTED
expect() {
    [ "$2" = "$3" ] || { echo "$1: $2, not $3"; exit 1; }
}

# configured NAME=VALUE...: into the folder build
configured() {
    rm -rf "$work/build"
    cmake -S . -B "$work/build" -DTILEC_CPU=OFF -DTILEC_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$work/own" "$@" \
        >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    # CMake 3 writes NEW_RPATH "\$ORIGIN/../lib", CMake 4 NEW_RPATH [[$ORIGIN/../lib]].
    rpath=$(sed -n 's/.*NEW_RPATH.*ORIGIN\/\([^]"]*\).*/\1/p' "$work/build/cmake_install.cmake" | head -n 1)
}

configured -DCMAKE_INSTALL_LIBDIR="$work/libraries/lib" -DCMAKE_INSTALL_INCLUDEDIR="$work/headers/include"
cp "$work/build/tilec.pc" "$work/libraries/lib/pkgconfig"
export PKG_CONFIG_PATH="$work/libraries/lib/pkgconfig"
expect includedir "$(cd "$(pkg-config --variable=includedir tilec)" && pwd)" "$work/headers/include"
expect libdir "$(cd "$(pkg-config --variable=libdir tilec)" && pwd)" "$work/libraries/lib"
expect prefix "$(cd "$(pkg-config --variable=prefix tilec)" && pwd)" "$work/own"
mkdir -p "$work/own/bin"
expect 'run path' "$(cd "$work/own/bin/$rpath" && pwd)" "$work/libraries/lib"

configured -DCMAKE_INSTALL_LIBDIR=lib64
expect 'run path' "$rpath" ../lib64

# A program that contains the library finds the backend where that is installed; where there are the
# archives for one.
rm -rf "$work/build"
if cmake -S . -B "$work/build" -DTILEC_STATIC=ON -DTILEC_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$work/own" \
    -DCMAKE_INSTALL_LIBDIR=lib64 >"$work/log" 2>&1; then
    grep -q 'TILEC_MODULE_FOLDER=[\\"]*../lib64/tilec[\\"]' "$work/build/compile_commands.json" ||
        { echo 'the program does not know the way to the backend'; exit 1; }
fi
