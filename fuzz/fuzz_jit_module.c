/* SPDX-License-Identifier: MIT
 * Mutated modules through compilation and execution: what the checker accepts must compile or be refused with a reason, and
 * what compiles must end, and touch nothing but its resources, payload, attributes and groupshared memory. Each of these ends
 * at a page that cannot be accessed. One entry of the module runs, with a root signature made from its own resources; the
 * ray services are stubs that write to the last byte of the memory that they are told of. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "abi/services.h"
#include "base/format.h"
#include "dxil/module.h"
#include "dxil/root_signature.h"
#include "jit/group.h"
#include "jit/jit.h"
#include "module_mutator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

enum { MEMORY_BYTES = 1 << 16, PAGE_BYTES = 4096, MAX_RESOURCES = 48, SLOTS = 4, TIMEOUT_MS = 300, TEXTURE_SIZE = 8 };

static struct jit *compilers[2]; /* with and without optimisation */
static volatile uint32_t abort_flag;
static uint8_t *buffer_end, *texture_end, *payload_end, *attributes_end, *shared_end;
static struct abi_descriptor heap[MAX_RESOURCES * SLOTS], sampler_heap[MAX_RESOURCES * SLOTS];
static struct abi_texture texture;
static unsigned long refused_count, rejected_count, run_count;

static void print_counts(void)
{
    fprintf(stderr, "%lu refused by the checker, %lu by the compiler, %lu run\n", refused_count, rejected_count, run_count);
}

static void on_alarm(int signal)
{
    (void)signal;
    abort_flag = 1;
}

/* Memory that ends at a page without access. */
static uint8_t *guarded_end(void)
{
    uint8_t *start = mmap(NULL, MEMORY_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + MEMORY_BYTES, PAGE_BYTES, PROT_NONE))
        abort();
    return start + MEMORY_BYTES;
}

/* --- stubs ------------------------------------------------------------------------------------------------------------- */

static void touch(struct abi_thread *thread, void *payload)
{
    uint32_t bytes = thread->payload_memory_bytes;
    thread->payload_memory_bytes = 0;
    if (payload && bytes)
        memset(payload, 0x40, bytes);
}

static void stub_trace(struct abi_thread *thread, const struct abi_trace_arguments *arguments, void *payload)
{
    touch(thread, payload);
}

static void stub_call(struct abi_thread *thread, uint32_t shader_index, void *parameter)
{
    touch(thread, parameter);
}

static uint32_t stub_report(struct abi_thread *thread, float t, uint32_t hit_kind, const void *attributes, uint32_t bytes)
{
    uint8_t copy[ABI_ATTRIBUTE_STORAGE_BYTES];
    memcpy(copy, attributes, bytes);
    return copy[0] & 1;
}

static void stub_query_begin(struct abi_thread *thread, void *query, const struct abi_trace_arguments *arguments)
{
    struct abi_traversal *traversal = query;
    *traversal = (struct abi_traversal){.ray = arguments->ray, .ray_flags = arguments->ray_flags};
}

