/* SPDX-License-Identifier: MIT
 * Reconvergence. Lanes of a wave run one by one and stop at wave operations; which of them then take part together is
 * decided by keys (abi/thread.h): for each loop around the operation its position and the iteration, then the position of
 * the operation. Positions are numbers in reverse post-order, so they grow along every path; the runner serves the
 * smallest key first. Lanes that took different ways to the same place thus meet there, and no lane of a loop starts an
 * iteration before the others are done with the one before.
 *
 * A loop's region is its natural loop plus the blocks that only a break leads to (`if (c) { wave op; break; }`): their lanes
 * belong to the iteration in which they left. The main exit is the one from the latch, else from the header, else the last
 * in order; what is reachable from there is behind the loop. */
#include <stdlib.h>
#include <string.h>

#include "jit/compile.h"

struct converge_loop {
    uint32_t header;
    int32_t parent;       /* index of the enclosing loop, -1: none */
    uint32_t block_count; /* of the natural loop */
    uint8_t *natural;     /* per block: 1 = in the natural loop */
    uint8_t *region;      /* per block: 1 = in the region */
    uint32_t position;
    bool has_site;
    LLVMValueRef counter; /* iterations since the loop was entered */
};

struct converge {
    struct jit_unit *unit;
    struct flow flow;
    struct converge_loop *loops; /* outer loops first */
    uint32_t loop_count;
    int32_t *innermost; /* per block: index of the innermost loop region, -1: none */
    uint32_t *work;     /* per block */
};

/* --- loops --------------------------------------------------------------------------------------------------- */

static void converge_add_body(struct converge *c, struct converge_loop *loop, uint32_t latch)
{
    uint32_t count = 0;
    if (!loop->natural[latch]) {
        loop->natural[latch] = 1;
        loop->block_count++;
        c->work[count++] = latch;
    }
    while (count) {
        const struct flow_block *block = &c->flow.blocks[c->work[--count]];
        for (uint32_t p = 0; p < block->predecessor_count; p++) {
            uint32_t predecessor = block->predecessors[p];
            if (loop->natural[predecessor])
                continue;
            loop->natural[predecessor] = 1;
            loop->block_count++;
            c->work[count++] = predecessor;
        }
    }
}

static bool converge_is_back_edge(const struct converge *c, uint32_t from, uint32_t to)
{
    return to <= from && flow_dominates(&c->flow, to, from);
}

static enum status converge_find_loops(struct converge *c)
{
    uint32_t count = c->flow.count;
    for (uint32_t header = 0; header < count; header++) {
        struct converge_loop *loop = NULL;
        const struct flow_block *block = &c->flow.blocks[header];
        for (uint32_t p = 0; p < block->predecessor_count; p++) {
            if (!converge_is_back_edge(c, block->predecessors[p], header))
                continue;
            if (!loop) {
                loop = &c->loops[c->loop_count++];
                *loop = (struct converge_loop){.header = header, .parent = -1, .block_count = 1};
                loop->natural = calloc(count, 1);
                loop->region = calloc(count, 1);
                if (!loop->natural || !loop->region)
                    return STATUS_OUT_OF_MEMORY;
                loop->natural[header] = 1;
            }
            converge_add_body(c, loop, block->predecessors[p]);
        }
    }
    return STATUS_OK;
}

static int converge_compare_loops(const void *a, const void *b)
{
    const struct converge_loop *x = a, *y = b;
    if (x->block_count != y->block_count)
        return x->block_count > y->block_count ? -1 : 1;
    return x->header < y->header ? -1 : x->header > y->header;
}

/* Marks everything that forward edges reach from block, block included. */
static void converge_mark_reachable(struct converge *c, uint32_t block, uint8_t *marks)
{
    uint32_t count = 0;
    if (!marks[block]) {
        marks[block] = 1;
        c->work[count++] = block;
    }
    while (count) {
        uint32_t at = c->work[--count];
        for (uint32_t s = 0; s < c->flow.blocks[at].successor_count; s++) {
            uint32_t successor = c->flow.blocks[at].successors[s];
            if (marks[successor] || converge_is_back_edge(c, at, successor))
                continue;
            marks[successor] = 1;
            c->work[count++] = successor;
        }
    }
}

