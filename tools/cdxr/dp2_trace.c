/* SPDX-License-Identifier: MIT
 * `cdxr dp2 trace`: the triangles of a capture rendered by DispatchRays, one ray through each pixel centre; with --compare also
 * drawn by the rasteriser in their numbers, and each pixel where another triangle is seen is accounted for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdxr/d3dhal.h"
#include "dp2_file.h"
#include "dp2_rays.h"

enum { MAX_CALLS = 4096, MAX_LAYERS = 8, OWN_TARGET = 0x7FFFFFF0, OWN_DEPTH = 0x7FFFFFF1 };

struct triangle {
    uint32_t number;
    float corner[3][3];      /* in the collection's space */
    uint32_t color[3];
    float coordinates[3][2];
    float normal[3][3];
    const struct cdxr_dp2_material *material;
};

struct scene {
    enum cdxr_dp2_space space;
    struct cdxr_dp2_collection *collections[MAX_CALLS];
    uint32_t collection_count;
    uint32_t width, height;
    float near_w;                       /* the nearest near plane: rays begin there */
    struct dp2_ray_geometry *geometries;
    uint32_t **indices;                 /* owned, one a geometry */
    uint32_t geometry_count;
    struct triangle **triangles;        /* [geometry][primitive] */
    struct cdxr_dp2_replay *replay;
};

/* ---- collecting ---- */

static void transform(const float m[12], const float p[3], float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[i * 4] * p[0] + m[i * 4 + 1] * p[1] + m[i * 4 + 2] * p[2] + m[i * 4 + 3];
}

/* Twice the area on the screen, positive clockwise: seen from the origin, or along z. */
static double screen_area(const struct scene *s, const float c[3][3])
{
    if (s->space == CDXR_DP2_SPACE_SCREEN)
        return (double)(c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (double)(c[2][0] - c[0][0]) * (c[1][1] - c[0][1]);
    return c[0][0] * ((double)c[1][1] * c[2][2] - (double)c[1][2] * c[2][1]) - c[0][1] * ((double)c[1][0] * c[2][2] - (double)c[1][2] * c[2][0]) +
           c[0][2] * ((double)c[1][0] * c[2][1] - (double)c[1][1] * c[2][0]);
}

static bool is_culled(const struct scene *s, const struct triangle *t)
{
    double area = screen_area(s, t->corner);
    return t->material->cull_mode == D3DCULL_CW ? area >= 0 : t->material->cull_mode == D3DCULL_CCW ? area < 0 : false;
}

static void fill_triangle(const struct cdxr_dp2_collection *c, const struct cdxr_dp2_geometry *g, uint32_t first_triangle, uint32_t k, struct triangle *t)
{
    t->number = c->triangle_numbers[first_triangle + k];
    t->material = &c->materials[c->triangle_materials[first_triangle + k]];
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = g->first_vertex + c->indices[g->first_index + k * 3 + (uint32_t)i];
        transform(g->transform, c->positions + vertex * 3u, t->corner[i]);
        t->color[i] = c->diffuse[vertex];
        memcpy(t->coordinates[i], c->texture_coordinates + vertex * 2u, 8);
        memcpy(t->normal[i], c->normals + vertex * 3u, 12);
    }
}

static bool add_geometry(struct scene *s, const struct cdxr_dp2_collection *c, const struct cdxr_dp2_geometry *g, uint32_t first_triangle)
{
    uint32_t triangle_count = g->index_count / 3, kept = 0, at = s->geometry_count;
    struct triangle *triangles = calloc(triangle_count + 1, sizeof(*triangles));
    uint32_t *indices = calloc(g->index_count + 1, 4);
    if (!triangles || !indices) {
        free(triangles);
        free(indices);
        return false;
    }
    for (uint32_t k = 0; k < triangle_count; k++) {
        fill_triangle(c, g, first_triangle, k, &triangles[kept]);
        if (is_culled(s, &triangles[kept]))
            continue;
        memcpy(indices + kept * 3, c->indices + g->first_index + k * 3, 12);
        kept++;
    }
    s->triangles[at] = triangles;
    s->indices[at] = indices;
    if (g->near_w > 0 && (s->near_w == 0 || g->near_w < s->near_w))
        s->near_w = g->near_w;
    s->geometries[at] = (struct dp2_ray_geometry){c->positions + g->first_vertex * 3u, indices, g->vertex_count, kept * 3, g->transform};
    s->geometry_count++;
    return true;
}

