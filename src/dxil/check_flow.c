/* SPDX-License-Identifier: MIT
 * What needs a whole body: phis against predecessors, and that every value is computed before it is used on every way
 * there. Dominators by the algorithm of Lengauer and Tarjan (1979) in its simple form, O(edges log blocks), iterative.
 * See function.h. */
#include <stdlib.h>
#include <string.h>

#include "dxil/function.h"

struct flow {
    struct ir_body *b;
    uint32_t *predecessors;      /* all lists, one after the other */
    uint32_t *first_predecessor; /* block_count + 1 entries */
    uint32_t *order;             /* depth-first number to block */
    uint32_t *number;            /* block to depth-first number, IR_NONE: unreachable */
    uint32_t reached_count;
    /* By depth-first number. */
    uint32_t *parent, *semi, *dominator, *ancestor, *label, *bucket_head, *bucket_next;
    uint32_t *stack;
    /* By block: interval in the dominator tree. */
    uint32_t *tree_in, *tree_out;
};

static uint32_t *allocate_numbers(struct ir_body *b, size_t count)
{
    return reader_allocate(b->r, &b->r->scratch, count, sizeof(uint32_t));
}

static bool allocate_flow(struct flow *f)
{
    struct ir_body *b = f->b;
    size_t count = b->block_count;
    uint32_t **arrays[] = {&f->order,     &f->number, &f->parent,      &f->semi,        &f->dominator, &f->ancestor,
                           &f->label,     &f->stack,  &f->bucket_head, &f->bucket_next, &f->tree_in,   &f->tree_out};
    for (size_t i = 0; i < ARRAY_COUNT(arrays); i++) {
        *arrays[i] = allocate_numbers(b, count);
        if (!*arrays[i])
            return false;
    }
    f->first_predecessor = allocate_numbers(b, count + 1);
    f->predecessors = allocate_numbers(b, b->successor_count);
    return f->first_predecessor && f->predecessors;
}

static void collect_predecessors(struct flow *f)
{
    struct ir_body *b = f->b;
    for (size_t i = 0; i < b->successor_count; i++)
        f->first_predecessor[b->successors[i] + 1]++;
    for (uint32_t i = 0; i < b->block_count; i++)
        f->first_predecessor[i + 1] += f->first_predecessor[i];
    uint32_t *fill = f->stack; /* not in use yet */
    memcpy(fill, f->first_predecessor, b->block_count * sizeof(*fill));
    for (uint32_t i = 0; i < b->block_count; i++)
        for (uint32_t k = 0; k < b->blocks[i].successor_count; k++)
            f->predecessors[fill[b->successors[b->blocks[i].successor_index + k]]++] = i;
}

/* Depth-first numbering from block 0. semi holds the next successor to visit while a block is on the stack. */
static void number_blocks(struct flow *f)
{
    struct ir_body *b = f->b;
    memset(f->number, 0xff, b->block_count * sizeof(*f->number));
    uint32_t depth = 0;
    uint32_t *next = f->semi;
    f->stack[depth++] = 0;
    f->number[0] = 0;
    f->order[f->reached_count++] = 0;
    f->parent[0] = IR_NONE;
    while (depth) {
        uint32_t block = f->stack[depth - 1];
        const struct ir_block *info = &b->blocks[block];
        if (next[block] == info->successor_count) {
            depth--;
            continue;
        }
        uint32_t successor = b->successors[info->successor_index + next[block]++];
        if (f->number[successor] != IR_NONE)
            continue;
        f->number[successor] = f->reached_count;
        f->parent[f->reached_count] = f->number[block];
        f->order[f->reached_count++] = successor;
        f->stack[depth++] = successor;
    }
}

/* Label with the smallest semidominator on the way to the root of v's tree; compresses the way. */
static uint32_t evaluate(struct flow *f, uint32_t v)
{
    if (f->ancestor[v] == IR_NONE)
        return v;
    uint32_t depth = 0, u = v;
    while (f->ancestor[f->ancestor[u]] != IR_NONE) {
        f->stack[depth++] = u;
        u = f->ancestor[u];
    }
    while (depth) {
        u = f->stack[--depth];
        uint32_t above = f->ancestor[u];
        if (f->semi[f->label[above]] < f->semi[f->label[u]])
            f->label[u] = f->label[above];
        f->ancestor[u] = f->ancestor[above];
    }
    return f->label[v];
}

static void compute_semidominator(struct flow *f, uint32_t w)
{
    uint32_t block = f->order[w];
    for (uint32_t i = f->first_predecessor[block]; i < f->first_predecessor[block + 1]; i++) {
        uint32_t v = f->number[f->predecessors[i]];
        if (v == IR_NONE)
            continue;
        uint32_t u = evaluate(f, v);
        if (f->semi[u] < f->semi[w])
            f->semi[w] = f->semi[u];
    }
    f->bucket_next[w] = f->bucket_head[f->semi[w]];
    f->bucket_head[f->semi[w]] = w;
}

