/* SPDX-License-Identifier: MIT
 * Triangles of a call as lists that BuildRaytracingAccelerationStructure takes. Both spaces are affine images of object space
 * (docs/dp2.md, "Collection"), so untransformed vertices stay as they are and get a 3x4 matrix. */
#include "dp2/collect.h"

#include <stdlib.h>

#include "dp2/compile.h"

struct array {
    void *items;
    uint32_t count, capacity;
};

struct collector {
    enum cdxr_dp2_space space;
    bool out_of_memory, needs_affine;
    struct array positions, normals, coordinates, diffuse, specular, indices, triangle_materials, triangle_tokens, triangle_numbers, geometries, materials;
};

struct owned_collection {
    struct cdxr_dp2_collection public;
    struct collector arrays;
};

static void *append(struct collector *collector, struct array *array, uint32_t count, size_t item_bytes)
{
    if (count > UINT32_MAX / 2 - array->count) {
        collector->out_of_memory = true;
        return NULL;
    }
    if (array->count + count > array->capacity) {
        uint32_t capacity = (array->count + count) * 2;
        void *grown = realloc(array->items, capacity * item_bytes);
        if (!grown) {
            collector->out_of_memory = true;
            return NULL;
        }
        array->items = grown;
        array->capacity = capacity;
    }
    void *start = (uint8_t *)array->items + array->count * item_bytes;
    array->count += count;
    return start;
}

/* ---- transforms ---- */

static void combine(const float *m, int column, float factor, float row[4])
{
    for (int i = 0; i < 4; i++)
        row[i] += m[i * 4 + column] * factor;
}

/* Rows of the map from the space of m's input to the collection's space. */
static void space_transform(const struct collector *collector, const struct vertex_program *program, const float m[16], float transform[12])
{
    const float *v = program->viewport;
    memset(transform, 0, 12 * sizeof(float));
    combine(m, 3, v[0] + v[2] * 0.5f, transform);
    combine(m, 0, v[2] * 0.5f, transform);
    combine(m, 3, v[1] + v[3] * 0.5f, transform + 4);
    combine(m, 1, -v[3] * 0.5f, transform + 4);
    if (collector->space == CDXR_DP2_SPACE_PERSPECTIVE) {
        combine(m, 3, 1, transform + 8);
        return;
    }
    combine(m, 3, program->z_min, transform + 8);
    combine(m, 2, program->z_max - program->z_min, transform + 8);
}

static void identity(float transform[12])
{
    memset(transform, 0, 12 * sizeof(float));
    transform[0] = transform[5] = transform[10] = 1;
}

/* ---- vertices ---- */

static void position_of(const struct collector *collector, const struct fvf_layout *layout, const uint8_t *vertex, float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = le_float(vertex + i * 4);
    if (!layout->pretransformed || collector->space == CDXR_DP2_SPACE_SCREEN)
        return;
    float rhw = le_float(vertex + 12), w = rhw > 0 ? 1 / rhw : 1;
    out[0] *= w;
    out[1] *= w;
    out[2] = w;
}

static bool append_vertex(struct collector *collector, const struct vertex_program *program, const uint8_t *vertex)
{
    const struct fvf_layout *layout = &program->layout;
    float *position = append(collector, &collector->positions, 3, sizeof(float)), *normal = append(collector, &collector->normals, 3, sizeof(float));
    float *coordinates = append(collector, &collector->coordinates, 2, sizeof(float));
    uint32_t *diffuse = append(collector, &collector->diffuse, 1, 4), *specular = append(collector, &collector->specular, 1, 4);
    if (collector->out_of_memory)
        return false;
    position_of(collector, layout, vertex, position);
    if (!layout->pretransformed && dp2_vertex_blends(program)) {
        float world[4];
        dp2_vertex_world(program, vertex, position, world);
        memcpy(position, world, 3 * sizeof(float));
    }
    for (int i = 0; i < 3; i++)
        normal[i] = layout->normal_offset != FVF_ABSENT ? le_float(vertex + layout->normal_offset + i * 4) : 0;
    for (int i = 0; i < 2; i++)
        coordinates[i] = layout->set_floats[0] > i ? le_float(vertex + layout->set_offset[0] + i * 4) : 0;
    *diffuse = layout->diffuse_offset != FVF_ABSENT ? le32(vertex + layout->diffuse_offset) : 0xFFFFFFFF;
    *specular = layout->specular_offset != FVF_ABSENT ? le32(vertex + layout->specular_offset) : 0;
    return true;
}

