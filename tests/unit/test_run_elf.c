/*
 * The object loader: a file that works, the same file broken in every byte and in chosen places,
 * and the relocations of both machines as bits.
 */
#include "run/elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "elf_file.h"

#if defined(__x86_64__)

static int twice(int x)
{
    return 2 * x;
}

static void *resolve(void *user, const char *name)
{
    (void)user;
    return strcmp(name, "twice") == 0 ? (void *)(uintptr_t)twice : NULL;
}

static struct elf_load load = {.resolve = resolve};

static struct elf_image *load_file(const void *bytes, size_t size)
{
    load.allocator = allocator_default;
    return elf_load(&load, bytes, size);
}

static void loads_and_runs(void **state)
{
    (void)state;
    struct elf_file file;
    elf_file_make(&file);
    struct elf_image *image = load_file(&file, sizeof file);
    assert_non_null(image);
    int (*add)(int, int), (*call)(int), (*get)(void);
    void *(*slot)(void);
    *(void **)&add = elf_symbol(image, "add");
    *(void **)&call = elf_symbol(image, "call");
    *(void **)&get = elf_symbol(image, "load");
    *(void **)&slot = elf_symbol(image, "slot");
    assert_int_equal(add(2, 3), 5);
    assert_int_equal(call(21), 42);
    assert_int_equal(get(), 42);
    assert_ptr_equal(slot(), (void *)(uintptr_t)twice);
    assert_null(elf_symbol(image, "twice")); /* not defined there */
    assert_null(elf_symbol(image, ""));
    elf_unload(image);
}

/* What a file lacks is taken from the one before, whose image is then the new one's. */
static void finds_what_was_loaded_before(void **state)
{
    (void)state;
    struct elf_file file, lacking;
    elf_file_make(&file);
    elf_file_make(&lacking);
    lacking.symbols[SYMBOL_TWICE].st_name = lacking.symbols[SYMBOL_LOAD].st_name;
    lacking.symbols[SYMBOL_LOAD].st_name = lacking.symbols[SYMBOL_ADD].st_name;
    assert_null(load_file(&lacking, sizeof lacking));
    assert_string_equal(load.why, "the file calls a function that is not provided");
    load.before = load_file(&file, sizeof file);
    assert_non_null(load.before);
    void *before = elf_symbol(load.before, "load");
    struct elf_image *image = load_file(&lacking, sizeof lacking);
    lacking.header.e_machine = EM_S390;
    assert_null(load_file(&lacking, sizeof lacking)); /* leaves the one before alone */
    load.before = NULL;
    assert_non_null(image);
    int (*call)(int);
    void *(*slot)(void);
    *(void **)&call = elf_symbol(image, "call");
    *(void **)&slot = elf_symbol(image, "slot");
    assert_int_equal(call(21), 42);
    assert_ptr_equal(slot(), before);
    assert_ptr_equal(elf_symbol(image, "load"), before);
    elf_unload(image);
}

static void refuses(struct elf_file *file, const char *why)
{
    assert_null(load_file(file, sizeof *file));
    assert_string_equal(load.why, why);
    elf_file_make(file);
}

static void refuses_broken_files(void **state)
{
    (void)state;
    struct elf_file f;
    elf_file_make(&f);
    f.header.e_machine = EM_S390;
    refuses(&f, "the file is for another machine");
    f.header.e_type = ET_EXEC;
    refuses(&f, "not a relocatable 64-bit little-endian ELF file");
    f.header.e_shoff = UINT64_MAX - 8;
    refuses(&f, "the section table lies outside the file");
    f.header.e_shnum = 0;
    refuses(&f, "bad section table");
    f.sections[ELF_TEXT].sh_offset = UINT64_MAX;
    refuses(&f, "a section lies outside the file");
    f.sections[ELF_TEXT].sh_flags |= SHF_WRITE;
    refuses(&f, "a section of an unsupported kind");
    f.sections[ELF_RODATA].sh_addralign = 3;
    refuses(&f, "a section is too large or badly aligned");
    f.sections[ELF_RODATA].sh_type = SHT_NOBITS;
    f.sections[ELF_RODATA].sh_size = (uint64_t)1 << 40;
    refuses(&f, "a section is too large or badly aligned");
    f.sections[ELF_STRTAB].sh_type = SHT_SYMTAB;
    refuses(&f, "two symbol tables");
    f.sections[ELF_SYMTAB].sh_type = SHT_NULL;
    refuses(&f, "no symbol table");
    f.sections[ELF_SYMTAB].sh_link = 77;
    refuses(&f, "the symbols have no names");
    f.symbols[SYMBOL_ADD].st_name = 1000;
    refuses(&f, "a symbol's name lies outside the names");
    f.symbols[SYMBOL_ADD].st_shndx = 1000;
    refuses(&f, "a symbol of no section");
    f.symbols[SYMBOL_ADD].st_value = 65;
    refuses(&f, "a symbol lies outside its section");
    f.names[26] = 'x';
    refuses(&f, "the file calls a function that is not provided");
    f.rela[0].r_offset = 61;
    refuses(&f, "a relocation lies outside its section");
    f.rela[0].r_offset = UINT64_MAX;
    refuses(&f, "a relocation lies outside its section");
    f.rela[0].r_info = ELF64_R_INFO(SYMBOLS, R_X86_64_PLT32);
    refuses(&f, "a relocation lies outside its section");
    f.rela[0].r_info = ELF64_R_INFO(SYMBOL_ADD, 200);
    refuses(&f, "a relocation of an unknown type");
    f.rela[1].r_addend = (int64_t)1 << 33;
    refuses(&f, "a relocation does not reach its target");
    f.sections[ELF_RELA].sh_type = SHT_REL;
    refuses(&f, "relocations without addends");
    f.sections[ELF_RELA].sh_info = 99;
    refuses(&f, "bad relocations");
    for (size_t size = 0; size < sizeof f - sizeof f.names; size++)
        assert_null(load_file(&f, size));
}

