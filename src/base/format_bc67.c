/* SPDX-License-Identifier: MIT
 * BC6H and BC7 blocks (base/format_bc.h): D3D11.3 functional specification 19.5.14 and 19.5.15. Every bit pattern decodes
 * to something; integer arithmetic only. */
#include <string.h>

#include "base/format_bc.h"
#include "base/format_bc_tables.h"

/* Bits of the block from the lowest one up; beyond the end zeros. */
struct bit_reader {
    uint64_t words[2];
    uint32_t position;
};

static uint32_t read_bits(struct bit_reader *reader, uint32_t count)
{
    uint32_t shift = reader->position & 63, word = reader->position >> 6;
    uint64_t bits = word < 2 ? reader->words[word] >> shift : 0;
    if (shift + count > 64 && word == 0)
        bits |= reader->words[1] << (64 - shift);
    reader->position += count;
    return (uint32_t)bits & ((1u << count) - 1);
}

static const uint8_t *weights_of(uint32_t index_bits)
{
    return index_bits == 2 ? weights_2 : index_bits == 3 ? weights_3 : weights_4;
}

static uint32_t subset_of(uint32_t subset_count, uint32_t partition, uint32_t texel)
{
    if (subset_count == 2)
        return partition_of_two[partition] >> texel & 1;
    return subset_count == 3 ? partition_of_three[partition] >> 2 * texel & 3 : 0;
}

static bool is_anchor(uint32_t subset_count, uint32_t partition, uint32_t texel)
{
    if (texel == 0)
        return true;
    if (subset_count == 2)
        return texel == anchor_of_two[partition];
    return subset_count == 3 && (texel == anchor_of_three[0][partition] || texel == anchor_of_three[1][partition]);
}

/* All 16 together take less than 64 bits. */
static void read_indices(struct bit_reader *reader, uint32_t subset_count, uint32_t partition, uint32_t bits,
                         uint8_t indices[16])
{
    uint32_t word = reader->position >> 6, shift = reader->position & 63;
    uint64_t stream = word < 2 ? reader->words[word] >> shift : 0;
    if (shift != 0 && word == 0)
        stream |= reader->words[1] << (64 - shift);
    for (uint32_t texel = 0; texel < 16; texel++) {
        uint32_t count = bits - is_anchor(subset_count, partition, texel);
        indices[texel] = (uint8_t)(stream & ((1u << count) - 1));
        stream >>= count;
    }
    reader->position += 16 * bits - subset_count;
}

struct bc7_mode {
    uint8_t subset_count, partition_bits, rotation_bits, selector_bits;
    uint8_t colour_bits, alpha_bits;
    uint8_t unique_p_bits; /* one per endpoint */
    uint8_t shared_p_bits; /* one per subset */
    uint8_t index_bits, second_index_bits;
};
static const struct bc7_mode bc7_modes[8] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

static uint32_t widen_to_8(uint32_t value, uint32_t bits)
{
    value <<= 8 - bits;
    return value | value >> bits;
}

/* endpoints[2 * subset + end][component], 8 bits each. */
static void bc7_read_endpoints(struct bit_reader *reader, const struct bc7_mode *mode, uint32_t endpoints[6][4])
{
    uint32_t count = 2u * mode->subset_count;
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t e = 0; e < count; e++)
            endpoints[e][c] = read_bits(reader, c < 3 ? mode->colour_bits : mode->alpha_bits);
    uint32_t p_bits[6] = {0};
    for (uint32_t e = 0; e < count; e++) {
        if (mode->unique_p_bits)
            p_bits[e] = read_bits(reader, 1);
        else if (mode->shared_p_bits)
            p_bits[e] = e & 1 ? p_bits[e - 1] : read_bits(reader, 1);
    }
    uint32_t extra = mode->unique_p_bits | mode->shared_p_bits;
    for (uint32_t e = 0; e < count; e++) {
        for (uint32_t c = 0; c < 4; c++) {
            uint32_t bits = c < 3 ? mode->colour_bits : mode->alpha_bits;
            if (bits == 0) {
                endpoints[e][c] = 255;
                continue;
            }
            uint32_t value = extra ? endpoints[e][c] << 1 | p_bits[e] : endpoints[e][c];
            endpoints[e][c] = widen_to_8(value, bits + extra);
        }
    }
}

static uint8_t interpolate_8(uint32_t a, uint32_t b, uint32_t weight)
{
    return (uint8_t)((a * (64 - weight) + b * weight + 32) >> 6);
}

