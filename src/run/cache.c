/*
 * The disk cache.
 *
 * One file per compiled kernel, named by the SHA-256 of all that its code depends on. A file is
 * written under a name of its own and then renamed, so readers see all of it or nothing, and two
 * processes that compile the same kernel replace equal files. The directory is made for its owner
 * only (0700); a directory or a file that belongs to somebody else, that others may write to, or
 * that is a link is not used. Before an entry is used, its length and its own SHA-256 are checked;
 * what does not fit is compiled again and replaced.
 *
 *   bytes 0..7    "tilec\0k1"
 *   bytes 8..39   the key again: a file that was renamed is not taken for another
 *   bytes 40..71  SHA-256 of the rest
 *   bytes 72..    the entry (entry.c)
 */
#define _GNU_SOURCE
#include "base/sha256.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAGIC_BYTES = 8, HEADER_BYTES = MAGIC_BYTES + RUN_KEY_BYTES + SHA256_BYTES };
static const char magic[MAGIC_BYTES] = "tilec\0k1";
enum { stores_per_trim = 16 }; /* on average: keys are as good as random */
static const off_t largest_entry = (off_t)256 << 20;

/* ---- the key --------------------------------------------------------------------------------- */

static void add_defines(struct sha256 *hash, const tilec_define *defines, size_t count)
{
    sha256_add_u64(hash, count);
    for (size_t i = 0; i < count; i++) {
        sha256_add_string(hash, defines[i].name);
        sha256_add_string(hash, defines[i].value);
    }
}

void run_cache_add_program(struct sha256 *hash, const tilec_program *program)
{
    sha256_add_u64(hash, (uint64_t)program->tile_ir);
    sha256_add_u64(hash, program->files.count);
    for (size_t i = 0; i < program->files.count; i++) {
        const struct source_file *file = program->files.items[i];
        sha256_add_string(hash, file->name); /* it is part of diagnostics and debugging text */
        sha256_add_u64(hash, file->length);
        sha256_add(hash, file->text, file->length);
    }
    sha256_add_u64(hash, (uint64_t)program->define_count);
    for (int i = 0; i < program->define_count; i++) {
        sha256_add_string(hash, program->defines[i].name);
        sha256_add_string(hash, program->defines[i].value);
    }
}

void run_cache_add_level(struct sha256 *hash, const struct cpu_level *level)
{
    sha256_add_string(hash, level->name);
    sha256_add_string(hash, level->llvm_cpu);
    sha256_add_string(hash, level->llvm_features);
    sha256_add_u64(hash, (uint64_t)level->fetching);
    sha256_add_u64(hash, level->halves);
    sha256_add_u64(hash, level->bf16_dots);
}

void run_cache_key(const struct run_job *job, unsigned char key[RUN_KEY_BYTES])
{
    const tilec_compile_options *options = &job->options;
    struct sha256 hash;
    sha256_init(&hash);
    sha256_add_string(&hash, TILEC_VERSION);
    sha256_add_u64(&hash, run_build_id());
    run_cache_add_program(&hash, job->program);
    sha256_add_string(&hash, job->kernel_name);
    sha256_add_u64(&hash, (uint64_t)job->variant);
    run_cache_add_level(&hash, &job->level);
    add_defines(&hash, options->constants, options->constant_count);
    sha256_add_u64(&hash, options->requirement_count);
    for (size_t i = 0; i < options->requirement_count; i++)
        sha256_add_string(&hash, options->requirements[i]);
    sha256_add_string(&hash, options->grid);
    sha256_add_u64(&hash, (uint64_t)(options->relaxed != 0));
    sha256_end(&hash, key);
}

/* ---- the directory --------------------------------------------------------------------------- */

static char *join(tilec_context *context, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 1;
    char *path = run_allocate(context, size, 1);
    if (path)
        snprintf(path, size, "%s%s", folder, name);
    return path;
}

/* The folder by a name that holds wherever the process goes. */
static char *absolute(tilec_context *context, const char *folder)
{
    char here[4096];
    if (folder[0] == '/' || !getcwd(here, sizeof here - 1))
        return join(context, folder, "");
    size_t length = strlen(here);
    here[length] = '/';
    here[length + 1] = '\0';
    return join(context, here, folder);
}

char *run_cache_directory(tilec_context *context, const char *wanted)
{
    const char *folder = wanted ? wanted : getenv("TILEC_CACHE_DIR");
    if (folder)
        return *folder ? absolute(context, folder) : NULL;
    folder = getenv("XDG_CACHE_HOME");
    if (folder && folder[0] == '/') /* the XDG specification has relative ones ignored */
        return join(context, folder, "/tilec");
    folder = getenv("HOME");
    return folder && folder[0] == '/' ? join(context, folder, "/.cache/tilec") : NULL;
}