static bool add_collections(struct scene *s)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < s->collection_count; i++)
        total += s->collections[i]->geometry_count;
    s->geometries = calloc(total + 1, sizeof(*s->geometries));
    s->indices = calloc(total + 1, sizeof(*s->indices));
    s->triangles = calloc(total + 1, sizeof(*s->triangles));
    bool done = s->geometries && s->indices && s->triangles;
    for (uint32_t i = 0; done && i < s->collection_count; i++) {
        const struct cdxr_dp2_collection *c = s->collections[i];
        for (uint32_t g = 0, first = 0; done && g < c->geometry_count; first += c->geometries[g].index_count / 3, g++)
            done = add_geometry(s, c, &c->geometries[g], first);
    }
    return done;
}

/* The whole capture in one space; false with *unsupported set when a projection does not fit the space. */
static bool collect(struct scene *s, const struct dp2_options *options, const struct dp2_file *file, bool *unsupported)
{
    struct cdxr_dp2_config overrides;
    struct cdxr_dp2_event event;
    char reason[512] = "no memory";
    enum cdxr_dp2_error error = CDXR_DP2_OK;
    cdxr_dp2_config_init(&overrides);
    overrides.thread_count = 1;
    s->replay = dp2_file_replay(file, options->input_path, &overrides);
    if (!s->replay)
        return false;
    while (s->collection_count < MAX_CALLS && (error = cdxr_dp2_replay_next(s->replay, &event, reason)) == CDXR_DP2_OK) {
        if (event.kind != CDXR_DP2_EVENT_CALL)
            continue;
        error = cdxr_dp2_collect(cdxr_dp2_replay_context(s->replay), &event.call, s->space, &s->collections[s->collection_count]);
        *unsupported = error == CDXR_DP2_ERROR_UNSUPPORTED;
        if (error != CDXR_DP2_OK)
            return false;
        s->collection_count++;
    }
    if (error != CDXR_DP2_END && error != CDXR_DP2_OK)
        fprintf(stderr, "cdxr: %s: %s\n", options->input_path, reason);
    return error == CDXR_DP2_END || error == CDXR_DP2_OK;
}

static bool find_extent(struct scene *s)
{
    struct cdxr_dp2_surface surface;
    uint32_t target, depth;
    cdxr_dp2_render_target(cdxr_dp2_replay_context(s->replay), &target, &depth);
    if (cdxr_dp2_surface_query(cdxr_dp2_replay_context(s->replay), target, &surface) != CDXR_DP2_OK)
        return false;
    s->width = surface.width;
    s->height = surface.height;
    return true;
}

static void scene_finish(struct scene *s)
{
    for (uint32_t i = 0; i < s->collection_count; i++)
        cdxr_dp2_collection_destroy(s->collections[i]);
    for (uint32_t i = 0; i < s->geometry_count; i++) {
        free(s->triangles[i]);
        free(s->indices[i]);
    }
    free(s->geometries);
    free(s->indices);
    free(s->triangles);
    cdxr_dp2_replay_close(s->replay);
    memset(s, 0, sizeof(*s));
}

