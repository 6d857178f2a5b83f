/* SPDX-License-Identifier: MIT
 * Linking state objects, in the words of Raytracing.md: association rules, export lists, hit groups, what must be there
 * and must match, collections, additions. Libraries are written by hand as runtime data; no compiler is involved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "d3d12/state_object_link.h"

/* --- a small world: one library and root signatures for spaces 0 and 1 --- */

enum { RAYGEN, MISS, CLOSEST, ANY, INTERSECTION, CALLABLE, HELPER, MISS_BIG, FUNCTION_COUNT };

static struct dxil_rdat_resource resources[] = {
    {DXIL_REGISTER_UAV, 12, 0, 0, 0, 0, "gOut", 0},   /* u0, space 0 */
    {DXIL_REGISTER_CBV, 13, 0, 1, 0, 0, "gLocal", 0}, /* b0, space 1 */
};
static const uint32_t out_only[] = {0}, local_only[] = {1};
static const char *const helper_import[] = {"\1?Helper@@YAXXZ"};

#define FUNCTION(text, mangled_name, kind, payload, attributes)                                              \
    {.name = "\1?" mangled_name, .unmangled_name = text, .shader_kind = kind, .payload_bytes = payload,      \
     .attribute_bytes = attributes}

static struct dxil_rdat_function base_functions[FUNCTION_COUNT] = {
    [RAYGEN] = FUNCTION("RayGen", "RayGen@@YAXXZ", 7, 0, 0),
    [MISS] = FUNCTION("Miss", "Miss@@YAXUP@@@Z", 11, 16, 0),
    [CLOSEST] = FUNCTION("Closest", "Closest@@YAXUP@@UA@@@Z", 10, 16, 8),
    [ANY] = FUNCTION("Any", "Any@@YAXUP@@UA@@@Z", 9, 16, 8),
    [INTERSECTION] = FUNCTION("Intersect", "Intersect@@YAXXZ", 8, 0, 0),
    [CALLABLE] = FUNCTION("Callable", "Callable@@YAXUP@@@Z", 12, 64, 0),
    [HELPER] = FUNCTION("Helper", "Helper@@YAXXZ", 6, 0, 0),
    [MISS_BIG] = FUNCTION("MissBig", "MissBig@@YAXUP@@@Z", 11, 32, 0),
};

static struct dxil_root_parameter uav_parameter = {.type = DXIL_ROOT_PARAMETER_UAV};
static struct dxil_root_parameter local_parameter = {.type = DXIL_ROOT_PARAMETER_CONSTANTS, .space = 1,
                                                     .constant_count = 4};
static struct dxil_root_parameter other_parameter = {.type = DXIL_ROOT_PARAMETER_CONSTANTS, .space = 2,
                                                     .constant_count = 4};
static const struct dxil_root_signature global_rs = {.version = 2, .parameter_count = 1, .parameters = &uav_parameter};
static const struct dxil_root_signature local_rs = {.version = 2, .flags = 0x80, .parameter_count = 1,
                                                    .parameters = &local_parameter};
static const struct dxil_root_signature other_rs = {.version = 2, .flags = 0x80, .parameter_count = 1,
                                                    .parameters = &other_parameter};
static const struct dxil_root_signature clash_rs = {.version = 2, .flags = 0x80, .parameter_count = 1,
                                                    .parameters = &uav_parameter};

struct world {
    struct dxil_rdat_function functions[FUNCTION_COUNT];
    struct dxil_subobject subobjects[16];
    struct dxil_rdat rdat, rdat2;
    struct so_library_input libraries[2];
    struct so_export_input exports[8];
    struct so_collection_input collections[2];
    struct so_export_input collection_exports[4];
    struct so_definition definitions[12];
    struct so_association_input associations[12];
    struct so_hit_group_input hit_groups[6];
    struct so_input input;
    struct so_linked *linked;
    struct reason reason;
};

static struct so_definition *define(struct world *w, enum so_slot slot, const struct dxil_root_signature *signature,
                                    uint32_t a, uint32_t b)
{
    static const char *const labels[] = {"subobject 0", "subobject 1", "subobject 2", "subobject 3", "subobject 4",
                                         "subobject 5", "subobject 6", "subobject 7", "subobject 8"};
    uint32_t index = w->input.definition_count++;
    w->definitions[index] = (struct so_definition){slot, labels[index], signature, NULL, {a, b}};
    return &w->definitions[index];
}

static void associate(struct world *w, const struct so_definition *definition, const char *const *exports,
                      uint32_t count)
{
    uint32_t index = w->input.association_count++;
    w->associations[index] = (struct so_association_input){50 + index, definition, NULL, exports, count};
}

static void associate_dxil(struct world *w, const char *name, const char *const *exports, uint32_t count)
{
    uint32_t index = w->input.association_count++;
    w->associations[index] = (struct so_association_input){50 + index, NULL, name, exports, count};
}

static void hit_group(struct world *w, const char *name, uint32_t type, const char *closest, const char *any,
                      const char *intersection)
{
    w->hit_groups[w->input.hit_group_count++] = (struct so_hit_group_input){name, type, any, closest, intersection};
}

static void export_as(struct world *w, const char *name, const char *rename)
{
    w->exports[w->libraries[0].export_count++] = (struct so_export_input){name, rename, 0};
}

/* A library of bare shaders, no subobjects anywhere. */
static void begin_bare(struct world *w)
{
    memset(w, 0, sizeof(*w));
    memcpy(w->functions, base_functions, sizeof(base_functions));
    w->rdat = (struct dxil_rdat){.resources = resources, .resource_count = 2, .functions = w->functions,
                                 .function_count = FUNCTION_COUNT, .subobjects = w->subobjects};
    w->libraries[0] = (struct so_library_input){.subobject_index = 40, .rdat = &w->rdat, .exports = w->exports};
    w->input = (struct so_input){.is_executable = true, .libraries = w->libraries, .library_count = 1,
                                 .collections = w->collections, .definitions = w->definitions,
                                 .associations = w->associations, .hit_groups = w->hit_groups};
}

