/* SPDX-License-Identifier: MIT
 * The legacy Direct3D command stream (D3dDrawPrimitives2, DirectX 6 to 8.1) executed in software. A driver or an
 * emulator registers surfaces by handle, hands over each D3DHAL_DRAWPRIMITIVES2DATA, and finds the pixels in the
 * registered memory when the call returns. docs/dp2.md is the reference of stream, rules and capture format.
 *
 * Functions return enum cdxr_dp2_error unless they say otherwise. A context is used by one thread at a time;
 * contexts that share surfaces (share_with) too. Nothing here keeps a pointer to caller memory beyond the call,
 * except the memory of registered surfaces, which must stay valid until unregistered. */
#ifndef CDXR_DP2_H
#define CDXR_DP2_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CDXR_API
#define CDXR_API __attribute__((visibility("default")))
#endif

struct cdxr_dp2_context;
struct _D3DHAL_DRAWPRIMITIVES2DATA;       /* cdxr/d3dhal.h or the DDK's own header: the layouts are the same */
struct cdxr_d3dhal_drawprimitives2data32; /* cdxr/d3dhal.h */

enum cdxr_dp2_error {
    CDXR_DP2_OK = 0,
    CDXR_DP2_ERROR_MEMORY,      /* no memory left */
    CDXR_DP2_ERROR_INVALID,     /* an argument breaks a rule; the log callback got the reason */
    CDXR_DP2_ERROR_UNSUPPORTED, /* legal, not available */
    CDXR_DP2_ERROR_CORRUPT,     /* bytes of a capture do not follow the format */
    CDXR_DP2_END                /* replay: no further event */
};

/* ---- policies: where public sources disagree (docs/dp2.md, "Policies"). 0 is always the default ---- */
enum cdxr_dp2_clear_zero { CDXR_DP2_CLEAR_ZERO_16_BYTES, CDXR_DP2_CLEAR_ZERO_32_BYTES };
enum cdxr_dp2_count_zero { CDXR_DP2_COUNT_ZERO_FORMULA, CDXR_DP2_COUNT_ZERO_NO_VERTICES };
enum cdxr_dp2_record_zero { CDXR_DP2_RECORD_ZERO_NO_OP, CDXR_DP2_RECORD_ZERO_ERROR };
enum cdxr_dp2_target_many { CDXR_DP2_TARGET_LAST_WINS, CDXR_DP2_TARGET_READ_ONE };
enum cdxr_dp2_palette_many { CDXR_DP2_PALETTE_ONE_RECORD, CDXR_DP2_PALETTE_COUNT_RECORDS };
enum cdxr_dp2_palette_range { CDXR_DP2_PALETTE_RANGE_CLIP, CDXR_DP2_PALETTE_RANGE_REJECT };
enum cdxr_dp2_exit { CDXR_DP2_EXIT_ENDS, CDXR_DP2_EXIT_ENDS_EXECUTE_BUFFER_ONLY };
enum cdxr_dp2_offset_base { CDXR_DP2_OFFSET_FROM_SURFACE, CDXR_DP2_OFFSET_FROM_FIRST_TOKEN };
enum cdxr_dp2_bad_index { CDXR_DP2_BAD_INDEX_SKIP_PRIMITIVE, CDXR_DP2_BAD_INDEX_REJECT_TOKEN };
enum cdxr_dp2_fan_edges { CDXR_DP2_FAN_EDGES_AFTER_HEADER, CDXR_DP2_FAN_EDGES_AFTER_PAD };
enum cdxr_dp2_fog_alpha { CDXR_DP2_FOG_ALPHA_MISSING_IS_0, CDXR_DP2_FOG_ALPHA_MISSING_IS_255 };

struct cdxr_dp2_policies {
    uint32_t clear_zero;          /* CLEAR with n = 0: payload bytes */
    uint32_t fan_imm_zero;        /* TRIANGLEFAN_IMM with n = 0: two vertices, or none */
    uint32_t indexed_strip_zero;  /* indexed strip or fan with n = 0: two indices, or the base word only */
    uint32_t record_zero;         /* SETPALETTE, TEXBLT, SETRENDERTARGET with n = 0 */
    uint32_t target_many;         /* SETRENDERTARGET with n > 1 */
    uint32_t palette_many;        /* UPDATEPALETTE with n != 1 */
    uint32_t palette_range;       /* UPDATEPALETTE with start + count > 256 */
    uint32_t exit;                /* opcode 11 */
    uint32_t offset_base;         /* what dwErrorOffset counts from */
    uint32_t bad_index;           /* vertex index at or beyond dwVertexLength; strict mode always rejects */
    uint32_t fan_edges;           /* where TRIANGLEFAN_IMM's edge DWORD lies at an offset of 2 mod 4 */
    uint32_t fog_alpha;           /* vertex fog factor of vertices without specular colour */
    uint32_t reserved[8];         /* 0 */
};

