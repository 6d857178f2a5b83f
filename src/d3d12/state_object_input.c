/* SPDX-License-Identifier: MIT
 * Reads D3D12_STATE_OBJECT_DESC. One function a subobject type; types that nothing here knows are refused by number. */
#include "d3d12/state_object_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "com/object.h"
#include "com/text.h"
#include "d3d12/root_signature.h"
#include "d3d12/state_object.h"
#include "d3d12/debug.h"
#include "dxil/container.h"
#include "dxil/module.h"
#include "jit/c_library.h"

struct so_reader {
    const D3D12_STATE_OBJECT_DESC *desc;
    struct so_parsed *parsed;
    struct reason *reason;
    uint32_t index; /* of the subobject being read */
    /* input's arrays while they are written; counts are in input */
    struct so_library_input *libraries;
    struct so_collection_input *collections;
    struct so_definition *definitions;
    struct so_association_input *associations;
    struct so_hit_group_input *hit_groups;
    int32_t *definition_of; /* [NumSubobjects]: index into definitions, or -1 */
    const void **bytecodes; /* [library_count]: where each library's bytes were, to recognise the same one again */
};

static enum status refuse(const struct so_reader *reader, const char *text)
{
    return reason_set(reader->reason, STATUS_INVALID, "subobject %u: %s", reader->index, text);
}

static enum status copy_name(const struct so_reader *reader, const WCHAR *wide, const char **name)
{
    *name = NULL;
    if (!wide)
        return STATUS_OK;
    char *text = com_text_from_wide(wide);
    if (!text)
        return STATUS_OUT_OF_MEMORY;
    *name = arena_copy_text(&reader->parsed->arena, text);
    free(text);
    return *name ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

/* Import names: "" means none, like NULL. */
static enum status copy_import(const struct so_reader *reader, const WCHAR *wide, const char **name)
{
    return copy_name(reader, wide && *wide ? wide : NULL, name);
}

static enum status copy_exports(const struct so_reader *reader, const D3D12_EXPORT_DESC *exports, UINT count,
                                const struct so_export_input **out)
{
    if (count && !exports)
        return reason_set(reader->reason, STATUS_INVALID, "subobject %u: NumExports is %u, but pExports is NULL",
                          reader->index, count);
    struct so_export_input *copies =
        arena_allocate_zeroed(&reader->parsed->arena, ((size_t)count + 1) * sizeof(*copies), 8);
    if (!copies)
        return STATUS_OUT_OF_MEMORY;
    for (UINT i = 0; i < count; i++) {
        RETURN_IF_FAILED(copy_name(reader, exports[i].Name, &copies[i].name));
        RETURN_IF_FAILED(copy_name(reader, exports[i].ExportToRename, &copies[i].export_to_rename));
        copies[i].flags = (uint32_t)exports[i].Flags;
    }
    *out = copies;
    return STATUS_OK;
}

static void hold(struct so_reader *reader, struct com_object *object)
{
    com_object_hold(object);
    reader->parsed->held[reader->parsed->held_count++] = object;
}

/* --- DXIL libraries --- */

static void hash_bytes(const uint8_t *bytes, size_t byte_count, uint64_t hash[2])
{
    hash[0] = 0xcbf29ce484222325u ^ byte_count;
    hash[1] = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < byte_count; i++) {
        hash[0] = (hash[0] ^ bytes[i]) * 0x100000001b3u;
        hash[1] = (hash[1] + bytes[i]) * 0xff51afd7ed558ccdu;
        hash[1] ^= hash[1] >> 32;
    }
}

/* What the runtime data says of the functions must be what the module has: everything later trusts the former. */
static enum status check_functions(const struct so_library *library, struct reason *reason)
{
    for (uint32_t i = 0; i < library->rdat.function_count; i++) {
        const struct dxil_rdat_function *function = &library->rdat.functions[i];
        const struct dxil_function *found = dxil_module_find_function(library->module, function->name, NULL);
        if (!found || !found->defined)
            return reason_set(reason, STATUS_INVALID, "function '%s' is in the runtime data (RDAT) but not in the module",
                              function->unmangled_name);
        if ((uint32_t)found->kind != function->shader_kind)
            return reason_set(reason, STATUS_INVALID,
                              "function '%s' is a %s in the runtime data (RDAT) and a %s in the module",
                              function->unmangled_name, so_shader_kind_name(function->shader_kind),
                              so_shader_kind_name((uint32_t)found->kind));
    }
    return STATUS_OK;
}

