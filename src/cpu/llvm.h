#ifndef TILEC_CPU_LLVM_H
#define TILEC_CPU_LLVM_H
/* LLVM as a whole: what module.c (one kernel), parts.c (its functions by several threads) and
 * aot.c (linking several) share. */
#include "cpu/cpu.h"
#include "cpu/features.h"

#include <llvm-c/TargetMachine.h>

/* Runs work where LLVM's fatal errors come back. *reason: NULL, or why LLVM gave up (what it held
 * is then lost). False: the arena is out of memory. LLVM is initialised by the first call. */
bool cpu_llvm_guard(struct arena *arena, void (*work)(void *user), void *user, const char **reason);

/* The same without an arena, and within it too: NULL, or why LLVM gave up, until this thread's next
 * call. */
const char *cpu_llvm_catch(void (*work)(void *user), void *user);

/* The machine for a processor, and the module set up for it; NULL with *message (LLVM's). It is the
 * caller's until he leaves it to others; see machines.c. */
LLVMTargetMachineRef cpu_llvm_machine(LLVMModuleRef module, const struct cpu_level *level,
                                      char **message);

/* fine: nothing failed while it was used; else it is disposed. NULL does nothing. */
void cpu_llvm_leave_machine(LLVMTargetMachineRef machine, const struct cpu_level *level, bool fine);

/* The module's object or assembly; NULL with *message (LLVM's). */
LLVMMemoryBufferRef cpu_llvm_write(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                   enum cpu_format format, char **message);

/* Runs passes by LLVM's names for them; NULL, or what went wrong (LLVM's error message). */
char *cpu_llvm_passes(LLVMTargetMachineRef machine, LLVMModuleRef module, const char *passes);

/* What is done with a module before its code is generated. */
#define CPU_LLVM_PASSES "function(mem2reg,early-cse,instsimplify,loop-mssa(licm),simplifycfg)"

/* The module's objects (parts.c), by so many threads at most; the module's functions are no longer
 * internal then. False: it is better one object. *message: NULL, or LLVM's why there are none. */
bool cpu_llvm_write_parts(LLVMModuleRef module, const struct cpu_level *level, int threads,
                          struct cpu_output *output, char **message);

/* aot.c; see cpu.h */
bool cpu_link_modules(const struct cpu_link *link, struct arena *arena,
                      struct diagnostics *diagnostics, struct cpu_output *output);

#endif
