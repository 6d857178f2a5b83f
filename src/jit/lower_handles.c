/* SPDX-License-Identifier: MIT
 * Handles become pointers to descriptors. The register of a handle is looked up in the local, then in the global root
 * signature of the export; what the signature says is constant, so after inlining a handle costs a load or two.
 * DXIL's own handle type, a struct of one pointer, carries the pointer. */
#include <string.h>

#include "abi/descriptor.h"
#include "jit/compile.h"

enum {
    OP_CREATE_HANDLE = 57,
    OP_CREATE_HANDLE_FOR_LIB = 160,
    OP_ANNOTATE_HANDLE = 216,
    OP_CREATE_HANDLE_FROM_BINDING = 217,
    OP_CREATE_HANDLE_FROM_HEAP = 218,
};

bool jit_is_handle_op(uint32_t opcode)
{
    return opcode == OP_CREATE_HANDLE || opcode == OP_CREATE_HANDLE_FOR_LIB || opcode == OP_ANNOTATE_HANDLE ||
           opcode == OP_CREATE_HANDLE_FROM_BINDING || opcode == OP_CREATE_HANDLE_FROM_HEAP;
}

static LLVMValueRef handle_wrap(struct jit_unit *unit, LLVMTypeRef type, LLVMValueRef pointer)
{
    return LLVMBuildInsertValue(unit->builder, LLVMGetPoison(type), pointer, 0, "");
}

/* --- one binding ------------------------------------------------------------------------------------------ */

struct handle_place {
    const struct dxil_resource *resource;
    const struct dxil_root_signature *signature;
    struct dxil_binding binding;
    bool is_local;
};

static bool handle_find(struct jit_unit *unit, const struct dxil_resource *resource, uint32_t shader_register,
                        struct handle_place *place)
{
    enum dxil_register_type type = (enum dxil_register_type)resource->resource_class;
    const struct dxil_root_signature *signatures[2] = {unit->export->local, unit->export->global};
    for (int i = 0; i < 2; i++) {
        *place = (struct handle_place){.resource = resource, .signature = signatures[i], .is_local = i == 0};
        if (signatures[i] &&
            dxil_root_signature_find(signatures[i], type, resource->space, shader_register, &place->binding))
            return true;
    }
    return false;
}

static uint32_t handle_descriptor_kind(const struct dxil_resource *resource)
{
    switch (resource->kind) {
    case DXIL_RESOURCE_KIND_CBUFFER:
    case DXIL_RESOURCE_KIND_TBUFFER:
        return ABI_DESCRIPTOR_CBV;
    case DXIL_RESOURCE_KIND_RAWBUFFER:
        return ABI_DESCRIPTOR_RAW_BUFFER;
    case DXIL_RESOURCE_KIND_STRUCTUREDBUFFER:
        return ABI_DESCRIPTOR_STRUCTURED_BUFFER;
    case DXIL_RESOURCE_KIND_ACCELERATIONSTRUCTURE:
        return ABI_DESCRIPTOR_ACCELERATION_STRUCTURE;
    default:
        return ABI_DESCRIPTOR_NONE;
    }
}

static LLVMValueRef handle_static_sampler(struct jit_unit *unit, const struct dxil_static_sampler *sampler)
{
    struct abi_descriptor descriptor = {.kind = ABI_DESCRIPTOR_SAMPLER};
    descriptor.sampler = (struct abi_sampler){
        .filter = sampler->filter,
        .address = {(uint8_t)sampler->address_u, (uint8_t)sampler->address_v, (uint8_t)sampler->address_w},
        .comparison = (uint8_t)sampler->comparison,
        .mip_lod_bias = sampler->mip_lod_bias,
        .max_anisotropy = sampler->max_anisotropy,
        .min_lod = sampler->min_lod,
        .max_lod = sampler->max_lod,
    };
    /* D3D12_STATIC_BORDER_COLOR: transparent black, opaque black, opaque white, and the two opaque ones as integers. */
    static const float colors[3][4] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 1}};
    static const uint32_t integers[2][4] = {{0, 0, 0, 1}, {1, 1, 1, 1}};
    if (sampler->border_color < 3) {
        memcpy(descriptor.sampler.border, colors[sampler->border_color], sizeof(descriptor.sampler.border));
    } else if (sampler->border_color < 5) {
        memcpy(descriptor.sampler.border, integers[sampler->border_color - 3], sizeof(descriptor.sampler.border));
        descriptor.sampler.border_is_uint = 1;
    }
    return ir_constant_bytes(unit, &descriptor, sizeof(descriptor), "static_sampler");
}

