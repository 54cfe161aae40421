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
prefix="$work/installed here" # a blank, as folders of users have them
cmake --install "$TILEC_BUILD_DIR" --prefix "$prefix" >/dev/null

# expect PROGRAM TEXT
expect() {
    actual=$("$1")
    [ "$actual" = "$2" ] || { printf '%s printed:\n%s\n' "$1" "$actual"; exit 1; }
}

jit_text="0 0.5 1 1.5 2 2.5 3 3.5 4 4.5
0 1 2 3 4 5 6 7 8 9"
cp -r examples "$work/copied" # as a user would: out of the tree
for example in jit ahead_of_time; do
    cmake -S "$work/copied/$example" -B "$work/$example" -DCMAKE_PREFIX_PATH="$prefix" \
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
tilec_add_kernel(add SOURCE "$PWD/kernels/vector_add.tile.c" HEADER app/add.hpp)
add_executable(cxx main.cpp)
target_link_libraries(cxx PRIVATE add)
EOF
cat >"$work/cxx/main.cpp" <<'EOF'
#include "app/add.hpp"
#include <cstdio>
int main()
{
    const float x[2] = {1, 2}, y[2] = {10, 20};
    float out[2];
    const int status = vector_add(x, y, out, 2, nullptr);
    std::printf("%d %g %g\n", status, static_cast<double>(out[0]), static_cast<double>(out[1]));
}
EOF
cmake -G "Unix Makefiles" -S "$work/cxx" -B "$work/cxx/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$work/log" 2>&1 &&
    cmake --build "$work/cxx/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
expect "$work/cxx/build/cxx" "0 11 22"

# For another architecture there is no code, which the configuration says, not the linker.
for processor in riscv64 "$(uname -m)"; do
    rm -rf "$work/cross"
    cmake -S examples/ahead_of_time -B "$work/cross" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_SYSTEM_NAME=Linux \
        -DCMAKE_SYSTEM_PROCESSOR="$processor" >"$work/log" 2>&1 && crossed=yes || crossed=no
    [ "$processor" = "$(uname -m)" ] && wanted=yes || wanted=no
    [ $crossed = $wanted ] || { echo "for $processor: $crossed"; cat "$work/log"; exit 1; }
    [ $crossed = yes ] || grep -q "not for '$processor'" "$work/log" || { cat "$work/log"; exit 1; }
done

# An included file that changes is noticed, without DEPENDS; the kernel is in a folder with a space, of
# a project with the policies of old.
mkdir -p "$work/two words/part"
cat >"$work/two words/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(included LANGUAGES C)
find_package(tilec REQUIRED)
add_subdirectory(part)
EOF
cat >"$work/two words/part/CMakeLists.txt" <<EOF
tilec_add_kernel(scale SOURCE scale.tile.c)
add_executable(included main.c)
target_link_libraries(included PRIVATE scale)
EOF
cat >"$work/two words/part/scale.tile.c" <<'EOF'
#include <tilec/kernel.h>
#include "factor of scale.h"
launch_grid(scale, 1);
kernel void scale(float *X)
{
    store(X, FACTOR * load(X));
}
EOF
cat >"$work/two words/part/main.c" <<'EOF'
#include "scale.h"
#include <stdio.h>
int main(void)
{
    float x = 1;
    int status = scale(&x, NULL);
    printf("%d %g\n", status, (double)x);
}
EOF
for generator in "Unix Makefiles" Ninja; do
    command -v ninja >/dev/null || [ "$generator" != Ninja ] || continue
    build=$work/$generator
    for factor in 2 3; do
        echo "#define FACTOR $factor.0f" >"$work/two words/part/factor of scale.h"
        [ -d "$build" ] || cmake -S "$work/two words" -B "$build" -G "$generator" \
            -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
        cmake --build "$build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
        grep -q "Compiling kernel" "$work/log" || { echo "$generator: not compiled again"; exit 1; }
        ! grep -i warning "$work/log" || { echo "$generator: warnings"; exit 1; }
        expect "$build/part/included" "0 $factor"
        cmake --build "$build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
        ! grep "Compiling kernel" "$work/log" || { echo "$generator: compiled for nothing"; exit 1; }
        sleep 1 # make compares times, which have a grain
    done
done

# As a part of another project: the same names. Configured only; to build it is to build everything.
mkdir "$work/outer"
cat >"$work/outer/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.16)
project(outer LANGUAGES C)
add_subdirectory("$PWD" tilec)
tilec_add_kernel(add SOURCE "$PWD/kernels/vector_add.tile.c")
add_executable(outer "$PWD/examples/jit/main.c")
target_link_libraries(outer PRIVATE add tilec::tilec)
EOF
cmake -S "$work/outer" -B "$work/outer/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
type=$(sed -n 's/^CMAKE_BUILD_TYPE:STRING=//p' "$work/outer/build/CMakeCache.txt")
[ -z "$type" ] || { echo "a part of a project made the whole project's type '$type'"; exit 1; }

export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tilec.pc)")
# pkg-config quotes for a shell that reads it once more.
eval ${CC:-cc} examples/jit/main.c "$(pkg-config --cflags --libs tilec)" -o '"$work/jit.pkg"'
eval "libdir=$(pkg-config --variable=libdir tilec)"
LD_LIBRARY_PATH=$libdir expect "$work/jit.pkg" "$jit_text"

"$prefix/bin/tilec" --version >/dev/null