static void add_configs(struct world *w)
{
    define(w, SO_SLOT_SHADER_CONFIG, NULL, 32, 8);
    define(w, SO_SLOT_PIPELINE_CONFIG, NULL, 1, 0);
}

static void begin(struct world *w)
{
    begin_bare(w);
    add_configs(w);
}

static void uses(struct world *w, int function, const uint32_t *list)
{
    w->functions[function].resources = list;
    w->functions[function].resource_count = 1;
}

static enum status link_world(struct world *w)
{
    return so_link(&w->input, &w->linked, &w->reason);
}

static void expect_ok(struct world *w)
{
    if (link_world(w) != STATUS_OK)
        fail_msg("expected success: %s", w->reason.text);
}

static void expect_fail(struct world *w, const char *says)
{
    enum status status = link_world(w);
    if (status == STATUS_OK)
        fail_msg("expected a failure that says '%s'", says);
    if (!strstr(w->reason.text, says))
        fail_msg("'%s' lacks '%s'", w->reason.text, says);
}

static const struct so_definition *of(struct world *w, const char *name, enum so_slot slot)
{
    const struct so_export *export = so_linked_find(w->linked, name, NULL);
    assert_non_null(export);
    return export->definitions[slot];
}

static void end(struct world *w)
{
    so_linked_destroy(w->linked);
    w->linked = NULL;
}

static struct dxil_subobject *subobject(struct world *w, uint32_t kind, const char *name)
{
    struct dxil_subobject *s = &w->subobjects[w->rdat.subobject_count++];
    *s = (struct dxil_subobject){.kind = kind, .name = name};
    return s;
}

static void dxil_association(struct world *w, const char *name, const char *target, const char *const *exports,
                             uint32_t count)
{
    struct dxil_subobject *s = subobject(w, DXIL_SUBOBJECT_EXPORTS_ASSOCIATION, name);
    s->association.subobject = target;
    s->association.exports = exports;
    s->association.export_count = count;
}

static void dxil_shader_config(struct world *w, const char *name, uint32_t payload, uint32_t attributes)
{
    struct dxil_subobject *s = subobject(w, DXIL_SUBOBJECT_SHADER_CONFIG, name);
    s->shader_config.max_payload_bytes = payload;
    s->shader_config.max_attribute_bytes = attributes;
}

static const char *const raygen_name[] = {"RayGen"};
static const char *const miss_name[] = {"Miss"};
static const char *const group_name[] = {"Group"};
static const char *const closest_name[] = {"Closest"};
static const char *const nobody_name[] = {"Nobody"};
static const char *const both_names[] = {"RayGen", "Miss"};

/* --- default associations --- */

static void test_unmentioned_subobject_is_a_default_association(void **state)
{
    struct world w;
    begin(&w);
    struct so_definition *root = define(&w, SO_SLOT_GLOBAL_ROOT_SIGNATURE, &global_rs, 0, 0);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "RayGen", SO_SLOT_GLOBAL_ROOT_SIGNATURE), root);
    assert_ptr_equal(of(&w, "Miss", SO_SLOT_GLOBAL_ROOT_SIGNATURE), root);
    end(&w);
}

static void test_empty_export_list_is_a_default_association(void **state)
{
    struct world w;
    begin(&w);
    struct so_definition *root = define(&w, SO_SLOT_GLOBAL_ROOT_SIGNATURE, &global_rs, 0, 0);
    associate(&w, root, NULL, 0);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "Callable", SO_SLOT_GLOBAL_ROOT_SIGNATURE), root);
    end(&w);
}

static void test_mentioned_subobject_reaches_its_list_only(void **state)
{
    struct world w;
    begin(&w);
    struct so_definition *local = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, local, miss_name, 1);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "Miss", SO_SLOT_LOCAL_ROOT_SIGNATURE), local);
    assert_null(of(&w, "RayGen", SO_SLOT_LOCAL_ROOT_SIGNATURE));
    end(&w);
}

/* SO-01 */
static void test_explicit_default_wins_over_unassociated(void **state)
{
    struct world w;
    begin(&w);
    uses(&w, RAYGEN, local_only);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0);
    struct so_definition *local = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, local, NULL, 0);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "RayGen", SO_SLOT_LOCAL_ROOT_SIGNATURE), local);
    end(&w);
}

static void test_explicit_default_that_does_not_fit_fails(void **state)
{
    struct world w;
    begin(&w);
    uses(&w, RAYGEN, local_only);
    struct so_definition *other = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, other, NULL, 0);
    expect_fail(&w, "b0, space1 of 'gLocal'");
}

static void test_several_unassociated_candidates_cancel(void **state)
{
    struct world w;
    begin(&w);
    uses(&w, RAYGEN, local_only);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    expect_fail(&w, "several local root signatures");
}

static void test_several_equal_candidates_are_one(void **state)
{
    struct world w;
    begin(&w);
    uses(&w, RAYGEN, local_only);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    expect_ok(&w);
    end(&w);
}

static void test_two_explicit_defaults_conflict(void **state)
{
    struct world w;
    begin(&w);
    struct so_definition *a = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0);
    struct so_definition *b = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, a, NULL, 0);
    associate(&w, b, NULL, 0);
    expect_fail(&w, "associated by default");
}

