/* SPDX-License-Identifier: MIT
 * The rules of D3D12 for root signatures (ResourceBinding "Root Signature", Raytracing.md "Local root signatures vs
 * global root signatures", HLSL_SM_6_6_DynamicResources) and the layout of root arguments. Every description passes
 * here once, whether it came from bytes or from an API structure. */
#include <math.h>
#include <stdlib.h>

#include "dxil/root_signature.h"

enum {
    MAX_VISIBILITY = 7,
    FIRST_RESERVED_SPACE_FROM_TOP = 0xf, /* spaces 0xFFFFFFF0..0xFFFFFFFF are the system's */
    MAX_ANISOTROPY = 16,
    FLAG_LOW_TIER_CB_LIMIT = (int)0x80000000u, /* accepted by every serialiser, without effect here */
};
static const float MIN_LOD_BIAS = -16.0f, MAX_LOD_BIAS = 15.99f;

struct checker {
    struct dxil_root_signature *signature;
    struct reason *reason;
};

/* One register range of the signature, for the overlap test. */
struct interval {
    uint32_t type, space, first, last, visibility;
    uint32_t owner_index;      /* root parameter or static sampler */
    uint32_t range_index;      /* within the table; UINT32_MAX: a root parameter or static sampler itself */
    bool is_static_sampler;
};

static enum status check_space(const struct checker *checker, const char *what, uint32_t index, uint32_t space)
{
    if (space >= UINT32_MAX - FIRST_RESERVED_SPACE_FROM_TOP)
        return reason_set(checker->reason, STATUS_INVALID,
                          "%s %u: register space 0x%x is reserved for the system (0xfffffff0 and above)", what, index,
                          space);
    return STATUS_OK;
}

static enum status check_visibility(const struct checker *checker, const char *what, uint32_t index,
                                    uint32_t visibility)
{
    if (visibility > MAX_VISIBILITY)
        return reason_set(checker->reason, STATUS_INVALID, "%s %u: shader visibility %u is unknown", what, index,
                          visibility);
    if (visibility && (checker->signature->flags & DXIL_ROOT_SIGNATURE_FLAG_LOCAL))
        return reason_set(checker->reason, STATUS_INVALID,
                          "%s %u: shader visibility %u; local root signatures use D3D12_SHADER_VISIBILITY_ALL only",
                          what, index, visibility);
    return STATUS_OK;
}

static uint32_t bit_count(uint32_t bits)
{
    return (uint32_t)__builtin_popcount(bits);
}

enum { DATA_FLAGS = DXIL_RANGE_FLAG_DATA_VOLATILE | DXIL_RANGE_FLAG_DATA_STATIC_WHILE_SET_AT_EXECUTE |
                    DXIL_RANGE_FLAG_DATA_STATIC };

static enum status check_range_flags(const struct checker *checker, uint32_t parameter_index, uint32_t range_index,
                                     const struct dxil_descriptor_range *range)
{
    uint32_t flags = range->flags;
    const char *rule = NULL;
    if (range->type == DXIL_REGISTER_SAMPLER)
        rule = flags & ~(uint32_t)DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE
                   ? "sampler ranges allow DESCRIPTORS_VOLATILE only"
                   : NULL;
    else if (flags & ~(uint32_t)(DATA_FLAGS | DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE |
                                 DXIL_RANGE_FLAG_DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS))
        rule = "unknown bits are set";
    else if (bit_count(flags & DATA_FLAGS) > 1)
        rule = "at most one DATA_ flag is allowed";
    else if ((flags & DXIL_RANGE_FLAG_DATA_STATIC) && (flags & DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE))
        rule = "DATA_STATIC and DESCRIPTORS_VOLATILE exclude each other";
    else if ((flags & DXIL_RANGE_FLAG_DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS) &&
             (flags & DXIL_RANGE_FLAG_DESCRIPTORS_VOLATILE))
        rule = "DESCRIPTORS_STATIC_KEEPING_BUFFER_BOUNDS_CHECKS and DESCRIPTORS_VOLATILE exclude each other";
    if (rule)
        return reason_set(checker->reason, STATUS_INVALID, "root parameter %u, range %u: flags 0x%x: %s",
                          parameter_index, range_index, flags, rule);
    return STATUS_OK;
}

