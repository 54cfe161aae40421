/* A stand-in for NVIDIA's run-time compiler: every text becomes the same code and the same log. It
 * counts the programs that are open. */
#include <stddef.h>
#include <string.h>

#pragma GCC visibility push(default)

static const char fake_log[] = "ptxas info    : Used 12 registers, 64 bytes smem\nsomething else\n";
static const char fake_code[] = "code";
static int fake_program;
int fake_nvrtc_open; /* programs */

int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(int **program, const char *text, const char *name, int headers,
                       const char *const *sources, const char *const *names);
int nvrtcDestroyProgram(int **program);
int nvrtcCompileProgram(int *program, int count, const char *const *options);
int nvrtcGetProgramLogSize(int *program, size_t *size);
int nvrtcGetProgramLog(int *program, char *log);
int nvrtcGetPTXSize(int *program, size_t *size);
int nvrtcGetPTX(int *program, char *bytes);
int nvrtcGetCUBINSize(int *program, size_t *size);
int nvrtcGetCUBIN(int *program, char *bytes);

int nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 9;
    return 0;
}

int nvrtcCreateProgram(int **program, const char *text, const char *name, int headers,
                       const char *const *sources, const char *const *names)
{
    (void)text, (void)name, (void)headers, (void)sources, (void)names;
    *program = &fake_program;
    fake_nvrtc_open++;
    return 0;
}

int nvrtcDestroyProgram(int **program)
{
    *program = NULL;
    fake_nvrtc_open--;
    return 0;
}

int nvrtcCompileProgram(int *program, int count, const char *const *options)
{
    (void)program, (void)options;
    return count > 0 ? 0 : 6;
}

int nvrtcGetProgramLogSize(int *program, size_t *size)
{
    (void)program;
    *size = sizeof fake_log;
    return 0;
}

int nvrtcGetProgramLog(int *program, char *log)
{
    (void)program;
    memcpy(log, fake_log, sizeof fake_log);
    return 0;
}

int nvrtcGetPTXSize(int *program, size_t *size)
{
    return nvrtcGetCUBINSize(program, size);
}

int nvrtcGetPTX(int *program, char *bytes)
{
    return nvrtcGetCUBIN(program, bytes);
}

int nvrtcGetCUBINSize(int *program, size_t *size)
{
    (void)program;
    *size = sizeof fake_code;
    return 0;
}

int nvrtcGetCUBIN(int *program, char *bytes)
{
    (void)program;
    memcpy(bytes, fake_code, sizeof fake_code);
    return 0;
}
