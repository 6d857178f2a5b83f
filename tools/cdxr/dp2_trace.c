/* SPDX-License-Identifier: MIT
 * `cdxr dp2 trace`: the triangles of a capture rendered by DispatchRays through the D3D12 API. */
#include <stdio.h>

#include "dp2_file.h"

int dp2_command_trace(const struct dp2_options *options)
{
    fprintf(stderr, "cdxr dp2: trace of %s: not available in this build\n", options->input_path);
    return 1;
}