/* ---- limits of the work of one call; 0 takes the default ---- */
struct cdxr_dp2_limits {
    uint32_t command_bytes;  /* of one call; default 16 MiB */
    uint32_t vertex_bytes;   /* of one call, when read through callbacks; default 32 MiB */
    uint64_t vertices;       /* processed in one call; default 16 Mi */
    uint64_t pixels;         /* visited in one call (areas of bounding boxes); default 16 Gi */
    uint32_t state_sets;     /* alive; default 4096 */
    uint32_t lights;         /* alive; default 4096 */
    uint32_t shaders;        /* alive, vertex and pixel each; default 4096 */
    uint32_t kept_bytes;     /* of recorded state sets and shader code; default 64 MiB */
    uint32_t capture_bytes;  /* of all surfaces of a capture being read; default 1 GiB */
};

/* ---- callbacks; any may be NULL ---- */
enum cdxr_dp2_severity { CDXR_DP2_SEVERITY_NOTE, CDXR_DP2_SEVERITY_WARNING, CDXR_DP2_SEVERITY_ERROR };
struct cdxr_dp2_message {
    uint32_t severity;  /* enum cdxr_dp2_severity; ERROR: the call failed there */
    uint32_t offset;    /* of the token's header, from the start of the command buffer surface; ~0: none */
    uint32_t opcode;    /* 0: none */
    const char *text;   /* one line naming token, field, value and rule */
};
typedef void (*cdxr_dp2_log_fn)(void *cookie, const struct cdxr_dp2_message *message);

/* D3dParseUnknownCommand. token..token+byte_count is what is left of the buffer. Return D3D_OK and set
 * *resume_bytes to the length of the token (1..byte_count), or an error to stop there. */
typedef int32_t (*cdxr_dp2_parse_unknown_fn)(void *cookie, const void *token, size_t byte_count, size_t *resume_bytes);

/* Guest memory. Return non-zero when all bytes were transferred. Addresses are 32-bit guest addresses. */
typedef int (*cdxr_dp2_read_fn)(void *cookie, uint64_t address, void *bytes, size_t byte_count);
typedef int (*cdxr_dp2_write_fn)(void *cookie, uint64_t address, const void *bytes, size_t byte_count);
/* Guest surface object (lpDDCommands, lpDDVertex) to the address of its memory; return non-zero on success. Without it the
 * objects are read in the layout that guest_is_nt selects. */
typedef int (*cdxr_dp2_resolve_fn)(void *cookie, uint64_t surface_object, uint64_t *memory_address);

struct cdxr_dp2_statistics {
    uint64_t calls, tokens, vertices;
    uint64_t triangles, lines, points;      /* assembled */
    uint64_t primitives_skipped;            /* bad index, not finite, over a limit */
    uint64_t triangles_culled, triangles_clipped_away;
    uint64_t pixels_covered;                /* fragments that coverage and scissor let through, and of these: */
    uint64_t pixels_failed_stipple, pixels_failed_color_key, pixels_failed_alpha, pixels_failed_stencil,
        pixels_failed_depth, pixels_written;
};

struct cdxr_dp2_token {
    uint32_t offset, byte_count;            /* header included; offset as in messages */
    uint32_t opcode, count;
    const char *name;
    const uint8_t *bytes;
    const struct cdxr_dp2_statistics *statistics; /* of this token alone */
    uint32_t after;                         /* 0: about to run, 1: done */
};
/* Called before and after each token; return non-zero (before) to stop the call in front of this token. With this
 * callback set every token is drawn completely before the next one is read. */
typedef int (*cdxr_dp2_token_fn)(void *cookie, const struct cdxr_dp2_token *token);

