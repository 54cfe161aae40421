/* The object loader on files that are nearly right: the input is a list of changes to a good one,
 * three bytes each: where (two), what (one). The code in the file is never run. */
#include "run/elf.h"

#include <stddef.h>
#include <stdint.h>

#include "../unit/elf_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void *resolve(void *user, const char *name)
{
    (void)user;
    return name[0] == 't' ? (void *)(uintptr_t)resolve : NULL;
}

static void load(const void *file, size_t size)
{
    struct elf_load options = {.allocator = allocator_default, .resolve = resolve};
    struct elf_image *image = elf_load(&options, file, size);
    if (image)
        elf_symbol(image, "add");
    elf_unload(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct elf_file file;
    elf_file_make(&file);
    for (size_t i = 0; i + 2 < size; i += 3)
        ((uint8_t *)&file)[(bytes[i] | bytes[i + 1] << 8) % sizeof file] = bytes[i + 2];
    load(&file, sizeof file);
    load(&file, size % sizeof file);
    load(bytes, size);
    return 0;
}
