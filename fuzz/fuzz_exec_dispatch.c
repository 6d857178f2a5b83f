/* SPDX-License-Identifier: MIT
 * DispatchRays with any arguments and any bytes in the shader tables, and any instance descriptions in the top level. Shaders are C
 * functions that trace and call with indices from the input. Whatever comes: no access outside the buffers (ASan), no
 * hang; at most a removed device, after which a new one goes on. */
#include <stdlib.h>
#include <string.h>

#include "abi/services.h"
#include "accel/build.h"
#include "exec/dispatch.h"
#include "exec/memory.h"
#include "exec/shader_table.h"

enum { TABLE_BYTES = 8192, STRUCTURE_BYTES = 1 << 16, INSTANCES = 8, INSTANCE_BYTES = 64, GROUPS = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

/* What the input chooses beside memory content. */
struct knobs {
    uint8_t use_group[16]; /* record i of the tables: identifier of this group, 0 and large values: as the bytes are */
    int16_t address_moves[4];
    uint16_t sizes[4], strides[4];
    uint8_t far_fields; /* bit: table gets a far address or size */
    uint8_t ray_contribution, multiplier, width, height;
    uint8_t recursion;
    uint16_t miss_index, callable_index;
    uint32_t ray_flags;
    uint8_t instance_pointers[INSTANCES]; /* 1: the real bottom level, 2: null, else as the bytes are */
};

static struct knobs knobs;
static uint8_t *tables, *structure, *instances, *blas, *scratch;
static struct address_map *addresses;
static struct exec_device *device;

static void trace(struct abi_thread *thread, void *payload)
{
    struct abi_trace_arguments arguments = {
        .acceleration_structure = (uint64_t)(uintptr_t)structure, .ray_flags = knobs.ray_flags & 0x3ff,
        .instance_mask = 0xff, .ray_contribution = knobs.ray_contribution, .geometry_multiplier = knobs.multiplier,
        .miss_index = knobs.miss_index,
        .ray = {.origin = {(float)thread->dispatch_index[0] * .1f, .25f, -1}, .direction = {0, 0, 1}, .t_max = 1e30f}};
    thread->dispatch->services->trace_ray(thread, &arguments, payload);
}

static void raygen(struct abi_thread *thread, void *payload, const void *attributes)
{
    uint32_t words[4] = {0};
    trace(thread, words);
    thread->dispatch->services->call_shader(thread, knobs.callable_index, words);
}

static void recurse(struct abi_thread *thread, void *payload, const void *attributes)
{
    uint32_t *words = payload;
    if (words[0]++ < knobs.recursion)
        trace(thread, payload);
}

static void call_again(struct abi_thread *thread, void *payload, const void *attributes)
{
    uint32_t *words = payload;
    if (words[1]++ < knobs.recursion)
        thread->dispatch->services->call_shader(thread, knobs.callable_index, payload);
}

static void any_hit(struct abi_thread *thread, void *payload, const void *attributes)
{
    thread->ignore_hit = knobs.recursion & 1;
}

static void intersection(struct abi_thread *thread, void *payload, const void *attributes)
{
    float block[2] = {1, 2};
    thread->dispatch->services->report_hit(thread, 1, 3, block, sizeof(block));
}

static const struct abi_shader shaders[] = {
    {.function = raygen, .name = "raygen", .kind = ABI_SHADER_RAY_GENERATION, .local_root_bytes = 8},
    {.function = recurse, .name = "miss", .kind = ABI_SHADER_MISS, .local_root_bytes = 100},
    {.function = call_again, .name = "callable", .kind = ABI_SHADER_CALLABLE},
    {.function = recurse, .name = "closest hit", .kind = ABI_SHADER_CLOSEST_HIT, .local_root_bytes = 4064},
    {.function = any_hit, .name = "any hit", .kind = ABI_SHADER_ANY_HIT},
    {.function = intersection, .name = "intersection", .kind = ABI_SHADER_INTERSECTION},
};
static struct abi_group groups[GROUPS];
static const struct abi_group *group_list[GROUPS];
static struct abi_pipeline pipeline = {.groups = group_list, .group_count = GROUPS, .max_recursion_depth = 2};

static void add_range(void *memory, uint64_t bytes)
{
    static struct exec_resource owner;
    struct address_range range = {.start = (uint64_t)(uintptr_t)memory, .size_bytes = bytes, .owner = &owner,
                                  .kind = ADDRESS_KIND_BUFFER};
    if (address_map_add(addresses, &range) != STATUS_OK)
        abort();
}

static uint8_t *new_memory(uint64_t bytes)
{
    uint8_t *memory = aligned_alloc(4096, (bytes + 4095) & ~4095ull);
    memset(memory, 0, bytes);
    add_range(memory, bytes);
    return memory;
}

static void build_bottom(void)
{
    static const float corners[9] = {0, 0, 0, 0, 1, 0, 1, 0, 0};
    struct accel_geometry geometry = {.type = ACCEL_GEOMETRY_TRIANGLES};
    geometry.triangles = (struct accel_triangles){
        .vertices = (uint64_t)(uintptr_t)corners, .vertex_stride_bytes = 12, .vertex_count = 3, .vertex_format = 6};
    struct accel_build_arguments arguments = {
        .inputs = {.level = ACCEL_LEVEL_BOTTOM, .count = 1, .geometries = &geometry}, .result = blas, .scratch = scratch};
    if (accel_build(&arguments, NULL) != STATUS_OK)
        abort();
}

static void init_once(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    if (address_map_create(&addresses) != STATUS_OK)
        abort();
    tables = new_memory(TABLE_BYTES);
    structure = new_memory(STRUCTURE_BYTES);
    instances = new_memory(INSTANCES * INSTANCE_BYTES);
    blas = new_memory(STRUCTURE_BYTES);
    scratch = new_memory(STRUCTURE_BYTES);
    build_bottom();
    for (uint32_t i = 0; i < GROUPS; i++) {
        groups[i] = (struct abi_group){.kind = ABI_GROUP_SHADER, .name = "group", .shader = &shaders[i]};
        if (i >= 3)
            groups[i] = (struct abi_group){.kind = i == 5 ? ABI_GROUP_PROCEDURAL : ABI_GROUP_TRIANGLES, .name = "hit",
                                           .closest_hit = &shaders[3], .any_hit = i > 3 ? &shaders[4] : NULL,
                                           .intersection = i == 5 ? &shaders[5] : NULL};
        memcpy(groups[i].identifier, &i, sizeof(i));
        memset(groups[i].identifier + 8, 0x40 + (int)i, 24);
        group_list[i] = &groups[i];
    }
}

/* The input decides what the tables and instances hold; known identifiers and pointers where the knobs say so. */
static void fill_memory(const uint8_t *data, size_t byte_count)
{
    memset(tables, 0, TABLE_BYTES);
    memset(instances, 0, INSTANCES * INSTANCE_BYTES);
    memset(structure, 0, 512);
    memcpy(tables, data, byte_count < TABLE_BYTES ? byte_count : TABLE_BYTES);
    memcpy(instances, data, byte_count < INSTANCES * INSTANCE_BYTES ? byte_count : INSTANCES * INSTANCE_BYTES);
    for (uint32_t i = 0; i < 16; i++)
        if (knobs.use_group[i] && knobs.use_group[i] <= GROUPS)
            memcpy(tables + i * 256, groups[knobs.use_group[i] - 1].identifier, 32);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        uint64_t pointer = knobs.instance_pointers[i] == 1 ? (uint64_t)(uintptr_t)blas : 0;
        if (knobs.instance_pointers[i] == 1 || knobs.instance_pointers[i] == 2)
            memcpy(instances + i * INSTANCE_BYTES + 56, &pointer, sizeof(pointer));
    }
}