static LLVMValueRef handle_frame_descriptor(struct jit_unit *unit, struct jit_call *call)
{
    LLVMTypeRef type = LLVMArrayType2(ir_i64(unit), sizeof(struct abi_descriptor) / 8);
    return ir_alloca(unit, call->function, type, 64, "descriptor");
}

static void handle_fill(struct jit_unit *unit, const struct jit_root_handle *root, LLVMValueRef out)
{
    LLVMValueRef arguments[] = {out,
                                LLVMConstInt(ir_i8(unit), root->kind, false),
                                ir_bool(unit, root->is_uav),
                                ir_u32(unit, root->stride),
                                root->address,
                                root->bytes};
    ir_call(unit, "jit_make_descriptor", ir_void(unit), arguments, ARRAY_COUNT(arguments));
}

/* A descriptor in the frame, remembered so that operations can have copies of their own (jit_descriptor_of_handle). */
static LLVMValueRef handle_remember(struct jit_unit *unit, struct jit_call *call, struct jit_root_handle root)
{
    root.memory = handle_frame_descriptor(unit, call);
    handle_fill(unit, &root, root.memory);
    if (unit->root_handle_count < ARRAY_COUNT(unit->root_handles))
        unit->root_handles[unit->root_handle_count++] = root;
    return root.memory;
}

static LLVMValueRef handle_root(struct jit_unit *unit, struct jit_call *call, const struct handle_place *place)
{
    const struct dxil_binding *binding = &place->binding;
    LLVMValueRef is_local = ir_bool(unit, place->is_local);
    struct jit_root_handle root = {.kind = handle_descriptor_kind(place->resource),
                                   .is_uav = binding->kind == DXIL_BINDING_ROOT_UAV,
                                   .stride = place->resource->stride_bytes,
                                   .bytes = ir_u64(unit, 0)};
    LLVMValueRef arguments[] = {call->thread, is_local, ir_u32(unit, binding->argument_offset), NULL, NULL};
    root.address = ir_call(unit, "jit_root_address", ir_i64(unit), arguments, 3);
    if (root.kind != ABI_DESCRIPTOR_ACCELERATION_STRUCTURE) {
        arguments[2] = ir_u32(unit, binding->parameter_index);
        arguments[3] = root.address;
        arguments[4] = ir_u64(unit, binding->kind == DXIL_BINDING_ROOT_CBV ? 65536 : UINT64_MAX);
        root.bytes = ir_call(unit, "jit_root_bytes", ir_i64(unit), arguments, 5);
    }
    return handle_remember(unit, call, root);
}

static LLVMValueRef handle_constants(struct jit_unit *unit, struct jit_call *call, const struct handle_place *place)
{
    LLVMValueRef arguments[] = {call->thread, ir_bool(unit, place->is_local),
                                ir_u32(unit, place->binding.argument_offset)};
    struct jit_root_handle root = {.kind = ABI_DESCRIPTOR_CBV};
    root.address = ir_call(unit, "jit_constants_address", ir_i64(unit), arguments, 3);
    root.bytes = ir_u64(unit, (uint64_t)place->binding.constant_count * 4);
    return handle_remember(unit, call, root);
}

LLVMValueRef jit_descriptor_of_handle(struct jit_unit *unit, struct jit_call *call, LLVMValueRef handle)
{
    LLVMValueRef pointer = LLVMIsAInsertValueInst(handle) ? LLVMGetOperand(handle, 1) : NULL;
    for (uint32_t i = 0; pointer && i < unit->root_handle_count; i++) {
        if (unit->root_handles[i].memory != pointer)
            continue;
        LLVMValueRef copy = handle_frame_descriptor(unit, call);
        handle_fill(unit, &unit->root_handles[i], copy);
        return copy;
    }
    return pointer ? pointer : LLVMBuildExtractValue(unit->builder, handle, 0, "");
}

static LLVMValueRef handle_table(struct jit_unit *unit, struct jit_call *call, const struct handle_place *place,
                                 LLVMValueRef index)
{
    const struct dxil_binding *binding = &place->binding;
    bool is_sampler = place->resource->resource_class == DXIL_RESOURCE_CLASS_SAMPLER;
    LLVMValueRef arguments[] = {call->thread, ir_bool(unit, place->is_local), ir_bool(unit, is_sampler),
                                ir_u32(unit, binding->argument_offset), ir_u32(unit, binding->table_offset), index,
                                ir_u32(unit, binding->available_count)};
    return ir_call(unit, "jit_table_descriptor", ir_pointer(unit), arguments, ARRAY_COUNT(arguments));
}

