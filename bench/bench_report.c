/* SPDX-License-Identifier: MIT
 * Cells: a line each for people while they are measured, JSON for machines at the end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "bench.h"

enum { MAX_CELLS = 1024 };
static struct summary {
    char scene[32], work[48];
    uint32_t threads, repetitions;
    double robust, low, high, fast, fast_low, fast_high, ours, other_robust, other_fast;
    const char *unit;
    bool smaller_is_better;
} cells[MAX_CELLS];
static uint32_t cell_count;
static struct {
    char scene[32];
    const char *why;
} missing[16];
static uint32_t missing_count;

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

void bench_cell_add(struct bench_cell *cell, double ours, double robust, double fast)
{
    if (cell->count == BENCH_MAX_REPETITIONS)
        return;
    uint32_t slot = cell->count++;
    cell->ours[slot] = ours;
    cell->robust[slot] = robust;
    cell->fast[slot] = fast;
    cell->ratios_robust[slot] = robust > 0 ? ours / robust : 0;
    cell->ratios_fast[slot] = fast > 0 ? ours / fast : 0;
}

void bench_report_add(const struct bench_cell *cell)
{
    if (cell_count == MAX_CELLS || !cell->count)
        return;
    struct summary *s = &cells[cell_count++];
    memcpy(s->scene, cell->scene, sizeof(s->scene));
    memcpy(s->work, cell->work, sizeof(s->work));
    s->threads = cell->threads;
    s->repetitions = cell->count;
    s->unit = cell->unit;
    s->smaller_is_better = cell->smaller_is_better;
    s->ours = quantile(cell->ours, cell->count, 0.5);
    s->other_robust = quantile(cell->robust, cell->count, 0.5);
    s->other_fast = quantile(cell->fast, cell->count, 0.5);
    s->robust = quantile(cell->ratios_robust, cell->count, 0.5);
    s->low = quantile(cell->ratios_robust, cell->count, 0.1);
    s->high = quantile(cell->ratios_robust, cell->count, 0.9);
    s->fast = quantile(cell->ratios_fast, cell->count, 0.5);
    s->fast_low = quantile(cell->ratios_fast, cell->count, 0.1);
    s->fast_high = quantile(cell->ratios_fast, cell->count, 0.9);
    printf("%-12s %-26s %u  cdxr %8.3f  robust %8.3f  fast %8.3f %-9s  ratio %5.3f (%.3f .. %.3f)  fast %5.3f\n", s->scene,
           s->work, s->threads, s->ours, s->other_robust, s->other_fast, s->unit, s->robust, s->low, s->high, s->fast);
    fflush(stdout);
}

void bench_report_figure(const char *scene, const char *work, const char *unit, double ours, double embree)
{
    struct bench_cell cell = {.threads = 2, .unit = unit, .smaller_is_better = true};
    snprintf(cell.scene, sizeof(cell.scene), "%s", scene);
    snprintf(cell.work, sizeof(cell.work), "%s", work);
    bench_cell_add(&cell, ours, embree, embree);
    bench_report_add(&cell);
}

void bench_report_missing(const char *scene, const char *why)
{
    printf("%-12s left out: %s\n", scene, why);
    if (missing_count == sizeof(missing) / sizeof(missing[0]))
        return;
    snprintf(missing[missing_count].scene, sizeof(missing[0].scene), "%s", scene);
    missing[missing_count++].why = why;
}

/* Of the scenes' ray cells, arrays or single calls; not those of the flag table and of the growth. */
static bool is_mean_cell(const struct summary *s, bool single)
{
    return strcmp(s->unit, "Mray/s") == 0 && s->robust > 0 && !strstr(s->work, " by ") && !strstr(s->scene, "terrain ") &&
           (strstr(s->work, " single") != NULL) == single;
}

static void print_means(bool single)
{
    double robust = 0, fast = 0, worst = INFINITY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cell_count; i++) {
        if (!is_mean_cell(&cells[i], single))
            continue;
        robust += log(cells[i].robust);
        fast += log(cells[i].fast);
        worst = fmin(worst, cells[i].robust);
        count++;
    }
    if (count)
        printf("geometric mean of %u ray cells, %s: robust %.3f, fast %.3f; worst robust cell %.3f\n", count,
               single ? "single calls" : "arrays", exp(robust / count), exp(fast / count), worst);
}

static void write_cell(FILE *file, const struct summary *s)
{
    fprintf(file,
            "  {\"scene\": \"%s\", \"work\": \"%s\", \"threads\": %u, \"ratio_robust\": %.4f, \"ratio_fast\": %.4f, "
            "\"spread\": [%.4f, %.4f], \"spread_fast\": [%.4f, %.4f], \"cdxr\": %.4f, \"embree_robust\": %.4f, "
            "\"embree_fast\": %.4f, \"unit\": \"%s\", \"better\": \"%s\", \"repetitions\": %u}",
            s->scene, s->work, s->threads, s->robust, s->fast, s->low, s->high, s->fast_low, s->fast_high, s->ours,
            s->other_robust, s->other_fast, s->unit, s->smaller_is_better ? "smaller" : "larger", s->repetitions);
}

static void write_json(FILE *file)
{
    char date[32] = "";
    time_t now = time(NULL);
    strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&now));
    fprintf(file, "{\"cpu\": \"%s\", \"isa\": \"%s\", \"date\": \"%s\", \"quick\": %s, \"missing\": [", cpu_model_name(),
            cpu_isa_name(cpu_isa_best()), date, bench_options.quick ? "true" : "false");
    for (uint32_t i = 0; i < missing_count; i++)
        fprintf(file, "%s{\"scene\": \"%s\", \"why\": \"%s\"}", i ? ", " : "", missing[i].scene, missing[i].why);
    fprintf(file, "],\n \"cells\": [\n");
    for (uint32_t i = 0; i < cell_count; i++) {
        write_cell(file, &cells[i]);
        fprintf(file, "%s\n", i + 1 < cell_count ? "," : "");
    }
    fprintf(file, "]}\n");
}

void bench_report_finish(const char *json_path)
{
    print_means(false);
    print_means(true);
    if (!json_path)
        return;
    FILE *file = fopen(json_path, "w");
    if (!file) {
        fprintf(stderr, "cannot write %s\n", json_path);
        return;
    }
    write_json(file);
    fclose(file);
}