static enum status load_library(struct so_library *library, const D3D12_SHADER_BYTECODE *code, struct reason *reason)
{
    struct dxil_container container;
    if (jit_is_c_library(code->pShaderBytecode, code->BytecodeLength)) {
        hash_bytes(code->pShaderBytecode, code->BytecodeLength, library->hash);
        return jit_c_library_create(code->pShaderBytecode, code->BytecodeLength, &library->module, &library->rdat,
                                    reason);
    }
    struct dxil_options options = dxil_options_default();
    options.prefer_debug |= d3d12_debug_is_enabled(); /* so that messages name lines */
    RETURN_IF_FAILED(
        dxil_module_create(code->pShaderBytecode, code->BytecodeLength, &options, &library->module, reason));
    if (library->module->shader_kind != DXIL_SHADER_KIND_LIBRARY)
        return reason_set(reason, STATUS_INVALID, "it is a %s shader, not a library (lib_6_3 or later)",
                          so_shader_kind_name((uint32_t)library->module->shader_kind));
    RETURN_IF_FAILED(
        dxil_container_parse(code->pShaderBytecode, code->BytecodeLength, NULL, &container, reason));
    const struct dxil_part *part = dxil_container_find(&container, DXIL_PART_KIND_RUNTIME_DATA);
    if (!part)
        return reason_set(reason, STATUS_INVALID, "it has no runtime data (part RDAT); lib_6_3 or later is needed");
    RETURN_IF_FAILED(dxil_rdat_parse(part->data, part->data_bytes, &library->rdat, reason));
    hash_bytes(code->pShaderBytecode, code->BytecodeLength, library->hash);
    return check_functions(library, reason);
}

/* The same bytes given several times, with other exports each time, are one library. */
static enum status find_or_load(struct so_reader *reader, const D3D12_SHADER_BYTECODE *code, struct so_library **out)
{
    struct so_parsed *parsed = reader->parsed;
    struct reason why = {0};
    for (uint32_t i = 0; i < parsed->input.library_count; i++)
        if (reader->bytecodes[i * 2] == code->pShaderBytecode &&
            (uintptr_t)reader->bytecodes[i * 2 + 1] == code->BytecodeLength) {
            *out = reader->libraries[i].user;
            return STATUS_OK;
        }
    struct so_library *library = &parsed->libraries[parsed->library_count++];
    enum status status = load_library(library, code, &why);
    if (status == STATUS_OUT_OF_MEMORY)
        return status;
    if (status != STATUS_OK)
        return reason_set(reader->reason, status, "subobject %u: DXIL library: %s", reader->index, why.text);
    *out = library;
    return STATUS_OK;
}

static enum status note_qualified_payloads(struct so_reader *reader, const struct so_library *library, const bool **out)
{
    if (!library->module->has_payload_qualifiers)
        return STATUS_OK;
    bool *qualified = arena_allocate_zeroed(&reader->parsed->arena, (size_t)library->rdat.function_count + 1, 1);
    if (!qualified)
        return STATUS_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < library->rdat.function_count; i++) {
        const struct dxil_function *function =
            dxil_module_find_function(library->module, library->rdat.functions[i].name, NULL);
        qualified[i] = function && function->has_qualified_payload;
    }
    *out = qualified;
    return STATUS_OK;
}

static enum status read_library(struct so_reader *reader, const void *data)
{
    const D3D12_DXIL_LIBRARY_DESC *desc = data;
    struct so_input *input = &reader->parsed->input;
    struct so_library *library;
    if (!desc->DXILLibrary.pShaderBytecode || !desc->DXILLibrary.BytecodeLength)
        return refuse(reader, "DXILLibrary is empty");
    RETURN_IF_FAILED(find_or_load(reader, &desc->DXILLibrary, &library));
    reader->bytecodes[input->library_count * 2] = desc->DXILLibrary.pShaderBytecode;
    reader->bytecodes[input->library_count * 2 + 1] = (const void *)(uintptr_t)desc->DXILLibrary.BytecodeLength;
    struct so_library_input *out = &reader->libraries[input->library_count++];
    out->subobject_index = reader->index;
    out->rdat = &library->rdat;
    out->user = library;
    /* "MaxPayloadSizeInBytes is ignored for payloads that use payload access qualifiers" */
    RETURN_IF_FAILED(note_qualified_payloads(reader, library, &out->ignore_payload_limit));
    out->export_count = desc->NumExports;
    return copy_exports(reader, desc->pExports, desc->NumExports, &out->exports);
}