static void test_explicit_beats_default(void **state)
{
    struct world w;
    begin(&w);
    struct so_definition *fallback = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0);
    struct so_definition *local = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, local, miss_name, 1);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "Miss", SO_SLOT_LOCAL_ROOT_SIGNATURE), local);
    assert_ptr_equal(of(&w, "RayGen", SO_SLOT_LOCAL_ROOT_SIGNATURE), fallback);
    end(&w);
}

static void test_two_explicit_associations_of_one_export_conflict(void **state)
{
    struct world w;
    begin(&w);
    struct so_definition *a = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0);
    struct so_definition *b = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, a, both_names, 2);
    associate(&w, b, miss_name, 1);
    expect_fail(&w, "export 'Miss' is associated with two different local root signatures");
}

static void test_one_subobject_in_several_associations(void **state)
{
    struct world w;
    begin(&w);
    struct so_definition *a = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, a, both_names, 2);
    associate(&w, a, miss_name, 1);
    expect_ok(&w);
    end(&w);
}

static void test_association_with_a_missing_export_fails(void **state)
{
    struct world w;
    begin(&w);
    associate(&w, define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0), nobody_name, 1);
    expect_fail(&w, "'Nobody'");
}

/* --- subobjects of DXIL libraries --- */

static void begin_dxil(struct world *w)
{
    begin_bare(w);
    dxil_shader_config(w, "Config", 32, 8);
    subobject(w, DXIL_SUBOBJECT_PIPELINE_CONFIG, "Pipeline")->pipeline_config.max_recursion_depth = 3;
}

static void test_library_alone_makes_a_pipeline(void **state)
{
    struct world w;
    begin_dxil(&w);
    struct dxil_subobject *group = subobject(&w, DXIL_SUBOBJECT_HIT_GROUP, "Group");
    group->hit_group.any_hit = "Any";
    group->hit_group.closest_hit = "Closest";
    group->hit_group.intersection = "";
    expect_ok(&w);
    const struct so_export *found = so_linked_find(w.linked, "Group", NULL);
    assert_string_equal(found->any_hit->name, "Any");
    assert_string_equal(found->closest_hit->name, "Closest");
    assert_int_equal(w.linked->pipeline_config->values[0], 3);
    assert_true(found->is_resolved);
    end(&w);
}

/* SO-12: "the subobject association declared directly in the state object wins" */
static void test_state_object_default_overrides_library_explicit(void **state)
{
    struct world w;
    begin_dxil(&w);
    dxil_association(&w, "A", "Config", both_names, 2);
    struct so_definition *config = define(&w, SO_SLOT_SHADER_CONFIG, NULL, 64, 16);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "Miss", SO_SLOT_SHADER_CONFIG), config);
    assert_ptr_equal(w.linked->shader_config, config);
    end(&w);
}

static void test_state_object_explicit_overrides_library_explicit(void **state)
{
    struct world w;
    begin_dxil(&w);
    export_as(&w, "RayGen", NULL);
    export_as(&w, "Miss", NULL);
    export_as(&w, "Config", NULL);
    export_as(&w, "Pipeline", NULL);
    export_as(&w, "A", NULL);
    dxil_association(&w, "A", "Config", both_names, 2);
    struct so_definition *config = define(&w, SO_SLOT_SHADER_CONFIG, NULL, 32, 8);
    associate(&w, config, raygen_name, 1);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "RayGen", SO_SLOT_SHADER_CONFIG), config);
    assert_string_equal(of(&w, "Miss", SO_SLOT_SHADER_CONFIG)->label, "Config");
    end(&w);
}

static void test_dxil_subobject_associated_by_the_state_object(void **state)
{
    struct world w;
    begin_dxil(&w);
    dxil_shader_config(&w, "Other", 48, 12);
    dxil_association(&w, "A", "Other", miss_name, 1);
    associate_dxil(&w, "Config", miss_name, 1);
    dxil_association(&w, "B", "Config", NULL, 0);
    expect_ok(&w);
    assert_string_equal(of(&w, "Miss", SO_SLOT_SHADER_CONFIG)->label, "Config");
    end(&w);
}

static void test_unknown_dxil_subobject_fails(void **state)
{
    struct world w;
    begin_dxil(&w);
    associate_dxil(&w, "Absent", miss_name, 1);
    expect_fail(&w, "'Absent'");
}

static void test_library_conflict_fails(void **state)
{
    struct world w;
    begin_dxil(&w);
    dxil_shader_config(&w, "Other", 48, 12);
    dxil_association(&w, "A", "Other", miss_name, 1);
    dxil_association(&w, "B", "Config", miss_name, 1);
    expect_fail(&w, "two different raytracing shader configs");
}

static void test_library_conflict_that_is_overridden_is_none(void **state)
{
    struct world w;
    begin_dxil(&w);
    dxil_shader_config(&w, "Other", 48, 12);
    dxil_association(&w, "A", "Other", miss_name, 1);
    dxil_association(&w, "B", "Config", miss_name, 1);
    define(&w, SO_SLOT_SHADER_CONFIG, NULL, 32, 8);
    expect_ok(&w);
    end(&w);
}

static void test_library_config_that_differs_costs_the_identifier(void **state)
{
    struct world w;
    begin_dxil(&w);
    dxil_shader_config(&w, "Small", 16, 8);
    dxil_association(&w, "A", "Small", miss_name, 1);
    dxil_association(&w, "B", "Config", NULL, 0);
    expect_ok(&w);
    assert_true(so_linked_find(w.linked, "Miss", NULL)->is_dropped);
    assert_false(so_linked_find(w.linked, "RayGen", NULL)->is_dropped);
    assert_non_null(strstr(w.linked->warning.text, "'Miss'"));
    end(&w);
}