void format_bc7_decode(const uint8_t block[16], uint8_t texels[16][4])
{
    struct bit_reader reader = {{0, 0}, 0};
    memcpy(reader.words, block, 16);
    memset(texels, 0, 64);
    if (block[0] == 0)
        return;
    uint32_t mode_index = (uint32_t)__builtin_ctz(block[0]);
    const struct bc7_mode *mode = &bc7_modes[mode_index];
    reader.position = mode_index + 1;
    uint32_t partition = read_bits(&reader, mode->partition_bits);
    uint32_t rotation = read_bits(&reader, mode->rotation_bits);
    uint32_t selector = read_bits(&reader, mode->selector_bits);
    uint32_t endpoints[6][4];
    bc7_read_endpoints(&reader, mode, endpoints);

    uint8_t indices[2][16];
    read_indices(&reader, mode->subset_count, partition, mode->index_bits, indices[0]);
    uint32_t second_bits = mode->second_index_bits ? mode->second_index_bits : mode->index_bits;
    if (mode->second_index_bits)
        read_indices(&reader, 1, 0, second_bits, indices[1]);
    else
        memcpy(indices[1], indices[0], 16);
    const uint8_t *colour_weights = weights_of(selector ? second_bits : mode->index_bits);
    const uint8_t *alpha_weights = weights_of(selector ? mode->index_bits : second_bits);

    for (uint32_t t = 0; t < 16; t++) {
        uint32_t subset = subset_of(mode->subset_count, partition, t);
        const uint32_t *a = endpoints[2 * subset], *b = endpoints[2 * subset + 1];
        uint32_t colour_weight = colour_weights[indices[selector][t]];
        for (uint32_t c = 0; c < 3; c++)
            texels[t][c] = interpolate_8(a[c], b[c], colour_weight);
        texels[t][3] = interpolate_8(a[3], b[3], alpha_weights[indices[!selector][t]]);
        if (rotation) {
            uint8_t swapped = texels[t][rotation - 1];
            texels[t][rotation - 1] = texels[t][3];
            texels[t][3] = swapped;
        }
    }
}

static const struct bc6h_mode *bc6h_find_mode(struct bit_reader *reader)
{
    uint32_t code = read_bits(reader, 2);
    if (code >= 2)
        code |= read_bits(reader, 3) << 2;
    for (uint32_t i = 0; i < 14; i++)
        if (bc6h_modes[i].code == code)
            return &bc6h_modes[i];
    return NULL;
}

/* endpoints[end][component]; result: partition */
static uint32_t bc6h_read_header(struct bit_reader *reader, const struct bc6h_mode *mode, uint32_t endpoints[4][3])
{
    uint32_t partition = 0;
    for (uint32_t r = 0; r < mode->run_count; r++) {
        const struct bc6h_run *run = &mode->runs[r];
        uint32_t *target = run->field == 12 ? &partition : &endpoints[run->field & 3][run->field >> 2];
        int32_t step = run->first <= run->last ? 1 : -1;
        for (int32_t bit = run->first; bit != run->last + step; bit += step)
            *target |= read_bits(reader, 1) << bit;
    }
    return partition;
}

static int32_t sign_extend(uint32_t value, uint32_t bits)
{
    uint32_t top = 1u << (bits - 1);
    return (int32_t)((value ^ top) - top);
}

/* Differences to values, and signed values extended. */
static void bc6h_finish_endpoints(const struct bc6h_mode *mode, bool is_signed, uint32_t raw[4][3], int32_t endpoints[4][3])
{
    uint32_t mask = (1u << mode->base_bits) - 1;
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t e = 0; e < 4; e++) {
            uint32_t value = raw[e][c];
            if (e > 0 && mode->is_transformed)
                value = (raw[0][c] + (uint32_t)sign_extend(value, mode->delta_bits[c])) & mask;
            endpoints[e][c] = is_signed ? sign_extend(value, mode->base_bits) : (int32_t)value;
        }
    }
}

static int32_t bc6h_unquantise(int32_t value, uint32_t bits, bool is_signed)
{
    if (!is_signed) {
        if (bits >= 15 || value == 0)
            return value;
        return value == (1 << bits) - 1 ? 0xffff : ((value << 16) + 0x8000) >> bits;
    }
    if (bits >= 16 || value == 0)
        return value;
    int32_t magnitude = value < 0 ? -value : value;
    if (magnitude >= (1 << (bits - 1)) - 1)
        magnitude = 0x7fff;
    else
        magnitude = ((magnitude << 15) + 0x4000) >> (bits - 1);
    return value < 0 ? -magnitude : magnitude;
}

static uint16_t bc6h_to_half(int32_t value, bool is_signed)
{
    if (!is_signed)
        return (uint16_t)(value * 31 >> 6);
    int32_t magnitude = (value < 0 ? -value : value) * 31 >> 5;
    return (uint16_t)(value < 0 && magnitude ? 0x8000 | magnitude : magnitude); /* no negative zero */
}

void format_bc6h_decode(const uint8_t block[16], bool is_signed, uint16_t texels[16][3])
{
    struct bit_reader reader = {{0, 0}, 0};
    memcpy(reader.words, block, 16);
    memset(texels, 0, 96);
    const struct bc6h_mode *mode = bc6h_find_mode(&reader);
    if (!mode)
        return;
    uint32_t raw[4][3] = {{0}};
    int32_t endpoints[4][3];
    uint32_t partition = bc6h_read_header(&reader, mode, raw);
    bc6h_finish_endpoints(mode, is_signed, raw, endpoints);
    for (uint32_t e = 0; e < 4; e++)
        for (uint32_t c = 0; c < 3; c++)
            endpoints[e][c] = bc6h_unquantise(endpoints[e][c], mode->base_bits, is_signed);

    uint32_t index_bits = mode->subset_count == 2 ? 3 : 4;
    const uint8_t *weights = weights_of(index_bits);
    uint8_t indices[16];
    read_indices(&reader, mode->subset_count, partition, index_bits, indices);
    for (uint32_t t = 0; t < 16; t++) {
        uint32_t subset = subset_of(mode->subset_count, partition, t);
        int32_t weight = weights[indices[t]];
        for (uint32_t c = 0; c < 3; c++) {
            int32_t a = endpoints[2 * subset][c], b = endpoints[2 * subset + 1][c];
            texels[t][c] = bc6h_to_half((a * (64 - weight) + b * weight + 32) >> 6, is_signed);
        }
    }
}
