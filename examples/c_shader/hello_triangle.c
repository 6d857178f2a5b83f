/* SPDX-License-Identifier: MIT
 * The shaders of examples/hello_triangle and fixture 01, in C: one ray a pixel through a window, barycentrics as colour.
 *     clang -O1 -emit-llvm -c hello_triangle.c -o hello_triangle.bc
 * Give hello_triangle.bc to CreateStateObject in place of DXIL, after cdxr_enable_c_shaders() or with CDXR_C_SHADERS=1.
 * Exports, root signatures and shader records are those of the HLSL version. */
#include <cdxr/shader.h>

CDXR_ACCELERATION_STRUCTURE(scene, 0, 0);
CDXR_RW_TEXTURE_2D(image, 0, 0);
CDXR_CONSTANT_BUFFER(window_constants, 0, 1);

struct window {
    float corner00[2], corner11[2];
    float plane_z, t_min, t_max;
    uint32_t mask;
};

struct payload {
    float colour[4];
};

CDXR_RAY_GENERATION(RayGen)
{
    struct window window;
    struct payload result = {{0, 0, 0, 0}};
    cdxr_handle constants = cdxr_resource_handle(thread, &window_constants, 0);
    cdxr_load_constants(thread, constants, 0, &window);
    cdxr_load_constants(thread, constants, 1, (char *)&window + 16);
    uint32_t x = cdxr_dispatch_rays_index(thread, 0), y = cdxr_dispatch_rays_index(thread, 1);
    float u = ((float)x + 0.5f) / (float)cdxr_dispatch_rays_dimensions(thread, 0);
    float v = ((float)y + 0.5f) / (float)cdxr_dispatch_rays_dimensions(thread, 1);
    cdxr_ray ray = {{window.corner00[0] + u * (window.corner11[0] - window.corner00[0]),
                     window.corner00[1] + v * (window.corner11[1] - window.corner00[1]), window.plane_z},
                    window.t_min,
                    {0, 0, 1},
                    window.t_max};
    cdxr_trace_ray(thread, cdxr_resource_handle(thread, &scene, 0), 0, window.mask, 0, 1, 0, &ray, &result);
    cdxr_texture_store(thread, cdxr_resource_handle(thread, &image, 0), x, y, result.colour);
    (void)payload;
    (void)attributes;
}

CDXR_MISS(Miss, struct payload)
{
    static const float sky[4] = {0.25f, 0.5f, 0.75f, 0.0f};
    __builtin_memcpy(payload->colour, sky, sizeof(sky));
    (void)thread;
    (void)attributes;
}

CDXR_CLOSEST_HIT(ClosestHit, struct payload, cdxr_barycentrics)
{
    payload->colour[0] = 1.0f - attributes->x - attributes->y;
    payload->colour[1] = attributes->x;
    payload->colour[2] = attributes->y;
    payload->colour[3] = 1.0f;
    (void)thread;
}
