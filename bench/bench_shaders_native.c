/* SPDX-License-Identifier: MIT
 * What the shaders of cdxr-shader-bench do, as an engineer would write it in C without a device: no descriptors, no bounds.
 * Compiled with -O2 -march=native. */
#include "bench_shaders.h"

#include <math.h>

void native_kernel(uint32_t id, const float *input, float *output)
{
    float x = 0.5f;
    for (uint32_t i = 0; i < 64; i++) {
        float v = input[(id * 7 + i) & 1023];
        x = x * v + 0.25f;
        x = x > 1.0f ? x - 1.0f : x;
    }
    output[id] = x;
}

void native_texture_loop(uint32_t id, const uint8_t *rgba, float *output)
{
    float sum = 0;
    for (uint32_t i = 0; i < 16; i++) {
        const uint8_t *texel = rgba + (((id >> 8) & 255) * 256 + ((id + i) & 255)) * 4;
        sum += (float)texel[0] / 255.0f + (float)texel[1] / 255.0f + (float)texel[2] / 255.0f;
    }
    output[id] = sum / 48;
}

/* One axis of a wrapping bilinear footprint over 256 texels. */
static float wrap_axis(float u, uint32_t index[2])
{
    float scaled = (u - floorf(u)) * 256.0f - 0.5f, whole = floorf(scaled);
    index[0] = (uint32_t)(int32_t)whole & 255;
    index[1] = (index[0] + 1) & 255;
    return scaled - whole;
}

static float mix(float a, float b, float weight)
{
    return a + (b - a) * weight;
}

void native_sample_loop(uint32_t id, const uint8_t *rgba, float *output)
{
    float sum = 0;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t x[2], y[2];
        float wx = wrap_axis((float)(id & 255) * 0.013f + (float)i * 0.11f, x);
        float wy = wrap_axis((float)(id >> 8) * 0.017f + (float)i * 0.07f, y);
        const uint8_t *t00 = rgba + (y[0] * 256 + x[0]) * 4, *t10 = rgba + (y[0] * 256 + x[1]) * 4;
        const uint8_t *t01 = rgba + (y[1] * 256 + x[0]) * 4, *t11 = rgba + (y[1] * 256 + x[1]) * 4;
        float value[3];
        for (int c = 0; c < 3; c++)
            value[c] = mix(mix((float)t00[c] / 255.0f, (float)t10[c] / 255.0f, wx),
                           mix((float)t01[c] / 255.0f, (float)t11[c] / 255.0f, wx), wy);
        sum += value[0] + value[1] + value[2];
    }
    output[id] = sum / 48;
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct attributes {
    float normal[4];
    uint32_t reports;
};

void native_sphere_intersection(const struct native_sphere *sphere, const float origin[3], const float direction[3],
                                native_report_fn report)
{
    struct native_sphere s = *sphere;
    float o[3], d[3] = {direction[0], direction[1], direction[2]};
    for (int i = 0; i < 3; i++)
        o[i] = origin[i] - s.centre[i];
    float a = dot(d, d), b = dot(o, d), c = dot(o, o) - s.radius * s.radius, disc = b * b - a * c;
    if (disc <= 0.0f)
        return;
    float root = sqrtf(disc), front = (-b - root) / a, back = (-b + root) / a;
    struct attributes attributes = {{0}, 1};
    for (int i = 0; i < 3; i++)
        attributes.normal[i] = (o[i] + front * d[i]) / s.radius;
    if (report(front, 17, &attributes))
        return;
    if (s.style & 2) {
        float t = -o[2] / d[2], y = o[1] + t * d[1];
        if (s.disc_side == 0 || y > 0.0f) {
            attributes.reports |= 2;
            attributes.normal[0] = attributes.normal[1] = 0;
            attributes.normal[2] = -1;
            if (report(t, 42, &attributes))
                return;
        }
    }
    attributes.reports |= 4;
    for (int i = 0; i < 3; i++)
        attributes.normal[i] = -(o[i] + back * d[i]) / s.radius;
    report(back, 99, &attributes);
}