/* Screen space when everything fits it, the eye's space otherwise. */
static bool scene_load(struct scene *s, const struct dp2_options *options, const struct dp2_file *file)
{
    bool unsupported = false;
    s->space = CDXR_DP2_SPACE_SCREEN;
    bool done = collect(s, options, file, &unsupported);
    if (!done && unsupported) {
        scene_finish(s);
        s->space = CDXR_DP2_SPACE_PERSPECTIVE;
        done = collect(s, options, file, &unsupported);
    }
    if (!done || !find_extent(s) || !add_collections(s))
        return false;
    uint32_t triangles = 0;
    for (uint32_t i = 0; i < s->geometry_count; i++)
        triangles += s->geometries[i].index_count / 3;
    printf("%u triangles in %u geometries, %s space, %ux%u rays\n", triangles, s->geometry_count,
           s->space == CDXR_DP2_SPACE_SCREEN ? "screen" : "perspective", s->width, s->height);
    return true;
}

/* ---- rays ---- */

static struct dp2_ray ray_at(const struct scene *s, uint32_t x, uint32_t y)
{
    struct dp2_ray ray = {.t_max = 1e30f};
    ray.direction[2] = 1;
    if (s->space == CDXR_DP2_SPACE_SCREEN) {
        ray.origin[0] = (float)x;
        ray.origin[1] = (float)y;
        ray.origin[2] = -1;
    } else {
        ray.direction[0] = (float)x;
        ray.direction[1] = (float)y;
        ray.t_min = s->near_w > 0 ? s->near_w : 1e-6f;
    }
    return ray;
}

/* One ray through each pixel. behind: NULL, or where each ray begins (t of the layer before; HUGE_VALF: no ray). */
static bool trace_all(const struct scene *s, struct dp2_rays *rays, const float *behind, struct dp2_hit *hits)
{
    struct dp2_ray batch[DP2_RAY_BATCH];
    uint32_t total = s->width * s->height, pixels[DP2_RAY_BATCH], count = 0;
    struct dp2_hit found[DP2_RAY_BATCH];
    for (uint32_t i = 0; i < total; i++) {
        hits[i].hit = false;
        if (!behind || behind[i] < HUGE_VALF) {
            batch[count] = ray_at(s, i % s->width, i / s->width);
            if (behind)
                batch[count].t_min = behind[i];
            pixels[count++] = i;
        }
        if (!count || (count < DP2_RAY_BATCH && i + 1 < total))
            continue;
        if (!dp2_rays_trace(rays, batch, count, found))
            return false;
        for (uint32_t k = 0; k < count; k++)
            hits[pixels[k]] = found[k];
        count = 0;
    }
    return true;
}

/* ---- shading: enough to recognise the scene ---- */

struct texture_copy {
    uint32_t handle, width, height;
    uint8_t *rgba;
};

/* Corners' weights where the ray (x, y) meets the triangle's plane. */
static void weights_at(const struct scene *s, const struct triangle *t, double x, double y, double w[3], double *depth)
{
    const float (*c)[3] = t->corner;
    double normal[3] = {0};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        normal[i] = (double)(c[1][j] - c[0][j]) * (c[2][k] - c[0][k]) - (double)(c[1][k] - c[0][k]) * (c[2][j] - c[0][j]);
    }
    double length2 = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    bool screen = s->space == CDXR_DP2_SPACE_SCREEN;
    double o[3] = {screen ? x : 0, screen ? y : 0, screen ? -1 : 0}, d[3] = {screen ? 0 : x, screen ? 0 : y, 1};
    double along = normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2];
    double to = normal[0] * (c[0][0] - o[0]) + normal[1] * (c[0][1] - o[1]) + normal[2] * (c[0][2] - o[2]);
    *depth = to / along;
    for (int i = 0; i < 3; i++) {
        const float *a = c[(i + 1) % 3], *b = c[(i + 2) % 3];
        double p[3], e[3], cross[3];
        for (int k = 0; k < 3; k++) {
            p[k] = o[k] + d[k] * *depth - a[k];
            e[k] = (double)b[k] - a[k];
        }
        for (int k = 0; k < 3; k++)
            cross[k] = e[(k + 1) % 3] * p[(k + 2) % 3] - e[(k + 2) % 3] * p[(k + 1) % 3];
        w[i] = (cross[0] * normal[0] + cross[1] * normal[1] + cross[2] * normal[2]) / length2;
    }
}

