/* SPDX-License-Identifier: MIT
 * The texture operations as DXIL spells them (ops/texture.h): operands into argument blocks, results into the overload's
 * type. Compiled natively and to bitcode; the work is done by the native functions of ops/sample.h. */
#include "ops/inline.h"
#include "ops/quick.h"
#include "ops/sample.h"
#include "ops/texture.h"

#define COORDS float c0, float c1, float c2, float c3, int32_t o0, int32_t o1, int32_t o2
#define GRADIENTS float ddx0, float ddx1, float ddx2, float ddy0, float ddy1, float ddy2
#define PASS_COORDS c0, c1, c2, c3, o0, o1, o2
#define PASS_GRADIENTS ddx0, ddx1, ddx2, ddy0, ddy1, ddy2
#define RESOURCES                                                                                             \
    struct abi_thread *thread, const struct abi_descriptor *texture, const struct abi_descriptor *sampler
#define PASS_RESOURCES thread, texture, sampler

OPS_HELPER void set_coords(struct ops_sample_arguments *a, COORDS)
{
    a->coord[0] = c0;
    a->coord[1] = c1;
    a->coord[2] = c2;
    a->coord[3] = c3;
    a->offset[0] = o0;
    a->offset[1] = o1;
    a->offset[2] = o2;
    a->clamp = 0.0f;
    a->compare = 0.0f;
    a->is_comparison = 0;
}

OPS_HELPER void set_gradients(struct ops_sample_arguments *a, float bias, float clamp, GRADIENTS)
{
    a->lod_mode = OPS_LOD_GRADIENT;
    a->lod = bias;
    a->clamp = clamp;
    a->ddx[0] = ddx0;
    a->ddx[1] = ddx1;
    a->ddx[2] = ddx2;
    a->ddy[0] = ddy0;
    a->ddy[1] = ddy1;
    a->ddy[2] = ddy2;
}

OPS_HELPER void set_level(struct ops_sample_arguments *a, float lod)
{
    a->lod_mode = OPS_LOD_EXPLICIT;
    a->lod = lod;
}

/* --- operations ----------------------------------------------------------------------------------------------------------- */

/* Results of the native functions by value: a function that writes nothing that its caller sees keeps nothing from moving
 * out of the caller's loops. */
#ifdef OPS_BITCODE
#define OPS_SLOW __attribute__((noinline)) vec4
#else
#define OPS_SLOW static vec4
#endif

OPS_SLOW ops_slow_load(struct abi_thread *thread, const struct abi_descriptor *texture, int32_t mip_or_sample, int32_t c0,
                       int32_t c1, int32_t c2, int32_t o0, int32_t o1, int32_t o2)
{
    const int32_t coord[3] = {c0, c1, c2}, offset[3] = {o0, o1, o2};
    uint32_t words[4];
    ops_native_texture_load(thread, texture, mip_or_sample, coord, offset, words);
    vec4 value;
    __builtin_memcpy(&value, words, sizeof(value));
    return value;
}

OPS_SLOW ops_slow_sample_level(RESOURCES, COORDS, float lod)
{
    struct ops_sample_arguments a;
    uint32_t words[4];
    set_coords(&a, PASS_COORDS);
    set_level(&a, lod);
    ops_native_sample(PASS_RESOURCES, &a, words);
    vec4 value;
    __builtin_memcpy(&value, words, sizeof(value));
    return value;
}

/* Three bodies for all sampling operations; comparison and result type are added by the callers. */
OPS_HELPER void sample_gradient(RESOURCES, COORDS, float bias, float clamp, GRADIENTS, uint32_t words[4])
{
    /* Stages without quads have no derivatives: the LOD is minus infinity. */
    if (ddx0 == 0.0f && ddx1 == 0.0f && ddy0 == 0.0f && ddy1 == 0.0f && !(clamp > 0.0f) && (o0 | o1) == 0 &&
        quick_sample(texture, sampler, c0, c1, bias - __builtin_inff(), words))
        return;
    struct ops_sample_arguments a;
    set_coords(&a, PASS_COORDS);
    set_gradients(&a, bias, clamp, PASS_GRADIENTS);
    ops_native_sample(PASS_RESOURCES, &a, words);
}

OPS_HELPER void sample_level(RESOURCES, COORDS, float lod, uint32_t words[4])
{
    if ((o0 | o1) == 0 && quick_sample(texture, sampler, c0, c1, lod, words))
        return;
    vec4 value = ops_slow_sample_level(PASS_RESOURCES, PASS_COORDS, lod);
    __builtin_memcpy(words, &value, sizeof(value));
}

OPS_HELPER void compare_gradient(RESOURCES, COORDS, float compare, float bias, float clamp, GRADIENTS, uint32_t words[4])
{
    struct ops_sample_arguments a;
    set_coords(&a, PASS_COORDS);
    set_gradients(&a, bias, clamp, PASS_GRADIENTS);
    a.is_comparison = 1;
    a.compare = compare;
    ops_native_sample(PASS_RESOURCES, &a, words);
}

