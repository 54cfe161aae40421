/*
 * Whether the library and the module of the CPU backend are of one build; see cpu.h. This file is
 * part of both. What crosses the border are IR, arenas, diagnostics and the structs of cpu.h: their
 * sizes, and the names of ops and element types in order, whose numbers would mean others.
 */
#include "cpu/cpu.h"

static uint64_t mix(uint64_t fit, uint64_t number)
{
    return (fit ^ number) * 0x100000001b3;
}

static uint64_t mix_text(uint64_t fit, const char *text)
{
    for (; *text; text++)
        fit = mix(fit, (unsigned char)*text);
    return mix(fit, 0);
}

uint64_t cpu_module_fit(void)
{
    static const uint64_t sizes[] = {
        sizeof(struct ir_kernel),   sizeof(struct ir_func),     sizeof(struct ir_region),
        sizeof(struct ir_op),       sizeof(struct ir_value),    sizeof(struct ir_parameter),
        sizeof(struct arena),       sizeof(struct diagnostics), sizeof(struct diagnostic),
        sizeof(struct cpu_options), sizeof(struct cpu_output),  sizeof(struct cpu_link),
        sizeof(struct cpu_level),   CPU_VARIANT_COUNT,          CPU_FETCH_COUNT,
    };
    uint64_t fit = mix_text(0, TILEC_VERSION);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        fit = mix(fit, sizes[i]);
    for (int i = 0; i < IR_ELEM_COUNT; i++)
        fit = mix_text(fit, ir_elems[i].name);
    for (int i = 0; i < IR_OP_COUNT; i++)
        fit = mix_text(fit, ir_ops[i].name);
    return fit;
}
