#ifndef TILEC_TOOLS_MATH_LANGUAGE_H
#define TILEC_TOOLS_MATH_LANGUAGE_H
/*
 * Compiles an expression of the kernel language into a loop over arrays, as math_jit.h does for the
 * CPU backend's functions: a kernel is built ahead of time, and its object joins the others' code.
 */
#include "math_jit.h"

#include <tilec/tilec.h>

static inline void math_language_check(tilec_context *context, tilec_status status)
{
    tilec_diagnostic d;
    if (status == TILEC_OK)
        return;
    for (size_t i = 0; tilec_diagnostic_get(context, i, &d) == TILEC_OK; i++)
        fputs(d.text, stderr);
    fprintf(stderr, "math_language: %s\n", tilec_status_string(status));
    exit(1);
}

/* void name(a, b, out, vectors) calls `kernel`, whose grid is the number of vectors. */
static inline void math_language_call(struct math_jit *j, const char *name, const char *kernel)
{
    LLVMOrcThreadSafeContextRef safe = LLVMOrcCreateNewThreadSafeContext();
    LLVMContextRef context = LLVMOrcThreadSafeContextGetContext(safe);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext(name, context);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context), i32 = LLVMInt32TypeInContext(context);
    LLVMTypeRef ours[] = {pointer, pointer, pointer, i64};
    LLVMTypeRef its[] = {pointer, pointer, pointer, i64, pointer};
    LLVMTypeRef its_type = LLVMFunctionType(i32, its, 5, 0);
    LLVMValueRef it = LLVMAddFunction(module, kernel, its_type);
    LLVMValueRef f =
        LLVMAddFunction(module, name, LLVMFunctionType(LLVMVoidTypeInContext(context), ours, 4, 0));
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, f, "entry"));
    LLVMValueRef arguments[5] = {[4] = LLVMConstNull(pointer)};
    for (unsigned i = 0; i < 4; i++)
        arguments[i] = LLVMGetParam(f, i);
    LLVMBuildCall2(builder, its_type, it, arguments, 5, "");
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    LLVMOrcThreadSafeModuleRef safe_module = LLVMOrcCreateNewThreadSafeModule(module, safe);
    LLVMOrcDisposeThreadSafeContext(safe);
    math_jit_check(
        LLVMOrcLLJITAddLLVMIRModule(j->jit, LLVMOrcLLJITGetMainJITDylib(j->jit), safe_module));
}

/* The object of `kernel`, which computes `expression` of x and y. */
static inline LLVMMemoryBufferRef math_language_build(const struct math_jit *j,
                                                      const char *expression, const char *type,
                                                      unsigned lanes, const char *kernel)
{
    char text[512];
    snprintf(text, sizeof text,
             "launch_grid(%s, vectors);\n"
             "kernel void %s(const %s *restrict X, const %s *restrict Y, %s *restrict Out, "
             "int64_t vectors)\n"
             "{\n"
             "    int i = program_id(0) * %u + arange(0, %u);\n"
             "    auto x = load(X + i), y = load(Y + i);\n"
             "    store(Out + i, %s);\n"
             "}\n",
             kernel, kernel, type, type, type, lanes, lanes, expression);
    tilec_context *context;
    tilec_program *program;
    tilec_built built;
    const char *level = j->level.name;
    tilec_source source = {.size = sizeof source, .text = text};
    tilec_compile_options options = {.size = sizeof options};
    tilec_build_options build = {.size = sizeof build, .cpus = &level, .cpu_count = 1};
    if (tilec_context_create(NULL, &context) != TILEC_OK)
        exit(1);
    math_language_check(context, tilec_program_create(context, &source, &program));
    math_language_check(context, tilec_build(program, &options, &build, &built));
    LLVMMemoryBufferRef object =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(built.object, built.object_size, kernel);
    tilec_release(context, built.object);
    tilec_release(context, built.header);
    tilec_program_destroy(program);
    tilec_context_destroy(context);
    return object;
}

/* out[i] = expression of x = a[i] and y = b[i], by vectors of `lanes`. Reads b in any case. */
static inline math_loop math_language_compile(struct math_jit *j, const char *expression,
                                              enum ir_elem elem, unsigned lanes)
{
    char name[32], kernel[32];
    snprintf(name, sizeof name, "loop%d", j->count);
    snprintf(kernel, sizeof kernel, "kernel%d", j->count++);
    const char *type = elem == IR_F64 ? "double" : "float";
    LLVMMemoryBufferRef object = math_language_build(j, expression, type, lanes, kernel);
    math_jit_check(LLVMOrcLLJITAddObjectFile(j->jit, LLVMOrcLLJITGetMainJITDylib(j->jit), object));
    math_language_call(j, name, kernel);
    LLVMOrcExecutorAddress address = 0;
    math_jit_check(LLVMOrcLLJITLookup(j->jit, &address, name));
    return (math_loop)(uintptr_t)address;
}

#endif