OPS_HELPER void compare_level(RESOURCES, COORDS, float compare, float lod, uint32_t words[4])
{
    struct ops_sample_arguments a;
    set_coords(&a, PASS_COORDS);
    set_level(&a, lod);
    a.is_comparison = 1;
    a.compare = compare;
    ops_native_sample(PASS_RESOURCES, &a, words);
}

OPS_HELPER void gather(RESOURCES, float c0, float c1, float c2, float c3, int32_t o0, int32_t o1, uint32_t channel,
                       float compare, uint32_t mode, uint64_t texels[4])
{
    struct ops_sample_arguments a;
    set_coords(&a, c0, c1, c2, c3, o0, o1, 0);
    set_level(&a, 0.0f);
    a.is_comparison = mode == OPS_GATHER_COMPARE;
    a.compare = compare;
    ops_native_gather(PASS_RESOURCES, &a, channel, mode, texels);
}

#define FROM_32(x) ((uint32_t)(x))
#define FROM_F16(x) half_bits((_Float16)bits_float((uint32_t)(x)))
#define FROM_I16(x) ((uint16_t)(x))
#define TO_I32(x) (x)
#define TO_F32(x) float_bits(x)
#define TO_F16(x) float_bits((float)(x))
#define TO_I16(x) ((uint32_t)(int32_t)(int16_t)(x))

#define FINISH(words, convert)                                                                                \
    for (uint32_t i = 0; i < 4; i++)                                                                          \
        out->value[i] = convert((words)[i]);                                                                  \
    out->status = OPS_STATUS_MAPPED

/* Operations with all four overloads. R: result, V: value type, from, to: conversions of words. */
#define TEXTURE_OPS(suffix, R, V, from, to)                                                                   \
    void ops_sample_##suffix(RESOURCES, COORDS, float clamp, GRADIENTS, struct R *out)                        \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        sample_gradient(PASS_RESOURCES, PASS_COORDS, 0.0f, clamp, PASS_GRADIENTS, words);                     \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_sample_bias_##suffix(RESOURCES, COORDS, float bias, float clamp, GRADIENTS, struct R *out)       \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        sample_gradient(PASS_RESOURCES, PASS_COORDS, bias, clamp, PASS_GRADIENTS, words);                     \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_sample_level_##suffix(RESOURCES, COORDS, float lod, struct R *out)                               \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        sample_level(PASS_RESOURCES, PASS_COORDS, lod, words);                                                \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_sample_grad_##suffix(RESOURCES, COORDS, GRADIENTS, float clamp, struct R *out)                   \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        sample_gradient(PASS_RESOURCES, PASS_COORDS, 0.0f, clamp, PASS_GRADIENTS, words);                     \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_texture_gather_##suffix(RESOURCES, float c0, float c1, float c2, float c3, int32_t o0, int32_t o1, \
                                     int32_t channel, struct R *out)                                          \
    {                                                                                                         \
        uint64_t texels[4];                                                                                   \
        gather(PASS_RESOURCES, c0, c1, c2, c3, o0, o1, (uint32_t)channel, 0.0f, OPS_GATHER_CHANNEL, texels);  \
        FINISH(texels, from);                                                                                 \
    }                                                                                                         \
    void ops_texture_load_##suffix(struct abi_thread *thread, const struct abi_descriptor *texture,           \
                                   int32_t mip_or_sample, int32_t c0, int32_t c1, int32_t c2, int32_t o0,     \
                                   int32_t o1, int32_t o2, struct R *out)                                     \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        if (!quick_load(texture, (uint32_t)mip_or_sample, (uint32_t)c0 + (uint32_t)o0, (uint32_t)c1 + (uint32_t)o1, words)) { \
            vec4 value = ops_slow_load(thread, texture, mip_or_sample, c0, c1, c2, o0, o1, o2);               \
            __builtin_memcpy(words, &value, sizeof(value));                                                   \
        }                                                                                                     \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    OPS_SHORT void ops_texture_store_##suffix(struct abi_thread *thread, const struct abi_descriptor *texture, \
                                              int32_t c0, int32_t c1, int32_t c2, V v0, V v1, V v2, V v3,     \
                                              uint8_t mask)                                                   \
    {                                                                                                         \
        const int32_t coord[3] = {c0, c1, c2};                                                                \
        const uint32_t words[4] = {to(v0), to(v1), to(v2), to(v3)};                                           \
        if (!quick_store(texture, (uint32_t)c0, (uint32_t)c1, words))                                                              \
            ops_native_texture_store(thread, texture, coord, 0, words);                                       \
    }                                                                                                         \
    OPS_SHORT void ops_texture_store_sample_##suffix(struct abi_thread *thread, const struct abi_descriptor *texture, \
                                                     int32_t c0, int32_t c1, int32_t c2, V v0, V v1, V v2, V v3, \
                                                     uint8_t mask, int32_t sample)                            \
    {                                                                                                         \
        const int32_t coord[3] = {c0, c1, c2};                                                                \
        const uint32_t words[4] = {to(v0), to(v1), to(v2), to(v3)};                                           \
        ops_native_texture_store(thread, texture, coord, sample, words);                                      \
    }

