/* SPDX-License-Identifier: MIT
 * Tokens, triangles and textured pixels per second of the legacy stream, with 1 and 2 threads, beside an OpenGL software driver
 * (Mesa llvmpipe through EGL surfaceless) that draws the same triangles in the same run, taking turns. */
#include "bench_dp2.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cdxr/d3dhal.h"
#include "cdxr/dp2.h"

enum { TARGET = 1, DEPTH = 2, TEXTURE = 3, MAX_INDICES = 3 * 65535, STREAM_BYTES = 1 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- scenes ---- */

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* A grid of cells over the target, jittered, with a depth that waves. */
static void make_grid(struct dp2_bench_scene *s, uint32_t across, uint32_t down)
{
    uint32_t seed = 1;
    s->vertex_count = (across + 1) * (down + 1);
    s->triangle_count = across * down * 2;
    s->index_count = s->triangle_count * 3;
    s->vertices = calloc(s->vertex_count, sizeof(*s->vertices));
    s->indices = calloc(s->index_count, sizeof(*s->indices));
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        uint32_t x = i % (across + 1), y = i / (across + 1);
        float jitter = (float)(next_random(&seed) % 256) / 256 - 0.5f;
        float z = 0.5f + 0.3f * sinf((float)x * 0.1f) * cosf((float)y * 0.1f);
        s->vertices[i] = (struct dp2_bench_vertex){(float)x * DP2_BENCH_WIDTH / (float)across + jitter, (float)y * DP2_BENCH_HEIGHT / (float)down + jitter, z,
                                                   1 / (0.5f + z), 0xFF000000 | next_random(&seed), 0xFF000000, (float)x * 0.05f, (float)y * 0.05f};
    }
    uint16_t *out = s->indices;
    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
            uint32_t a = y * (across + 1) + x, c = a + across + 1;
            const uint32_t order[6] = {a, a + 1, c, c, a + 1, c + 1};
            for (int k = 0; k < 6; k++)
                *out++ = (uint16_t)order[k];
        }
    s->pixels = DP2_BENCH_WIDTH * DP2_BENCH_HEIGHT;
}

/* Full-screen quads, one over the other. */
static void make_layers(struct dp2_bench_scene *s, uint32_t layers)
{
    s->vertex_count = layers * 4;
    s->triangle_count = layers * 2;
    s->index_count = layers * 6;
    s->vertices = calloc(s->vertex_count, sizeof(*s->vertices));
    s->indices = calloc(s->index_count, sizeof(*s->indices));
    for (uint32_t i = 0; i < layers; i++)
        for (uint32_t k = 0; k < 4; k++) {
            float u = (float)(k & 1), v = (float)(k >> 1);
            s->vertices[i * 4 + k] = (struct dp2_bench_vertex){u * DP2_BENCH_WIDTH, v * DP2_BENCH_HEIGHT, 0.5f, k & 1 ? 0.5f : 1.0f, 0x80FFFFFF, 0xFF000000,
                                                               u * 3, v * 3};
        }
    for (uint32_t i = 0; i < s->index_count; i++) {
        static const uint16_t order[6] = {0, 1, 2, 2, 1, 3};
        s->indices[i] = (uint16_t)(i / 6 * 4 + order[i % 6]);
    }
    s->pixels = (uint64_t)layers * DP2_BENCH_WIDTH * DP2_BENCH_HEIGHT;
}

/* ---- cdxr ---- */

struct drawer {
    struct cdxr_dp2_context *context;
    uint32_t color[DP2_BENCH_WIDTH * DP2_BENCH_HEIGHT], depth[DP2_BENCH_WIDTH * DP2_BENCH_HEIGHT];
    uint8_t stream[STREAM_BYTES];
    uint32_t length;
};

static void put(struct drawer *d, uint32_t value, uint32_t byte_count)
{
    memcpy(d->stream + d->length, &value, byte_count);
    d->length += byte_count;
}

static void put_state(struct drawer *d, uint32_t state, uint32_t value)
{
    put(d, D3DDP2OP_RENDERSTATE | 1u << 16, 4);
    put(d, state, 4);
    put(d, value, 4);
}

static void put_stage(struct drawer *d, uint32_t state, uint32_t value)
{
    put(d, D3DDP2OP_TEXTURESTAGESTATE | 1u << 16, 4);
    put(d, state << 16, 4);
    put(d, value, 4);
}

