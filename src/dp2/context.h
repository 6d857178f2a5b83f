/* SPDX-License-Identifier: MIT
 * What is behind the public context, and the run: one call in progress. Shared by the files of the room that execute
 * tokens. */
#ifndef CDXR_DP2_CONTEXT_H
#define CDXR_DP2_CONTEXT_H

#include "base/status.h"
#include "cdxr/d3dhal.h"
#include "cdxr/dp2.h"
#include "dp2/assemble.h"
#include "dp2/bytes.h"
#include "dp2/fvf.h"
#include "dp2/opcodes.h"
#include "dp2/state.h"
#include "dp2/surface.h"

struct queue;
struct thread_pool;
struct collector;
struct capture_writer;

struct cdxr_dp2_context {
    struct cdxr_dp2_config config;    /* with all defaults filled in */
    struct space *space;
    struct dp2_state state;
    struct thread_pool *pool;         /* NULL: draw in the caller */
    struct queue *queue;
    struct collector *collector;      /* NULL unless cdxr_dp2_collect is running */
    struct capture_writer *capture;   /* NULL unless capturing */
    struct cdxr_dp2_statistics statistics;
    bool state_changed;               /* the compiled state of the queue is out of date */
    bool flip_pending;
    bool called;                      /* some call was executed */
    uint64_t pixels_left;             /* of the present call's limit */
    bool over_limit;                  /* primitives were dropped because of it */
    uint32_t handle;
    uint32_t triangle_number;         /* of the last triangle assembled, drawn or not */
};

/* One call being executed. */
struct run {
    struct cdxr_dp2_context *context;
    struct cdxr_dp2_call *call;
    struct stream stream;
    struct cursor cursor;
    /* the token being executed */
    const struct opcode *row;
    uint32_t opcode, count;
    size_t token_offset;              /* of the header in the command surface */
    size_t payload_bytes;
    bool replaying;                   /* a state set, not the stream */
    bool tessellated;                 /* the triangles being drawn come from a patch: no N-patches again */
    /* vertices of the call */
    struct fvf_layout layout;
    bool layout_valid;
    uint64_t vertex_limit;            /* vertices that both dwVertexLength and the memory have */
    uint64_t vertices_left;           /* of the limit */
};

/* Report an event at the current token. */
void dp2_report(struct run *run, uint32_t severity, const char *format, ...) PRINTF_LIKE(3, 4);
/* The token breaks a rule: report it; true when the call must fail here (strict mode). */
MUST_USE bool dp2_violation(struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);
void dp2_context_report(struct cdxr_dp2_context *context, uint32_t severity, const char *format, ...) PRINTF_LIKE(3, 4);

/* Run one recorded token list (a state set) inside the run. */
enum token_answer dp2_run_set(struct run *run, const struct state_set *set);

/* Append tokens that set every state to its present value. False without memory. */
bool dp2_state_tokens(struct cdxr_dp2_context *context, struct state_set *set);

/* Draw everything queued so far. */
void dp2_flush(struct cdxr_dp2_context *context);

/* Vertices that a drawing token refers to. */
struct vertex_source {
    const uint8_t *bytes;             /* vertex 0; may be NULL when limit is 0 */
    uint32_t stride_bytes;
    uint64_t limit;                   /* vertices there are */
    const struct fvf_layout *layout;
};
/* Check indices, process vertices, queue (or collect) the primitives. */
enum token_answer dp2_draw(struct run *run, const struct assembly *assembly, const struct vertex_source *source);

/* Tessellation (npatch.c, tokens_patch.c, tokens_draw8.c). Segments of an edge: rounded, 1..64. */
uint32_t dp2_segment_count(float segments);
bool dp2_npatches_apply(const struct run *run, const struct assembly *assembly, const struct fvf_layout *layout);
enum token_answer dp2_draw_npatches(struct run *run, const struct assembly *assembly, const struct vertex_source *source);
enum token_answer dp2_draw_rect_patch(struct run *run, const struct state_patch *patch, const struct vertex_source *source);
enum token_answer dp2_draw_tri_patch(struct run *run, const struct state_patch *patch, const struct vertex_source *source);
/* With control points from the bound streams. */
enum token_answer dp2_draw_patch_from_streams(struct run *run, const struct state_patch *patch);

/* Write one render state: state, mirror into lpdwRStates, violation checks. True: fail here. */
MUST_USE bool dp2_apply_render_state(struct run *run, uint32_t number, uint32_t value);

#endif
