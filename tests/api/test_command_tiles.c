/* SPDX-License-Identifier: MIT
 * Reserved resources: UpdateTileMappings, CopyTileMappings, CopyTiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/gpu.h"

#include <cmocka.h>

enum { TILE_BYTES = 65536, HEAP_TILES = 8 };

static struct gpu gpu;
static ID3D12Heap *heap;
static ID3D12Resource *whole; /* placed buffer over the whole heap */

static int set_up(void **state)
{
    gpu_init(&gpu);
    D3D12_HEAP_DESC desc = {.SizeInBytes = HEAP_TILES * TILE_BYTES, .Properties = {.Type = D3D12_HEAP_TYPE_DEFAULT},
                            .Flags = D3D12_HEAP_FLAG_ALLOW_ALL_BUFFERS_AND_TEXTURES};
    if (FAILED(ID3D12Device5_CreateHeap(gpu.device, &desc, &IID_ID3D12Heap, (void **)&heap)))
        return 1;
    D3D12_RESOURCE_DESC buffer = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = HEAP_TILES * TILE_BYTES,
                                  .Height = 1, .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                  .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    return FAILED(ID3D12Device5_CreatePlacedResource(gpu.device, heap, 0, &buffer, D3D12_RESOURCE_STATE_COMMON, NULL,
                                                     &IID_ID3D12Resource, (void **)&whole));
}

static int tear_down(void **state)
{
    ID3D12Resource_Release(whole);
    ID3D12Heap_Release(heap);
    gpu_finish(&gpu);
    return 0;
}

static ID3D12Resource *new_reserved(const D3D12_RESOURCE_DESC *desc)
{
    ID3D12Resource *resource = NULL;
    assert_int_equal(ID3D12Device5_CreateReservedResource(gpu.device, desc, D3D12_RESOURCE_STATE_COMMON, NULL,
                                                          &IID_ID3D12Resource, (void **)&resource),
                     S_OK);
    return resource;
}

static ID3D12Resource *new_reserved_buffer(UINT tiles)
{
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_BUFFER, .Width = (UINT64)tiles * TILE_BYTES,
                                .Height = 1, .DepthOrArraySize = 1, .MipLevels = 1, .SampleDesc = {1, 0},
                                .Layout = D3D12_TEXTURE_LAYOUT_ROW_MAJOR};
    return new_reserved(&desc);
}

/* First word of every heap tile: 100 + tile. */
static void number_heap_tiles(void)
{
    for (UINT i = 0; i < HEAP_TILES; i++) {
        const UINT word = 100 + i;
        ID3D12Resource *upload = gpu_upload(&gpu, &word, sizeof(word));
        ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, whole, (UINT64)i * TILE_BYTES, upload, 0, sizeof(word));
        gpu_run(&gpu);
        ID3D12Resource_Release(upload);
    }
}

static UINT first_word(ID3D12Resource *buffer, UINT tile)
{
    ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, 64);
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, readback, 0, buffer, (UINT64)tile * TILE_BYTES, 4);
    gpu_run(&gpu);
    UINT word;
    gpu_read(readback, 0, &word, sizeof(word));
    ID3D12Resource_Release(readback);
    return word;
}

static void expect_words(ID3D12Resource *buffer, const UINT *words, UINT count)
{
    for (UINT i = 0; i < count; i++)
        if (first_word(buffer, i) != words[i])
            fail_msg("tile %u holds %u, not %u", i, first_word(buffer, i), words[i]);
}

