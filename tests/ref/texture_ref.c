/* SPDX-License-Identifier: MIT
 * See texture_ref.h. Every texel of a footprint is found on its own; nothing is shared or reordered for speed. */
#include "ref/texture_ref.h"

#include <math.h>
#include <string.h>

struct tap {
    double weight;
    double value[4];
};

struct collector {
    struct tap taps[64];
    int count;
};

static int extent(int size, int mip)
{
    return size >> mip ? size >> mip : 1;
}

/* -1: border */
static int address(int i, int n, int mode)
{
    if (mode == 1)
        return ((i % n) + n) % n;
    if (mode == 2) {
        int period = ((i % (2 * n)) + 2 * n) % (2 * n);
        return period < n ? period : 2 * n - 1 - period;
    }
    if (mode == 4)
        return i < 0 || i >= n ? -1 : i;
    if (mode == 5 && i < 0)
        i = -1 - i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static bool passes(int comparison, double reference, double texel)
{
    bool results[9] = {false, false, reference < texel, reference == texel, reference <= texel,
                       reference > texel, reference != texel, reference >= texel, true};
    return results[comparison];
}

static void add(struct collector *all, double weight, const float *texel)
{
    struct tap *tap = &all->taps[all->count++];
    tap->weight = weight;
    for (int c = 0; c < 4; c++)
        tap->value[c] = texel[c];
}

/* Cube faces as bases: outward, u to the right, v downward. */
static const double bases[6][3][3] = {
    {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
    {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}}, {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Z before Y before X at ties, the later test wins. */
static int face_of(const double p[3])
{
    double best = -1.0;
    int face = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (fabs(p[axis]) >= best) {
            best = fabs(p[axis]);
            face = 2 * axis + (p[axis] < 0.0);
        }
    }
    return face;
}

static const float *cube_texel(const struct ref_texture *texture, int mip, int cube, int face, int x, int y)
{
    int n = extent(texture->width, mip);
    double s = (2.0 * x + 1.0) / n - 1.0, t = (2.0 * y + 1.0) / n - 1.0;
    if (fabs(s) < 1.0 && fabs(t) < 1.0)
        return texture->texel(texture, mip, cube * 6 + face, x, y, 0);
    /* Fold the overhang around the edge. */
    double over_s = fmax(0.0, fabs(s) - 1.0), over_t = fmax(0.0, fabs(t) - 1.0);
    double cs = fmax(-1.0, fmin(1.0, s)), ct = fmax(-1.0, fmin(1.0, t)), p[3];
    for (int i = 0; i < 3; i++)
        p[i] = bases[face][0][i] * (1.0 - over_s - over_t) + bases[face][1][i] * cs + bases[face][2][i] * ct;
    int next = face_of(p);
    int nx = (int)floor((dot(p, bases[next][1]) + 1.0) * 0.5 * n), ny = (int)floor((dot(p, bases[next][2]) + 1.0) * 0.5 * n);
    return texture->texel(texture, mip, cube * 6 + next, nx, ny, 0);
}

static void collect_cube(const struct ref_texture *texture, const struct ref_sample *sample, int mip, bool linear,
                         double share, struct collector *all, double *edge)
{
    int n = extent(texture->width, mip), face = face_of(sample->coord);
    double major = dot(sample->coord, bases[face][0]);
    double u = (dot(sample->coord, bases[face][1]) / major * 0.5 + 0.5) * n;
    double v = (dot(sample->coord, bases[face][2]) / major * 0.5 + 0.5) * n;
    if (!linear) {
        *edge = fmin(*edge, fmin(fabs(u - round(u)), fabs(v - round(v))));
        int x = (int)fmin(u, n - 1), y = (int)fmin(v, n - 1);
        add(all, share, texture->texel(texture, mip, sample->slice * 6 + face, x, y, 0));
        return;
    }
    double fu = floor(u - 0.5), fv = floor(v - 0.5), wu = u - 0.5 - fu, wv = v - 0.5 - fv, lost = 0.0;
    int first = all->count;
    for (int i = 0; i < 4; i++) {
        int x = (int)fu + (i & 1), y = (int)fv + (i >> 1);
        double weight = share * (i & 1 ? wu : 1 - wu) * (i >> 1 ? wv : 1 - wv);
        if ((x < 0 || x >= n) && (y < 0 || y >= n))
            lost = weight;
        else
            add(all, weight, cube_texel(texture, mip, sample->slice, face, x, y));
    }
    if (all->count - first == 3)
        for (int i = first; i < all->count; i++)
            all->taps[i].weight += lost / 3.0;
}

static void collect_plain(const struct ref_texture *texture, const struct abi_sampler *sampler,
                          const struct ref_sample *sample, int mip, bool linear, double share, struct collector *all,
                          double *edge)
{
    int size[3] = {extent(texture->width, mip), extent(texture->height, mip), extent(texture->depth, mip)};
    int low[3] = {0, 0, 0};
    double weight_high[3] = {0, 0, 0};
    float border[4];
    memcpy(border, sampler->border, sizeof(border));
    for (int a = 0; a < texture->axes; a++) {
        double place = sample->coord[a] * size[a] - (linear ? 0.5 : 0.0);
        low[a] = (int)floor(place) + sample->offset[a];
        weight_high[a] = linear ? place - floor(place) : 0.0;
        if (!linear)
            *edge = fmin(*edge, fabs(place - round(place)));
    }
    for (int i = 0; i < (linear ? 1 << texture->axes : 1); i++) {
        int at[3] = {0, 0, 0};
        double weight = share;
        bool is_border = false;
        for (int a = 0; a < texture->axes; a++) {
            int high = i >> a & 1;
            at[a] = address(low[a] + high, size[a], sampler->address[a]);
            weight *= high ? weight_high[a] : 1.0 - weight_high[a];
            is_border = is_border || at[a] < 0;
        }
        add(all, weight, is_border ? border : texture->texel(texture, mip, sample->slice, at[0], at[1], at[2]));
    }
}

static void reduce(const struct abi_sampler *sampler, const struct ref_sample *sample, const struct collector *all,
                   double out[4])
{
    int reduction = sampler->filter >> 7 & 3;
    bool is_first = true;
    out[0] = out[1] = out[2] = out[3] = 0.0;
    for (int i = 0; i < all->count; i++) {
        const struct tap *tap = &all->taps[i];
        if (tap->weight <= 0.0)
            continue;
        for (int c = 0; c < 4; c++) {
            if (sample->is_comparison)
                out[c] += c == 0 && passes(sampler->comparison, sample->reference, tap->value[0]) ? tap->weight : 0.0;
            else if (reduction == 2)
                out[c] = is_first ? tap->value[c] : fmin(out[c], tap->value[c]);
            else if (reduction == 3)
                out[c] = is_first ? tap->value[c] : fmax(out[c], tap->value[c]);
            else
                out[c] += tap->weight * tap->value[c];
        }
        is_first = false;
    }
}

void texture_ref_sample(const struct ref_texture *texture, const struct abi_sampler *sampler,
                        const struct ref_sample *sample, double out[4], double *nearest_edge)
{
    struct collector all = {.count = 0};
    double lod = sample->lod + sampler->mip_lod_bias;
    lod = fmax(sampler->min_lod, fmin(sampler->max_lod, lod));
    bool linear = sampler->filter >> (lod <= 0.0 ? 2 : 4) & 1;
    *nearest_edge = fabs(lod);
    lod = fmin(fmax(lod, 0.0), texture->mip_count - 1);
    int first = (int)floor(lod);
    double weight = lod - first;
    if (!(sampler->filter & 1)) {
        *nearest_edge = fmin(*nearest_edge, fabs(weight - 0.5));
        first = (int)floor(lod + 0.5);
        weight = 0.0;
    }
    for (int level = 0; level < (weight > 0.0 ? 2 : 1); level++) {
        double share = level ? weight : 1.0 - weight;
        if (texture->is_cube)
            collect_cube(texture, sample, first + level, linear, share, &all, nearest_edge);
        else
            collect_plain(texture, sampler, sample, first + level, linear, share, &all, nearest_edge);
    }
    reduce(sampler, sample, &all, out);
}

double texture_ref_lod(const struct ref_texture *texture, const double ddx[3], const double ddy[3])
{
    double size[3] = {texture->width, texture->height, texture->depth}, x = 0.0, y = 0.0;
    for (int a = 0; a < texture->axes; a++) {
        x += ddx[a] * size[a] * ddx[a] * size[a];
        y += ddy[a] * size[a] * ddy[a] * size[a];
    }
    return 0.5 * log2(fmax(x, y));
}
