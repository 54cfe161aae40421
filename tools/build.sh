#!/bin/sh
# tools/build.sh FOLDER [CMAKE ARGUMENT...]: configures (again) and builds. Ninja is used where it is
# installed, unless the folder was made with another generator. Quiet unless something goes wrong.
# Warnings are errors here, in development; who calls cmake by himself, with a compiler that we have not
# seen, builds in spite of them.
set -eu

folder=$1
shift
generator=""
if [ ! -f "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null 2>&1; then
    generator="-G Ninja"
fi
[ -f "$folder/CMakeCache.txt" ] || set -- -DTILEC_TESTS=OFF "$@"

mkdir -p "$folder"
log=$folder/configure.log
if ! cmake -S . -B "$folder" $generator -DCMAKE_INSTALL_PREFIX="${PREFIX:-/usr/local}" \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON "$@" ${CMAKE_ARGS:-} >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
cmake --build "$folder" -j "${JOBS:-2}"