/* Target of the edge by which the loop is left when it simply ends; UINT32_MAX: it has no end. */
static uint32_t converge_main_exit(const struct converge *c, const struct converge_loop *loop)
{
    uint32_t exit = UINT32_MAX, rank = 0;
    for (uint32_t b = 0; b < c->flow.count; b++) {
        const struct flow_block *block = &c->flow.blocks[b];
        bool is_latch = false;
        for (uint32_t s = 0; loop->natural[b] && s < block->successor_count; s++)
            is_latch |= block->successors[s] == loop->header;
        for (uint32_t s = 0; loop->natural[b] && s < block->successor_count; s++) {
            uint32_t target = block->successors[s];
            uint32_t target_rank = is_latch ? 3 : b == loop->header ? 2 : 1;
            if (loop->natural[target])
                continue;
            if (target_rank > rank || (target_rank == rank && target > exit)) {
                rank = target_rank;
                exit = target;
            }
        }
    }
    return exit;
}

static enum status converge_find_region(struct converge *c, struct converge_loop *loop)
{
    uint32_t count = c->flow.count, exit = converge_main_exit(c, loop);
    uint8_t *behind = calloc(count, 1), *left = calloc(count, 1);
    if (behind && left) {
        if (exit != UINT32_MAX)
            converge_mark_reachable(c, exit, behind);
        for (uint32_t b = 0; b < count; b++)
            for (uint32_t s = 0; loop->natural[b] && s < c->flow.blocks[b].successor_count; s++) {
                uint32_t target = c->flow.blocks[b].successors[s];
                if (!loop->natural[target] && target != exit)
                    converge_mark_reachable(c, target, left);
            }
        for (uint32_t b = 0; b < count; b++)
            loop->region[b] =
                loop->natural[b] || (left[b] && !behind[b] && flow_dominates(&c->flow, loop->header, b));
    }
    bool good = behind && left;
    free(behind);
    free(left);
    return good ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

/* Outer loops come first; a region never leaves the region around it. */
static enum status converge_nest(struct converge *c)
{
    qsort(c->loops, c->loop_count, sizeof(*c->loops), converge_compare_loops);
    for (uint32_t b = 0; b < c->flow.count; b++)
        c->innermost[b] = -1;
    for (uint32_t l = 0; l < c->loop_count; l++) {
        struct converge_loop *loop = &c->loops[l];
        loop->parent = c->innermost[loop->header];
        RETURN_IF_FAILED(converge_find_region(c, loop));
        for (uint32_t b = 0; b < c->flow.count; b++) {
            if (loop->parent >= 0 && !c->loops[loop->parent].region[b])
                loop->region[b] = 0;
            if (loop->region[b])
                c->innermost[b] = (int32_t)l;
        }
    }
    return STATUS_OK;
}

/* --- sites --------------------------------------------------------------------------------------------------- */

static bool converge_is_site(LLVMValueRef instruction)
{
    return LLVMIsACallInst(instruction) &&
           !strcmp(LLVMGetValueName(LLVMGetCalledValue(instruction)), "jit_wave_operate");
}

static void converge_mark_loops(struct converge *c)
{
    for (uint32_t b = 0; b < c->flow.count; b++)
        IR_FOR_EACH_INSTRUCTION(instruction, c->flow.blocks[b].block)
            if (converge_is_site(instruction))
                for (int32_t l = c->innermost[b]; l >= 0; l = c->loops[l].parent)
                    c->loops[l].has_site = true;
}

/* The counter counts up at the header and starts at 0 on every way into the loop. */
static void converge_count_iterations(struct converge *c, struct converge_loop *loop)
{
    struct jit_unit *unit = c->unit;
    const struct flow_block *header = &c->flow.blocks[loop->header];
    loop->counter = ir_alloca(unit, unit->entry, ir_i32(unit), 4, "iteration");
    for (uint32_t p = 0; p < header->predecessor_count; p++) {
        uint32_t predecessor = header->predecessors[p];
        if (loop->natural[predecessor])
            continue;
        LLVMPositionBuilderBefore(unit->builder, LLVMGetBasicBlockTerminator(c->flow.blocks[predecessor].block));
        LLVMBuildStore(unit->builder, ir_u32(unit, 0), loop->counter);
    }
    LLVMValueRef first = LLVMGetFirstInstruction(header->block);
    while (LLVMIsAPHINode(first))
        first = LLVMGetNextInstruction(first);
    LLVMPositionBuilderBefore(unit->builder, first);
    LLVMValueRef count = LLVMBuildLoad2(unit->builder, ir_i32(unit), loop->counter, "");
    LLVMBuildStore(unit->builder, LLVMBuildAdd(unit->builder, count, ir_u32(unit, 1), ""), loop->counter);
}

static void converge_store_word(struct jit_unit *unit, LLVMValueRef lane, uint32_t word, LLVMValueRef value)
{
    uint64_t offset = offsetof(struct abi_wave_lane, key) + word * sizeof(uint32_t);
    LLVMBuildStore(unit->builder, value, ir_offset(unit, lane, offset));
}

static void converge_write_key(struct converge *c, LLVMValueRef site, uint32_t block, uint32_t position)
{
    struct jit_unit *unit = c->unit;
    LLVMValueRef lane = LLVMGetOperand(site, 2);
    int32_t nest[ABI_WAVE_KEY_WORDS / 2];
    uint32_t depth = 0, words = 0;
    for (int32_t l = c->innermost[block]; l >= 0; l = c->loops[l].parent)
        depth++;
    uint32_t kept = depth < ARRAY_COUNT(nest) ? depth : ARRAY_COUNT(nest), level = depth;
    for (int32_t l = c->innermost[block]; l >= 0; l = c->loops[l].parent)
        if (--level < kept)
            nest[level] = l;
    LLVMPositionBuilderBefore(unit->builder, site);
    for (uint32_t i = 0; i < kept; i++) {
        struct converge_loop *loop = &c->loops[nest[i]];
        converge_store_word(unit, lane, words++, ir_u32(unit, loop->position));
        converge_store_word(unit, lane, words++, LLVMBuildLoad2(unit->builder, ir_i32(unit), loop->counter, ""));
    }
    converge_store_word(unit, lane, words++, ir_u32(unit, position));
    LLVMBuildStore(unit->builder, ir_u32(unit, words),
                   ir_offset(unit, lane, offsetof(struct abi_wave_lane, key_word_count)));
}

static void converge_write_keys(struct converge *c)
{
    uint32_t position = 0;
    for (uint32_t l = 0; l < c->loop_count; l++)
        if (c->loops[l].has_site)
            converge_count_iterations(c, &c->loops[l]);
    for (uint32_t b = 0; b < c->flow.count; b++) {
        for (uint32_t l = 0; l < c->loop_count; l++)
            if (c->loops[l].header == b)
                c->loops[l].position = ++position;
        IR_FOR_EACH_INSTRUCTION(instruction, c->flow.blocks[b].block)
            if (converge_is_site(instruction))
                converge_write_key(c, instruction, b, ++position);
    }
}

enum status jit_add_convergence_keys(struct jit_unit *unit)
{
    struct converge c = {.unit = unit};
    enum status status = flow_create(unit->entry, &c.flow);
    if (status == STATUS_OK) {
        c.loops = calloc(c.flow.count, sizeof(*c.loops));
        c.innermost = calloc(c.flow.count, sizeof(*c.innermost));
        c.work = calloc(c.flow.count, sizeof(*c.work));
        status = c.loops && c.innermost && c.work ? converge_find_loops(&c) : STATUS_OUT_OF_MEMORY;
    }
    if (status == STATUS_OK)
        status = converge_nest(&c);
    if (status == STATUS_OK) {
        converge_mark_loops(&c);
        converge_write_keys(&c);
    }
    for (uint32_t l = 0; l < c.loop_count; l++) {
        free(c.loops[l].natural);
        free(c.loops[l].region);
    }
    free(c.loops);
    free(c.innermost);
    free(c.work);
    flow_finish(&c.flow);
    return status == STATUS_OK ? STATUS_OK : jit_unit_fail(unit, status, "no memory for its control flow");
}
