/* SPDX-License-Identifier: MIT
 * cdxr render: a model file to a picture, through the public D3D12 API alone. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cdxr/cdxr.h>

#include "commands.h"
#include "image_write.h"
#include "options.h"
#include "progress.h"
#include "tracer.h"

static void normalize(float v[3])
{
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= length > 0 ? length : 1;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static float bounds_radius(const struct model *m)
{
    float sum = 0;
    for (int i = 0; i < 3; i++) {
        float half = (m->bounds_max[i] - m->bounds_min[i]) / 2;
        sum += half * half;
    }
    return sum > 0 ? sqrtf(sum) : 1;
}

/* Without --camera: look from the front, above and a little to the side, far enough that the bounds fit. */
static void frame_model(const struct render_options *o, const struct model *m, float eye[3], float target[3])
{
    if (o->has_camera) {
        memcpy(eye, o->eye, sizeof(o->eye));
        memcpy(target, o->target, sizeof(o->target));
        return;
    }
    float aspect = (float)o->width / (float)o->height;
    float half_angle = o->field_of_view * 0.5f * 3.14159265f / 180;
    if (aspect < 1)
        half_angle = atanf(tanf(half_angle) * aspect);
    float distance = bounds_radius(m) / sinf(half_angle) * 0.70f;
    float direction[3] = {0.62f, 0.42f, 0.85f};
    normalize(direction);
    for (int i = 0; i < 3; i++) {
        target[i] = (m->bounds_min[i] + m->bounds_max[i]) / 2;
        eye[i] = target[i] + direction[i] * distance;
    }
}

static void set_camera(struct tracer_frame *f, const struct render_options *o, const float eye[3], const float target[3])
{
    float up[3] = {0, 1, 0};
    for (int i = 0; i < 3; i++) {
        f->eye[i] = eye[i];
        f->forward[i] = target[i] - eye[i];
    }
    normalize(f->forward);
    if (fabsf(f->forward[1]) > 0.9999f) {
        up[1] = 0;
        up[2] = 1;
    }
    cross(f->forward, up, f->right);
    normalize(f->right);
    cross(f->right, f->forward, f->up);
    float scale = tanf(o->field_of_view * 0.5f * 3.14159265f / 180);
    for (int i = 0; i < 3; i++) {
        f->right[i] *= scale * (float)o->width / (float)o->height;
        f->up[i] *= scale;
    }
}

static struct tracer_frame make_frame(const struct render_options *o, const struct model *m)
{
    struct tracer_frame f = {.max_bounces = o->bounce_count, .seed = o->seed, .focus_distance = 1,
                             .sun_direction = {-0.45f, 0.75f, 0.5f}, .sun_cos_angle = 0.9994f,
                             .zenith = {0.30f, 0.47f, 0.85f}, .horizon = {0.92f, 0.95f, 1.0f}, .sky_scale = 0.62f,
                             .ground_albedo = 0.35f};
    /* The radiance that gives this irradiance through the sun's solid angle. */
    const float sun_irradiance[3] = {3.0f, 2.65f, 2.1f};
    for (int i = 0; i < 3; i++)
        f.sun_radiance[i] = sun_irradiance[i] / (2 * 3.14159265f * (1 - f.sun_cos_angle));
    normalize(f.sun_direction);
    float eye[3], target[3];
    frame_model(o, m, eye, target);
    set_camera(&f, o, eye, target);
    return f;
}

static bool trace_samples(struct tracer *t, const struct scene *s, const struct render_options *o, struct tracer_frame f)
{
    struct progress progress;
    progress_begin(&progress, o->is_quiet);
    bool ok = true;
    uint64_t rays_before = cdxr_device_ray_count(t->gpu->device);
    /* Batches small enough that the bar moves. */
    uint64_t pixels = (uint64_t)o->width * o->height;
    uint32_t batch = pixels > 200000 ? 1 : TRACER_MAX_BATCH;
    for (uint32_t done = 0; done < o->sample_count && ok; done += batch) {
        uint32_t count = o->sample_count - done < batch ? o->sample_count - done : batch;
        f.sample = done;
        ok = tracer_run(t, s, &f, count);
        progress_update(&progress, done + count, o->sample_count, cdxr_device_ray_count(t->gpu->device) - rays_before);
    }
    double seconds = progress_end(&progress);
    if (ok && !o->is_quiet)
        fprintf(stderr, "cdxr: %u samples of %ux%u in %.1f s, %.2f million rays/s\n", o->sample_count, o->width, o->height,
                seconds, (double)(cdxr_device_ray_count(t->gpu->device) - rays_before) / seconds * 1e-6);
    return ok;
}

static bool write_output(struct tracer *t, const struct render_options *o, enum tracer_output output, const char *infix)
{
    static const enum image_transfer transfers[] = {IMAGE_TRANSFER_FILMIC, IMAGE_TRANSFER_SRGB, IMAGE_TRANSFER_SIGNED};
    char path[4096];
    const char *dot = strrchr(o->output_path, '.');
    snprintf(path, sizeof(path), "%.*s%s%s", (int)(dot - o->output_path), o->output_path, infix, dot);
    float *pixels = malloc((size_t)o->width * o->height * 4 * sizeof(float));
    bool ok = pixels && tracer_read(t, output, pixels) &&
              image_write(path, pixels, o->width, o->height, transfers[output], o->exposure);
    free(pixels);
    return ok;
}

static bool render_model(const struct render_options *o, struct model *m)
{
    struct gpu gpu;
    struct scene scene = {0};
    struct tracer tracer = {0};
    struct tracer_frame frame = make_frame(o, m);
    if (!gpu_init(&gpu, o->use_debug_layer))
        return false;
    bool ok = (!o->has_ground || model_add_ground(m, bounds_radius(m) * 40)) && scene_create(&gpu, m, &scene) &&
              tracer_create(&gpu, &scene, o->width, o->height, &tracer) && trace_samples(&tracer, &scene, o, frame) &&
              write_output(&tracer, o, TRACER_OUTPUT_COLOR, "");
    if (ok && o->write_aov)
        ok = write_output(&tracer, o, TRACER_OUTPUT_ALBEDO, ".albedo") && write_output(&tracer, o, TRACER_OUTPUT_NORMAL, ".normal");
    tracer_destroy(&tracer);
    scene_destroy(&scene);
    gpu_finish(&gpu);
    return ok;
}

/* Better to know before minutes of rendering. Leaves whatever is there alone. */
static bool output_is_writable(const char *path)
{
    bool is_new = access(path, F_OK) != 0;
    FILE *file = fopen(path, "ab");
    if (!file) {
        fprintf(stderr, "cdxr: %s: cannot be written: %s\n", path, strerror(errno));
        return false;
    }
    fclose(file);
    if (is_new)
        remove(path);
    return true;
}

int command_render(int argc, char **argv)
{
    struct render_options options;
    int stop = render_options_parse(argc, argv, &options);
    if (stop)
        return stop - 1;
    struct model model;
    if (!output_is_writable(options.output_path) || !model_load(options.model_path, &model))
        return 1;
    bool ok = render_model(&options, &model);
    model_free(&model);
    return ok ? 0 : 1;
}
