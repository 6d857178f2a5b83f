/* SPDX-License-Identifier: MIT
 * State object or compute pipeline of a vector, and its shader tables. The library's runtime data is read (by the
 * same code as the device uses) to know which subobjects the library brings itself. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "dxil/container.h"
#include "dxil/rdat.h"
#include "vector.h"

enum { MAX_SUBOBJECTS = 512, NAME_WCHARS = 256 };

struct wide {
    WCHAR text[NAME_WCHARS];
};

struct builder {
    struct run *run;
    D3D12_STATE_SUBOBJECT subobjects[MAX_SUBOBJECTS];
    UINT count;
    struct wide *names;
    size_t name_count;
    struct dxil_rdat rdats[8];
    void *modules[8];
    size_t module_bytes[8];
    D3D12_DXIL_LIBRARY_DESC libraries[8];
    D3D12_HIT_GROUP_DESC groups[256];
    size_t group_count;
    D3D12_LOCAL_ROOT_SIGNATURE locals[256];
    D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION associations[256];
    LPCWSTR association_exports[256];
    size_t local_count;
    D3D12_GLOBAL_ROOT_SIGNATURE global;
    D3D12_RAYTRACING_SHADER_CONFIG shader_config;
    D3D12_RAYTRACING_PIPELINE_CONFIG1 pipeline_config;
};

void *file_read(const char *path, size_t *byte_count)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    void *data = malloc(length > 0 ? (size_t)length : 1);
    if (data && length > 0 && fread(data, 1, (size_t)length, file) != (size_t)length) {
        free(data);
        data = NULL;
    }
    fclose(file);
    *byte_count = data && length > 0 ? (size_t)length : 0;
    return data;
}

static LPCWSTR widen(struct builder *b, const char *text)
{
    if (strcmp(text, "-") == 0)
        return NULL;
    struct wide *w = &b->names[b->name_count++ % 4096];
    size_t i = 0;
    for (; text[i] && i + 1 < NAME_WCHARS; i++)
        w->text[i] = (WCHAR)(unsigned char)text[i];
    w->text[i] = 0;
    return w->text;
}

static D3D12_STATE_SUBOBJECT *add(struct builder *b, D3D12_STATE_SUBOBJECT_TYPE type, const void *desc)
{
    if (b->count == MAX_SUBOBJECTS)
        abort();
    b->subobjects[b->count] = (D3D12_STATE_SUBOBJECT){type, desc};
    return &b->subobjects[b->count++];
}

static bool load_modules(struct builder *b)
{
    struct vector *v = b->run->vector;
    for (size_t i = 0; i < v->module_count; i++) {
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s", b->run->modules_dir, v->modules[i]);
        b->modules[i] = file_read(path, &b->module_bytes[i]);
        if (!b->modules[i])
            return false;
        struct dxil_container container;
        struct reason reason = {0};
        const struct dxil_part *part = NULL;
        if (dxil_container_parse(b->modules[i], b->module_bytes[i], NULL, &container, &reason) == STATUS_OK)
            part = dxil_container_find(&container, DXIL_PART_KIND_RUNTIME_DATA);
        if (part && dxil_rdat_parse(part->data, part->data_bytes, &b->rdats[i], &reason) != STATUS_OK)
            fprintf(stderr, "%s: RDAT: %s\n", path, reason.text);
    }
    return true;
}

static const struct dxil_subobject *library_subobject(const struct builder *b, uint32_t kind, const char *name)
{
    for (size_t i = 0; i < 8; i++)
        for (uint32_t k = 0; k < b->rdats[i].subobject_count; k++)
            if (b->rdats[i].subobjects[k].kind == kind && (!name || strcmp(b->rdats[i].subobjects[k].name, name) == 0))
                return &b->rdats[i].subobjects[k];
    return NULL;
}

static void add_hit_group(struct builder *b, const struct record *r)
{
    if (strcmp(r->entry, "-") == 0 || library_subobject(b, DXIL_SUBOBJECT_HIT_GROUP, r->entry))
        return;
    for (size_t i = 0; i < b->group_count; i++) {
        LPCWSTR have = b->groups[i].HitGroupExport;
        size_t k = 0;
        while (r->entry[k] && have[k] == (WCHAR)r->entry[k])
            k++;
        if (!r->entry[k] && !have[k])
            return;
    }
    D3D12_HIT_GROUP_DESC *g = &b->groups[b->group_count++];
    g->HitGroupExport = widen(b, r->entry);
    g->Type = strcmp(r->intersection, "-") ? D3D12_HIT_GROUP_TYPE_PROCEDURAL_PRIMITIVE : D3D12_HIT_GROUP_TYPE_TRIANGLES;
    g->ClosestHitShaderImport = widen(b, r->closest_hit);
    g->AnyHitShaderImport = widen(b, r->any_hit);
    g->IntersectionShaderImport = widen(b, r->intersection);
    add(b, D3D12_STATE_SUBOBJECT_TYPE_HIT_GROUP, g);
}

/* Local root signatures made from the first record of each entry that has local bindings. */
static bool add_local_signatures(struct builder *b)
{
    struct vector *v = b->run->vector;
    if (library_subobject(b, DXIL_SUBOBJECT_LOCAL_ROOT_SIGNATURE, NULL))
        return true;
    for (size_t i = 0; i < v->record_count; i++) {
        const struct record *r = &v->records[i];
        bool seen = !r->local_count;
        for (size_t k = 0; k < i; k++)
            seen |= v->records[k].local_count && strcmp(v->records[k].entry, r->entry) == 0;
        if (seen)
            continue;
        size_t n = b->local_count++;
        b->locals[n].pLocalRootSignature = bind_local_signature(b->run, r);
        if (!b->locals[n].pLocalRootSignature)
            return false;
        gpu_keep(&b->run->gpu, b->locals[n].pLocalRootSignature);
        b->association_exports[n] = widen(b, r->entry);
        b->associations[n] = (D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION){
            add(b, D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE, &b->locals[n]), 1, &b->association_exports[n]};
        add(b, D3D12_STATE_SUBOBJECT_TYPE_SUBOBJECT_TO_EXPORTS_ASSOCIATION, &b->associations[n]);
    }
    return true;
}

