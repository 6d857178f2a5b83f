/* SPDX-License-Identifier: MIT
 * Functions that come from another library: found, and refused where the library's parameters take more memory than the
 * declaration promises (LLVM's pointers would not tell). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dxil/module.h"
#include "dxil/root_signature.h"
#include "jit/jit.h"

static struct dxil_module *modules[2]; /* the caller, the library */
static struct dxil_root_signature root;

static void *read_fixture(const char *name, size_t *byte_count)
{
    char path[512];
    snprintf(path, sizeof(path), CDXR_FIXTURES "/dxil/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *byte_count = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*byte_count);
    assert_int_equal(fread(bytes, 1, *byte_count, file), *byte_count);
    fclose(file);
    return bytes;
}

static int set_up(void **state)
{
    static const char *const names[] = {"26a_import_main.dxil", "26b_import_helpers.dxil"};
    struct reason reason = {0};
    size_t byte_count;
    for (int i = 0; i < 2; i++) {
        void *bytes = read_fixture(names[i], &byte_count);
        assert_int_equal(dxil_module_create(bytes, byte_count, NULL, &modules[i], &reason), STATUS_OK);
        free(bytes);
    }
    void *bytes = read_fixture("26a_import_main.global_rs.rs", &byte_count);
    assert_int_equal(dxil_root_signature_parse(bytes, byte_count, &root, &reason), STATUS_OK);
    free(bytes);
    return 0;
}

static int tear_down(void **state)
{
    dxil_module_destroy(modules[0]);
    dxil_module_destroy(modules[1]);
    dxil_root_signature_finish(&root);
    return 0;
}

static const struct dxil_function *find_raygen(void)
{
    for (uint32_t i = 0; i < modules[0]->function_count; i++)
        if (modules[0]->functions[i].kind == DXIL_SHADER_KIND_RAYGENERATION)
            return &modules[0]->functions[i];
    fail_msg("no ray generation shader");
    return NULL;
}

static enum status compile(struct reason *reason)
{
    struct jit_options options;
    struct jit *jit = NULL;
    struct jit_code *code = NULL;
    jit_options_init(&options);
    options.cache_directory = NULL;
    assert_int_equal(jit_create(&options, &jit, reason), STATUS_OK);
    struct jit_export export = {modules[0], find_raygen()->name, "RayGen", &root, NULL};
    struct jit_program program = {.modules = (const struct dxil_module *const *)modules, .module_count = 2,
                                  .exports = &export, .export_count = 1};
    enum status status = jit_compile(jit, &program, &code, reason);
    jit_code_release(code);
    jit_destroy(jit);
    return status;
}

static void imports_are_found(void **state)
{
    struct reason reason = {0};
    if (compile(&reason) != STATUS_OK)
        fail_msg("%s", reason.text);
}

/* As if the library took a struct of 64 bytes where the caller knows none. */
static void larger_parameters_are_refused(void **state)
{
    struct reason reason = {0};
    uint32_t changed = 0;
    for (uint32_t i = 0; i < modules[0]->function_count; i++) {
        const struct dxil_function *declared = &modules[0]->functions[i];
        const struct dxil_function *defined =
            declared->defined ? NULL : dxil_module_find_function(modules[1], declared->name, NULL);
        if (!defined || !defined->parameter_count)
            continue;
        ((uint64_t *)defined->parameter_memory_bytes)[0] += 64;
        changed++;
    }
    assert_true(changed > 0);
    assert_int_equal(compile(&reason), STATUS_INVALID);
    assert_non_null(strstr(reason.text, "with other types than its library defines"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(imports_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(larger_parameters_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
