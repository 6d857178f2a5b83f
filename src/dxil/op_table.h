/* SPDX-License-Identifier: MIT
 * The DXIL operations, one row each: the single source for the checker (dxil/check_call.c), the lowering (jit), the op
 * tests (ops) and the table in docs/dxil.md (scripts/dxil-op-table). Facts: DXIL operation table of the
 * DirectXShaderCompiler, shader models 6.0 to 6.9 and the 6.10 preview operations.
 *
 * A shader calls `CLASS i32 NUMBER, operands...` on the function "dx.op.CLASS" or "dx.op.CLASS.OVERLOAD". */
#ifndef CDXR_DXIL_OP_TABLE_H
#define CDXR_DXIL_OP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Shader kinds, numbered as in DXIL metadata, RDAT and program headers. */
enum dxil_shader_kind {
    DXIL_SHADER_KIND_PIXEL = 0,
    DXIL_SHADER_KIND_VERTEX = 1,
    DXIL_SHADER_KIND_GEOMETRY = 2,
    DXIL_SHADER_KIND_HULL = 3,
    DXIL_SHADER_KIND_DOMAIN = 4,
    DXIL_SHADER_KIND_COMPUTE = 5,
    DXIL_SHADER_KIND_LIBRARY = 6,
    DXIL_SHADER_KIND_RAYGENERATION = 7,
    DXIL_SHADER_KIND_INTERSECTION = 8,
    DXIL_SHADER_KIND_ANYHIT = 9,
    DXIL_SHADER_KIND_CLOSESTHIT = 10,
    DXIL_SHADER_KIND_MISS = 11,
    DXIL_SHADER_KIND_CALLABLE = 12,
    DXIL_SHADER_KIND_MESH = 13,
    DXIL_SHADER_KIND_AMPLIFICATION = 14,
    DXIL_SHADER_KIND_NODE = 15,
    DXIL_SHADER_KIND_INVALID = 16,
};

/* Sets of shader kinds, bit k = kind k. LIBRARY stands for a library function whose callers are not known. */
enum dxil_stages {
    STAGES_LIB = 1u << DXIL_SHADER_KIND_LIBRARY,
    STAGES_COMPUTE = 1u << DXIL_SHADER_KIND_COMPUTE,
    STAGES_ANYHIT = 1u << DXIL_SHADER_KIND_ANYHIT,
    STAGES_LIB_COMPUTE = STAGES_LIB | STAGES_COMPUTE,
    STAGES_LIB_RAYGEN = STAGES_LIB | 1u << DXIL_SHADER_KIND_RAYGENERATION,
    STAGES_LIB_TRACE = STAGES_LIB_RAYGEN | 1u << DXIL_SHADER_KIND_CLOSESTHIT | 1u << DXIL_SHADER_KIND_MISS,
    STAGES_LIB_CALL = STAGES_LIB_TRACE | 1u << DXIL_SHADER_KIND_CALLABLE,
    STAGES_LIB_INTERSECTION = STAGES_LIB | 1u << DXIL_SHADER_KIND_INTERSECTION,
    STAGES_LIB_ANY_CLOSEST = STAGES_LIB | STAGES_ANYHIT | 1u << DXIL_SHADER_KIND_CLOSESTHIT,
    STAGES_LIB_HIT = STAGES_LIB_ANY_CLOSEST | 1u << DXIL_SHADER_KIND_INTERSECTION,
    STAGES_LIB_HIT_MISS = STAGES_LIB_HIT | 1u << DXIL_SHADER_KIND_MISS,
    STAGES_LIB_RAY = STAGES_LIB_CALL | STAGES_LIB_HIT,
    STAGES_LIB_RAY_COMPUTE = STAGES_LIB_RAY | STAGES_COMPUTE,
    STAGES_ALL = STAGES_LIB_RAY_COMPUTE,
    STAGES_GRAPHICS = 0, /* none of the kinds that this device runs */
};

/* Whether the device executes an operation, and if not, why. */
enum dxil_support {
    DXIL_SUPPORT_WORKS,
    DXIL_SUPPORT_GRAPHICS,       /* belongs to the graphics pipeline */
    DXIL_SUPPORT_MESH,           /* mesh and amplification shaders */
    DXIL_SUPPORT_WORK_GRAPH,     /* node shaders */
    DXIL_SUPPORT_FEEDBACK,       /* sampler feedback: feature tier NOT_SUPPORTED */
    DXIL_SUPPORT_LINEAR_ALGEBRA, /* preview of shader model 6.10 */
};

struct dxil_op {
    uint32_t number;
    const char *name;       /* of the operation, e.g. "FAbs" */
    const char *class_name; /* of the function after "dx.op.", e.g. "unary" */
    uint32_t minor_version; /* lowest shader model 6.x */
    uint32_t stages_mask;   /* of enum dxil_stages */
    /* Legal overload types, "" = the function has no overload suffix. h f d = float types of 16, 32, 64 bits; 1 8 w i l
     * = integers of 1, 8, 16, 32, 64 bits; u = pointer to a user-defined struct; o = struct of an object. Letters after
     * '<' are legal as element of a vector (shader model 6.9 on). */
    const char *overloads;
    /* Return type, then the parameters, the opcode first. h f d 1 8 w i l as above; v void; o the overload type; b, j =
     * i1, i32 in the overload's vector shape; e element type of the overload's vector; r ResRet, c CBufRet of the
     * overload; 4 = fouri32 or fouri16; 9 = <9 x overload>; H handle; O hit object; U pointer to struct; T object to make
     * a handle from; D Dimensions; S splitdouble; t twoi32; C i32c; p SamplePos; q fouri32; P ResourceProperties;
     * B ResBind. Empty for refused operations. */
    const char *signature;
    enum dxil_support support;
};

