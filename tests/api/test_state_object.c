/* SPDX-License-Identifier: MIT
 * State objects across the library border: creation from real DXIL, messages of 20 broken descriptions, identifiers,
 * stack sizes, collections, additions, reference counts. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "helpers/pipeline.h"

#define RTPSO      D3D12_STATE_OBJECT_TYPE_RAYTRACING_PIPELINE
#define COLLECTION D3D12_STATE_OBJECT_TYPE_COLLECTION
#define GLOBAL     D3D12_STATE_SUBOBJECT_TYPE_GLOBAL_ROOT_SIGNATURE
#define LOCAL      D3D12_STATE_SUBOBJECT_TYPE_LOCAL_ROOT_SIGNATURE

static struct gpu gpu;

static int set_up(void **state)
{
    gpu_init(&gpu);
    return 0;
}

static int tear_down(void **state)
{
    gpu_finish(&gpu);
    return 0;
}

static ID3D12StateObject *create(struct pipeline *p)
{
    ID3D12StateObject *object = NULL;
    HRESULT result = pipeline_create(p, &object);
    if (FAILED(result)) {
        gpu_print_messages(&gpu);
        fail_msg("CreateStateObject gives 0x%x", (unsigned)result);
    }
    return object;
}

/* Fixture 02 with everything it needs. */
static void add_spheres(struct pipeline *p)
{
    pipeline_library(p, "02_procedural_spheres.dxil", NULL);
    pipeline_shader_config(p, 32, 16);
    pipeline_pipeline_config(p, 1);
    pipeline_root_signature(p, GLOBAL, "02_procedural_spheres.global_rs.rs");
    pipeline_hit_group(p, L"Group", L"SphereClosestHit", L"SphereAnyHit", L"SphereIntersection");
}

static void test_identifiers(void **state)
{
    struct pipeline p;
    pipeline_init(&p, &gpu, RTPSO);
    add_spheres(&p);
    ID3D12StateObject *object = create(&p);
    ID3D12StateObjectProperties *properties = pipeline_properties(object);
    static const WCHAR *const names[] = {L"SphereRayGen", L"SphereMiss", L"Group"};
    uint8_t zero[32] = {0};
    const void *identifiers[3];
    for (int i = 0; i < 3; i++) {
        identifiers[i] = ID3D12StateObjectProperties_GetShaderIdentifier(properties, names[i]);
        assert_non_null(identifiers[i]);
        assert_memory_not_equal(identifiers[i], zero, 32);
        assert_ptr_equal(identifiers[i], ID3D12StateObjectProperties_GetShaderIdentifier(properties, names[i]));
    }
    assert_memory_not_equal(identifiers[0], identifiers[1], 32);
    assert_memory_not_equal(identifiers[1], identifiers[2], 32);
    assert_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"SphereClosestHit"));
    assert_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"Absent"));
    assert_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, NULL));
    ID3D12StateObjectProperties_Release(properties);
    ID3D12StateObject_Release(object);
    pipeline_finish(&p);
}