static enum status read_collection(struct so_reader *reader, const void *data)
{
    const D3D12_EXISTING_COLLECTION_DESC *desc = data;
    struct so_input *input = &reader->parsed->input;
    struct d3d12_state_object *collection = d3d12_state_object_from(desc->pExistingCollection);
    if (!collection)
        return refuse(reader, "pExistingCollection is NULL or not a state object of this library");
    hold(reader, &collection->object);
    struct so_collection_input *out = &reader->collections[input->collection_count++];
    out->subobject_index = reader->index;
    out->linked = collection->linked;
    out->export_count = desc->NumExports;
    return copy_exports(reader, desc->pExports, desc->NumExports, &out->exports);
}

/* --- subobjects that can be associated --- */

static enum status add_definition(struct so_reader *reader, enum so_slot slot, struct so_definition **out)
{
    struct so_input *input = &reader->parsed->input;
    char label[32];
    snprintf(label, sizeof(label), "subobject %u", reader->index);
    reader->definition_of[reader->index] = (int32_t)input->definition_count;
    *out = &reader->definitions[input->definition_count++];
    (*out)->slot = slot;
    (*out)->label = arena_copy_text(&reader->parsed->arena, label);
    return (*out)->label ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

static enum status read_root_signature(struct so_reader *reader, const void *data, enum so_slot slot)
{
    /* D3D12_GLOBAL_ROOT_SIGNATURE and D3D12_LOCAL_ROOT_SIGNATURE have the same shape. */
    const D3D12_GLOBAL_ROOT_SIGNATURE *desc = data;
    struct so_definition *definition;
    struct d3d12_root_signature *signature = d3d12_root_signature_from(desc->pGlobalRootSignature);
    if (!signature)
        return reason_set(reader->reason, STATUS_INVALID,
                          "subobject %u: the %s is NULL or not a root signature of this library", reader->index,
                          so_slot_name(slot));
    RETURN_IF_FAILED(add_definition(reader, slot, &definition));
    hold(reader, &signature->object);
    definition->root_signature = &signature->signature;
    definition->owner = signature;
    return STATUS_OK;
}

static enum status read_words(struct so_reader *reader, const void *data, enum so_slot slot, uint32_t word_count)
{
    struct so_definition *definition;
    RETURN_IF_FAILED(add_definition(reader, slot, &definition));
    memcpy(definition->values, data, word_count * sizeof(uint32_t));
    return STATUS_OK;
}

static enum status read_hit_group(struct so_reader *reader, const void *data)
{
    const D3D12_HIT_GROUP_DESC *desc = data;
    struct so_hit_group_input *out = &reader->hit_groups[reader->parsed->input.hit_group_count++];
    out->type = (uint32_t)desc->Type;
    RETURN_IF_FAILED(copy_name(reader, desc->HitGroupExport, &out->name));
    RETURN_IF_FAILED(copy_import(reader, desc->AnyHitShaderImport, &out->any_hit));
    RETURN_IF_FAILED(copy_import(reader, desc->ClosestHitShaderImport, &out->closest_hit));
    return copy_import(reader, desc->IntersectionShaderImport, &out->intersection);
}

/* --- associations, read after everything else: they point at other subobjects --- */

static enum status copy_association_names(struct so_reader *reader, struct so_association_input *out,
                                          const LPCWSTR *exports, UINT count)
{
    if (count && !exports)
        return reason_set(reader->reason, STATUS_INVALID, "subobject %u: NumExports is %u, but pExports is NULL",
                          reader->index, count);
    const char **names = arena_allocate_zeroed(&reader->parsed->arena, ((size_t)count + 1) * sizeof(*names), 8);
    if (!names)
        return STATUS_OUT_OF_MEMORY;
    for (UINT i = 0; i < count; i++) {
        RETURN_IF_FAILED(copy_name(reader, exports[i], &names[i]));
        if (!names[i] || !*names[i])
            return reason_set(reader->reason, STATUS_INVALID, "subobject %u: pExports[%u] is no name", reader->index, i);
    }
    out->exports = names;
    out->export_count = count;
    return STATUS_OK;
}

/* Subobject that pSubobjectToAssociate means: by address, else (a copy of the structure) by the same type and pDesc. */
static int64_t find_subobject(const struct so_reader *reader, const D3D12_STATE_SUBOBJECT *wanted)
{
    for (UINT i = 0; i < reader->desc->NumSubobjects; i++)
        if (&reader->desc->pSubobjects[i] == wanted)
            return i;
    for (UINT i = 0; i < reader->desc->NumSubobjects; i++)
        if (reader->desc->pSubobjects[i].Type == wanted->Type && reader->desc->pSubobjects[i].pDesc == wanted->pDesc)
            return i;
    return -1;
}

static enum status read_association(struct so_reader *reader, const void *data)
{
    const D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION *desc = data;
    if (!desc->pSubobjectToAssociate)
        return refuse(reader, "pSubobjectToAssociate is NULL");
    int64_t target = find_subobject(reader, desc->pSubobjectToAssociate);
    if (target < 0)
        return refuse(reader, "pSubobjectToAssociate is not a subobject of this state object");
    if (reader->definition_of[target] < 0)
        return reason_set(reader->reason, STATUS_INVALID,
                          "subobject %u: pSubobjectToAssociate is subobject %u of type %u, which cannot be associated",
                          reader->index, (unsigned)target, (unsigned)reader->desc->pSubobjects[target].Type);
    struct so_association_input *out = &reader->associations[reader->parsed->input.association_count++];
    out->subobject_index = reader->index;
    out->definition = &reader->definitions[reader->definition_of[target]];
    return copy_association_names(reader, out, desc->pExports, desc->NumExports);
}

static enum status read_dxil_association(struct so_reader *reader, const void *data)
{
    const D3D12_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION *desc = data;
    if (!desc->SubobjectToAssociate || !*desc->SubobjectToAssociate)
        return refuse(reader, "SubobjectToAssociate is no name");
    struct so_association_input *out = &reader->associations[reader->parsed->input.association_count++];
    out->subobject_index = reader->index;
    RETURN_IF_FAILED(copy_name(reader, desc->SubobjectToAssociate, &out->dxil_name));
    return copy_association_names(reader, out, desc->pExports, desc->NumExports);
}

static enum status read_subobject(struct so_reader *reader, const D3D12_STATE_SUBOBJECT *subobject)
{
    const void *data = subobject->pDesc;
    switch ((int)subobject->Type) {
    case D3D12_STATE_SUBOBJECT_TYPE_STATE_OBJECT_CONFIG:
        return read_words(reader, data, SO_SLOT_STATE_OBJECT_CONFIG, 1);
    case D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE:
        return read_root_signature(reader, data, SO_SLOT_GLOBAL_ROOT_SIGNATURE);
    case D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE:
        return read_root_signature(reader, data, SO_SLOT_LOCAL_ROOT_SIGNATURE);
    case D3D12_STATE_SUBOBJECT_TYPE_NODE_MASK:
        return read_words(reader, data, SO_SLOT_NODE_MASK, 1);
    case D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY:
        return read_library(reader, data);
    case D3D12_STATE_SUBOBJECT_TYPE_EXISTING_COLLECTION:
        return read_collection(reader, data);
    case D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG:
        return read_words(reader, data, SO_SLOT_SHADER_CONFIG, 2);
    case D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG:
        return read_words(reader, data, SO_SLOT_PIPELINE_CONFIG, 1);
    case D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1:
        return read_words(reader, data, SO_SLOT_PIPELINE_CONFIG, 2);
    case D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP:
        return read_hit_group(reader, data);
    case D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION:
    case D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION:
        return STATUS_OK; /* second pass */
    default:
        return reason_set(reader->reason, STATUS_INVALID,
                          "subobject %u: type %u is not one of raytracing pipelines and collections", reader->index,
                          (unsigned)subobject->Type);
    }
}

static enum status read_subobjects(struct so_reader *reader)
{
    const D3D12_STATE_OBJECT_DESC *desc = reader->desc;
    for (reader->index = 0; reader->index < desc->NumSubobjects; reader->index++) {
        reader->definition_of[reader->index] = -1;
        if (!desc->pSubobjects[reader->index].pDesc)
            return refuse(reader, "pDesc is NULL");
        RETURN_IF_FAILED(read_subobject(reader, &desc->pSubobjects[reader->index]));
    }
    for (reader->index = 0; reader->index < desc->NumSubobjects; reader->index++) {
        const D3D12_STATE_SUBOBJECT *subobject = &desc->pSubobjects[reader->index];
        if (subobject->Type == D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION)
            RETURN_IF_FAILED(read_association(reader, subobject->pDesc));
        if (subobject->Type == D3D12_STATE_SUBOBJECT_TYPE_DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION)
            RETURN_IF_FAILED(read_dxil_association(reader, subobject->pDesc));
    }
    return STATUS_OK;
}

/* Every array gets room for all subobjects: each is at most one of anything. */
static enum status allocate_arrays(struct so_reader *reader)
{
    struct so_parsed *parsed = reader->parsed;
    size_t count = (size_t)reader->desc->NumSubobjects + 1;
    reader->libraries = arena_allocate_zeroed(&parsed->arena, count * sizeof(*reader->libraries), 8);
    reader->collections = arena_allocate_zeroed(&parsed->arena, count * sizeof(*reader->collections), 8);
    reader->definitions = arena_allocate_zeroed(&parsed->arena, count * sizeof(*reader->definitions), 8);
    reader->associations = arena_allocate_zeroed(&parsed->arena, count * sizeof(*reader->associations), 8);
    reader->hit_groups = arena_allocate_zeroed(&parsed->arena, count * sizeof(*reader->hit_groups), 8);
    reader->definition_of = arena_allocate_zeroed(&parsed->arena, count * sizeof(*reader->definition_of), 4);
    reader->bytecodes = arena_allocate_zeroed(&parsed->arena, 2 * count * sizeof(*reader->bytecodes), 8);
    parsed->libraries = calloc(count, sizeof(*parsed->libraries));
    parsed->held = calloc(count, sizeof(*parsed->held));
    if (!reader->libraries || !reader->collections || !reader->definitions || !reader->associations ||
        !reader->hit_groups || !reader->definition_of || !reader->bytecodes || !parsed->libraries || !parsed->held)
        return STATUS_OUT_OF_MEMORY;
    parsed->input.libraries = reader->libraries;
    parsed->input.collections = reader->collections;
    parsed->input.definitions = reader->definitions;
    parsed->input.associations = reader->associations;
    parsed->input.hit_groups = reader->hit_groups;
    return STATUS_OK;
}

enum status so_parse(const D3D12_STATE_OBJECT_DESC *desc, struct so_parsed *parsed, struct reason *reason)
{
    enum { MAX_SUBOBJECTS = 1 << 20 };
    *parsed = (struct so_parsed){0};
    struct so_reader reader = {.desc = desc, .parsed = parsed, .reason = reason};
    if (desc->Type != D3D12_STATE_OBJECT_TYPE_COLLECTION && desc->Type != D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE)
        return reason_set(reason, STATUS_INVALID, "Type %u is neither COLLECTION nor RAYTRACING_PIPELINE",
                          (unsigned)desc->Type);
    if (desc->NumSubobjects && !desc->pSubobjects)
        return reason_set(reason, STATUS_INVALID, "NumSubobjects is %u, but pSubobjects is NULL", desc->NumSubobjects);
    if (desc->NumSubobjects > MAX_SUBOBJECTS)
        return reason_set(reason, STATUS_INVALID, "NumSubobjects is %u, at most %u are possible", desc->NumSubobjects,
                          MAX_SUBOBJECTS);
    parsed->input.is_executable = desc->Type == D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE;
    enum status status = allocate_arrays(&reader);
    if (status == STATUS_OK)
        status = read_subobjects(&reader);
    if (status != STATUS_OK)
        so_parsed_finish(parsed);
    return status;
}

void so_parsed_finish(struct so_parsed *parsed)
{
    for (uint32_t i = 0; i < parsed->library_count; i++) {
        dxil_module_destroy(parsed->libraries[i].module);
        dxil_rdat_finish(&parsed->libraries[i].rdat);
    }
    for (uint32_t i = 0; i < parsed->held_count; i++)
        com_object_drop(parsed->held[i]);
    free(parsed->libraries);
    free(parsed->held);
    arena_finish(&parsed->arena);
    *parsed = (struct so_parsed){0};
}