static bool is_finite(const uint8_t *vertex, bool pretransformed)
{
    for (int i = 0; i < (pretransformed ? 4 : 3); i++)
        if (!__builtin_isfinite(le_float(vertex + i * 4)))
            return false;
    return true;
}

/* ---- materials ---- */

static uint32_t append_material(struct cdxr_dp2_context *context)
{
    struct collector *collector = context->collector;
    const struct dp2_state *s = &context->state;
    const uint32_t *r = s->render;
    struct cdxr_dp2_material m = {
        .texture = s->stage[0][D3DTSS_TEXTUREMAP], .texture_factor = r[60], .fog_color = r[34], .alpha_test = r[15], .alpha_blend = r[27],
        .source_blend = r[19], .destination_blend = r[20], .cull_mode = r[22], .shade_mode = r[9], .lighting = r[137],
        .z_enable = r[7], .z_function = r[23], .z_write = r[14], .power = s->material.power,
    };
    memcpy(m.diffuse, s->material.diffuse, sizeof(m.diffuse));
    memcpy(m.ambient, s->material.ambient, sizeof(m.ambient));
    memcpy(m.specular, s->material.specular, sizeof(m.specular));
    memcpy(m.emissive, s->material.emissive, sizeof(m.emissive));
    const struct cdxr_dp2_material *list = collector->materials.items;
    if (collector->materials.count && !memcmp(&list[collector->materials.count - 1], &m, sizeof(m)))
        return collector->materials.count - 1;
    struct cdxr_dp2_material *added = append(collector, &collector->materials, 1, sizeof(m));
    if (added)
        *added = m;
    return collector->materials.count - 1;
}

/* ---- one token ---- */

static bool append_triangle(struct collector *collector, const struct vertex_program *program, const struct vertex_source *source,
                            const struct primitive *primitive, uint32_t first_vertex)
{
    for (int i = 0; i < 3; i++) {
        const uint8_t *vertex = source->bytes + (size_t)primitive->index[i] * source->stride_bytes;
        uint32_t *index = append(collector, &collector->indices, 1, sizeof(uint32_t));
        if (!index)
            return false;
        *index = collector->diffuse.count - first_vertex;
        if (!append_vertex(collector, program, vertex))
            return false;
    }
    return true;
}

static bool usable(const struct primitive *primitive, const struct vertex_source *source)
{
    for (int i = 0; i < 3; i++)
        if (primitive->index[i] < 0 || (uint64_t)primitive->index[i] >= source->limit ||
            !is_finite(source->bytes + (size_t)primitive->index[i] * source->stride_bytes, source->layout->pretransformed))
            return false;
    return true;
}

/* w where z = 0, of projections whose w is the view depth. */
static float near_plane(const float projection[16])
{
    float near = -projection[14] / projection[10];
    return near > 0 && __builtin_isfinite(near) ? near : 0;
}

static void describe_geometry(struct run *run, const struct vertex_program *program, struct cdxr_dp2_geometry *geometry)
{
    struct collector *collector = run->context->collector;
    geometry->pretransformed = program->layout.pretransformed;
    geometry->token_offset = (uint32_t)run->token_offset;
    geometry->material = append_material(run->context);
    if (program->layout.pretransformed) {
        identity(geometry->transform);
        return;
    }
    float view_projection[16];
    dp2_matrix_multiply(program->view, program->projection, view_projection);
    space_transform(collector, program, dp2_vertex_blends(program) ? view_projection : program->world_view_projection, geometry->transform);
    if (program->clip_enabled && !dp2_projection_is_affine(program->projection) && program->projection[10] != 0)
        geometry->near_w = near_plane(program->projection);
    collector->needs_affine |= collector->space == CDXR_DP2_SPACE_SCREEN && !dp2_projection_is_affine(program->projection);
}

