/* SPDX-License-Identifier: MIT
 * cdxr-shader-bench: nanoseconds per thread of shaders and of the same functions in native C, measured in turns; and how
 * long an export takes to compile. One thread; the best of several repetitions for each slice of the threads, short enough to
 * be measured between two other programs' turns on the CPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/services.h"
#include "base/format.h"
#include "bench_shaders.h"
#include "cdxr/cdxr.h"
#include "dxil/module.h"
#include "dxil/root_signature.h"
#include "jit/c_library.h"
#include "jit/group.h"
#include "jit/jit.h"

enum { THREADS = 1 << 16, GROUP = 64, SLICE = 1 << 10, REPETITIONS = 9, SPHERES = 256, TEXTURE_SIZE = 256 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *read_file(const char *path, size_t *byte_count)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *byte_count = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*byte_count + 1);
    if (fread(bytes, 1, *byte_count, file) != *byte_count)
        exit(1);
    fclose(file);
    return bytes;
}

static void require(enum status status, const struct reason *reason)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "%s\n", reason->text);
    exit(1);
}

/* --- what shaders see ----------------------------------------------------------------------------------------- */

static float input[1024], output[THREADS];
static uint8_t picture[TEXTURE_SIZE * TEXTURE_SIZE * 4];
static struct native_sphere spheres[SPHERES];
static volatile uint32_t abort_flag;
static uint32_t reported;

static uint32_t report_hit(struct abi_thread *thread, float t, uint32_t kind, const void *attributes, uint32_t bytes)
{
    (void)thread;
    (void)bytes;
    reported += kind + (t > 0) + (uint32_t)((const float *)attributes)[0];
    return 0;
}

static uint32_t native_report(float t, uint32_t kind, const void *attributes)
{
    return report_hit(NULL, t, kind, attributes, 0);
}

static uint64_t bytes_behind(struct abi_thread *thread, uint64_t address)
{
    (void)thread;
    (void)address;
    return 0;
}

static const struct abi_services services = {.report_hit = report_hit, .bytes_behind = bytes_behind};

static struct jit_code *compile(struct jit *jit, const struct dxil_module *module, const char *function,
                                const struct dxil_root_signature *root)
{
    struct reason reason = {0};
    struct jit_code *code = NULL;
    struct jit_export export = {module, function, function[0] == 1 ? "shader" : function, root, NULL};
    struct jit_program program = {.modules = &module, .module_count = 1, .exports = &export, .export_count = 1};
    require(jit_compile(jit, &program, &code, &reason), &reason);
    return code;
}

static void print_pair(const char *name, double shader_ns, double native_ns)
{
    printf("%-28s shader %8.2f ns/thread   native %8.2f ns/thread   ratio %.2f\n", name, shader_ns, native_ns,
           shader_ns / native_ns);
}

/* Best times of every slice, added up. */
struct timing {
    double best_ns[THREADS / SLICE][2];
};

static void timing_init(struct timing *timing)
{
    for (uint32_t i = 0; i < THREADS / SLICE; i++)
        timing->best_ns[i][0] = timing->best_ns[i][1] = 1e30;
}

