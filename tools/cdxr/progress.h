/* SPDX-License-Identifier: MIT
 * A progress bar on a terminal's stderr; silent elsewhere. */
#ifndef CDXR_TOOLS_PROGRESS_H
#define CDXR_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool is_shown;
    double started, last_shown; /* seconds */
};

void progress_begin(struct progress *progress, bool is_quiet);
/* done of total samples per pixel; ray_count: rays traced since begin, of every kind. */
void progress_update(struct progress *progress, uint32_t done, uint32_t total, uint64_t ray_count);
/* Clears the line; returns the seconds since begin. */
double progress_end(struct progress *progress);

#endif
