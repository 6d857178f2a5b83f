/* SPDX-License-Identifier: MIT */
#include "dp2_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dp2_file.h"

static const char help[] =
    "usage: cdxr dp2 COMMAND FILE [options]\n"
    "\n"
    "  dump FILE              print every token with offsets and fields, and the primitives it makes\n"
    "      --no-triangles     leave the primitives out\n"
    "  run FILE -o OUT.png    draw the capture and write the render target\n"
    "      --token N          stop behind token number N (dump prints the numbers)\n"
    "      --wireframe        draw triangles as their edges\n"
    "      --surface HANDLE   write this surface instead (hexadecimal with 0x)\n"
    "      --trace            print, token by token, what was drawn, which pixels changed and which state decided it\n"
    "      --threads N        threads that draw (default: one per CPU)\n"
    "      --strict           fail a call at its first violation\n"
    "  trace FILE -o OUT.png  render the triangles through DispatchRays instead\n"
    "      --compare          also draw them, and count pixels where another triangle is seen\n"
    "  check FILE             report every violation with its offset; exit status 1 when there is one\n"
    "\n"
    "FILE is a capture (docs/dp2.md). Exit status: 0 done, 1 failed, 2 wrong use.\n";

static int wrong_use(const char *format, const char *argument)
{
    fputs("cdxr dp2: ", stderr);
    fprintf(stderr, format, argument);
    fputs("\nTry 'cdxr dp2 --help'.\n", stderr);
    return 2;
}

static bool parse_number(const char *text, uint64_t *value)
{
    char *end;
    if (!text || !*text || *text == '-')
        return false;
    *value = strtoull(text, &end, 0);
    return !*end;
}

/* Options with a value; returns false for an unknown one or a bad value. */
static bool parse_valued(const char *option, const char *value, struct dp2_options *options)
{
    uint64_t number = 0;
    if (strcmp(option, "-o") == 0 && value) {
        options->output_path = value;
        return true;
    }
    if (!parse_number(value, &number))
        return false;
    if (strcmp(option, "--token") == 0)
        options->last_token = number;
    else if (strcmp(option, "--surface") == 0)
        options->surface = (uint32_t)number;
    else if (strcmp(option, "--threads") == 0)
        options->thread_count = (uint32_t)number;
    else
        return false;
    return true;
}

static bool *find_flag(const char *option, struct dp2_options *options)
{
    struct { const char *name; bool *flag; } flags[] = {{"--wireframe", &options->wireframe}, {"--trace", &options->trace},
                                                        {"--strict", &options->strict}, {"--compare", &options->compare}};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (strcmp(option, flags[i].name) == 0)
            return flags[i].flag;
    return NULL;
}

static int parse(int argc, char **argv, struct dp2_options *options)
{
    for (int i = 2; i < argc; i++) {
        bool *flag = find_flag(argv[i], options);
        if (flag) {
            *flag = true;
        } else if (strcmp(argv[i], "--no-triangles") == 0) {
            options->triangles = false;
        } else if (argv[i][0] == '-' && argv[i][1]) {
            if (!parse_valued(argv[i], i + 1 < argc ? argv[i + 1] : NULL, options))
                return wrong_use("option %s is unknown or lacks its value", argv[i]);
            i++;
        } else if (!options->input_path) {
            options->input_path = argv[i];
        } else {
            return wrong_use("a second file: %s", argv[i]);
        }
    }
    return options->input_path ? 0 : wrong_use("%s needs a FILE", argv[1]);
}

int dp2_command_main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct dp2_options *options);
        bool needs_output;
    } commands[] = {{"dump", dp2_command_dump, false}, {"run", dp2_command_run, false}, {"trace", dp2_command_trace, false}, {"check", dp2_command_check, false}};
    struct dp2_options options = {.last_token = UINT64_MAX, .triangles = true};
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help, stdout);
            return 0;
        }
    for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        int status = parse(argc, argv, &options);
        return status ? status : commands[i].run(&options);
    }
    return argc > 1 ? wrong_use("'%s' is no command", argv[1]) : (fputs(help, stderr), 2);
}
