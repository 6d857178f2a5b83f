/* SPDX-License-Identifier: MIT */
#include "ref/brute_force.h"

#include <math.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct brute_hit brute_triangle(const struct brute_ray *ray, const float a[3], const float b[3], const float c[3],
                                double slack)
{
    struct brute_hit hit = {0};
    double e1[3], e2[3], s[3], p[3], q[3], n[3];
    for (int i = 0; i < 3; i++) {
        e1[i] = (double)b[i] - a[i];
        e2[i] = (double)c[i] - a[i];
        s[i] = ray->origin[i] - a[i];
    }
    cross(ray->direction, e2, p);
    cross(s, e1, q);
    cross(e1, e2, n);
    double determinant = dot(e1, p);
    if (determinant == 0 || !isfinite(determinant))
        return hit;
    double u = dot(s, p) / determinant, v = dot(ray->direction, q) / determinant;
    hit.t = dot(e2, q) / determinant;
    hit.barycentrics[0] = u;
    hit.barycentrics[1] = v;
    hit.edge_distance = fmin(fmin(u, v), 1 - u - v);
    hit.front_face = dot(ray->direction, n) < 0;
    hit.hit = hit.edge_distance >= -slack && hit.t > ray->t_min && hit.t < ray->t_max;
    return hit;
}

bool brute_box(const struct brute_ray *ray, const float lower[3], const float upper[3])
{
    double near = ray->t_min, far = ray->t_max;
    for (int i = 0; i < 3; i++) {
        double a = ((double)lower[i] - ray->origin[i]) / ray->direction[i];
        double b = ((double)upper[i] - ray->origin[i]) / ray->direction[i];
        if (ray->direction[i] == 0) {
            if (ray->origin[i] < lower[i] || ray->origin[i] > upper[i])
                return false;
            continue;
        }
        near = fmax(near, fmin(a, b));
        far = fmin(far, fmax(a, b));
    }
    return near <= far;
}
