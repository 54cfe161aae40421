#!/bin/sh
# The installed package works: the examples are built against it as a user would, with CMake and with
# pkg-config, and print what they should.
set -eu

# skip WHY
skip() {
    echo "skipped: $1"
    exit 77
}
[ -f "$TILEC_BUILD_DIR/libtilec-cpu.so" ] || skip "built without the CPU backend"
[ -z "${TILEC_SANITIZE:-}" ] || skip "a library with sanitizers needs programs that have them too"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/installed
cmake --install "$TILEC_BUILD_DIR" --prefix "$prefix" >/dev/null

# expect PROGRAM TEXT
expect() {
    actual=$("$1")
    [ "$actual" = "$2" ] || { printf '%s printed:\n%s\n' "$1" "$actual"; exit 1; }
}

jit_text="0 0.5 1 1.5 2 2.5 3 3.5 4 4.5
0 1 2 3 4 5 6 7 8 9"
for example in jit ahead_of_time; do
    cmake -S examples/$example -B "$work/$example" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" >"$work/log" 2>&1 &&
        cmake --build "$work/$example" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
done
expect "$work/jit/jit" "$jit_text"

# This one must not need tilec any more.
mv "$prefix" "$work/elsewhere"
expect "$work/ahead_of_time/ahead_of_time" "0.3651 0.7303 1.0954 2.9212
-1.0000 1.0000 -1.0000 2.0000
with Out too small: refused"
mv "$work/elsewhere" "$prefix"

# A project in C++ alone.
mkdir "$work/cxx"
cat >"$work/cxx/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(cxx LANGUAGES CXX)
find_package(tilec REQUIRED)
tilec_add_kernel(add SOURCE $PWD/kernels/vector_add.tile.c)
add_executable(cxx main.cpp)
target_link_libraries(cxx PRIVATE add)
EOF
cat >"$work/cxx/main.cpp" <<'EOF'
#include "add.h"
#include <cstdio>
int main()
{
    const float x[2] = {1, 2}, y[2] = {10, 20};
    float out[2];
    const int status = vector_add(x, y, out, 2, nullptr);
    std::printf("%d %g %g\n", status, static_cast<double>(out[0]), static_cast<double>(out[1]));
}
EOF
cmake -S "$work/cxx" -B "$work/cxx/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$work/log" 2>&1 &&
    cmake --build "$work/cxx/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
expect "$work/cxx/build/cxx" "0 11 22"

export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tilec.pc)")
${CC:-cc} examples/jit/main.c $(pkg-config --cflags --libs tilec) -o "$work/jit.pkg"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir tilec) expect "$work/jit.pkg" "$jit_text"

"$prefix/bin/tilec" --version >/dev/null
