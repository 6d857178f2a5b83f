/* SPDX-License-Identifier: MIT
 * 64-bit content hash; cache keys and symbol names take two with different seeds. Not made against hostile inputs: who
 * can write to the cache directory can make the process run anything. */
#ifndef CDXR_JIT_HASH_H
#define CDXR_JIT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define JIT_HASH_SEED 0xcbf29ce484222325ull

static inline uint64_t jit_hash_bytes(uint64_t hash, const void *bytes, size_t byte_count)
{
    const uint8_t *p = bytes;
    for (; byte_count >= 8; p += 8, byte_count -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    for (size_t i = 0; i < byte_count; i++)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    hash ^= hash >> 32;
    return hash * 0xd6e8feb86659fd93ull;
}

static inline uint64_t jit_hash_u64(uint64_t hash, uint64_t value)
{
    return jit_hash_bytes(hash, &value, sizeof(value));
}

static inline uint64_t jit_hash_text(uint64_t hash, const char *text)
{
    return jit_hash_bytes(hash, text, strlen(text) + 1);
}

#endif
