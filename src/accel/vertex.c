/* SPDX-License-Identifier: MIT */
#include "accel/vertex.h"

#include <string.h>

#include "base/half.h"

enum component { COMPONENT_NONE, COMPONENT_FLOAT, COMPONENT_HALF, COMPONENT_UNORM16, COMPONENT_SNORM16, COMPONENT_UNORM8,
                 COMPONENT_SNORM8, COMPONENT_UNORM10 };

struct format {
    enum component component;
    uint32_t count; /* components that are read */
};

static struct format describe(uint32_t format)
{
    switch (format) {
    case ACCEL_VERTEX_R32G32B32_FLOAT:
        return (struct format){COMPONENT_FLOAT, 3};
    case ACCEL_VERTEX_R32G32_FLOAT:
        return (struct format){COMPONENT_FLOAT, 2};
    case ACCEL_VERTEX_R16G16B16A16_FLOAT:
        return (struct format){COMPONENT_HALF, 3};
    case ACCEL_VERTEX_R16G16_FLOAT:
        return (struct format){COMPONENT_HALF, 2};
    case ACCEL_VERTEX_R16G16B16A16_UNORM:
        return (struct format){COMPONENT_UNORM16, 3};
    case ACCEL_VERTEX_R16G16_UNORM:
        return (struct format){COMPONENT_UNORM16, 2};
    case ACCEL_VERTEX_R16G16B16A16_SNORM:
        return (struct format){COMPONENT_SNORM16, 3};
    case ACCEL_VERTEX_R16G16_SNORM:
        return (struct format){COMPONENT_SNORM16, 2};
    case ACCEL_VERTEX_R8G8B8A8_UNORM:
        return (struct format){COMPONENT_UNORM8, 3};
    case ACCEL_VERTEX_R8G8_UNORM:
        return (struct format){COMPONENT_UNORM8, 2};
    case ACCEL_VERTEX_R8G8B8A8_SNORM:
        return (struct format){COMPONENT_SNORM8, 3};
    case ACCEL_VERTEX_R8G8_SNORM:
        return (struct format){COMPONENT_SNORM8, 2};
    case ACCEL_VERTEX_R10G10B10A2_UNORM:
        return (struct format){COMPONENT_UNORM10, 3};
    default:
        return (struct format){COMPONENT_NONE, 0};
    }
}

static uint32_t component_bytes(enum component component)
{
    static const uint8_t bytes[] = {0, 4, 2, 2, 2, 1, 1, 4};
    return bytes[component];
}

uint32_t accel_vertex_alignment_bytes(uint32_t format)
{
    return component_bytes(describe(format).component);
}

uint32_t accel_vertex_read_bytes(uint32_t format)
{
    struct format f = describe(format);
    return f.component == COMPONENT_UNORM10 ? 4 : f.count * component_bytes(f.component);
}

/* Two codes of SNORM mean -1. */
static float snorm(int32_t value, float largest)
{
    float f = (float)value / largest;
    return f < -1 ? -1 : f;
}

static float read_component(enum component component, const uint8_t *p)
{
    float f;
    uint16_t u16 = 0;
    if (component_bytes(component) == 2)
        memcpy(&u16, p, 2);
    switch (component) {
    case COMPONENT_FLOAT:
        memcpy(&f, p, 4);
        return f;
    case COMPONENT_HALF:
        return half_to_float(u16);
    case COMPONENT_UNORM16:
        return (float)u16 / 65535.0f;
    case COMPONENT_SNORM16:
        return snorm((int16_t)u16, 32767.0f);
    case COMPONENT_UNORM8:
        return (float)*p / 255.0f;
    case COMPONENT_SNORM8:
        return snorm((int8_t)*p, 127.0f);
    default:
        return 0;
    }
}

void accel_vertex_read(uint32_t format, const void *address, float vertex[3])
{
    struct format f = describe(format);
    uint32_t packed;
    vertex[2] = 0;
    if (f.component == COMPONENT_UNORM10) {
        memcpy(&packed, address, 4);
        for (uint32_t i = 0; i < 3; i++)
            vertex[i] = (float)(packed >> (10 * i) & 1023) / 1023.0f;
        return;
    }
    for (uint32_t i = 0; i < f.count; i++)
        vertex[i] = read_component(f.component, (const uint8_t *)address + i * component_bytes(f.component));
}
