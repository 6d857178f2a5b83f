/* SPDX-License-Identifier: MIT
 * Wave, quad and derivative operations (ops/wave.h): native only, one call for all lanes that met. */
#include "ops/wave.h"

#include <string.h>

#include "ops/inline.h"
#include "ops/math.h"

enum wave_opcode {
    WAVE_OPCODE_DERIV_COARSE_X = 83,
    WAVE_OPCODE_DERIV_COARSE_Y = 84,
    WAVE_OPCODE_DERIV_FINE_X = 85,
    WAVE_OPCODE_DERIV_FINE_Y = 86,
    WAVE_OPCODE_ANY_TRUE = 113,
    WAVE_OPCODE_ALL_TRUE = 114,
    WAVE_OPCODE_ACTIVE_ALL_EQUAL = 115,
    WAVE_OPCODE_ACTIVE_BALLOT = 116,
    WAVE_OPCODE_READ_LANE_AT = 117,
    WAVE_OPCODE_READ_LANE_FIRST = 118,
    WAVE_OPCODE_ACTIVE_OP = 119,
    WAVE_OPCODE_ACTIVE_BIT = 120,
    WAVE_OPCODE_PREFIX_OP = 121,
    WAVE_OPCODE_QUAD_READ_LANE_AT = 122,
    WAVE_OPCODE_QUAD_OP = 123,
    WAVE_OPCODE_ALL_BIT_COUNT = 135,
    WAVE_OPCODE_PREFIX_BIT_COUNT = 136,
    WAVE_OPCODE_MATCH = 165,
    WAVE_OPCODE_MULTI_PREFIX_OP = 166,
    WAVE_OPCODE_MULTI_PREFIX_BIT_COUNT = 167,
    WAVE_OPCODE_QUAD_VOTE = 222,
};