static void test_stack_sizes(void **state)
{
    struct pipeline p;
    pipeline_init(&p, &gpu, RTPSO);
    add_spheres(&p);
    ID3D12StateObject *object = create(&p);
    ID3D12StateObjectProperties *properties = pipeline_properties(object);
    UINT64 raygen = ID3D12StateObjectProperties_GetShaderStackSize(properties, L"SphereRayGen");
    UINT64 miss = ID3D12StateObjectProperties_GetShaderStackSize(properties, L"SphereMiss");
    UINT64 closest = ID3D12StateObjectProperties_GetShaderStackSize(properties, L"Group::closesthit");
    UINT64 any = ID3D12StateObjectProperties_GetShaderStackSize(properties, L"Group::anyhit");
    UINT64 intersection = ID3D12StateObjectProperties_GetShaderStackSize(properties, L"Group::intersection");
    assert_true(raygen < 0xffffffff && miss < 0xffffffff && closest < 0xffffffff && any < 0xffffffff &&
                intersection < 0xffffffff);
    UINT64 hit_or_miss = closest > miss ? closest : miss, candidate = intersection + any;
    assert_int_equal(ID3D12StateObjectProperties_GetPipelineStackSize(properties),
                     raygen + (candidate > hit_or_miss ? candidate : hit_or_miss));
    static const WCHAR *const bad[] = {L"Group", L"Group::Closesthit", L"Group::", L"Absent::anyhit",
                                       L"SphereClosestHit", L"SphereRayGen::closesthit", L""};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(ID3D12StateObjectProperties_GetShaderStackSize(properties, bad[i]), 0xffffffff);
    ID3D12StateObjectProperties_SetPipelineStackSize(properties, 12345);
    assert_int_equal(ID3D12StateObjectProperties_GetPipelineStackSize(properties), 12345);
    gpu_forget_messages(&gpu);
    ID3D12StateObjectProperties_SetPipelineStackSize(properties, 0xffffffff);
    assert_true(gpu_has_message(&gpu, "SetPipelineStackSize"));
    assert_int_equal(ID3D12StateObjectProperties_GetPipelineStackSize(properties), 12345);
    ID3D12StateObjectProperties_Release(properties);
    ID3D12StateObject_Release(object);
    pipeline_finish(&p);
}

static void test_query_interface_and_counts(void **state)
{
    struct pipeline p;
    pipeline_init(&p, &gpu, RTPSO);
    add_spheres(&p);
    ID3D12StateObject *object = create(&p), *again = NULL;
    ID3D12StateObjectProperties *properties = pipeline_properties(object);
    IUnknown *a = NULL, *b = NULL;
    assert_int_equal(ID3D12StateObject_QueryInterface(object, &IID_IUnknown, (void **)&a), S_OK);
    assert_int_equal(ID3D12StateObjectProperties_QueryInterface(properties, &IID_IUnknown, (void **)&b), S_OK);
    assert_ptr_equal(a, b);
    assert_int_equal(
        ID3D12StateObjectProperties_QueryInterface(properties, &IID_ID3D12StateObject, (void **)&again), S_OK);
    assert_ptr_equal(again, object);
    static const IID iid_properties1 = {0x460caac7, 0x1d24, 0x446a, {0xa1, 0x84, 0xca, 0x67, 0xdb, 0x49, 0x41, 0x38}};
    void *properties1 = NULL;
    assert_int_equal(ID3D12StateObject_QueryInterface(object, &iid_properties1, &properties1), S_OK);
    assert_ptr_equal(properties1, properties);
    ID3D12StateObjectProperties_Release(properties);
    IUnknown_Release(a);
    IUnknown_Release(b);
    ID3D12StateObject_Release(again);
    assert_int_equal(ID3D12StateObjectProperties_Release(properties), 1);
    assert_int_equal(ID3D12StateObject_Release(object), 0);
    pipeline_finish(&p);
}

/* SO-12 and fixture 09: nothing but the library */
static void test_library_of_subobjects_alone(void **state)
{
    static const char *const fixtures[] = {"09_subobjects.dxil", "10_pipeline_config1.dxil", "24_omm.dxil"};
    static const WCHAR *const raygens[] = {L"SubRayGen", L"SkipRayGen", L"OmmRayGen"};
    for (int i = 0; i < 3; i++) {
        struct pipeline p;
        pipeline_init(&p, &gpu, RTPSO);
        pipeline_library(&p, fixtures[i], NULL);
        ID3D12StateObject *object = create(&p);
        ID3D12StateObjectProperties *properties = pipeline_properties(object);
        assert_non_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, raygens[i]));
        ID3D12StateObjectProperties_Release(properties);
        ID3D12StateObject_Release(object);
        pipeline_finish(&p);
    }
}