static void add_surface(struct drawer *d, uint32_t handle, uint32_t flags, enum cdxr_dp2_format format, uint32_t width, uint32_t height, const void *memory)
{
    struct cdxr_dp2_level level = {(void *)memory, (size_t)width * height * 4, (int32_t)width * 4, 0};
    struct cdxr_dp2_surface s = {.handle = handle, .flags = flags, .width = width, .height = height, .depth = 1, .level_count = 1, .levels = &level};
    cdxr_dp2_pixel_format_init(format, &s.format);
    if (cdxr_dp2_surface_register(d->context, &s) != CDXR_DP2_OK)
        exit(1);
}

static struct drawer *drawer_new(uint32_t threads, const uint32_t *texture)
{
    struct cdxr_dp2_config config;
    struct drawer *d = calloc(1, sizeof(*d));
    cdxr_dp2_config_init(&config);
    config.thread_count = threads;
    config.limits.vertices = 1ull << 40;
    config.limits.pixels = 1ull << 50;
    if (!d || cdxr_dp2_create(&config, &d->context) != CDXR_DP2_OK)
        exit(1);
    add_surface(d, TARGET, CDXR_DP2_SURFACE_TARGET, CDXR_DP2_FORMAT_X8R8G8B8, DP2_BENCH_WIDTH, DP2_BENCH_HEIGHT, d->color);
    add_surface(d, DEPTH, CDXR_DP2_SURFACE_DEPTH, CDXR_DP2_FORMAT_D24S8, DP2_BENCH_WIDTH, DP2_BENCH_HEIGHT, d->depth);
    add_surface(d, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, DP2_BENCH_TEXTURE, DP2_BENCH_TEXTURE, texture);
    cdxr_dp2_set_render_target(d->context, TARGET, DEPTH);
    return d;
}

static void drawer_free(struct drawer *d)
{
    cdxr_dp2_destroy(d->context);
    free(d);
}

static void put_scene(struct drawer *d, const struct dp2_bench_scene *s)
{
    d->length = 0;
    put_state(d, D3DRENDERSTATE_CULLMODE, D3DCULL_NONE);
    put_state(d, D3DRENDERSTATE_ZENABLE, s->depth);
    put_state(d, D3DRENDERSTATE_ALPHABLENDENABLE, s->blended);
    put_state(d, D3DRENDERSTATE_SRCBLEND, D3DBLEND_SRCALPHA);
    put_state(d, D3DRENDERSTATE_DESTBLEND, D3DBLEND_INVSRCALPHA);
    put_stage(d, D3DTSS_TEXTUREMAP, s->textured ? TEXTURE : 0);
    put_stage(d, D3DTSS_MAGFILTER, 2);
    put_stage(d, D3DTSS_MINFILTER, 2);
    put_stage(d, D3DTSS_ALPHAOP, s->textured ? D3DTOP_MODULATE : D3DTOP_SELECTARG2);
    if (s->depth) {
        put(d, D3DDP2OP_CLEAR | 1u << 16, 4);
        put(d, D3DCLEAR_ZBUFFER, 4);
        put(d, 0, 4);
        put(d, 0x3F800000, 4);
        put(d, 0, 4);
        put(d, 0, 4);
        put(d, 0, 4);
        put(d, DP2_BENCH_WIDTH, 4);
        put(d, DP2_BENCH_HEIGHT, 4);
    }
    put(d, D3DDP2OP_INDEXEDTRIANGLELIST2 | s->triangle_count << 16, 4);
    put(d, 0, 2);
    memcpy(d->stream + d->length, s->indices, s->index_count * 2);
    d->length += s->index_count * 2;
}

static void execute(struct drawer *d, const struct dp2_bench_scene *s)
{
    struct cdxr_dp2_call call = {.vertex_type = D3DFVF_TLVERTEX, .commands = d->stream, .commands_bytes = d->length, .command_length = d->length,
                                 .vertices = s ? s->vertices : NULL, .vertices_bytes = s ? s->vertex_count * sizeof(*s->vertices) : 0,
                                 .vertex_count = s ? s->vertex_count : 0, .vertex_stride = sizeof(struct dp2_bench_vertex)};
    cdxr_dp2_execute_call(d->context, &call);
    if (call.ddrval != D3D_OK)
        exit(1);
}

/* Frames per second. */
static double measure(struct drawer *d, const struct dp2_bench_scene *s, double seconds)
{
    execute(d, s);
    uint32_t frames = 0;
    double start = now(), end;
    do {
        execute(d, s);
        frames++;
        end = now();
    } while (end - start < seconds);
    return frames / (end - start);
}

/* ---- reports ---- */