static double timing_ns_per_thread(const struct timing *timing, int which)
{
    double sum = 0;
    for (uint32_t i = 0; i < THREADS / SLICE; i++)
        sum += timing->best_ns[i][which];
    return sum / THREADS;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* --- compute ------------------------------------------------------------------------------------------------------ */

static void run_native_kernel(uint32_t id)
{
    native_kernel(id, input, output);
}

static void run_native_texture_loop(uint32_t id)
{
    native_texture_loop(id, picture, output);
}

static void run_native_sample_loop(uint32_t id)
{
    native_sample_loop(id, picture, output);
}

static void bench_compute(struct jit *jit, const struct dxil_module *module, const char *name, const char *label,
                          void (*function)(uint32_t id))
{
    struct dxil_static_sampler sampler = {.filter = 0x14, .address_u = 1, .address_v = 1, .address_w = 1,
                                          .max_anisotropy = 1, .comparison = 1, .max_lod = 1000};
    struct dxil_root_parameter parameters[3] = {{.type = DXIL_ROOT_PARAMETER_SRV},
                                                {.type = DXIL_ROOT_PARAMETER_UAV},
                                                {.type = DXIL_ROOT_PARAMETER_TABLE, .range_count = 1}};
    struct dxil_descriptor_range range = {.type = DXIL_REGISTER_SRV, .descriptor_count = 1, .base_register = 1};
    struct dxil_root_signature root = {.version = 2, .parameter_count = 3, .range_count = 1, .parameters = parameters,
                                       .ranges = &range, .static_samplers = &sampler, .static_sampler_count = 1};
    struct reason reason = {0};
    require(dxil_root_signature_finish_layout(&root, &reason), &reason);
    struct abi_texture texture = {.base = picture, .size_bytes = sizeof(picture), .slice_bytes = sizeof(picture),
                                  .width = TEXTURE_SIZE, .height = TEXTURE_SIZE, .depth = 1, .array_size = 1,
                                  .mip_count = 1, .sample_count = 1, .format = FORMAT_R8G8B8A8_UNORM, .plane_count = 1,
                                  .dimension = 2,
                                  .mips = {{0, TEXTURE_SIZE * 4, TEXTURE_SIZE * TEXTURE_SIZE * 4}}};
    struct abi_descriptor descriptor = {.kind = ABI_DESCRIPTOR_TEXTURE, .dimension = ABI_TEXTURE_2D,
                                        .format = FORMAT_R8G8B8A8_UNORM};
    descriptor.texture = (struct abi_texture_view){.texture = &texture, .mip_count = 1, .slice_count = 1,
                                                   .swizzle = 0x1688};
    uint64_t arguments[3] = {(uintptr_t)input, (uintptr_t)output, (uintptr_t)&descriptor};
    uint64_t root_bytes[3] = {sizeof(input), sizeof(output), 0};
    struct jit_code *code = compile(jit, module, name, &root);
    struct abi_dispatch dispatch = {.services = &services, .global_root_arguments = (const uint8_t *)arguments,
                                    .resource_heap = &descriptor, .resource_heap_count = 1, .abort_flag = &abort_flag,
                                    .global_root_bytes = root_bytes, .dimensions = {THREADS / GROUP, 1, 1}};
    struct abi_thread thread = {.dispatch = &dispatch, .shader = jit_code_shader(code, 0)};
    struct timing timing;
    timing_init(&timing);
    for (uint32_t turn = 0; turn < REPETITIONS * (THREADS / SLICE); turn++) {
        uint32_t slice = turn % (THREADS / SLICE), first = slice * SLICE;
        double *best_ns = timing.best_ns[slice], start = now_ns();
        for (uint32_t group = first / GROUP; group < (first + SLICE) / GROUP; group++) {
            thread.group_id[0] = group;
            jit_group_run(thread.shader, &thread, NULL);
        }
        double middle = now_ns();
        for (uint32_t id = first; id < first + SLICE; id++)
            function(id);
        best_ns[0] = smaller(best_ns[0], middle - start);
        best_ns[1] = smaller(best_ns[1], now_ns() - middle);
    }
    print_pair(label, timing_ns_per_thread(&timing, 0), timing_ns_per_thread(&timing, 1));
    jit_code_release(code);
}

/* --- a DXIL hit shader ------------------------------------------------------------------------------------------------ */

static void bench_intersection(struct jit *jit)
{
    size_t bytes;
    struct reason reason = {0};
    struct dxil_module *module = NULL;
    struct dxil_root_signature root = {0};
    void *file = read_file(CDXR_FIXTURES "/dxil/02_procedural_spheres.dxil", &bytes);
    require(dxil_module_create(file, bytes, NULL, &module, &reason), &reason);
    free(file);
    file = read_file(CDXR_FIXTURES "/dxil/02_procedural_spheres.global_rs.rs", &bytes);
    require(dxil_root_signature_parse(file, bytes, &root, &reason), &reason);
    free(file);
    struct jit_code *code = compile(jit, module, "\01?SphereIntersection@@YAXXZ", &root);
    uint64_t arguments[3] = {0, (uintptr_t)spheres, (uintptr_t)output};
    uint64_t root_bytes[3] = {0, sizeof(spheres), sizeof(output)};
    struct abi_instance instance = {.world_to_object = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    struct abi_traversal traversal = {.ray = {{0.25f, 0.5f, -16}, 0, {0, 0, 1}, 100}};
    struct abi_hit hit = {.instance = &instance};
    struct abi_dispatch dispatch = {.services = &services, .global_root_arguments = (const uint8_t *)arguments,
                                    .abort_flag = &abort_flag, .global_root_bytes = root_bytes};
    struct abi_thread thread = {.dispatch = &dispatch, .traversal = &traversal, .hit = &hit};
    abi_shader_fn function = jit_code_shader(code, 0)->function;
    double shader_ns = 1e30, native_ns = 1e30;
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        double start = now_ns();
        for (uint32_t i = 0; i < THREADS; i++) {
            hit.primitive_index = i % SPHERES;
            function(&thread, NULL, NULL);
        }
        double middle = now_ns();
        for (uint32_t i = 0; i < THREADS; i++)
            native_sphere_intersection(&spheres[i % SPHERES], traversal.ray.origin, traversal.ray.direction, native_report);
        shader_ns = smaller(shader_ns, (middle - start) / THREADS);
        native_ns = smaller(native_ns, (now_ns() - middle) / THREADS);
    }
    print_pair("intersection shader (DXIL)", shader_ns, native_ns);
    jit_code_release(code);
    dxil_module_destroy(module);
    dxil_root_signature_finish(&root);
}

/* --- compilation ------------------------------------------------------------------------------------------------------- */

static void bench_compilation(struct jit *jit, const char *fixture)
{
    char path[512];
    size_t bytes;
    struct reason reason = {0};
    struct dxil_module *module = NULL;
    struct dxil_root_signature root = {0};
    double best_ns = 1e30;
    uint32_t exports = 0;
    snprintf(path, sizeof(path), CDXR_FIXTURES "/dxil/%s.dxil", fixture);
    void *file = read_file(path, &bytes);
    require(dxil_module_create(file, bytes, NULL, &module, &reason), &reason);
    free(file);
    snprintf(path, sizeof(path), CDXR_FIXTURES "/dxil/%s.global_rs.rs", fixture);
    file = read_file(path, &bytes);
    require(dxil_root_signature_parse(file, bytes, &root, &reason), &reason);
    free(file);
    for (int repetition = 0; repetition < 3; repetition++) {
        double start = now_ns();
        exports = 0;
        for (uint32_t i = 0; i < module->function_count; i++) {
            if (!module->functions[i].is_entry)
                continue;
            jit_code_release(compile(jit, module, module->functions[i].name, &root));
            exports++;
        }
        best_ns = smaller(best_ns, now_ns() - start);
    }
    printf("%-28s %u exports, %.1f ms each\n", fixture, exports, best_ns / 1e6 / (exports ? exports : 1));
    dxil_module_destroy(module);
    dxil_root_signature_finish(&root);
}

int main(void)
{
    struct jit_options options;
    struct jit *jit = NULL;
    struct dxil_module *library = NULL;
    struct reason reason = {0};
    size_t bytes;
    for (uint32_t i = 0; i < 1024; i++)
        input[i] = (float)(i * 37 % 101) / 101.0f;
    for (uint32_t i = 0; i < sizeof(picture); i++)
        picture[i] = (uint8_t)(i * 31);
    for (uint32_t i = 0; i < SPHERES; i++)
        spheres[i] = (struct native_sphere){{0.01f * (float)i, 0, 0}, 5, 0, 0};
    jit_options_init(&options);
    options.cache_directory = NULL;
    require(jit_create(&options, &jit, &reason), &reason);
    cdxr_enable_c_shaders();
    void *bitcode = read_file(CDXR_BINARY_DIR "/bench/kernel.bc", &bytes);
    require(jit_c_library_create(bitcode, bytes, &library, NULL, &reason), &reason);
    free(bitcode);
    bench_intersection(jit);
    bench_compute(jit, library, "Kernel", "compute kernel (C)", run_native_kernel);
    bench_compute(jit, library, "TextureLoop", "texture loop (C)", run_native_texture_loop);
    bench_compute(jit, library, "SampleLoop", "bilinear loop (C)", run_native_sample_loop);
    bench_compilation(jit, "02_procedural_spheres");
    bench_compilation(jit, "14_rayquery_in_raygen");
    dxil_module_destroy(library);
    jit_destroy(jit);
    return 0;
}
