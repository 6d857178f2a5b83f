/* SPDX-License-Identifier: MIT
 * What the fixtures' README says about each module: the expectations of test_module.c. Entry points as
 * "name kind payload/attributes" or "name compute (x, y, z)"; resources as "register space name: kind". Modules of one
 * source share their list of operations; together they use all of it. The normalised views of 21 are from its source. */
#ifndef CDXR_TESTS_DXIL_FIXTURE_TABLE_H
#define CDXR_TESTS_DXIL_FIXTURE_TABLE_H

struct fixture_row {
    const char *file, *kind;
    int minor;
    int native_16bit;
    const char *entries, *resources, *ops;
};

static const struct fixture_row fixture_rows[] = {
    {"01_hello_triangle.dxil", "lib", 3, 0,
     "ClosestHit closesthit 16/8; Miss miss 16; RayGen raygeneration",
     "b0 space1 Window: cbuffer; t0 gScene: SRV TLAS; u0 gImage: UAV f32 2d",
     "CBufferLoadLegacy, TextureStore, DispatchRaysIndex, DispatchRaysDimensions, TraceRay, "
     "CreateHandleForLib"},
    {"01_hello_triangle.zi.dxil", "lib", 3, 0,
     "ClosestHit closesthit 16/8; Miss miss 16; RayGen raygeneration",
     "b0 space1 Window: cbuffer; t0 gScene: SRV TLAS; u0 gImage: UAV f32 2d",
     "CBufferLoadLegacy, TextureStore, DispatchRaysIndex, DispatchRaysDimensions, TraceRay, "
     "CreateHandleForLib"},
    {"02_procedural_spheres.dxil", "lib", 3, 0,
     "SphereAnyHit anyhit 32/16; SphereClosestHit closesthit 32/16; SphereIntersection intersection; "
     "SphereMiss miss 32; SphereRayGen raygeneration",
     "t0 gScene: SRV TLAS; t1 gSpheres: SRV struct r/o; u0 gOut: UAV struct r/w",
     "Sqrt, Dot3, RawBufferLoad, RawBufferStore, HitKind, DispatchRaysIndex, DispatchRaysDimensions, "
     "ObjectRayOrigin, ObjectRayDirection, RayTCurrent, IgnoreHit, TraceRay, ReportHit, "
     "CreateHandleForLib, PrimitiveIndex, AnnotateHandle, RawBufferVectorLoad, RawBufferVectorStore, "
     "FDot"},
    {"02_procedural_spheres.sm69.dxil", "lib", 9, 0,
     "SphereAnyHit anyhit 32/16; SphereClosestHit closesthit 32/16; SphereIntersection intersection; "
     "SphereMiss miss 32; SphereRayGen raygeneration",
     "t0 gScene: SRV TLAS; t1 gSpheres: SRV struct r/o; u0 gOut: UAV struct r/w",
     "Sqrt, Dot3, RawBufferLoad, RawBufferStore, HitKind, DispatchRaysIndex, DispatchRaysDimensions, "
     "ObjectRayOrigin, ObjectRayDirection, RayTCurrent, IgnoreHit, TraceRay, ReportHit, "
     "CreateHandleForLib, PrimitiveIndex, AnnotateHandle, RawBufferVectorLoad, RawBufferVectorStore, "
     "FDot"},
    {"03_any_hit_alpha.dxil", "lib", 3, 0,
     "AlphaAnyHit anyhit 20/8; AlphaClosestHit closesthit 20/8; AlphaMiss miss 20; "
     "AlphaRayGen raygeneration",
     "t0 gScene: SRV TLAS; t1 gAlpha: SRV f32 2d; u1 gCounters: UAV byte r/w; u0 gOut: UAV struct r/w",
     "UMin, TextureLoad, AtomicBinOp, RawBufferStore, DispatchRaysIndex, DispatchRaysDimensions, "
     "RayTCurrent, IgnoreHit, AcceptHitAndEndSearch, TraceRay, CreateHandleForLib, PrimitiveIndex"},
    {"04_callable.dxil", "lib", 3, 0,
     "CallMiss miss 16; CallRayGen raygeneration; InnerProduct callable 28; InnerSum callable 28; "
     "OuterLeaf callable 8; OuterScale callable 8",
     "b0 space1 Record: cbuffer; t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "CBufferLoadLegacy, RawBufferStore, DispatchRaysIndex, DispatchRaysDimensions, TraceRay, "
     "CallShader, CreateHandleForLib"},
    {"05_recursion.dxil", "lib", 3, 0,
     "BounceClosestHit closesthit 32/8; BounceMiss miss 32; BounceRayGen raygeneration; "
     "ShadowMiss miss 4",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "RawBufferStore, InstanceID, DispatchRaysIndex, WorldRayOrigin, WorldRayDirection, RayTCurrent, "
     "TraceRay, CreateHandleForLib"},
    {"06_sysvalues.dxil", "lib", 5, 0,
     "SysAnyHit anyhit 8/8; SysBoxAnyHit anyhit 8/8; SysBoxClosestHit closesthit 8/8; "
     "SysClosestHit closesthit 8/8; SysIntersection intersection; SysMiss miss 8; "
     "SysRayGen raygeneration",
     "t0 gScene: SRV TLAS; t1 gRays: SRV struct r/o; u0 gOut: UAV struct r/w",
     "RawBufferLoad, RawBufferStore, InstanceID, InstanceIndex, HitKind, RayFlags, DispatchRaysIndex, "
     "DispatchRaysDimensions, WorldRayOrigin, WorldRayDirection, ObjectRayOrigin, ObjectRayDirection, "
     "ObjectToWorld, WorldToObject, RayTMin, RayTCurrent, TraceRay, ReportHit, CreateHandleForLib, "
     "PrimitiveIndex, GeometryIndex"},
    {"06_sysvalues.od.dxil", "lib", 5, 0,
     "SysAnyHit anyhit 8/8; SysBoxAnyHit anyhit 8/8; SysBoxClosestHit closesthit 8/8; "
     "SysClosestHit closesthit 8/8; SysIntersection intersection; SysMiss miss 8; "
     "SysRayGen raygeneration",
     "t0 gScene: SRV TLAS; t1 gRays: SRV struct r/o; u0 gOut: UAV struct r/w",
     "RawBufferLoad, RawBufferStore, InstanceID, InstanceIndex, HitKind, RayFlags, DispatchRaysIndex, "
     "DispatchRaysDimensions, WorldRayOrigin, WorldRayDirection, ObjectRayOrigin, ObjectRayDirection, "
     "ObjectToWorld, WorldToObject, RayTMin, RayTCurrent, TraceRay, ReportHit, CreateHandleForLib, "
     "PrimitiveIndex, GeometryIndex"},
    {"07_ray_flags.dxil", "lib", 5, 0,
     "FlagsAnyHit anyhit 36/8; FlagsBoxAnyHit anyhit 36/4; FlagsBoxClosestHit closesthit 36/4; "
     "FlagsBoxIntersection intersection; FlagsClosestHit closesthit 36/8; FlagsMiss miss 36; "
     "FlagsRayGen raygeneration",
     "b0 space1 Record: cbuffer; t0 gScene: SRV TLAS; t1 gRays: SRV struct r/o; "
     "u0 gOut: UAV struct r/w",
     "FAbs, CBufferLoadLegacy, RawBufferLoad, RawBufferStore, InstanceID, HitKind, RayFlags, "
     "DispatchRaysIndex, ObjectRayOrigin, ObjectRayDirection, RayTCurrent, TraceRay, ReportHit, "
     "CreateHandleForLib, PrimitiveIndex"},
    {"08_pathtracer.dxil", "lib", 3, 0,
     "PathClosestHit closesthit 64/8; PathMiss miss 64; PathRayGen raygeneration; "
     "PathShadowMiss miss 4",
     "b0 Frame: cbuffer; b0 space1 HitRecord: cbuffer; s0 gSampler: sampler; t0 gScene: SRV TLAS; "
     "t1 gVertices: SRV struct r/o; t2 gIndices: SRV byte r/o; t3 gMaterials: SRV struct r/o; "
     "t4 gTextures: SRV f32 2d [2]; u0 gImage: UAV f32 2d",
     "FAbs, Cos, Sin, Sqrt, Rsqrt, FMax, FMad, Dot3, CBufferLoadLegacy, SampleLevel, TextureLoad, "
     "TextureStore, RawBufferLoad, DispatchRaysIndex, DispatchRaysDimensions, WorldRayOrigin, "
     "WorldRayDirection, ObjectToWorld, RayTCurrent, TraceRay, CreateHandleForLib, PrimitiveIndex, "
     "AnnotateHandle"},
    {"08_pathtracer.sm66.dxil", "lib", 6, 0,
     "PathClosestHit closesthit 64/8; PathMiss miss 64; PathRayGen raygeneration; "
     "PathShadowMiss miss 4",
     "b0 Frame: cbuffer; b0 space1 HitRecord: cbuffer; s0 gSampler: sampler; t0 gScene: SRV TLAS; "
     "t1 gVertices: SRV struct r/o; t2 gIndices: SRV byte r/o; t3 gMaterials: SRV struct r/o; "
     "t4 gTextures: SRV f32 2d [2]; u0 gImage: UAV f32 2d",
     "FAbs, Cos, Sin, Sqrt, Rsqrt, FMax, FMad, Dot3, CBufferLoadLegacy, SampleLevel, TextureLoad, "
     "TextureStore, RawBufferLoad, DispatchRaysIndex, DispatchRaysDimensions, WorldRayOrigin, "
     "WorldRayDirection, ObjectToWorld, RayTCurrent, TraceRay, CreateHandleForLib, PrimitiveIndex, "
     "AnnotateHandle"},
    {"08_pathtracer.zi.dxil", "lib", 3, 0,
     "PathClosestHit closesthit 64/8; PathMiss miss 64; PathRayGen raygeneration; "
     "PathShadowMiss miss 4",
     "b0 Frame: cbuffer; b0 space1 HitRecord: cbuffer; s0 gSampler: sampler; t0 gScene: SRV TLAS; "
     "t1 gVertices: SRV struct r/o; t2 gIndices: SRV byte r/o; t3 gMaterials: SRV struct r/o; "
     "t4 gTextures: SRV f32 2d [2]; u0 gImage: UAV f32 2d",
     "FAbs, Cos, Sin, Sqrt, Rsqrt, FMax, FMad, Dot3, CBufferLoadLegacy, SampleLevel, TextureLoad, "
     "TextureStore, RawBufferLoad, DispatchRaysIndex, DispatchRaysDimensions, WorldRayOrigin, "
     "WorldRayDirection, ObjectToWorld, RayTCurrent, TraceRay, CreateHandleForLib, PrimitiveIndex, "
     "AnnotateHandle"},
    {"09_subobjects.dxil", "lib", 3, 0,
     "SubBoxClosestHit closesthit 32/12; SubBoxIntersection intersection; SubMiss miss 32; "
     "SubRayGen raygeneration; SubTriangleAnyHit anyhit 32/8; SubTriangleClosestHit closesthit 32/8; "
     "SubUnusedMiss miss 32",
     "b0 GlobalConstants: cbuffer; b0 space1 LocalConstants: cbuffer; b1 space1 LocalBuffer: cbuffer; "
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "CBufferLoadLegacy, RawBufferStore, DispatchRaysIndex, ObjectRayOrigin, RayTCurrent, TraceRay, "
     "ReportHit, CreateHandleForLib"},
    {"10_pipeline_config1.dxil", "lib", 5, 0,
     "SkipBoxClosestHit closesthit 16/8; SkipBoxIntersection intersection; "
     "SkipClosestHit closesthit 16/8; SkipMiss miss 16; SkipRayGen raygeneration",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "RawBufferStore, InstanceID, RayFlags, DispatchRaysIndex, ObjectRayOrigin, RayTCurrent, TraceRay, "
     "ReportHit, CreateHandleForLib"},
    {"11_bindless.dxil", "lib", 6, 0,
     "HeapClosestHit closesthit 20/8; HeapMiss miss 20; HeapRayGen raygeneration",
     "b0 Indices: cbuffer; b0 space1 HitRecord: cbuffer",
     "CBufferLoadLegacy, SampleLevel, TextureStore, BufferLoad, RawBufferLoad, RawBufferStore, "
     "InstanceID, DispatchRaysIndex, DispatchRaysDimensions, TraceRay, CreateHandleForLib, "
     "AnnotateHandle, CreateHandleFromHeap"},
    {"12_payload_qualifiers.dxil", "lib", 7, 0,
     "PaqAnyHit anyhit 52/8; PaqClosestHit closesthit 52/8; PaqMiss miss 52; PaqRayGen raygeneration",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "UMax, RawBufferStore, InstanceID, DispatchRaysIndex, WorldRayOrigin, WorldRayDirection, "
     "RayTCurrent, IgnoreHit, TraceRay, CreateHandleForLib, AnnotateHandle"},
    {"12_payload_qualifiers.nopaq.dxil", "lib", 7, 0,
     "PaqAnyHit anyhit 52/8; PaqClosestHit closesthit 52/8; PaqMiss miss 52; PaqRayGen raygeneration",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "UMax, RawBufferStore, InstanceID, DispatchRaysIndex, WorldRayOrigin, WorldRayDirection, "
     "RayTCurrent, IgnoreHit, TraceRay, CreateHandleForLib, AnnotateHandle"},
    {"13_rayquery.dxil", "cs", 5, 0,
     "QueryMain compute (16, 1, 1)",
     "t0 gScene: SRV TLAS; t1 gRays: SRV struct r/o; u0 gSummary: UAV struct r/w; "
     "u1 gCommitted: UAV struct r/w; u2 gCandidate: UAV struct r/w",
     "FAbs, CreateHandle, GetDimensions, ThreadId, RawBufferLoad, RawBufferStore, AllocateRayQuery, "
     "RayQuery_TraceRayInline, RayQuery_Proceed, RayQuery_Abort, RayQuery_CommitNonOpaqueTriangleHit, "
     "RayQuery_CommitProceduralPrimitiveHit, RayQuery_CommittedStatus, RayQuery_CandidateType, "
     "RayQuery_CandidateObjectToWorld3x4, RayQuery_CandidateWorldToObject3x4, "
     "RayQuery_CommittedObjectToWorld3x4, RayQuery_CommittedWorldToObject3x4, "
     "RayQuery_CandidateProceduralPrimitiveNonOpaque, RayQuery_CandidateTriangleFrontFace, "
     "RayQuery_CommittedTriangleFrontFace, RayQuery_CandidateTriangleBarycentrics, "
     "RayQuery_CommittedTriangleBarycentrics, RayQuery_RayFlags, RayQuery_WorldRayOrigin, "
     "RayQuery_WorldRayDirection, RayQuery_RayTMin, RayQuery_CandidateTriangleRayT, "
     "RayQuery_CommittedRayT, RayQuery_CandidateInstanceIndex, RayQuery_CandidateInstanceID, "
     "RayQuery_CandidateGeometryIndex, RayQuery_CandidatePrimitiveIndex, "
     "RayQuery_CandidateObjectRayOrigin, RayQuery_CandidateObjectRayDirection, "
     "RayQuery_CommittedInstanceIndex, RayQuery_CommittedInstanceID, RayQuery_CommittedGeometryIndex, "
     "RayQuery_CommittedPrimitiveIndex, RayQuery_CommittedObjectRayOrigin, "
     "RayQuery_CommittedObjectRayDirection, RayQuery_CandidateInstanceContributionToHitGroupIndex, "
     "RayQuery_CommittedInstanceContributionToHitGroupIndex"},
    {"14_rayquery_in_raygen.dxil", "lib", 5, 0,
     "MixedClosestHit closesthit 16/8; MixedMiss miss 16; MixedRayGen raygeneration",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "RawBufferStore, DispatchRaysIndex, WorldRayOrigin, WorldRayDirection, RayTCurrent, TraceRay, "
     "CreateHandleForLib, AllocateRayQuery, RayQuery_TraceRayInline, RayQuery_Proceed, "
     "RayQuery_CommittedStatus, RayQuery_CommittedRayT"},
    {"15_math.dxil", "cs", 0, 0,
     "MathMain compute (64, 1, 1)",
     "b0 Counts: cbuffer; t0 gFloats: SRV struct r/o; t1 gInts: SRV struct r/o; "
     "u0 gOutF: UAV struct r/w; u1 gOutI: UAV struct r/w",
     "FAbs, Saturate, IsNaN, IsInf, IsFinite, Cos, Sin, Tan, Acos, Asin, Atan, Hcos, Hsin, Htan, Exp, "
     "Frc, Log, Sqrt, Rsqrt, Round_ne, Round_ni, Round_pi, Round_z, Bfrev, Countbits, FirstbitLo, "
     "FirstbitHi, FirstbitSHi, FMax, FMin, IMax, IMin, UMax, UMin, UAddc, FMad, IMad, UMad, Msad, Bfi, "
     "Dot2, Dot3, Dot4, CreateHandle, CBufferLoadLegacy, BufferLoad, BufferStore, ThreadId, "
     "LegacyF32ToF16, LegacyF16ToF32, RawBufferLoad, RawBufferStore"},
    {"15_math.ftz.dxil", "cs", 2, 0,
     "MathMain compute (64, 1, 1)",
     "b0 Counts: cbuffer; t0 gFloats: SRV struct r/o; t1 gInts: SRV struct r/o; "
     "u0 gOutF: UAV struct r/w; u1 gOutI: UAV struct r/w",
     "FAbs, Saturate, IsNaN, IsInf, IsFinite, Cos, Sin, Tan, Acos, Asin, Atan, Hcos, Hsin, Htan, Exp, "
     "Frc, Log, Sqrt, Rsqrt, Round_ne, Round_ni, Round_pi, Round_z, Bfrev, Countbits, FirstbitLo, "
     "FirstbitHi, FirstbitSHi, FMax, FMin, IMax, IMin, UMax, UMin, UAddc, FMad, IMad, UMad, Msad, Bfi, "
     "Dot2, Dot3, Dot4, CreateHandle, CBufferLoadLegacy, BufferLoad, BufferStore, ThreadId, "
     "LegacyF32ToF16, LegacyF16ToF32, RawBufferLoad, RawBufferStore"},
    {"15_math.gis.dxil", "cs", 0, 0,
     "MathMain compute (64, 1, 1)",
     "b0 Counts: cbuffer; t0 gFloats: SRV struct r/o; t1 gInts: SRV struct r/o; "
     "u0 gOutF: UAV struct r/w; u1 gOutI: UAV struct r/w",
     "FAbs, Saturate, IsNaN, IsInf, IsFinite, Cos, Sin, Tan, Acos, Asin, Atan, Hcos, Hsin, Htan, Exp, "
     "Frc, Log, Sqrt, Rsqrt, Round_ne, Round_ni, Round_pi, Round_z, Bfrev, Countbits, FirstbitLo, "
     "FirstbitHi, FirstbitSHi, FMax, FMin, IMax, IMin, UMax, UMin, UAddc, FMad, IMad, UMad, Msad, Bfi, "
     "Dot2, Dot3, Dot4, CreateHandle, CBufferLoadLegacy, BufferLoad, BufferStore, ThreadId, "
     "LegacyF32ToF16, LegacyF16ToF32, RawBufferLoad, RawBufferStore"},
    {"15_math.preserve.dxil", "cs", 2, 0,
     "MathMain compute (64, 1, 1)",
     "b0 Counts: cbuffer; t0 gFloats: SRV struct r/o; t1 gInts: SRV struct r/o; "
     "u0 gOutF: UAV struct r/w; u1 gOutI: UAV struct r/w",
     "FAbs, Saturate, IsNaN, IsInf, IsFinite, Cos, Sin, Tan, Acos, Asin, Atan, Hcos, Hsin, Htan, Exp, "
     "Frc, Log, Sqrt, Rsqrt, Round_ne, Round_ni, Round_pi, Round_z, Bfrev, Countbits, FirstbitLo, "
     "FirstbitHi, FirstbitSHi, FMax, FMin, IMax, IMin, UMax, UMin, UAddc, FMad, IMad, UMad, Msad, Bfi, "
     "Dot2, Dot3, Dot4, CreateHandle, CBufferLoadLegacy, BufferLoad, BufferStore, ThreadId, "
     "LegacyF32ToF16, LegacyF16ToF32, RawBufferLoad, RawBufferStore"},
    {"15_math.zi.dxil", "cs", 0, 0,
     "MathMain compute (64, 1, 1)",
     "b0 Counts: cbuffer; t0 gFloats: SRV struct r/o; t1 gInts: SRV struct r/o; "
     "u0 gOutF: UAV struct r/w; u1 gOutI: UAV struct r/w",
     "FAbs, Saturate, IsNaN, IsInf, IsFinite, Cos, Sin, Tan, Acos, Asin, Atan, Hcos, Hsin, Htan, Exp, "
     "Frc, Log, Sqrt, Rsqrt, Round_ne, Round_ni, Round_pi, Round_z, Bfrev, Countbits, FirstbitLo, "
     "FirstbitHi, FirstbitSHi, FMax, FMin, IMax, IMin, UMax, UMin, UAddc, FMad, IMad, UMad, Msad, Bfi, "
     "Dot2, Dot3, Dot4, CreateHandle, CBufferLoadLegacy, BufferLoad, BufferStore, ThreadId, "
     "LegacyF32ToF16, LegacyF16ToF32, RawBufferLoad, RawBufferStore"},
    {"16_int64_double.dxil", "cs", 0, 0,
     "WideMain compute (32, 1, 1)",
     "b0 Counts: cbuffer; t0 gInts: SRV struct r/o; t1 gDoubles: SRV struct r/o; "
     "u0 gOutI: UAV struct r/w; u1 gOutD: UAV struct r/w",
     "FAbs, Saturate, Bfrev, Countbits, FirstbitLo, FirstbitHi, FMax, FMin, IMax, IMin, UMax, UMin, "
     "FMad, Fma, CreateHandle, CBufferLoadLegacy, BufferLoad, BufferStore, ThreadId, MakeDouble, "
     "SplitDouble"},
    {"17_half16.dxil", "cs", 2, 1,
     "HalfMain compute (32, 1, 1)",
     "b0 Counts: cbuffer; t0 gPairs: SRV struct r/o; t1 gRaw: SRV byte r/o; u0 gOut: UAV struct r/w; "
     "u1 gRawOut: UAV byte r/w",
     "FAbs, Saturate, Exp, Frc, Sqrt, Round_ne, Round_ni, Round_pi, Round_z, Countbits, FMax, FMin, "
     "IMax, IMin, UMax, FMad, Dot2, CreateHandle, CBufferLoadLegacy, ThreadId, RawBufferLoad, "
     "RawBufferStore"},
    {"18_groupshared.dxil", "cs", 0, 0,
     "SharedMain compute (16, 8, 1)",
     "t0 gIn: SRV struct r/o; u0 gScan: UAV struct r/w; u1 gGroup: UAV struct r/w; "
     "u2 gMail: UAV struct r/w",
     "CreateHandle, BufferLoad, BufferStore, Barrier, ThreadId, GroupId, ThreadIdInGroup, "
     "FlattenedThreadIdInGroup"},
    {"19a_atomics.dxil", "cs", 0, 0,
     "AtomicMain compute (64, 1, 1)",
     "u0 gRaw: UAV byte r/w; u1 gCells: UAV struct r/w; u2 gTex2D: UAV u32 2d; u3 gTex1D: UAV i32 1d; "
     "u4 gTexArray: UAV u32 2darray; u5 gTex3D: UAV u32 3d; u6 gTyped: UAV u32 buf; "
     "u7 gFold: UAV struct r/w",
     "CreateHandle, AtomicBinOp, AtomicCompareExchange, Barrier, ThreadId, GroupId, "
     "FlattenedThreadIdInGroup"},
    {"19b_atomics64.dxil", "cs", 6, 0,
     "WideAtomicMain compute (64, 1, 1)",
     "u0 gRaw: UAV byte r/w; u1 gWide: UAV struct r/w; u2 gTyped: UAV u32 buf; "
     "u3 gFold: UAV struct r/w",
     "AtomicBinOp, AtomicCompareExchange, Barrier, ThreadId, FlattenedThreadIdInGroup, AnnotateHandle, "
     "CreateHandleFromBinding"},
    {"20_textures.dxil", "cs", 0, 0,
     "TextureMain compute (32, 1, 1)",
     "b0 Counts: cbuffer; s0 sLinearClamp: sampler; s1 sPointWrap: sampler; s2 sMirrorBorder: sampler; "
     "s3 sCmpLinear: sampler; s4 sCmpPoint: sampler; t0 gCases: SRV struct r/o; t1 gT1: SRV f32 1d; "
     "t2 gT1A: SRV f32 1darray; t3 gT2: SRV f32 2d; t4 gT2A: SRV f32 2darray; t5 gT3: SRV f32 3d; "
     "t6 gCube: SRV f32 cube; t7 gCubeA: SRV f32 cubearray; t8 gDepth: SRV f32 2d; "
     "t9 gDepthA: SRV f32 2darray; t10 gTU: SRV u32 2d; t11 gTS: SRV i32 2d; t12 gMS: SRV f32 2dMS4; "
     "u0 gOut: UAV struct r/w; u1 gDims: UAV struct r/w",
     "CreateHandle, CBufferLoadLegacy, SampleLevel, SampleGrad, SampleCmpLevelZero, TextureLoad, "
     "BufferLoad, BufferStore, GetDimensions, TextureGather, TextureGatherCmp, "
     "Texture2DMSGetSamplePosition, ThreadId"},
    {"20b_derivatives.dxil", "cs", 6, 0,
     "DerivMain compute (8, 4, 1)",
     "s0 sLinear: sampler; s1 sCmp: sampler; t0 gTex: SRV f32 2d; t1 gDepth: SRV f32 2d; "
     "u0 gOut: UAV struct r/w",
     "Sample, SampleBias, SampleCmp, CalculateLOD, DerivCoarseX, DerivCoarseY, DerivFineX, DerivFineY, "
     "ThreadId, FlattenedThreadIdInGroup, QuadReadLaneAt, QuadOp, RawBufferStore, AnnotateHandle, "
     "CreateHandleFromBinding"},
    {"21_typed_views.dxil", "cs", 0, 0,
     "TypedMain compute (8, 1, 1)",
     "t0 gB0: SRV f32 buf; t1 gB1: SRV unorm buf; t2 gB2: SRV snorm buf; t3 gB3: SRV u32 buf; "
     "t4 gB4: SRV i32 buf; t5 gRaw: SRV byte r/o; "
     "u0 gU0: UAV f32 buf; u1 gU1: UAV u32 buf; u2 gU2: UAV f32 1d; u3 gU3: UAV f32 2d; "
     "u4 gU4: UAV unorm 2d; u5 gU5: UAV i32 2darray; u6 gU6: UAV u32 3d; u7 gU7: UAV snorm 2d; "
     "u8 gAppend: UAV struct r/w+cnt; "
     "u9 gConsume: UAV struct r/w+cnt; u10 gCounted: UAV struct r/w+cnt; u11 gOut: UAV struct r/w",
     "CreateHandle, TextureLoad, TextureStore, BufferLoad, BufferStore, BufferUpdateCounter, "
     "GetDimensions, FlattenedThreadIdInGroup"},
    {"22a_wave.dxil", "cs", 0, 0,
     "WaveMain compute (64, 1, 1)",
     "t0 gIn: SRV struct r/o; u0 gOut: UAV struct r/w; u1 gInfo: UAV struct r/w",
     "CreateHandle, BufferLoad, BufferStore, FlattenedThreadIdInGroup, WaveIsFirstLane, "
     "WaveGetLaneIndex, WaveGetLaneCount, WaveAnyTrue, WaveAllTrue, WaveActiveAllEqual, "
     "WaveActiveBallot, WaveReadLaneAt, WaveReadLaneFirst, WaveActiveOp, WaveActiveBit, WavePrefixOp, "
     "QuadReadLaneAt, QuadOp, WaveAllBitCount, WavePrefixBitCount"},
    {"22b_wave65.dxil", "cs", 5, 0,
     "Wave65Main compute (64, 1, 1)",
     "t0 gIn: SRV struct r/o; u0 gOut: UAV struct r/w; u1 gInfo: UAV struct r/w",
     "CreateHandle, FlattenedThreadIdInGroup, WaveGetLaneIndex, WaveGetLaneCount, WaveReadLaneFirst, "
     "WaveActiveOp, RawBufferLoad, RawBufferStore, WaveMatch, WaveMultiPrefixOp, "
     "WaveMultiPrefixBitCount"},
    {"23_ser.dxil", "lib", 9, 0,
     "SerAnyHit anyhit 8/8; SerBoxClosestHit closesthit 8/8; SerBoxIntersection intersection; "
     "SerClosestHit closesthit 8/8; SerMiss miss 8; SerRayGen raygeneration",
     "b0 space1 Record: cbuffer; t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w; "
     "u1 gExtra: UAV struct r/w",
     "CBufferLoadLegacy, RawBufferStore, DispatchRaysIndex, ObjectRayOrigin, ObjectRayDirection, "
     "ReportHit, CreateHandleForLib, AnnotateHandle, HitObject_TraceRay, HitObject_MakeMiss, "
     "HitObject_MakeNop, HitObject_Invoke, MaybeReorderThread, HitObject_IsMiss, HitObject_IsHit, "
     "HitObject_IsNop, HitObject_RayFlags, HitObject_RayTMin, HitObject_RayTCurrent, "
     "HitObject_WorldRayOrigin, HitObject_WorldRayDirection, HitObject_ObjectRayOrigin, "
     "HitObject_ObjectRayDirection, HitObject_ObjectToWorld3x4, HitObject_WorldToObject3x4, "
     "HitObject_GeometryIndex, HitObject_InstanceIndex, HitObject_InstanceID, "
     "HitObject_PrimitiveIndex, HitObject_HitKind, HitObject_ShaderTableIndex, "
     "HitObject_SetShaderTableIndex, HitObject_LoadLocalRootTableConstant, HitObject_Attributes, "
     "RawBufferVectorStore"},
    {"23b_ser_query.dxil", "lib", 9, 0,
     "SerQueryBox closesthit 8/8; SerQueryIntersection intersection; SerQueryMiss miss 8; "
     "SerQueryRayGen raygeneration; SerQueryTriangle closesthit 8/8",
     "b0 space1 Record: cbuffer; t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "CBufferLoadLegacy, DispatchRaysIndex, RayTCurrent, ReportHit, CreateHandleForLib, "
     "AllocateRayQuery, RayQuery_TraceRayInline, RayQuery_Proceed, "
     "RayQuery_CommitNonOpaqueTriangleHit, RayQuery_CommitProceduralPrimitiveHit, "
     "RayQuery_CommittedStatus, RayQuery_CandidateType, RayQuery_RayFlags, RayQuery_CommittedRayT, "
     "RayQuery_CandidateInstanceID, RayQuery_CandidateObjectRayOrigin, "
     "RayQuery_CandidateObjectRayDirection, AnnotateHandle, HitObject_FromRayQuery, "
     "HitObject_FromRayQueryWithAttrs, HitObject_MakeMiss, HitObject_Invoke, MaybeReorderThread, "
     "HitObject_IsHit, HitObject_RayTCurrent, HitObject_HitKind, HitObject_ShaderTableIndex, "
     "HitObject_SetShaderTableIndex, HitObject_LoadLocalRootTableConstant, HitObject_Attributes, "
     "RawBufferVectorStore"},
    {"24_omm.dxil", "lib", 9, 0,
     "OmmAnyHit anyhit 16/8; OmmClosestHit closesthit 16/8; OmmMiss miss 16; OmmRayGen raygeneration",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "RayFlags, DispatchRaysIndex, RayTCurrent, TraceRay, CreateHandleForLib, RayQuery_TraceRayInline, "
     "RayQuery_Proceed, RayQuery_CommitNonOpaqueTriangleHit, RayQuery_CommittedStatus, "
     "RayQuery_RayFlags, RayQuery_CommittedRayT, AnnotateHandle, AllocateRayQuery2, "
     "RawBufferVectorStore"},
    {"25_control_flow.dxil", "lib", 3, 0,
     "FlowClosestHit closesthit 8/8; FlowMiss miss 8; FlowRayGen raygeneration",
     "t0 gScene: SRV TLAS; t1 gSeeds: SRV struct r/o; u0 gOut: UAV struct r/w",
     "UMax, RawBufferLoad, RawBufferStore, DispatchRaysIndex, TraceRay, CreateHandleForLib"},
    {"25_control_flow.hv2018.dxil", "lib", 3, 0,
     "FlowClosestHit closesthit 8/8; FlowMiss miss 8; FlowRayGen raygeneration",
     "t0 gScene: SRV TLAS; t1 gSeeds: SRV struct r/o; u0 gOut: UAV struct r/w",
     "UMax, RawBufferLoad, RawBufferStore, DispatchRaysIndex, TraceRay, CreateHandleForLib"},
    {"25_control_flow.od.dxil", "lib", 3, 0,
     "FlowClosestHit closesthit 8/8; FlowMiss miss 8; FlowRayGen raygeneration",
     "t0 gScene: SRV TLAS; t1 gSeeds: SRV struct r/o; u0 gOut: UAV struct r/w",
     "UMax, RawBufferLoad, RawBufferStore, DispatchRaysIndex, TraceRay, CreateHandleForLib"},
    {"26a_import_main.dxil", "lib", 3, 0,
     "ImportRayGen raygeneration",
     "b0 Constants: cbuffer; u0 gOut: UAV struct r/w",
     "CBufferLoadLegacy, RawBufferStore, DispatchRaysIndex, CreateHandleForLib"},
    {"26b_import_helpers.dxil", "lib", 3, 0,
     "",
     "t1 gTable: SRV struct r/o",
     "RawBufferLoad, CreateHandleForLib"},
    {"26c_exports.dxil", "lib", 3, 0,
     "A anyhit 16/8; First raygeneration; H closesthit 16/8; H2 closesthit 16/8; M miss 16; "
     "M2 miss 16; Second_with_a_rather_long_name_that_has_digits_0123456789 raygeneration",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "RawBufferStore, DispatchRaysIndex, TraceRay, CreateHandleForLib"},
    {"26c_exports.renamed.dxil", "lib", 3, 0,
     "A anyhit 16/8; First raygeneration; H closesthit 16/8; H2 closesthit 16/8; M miss 16; "
     "M2 miss 16; Second_with_a_rather_long_name_that_has_digits_0123456789 raygeneration",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "RawBufferStore, DispatchRaysIndex, TraceRay, CreateHandleForLib"},
    {"27_nonuniform.dxil", "lib", 3, 0,
     "TableClosestHit closesthit 32/8; TableMiss miss 32; TableRayGen raygeneration",
     "b0 space6 gBlocks: cbuffer [4]; s0 space7 gSamplers: sampler [2]; t0 gScene: SRV TLAS; "
     "t0 space1 gTextures: SRV f32 2d [unbounded]; t0 space2 gItems: SRV struct r/o [unbounded]; "
     "t4 space3 gRaw: SRV byte r/o [8]; t0 space4 gTyped: SRV f32 buf [4]; u0 gOut: UAV struct r/w; "
     "u0 space5 gCounts: UAV struct r/w [4]",
     "CBufferLoadLegacy, SampleLevel, TextureLoad, BufferLoad, AtomicBinOp, RawBufferLoad, "
     "RawBufferStore, InstanceID, DispatchRaysIndex, TraceRay, CreateHandleForLib, PrimitiveIndex"},
    {"28_vectors69.dxil", "cs", 9, 0,
     "VectorMain compute (32, 1, 1)",
     "t0 gIn: SRV byte r/o; u0 gOut: UAV byte r/w",
     "Round_ni, Countbits, FMax, FMin, Barrier, FlattenedThreadIdInGroup, AnnotateHandle, "
     "CreateHandleFromBinding, RawBufferVectorLoad, RawBufferVectorStore, VectorReduceAnd, "
     "VectorReduceOr, FDot"},
    {"29_sm68_extras.dxil", "cs", 8, 1,
     "ExtrasMain compute (4, 4, 2)",
     "s0 sPoint: sampler; s1 sCmp: sampler; t0 gIn: SRV struct r/o; t1 gRawTex: SRV u32 2d; "
     "t2 gDepth: SRV f32 2d; t3 gIntTex: SRV u32 2d; u0 gOut: UAV struct r/w; u1 gMS: UAV f32 2dMS; "
     "u2 gFlag: UAV struct r/w",
     "IsNormal, SampleLevel, TextureLoad, CheckAccessFullyMapped, GetDimensions, ThreadIdInGroup, "
     "FlattenedThreadIdInGroup, RawBufferLoad, RawBufferStore, Dot2AddHalf, Dot4AddI8Packed, "
     "Dot4AddU8Packed, AnnotateHandle, CreateHandleFromBinding, Unpack4x8, Pack4x8, QuadVote, "
     "TextureGatherRaw, SampleCmpLevel, TextureStoreSample, BarrierByMemoryType, "
     "BarrierByMemoryHandle, SampleCmpGrad, SampleCmpBias"},
    {"30_min_precision.dxil", "cs", 0, 0,
     "MinMain compute (32, 1, 1)",
     "b0 Constants: cbuffer; t0 gIn: SRV struct r/o; u0 gOut: UAV struct r/w; u1 gMix: UAV struct r/w",
     "FMax, IMax, Dot3, CreateHandle, CBufferLoadLegacy, BufferLoad, BufferStore, Barrier, "
     "FlattenedThreadIdInGroup"},
    {"31_sm610_preview.dxil", "lib", 10, 0,
     "PositionsClosestHit closesthit 40/8; PositionsMiss miss 40; PositionsRayGen raygeneration",
     "t0 gScene: SRV TLAS; u0 gOut: UAV struct r/w",
     "DispatchRaysIndex, TraceRay, CreateHandleForLib, AllocateRayQuery, RayQuery_TraceRayInline, "
     "RayQuery_Proceed, RayQuery_CommittedStatus, AnnotateHandle, HitObject_TraceRay, HitObject_IsHit, "
     "RawBufferVectorStore, ClusterID, RayQuery_CommittedClusterID, HitObject_ClusterID, "
     "TriangleObjectPosition, RayQuery_CommittedTriangleObjectPosition, "
     "HitObject_TriangleObjectPosition"},
    {"32_vector_ops69.dxil", "cs", 9, 0,
     "VectorOpsMain compute (32, 1, 1)",
     "t0 gIn: SRV struct r/o; u0 gOut: UAV struct r/w",
     "FAbs, Saturate, IsNaN, Sin, Exp, Frc, Sqrt, Rsqrt, Round_ne, Round_ni, Bfrev, Countbits, "
     "FirstbitLo, FMax, FMin, IMax, IMin, FMad, Dot4, FlattenedThreadIdInGroup, WaveActiveAllEqual, "
     "WaveReadLaneAt, WaveReadLaneFirst, WaveActiveOp, WaveActiveBit, WavePrefixOp, QuadOp, "
     "AnnotateHandle, CreateHandleFromBinding, RawBufferVectorLoad, RawBufferVectorStore, "
     "VectorReduceAnd, VectorReduceOr, FDot"},
    {"40_render.dxil", "lib", 3, 0,
     "AnyHit anyhit 52/8; ClosestHit closesthit 52/8; Miss miss 52; RayGen raygeneration; "
     "ShadowMiss miss 4",
     "",
     ""},
    {"40_render.zi.dxil", "lib", 3, 0,
     "AnyHit anyhit 52/8; ClosestHit closesthit 52/8; Miss miss 52; RayGen raygeneration; "
     "ShadowMiss miss 4",
     "",
     ""},
};

#endif