/* The row of an opcode, NULL if the number is unknown or reserved. */
const struct dxil_op *dxil_op_find(uint32_t number);
/* The rows in ascending order of their number (as uint32_t). */
const struct dxil_op *dxil_op_at(uint32_t index);
uint32_t dxil_op_count(void);
/* Why an operation is refused: a clause such as "sampler feedback is not supported"; NULL where it works. */
const char *dxil_support_text(enum dxil_support support);
/* "raygeneration", "closesthit", ...; "invalid" for what is no kind. Static storage. */
const char *dxil_shader_kind_name(enum dxil_shader_kind kind);

/* OP(number, name, class, lowest minor version of shader model 6, stages, overloads, signature, support) */
/* clang-format off */
#define DXIL_OPS(OP) \
    OP(0, TempRegLoad, "tempRegLoad", 0, STAGES_ALL, "", "", GRAPHICS) \
    OP(1, TempRegStore, "tempRegStore", 0, STAGES_ALL, "", "", GRAPHICS) \
    OP(2, MinPrecXRegLoad, "minPrecXRegLoad", 0, STAGES_ALL, "", "", GRAPHICS) \
    OP(3, MinPrecXRegStore, "minPrecXRegStore", 0, STAGES_ALL, "", "", GRAPHICS) \
    OP(4, LoadInput, "loadInput", 0, STAGES_ALL, "", "", GRAPHICS) \
    OP(5, StoreOutput, "storeOutput", 0, STAGES_ALL, "", "", GRAPHICS) \
    OP(6, FAbs, "unary", 0, STAGES_ALL, "hfd<hfd", "oio", WORKS) \
    OP(7, Saturate, "unary", 0, STAGES_ALL, "hfd<hfd", "oio", WORKS) \
    OP(8, IsNaN, "isSpecialFloat", 0, STAGES_ALL, "hf<hf", "bio", WORKS) \
    OP(9, IsInf, "isSpecialFloat", 0, STAGES_ALL, "hf<hf", "bio", WORKS) \
    OP(10, IsFinite, "isSpecialFloat", 0, STAGES_ALL, "hf<hf", "bio", WORKS) \
    OP(11, IsNormal, "isSpecialFloat", 0, STAGES_ALL, "hf<hf", "bio", WORKS) \
    OP(12, Cos, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(13, Sin, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(14, Tan, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(15, Acos, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(16, Asin, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(17, Atan, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(18, Hcos, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(19, Hsin, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(20, Htan, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(21, Exp, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(22, Frc, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(23, Log, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(24, Sqrt, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(25, Rsqrt, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(26, Round_ne, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(27, Round_ni, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(28, Round_pi, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(29, Round_z, "unary", 0, STAGES_ALL, "hf<hf", "oio", WORKS) \
    OP(30, Bfrev, "unary", 0, STAGES_ALL, "wil<wil", "oio", WORKS) \
    OP(31, Countbits, "unaryBits", 0, STAGES_ALL, "wil<wil", "jio", WORKS) \
    OP(32, FirstbitLo, "unaryBits", 0, STAGES_ALL, "wil<wil", "jio", WORKS) \
    OP(33, FirstbitHi, "unaryBits", 0, STAGES_ALL, "wil<wil", "jio", WORKS) \
    OP(34, FirstbitSHi, "unaryBits", 0, STAGES_ALL, "wil<wil", "jio", WORKS) \
    OP(35, FMax, "binary", 0, STAGES_ALL, "hfd<hfd", "oioo", WORKS) \
    OP(36, FMin, "binary", 0, STAGES_ALL, "hfd<hfd", "oioo", WORKS) \
    OP(37, IMax, "binary", 0, STAGES_ALL, "wil<wil", "oioo", WORKS) \
    OP(38, IMin, "binary", 0, STAGES_ALL, "wil<wil", "oioo", WORKS) \
    OP(39, UMax, "binary", 0, STAGES_ALL, "wil<wil", "oioo", WORKS) \
    OP(40, UMin, "binary", 0, STAGES_ALL, "wil<wil", "oioo", WORKS) \
    OP(41, IMul, "binaryWithTwoOuts", 0, STAGES_ALL, "i", "tioo", WORKS) \
    OP(42, UMul, "binaryWithTwoOuts", 0, STAGES_ALL, "i", "tioo", WORKS) \
    OP(43, UDiv, "binaryWithTwoOuts", 0, STAGES_ALL, "i", "tioo", WORKS) \
    OP(44, UAddc, "binaryWithCarryOrBorrow", 0, STAGES_ALL, "i", "Cioo", WORKS) \
    OP(45, USubb, "binaryWithCarryOrBorrow", 0, STAGES_ALL, "i", "Cioo", WORKS) \
    OP(46, FMad, "tertiary", 0, STAGES_ALL, "hfd<hfd", "oiooo", WORKS) \
    OP(47, Fma, "tertiary", 0, STAGES_ALL, "d<d", "oiooo", WORKS) \
    OP(48, IMad, "tertiary", 0, STAGES_ALL, "wil<wil", "oiooo", WORKS) \
    OP(49, UMad, "tertiary", 0, STAGES_ALL, "wil<wil", "oiooo", WORKS) \
    OP(50, Msad, "tertiary", 0, STAGES_ALL, "i", "oiooo", WORKS) \
    OP(51, Ibfe, "tertiary", 0, STAGES_ALL, "i", "oiooo", WORKS) \
    OP(52, Ubfe, "tertiary", 0, STAGES_ALL, "i", "oiooo", WORKS) \
    OP(53, Bfi, "quaternary", 0, STAGES_ALL, "i", "oioooo", WORKS) \
    OP(54, Dot2, "dot2", 0, STAGES_ALL, "hf", "oioooo", WORKS) \
    OP(55, Dot3, "dot3", 0, STAGES_ALL, "hf", "oioooooo", WORKS) \
    OP(56, Dot4, "dot4", 0, STAGES_ALL, "hf", "oioooooooo", WORKS) \
    OP(57, CreateHandle, "createHandle", 0, STAGES_ALL, "", "Hi8ii1", WORKS) \
    OP(58, CBufferLoad, "cbufferLoad", 0, STAGES_ALL, "hfd8wil", "oiHii", WORKS) \
    OP(59, CBufferLoadLegacy, "cbufferLoadLegacy", 0, STAGES_ALL, "hfdwil", "ciHi", WORKS) \
    OP(60, Sample, "sample", 0, STAGES_LIB_COMPUTE, "hfwi", "riHHffffiiif", WORKS) \
    OP(61, SampleBias, "sampleBias", 0, STAGES_LIB_COMPUTE, "hfwi", "riHHffffiiiff", WORKS) \
    OP(62, SampleLevel, "sampleLevel", 0, STAGES_ALL, "hfwi", "riHHffffiiif", WORKS) \
    OP(63, SampleGrad, "sampleGrad", 0, STAGES_ALL, "hfwi", "riHHffffiiifffffff", WORKS) \
    OP(64, SampleCmp, "sampleCmp", 0, STAGES_LIB_COMPUTE, "hf", "riHHffffiiiff", WORKS) \
    OP(65, SampleCmpLevelZero, "sampleCmpLevelZero", 0, STAGES_ALL, "hf", "riHHffffiiif", WORKS) \
    OP(66, TextureLoad, "textureLoad", 0, STAGES_ALL, "hfwi", "riHiiiiiii", WORKS) \
    OP(67, TextureStore, "textureStore", 0, STAGES_ALL, "hfwi", "viHiiioooo8", WORKS) \
    OP(68, BufferLoad, "bufferLoad", 0, STAGES_ALL, "hfwi", "riHii", WORKS) \
    OP(69, BufferStore, "bufferStore", 0, STAGES_ALL, "hfwi", "viHiioooo8", WORKS) \
    OP(70, BufferUpdateCounter, "bufferUpdateCounter", 0, STAGES_ALL, "", "iiH8", WORKS) \
    OP(71, CheckAccessFullyMapped, "checkAccessFullyMapped", 0, STAGES_ALL, "i", "1io", WORKS) \
    OP(72, GetDimensions, "getDimensions", 0, STAGES_ALL, "", "DiHi", WORKS) \
    OP(73, TextureGather, "textureGather", 0, STAGES_ALL, "hfwi", "riHHffffiii", WORKS) \
    OP(74, TextureGatherCmp, "textureGatherCmp", 0, STAGES_ALL, "hfwi", "riHHffffiiif", WORKS) \
    OP(75, Texture2DMSGetSamplePosition, "texture2DMSGetSamplePosition", 0, STAGES_ALL, "", "piHi", WORKS) \
    OP(76, RenderTargetGetSamplePosition, "renderTargetGetSamplePosition", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(77, RenderTargetGetSampleCount, "renderTargetGetSampleCount", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(78, AtomicBinOp, "atomicBinOp", 0, STAGES_ALL, "li", "oiHiiiio", WORKS) \
    OP(79, AtomicCompareExchange, "atomicCompareExchange", 0, STAGES_ALL, "li", "oiHiiioo", WORKS) \
    OP(80, Barrier, "barrier", 0, STAGES_ALL, "", "vii", WORKS) \
    OP(81, CalculateLOD, "calculateLOD", 0, STAGES_LIB_COMPUTE, "f", "fiHHooo1", WORKS) \
    OP(82, Discard, "discard", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(83, DerivCoarseX, "unary", 0, STAGES_LIB_COMPUTE, "hf<hf", "oio", WORKS) \
    OP(84, DerivCoarseY, "unary", 0, STAGES_LIB_COMPUTE, "hf<hf", "oio", WORKS) \
    OP(85, DerivFineX, "unary", 0, STAGES_LIB_COMPUTE, "hf<hf", "oio", WORKS) \
    OP(86, DerivFineY, "unary", 0, STAGES_LIB_COMPUTE, "hf<hf", "oio", WORKS) \
    OP(87, EvalSnapped, "evalSnapped", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(88, EvalSampleIndex, "evalSampleIndex", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(89, EvalCentroid, "evalCentroid", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(90, SampleIndex, "sampleIndex", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(91, Coverage, "coverage", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(92, InnerCoverage, "innerCoverage", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(93, ThreadId, "threadId", 0, STAGES_COMPUTE, "i", "oii", WORKS) \
    OP(94, GroupId, "groupId", 0, STAGES_COMPUTE, "i", "oii", WORKS) \
    OP(95, ThreadIdInGroup, "threadIdInGroup", 0, STAGES_COMPUTE, "i", "oii", WORKS) \
    OP(96, FlattenedThreadIdInGroup, "flattenedThreadIdInGroup", 0, STAGES_COMPUTE, "i", "oi", WORKS) \
    OP(97, EmitStream, "emitStream", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(98, CutStream, "cutStream", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(99, EmitThenCutStream, "emitThenCutStream", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(100, GSInstanceID, "gsInstanceID", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(101, MakeDouble, "makeDouble", 0, STAGES_ALL, "d", "oiii", WORKS) \
    OP(102, SplitDouble, "splitDouble", 0, STAGES_ALL, "d", "Sio", WORKS) \
    OP(103, LoadOutputControlPoint, "loadOutputControlPoint", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(104, LoadPatchConstant, "loadPatchConstant", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(105, DomainLocation, "domainLocation", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(106, StorePatchConstant, "storePatchConstant", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(107, OutputControlPointID, "outputControlPointID", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(108, PrimitiveID, "primitiveID", 0, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(109, CycleCounterLegacy, "cycleCounterLegacy", 0, STAGES_ALL, "", "ti", WORKS) \
    OP(110, WaveIsFirstLane, "waveIsFirstLane", 0, STAGES_LIB_RAY_COMPUTE, "", "1i", WORKS) \
    OP(111, WaveGetLaneIndex, "waveGetLaneIndex", 0, STAGES_LIB_RAY_COMPUTE, "", "ii", WORKS) \
    OP(112, WaveGetLaneCount, "waveGetLaneCount", 0, STAGES_LIB_RAY_COMPUTE, "", "ii", WORKS) \
    OP(113, WaveAnyTrue, "waveAnyTrue", 0, STAGES_LIB_RAY_COMPUTE, "", "1i1", WORKS) \
    OP(114, WaveAllTrue, "waveAllTrue", 0, STAGES_LIB_RAY_COMPUTE, "", "1i1", WORKS) \
    OP(115, WaveActiveAllEqual, "waveActiveAllEqual", 0, STAGES_LIB_RAY_COMPUTE, "hfd18wil<hfd18wil", "bio", WORKS) \
    OP(116, WaveActiveBallot, "waveActiveBallot", 0, STAGES_LIB_RAY_COMPUTE, "", "qi1", WORKS) \
    OP(117, WaveReadLaneAt, "waveReadLaneAt", 0, STAGES_LIB_RAY_COMPUTE, "hfd18wil<hfd18wil", "oioi", WORKS) \
    OP(118, WaveReadLaneFirst, "waveReadLaneFirst", 0, STAGES_LIB_RAY_COMPUTE, "hfd18wil<hfd18wil", "oio", WORKS) \
    OP(119, WaveActiveOp, "waveActiveOp", 0, STAGES_LIB_RAY_COMPUTE, "hfd18wil<hfd18wil", "oio88", WORKS) \
    OP(120, WaveActiveBit, "waveActiveBit", 0, STAGES_LIB_RAY_COMPUTE, "8wil<8wil", "oio8", WORKS) \
    OP(121, WavePrefixOp, "wavePrefixOp", 0, STAGES_LIB_RAY_COMPUTE, "hfd8wil<hfd8wil", "oio88", WORKS) \
    OP(122, QuadReadLaneAt, "quadReadLaneAt", 0, STAGES_LIB_COMPUTE, "hfd18wil<hfd18wil", "oioi", WORKS) \
    OP(123, QuadOp, "quadOp", 0, STAGES_LIB_COMPUTE, "hfd8wil<hfd8wil", "oio8", WORKS) \
    OP(124, BitcastI16toF16, "bitcastI16toF16", 0, STAGES_ALL, "", "hiw", WORKS) \
    OP(125, BitcastF16toI16, "bitcastF16toI16", 0, STAGES_ALL, "", "wih", WORKS) \
    OP(126, BitcastI32toF32, "bitcastI32toF32", 0, STAGES_ALL, "", "fii", WORKS) \
    OP(127, BitcastF32toI32, "bitcastF32toI32", 0, STAGES_ALL, "", "iif", WORKS) \
    OP(128, BitcastI64toF64, "bitcastI64toF64", 0, STAGES_ALL, "", "dil", WORKS) \
    OP(129, BitcastF64toI64, "bitcastF64toI64", 0, STAGES_ALL, "", "lid", WORKS) \
    OP(130, LegacyF32ToF16, "legacyF32ToF16", 0, STAGES_ALL, "", "iif", WORKS) \
    OP(131, LegacyF16ToF32, "legacyF16ToF32", 0, STAGES_ALL, "", "fii", WORKS) \
    OP(132, LegacyDoubleToFloat, "legacyDoubleToFloat", 0, STAGES_ALL, "", "fid", WORKS) \
    OP(133, LegacyDoubleToSInt32, "legacyDoubleToSInt32", 0, STAGES_ALL, "", "iid", WORKS) \
    OP(134, LegacyDoubleToUInt32, "legacyDoubleToUInt32", 0, STAGES_ALL, "", "iid", WORKS) \
    OP(135, WaveAllBitCount, "waveAllOp", 0, STAGES_LIB_RAY_COMPUTE, "", "ii1", WORKS) \
    OP(136, WavePrefixBitCount, "wavePrefixOp", 0, STAGES_LIB_RAY_COMPUTE, "", "ii1", WORKS) \
    OP(137, AttributeAtVertex, "attributeAtVertex", 1, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(138, ViewID, "viewID", 1, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(139, RawBufferLoad, "rawBufferLoad", 2, STAGES_ALL, "hfwidl", "riHii8i", WORKS) \
    OP(140, RawBufferStore, "rawBufferStore", 2, STAGES_ALL, "hfwidl", "viHiioooo8i", WORKS) \
    OP(141, InstanceID, "instanceID", 3, STAGES_LIB_HIT, "i", "oi", WORKS) \
    OP(142, InstanceIndex, "instanceIndex", 3, STAGES_LIB_HIT, "i", "oi", WORKS) \
    OP(143, HitKind, "hitKind", 3, STAGES_LIB_HIT, "i", "oi", WORKS) \
    OP(144, RayFlags, "rayFlags", 3, STAGES_LIB_HIT_MISS, "i", "oi", WORKS) \
    OP(145, DispatchRaysIndex, "dispatchRaysIndex", 3, STAGES_LIB_RAY, "i", "oi8", WORKS) \
    OP(146, DispatchRaysDimensions, "dispatchRaysDimensions", 3, STAGES_LIB_RAY, "i", "oi8", WORKS) \
    OP(147, WorldRayOrigin, "worldRayOrigin", 3, STAGES_LIB_HIT_MISS, "f", "oi8", WORKS) \
    OP(148, WorldRayDirection, "worldRayDirection", 3, STAGES_LIB_HIT_MISS, "f", "oi8", WORKS) \
    OP(149, ObjectRayOrigin, "objectRayOrigin", 3, STAGES_LIB_HIT, "f", "oi8", WORKS) \
    OP(150, ObjectRayDirection, "objectRayDirection", 3, STAGES_LIB_HIT, "f", "oi8", WORKS) \
    OP(151, ObjectToWorld, "objectToWorld", 3, STAGES_LIB_HIT, "f", "oii8", WORKS) \
    OP(152, WorldToObject, "worldToObject", 3, STAGES_LIB_HIT, "f", "oii8", WORKS) \
    OP(153, RayTMin, "rayTMin", 3, STAGES_LIB_HIT_MISS, "f", "oi", WORKS) \
    OP(154, RayTCurrent, "rayTCurrent", 3, STAGES_LIB_HIT_MISS, "f", "oi", WORKS) \
    OP(155, IgnoreHit, "ignoreHit", 3, STAGES_ANYHIT, "", "vi", WORKS) \
    OP(156, AcceptHitAndEndSearch, "acceptHitAndEndSearch", 3, STAGES_ANYHIT, "", "vi", WORKS) \
    OP(157, TraceRay, "traceRay", 3, STAGES_LIB_TRACE, "u", "viHiiiiiffffffffU", WORKS) \
    OP(158, ReportHit, "reportHit", 3, STAGES_LIB_INTERSECTION, "u", "1ifiU", WORKS) \
    OP(159, CallShader, "callShader", 3, STAGES_LIB_CALL, "u", "viiU", WORKS) \
    OP(160, CreateHandleForLib, "createHandleForLib", 3, STAGES_ALL, "o", "HiT", WORKS) \
    OP(161, PrimitiveIndex, "primitiveIndex", 3, STAGES_LIB_HIT, "i", "oi", WORKS) \
    OP(162, Dot2AddHalf, "dot2AddHalf", 4, STAGES_ALL, "f", "oiohhhh", WORKS) \
    OP(163, Dot4AddI8Packed, "dot4AddPacked", 4, STAGES_ALL, "i", "oioii", WORKS) \
    OP(164, Dot4AddU8Packed, "dot4AddPacked", 4, STAGES_ALL, "i", "oioii", WORKS) \
    OP(165, WaveMatch, "waveMatch", 5, STAGES_LIB_RAY_COMPUTE, "hfd8wil<hfd8wil", "qio", WORKS) \
    OP(166, WaveMultiPrefixOp, "waveMultiPrefixOp", 5, STAGES_LIB_RAY_COMPUTE, "hfd8wil<hfd8wil", "oioiiii88", WORKS) \
    OP(167, WaveMultiPrefixBitCount, "waveMultiPrefixBitCount", 5, STAGES_LIB_RAY_COMPUTE, "", "ii1iiii", WORKS) \
    OP(168, SetMeshOutputCounts, "setMeshOutputCounts", 5, STAGES_GRAPHICS, "", "", MESH) \
    OP(169, EmitIndices, "emitIndices", 5, STAGES_GRAPHICS, "", "", MESH) \
    OP(170, GetMeshPayload, "getMeshPayload", 5, STAGES_GRAPHICS, "", "", MESH) \
    OP(171, StoreVertexOutput, "storeVertexOutput", 5, STAGES_GRAPHICS, "", "", MESH) \
    OP(172, StorePrimitiveOutput, "storePrimitiveOutput", 5, STAGES_GRAPHICS, "", "", MESH) \
    OP(173, DispatchMesh, "dispatchMesh", 5, STAGES_GRAPHICS, "", "", MESH) \
    OP(174, WriteSamplerFeedback, "writeSamplerFeedback", 5, STAGES_LIB, "", "", FEEDBACK) \
    OP(175, WriteSamplerFeedbackBias, "writeSamplerFeedbackBias", 5, STAGES_LIB, "", "", FEEDBACK) \
    OP(176, WriteSamplerFeedbackLevel, "writeSamplerFeedbackLevel", 5, STAGES_ALL, "", "", FEEDBACK) \
    OP(177, WriteSamplerFeedbackGrad, "writeSamplerFeedbackGrad", 5, STAGES_ALL, "", "", FEEDBACK) \
    OP(178, AllocateRayQuery, "allocateRayQuery", 5, STAGES_ALL, "", "iii", WORKS) \
    OP(179, RayQuery_TraceRayInline, "rayQuery_TraceRayInline", 5, STAGES_ALL, "", "viiHiiffffffff", WORKS) \
    OP(180, RayQuery_Proceed, "rayQuery_Proceed", 5, STAGES_ALL, "1", "oii", WORKS) \
    OP(181, RayQuery_Abort, "rayQuery_Abort", 5, STAGES_ALL, "", "vii", WORKS) \
    OP(182, RayQuery_CommitNonOpaqueTriangleHit, "rayQuery_CommitNonOpaqueTriangleHit", 5, STAGES_ALL, "", "vii", WORKS) \
    OP(183, RayQuery_CommitProceduralPrimitiveHit, "rayQuery_CommitProceduralPrimitiveHit", 5, STAGES_ALL, "", "viif", WORKS) \
    OP(184, RayQuery_CommittedStatus, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(185, RayQuery_CandidateType, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(186, RayQuery_CandidateObjectToWorld3x4, "rayQuery_StateMatrix", 5, STAGES_ALL, "f", "oiii8", WORKS) \
    OP(187, RayQuery_CandidateWorldToObject3x4, "rayQuery_StateMatrix", 5, STAGES_ALL, "f", "oiii8", WORKS) \
    OP(188, RayQuery_CommittedObjectToWorld3x4, "rayQuery_StateMatrix", 5, STAGES_ALL, "f", "oiii8", WORKS) \
    OP(189, RayQuery_CommittedWorldToObject3x4, "rayQuery_StateMatrix", 5, STAGES_ALL, "f", "oiii8", WORKS) \
    OP(190, RayQuery_CandidateProceduralPrimitiveNonOpaque, "rayQuery_StateScalar", 5, STAGES_ALL, "1", "oii", WORKS) \
    OP(191, RayQuery_CandidateTriangleFrontFace, "rayQuery_StateScalar", 5, STAGES_ALL, "1", "oii", WORKS) \
    OP(192, RayQuery_CommittedTriangleFrontFace, "rayQuery_StateScalar", 5, STAGES_ALL, "1", "oii", WORKS) \
    OP(193, RayQuery_CandidateTriangleBarycentrics, "rayQuery_StateVector", 5, STAGES_ALL, "f", "oii8", WORKS) \
    OP(194, RayQuery_CommittedTriangleBarycentrics, "rayQuery_StateVector", 5, STAGES_ALL, "f", "oii8", WORKS) \
    OP(195, RayQuery_RayFlags, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(196, RayQuery_WorldRayOrigin, "rayQuery_StateVector", 5, STAGES_ALL, "f", "oii8", WORKS) \
    OP(197, RayQuery_WorldRayDirection, "rayQuery_StateVector", 5, STAGES_ALL, "f", "oii8", WORKS) \
    OP(198, RayQuery_RayTMin, "rayQuery_StateScalar", 5, STAGES_ALL, "f", "oii", WORKS) \
    OP(199, RayQuery_CandidateTriangleRayT, "rayQuery_StateScalar", 5, STAGES_ALL, "f", "oii", WORKS) \
    OP(200, RayQuery_CommittedRayT, "rayQuery_StateScalar", 5, STAGES_ALL, "f", "oii", WORKS) \
    OP(201, RayQuery_CandidateInstanceIndex, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(202, RayQuery_CandidateInstanceID, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(203, RayQuery_CandidateGeometryIndex, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(204, RayQuery_CandidatePrimitiveIndex, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(205, RayQuery_CandidateObjectRayOrigin, "rayQuery_StateVector", 5, STAGES_ALL, "f", "oii8", WORKS) \
    OP(206, RayQuery_CandidateObjectRayDirection, "rayQuery_StateVector", 5, STAGES_ALL, "f", "oii8", WORKS) \
    OP(207, RayQuery_CommittedInstanceIndex, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(208, RayQuery_CommittedInstanceID, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(209, RayQuery_CommittedGeometryIndex, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(210, RayQuery_CommittedPrimitiveIndex, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(211, RayQuery_CommittedObjectRayOrigin, "rayQuery_StateVector", 5, STAGES_ALL, "f", "oii8", WORKS) \
    OP(212, RayQuery_CommittedObjectRayDirection, "rayQuery_StateVector", 5, STAGES_ALL, "f", "oii8", WORKS) \
    OP(213, GeometryIndex, "geometryIndex", 5, STAGES_LIB_HIT, "i", "oi", WORKS) \
    OP(214, RayQuery_CandidateInstanceContributionToHitGroupIndex, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(215, RayQuery_CommittedInstanceContributionToHitGroupIndex, "rayQuery_StateScalar", 5, STAGES_ALL, "i", "oii", WORKS) \
    OP(216, AnnotateHandle, "annotateHandle", 6, STAGES_ALL, "", "HiHP", WORKS) \
    OP(217, CreateHandleFromBinding, "createHandleFromBinding", 6, STAGES_ALL, "", "HiBi1", WORKS) \
    OP(218, CreateHandleFromHeap, "createHandleFromHeap", 6, STAGES_ALL, "", "Hii11", WORKS) \
    OP(219, Unpack4x8, "unpack4x8", 6, STAGES_ALL, "iw", "4i8i", WORKS) \
    OP(220, Pack4x8, "pack4x8", 6, STAGES_ALL, "iw", "ii8oooo", WORKS) \
    OP(221, IsHelperLane, "isHelperLane", 6, STAGES_ALL, "1", "oi", WORKS) \
    OP(222, QuadVote, "quadVote", 7, STAGES_LIB_COMPUTE, "1", "oi18", WORKS) \
    OP(223, TextureGatherRaw, "textureGatherRaw", 7, STAGES_ALL, "wil", "riHHffffii", WORKS) \
    OP(224, SampleCmpLevel, "sampleCmpLevel", 7, STAGES_ALL, "hf", "riHHffffiiiff", WORKS) \
    OP(225, TextureStoreSample, "textureStoreSample", 7, STAGES_ALL, "hfwi", "viHiiioooo8i", WORKS) \
    OP(238, AllocateNodeOutputRecords, "allocateNodeOutputRecords", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(239, GetNodeRecordPtr, "getNodeRecordPtr", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(240, IncrementOutputCount, "incrementOutputCount", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(241, OutputComplete, "outputComplete", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(242, GetInputRecordCount, "getInputRecordCount", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(243, FinishedCrossGroupSharing, "finishedCrossGroupSharing", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(244, BarrierByMemoryType, "barrierByMemoryType", 8, STAGES_ALL, "", "viii", WORKS) \
    OP(245, BarrierByMemoryHandle, "barrierByMemoryHandle", 8, STAGES_ALL, "", "viHi", WORKS) \
    OP(246, BarrierByNodeRecordHandle, "barrierByNodeRecordHandle", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(247, CreateNodeOutputHandle, "createNodeOutputHandle", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(248, IndexNodeHandle, "indexNodeHandle", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(249, AnnotateNodeHandle, "annotateNodeHandle", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(250, CreateNodeInputRecordHandle, "createNodeInputRecordHandle", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(251, AnnotateNodeRecordHandle, "annotateNodeRecordHandle", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(252, NodeOutputIsValid, "nodeOutputIsValid", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(253, GetRemainingRecursionLevels, "getRemainingRecursionLevels", 8, STAGES_GRAPHICS, "", "", WORK_GRAPH) \
    OP(254, SampleCmpGrad, "sampleCmpGrad", 8, STAGES_ALL, "hf", "riHHffffiiiffffffff", WORKS) \
    OP(255, SampleCmpBias, "sampleCmpBias", 8, STAGES_LIB_COMPUTE, "hf", "riHHffffiiifff", WORKS) \
    OP(256, StartVertexLocation, "startVertexLocation", 8, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(257, StartInstanceLocation, "startInstanceLocation", 8, STAGES_GRAPHICS, "", "", GRAPHICS) \
    OP(258, AllocateRayQuery2, "allocateRayQuery2", 9, STAGES_ALL, "", "iiii", WORKS) \
    OP(262, HitObject_TraceRay, "hitObject_TraceRay", 9, STAGES_LIB_TRACE, "u", "OiHiiiiiffffffffU", WORKS) \
    OP(263, HitObject_FromRayQuery, "hitObject_FromRayQuery", 9, STAGES_LIB_TRACE, "", "Oii", WORKS) \
    OP(264, HitObject_FromRayQueryWithAttrs, "hitObject_FromRayQueryWithAttrs", 9, STAGES_LIB_TRACE, "u", "OiiiU", WORKS) \
    OP(265, HitObject_MakeMiss, "hitObject_MakeMiss", 9, STAGES_LIB_TRACE, "", "Oiiiffffffff", WORKS) \
    OP(266, HitObject_MakeNop, "hitObject_MakeNop", 9, STAGES_LIB_TRACE, "", "Oi", WORKS) \
    OP(267, HitObject_Invoke, "hitObject_Invoke", 9, STAGES_LIB_TRACE, "u", "viOU", WORKS) \
    OP(268, MaybeReorderThread, "maybeReorderThread", 9, STAGES_LIB_RAYGEN, "", "viOii", WORKS) \
    OP(269, HitObject_IsMiss, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "1", "oiO", WORKS) \
    OP(270, HitObject_IsHit, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "1", "oiO", WORKS) \
    OP(271, HitObject_IsNop, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "1", "oiO", WORKS) \
    OP(272, HitObject_RayFlags, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "i", "oiO", WORKS) \
    OP(273, HitObject_RayTMin, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "f", "oiO", WORKS) \
    OP(274, HitObject_RayTCurrent, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "f", "oiO", WORKS) \
    OP(275, HitObject_WorldRayOrigin, "hitObject_StateVector", 9, STAGES_LIB_TRACE, "f", "oiOi", WORKS) \
    OP(276, HitObject_WorldRayDirection, "hitObject_StateVector", 9, STAGES_LIB_TRACE, "f", "oiOi", WORKS) \
    OP(277, HitObject_ObjectRayOrigin, "hitObject_StateVector", 9, STAGES_LIB_TRACE, "f", "oiOi", WORKS) \
    OP(278, HitObject_ObjectRayDirection, "hitObject_StateVector", 9, STAGES_LIB_TRACE, "f", "oiOi", WORKS) \
    OP(279, HitObject_ObjectToWorld3x4, "hitObject_StateMatrix", 9, STAGES_LIB_TRACE, "f", "oiOii", WORKS) \
    OP(280, HitObject_WorldToObject3x4, "hitObject_StateMatrix", 9, STAGES_LIB_TRACE, "f", "oiOii", WORKS) \
    OP(281, HitObject_GeometryIndex, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "i", "oiO", WORKS) \
    OP(282, HitObject_InstanceIndex, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "i", "oiO", WORKS) \
    OP(283, HitObject_InstanceID, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "i", "oiO", WORKS) \
    OP(284, HitObject_PrimitiveIndex, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "i", "oiO", WORKS) \
    OP(285, HitObject_HitKind, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "i", "oiO", WORKS) \
    OP(286, HitObject_ShaderTableIndex, "hitObject_StateScalar", 9, STAGES_LIB_TRACE, "i", "oiO", WORKS) \
    OP(287, HitObject_SetShaderTableIndex, "hitObject_SetShaderTableIndex", 9, STAGES_LIB_TRACE, "", "OiOi", WORKS) \
    OP(288, HitObject_LoadLocalRootTableConstant, "hitObject_LoadLocalRootTableConstant", 9, STAGES_LIB_TRACE, "", "iiOi", WORKS) \
    OP(289, HitObject_Attributes, "hitObject_Attributes", 9, STAGES_LIB_TRACE, "u", "viOU", WORKS) \
    OP(303, RawBufferVectorLoad, "rawBufferVectorLoad", 9, STAGES_ALL, "hfwidl<hfwidl", "riHiii", WORKS) \
    OP(304, RawBufferVectorStore, "rawBufferVectorStore", 9, STAGES_ALL, "hfwidl<hfwidl", "viHiioi", WORKS) \
    OP(309, VectorReduceAnd, "vectorReduce", 9, STAGES_ALL, "<18wil", "eio", WORKS) \
    OP(310, VectorReduceOr, "vectorReduce", 9, STAGES_ALL, "<18wil", "eio", WORKS) \
    OP(311, FDot, "dot", 9, STAGES_ALL, "<hf", "eioo", WORKS) \
    OP(0x80000000u, ExperimentalNop, "nop", 10, STAGES_ALL, "", "vi", WORKS) \
    OP(0x80000001u, GetGroupWaveIndex, "getGroupWaveIndex", 10, STAGES_COMPUTE, "", "ii", WORKS) \
    OP(0x80000002u, GetGroupWaveCount, "getGroupWaveCount", 10, STAGES_COMPUTE, "", "ii", WORKS) \
    OP(0x80000003u, ClusterID, "clusterID", 10, STAGES_LIB_ANY_CLOSEST, "", "ii", WORKS) \
    OP(0x80000004u, RayQuery_CandidateClusterID, "rayQuery_StateScalar", 10, STAGES_ALL, "i", "oii", WORKS) \
    OP(0x80000005u, RayQuery_CommittedClusterID, "rayQuery_StateScalar", 10, STAGES_ALL, "i", "oii", WORKS) \
    OP(0x80000006u, HitObject_ClusterID, "hitObject_StateScalar", 10, STAGES_LIB_TRACE, "i", "oiO", WORKS) \
    OP(0x80000007u, TriangleObjectPosition, "triangleObjectPosition", 10, STAGES_LIB_ANY_CLOSEST, "f", "9i", WORKS) \
    OP(0x80000008u, RayQuery_CandidateTriangleObjectPosition, "rayQuery_CandidateTriangleObjectPosition", 10, STAGES_ALL, "f", "9ii", WORKS) \
    OP(0x80000009u, RayQuery_CommittedTriangleObjectPosition, "rayQuery_CommittedTriangleObjectPosition", 10, STAGES_ALL, "f", "9ii", WORKS) \
    OP(0x8000000au, HitObject_TriangleObjectPosition, "hitObject_TriangleObjectPosition", 10, STAGES_LIB_TRACE, "f", "9iO", WORKS) \
    OP(0x8000000bu, LinAlgMatrixMultiplyAccumulate, "linAlgMatrixMultiplyAccumulate", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x8000000cu, LinAlgFillMatrix, "linAlgFillMatrix", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x8000000du, LinAlgCopyConvertMatrix, "linAlgCopyConvertMatrix", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x8000000eu, LinAlgMatrixLoadFromDescriptor, "linAlgMatrixLoadFromDescriptor", 10, STAGES_ALL, "", "", LINEAR_ALGEBRA) \
    OP(0x8000000fu, LinAlgMatrixLoadFromMemory, "linAlgMatrixLoadFromMemory", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000010u, LinAlgMatrixLength, "linAlgMatrixLength", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000011u, LinAlgMatrixGetCoordinate, "linAlgMatrixGetCoordinate", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000012u, LinAlgMatrixGetElement, "linAlgMatrixGetElement", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000013u, LinAlgMatrixSetElement, "linAlgMatrixSetElement", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000014u, LinAlgMatrixStoreToDescriptor, "linAlgMatrixStoreToDescriptor", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000015u, LinAlgMatrixStoreToMemory, "linAlgMatrixStoreToMemory", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000016u, LinAlgMatrixQueryAccumulatorLayout, "linAlgMatrixQueryAccumulatorLayout", 10, STAGES_ALL, "", "", LINEAR_ALGEBRA) \
    OP(0x80000017u, LinAlgMatrixMultiply, "linAlgMatrixMultiply", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000018u, LinAlgMatrixAccumulate, "linAlgMatrixAccumulate", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x80000019u, LinAlgMatVecMul, "linAlgMatVecMul", 10, STAGES_ALL, "", "", LINEAR_ALGEBRA) \
    OP(0x8000001au, LinAlgMatVecMulAdd, "linAlgMatVecMulAdd", 10, STAGES_ALL, "", "", LINEAR_ALGEBRA) \
    OP(0x8000001bu, LinAlgMatrixAccumulateToDescriptor, "linAlgMatrixAccumulateToDescriptor", 10, STAGES_ALL, "", "", LINEAR_ALGEBRA) \
    OP(0x8000001cu, LinAlgMatrixAccumulateToMemory, "linAlgMatrixAccumulateToMemory", 10, STAGES_COMPUTE, "", "", LINEAR_ALGEBRA) \
    OP(0x8000001du, LinAlgMatrixOuterProduct, "linAlgMatrixOuterProduct", 10, STAGES_ALL, "", "", LINEAR_ALGEBRA) \
    OP(0x8000001eu, LinAlgConvert, "linAlgConvert", 10, STAGES_ALL, "", "", LINEAR_ALGEBRA) \
    OP(0x8000001fu, LinAlgVectorAccumulateToDescriptor, "linAlgVectorAccumulateToDescriptor", 10, STAGES_ALL, "", "", LINEAR_ALGEBRA) \
    OP(0x80000021u, DebugBreak, "debugBreak", 10, STAGES_ALL, "", "vi", WORKS) \
    OP(0x80000022u, IsDebuggingEnabled, "isDebuggingEnabled", 10, STAGES_ALL, "", "1i", WORKS)
/* clang-format on */

/* DXIL_OPCODE_FAbs and so on. The preview operations have the top bit set, so compare as uint32_t. */
#define DXIL_OPCODE_ROW(number, name, class_name, minor, stages, overloads, signature, support)              \
    DXIL_OPCODE_##name = (int32_t)(number),
enum dxil_opcode { DXIL_OPS(DXIL_OPCODE_ROW) };
#undef DXIL_OPCODE_ROW

#endif
