/* SPDX-License-Identifier: MIT
 * The hash of a container: MD5's compression function (RFC 1321) over the bytes behind the digest, but with a padding of
 * its own: the bit count stands at the start of the last block and (byte count * 2 | 1) at its end, in place of MD5's
 * 64-bit length. Called by container.c, tests and fuzzers. */
#include "dxil/container.h"

#include <string.h>

struct md5 {
    uint32_t a, b, c, d;
};

static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
static const uint8_t shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t mix(const struct md5 *s, uint32_t step, uint32_t *word_index)
{
    switch (step / 16) {
    case 0:
        *word_index = step;
        return (s->b & s->c) | (~s->b & s->d);
    case 1:
        *word_index = (5 * step + 1) & 15;
        return (s->d & s->b) | (~s->d & s->c);
    case 2:
        *word_index = (3 * step + 5) & 15;
        return s->b ^ s->c ^ s->d;
    default:
        *word_index = (7 * step) & 15;
        return s->c ^ (s->b | ~s->d);
    }
}

static void compress(struct md5 *state, const uint8_t block[64])
{
    uint32_t words[16];
    memcpy(words, block, 64);
    struct md5 s = *state;
    for (uint32_t step = 0; step < 64; step++) {
        uint32_t word_index;
        uint32_t sum = s.a + mix(&s, step, &word_index);
        sum += sines[step] + words[word_index];
        uint32_t shift = shifts[step / 16][step & 3];
        uint32_t rotated = sum << shift | sum >> (32 - shift);
        s.a = s.d;
        s.d = s.c;
        s.c = s.b;
        s.b += rotated;
    }
    state->a += s.a;
    state->b += s.b;
    state->c += s.c;
    state->d += s.d;
}

void dxil_container_hash(const uint8_t *data, size_t byte_count, uint8_t digest[16])
{
    static const size_t skipped_bytes = 20; /* magic and digest */
    const uint8_t *bytes = data + skipped_bytes;
    uint32_t count = (uint32_t)(byte_count - skipped_bytes);
    uint32_t bit_count = count << 3, tail_word = count << 1 | 1;
    struct md5 state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint32_t left = count & 63;
    for (uint32_t i = 0; i + 64 <= count; i += 64)
        compress(&state, bytes + i);
    bytes += count - left;
    uint8_t block[64] = {0};
    if (left >= 56) {
        memcpy(block, bytes, left);
        block[left] = 0x80;
        compress(&state, block);
        memset(block, 0, sizeof(block));
    } else {
        memcpy(block + 4, bytes, left);
        block[4 + left] = 0x80;
    }
    memcpy(block, &bit_count, 4);
    memcpy(block + 60, &tail_word, 4);
    compress(&state, block);
    memcpy(digest, &state, 16);
}