static void test_export_list_leaves_subobjects_out(void **state)
{
    struct world w;
    begin_dxil(&w);
    export_as(&w, "RayGen", NULL);
    export_as(&w, "Pipeline", NULL);
    expect_fail(&w, "no raytracing shader config");
}

static void test_export_list_names_subobjects(void **state)
{
    struct world w;
    begin_dxil(&w);
    export_as(&w, "RayGen", NULL);
    export_as(&w, "Pipeline", NULL);
    export_as(&w, "Config", NULL);
    expect_ok(&w);
    assert_null(so_linked_find(w.linked, "Miss", NULL));
    end(&w);
}

/* --- hit groups --- */

static void test_association_of_a_hit_group_applies_to_its_shaders(void **state)
{
    struct world w;
    begin(&w);
    uses(&w, CLOSEST, local_only);
    hit_group(&w, "Group", 0, "Closest", "Any", NULL);
    struct so_definition *local = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, local, group_name, 1);
    expect_ok(&w);
    assert_true(so_linked_find(w.linked, "Group", NULL)->is_resolved);
    end(&w);
}

static void test_association_of_a_component_applies_to_the_hit_group(void **state)
{
    struct world w;
    begin(&w);
    uses(&w, CLOSEST, local_only);
    hit_group(&w, "Group", 0, "Closest", "Any", NULL);
    struct so_definition *local = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, local, closest_name, 1);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "Group", SO_SLOT_LOCAL_ROOT_SIGNATURE), local);
    end(&w);
}

static void test_hit_group_and_component_must_match(void **state)
{
    struct world w;
    begin(&w);
    hit_group(&w, "Group", 0, "Closest", NULL, NULL);
    associate(&w, define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0), group_name, 1);
    associate(&w, define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0), closest_name, 1);
    expect_fail(&w, "must match");
}

static void test_hit_group_association_beats_default_of_its_shaders(void **state)
{
    struct world w;
    begin(&w);
    uses(&w, CLOSEST, local_only);
    hit_group(&w, "Group", 0, "Closest", NULL, NULL);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0);
    struct so_definition *local = define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&w, local, group_name, 1);
    expect_ok(&w);
    assert_ptr_equal(of(&w, "Group", SO_SLOT_LOCAL_ROOT_SIGNATURE), local);
    end(&w);
}