/* What is done with two values; the operation codes of DXIL are mapped to it. */
enum combine { COMBINE_SUM, COMBINE_PRODUCT, COMBINE_MIN, COMBINE_MAX, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

static bool is_active(const struct ops_wave_step *step, uint32_t lane)
{
    return lane < OPS_MAX_LANES && (step->active[lane >> 6] >> (lane & 63) & 1) != 0;
}

/* Next active lane at or after lane; OPS_MAX_LANES: none. */
static uint32_t next_active(const struct ops_wave_step *step, uint32_t lane)
{
    for (; lane < OPS_MAX_LANES; lane = (lane | 63) + 1) {
        uint64_t rest = step->active[lane >> 6] >> (lane & 63);
        if (rest)
            return lane + (uint32_t)__builtin_ctzll(rest);
    }
    return OPS_MAX_LANES;
}

#define FOR_EACH_ACTIVE(step, lane)                                                                           \
    for (uint32_t lane = next_active(step, 0); lane < OPS_MAX_LANES; lane = next_active(step, lane + 1))

static bool is_float(uint32_t type)
{
    return type == OPS_TYPE_F16 || type == OPS_TYPE_F32 || type == OPS_TYPE_F64 || type == OPS_TYPE_MIN_F16;
}

static uint32_t type_width(uint32_t type)
{
    switch (type) {
    case OPS_TYPE_VOID:
    case OPS_TYPE_I1:
        return 1;
    case OPS_TYPE_I8:
        return 8;
    case OPS_TYPE_I16:
    case OPS_TYPE_MIN_I16:
    case OPS_TYPE_F16:
    case OPS_TYPE_MIN_F16:
        return 16;
    case OPS_TYPE_I64:
    case OPS_TYPE_F64:
        return 64;
    default:
        return 32;
    }
}

static float combine_float(enum combine kind, float a, float b)
{
    switch (kind) {
    case COMBINE_SUM:
        return a + b;
    case COMBINE_PRODUCT:
        return a * b;
    case COMBINE_MIN:
        return ops_fmin_f32(a, b);
    default:
        return ops_fmax_f32(a, b);
    }
}

static double combine_double(enum combine kind, double a, double b)
{
    switch (kind) {
    case COMBINE_SUM:
        return a + b;
    case COMBINE_PRODUCT:
        return a * b;
    case COMBINE_MIN:
        return ops_fmin_f64(a, b);
    default:
        return ops_fmax_f64(a, b);
    }
}

static int64_t sign_extend(uint64_t x, uint32_t width)
{
    return (int64_t)(x << (64 - width)) >> (64 - width);
}

static uint64_t combine_integer(enum combine kind, uint32_t width, bool is_unsigned, uint64_t a, uint64_t b)
{
    uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
    bool less = is_unsigned ? a < b : sign_extend(a, width) < sign_extend(b, width);
    switch (kind) {
    case COMBINE_SUM:
        return (a + b) & mask;
    case COMBINE_PRODUCT:
        return (a * b) & mask;
    case COMBINE_MIN:
        return less ? a : b;
    case COMBINE_MAX:
        return less ? b : a;
    case COMBINE_AND:
        return a & b;
    case COMBINE_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static uint64_t combine(const struct ops_wave_step *step, enum combine kind, uint64_t a, uint64_t b)
{
    switch (step->type) {
    case OPS_TYPE_F16:
    case OPS_TYPE_MIN_F16:
        return half_bits((_Float16)combine_float(kind, (float)bits_half((uint16_t)a), (float)bits_half((uint16_t)b)));
    case OPS_TYPE_F32:
        return float_bits(combine_float(kind, bits_float((uint32_t)a), bits_float((uint32_t)b)));
    case OPS_TYPE_F64:
        return double_bits(combine_double(kind, bits_double(a), bits_double(b)));
    default:
        return combine_integer(kind, type_width(step->type), step->sign != 0, a, b);
    }
}

static uint64_t identity(const struct ops_wave_step *step, enum combine kind)
{
    uint32_t width = type_width(step->type);
    if (kind == COMBINE_AND)
        return width == 64 ? ~0ull : (1ull << width) - 1;
    if (kind != COMBINE_PRODUCT)
        return 0;
    if (!is_float(step->type))
        return 1;
    return width == 16 ? 0x3c00 : width == 32 ? 0x3f800000 : 0x3ff0000000000000;
}

static bool values_equal(const struct ops_wave_step *step, uint64_t a, uint64_t b)
{
    switch (step->type) {
    case OPS_TYPE_F16:
    case OPS_TYPE_MIN_F16:
        return (float)bits_half((uint16_t)a) == (float)bits_half((uint16_t)b);
    case OPS_TYPE_F32:
        return bits_float((uint32_t)a) == bits_float((uint32_t)b);
    case OPS_TYPE_F64:
        return bits_double(a) == bits_double(b);
    default:
        return a == b;
    }
}

static void set_all(struct ops_wave_step *step, uint64_t result)
{
    FOR_EACH_ACTIVE(step, lane)
    step->result[lane] = result;
}

/* Bits of the active lanes whose value is not zero. */
static void ballot(const struct ops_wave_step *step, uint64_t bits[2])
{
    bits[0] = bits[1] = 0;
    FOR_EACH_ACTIVE(step, lane)
    bits[lane >> 6] |= (uint64_t)(step->value[lane] != 0) << (lane & 63);
}

static void run_ballot(struct ops_wave_step *step)
{
    uint64_t bits[2];
    ballot(step, bits);
    FOR_EACH_ACTIVE(step, lane)
    memcpy(step->result4[lane], bits, sizeof(bits));
}

static void run_all_equal(struct ops_wave_step *step)
{
    uint32_t first = next_active(step, 0);
    bool equal = true;
    FOR_EACH_ACTIVE(step, lane)
    equal = equal && values_equal(step, step->value[first], step->value[lane]);
    set_all(step, equal);
}

static void run_reduce(struct ops_wave_step *step, enum combine kind)
{
    uint32_t first = next_active(step, 0);
    uint64_t total = first < OPS_MAX_LANES ? step->value[first] : 0;
    for (uint32_t lane = next_active(step, first + 1); lane < OPS_MAX_LANES; lane = next_active(step, lane + 1))
        total = combine(step, kind, total, step->value[lane]);
    set_all(step, total);
}

static void run_prefix(struct ops_wave_step *step, enum combine kind)
{
    uint64_t total = identity(step, kind);
    FOR_EACH_ACTIVE(step, lane)
    {
        step->result[lane] = total;
        total = combine(step, kind, total, step->value[lane]);
    }
}

static bool in_mask(const uint32_t mask[4], uint32_t lane)
{
    return mask[lane >> 5] >> (lane & 31) & 1;
}

static void run_multi_prefix(struct ops_wave_step *step, enum combine kind)
{
    FOR_EACH_ACTIVE(step, self)
    {
        uint64_t total = identity(step, kind);
        for (uint32_t lane = next_active(step, 0); lane < self; lane = next_active(step, lane + 1))
            if (in_mask(step->argument[self], lane))
                total = combine(step, kind, total, step->value[lane]);
        step->result[self] = total;
    }
}

static void run_prefix_count(struct ops_wave_step *step, bool with_mask)
{
    FOR_EACH_ACTIVE(step, self)
    {
        uint64_t count = 0;
        for (uint32_t lane = next_active(step, 0); lane < self; lane = next_active(step, lane + 1))
            count += step->value[lane] != 0 && (!with_mask || in_mask(step->argument[self], lane));
        step->result[self] = count;
    }
}

static void run_match(struct ops_wave_step *step)
{
    FOR_EACH_ACTIVE(step, self)
    {
        uint64_t bits[2] = {0, 0};
        FOR_EACH_ACTIVE(step, lane)
        {
            bool same = lane == self || values_equal(step, step->value[self], step->value[lane]);
            bits[lane >> 6] |= (uint64_t)same << (lane & 63);
        }
        memcpy(step->result4[self], bits, sizeof(bits));
    }
}

static uint64_t read_lane(const struct ops_wave_step *step, uint32_t lane)
{
    return is_active(step, lane) ? step->value[lane] : 0;
}

static void run_read(struct ops_wave_step *step)
{
    uint32_t first = next_active(step, 0);
    FOR_EACH_ACTIVE(step, lane)
    {
        uint32_t source = first;
        if (step->opcode == WAVE_OPCODE_READ_LANE_AT)
            source = step->argument[lane][0];
        else if (step->opcode == WAVE_OPCODE_QUAD_READ_LANE_AT)
            source = (lane & ~3u) | (step->argument[lane][0] & 3);
        else if (step->opcode == WAVE_OPCODE_QUAD_OP)
            source = lane ^ (step->op + 1); /* across x, y, diagonal */
        step->result[lane] = read_lane(step, source);
    }
}

static void run_quad_vote(struct ops_wave_step *step)
{
    FOR_EACH_ACTIVE(step, self)
    {
        bool any = false, all = true;
        for (uint32_t lane = self & ~3u; lane <= (self | 3u); lane++) {
            any = any || (is_active(step, lane) && step->value[lane] != 0);
            all = all && (!is_active(step, lane) || step->value[lane] != 0);
        }
        step->result[self] = step->op == 0 ? any : all;
    }
}

/* Difference of the values of two lanes in the type of the operation. */
static uint64_t difference(const struct ops_wave_step *step, uint32_t high, uint32_t low)
{
    uint64_t a = read_lane(step, high), b = read_lane(step, low);
    if (step->type == OPS_TYPE_F32)
        return float_bits(bits_float((uint32_t)a) - bits_float((uint32_t)b));
    return half_bits((_Float16)((float)bits_half((uint16_t)a) - (float)bits_half((uint16_t)b)));
}

static void run_derivative(struct ops_wave_step *step)
{
    bool is_y = step->opcode == WAVE_OPCODE_DERIV_COARSE_Y || step->opcode == WAVE_OPCODE_DERIV_FINE_Y;
    bool is_coarse = step->opcode <= WAVE_OPCODE_DERIV_COARSE_Y;
    uint32_t step_bit = is_y ? 2 : 1;
    FOR_EACH_ACTIVE(step, lane)
    {
        uint32_t low = is_coarse ? lane & ~3u : lane & ~step_bit;
        step->result[lane] = difference(step, low | step_bit, low);
    }
}

static enum combine multi_prefix_kind(uint32_t op)
{
    static const uint8_t kinds[] = {COMBINE_SUM, COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_PRODUCT};
    return op < sizeof(kinds) ? (enum combine)kinds[op] : COMBINE_SUM;
}

void ops_wave_run(struct ops_wave_step *step)
{
    uint64_t bits[2];
    switch (step->opcode) {
    case WAVE_OPCODE_DERIV_COARSE_X:
    case WAVE_OPCODE_DERIV_COARSE_Y:
    case WAVE_OPCODE_DERIV_FINE_X:
    case WAVE_OPCODE_DERIV_FINE_Y:
        run_derivative(step);
        break;
    case WAVE_OPCODE_ANY_TRUE:
        ballot(step, bits);
        set_all(step, (bits[0] | bits[1]) != 0);
        break;
    case WAVE_OPCODE_ALL_TRUE:
        ballot(step, bits);
        set_all(step, bits[0] == step->active[0] && bits[1] == step->active[1]);
        break;
    case WAVE_OPCODE_ACTIVE_ALL_EQUAL:
        run_all_equal(step);
        break;
    case WAVE_OPCODE_ACTIVE_BALLOT:
        run_ballot(step);
        break;
    case WAVE_OPCODE_READ_LANE_AT:
    case WAVE_OPCODE_READ_LANE_FIRST:
    case WAVE_OPCODE_QUAD_READ_LANE_AT:
    case WAVE_OPCODE_QUAD_OP:
        run_read(step);
        break;
    case WAVE_OPCODE_ACTIVE_OP: /* WaveOpKind: sum, product, min, max */
        run_reduce(step, (enum combine)(step->op & 3));
        break;
    case WAVE_OPCODE_ACTIVE_BIT: /* WaveBitOpKind: and, or, xor */
        run_reduce(step, (enum combine)(COMBINE_AND + step->op % 3));
        break;
    case WAVE_OPCODE_PREFIX_OP: /* sum, product */
        run_prefix(step, (enum combine)(step->op & 1));
        break;
    case WAVE_OPCODE_ALL_BIT_COUNT:
        ballot(step, bits);
        set_all(step, (uint64_t)(__builtin_popcountll(bits[0]) + __builtin_popcountll(bits[1])));
        break;
    case WAVE_OPCODE_PREFIX_BIT_COUNT:
        run_prefix_count(step, false);
        break;
    case WAVE_OPCODE_MATCH:
        run_match(step);
        break;
    case WAVE_OPCODE_MULTI_PREFIX_OP:
        run_multi_prefix(step, multi_prefix_kind(step->op));
        break;
    case WAVE_OPCODE_MULTI_PREFIX_BIT_COUNT:
        run_prefix_count(step, true);
        break;
    case WAVE_OPCODE_QUAD_VOTE:
        run_quad_vote(step);
        break;
    default:
        break;
    }
}
