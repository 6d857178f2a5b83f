/* SPDX-License-Identifier: MIT
 * The benchmark's peer: OpenGL through EGL without a window, in a child process per measurement (llvmpipe reads its thread count
 * once). Without EGL at configure time there is no peer. */
#include "bench_dp2.h"

#if defined(CDXR_BENCH_EGL)
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct answer {
    double triangles_per_second;
    char name[128];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool make_current(void)
{
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display = (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = get_display ? get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    static const EGLint attributes[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_RED_SIZE, 8, EGL_DEPTH_SIZE, 24, EGL_NONE};
    static const EGLint size[] = {EGL_WIDTH, DP2_BENCH_WIDTH, EGL_HEIGHT, DP2_BENCH_HEIGHT, EGL_NONE};
    EGLConfig config;
    EGLint count = 0, major, minor;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor) || !eglBindAPI(EGL_OPENGL_API) ||
        !eglChooseConfig(display, attributes, &config, 1, &count) || !count)
        return false;
    EGLSurface surface = eglCreatePbufferSurface(display, config, size);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
    return eglMakeCurrent(display, surface, surface, context);
}

/* Clip coordinates with w = 1 / rhw, so that the same perspective comes out; colours as the driver wants them. */
struct gl_vertex {
    float position[4];
    uint8_t color[4];
    float coordinates[2];
};

static void upload(const struct dp2_bench_scene *s, const uint32_t *texture)
{
    struct gl_vertex *v = calloc(s->vertex_count, sizeof(*v));
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        const struct dp2_bench_vertex *in = &s->vertices[i];
        float w = 1 / in->rhw;
        v[i] = (struct gl_vertex){{((in->x + 0.5f) / DP2_BENCH_WIDTH * 2 - 1) * w, (1 - (in->y + 0.5f) / DP2_BENCH_HEIGHT * 2) * w, (in->z * 2 - 1) * w, w},
                                  {(uint8_t)(in->diffuse >> 16), (uint8_t)(in->diffuse >> 8), (uint8_t)in->diffuse, (uint8_t)(in->diffuse >> 24)},
                                  {in->u, in->v}};
    }
    GLuint buffers[2], name;
    glGenBuffers(2, buffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(s->vertex_count * sizeof(*v)), v, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, s->index_count * 2, s->indices, GL_STATIC_DRAW);
    glVertexPointer(4, GL_FLOAT, sizeof(*v), (void *)offsetof(struct gl_vertex, position));
    glColorPointer(4, GL_UNSIGNED_BYTE, sizeof(*v), (void *)offsetof(struct gl_vertex, color));
    glTexCoordPointer(2, GL_FLOAT, sizeof(*v), (void *)offsetof(struct gl_vertex, coordinates));
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_COLOR_ARRAY);
    glEnableClientState(GL_TEXTURE_COORD_ARRAY);
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, DP2_BENCH_TEXTURE, DP2_BENCH_TEXTURE, 0, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, texture);
    free(v);
}

static void set_states(const struct dp2_bench_scene *s)
{
    glViewport(0, 0, DP2_BENCH_WIDTH, DP2_BENCH_HEIGHT);
    if (s->textured)
        glEnable(GL_TEXTURE_2D);
    if (s->depth)
        glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    if (s->blended)
        glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

static void frame(const struct dp2_bench_scene *s)
{
    if (s->depth)
        glClear(GL_DEPTH_BUFFER_BIT);
    glDrawElements(GL_TRIANGLES, (GLsizei)s->index_count, GL_UNSIGNED_SHORT, NULL);
    glFinish();
}

static void child(const struct dp2_bench_scene *s, const uint32_t *texture, uint32_t thread_count, double seconds, struct answer *answer)
{
    char threads[16];
    /* Its count is of extra threads: 0 draws in the caller. */
    snprintf(threads, sizeof(threads), "%u", thread_count > 1 ? thread_count : 0);
    setenv("LP_NUM_THREADS", threads, 1);
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    if (!make_current())
        return;
    snprintf(answer->name, sizeof(answer->name), "%.8s", (const char *)glGetString(GL_RENDERER));
    upload(s, texture);
    set_states(s);
    frame(s);
    uint32_t frames = 0;
    double start = now(), end;
    do {
        frame(s);
        frames++;
        end = now();
    } while (end - start < seconds);
    answer->triangles_per_second = frames / (end - start) * s->triangle_count;
}

double dp2_bench_gl(const struct dp2_bench_scene *scene, const uint32_t *texture, uint32_t thread_count, double seconds, char name[128])
{
    int ends[2];
    struct answer answer = {0};
    if (pipe(ends) != 0)
        return 0;
    pid_t process = fork();
    if (process == 0) {
        child(scene, texture, thread_count, seconds, &answer);
        _exit(write(ends[1], &answer, sizeof(answer)) != (ssize_t)sizeof(answer));
    }
    close(ends[1]);
    bool got = process > 0 && read(ends[0], &answer, sizeof(answer)) == (ssize_t)sizeof(answer);
    close(ends[0]);
    if (process > 0)
        waitpid(process, NULL, 0);
    memcpy(name, answer.name, sizeof(answer.name));
    return got ? answer.triangles_per_second : 0;
}
#else
double dp2_bench_gl(const struct dp2_bench_scene *scene, const uint32_t *texture, uint32_t thread_count, double seconds, char name[128])
{
    return 0;
}
#endif