/* Every byte with several values: loads or not, but nothing else happens. */
static void survives_any_byte(void **state)
{
    (void)state;
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
    struct elf_file file;
    elf_file_make(&file);
    unsigned char *bytes = (unsigned char *)&file;
    for (size_t i = 0; i < sizeof file; i++) {
        unsigned char before = bytes[i];
        for (size_t v = 0; v < sizeof values; v++) {
            bytes[i] = values[v];
            elf_unload(load_file(&file, sizeof file));
        }
        bytes[i] = before;
    }
}

struct countdown {
    int left;
};

static void *allocate(void *user, size_t size)
{
    struct countdown *countdown = user;
    return countdown->left-- > 0 ? malloc(size) : NULL;
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    struct elf_file file;
    elf_file_make(&file);
    for (int n = 0;; n++) {
        struct countdown countdown = {n};
        load.allocator = (struct allocator){allocate, release, &countdown};
        struct elf_image *image = elf_load(&load, &file, sizeof file);
        if (image) {
            elf_unload(image);
            assert_true(n > 0);
            return;
        }
        assert_true(load.out_of_memory);
    }
}

#endif

/* The instruction at the place after one relocation, or 0 when it was refused. */
static uint32_t relocated(unsigned type, uint32_t code, uint64_t P, uint64_t target)
{
    unsigned char place[8];
    memcpy(place, &code, 4);
    struct elf_relocation r = {.machine = EM_AARCH64,
                               .type = type,
                               .place = place,
                               .room = 4,
                               .P = P,
                               .S = target,
                               .A = 0,
                               .GOT = target};
    if (elf_relocate(&r))
        return 0;
    memcpy(&code, place, 4);
    return code;
}

/* Expected words are what llvm-mc gives for the instructions in the comments. */
static void aarch64_relocations(void **state)
{
    (void)state;
    assert_int_equal(relocated(R_AARCH64_CALL26, 0x94000000, 0x10000, 0x10008), 0x94000002);
    assert_int_equal(relocated(R_AARCH64_CALL26, 0x94000000, 0x10000, 0xfffc), 0x97ffffff);
    assert_int_equal(relocated(R_AARCH64_CALL26, 0x94000000, 0, 1u << 28), 0);
    assert_int_equal(relocated(R_AARCH64_JUMP26, 0x14000000, 0x1000, 0x1002), 0);  /* unaligned */
    assert_int_equal(relocated(R_AARCH64_CONDBR19, 0x54000000, 0, 8), 0x54000040); /* b.eq #8 */
    assert_int_equal(relocated(R_AARCH64_TSTBR14, 0x36000000, 0, 8), 0x36000040); /* tbz w0,#0,#8 */
    assert_int_equal(relocated(R_AARCH64_ADR_PREL_LO21, 0x10000000, 0, 4), 0x10000020);
    assert_int_equal(relocated(R_AARCH64_ADR_PREL_LO21, 0x10000000, 0, 1), 0x30000000);
    assert_int_equal(relocated(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x1ffc, 0x5004), 0x90000020);
    assert_int_equal(relocated(R_AARCH64_ADR_GOT_PAGE, 0x90000000, 0x1ffc, 0x2000), 0xb0000000);
    assert_int_equal(relocated(R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0, 0x12345), 0x910d1400);
    assert_int_equal(relocated(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0, 0x1010), 0xf9400800);
    assert_int_equal(relocated(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0, 0x1011), 0);
    assert_int_equal(relocated(R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00000, 0, 0x20), 0x3dc00800);
    assert_int_equal(relocated(1000, 0x14000000, 0, 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
        cmocka_unit_test(loads_and_runs),
        cmocka_unit_test(refuses_broken_files),
        cmocka_unit_test(survives_any_byte),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(finds_what_was_loaded_before),
#endif
        cmocka_unit_test(aarch64_relocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
