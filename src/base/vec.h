/* SPDX-License-Identifier: MIT
 * float3 and row-major 3x4 helpers. Freestanding: used by machine code from shaders too. */
#ifndef CDXR_BASE_VEC_H
#define CDXR_BASE_VEC_H

/* out = m * (p, 1); m is a row-major 3x4 matrix. */
static inline void vec_transform_point(const float m[12], const float p[3], float out[3])
{
    float x = p[0], y = p[1], z = p[2];
    for (int row = 0; row < 3; row++)
        out[row] = m[row * 4] * x + m[row * 4 + 1] * y + m[row * 4 + 2] * z + m[row * 4 + 3];
}

/* World point to object space: inverse is the inverse of m; only its linear part is used, on p moved by m's translation,
 * which keeps more digits than inverse * (p, 1) far from the origin and gives the same object point for every
 * translated copy of an instance. */
static inline void vec_transform_point_back(const float m[12], const float inverse[12], const float p[3], float out[3])
{
    float x = p[0] - m[3], y = p[1] - m[7], z = p[2] - m[11];
    for (int row = 0; row < 3; row++)
        out[row] = inverse[row * 4] * x + inverse[row * 4 + 1] * y + inverse[row * 4 + 2] * z;
}

/* out = m * (v, 0). */
static inline void vec_transform_direction(const float m[12], const float v[3], float out[3])
{
    float x = v[0], y = v[1], z = v[2];
    for (int row = 0; row < 3; row++)
        out[row] = m[row * 4] * x + m[row * 4 + 1] * y + m[row * 4 + 2] * z;
}

#endif