static void buffer_tiles_show_heap_tiles(void **state)
{
    number_heap_tiles();
    ID3D12Resource *buffer = new_reserved_buffer(4);
    static const UINT none[] = {0, 0, 0, 0};
    expect_words(buffer, none, 4);
    static const UINT offsets[] = {6, 1}, counts[] = {2, 2};
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, buffer, 1, NULL, NULL, heap, 2, NULL, offsets, counts,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    static const UINT mapped[] = {106, 107, 101, 102};
    expect_words(buffer, mapped, 4);
    /* a write through the reserved buffer arrives in the heap */
    const UINT word = 555;
    ID3D12Resource *upload = gpu_upload(&gpu, &word, sizeof(word));
    ID3D12GraphicsCommandList4_CopyBufferRegion(gpu.list, buffer, 2 * TILE_BYTES, upload, 0, sizeof(word));
    gpu_run(&gpu);
    assert_int_equal(first_word(whole, 1), 555);
    assert_int_equal(gpu_message_count(&gpu), 0);
    ID3D12Resource_Release(upload);
    ID3D12Resource_Release(buffer);
}

static void range_flags(void **state)
{
    number_heap_tiles();
    ID3D12Resource *buffer = new_reserved_buffer(6);
    static const UINT start = 0, all = 6;
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, buffer, 1, NULL, NULL, heap, 1, NULL, &start, &all,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    static const D3D12_TILE_RANGE_FLAGS flags[] = {D3D12_TILE_RANGE_FLAG_SKIP, D3D12_TILE_RANGE_FLAG_NULL,
                                                   D3D12_TILE_RANGE_FLAG_REUSE_SINGLE_TILE};
    static const UINT offsets[] = {0, 0, 7}, counts[] = {1, 2, 3};
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, buffer, 1, NULL, NULL, heap, 3, flags, offsets, counts,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    static const UINT expected[] = {100, 0, 0, 107, 107, 107};
    expect_words(buffer, expected, 6);
    ID3D12Resource_Release(buffer);
}

static void mappings_are_copied(void **state)
{
    number_heap_tiles();
    ID3D12Resource *from = new_reserved_buffer(3), *to = new_reserved_buffer(4);
    static const UINT offset = 3, count = 3;
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, from, 1, NULL, NULL, heap, 1, NULL, &offset, &count,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    D3D12_TILED_RESOURCE_COORDINATE source = {.X = 1}, destination = {.X = 2};
    D3D12_TILE_REGION_SIZE size = {.NumTiles = 2};
    ID3D12CommandQueue_CopyTileMappings(gpu.queue, to, &destination, from, &source, &size,
                                        D3D12_TILE_MAPPING_FLAG_NONE);
    static const UINT expected[] = {0, 0, 104, 105};
    expect_words(to, expected, 4);
    ID3D12Resource_Release(from);
    ID3D12Resource_Release(to);
}

static void heap_lives_as_long_as_its_mapping(void **state)
{
    ID3D12Heap *other = NULL;
    D3D12_HEAP_DESC desc = {.SizeInBytes = TILE_BYTES, .Properties = {.Type = D3D12_HEAP_TYPE_DEFAULT},
                            .Flags = D3D12_HEAP_FLAG_ALLOW_ONLY_BUFFERS};
    assert_int_equal(ID3D12Device5_CreateHeap(gpu.device, &desc, &IID_ID3D12Heap, (void **)&other), S_OK);
    ID3D12Resource *buffer = new_reserved_buffer(1);
    static const UINT zero;
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, buffer, 1, NULL, NULL, other, 1, NULL, &zero, NULL,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    ID3D12Heap_Release(other);
    assert_int_equal(first_word(buffer, 0), 0);
    ID3D12Resource_Release(buffer);
}

static void wrong_ranges_are_reported(void **state)
{
    ID3D12Resource *buffer = new_reserved_buffer(4);
    static const UINT offset = HEAP_TILES - 1, count = 4;
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, buffer, 1, NULL, NULL, heap, 1, NULL, &offset, &count,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    assert_true(gpu_has_message(&gpu, "UpdateTileMappings: a range leaves pHeap"));
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, whole, 1, NULL, NULL, heap, 1, NULL, &offset, &count,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    assert_true(gpu_has_message(&gpu, "UpdateTileMappings: the resource is not a reserved resource"));
    ID3D12Resource_Release(buffer);
}

