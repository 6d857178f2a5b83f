/* SPDX-License-Identifier: MIT
 * What cdxr offers beyond Direct3D 12. */
#ifndef CDXR_CDXR_H
#define CDXR_CDXR_H

#ifndef CDXR_API
#define CDXR_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* From now on CreateStateObject and CreateComputePipelineState of this process take LLVM bitcode of shaders written in C
 * (cdxr/shader.h) in place of DXIL. Such code is trusted: it runs unchecked. Any thread, any time; cannot be taken back.
 * The environment variable CDXR_C_SHADERS=1 does the same. */
CDXR_API void cdxr_enable_c_shaders(void);

#ifdef __cplusplus
}
#endif

#endif
