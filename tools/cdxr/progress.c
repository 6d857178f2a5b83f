/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_begin(struct progress *p, bool is_quiet)
{
    p->is_shown = !is_quiet && isatty(STDERR_FILENO);
    p->started = p->last_shown = now();
}

void progress_update(struct progress *p, uint32_t done, uint32_t total, uint64_t ray_count)
{
    double t = now();
    if (!p->is_shown || (done < total && t - p->last_shown < 0.1))
        return;
    p->last_shown = t;
    char bar[31];
    for (uint32_t i = 0; i < 30; i++)
        bar[i] = (uint64_t)i * total < (uint64_t)done * 30 ? '#' : '.';
    bar[30] = 0;
    double seconds = t - p->started;
    fprintf(stderr, "\r[%s] %u/%u spp  %.2f Mrays/s  %.0f s left ", bar, done, total,
            (double)ray_count / (seconds * 1e6 + 1e-9), done ? seconds / done * (total - done) : 0.0);
    fflush(stderr);
}

double progress_end(struct progress *p)
{
    if (p->is_shown)
        fprintf(stderr, "\r%79s\r", "");
    return now() - p->started;
}
