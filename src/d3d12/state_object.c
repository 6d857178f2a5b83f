/* SPDX-License-Identifier: MIT
 * ID3D12StateObject and ID3D12StateObjectProperties: CreateStateObject and AddToStateObject read the description, link
 * and compile it; the properties interface answers by export name. */
#include "d3d12/state_object.h"

#include <stdlib.h>
#include <string.h>

#include "com/text.h"
#include "d3d12/create.h"
#include "d3d12/shader_compiler.h"
#include "dxil/module.h"

/* ID3D12StateObjectProperties1, which Debian's header lacks: one method more. */
struct program_identifier { /* D3D12_PROGRAM_IDENTIFIER */
    UINT64 opaque_data[4];
};
struct properties1_vtbl {
    ID3D12StateObjectPropertiesVtbl properties;
    struct program_identifier(STDMETHODCALLTYPE *GetProgramIdentifier)(ID3D12StateObjectProperties *, LPCWSTR);
};
static const IID iid_state_object_properties1 = {
    0x460caac7, 0x1d24, 0x446a, {0xa1, 0x84, 0xca, 0x67, 0xdb, 0x49, 0x41, 0x38}};

static const struct properties1_vtbl properties_vtbl;

static struct d3d12_state_object *from_properties(ID3D12StateObjectProperties *self)
{
    return (struct d3d12_state_object *)((char *)self - offsetof(struct d3d12_state_object, properties));
}

static void finish_parts(struct d3d12_state_object *object)
{
    so_compiled_finish(&object->compiled);
    so_linked_destroy(object->linked);
    so_parsed_finish(&object->parsed);
    if (object->single_global)
        com_object_drop(&object->single_global->object);
    if (object->grown_from)
        com_object_drop(&object->grown_from->object);
}

static void destroy(struct com_object *com)
{
    struct d3d12_state_object *object = (struct d3d12_state_object *)com;
    finish_parts(object);
    com_object_finish(com);
    free(object);
}

static const struct com_iid_offset interfaces[] = {
    {&IID_IUnknown, 0},
    {&IID_ID3D12Object, 0},
    {&IID_ID3D12DeviceChild, 0},
    {&IID_ID3D12Pageable, 0},
    {&IID_ID3D12StateObject, 0},
    {&IID_ID3D12StateObjectProperties, offsetof(struct d3d12_state_object, properties)},
    {&iid_state_object_properties1, offsetof(struct d3d12_state_object, properties)},
};

static const struct com_class state_object_class = {
    .name = "ID3D12StateObject",
    .interfaces = interfaces,
    .interface_count = ARRAY_COUNT(interfaces),
    .destroy = destroy,
    .retire = d3d12_object_retire,
};

COM_DEVICE_CHILD_METHODS(d3d12_state_object, ID3D12StateObject)

const ID3D12StateObjectVtbl d3d12_state_object_vtbl = {COM_DEVICE_CHILD_ENTRIES(d3d12_state_object)};

/* --- ID3D12StateObjectProperties --- */

COM_UNKNOWN_METHODS_AT(d3d12_state_object_properties, ID3D12StateObjectProperties, d3d12_state_object, properties)

/* The export of this object or of the ones it was grown from. */
static const struct so_export *find_export(const struct d3d12_state_object *object, const char *name)
{
    for (; object; object = object->grown_from) {
        const struct so_export *export = so_linked_find(object->linked, name, NULL);
        if (export)
            return export;
    }
    return NULL;
}

static void *STDMETHODCALLTYPE d3d12_state_object_properties_GetShaderIdentifier(ID3D12StateObjectProperties *self,
                                                                                 LPCWSTR pExportName)
{
    struct d3d12_state_object *object = from_properties(self);
    char *name = com_text_from_wide(pExportName);
    const struct so_export *export = name ? find_export(object, name) : NULL;
    void *identifier = export && export->group ? (void *)export->group->identifier : NULL;
    if (!identifier)
        message_write(d3d12_device_of(&object->object)->messages, RULE_STATE_OBJECT_NOTE,
                      "GetShaderIdentifier: pExportName '%s' %s", name ? name : "NULL",
                      !export                        ? "is not an export of the state object"
                      : !so_export_is_entry(export) ? "is no ray generation, miss or callable shader and no hit group"
                                                     : "is not fully resolved");
    free(name);
    return identifier;
}