struct cdxr_dp2_config {
    uint32_t struct_bytes;      /* sizeof(struct cdxr_dp2_config); set by cdxr_dp2_config_init */
    uint32_t ddi_level;         /* 6, 7 or 8: tokens above it are unknown. Default 8 */
    uint32_t interface_level;   /* of the runtime: 0 execute buffers, 2 DX6, 3 DX7, 4 d3d8.dll. Default 3 (4 at level 8) when ~0 */
    uint32_t device_caps;       /* D3DDEVCAPS_HWTRANSFORMANDLIGHT admits untransformed vertices. Default: set */
    uint32_t strict;            /* 0: skip and log what is bad; 1: fail the call at the token */
    uint32_t thread_count;      /* 0: one per CPU or CDXR_THREADS; 1: no threads */
    uint32_t guest_is_nt;       /* layout of guest surface objects: 0 Windows 9x, 1 XP */
    uint32_t force_wireframe;   /* draw every triangle as its edges (tools) */
    uint32_t identify;          /* draw each triangle in its number (RGB, 1 first) with a nearest-wins depth test and nothing else:
                                 * 1 by z, 2 by w (up to 1024). CLEAR writes colour 0. Numbers are triangle_numbers of collections */
    struct cdxr_dp2_policies policies;
    struct cdxr_dp2_limits limits;
    void *cookie;               /* first argument of every callback */
    cdxr_dp2_log_fn log;
    cdxr_dp2_parse_unknown_fn parse_unknown;
    cdxr_dp2_read_fn read;
    cdxr_dp2_write_fn write;
    cdxr_dp2_resolve_fn resolve;
    cdxr_dp2_token_fn token;
    struct cdxr_dp2_context *share_with; /* surfaces, palettes and their handles are common; state is not */
    uint64_t reserved[7];
};

/* ---- surfaces ---- */
/* Pixel formats as DDPIXELFORMAT describes them: flags are DDPF_*. */
struct cdxr_dp2_pixel_format {
    uint32_t flags;      /* RGB 0x40, ALPHAPIXELS 1, ALPHA 2, FOURCC 4, PALETTEINDEXED4 8, PALETTEINDEXED8 0x20,
                          * ZBUFFER 0x400, STENCILBUFFER 0x4000, LUMINANCE 0x20000, BUMPLUMINANCE 0x40000, BUMPDUDV 0x80000 */
    uint32_t four_cc;    /* DXT1..DXT5, UYVY, YUY2 */
    uint32_t bit_count;  /* 4, 8, 16, 24, 32 per pixel */
    uint32_t red_mask;   /* or luminance, or du */
    uint32_t green_mask; /* or dv, or z bits */
    uint32_t blue_mask;  /* or bump luminance, or stencil bits */
    uint32_t alpha_mask;
};
enum cdxr_dp2_format {
    CDXR_DP2_FORMAT_R8G8B8 = 1, CDXR_DP2_FORMAT_A8R8G8B8, CDXR_DP2_FORMAT_X8R8G8B8, CDXR_DP2_FORMAT_R5G6B5,
    CDXR_DP2_FORMAT_X1R5G5B5, CDXR_DP2_FORMAT_A1R5G5B5, CDXR_DP2_FORMAT_A4R4G4B4, CDXR_DP2_FORMAT_X4R4G4B4,
    CDXR_DP2_FORMAT_R3G3B2, CDXR_DP2_FORMAT_A8R3G3B2, CDXR_DP2_FORMAT_A8, CDXR_DP2_FORMAT_P8, CDXR_DP2_FORMAT_P4,
    CDXR_DP2_FORMAT_L8, CDXR_DP2_FORMAT_A8L8, CDXR_DP2_FORMAT_A4L4, CDXR_DP2_FORMAT_V8U8, CDXR_DP2_FORMAT_L6V5U5,
    CDXR_DP2_FORMAT_X8L8V8U8, CDXR_DP2_FORMAT_DXT1, CDXR_DP2_FORMAT_DXT2, CDXR_DP2_FORMAT_DXT3, CDXR_DP2_FORMAT_DXT4,
    CDXR_DP2_FORMAT_DXT5, CDXR_DP2_FORMAT_UYVY, CDXR_DP2_FORMAT_YUY2, CDXR_DP2_FORMAT_D16, CDXR_DP2_FORMAT_D15S1,
    CDXR_DP2_FORMAT_D24X8, CDXR_DP2_FORMAT_D24S8, CDXR_DP2_FORMAT_D24X4S4, CDXR_DP2_FORMAT_D32,
    CDXR_DP2_FORMAT_S8D24 /* stencil in the low byte, depth above */
};