/* The descriptor of the register that place was found for, plus index registers. */
static LLVMValueRef handle_at(struct jit_unit *unit, struct jit_call *call, const struct handle_place *place,
                              LLVMValueRef index)
{
    switch (place->binding.kind) {
    case DXIL_BINDING_CONSTANTS:
        return handle_constants(unit, call, place);
    case DXIL_BINDING_TABLE:
        return handle_table(unit, call, place, index);
    case DXIL_BINDING_STATIC_SAMPLER:
        return handle_static_sampler(unit, &place->signature->static_samplers[place->binding.static_sampler_index]);
    default:
        return handle_root(unit, call, place);
    }
}

/* --- ranges ----------------------------------------------------------------------------------------------- */

static enum status handle_missing(struct jit_unit *unit, const struct dxil_resource *resource, uint32_t shader_register)
{
    return jit_unit_fail(unit, STATUS_INVALID, "uses %s at register %c%u, space%u, which no root signature defines",
                         resource->name && *resource->name ? resource->name : "a resource",
                         dxil_register_letter((enum dxil_register_type)resource->resource_class), shader_register,
                         resource->space);
}

/* A range may lie in several neighbouring parameters: chain over them. index counts from the first register of the range;
 * registers that the signature lacks read as the last one found, and a table reports an index outside its range. */
static enum status handle_range(struct jit_unit *unit, struct jit_call *call, const struct dxil_resource *resource,
                                LLVMValueRef index, LLVMValueRef *pointer)
{
    uint32_t position = 0;
    LLVMValueRef chosen = NULL;
    enum { MAX_PARTS = 16 };
    for (int part = 0; part < MAX_PARTS; part++) {
        struct handle_place place;
        uint32_t shader_register = resource->lower_bound + position;
        if (!handle_find(unit, resource, shader_register, &place))
            break;
        LLVMValueRef local = LLVMBuildSub(unit->builder, index, ir_u32(unit, position), "");
        if (!chosen) {
            chosen = handle_at(unit, call, &place, local);
        } else {
            LLVMValueRef here = LLVMBuildICmp(unit->builder, LLVMIntUGE, index, ir_u32(unit, position), "");
            LLVMValueRef safe = LLVMBuildSelect(unit->builder, here, local, ir_u32(unit, 0), "");
            LLVMValueRef other = handle_at(unit, call, &place, safe);
            chosen = LLVMBuildSelect(unit->builder, here, other, chosen, "");
        }
        uint32_t available = place.binding.kind == DXIL_BINDING_TABLE ? place.binding.available_count : 1;
        bool is_last = available == DXIL_UNBOUNDED ||
                       (resource->range_count != DXIL_RANGE_UNBOUNDED && position + available >= resource->range_count);
        if (is_last || position + available < position)
            break;
        position += available;
    }
    if (!chosen)
        return handle_missing(unit, resource, resource->lower_bound);
    *pointer = chosen;
    return STATUS_OK;
}

/* Clamp to the last register that the shader declared; only the part in front of a later parameter needs it. */
static enum status handle_of_resource(struct jit_unit *unit, struct jit_call *call,
                                      const struct dxil_resource *resource, LLVMValueRef index, LLVMValueRef *pointer)
{
    if (LLVMIsAConstantInt(index)) {
        struct handle_place place;
        uint32_t offset = (uint32_t)LLVMConstIntGetZExtValue(index);
        if (!handle_find(unit, resource, resource->lower_bound + offset, &place))
            return handle_missing(unit, resource, resource->lower_bound + offset);
        *pointer = handle_at(unit, call, &place, ir_u32(unit, 0));
        return STATUS_OK;
    }
    return handle_range(unit, call, resource, index, pointer);
}

/* --- where a handle's register is written ------------------------------------------------------------------ */

static const struct dxil_resource *handle_resource_of_symbol(struct jit_unit *unit, LLVMValueRef global)
{
    char plain[4096];
    size_t bytes;
    const char *name = LLVMGetValueName2(global, &bytes);
    int index = jit_link_origin(name, bytes, plain, sizeof(plain));
    if (index < 0 || (uint32_t)index >= unit->program->module_count)
        return NULL;
    const struct dxil_module *module = unit->program->modules[index];
    for (uint32_t i = 0; i < module->resource_count; i++)
        if (module->resources[i].symbol && !strcmp(module->resources[i].symbol, plain))
            return &module->resources[i];
    return NULL;
}

