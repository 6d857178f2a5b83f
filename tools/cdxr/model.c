/* SPDX-License-Identifier: MIT
 * From assimp's scene to struct model. */
#include "model.h"

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct loader {
    const struct aiScene *scene;
    struct model *model;
    char folder[1024];
    char (*texture_keys)[1100]; /* of model->textures, in the same order */
    char unreadable[1024]; /* name of the last texture that could not be read */
};

enum { MAX_INSTANCES = 1 << 20, MAX_NODE_DEPTH = 256 };

static bool grow(void **array, size_t count, size_t element_bytes)
{
    void *grown = realloc(*array, count * element_bytes);
    if (grown)
        *array = grown;
    return grown != NULL;
}

/* --- textures --- */

static void *read_whole_file(const char *path, size_t *byte_count)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) /* a pipe named by a model would wait for ever */
        return NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    void *data = length > 0 ? malloc((size_t)length) : NULL;
    if (data && fread(data, 1, (size_t)length, file) != (size_t)length) {
        free(data);
        data = NULL;
    }
    fclose(file);
    *byte_count = data ? (size_t)length : 0;
    return data;
}

static bool decode_embedded(const struct aiTexture *from, struct model_texture *t)
{
    if (from->mHeight == 0)
        return image_decode(from->pcData, from->mWidth, t);
    size_t count = (size_t)from->mWidth * from->mHeight;
    t->pixels = malloc(count * 4);
    for (size_t i = 0; t->pixels && i < count; i++) {
        const struct aiTexel *texel = &from->pcData[i];
        uint8_t rgba[4] = {texel->r, texel->g, texel->b, texel->a};
        memcpy(t->pixels + i * 4, rgba, 4);
    }
    t->width = from->mWidth;
    t->height = from->mHeight;
    return t->pixels != NULL;
}

static bool decode_file(const struct loader *l, const char *name, struct model_texture *t)
{
    char path[2200];
    snprintf(path, sizeof(path), "%s%s", name[0] == '/' ? "" : l->folder, name);
    for (char *c = path; *c; c++)
        *c = *c == '\\' ? '/' : *c;
    size_t bytes = 0;
    void *data = read_whole_file(path, &bytes);
    bool ok = data && image_decode(data, bytes, t);
    free(data);
    return ok;
}

/* "*3" is the fourth embedded texture; others are found by the end of their file name. */
static const struct aiTexture *find_embedded(const struct aiScene *scene, const char *name)
{
    if (name[0] == '*') {
        unsigned long index = strtoul(name + 1, NULL, 10);
        return index < scene->mNumTextures ? scene->mTextures[index] : NULL;
    }
    for (unsigned i = 0; i < scene->mNumTextures; i++)
        if (scene->mTextures[i]->mFilename.length && strcmp(scene->mTextures[i]->mFilename.data, name) == 0)
            return scene->mTextures[i];
    return NULL;
}

/* Index of the texture, loading it the first time; -1 with a warning when it cannot be had. */
static int32_t load_texture(struct loader *l, const char *name, bool is_srgb)
{
    struct model *m = l->model;
    char key[1100];
    snprintf(key, sizeof(key), "%c%s", is_srgb ? 's' : 'l', name);
    for (size_t i = 0; i < m->texture_count; i++)
        if (strcmp(l->texture_keys[i], key) == 0)
            return (int32_t)i;
    struct model_texture t = {.is_srgb = is_srgb};
    const struct aiTexture *embedded = find_embedded(l->scene, name);
    if (!(embedded ? decode_embedded(embedded, &t) : decode_file(l, name, &t))) {
        if (strcmp(l->unreadable, name) != 0) /* asked for again as another kind of texture */
            fprintf(stderr, "cdxr: warning: texture '%s' cannot be read; drawn without it\n", name);
        snprintf(l->unreadable, sizeof(l->unreadable), "%s", name);
        return -1;
    }
    if (!grow((void **)&m->textures, m->texture_count + 1, sizeof(*m->textures)) ||
        !grow((void **)&l->texture_keys, m->texture_count + 1, sizeof(*l->texture_keys))) {
        free(t.pixels);
        return -1;
    }
    memcpy(l->texture_keys[m->texture_count], key, sizeof(key));
    m->textures[m->texture_count] = t;
    return (int32_t)m->texture_count++;
}