static bool load_global_signature(struct builder *b)
{
    struct run *run = b->run;
    const struct dxil_subobject *own = library_subobject(b, DXIL_SUBOBJECT_GLOBAL_ROOT_SIGNATURE, NULL);
    if (!own)
        return root_signature_load(run, b->modules[0], b->module_bytes[0]);
    return root_signature_use(run, own->root_signature.bytes, own->root_signature.byte_count);
}

static void add_configs(struct builder *b)
{
    struct vector *v = b->run->vector;
    if (b->run->root_signature && !library_subobject(b, DXIL_SUBOBJECT_GLOBAL_ROOT_SIGNATURE, NULL)) {
        b->global.pGlobalRootSignature = b->run->root_signature;
        add(b, D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE, &b->global);
    }
    if (!library_subobject(b, DXIL_SUBOBJECT_SHADER_CONFIG, NULL)) {
        b->shader_config = (D3D12_RAYTRACING_SHADER_CONFIG){v->payload_bytes, v->attribute_bytes};
        add(b, D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_SHADER_CONFIG, &b->shader_config);
    }
    if (!library_subobject(b, DXIL_SUBOBJECT_PIPELINE_CONFIG, NULL) &&
        !library_subobject(b, DXIL_SUBOBJECT_PIPELINE_CONFIG1, NULL)) {
        b->pipeline_config = (D3D12_RAYTRACING_PIPELINE_CONFIG1){v->recursion, (D3D12_RAYTRACING_PIPELINE_FLAGS)v->flags};
        add(b, D3D12_STATE_SUBOBJECT_TYPE_RAYTRACING_PIPELINE_CONFIG1, &b->pipeline_config);
    }
}

static bool create_state_object(struct builder *b)
{
    struct run *run = b->run;
    struct vector *v = run->vector;
    for (size_t i = 0; i < v->module_count; i++) {
        b->libraries[i].DXILLibrary = (D3D12_SHADER_BYTECODE){b->modules[i], b->module_bytes[i]};
        add(b, D3D12_STATE_SUBOBJECT_TYPE_DXIL_LIBRARY, &b->libraries[i]);
    }
    add_configs(b);
    for (size_t i = 0; i < v->record_count; i++)
        if (v->records[i].kind == RECORD_HIT)
            add_hit_group(b, &v->records[i]);
    if (!add_local_signatures(b))
        return false;
    D3D12_STATE_OBJECT_DESC desc = {D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE, b->count, b->subobjects};
    HRESULT hr = ID3D12Device5_CreateStateObject(run->gpu.device, &desc, &IID_ID3D12StateObject, (void **)&run->pipeline);
    if (FAILED(hr))
        fprintf(stderr, "CreateStateObject: %s\n", gpu_result_text(hr));
    return SUCCEEDED(hr);
}