static const struct abi_instance instance = {.world_to_object = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

static uint32_t stub_query_proceed(struct abi_thread *thread, void *query)
{
    struct abi_traversal *traversal = query;
    traversal->candidate.instance = traversal->committed.instance = &instance;
    return !abort_flag && traversal->instance_mask++ < 3;
}

static void stub_query(struct abi_thread *thread, void *query)
{
    ((struct abi_traversal *)query)->committed_status = ABI_COMMITTED_TRIANGLE_HIT;
}

static void stub_query_procedural(struct abi_thread *thread, void *query, float t)
{
    stub_query(thread, query);
}

static void stub_fault(struct abi_thread *thread, uint32_t fault, uint64_t detail)
{
}

static uint64_t stub_bytes_behind(struct abi_thread *thread, uint64_t address)
{
    return 0;
}

static void stub_object_trace(struct abi_thread *thread, const struct abi_trace_arguments *arguments, void *payload,
                              struct abi_hit_object *object)
{
    touch(thread, payload);
    *object = (struct abi_hit_object){.kind = ABI_HIT_OBJECT_HIT, .hit = {.instance = &instance}, .attribute_bytes = 8};
}

static void stub_object_invoke(struct abi_thread *thread, const struct abi_hit_object *object, void *payload)
{
    touch(thread, payload);
}

static uint32_t stub_object_constant(struct abi_thread *thread, const struct abi_hit_object *object, uint32_t offset)
{
    return offset;
}

static void stub_positions(struct abi_thread *thread, const struct abi_hit *hit, float positions[9])
{
    memset(positions, 0, 9 * sizeof(float));
}

static const struct abi_services services = {
    .trace_ray = stub_trace, .call_shader = stub_call, .report_hit = stub_report,
    .query_bytes = sizeof(struct abi_traversal), .query_begin = stub_query_begin, .query_proceed = stub_query_proceed,
    .query_abort = stub_query, .query_commit_triangle = stub_query, .query_commit_procedural = stub_query_procedural,
    .fault = stub_fault, .bytes_behind = stub_bytes_behind, .hit_object_trace = stub_object_trace,
    .hit_object_invoke = stub_object_invoke, .hit_object_record_constant = stub_object_constant,
    .triangle_positions = stub_positions};

/* --- set-up ------------------------------------------------------------------------------------------------------------ */

static void init_once(void)
{
    if (compilers[0])
        return;
    atexit(print_counts);
    signal(SIGALRM, on_alarm);
    struct reason reason;
    for (int i = 0; i < 2; i++) {
        struct jit_options options;
        jit_options_init(&options);
        options.cache_directory = NULL;
        options.query_bytes = sizeof(struct abi_traversal);
        options.debug = i == 0;
        if (jit_create(&options, &compilers[i], &reason) != STATUS_OK)
            abort();
    }
    buffer_end = guarded_end();
    texture_end = guarded_end();
    payload_end = guarded_end();
    attributes_end = guarded_end();
    shared_end = guarded_end();
    uint32_t row_bytes = TEXTURE_SIZE * 16, slice_bytes = row_bytes * TEXTURE_SIZE, total = slice_bytes * 12;
    texture = (struct abi_texture){.base = texture_end - total, .size_bytes = total, .slice_bytes = slice_bytes,
                                   .width = TEXTURE_SIZE, .height = TEXTURE_SIZE, .depth = 1, .array_size = 12,
                                   .mip_count = 1, .sample_count = 1, .format = FORMAT_R32G32B32A32_FLOAT,
                                   .plane_count = 1, .dimension = 2, .mips = {{0, row_bytes, slice_bytes}}};
}

static uint8_t texture_dimension(enum dxil_resource_kind kind)
{
    switch (kind) {
    case DXIL_RESOURCE_KIND_TEXTURE2DARRAY:
        return ABI_TEXTURE_2D_ARRAY;
    case DXIL_RESOURCE_KIND_TEXTURECUBE:
        return ABI_TEXTURE_CUBE;
    case DXIL_RESOURCE_KIND_TEXTURECUBEARRAY:
        return ABI_TEXTURE_CUBE_ARRAY;
    default:
        return ABI_TEXTURE_2D;
    }
}

static struct abi_descriptor descriptor_for(const struct dxil_resource *resource)
{
    struct abi_descriptor d = {.is_uav = resource->resource_class == DXIL_RESOURCE_CLASS_UAV};
    uint32_t bytes = 256;
    d.format = FORMAT_R32G32B32A32_FLOAT;
    d.buffer = (struct abi_buffer_view){(uintptr_t)buffer_end - bytes, bytes, (uintptr_t)buffer_end - bytes, 0, 0};
    switch (resource->kind) {
    case DXIL_RESOURCE_KIND_CBUFFER:
        d.kind = ABI_DESCRIPTOR_CBV;
        break;
    case DXIL_RESOURCE_KIND_RAWBUFFER:
        d.kind = ABI_DESCRIPTOR_RAW_BUFFER;
        break;
    case DXIL_RESOURCE_KIND_STRUCTUREDBUFFER:
        d.kind = ABI_DESCRIPTOR_STRUCTURED_BUFFER;
        d.buffer.stride = resource->stride_bytes;
        break;
    case DXIL_RESOURCE_KIND_TYPEDBUFFER:
        d.kind = ABI_DESCRIPTOR_TYPED_BUFFER;
        break;
    case DXIL_RESOURCE_KIND_SAMPLER:
        d.kind = ABI_DESCRIPTOR_SAMPLER;
        d.sampler = (struct abi_sampler){.filter = 0x15, .address = {1, 3, 4}, .max_anisotropy = 1, .max_lod = 10};
        break;
    case DXIL_RESOURCE_KIND_ACCELERATIONSTRUCTURE:
        d.kind = ABI_DESCRIPTOR_ACCELERATION_STRUCTURE;
        d.buffer.address = 0;
        break;
    default:
        d.kind = ABI_DESCRIPTOR_TEXTURE;
        d.dimension = texture_dimension(resource->kind);
        d.texture = (struct abi_texture_view){.texture = &texture, .mip_count = 1, .slice_count = 12, .swizzle = 0x688};
        break;
    }
    return d;
}

/* A table of up to SLOTS descriptors for every resource. */
static bool make_root(const struct dxil_module *module, struct dxil_root_signature *root, uint64_t *arguments)
{
    static struct dxil_root_parameter parameters[MAX_RESOURCES];
    static struct dxil_descriptor_range ranges[MAX_RESOURCES];
    uint32_t count = module->resource_count;
    if (count > MAX_RESOURCES)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        static const enum dxil_register_type types[] = {DXIL_REGISTER_SRV, DXIL_REGISTER_UAV, DXIL_REGISTER_CBV, DXIL_REGISTER_SAMPLER};
        const struct dxil_resource *resource = &module->resources[i];
        bool is_sampler = resource->resource_class == DXIL_RESOURCE_CLASS_SAMPLER;
        struct abi_descriptor *slots = (is_sampler ? sampler_heap : heap) + (size_t)i * SLOTS;
        for (uint32_t s = 0; s < SLOTS; s++)
            slots[s] = descriptor_for(resource);
        ranges[i] = (struct dxil_descriptor_range){.type = types[resource->resource_class],
                                                   .descriptor_count = resource->range_count < SLOTS ? resource->range_count : SLOTS,
                                                   .base_register = resource->lower_bound, .space = resource->space};
        parameters[i] = (struct dxil_root_parameter){.type = DXIL_ROOT_PARAMETER_TABLE, .first_range = i, .range_count = 1};
        arguments[i] = (uintptr_t)slots;
    }
    *root = (struct dxil_root_signature){.version = 2, .parameter_count = count, .range_count = count,
                                         .parameters = parameters, .ranges = ranges};
    return dxil_root_signature_finish_layout(root, NULL) == STATUS_OK;
}

