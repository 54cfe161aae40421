#!/bin/sh
# tools/aarch64.sh FOLDER [CTEST ARGUMENT...]: builds tilec for AArch64, and runs tests under qemu-user:
# those that ctest's arguments choose, or all that run code of the CPU backend and read only files.
#
# On Debian 12. The compiler is gcc's for AArch64; LLVM and the other libraries are Debian's packages of that
# architecture (170 MB), unpacked below FOLDER and not installed. Emulation is some twenty times slower.
# msl-host does not run there: it compiles by the clang++ in PATH, which is one for x86-64.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
root=$folder/root
[ $# -gt 0 ] || set -- -R '^(test_api|test_run_elf|test_cpu_.*|edge|exec-(kernels|products|matrix|dots)|random-kernels)$'

while read -r program package; do
    command -v "$program" >/dev/null || {
        echo "missing: $program; install it with: apt-get install $package" >&2
        exit 1
    }
done <<'PROGRAMS'
cmake cmake
ninja ninja-build
qemu-aarch64 qemu-user
aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
PROGRAMS

# apt-get with lists, states and downloads of its own.
foreign_apt() {
    apt-get -oAPT::Architecture=arm64 -oAPT::Architectures=arm64 -oDebug::NoLocking=1 \
        -oDir::State::Lists="$folder/lists" -oDir::State::status="$folder/status" \
        -oDir::Cache::archives="$folder/archives" "$@"
}

if [ ! -d "$root" ]; then
    mkdir -p "$folder/lists/partial" "$folder/archives/partial"
    : >"$folder/status"
    foreign_apt update
    foreign_apt install -y --no-install-recommends --download-only llvm-19-dev libjansson-dev \
        libssl-dev libcmocka-dev libgomp1 libgcc-12-dev libstdc++-12-dev libc6-dev
    rm -rf "$root.new"
    for package in "$folder"/archives/*.deb; do
        dpkg -x "$package" "$root.new"
    done
    mv "$root.new" "$root"
fi

# Its paths are those of where it lies.
cat >"$folder/llvm-config" <<CONFIG
#!/bin/sh
exec qemu-aarch64 -L "$root" "$root/usr/lib/llvm-19/bin/llvm-config" "\$@"
CONFIG
chmod +x "$folder/llvm-config"

cat >"$folder/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT "$root")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "$root")
set(ENV{PKG_CONFIG_LIBDIR} "$root/usr/lib/aarch64-linux-gnu/pkgconfig:$root/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "$root")
TOOLCHAIN

cmake -S . -B "$folder/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$folder/toolchain.cmake" \
    -DLLVM_CONFIG="$folder/llvm-config" -DTILEC_TESTS=ON -DTILEC_LLVM_STATIC=OFF
cmake --build "$folder/build" -j "${JOBS:-2}"
ctest --test-dir "$folder/build" -j "${JOBS:-2}" --timeout 3600 --output-on-failure "$@"
