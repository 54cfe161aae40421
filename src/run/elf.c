/*
 * Loads a relocatable object file; see elf.h.
 *
 * The image is one mapping of three parts, each a whole number of pages: code with the stubs for
 * outside functions behind it; read-only data with the global offset table behind it; writable
 * data. Sections keep their order within a part.
 */
#include "run/elf.h"

#include <elf.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST_MACHINE = EM_AARCH64 };
#else
enum { HOST_MACHINE = EM_NONE };
#endif

enum { MAX_SECTIONS = 4096, MAX_SYMBOLS = 1 << 16, MAX_ALIGN = 4096 };
static const size_t max_image = (size_t)1 << 28;

enum part { PART_CODE, PART_CONST, PART_DATA, PART_COUNT };

struct symbol {
    const char *name; /* in image->names */
    uint64_t address; /* 0: undefined and not used so far */
    bool external;    /* defined here with external linkage */
    bool outside;     /* undefined here */
};

struct elf_image {
    struct allocator allocator;
    struct elf_image *before; /* an earlier part of the same code, or NULL */
    unsigned char *base;      /* the mapping, or NULL */
    size_t size;
    size_t begin[PART_COUNT], length[PART_COUNT];
    size_t stubs, table; /* offsets in the mapping: one stub and one slot per symbol */
    char *names;
    struct symbol *symbols;
    size_t symbol_count;
};

/* The state of loading one file. */
struct reader {
    struct elf_load *load;
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
    size_t section_count;
    size_t *place;  /* per section: offset in the mapping, or NOT_LOADED */
    size_t symbols; /* index of the symbol table's section, 0: none */
    struct elf_image *image;
};

static const size_t NOT_LOADED = SIZE_MAX;

static bool fail(struct reader *r, const char *why)
{
    r->load->why = why;
    return false;
}

static bool no_memory(struct reader *r)
{
    r->load->out_of_memory = true;
    return fail(r, "out of memory");
}

static void *allocate(struct reader *r, size_t count, size_t size)
{
    size_t bytes = count * size + 1; /* callers bound both */
    void *memory = r->load->allocator.allocate(r->load->allocator.user, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

static void release(const struct allocator *allocator, void *memory)
{
    if (memory)
        allocator->release(allocator->user, memory);
}

/* ---- reading, bounds checked ---------------------------------------------------------------- */

static bool inside(const struct reader *r, uint64_t offset, uint64_t length)
{
    return offset <= r->size && length <= r->size - offset;
}

static bool read_header(struct reader *r)
{
    if (!inside(r, 0, sizeof r->header))
        return fail(r, "the file is too short");
    memcpy(&r->header, r->bytes, sizeof r->header);
    const Elf64_Ehdr *h = &r->header;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_type != ET_REL)
        return fail(r, "not a relocatable 64-bit little-endian ELF file");
    if (h->e_machine != HOST_MACHINE)
        return fail(r, "the file is for another machine");
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum == 0 || h->e_shnum > MAX_SECTIONS)
        return fail(r, "bad section table");
    r->section_count = h->e_shnum;
    if (!inside(r, h->e_shoff, r->section_count * sizeof(Elf64_Shdr)))
        return fail(r, "the section table lies outside the file");
    return true;
}

static Elf64_Shdr section(const struct reader *r, size_t index)
{
    Elf64_Shdr section;
    memcpy(&section, r->bytes + r->header.e_shoff + index * sizeof section, sizeof section);
    return section;
}

static bool has_bytes(const Elf64_Shdr *s)
{
    return s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL;
}

/* What is loaded: allocated sections, without unwinding tables, which nothing here reads. */
static bool is_loaded(const Elf64_Shdr *s)
{
    return s->sh_flags & SHF_ALLOC && s->sh_size != 0 &&
           (s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOBITS);
}

static enum part part_of(const Elf64_Shdr *s)
{
    return s->sh_flags & SHF_EXECINSTR ? PART_CODE
           : s->sh_flags & SHF_WRITE   ? PART_DATA
                                       : PART_CONST;
}

static bool check_sections(struct reader *r)
{
    for (size_t i = 1; i < r->section_count; i++) {
        Elf64_Shdr s = section(r, i);
        if (has_bytes(&s) && !inside(r, s.sh_offset, s.sh_size))
            return fail(r, "a section lies outside the file");
        if (is_loaded(&s)) {
            if (s.sh_flags & SHF_TLS || (s.sh_flags & SHF_WRITE && s.sh_flags & SHF_EXECINSTR))
                return fail(r, "a section of an unsupported kind");
            if (s.sh_size > max_image || s.sh_addralign > MAX_ALIGN ||
                s.sh_addralign & (s.sh_addralign - 1))
                return fail(r, "a section is too large or badly aligned");
        }
        if (s.sh_type == SHT_SYMTAB) {
            if (r->symbols)
                return fail(r, "two symbol tables");
            r->symbols = i;
        }
    }
    return r->symbols ? true : fail(r, "no symbol table");
}

/* ---- placing sections ------------------------------------------------------------------------ */