/* SO-07: equal to the byte between a collection and the pipeline made of it, and the pipeline outlives our reference to
 * the collection. */
static void test_collection_identifiers_equal_the_pipelines(void **state)
{
    struct pipeline c, p;
    pipeline_init(&c, &gpu, COLLECTION);
    add_spheres(&c);
    ID3D12StateObject *collection = create(&c);
    ID3D12StateObjectProperties *of_collection = pipeline_properties(collection);
    pipeline_init(&p, &gpu, RTPSO);
    pipeline_collection(&p, collection);
    ID3D12StateObject *object = create(&p);
    ID3D12StateObjectProperties *properties = pipeline_properties(object);
    static const WCHAR *const names[] = {L"SphereRayGen", L"SphereMiss", L"Group"};
    for (int i = 0; i < 3; i++) {
        const void *mine = ID3D12StateObjectProperties_GetShaderIdentifier(of_collection, names[i]);
        assert_non_null(mine);
        assert_memory_equal(mine, ID3D12StateObjectProperties_GetShaderIdentifier(properties, names[i]), 32);
    }
    assert_int_equal(ID3D12StateObjectProperties_GetPipelineStackSize(of_collection), 0);
    ID3D12StateObjectProperties_SetPipelineStackSize(of_collection, 100);
    assert_int_equal(ID3D12StateObjectProperties_GetPipelineStackSize(of_collection), 0);
    ID3D12StateObjectProperties_Release(of_collection);
    ID3D12StateObject_Release(collection);
    assert_non_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"Group"));
    ID3D12StateObjectProperties_Release(properties);
    ID3D12StateObject_Release(object);
    pipeline_finish(&c);
    pipeline_finish(&p);
}

/* The same description twice: the same identifiers, so that shader tables may be kept. */
static void test_identifiers_are_stable(void **state)
{
    uint8_t first[32];
    for (int round = 0; round < 2; round++) {
        struct pipeline p;
        pipeline_init(&p, &gpu, RTPSO);
        add_spheres(&p);
        ID3D12StateObject *object = create(&p);
        ID3D12StateObjectProperties *properties = pipeline_properties(object);
        const void *identifier = ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"Group");
        if (round)
            assert_memory_equal(identifier, first, 32);
        memcpy(first, identifier, 32);
        ID3D12StateObjectProperties_Release(properties);
        ID3D12StateObject_Release(object);
        pipeline_finish(&p);
    }
}

/* SO-09 */
static void test_deferred_collection(void **state)
{
    static const WCHAR *const without_closest[][2] = {
        {L"SphereAnyHit"}, {L"SphereIntersection"}, {L"SphereRayGen"}, {L"SphereMiss"}, {NULL}};
    static const WCHAR *const closest[][2] = {{L"SphereClosestHit"}, {NULL}};
    for (UINT flag = 0; flag < 2; flag++) {
        struct pipeline c, p;
        ID3D12StateObject *collection = NULL;
        pipeline_init(&c, &gpu, COLLECTION);
        pipeline_library(&c, "02_procedural_spheres.dxil", without_closest);
        pipeline_shader_config(&c, 32, 16);
        pipeline_pipeline_config(&c, 1);
        pipeline_config(&c, flag);
        pipeline_root_signature(&c, GLOBAL, "02_procedural_spheres.global_rs.rs");
        pipeline_hit_group(&c, L"Group", L"SphereClosestHit", L"SphereAnyHit", L"SphereIntersection");
        HRESULT result = pipeline_create(&c, &collection);
        if (!flag) {
            assert_int_equal(result, E_INVALIDARG);
            pipeline_finish(&c);
            continue;
        }
        assert_int_equal(result, S_OK);
        ID3D12StateObjectProperties *of_collection = pipeline_properties(collection);
        assert_null(ID3D12StateObjectProperties_GetShaderIdentifier(of_collection, L"Group"));
        assert_int_equal(ID3D12StateObjectProperties_GetShaderStackSize(of_collection, L"Group::anyhit"), 0xffffffff);
        assert_non_null(ID3D12StateObjectProperties_GetShaderIdentifier(of_collection, L"SphereMiss"));
        pipeline_init(&p, &gpu, RTPSO);
        pipeline_collection(&p, collection);
        pipeline_library(&p, "02_procedural_spheres.dxil", closest);
        pipeline_shader_config(&p, 32, 16);
        pipeline_pipeline_config(&p, 1);
        pipeline_root_signature(&p, GLOBAL, "02_procedural_spheres.global_rs.rs");
        ID3D12StateObject *object = create(&p);
        ID3D12StateObjectProperties *properties = pipeline_properties(object);
        assert_non_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"Group"));
        assert_memory_equal(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"SphereMiss"),
                            ID3D12StateObjectProperties_GetShaderIdentifier(of_collection, L"SphereMiss"), 32);
        ID3D12StateObjectProperties_Release(of_collection);
        ID3D12StateObjectProperties_Release(properties);
        ID3D12StateObject_Release(object);
        ID3D12StateObject_Release(collection);
        pipeline_finish(&c);
        pipeline_finish(&p);
    }
}