static int32_t material_texture(struct loader *l, const struct aiMaterial *from, enum aiTextureType type, bool is_srgb)
{
    struct aiString path;
    if (aiGetMaterialTexture(from, type, 0, &path, NULL, NULL, NULL, NULL, NULL, NULL) != aiReturn_SUCCESS)
        return -1;
    return load_texture(l, path.data, is_srgb);
}

/* --- materials --- */

static float material_float(const struct aiMaterial *from, const char *key, unsigned type, unsigned index, float fallback)
{
    ai_real value;
    return aiGetMaterialFloatArray(from, key, type, index, &value, NULL) == aiReturn_SUCCESS ? value : fallback;
}

static void material_color(const struct aiMaterial *from, const char *key, unsigned type, unsigned index, float *out,
                           int count)
{
    struct aiColor4D c;
    if (aiGetMaterialColor(from, key, type, index, &c) != aiReturn_SUCCESS)
        return;
    const float rgba[4] = {c.r, c.g, c.b, c.a};
    memcpy(out, rgba, (size_t)count * sizeof(float));
}

static float material_alpha_cutoff(const struct aiMaterial *from, const struct model_material *to)
{
    struct aiString mode;
    if (aiGetMaterialString(from, "$mat.gltf.alphaMode", 0, 0, &mode) == aiReturn_SUCCESS) {
        if (strcmp(mode.data, "MASK") == 0)
            return material_float(from, "$mat.gltf.alphaCutoff", 0, 0, 0.5f);
        return strcmp(mode.data, "BLEND") == 0 ? 0.5f : -1.0f;
    }
    return to->base_color[3] < 1.0f ? 0.5f : -1.0f;
}

/* Old-style materials know a shininess only: the GGX roughness of about the same lobe. */
static float material_roughness(const struct aiMaterial *from)
{
    float shininess = material_float(from, AI_MATKEY_SHININESS, 0.0f);
    float fallback = shininess > 1.0f ? sqrtf(sqrtf(2.0f / (shininess + 2.0f))) : 0.6f;
    return material_float(from, AI_MATKEY_ROUGHNESS_FACTOR, fallback);
}

static void convert_material(struct loader *l, const struct aiMaterial *from, struct model_material *to)
{
    *to = (struct model_material){.base_color = {0.7f, 0.7f, 0.7f, 1}, .specular = 0.04f, .uv_scale = {1, 1}};
    material_color(from, AI_MATKEY_COLOR_DIFFUSE, to->base_color, 3);
    material_color(from, AI_MATKEY_BASE_COLOR, to->base_color, 4);
    material_color(from, AI_MATKEY_COLOR_EMISSIVE, to->emissive, 3);
    to->base_color[3] *= material_float(from, AI_MATKEY_OPACITY, 1.0f);
    to->metallic = material_float(from, AI_MATKEY_METALLIC_FACTOR, 0.0f);
    to->roughness = material_roughness(from);
    to->base_color_texture = material_texture(l, from, aiTextureType_BASE_COLOR, true);
    if (to->base_color_texture < 0)
        to->base_color_texture = material_texture(l, from, aiTextureType_DIFFUSE, true);
    to->metal_rough_texture = material_texture(l, from, aiTextureType_METALNESS, false);
    if (to->metal_rough_texture < 0) /* where assimp 5.2 puts glTF's metallic-roughness */
        to->metal_rough_texture = material_texture(l, from, aiTextureType_UNKNOWN, false);
    to->emissive_texture = material_texture(l, from, aiTextureType_EMISSIVE, true);
    to->alpha_cutoff = material_alpha_cutoff(from, to);
    struct aiUVTransform uv;
    if (aiGetMaterialUVTransform(from, AI_MATKEY_UVTRANSFORM(aiTextureType_DIFFUSE, 0), &uv) == aiReturn_SUCCESS) {
        to->uv_scale[0] = uv.mScaling.x;
        to->uv_scale[1] = uv.mScaling.y;
        to->uv_offset[0] = uv.mTranslation.x;
        to->uv_offset[1] = uv.mTranslation.y;
    }
}

