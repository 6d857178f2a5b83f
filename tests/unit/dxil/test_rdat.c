/* SPDX-License-Identifier: MIT
 * Runtime data: the fixtures' exports, resources and subobjects as they were written, and damaged bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dxil/container.h"
#include "dxil/rdat.h"

struct library {
    uint8_t *bytes;
    const uint8_t *part;
    size_t part_bytes;
    struct dxil_rdat rdat;
};

static void load(struct library *library, const char *name)
{
    char path[512];
    struct reason reason = {0};
    struct dxil_container container;
    snprintf(path, sizeof(path), "%s/dxil/%s", CDXR_FIXTURES, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t byte_count = (size_t)ftell(file);
    rewind(file);
    library->bytes = malloc(byte_count);
    assert_int_equal(fread(library->bytes, 1, byte_count, file), byte_count);
    fclose(file);
    if (dxil_container_parse(library->bytes, byte_count, NULL, &container, &reason) != STATUS_OK)
        fail_msg("%s: %s", name, reason.text);
    const struct dxil_part *part = dxil_container_find(&container, DXIL_PART_KIND_RUNTIME_DATA);
    assert_non_null(part);
    library->part = part->data;
    library->part_bytes = part->data_bytes;
    if (dxil_rdat_parse(library->part, library->part_bytes, &library->rdat, &reason) != STATUS_OK)
        fail_msg("%s: %s", name, reason.text);
}

static void unload(struct library *library)
{
    dxil_rdat_finish(&library->rdat);
    free(library->bytes);
}

static const struct dxil_rdat_function *function(const struct library *library, const char *name)
{
    for (uint32_t i = 0; i < library->rdat.function_count; i++)
        if (!strcmp(library->rdat.functions[i].unmangled_name, name))
            return &library->rdat.functions[i];
    fail_msg("no function %s", name);
    return NULL;
}

static const struct dxil_subobject *subobject(const struct library *library, const char *name)
{
    for (uint32_t i = 0; i < library->rdat.subobject_count; i++)
        if (!strcmp(library->rdat.subobjects[i].name, name))
            return &library->rdat.subobjects[i];
    fail_msg("no subobject %s", name);
    return NULL;
}

static void test_functions(void **state)
{
    struct library l;
    load(&l, "02_procedural_spheres.dxil");
    assert_int_equal(l.rdat.function_count, 5);
    assert_int_equal(function(&l, "SphereRayGen")->shader_kind, 7);
    assert_int_equal(function(&l, "SphereIntersection")->shader_kind, 8);
    assert_int_equal(function(&l, "SphereClosestHit")->payload_bytes, 32);
    assert_int_equal(function(&l, "SphereClosestHit")->attribute_bytes, 16);
    assert_string_equal(function(&l, "SphereRayGen")->name, "\1?SphereRayGen@@YAXXZ");
    unload(&l);
}

static void test_resources(void **state)
{
    struct library l;
    load(&l, "01_hello_triangle.dxil");
    const struct dxil_rdat_function *raygen = function(&l, "RayGen");
    assert_int_equal(raygen->resource_count, 3);
    const struct dxil_rdat_resource *window = &l.rdat.resources[raygen->resources[0]];
    assert_string_equal(window->name, "Window");
    assert_int_equal(window->register_type, DXIL_REGISTER_CBV);
    assert_int_equal(window->space, 1);
    unload(&l);
}

static void test_unbounded_resources(void **state)
{
    struct library l;
    load(&l, "27_nonuniform.dxil");
    bool seen = false;
    for (uint32_t i = 0; i < l.rdat.resource_count; i++)
        seen |= l.rdat.resources[i].upper_bound == UINT32_MAX;
    assert_true(seen);
    unload(&l);
}

static void test_dependencies(void **state)
{
    struct library l;
    load(&l, "26a_import_main.dxil");
    const struct dxil_rdat_function *raygen = function(&l, "ImportRayGen");
    assert_int_equal(raygen->dependency_count, 6);
    assert_string_equal(raygen->dependencies[0], "\1?MixFromB@@YAIII@Z");
    assert_int_equal(function(&l, "HelperInA")->shader_kind, 6);
    unload(&l);
}

static void test_subobjects(void **state)
{
    struct library l;
    struct dxil_root_signature signature;
    load(&l, "09_subobjects.dxil");
    assert_int_equal(l.rdat.subobject_count, 16);
    const struct dxil_subobject *box = subobject(&l, "BoxGroup");
    assert_int_equal(box->hit_group.type, 1);
    assert_string_equal(box->hit_group.any_hit, "");
    assert_string_equal(box->hit_group.closest_hit, "SubBoxClosestHit");
    assert_string_equal(box->hit_group.intersection, "SubBoxIntersection");
    assert_int_equal(subobject(&l, "LargeConfig")->shader_config.max_payload_bytes, 32);
    assert_int_equal(subobject(&l, "LargeConfig")->shader_config.max_attribute_bytes, 16);
    assert_int_equal(subobject(&l, "PipelineConfig")->pipeline_config.max_recursion_depth, 2);
    assert_int_equal(subobject(&l, "ObjectConfig")->state_object_flags, 1);
    const struct dxil_subobject *association = subobject(&l, "EmptyLocalRSAssociation");
    assert_string_equal(association->association.subobject, "EmptyLocalRS");
    assert_int_equal(association->association.export_count, 2);
    assert_string_equal(association->association.exports[1], "SubMiss");
    assert_int_equal(subobject(&l, "DefaultLocalRSAssociation")->association.export_count, 0);
    const struct dxil_subobject *root = subobject(&l, "BoxLocalRS");
    assert_int_equal(root->kind, DXIL_SUBOBJECT_LOCAL_ROOT_SIGNATURE);
    assert_int_equal(dxil_root_signature_parse(root->root_signature.bytes, root->root_signature.byte_count, &signature,
                                               NULL),
                     STATUS_OK);
    assert_int_equal(signature.parameter_count, 2);
    assert_int_equal(signature.argument_bytes, 12);
    dxil_root_signature_finish(&signature);
    unload(&l);
}

static void test_pipeline_config1(void **state)
{
    struct library l;
    load(&l, "10_pipeline_config1.dxil");
    assert_int_equal(subobject(&l, "PipelineConfig")->kind, DXIL_SUBOBJECT_PIPELINE_CONFIG1);
    assert_int_equal(subobject(&l, "PipelineConfig")->pipeline_config.flags, 0x200);
    unload(&l);
}

/* Exact-size copies: reads beyond the end are seen by the sanitizer. */
static void parse_copy(const uint8_t *bytes, size_t byte_count, bool must_fail)
{
    uint8_t *copy = malloc(byte_count ? byte_count : 1);
    struct dxil_rdat rdat;
    struct reason reason = {0};
    memcpy(copy, bytes, byte_count);
    if (dxil_rdat_parse(copy, byte_count, &rdat, &reason) == STATUS_OK) {
        assert_false(must_fail);
        dxil_rdat_finish(&rdat);
    } else {
        assert_true(reason.text[0]);
    }
    free(copy);
}

static void test_truncated(void **state)
{
    struct library l;
    load(&l, "09_subobjects.dxil");
    for (size_t i = 0; i < l.part_bytes; i++)
        parse_copy(l.part, i, i + 4 < l.part_bytes);
    unload(&l);
}

static void test_every_word_replaced(void **state)
{
    static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x10000};
    struct library l;
    load(&l, "09_subobjects.dxil");
    uint8_t *copy = malloc(l.part_bytes);
    for (size_t at = 0; at + 4 <= l.part_bytes; at += 4)
        for (size_t v = 0; v < ARRAY_COUNT(values); v++) {
            memcpy(copy, l.part, l.part_bytes);
            memcpy(copy + at, &values[v], 4);
            parse_copy(copy, l.part_bytes, false);
        }
    free(copy);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_unbounded_resources), cmocka_unit_test(test_dependencies),
        cmocka_unit_test(test_subobjects),       cmocka_unit_test(test_pipeline_config1),
        cmocka_unit_test(test_truncated),        cmocka_unit_test(test_every_word_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
