/*
 * Loops and vectors of a CPU kernel, read off the text of its final LLVM IR.
 *
 * A kernel is one function, KERNEL.VARIANT, or with those that a matrix product is made of,
 * KERNEL.VARIANT.PART. Each is split into basic blocks; a depth-first walk finds the branches that
 * go back to a block on the way to them, which are the loops. A loop is described by its own
 * blocks, without those of the loops inside. The backend names a loop's first block after an op and
 * its line in the source: "sum.52.".
 */
#include "report/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TARGETS = 64, NAME = 128 };

struct block {
    const char *name; /* in the text */
    size_t name_length;
    const char *begin, *end; /* its instructions */
    int targets[MOST_TARGETS];
    bool goes_back[MOST_TARGETS]; /* to the header of a loop */
    int target_count;
    int header; /* of the innermost loop that it is in; -1: none */
    bool is_header;
    int depth;                                        /* of a header: loops around its own */
    enum { BLOCK_NEW, BLOCK_OPEN, BLOCK_DONE } state; /* of the walk */
    int from, next; /* likewise: where it came from, next target */
};

struct function {
    const char *begin, *end;
    const char *part; /* its name behind KERNEL.VARIANT; empty for the kernel itself */
    size_t part_length;
    struct block *blocks;
    int count;
};

/* ---- text ------------------------------------------------------------------------------------ */

