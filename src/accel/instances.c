/* SPDX-License-Identifier: MIT */
#include "accel/instances.h"

#include <math.h>

/* D3D12_RAYTRACING_INSTANCE_DESC: two 32-bit words hold 24-bit fields with 8 bits above them. */
struct instance_desc {
    float transform[12];
    uint32_t id_and_mask;
    uint32_t contribution_and_flags;
    uint64_t blas;
};
_Static_assert(sizeof(struct instance_desc) == 64, "instance description bytes");
enum { INSTANCE_ALIGNMENT_BYTES = 16 };

/* The array itself was checked by the caller; what its pointers lead to is seen only here. */
static enum status read_desc(const struct accel_build_arguments *arguments, uint32_t index, struct instance_desc *desc,
                             struct reason *reason)
{
    const struct accel_build_inputs *inputs = &arguments->inputs;
    const uint8_t *base = (const uint8_t *)(uintptr_t)inputs->instances;
    uint64_t address = (uint64_t)(uintptr_t)base + index * sizeof(*desc);
    if (inputs->instances_layout == ACCEL_INSTANCES_ARRAY_OF_POINTERS) {
        const struct accel_reader *reader = arguments->reader;
        memcpy(&address, base + index * sizeof(address), sizeof(address));
        if (address % INSTANCE_ALIGNMENT_BYTES)
            return reason_set(reason, STATUS_INVALID, "instance %u: its description's address 0x%llx is not aligned to 16 bytes",
                              index, (unsigned long long)address);
        if (!address || (reader && reader->bytes_behind(reader->context, address) < sizeof(*desc)))
            return reason_set(reason, STATUS_INVALID, "instance %u: its description's address 0x%llx lies in no buffer", index,
                              (unsigned long long)address);
    }
    memcpy(desc, (const void *)(uintptr_t)address, sizeof(*desc));
    return STATUS_OK;
}

/* inverse of the row-major 3x4 matrix m, in double, rounded once. False: not invertible or not finite. */
static bool invert(const float m[12], float inverse[12])
{
    double a[3][3], r[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = m[i * 4 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
            r[i][j] = a[r0][c0] * a[r1][c1] - a[r0][c1] * a[r1][c0];
        }
    double determinant = a[0][0] * r[0][0] + a[0][1] * r[1][0] + a[0][2] * r[2][0];
    if (determinant == 0 || !isfinite(determinant))
        return false;
    for (int i = 0; i < 3; i++) {
        double translation = 0;
        for (int j = 0; j < 3; j++) {
            double value = r[i][j] / determinant;
            inverse[i * 4 + j] = (float)value;
            translation -= value * m[j * 4 + 3];
        }
        inverse[i * 4 + 3] = (float)translation;
    }
    for (int i = 0; i < 12; i++)
        if (!(fabsf(inverse[i]) <= FLT_MAX) || !(fabsf(m[i]) <= FLT_MAX))
            return false;
    return true;
}

/* Largest row sum of |object_to_world| * |world_to_object|: how much rounding of the ray's transform can grow on its way
 * back to the world. */
static float condition_of(const struct abi_instance *instance)
{
    float largest = 1;
    for (int i = 0; i < 3; i++) {
        float sum = 0;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                sum += fabsf(instance->object_to_world[i * 4 + k]) * fabsf(instance->world_to_object[k * 4 + j]);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

/* Box of the transformed box, made wider by what float rounding can move a hit: u(|M| |box| + |t|) for the transform of
 * points, and the same again, times condition, for that of the ray's origin by the inverse. */
static void set_box(struct accel_ref *ref, const struct abi_instance *instance, const struct accel_header *blas,
                    float condition)
{
    const float *m = instance->object_to_world;
    for (int i = 0; i < 3; i++) {
        double lower = m[i * 4 + 3], upper = lower, magnitude = fabs(lower);
        for (int j = 0; j < 3; j++) {
            double a = (double)m[i * 4 + j] * blas->bounds[0][j], b = (double)m[i * 4 + j] * blas->bounds[1][j];
            lower += a < b ? a : b;
            upper += a < b ? b : a;
            magnitude += fabs(a) > fabs(b) ? fabs(a) : fabs(b);
        }
        double margin = 0x1p-24 * 8 * (1 + (double)condition) * magnitude;
        double low = lower - margin, high = upper + margin;
        ref->negated_lower[i] = low > -FLT_MAX ? -(float)low : FLT_MAX;
        ref->upper[i] = high < FLT_MAX ? (float)high : FLT_MAX;
    }
}

static const struct accel_header *find_blas(const struct accel_build_arguments *arguments, uint64_t address)
{
    uint64_t behind = ~0ull;
    if (arguments->reader)
        behind = arguments->reader->bytes_behind(arguments->reader->context, address);
    if (arguments->reader && arguments->reader->is_sound && !arguments->reader->is_sound(arguments->reader->context, address))
        return NULL;
    const struct accel_header *blas = (const struct accel_header *)(uintptr_t)address;
    if (address % ACCEL_ALIGNMENT_BYTES || !accel_is_structure(blas, behind))
        return NULL;
    return blas->kind == ACCEL_KIND_TRIANGLES || blas->kind == ACCEL_KIND_BOXES ? blas : NULL;
}

static bool is_identity(const float m[12])
{
    for (int i = 0; i < 12; i++)
        if (m[i] != (i % 5 == 0 ? 1.0f : 0.0f))
            return false;
    return true;
}

static void convert(const struct instance_desc *desc, struct abi_instance *instance)
{
    *instance = (struct abi_instance){
        .instance_id = desc->id_and_mask & 0xffffff,
        .mask = (uint8_t)(desc->id_and_mask >> 24),
        .hit_group_contribution = desc->contribution_and_flags & 0xffffff,
        .flags = (uint8_t)(desc->contribution_and_flags >> 24),
    };
    memcpy(instance->object_to_world, desc->transform, sizeof(desc->transform));
}

enum status accel_instances_make(const struct accel_build_arguments *arguments, struct abi_instance *instances,
                                 struct accel_ref *refs, struct accel_instances_result *result, struct reason *reason)
{
    *result = (struct accel_instances_result){{0, simd8_empty_box(), simd8_empty_box()}, 1, 0, false};
    for (uint32_t i = 0; i < arguments->inputs.count; i++) {
        struct instance_desc desc;
        RETURN_IF_FAILED(read_desc(arguments, i, &desc, reason));
        struct abi_instance *instance = &instances[i];
        convert(&desc, instance);
        bool invertible = invert(instance->object_to_world, instance->world_to_object);
        if (!desc.blas)
            continue;
        const struct accel_header *blas = find_blas(arguments, desc.blas);
        if (!blas)
            return reason_set(reason, STATUS_INVALID, "instance %u: AccelerationStructure 0x%llx is no bottom-level structure",
                              i, (unsigned long long)desc.blas);
        instance->blas = desc.blas;
        result->pointer_count++;
        if (!invertible || blas->root == ACCEL_REF_EMPTY)
            continue;
        struct accel_ref *ref = &refs[result->refs.count++];
        ref->geometry = 0;
        ref->primitive = i;
        float condition = condition_of(instance);
        set_box(ref, instance, blas, condition);
        accel_ref_grow(&result->refs, ref);
        result->condition = condition > result->condition ? condition : result->condition;
        result->is_single_identity = result->refs.count == 1 && is_identity(instance->object_to_world);
    }
    return STATUS_OK;
}
