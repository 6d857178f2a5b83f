/* SPDX-License-Identifier: MIT
 * Compare what a resource holds with the rows of an expectation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vector.h"

struct comparison {
    const struct expectation *e;
    char message[512]; /* the first mismatch */
    unsigned bad_rows;
};

static bool near_enough(const struct expectation *e, double got, double expected)
{
    if (isnan(got) || isnan(expected))
        return isnan(got) && isnan(expected);
    return got == expected || fabs(got - expected) <= e->absolute + e->relative * fabs(expected);
}

static double half_order(uint32_t h) /* a number line of halves, for distances in ulps */
{
    return h & 0x8000 ? -(double)(h & 0x7fff) : (double)(h & 0x7fff);
}

static bool half_equal(const struct expectation *e, uint32_t got, uint32_t expected)
{
    bool got_nan = (got & 0x7fff) > 0x7c00, expected_nan = (expected & 0x7fff) > 0x7c00;
    if (got_nan || expected_nan)
        return got_nan && expected_nan;
    return fabs(half_order(got) - half_order(expected)) <= e->ulps;
}

static bool compare_word(const struct expectation *e, char letter, const uint32_t *got, const char *text)
{
    float f;
    double d;
    switch (letter) {
    case 'x':
        return true;
    case 'u':
        return *got == (uint32_t)strtoul(text, NULL, 16);
    case 's':
        return *got == (uint32_t)strtol(text, NULL, 10);
    case 'h':
        return half_equal(e, *got & 0xffff, (uint32_t)strtoul(text, NULL, 16) & 0xffff);
    case 'f':
        memcpy(&f, got, 4);
        return near_enough(e, f, (double)strtof(text, NULL)); /* the text is a float in nine digits */
    case 'd':
        memcpy(&d, got, 8);
        return near_enough(e, d, strtod(text, NULL));
    default:
        return false;
    }
}

/* Each letter takes a word of the row and a word of text; a pair of d takes one text. */
static void compare_row(struct comparison *c, uint32_t row, const uint32_t *words, char *text)
{
    const struct expectation *e = c->e;
    char *save = NULL, *token = strtok_r(text, " ", &save);
    bool bad = false;
    for (size_t i = 0; e->layout[i] && token; i++, token = strtok_r(NULL, " ", &save)) {
        char letter = e->layout[i];
        if (!compare_word(e, letter, words + i, token)) {
            float f;
            memcpy(&f, words + i, 4);
            if (!c->message[0])
                snprintf(c->message, sizeof(c->message), "row %u column %zu: got 0x%x (%g), expected %s",
                         e->first + row, i, words[i], letter == 'd' ? 0.0 : (double)f, token);
            bad = true;
        }
        i += letter == 'd';
    }
    c->bad_rows += bad;
}

/* Rows of a resource as words; elements of typed resources are decoded. */
static uint32_t *read_rows(struct run *run, struct resource *r, const struct expectation *e)
{
    size_t columns = strlen(e->layout);
    uint32_t *rows = calloc((size_t)e->row_count * columns + 4, sizeof(*rows));
    bool is_decoded = r->kind == RESOURCE_TYPED || r->kind == RESOURCE_TEXTURE;
    size_t unit = is_decoded ? format_bytes(r->format) : columns * 4;
    size_t offset = e->first * unit, total = e->row_count * unit;
    size_t held = r->kind == RESOURCE_TEXTURE ? (size_t)r->width * r->height * r->depth * r->sample_count * unit : r->byte_count;
    uint8_t *raw = calloc(1, held + 4096);
    bool ok = rows && raw && columns && offset + total <= held;
    if (ok && r->kind != RESOURCE_TEXTURE) {
        ok = gpu_buffer_read(&run->gpu, r->object, 0, raw, held);
    } else if (ok && r->sample_count > 1) {
        UINT pitch = r->width * r->sample_count * format_bytes(r->format);
        ok = gpu_submit(&run->gpu) &&
             SUCCEEDED(ID3D12Resource_ReadFromSubresource(r->object, raw, pitch, pitch * r->height, 0, NULL));
    } else if (ok) {
        uint32_t slices = strcmp(r->shape, "3d") == 0 ? 1 : r->depth;
        size_t slice_bytes = held / slices;
        for (uint32_t s = 0; s < slices && ok; s++)
            ok = gpu_texture_read(&run->gpu, r->object, s * r->mip_count, raw + s * slice_bytes);
    }
    for (uint32_t i = 0; ok && i < e->row_count; i++) {
        uint32_t decoded[4];
        if (is_decoded) {
            format_decode(r->format, raw + offset + i * unit, decoded);
            memcpy(rows + i * columns, decoded, (columns < 4 ? columns : 4) * 4);
        } else {
            memcpy(rows + i * columns, raw + offset + i * unit, unit);
        }
    }
    free(raw);
    if (!ok) {
        free(rows);
        return NULL;
    }
    return rows;
}

static bool check_counter(struct run *run, const struct step *step)
{
    struct resource *r = vector_resource(run->vector, step->name);
    uint32_t value = 0;
    if (!r || !r->counter_object || !gpu_buffer_read(&run->gpu, r->counter_object, 0, &value, 4))
        return false;
    if (value != step->values[0])
        printf("  line %d: counter of %s is %u, expected %u\n", step->line, step->name, value, step->values[0]);
    return value == step->values[0];
}

bool expect_check(struct run *run, const struct step *step)
{
    if (step->kind == STEP_EXPECT_COUNTER)
        return check_counter(run, step);
    const struct expectation *e = &step->expectation;
    struct resource *r = vector_resource(run->vector, e->resource);
    uint32_t *rows = r ? read_rows(run, r, e) : NULL;
    if (!rows) {
        printf("  line %d: %s could not be read\n", step->line, e->resource);
        return false;
    }
    struct comparison c = {.e = e};
    for (uint32_t i = 0; i < e->row_count; i++)
        compare_row(&c, i, rows + i * strlen(e->layout), e->rows[i]);
    free(rows);
    bool ok = c.bad_rows <= e->max_bad;
    if (!ok)
        printf("  line %d: %s: %u of %u rows differ; %s\n", step->line, e->resource, c.bad_rows, e->row_count, c.message);
    return ok;
}