static void compute_dominators(struct flow *f)
{
    for (uint32_t i = 0; i < f->reached_count; i++) {
        f->semi[i] = f->label[i] = i;
        f->ancestor[i] = f->bucket_head[i] = f->bucket_next[i] = IR_NONE;
    }
    for (uint32_t w = f->reached_count - 1; w > 0 && w != IR_NONE; w--) {
        compute_semidominator(f, w);
        uint32_t p = f->parent[w];
        f->ancestor[w] = p;
        for (uint32_t v = f->bucket_head[p]; v != IR_NONE; v = f->bucket_next[v]) {
            uint32_t u = evaluate(f, v);
            f->dominator[v] = f->semi[u] < f->semi[v] ? u : p;
        }
        f->bucket_head[p] = IR_NONE;
    }
    f->dominator[0] = 0;
    for (uint32_t w = 1; w < f->reached_count; w++)
        if (f->dominator[w] != f->semi[w])
            f->dominator[w] = f->dominator[f->dominator[w]];
}

/* Number the dominator tree: tree_in/tree_out intervals contain those of the dominated blocks. Children are chained
 * through bucket_head / bucket_next, which are free by now. */
static void number_tree(struct flow *f)
{
    for (uint32_t w = 0; w < f->reached_count; w++)
        f->bucket_head[w] = f->bucket_next[w] = IR_NONE;
    for (uint32_t w = f->reached_count - 1; w > 0 && w != IR_NONE; w--) {
        f->bucket_next[w] = f->bucket_head[f->dominator[w]];
        f->bucket_head[f->dominator[w]] = w;
    }
    uint32_t clock = 0, depth = 0;
    f->stack[depth++] = 0;
    f->tree_in[f->order[0]] = clock++;
    while (depth) {
        uint32_t w = f->stack[depth - 1], child = f->bucket_head[w];
        if (child == IR_NONE) {
            f->tree_out[f->order[w]] = clock++;
            depth--;
            continue;
        }
        f->bucket_head[w] = f->bucket_next[child];
        f->tree_in[f->order[child]] = clock++;
        f->stack[depth++] = child;
    }
}

static bool reachable(const struct flow *f, uint32_t block)
{
    return f->number[block] != IR_NONE;
}

static bool dominates(const struct flow *f, uint32_t above, uint32_t below)
{
    return f->tree_in[above] <= f->tree_in[below] && f->tree_out[below] <= f->tree_out[above];
}

/* Is value id available in front of instruction index of block? */
static bool available(const struct flow *f, uint32_t id, uint32_t index, uint32_t block)
{
    const struct ir_body *b = f->b;
    const struct ir_value *value = &b->r->values[id];
    if (value->kind != IR_VALUE_INSTRUCTION || !reachable(f, block))
        return true;
    uint32_t definition = b->instructions[value->index].block;
    if (definition == block)
        return value->index < index;
    return reachable(f, definition) && dominates(f, definition, block);
}

struct incoming {
    uint32_t block, value;
};

static int compare_incoming(const void *a, const void *b)
{
    const struct incoming *left = a, *right = b;
    if (left->block != right->block)
        return left->block < right->block ? -1 : 1;
    return left->value < right->value ? -1 : left->value > right->value;
}

/* One entry for each edge into the block, equal ones for equal blocks, each value available at the end of its block. The
 * predecessor lists are in ascending order. */
static bool check_phi(const struct flow *f, const struct ir_instruction *phi)
{
    struct ir_body *b = f->b;
    uint32_t count = phi->operand_count / 2, first = f->first_predecessor[phi->block];
    if (count != f->first_predecessor[phi->block + 1] - first)
        return body_corrupt(b, "phi in block %u does not have an entry for every way there", phi->block);
    struct incoming *entries = reader_allocate(b->r, &b->r->scratch, count, sizeof(*entries));
    if (!entries)
        return false;
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (struct incoming){b->operands[phi->operand_index + 2 * i + 1], b->operands[phi->operand_index + 2 * i]};
    qsort(entries, count, sizeof(*entries), compare_incoming);
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].block != f->predecessors[first + i])
            return body_corrupt(b, "phi in block %u names a block that does not lead there", phi->block);
        if (i && entries[i - 1].block == entries[i].block && entries[i - 1].value != entries[i].value)
            return body_corrupt(b, "phi in block %u has two values for one block", phi->block);
        if (!available(f, entries[i].value, IR_NONE, entries[i].block))
            return body_corrupt(b, "phi in block %u takes a value that is not computed on that way", phi->block);
    }
    return true;
}

static bool check_uses(const struct flow *f)
{
    struct ir_body *b = f->b;
    for (uint32_t i = 0; i < b->instruction_count; i++) {
        const struct ir_instruction *instruction = &b->instructions[i];
        if (instruction->code == CODE_PHI) {
            if (!check_phi(f, instruction))
                return false;
            continue;
        }
        for (uint32_t k = 0; k < instruction->operand_count; k++)
            if (!available(f, b->operands[instruction->operand_index + k], i, instruction->block))
                return body_corrupt(b, "block %u uses value %u, which is not computed on every way there",
                                    instruction->block, b->operands[instruction->operand_index + k]);
    }
    return true;
}

bool body_check_flow(struct ir_body *b)
{
    struct flow flow = {.b = b};
    if (!allocate_flow(&flow))
        return false;
    collect_predecessors(&flow);
    number_blocks(&flow);
    compute_dominators(&flow);
    number_tree(&flow);
    return check_uses(&flow);
}