/* SO-11 and fixture 26 */
static void test_functions_across_libraries(void **state)
{
    struct pipeline p;
    ID3D12StateObject *object = NULL;
    pipeline_init(&p, &gpu, RTPSO);
    pipeline_library(&p, "26a_import_main.dxil", NULL);
    pipeline_shader_config(&p, 4, 8);
    pipeline_pipeline_config(&p, 1);
    pipeline_root_signature(&p, GLOBAL, "26a_import_main.global_rs.rs");
    gpu_forget_messages(&gpu);
    assert_int_equal(pipeline_create(&p, &object), E_INVALIDARG);
    assert_null(object);
    assert_true(gpu_has_message(&gpu, "FromB@@"));
    pipeline_library(&p, "26b_import_helpers.dxil", NULL);
    object = create(&p);
    ID3D12StateObject_Release(object);
    pipeline_finish(&p);
}

static void test_renamed_exports(void **state)
{
    static const WCHAR *const exports[][2] = {{L"Begin", L"First"}, {L"NoHit", L"M"}, {L"?Tag@@YAII@Z"}, {L"H2"}, {NULL}};
    struct pipeline p;
    pipeline_init(&p, &gpu, RTPSO);
    pipeline_library(&p, "26c_exports.dxil", exports);
    pipeline_shader_config(&p, 16, 8);
    pipeline_pipeline_config(&p, 1);
    pipeline_root_signature(&p, GLOBAL, "26c_exports.global_rs.rs");
    pipeline_hit_group(&p, L"Group", L"H2", NULL, NULL);
    ID3D12StateObject *object = create(&p);
    ID3D12StateObjectProperties *properties = pipeline_properties(object);
    assert_non_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"Begin"));
    assert_non_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"NoHit"));
    assert_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"First"));
    ID3D12StateObjectProperties_Release(properties);
    ID3D12StateObject_Release(object);
    pipeline_finish(&p);
}

static void make_growable(struct pipeline *p, const WCHAR *raygen, const WCHAR *miss)
{
    const WCHAR *const exports[][2] = {{raygen, L"SphereRayGen"}, {miss, L"SphereMiss"}, {NULL}};
    pipeline_init(p, &gpu, RTPSO);
    pipeline_library(p, "02_procedural_spheres.dxil", exports);
    pipeline_shader_config(p, 32, 16);
    pipeline_pipeline_config(p, 1);
    pipeline_config(p, D3D12_STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS);
    pipeline_root_signature(p, GLOBAL, "02_procedural_spheres.global_rs.rs");
}

