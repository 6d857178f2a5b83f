/* SPDX-License-Identifier: MIT
 * Models from files: the dragon, written by scripts/bench-dragon as u32 vertex count, u32 triangle count, float[3] per
 * vertex, u32[3] per triangle; and the engine of the demo through assimp, where that is there. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#ifdef BENCH_HAS_ASSIMP
#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#endif

static bool read_mesh(FILE *file, struct scene_mesh *mesh)
{
    uint32_t counts[2];
    if (fread(counts, sizeof(counts), 1, file) != 1 || counts[0] > 1u << 28 || counts[1] > 1u << 28)
        return false;
    mesh->vertex_count = mesh->vertex_capacity = counts[0];
    mesh->triangle_count = mesh->triangle_capacity = counts[1];
    mesh->vertices = malloc(counts[0] * sizeof(*mesh->vertices));
    mesh->indices = malloc(counts[1] * sizeof(*mesh->indices));
    if (!mesh->vertices || !mesh->indices || fread(mesh->vertices, sizeof(*mesh->vertices), counts[0], file) != counts[0] ||
        fread(mesh->indices, sizeof(*mesh->indices), counts[1], file) != counts[1])
        return false;
    for (uint32_t i = 0; i < counts[1] * 3; i++)
        if (mesh->indices[i / 3][i % 3] >= counts[0])
            return false;
    return true;
}

bool bench_model_dragon(struct scene_mesh *mesh)
{
    FILE *file = bench_options.dragon ? fopen(bench_options.dragon, "rb") : NULL;
    if (!file) {
        bench_report_missing("dragon", "no dragon.mesh; scripts/bench-dragon makes it and needs npm and the network");
        return false;
    }
    bool ok = read_mesh(file, mesh);
    fclose(file);
    if (!ok) {
        bench_report_missing("dragon", "dragon.mesh is damaged; remove it and run scripts/bench-dragon");
        scene_mesh_finish(mesh);
        *mesh = (struct scene_mesh){0};
    }
    return ok;
}

#ifdef BENCH_HAS_ASSIMP
bool bench_model_engine(struct scene_mesh *mesh)
{
    static const char path[] = "/usr/share/assimp/models/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb";
    const struct aiScene *scene =
        aiImportFile(path, aiProcess_Triangulate | aiProcess_PreTransformVertices | aiProcess_JoinIdenticalVertices);
    if (!scene) {
        bench_report_missing("engines", "assimp cannot read 2CylinderEngine.glb (package assimp-testmodels)");
        return false;
    }
    for (unsigned m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh *from = scene->mMeshes[m];
        uint32_t first = mesh->vertex_count;
        for (unsigned i = 0; i < from->mNumVertices; i++)
            scene_mesh_add_vertex(mesh, from->mVertices[i].x, from->mVertices[i].y, from->mVertices[i].z);
        for (unsigned i = 0; i < from->mNumFaces; i++) {
            const unsigned *face = from->mFaces[i].mIndices;
            if (from->mFaces[i].mNumIndices == 3)
                scene_mesh_add_triangle(mesh, first + face[0], first + face[1], first + face[2]);
        }
    }
    aiReleaseImport(scene);
    return true;
}
#else
bool bench_model_engine(struct scene_mesh *mesh)
{
    bench_report_missing("engines", "built without assimp");
    return false;
}
#endif
