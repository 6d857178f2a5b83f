/* SPDX-License-Identifier: MIT
 * Waves and barriers: through the wave that the group runner set up, or, where the thread runs alone (raytracing stages
 * have one active lane), computed here. */
#include "jit/device/device.h"
#include "ops/types.h"

enum { OP_WAVE_BALLOT = 116, OP_PREFIX = 121, OP_PREFIX_COUNT = 136, OP_MATCH = 165, OP_MULTI_PREFIX = 166,
       OP_MULTI_PREFIX_COUNT = 167, OP_ALL_EQUAL = 115,
       OP_FIRST_DERIVATIVE = 83, OP_LAST_DERIVATIVE = 86 };

static inline uint64_t device_one(uint32_t type)
{
    switch (type) {
    case OPS_TYPE_F16:
    case OPS_TYPE_MIN_F16:
        return 0x3c00;
    case OPS_TYPE_F32:
        return 0x3f800000;
    case OPS_TYPE_F64:
        return 0x3ff0000000000000ull;
    default:
        return 1;
    }
}

/* The neutral element of a prefix operation that no lane precedes. */
static inline uint64_t device_prefix_identity(const struct abi_wave_call *call)
{
    if (call->opcode == OP_PREFIX)
        return call->op == 1 ? device_one(call->type) : 0;
    uint64_t all = call->type == OPS_TYPE_I64 ? UINT64_MAX
                   : call->type == OPS_TYPE_I16 ? 0xffff
                   : call->type == OPS_TYPE_I8  ? 0xff
                                                : 0xffffffff;
    return call->op == 1 ? all : call->op == 4 ? device_one(call->type) : 0;
}

DEVICE_CALL void jit_wave_operate(struct abi_thread *thread, const struct abi_wave_call *call,
                                  struct abi_wave_lane *lane);
void jit_wave_operate(struct abi_thread *thread, const struct abi_wave_call *call, struct abi_wave_lane *lane)
{
    if (thread->wave) {
        thread->wave->operate(thread, call, lane);
        return;
    }
    uint32_t bit = 1u << (thread->lane_index & 31);
    lane->result4[0] = lane->result4[1] = lane->result4[2] = lane->result4[3] = 0;
    lane->result = lane->value;
    if (call->opcode == OP_PREFIX || call->opcode == OP_MULTI_PREFIX)
        lane->result = device_prefix_identity(call);
    else if (call->opcode == OP_PREFIX_COUNT || call->opcode == OP_MULTI_PREFIX_COUNT ||
             (call->opcode >= OP_FIRST_DERIVATIVE && call->opcode <= OP_LAST_DERIVATIVE))
        lane->result = 0;
    else if (call->opcode == OP_ALL_EQUAL)
        lane->result = 1;
    else if (call->opcode == OP_WAVE_BALLOT)
        lane->result4[0] = lane->value ? bit : 0;
    else if (call->opcode == OP_MATCH)
        lane->result4[0] = bit;
}

VALUE(uint32_t, jit_wave_lane_index, struct abi_thread *thread)
{
    return thread->lane_index;
}
/* lane: a ballot of true */
VALUE(bool, jit_wave_is_first_lane, struct abi_thread *thread, struct abi_wave_lane *lane)
{
    for (uint32_t word = 0; word < 4; word++)
        if (lane->result4[word])
            return word * 32 + (uint32_t)__builtin_ctz(lane->result4[word]) == thread->lane_index;
    return true;
}
VALUE(void, jit_barrier, struct abi_thread *thread, uint32_t site, bool meets)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (meets && thread->wave)
        thread->wave->barrier(thread, site);
}

VALUE(void *, jit_groupshared, struct abi_thread *thread)
{
    return thread->groupshared;
}
