/*
 * LLVM's machines, which one compilation leaves to the next.
 *
 * Making one and its tables of what the processor has (LLVM calls that a subtarget, and makes it
 * for the first function) takes a millisecond. A machine belongs to one thread at a time and to no
 * context, so it waits here for whoever compiles next for the same processor. There are as many as
 * threads compile at once, and at most so many are kept; they stay until the process ends, as what
 * LLVM keeps for itself does.
 */
#include "cpu/llvm.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <pthread.h>
#include <string.h>

enum { MOST_IDLE = 16 };

struct idle {
    LLVMTargetMachineRef machine;
    struct cpu_level level;
};

static struct idle idle[MOST_IDLE]; /* the one that waits longest first */
static int idle_count;
static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;

/* A level's texts are constants, or NULL both. */
static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_same_processor(const struct cpu_level *a, const struct cpu_level *b)
{
    return is_same_text(a->triple, b->triple) && is_same_text(a->llvm_cpu, b->llvm_cpu) &&
           is_same_text(a->llvm_features, b->llvm_features);
}

static void remove_idle(int i)
{
    idle_count--;
    memmove(&idle[i], &idle[i + 1], (size_t)(idle_count - i) * sizeof *idle);
}

static LLVMTargetMachineRef take_idle(const struct cpu_level *level)
{
    LLVMTargetMachineRef machine = NULL;
    pthread_mutex_lock(&idle_lock);
    for (int i = idle_count - 1; i >= 0 && !machine; i--)
        if (is_same_processor(&idle[i].level, level)) {
            machine = idle[i].machine;
            remove_idle(i);
        }
    pthread_mutex_unlock(&idle_lock);
    return machine;
}

void cpu_llvm_leave_machine(LLVMTargetMachineRef machine, const struct cpu_level *level, bool fine)
{
    LLVMTargetMachineRef superfluous = machine;
    if (machine && fine) {
        pthread_mutex_lock(&idle_lock);
        superfluous = idle_count == MOST_IDLE ? idle[0].machine : NULL;
        if (superfluous)
            remove_idle(0);
        idle[idle_count++] = (struct idle){machine, *level};
        pthread_mutex_unlock(&idle_lock);
    }
    if (superfluous)
        LLVMDisposeTargetMachine(superfluous);
}

/* The architectures of features.c, of which LLVM knows those that it was built for. */
static void initialise_others(void)
{
#ifdef TILEC_LLVM_X86
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
#endif
#ifdef TILEC_LLVM_AArch64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
}

static LLVMTargetMachineRef make_machine(const struct cpu_level *level, char **message)
{
    static pthread_once_t others = PTHREAD_ONCE_INIT;
    if (level->triple)
        pthread_once(&others, initialise_others);
    char *triple = level->triple ? LLVMCreateMessage(level->triple) : LLVMGetDefaultTargetTriple();
    LLVMTargetMachineRef machine = NULL;
    LLVMTargetRef target;
    if (!LLVMGetTargetFromTriple(triple, &target, message))
        machine =
            LLVMCreateTargetMachine(target, triple, level->llvm_cpu, level->llvm_features,
                                    LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall);
    LLVMDisposeMessage(triple);
    return machine;
}

LLVMTargetMachineRef cpu_llvm_machine(LLVMModuleRef module, const struct cpu_level *level,
                                      char **message)
{
    LLVMTargetMachineRef machine = take_idle(level);
    if (!machine)
        machine = make_machine(level, message);
    if (!machine)
        return NULL;
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, triple);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);
    return machine;
}