/* Makes the directory and those above it. */
static void make_directory(const char *directory)
{
    size_t length = strlen(directory);
    char path[4096];
    if (length >= sizeof path)
        return;
    memcpy(path, directory, length + 1);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

static bool is_private(int file, mode_t kind)
{
    struct stat s;
    return fstat(file, &s) == 0 && (s.st_mode & S_IFMT) == kind && s.st_uid == geteuid() &&
           !(s.st_mode & (S_IWGRP | S_IWOTH));
}

/* A descriptor, or -1. */
static int open_directory(const char *directory)
{
    int folder = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && !is_private(folder, S_IFDIR)) {
        close(folder);
        return -1;
    }
    return folder;
}

/* ---- entries --------------------------------------------------------------------------------- */

static void digest_of(const unsigned char *bytes, size_t size, unsigned char digest[SHA256_BYTES])
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_add(&hash, bytes, size);
    sha256_end(&hash, digest);
}

static bool read_all(int file, unsigned char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(file, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_all(int file, const unsigned char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = write(file, bytes + done, size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

static bool is_genuine(const unsigned char *bytes, size_t size,
                       const unsigned char key[RUN_KEY_BYTES])
{
    unsigned char digest[SHA256_BYTES];
    if (size < HEADER_BYTES || memcmp(bytes, magic, MAGIC_BYTES) != 0 ||
        memcmp(bytes + MAGIC_BYTES, key, RUN_KEY_BYTES) != 0)
        return false;
    digest_of(bytes + HEADER_BYTES, size - HEADER_BYTES, digest);
    return memcmp(bytes + MAGIC_BYTES + RUN_KEY_BYTES, digest, SHA256_BYTES) == 0;
}

/* Opens the entry for reading if it may be trusted; -1 otherwise. */
static int open_entry(const char *directory, const char *name, size_t *size)
{
    struct stat s;
    int folder = open_directory(directory);
    if (folder < 0)
        return -1;
    int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(folder);
    if (file < 0)
        return -1;
    if (!is_private(file, S_IFREG) || fstat(file, &s) != 0 || s.st_size > largest_entry) {
        close(file);
        return -1;
    }
    run_cache_renew(file, &s);
    *size = (size_t)s.st_size;
    return file;
}

static size_t entry_size(const char *directory, const char *name)
{
    size_t size;
    int file = open_entry(directory, name, &size);
    if (file < 0)
        return 0;
    close(file);
    return size;
}

unsigned char *run_cache_find(const char *directory, const unsigned char key[RUN_KEY_BYTES],
                              struct arena *arena, size_t *size)
{
    char name[SHA256_HEX];
    sha256_hex(key, name);
    /* Memory first: where an allocation fails, this function is left, and nothing may be open. */
    size_t expected = entry_size(directory, name), found;
    if (expected < HEADER_BYTES)
        return NULL;
    unsigned char *bytes = arena_alloc(arena, expected);
    int file = open_entry(directory, name, &found);
    if (file < 0)
        return NULL;
    bool good = found == expected && read_all(file, bytes, found) && is_genuine(bytes, found, key);
    close(file);
    *size = found - HEADER_BYTES;
    return good ? bytes + HEADER_BYTES : NULL;
}

static bool write_entry(int file, const unsigned char key[RUN_KEY_BYTES], struct run_entry entry)
{
    unsigned char header[HEADER_BYTES];
    memcpy(header, magic, MAGIC_BYTES);
    memcpy(header + MAGIC_BYTES, key, RUN_KEY_BYTES);
    digest_of(entry.bytes, entry.size, header + MAGIC_BYTES + RUN_KEY_BYTES);
    return write_all(file, header, sizeof header) && write_all(file, entry.bytes, entry.size);
}

/* Whether the process may make a file of that size; a larger one would end it (SIGXFSZ). */
static bool may_write(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

void run_cache_store(const char *directory, const unsigned char key[RUN_KEY_BYTES],
                     struct run_entry entry)
{
    char name[SHA256_HEX], temporary[SHA256_HEX + 48];
    if (entry.size > (size_t)largest_entry - HEADER_BYTES || !may_write(HEADER_BYTES + entry.size))
        return;
    make_directory(directory);
    int folder = open_directory(directory);
    if (folder < 0)
        return;
    sha256_hex(key, name);
    /* The address of a local variable tells the threads of a process apart. */
    snprintf(temporary, sizeof temporary, "%s.%ld.%p", name, (long)getpid(), (void *)name);
    int file =
        openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file >= 0) {
        bool good = write_entry(file, key, entry);
        good = close(file) == 0 && good;
        if (!good || renameat(folder, temporary, folder, name) != 0)
            unlinkat(folder, temporary, 0);
    } else if (errno == EEXIST) {
        unlinkat(folder, temporary, 0); /* left by a process that died; next time, then */
    }
    if (key[0] % stores_per_trim == 0)
        run_cache_trim(folder, run_cache_limit());
    close(folder);
}
