#ifndef TILEC_RUN_ELF_H
#define TILEC_RUN_ELF_H
/*
 * A loader for the object files that the CPU backend makes: ELF, 64 bits, little-endian,
 * relocatable, for the machine that runs this.
 *
 * It takes 60 us where LLVM's linker needs the whole of LLVM. It trusts nothing in the file: every
 * offset is checked before use, and what it does not know is refused with a reason. Memory is
 * mapped writable, filled, relocated and then made executable or read-only; it is never both
 * writable and executable.
 */
#include "base/arena.h"

struct elf_image;

struct elf_load {
    struct allocator allocator;
    /* Address of a function outside the object; NULL: unknown, which is an error. */
    void *(*resolve)(void *user, const char *name);
    void *user;
    /* Loaded before, or NULL: what the file lacks is looked up there first. The new image takes it:
     * it is searched and unloaded with that. Where loading fails it stays the caller's. */
    struct elf_image *before;
    const char *why;    /* out: the reason when NULL is returned; static text */
    bool out_of_memory; /* out: the reason is that */
};

struct elf_image *elf_load(struct elf_load *load, const void *bytes, size_t size);
void elf_unload(struct elf_image *image);

/* Address of a function or object that the file defines with external linkage, or NULL. */
void *elf_symbol(const struct elf_image *image, const char *name);

/* ---- relocations (elf_relocate.c) ------------------------------------------------------------ */

/* What a relocation is computed from; addresses in the process, names as in the ELF psABIs. */
struct elf_relocation {
    unsigned machine, type; /* EM_X86_64 or EM_AARCH64 */
    unsigned char *place;   /* where the bytes are now */
    size_t room;            /* bytes from place to the end of its section */
    uint64_t P, S, A, GOT;  /* place, symbol, addend, the symbol's slot in the offset table */
};

/* NULL, or why not. */
const char *elf_relocate(const struct elf_relocation *relocation);

/* Writes code that jumps to an address from anywhere; ELF_STUB_BYTES long. */
enum { ELF_STUB_BYTES = 16 };
void elf_write_stub(unsigned machine, unsigned char *code, uint64_t target);

#endif
