/* SPDX-License-Identifier: MIT
 * Who calls what: operations and functions that each body uses, gathered while it is read; afterwards the checks over the
 * whole call graph: no recursion, every operation allowed in the kinds of shader that reach it. See reader.h. */
#include <stdlib.h>
#include <string.h>

#include "dxil/reader.h"

/* Lists of the function being read; a stamp tells which operations and functions are in them already. */
struct ir_notes {
    uint32_t *op_stamps, *callee_stamps; /* by row of the operation table, by function */
    const struct dxil_op **ops;
    uint32_t *callees;
    uint32_t op_count, callee_count;
    uint32_t stamp;
};

static bool notes_ready(struct ir_reader *r)
{
    if (r->notes)
        return true;
    struct ir_notes *notes = reader_allocate(r, &r->arena, 1, sizeof(*notes));
    if (!notes)
        return false;
    notes->op_stamps = reader_allocate(r, &r->arena, dxil_op_count(), sizeof(uint32_t));
    notes->callee_stamps = reader_allocate(r, &r->arena, r->function_count, sizeof(uint32_t));
    notes->ops = reader_allocate(r, &r->arena, dxil_op_count(), sizeof(*notes->ops));
    notes->callees = reader_allocate(r, &r->arena, r->function_count, sizeof(uint32_t));
    notes->stamp = 1;
    if (!notes->op_stamps || !notes->callee_stamps || !notes->ops || !notes->callees)
        return false;
    r->notes = notes;
    return true;
}

bool reader_note_call(struct ir_reader *r, const struct ir_function *caller, const struct ir_function *callee)
{
    (void)caller;
    if (!notes_ready(r))
        return false;
    uint32_t index = (uint32_t)(callee - r->functions);
    if (r->notes->callee_stamps[index] == r->notes->stamp)
        return true;
    r->notes->callee_stamps[index] = r->notes->stamp;
    r->notes->callees[r->notes->callee_count++] = callee->listed;
    return true;
}

bool reader_note_op(struct ir_reader *r, const struct ir_function *caller, const struct dxil_op *op)
{
    (void)caller;
    if (!notes_ready(r))
        return false;
    size_t row = (size_t)(op - dxil_op_at(0));
    if (r->notes->op_stamps[row] == r->notes->stamp)
        return true;
    r->notes->op_stamps[row] = r->notes->stamp;
    r->notes->ops[r->notes->op_count++] = op;
    return true;
}

static int compare_ops(const void *a, const void *b)
{
    const struct dxil_op *left = *(const struct dxil_op *const *)a, *right = *(const struct dxil_op *const *)b;
    return left->number < right->number ? -1 : left->number > right->number;
}

bool reader_end_notes(struct ir_reader *r, const struct ir_function *function)
{
    if (!notes_ready(r))
        return false;
    struct ir_notes *notes = r->notes;
    struct dxil_function *described = (struct dxil_function *)&r->module->functions[function->listed];
    const struct dxil_op **ops = reader_allocate(r, r->output, notes->op_count, sizeof(*ops));
    uint32_t *callees = reader_allocate(r, r->output, notes->callee_count, sizeof(*callees));
    if (!ops || !callees)
        return false;
    qsort(notes->ops, notes->op_count, sizeof(*ops), compare_ops);
    memcpy(ops, notes->ops, notes->op_count * sizeof(*ops));
    memcpy(callees, notes->callees, notes->callee_count * sizeof(*callees));
    described->ops = ops;
    described->op_count = notes->op_count;
    described->callees = callees;
    described->callee_count = notes->callee_count;
    notes->op_count = notes->callee_count = 0;
    notes->stamp++;
    return true;
}

struct call_step {
    uint32_t function, next_callee;
};

struct call_walk {
    struct ir_reader *r;
    uint8_t *state; /* 0 not seen, 1 on the path, 2 done */
    uint32_t *stages; /* of all that a function reaches, by function */
    struct call_step *path;
    uint32_t depth;
};

