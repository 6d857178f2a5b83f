/* SPDX-License-Identifier: MIT
 * Cube map geometry (ops/filter.h): D3D11.3 functional specification 5.3.8, 7.18.7, 7.18.11, 7.18.12. */
#include "ops/filter.h"

/* Axes of a face: direction = sign * major axis, u and v run along the other two. Faces +X -X +Y -Y +Z -Z. */
struct cube_face {
    uint8_t major, u_axis, v_axis;
    int8_t major_sign, u_sign, v_sign;
};
static const struct cube_face faces[6] = {
    {0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1},
    {1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1},  {2, 0, 1, -1, -1, -1},
};

static uint32_t choose_face(const float direction[3])
{
    float x = __builtin_fabsf(direction[0]), y = __builtin_fabsf(direction[1]), z = __builtin_fabsf(direction[2]);
    uint32_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return axis * 2 + (direction[axis] < 0.0f);
}

static float to_unit(float x) /* infinite directions give NaN here */
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

uint32_t cube_face_of(const float direction[3], float coord[2])
{
    uint32_t index = choose_face(direction);
    const struct cube_face *face = &faces[index];
    float major = __builtin_fabsf(direction[face->major]);
    if (!(major > 0.0f)) /* zero or NaN */
        major = 1.0f;
    coord[0] = to_unit((float)face->u_sign * direction[face->u_axis] / major * 0.5f + 0.5f);
    coord[1] = to_unit((float)face->v_sign * direction[face->v_axis] / major * 0.5f + 0.5f);
    return index;
}

void cube_gradient(const float direction[3], const float gradient[3], float out[2])
{
    const struct cube_face *face = &faces[choose_face(direction)];
    float major = __builtin_fabsf(direction[face->major]);
    float major_gradient = (float)face->major_sign * gradient[face->major];
    float u = (float)face->u_sign * direction[face->u_axis], v = (float)face->v_sign * direction[face->v_axis];
    float square = major * major;
    out[0] = 0.5f * (major * (float)face->u_sign * gradient[face->u_axis] - u * major_gradient) / square;
    out[1] = 0.5f * (major * (float)face->v_sign * gradient[face->v_axis] - v * major_gradient) / square;
}

/* The place just beyond the edge is turned into a direction and projected again; scaling toward the new face's middle
 * moves it by less than half a texel. */
uint32_t cube_neighbour(uint32_t face_index, int32_t size, int32_t *x, int32_t *y)
{
    const struct cube_face *face = &faces[face_index];
    float direction[3], coord[2];
    float scale = 1.0f / (float)size;
    direction[face->major] = face->major_sign;
    direction[face->u_axis] = (float)face->u_sign * (float)(2 * *x + 1 - size) * scale;
    direction[face->v_axis] = (float)face->v_sign * (float)(2 * *y + 1 - size) * scale;
    uint32_t result = cube_face_of(direction, coord);
    int32_t new_x = (int32_t)(coord[0] * (float)size), new_y = (int32_t)(coord[1] * (float)size);
    *x = new_x < 0 ? 0 : new_x >= size ? size - 1 : new_x;
    *y = new_y < 0 ? 0 : new_y >= size ? size - 1 : new_y;
    return result;
}
