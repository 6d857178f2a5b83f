/* SPDX-License-Identifier: MIT
 * Lane operations in plain C: the reference that every other instruction set is compared with. See kernel_body.h for
 * what each operation means. min and max give their second operand when one is NaN. */
#ifndef CDXR_TRACE_LANES_SCALAR_H
#define CDXR_TRACE_LANES_SCALAR_H

#include <stdint.h>

typedef struct { float lane[8]; } lanes8;
typedef struct { float lane[4]; } lanes4;

#define LANES_OPERATIONS(N)                                                                                  \
    static inline lanes##N lanes##N##_load(const float *p)                                                   \
    {                                                                                                        \
        lanes##N r;                                                                                          \
        for (int i = 0; i < N; i++)                                                                          \
            r.lane[i] = p[i];                                                                                \
        return r;                                                                                            \
    }                                                                                                        \
    static inline lanes##N lanes##N##_splat(float a)                                                         \
    {                                                                                                        \
        lanes##N r;                                                                                          \
        for (int i = 0; i < N; i++)                                                                          \
            r.lane[i] = a;                                                                                   \
        return r;                                                                                            \
    }                                                                                                        \
    static inline uint32_t lanes##N##_le_mask(lanes##N a, lanes##N b)                                        \
    {                                                                                                        \
        uint32_t r = 0;                                                                                      \
        for (int i = 0; i < N; i++)                                                                          \
            r |= (uint32_t)(a.lane[i] <= b.lane[i]) << i;                                                    \
        return r;                                                                                            \
    }
#define LANES_BINARY(N, name, expression)                                                                    \
    static inline lanes##N lanes##N##_##name(lanes##N a, lanes##N b)                                         \
    {                                                                                                        \
        lanes##N r;                                                                                          \
        for (int i = 0; i < N; i++)                                                                          \
            r.lane[i] = (expression);                                                                        \
        return r;                                                                                            \
    }
LANES_OPERATIONS(8)
LANES_OPERATIONS(4)
LANES_BINARY(8, min, a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i])
LANES_BINARY(8, max, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i])
LANES_BINARY(4, min, a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i])
LANES_BINARY(4, max, a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i])
LANES_BINARY(8, sub, a.lane[i] - b.lane[i])
LANES_BINARY(8, mul, a.lane[i] * b.lane[i])
LANES_BINARY(4, sub, a.lane[i] - b.lane[i])
LANES_BINARY(4, mul, a.lane[i] * b.lane[i])

static inline lanes8 lanes8_mul_add(lanes8 a, lanes8 b, lanes8 c)
{
    lanes8 r;
    for (int i = 0; i < 8; i++)
        r.lane[i] = a.lane[i] * b.lane[i] + c.lane[i];
    return r;
}

static inline void lanes8_store(float *p, lanes8 a)
{
    for (int i = 0; i < 8; i++)
        p[i] = a.lane[i];
}

#endif