static bool convert_materials(struct loader *l)
{
    struct model *m = l->model;
    m->material_count = l->scene->mNumMaterials ? l->scene->mNumMaterials : 1;
    m->materials = calloc(m->material_count, sizeof(*m->materials));
    if (!m->materials)
        return false;
    m->materials[0] = (struct model_material){.base_color = {0.7f, 0.7f, 0.7f, 1}, .roughness = 0.6f,
                                              .alpha_cutoff = -1, .base_color_texture = -1, .metal_rough_texture = -1,
                                              .emissive_texture = -1, .specular = 0.04f, .uv_scale = {1, 1}};
    for (unsigned i = 0; i < l->scene->mNumMaterials; i++)
        convert_material(l, l->scene->mMaterials[i], &m->materials[i]);
    return true;
}

/* --- geometry --- */

static void convert_vertices(const struct aiMesh *from, struct model_vertex *to)
{
    for (unsigned i = 0; i < from->mNumVertices; i++) {
        const struct aiVector3D *p = &from->mVertices[i];
        struct aiVector3D n = from->mNormals ? from->mNormals[i] : (struct aiVector3D){0, 1, 0};
        to[i] = (struct model_vertex){{p->x, p->y, p->z}, {n.x, n.y, n.z}, {0, 0}};
        if (from->mTextureCoords[0]) {
            to[i].uv[0] = from->mTextureCoords[0][i].x;
            to[i].uv[1] = 1.0f - from->mTextureCoords[0][i].y; /* assimp's origin is at the bottom, D3D's at the top */
        }
    }
}

static size_t convert_faces(const struct aiMesh *from, uint32_t *to)
{
    size_t count = 0;
    for (unsigned i = 0; i < from->mNumFaces; i++) {
        const struct aiFace *f = &from->mFaces[i];
        bool ok = f->mNumIndices == 3;
        for (unsigned k = 0; ok && k < 3; k++)
            ok = f->mIndices[k] < from->mNumVertices;
        for (unsigned k = 0; ok && k < 3; k++)
            to[count++] = f->mIndices[k];
    }
    return count;
}

static bool convert_meshes(struct loader *l)
{
    struct model *m = l->model;
    size_t vertices = 0, indices = 0;
    for (unsigned i = 0; i < l->scene->mNumMeshes; i++) {
        vertices += l->scene->mMeshes[i]->mNumVertices;
        indices += (size_t)l->scene->mMeshes[i]->mNumFaces * 3;
    }
    if (vertices > UINT32_MAX / 2 || indices > UINT32_MAX / 4)
        return false;
    m->mesh_count = l->scene->mNumMeshes;
    m->vertices = calloc(vertices + 4, sizeof(*m->vertices));
    m->indices = calloc(indices + 6, sizeof(*m->indices));
    m->meshes = calloc(m->mesh_count + 1, sizeof(*m->meshes));
    m->ranges = calloc(m->mesh_count + 1, sizeof(*m->ranges));
    if (!m->vertices || !m->indices || !m->meshes || !m->ranges)
        return false;
    for (unsigned i = 0; i < l->scene->mNumMeshes; i++) {
        const struct aiMesh *from = l->scene->mMeshes[i];
        uint32_t material = from->mMaterialIndex < m->material_count ? from->mMaterialIndex : 0;
        m->meshes[i] = (struct model_mesh){(uint32_t)m->index_count, (uint32_t)m->vertex_count, material, 0};
        convert_vertices(from, m->vertices + m->vertex_count);
        m->ranges[i].index_count = (uint32_t)convert_faces(from, m->indices + m->index_count);
        m->ranges[i].vertex_count = from->mNumVertices;
        m->index_count += m->ranges[i].index_count;
        m->vertex_count += from->mNumVertices;
    }
    return true;
}