/* SO-13, both ways, and the other rules of hit groups */
static void test_hit_group_rules(void **state)
{
    static const struct {
        const char *name;
        uint32_t type;
        const char *closest, *any, *intersection, *says;
    } rows[] = {
        {"Group", 0, "Closest", NULL, "Intersect", "of type TRIANGLES has IntersectionShaderImport"},
        {"Group", 1, "Closest", NULL, NULL, "has no IntersectionShaderImport"},
        {"Group", 2, "Closest", NULL, NULL, "Type 2 is unknown"},
        {"Group", 0, "Absent", NULL, NULL, "ClosestHitShaderImport 'Absent'"},
        {"Group", 0, "Miss", NULL, NULL, "must be of kind closest hit, it is of kind miss"},
        {"Group", 0, NULL, "Closest", NULL, "must be of kind any hit, it is of kind closest hit"},
        {"Miss", 0, "Closest", NULL, NULL, "export 'Miss' is defined twice"},
        {"", 0, "Closest", NULL, NULL, "no HitGroupExport"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct world w;
        begin(&w);
        hit_group(&w, rows[i].name, rows[i].type, rows[i].closest, rows[i].any, rows[i].intersection);
        expect_fail(&w, rows[i].says);
    }
}

static void test_procedural_hit_group_with_intersection(void **state)
{
    struct world w;
    begin(&w);
    hit_group(&w, "Group", 1, "Closest", "Any", "Intersect");
    expect_ok(&w);
    assert_string_equal(so_linked_find(w.linked, "Group", NULL)->intersection->name, "Intersect");
    end(&w);
}

/* --- exports --- */

static void test_renamed_export(void **state)
{
    struct world w;
    begin(&w);
    export_as(&w, "First", "RayGen");
    export_as(&w, "Second", "\1?RayGen@@YAXXZ");
    export_as(&w, "RayGen", NULL);
    expect_ok(&w);
    assert_int_equal(w.linked->export_count, 3);
    assert_ptr_equal(so_linked_find(w.linked, "First", NULL)->function, &w.functions[RAYGEN]);
    assert_ptr_equal(so_linked_find(w.linked, "Second", NULL)->function, &w.functions[RAYGEN]);
    end(&w);
}

static void test_star_exports_everything(void **state)
{
    struct world w;
    begin(&w);
    export_as(&w, "*", NULL);
    expect_ok(&w);
    assert_int_equal(w.linked->export_count, FUNCTION_COUNT);
    end(&w);
}

static void test_export_rules(void **state)
{
    static const struct {
        struct so_export_input exports[2];
        const char *says;
    } rows[] = {
        {{{"Absent", NULL, 0}}, "no function or subobject 'Absent'"},
        {{{"New", "Absent", 0}}, "no function or subobject 'Absent'"},
        {{{"RayGen", NULL, 0}, {"RayGen", "Miss", 0}}, "'RayGen' is defined twice"},
        {{{"\1?New@@YAXXZ", "RayGen", 0}}, "must not be mangled"},
        {{{"RayGen", NULL, 1}}, "Flags 0x1"},
        {{{"", NULL, 0}}, "without a Name"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct world w;
        begin(&w);
        for (uint32_t k = 0; k < 2 && rows[i].exports[k].name; k++)
            w.exports[w.libraries[0].export_count++] = rows[i].exports[k];
        expect_fail(&w, rows[i].says);
    }
}

static void test_overloads_need_the_mangled_name(void **state)
{
    struct world w;
    begin(&w);
    w.functions[MISS_BIG] = (struct dxil_rdat_function)FUNCTION("Helper", "Helper@@YAXH@Z", 6, 0, 0);
    export_as(&w, "Helper", NULL);
    expect_fail(&w, "mangled");
    begin(&w);
    w.functions[MISS_BIG] = (struct dxil_rdat_function)FUNCTION("Helper", "Helper@@YAXH@Z", 6, 0, 0);
    export_as(&w, "?Helper@@YAXH@Z", NULL);
    expect_ok(&w);
    end(&w);
}

static void test_shader_wins_over_function_of_the_same_name(void **state)
{
    struct world w;
    begin(&w);
    w.functions[HELPER] = (struct dxil_rdat_function)FUNCTION("RayGen", "RayGen@Inner@@YAII@Z", 6, 0, 0);
    expect_ok(&w);
    assert_ptr_equal(so_linked_find(w.linked, "RayGen", NULL)->function, &w.functions[RAYGEN]);
    end(&w);
}

static void test_the_same_library_twice_conflicts_unless_lists_differ(void **state)
{
    struct world w;
    begin(&w);
    w.libraries[1] = (struct so_library_input){.subobject_index = 41, .rdat = &w.rdat};
    w.input.library_count = 2;
    expect_fail(&w, "defined twice");
    begin(&w);
    static const struct so_export_input only_miss[] = {{"Miss", NULL, 0}};
    w.libraries[1] = (struct so_library_input){.subobject_index = 41, .rdat = &w.rdat, .exports = only_miss,
                                               .export_count = 1};
    w.input.library_count = 2;
    export_as(&w, "RayGen", NULL);
    expect_ok(&w);
    end(&w);
}

/* --- what must be there --- */

/* SO-02, pipelines and collections */
static void test_missing_configs_fail(void **state)
{
    for (int executable = 0; executable < 2; executable++) {
        struct world w;
        begin_bare(&w);
        w.input.is_executable = executable;
        define(&w, SO_SLOT_PIPELINE_CONFIG, NULL, 1, 0);
        expect_fail(&w, "raytracing shader config");
        begin_bare(&w);
        w.input.is_executable = executable;
        define(&w, SO_SLOT_SHADER_CONFIG, NULL, 32, 8);
        expect_fail(&w, "raytracing pipeline config");
        begin(&w);
        w.input.is_executable = executable;
        uses(&w, RAYGEN, out_only);
        expect_fail(&w, "u0, space0 of 'gOut'");
    }
}

static void test_config_values(void **state)
{
    static const struct {
        enum so_slot slot;
        uint32_t a, b;
        const char *says;
    } rows[] = {
        {SO_SLOT_SHADER_CONFIG, 32, 33, "MaxAttributeSizeInBytes is 33"},
        {SO_SLOT_SHADER_CONFIG, 8, 8, "payload of 16 bytes"},
        {SO_SLOT_SHADER_CONFIG, 32, 4, "attributes of 8 bytes"},
        {SO_SLOT_PIPELINE_CONFIG, 32, 0, "MaxTraceRecursionDepth is 32"},
        {SO_SLOT_PIPELINE_CONFIG, 1, 0x300, "exclude each other"},
        {SO_SLOT_PIPELINE_CONFIG, 1, 0x1, "unknown or unsupported bits"},
        {SO_SLOT_STATE_OBJECT_CONFIG, 8, 0, "Flags 0x8"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct world w;
        begin_bare(&w);
        define(&w, rows[i].slot, NULL, rows[i].a, rows[i].b);
        if (rows[i].slot != SO_SLOT_SHADER_CONFIG)
            define(&w, SO_SLOT_SHADER_CONFIG, NULL, 32, 8);
        if (rows[i].slot != SO_SLOT_PIPELINE_CONFIG)
            define(&w, SO_SLOT_PIPELINE_CONFIG, NULL, 1, 0);
        hit_group(&w, "Group", 0, "Closest", NULL, NULL);
        expect_fail(&w, rows[i].says);
    }
}

static void test_payload_limit_is_ignored_with_access_qualifiers(void **state)
{
    struct world w;
    begin_bare(&w);
    bool qualified[64];
    memset(qualified, true, sizeof(qualified));
    assert_in_range(w.libraries[0].rdat->function_count, 1, 64);
    w.libraries[0].ignore_payload_limit = qualified;
    define(&w, SO_SLOT_SHADER_CONFIG, NULL, 4, 8);
    define(&w, SO_SLOT_PIPELINE_CONFIG, NULL, 1, 0);
    expect_ok(&w);
    end(&w);
    /* It counts per payload: those of other functions of the library are still limited. */
    begin_bare(&w);
    memset(qualified, false, sizeof(qualified));
    w.libraries[0].ignore_payload_limit = qualified;
    define(&w, SO_SLOT_SHADER_CONFIG, NULL, 4, 8);
    define(&w, SO_SLOT_PIPELINE_CONFIG, NULL, 1, 0);
    expect_fail(&w, "has a payload of");
}

static void test_configs_must_match_in_the_whole_object(void **state)
{
    struct world w;
    begin(&w);
    associate(&w, define(&w, SO_SLOT_SHADER_CONFIG, NULL, 64, 8), miss_name, 1);
    expect_fail(&w, "must match in the whole state object");
    begin(&w);
    associate(&w, define(&w, SO_SLOT_PIPELINE_CONFIG, NULL, 2, 0), miss_name, 1);
    expect_fail(&w, "must match in the whole state object");
}

static void test_node_mask_is_all_or_none(void **state)
{
    struct world w;
    begin(&w);
    associate(&w, define(&w, SO_SLOT_NODE_MASK, NULL, 1, 0), miss_name, 1);
    expect_fail(&w, "all or none");
}

static void test_root_signature_kinds(void **state)
{
    struct world w;
    begin(&w);
    define(&w, SO_SLOT_GLOBAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    expect_fail(&w, "with the flag LOCAL_ROOT_SIGNATURE");
    begin(&w);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &global_rs, 0, 0);
    expect_fail(&w, "without the flag LOCAL_ROOT_SIGNATURE");
}

static void test_global_and_local_must_not_overlap(void **state)
{
    struct world w;
    begin(&w);
    define(&w, SO_SLOT_GLOBAL_ROOT_SIGNATURE, &global_rs, 0, 0);
    define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &clash_rs, 0, 0);
    expect_fail(&w, "u0, space0 is defined by the global and by the local");
}

/* SO-11 */
static void test_missing_function_is_named(void **state)
{
    struct world w;
    begin(&w);
    w.functions[RAYGEN].dependencies = helper_import;
    w.functions[RAYGEN].dependency_count = 1;
    export_as(&w, "RayGen", NULL);
    expect_fail(&w, "'?Helper@@YAXXZ'");
}

static void test_function_of_another_library_is_linked_with_its_resources(void **state)
{
    struct world w;
    begin(&w);
    w.functions[RAYGEN].dependencies = helper_import;
    w.functions[RAYGEN].dependency_count = 1;
    uses(&w, HELPER, out_only);
    export_as(&w, "RayGen", NULL);
    static const struct so_export_input only_helper[] = {{"Helper", NULL, 0}};
    w.libraries[1] = (struct so_library_input){.subobject_index = 41, .rdat = &w.rdat, .exports = only_helper,
                                               .export_count = 1};
    w.input.library_count = 2;
    struct world copy = w;
    copy.input.libraries = copy.libraries;
    copy.libraries[0].exports = copy.exports;
    copy.input.definitions = copy.definitions;
    expect_fail(&copy, "gOut");
    define(&w, SO_SLOT_GLOBAL_ROOT_SIGNATURE, &global_rs, 0, 0);
    expect_ok(&w);
    assert_int_equal(w.linked->import_count, 1);
    assert_ptr_equal(w.linked->imports[0].target->function, &w.functions[HELPER]);
    end(&w);
}

static void test_function_with_other_root_signature_than_its_caller(void **state)
{
    static const char *const helper_name[] = {"Helper"};
    struct world w;
    begin(&w);
    w.functions[RAYGEN].dependencies = helper_import;
    w.functions[RAYGEN].dependency_count = 1;
    associate(&w, define(&w, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0), helper_name, 1);
    expect_fail(&w, "function 'Helper' is associated with local root signature");
}

/* --- collections --- */

static void make_collection(struct world *w, uint32_t flags)
{
    begin(w);
    w->input.is_executable = false;
    define(w, SO_SLOT_STATE_OBJECT_CONFIG, NULL, flags, 0);
}

static void include(struct world *pipeline, const struct world *collection)
{
    begin_bare(pipeline);
    pipeline->input.library_count = 0;
    pipeline->collections[0] = (struct so_collection_input){.subobject_index = 30, .linked = collection->linked,
                                                            .exports = pipeline->collection_exports};
    pipeline->input.collection_count = 1;
}

static void test_collection_brings_everything_along(void **state)
{
    struct world c, p;
    make_collection(&c, 0);
    hit_group(&c, "Group", 0, "Closest", NULL, NULL);
    expect_ok(&c);
    include(&p, &c);
    expect_ok(&p);
    const struct so_export *group = so_linked_find(p.linked, "Group", NULL);
    assert_true(group->is_resolved);
    assert_ptr_equal(group->origin, so_linked_find(c.linked, "Group", NULL));
    assert_int_equal(p.linked->pipeline_config->values[0], 1);
    end(&p);
    end(&c);
}

static void test_collection_exports_can_be_chosen_and_renamed(void **state)
{
    struct world c, p;
    make_collection(&c, 0);
    expect_ok(&c);
    include(&p, &c);
    p.collection_exports[0] = (struct so_export_input){"Fresh", "RayGen", 0};
    p.collections[0].export_count = 1;
    expect_ok(&p);
    assert_non_null(so_linked_find(p.linked, "Fresh", NULL));
    assert_null(so_linked_find(p.linked, "RayGen", NULL));
    end(&p);
    include(&p, &c);
    p.collection_exports[0] = (struct so_export_input){"Absent", NULL, 0};
    p.collections[0].export_count = 1;
    expect_fail(&p, "the existing collection has no export 'Absent'");
    end(&c);
}

/* SO-09 */
static void test_deferred_collection(void **state)
{
    struct world c, p;
    make_collection(&c, 0);
    export_as(&c, "Any", NULL);
    hit_group(&c, "Group", 0, "Closest", "Any", NULL);
    expect_fail(&c, "ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS");

    make_collection(&c, SO_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS);
    export_as(&c, "Any", NULL);
    hit_group(&c, "Group", 0, "Closest", "Any", NULL);
    expect_ok(&c);
    assert_false(so_linked_find(c.linked, "Group", NULL)->is_resolved);
    assert_true(c.linked->has_unresolved);

    include(&p, &c);
    add_configs(&p);
    expect_fail(&p, "'Closest' is not an export");

    include(&p, &c);
    p.input.library_count = 1;
    export_as(&p, "Closest", NULL);
    export_as(&p, "RayGen", NULL);
    add_configs(&p);
    expect_ok(&p);
    assert_true(so_linked_find(p.linked, "Group", NULL)->is_resolved);
    end(&p);
    end(&c);
}

static void test_collection_association_cannot_be_overridden(void **state)
{
    struct world c, p;
    make_collection(&c, 0);
    associate(&c, define(&c, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0), miss_name, 1);
    expect_ok(&c);
    include(&p, &c);
    associate(&p, define(&p, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0), miss_name, 1);
    expect_fail(&p, "cannot be overridden");
    include(&p, &c); /* a default leaves it alone */
    define(&p, SO_SLOT_LOCAL_ROOT_SIGNATURE, &other_rs, 0, 0);
    expect_ok(&p);
    assert_ptr_equal(of(&p, "Miss", SO_SLOT_LOCAL_ROOT_SIGNATURE)->root_signature, &local_rs);
    end(&p);
    end(&c);
}

static void test_collection_configs_must_match_the_pipeline(void **state)
{
    struct world c, p;
    make_collection(&c, 0);
    export_as(&c, "Miss", NULL);
    expect_ok(&c);
    include(&p, &c);
    p.input.library_count = 1;
    export_as(&p, "RayGen", NULL);
    define(&p, SO_SLOT_SHADER_CONFIG, NULL, 64, 8);
    define(&p, SO_SLOT_PIPELINE_CONFIG, NULL, 1, 0);
    expect_fail(&p, "must match in the whole state object");
    end(&c);
}

static void test_functions_of_a_collection_need_the_external_flag(void **state)
{
    for (uint32_t flag = 0; flag <= 2; flag += 2) {
        struct world c, p;
        make_collection(&c, flag);
        export_as(&c, "Helper", NULL);
        export_as(&c, "Closest", NULL);
        expect_ok(&c);
        include(&p, &c);
        p.input.library_count = 1;
        export_as(&p, "RayGen", NULL);
        p.functions[RAYGEN].dependencies = helper_import;
        p.functions[RAYGEN].dependency_count = 1;
        add_configs(&p);
        if (flag) {
            expect_ok(&p);
            end(&p);
        } else {
            expect_fail(&p, "ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS");
        }
        include(&p, &c);
        hit_group(&p, "Group", 0, "Closest", NULL, NULL);
        add_configs(&p);
        if (flag) {
            expect_ok(&p);
            end(&p);
        } else {
            expect_fail(&p, "hit group 'Group'");
        }
        end(&c);
    }
}

static void test_collections_do_not_nest(void **state)
{
    struct world c, p;
    make_collection(&c, 0);
    expect_ok(&c);
    include(&p, &c);
    p.input.is_executable = false;
    expect_fail(&p, "cannot be made of other collections");
    end(&c);
}

static void test_pipeline_is_no_collection(void **state)
{
    struct world c, p;
    begin(&c);
    expect_ok(&c);
    include(&p, &c);
    expect_fail(&p, "not a collection");
    end(&c);
}

static void test_collection_association_with_external_export_needs_the_flag(void **state)
{
    struct world c;
    make_collection(&c, 0);
    associate(&c, define(&c, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0), nobody_name, 1);
    expect_fail(&c, "'Nobody'");
    make_collection(&c, SO_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS);
    associate(&c, define(&c, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0), nobody_name, 1);
    expect_ok(&c);
    end(&c);
}

/* "neither the subobject being associated or the listed exports have to even be visible yet" */
static void test_collection_associates_exports_of_the_pipeline(void **state)
{
    struct world c, p;
    make_collection(&c, SO_FLAG_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS);
    export_as(&c, "Miss", NULL);
    struct so_definition *local = define(&c, SO_SLOT_LOCAL_ROOT_SIGNATURE, &local_rs, 0, 0);
    associate(&c, local, raygen_name, 1);
    expect_ok(&c);
    include(&p, &c);
    p.input.library_count = 1;
    export_as(&p, "RayGen", NULL);
    uses(&p, RAYGEN, local_only);
    add_configs(&p);
    expect_ok(&p);
    assert_ptr_equal(of(&p, "RayGen", SO_SLOT_LOCAL_ROOT_SIGNATURE), local);
    end(&p);
    include(&p, &c); /* nothing of that name after all */
    expect_fail(&p, "of an included collection associates local root signature");
    end(&c);
}

static void test_collection_waits_for_a_dxil_subobject(void **state)
{
    struct world c, p;
    make_collection(&c, SO_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS);
    c.input.definition_count = 0; /* no configs of its own */
    define(&c, SO_SLOT_STATE_OBJECT_CONFIG, NULL, 1, 0);
    export_as(&c, "Miss", NULL);
    export_as(&c, "RayGen", NULL);
    associate_dxil(&c, "Config", miss_name, 1);
    associate_dxil(&c, "Config", NULL, 0);
    expect_ok(&c);
    assert_false(so_linked_find(c.linked, "Miss", NULL)->is_resolved);
    include(&p, &c);
    p.input.library_count = 1;
    dxil_shader_config(&p, "Config", 32, 8);
    subobject(&p, DXIL_SUBOBJECT_PIPELINE_CONFIG, "Pipeline")->pipeline_config.max_recursion_depth = 3;
    export_as(&p, "Config", NULL);
    define(&p, SO_SLOT_PIPELINE_CONFIG, NULL, 1, 0);
    expect_ok(&p);
    assert_string_equal(of(&p, "Miss", SO_SLOT_SHADER_CONFIG)->label, "Config");
    assert_string_equal(of(&p, "RayGen", SO_SLOT_SHADER_CONFIG)->label, "Config");
    end(&p);
    include(&p, &c);
    add_configs(&p);
    expect_fail(&p, "'Config' to associate is in no DXIL library");
    end(&c);
}

/* --- AddToStateObject --- */

static void make_growable(struct world *w, const char *name)
{
    begin(w);
    define(w, SO_SLOT_STATE_OBJECT_CONFIG, NULL, SO_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, 0);
    export_as(w, name, name[0] == 'R' ? NULL : "Miss");
}

static void test_addition(void **state)
{
    struct world old, new;
    make_growable(&old, "RayGen");
    expect_ok(&old);
    make_growable(&new, "Extra");
    new.input.grow_from = old.linked;
    expect_ok(&new);
    end(&new);
    end(&old);
}

static void test_addition_rules(void **state)
{
    struct world old, new;
    make_growable(&old, "RayGen");
    expect_ok(&old);

    make_growable(&new, "RayGen");
    new.input.grow_from = old.linked;
    expect_fail(&new, "'RayGen' exists in the state object to grow from");

    make_growable(&new, "Extra");
    new.definitions[1].values[0] = 2;
    new.input.grow_from = old.linked;
    expect_fail(&new, "differs from the one of the state object to grow from");

    make_growable(&new, "Extra");
    new.definitions[2].values[0] = 0;
    new.input.grow_from = old.linked;
    expect_fail(&new, "the addition's state object config lacks");
    end(&old);

    begin(&old);
    expect_ok(&old);
    make_growable(&new, "Extra");
    new.input.grow_from = old.linked;
    expect_fail(&new, "was created without ALLOW_STATE_OBJECT_ADDITIONS");
    end(&old);
}

static void test_collection_for_growable_pipeline_needs_the_flag(void **state)
{
    struct world c, p;
    make_collection(&c, 0);
    expect_ok(&c);
    include(&p, &c);
    define(&p, SO_SLOT_STATE_OBJECT_CONFIG, NULL, SO_FLAG_ALLOW_STATE_OBJECT_ADDITIONS, 0);
    expect_fail(&p, "collections that have this flag");
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unmentioned_subobject_is_a_default_association),
        cmocka_unit_test(test_empty_export_list_is_a_default_association),
        cmocka_unit_test(test_mentioned_subobject_reaches_its_list_only),
        cmocka_unit_test(test_explicit_default_wins_over_unassociated),
        cmocka_unit_test(test_explicit_default_that_does_not_fit_fails),
        cmocka_unit_test(test_several_unassociated_candidates_cancel),
        cmocka_unit_test(test_several_equal_candidates_are_one),
        cmocka_unit_test(test_two_explicit_defaults_conflict),
        cmocka_unit_test(test_explicit_beats_default),
        cmocka_unit_test(test_two_explicit_associations_of_one_export_conflict),
        cmocka_unit_test(test_one_subobject_in_several_associations),
        cmocka_unit_test(test_association_with_a_missing_export_fails),
        cmocka_unit_test(test_library_alone_makes_a_pipeline),
        cmocka_unit_test(test_state_object_default_overrides_library_explicit),
        cmocka_unit_test(test_state_object_explicit_overrides_library_explicit),
        cmocka_unit_test(test_dxil_subobject_associated_by_the_state_object),
        cmocka_unit_test(test_unknown_dxil_subobject_fails),
        cmocka_unit_test(test_library_conflict_fails),
        cmocka_unit_test(test_library_conflict_that_is_overridden_is_none),
        cmocka_unit_test(test_library_config_that_differs_costs_the_identifier),
        cmocka_unit_test(test_export_list_leaves_subobjects_out),
        cmocka_unit_test(test_export_list_names_subobjects),
        cmocka_unit_test(test_association_of_a_hit_group_applies_to_its_shaders),
        cmocka_unit_test(test_association_of_a_component_applies_to_the_hit_group),
        cmocka_unit_test(test_hit_group_and_component_must_match),
        cmocka_unit_test(test_hit_group_association_beats_default_of_its_shaders),
        cmocka_unit_test(test_hit_group_rules),
        cmocka_unit_test(test_procedural_hit_group_with_intersection),
        cmocka_unit_test(test_renamed_export),
        cmocka_unit_test(test_star_exports_everything),
        cmocka_unit_test(test_export_rules),
        cmocka_unit_test(test_overloads_need_the_mangled_name),
        cmocka_unit_test(test_shader_wins_over_function_of_the_same_name),
        cmocka_unit_test(test_the_same_library_twice_conflicts_unless_lists_differ),
        cmocka_unit_test(test_missing_configs_fail),
        cmocka_unit_test(test_config_values),
        cmocka_unit_test(test_payload_limit_is_ignored_with_access_qualifiers),
        cmocka_unit_test(test_configs_must_match_in_the_whole_object),
        cmocka_unit_test(test_node_mask_is_all_or_none),
        cmocka_unit_test(test_root_signature_kinds),
        cmocka_unit_test(test_global_and_local_must_not_overlap),
        cmocka_unit_test(test_missing_function_is_named),
        cmocka_unit_test(test_function_of_another_library_is_linked_with_its_resources),
        cmocka_unit_test(test_function_with_other_root_signature_than_its_caller),
        cmocka_unit_test(test_collection_brings_everything_along),
        cmocka_unit_test(test_collection_exports_can_be_chosen_and_renamed),
        cmocka_unit_test(test_deferred_collection),
        cmocka_unit_test(test_collection_association_cannot_be_overridden),
        cmocka_unit_test(test_collection_configs_must_match_the_pipeline),
        cmocka_unit_test(test_functions_of_a_collection_need_the_external_flag),
        cmocka_unit_test(test_collections_do_not_nest),
        cmocka_unit_test(test_pipeline_is_no_collection),
        cmocka_unit_test(test_collection_association_with_external_export_needs_the_flag),
        cmocka_unit_test(test_collection_associates_exports_of_the_pipeline),
        cmocka_unit_test(test_collection_waits_for_a_dxil_subobject),
        cmocka_unit_test(test_addition),
        cmocka_unit_test(test_addition_rules),
        cmocka_unit_test(test_collection_for_growable_pipeline_needs_the_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
