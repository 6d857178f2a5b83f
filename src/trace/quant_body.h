/* SPDX-License-Identifier: MIT
 * Reading the compact structure of MINIMIZE_MEMORY, part of kernel_body.h. Quantised nodes and the blocks of indexed leaves
 * are turned into those of the usual structure, in memory of the caller, and go through the same code from there on: the
 * vertices are the same bits, so the hits are. Planes are origin + byte * scale, where the product is exact: fused or not
 * gives the same bits, and those that accel/indexed.c looked at when it rounded outward. */

typedef uint8_t quant8 __attribute__((vector_size(8)));
typedef float quant8f __attribute__((vector_size(32)));
typedef float quant4f __attribute__((vector_size(16)));
typedef int32_t quant4i __attribute__((vector_size(16)));

static __attribute__((noinline)) void quant_open_node(const struct accel_quantized_node *node, struct accel_node *out)
{
    for (int axis = 0; axis < 3; axis++) {
        const uint32_t bits = (uint32_t)node->exponent[axis] << 23;
        const float o = node->origin[axis];
        float scale;
        __builtin_memcpy(&scale, &bits, sizeof(scale));
        for (int side = 0; side < 2; side++) {
            quant8 steps;
            __builtin_memcpy(&steps, node->planes[axis * 2 + side], sizeof(steps));
            quant8f planes = __builtin_convertvector(steps, quant8f) * scale + o;
            __builtin_memcpy(out->planes[axis * 2 + side], &planes, sizeof(planes));
        }
    }
    __builtin_memcpy(out->children, node->children, sizeof(out->children));
}

/* One vertex with what lies behind it: there are always the leaf's indices. */
KERNEL_INLINE quant4f quant_vertex(const float *vertices, uint8_t index)
{
    quant4f v;
    __builtin_memcpy(&v, vertices + index, sizeof(v));
    return v;
}

/* Vertices of a block; lanes without an active triangle get a NaN in each of their edges. */
KERNEL_INLINE void quant_open_vertices(const struct accel_indexed_leaf *leaf, uint32_t block, struct accel_triangle_block *out)
{
    const float *vertices = accel_leaf_vertices(leaf);
    const uint8_t *indices = accel_leaf_indices(leaf) + block * 12;
    const int32_t active = leaf->active_mask >> (block * ACCEL_TRIANGLE_BLOCK_WIDTH);
    const quant4i inactive = ((quant4i){active, active, active, active} & (quant4i){1, 2, 4, 8}) == 0;
    for (int v = 0; v < 3; v++) {
        quant4f a = quant_vertex(vertices, indices[v * 4]), b = quant_vertex(vertices, indices[v * 4 + 1]);
        quant4f c = quant_vertex(vertices, indices[v * 4 + 2]), d = quant_vertex(vertices, indices[v * 4 + 3]);
        quant4f ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        quant4f axes[3] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                           __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 6, 2, 6),
                                                   __builtin_shufflevector(c, d, 2, 6, 2, 6), 0, 1, 4, 5)};
        for (int axis = 0; axis < 3; axis++) {
            if (v == 0)
                axes[axis] = (quant4f)((quant4i)axes[axis] | inactive);
            __builtin_memcpy(out->vertices[axis][v], &axes[axis], sizeof(axes[axis]));
        }
    }
}

KERNEL_INLINE void quant_open_ids(const struct accel_indexed_leaf *leaf, uint32_t block, struct accel_triangle_block *out)
{
    for (uint32_t lane = 0, i = block * ACCEL_TRIANGLE_BLOCK_WIDTH; lane < ACCEL_TRIANGLE_BLOCK_WIDTH; lane++, i++) {
        bool is_used = i < accel_leaf_count(leaf);
        out->primitives[lane] = is_used ? accel_leaf_primitive(leaf, i) : ~0u;
        out->geometries[lane] = is_used ? accel_leaf_geometry(leaf, i) : 0;
    }
}

KERNEL_INLINE void quant_open_block(const struct accel_indexed_leaf *leaf, uint32_t block, struct accel_triangle_block *out)
{
    quant_open_vertices(leaf, block, out);
    quant_open_ids(leaf, block, out);
}
