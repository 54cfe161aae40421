/* Strings, files and processes for the driver. */
#include "golden.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMAND_SECONDS = 120 };

#ifdef TILEC_SANITIZED
/* The driver frees nothing; the programs that it runs are still checked for leaks. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("golden: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void buffer_add(struct buffer *buffer, const char *bytes, size_t length)
{
    buffer->bytes = realloc(buffer->bytes, buffer->length + length + 1);
    if (!buffer->bytes)
        die("no memory");
    if (length)
        memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        die("no memory");
    buffer_add(buffer, text, (size_t)length);
    free(text);
}

static void read_all(int file, struct buffer *out)
{
    char block[65536];
    for (;;) {
        ssize_t got = read(file, block, sizeof block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        buffer_add(out, block, (size_t)got);
    }
}

bool file_read(const char *path, struct buffer *out)
{
    int file = open(path, O_RDONLY);
    if (file < 0)
        return false;
    buffer_add(out, "", 0);
    read_all(file, out);
    close(file);
    return true;
}

void file_write(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        die("cannot write %s: %s", path, strerror(errno));
}

static _Noreturn void become(const char *command, int output)
{
    struct rlimit limit = {COMMAND_SECONDS, COMMAND_SECONDS};
    int nothing = open("/dev/null", O_RDONLY);
    setrlimit(RLIMIT_CPU, &limit);
    alarm(COMMAND_SECONDS);
    dup2(nothing, 0);
    dup2(output, 1);
    dup2(output, 2);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

int command_run(const char *command, struct buffer *out)
{
    int ends[2];
    if (pipe(ends) != 0)
        die("no pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child < 0)
        die("no process: %s", strerror(errno));
    if (child == 0) {
        close(ends[0]);
        become(command, ends[1]);
    }
    close(ends[1]);
    buffer_add(out, "", 0);
    read_all(ends[0], out);
    close(ends[0]);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