enum cdxr_dp2_surface_flag {
    CDXR_DP2_SURFACE_TEXTURE = 1,
    CDXR_DP2_SURFACE_TARGET = 2,
    CDXR_DP2_SURFACE_DEPTH = 4,
    CDXR_DP2_SURFACE_BUFFER = 8, /* vertices or indices of DX8 streams: one level, bytes only */
    CDXR_DP2_SURFACE_CUBE = 16,  /* six faces +x -x +y -y +z -z, each with level_count levels */
    CDXR_DP2_SURFACE_VOLUME = 32,
    CDXR_DP2_SURFACE_COLOR_KEY = 64 /* color_key_low..high, in the surface's own pixel values */
};
struct cdxr_dp2_level {
    void *memory;          /* host memory, any alignment; read and written during calls */
    size_t byte_count;     /* that may be touched */
    int32_t pitch_bytes;   /* row to row (4x4 block row for DXT); not negative */
    int32_t slice_bytes;   /* slice to slice, volumes only */
};
struct cdxr_dp2_surface {
    uint32_t handle;       /* not 0; registering it again replaces the surface */
    uint32_t flags;        /* enum cdxr_dp2_surface_flag */
    uint32_t width, height, depth; /* of level 0, 1..8192 (depth 1..512, 0 means 1) */
    uint32_t level_count;  /* 1..14; each level halves, at least 1 */
    uint32_t color_key_low, color_key_high;
    struct cdxr_dp2_pixel_format format;
    const struct cdxr_dp2_level *levels; /* [face][level], copied */
};

CDXR_API void cdxr_dp2_pixel_format_init(enum cdxr_dp2_format format, struct cdxr_dp2_pixel_format *pixel_format);
CDXR_API void cdxr_dp2_config_init(struct cdxr_dp2_config *config);
CDXR_API enum cdxr_dp2_error cdxr_dp2_create(const struct cdxr_dp2_config *config, struct cdxr_dp2_context **context);
CDXR_API void cdxr_dp2_destroy(struct cdxr_dp2_context *context);
/* Value for dwhContext of the DDK structure; a call with another value is answered D3DHAL_CONTEXT_BAD. */
CDXR_API uint32_t cdxr_dp2_context_handle(const struct cdxr_dp2_context *context);

CDXR_API enum cdxr_dp2_error cdxr_dp2_surface_register(struct cdxr_dp2_context *context, const struct cdxr_dp2_surface *surface);
CDXR_API void cdxr_dp2_surface_unregister(struct cdxr_dp2_context *context, uint32_t handle);
/* Fill in a registered surface's description; levels points into the library until the next (un)registration. */
CDXR_API enum cdxr_dp2_error cdxr_dp2_surface_query(struct cdxr_dp2_context *context, uint32_t handle, struct cdxr_dp2_surface *surface);
/* As the tokens of these names do: for the targets of ContextCreate, colour keys set by DirectDraw, ... */
CDXR_API enum cdxr_dp2_error cdxr_dp2_set_color_key(struct cdxr_dp2_context *context, uint32_t handle, int enable, uint32_t low, uint32_t high);
CDXR_API enum cdxr_dp2_error cdxr_dp2_set_render_target(struct cdxr_dp2_context *context, uint32_t target, uint32_t depth);
/* While set, each call that would draw is answered DDERR_WASSTILLDRAWING (the target is in a flip). */
CDXR_API void cdxr_dp2_set_flip_pending(struct cdxr_dp2_context *context, int pending);

/* ---- execution ---- */
enum cdxr_dp2_stop {
    CDXR_DP2_STOP_END,      /* all tokens done, or EXIT */
    CDXR_DP2_STOP_UNPARSED, /* ddrval is COMMAND_UNPARSED: the token at error_offset is for somebody else, or bad */
    CDXR_DP2_STOP_BAD,      /* the token at error_offset breaks a rule */
    CDXR_DP2_STOP_REFUSED,  /* the call as a whole: context, flip, missing command memory */
    CDXR_DP2_STOP_CALLBACK  /* the token callback asked for it */
};
/* One call with everything in host memory; what the two entry points for the DDK structures boil down to. */
struct cdxr_dp2_call {
    uint32_t flags;               /* D3DHALDP2_* */
    uint32_t vertex_type;         /* FVF */
    const void *commands;         /* start of the command buffer surface */
    size_t commands_bytes;        /* of that memory */
    uint32_t command_offset, command_length;
    const void *vertices;         /* start of the vertex buffer surface or of the user memory; may be NULL */
    size_t vertices_bytes;
    uint32_t vertex_offset;       /* bytes to vertex 0 */
    uint32_t vertex_count;        /* dwVertexLength */
    uint32_t vertex_stride;       /* dwVertexSize; implausible values are replaced by the size of the FVF */
    uint32_t *render_states;      /* [256], written with EXECUTEBUFFER; may be NULL */
    uint32_t resume_offset;       /* 0: begin at command_offset; else the token to go on with, counted like error_offset */
    /* results */
    uint32_t handled;             /* DDHAL_DRIVER_HANDLED or DDHAL_DRIVER_NOTHANDLED */
    int32_t ddrval;
    uint32_t error_offset;
    uint32_t stop;                /* enum cdxr_dp2_stop */
};
CDXR_API void cdxr_dp2_execute_call(struct cdxr_dp2_context *context, struct cdxr_dp2_call *call);

