/* The CUDA device of a context; see cuda.h. */
#include "run/cuda.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- opening --------------------------------------------------------------------------------- */

/* The device that the caller has made current, else the one of the context's options. */
static int find_device(struct run_cuda *cuda, int wanted, char *why, size_t size)
{
    int count = 0;
    if (cuda->driver.device_count(&count) != 0 || count == 0) {
        snprintf(why, size, "there is no NVIDIA GPU");
        return 0;
    }
    if (wanted < 0 || wanted >= count) {
        snprintf(why, size, "there is no NVIDIA GPU of number %d: they count from 0 to %d", wanted,
                 count - 1);
        return 0;
    }
    int error = cuda->driver.device_get(&cuda->device, wanted);
    if (error)
        snprintf(why, size, "NVIDIA GPU number %d cannot be found: error %d", wanted, error);
    return !error;
}

static bool describe(struct run_cuda *cuda, char *why, size_t size)
{
    const struct cuda_driver *d = &cuda->driver;
    char name[128] = "NVIDIA GPU";
    int major = 0, minor = 0, processors = 0, version = 0;
    size_t bytes = 0;
    d->device_name(name, sizeof name, cuda->device);
    int error = d->device_attribute(&major, CUDA_DEVICE_MAJOR, cuda->device);
    if (!error)
        error = d->device_attribute(&minor, CUDA_DEVICE_MINOR, cuda->device);
    if (error) {
        snprintf(why, size, "the GPU does not tell its generation: error %d", error);
        return false;
    }
    d->device_attribute(&processors, CUDA_DEVICE_MULTIPROCESSORS, cuda->device);
    d->device_memory(&bytes, cuda->device);
    d->driver_version(&version);
    /* The instructions of a generation's own go by its number and an 'a'. */
    snprintf(cuda->arch, sizeof cuda->arch, "sm_%d%d%s", major, minor, major >= 9 ? "a" : "");
    snprintf(cuda->description, sizeof cuda->description,
             "%s, %s, %d multiprocessors, %zu MiB, driver for CUDA %d.%d", name, cuda->arch,
             processors, bytes >> 20, version / 1000, version % 1000 / 10);
    return true;
}

static bool open_device(struct run_cuda *cuda, int wanted, char *why, size_t size)
{
    if (!cuda_driver_open(&cuda->driver, why, size) || !find_device(cuda, wanted, why, size) ||
        !describe(cuda, why, size))
        return false;
    if (!gpu_target_cuda(cuda->arch)) {
        snprintf(why, size, "the GPU is %s, older than sm_80", cuda->arch);
        return false;
    }
    int failed = cuda->driver.retain(&cuda->context, cuda->device);
    if (failed)
        snprintf(why, size, "the GPU cannot be opened: error %d", failed);
    return !failed;
}

struct run_cuda *run_cuda_open(tilec_context *context, char *why, size_t size)
{
    if (context->cuda)
        return context->cuda;
    struct run_cuda *cuda = run_allocate(context, 1, sizeof *cuda);
    if (!cuda)
        snprintf(why, size, "out of memory");
    else if (open_device(cuda, context->device, why, size))
        context->cuda = cuda;
    else
        run_free(context, cuda);
    return context->cuda;
}

void run_cuda_close(tilec_context *context)
{
    if (!context->cuda)
        return;
    context->cuda->driver.release(context->cuda->device);
    run_free(context, context->cuda);
    context->cuda = NULL;
}

/* ---- around calls ---------------------------------------------------------------------------- */

int run_cuda_enter(struct run_cuda *cuda, bool *entered)
{
    cuda_context current = NULL;
    *entered = false;
    if (cuda->driver.current(&current) == 0 && current == cuda->context)
        return 0;
    int error = cuda->driver.push(cuda->context);
    *entered = !error;
    return error;
}

void run_cuda_leave(struct run_cuda *cuda, bool entered)
{
    cuda_context popped;
    if (entered)
        cuda->driver.pop(&popped);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* After these nothing works any more in this process. */
static bool is_lost(int error)
{
    static const int errors[] = {
        4,   /* deinitialised */
        46,  /* device unavailable */
        201, /* invalid context */
        214, /* uncorrectable memory error */
        226, /* contained memory error */
        700, /* illegal address */
        702, /* a launch took too long */
        709, /* context is destroyed */
        710, /* device-side assertion */
        714, /* hardware stack error */
        715, /* illegal instruction */
        716, /* misaligned address */
        717, /* invalid address space */
        718, /* invalid program counter */
        719, /* launch failed */
        999, /* unknown */
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i] == error)
            return true;
    return false;
}

tilec_status run_cuda_error(tilec_context *context, const struct run_cuda *cuda, int error,
                            const char *format, ...)
{
    char what[256];
    const char *name = "unknown error", *text = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    cuda->driver.error_name(error, &name);
    cuda->driver.error_string(error, &text);
    tilec_status status = error == CUDA_NO_MEMORY                                   ? TILEC_ERROR_NO_MEMORY
                          : is_lost(error)                                          ? TILEC_ERROR_DEVICE
                          : error == CUDA_INVALID_VALUE || error == CUDA_INVALID_HANDLE ||
                                  (error >= 900 && error <= 909)                    ? TILEC_ERROR_INVALID
                                                                                    : TILEC_ERROR_INTERNAL;
    const char *hint = NULL;
    if (status == TILEC_ERROR_DEVICE)
        hint = "a kernel that was launched earlier may be the cause; the device can be used again by "
               "another process. 'tilec check' finds accesses outside arrays";
    return run_fail(context, status, hint, "%s: %s (%s, error %d)", what, text ? text : "",
                    name ? name : "", error);
}
