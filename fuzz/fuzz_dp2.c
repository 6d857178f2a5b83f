/* SPDX-License-Identifier: MIT
 * Executes any bytes as a token stream. Input: a setup byte (level, strictness, execute buffer, collect), an FVF, a
 * stride, then a length and that many vertex bytes, then tokens. A small fixed world of surfaces gives handles meaning. */
#include <stdlib.h>
#include <string.h>

#include "cdxr/d3dhal.h"
#include "cdxr/dp2.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count);

enum { EDGE = 32, TARGET = 1, DEPTH = 2, TEXTURE = 3, PALETTED = 4, COMPRESSED = 5, VERTICES = 6, INDICES = 7, CUBE = 8, VOLUME = 9, SMALL_TARGET = 10,
       BUMP = 11, HEADER = 12 };

static uint8_t color_memory[EDGE * EDGE * 4], depth_memory[EDGE * EDGE * 4], texture_memory[2048], paletted_memory[256], compressed_memory[256],
    vertex_memory[1024], index_memory[256], cube_memory[6 * 64], volume_memory[4 * 4 * 4 * 4], small_memory[16 * 16 * 2], bump_memory[8 * 8 * 2];

static void add(struct cdxr_dp2_context *context, uint32_t handle, uint32_t flags, enum cdxr_dp2_format format, uint32_t edge, uint32_t pitch, uint8_t *memory,
                size_t byte_count, uint32_t level_count)
{
    struct cdxr_dp2_level levels[6 * 4] = {{0}};
    uint32_t faces = flags & CDXR_DP2_SURFACE_CUBE ? 6 : 1;
    struct cdxr_dp2_surface s = {.handle = handle, .flags = flags, .width = edge, .height = edge, .depth = flags & CDXR_DP2_SURFACE_VOLUME ? edge : 1,
                                 .level_count = level_count, .levels = levels, .color_key_low = 0, .color_key_high = 0x40};
    cdxr_dp2_pixel_format_init(format, &s.format);
    size_t offset = 0;
    for (uint32_t face = 0; face < faces; face++)
        for (uint32_t level = 0; level < level_count; level++) {
            size_t bytes = level_count * faces == 1 ? byte_count : (size_t)pitch * edge >> (2 * level);
            levels[face * level_count + level] = (struct cdxr_dp2_level){memory + offset, bytes, (int32_t)(pitch >> level), (int32_t)(pitch * edge)};
            offset += bytes;
        }
    if (cdxr_dp2_surface_register(context, &s) != CDXR_DP2_OK)
        abort();
}

static void add_world(struct cdxr_dp2_context *context)
{
    add(context, TARGET, CDXR_DP2_SURFACE_TARGET | CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, EDGE, EDGE * 4, color_memory, sizeof(color_memory), 1);
    add(context, DEPTH, CDXR_DP2_SURFACE_DEPTH, CDXR_DP2_FORMAT_D24S8, EDGE, EDGE * 4, depth_memory, sizeof(depth_memory), 1);
    add(context, TEXTURE, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_A8R8G8B8, 16, 64, texture_memory, sizeof(texture_memory), 4);
    add(context, PALETTED, CDXR_DP2_SURFACE_TEXTURE | CDXR_DP2_SURFACE_COLOR_KEY, CDXR_DP2_FORMAT_P8, 16, 16, paletted_memory, sizeof(paletted_memory), 1);
    add(context, COMPRESSED, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_DXT5, 16, 64, compressed_memory, sizeof(compressed_memory), 1);
    add(context, CUBE, CDXR_DP2_SURFACE_TEXTURE | CDXR_DP2_SURFACE_CUBE, CDXR_DP2_FORMAT_L8, 8, 8, cube_memory, 0, 1);
    add(context, VOLUME, CDXR_DP2_SURFACE_TEXTURE | CDXR_DP2_SURFACE_VOLUME, CDXR_DP2_FORMAT_A8R8G8B8, 4, 16, volume_memory, sizeof(volume_memory), 1);
    add(context, SMALL_TARGET, CDXR_DP2_SURFACE_TARGET | CDXR_DP2_SURFACE_TEXTURE | CDXR_DP2_SURFACE_COLOR_KEY, CDXR_DP2_FORMAT_R5G6B5, 16, 32, small_memory,
        sizeof(small_memory), 1);
    add(context, BUMP, CDXR_DP2_SURFACE_TEXTURE, CDXR_DP2_FORMAT_V8U8, 8, 16, bump_memory, sizeof(bump_memory), 1);
    add(context, VERTICES, CDXR_DP2_SURFACE_BUFFER, 0, 0, 0, vertex_memory, sizeof(vertex_memory), 1);
    add(context, INDICES, CDXR_DP2_SURFACE_BUFFER, 0, 0, 0, index_memory, sizeof(index_memory), 1);
}