static void grow_bounds(struct model *m, const struct model_instance *n)
{
    const struct model_mesh *mesh = &m->meshes[n->mesh];
    for (uint32_t i = 0; i < m->ranges[n->mesh].index_count; i++) {
        const float *p = m->vertices[mesh->first_vertex + m->indices[mesh->first_index + i]].position;
        for (int axis = 0; axis < 3; axis++) {
            const float *row = n->transform + axis * 4;
            float v = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
            if (!isfinite(v))
                continue;
            m->bounds_min[axis] = fminf(m->bounds_min[axis], v);
            m->bounds_max[axis] = fmaxf(m->bounds_max[axis], v);
        }
    }
}

static bool convert_node(struct loader *l, const struct aiNode *node, const struct aiMatrix4x4 *parent, int depth)
{
    struct model *m = l->model;
    struct aiMatrix4x4 world = *parent;
    aiMultiplyMatrix4(&world, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes; i++) {
        uint32_t mesh = node->mMeshes[i];
        if (mesh >= m->mesh_count || !m->ranges[mesh].index_count)
            continue;
        if (m->instance_count >= MAX_INSTANCES || !grow((void **)&m->instances, m->instance_count + 2, sizeof(*m->instances)))
            return false;
        struct model_instance *n = &m->instances[m->instance_count++];
        *n = (struct model_instance){{world.a1, world.a2, world.a3, world.a4, world.b1, world.b2, world.b3, world.b4,
                                      world.c1, world.c2, world.c3, world.c4},
                                     mesh};
        grow_bounds(m, n);
    }
    for (unsigned i = 0; i < node->mNumChildren && depth < MAX_NODE_DEPTH; i++)
        if (!convert_node(l, node->mChildren[i], &world, depth + 1))
            return false;
    return true;
}

static bool convert_scene(struct loader *l)
{
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    for (int axis = 0; axis < 3; axis++) {
        l->model->bounds_min[axis] = FLT_MAX;
        l->model->bounds_max[axis] = -FLT_MAX;
    }
    return convert_materials(l) && convert_meshes(l) && convert_node(l, l->scene->mRootNode, &identity, 0);
}

/* The loader for foreign files is not ours: where it crashes or never ends on a broken one, the program ends with one line
 * instead. Only async-signal-safe calls in the handler. */
static char import_line[4400];

static void import_failed(int signal_number)
{
    const char *what = signal_number == SIGALRM ? ": the model reader does not come to an end; the file is broken\n"
                                                : ": the model reader crashed; the file is broken\n";
    ssize_t written = write(STDERR_FILENO, import_line, strlen(import_line));
    written = write(STDERR_FILENO, what, strlen(what));
    (void)written;
    _exit(1);
}

enum { IMPORT_SECONDS = 10, IMPORT_BYTES_PER_SECOND = 1 << 20 };
static const int import_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};

static const struct aiScene *import(const char *path, uint64_t file_bytes)
{
    static char handler_stack[64 << 10]; /* nodes nested too deeply use up the ordinary one */
    sigaltstack(&(stack_t){.ss_sp = handler_stack, .ss_size = sizeof(handler_stack)}, NULL);
    struct sigaction action = {.sa_handler = import_failed, .sa_flags = SA_ONSTACK}, old[sizeof(import_signals) / sizeof(import_signals[0])];
    snprintf(import_line, sizeof(import_line), "cdxr: %s", path);
    for (size_t i = 0; i < sizeof(import_signals) / sizeof(import_signals[0]); i++)
        sigaction(import_signals[i], &action, &old[i]);
    alarm(IMPORT_SECONDS + (unsigned)(file_bytes / IMPORT_BYTES_PER_SECOND));
    struct aiPropertyStore *properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, "PP_SBP_REMOVE", aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const struct aiScene *scene = aiImportFileExWithProperties(
        path, aiProcess_Triangulate | aiProcess_GenSmoothNormals | aiProcess_SortByPType | aiProcess_JoinIdenticalVertices,
        NULL, properties);
    aiReleasePropertyStore(properties);
    alarm(0);
    for (size_t i = 0; i < sizeof(import_signals) / sizeof(import_signals[0]); i++)
        sigaction(import_signals[i], &old[i], NULL);
    return scene;
}