static void test_add_to_state_object(void **state)
{
    struct pipeline a, b, clash;
    ID3D12StateObject *grown = NULL, *none = NULL;
    make_growable(&a, L"A", L"MissA");
    ID3D12StateObject *old = create(&a);
    ID3D12StateObjectProperties *old_properties = pipeline_properties(old);
    ID3D12StateObjectProperties_SetPipelineStackSize(old_properties, 777);
    make_growable(&b, L"B", L"MissB");
    assert_int_equal(pipeline_add_to(&b, old, &grown), S_OK);
    ID3D12StateObjectProperties *properties = pipeline_properties(grown);
    assert_int_equal(ID3D12StateObjectProperties_GetPipelineStackSize(properties), 777);
    assert_ptr_equal(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"A"),
                     ID3D12StateObjectProperties_GetShaderIdentifier(old_properties, L"A"));
    assert_non_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"MissB"));
    assert_null(ID3D12StateObjectProperties_GetShaderIdentifier(old_properties, L"B"));
    ID3D12StateObjectProperties_Release(old_properties);
    ID3D12StateObject_Release(old);
    assert_non_null(ID3D12StateObjectProperties_GetShaderIdentifier(properties, L"MissA"));
    make_growable(&clash, L"A", L"MissC"); /* known from two steps back */
    gpu_forget_messages(&gpu);
    assert_int_equal(pipeline_add_to(&clash, grown, &none), E_INVALIDARG);
    assert_true(gpu_has_message(&gpu, "AddToStateObject: export 'A'"));
    ID3D12StateObjectProperties_Release(properties);
    ID3D12StateObject_Release(grown);
    pipeline_finish(&a);
    pipeline_finish(&b);
    pipeline_finish(&clash);
}

/* DX-07: what an intersection shader reports counts as well. */
static void test_reported_attributes_must_fit(void **state)
{
    static const WCHAR *const exports[][2] = {{L"SphereIntersection"}, {NULL}};
    struct pipeline p;
    ID3D12StateObject *object = NULL;
    pipeline_init(&p, &gpu, RTPSO);
    pipeline_library(&p, "02_procedural_spheres.dxil", exports);
    pipeline_shader_config(&p, 32, 8);
    pipeline_pipeline_config(&p, 1);
    pipeline_root_signature(&p, GLOBAL, "02_procedural_spheres.global_rs.rs");
    pipeline_hit_group(&p, L"Group", NULL, NULL, L"SphereIntersection");
    gpu_forget_messages(&gpu);
    assert_int_equal(pipeline_create(&p, &object), E_INVALIDARG);
    assert_true(gpu_has_message(&gpu, "MaxAttributeSizeInBytes"));
    pipeline_finish(&p);
}

/* --- RB-08: 20 bad inputs, 20 distinct messages --- */