/* --- one module -------------------------------------------------------------------------------------------------------- */

static void set_alarm(long milliseconds)
{
    struct itimerval timer = {.it_value = {0, milliseconds * 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void run_shader(const struct abi_shader *shader, const struct abi_dispatch *dispatch)
{
    struct abi_traversal traversal = {.ray = {.direction = {0, 0, 1}, .t_max = 100}};
    struct abi_hit hit = {.t = 1, .instance = &instance};
    struct abi_thread thread = {.dispatch = dispatch, .shader = shader, .traversal = &traversal, .hit = &hit};
    if (shader->groupshared_bytes > MEMORY_BYTES || shader->payload_memory_bytes > MEMORY_BYTES)
        return;
    run_count++;
    abort_flag = 0;
    set_alarm(TIMEOUT_MS);
    if (shader->kind == ABI_SHADER_COMPUTE)
        jit_group_run(shader, &thread, shared_end - (shader->groupshared_bytes + 15) / 16 * 16);
    else
        shader->function(&thread, payload_end - shader->payload_memory_bytes, attributes_end - shader->attribute_memory_bytes);
    set_alarm(0);
}

static const struct dxil_function *pick_entry(const struct dxil_module *module, uint32_t which)
{
    uint32_t count = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t wanted = count ? which % count : 0;
        count = 0;
        for (uint32_t i = 0; i < module->function_count; i++)
            if (module->functions[i].is_entry && count++ == wanted && pass == 1)
                return &module->functions[i];
    }
    return NULL;
}

static void compile_and_run(const struct dxil_module *module, uint32_t choice)
{
    struct dxil_root_signature root;
    static uint64_t arguments[MAX_RESOURCES];
    uint64_t root_bytes[MAX_RESOURCES] = {0};
    struct reason reason = {{0}};
    const struct dxil_function *entry = pick_entry(module, choice >> 8);
    if (!entry || !make_root(module, &root, arguments))
        return;
    struct jit_export export = {module, entry->name, "shader", &root, NULL};
    struct jit_program program = {.modules = &module, .module_count = 1, .exports = &export, .export_count = 1};
    struct jit_code *code = NULL;
    if (jit_compile(compilers[choice % 4 == 0], &program, &code, &reason) != STATUS_OK) {
        if (!reason.text[0])
            abort();
        rejected_count++;
        return;
    }
    struct abi_dispatch dispatch = {.services = &services, .global_root_arguments = (const uint8_t *)arguments,
                                    .resource_heap = heap, .resource_heap_count = MAX_RESOURCES * SLOTS,
                                    .sampler_heap = sampler_heap, .sampler_heap_count = MAX_RESOURCES * SLOTS,
                                    .abort_flag = &abort_flag, .global_root_bytes = root_bytes, .dimensions = {1, 1, 1}};
    run_shader(jit_code_shader(code, 0), &dispatch);
    jit_code_release(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    init_once();
    struct dxil_options options = {.allow_unsigned = true};
    struct dxil_module *module = NULL;
    uint8_t *copy = malloc(byte_count + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, byte_count);
    if (byte_count >= 32)
        memset(copy + 4, 0, 16);
    uint32_t choice = (uint32_t)byte_count;
    for (size_t i = 0; i < byte_count; i += 7)
        choice = choice * 31 + copy[i];
    enum status status = dxil_module_create(copy, byte_count, &options, &module, NULL);
    free(copy);
    if (status != STATUS_OK) {
        refused_count++;
        return -1;
    }
    compile_and_run(module, choice >> 3);
    dxil_module_destroy(module);
    return 0;
}
