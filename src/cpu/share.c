/*
 * Tiles that share scratch memory: from the code to lives.c, and back.
 *
 * While a kernel's code is made each buffer has a place of its own, and it is noted which steps use
 * it: every pointer to a buffer is made in the step that uses it (cpu_buffer_pointer, cpu_buffer_
 * target). When all code is there, places are assigned, verified, and put into the pointers.
 *
 * LLVM learns nothing that this makes untrue. Scratch memory as a whole is apart from the arrays
 * (noalias); within it there are only offsets from one pointer, by which LLVM sees what shares its
 * place, and nothing says that two buffers were apart, or when one is dead.
 *
 * Where stores run one program behind (behind.c) tiles outlive the round, and keep their places.
 *
 * Tests let what is dead be spoilt (options->spoils): bytes of 0xff, which are NaN in every type of
 * floats, as soon as no step wants the tile any more.
 */
#include "cpu/share.h"

struct place { /* a pointer to a buffer's start */
    LLVMValueRef pointer;
    int tile;
};

struct moment { /* where it begins */
    LLVMBasicBlockRef block;
    LLVMValueRef after; /* this instruction; NULL: it begins the block */
};

struct cpu_share {
    struct cpu_lives *lives;
    struct {
        struct place *items;
        size_t count, capacity;
    } places;
    struct {
        struct moment *items;
        size_t count, capacity;
    } moments;
};

static void note_moment(struct cpu_emit *e)
{
    LLVMBasicBlockRef block = LLVMGetInsertBlock(e->builder);
    struct moment moment = {block, LLVMGetLastInstruction(block)};
    if (e->options->spoils)
        ARENA_PUSH(e->arena, &e->share->moments, moment);
}

void cpu_share_begin(struct cpu_emit *e)
{
    e->share = ARENA_NEW(e->arena, struct cpu_share);
    e->share->lives = cpu_lives_new(e->arena);
    note_moment(e);
}

void cpu_share_mark(struct cpu_emit *e, enum cpu_mark mark)
{
    if (!e->share)
        return;
    cpu_lives_mark(e->share->lives, mark);
    note_moment(e);
}

int cpu_share_add(struct cpu_emit *e, int64_t bytes)
{
    return e->share ? cpu_lives_add(e->share->lives, bytes) : 0;
}

void cpu_share_use(struct cpu_emit *e, const struct cpu_buffer *buffer, LLVMValueRef pointer,
                   bool writes)
{
    if (!e->share)
        return;
    cpu_lives_use(e->share->lives, buffer->tile, writes);
    ARENA_PUSH(e->arena, &e->share->places, ((struct place){pointer, buffer->tile}));
}

static void go_to(struct cpu_emit *e, const struct moment *moment)
{
    LLVMValueRef next = moment->after ? LLVMGetNextInstruction(moment->after)
                                      : LLVMGetFirstInstruction(moment->block);
    while (next && LLVMGetInstructionOpcode(next) == LLVMPHI)
        next = LLVMGetNextInstruction(next);
    if (next)
        LLVMPositionBuilderBefore(e->builder, next);
    else
        LLVMPositionBuilderAtEnd(e->builder, moment->block);
}

static void spoil_dead(struct cpu_emit *e)
{
    struct cpu_share *share = e->share;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->builder);
    for (size_t i = 0; i < share->lives->tiles.count; i++) {
        const struct cpu_life *life = &share->lives->tiles.items[i];
        size_t dead = (size_t)life->last + 1;
        if (life->first < 0 || dead >= share->moments.count)
            continue;
        go_to(e, &share->moments.items[dead]);
        LLVMValueRef offset = cpu_i64(e, life->offset);
        LLVMValueRef place = LLVMBuildGEP2(e->builder, e->i8, e->scratch, &offset, 1, "");
        LLVMBuildMemSet(e->builder, place, LLVMConstInt(e->i8, 0xff, false),
                        cpu_i64(e, life->bytes), 64);
    }
    LLVMPositionBuilderAtEnd(e->builder, here);
}

void cpu_share_end(struct cpu_emit *e, bool share)
{
    struct cpu_share *s = e->share;
    if (share && !e->failed) {
        e->scratch_bytes = cpu_lives_share(s->lives);
        for (size_t i = 0; i < s->places.count; i++) {
            const struct cpu_life *life = &s->lives->tiles.items[s->places.items[i].tile];
            LLVMSetOperand(s->places.items[i].pointer, 1, cpu_i64(e, life->offset));
        }
        if (e->options->spoils)
            spoil_dead(e);
        if (!cpu_lives_verify(s->lives))
            cpu_error(e, NULL,
                      "internal error: the CPU backend let a tile take the place in scratch "
                      "memory of one that is still wanted");
    }
    e->share = NULL;
}