static void bad_no_library_bytes(struct pipeline *p) { p->data[0].library.DXILLibrary.BytecodeLength = 0; }
static void bad_truncated_library(struct pipeline *p) { p->data[0].library.DXILLibrary.BytecodeLength = 100; }
static void bad_flipped_library(struct pipeline *p) { ((uint8_t *)p->blocks[0])[3000] ^= 1; }
static void bad_compute_shader(struct pipeline *p) { p->count = 0; pipeline_library(p, "15_math.dxil", NULL); }
static void bad_payload(struct pipeline *p) { p->data[1].shader_config.MaxPayloadSizeInBytes = 31; }
static void bad_attributes(struct pipeline *p) { p->data[1].shader_config.MaxAttributeSizeInBytes = 15; }
static void bad_max_attributes(struct pipeline *p) { p->data[1].shader_config.MaxAttributeSizeInBytes = 36; }
static void bad_depth(struct pipeline *p) { p->data[2].pipeline_config.MaxTraceRecursionDepth = 32; }
static void bad_null_root(struct pipeline *p) { p->data[3].root_signature.pGlobalRootSignature = NULL; }
static void bad_root_kind(struct pipeline *p) { p->subobjects[3].Type = LOCAL; }
static void bad_null_desc(struct pipeline *p) { p->subobjects[2].pDesc = NULL; }
static void bad_type(struct pipeline *p) { p->subobjects[2].Type = (D3D12_STATE_SUBOBJECT_TYPE)77; }
static void bad_object_type(struct pipeline *p) { p->type = (D3D12_STATE_OBJECT_TYPE)9; }
static void bad_closest(struct pipeline *p) { p->data[4].hit_group.ClosestHitShaderImport = L"Nowhere"; }
static void bad_closest_kind(struct pipeline *p) { p->data[4].hit_group.ClosestHitShaderImport = L"SphereMiss"; }
static void bad_group_type(struct pipeline *p) { p->data[4].hit_group.Type = D3D12_HIT_GROUP_TYPE_TRIANGLES; }
static void bad_no_intersection(struct pipeline *p) { p->data[4].hit_group.IntersectionShaderImport = NULL; }
static void bad_group_name(struct pipeline *p) { p->data[4].hit_group.HitGroupExport = L"SphereMiss"; }
static void bad_no_config(struct pipeline *p) { p->subobjects[1] = p->subobjects[2]; }
static void bad_no_pipeline_config(struct pipeline *p) { p->subobjects[2] = p->subobjects[1]; }
static void bad_no_root(struct pipeline *p) { p->subobjects[3] = p->subobjects[1]; }
static void bad_export(struct pipeline *p) { static const D3D12_EXPORT_DESC e = {L"Gone", NULL, 0}; p->data[0].library.NumExports = 1; p->data[0].library.pExports = (D3D12_EXPORT_DESC *)&e; }
static void bad_association(struct pipeline *p) { static const WCHAR *names[] = {L"Lost", NULL}; pipeline_associate(p, 1, names); }
static void bad_associated_type(struct pipeline *p) { static const WCHAR *names[] = {L"SphereMiss", NULL}; pipeline_associate(p, 0, names); }
static void bad_collection(struct pipeline *p) { pipeline_collection(p, NULL); }
static void bad_config_flags(struct pipeline *p) { pipeline_config(p, 0x40); }

static const struct {
    const char *name;
    void (*spoil)(struct pipeline *p);
} bad[] = {
    {"empty library", bad_no_library_bytes},
    {"truncated library", bad_truncated_library},
    {"flipped bit in a library", bad_flipped_library},
    {"compute shader as library", bad_compute_shader},
    {"payload too large", bad_payload},
    {"attributes too large", bad_attributes},
    {"MaxAttributeSizeInBytes above 32", bad_max_attributes},
    {"recursion depth 32", bad_depth},
    {"NULL root signature", bad_null_root},
    {"global root signature as local", bad_root_kind},
    {"pDesc NULL", bad_null_desc},
    {"unknown subobject type", bad_type},
    {"unknown state object type", bad_object_type},
    {"missing closest hit shader", bad_closest},
    {"miss shader as closest hit", bad_closest_kind},
    {"triangles with intersection", bad_group_type},
    {"procedural without intersection", bad_no_intersection},
    {"hit group named like a shader", bad_group_name},
    {"no shader config", bad_no_config},
    {"no pipeline config", bad_no_pipeline_config},
    {"no root signature", bad_no_root},
    {"missing export", bad_export},
    {"association with a missing export", bad_association},
    {"association of a library", bad_associated_type},
    {"NULL collection", bad_collection},
    {"unknown config flags", bad_config_flags},
};
enum { BAD_COUNT = sizeof(bad) / sizeof(bad[0]) };

