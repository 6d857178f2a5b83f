/* SPDX-License-Identifier: MIT
 * What cdxr offers beyond Direct3D 12. */
#ifndef CDXR_CDXR_H
#define CDXR_CDXR_H

#ifndef CDXR_API
#define CDXR_API __attribute__((visibility("default")))
#endif

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "major.minor.patch" of the library. Static storage; any thread. */
CDXR_API const char *cdxr_version(void);

/* Why a device was removed: which command, list, shader, thread and rule; the text that its debug layer stored as a
 * message. device: an ID3D12Device of this library. Copies at most capacity_bytes with the terminating NUL to text (which
 * may be NULL when capacity_bytes is 0) and returns the bytes that the whole text needs, NUL included; 0, and nothing
 * written, when device is not one of ours or works. Any thread. */
CDXR_API size_t cdxr_device_removed_text(void *device, char *text, size_t capacity_bytes);

/* From now on CreateStateObject and CreateComputePipelineState of this process take LLVM bitcode of shaders written in C
 * (cdxr/shader.h) in place of DXIL. Such code is trusted: it runs unchecked. Any thread, any time; cannot be taken back.
 * The environment variable CDXR_C_SHADERS=1 does the same. */
CDXR_API void cdxr_enable_c_shaders(void);

#ifdef __cplusplus
}
#endif

#endif