static size_t align_up(size_t offset, size_t align)
{
    return align > 1 ? (offset + align - 1) & ~(align - 1) : offset;
}

/* Gives each loaded section its place; false when the image becomes too large. */
static bool place_part(struct reader *r, enum part part, size_t *end)
{
    struct elf_image *image = r->image;
    image->begin[part] = *end;
    for (size_t i = 1; i < r->section_count; i++) {
        Elf64_Shdr s = section(r, i);
        if (!is_loaded(&s) || part_of(&s) != part)
            continue;
        r->place[i] = align_up(*end, s.sh_addralign);
        *end = r->place[i] + s.sh_size;
        if (*end > max_image)
            return fail(r, "the file needs too much memory");
    }
    if (part == PART_CODE) {
        image->stubs = align_up(*end, ELF_STUB_BYTES);
        *end = image->stubs + image->symbol_count * ELF_STUB_BYTES;
    } else if (part == PART_CONST) {
        image->table = align_up(*end, sizeof(uint64_t));
        *end = image->table + image->symbol_count * sizeof(uint64_t);
    }
    image->length[part] = *end - image->begin[part];
    *end = align_up(*end, (size_t)sysconf(_SC_PAGESIZE));
    return true;
}

static bool map_sections(struct reader *r)
{
    struct elf_image *image = r->image;
    size_t end = 0;
    for (size_t i = 0; i < r->section_count; i++)
        r->place[i] = NOT_LOADED;
    for (int part = 0; part < PART_COUNT; part++)
        if (!place_part(r, (enum part)part, &end))
            return false;
    if (!end)
        return fail(r, "nothing to load");
    void *base = mmap(NULL, end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return no_memory(r);
    image->base = base;
    image->size = end;
    for (size_t i = 1; i < r->section_count; i++) {
        Elf64_Shdr s = section(r, i);
        if (r->place[i] != NOT_LOADED && s.sh_type != SHT_NOBITS)
            memcpy(image->base + r->place[i], r->bytes + s.sh_offset, s.sh_size);
    }
    return true;
}

static bool protect(struct reader *r)
{
    static const int rights[PART_COUNT] = {PROT_READ | PROT_EXEC, PROT_READ,
                                           PROT_READ | PROT_WRITE};
    struct elf_image *image = r->image;
    for (int part = 0; part < PART_COUNT; part++) {
        unsigned char *begin = image->base + image->begin[part];
        if (image->length[part] && mprotect(begin, image->length[part], rights[part]) != 0)
            return fail(r, "the system does not allow executable memory");
    }
    __builtin___clear_cache((char *)image->base, (char *)image->base + image->length[PART_CODE]);
    return true;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* Copies the names, so that the file is not needed afterwards, and checks that they end. */
static bool read_names(struct reader *r, size_t *length)
{
    Elf64_Shdr table = section(r, r->symbols);
    if (table.sh_link == 0 || table.sh_link >= r->section_count)
        return fail(r, "the symbols have no names");
    Elf64_Shdr names = section(r, table.sh_link);
    if (names.sh_type != SHT_STRTAB || names.sh_size > max_image)
        return fail(r, "the symbols have no names");
    r->image->names = allocate(r, names.sh_size, 1); /* one more than sh_size: ends with NUL */
    if (!r->image->names)
        return no_memory(r);
    if (names.sh_size)
        memcpy(r->image->names, r->bytes + names.sh_offset, names.sh_size);
    *length = names.sh_size;
    return true;
}

static bool count_symbols(struct reader *r)
{
    Elf64_Shdr table = section(r, r->symbols);
    size_t count = table.sh_size / sizeof(Elf64_Sym);
    if (table.sh_entsize != sizeof(Elf64_Sym) || count > MAX_SYMBOLS)
        return fail(r, "bad symbol table");
    r->image->symbol_count = count;
    r->image->symbols = allocate(r, count, sizeof *r->image->symbols);
    return r->image->symbols ? true : no_memory(r);
}

static bool define_symbol(struct reader *r, const Elf64_Sym *entry, struct symbol *symbol)
{
    if (entry->st_shndx == SHN_UNDEF) {
        symbol->outside = true;
        return true;
    }
    if (entry->st_shndx == SHN_ABS) /* the name of the source file */
        return true;
    if (entry->st_shndx >= r->section_count)
        return fail(r, "a symbol of no section");
    size_t place = r->place[entry->st_shndx];
    if (place == NOT_LOADED)
        return true;
    Elf64_Shdr s = section(r, entry->st_shndx);
    if (entry->st_value > s.sh_size)
        return fail(r, "a symbol lies outside its section");
    symbol->address = (uint64_t)(uintptr_t)(r->image->base + place) + entry->st_value;
    symbol->external = ELF64_ST_BIND(entry->st_info) != STB_LOCAL;
    return true;
}

static bool read_symbols(struct reader *r)
{
    Elf64_Shdr table = section(r, r->symbols);
    size_t length;
    if (!read_names(r, &length))
        return false;
    for (size_t i = 0; i < r->image->symbol_count; i++) {
        struct symbol *symbol = &r->image->symbols[i];
        Elf64_Sym entry;
        memcpy(&entry, r->bytes + table.sh_offset + i * sizeof entry, sizeof entry);
        if (entry.st_name > length)
            return fail(r, "a symbol's name lies outside the names");
        symbol->name = r->image->names + entry.st_name;
        if (!define_symbol(r, &entry, symbol))
            return false;
        uint64_t address = symbol->address;
        memcpy(r->image->base + r->image->table + i * sizeof address, &address, sizeof address);
    }
    return true;
}

/* Looks an outside function up on its first use: writes its stub and its slot. */
static bool resolve(struct reader *r, size_t index)
{
    struct elf_image *image = r->image;
    struct symbol *symbol = &image->symbols[index];
    if (!symbol->outside || symbol->address)
        return true;
    void *found = r->load->before ? elf_symbol(r->load->before, symbol->name) : NULL;
    found = found ? found : r->load->resolve(r->load->user, symbol->name);
    if (!found)
        return fail(r, "the file calls a function that is not provided");
    unsigned char *stub = image->base + image->stubs + index * ELF_STUB_BYTES;
    uint64_t target = (uint64_t)(uintptr_t)found;
    elf_write_stub(HOST_MACHINE, stub, target);
    memcpy(image->base + image->table + index * sizeof target, &target, sizeof target);
    symbol->address = (uint64_t)(uintptr_t)stub;
    return true;
}

/* ---- relocating ------------------------------------------------------------------------------ */

static bool relocate_one(struct reader *r, size_t target, const Elf64_Rela *entry)
{
    struct elf_image *image = r->image;
    size_t index = ELF64_R_SYM(entry->r_info), size = section(r, target).sh_size;
    if (index >= image->symbol_count || entry->r_offset > size)
        return fail(r, "a relocation lies outside its section");
    if (!resolve(r, index))
        return false;
    unsigned char *place = image->base + r->place[target] + entry->r_offset;
    struct elf_relocation relocation = {
        .machine = HOST_MACHINE,
        .type = (unsigned)ELF64_R_TYPE(entry->r_info),
        .place = place,
        .room = size - entry->r_offset,
        .P = (uint64_t)(uintptr_t)place,
        .S = image->symbols[index].address,
        .A = (uint64_t)entry->r_addend,
        .GOT = (uint64_t)(uintptr_t)(image->base + image->table + index * sizeof(uint64_t)),
    };
    const char *why = elf_relocate(&relocation);
    return why ? fail(r, why) : true;
}

static bool relocate(struct reader *r)
{
    for (size_t i = 1; i < r->section_count; i++) {
        Elf64_Shdr s = section(r, i);
        if (s.sh_type == SHT_REL)
            return fail(r, "relocations without addends");
        if (s.sh_type != SHT_RELA)
            continue;
        if (s.sh_info >= r->section_count || s.sh_entsize != sizeof(Elf64_Rela) ||
            s.sh_link != r->symbols)
            return fail(r, "bad relocations");
        if (r->place[s.sh_info] == NOT_LOADED)
            continue;
        for (size_t k = 0; k < s.sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela entry;
            memcpy(&entry, r->bytes + s.sh_offset + k * sizeof entry, sizeof entry);
            if (!relocate_one(r, s.sh_info, &entry))
                return false;
        }
    }
    return true;
}

/* ---- the public functions -------------------------------------------------------------------- */

static bool load_all(struct reader *r)
{
    if (!read_header(r) || !check_sections(r))
        return false;
    r->image = allocate(r, 1, sizeof *r->image);
    if (!r->image)
        return no_memory(r);
    r->image->allocator = r->load->allocator;
    r->place = allocate(r, r->section_count, sizeof *r->place);
    if (!r->place)
        return no_memory(r);
    return count_symbols(r) && map_sections(r) && read_symbols(r) && relocate(r) && protect(r);
}

struct elf_image *elf_load(struct elf_load *load, const void *bytes, size_t size)
{
    struct reader reader = {.load = load, .bytes = bytes, .size = size};
    load->why = NULL;
    load->out_of_memory = false;
    bool loaded = load_all(&reader);
    release(&load->allocator, reader.place);
    if (!loaded) {
        elf_unload(reader.image);
        return NULL;
    }
    reader.image->before = load->before;
    return reader.image;
}

static void unload_one(struct elf_image *image)
{
    struct allocator allocator = image->allocator;
    if (image->base)
        munmap(image->base, image->size);
    release(&allocator, image->names);
    release(&allocator, image->symbols);
    release(&allocator, image);
}

void elf_unload(struct elf_image *image)
{
    while (image) {
        struct elf_image *before = image->before;
        unload_one(image);
        image = before;
    }
}

void *elf_symbol(const struct elf_image *image, const char *name)
{
    for (; image; image = image->before)
        for (size_t i = 0; i < image->symbol_count; i++) {
            const struct symbol *symbol = &image->symbols[i];
            if (symbol->external && symbol->address && strcmp(symbol->name, name) == 0)
                return (void *)(uintptr_t)symbol->address;
        }
    return NULL;
}
