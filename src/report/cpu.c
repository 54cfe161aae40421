/* The report of a kernel for the CPU, read off its final LLVM IR and assembly; see report.h. */
#include "report/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- assembly of x86-64 ---------------------------------------------------------------------- */

struct code {
    int instructions, calls;
    int stack_accesses; /* through %rsp or %rbp: spilled registers and local arrays */
    int64_t pushed, reserved,
        below; /* bytes of a function: by push, by sub, and used below %rsp without either */
    int64_t stack_bytes; /* of the function with the largest stack */
    int vector_bits; /* of the widest register */
};

static bool has(const char *line, const char *stop, const char *what)
{
    const char *at = strstr(line, what);
    return at && at < stop;
}

static void read_stack(const char *line, const char *stop, struct code *code)
{
    const char *operand = strstr(line, "(%rsp");
    if (strncmp(line, "\tpush", 5) == 0) {
        code->pushed += 8;
    } else if (strncmp(line, "\tsubq\t$", 7) == 0 && has(line, stop, ", %rsp")) {
        code->reserved += strtoll(line + 7, NULL, 10);
    } else if (operand && operand < stop && strncmp(line, "\tlea", 4) != 0) {
        const char *number = operand;
        while (isdigit((unsigned char)number[-1]) || number[-1] == '-')
            number--;
        int64_t offset = strtoll(number, NULL, 10);
        code->below = -offset > code->below ? -offset : code->below;
        code->stack_accesses++;
    } else if (has(line, stop, "(%rbp")) {
        code->stack_accesses++;
    }
}

static void read_instruction(const char *line, const char *stop, struct code *code)
{
    static const struct {
        const char *name;
        int bits;
    } registers[] = {{"%zmm", 512}, {"%ymm", 256}, {"%xmm", 128}};
    code->instructions++;
    code->calls += strncmp(line, "\tcall", 5) == 0;
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (registers[i].bits > code->vector_bits && has(line, stop, registers[i].name))
            code->vector_bits = registers[i].bits;
    read_stack(line, stop, code);
}

/* Whether the line is the label of one of the kernel's functions, KERNEL.VARIANT and on. */
static bool is_label(const char *line, const char *kernel)
{
    size_t length = strlen(kernel);
    return strncmp(line, kernel, length) == 0 && line[length] == '.' &&
           isdigit((unsigned char)line[length + 1]);
}

/* One function of several calls another: they stand on the stack together, but how deep is not
 * looked at; so it counts the largest one. */
static void end_function(struct code *code, int64_t *largest)
{
    int64_t bytes = code->pushed + code->reserved + code->below;
    *largest = bytes > *largest ? bytes : *largest;
    code->pushed = code->reserved = code->below = 0;
}

/* Each function from its label to its size; false: there is none, or no such assembly. */
static bool read_assembly(const char *assembly, const char *kernel, struct code *code)
{
    const char *line = assembly;
    bool inside = false, found = false;
    *code = (struct code){0};
    while (line && *line) {
        const char *stop = line + strcspn(line, "\n");
        if (is_label(line, kernel)) {
            inside = found = true;
        } else if (inside &&
                   (strncmp(line, ".Lfunc_end", 10) == 0 || strncmp(line, "\t.size", 6) == 0)) {
            end_function(code, &code->stack_bytes);
            inside = false;
        } else if (inside && line[0] == '\t' && isalpha((unsigned char)line[1])) {
            read_instruction(line, stop, code);
        }
        line = *stop ? stop + 1 : stop;
    }
    end_function(code, &code->stack_bytes);
    return found;
}

static bool add_assembly(json_t *report, const char *kernel, const char *assembly)
{
    struct code code;
    if (!read_assembly(assembly, kernel, &code))
        return true;
    return report_toolchain(report, "instructions", json_integer(code.instructions)) &&
           report_toolchain(report, "calls", json_integer(code.calls)) &&
           report_toolchain(report, "vector_bits", json_integer(code.vector_bits)) &&
           report_toolchain(report, "stack_bytes", json_integer(code.stack_bytes)) &&
           report_toolchain(report, "stack_accesses", json_integer(code.stack_accesses));
}

/* ---- the whole ------------------------------------------------------------------------------- */

json_t *report_cpu(const struct report_head *head, const struct report_cpu *made)
{
    json_t *report = report_new(head);
    json_t *plan = json_pack("{s:s, s:s, s:i, s:o}", "backend", made->backend, "level", made->level,
                             "vector_bits", made->vector_bits, "reasons",
                             report_strings(made->reasons, made->reason_count));
    bool fine =
        report_set(report, "plan", plan) &&
        report_toolchain(report, "compiler", json_string("LLVM 19")) &&
        report_toolchain(report, "scratch_bytes", json_integer(made->scratch_bytes)) &&
        report_toolchain(report, "scratch_bytes_unshared", json_integer(made->apart_bytes)) &&
        report_llvm(report, head->kernel, made->llvm) &&
        add_assembly(report, head->kernel, made->assembly);
    if (fine)
        return report;
    json_decref(report);
    return NULL;
}
