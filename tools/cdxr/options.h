/* SPDX-License-Identifier: MIT
 * Command line of `cdxr render`. */
#ifndef CDXR_TOOLS_OPTIONS_H
#define CDXR_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct render_options {
    const char *model_path;
    const char *output_path;
    uint32_t width, height;
    uint32_t sample_count;
    uint32_t bounce_count;
    uint32_t seed;
    bool has_camera;
    float eye[3], target[3];
    float field_of_view; /* vertical, degrees */
    float exposure;
    bool write_aov;
    bool has_ground;
    bool is_quiet;
    bool use_debug_layer;
};

/* 0: go on; otherwise 1 + the exit status (help asked: 1, wrong use: 3). */
int render_options_parse(int argc, char **argv, struct render_options *options);

#endif
