/* SPDX-License-Identifier: MIT
 * Control flow graph with dominators, read by converge.c and by the abort polls of emit.c. Dominators by the iterative
 * method of Cooper, Harvey and Kennedy. */
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"

struct flow_entry {
    LLVMBasicBlockRef block;
    uint32_t index; /* in reverse post-order */
    uint32_t state; /* 0 new, 1 seen */
};

struct flow_walk {
    struct flow_entry *entries; /* by address */
    uint32_t count;
    struct { uint32_t entry, next; } *stack;
    uint32_t *order; /* post-order */
    uint32_t ordered;
};

static int flow_compare(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct flow_entry *)a)->block, y = (uintptr_t)((const struct flow_entry *)b)->block;
    return x < y ? -1 : x > y;
}

static struct flow_entry *flow_entry(const struct flow_walk *walk, LLVMBasicBlockRef block)
{
    struct flow_entry key = {.block = block};
    return bsearch(&key, walk->entries, walk->count, sizeof(key), flow_compare);
}

static void flow_walk_blocks(struct flow_walk *walk, LLVMBasicBlockRef first)
{
    uint32_t depth = 0;
    walk->stack[depth].entry = (uint32_t)(flow_entry(walk, first) - walk->entries);
    walk->entries[walk->stack[depth].entry].state = 1;
    walk->stack[depth++].next = 0;
    while (depth) {
        uint32_t at = walk->stack[depth - 1].entry;
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(walk->entries[at].block);
        uint32_t next = walk->stack[depth - 1].next++;
        if (next >= LLVMGetNumSuccessors(terminator)) {
            walk->order[walk->ordered++] = at;
            depth--;
            continue;
        }
        struct flow_entry *successor = flow_entry(walk, LLVMGetSuccessor(terminator, next));
        if (successor->state)
            continue;
        successor->state = 1;
        walk->stack[depth].entry = (uint32_t)(successor - walk->entries);
        walk->stack[depth++].next = 0;
    }
}

static uint32_t flow_count_edges(const struct flow_walk *walk)
{
    uint32_t edges = 0;
    for (uint32_t i = 0; i < walk->ordered; i++)
        edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(walk->entries[walk->order[i]].block));
    return edges;
}

/* Lists of successors and predecessors, all in one array. */
static void flow_link(struct flow *flow, const struct flow_walk *walk)
{
    uint32_t *next = flow->edges;
    for (uint32_t i = 0; i < flow->count; i++) {
        struct flow_block *block = &flow->blocks[i];
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block->block);
        block->successors = next;
        block->successor_count = LLVMGetNumSuccessors(terminator);
        for (uint32_t s = 0; s < block->successor_count; s++) {
            *next = flow_entry(walk, LLVMGetSuccessor(terminator, s))->index;
            flow->blocks[*next++].predecessor_count++;
        }
    }
    for (uint32_t i = 0; i < flow->count; i++) {
        flow->blocks[i].predecessors = next;
        next += flow->blocks[i].predecessor_count;
        flow->blocks[i].predecessor_count = 0;
    }
    for (uint32_t i = 0; i < flow->count; i++)
        for (uint32_t s = 0; s < flow->blocks[i].successor_count; s++) {
            struct flow_block *successor = &flow->blocks[flow->blocks[i].successors[s]];
            successor->predecessors[successor->predecessor_count++] = i;
        }
}

static uint32_t flow_common(const struct flow *flow, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (a > b)
            a = flow->blocks[a].dominator;
        while (b > a)
            b = flow->blocks[b].dominator;
    }
    return a;
}

static void flow_find_dominators(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->count; i++)
        flow->blocks[i].dominator = i ? UINT32_MAX : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < flow->count; i++) {
            uint32_t best = UINT32_MAX;
            for (uint32_t p = 0; p < flow->blocks[i].predecessor_count; p++) {
                uint32_t other = flow->blocks[i].predecessors[p];
                if (flow->blocks[other].dominator != UINT32_MAX)
                    best = best == UINT32_MAX ? other : flow_common(flow, best, other);
            }
            changed |= best != flow->blocks[i].dominator;
            flow->blocks[i].dominator = best;
        }
    }
}

static bool flow_fill(LLVMValueRef function, struct flow *flow, struct flow_walk *walk)
{
    uint32_t i = 0;
    IR_FOR_EACH_BLOCK(block, function)
        walk->entries[i++].block = block;
    qsort(walk->entries, walk->count, sizeof(*walk->entries), flow_compare);
    flow_walk_blocks(walk, LLVMGetEntryBasicBlock(function));
    flow->count = walk->ordered;
    flow->blocks = calloc(flow->count, sizeof(*flow->blocks));
    flow->edges = calloc(2 * (size_t)flow_count_edges(walk) + 1, sizeof(*flow->edges));
    if (!flow->blocks || !flow->edges)
        return false;
    for (i = 0; i < flow->count; i++) {
        struct flow_entry *entry = &walk->entries[walk->order[flow->count - 1 - i]];
        entry->index = i;
        flow->blocks[i].block = entry->block;
    }
    flow_link(flow, walk);
    flow_find_dominators(flow);
    return true;
}

enum status flow_create(LLVMValueRef function, struct flow *flow)
{
    struct flow_walk walk = {.count = LLVMCountBasicBlocks(function)};
    *flow = (struct flow){0};
    walk.entries = calloc(walk.count, sizeof(*walk.entries));
    walk.stack = calloc(walk.count, sizeof(*walk.stack));
    walk.order = calloc(walk.count, sizeof(*walk.order));
    bool good = walk.entries && walk.stack && walk.order && flow_fill(function, flow, &walk);
    free(walk.entries);
    free(walk.stack);
    free(walk.order);
    if (good)
        return STATUS_OK;
    flow_finish(flow);
    return STATUS_OUT_OF_MEMORY;
}

void flow_finish(struct flow *flow)
{
    free(flow->blocks);
    free(flow->edges);
    *flow = (struct flow){0};
}

bool flow_dominates(const struct flow *flow, uint32_t above, uint32_t below)
{
    while (below > above)
        below = flow->blocks[below].dominator;
    return below == above;
}

uint32_t flow_index(const struct flow *flow, LLVMBasicBlockRef block)
{
    uint32_t i = 0;
    while (i < flow->count && flow->blocks[i].block != block)
        i++;
    return i;
}
