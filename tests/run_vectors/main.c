/* SPDX-License-Identifier: MIT
 * run-vectors [--modules DIR] FILE.txt...: execute test vectors (tests/fixtures/README.md) through the public D3D12
 * API. One result a vector; the last line is "N passed, M failed"; exit status 1 when one failed. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "vector.h"

static bool prepare(struct run *run)
{
    if (run->vector->wave_size) {
        char text[16];
        snprintf(text, sizeof(text), "%u", run->vector->wave_size);
        setenv("CDXR_WAVE_SIZE", text, 1); /* read when a device is created */
    } else {
        unsetenv("CDXR_WAVE_SIZE");
    }
    return gpu_init(&run->gpu, false) && scene_build(run) && pipeline_create(run) && gpu_submit(&run->gpu);
}

static bool poke(struct run *run, const struct step *step)
{
    struct resource *r = vector_resource(run->vector, step->name);
    if (!r)
        return false;
    uint32_t offset = step->values[0], value = step->values[1];
    if (offset / 4 < r->word_count)
        r->words[offset / 4] = value;
    return r->kind == RESOURCE_CONSTANTS || gpu_buffer_write(&run->gpu, r->object, offset, &value, 4);
}

static D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE table(const struct table_set *set, enum record_kind kind)
{
    D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE t = {0};
    if (set->tables[kind]) {
        t.StartAddress = ID3D12Resource_GetGPUVirtualAddress(set->tables[kind]);
        t.SizeInBytes = set->table_bytes[kind];
        t.StrideInBytes = set->table_stride[kind];
    }
    return t;
}

static bool dispatch_rays(struct run *run, const struct step *step)
{
    const struct table_set *set = run_table_set(run, step);
    if (!run->pipeline || !set || !bind_global(run))
        return false;
    D3D12_DISPATCH_RAYS_DESC d = {.MissShaderTable = table(set, RECORD_MISS), .HitGroupTable = table(set, RECORD_HIT),
                                  .CallableShaderTable = table(set, RECORD_CALLABLE), .Width = step->values[0],
                                  .Height = step->values[1], .Depth = step->values[2]};
    D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE raygen = table(set, RECORD_RAYGEN);
    d.RayGenerationShaderRecord.StartAddress = raygen.StartAddress;
    d.RayGenerationShaderRecord.SizeInBytes = raygen.StrideInBytes;
    ID3D12GraphicsCommandList4_SetPipelineState1(run->gpu.list, run->pipeline);
    ID3D12GraphicsCommandList4_DispatchRays(run->gpu.list, &d);
    return gpu_submit(&run->gpu);
}

static bool dispatch(struct run *run, const struct step *step)
{
    if (!run->compute || !bind_global(run))
        return false;
    ID3D12GraphicsCommandList4_SetPipelineState(run->gpu.list, run->compute);
    ID3D12GraphicsCommandList4_Dispatch(run->gpu.list, step->values[0], step->values[1], step->values[2]);
    return gpu_submit(&run->gpu);
}

static bool run_step(struct run *run, const struct step *step)
{
    switch (step->kind) {
    case STEP_POKE:
        return poke(run, step);
    case STEP_DISPATCH_RAYS:
        return dispatch_rays(run, step);
    case STEP_DISPATCH:
        return dispatch(run, step);
    default:
        return expect_check(run, step);
    }
}

static void release(void *object)
{
    if (object)
        IUnknown_Release((IUnknown *)object);
}

static void run_finish(struct run *run)
{
    struct vector *v = run->vector;
    for (size_t i = 0; i < v->resource_count; i++) {
        release(v->resources[i].object);
        release(v->resources[i].counter_object);
    }
    for (size_t i = 0; i < v->blas_count; i++) {
        release(v->blases[i].object);
        for (size_t g = 0; g < v->blases[i].geometry_count; g++)
            release(v->blases[i].geometries[g].omm_array);
    }
    for (size_t s = 0; s < run->table_set_count; s++)
        for (int i = 0; i < RECORD_KIND_COUNT; i++)
            release(run->table_sets[s].tables[i]);
    release(run->tlas);
    release(run->pipeline);
    release(run->compute);
    release(run->root_deserializer);
    release(run->root_signature);
    release(run->heap);
    release(run->sampler_heap);
    gpu_finish(&run->gpu);
}

static bool run_vector(const char *path, const char *modules_dir)
{
    struct vector v = {0};
    struct run run = {.vector = &v, .modules_dir = modules_dir};
    bool ok = vector_parse(path, &v) && prepare(&run);
    bool dispatched = ok;
    for (size_t i = 0; i < v.step_count && dispatched; i++) {
        bool step_ok = run_step(&run, &v.steps[i]);
        ok &= step_ok;
        dispatched = step_ok || v.steps[i].kind == STEP_EXPECT || v.steps[i].kind == STEP_EXPECT_COUNTER;
    }
    ok &= dispatched;
    run_finish(&run);
    vector_free(&v);
    return ok;
}

int main(int argc, char **argv)
{
    const char *modules_dir = NULL;
    unsigned passed = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--modules") == 0 && i + 1 < argc) {
            modules_dir = argv[++i];
            continue;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            puts("usage: run-vectors [--modules DIR] FILE.txt...\n"
                 "DIR holds the modules and root signatures; default: ../dxil beside each FILE, else FILE's folder.");
            return 0;
        }
        char copy[1024], beside[1100];
        snprintf(copy, sizeof(copy), "%s", argv[i]);
        snprintf(beside, sizeof(beside), "%s/../dxil", dirname(copy));
        FILE *probe = modules_dir ? NULL : fopen(beside, "r");
        bool ok = run_vector(argv[i], modules_dir ? modules_dir : probe ? beside : copy);
        if (probe)
            fclose(probe);
        printf("%s %s\n", ok ? "pass" : "FAIL", argv[i]);
        fflush(stdout);
        passed += ok;
        failed += !ok;
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