TEXTURE_OPS(i32, ops_result_32, uint32_t, FROM_32, TO_I32)
TEXTURE_OPS(f32, ops_result_32, float, FROM_32, TO_F32)
TEXTURE_OPS(i16, ops_result_16, uint16_t, FROM_I16, TO_I16)
TEXTURE_OPS(f16, ops_result_16, _Float16, FROM_F16, TO_F16)

/* Comparisons exist for floats only. */
#define COMPARE_OPS(suffix, R, from)                                                                          \
    void ops_sample_cmp_##suffix(RESOURCES, COORDS, float compare, float clamp, GRADIENTS, struct R *out)     \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        compare_gradient(PASS_RESOURCES, PASS_COORDS, compare, 0.0f, clamp, PASS_GRADIENTS, words);           \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_sample_cmp_level_zero_##suffix(RESOURCES, COORDS, float compare, struct R *out)                  \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        compare_level(PASS_RESOURCES, PASS_COORDS, compare, 0.0f, words);                                     \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_sample_cmp_level_##suffix(RESOURCES, COORDS, float compare, float lod, struct R *out)            \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        compare_level(PASS_RESOURCES, PASS_COORDS, compare, lod, words);                                      \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_sample_cmp_grad_##suffix(RESOURCES, COORDS, float compare, GRADIENTS, float clamp, struct R *out) \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        compare_gradient(PASS_RESOURCES, PASS_COORDS, compare, 0.0f, clamp, PASS_GRADIENTS, words);           \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_sample_cmp_bias_##suffix(RESOURCES, COORDS, float compare, float bias, float clamp, GRADIENTS,   \
                                      struct R *out)                                                          \
    {                                                                                                         \
        uint32_t words[4];                                                                                    \
        compare_gradient(PASS_RESOURCES, PASS_COORDS, compare, bias, clamp, PASS_GRADIENTS, words);           \
        FINISH(words, from);                                                                                  \
    }                                                                                                         \
    void ops_texture_gather_cmp_##suffix(RESOURCES, float c0, float c1, float c2, float c3, int32_t o0, int32_t o1, \
                                         int32_t channel, float compare, struct R *out)                       \
    {                                                                                                         \
        uint64_t texels[4];                                                                                   \
        gather(PASS_RESOURCES, c0, c1, c2, c3, o0, o1, (uint32_t)channel, compare, OPS_GATHER_COMPARE, texels); \
        FINISH(texels, from);                                                                                 \
    }

COMPARE_OPS(f32, ops_result_32, FROM_32)
COMPARE_OPS(f16, ops_result_16, FROM_F16)

/* The operation table knows integer overloads of the gather: 1 where the comparison passes. */
#define GATHER_COMPARE_INTEGER(suffix, R)                                                                     \
    void ops_texture_gather_cmp_##suffix(RESOURCES, float c0, float c1, float c2, float c3, int32_t o0, int32_t o1, \
                                         int32_t channel, float compare, struct R *out)                       \
    {                                                                                                         \
        uint64_t texels[4];                                                                                   \
        gather(PASS_RESOURCES, c0, c1, c2, c3, o0, o1, (uint32_t)channel, compare, OPS_GATHER_COMPARE, texels); \
        FINISH(texels, FROM_PASSED);                                                                          \
    }
#define FROM_PASSED(x) ((x) != 0)

GATHER_COMPARE_INTEGER(i32, ops_result_32)
GATHER_COMPARE_INTEGER(i16, ops_result_16)

#define GATHER_RAW(suffix, R, from)                                                                           \
    void ops_texture_gather_raw_##suffix(RESOURCES, float c0, float c1, float c2, float c3, int32_t o0, int32_t o1, \
                                         struct R *out)                                                       \
    {                                                                                                         \
        uint64_t texels[4];                                                                                   \
        gather(PASS_RESOURCES, c0, c1, c2, c3, o0, o1, 0, 0.0f, OPS_GATHER_RAW, texels);                      \
        FINISH(texels, from);                                                                                 \
    }
#define FROM_64(x) (x)

GATHER_RAW(i16, ops_result_16, FROM_I16)
GATHER_RAW(i32, ops_result_32, FROM_32)
GATHER_RAW(i64, ops_result_64, FROM_64)

OPS_SHORT float ops_calculate_lod_f32(RESOURCES, float c0, float c1, float c2, bool clamped, GRADIENTS)
{
    struct ops_sample_arguments a;
    set_coords(&a, c0, c1, c2, 0.0f, 0, 0, 0);
    set_gradients(&a, 0.0f, 0.0f, PASS_GRADIENTS);
    return ops_native_calculate_lod(PASS_RESOURCES, &a, clamped);
}

void ops_get_dimensions(struct abi_thread *thread, const struct abi_descriptor *resource, uint32_t mip,
                        struct ops_four_u32 *out)
{
    ops_native_get_dimensions(thread, resource, mip, out->value);
}

void ops_texture_2dms_get_sample_position(struct abi_thread *thread, const struct abi_descriptor *texture, uint32_t index,
                                          struct ops_two_float *out)
{
    ops_native_sample_position(thread, texture, index, out->value);
}
