/* SPDX-License-Identifier: MIT
 * A second reader of the token stream, written from docs/dp2.md alone: slow, plain, one big table and no shared code. Gives the
 * offsets of all tokens and their primitives; tests compare it with the library. Also a capture walker. */
#ifndef CDXR_TESTS_REF_DP2_READER_H
#define CDXR_TESTS_REF_DP2_READER_H

#include <stdint.h>

struct dp2_ref_stream {
    const uint8_t *bytes;
    uint32_t byte_count;
    uint32_t level, stride;
};

/* Called for each primitive: vertices (1 to 3) by index within the call, or within the inline vertices. */
typedef void (*dp2_ref_primitive_fn)(void *cookie, uint32_t token_offset, uint32_t vertex_count, const int64_t *vertices);

/* Returns the offset where reading stops: byte_count, or the header of the first token that is cut or unknown.
 * token_count counts those read. */
uint32_t dp2_ref_read(const struct dp2_ref_stream *stream, dp2_ref_primitive_fn primitive, void *cookie, uint32_t *token_count);

/* Number of chunks of a capture up to and with END, or -1 when it does not follow the format. */
int dp2_ref_capture_chunks(const uint8_t *bytes, uint32_t byte_count);

/* How many pixels (x, y), 0 <= x < width, 0 <= y < height, the triangle covers; covered[y * width + x] is incremented for
 * each. Corners in 1/256 pixel. Exact: every sample against every edge in 128-bit integers, rule by rule. */
uint32_t dp2_ref_cover(const int64_t corners[3][2], uint32_t width, uint32_t height, uint8_t *covered);

#endif
