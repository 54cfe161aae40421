/*
 * Keeping the disk cache's directory within its limit, $TILEC_CACHE_MEGABYTES (1,024).
 *
 * A directory of many entries takes milliseconds to read, so only some of the stores look. What was
 * used least recently goes: a hit renews the time of its entry, at most once an hour. Two readings
 * of the directory need no memory: the first adds up bytes by age, the second removes what is older
 * than the age up to which three quarters of the limit are filled. An entry that goes while another
 * process reads it stays whole for that process, as files do.
 */
#define _GNU_SOURCE
#include "base/sha256.h"
#include "run/run.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Ages are kept by their logarithm: an eighth of an octave of seconds each. */
enum { PARTS_OF_OCTAVE = 8, AGES = 48 * PARTS_OF_OCTAVE };
static const uint64_t megabytes_unless_set = 1024, most_megabytes = (uint64_t)1 << 40;

uint64_t run_cache_limit(void)
{
    const char *text = getenv("TILEC_CACHE_MEGABYTES");
    char *end;
    uint64_t megabytes = text ? strtoull(text, &end, 10) : 0;
    if (!text || end == text || *end || *text == '-' || megabytes > most_megabytes)
        megabytes = megabytes_unless_set;
    return megabytes << 20;
}

static int age_of(const struct stat *s, time_t now)
{
    double seconds = difftime(now, s->st_mtime);
    int age = seconds > 0 ? (int)(PARTS_OF_OCTAVE * log2(1 + seconds)) : 0;
    return age < AGES ? age : AGES - 1;
}

/* An entry's name is a key in hexadecimal; with something after it, a file that was never finished. */
static bool is_ours(const char *name)
{
    return strspn(name, "0123456789abcdef") == SHA256_HEX - 1 &&
           (name[SHA256_HEX - 1] == '\0' || name[SHA256_HEX - 1] == '.');
}

struct trim {
    time_t now;
    uint64_t bytes[AGES];
    int oldest; /* what is older goes */
};

static void count_file(struct trim *trim, int folder, const char *name, const struct stat *s)
{
    (void)folder, (void)name;
    trim->bytes[age_of(s, trim->now)] += (uint64_t)s->st_blocks * 512;
}

static void remove_if_old(struct trim *trim, int folder, const char *name, const struct stat *s)
{
    if (age_of(s, trim->now) > trim->oldest)
        unlinkat(folder, name, 0);
}

static void for_each_file(struct trim *trim, int folder,
                          void (*act)(struct trim *, int, const char *, const struct stat *))
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;
    if (!directory) {
        if (copy >= 0)
            close(copy);
        return;
    }
    struct stat s;
    for (const struct dirent *entry; (entry = readdir(directory));)
        if (is_ours(entry->d_name) &&
            fstatat(folder, entry->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode))
            act(trim, folder, entry->d_name, &s);
    closedir(directory);
}

void run_cache_trim(int folder, uint64_t limit)
{
    struct trim trim = {.now = time(NULL)};
    for_each_file(&trim, folder, count_file);
    uint64_t total = 0, kept = 0;
    for (int age = 0; age < AGES; age++)
        total += trim.bytes[age];
    if (total <= limit)
        return;
    trim.oldest = -1;
    while (trim.oldest + 1 < AGES && kept + trim.bytes[trim.oldest + 1] <= limit / 4 * 3)
        kept += trim.bytes[++trim.oldest];
    /* What was stored this second is somebody's next hit, however large it is. */
    trim.oldest = trim.oldest < 0 ? 0 : trim.oldest;
    for_each_file(&trim, folder, remove_if_old);
}

void run_cache_renew(int file, const struct stat *s)
{
    if (difftime(time(NULL), s->st_mtime) > 3600)
        futimens(file, NULL);
}