/* append_offset: where APPEND continues, 2^32 behind an unbounded range. */
static enum status check_range(const struct checker *checker, uint32_t parameter_index, uint32_t range_index,
                               struct dxil_descriptor_range *range, uint64_t *append_offset)
{
    struct reason *reason = checker->reason;
    if (range->type > DXIL_REGISTER_SAMPLER)
        return reason_set(reason, STATUS_INVALID, "root parameter %u, range %u: range type %u is unknown",
                          parameter_index, range_index, range->type);
    if (!range->descriptor_count)
        return reason_set(reason, STATUS_INVALID, "root parameter %u, range %u: NumDescriptors is 0",
                          parameter_index, range_index);
    uint64_t start = range->table_offset == DXIL_RANGE_APPEND ? *append_offset : range->table_offset;
    if (start > UINT32_MAX)
        return reason_set(reason, STATUS_INVALID,
                          "root parameter %u, range %u: appended behind an unbounded range", parameter_index,
                          range_index);
    bool unbounded = range->descriptor_count == DXIL_UNBOUNDED;
    uint64_t last_register = (uint64_t)range->base_register + range->descriptor_count - 1;
    if (!unbounded && last_register > UINT32_MAX)
        return reason_set(reason, STATUS_INVALID,
                          "root parameter %u, range %u: BaseShaderRegister %u with %u descriptors overflows",
                          parameter_index, range_index, range->base_register, range->descriptor_count);
    if (!unbounded && start + range->descriptor_count - 1 > UINT32_MAX)
        return reason_set(reason, STATUS_INVALID,
                          "root parameter %u, range %u: offset %llu with %u descriptors overflows the table",
                          parameter_index, range_index, (unsigned long long)start, range->descriptor_count);
    range->resolved_table_offset = (uint32_t)start;
    *append_offset = unbounded ? (uint64_t)UINT32_MAX + 1 : start + range->descriptor_count;
    RETURN_IF_FAILED(check_space(checker, "root parameter", parameter_index, range->space));
    return check_range_flags(checker, parameter_index, range_index, range);
}

static enum status check_table(const struct checker *checker, uint32_t index)
{
    const struct dxil_root_parameter *parameter = &checker->signature->parameters[index];
    uint64_t append_offset = 0;
    uint32_t sampler_ranges = 0;
    if ((uint64_t)parameter->first_range + parameter->range_count > checker->signature->range_count)
        return reason_set(checker->reason, STATUS_INTERNAL, "root parameter %u: ranges outside the array", index);
    for (uint32_t i = 0; i < parameter->range_count; i++) {
        struct dxil_descriptor_range *range = &checker->signature->ranges[parameter->first_range + i];
        RETURN_IF_FAILED(check_range(checker, index, i, range, &append_offset));
        sampler_ranges += range->type == DXIL_REGISTER_SAMPLER;
    }
    if (sampler_ranges && sampler_ranges != parameter->range_count)
        return reason_set(checker->reason, STATUS_INVALID,
                          "root parameter %u: a descriptor table mixes samplers with other descriptors", index);
    return STATUS_OK;
}

static enum status check_root(const struct checker *checker, uint32_t index)
{
    const struct dxil_root_parameter *parameter = &checker->signature->parameters[index];
    RETURN_IF_FAILED(check_space(checker, "root parameter", index, parameter->space));
    if (parameter->type == DXIL_ROOT_PARAMETER_CONSTANTS)
        return STATUS_OK;
    if (parameter->flags & ~(uint32_t)DATA_FLAGS || bit_count(parameter->flags) > 1)
        return reason_set(checker->reason, STATUS_INVALID,
                          "root parameter %u: root descriptor flags 0x%x; at most one DATA_ flag is allowed", index,
                          parameter->flags);
    return STATUS_OK;
}

/* Where the argument lies and what it costs. Sums in 64 bits: constant counts come from outside. */
static enum status lay_out_parameters(const struct checker *checker)
{
    struct dxil_root_signature *signature = checker->signature;
    bool local = signature->flags & DXIL_ROOT_SIGNATURE_FLAG_LOCAL;
    uint64_t offset = 0, cost = 0;
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        struct dxil_root_parameter *parameter = &signature->parameters[i];
        if (parameter->type == DXIL_ROOT_PARAMETER_CONSTANTS) {
            parameter->argument_offset = (uint32_t)offset;
            offset += (uint64_t)parameter->constant_count * 4;
            cost += parameter->constant_count;
        } else {
            offset = (offset + 7) & ~(uint64_t)7;
            parameter->argument_offset = (uint32_t)offset;
            offset += 8;
            cost += parameter->type == DXIL_ROOT_PARAMETER_TABLE ? 1 : 2;
        }
        if (local && offset > DXIL_ROOT_SIGNATURE_MAX_LOCAL_BYTES)
            return reason_set(checker->reason, STATUS_INVALID,
                              "root parameter %u: local root arguments reach %llu bytes, at most %u fit into a record",
                              i, (unsigned long long)offset, DXIL_ROOT_SIGNATURE_MAX_LOCAL_BYTES);
        if (!local && cost > DXIL_ROOT_SIGNATURE_MAX_DWORDS)
            return reason_set(checker->reason, STATUS_INVALID,
                              "root parameter %u: the root signature reaches %llu DWORDs, at most %u are allowed", i,
                              (unsigned long long)cost, DXIL_ROOT_SIGNATURE_MAX_DWORDS);
    }
    signature->argument_bytes = (uint32_t)offset;
    signature->cost_dwords = (uint32_t)cost;
    return STATUS_OK;
}