static UINT64 STDMETHODCALLTYPE d3d12_state_object_properties_GetShaderStackSize(ID3D12StateObjectProperties *self,
                                                                                 LPCWSTR pExportName)
{
    struct d3d12_state_object *object = from_properties(self);
    char *name = com_text_from_wide(pExportName);
    UINT64 stack_bytes = UINT32_MAX;
    const char *part = NULL;
    char *separator = name ? strstr(name, "::") : NULL;
    if (separator) {
        *separator = 0;
        part = separator + 2;
    }
    const struct so_export *export = name ? find_export(object, name) : NULL;
    if (export && so_export_is_entry(export))
        stack_bytes = so_stack_bytes(export, part);
    if (stack_bytes == UINT32_MAX)
        message_write(d3d12_device_of(&object->object)->messages, RULE_STATE_OBJECT_NOTE,
                      "GetShaderStackSize: pExportName '%s%s%s' names no resolved shader with a stack; hit groups need "
                      "one of ::closesthit, ::anyhit, ::intersection",
                      name ? name : "NULL", part ? "::" : "", part ? part : "");
    free(name);
    return stack_bytes;
}

static UINT64 STDMETHODCALLTYPE d3d12_state_object_properties_GetPipelineStackSize(ID3D12StateObjectProperties *self)
{
    return from_properties(self)->pipeline.stack_bytes;
}

static void STDMETHODCALLTYPE d3d12_state_object_properties_SetPipelineStackSize(ID3D12StateObjectProperties *self,
                                                                                 UINT64 PipelineStackSizeInBytes)
{
    struct d3d12_state_object *object = from_properties(self);
    struct message_store *messages = d3d12_device_of(&object->object)->messages;
    if (object->type != D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE)
        message_write(messages, RULE_PIPELINE_STACK, "SetPipelineStackSize: '%s' is a collection; the call is dropped",
                      com_object_name(&object->object));
    else if (PipelineStackSizeInBytes >= UINT32_MAX)
        message_write(messages, RULE_PIPELINE_STACK,
                      "SetPipelineStackSize: PipelineStackSizeInBytes is 0x%llx, it must be below 0xffffffff; the call is "
                      "dropped (was an invalid GetShaderStackSize added in?)",
                      (unsigned long long)PipelineStackSizeInBytes);
    else
        object->pipeline.stack_bytes = PipelineStackSizeInBytes;
}

/* Programs are work graphs and generic pipelines; raytracing state objects have none. */
static struct program_identifier STDMETHODCALLTYPE
d3d12_state_object_properties_GetProgramIdentifier(ID3D12StateObjectProperties *self, LPCWSTR pProgramName)
{
    struct d3d12_state_object *object = from_properties(self);
    message_write(d3d12_device_of(&object->object)->messages, RULE_STATE_OBJECT_NOTE,
                  "GetProgramIdentifier: '%s' has no programs, only shaders (GetShaderIdentifier)",
                  com_object_name(&object->object));
    return (struct program_identifier){{0}};
}

static const struct properties1_vtbl properties_vtbl = {
    {
        COM_UNKNOWN_ENTRIES(d3d12_state_object_properties),
        d3d12_state_object_properties_GetShaderIdentifier,
        d3d12_state_object_properties_GetShaderStackSize,
        d3d12_state_object_properties_GetPipelineStackSize,
        d3d12_state_object_properties_SetPipelineStackSize,
    },
    d3d12_state_object_properties_GetProgramIdentifier,
};

/* --- creation --- */

/* The one global root signature that all exports which have one share; NULL: none, or several. */
static const struct so_definition *find_single_global(const struct so_linked *linked)
{
    const struct so_definition *single = NULL;
    for (uint32_t i = 0; i < linked->export_count; i++) {
        const struct so_definition *own = linked->exports[i].definitions[SO_SLOT_GLOBAL_ROOT_SIGNATURE];
        if (!own || !linked->exports[i].group)
            continue;
        if (single && !so_definition_equal(single, own))
            return NULL;
        single = own;
    }
    return single;
}

static HRESULT set_single_global(struct d3d12_device *device, struct d3d12_state_object *object)
{
    const struct so_definition *single = find_single_global(object->linked);
    const struct d3d12_state_object *parent = object->grown_from;
    if (!single || (parent && parent->single_global &&
                    !dxil_root_signature_equal(&parent->single_global->signature, single->root_signature)))
        return S_OK;
    struct d3d12_root_signature *signature = single->owner;
    if (signature) {
        com_object_hold(&signature->object);
    } else { /* from a library: an object of our own, without application references */
        HRESULT result = d3d12_root_signature_wrap(device, single->root_signature, &signature);
        if (FAILED(result))
            return result;
        com_object_hold(&signature->object);
        com_object_release(&signature->object);
    }
    object->single_global = signature;
    return S_OK;
}