static char *take_message(const char *name)
{
    SIZE_T bytes = 0;
    if (ID3D12InfoQueue_GetNumStoredMessages(gpu.messages) != 1) {
        gpu_print_messages(&gpu);
        fail_msg("%s: %u messages, one expected", name,
                 (unsigned)ID3D12InfoQueue_GetNumStoredMessages(gpu.messages));
    }
    ID3D12InfoQueue_GetMessage(gpu.messages, 0, NULL, &bytes);
    D3D12_MESSAGE *message = malloc(bytes);
    assert_int_equal(ID3D12InfoQueue_GetMessage(gpu.messages, 0, message, &bytes), S_OK);
    char *text = strdup(message->pDescription);
    free(message);
    return text;
}

static void test_every_mistake_has_its_message(void **state)
{
    char *texts[BAD_COUNT];
    for (int i = 0; i < BAD_COUNT; i++) {
        struct pipeline p;
        ID3D12StateObject *object = (ID3D12StateObject *)&p;
        pipeline_init(&p, &gpu, RTPSO);
        add_spheres(&p);
        bad[i].spoil(&p);
        gpu_forget_messages(&gpu);
        HRESULT result = pipeline_create(&p, &object);
        if (result != E_INVALIDARG || object)
            fail_msg("%s: 0x%x, object %p", bad[i].name, (unsigned)result, (void *)object);
        texts[i] = take_message(bad[i].name);
        if (strncmp(texts[i], "CreateStateObject: ", 19) != 0)
            fail_msg("%s: '%s' does not name the call", bad[i].name, texts[i]);
        for (int k = 0; k < i; k++)
            if (!strcmp(texts[i], texts[k]))
                fail_msg("'%s' and '%s' have the same message: %s", bad[i].name, bad[k].name, texts[i]);
        pipeline_finish(&p);
    }
    for (int i = 0; i < BAD_COUNT; i++)
        free(texts[i]);
}

/* CreateStateObject is free-threaded: the same and different descriptions at once. */
static void *create_repeatedly(void *argument)
{
    static const WCHAR *const names[] = {L"SphereRayGen", L"SphereMiss", L"Group"};
    for (intptr_t i = 0; i < 6; i++) {
        struct pipeline p;
        ID3D12StateObject *object = NULL;
        pipeline_init(&p, &gpu, i & 1 ? COLLECTION : RTPSO);
        add_spheres(&p);
        p.data[0].library.NumExports = 0;
        if (((intptr_t)argument + i) % 3 == 0)
            pipeline_hit_group(&p, L"Other", L"SphereClosestHit", NULL, L"SphereIntersection");
        if (FAILED(pipeline_create(&p, &object)))
            return (void *)1;
        ID3D12StateObjectProperties *properties = pipeline_properties(object);
        const void *identifier = ID3D12StateObjectProperties_GetShaderIdentifier(properties, names[i % 3]);
        ID3D12StateObjectProperties_Release(properties);
        ID3D12StateObject_Release(object);
        pipeline_finish(&p);
        if (!identifier)
            return (void *)1;
    }
    return NULL;
}

static void test_creation_from_many_threads(void **state)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, create_repeatedly, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

static void test_null_arguments(void **state)
{
    void *object = (void *)1;
    assert_int_equal(ID3D12Device5_CreateStateObject(gpu.device, NULL, &IID_ID3D12StateObject, &object), E_INVALIDARG);
    assert_null(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identifiers),
        cmocka_unit_test(test_stack_sizes),
        cmocka_unit_test(test_query_interface_and_counts),
        cmocka_unit_test(test_library_of_subobjects_alone),
        cmocka_unit_test(test_collection_identifiers_equal_the_pipelines),
        cmocka_unit_test(test_identifiers_are_stable),
        cmocka_unit_test(test_deferred_collection),
        cmocka_unit_test(test_functions_across_libraries),
        cmocka_unit_test(test_renamed_exports),
        cmocka_unit_test(test_add_to_state_object),
        cmocka_unit_test(test_reported_attributes_must_fit),
        cmocka_unit_test(test_every_mistake_has_its_message),
        cmocka_unit_test(test_creation_from_many_threads),
        cmocka_unit_test(test_null_arguments),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
