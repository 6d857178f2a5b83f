/* SPDX-License-Identifier: MIT
 * What the rasteriser works on: processed vertices, compiled draws (all state that decides about a primitive's pixels,
 * copied when the primitive was queued), set-up primitives with their interpolation planes, tiles. Kernels are built
 * once per instruction set from raster_body.h and give the same pixels. */
#ifndef CDXR_DP2_RASTER_H
#define CDXR_DP2_RASTER_H

#include <stdbool.h>
#include <stdint.h>

#include "dp2/format.h"
#include "dp2/state.h"
#include "dp2/surface.h"

/* A processed vertex: floats at these slots, then four per texture slot, then one clip distance per enabled plane. */
enum vertex_slot {
    VERTEX_X = 0,          /* screen position in pixels */
    VERTEX_Y = 1,
    VERTEX_OUTCODE = 2,    /* bits of enum vertex_outcode, stored as an integer */
    VERTEX_CLIP_Z = 3,     /* z before the viewport, for the near and far planes */
    VERTEX_Z = 4,          /* device depth */
    VERTEX_RHW = 5,
    VERTEX_FOG = 6,        /* vertex fog factor, 1 unfogged */
    VERTEX_POINT_SIZE = 7,
    VERTEX_H = 8,          /* (x*w, y*w, z*w, w) in screen units */
    VERTEX_DIFFUSE = 12,   /* r g b a, 0..1 */
    VERTEX_SPECULAR = 16,
    VERTEX_TEXTURE = 20,
};
enum vertex_outcode {
    OUTCODE_NEAR = 1, OUTCODE_FAR = 2, OUTCODE_LEFT = 4, OUTCODE_RIGHT = 8, OUTCODE_TOP = 16, OUTCODE_BOTTOM = 32, OUTCODE_W = 64,
    OUTCODE_BAD = 128,     /* not finite: every primitive with it is skipped */
    OUTCODE_PLANES = 256,  /* some user plane */
};
enum {
    RASTER_TILE = 64,
    RASTER_SUBPIXEL_BITS = 8,
    RASTER_GUARD_BAND = 12288, /* pixels either side of 0; larger triangles are clipped to it. Edge functions stay in 32 bits inside a tile */
    RASTER_GROUPS = 3 + STATE_STAGES,
    VERTEX_MAX_FLOATS = VERTEX_TEXTURE + 4 * STATE_STAGES + STATE_CLIP_PLANES,
};

/* ---- textures ---- */
enum texture_fetch {
    FETCH_32,             /* ARGB8888 with OR mask */
    FETCH_MASKS,          /* 1..4 bytes, channels by shift */
    FETCH_PALETTE,        /* one byte an index */
    FETCH_PALETTE4,
    FETCH_BUMP,
};
struct texture_level {
    const uint8_t *memory;
    int32_t pitch_bytes, slice_bytes;
    int32_t width, height, depth;
};
struct texture {
    uint32_t handle;
    uint8_t fetch;        /* enum texture_fetch */
    struct format format;
    uint32_t or_mask;     /* FETCH_32: 0xFF000000 where the format has no alpha */
    bool has_alpha, is_cube, is_volume, has_color_key;
    uint32_t key_low[FORMAT_CHANNELS], key_high[FORMAT_CHANNELS]; /* per channel; palettes: [0] the index */
    uint32_t level_count, first_level;
    struct texture_level levels[SURFACE_FACES * SURFACE_MAX_LEVELS]; /* [face][level] */
    uint32_t palette[PALETTE_ENTRIES];
};

/* ---- stages ---- */
struct stage {
    uint8_t color_op, alpha_op;           /* D3DTOP_* */
    uint8_t color_arg[3], alpha_arg[3];   /* [0] is ARG0 */
    bool to_temp;
    const struct texture *texture;        /* NULL: texel reads as 1, 1, 1, 1 */
    uint8_t slot;                         /* texture slot of the vertex */
    uint8_t coordinate_count;             /* 2 or 3 */
    uint8_t projected;                    /* 0, or 1 + the component to divide by */
    uint8_t address[3];
    bool mag_linear, min_linear;
    uint8_t mip;                          /* 1 none, 2 point, 3 linear */
    float lod_bias;
    uint32_t max_level;
    float border[4];
    float bump[4], bump_scale, bump_offset;
    bool bumped;                          /* the stage before perturbs these coordinates */
};