/* What can be compiled against later: open collections, and those that others may call into. */
static void drop_modules(struct d3d12_state_object *object)
{
    const uint32_t keep_flag = SO_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS;
    if (!object->linked->is_executable && (object->linked->has_unresolved || (object->linked->flags & keep_flag)))
        return;
    for (uint32_t i = 0; i < object->parsed.library_count; i++) {
        dxil_module_destroy(object->parsed.libraries[i].module);
        object->parsed.libraries[i].module = NULL;
    }
}

static enum status build(struct d3d12_device *device, const D3D12_STATE_OBJECT_DESC *desc,
                         struct d3d12_state_object *object, struct reason *reason)
{
    struct d3d12_shader_compiler *compiler;
    RETURN_IF_FAILED(so_parse(desc, &object->parsed, reason));
    if (object->grown_from)
        object->parsed.input.grow_from = object->grown_from->linked;
    RETURN_IF_FAILED(so_link(&object->parsed.input, &object->linked, reason));
    if (object->linked->warning.text[0])
        message_write(device->messages, RULE_STATE_OBJECT_NOTE, "%s: %s",
                      object->grown_from ? "AddToStateObject" : "CreateStateObject", object->linked->warning.text);
    RETURN_IF_FAILED(d3d12_shader_compiler_get(device, &compiler, reason));
    RETURN_IF_FAILED(so_compile(compiler, object->linked, &object->compiled, reason));
    drop_modules(object);
    if (object->linked->is_executable)
        RETURN_IF_FAILED(so_make_pipeline(&object->compiled, object->linked,
                                          object->grown_from ? &object->grown_from->pipeline : NULL,
                                          &object->pipeline));
    return STATUS_OK;
}

/* Names of a grown object must be new in the whole lineage, not only in its parent's own description. */
static enum status check_lineage(const struct d3d12_state_object *object, struct reason *reason)
{
    for (uint32_t i = 0; object->grown_from && i < object->linked->export_count; i++) {
        const struct so_export *export = &object->linked->exports[i];
        const struct so_export *other = find_export(object->grown_from, export->name);
        if (other && so_export_is_entry(other) && so_export_is_entry(export))
            return reason_set(reason, STATUS_INVALID,
                              "export '%s' exists in the state object to grow from; added entry points need new names",
                              export->name);
    }
    return STATUS_OK;
}

static HRESULT fail_creation(struct d3d12_device *device, const char *call, enum status status,
                             const struct reason *reason)
{
    HRESULT result = status == STATUS_OUT_OF_MEMORY ? E_OUTOFMEMORY
                     : status == STATUS_INTERNAL    ? E_FAIL
                                                    : E_INVALIDARG;
    return d3d12_fail(device, result, RULE_STATE_OBJECT, "%s: %s", call,
                      reason->text[0] ? reason->text : "out of memory");
}

HRESULT d3d12_state_object_create(struct d3d12_device *device, const D3D12_STATE_OBJECT_DESC *desc,
                                  ID3D12StateObject *grow_from, REFIID riid, void **out)
{
    const char *call = grow_from ? "AddToStateObject" : "CreateStateObject";
    struct d3d12_state_object *parent = d3d12_state_object_from(grow_from);
    struct reason reason = {0};
    if (out)
        *out = NULL;
    if (!desc)
        return d3d12_fail(device, E_INVALIDARG, RULE_STATE_OBJECT, "%s: %s is NULL", call,
                          grow_from ? "pAddition" : "pDesc");
    if (grow_from && (!parent || parent->object.device != &device->object))
        return d3d12_fail(device, E_INVALIDARG, RULE_STATE_OBJECT,
                          "%s: pStateObjectToGrowFrom is not a state object of this device", call);
    struct d3d12_state_object *object = calloc(1, sizeof(*object));
    if (!object)
        return E_OUTOFMEMORY;
    object->type = desc->Type;
    object->properties.vtable = &properties_vtbl;
    object->grown_from = parent;
    if (parent)
        com_object_hold(&parent->object);
    enum status status = build(device, desc, object, &reason);
    if (status == STATUS_OK)
        status = check_lineage(object, &reason);
    HRESULT result = status == STATUS_OK ? set_single_global(device, object)
                                         : fail_creation(device, call, status, &reason);
    if (FAILED(result)) {
        finish_parts(object);
        free(object);
        return result;
    }
    com_object_init(&object->object, &state_object_class, &d3d12_state_object_vtbl, &device->object);
    return com_object_return(&object->object, riid, out);
}