static const struct texture_copy *texture_of(const struct scene *s, struct texture_copy *cache, uint32_t handle)
{
    struct cdxr_dp2_surface surface;
    struct cdxr_dp2_context *context = cdxr_dp2_replay_context(s->replay);
    if (!handle || cdxr_dp2_surface_query(context, handle, &surface) != CDXR_DP2_OK)
        return NULL;
    if (cache->handle == handle)
        return cache;
    free(cache->rgba);
    *cache = (struct texture_copy){handle, surface.width, surface.height, malloc((size_t)surface.width * surface.height * 4)};
    if (!cache->rgba || cdxr_dp2_surface_read_rgba(context, handle, 0, cache->rgba) != CDXR_DP2_OK)
        cache->handle = 0;
    return cache->handle ? cache : NULL;
}

static const uint8_t *texel_at(const struct texture_copy *texture, const double uv[2])
{
    uint32_t x = (uint32_t)((uv[0] - floor(uv[0])) * texture->width) % texture->width;
    uint32_t y = (uint32_t)((uv[1] - floor(uv[1])) * texture->height) % texture->height;
    return texture->rgba + ((size_t)y * texture->width + x) * 4;
}

static void shade(const struct scene *s, const struct triangle *t, uint32_t x, uint32_t y, struct texture_copy *cache, uint8_t rgba[4])
{
    double w[3], depth, color[3] = {0}, uv[2] = {0}, n[3] = {0}, alpha = 0;
    weights_at(s, t, x, y, w, &depth);
    for (int i = 0; i < 3; i++) {
        const uint32_t argb = t->color[t->material->shade_mode == D3DSHADE_FLAT ? 0 : i];
        for (int k = 0; k < 3; k++) {
            color[k] += w[i] * (argb >> (16 - 8 * k) & 255) / 255;
            n[k] += w[i] * t->normal[i][k];
        }
        alpha += w[i] * (argb >> 24) / 255;
        for (int k = 0; k < 2; k++)
            uv[k] += w[i] * t->coordinates[i][k];
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double light = length > 0 ? 0.35 + 0.65 * fabs(-0.45 * n[0] + 0.73 * n[1] - 0.52 * n[2]) / length : 1; /* a lamp over the shoulder */
    const struct texture_copy *texture = texture_of(s, cache, t->material->texture);
    const uint8_t *texel = texture ? texel_at(texture, uv) : NULL;
    for (int k = 0; k < 3; k++) {
        double value = color[k] * light * (length > 0 && t->material->lighting ? t->material->diffuse[k] : 1) * (texel ? texel[k] / 255.0 : 1);
        rgba[k] = (uint8_t)(fmin(fmax(value, 0), 1) * 255 + 0.5);
    }
    alpha = fmin(fmax(alpha, 0), 1) * (texel ? texel[3] / 255.0 : 1);
    if (!t->material->alpha_blend)
        alpha = t->material->alpha_test && alpha < 0.5 ? 0 : 1;
    rgba[3] = (uint8_t)(alpha * 255 + 0.5);
}

/* Put one layer under what is there; true when light still gets through. */
static bool add_layer(uint8_t accumulated[4], const uint8_t layer[4])
{
    double left = 1 - accumulated[3] / 255.0, share = left * layer[3] / 255.0;
    for (int k = 0; k < 3; k++)
        accumulated[k] = (uint8_t)(accumulated[k] + layer[k] * share + 0.5 > 255 ? 255 : accumulated[k] + layer[k] * share + 0.5);
    accumulated[3] = (uint8_t)(accumulated[3] + share * 255 + 0.5);
    return accumulated[3] < 250;
}

/* Layer after layer: behind a triangle that blends the ray goes on. */
static bool write_picture(const struct scene *s, struct dp2_rays *rays, const struct dp2_hit *first, const char *path)
{
    uint32_t total = s->width * s->height;
    uint8_t *rgba = calloc(total, 4);
    float *behind = calloc(total, sizeof(*behind));
    struct dp2_hit *hits = calloc(total, sizeof(*hits));
    struct texture_copy cache = {0};
    bool done = rgba && behind && hits, more = done;
    if (done)
        memcpy(hits, first, total * sizeof(*hits));
    for (int layer = 0; more && layer < MAX_LAYERS; layer++) {
        more = false;
        for (uint32_t i = 0; i < total; i++) {
            uint8_t color[4];
            behind[i] = hits[i].hit ? nextafterf(hits[i].t, HUGE_VALF) : HUGE_VALF;
            if (!hits[i].hit)
                continue;
            shade(s, &s->triangles[hits[i].geometry][hits[i].primitive], i % s->width, i / s->width, &cache, color);
            if (add_layer(rgba + (size_t)i * 4, color))
                more = true;
            else
                behind[i] = HUGE_VALF;
        }
        done = done && (!more || trace_all(s, rays, behind, hits));
    }
    done = done && dp2_write_png(path, rgba, s->width, s->height);
    free(cache.rgba);
    free(rgba);
    free(behind);
    free(hits);
    return done;
}

/* ---- comparison with the rasteriser ---- */

/* Numbers of the triangles that the rasteriser shows, by the same nearness. */
static bool draw_numbers(const struct scene *s, const struct dp2_options *options, const struct dp2_file *file, uint32_t *numbers)
{
    struct cdxr_dp2_config overrides;
    struct cdxr_dp2_event event;
    char reason[512];
    cdxr_dp2_config_init(&overrides);
    overrides.thread_count = options->thread_count;
    overrides.identify = s->space == CDXR_DP2_SPACE_SCREEN ? 1 : 2;
    struct cdxr_dp2_replay *replay = dp2_file_replay(file, options->input_path, &overrides);
    size_t byte_count = (size_t)s->width * s->height * 4;
    uint32_t *depth = malloc(byte_count);
    bool done = replay && depth;
    if (done) {
        struct cdxr_dp2_context *context = cdxr_dp2_replay_context(replay);
        struct cdxr_dp2_level levels[2] = {{numbers, byte_count, (int32_t)s->width * 4, 0}, {depth, byte_count, (int32_t)s->width * 4, 0}};
        struct cdxr_dp2_surface surfaces[2] = {{.handle = OWN_TARGET, .flags = CDXR_DP2_SURFACE_TARGET, .levels = &levels[0]},
                                               {.handle = OWN_DEPTH, .flags = CDXR_DP2_SURFACE_DEPTH, .levels = &levels[1]}};
        cdxr_dp2_pixel_format_init(CDXR_DP2_FORMAT_X8R8G8B8, &surfaces[0].format);
        cdxr_dp2_pixel_format_init(CDXR_DP2_FORMAT_D32, &surfaces[1].format);
        memset(depth, 0xFF, byte_count);
        for (int i = 0; i < 2 && done; i++) {
            surfaces[i].width = s->width;
            surfaces[i].height = s->height;
            surfaces[i].level_count = 1;
            done = cdxr_dp2_surface_register(context, &surfaces[i]) == CDXR_DP2_OK;
        }
        while (done && cdxr_dp2_replay_next(replay, &event, reason) == CDXR_DP2_OK) {
            if (event.kind == CDXR_DP2_EVENT_TARGET)
                done = cdxr_dp2_set_render_target(context, OWN_TARGET, OWN_DEPTH) == CDXR_DP2_OK;
            if (event.kind == CDXR_DP2_EVENT_CALL)
                cdxr_dp2_execute_call(context, &event.call);
        }
    }
    cdxr_dp2_replay_close(replay);
    free(depth);
    return done;
}

static const struct triangle *find_number(const struct scene *s, uint32_t number)
{
    for (uint32_t g = 0; g < s->geometry_count; g++)
        for (uint32_t k = 0; k < s->geometries[g].index_count / 3; k++)
            if (s->triangles[g][k].number == number)
                return &s->triangles[g][k];
    return NULL;
}

/* Is the pixel within rounding of an edge of the triangle: does a step of 1/64 pixel leave or enter it? */
static bool near_edge(const struct scene *s, const struct triangle *t, double x, double y)
{
    const double step = 1.0 / 64;
    bool inside = false, outside = false;
    if (!t)
        return false;
    for (int i = 0; i < 9; i++) {
        double w[3], depth;
        weights_at(s, t, x + (i % 3 - 1) * step, y + (i / 3 - 1) * step, w, &depth);
        bool in = w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && depth >= s->near_w; /* the near plane cuts an edge too */
        inside |= in;
        outside |= !in;
    }
    return inside && outside;
}

/* Do the triangles meet within a step of 1/64 pixel, or lie at one depth? There rounding decides which is nearer. */
static bool same_depth(const struct scene *s, const struct triangle *a, const struct triangle *b, double x, double y)
{
    const double step = 1.0 / 64;
    bool nearer = false, farther = false;
    if (!a || !b)
        return false;
    for (int i = 0; i < 9; i++) {
        double w[3], da, db;
        weights_at(s, a, x + (i % 3 - 1) * step, y + (i / 3 - 1) * step, w, &da);
        weights_at(s, b, x + (i % 3 - 1) * step, y + (i / 3 - 1) * step, w, &db);
        nearer |= da <= db + 1e-5 * fmax(1, fabs(da));
        farther |= da >= db - 1e-5 * fmax(1, fabs(da));
    }
    return nearer && farther;
}

static bool compare(const struct scene *s, const struct dp2_hit *hits, const struct dp2_options *options, const struct dp2_file *file)
{
    uint32_t *numbers = calloc((size_t)s->width * s->height, 4);
    uint64_t equal = 0, edge = 0, tie = 0, different = 0;
    if (!numbers || !draw_numbers(s, options, file, numbers)) {
        free(numbers);
        return false;
    }
    for (uint32_t i = 0; i < s->width * s->height; i++) {
        const struct triangle *seen = hits[i].hit ? &s->triangles[hits[i].geometry][hits[i].primitive] : NULL;
        uint32_t x = i % s->width, y = i / s->width, drawn = numbers[i] & 0xFFFFFF;
        if (drawn == (seen ? seen->number : 0)) {
            equal++;
            continue;
        }
        const struct triangle *other = drawn ? find_number(s, drawn) : NULL;
        if (near_edge(s, seen, x, y) || near_edge(s, other, x, y))
            edge++;
        else if (same_depth(s, seen, other, x, y))
            tie++;
        else if (different++ < 10)
            printf("pixel (%u, %u): rays see triangle %u, the rasteriser %u\n", x, y, seen ? seen->number : 0, drawn);
    }
    printf("compared %u pixels: %llu equal, %llu within rounding of an edge, %llu at equal depth, %llu different\n", s->width * s->height,
           (unsigned long long)equal, (unsigned long long)edge, (unsigned long long)tie, (unsigned long long)different);
    free(numbers);
    return different == 0;
}

int dp2_command_trace(const struct dp2_options *options)
{
    struct dp2_file file;
    static struct scene scene;
    if (!options->output_path && !options->compare) {
        fputs("cdxr dp2: trace needs -o OUT.png or --compare\n", stderr);
        return 2;
    }
    if (!dp2_file_read(options->input_path, &file))
        return 1;
    bool done = scene_load(&scene, options, &file);
    struct dp2_hit *hits = done ? calloc((size_t)scene.width * scene.height, sizeof(*hits)) : NULL;
    struct dp2_rays *rays = hits ? dp2_rays_create(scene.geometries, scene.geometry_count) : NULL;
    done = rays && trace_all(&scene, rays, NULL, hits);
    if (done && options->output_path)
        done = write_picture(&scene, rays, hits, options->output_path);
    if (done && options->compare)
        done = compare(&scene, hits, options, &file);
    dp2_rays_destroy(rays);
    free(hits);
    scene_finish(&scene);
    dp2_file_free(&file);
    return !done;
}
