/*
 * Relocations of x86-64 and AArch64 that position-independent code of LLVM uses; see elf.h.
 *
 * A value that does not fit its field is refused, never cut off: the loader puts all sections into
 * one block and calls to the outside through stubs in it, so it only happens in broken files.
 */
#include "run/elf.h"

#include <elf.h>
#include <string.h>

static const char *const no_room = "a relocation lies outside its section";
static const char *const too_far = "a relocation does not reach its target";
static const char *const unknown = "a relocation of an unknown type";

static const char *put(const struct elf_relocation *r, uint64_t value, size_t bytes)
{
    if (r->room < bytes)
        return no_room;
    memcpy(r->place, &value, bytes); /* little-endian, like the file and the machine */
    return NULL;
}

static bool fits_signed(int64_t value, int bits)
{
    return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

static const char *put_signed_32(const struct elf_relocation *r, uint64_t value)
{
    return fits_signed((int64_t)value, 32) ? put(r, value, 4) : too_far;
}

static const char *relocate_x86_64(const struct elf_relocation *r)
{
    switch (r->type) {
    case R_X86_64_64:
        return put(r, r->S + r->A, 8);
    case R_X86_64_PC64:
        return put(r, r->S + r->A - r->P, 8);
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        return put_signed_32(r, r->S + r->A - r->P);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return put_signed_32(r, r->GOT + r->A - r->P);
    default:
        return unknown;
    }
}

/* Sets `bits` bits from bit `low` on of the instruction at the place. */
static const char *put_field(const struct elf_relocation *r, uint64_t value, int low, int bits)
{
    uint32_t code, mask = (uint32_t)((((uint64_t)1 << bits) - 1) << low);
    if (r->room < sizeof code)
        return no_room;
    memcpy(&code, r->place, sizeof code);
    code = (code & ~mask) | ((uint32_t)(value << low) & mask);
    memcpy(r->place, &code, sizeof code);
    return NULL;
}

/* Branches: a signed distance in words. */
static const char *put_branch(const struct elf_relocation *r, int low, int bits)
{
    int64_t distance = (int64_t)(r->S + r->A - r->P);
    if (distance & 3 || !fits_signed(distance, bits + 2))
        return too_far;
    return put_field(r, (uint64_t)distance >> 2, low, bits);
}

/* ADR and ADRP: 21 bits, the lower two apart from the rest. */
static const char *put_adr(const struct elf_relocation *r, int64_t value)
{
    if (!fits_signed(value, 21))
        return too_far;
    const char *why = put_field(r, (uint64_t)value & 3, 29, 2);
    return why ? why : put_field(r, (uint64_t)value >> 2, 5, 19);
}

static uint64_t page(uint64_t address)
{
    return address & ~(uint64_t)0xfff;
}

static const char *put_page(const struct elf_relocation *r, uint64_t target)
{
    return put_adr(r, (int64_t)(page(target) - page(r->P)) >> 12);
}

/* The offset in the page, in units of the access's size. */
static const char *put_page_offset(const struct elf_relocation *r, uint64_t target, int shift)
{
    uint64_t offset = target & 0xfff;
    if (offset & (((uint64_t)1 << shift) - 1))
        return "a relocation's target is not aligned";
    return put_field(r, offset >> shift, 10, 12);
}

static const char *relocate_aarch64(const struct elf_relocation *r)
{
    uint64_t target = r->S + r->A;
    switch (r->type) {
    case R_AARCH64_ABS64:
        return put(r, target, 8);
    case R_AARCH64_PREL64:
        return put(r, target - r->P, 8);
    case R_AARCH64_PREL32:
        return put_signed_32(r, target - r->P);
    case R_AARCH64_ADR_PREL_LO21:
        return put_adr(r, (int64_t)(target - r->P));
    case R_AARCH64_ADR_PREL_PG_HI21:
        return put_page(r, target);
    case R_AARCH64_ADR_GOT_PAGE:
        return put_page(r, r->GOT);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
        return put_page_offset(r, target, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
        return put_page_offset(r, target, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
        return put_page_offset(r, target, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
        return put_page_offset(r, target, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
        return put_page_offset(r, target, 4);
    case R_AARCH64_LD64_GOT_LO12_NC:
        return put_page_offset(r, r->GOT, 3);
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26:
        return put_branch(r, 0, 26);
    case R_AARCH64_CONDBR19:
        return put_branch(r, 5, 19);
    case R_AARCH64_TSTBR14:
        return put_branch(r, 5, 14);
    default:
        return unknown;
    }
}

const char *elf_relocate(const struct elf_relocation *relocation)
{
    return relocation->machine == EM_AARCH64 ? relocate_aarch64(relocation)
                                             : relocate_x86_64(relocation);
}

void elf_write_stub(unsigned machine, unsigned char *code, uint64_t target)
{
    /* jmp *0(%rip), then the address; ldr x16, #8; br x16, then the address */
    static const unsigned char x86_64[8] = {0xff, 0x25, 2, 0, 0, 0, 0x90, 0x90};
    static const unsigned char aarch64[8] = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};
    memcpy(code, machine == EM_AARCH64 ? aarch64 : x86_64, 8);
    memcpy(code + 8, &target, 8);
}