static uint64_t bytes_behind(void *context, uint64_t address)
{
    return address_map_bytes_behind(addresses, address);
}

static void build_top(void)
{
    struct accel_reader reader = {bytes_behind, NULL};
    struct accel_build_arguments arguments = {
        .inputs = {.level = ACCEL_LEVEL_TOP, .count = INSTANCES, .instances = (uint64_t)(uintptr_t)instances},
        .result = structure, .scratch = scratch, .reader = &reader};
    struct accel_prebuild_info info;
    if (accel_prebuild_info(&arguments.inputs, &info, NULL) != STATUS_OK || info.result_bytes > STRUCTURE_BYTES ||
        info.scratch_bytes > STRUCTURE_BYTES)
        abort();
    (void)!accel_build(&arguments, NULL);
}

static uint64_t table_field(uint32_t table, uint64_t value, uint32_t bit)
{
    return knobs.far_fields >> (table + bit) & 1 ? value * 0x123456789ull : value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    init_once();
    memset(&knobs, 0, sizeof(knobs));
    size_t knob_bytes = byte_count < sizeof(knobs) ? byte_count : sizeof(knobs);
    memcpy(&knobs, data, knob_bytes);
    fill_memory(data + knob_bytes, byte_count - knob_bytes);
    build_top();
    if (device && exec_device_removed(device) != EXEC_REMOVED_NOT) {
        exec_device_destroy(device);
        device = NULL;
    }
    struct exec_device_settings settings = {.addresses = addresses};
    if (!device && exec_device_create(&settings, &device) != STATUS_OK)
        abort();
    uint64_t start = (uint64_t)(uintptr_t)tables;
    struct exec_dispatch_rays_arguments arguments = {
        .raygen_address = table_field(0, start + knobs.address_moves[0], 0), .raygen_bytes = knobs.sizes[0],
        .miss_address = table_field(1, start + 1024 + knobs.address_moves[1], 0),
        .miss_bytes = table_field(1, knobs.sizes[1], 3), .miss_stride = knobs.strides[1],
        .hit_address = table_field(2, start + 2048 + knobs.address_moves[2], 0),
        .hit_bytes = table_field(2, knobs.sizes[2], 3), .hit_stride = knobs.strides[2],
        .callable_address = table_field(3, start + 3072 + knobs.address_moves[3], 0),
        .callable_bytes = table_field(3, knobs.sizes[3], 3), .callable_stride = knobs.strides[3],
        .width = knobs.width % 9, .height = knobs.height % 3 + 1, .depth = 1};
    static struct exec_bindings bindings = {.list_name = "fuzz", .raytracing = &pipeline};
    exec_dispatch_rays_run(device, &bindings, &arguments);
    return 0;
}