static uint32_t own_stages(const struct dxil_function *function)
{
    uint32_t stages = UINT32_MAX;
    for (uint32_t i = 0; i < function->op_count; i++)
        stages &= function->ops[i]->stages_mask;
    return stages;
}

static void push(struct call_walk *w, uint32_t function)
{
    w->state[function] = 1;
    w->stages[function] = own_stages(&w->r->module->functions[function]);
    w->path[w->depth++] = (struct call_step){function, 0};
}

/* Depth-first over calls: a call back into the path is recursion; stages meet on the way back. */
static bool walk_calls(struct call_walk *w, uint32_t start)
{
    const struct dxil_function *functions = w->r->module->functions;
    push(w, start);
    while (w->depth) {
        struct call_step *step = &w->path[w->depth - 1];
        const struct dxil_function *function = &functions[step->function];
        if (step->next_callee == function->callee_count) {
            w->state[step->function] = 2;
            w->depth--;
            if (w->depth)
                w->stages[w->path[w->depth - 1].function] &= w->stages[step->function];
            continue;
        }
        uint32_t callee = function->callees[step->next_callee++];
        if (w->state[callee] == 1)
            return reader_fail(w->r, STATUS_INVALID, "function %s calls itself through %s: DXIL has no recursion",
                               functions[callee].plain_name, function->plain_name);
        if (w->state[callee] == 2)
            w->stages[step->function] &= w->stages[callee];
        else
            push(w, callee);
    }
    return true;
}

/* The first operation, in call order, that keeps a shader of this kind from reaching it. */
static const struct dxil_op *find_offender(const struct call_walk *w, uint32_t function, uint32_t bit)
{
    const struct dxil_function *functions = w->r->module->functions;
    for (uint32_t guard = 0; guard < w->r->module->function_count; guard++) {
        const struct dxil_function *f = &functions[function];
        for (uint32_t i = 0; i < f->op_count; i++)
            if (!(f->ops[i]->stages_mask & bit))
                return f->ops[i];
        for (uint32_t i = 0; i < f->callee_count; i++)
            if (!(w->stages[f->callees[i]] & bit))
                function = f->callees[i];
    }
    return NULL;
}

static bool check_stages(const struct call_walk *w, uint32_t index)
{
    const struct dxil_function *function = &w->r->module->functions[index];
    uint32_t bit = 1u << function->kind;
    /* Other functions are judged by the entry points that reach them; jit does so across libraries. */
    if (!function->is_entry || w->stages[index] & bit)
        return true;
    const struct dxil_op *op = find_offender(w, index, bit);
    return reader_fail(w->r, STATUS_INVALID, "%s shader %s uses %s (opcode %u), which its kind does not allow",
                       dxil_shader_kind_name(function->kind), function->plain_name, op ? op->name : "an operation",
                       op ? op->number : 0);
}

static bool check_imports(struct ir_reader *r)
{
    const struct dxil_module *module = r->module;
    if (module->shader_kind == DXIL_SHADER_KIND_LIBRARY)
        return true;
    for (uint32_t i = 0; i < module->function_count; i++)
        if (!module->functions[i].defined)
            return reader_fail(r, STATUS_INVALID, "compute shader calls %s, which it does not define",
                               module->functions[i].plain_name);
    return true;
}

bool reader_check_program(struct ir_reader *r)
{
    uint32_t count = r->module->function_count;
    struct call_walk walk = {
        .r = r,
        .state = reader_allocate(r, &r->arena, count, 1),
        .stages = reader_allocate(r, &r->arena, count, sizeof(uint32_t)),
        .path = reader_allocate(r, &r->arena, count, sizeof(struct call_step)),
    };
    if (!walk.state || !walk.stages || !walk.path)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (walk.state[i] == 0 && !walk_calls(&walk, i))
            return false;
    for (uint32_t i = 0; i < count; i++)
        if (!check_stages(&walk, i))
            return false;
    return check_imports(r);
}
