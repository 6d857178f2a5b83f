/* SPDX-License-Identifier: MIT
 * The capture file format (docs/dp2.md, "Captures"): chunk kinds shared by writer and reader, and the hooks that the
 * context calls while a capture is being written. */
#ifndef CDXR_DP2_CAPTURE_H
#define CDXR_DP2_CAPTURE_H

#include <stdint.h>

struct cdxr_dp2_context;
struct cdxr_dp2_call;
struct surface;

#define CAPTURE_MAGIC "CDXRDP2\x1A"
enum { CAPTURE_VERSION = 1, CAPTURE_HEADER_BYTES = 16, CAPTURE_CHUNK_BYTES = 8 };

enum capture_chunk {
    CAPTURE_CHUNK_CONTEXT = 1,
    CAPTURE_CHUNK_SURFACE = 2,
    CAPTURE_CHUNK_DATA = 3,
    CAPTURE_CHUNK_TARGET = 4,
    CAPTURE_CHUNK_CALL = 5,
    CAPTURE_CHUNK_COLOR_KEY = 6,
    CAPTURE_CHUNK_UNREGISTER = 7,
    CAPTURE_CHUNK_END = 8,
};

void dp2_capture_call(struct cdxr_dp2_context *context, const struct cdxr_dp2_call *call);
void dp2_capture_registered(struct cdxr_dp2_context *context, uint32_t handle);
void dp2_capture_unregistered(struct cdxr_dp2_context *context, uint32_t handle);
void dp2_capture_target(struct cdxr_dp2_context *context);
void dp2_capture_color_key(struct cdxr_dp2_context *context, uint32_t handle);

#endif
