/*
 * A small relocatable ELF file made by hand, for the tests of the loader (test_run_elf.c, fuzz).
 * It holds for x86-64:
 *
 *   add:   lea (%rdi, %rsi), %eax; ret
 *   call:  jmp twice@PLT             (outside)
 *   load:  mov value(%rip), %eax; ret
 *   slot:  mov twice@GOTPCREL(%rip), %rax; ret
 *   value: .long 42 in .rodata
 */
#ifndef TILEC_TESTS_ELF_FILE_H
#define TILEC_TESTS_ELF_FILE_H

#include <elf.h>
#include <string.h>

enum { ELF_TEXT = 1, ELF_RODATA, ELF_RELA, ELF_SYMTAB, ELF_STRTAB, ELF_SECTIONS };
enum { SYMBOL_ADD = 1, SYMBOL_CALL, SYMBOL_LOAD, SYMBOL_SLOT, SYMBOL_VALUE, SYMBOL_TWICE, SYMBOLS };

struct elf_file {
    Elf64_Ehdr header;
    Elf64_Shdr sections[ELF_SECTIONS];
    unsigned char text[64];
    unsigned char rodata[16];
    Elf64_Rela rela[3];
    Elf64_Sym symbols[SYMBOLS];
    char names[64];
};

static inline Elf64_Shdr elf_file_section(Elf64_Word type, Elf64_Xword flags, size_t offset,
                                          size_t size, Elf64_Xword align)
{
    Elf64_Shdr s = {.sh_type = type,
                    .sh_flags = flags,
                    .sh_offset = offset,
                    .sh_size = size,
                    .sh_addralign = align};
    return s;
}

static inline Elf64_Sym elf_file_symbol(Elf64_Word name, Elf64_Half section, Elf64_Addr value)
{
    Elf64_Sym s = {.st_name = name,
                   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
                   .st_shndx = section,
                   .st_value = value};
    return s;
}

static inline void elf_file_make(struct elf_file *f)
{
    static const unsigned char code[] = {
        0x8d, 0x04, 0x37, 0xc3, 0x90, 0x90, 0x90, 0x90, /* 0: add */
        0xe9, 0,    0,    0,    0,    0x90, 0x90, 0x90, /* 8: call */
        0x8b, 0x05, 0,    0,    0,    0,    0xc3, 0x90, /* 16: load */
        0x48, 0x8b, 0x05, 0,    0,    0,    0,    0xc3, /* 24: slot */
    };
    static const char names[] = "\0add\0call\0load\0slot\0value\0twice";
    static const int value = 42;
    memset(f, 0, sizeof *f);
    memcpy(f->header.e_ident, ELFMAG, SELFMAG);
    f->header.e_ident[EI_CLASS] = ELFCLASS64;
    f->header.e_ident[EI_DATA] = ELFDATA2LSB;
    f->header.e_type = ET_REL;
    f->header.e_machine = EM_X86_64;
    f->header.e_shoff = offsetof(struct elf_file, sections);
    f->header.e_shentsize = sizeof(Elf64_Shdr);
    f->header.e_shnum = ELF_SECTIONS;
#define PART(member) offsetof(struct elf_file, member), sizeof f->member
    f->sections[ELF_TEXT] =
        elf_file_section(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PART(text), 16);
    f->sections[ELF_RODATA] = elf_file_section(SHT_PROGBITS, SHF_ALLOC, PART(rodata), 16);
    f->sections[ELF_RELA] = elf_file_section(SHT_RELA, 0, PART(rela), 8);
    f->sections[ELF_SYMTAB] = elf_file_section(SHT_SYMTAB, 0, PART(symbols), 8);
    f->sections[ELF_STRTAB] = elf_file_section(SHT_STRTAB, 0, PART(names), 1);
#undef PART
    f->sections[ELF_RELA].sh_info = ELF_TEXT;
    f->sections[ELF_RELA].sh_link = ELF_SYMTAB;
    f->sections[ELF_RELA].sh_entsize = sizeof(Elf64_Rela);
    f->sections[ELF_SYMTAB].sh_link = ELF_STRTAB;
    f->sections[ELF_SYMTAB].sh_entsize = sizeof(Elf64_Sym);
    memcpy(f->text, code, sizeof code);
    memcpy(f->rodata, &value, sizeof value);
    memcpy(f->names, names, sizeof names);
    f->symbols[SYMBOL_ADD] = elf_file_symbol(1, ELF_TEXT, 0);
    f->symbols[SYMBOL_CALL] = elf_file_symbol(5, ELF_TEXT, 8);
    f->symbols[SYMBOL_LOAD] = elf_file_symbol(10, ELF_TEXT, 16);
    f->symbols[SYMBOL_SLOT] = elf_file_symbol(15, ELF_TEXT, 24);
    f->symbols[SYMBOL_VALUE] = elf_file_symbol(20, ELF_RODATA, 0);
    f->symbols[SYMBOL_TWICE] = elf_file_symbol(26, SHN_UNDEF, 0);
    f->rela[0] = (Elf64_Rela){9, ELF64_R_INFO(SYMBOL_TWICE, R_X86_64_PLT32), -4};
    f->rela[1] = (Elf64_Rela){18, ELF64_R_INFO(SYMBOL_VALUE, R_X86_64_PC32), -4};
    f->rela[2] = (Elf64_Rela){27, ELF64_R_INFO(SYMBOL_TWICE, R_X86_64_REX_GOTPCRELX), -4};
}

#endif
