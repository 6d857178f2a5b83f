/* SPDX-License-Identifier: MIT
 * See bc_ref.h. */
#include "ref/bc_ref.h"

static unsigned bits_at(const uint8_t *block, int first, int count)
{
    unsigned value = 0;
    for (int i = 0; i < count; i++)
        value |= (unsigned)(block[(first + i) / 8] >> ((first + i) % 8) & 1) << i;
    return value;
}

static void colour(const uint8_t *block, bool may_be_three, int texel, double out[4])
{
    unsigned c0 = bits_at(block, 0, 16), c1 = bits_at(block, 16, 16), index = bits_at(block, 32 + 2 * texel, 2);
    bool three = may_be_three && c0 <= c1;
    static const int place[3] = {11, 5, 0}, width[3] = {5, 6, 5};
    /* Share of the second colour in sixths. */
    static const int four_shares[4] = {0, 6, 2, 4}, three_shares[4] = {0, 6, 3, 0};
    int share = three ? three_shares[index] : four_shares[index];
    for (int c = 0; c < 3; c++) {
        double a = bits_at(block, place[c], width[c]), b = bits_at(block, 16 + place[c], width[c]);
        out[c] = (a * (6 - share) + b * share) / 6.0 / ((1 << width[c]) - 1);
        if (three && index == 3)
            out[c] = 0.0;
    }
    out[3] = three && index == 3 ? 0.0 : 1.0;
}

static double end_value(uint8_t byte, bool is_signed)
{
    if (!is_signed)
        return byte / 255.0;
    int value = byte >= 128 ? byte - 256 : byte;
    return value == -128 ? -1.0 : value / 127.0;
}

static double component(const uint8_t *block, bool is_signed, int texel)
{
    unsigned index = bits_at(block, 16 + 3 * texel, 3);
    double a = end_value(block[0], is_signed), b = end_value(block[1], is_signed);
    bool eight = is_signed ? (int8_t)block[0] > (int8_t)block[1] : block[0] > block[1];
    if (index == 0)
        return a;
    if (index == 1)
        return b;
    if (eight)
        return (a * (8 - (int)index) + b * ((int)index - 1)) / 7.0;
    if (index == 6)
        return is_signed ? -1.0 : 0.0;
    if (index == 7)
        return 1.0;
    return (a * (6 - (int)index) + b * ((int)index - 1)) / 5.0;
}

void bc_ref_texel(int kind, bool is_signed, const uint8_t *block, int texel, double out[4])
{
    out[0] = out[1] = out[2] = 0.0;
    out[3] = 1.0;
    if (kind <= 3)
        colour(kind == 1 ? block : block + 8, kind == 1, texel, out);
    if (kind == 2)
        out[3] = bits_at(block, 4 * texel, 4) / 15.0;
    if (kind == 3)
        out[3] = component(block, false, texel);
    if (kind >= 4)
        out[0] = component(block, is_signed, texel);
    if (kind == 5)
        out[1] = component(block + 8, is_signed, texel);
}