static bool filter_is_known(uint32_t filter)
{
    uint32_t low = filter & 0x7f;
    return !(filter & ~0x1ffu) && (low == 0x55 || !(low & ~0x15u));
}

static bool address_is_known(uint32_t mode)
{
    return mode >= 1 && mode <= 5;
}

static const char *broken_sampler_rule(const struct dxil_static_sampler *sampler)
{
    bool is_comparison = (sampler->filter >> 7 & 3) == 1;
    if (!filter_is_known(sampler->filter))
        return "Filter is unknown";
    if (!address_is_known(sampler->address_u) || !address_is_known(sampler->address_v) ||
        !address_is_known(sampler->address_w))
        return "an address mode is unknown";
    if (!(sampler->mip_lod_bias >= MIN_LOD_BIAS && sampler->mip_lod_bias <= MAX_LOD_BIAS))
        return "MipLODBias is not in [-16, 15.99]";
    if (sampler->max_anisotropy > MAX_ANISOTROPY)
        return "MaxAnisotropy is above 16";
    if (sampler->comparison > 8 || (is_comparison && !sampler->comparison))
        return "ComparisonFunc is unknown";
    if (sampler->border_color > 4)
        return "BorderColor is unknown";
    if (isnan(sampler->min_lod) || isnan(sampler->max_lod))
        return "MinLOD or MaxLOD is not a number";
    if (sampler->flags & ~3u)
        return "Flags has unknown bits";
    return NULL;
}

static enum status check_samplers(const struct checker *checker)
{
    const struct dxil_root_signature *signature = checker->signature;
    if (signature->static_sampler_count > DXIL_ROOT_SIGNATURE_MAX_STATIC_SAMPLERS)
        return reason_set(checker->reason, STATUS_INVALID, "%u static samplers, at most %u are allowed",
                          signature->static_sampler_count, DXIL_ROOT_SIGNATURE_MAX_STATIC_SAMPLERS);
    for (uint32_t i = 0; i < signature->static_sampler_count; i++) {
        const struct dxil_static_sampler *sampler = &signature->static_samplers[i];
        RETURN_IF_FAILED(check_visibility(checker, "static sampler", i, sampler->visibility));
        RETURN_IF_FAILED(check_space(checker, "static sampler", i, sampler->space));
        const char *rule = broken_sampler_rule(sampler);
        if (rule)
            return reason_set(checker->reason, STATUS_INVALID, "static sampler %u (s%u, space%u): %s", i,
                              sampler->shader_register, sampler->space, rule);
    }
    return STATUS_OK;
}

static struct interval interval_of_range(const struct dxil_root_signature *signature, uint32_t parameter_index,
                                         uint32_t range_index)
{
    const struct dxil_root_parameter *parameter = &signature->parameters[parameter_index];
    const struct dxil_descriptor_range *range = &signature->ranges[parameter->first_range + range_index];
    uint32_t last = range->descriptor_count == DXIL_UNBOUNDED ? UINT32_MAX
                                                              : range->base_register + range->descriptor_count - 1;
    return (struct interval){range->type, range->space, range->base_register, last, parameter->visibility,
                             parameter_index, range_index, false};
}

static struct interval interval_of_root(const struct dxil_root_signature *signature, uint32_t index)
{
    const struct dxil_root_parameter *parameter = &signature->parameters[index];
    uint32_t type = parameter->type == DXIL_ROOT_PARAMETER_SRV   ? DXIL_REGISTER_SRV
                    : parameter->type == DXIL_ROOT_PARAMETER_UAV ? DXIL_REGISTER_UAV
                                                                 : DXIL_REGISTER_CBV;
    return (struct interval){type, parameter->space, parameter->shader_register, parameter->shader_register,
                             parameter->visibility, index, UINT32_MAX, false};
}