enum status jit_resource_pointer(struct jit_unit *unit, struct jit_call *call, LLVMValueRef global, LLVMValueRef index,
                                 LLVMValueRef *pointer)
{
    const struct dxil_resource *resource = LLVMIsAGlobalVariable(global) ? handle_resource_of_symbol(unit, global) : NULL;
    if (!resource)
        return jit_unit_fail(unit, STATUS_INVALID, "takes a handle of something that is no resource variable");
    return handle_of_resource(unit, call, resource, index, pointer);
}

static bool handle_is_gep(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static uint64_t handle_flat_count(LLVMTypeRef type)
{
    uint64_t count = 1;
    for (; LLVMGetTypeKind(type) == LLVMArrayTypeKind; type = LLVMGetElementType(type))
        count *= LLVMGetArrayLength2(type) ? LLVMGetArrayLength2(type) : 1;
    return count;
}

/* Index of a (possibly nested) array element in registers, and the variable. */
static bool handle_flat_index(struct jit_unit *unit, LLVMValueRef pointer, LLVMValueRef *global, LLVMValueRef *index)
{
    *index = ir_u32(unit, 0);
    if (handle_is_gep(pointer)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
        for (int i = 2; i < LLVMGetNumOperands(pointer); i++) {
            if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
                break;
            type = LLVMGetElementType(type);
            LLVMValueRef step = LLVMBuildIntCast2(unit->builder, LLVMGetOperand(pointer, (unsigned)i), ir_i32(unit),
                                                  false, "");
            step = LLVMBuildMul(unit->builder, step, ir_u32(unit, (uint32_t)handle_flat_count(type)), "");
            *index = LLVMBuildAdd(unit->builder, *index, step, "");
        }
        pointer = LLVMGetOperand(pointer, 0);
    }
    *global = pointer;
    return LLVMIsAGlobalVariable(pointer) != NULL;
}

static enum status handle_from_pointer(struct jit_unit *unit, struct jit_call *call, LLVMValueRef pointer,
                                       LLVMValueRef *result)
{
    if (LLVMIsASelectInst(pointer)) {
        LLVMValueRef yes, no;
        RETURN_IF_FAILED(handle_from_pointer(unit, call, LLVMGetOperand(pointer, 1), &yes));
        RETURN_IF_FAILED(handle_from_pointer(unit, call, LLVMGetOperand(pointer, 2), &no));
        *result = LLVMBuildSelect(unit->builder, LLVMGetOperand(pointer, 0), yes, no, "");
        return STATUS_OK;
    }
    LLVMValueRef global, index;
    const struct dxil_resource *resource = NULL;
    if (handle_flat_index(unit, pointer, &global, &index))
        resource = handle_resource_of_symbol(unit, global);
    if (!resource)
        return jit_unit_fail(unit, STATUS_UNSUPPORTED, "makes a handle from something that is no resource variable");
    return handle_of_resource(unit, call, resource, index, result);
}

/* The value that createHandleForLib gets is a load of the resource variable; optimised shaders may choose between two. */
static enum status handle_from_value(struct jit_unit *unit, struct jit_call *call, LLVMValueRef value,
                                     LLVMValueRef *result)
{
    if (LLVMIsALoadInst(value))
        return handle_from_pointer(unit, call, LLVMGetOperand(value, 0), result);
    if (LLVMIsASelectInst(value)) {
        LLVMValueRef yes, no;
        RETURN_IF_FAILED(handle_from_value(unit, call, LLVMGetOperand(value, 1), &yes));
        RETURN_IF_FAILED(handle_from_value(unit, call, LLVMGetOperand(value, 2), &no));
        *result = LLVMBuildSelect(unit->builder, LLVMGetOperand(value, 0), yes, no, "");
        return STATUS_OK;
    }
    if (LLVMIsAPHINode(value) && LLVMCountIncoming(value) <= 64) {
        LLVMValueRef values[64];
        LLVMBasicBlockRef blocks[64];
        unsigned count = LLVMCountIncoming(value);
        for (unsigned i = 0; i < count; i++) {
            blocks[i] = LLVMGetIncomingBlock(value, i);
            LLVMPositionBuilderBefore(unit->builder, LLVMGetBasicBlockTerminator(blocks[i]));
            RETURN_IF_FAILED(handle_from_value(unit, call, LLVMGetIncomingValue(value, i), &values[i]));
        }
        LLVMPositionBuilderBefore(unit->builder, value);
        *result = LLVMBuildPhi(unit->builder, ir_pointer(unit), "");
        LLVMAddIncoming(*result, values, blocks, count);
        LLVMPositionBuilderBefore(unit->builder, call->call);
        return STATUS_OK;
    }
    return jit_unit_fail(unit, STATUS_UNSUPPORTED, "makes a handle from a value that is no load of a resource");
}

static enum status handle_for_lib(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *pointer)
{
    return handle_from_value(unit, call, call->arguments[0], pointer);
}

/* createHandle(class, range id, register, non-uniform): the register counts from 0, not from the range's start. */
static enum status handle_create(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *pointer)
{
    if (!LLVMIsAConstantInt(call->arguments[0]) || !LLVMIsAConstantInt(call->arguments[1]))
        return jit_unit_fail(unit, STATUS_CORRUPT, "makes a handle of a range that is not constant");
    uint64_t class = LLVMConstIntGetZExtValue(call->arguments[0]), id = LLVMConstIntGetZExtValue(call->arguments[1]);
    for (uint32_t i = 0; i < unit->main->resource_count; i++) {
        const struct dxil_resource *resource = &unit->main->resources[i];
        if (resource->resource_class != class || resource->range_id != id)
            continue;
        LLVMValueRef index =
            LLVMBuildSub(unit->builder, call->arguments[2], ir_u32(unit, resource->lower_bound), "");
        return handle_of_resource(unit, call, resource, index, pointer);
    }
    return jit_unit_fail(unit, STATUS_CORRUPT, "makes a handle of an unknown resource range");
}

/* createHandleFromBinding({lower, upper, space, class}, register, non-uniform). */
static enum status handle_from_binding(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *pointer)
{
    uint32_t fields[4] = {0};
    if (!LLVMIsConstant(call->arguments[0]))
        return jit_unit_fail(unit, STATUS_CORRUPT, "makes a handle of a binding that is not constant");
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(call->arguments[0], i);
        if (element && LLVMIsAConstantInt(element))
            fields[i] = (uint32_t)LLVMConstIntGetZExtValue(element);
    }
    for (uint32_t m = 0; m < unit->program->module_count; m++) {
        const struct dxil_module *module = unit->program->modules[m];
        for (uint32_t i = 0; i < module->resource_count; i++) {
            const struct dxil_resource *resource = &module->resources[i];
            if (resource->resource_class != fields[3] || resource->space != fields[2] ||
                resource->lower_bound != fields[0])
                continue;
            LLVMValueRef index = LLVMBuildSub(unit->builder, call->arguments[1], ir_u32(unit, fields[0]), "");
            return handle_of_resource(unit, call, resource, index, pointer);
        }
    }
    return jit_unit_fail(unit, STATUS_CORRUPT, "makes a handle of the unknown binding register %u, space%u", fields[0],
                         fields[2]);
}