/* ---- compiled draw ---- */
struct draw_target {
    uint8_t *memory;
    uint32_t pitch_bytes, width, height;
    struct format format;
};
/* Span functions: everything, or 8888 targets and the plainest shading with the rest switched off. */
enum draw_variant {
    VARIANT_GENERIC,
    VARIANT_DIFFUSE,      /* colour is diffuse */
    VARIANT_TEXTURE,      /* stage 0 alone, colour TEXTURE or TEXTURE * DIFFUSE, a plain 2D texture */
    VARIANT_BILINEAR,     /* the same with one level of 8888 texels, linear, wrapped, edges powers of two */
    VARIANT_DIRECT,       /* of a primitive: BILINEAR whose filtered texels are the pixels */
};
enum fog_mode { FOG_NONE, FOG_VERTEX, FOG_TABLE_Z, FOG_TABLE_W };

struct draw {
    struct draw_target color, depth;      /* memory NULL: none */
    uint32_t z_max, z_bits;               /* of the depth format: largest value, its bits in place */
    int32_t scissor[4];                   /* left, top, right, bottom (exclusive) */
    /* geometry */
    uint32_t vertex_floats;               /* per processed vertex, a multiple of 4 */
    uint8_t texture_slots;
    uint8_t cull, fill;
    bool identify, flat, perspective, clip_z, last_pixel, point_sprite;
    uint16_t line_pattern, line_repeat;   /* repeat 0: solid */
    uint32_t plane_count;                 /* user clip planes */
    float z_bias, z_near, z_far;          /* device depth range that is clipped to */
    uint8_t wrap[STATE_STAGES];           /* bit per coordinate */
    /* interpolated groups of four floats; group 0 is (z, rhw, fog, -) and linear in screen space */
    uint8_t group_count, group_source[RASTER_GROUPS];
    int8_t group_diffuse, group_specular, group_texture[STATE_STAGES]; /* -1: not interpolated */
    /* fragment */
    bool early_depth;                     /* test before shading: nothing later can drop or keep differently */
    bool z_test, z_write, w_buffer, stencil, alpha_test, stippled_alpha, blend, specular_add, color_key, stipple, write_color, plain_write;
    uint8_t z_func, alpha_func;
    uint8_t stencil_func, stencil_fail, stencil_zfail, stencil_pass;
    uint32_t stencil_ref, stencil_mask, stencil_write;
    uint32_t alpha_ref;                   /* 0..255 */
    uint8_t source_blend, destination_blend, blend_op;
    uint32_t write_mask;                  /* raw bits of the target that may change */
    uint8_t rop;                          /* R2_*, 13: copy */
    bool dither;
    float w_near, w_scale;                /* w buffer: (w - near) * scale */
    uint8_t fog;                          /* enum fog_mode */
    uint8_t fog_table;                    /* D3DFOG_* */
    float fog_start, fog_end, fog_scale, fog_density;
    float fog_color[3], factor[4];
    uint32_t stage_count;
    struct stage stages[STATE_STAGES];
    uint32_t stipple_rows[32];
    uint8_t variant;                      /* enum draw_variant */
    bool direct_if_white;                 /* BILINEAR: texels become pixels where the vertices' colour is 1 */
};

/* ---- set-up primitives ---- */
enum raster_kind { RASTER_TRIANGLE, RASTER_RECT, RASTER_LINE };

struct raster_plane {
    float origin[4], dx[4], dy[4];        /* value at the anchor, change per pixel */
};
struct raster_primitive {
    const struct draw *draw;
    uint8_t kind;                         /* enum raster_kind */
    uint8_t variant;                      /* enum draw_variant */
    bool affine;                          /* planes hold plain values: no division by rhw */
    uint16_t constant_groups;             /* bit per colour group that has one value all over: planes hold it plainly */
    bool y_major;                         /* lines */
    bool include_first, include_last;     /* lines: the pixels at the ends */
    int32_t x0, y0, x1, y1;               /* pixels touched, exclusive at x1, y1; inside the scissor */
    float anchor_x, anchor_y;
    int32_t edge_a[3], edge_b[3];         /* inside when a*x + b*y + c >= 0 for all three */
    int64_t edge_c[3];
    int32_t line_x0, line_y0, line_x1, line_y1; /* 1/256 pixel */
    int32_t line_first, line_last;        /* pixels along the major axis, in drawing order */
    struct raster_plane planes[];         /* draw->group_count */
};

struct raster_counters {
    uint64_t covered, failed_stipple, failed_color_key, failed_alpha, failed_stencil, failed_depth, written;
};

struct raster_tile {
    int32_t x0, y0, x1, y1;
    const struct raster_primitive *const *primitives;
    uint32_t primitive_count;
    struct raster_counters *counters;
};

/* Draw the parts of the primitives that lie in the tile, in order. */
typedef void (*raster_tile_fn)(const struct raster_tile *tile);

extern const raster_tile_fn dp2_raster_tile_generic;
#if defined(__x86_64__)
extern const raster_tile_fn dp2_raster_tile_avx2;
#endif
/* The best one for this CPU (base/cpu.h). */
raster_tile_fn dp2_raster_tile_select(void);

#endif
