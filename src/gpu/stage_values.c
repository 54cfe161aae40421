/*
 * What a staged loop (stage.c) hands from one place of its code to the next: sums, other carried
 * values, slots, fetched fragments. They are the results of its branches and the arguments of its
 * loop, always in one order.
 */
#include "gpu/stage.h"

/* Calls visit for each variable of these kinds, always in the same order. */
static void visit(struct stage *s, int kinds, void (*each)(struct ir_value **place, void *user),
                  void *user)
{
    bool sums = kinds & STAGE_SUMS && !s->form->fed; /* there a trip's products are its own */
    for (int d = 0; sums && d < s->form->form.count; d++) {
        bool again = d > 0 && s->sums[d] == s->sums[d - 1];
        for (int i = 0; !again && i < s->products[d].rows * s->products[d].columns; i++)
            each(&s->sums[d][i], user);
    }
    for (size_t i = 0; kinds & STAGE_CARRIED && i < s->carried.count; i++)
        each(&s->carried.items[i], user);
    for (int b = 0; kinds & STAGE_SLOTS && b < s->pipeline->buffer_count; b++) {
        for (int i = 0; i < gpu_buffer_slots(s->pipeline, &s->pipeline->buffers[b]); i++)
            each(&s->slots[b][i], user);
    }
    bool fetched = kinds & STAGE_FETCHED && s->pipeline->fetches;
    for (int i = 0; fetched && i < s->products[0].rows; i++)
        each(&s->fetched.rows[i], user);
    for (int i = 0; fetched && i < s->products[0].columns; i++)
        each(&s->fetched.columns[i], user);
}

struct collector {
    struct arena *arena;
    struct gpu_value_list *list;
};

static void collect_one(struct ir_value **place, void *user)
{
    struct collector *c = user;
    ARENA_PUSH(c->arena, c->list, *place);
}

void gpu_stage_collect(struct stage *s, struct gpu_value_list *list, int kinds)
{
    struct collector c = {s->l->arena, list};
    visit(s, kinds, collect_one, &c);
}

static void replace_one(struct ir_value **place, void *user)
{
    struct ir_value *const **next = user;
    *place = *(*next)++;
}

void gpu_stage_replace(struct stage *s, struct ir_value *const *values, int kinds)
{
    visit(s, kinds, replace_one, &values);
}

struct ir_type *gpu_stage_types(struct stage *s, const struct gpu_value_list *list)
{
    struct ir_type *types = ARENA_ARRAY(s->l->arena, struct ir_type, list->count + 1);
    for (size_t i = 0; i < list->count; i++)
        types[i] = list->items[i]->type;
    return types;
}

void gpu_stage_yield(struct stage *s, int kinds)
{
    struct gpu_value_list list = {0};
    gpu_stage_collect(s, &list, kinds);
    ir_build(&s->l->b, IR_OP_YIELD, (int)list.count, list.items, 0, NULL, 0, NULL);
}

void gpu_stage_if(struct stage *s, struct ir_value *condition, int kinds,
                  void (*body)(struct stage *s, const void *user), const void *user)
{
    struct lowering *l = s->l;
    struct gpu_value_list list = {0};
    gpu_stage_collect(s, &list, kinds);
    struct ir_type *types = gpu_stage_types(s, &list);
    struct ir_op *branch =
        ir_build(&l->b, IR_OP_IF, 1, &condition, (int)list.count, types, 2, NULL);
    struct ir_builder outside = l->b;
    l->b.before = NULL;
    l->b.region = branch->regions[1];
    ir_build(&l->b, IR_OP_YIELD, (int)list.count, list.items, 0, NULL, 0, NULL);
    l->b.region = branch->regions[0];
    body(s, user);
    gpu_stage_yield(s, kinds);
    l->b = outside;
    gpu_stage_replace(s, branch->results, kinds);
}
