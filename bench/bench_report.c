/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { MAX_CELLS = 512 };
static struct summary {
    char scene[32], work[32];
    uint32_t threads;
    double robust, fast, low, high, ours, other_robust, other_fast;
    const char *unit;
} cells[MAX_CELLS];
static uint32_t cell_count;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *values, uint32_t count, double q)
{
    double sorted[BENCH_MAX_REPETITIONS];
    if (!count)
        return 0;
    memcpy(sorted, values, count * sizeof(*values));
    qsort(sorted, count, sizeof(*sorted), compare);
    return sorted[(uint32_t)lround(q * (count - 1))];
}

void bench_report_add(const struct bench_cell *cell)
{
    if (cell_count == MAX_CELLS)
        return;
    struct summary *s = &cells[cell_count++];
    memcpy(s->scene, cell->scene, sizeof(s->scene));
    memcpy(s->work, cell->work, sizeof(s->work));
    s->threads = cell->threads;
    s->unit = cell->unit;
    s->ours = quantile(cell->ours, cell->count, 0.5);
    s->other_robust = quantile(cell->robust, cell->count, 0.5);
    s->other_fast = quantile(cell->fast, cell->count, 0.5);
    s->robust = quantile(cell->ratios_robust, cell->count, 0.5);
    s->low = quantile(cell->ratios_robust, cell->count, 0.1);
    s->high = quantile(cell->ratios_robust, cell->count, 0.9);
    s->fast = quantile(cell->ratios_fast, cell->count, 0.5);
    printf("%-10s %-16s %u  cdxr %8.3f  robust %8.3f  fast %8.3f %-8s  ratio %5.3f (%.3f .. %.3f)  fast %5.3f\n", s->scene,
           s->work, s->threads, s->ours, s->other_robust, s->other_fast, s->unit, s->robust, s->low, s->high, s->fast);
    fflush(stdout);
}

void bench_report_value(const char *scene, const char *name, double value, const char *unit)
{
    printf("%-10s %-16s    %8.3f %s\n", scene, name, value, unit);
}

static void print_means(void)
{
    double robust = 0, fast = 0, worst = INFINITY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cell_count; i++) {
        if (strcmp(cells[i].unit, "Mray/s") != 0 || !(cells[i].robust > 0))
            continue;
        robust += log(cells[i].robust);
        fast += log(cells[i].fast);
        worst = fmin(worst, cells[i].robust);
        count++;
    }
    if (count)
        printf("geometric mean of ray cells: robust %.3f, fast %.3f; worst robust cell %.3f\n", exp(robust / count),
               exp(fast / count), worst);
}

void bench_report_finish(const char *json_path)
{
    print_means();
    FILE *file = json_path ? fopen(json_path, "w") : NULL;
    if (!file) {
        if (json_path)
            fprintf(stderr, "cannot write %s\n", json_path);
        return;
    }
    fprintf(file, "[\n");
    for (uint32_t i = 0; i < cell_count; i++) {
        const struct summary *s = &cells[i];
        fprintf(file,
                "  {\"scene\": \"%s\", \"work\": \"%s\", \"threads\": %u, \"ratio_robust\": %.4f, \"ratio_fast\": %.4f, "
                "\"spread\": [%.4f, %.4f], \"cdxr\": %.4f, \"embree_robust\": %.4f, \"embree_fast\": %.4f, \"unit\": \"%s\"}%s\n",
                s->scene, s->work, s->threads, s->robust, s->fast, s->low, s->high, s->ours, s->other_robust, s->other_fast,
                s->unit, i + 1 < cell_count ? "," : "");
    }
    fprintf(file, "]\n");
    fclose(file);
}