/* The driver callback on host structures: returns DDHAL_DRIVER_HANDLED or NOTHANDLED; ddrval and dwErrorOffset are in
 * the structure. Surface pointers are followed (lpGbl->fpVidMem), the lengths in the structure are believed. */
CDXR_API uint32_t cdxr_dp2_execute(struct cdxr_dp2_context *context, struct _D3DHAL_DRAWPRIMITIVES2DATA *data);
/* Go on after a stop: at token resume_offset (counted like dwErrorOffset). dwVertexSize was overwritten by ddrval: give it. */
CDXR_API uint32_t cdxr_dp2_resume(struct cdxr_dp2_context *context, struct _D3DHAL_DRAWPRIMITIVES2DATA *data,
                                  uint32_t vertex_size, uint32_t resume_offset);
/* The same with the 32-bit structure in host memory and everything it points to behind the read and write callbacks. */
CDXR_API uint32_t cdxr_dp2_execute32(struct cdxr_dp2_context *context, struct cdxr_d3dhal_drawprimitives2data32 *data,
                                     uint32_t resume_offset);
/* The structure itself in guest memory too: read, executed, ddrval and dwErrorOffset written back. */
CDXR_API uint32_t cdxr_dp2_execute_guest(struct cdxr_dp2_context *context, uint64_t data_address, uint32_t resume_offset);

/* ---- inspection ---- */
CDXR_API void cdxr_dp2_statistics(const struct cdxr_dp2_context *context, struct cdxr_dp2_statistics *statistics);
CDXR_API uint32_t cdxr_dp2_render_state(const struct cdxr_dp2_context *context, uint32_t state);
CDXR_API uint32_t cdxr_dp2_texture_stage_state(const struct cdxr_dp2_context *context, uint32_t stage, uint32_t state);
CDXR_API void cdxr_dp2_render_target(const struct cdxr_dp2_context *context, uint32_t *target, uint32_t *depth);
/* Name of an opcode ("TRIANGLESTRIP"), or NULL when there is none. */
CDXR_API const char *cdxr_dp2_opcode_name(uint32_t opcode);
/* Print every token with offset and fields, and with triangles != 0 the primitives it makes, one line a call of line. Nothing
 * is executed. Returns the number of violations met. */
typedef void (*cdxr_dp2_line_fn)(void *cookie, const char *text);
CDXR_API uint32_t cdxr_dp2_describe(const struct cdxr_dp2_config *config, const struct cdxr_dp2_call *call, int triangles,
                                    cdxr_dp2_line_fn line, void *cookie);

/* ---- geometry for the ray tracer ---- */
enum cdxr_dp2_space {
    /* (sx*w, sy*w, w): rays start at the origin in direction (x, y, 1) through pixel centre (x, y), t is w */
    CDXR_DP2_SPACE_PERSPECTIVE,
    /* (sx, sy, sz): rays start at (x, y, -1) in direction (0, 0, 1), t is depth + 1 */
    CDXR_DP2_SPACE_SCREEN
};
struct cdxr_dp2_material {
    uint32_t texture;                 /* handle of stage 0, 0: none */
    uint32_t texture_factor, fog_color;
    uint32_t alpha_test, alpha_blend, source_blend, destination_blend, cull_mode, shade_mode, lighting;
    uint32_t z_enable, z_function, z_write;
    float diffuse[4], ambient[4], specular[4], emissive[4], power;
};
struct cdxr_dp2_geometry {            /* the triangles of one drawing token */
    uint32_t first_vertex, vertex_count;
    uint32_t first_index, index_count; /* of indices[], which count from first_vertex */
    float transform[12];              /* Transform3x4 (rows): positions to the collection's space */
    float near_w;                     /* where the near plane cuts, PERSPECTIVE only: rays need t >= near_w; 0: nowhere */
    uint32_t pretransformed;          /* XYZRHW: positions already are in that space, transform is identity */
    uint32_t token_offset, material;
};
struct cdxr_dp2_collection {
    uint32_t vertex_count, index_count, triangle_count, geometry_count, material_count;
    uint32_t space;                   /* enum cdxr_dp2_space */
    const float *positions;           /* [vertex_count][3]: DXGI_FORMAT_R32G32B32_FLOAT, stride 12 */
    const float *normals;             /* [vertex_count][3], 0 where there is none */
    const float *texture_coordinates; /* [vertex_count][2], set 0 */
    const uint32_t *diffuse;          /* [vertex_count] ARGB */
    const uint32_t *specular;         /* [vertex_count] ARGB */
    const uint32_t *indices;          /* [index_count]: DXGI_FORMAT_R32_UINT, three a triangle */
    const uint32_t *triangle_materials; /* [triangle_count] */
    const uint32_t *triangle_tokens;  /* [triangle_count] offset of the token */
    const uint32_t *triangle_numbers; /* [triangle_count] counted from 1 over all triangles the context assembled */
    const struct cdxr_dp2_geometry *geometries;
    const struct cdxr_dp2_material *materials;
};
/* Execute the call's state tokens and gather the triangles of its drawing tokens instead of drawing them. Lines, points and
 * triangles with vertices that are not finite are left out. CDXR_DP2_SPACE_SCREEN needs affine projections. */
