#!/bin/sh
# A choice that 'tilec run --tune --target cuda' stored is found by the next process, and is another one
# for another compiler; and what is printed goes into no file of a library's. On stand-ins for the driver
# and for NVRTC.
set -u
TILEC_CUDA_DRIVER=$TILEC_BUILD_DIR/libfake_cuda.so
export TILEC_CUDA_DRIVER
[ -e "$TILEC_CUDA_DRIVER" ] || { echo "skipped: no stand-in for the driver"; exit 77; }
[ -z "${TILEC_SANITIZE:-}" ] || { echo "skipped: what cc makes here has no sanitizers"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# What it compiles the stand-in for the driver takes.
cat >"$work/nvrtc.c" <<'EOF2'
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
/* A file that stays open, as a device's does. */
__attribute__((constructor)) static void open_file(void)
{
    if (getenv("KEPT_OPEN"))
        open(getenv("KEPT_OPEN"), O_WRONLY | O_CREAT, 0600);
}
int nvrtcVersion(int *major, int *minor) { return *major = 12, *minor = MINOR, 0; }
int nvrtcCreateProgram(void **program) { return *program = "", 0; }
int nvrtcDestroyProgram(void **program) { return *program = 0, 0; }
int nvrtcCompileProgram(void *program) { return program == 0; }
int nvrtcGetProgramLogSize(void *program, size_t *size) { return *size = 1, program == 0; }
int nvrtcGetProgramLog(void *program, char *log) { return *log = 0, program == 0; }
int nvrtcGetPTXSize(void *program, size_t *size) { return *size = 1, program == 0; }
int nvrtcGetPTX(void *program, char *code) { return *code = 0, program == 0; }
int nvrtcGetCUBINSize(void *program, size_t *size) { return *size = 4, program == 0; }
int nvrtcGetCUBIN(void *program, char *code) { return memcpy(code, "\177ELF", 4), program == 0; }
EOF2

# tuned VERSION WORDS: words are in what tuning says with that version of NVRTC
tuned() {
    cc -shared -fPIC -DMINOR="$1" "$work/nvrtc.c" -o "$work/nvrtc$1.so" || exit 1
    TILEC_NVRTC=$work/nvrtc$1.so TILEC_CACHE_DIR=$work/cache "$TILEC_BUILD_DIR/tilec" run --tune \
        --target cuda kernels/activations.tile.c:silu X=rand:f32[100000]:1 Out=new:f32[100000] n=100000 \
        >"$work/out" 2>&1 || status=1
    grep -q "$2" "$work/out" || { echo "NVRTC 12.$1, not '$2':"; cat "$work/out"; status=1; }
}
tuned 8 "of the default's"
tuned 8 'chosen (stored)'
tuned 9 "of the default's"
tuned 9 'chosen (stored)'

# Where a stream was closed, a file that is opened would take its place.
printed() {
    KEPT_OPEN=$work/kept TILEC_NVRTC=$work/nvrtc9.so "$TILEC_BUILD_DIR/tilec" run --tune --no-cache --time \
        --target cuda kernels/activations.tile.c:silu X=rand:f32[100000]:1 Out=new:f32[100000] n=100000
}
for stream in 1 2; do
    case $stream in
    1) printed >&- 2>"$work/out" ;;
    2) printed 2>&- >"$work/out" ;;
    esac
    [ -e "$work/kept" ] || { echo "stream $stream: the library opened no file"; status=1; }
    [ ! -s "$work/kept" ] || { echo "stream $stream goes into a file:"; cat "$work/kept"; status=1; }
    rm -f "$work/kept"
done
exit $status
