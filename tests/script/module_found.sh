#!/bin/sh
# The CPU backend is the file beside the library that runs, and of the library's build. A library found
# by a relative name is still itself when the program has gone to a folder where that name is somebody
# else's; and a backend that another build left there is refused, not called.
set -eu

# skip WHY
skip() {
    echo "skipped: $1"
    exit 77
}
[ -f "$TILEC_BUILD_DIR/libtilec-cpu.so" ] || skip "built without the CPU backend"
[ -z "${TILEC_SANITIZE:-}" ] || skip "a library with sanitizers needs programs that have them too"
command -v cc >/dev/null || skip "no cc"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/here/lib" "$work/hostile/lib" "$work/other/lib"
cp "$TILEC_BUILD_DIR"/libtilec.so.0 "$TILEC_BUILD_DIR"/libtilec-cpu.so "$work/here/lib"
cp "$TILEC_BUILD_DIR"/libtilec.so.0 "$work/other/lib"
: >"$work/hostile/lib/libtilec.so.0"

cat >"$work/program.c" <<'EOF2'
#include <stdio.h>
#include <tilec/tilec.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_source source = {.size = sizeof source, .text = "kernel void k(int *X) { store(X, 1); }"};
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_diagnostic said;
    if (argc < 2 || chdir(argv[1]) != 0 || tilec_context_create(&options, &context) != TILEC_OK)
        return 1;
    if (tilec_compile(context, &source, NULL, &kernel) == TILEC_OK)
        puts("compiled");
    else if (tilec_diagnostic_get(context, 0, &said) == TILEC_OK)
        puts(said.message);
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
    return 0;
}
EOF2
cc -Iinclude "$work/program.c" -o "$work/program" "$TILEC_BUILD_DIR/libtilec.so"

# A module with the table's first fields alone: another build's number, or another table.
cat >"$work/module.c" <<'EOF2'
#include <stdint.h>
#include <unistd.h>
static uint64_t fit(void) { return 1; }
static const struct { int version; uint64_t (*fit)(void); void *rest[8]; } module = {VERSION, fit, {0}};
const void *tilec_cpu_module(void);
const void *tilec_cpu_module(void) { return &module; }
__attribute__((constructor)) static void loaded(void)
{
    if (write(1, "loaded\n", 7) != 7)
        _exit(1);
}
EOF2
version=$(sed -n 's/.*CPU_MODULE_VERSION = \([0-9]*\).*/\1/p' src/cpu/cpu.h)

# foreign VERSION FILE
foreign() {
    cc -shared -fPIC -DVERSION="$1" "$work/module.c" -o "$2"
}

# expect FOLDER FOLDER TEXT: what the program says that starts in the first and goes to the second
expect() {
    said=$(cd "$work/$1" && LD_LIBRARY_PATH=lib "$work/program" "$work/$2")
    [ "$said" = "$3" ] || { printf 'from %s to %s: %s\nwanted: %s\n' "$1" "$2" "$said" "$3"; exit 1; }
}

foreign "$version" "$work/hostile/lib/libtilec-cpu.so"
expect here here compiled
expect here hostile compiled
for other in "$version" $((version - 1)); do
    foreign "$other" "$work/other/lib/libtilec-cpu.so"
    expect other other "loaded
the CPU backend cannot be used: '$work/other/lib/libtilec-cpu.so' belongs to another version of tilec"
done