static void ignore_line(void *cookie, const char *text)
{
}

static void ignore_message(void *cookie, const struct cdxr_dp2_message *message)
{
    if (!*message->text)
        abort();
}

static uint32_t read32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t byte_count)
{
    if (byte_count < HEADER)
        return 0;
    struct cdxr_dp2_config config;
    struct cdxr_dp2_context *context;
    uint8_t setup = bytes[0];
    cdxr_dp2_config_init(&config);
    config.ddi_level = 6 + (setup & 3) % 3;
    config.strict = setup >> 2 & 1;
    config.thread_count = 1;
    config.log = ignore_message;
    config.force_wireframe = (setup >> 4 & 3) == 3;
    config.interface_level = bytes[1] & 3 ? ~0u : 0;
    for (int i = 0; i < 6; i++)
        ((uint32_t *)&config.policies)[i] = bytes[1] >> (2 + i) & 1;
    if (setup >> 7) {
        struct cdxr_dp2_policies *p = &config.policies;
        p->palette_range = p->exit = p->offset_base = p->bad_index = p->fan_edges = p->fog_alpha = 1;
    }
    config.limits = (struct cdxr_dp2_limits){.vertices = 1024, .pixels = 1 << 13, .state_sets = 8, .lights = 8, .shaders = 8, .kept_bytes = 1 << 16};
    if (cdxr_dp2_create(&config, &context) != CDXR_DP2_OK)
        abort();
    add_world(context);
    cdxr_dp2_set_render_target(context, TARGET, DEPTH);
    size_t vertex_bytes = bytes[2] | (size_t)bytes[3] << 8;
    vertex_bytes = vertex_bytes > byte_count - HEADER ? byte_count - HEADER : vertex_bytes;
    /* Copies of the exact size, so that a sanitizer sees every byte read beyond. */
    uint8_t *vertices = malloc(vertex_bytes + 1), *commands = malloc(byte_count - HEADER - vertex_bytes + 1);
    memcpy(vertices, bytes + HEADER, vertex_bytes);
    memcpy(commands, bytes + HEADER + vertex_bytes, byte_count - HEADER - vertex_bytes);
    uint32_t states[256] = {0};
    struct cdxr_dp2_call call = {.flags = setup & 8 ? D3DHALDP2_EXECUTEBUFFER : 0, .vertex_type = read32(bytes + 4), .commands = commands,
                                 .commands_bytes = byte_count - HEADER - vertex_bytes, .command_length = (uint32_t)(byte_count - HEADER - vertex_bytes),
                                 .vertices = vertices, .vertices_bytes = vertex_bytes, .vertex_count = read32(bytes + 8) & 0xFFFF,
                                 .vertex_stride = read32(bytes + 8) >> 16, .render_states = states};
    struct cdxr_dp2_collection *collection;
    if ((setup >> 4 & 3) == 2)
        cdxr_dp2_describe(&config, &call, 1, ignore_line, NULL);
    if ((setup >> 4 & 3) == 1) {
        if (cdxr_dp2_collect(context, &call, setup >> 6 & 1, &collection) == CDXR_DP2_OK)
            cdxr_dp2_collection_destroy(collection);
    } else {
        cdxr_dp2_execute_call(context, &call);
        cdxr_dp2_execute_call(context, &call); /* on the state that the first one left */
    }
    if (call.error_offset > call.command_length || (call.ddrval == 0 && call.error_offset))
        abort();
    cdxr_dp2_destroy(context);
    free(vertices);
    free(commands);
    return 0;
}