static bool create_compute(struct builder *b)
{
    D3D12_COMPUTE_PIPELINE_STATE_DESC desc = {.pRootSignature = b->run->root_signature,
                                              .CS = {b->modules[0], b->module_bytes[0]}};
    HRESULT hr = ID3D12Device5_CreateComputePipelineState(b->run->gpu.device, &desc, &IID_ID3D12PipelineState,
                                                          (void **)&b->run->compute);
    if (FAILED(hr))
        fprintf(stderr, "CreateComputePipelineState: %s\n", gpu_result_text(hr));
    return SUCCEEDED(hr);
}

/* One table per kind; the stride is the largest record rounded up to 32. */
static bool fill_table(struct builder *b, ID3D12StateObjectProperties *properties, struct table_set *set,
                       enum record_kind kind)
{
    struct run *run = b->run;
    struct vector *v = run->vector;
    uint32_t last = 0;
    size_t largest = 0, found = 0;
    uint8_t local[4096];
    for (size_t i = 0; i < set->record_count; i++) {
        if (v->records[i].kind != kind)
            continue;
        size_t bytes = 32 + bind_local(run, &v->records[i], local);
        largest = bytes > largest ? bytes : largest;
        last = v->records[i].index > last ? v->records[i].index : last;
        found++;
    }
    if (!found)
        return true;
    uint64_t stride = (largest + 31) & ~(uint64_t)31, total = stride * (last + 1);
    uint8_t *data = calloc(1, total);
    for (size_t i = 0; data && i < set->record_count; i++) {
        const struct record *r = &v->records[i];
        LPCWSTR name = widen(b, r->entry);
        if (r->kind != kind || !name)
            continue;
        const void *identifier = ID3D12StateObjectProperties_GetShaderIdentifier(properties, name);
        if (!identifier) {
            fprintf(stderr, "GetShaderIdentifier(%s) returned NULL\n", r->entry);
            free(data);
            return false;
        }
        memcpy(data + r->index * stride, identifier, 32);
        bind_local(run, r, data + r->index * stride + 32);
    }
    set->tables[kind] = gpu_buffer(&run->gpu, D3D12_HEAP_TYPE_UPLOAD, total, D3D12_RESOURCE_FLAG_NONE, 0, data);
    set->table_bytes[kind] = total;
    set->table_stride[kind] = stride;
    free(data);
    return set->tables[kind] != NULL;
}

struct table_set *run_table_set(struct run *run, const struct step *step)
{
    for (size_t i = 0; i < run->table_set_count; i++)
        if (run->table_sets[i].record_count == step->record_count)
            return &run->table_sets[i];
    return NULL;
}

static bool fill_tables(struct builder *b)
{
    ID3D12StateObjectProperties *properties = NULL;
    HRESULT hr = ID3D12StateObject_QueryInterface(b->run->pipeline, &IID_ID3D12StateObjectProperties, (void **)&properties);
    if (FAILED(hr))
        return false;
    bool ok = true;
    for (size_t i = 0; i < b->run->vector->step_count && ok; i++) {
        const struct step *step = &b->run->vector->steps[i];
        if (step->kind != STEP_DISPATCH_RAYS || run_table_set(b->run, step))
            continue;
        ok = b->run->table_set_count < MAX_TABLE_SETS;
        struct table_set *set = &b->run->table_sets[ok ? b->run->table_set_count++ : 0];
        set->record_count = step->record_count;
        for (int kind = 0; kind < RECORD_KIND_COUNT && ok; kind++)
            ok = fill_table(b, properties, set, (enum record_kind)kind);
    }
    ID3D12StateObjectProperties_Release(properties);
    return ok;
}

bool pipeline_create(struct run *run)
{
    struct builder *b = calloc(1, sizeof(*b));
    struct wide *names = calloc(4096, sizeof(*names));
    bool ok = false;
    if (b && names) {
        b->run = run;
        b->names = names;
        ok = load_modules(b) && load_global_signature(b);
        bool is_raytracing = run->vector->record_count != 0;
        ok = ok && (is_raytracing ? create_state_object(b) : create_compute(b));
        ok = ok && bind_heaps(run) && (!is_raytracing || fill_tables(b));
        for (size_t i = 0; i < 8; i++) {
            free(b->modules[i]);
            dxil_rdat_finish(&b->rdats[i]);
        }
    }
    free(names);
    free(b);
    return ok;
}