bool model_load(const char *path, struct model *model)
{
    memset(model, 0, sizeof(*model));
    struct stat status;
    if (stat(path, &status) != 0 || access(path, R_OK) != 0) {
        fprintf(stderr, "cdxr: %s: cannot be opened: %s\n", path, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        fprintf(stderr, "cdxr: %s: is no regular file\n", path);
        return false;
    }
    const struct aiScene *scene = import(path, (uint64_t)status.st_size);
    if (!scene || !scene->mRootNode) {
        fprintf(stderr, "cdxr: %s: %s\n", path, scene ? "holds no scene" : aiGetErrorString());
        return false;
    }
    struct loader l = {.scene = scene, .model = model};
    const char *slash = strrchr(path, '/');
    snprintf(l.folder, sizeof(l.folder), "%.*s", slash ? (int)(slash - path + 1) : 0, path);
    bool ok = convert_scene(&l);
    free(l.texture_keys);
    aiReleaseImport(scene);
    if (ok && model->instance_count && model->bounds_min[0] <= model->bounds_max[0])
        return true;
    fprintf(stderr, "cdxr: %s: %s\n", path, ok ? "holds no triangles" : "is too large");
    model_free(model);
    return false;
}

bool model_add_ground(struct model *m, float half_width)
{
    float x = (m->bounds_min[0] + m->bounds_max[0]) / 2, z = (m->bounds_min[2] + m->bounds_max[2]) / 2;
    float y = m->bounds_min[1];
    if (!grow((void **)&m->materials, m->material_count + 1, sizeof(*m->materials)) ||
        !grow((void **)&m->instances, m->instance_count + 1, sizeof(*m->instances)))
        return false;
    m->materials[m->material_count] = (struct model_material){
        .base_color = {0.36f, 0.35f, 0.34f, 1}, .roughness = 0.55f, .alpha_cutoff = -1, .base_color_texture = -1,
        .metal_rough_texture = -1, .emissive_texture = -1, .specular = 0.04f, .uv_scale = {1, 1}};
    m->meshes[m->mesh_count] = (struct model_mesh){(uint32_t)m->index_count, (uint32_t)m->vertex_count,
                                                   (uint32_t)m->material_count, 0};
    m->ranges[m->mesh_count] = (struct model_range){6, 4};
    m->instances[m->instance_count] = (struct model_instance){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, (uint32_t)m->mesh_count};
    for (int i = 0; i < 4; i++)
        m->vertices[m->vertex_count + i] = (struct model_vertex){
            {x + (i & 1 ? half_width : -half_width), y, z + (i & 2 ? half_width : -half_width)}, {0, 1, 0}, {i & 1, i >> 1}};
    static const uint32_t indices[6] = {0, 1, 2, 2, 1, 3};
    memcpy(m->indices + m->index_count, indices, sizeof(indices));
    m->vertex_count += 4;
    m->index_count += 6;
    m->material_count++;
    m->mesh_count++;
    m->instance_count++;
    return true;
}

void model_free(struct model *m)
{
    for (size_t i = 0; i < m->texture_count; i++)
        free(m->textures[i].pixels);
    free(m->vertices);
    free(m->indices);
    free(m->meshes);
    free(m->ranges);
    free(m->materials);
    free(m->textures);
    free(m->instances);
    memset(m, 0, sizeof(*m));
}
