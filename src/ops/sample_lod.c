/* SPDX-License-Identifier: MIT
 * LOD and line of anisotropy from derivatives (ops/filter.h): D3D11.3 functional specification 7.18.11. */
#include "ops/filter.h"
#include "ops/math.h"

static float half_log2(float square)
{
    return 0.5f * ops_log_f32(square);
}

static float dot_self(const float v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static void scale_gradient(const struct filter *filter, const struct ops_sample_arguments *arguments,
                           const float gradient[3], const float size[3], float unit[3], float texels[3])
{
    unit[0] = unit[1] = unit[2] = 0.0f;
    if (filter->is_cube)
        cube_gradient(arguments->coord, gradient, unit);
    else
        for (uint32_t i = 0; i < filter->axes; i++)
            unit[i] = gradient[i];
    for (uint32_t i = 0; i < 3; i++)
        texels[i] = unit[i] * size[i];
}

/* texels[0], [1]: derivatives of x and y in texels; unit: in coordinates. */
static void anisotropic_lod(const struct filter *filter, float texels[2][3], float unit[2][3], struct filter_lod *out)
{
    float square_x = dot_self(texels[0]), square_y = dot_self(texels[1]);
    uint32_t major = square_x > square_y ? 0 : 1;
    float length = ops_sqrt_f32(major ? square_y : square_x);
    float determinant = __builtin_fabsf(texels[0][0] * texels[1][1] - texels[0][1] * texels[1][0]);
    float limit = (float)(filter->sampler->max_anisotropy > 16 ? 16 : filter->sampler->max_anisotropy);
    limit = limit > 1.0f ? limit : 1.0f;
    float ratio = length * length / determinant; /* a line: infinite */
    float minor = determinant / length;
    if (!(ratio <= limit)) {
        ratio = limit;
        minor = length / ratio;
    }
    if (minor < 1.0f)
        ratio = ratio * minor > 1.0f ? ratio * minor : 1.0f;
    out->lod = ops_log_f32(minor);
    out->tap_count = (uint32_t)ops_round_pi_f32(ratio - 1.0f / 64.0f);
    out->tap_count = out->tap_count < 1 ? 1 : out->tap_count > 16 ? 16 : out->tap_count;
    out->line[0] = unit[major][0];
    out->line[1] = unit[major][1];
}

void filter_gradient_lod(const struct filter *filter, const struct ops_sample_arguments *arguments, const float size[3],
                         struct filter_lod *out)
{
    float unit[2][3], texels[2][3];
    scale_gradient(filter, arguments, arguments->ddx, size, unit[0], texels[0]);
    scale_gradient(filter, arguments, arguments->ddy, size, unit[1], texels[1]);
    float square_x = dot_self(texels[0]), square_y = dot_self(texels[1]);
    float square = square_x > square_y ? square_x : square_y;
    out->tap_count = 1;
    out->line[0] = out->line[1] = 0.0f;
    bool is_anisotropic = (filter->sampler->filter & FILTER_BIT_ANISOTROPIC) && filter->axes == 2 && !filter->is_cube;
    if (is_anisotropic && square > 0.0f && square < 0x1p100f)
        anisotropic_lod(filter, texels, unit, out);
    else
        out->lod = half_log2(square);
}