static uint32_t collect_intervals(const struct dxil_root_signature *signature, struct interval *intervals)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        if (signature->parameters[i].type != DXIL_ROOT_PARAMETER_TABLE)
            intervals[count++] = interval_of_root(signature, i);
        else
            for (uint32_t r = 0; r < signature->parameters[i].range_count; r++)
                intervals[count++] = interval_of_range(signature, i, r);
    }
    for (uint32_t i = 0; i < signature->static_sampler_count; i++) {
        const struct dxil_static_sampler *sampler = &signature->static_samplers[i];
        intervals[count++] =
            (struct interval){DXIL_REGISTER_SAMPLER, sampler->space, sampler->shader_register,
                              sampler->shader_register, sampler->visibility, i, UINT32_MAX, true};
    }
    return count;
}

static int compare_intervals(const void *left, const void *right)
{
    const struct interval *a = left, *b = right;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->owner_index < b->owner_index ? -1 : a->owner_index > b->owner_index;
}

static bool intervals_clash(const struct interval *a, const struct interval *b)
{
    return a->visibility == b->visibility || !a->visibility || !b->visibility;
}

/* Sorted by first register, so only neighbours up to the last register can overlap. Legal overlaps have different
 * visibilities, of which there are eight: the walk stays short. */
static enum status check_sorted(const struct checker *checker, const struct interval *intervals, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) {
            const struct interval *a = &intervals[i], *b = &intervals[j];
            if (a->type != b->type || a->space != b->space || b->first > a->last)
                break;
            if (intervals_clash(a, b))
                return reason_set(checker->reason, STATUS_INVALID,
                                  "%s %u and %s %u both define register %c%u, space%u",
                                  a->is_static_sampler ? "static sampler" : "root parameter", a->owner_index,
                                  b->is_static_sampler ? "static sampler" : "root parameter", b->owner_index,
                                  dxil_register_letter((enum dxil_register_type)a->type), b->first, a->space);
        }
    return STATUS_OK;
}

static enum status check_overlaps(const struct checker *checker)
{
    const struct dxil_root_signature *signature = checker->signature;
    size_t capacity = (size_t)signature->parameter_count + signature->static_sampler_count;
    for (uint32_t i = 0; i < signature->parameter_count; i++)
        capacity += signature->parameters[i].range_count;
    struct interval *intervals = calloc(capacity ? capacity : 1, sizeof(*intervals));
    if (!intervals)
        return STATUS_OUT_OF_MEMORY;
    uint32_t count = collect_intervals(signature, intervals);
    qsort(intervals, count, sizeof(*intervals), compare_intervals);
    enum status status = check_sorted(checker, intervals, count);
    free(intervals);
    return status;
}

static enum status check_flags(const struct checker *checker)
{
    uint32_t flags = checker->signature->flags & ~(uint32_t)FLAG_LOW_TIER_CB_LIMIT;
    if (flags & ~(uint32_t)DXIL_ROOT_SIGNATURE_FLAG_ALL)
        return reason_set(checker->reason, STATUS_INVALID, "root signature flags 0x%x have unknown bits", flags);
    if ((flags & DXIL_ROOT_SIGNATURE_FLAG_LOCAL) && flags != DXIL_ROOT_SIGNATURE_FLAG_LOCAL)
        return reason_set(checker->reason, STATUS_INVALID,
                          "root signature flags 0x%x: LOCAL_ROOT_SIGNATURE allows no other flag", flags);
    return STATUS_OK;
}

enum status dxil_root_signature_finish_layout(struct dxil_root_signature *signature, struct reason *reason)
{
    struct checker checker = {signature, reason};
    if (signature->version < DXIL_ROOT_SIGNATURE_VERSION_1_0 ||
        signature->version > DXIL_ROOT_SIGNATURE_VERSION_1_2)
        return reason_set(reason, STATUS_INVALID, "root signature version %u is unknown", signature->version);
    RETURN_IF_FAILED(check_flags(&checker));
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        const struct dxil_root_parameter *parameter = &signature->parameters[i];
        RETURN_IF_FAILED(check_visibility(&checker, "root parameter", i, parameter->visibility));
        if (parameter->type > DXIL_ROOT_PARAMETER_UAV)
            return reason_set(reason, STATUS_INVALID, "root parameter %u: type %u is unknown", i, parameter->type);
        RETURN_IF_FAILED(parameter->type == DXIL_ROOT_PARAMETER_TABLE ? check_table(&checker, i)
                                                                      : check_root(&checker, i));
    }
    RETURN_IF_FAILED(check_samplers(&checker));
    RETURN_IF_FAILED(lay_out_parameters(&checker));
    return check_overlaps(&checker);
}
