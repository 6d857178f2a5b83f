/* SPDX-License-Identifier: MIT
 * cdxr's side of a build. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"

enum { LARGE_PAGE_BYTES = 2 << 20 };

void *bench_map(uint64_t bytes)
{
    uint64_t length = (bytes + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
    uint8_t *p = mmap(NULL, length + LARGE_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        abort();
    uint8_t *aligned = (uint8_t *)(((uintptr_t)p + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES);
    if (aligned > p)
        munmap(p, (size_t)(aligned - p));
    madvise(aligned, length, MADV_HUGEPAGE);
    return aligned;
}

void bench_unmap(void *memory, uint64_t bytes)
{
    if (memory)
        munmap(memory, (bytes + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES);
}

static __attribute__((noreturn)) void die(const struct reason *reason)
{
    fprintf(stderr, "%s\n", reason->text);
    exit(1);
}

static void reserve(struct bench_ours *ours)
{
    struct reason reason = {{0}};
    if (accel_prebuild_info(&ours->arguments.inputs, &ours->info, &reason) != STATUS_OK)
        die(&reason);
    ours->arguments.result = bench_map(ours->info.result_bytes);
    ours->arguments.scratch = bench_map(ours->info.scratch_bytes);
}

void bench_ours_prepare(struct bench_ours *ours, const struct scene_mesh *mesh, uint32_t flags, struct thread_pool *pool)
{
    *ours = (struct bench_ours){.geometry = scene_geometry(mesh)};
    ours->geometry.flags = ACCEL_GEOMETRY_FLAG_OPAQUE;
    ours->arguments = (struct accel_build_arguments){
        .inputs = {.level = ACCEL_LEVEL_BOTTOM, .flags = flags, .count = 1, .geometries = &ours->geometry}, .pool = pool};
    reserve(ours);
}

void bench_ours_prepare_top(struct bench_ours *ours, const struct scene_instance *instances, uint32_t count, uint32_t flags,
                            const struct bench_ours *bottom, struct thread_pool *pool)
{
    *ours = (struct bench_ours){.instances = bench_map(count * 64ull), .instance_count = count};
    for (uint32_t i = 0; i < count; i++)
        scene_write_instance(ours->instances[i], &instances[i], bottom->arguments.result);
    ours->arguments = (struct accel_build_arguments){
        .inputs = {.level = ACCEL_LEVEL_TOP, .flags = flags, .count = count, .instances = (uintptr_t)ours->instances}, .pool = pool};
    reserve(ours);
}

double bench_ours_build(struct bench_ours *ours)
{
    struct reason reason = {{0}};
    double start = bench_seconds();
    if (accel_build(&ours->arguments, &reason) != STATUS_OK)
        die(&reason);
    return bench_seconds() - start;
}

void bench_ours_finish(struct bench_ours *ours)
{
    bench_unmap(ours->arguments.result, ours->info.result_bytes);
    bench_unmap(ours->arguments.scratch, ours->info.scratch_bytes);
    bench_unmap(ours->instances, ours->instance_count * 64ull);
}
