#ifndef TILEC_TOOLS_MATH_JIT_H
#define TILEC_TOOLS_MATH_JIT_H
/*
 * Compiles one piece of the CPU backend's arithmetic into a loop over arrays, for the programs that
 * check it (soak_math and test_cpu_math). Header only, so that both build from one C file each.
 * On any failure of LLVM these functions print why and exit: there is nothing to test then.
 */
#include "cpu/convert.h"
#include "cpu/math.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct math_jit {
    LLVMOrcLLJITRef jit;
    struct cpu_level level;
    int count; /* functions compiled so far; makes names */
};

/* out[i] = body(a[i], b[i]); or one scalar out for each vector, if body gives a scalar. */
struct math_kernel {
    enum ir_elem a, b, out;
    bool binary;
    unsigned lanes; /* of the vectors; 0: scalars */
    LLVMValueRef (*body)(struct cpu_math *m, LLVMValueRef a, LLVMValueRef b,
                         const struct math_kernel *kernel);
    int selector; /* for body's use: a function, an operation */
};

typedef void (*math_loop)(const void *a, const void *b, void *out, int64_t vectors);

static inline void math_jit_check(LLVMErrorRef error)
{
    if (!error)
        return;
    char *text = LLVMGetErrorMessage(error);
    fprintf(stderr, "math_jit: %s\n", text);
    LLVMDisposeErrorMessage(text);
    exit(1);
}

static inline LLVMTargetMachineRef math_jit_machine(const struct cpu_level *level)
{
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        fprintf(stderr, "math_jit: %s\n", message);
        exit(1);
    }
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, triple, level->llvm_cpu, level->llvm_features,
                                LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelJITDefault);
    LLVMDisposeMessage(triple);
    return machine;
}

/* False if this machine does not run code of that level. */
static inline bool math_jit_open(struct math_jit *j, const char *level)
{
    struct cpu_features host;
    memset(j, 0, sizeof *j);
    cpu_features_detect(&host);
    if (!cpu_level_find(level, &j->level) || !cpu_features_cover(&host, &j->level.features))
        return false;
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder,
        LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(math_jit_machine(&j->level)));
    math_jit_check(LLVMOrcCreateLLJIT(&j->jit, builder));
    LLVMOrcDefinitionGeneratorRef process;
    math_jit_check(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
        &process, LLVMOrcLLJITGetGlobalPrefix(j->jit), NULL, NULL));
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(j->jit), process);
    return true;
}

static inline void math_jit_close(struct math_jit *j)
{
    math_jit_check(LLVMOrcDisposeLLJIT(j->jit));
}

static inline LLVMTypeRef math_jit_type(struct cpu_math *m, enum ir_elem elem, unsigned lanes)
{
    LLVMTypeRef type = elem == IR_BOOL ? LLVMInt8TypeInContext(m->context) : cpu_elem_type(m, elem);
    return lanes ? LLVMVectorType(type, lanes) : type;
}

/* The address of vector `index`; not by GEP on the vector type, which pads odd lengths. */
static inline LLVMValueRef math_jit_at(struct cpu_math *m, LLVMTypeRef type, LLVMValueRef base,
                                       LLVMValueRef index)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        LLVMValueRef lanes = LLVMConstInt(LLVMTypeOf(index), LLVMGetVectorSize(type), 0);
        index = LLVMBuildMul(m->builder, index, lanes, "");
        type = LLVMGetElementType(type);
    }
    return LLVMBuildGEP2(m->builder, type, base, &index, 1, "");
}

static inline LLVMValueRef math_jit_load(struct cpu_math *m, enum ir_elem elem, unsigned lanes,
                                         LLVMValueRef base, LLVMValueRef index)
{
    LLVMTypeRef type = math_jit_type(m, elem, lanes);
    LLVMValueRef at = math_jit_at(m, type, base, index);
    LLVMValueRef v = LLVMBuildLoad2(m->builder, type, at, "");
    LLVMSetAlignment(v, 1);
    return elem == IR_BOOL ? cpu_convert(m, v, IR_U8, IR_BOOL) : v;
}

