/* SPDX-License-Identifier: MIT
 * gdb and shaders: this program runs itself under gdb in batch mode, where a closest-hit shader compiled by DXC with -Zi
 * is stopped at a line of its HLSL, its variables are printed and a step is taken. Skipped without gdb. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "abi/services.h"
#include "dxil/module.h"
#include "jit/jit.h"

enum { BREAK_LINE = 54 }; /* the only statement of ClosestHit */

static const char closest_hit[] = "\01?ClosestHit@@YAXUPayload@@UBuiltInTriangleIntersectionAttributes@@@Z";

/* The program that gdb runs. */
static int run_shader(void)
{
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(CDXR_FIXTURES "/dxil/01_hello_triangle.zi.dxil", "rb");
    size_t byte_count = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    struct dxil_module *module = NULL;
    struct jit *jit = NULL;
    struct jit_code *code = NULL;
    struct reason reason = {0};
    struct jit_options options;
    struct dxil_options debug = dxil_options_default();
    if (file)
        fclose(file);
    debug.prefer_debug = true;
    jit_options_init(&options);
    options.debug = true;
    if (dxil_module_create(bytes, byte_count, &debug, &module, &reason) != STATUS_OK ||
        jit_create(&options, &jit, &reason) != STATUS_OK) {
        fprintf(stderr, "%s\n", reason.text);
        return 1;
    }
    const struct dxil_module *modules[] = {module};
    struct jit_export export = {module, closest_hit, "ClosestHit", NULL, NULL};
    struct jit_program program = {.modules = modules, .module_count = 1, .exports = &export, .export_count = 1};
    if (jit_compile(jit, &program, &code, &reason) != STATUS_OK) {
        fprintf(stderr, "%s\n", reason.text);
        return 1;
    }
    float payload[4] = {0}, attributes[2] = {0.25f, 0.5f};
    uint32_t abort_flag = 0;
    struct abi_dispatch dispatch = {.abort_flag = &abort_flag};
    struct abi_thread thread = {.dispatch = &dispatch};
    jit_code_shader(code, 0)->function(&thread, payload, attributes);
    printf("shader gave %g %g %g %g\n", payload[0], payload[1], payload[2], payload[3]);
    jit_code_release(code);
    dxil_module_destroy(module);
    jit_destroy(jit);
    return 0;
}

static char session[1 << 16];

static void run_gdb(const char *program)
{
    char command[2048];
    snprintf(command, sizeof(command),
             "gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' -ex 'set confirm off' "
             /* LeakSanitizer cannot work in a traced process. */
             "-ex 'set environment ASAN_OPTIONS=detect_leaks=0' "
             "-ex 'directory %s/hlsl' -ex 'break 01_hello_triangle.hlsl:%d' -ex run -ex backtrace -ex 'info locals' "
             "-ex 'info args' -ex next -ex 'info line' -ex continue --args %s --inferior 2>&1",
             CDXR_FIXTURES, BREAK_LINE, program);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t used = fread(session, 1, sizeof(session) - 1, pipe);
    session[used] = 0;
    pclose(pipe);
}

static void expect(const char *text)
{
    if (!strstr(session, text))
        fail_msg("the session does not show '%s':\n%s", text, session);
}

static const char *own_path;

static void test_gdb_stops_in_hlsl(void **state)
{
    (void)state;
    if (system("gdb --version > /dev/null 2>&1") != 0)
        skip();
    run_gdb(own_path);
    if (strstr(session, "ptrace: Operation not permitted") || strstr(session, "Couldn't get registers"))
        skip();
    expect("ClosestHit");
    expect("01_hello_triangle.hlsl:54"); /* where it stopped */
    expect("p.colour = float4(");        /* the source line */
    expect("barycentrics = {x = 0.25, y = 0.5}");
    expect("Line 55 of"); /* after next */
    expect("shader gave 0.25 0.25 0.5 1");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--inferior"))
        return run_shader();
    own_path = argv[0];
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gdb_stops_in_hlsl)};
    return cmocka_run_group_tests_name("jit_debugger", tests, NULL, NULL);
}
