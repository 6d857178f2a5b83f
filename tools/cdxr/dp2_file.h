/* SPDX-License-Identifier: MIT
 * Shared by the `cdxr dp2` sub-commands: options, captures from files, pictures to files. */
#ifndef CDXR_TOOLS_DP2_FILE_H
#define CDXR_TOOLS_DP2_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdxr/dp2.h"

struct dp2_options {
    const char *input_path, *output_path;
    uint64_t last_token;   /* draw up to and including this one; UINT64_MAX: all */
    uint32_t surface;      /* to write; 0: the render target at the end */
    uint32_t thread_count;
    bool wireframe, trace, strict, triangles, compare;
};

struct dp2_file {
    uint8_t *bytes;
    size_t byte_count;
};

/* Print one line to stderr and return false when the file cannot be read. */
bool dp2_file_read(const char *path, struct dp2_file *file);
void dp2_file_free(struct dp2_file *file);
/* A file in memory as a replay; messages go to log. Prints the reason and returns NULL on failure. */
struct cdxr_dp2_replay *dp2_file_replay(const struct dp2_file *file, const char *path, const struct cdxr_dp2_config *overrides);
/* 8-bit RGB PNG from RGBA rows (alpha is dropped). */
bool dp2_write_png(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height);

/* The sub-commands; exit status as in commands.h. */
int dp2_command_dump(const struct dp2_options *options);
int dp2_command_run(const struct dp2_options *options);
int dp2_command_check(const struct dp2_options *options);
int dp2_command_trace(const struct dp2_options *options);

#endif
