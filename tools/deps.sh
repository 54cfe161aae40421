#!/bin/sh
# tools/deps.sh SET...: sees that what the sets (build, test, bench, fuzz) need is there.
#
# Each row below is: set, Debian package, a command that succeeds where the thing is present however
# it came there. What is missing is installed with apt-get when we are root or sudo asks for no
# password; otherwise, or with TILEC_NO_APT=1, the exact command is printed and the status is 1.
set -u

rows() {
    cat <<'ROWS'
build cmake          cmake --version
build gcc            ${CC:-cc} --version
build libc6-dev      printf "#include <stdio.h>\n" | ${CC:-cc} -E - 
build pkg-config     pkg-config --version
build libjansson-dev pkg-config --exists jansson
build libssl-dev     pkg-config --exists libcrypto
build llvm-19-dev    llvm-config-19 --version || test "${CMAKE_ARGS:-}" != "${CMAKE_ARGS#*TILEC_CPU=OFF}" || test "${CMAKE_ARGS:-}" != "${CMAKE_ARGS#*LLVM_CONFIG}"
test  libcmocka-dev  pkg-config --exists cmocka
test  g++            ${CXX:-c++} --version
test  clang-19       clang-19 --version
bench g++            ${CXX:-c++} --version
bench clang-19       clang-19 --version
bench libdnnl-dev    printf "#include <oneapi/dnnl/dnnl.h>\n" | ${CC:-cc} -E -
bench libopenblas0   ldconfig -p | grep -q libopenblas.so.0
bench libblis4       ldconfig -p | grep -q libblis.so.4
fuzz  clang-19       clang-19 --version
fuzz  libclang-rt-19-dev ls /usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-*.a
ROWS
}

missing=""
for wanted in "$@"; do
    while read -r set_name package probe; do
        [ "$set_name" = "$wanted" ] || continue
        case " $missing " in *" $package "*) continue ;; esac
        (eval "$probe") >/dev/null 2>&1 || missing="$missing $package"
    done <<ROWS
$(rows)
ROWS
done
[ -n "$missing" ] || exit 0

as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo "
command="${as_root}apt-get update && ${as_root}apt-get install -y --no-install-recommends$missing"

if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing:$missing (Debian's package names); install them and try again" >&2
    exit 1
fi
if [ "${TILEC_NO_APT:-0}" != 0 ] || { [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; }; then
    printf 'missing:%s\ninstall with:\n    %s\n' "$missing" "$command" >&2
    exit 1
fi

echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
[ -z "$as_root" ] || as_root="sudo -n "
log=$(mktemp)
if ! { ${as_root}apt-get update && ${as_root}apt-get install -y --no-install-recommends $missing; } \
    >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "could not install$missing; the command was: $command" >&2
    exit 1
fi
rm -f "$log"