CDXR_API enum cdxr_dp2_error cdxr_dp2_collect(struct cdxr_dp2_context *context, struct cdxr_dp2_call *call,
                                              enum cdxr_dp2_space space, struct cdxr_dp2_collection **collection);
CDXR_API void cdxr_dp2_collection_destroy(struct cdxr_dp2_collection *collection);

/* ---- captures ---- */
/* Write all that happens in this context from now on: configuration, surfaces with their contents, state, calls.
 * write returns non-zero on success; after a failure nothing more is written and stop reports it. */
typedef int (*cdxr_dp2_capture_write_fn)(void *cookie, const void *bytes, size_t byte_count);
CDXR_API enum cdxr_dp2_error cdxr_dp2_capture_start(struct cdxr_dp2_context *context, cdxr_dp2_capture_write_fn write, void *cookie);
/* The caller changed a registered surface's memory: write its contents again (before the next call). */
CDXR_API enum cdxr_dp2_error cdxr_dp2_capture_surface(struct cdxr_dp2_context *context, uint32_t handle);
CDXR_API enum cdxr_dp2_error cdxr_dp2_capture_stop(struct cdxr_dp2_context *context);

struct cdxr_dp2_replay;
enum cdxr_dp2_event_kind { CDXR_DP2_EVENT_SURFACE, CDXR_DP2_EVENT_DATA, CDXR_DP2_EVENT_TARGET, CDXR_DP2_EVENT_CALL };
struct cdxr_dp2_event {
    uint32_t kind;
    uint64_t file_offset;
    uint32_t handle;           /* SURFACE, DATA, TARGET */
    struct cdxr_dp2_call call; /* CALL: ready for cdxr_dp2_execute_call, valid until the next event */
};
/* Open a capture held in memory (kept by the caller until close). overrides may be NULL; otherwise its callbacks, cookie,
 * strict, thread_count and force_wireframe replace the recorded ones. reason: text of the failure, may be NULL. */
CDXR_API enum cdxr_dp2_error cdxr_dp2_replay_open(const void *bytes, size_t byte_count, const struct cdxr_dp2_config *overrides,
                                                  struct cdxr_dp2_replay **replay, char reason[512]);
/* Apply the next chunk. Calls are NOT executed: the caller does, or not. CDXR_DP2_END after the last. */
CDXR_API enum cdxr_dp2_error cdxr_dp2_replay_next(struct cdxr_dp2_replay *replay, struct cdxr_dp2_event *event, char reason[512]);
CDXR_API struct cdxr_dp2_context *cdxr_dp2_replay_context(struct cdxr_dp2_replay *replay);
CDXR_API const struct cdxr_dp2_config *cdxr_dp2_replay_config(const struct cdxr_dp2_replay *replay);
CDXR_API void cdxr_dp2_replay_close(struct cdxr_dp2_replay *replay);

/* Read one level of a surface as rows of R, G, B, A bytes (no padding): for tools and tests. */
CDXR_API enum cdxr_dp2_error cdxr_dp2_surface_read_rgba(struct cdxr_dp2_context *context, uint32_t handle, uint32_t level, uint8_t *rgba);

#ifdef __cplusplus
}
#endif

#endif