static const char *line_end(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

/* Where `what` stands in [at, end), or NULL. */
static const char *find(const char *at, const char *end, const char *what)
{
    size_t length = strlen(what);
    for (; at + length <= end; at++)
        if (memcmp(at, what, length) == 0)
            return at;
    return NULL;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || strchr("._-$", c);
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (at[length] && is_name_char(at[length]))
        length++;
    return length;
}

/* The kernel's next function from `at` on: the lines between "define ...
 * @KERNEL.VARIANT[.PART](...) {" and "}". */
static bool next_function(const char *at, const char *kernel, struct function *function)
{
    const char *end = at + strlen(at);
    size_t length = strlen(kernel);
    for (const char *line = at; line < end; line = line_end(line, end) + 1) {
        const char *stop = line_end(line, end);
        const char *name = strncmp(line, "define ", 7) == 0 ? find(line, stop, "@") : NULL;
        if (!name || strncmp(name + 1, kernel, length) != 0 || name[1 + length] != '.' ||
            !isdigit((unsigned char)name[2 + length]))
            continue;
        const char *close = strstr(stop, "\n}");
        if (stop == end || !close)
            return false;
        const char *part = name + 2 + length;
        while (isdigit((unsigned char)*part))
            part++;
        part += *part == '.';
        *function = (struct function){.begin = stop + 1, .end = close + 1, .part = part};
        function->part_length = name_length(part);
        return true;
    }
    return false;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Whether the line starts a block: "name:" at its beginning. */
static bool is_label(const char *line)
{
    size_t length = name_length(line);
    return length && line[length] == ':';
}

static bool split_blocks(struct function *function)
{
    int count = 0;
    const char *line;
    for (line = function->begin; line < function->end; line = line_end(line, function->end) + 1)
        count += is_label(line);
    function->blocks = calloc((size_t)count + 1, sizeof *function->blocks);
    if (!function->blocks)
        return false;
    for (line = function->begin; line < function->end; line = line_end(line, function->end) + 1) {
        if (!is_label(line))
            continue;
        struct block *block = &function->blocks[function->count];
        if (function->count++)
            block[-1].end = line;
        *block = (struct block){.name = line, .name_length = name_length(line), .header = -1};
        block->begin = line_end(line, function->end);
        block->end = function->end;
    }
    return true;
}

static int find_block(const struct function *function, const char *name, size_t length)
{
    for (int i = 0; i < function->count; i++)
        if (function->blocks[i].name_length == length &&
            memcmp(function->blocks[i].name, name, length) == 0)
            return i;
    return -1;
}

/* "label %name" stands in terminators only. */
static void read_targets(const struct function *function, struct block *block)
{
    const char *at = block->begin;
    while ((at = find(at, block->end, "label %")) != NULL) {
        at += strlen("label %");
        int target = find_block(function, at, name_length(at));
        if (target >= 0 && block->target_count < MOST_TARGETS)
            block->targets[block->target_count++] = target;
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Depth first from the entry; a branch to a block that is still open goes back. */
static void walk(struct function *function)
{
    struct block *blocks = function->blocks;
    int at = 0;
    blocks[0].state = BLOCK_OPEN;
    blocks[0].from = -1;
    while (at >= 0) {
        struct block *block = &blocks[at];
        if (block->next == block->target_count) {
            block->state = BLOCK_DONE;
            at = block->from;
            continue;
        }
        int target = block->targets[block->next];
        bool back = blocks[target].state == BLOCK_OPEN;
        block->goes_back[block->next++] = back;
        blocks[target].is_header = blocks[target].is_header || back;
        if (blocks[target].state != BLOCK_NEW)
            continue;
        blocks[target].state = BLOCK_OPEN;
        blocks[target].from = at;
        at = target;
    }
}

/* Whether the block leads to one inside the loop; to its header only where it goes back. */
static bool leads_inside(const struct block *block, int header, const bool *inside)
{
    for (int i = 0; i < block->target_count; i++)
        if (inside[block->targets[i]] && (block->targets[i] != header || block->goes_back[i]))
            return true;
    return false;
}

/* Marks the blocks of a header's loop: all that reach it without leaving. Returns how many. */
static int fill_loop(const struct function *function, int header, bool *inside)
{
    int size = 1;
    bool grown = true;
    memset(inside, 0, (size_t)function->count * sizeof *inside);
    inside[header] = true;
    while (grown) {
        grown = false;
        for (int b = function->count - 1; b >= 0; b--) {
            const struct block *block = &function->blocks[b];
            if (inside[b] || block->state == BLOCK_NEW || !leads_inside(block, header, inside))
                continue;
            inside[b] = grown = true;
            size++;
        }
    }
    return size;
}

/* A block is in the smallest loop that has it. */
static bool find_loops(struct function *function, int *sizes)
{
    bool *inside = calloc((size_t)function->count, sizeof *inside);
    if (!inside)
        return false;
    walk(function);
    for (int h = 0; h < function->count; h++) {
        if (!function->blocks[h].is_header)
            continue;
        sizes[h] = fill_loop(function, h, inside);
        for (int b = 0; b < function->count; b++) {
            struct block *block = &function->blocks[b];
            block->depth += inside[b] && b != h;
            if (inside[b] && (block->header < 0 || sizes[h] < sizes[block->header]))
                block->header = h;
        }
    }
    free(inside);
    return true;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* "v8f32", "i64", "p0" and the like, which follow an intrinsic's name. */
static bool is_type(const char *at, size_t length)
{
    bool vector = *at == 'v' && length > 1 && isdigit((unsigned char)at[1]);
    bool scalar = strchr("ifp", *at) && length > 1 && isdigit((unsigned char)at[1]);
    return vector || scalar || (length == 4 && memcmp(at, "bf16", 4) == 0);
}

/* "llvm.masked.load.v8f32.p0": masked.load; another function as it is. */
static size_t callee_name(const char *at, const char **name)
{
    size_t length = name_length(at);
    bool intrinsic = strncmp(at, "llvm.", 5) == 0;
    *name = at + (intrinsic ? 5 : 0);
    length -= intrinsic ? 5 : 0;
    for (size_t dot = length; intrinsic && dot > 0; dot--)
        if ((*name)[dot - 1] == '.') {
            if (!is_type(*name + dot, length - dot))
                break;
            length = dot - 1;
        }
    return length;
}

/* What an instruction does, "%x = fadd ...", "store ...", or of a call who is called; 0: the line
 * is a case of a switch, its end, or empty. */
static size_t instruction_name(const char *line, const char *stop, const char **name)
{
    const char *at = line + strspn(line, " "), *callee;
    const char *equals = *at == '%' ? find(at, stop, " = ") : NULL;
    at = equals ? equals + 3 : at;
    size_t length = 0;
    while (islower((unsigned char)at[length]))
        length++;
    *name = at;
    if ((length == 4 && memcmp(at, "call", 4) == 0) || (length == 4 && memcmp(at, "tail", 4) == 0))
        if ((callee = find(at, stop, "@")) != NULL)
            return callee_name(callee + 1, name);
    return length;
}

static void count_instructions(const struct block *block, json_t **counts)
{
    for (const char *line = block->begin + 1; line < block->end;
         line = line_end(line, block->end) + 1) {
        char word[NAME];
        const char *name;
        size_t length = instruction_name(line, line_end(line, block->end), &name);
        if (length == 0 || length >= sizeof word)
            continue;
        memcpy(word, name, length);
        word[length] = '\0';
        json_int_t count = json_integer_value(json_object_get(*counts, word));
        if (!report_set(*counts, word, json_integer(count + 1))) {
            json_decref(*counts);
            *counts = NULL;
        }
    }
}

/* Of the blocks whose innermost loop is that of the header; header -1: of all blocks. */
static json_t *operations(const struct function *function, int header)
{
    json_t *counts = json_object();
    for (int b = 0; b < function->count; b++)
        if (header < 0 || function->blocks[b].header == header)
            count_instructions(&function->blocks[b], &counts);
    return counts;
}

/* ---- what a loop does ------------------------------------------------------------------------ */

struct loop {
    int lanes;   /* elements of the widest vector that is loaded or stored */
    bool masked; /* some access has a mask */
    int64_t step;
};

/* "<16 x float>" at `at`: its elements; 1 for a scalar. */
static int vector_at(const char *at)
{
    char *end;
    long count = *at == '<' ? strtol(at + 1, &end, 10) : 0;
    return count > 1 && strncmp(end, " x ", 3) == 0 ? (int)count : 1;
}

/* Elements that the instruction loads or stores; 0: it does neither. */
static int accessed(const char *line, const char *stop, bool *masked)
{
    const char *at;
    if ((at = find(line, stop, " load ")) != NULL)
        return vector_at(at + strlen(" load "));
    if ((at = find(line, stop, " store ")) != NULL && at == line + 1)
        return vector_at(at + strlen(" store "));
    if ((at = find(line, stop, "@llvm.masked.")) == NULL || !find(at, stop, ".v"))
        return 0;
    *masked = true;
    return (int)strtol(find(at, stop, ".v") + 2, NULL, 10);
}

/* A name at `at`, with its '%'; empty when there is none or it is very long. */
static void copy_name(const char *at, char name[NAME])
{
    size_t length = *at == '%' ? 1 + name_length(at + 1) : 0;
    if (length >= NAME)
        length = 0;
    memcpy(name, at, length);
    name[length] = '\0';
}

/* "  NAME = add [nsw] i64 COUNTER, 64" anywhere: 64; else 0. */
static int64_t added_constant(const struct function *function, const char *name,
                              const char *counter)
{
    char start[NAME + 16], operand[NAME + 4];
    snprintf(start, sizeof start, "\n  %s = add ", name);
    snprintf(operand, sizeof operand, " %s, ", counter);
    const char *line = find(function->begin, function->end, start);
    if (!line)
        return 0;
    const char *stop = line_end(line + 1, function->end), *found = find(line, stop, operand);
    return found ? strtoll(found + strlen(operand), NULL, 10) : 0;
}

/* By what a counter grows in a trip: "%i = phi i64 [ 0, %a ], [ %next, %b ]" in the header, and
 * %next is %i and a constant. 0 where there is none. */
static int64_t loop_step(const struct function *function, int header)
{
    const struct block *block = &function->blocks[header];
    for (const char *line = block->begin + 1; line < block->end;
         line = line_end(line, block->end) + 1) {
        char counter[NAME], next[NAME];
        const char *stop = line_end(line, block->end), *at = find(line, stop, " = phi i64 ");
        copy_name(line + strspn(line, " "), counter);
        while (at && *counter && (at = find(at, stop, "[ ")) != NULL) {
            at += 2;
            copy_name(at, next);
            int64_t step = *next ? added_constant(function, next, counter) : 0;
            if (step)
                return step;
        }
    }
    return 0;
}

static struct loop read_loop(const struct function *function, int header)
{
    struct loop loop = {.lanes = 1, .step = loop_step(function, header)};
    for (int b = 0; b < function->count; b++) {
        const struct block *block = &function->blocks[b];
        if (block->header != header)
            continue;
        for (const char *line = block->begin + 1; line < block->end;
             line = line_end(line, block->end) + 1) {
            int elements = accessed(line, line_end(line, block->end), &loop.masked);
            loop.lanes = elements > loop.lanes ? elements : loop.lanes;
        }
    }
    return loop;
}

/* The line in "sum.52."; null: the block has no such name. */
static json_t *line_of(const struct block *block)
{
    const char *name = block->name, *dot = memchr(name, '.', block->name_length);
    if (!dot || !isdigit((unsigned char)dot[1]))
        return json_null();
    char *end;
    long line = strtol(dot + 1, &end, 10);
    return *end == '.' && end < name + block->name_length ? json_integer(line) : json_null();
}

static json_t *loop_json(const struct function *function, int header)
{
    const struct block *block = &function->blocks[header];
    struct loop loop = read_loop(function, header);
    const char *kind = loop.lanes == 1 ? "scalar" : loop.masked ? "masked_vector" : "vector";
    json_int_t each = loop.step % loop.lanes == 0 ? loop.step / loop.lanes : 0;
    json_t *part =
        function->part_length ? json_stringn(function->part, function->part_length) : json_null();
    return json_pack("{s:o, s:o, s:o, s:i, s:s, s:i, s:I, s:o, s:o}", "function", part,
                     "induction_variable", json_stringn(block->name, block->name_length), "line",
                     line_of(block), "depth", block->depth, "kind", kind, "lanes", loop.lanes,
                     "elements_per_lane", each, "iteration_step",
                     loop.step ? json_integer(loop.step) : json_null(), "operations",
                     operations(function, header));
}

/* Appends to *list. */
static void list_loops(struct function *function, json_t **list)
{
    int *sizes = calloc((size_t)function->count + 1, sizeof *sizes);
    if (sizes && find_loops(function, sizes)) {
        for (int h = 0; h < function->count; h++)
            if (function->blocks[h].is_header)
                report_append(list, loop_json(function, h));
    } else {
        json_decref(*list);
        *list = NULL;
    }
    free(sizes);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool add_counts(json_t *sum, json_t *counts)
{
    const char *name;
    json_t *count;
    bool fine = counts != NULL;
    json_object_foreach(counts, name, count)
    {
        json_int_t before = json_integer_value(json_object_get(sum, name));
        fine = fine && report_set(sum, name, json_integer(before + json_integer_value(count)));
    }
    json_decref(counts);
    return fine;
}

static bool add_function(struct function *function, json_t **loops, json_t *counts)
{
    bool fine = split_blocks(function);
    for (int b = 0; fine && b < function->count; b++)
        read_targets(function, &function->blocks[b]);
    if (fine && function->count) {
        list_loops(function, loops);
        fine = *loops && add_counts(counts, operations(function, -1));
    }
    free(function->blocks);
    return fine;
}

bool report_llvm(json_t *report, const char *kernel, const char *llvm)
{
    struct function function;
    json_t *loops = json_array(), *counts = json_object();
    bool fine = loops && counts;
    for (const char *at = llvm; fine && next_function(at, kernel, &function); at = function.end)
        fine = add_function(&function, &loops, counts);
    if (fine) {
        bool set =
            report_set(report, "loops", loops); /* both take what they are given, in any case */
        return report_set(report, "operations", counts) && set;
    }
    json_decref(loops);
    json_decref(counts);
    return false;
}
