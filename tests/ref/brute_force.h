/* SPDX-License-Identifier: MIT
 * The slow truth: tests every triangle, in double, straight from vertex arrays. Knows nothing of acceleration
 * structures. */
#ifndef CDXR_TESTS_REF_BRUTE_FORCE_H
#define CDXR_TESTS_REF_BRUTE_FORCE_H

#include <stdbool.h>
#include <stdint.h>

struct brute_ray {
    double origin[3], direction[3];
    double t_min, t_max;
};

/* edge_distance: smallest barycentric, an estimate of how far inside the triangle the hit is (negative: outside). */
struct brute_hit {
    bool hit;
    double t;
    double barycentrics[2];
    double edge_distance;
    bool front_face; /* clockwise as seen from the origin, left-handed */
};

/* Möller-Trumbore in double. slack: barycentrics down to -slack count as inside. */
struct brute_hit brute_triangle(const struct brute_ray *ray, const float a[3], const float b[3], const float c[3],
                                double slack);
bool brute_box(const struct brute_ray *ray, const float lower[3], const float upper[3]);

#endif
