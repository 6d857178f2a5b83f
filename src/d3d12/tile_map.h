/* SPDX-License-Identifier: MIT
 * Which heap tiles a reserved resource shows. Owner: command_queue_tiles.c. */
#ifndef CDXR_D3D12_TILE_MAP_H
#define CDXR_D3D12_TILE_MAP_H

struct d3d12_tile_map;

/* Lets go of the heaps. NULL is allowed. Called when the resource is destroyed. */
void d3d12_tile_map_destroy(struct d3d12_tile_map *map);

#endif