static enum status handle_from_heap(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *pointer)
{
    LLVMValueRef arguments[] = {call->thread, call->arguments[1], call->arguments[0]};
    *pointer = ir_call(unit, "jit_heap_descriptor", ir_pointer(unit), arguments, 3);
    return STATUS_OK;
}

enum status jit_lower_handle(struct jit_unit *unit, struct jit_call *call, LLVMValueRef *result)
{
    LLVMValueRef pointer = NULL;
    enum status status = STATUS_INTERNAL;
    switch (call->op->number) {
    case OP_ANNOTATE_HANDLE: /* what it tells is in the descriptor */
        *result = call->arguments[0];
        return STATUS_OK;
    case OP_CREATE_HANDLE:
        status = handle_create(unit, call, &pointer);
        break;
    case OP_CREATE_HANDLE_FOR_LIB:
        if (LLVMGetTypeKind(LLVMTypeOf(call->arguments[0])) == LLVMStructTypeKind &&
            (LLVMIsAExtractValueInst(call->arguments[0]) || LLVMIsACallInst(call->arguments[0]) ||
             LLVMIsAInsertValueInst(call->arguments[0]))) {
            *result = call->arguments[0]; /* a handle already, from the heap */
            return STATUS_OK;
        }
        status = handle_for_lib(unit, call, &pointer);
        break;
    case OP_CREATE_HANDLE_FROM_BINDING:
        status = handle_from_binding(unit, call, &pointer);
        break;
    default:
        status = handle_from_heap(unit, call, &pointer);
        break;
    }
    if (status == STATUS_OK)
        *result = handle_wrap(unit, LLVMTypeOf(call->call), pointer);
    return status;
}