/* 256 x 256 texels of 4 bytes: 2 x 2 tiles of 128 x 128. Tile (1, 0) gets content, is read back, goes to the heap when
 * it is unmapped and comes back with it. */
static void texture_tiles_keep_their_content_in_the_heap(void **state)
{
    D3D12_RESOURCE_DESC desc = {.Dimension = D3D12_RESOURCE_DIMENSION_TEXTURE2D, .Width = 256, .Height = 256,
                                .DepthOrArraySize = 1, .MipLevels = 1, .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                .SampleDesc = {1, 0}, .Layout = D3D12_TEXTURE_LAYOUT_64KB_UNDEFINED_SWIZZLE};
    ID3D12Resource *texture = new_reserved(&desc);
    static const UINT start = 4, count = 4;
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, texture, 1, NULL, NULL, heap, 1, NULL, &start, &count,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    UINT *content = malloc(TILE_BYTES), *result = malloc(TILE_BYTES);
    for (UINT i = 0; i < TILE_BYTES / 4; i++)
        content[i] = i * 2654435761u;
    ID3D12Resource *upload = gpu_upload(&gpu, content, TILE_BYTES);
    ID3D12Resource *readback = gpu_buffer(&gpu, D3D12_HEAP_TYPE_READBACK, TILE_BYTES);
    D3D12_TILED_RESOURCE_COORDINATE tile = {.X = 1};
    D3D12_TILE_REGION_SIZE one = {.NumTiles = 1};
    ID3D12GraphicsCommandList4_CopyTiles(gpu.list, texture, &tile, &one, upload, 0,
                                         D3D12_TILE_COPY_FLAG_LINEAR_BUFFER_TO_SWIZZLED_TILED_RESOURCE);
    gpu_run(&gpu);
    static const D3D12_TILE_RANGE_FLAGS null_tile = D3D12_TILE_RANGE_FLAG_NULL;
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, texture, 1, &tile, &one, NULL, 1, &null_tile, NULL, NULL,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    ID3D12GraphicsCommandList4_CopyTiles(gpu.list, texture, &tile, &one, readback, 0,
                                         D3D12_TILE_COPY_FLAG_SWIZZLED_TILED_RESOURCE_TO_LINEAR_BUFFER);
    gpu_run(&gpu);
    gpu_read(readback, 0, result, TILE_BYTES);
    for (UINT i = 0; i < TILE_BYTES / 4; i++)
        assert_int_equal(result[i], 0);
    D3D12_TILED_RESOURCE_COORDINATE other = {.Y = 1};
    static const UINT heap_tile = 5; /* where tile (1, 0) was */
    ID3D12CommandQueue_UpdateTileMappings(gpu.queue, texture, 1, &other, &one, heap, 1, NULL, &heap_tile, NULL,
                                          D3D12_TILE_MAPPING_FLAG_NONE);
    ID3D12GraphicsCommandList4_CopyTiles(gpu.list, texture, &other, &one, readback, 0,
                                         D3D12_TILE_COPY_FLAG_SWIZZLED_TILED_RESOURCE_TO_LINEAR_BUFFER);
    gpu_run(&gpu);
    gpu_read(readback, 0, result, TILE_BYTES);
    assert_memory_equal(result, content, TILE_BYTES);
    assert_int_equal(gpu_message_count(&gpu), 0);
    free(content);
    free(result);
    ID3D12Resource_Release(upload);
    ID3D12Resource_Release(readback);
    ID3D12Resource_Release(texture);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(buffer_tiles_show_heap_tiles),
        TEST(range_flags),
        TEST(mappings_are_copied),
        TEST(heap_lives_as_long_as_its_mapping),
        TEST(wrong_ranges_are_reported),
        TEST(texture_tiles_keep_their_content_in_the_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
