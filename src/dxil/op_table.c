/* SPDX-License-Identifier: MIT
 * Look-up in the operation table of op_table.h: binary search by opcode, texts of refusals and shader kinds. */
#include "dxil/op_table.h"

#include <stddef.h>

#include "base/status.h"

#define ROW(number, name, class_name, minor, stages, overloads, signature, support)                          \
    {number, #name, class_name, minor, stages, overloads, signature, DXIL_SUPPORT_##support},
static const struct dxil_op ops[] = {DXIL_OPS(ROW)};
#undef ROW

const struct dxil_op *dxil_op_find(uint32_t number)
{
    uint32_t low = 0, high = ARRAY_COUNT(ops);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ops[middle].number == number)
            return &ops[middle];
        if (ops[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct dxil_op *dxil_op_at(uint32_t index)
{
    return index < ARRAY_COUNT(ops) ? &ops[index] : NULL;
}

uint32_t dxil_op_count(void)
{
    return ARRAY_COUNT(ops);
}

const char *dxil_support_text(enum dxil_support support)
{
    switch (support) {
    case DXIL_SUPPORT_WORKS:
        return NULL;
    case DXIL_SUPPORT_GRAPHICS:
        return "it belongs to the graphics pipeline, which this device does not have";
    case DXIL_SUPPORT_MESH:
        return "mesh and amplification shaders are not supported";
    case DXIL_SUPPORT_WORK_GRAPH:
        return "work graphs are not supported";
    case DXIL_SUPPORT_FEEDBACK:
        return "sampler feedback is not supported";
    case DXIL_SUPPORT_LINEAR_ALGEBRA:
        return "linear algebra operations (shader model 6.10 preview) are not supported";
    }
    return "it is not supported";
}

const char *dxil_shader_kind_name(enum dxil_shader_kind kind)
{
    static const char *const names[] = {
        "pixel",     "vertex",        "geometry",     "hull",   "domain", "compute",
        "library",   "raygeneration", "intersection", "anyhit", "closesthit", "miss",
        "callable",  "mesh",          "amplification", "node",
    };
    return (uint32_t)kind < ARRAY_COUNT(names) ? names[kind] : "invalid";
}