static bool append_geometry(struct run *run, const struct assembly *assembly, const struct vertex_source *source, uint32_t count,
                            const struct vertex_program *program)
{
    struct collector *collector = run->context->collector;
    struct cdxr_dp2_geometry geometry = {.first_vertex = collector->diffuse.count, .first_index = collector->indices.count};
    describe_geometry(run, program, &geometry);
    for (uint32_t k = 0; k < count; k++) {
        struct primitive primitive;
        dp2_assemble(assembly, k, &primitive);
        if (!usable(&primitive, source))
            continue;
        uint32_t *material = append(collector, &collector->triangle_materials, 1, 4), *token = append(collector, &collector->triangle_tokens, 1, 4);
        uint32_t *number = append(collector, &collector->triangle_numbers, 1, 4);
        if (!material || !token || !number || !append_triangle(collector, program, source, &primitive, geometry.first_vertex))
            return false;
        *material = geometry.material;
        *token = geometry.token_offset;
        *number = run->context->triangle_number + 1 + k;
    }
    geometry.vertex_count = collector->diffuse.count - geometry.first_vertex;
    geometry.index_count = collector->indices.count - geometry.first_index;
    if (!geometry.index_count)
        return true;
    struct cdxr_dp2_geometry *added = append(collector, &collector->geometries, 1, sizeof(geometry));
    if (added)
        *added = geometry;
    return added != NULL;
}

bool dp2_collect_draw(struct run *run, const struct assembly *assembly, const struct vertex_source *source, uint32_t count)
{
    if (assembly->kind < ASSEMBLY_TRIANGLES || !source->limit)
        return true;
    struct dp2_arena arena = {0};
    struct texture_cache cache = {.count = 0};
    const struct draw *draw = dp2_compile_draw(run->context, &arena, &cache, source->layout);
    const struct vertex_program *program = draw ? dp2_compile_vertices(run->context, &arena, draw, source->layout) : NULL;
    bool done = program && append_geometry(run, assembly, source, count, program);
    dp2_arena_finish(&arena);
    return done;
}

/* ---- public ---- */

static void publish(struct owned_collection *owned)
{
    const struct collector *c = &owned->arrays;
    owned->public = (struct cdxr_dp2_collection){
        .vertex_count = c->diffuse.count, .index_count = c->indices.count, .triangle_count = c->triangle_materials.count,
        .geometry_count = c->geometries.count, .material_count = c->materials.count, .space = c->space,
        .positions = c->positions.items, .normals = c->normals.items, .texture_coordinates = c->coordinates.items,
        .diffuse = c->diffuse.items, .specular = c->specular.items, .indices = c->indices.items,
        .triangle_materials = c->triangle_materials.items, .triangle_tokens = c->triangle_tokens.items, .triangle_numbers = c->triangle_numbers.items,
        .geometries = c->geometries.items, .materials = c->materials.items,
    };
}

enum cdxr_dp2_error cdxr_dp2_collect(struct cdxr_dp2_context *context, struct cdxr_dp2_call *call, enum cdxr_dp2_space space,
                                     struct cdxr_dp2_collection **collection)
{
    struct owned_collection *owned = calloc(1, sizeof(*owned));
    if (!owned)
        return CDXR_DP2_ERROR_MEMORY;
    owned->arrays.space = space;
    context->collector = &owned->arrays;
    cdxr_dp2_execute_call(context, call);
    context->collector = NULL;
    if (owned->arrays.out_of_memory || owned->arrays.needs_affine) {
        enum cdxr_dp2_error error = owned->arrays.out_of_memory ? CDXR_DP2_ERROR_MEMORY : CDXR_DP2_ERROR_UNSUPPORTED;
        if (error == CDXR_DP2_ERROR_UNSUPPORTED)
            dp2_context_report(context, CDXR_DP2_SEVERITY_ERROR, "collect: a perspective projection has no affine map to screen space");
        cdxr_dp2_collection_destroy(&owned->public);
        return error;
    }
    publish(owned);
    *collection = &owned->public;
    return CDXR_DP2_OK;
}

void cdxr_dp2_collection_destroy(struct cdxr_dp2_collection *collection)
{
    if (!collection)
        return;
    struct owned_collection *owned = (struct owned_collection *)collection; /* its first member */
    struct array *arrays[] = {&owned->arrays.positions, &owned->arrays.normals, &owned->arrays.coordinates, &owned->arrays.diffuse,
                              &owned->arrays.specular, &owned->arrays.indices, &owned->arrays.triangle_materials,
                              &owned->arrays.triangle_tokens, &owned->arrays.triangle_numbers, &owned->arrays.geometries, &owned->arrays.materials};
    for (size_t i = 0; i < ARRAY_COUNT(arrays); i++)
        free(arrays[i]->items);
    free(owned);
}
