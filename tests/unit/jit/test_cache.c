/* SPDX-License-Identifier: MIT
 * The cache of compiled exports: found again, much faster, with the same result; damaged files count as missing. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "abi/services.h"
#include "dxil/module.h"
#include "dxil/root_signature.h"
#include "jit/jit.h"

static const char function_name[] = "\01?SphereIntersection@@YAXXZ";
static char directory[] = "/tmp/cdxr-cache-XXXXXX";
static struct dxil_module *module;
static struct dxil_root_signature *root;

static void *read_file(const char *path, size_t *byte_count)
{
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

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int set_up(void **state)
{
    (void)state;
    size_t byte_count;
    struct reason reason = {0};
    assert_non_null(mkdtemp(directory));
    void *bytes = read_file(CDXR_FIXTURES "/dxil/02_procedural_spheres.dxil", &byte_count);
    assert_int_equal(dxil_module_create(bytes, byte_count, NULL, &module, &reason), STATUS_OK);
    free(bytes);
    bytes = read_file(CDXR_FIXTURES "/dxil/02_procedural_spheres.global_rs.rs", &byte_count);
    root = calloc(1, sizeof(*root));
    assert_int_equal(dxil_root_signature_parse(bytes, byte_count, root, &reason), STATUS_OK);
    free(bytes);
    return 0;
}

/* Runs action on the path of each file of the cache; returns how many there are. */
static unsigned for_each_file(void (*action)(const char *path))
{
    unsigned count = 0;
    char path[512];
    DIR *files = opendir(directory);
    for (struct dirent *entry; (entry = readdir(files));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
        action(path);
        count++;
    }
    closedir(files);
    return count;
}

static void remove_file(const char *path)
{
    unlink(path);
}

static void cut_file(const char *path)
{
    assert_int_equal(truncate(path, 300), 0);
}

static void flip_bit(const char *path)
{
    FILE *file = fopen(path, "r+b");
    fseek(file, 500, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, 500, SEEK_SET);
    fputc(byte ^ 16, file);
    fclose(file);
}

static void look(const char *path)
{
    (void)path;
}

static int tear_down(void **state)
{
    (void)state;
    for_each_file(remove_file);
    rmdir(directory);
    dxil_module_destroy(module);
    dxil_root_signature_finish(root);
    free(root);
    return 0;
}

/* Milliseconds that making the export took. */
static double make(uint32_t wave_size)
{
    struct jit_options options;
    struct reason reason = {0};
    struct jit *jit = NULL;
    struct jit_code *code = NULL;
    jit_options_init(&options);
    options.cache_directory = directory;
    options.wave_size = wave_size;
    double start = now_ms();
    assert_int_equal(jit_create(&options, &jit, &reason), STATUS_OK);
    const struct dxil_module *modules[] = {module};
    struct jit_export export = {module, function_name, "SphereIntersection", root, NULL};
    struct jit_program program = {.modules = modules, .module_count = 1, .exports = &export, .export_count = 1};
    if (jit_compile(jit, &program, &code, &reason) != STATUS_OK)
        fail_msg("%s", reason.text);
    double took = now_ms() - start;
    const struct abi_shader *shader = jit_code_shader(code, 0);
    assert_non_null(shader->function);
    assert_string_equal(shader->name, "SphereIntersection");
    assert_int_equal(shader->kind, ABI_SHADER_INTERSECTION);
    assert_true(shader->stack_bytes > 0);
    jit_code_release(code);
    jit_destroy(jit);
    return took;
}

static void test_second_creation_is_ten_times_faster(void **state)
{
    (void)state;
    double first = make(32), second = make(32);
    for (int i = 0; i < 3; i++) {
        double again = make(32);
        second = again < second ? again : second;
    }
    print_message("%.1f ms, from the cache %.1f ms\n", first, second);
    assert_int_equal(for_each_file(look), 1);
    assert_true(second * 10 <= first);
}

static void test_other_options_have_other_files(void **state)
{
    (void)state;
    make(64);
    assert_int_equal(for_each_file(look), 2);
}

static void test_damaged_files_are_made_again(void **state)
{
    (void)state;
    for_each_file(cut_file);
    make(32);
    for_each_file(flip_bit);
    make(32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_creation_is_ten_times_faster),
        cmocka_unit_test(test_other_options_have_other_files),
        cmocka_unit_test(test_damaged_files_are_made_again),
    };
    return cmocka_run_group_tests_name("jit_cache", tests, set_up, tear_down);
}