static inline void math_jit_store(struct cpu_math *m, enum ir_elem elem, LLVMValueRef v,
                                  LLVMValueRef base, LLVMValueRef index)
{
    if (elem == IR_BOOL)
        v = cpu_convert(m, v, IR_BOOL, IR_U8);
    LLVMValueRef at = math_jit_at(m, LLVMTypeOf(v), base, index);
    LLVMSetAlignment(LLVMBuildStore(m->builder, v, at), 1);
}

/* void name(const a *, const b *, out *, int64_t vectors): a do-while loop over vectors. */
static inline void math_jit_build(struct cpu_math *m, const struct math_kernel *k, const char *name)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(m->context, 0);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(m->context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->context),
                                        (LLVMTypeRef[]){pointer, pointer, pointer, i64}, 4, 0);
    LLVMValueRef f = LLVMAddFunction(m->module, name, type);
    LLVMAddTargetDependentFunctionAttr(f, "prefer-vector-width", "512");
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(m->context, f, "entry");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(m->context, f, "loop");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(m->context, f, "done");
    LLVMPositionBuilderAtEnd(m->builder, entry);
    LLVMBuildBr(m->builder, loop);

    LLVMPositionBuilderAtEnd(m->builder, loop);
    LLVMValueRef i = LLVMBuildPhi(m->builder, i64, "i");
    LLVMValueRef a = math_jit_load(m, k->a, k->lanes, LLVMGetParam(f, 0), i);
    LLVMValueRef b = k->binary ? math_jit_load(m, k->b, k->lanes, LLVMGetParam(f, 1), i) : NULL;
    math_jit_store(m, k->out, k->body(m, a, b, k), LLVMGetParam(f, 2), i);
    LLVMValueRef next = LLVMBuildAdd(m->builder, i, LLVMConstInt(i64, 1, 0), "");
    LLVMValueRef more = LLVMBuildICmp(m->builder, LLVMIntSLT, next, LLVMGetParam(f, 3), "");
    LLVMAddIncoming(i, (LLVMValueRef[]){LLVMConstNull(i64), next},
                    (LLVMBasicBlockRef[]){entry, LLVMGetInsertBlock(m->builder)}, 2);
    LLVMBuildCondBr(m->builder, more, loop, done);
    LLVMPositionBuilderAtEnd(m->builder, done);
    LLVMBuildRetVoid(m->builder);
}

static inline LLVMModuleRef math_jit_module(struct math_jit *j, const struct math_kernel *k,
                                            LLVMContextRef context, const char *name)
{
    struct cpu_math m = {.context = context,
                         .module = LLVMModuleCreateWithNameInContext(name, context),
                         .builder = LLVMCreateBuilderInContext(context),
                         .features = &j->level.features};
    char *message = NULL;
    math_jit_build(&m, k, name);
    LLVMDisposeBuilder(m.builder);
    if (LLVMVerifyModule(m.module, LLVMReturnStatusAction, &message)) {
        fprintf(stderr, "math_jit: %s\n", message);
        exit(1);
    }
    LLVMDisposeMessage(message);
    return m.module;
}

static inline math_loop math_jit_compile(struct math_jit *j, const struct math_kernel *k)
{
    char name[32];
    snprintf(name, sizeof name, "loop%d", j->count++);
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
    LLVMModuleRef module = math_jit_module(j, k, LLVMOrcThreadSafeContextGetContext(safe), name);
    LLVMOrcThreadSafeModuleRef safe_module = LLVMOrcCreateNewThreadSafeModule(module, safe);
    LLVMOrcDisposeThreadSafeContext(safe);
    math_jit_check(
        LLVMOrcLLJITAddLLVMIRModule(j->jit, LLVMOrcLLJITGetMainJITDylib(j->jit), safe_module));
    LLVMOrcExecutorAddress address = 0;
    math_jit_check(LLVMOrcLLJITLookup(j->jit, &address, name));
    return (math_loop)(uintptr_t)address;
}

/* The assembly of the loop, to look at. */
static inline void math_jit_print(struct math_jit *j, const struct math_kernel *k)
{
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = math_jit_module(j, k, context, "loop");
    LLVMTargetMachineRef machine = math_jit_machine(&j->level);
    LLVMMemoryBufferRef text = NULL;
    char *message = NULL;
    LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &message, &text);
    fwrite(LLVMGetBufferStart(text), 1, LLVMGetBufferSize(text), stdout);
    LLVMDisposeMemoryBuffer(text);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

#endif