static void report_scene(const struct dp2_bench_scene *s, const uint32_t *texture, double seconds)
{
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct drawer *d = drawer_new(threads, texture);
        char name[128] = "";
        put_scene(d, s);
        double own = 0, other = 0;
        for (int round = 0; round < 9; round++) { /* taking turns, best of short ones: both see the machine at its quietest */
            double a = measure(d, s, seconds / 5) * s->triangle_count, b = dp2_bench_gl(s, texture, threads, seconds / 5, name);
            own = a > own ? a : own;
            other = b > other ? b : other;
        }
        printf("%-28s %u thread%s  %8.3f Mtri/s  %8.1f Mpixel/s", s->name, threads, threads == 1 ? " " : "s", own * 1e-6,
               own / s->triangle_count * (double)s->pixels * 1e-6);
        if (other > 0)
            printf("   %s %8.3f Mtri/s, ratio %.2f", name, other * 1e-6, own / other);
        printf("\n");
        drawer_free(d);
    }
}

static void report_tokens(const uint32_t *texture, double seconds)
{
    struct drawer *d = drawer_new(1, texture);
    uint32_t tokens = 0;
    for (; d->length + 64 < STREAM_BYTES; tokens += 2) {
        put_state(d, D3DRENDERSTATE_TEXTUREFACTOR, tokens);
        put_stage(d, D3DTSS_BORDERCOLOR, tokens);
    }
    printf("%-28s 1 thread   %8.2f Mtoken/s\n", "state tokens", measure(d, NULL, seconds) * tokens * 1e-6);
    drawer_free(d);
}

/* An example capture: its calls over and over. */
static void report_capture(const char *path, double seconds)
{
    FILE *file = fopen(path, "rb");
    static uint8_t bytes[1 << 20];
    size_t count = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    if (file)
        fclose(file);
    if (!count)
        return;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct cdxr_dp2_config config;
        struct cdxr_dp2_replay *replay;
        struct cdxr_dp2_event event;
        struct cdxr_dp2_call calls[16];
        uint32_t call_count = 0, rounds = 0;
        char reason[512];
        cdxr_dp2_config_init(&config);
        config.thread_count = threads;
        if (cdxr_dp2_replay_open(bytes, count, &config, &replay, reason) != CDXR_DP2_OK)
            return;
        while (cdxr_dp2_replay_next(replay, &event, reason) == CDXR_DP2_OK)
            if (event.kind == CDXR_DP2_EVENT_CALL && call_count < 16)
                calls[call_count++] = event.call;
        double start = now(), end;
        do {
            for (uint32_t i = 0; i < call_count; i++)
                cdxr_dp2_execute_call(cdxr_dp2_replay_context(replay), &calls[i]);
            rounds++;
            end = now();
        } while (end - start < seconds);
        struct cdxr_dp2_statistics s;
        cdxr_dp2_statistics(cdxr_dp2_replay_context(replay), &s);
        const char *base = strrchr(path, '/');
        printf("%-28s %u thread%s  %8.3f Mtoken/s  %8.3f Mtri/s  %8.1f Mpixel/s written  %.0f frames/s\n", base ? base + 1 : path, threads,
               threads == 1 ? " " : "s", (double)s.tokens / (end - start) * 1e-6, (double)s.triangles / (end - start) * 1e-6,
               (double)s.pixels_written / (end - start) * 1e-6, rounds / (end - start));
        cdxr_dp2_replay_close(replay);
    }
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 0.5;
    static uint32_t texture[DP2_BENCH_TEXTURE * DP2_BENCH_TEXTURE];
    uint32_t seed = 7;
    for (uint32_t i = 0; i < DP2_BENCH_TEXTURE * DP2_BENCH_TEXTURE; i++)
        texture[i] = 0xFF000000 | next_random(&seed);
    struct dp2_bench_scene scenes[] = {{.name = "5-pixel triangles, Gouraud", .depth = true}, {.name = "5-pixel triangles, bilinear", .depth = true, .textured = true},
                                       {.name = "50-pixel triangles, bilinear", .depth = true, .textured = true},
                                       {.name = "full-screen, bilinear", .textured = true}, {.name = "full-screen, bilinear, blend", .textured = true, .blended = true}};
    make_grid(&scenes[0], 174, 176);
    make_grid(&scenes[1], 174, 176);
    make_grid(&scenes[2], 56, 55);
    make_layers(&scenes[3], 8);
    make_layers(&scenes[4], 8);
    report_tokens(texture, seconds);
    report_capture(CDXR_SOURCE_DIR "/examples/dp2/scene.dp2", seconds);
    report_capture(CDXR_SOURCE_DIR "/examples/dp2/strip.dp2", seconds);
    report_capture(CDXR_SOURCE_DIR "/examples/dp2/soup.dp2", seconds);
    report_capture(CDXR_SOURCE_DIR "/examples/dp2/patches.dp2", seconds);
    for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
        report_scene(&scenes[i], texture, seconds);
        free(scenes[i].vertices);
        free(scenes[i].indices);
    }
    return 0;
}
