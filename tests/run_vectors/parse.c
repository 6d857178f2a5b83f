/* SPDX-License-Identifier: MIT
 * Text to struct vector. A statement a line; continuation lines (indented data) belong to the statement before. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vector.h"

enum { MAX_WORDS = 300 };

struct parser {
    const char *path;
    FILE *file;
    int line;
    char text[65536];
    char *words[MAX_WORDS]; /* of the current line */
    size_t word_count;
    bool is_indented;
    bool pushed_back;
    bool failed;
};

static void fail(struct parser *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", p->path, p->line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    p->failed = true;
}

/* Next line that holds words; "ulps N" in a comment is kept as words because expectations use it. */
static bool next_line(struct parser *p)
{
    if (p->pushed_back) {
        p->pushed_back = false;
        return true;
    }
    while (!p->failed && fgets(p->text, sizeof(p->text), p->file)) {
        p->line++;
        p->is_indented = p->text[0] == ' ' || p->text[0] == '\t';
        char *comment = strchr(p->text, '#');
        char *ulps = comment ? strstr(comment, "ulps ") : NULL;
        if (comment && ulps && comment != p->text)
            memset(comment, ' ', (size_t)(ulps - comment));
        else if (comment)
            *comment = 0;
        p->word_count = 0;
        for (char *word = strtok(p->text, " \t\r\n"); word && p->word_count < MAX_WORDS; word = strtok(NULL, " \t\r\n"))
            p->words[p->word_count++] = word;
        if (p->word_count)
            return true;
    }
    return false;
}

static const char *word(struct parser *p, size_t index)
{
    if (index < p->word_count)
        return p->words[index];
    fail(p, "statement '%s' is too short", p->word_count ? p->words[0] : "");
    return "0";
}

static uint32_t number(struct parser *p, size_t index)
{
    return (uint32_t)strtoul(word(p, index), NULL, 0);
}

/* The word after the key, or NULL. */
static const char *after(struct parser *p, const char *key)
{
    for (size_t i = 1; i + 1 < p->word_count; i++)
        if (strcmp(p->words[i], key) == 0)
            return p->words[i + 1];
    return NULL;
}

static uint32_t number_after(struct parser *p, const char *key)
{
    const char *text = after(p, key);
    return text ? (uint32_t)strtoul(text, NULL, 0) : 0;
}

static void copy_text(char *to, size_t to_bytes, const char *from)
{
    snprintf(to, to_bytes, "%s", from);
}

#define APPEND(array, count) append_element((void **)&(array), &(count), sizeof(*(array)))
static void *append_element(void **array, size_t *count, size_t element_bytes)
{
    char *grown = realloc(*array, (*count + 1) * element_bytes);
    if (!grown)
        abort();
    *array = grown;
    memset(grown + *count * element_bytes, 0, element_bytes);
    return grown + (*count)++ * element_bytes;
}

static void push_words(struct resource *r, uint32_t value, size_t count)
{
    if (r->word_count + count > r->word_capacity) {
        r->word_capacity = (r->word_count + count) * 2;
        r->words = realloc(r->words, r->word_capacity * sizeof(*r->words));
        if (!r->words)
            abort();
    }
    for (size_t i = 0; i < count; i++)
        r->words[r->word_count++] = value;
}

static void parse_data(struct parser *p, struct resource *r)
{
    size_t mip = 0;
    while (next_line(p)) {
        if (!p->is_indented) {
            p->pushed_back = true;
            break;
        }
        if (strcmp(p->words[0], "mip") == 0) {
            mip = number(p, 1);
            if (mip >= MAX_MIPS) {
                fail(p, "mip %zu, at most %d", mip, MAX_MIPS - 1);
                return;
            }
            r->mip_start[mip] = r->word_count;
            continue;
        }
        for (size_t i = 0; i < p->word_count; i++) {
            char *end;
            uint32_t value = (uint32_t)strtoul(p->words[i], &end, 16);
            push_words(r, value, *end == '*' ? strtoul(end + 1, NULL, 10) : 1);
        }
    }
    for (size_t i = mip + 1; i <= MAX_MIPS; i++)
        r->mip_start[i] = r->word_count;
}

static void parse_texture(struct parser *p, struct resource *r)
{
    r->kind = RESOURCE_TEXTURE;
    copy_text(r->shape, sizeof(r->shape), word(p, 3));
    r->width = number(p, 4);
    r->height = number(p, 5);
    r->depth = number(p, 6);
    r->mip_count = number_after(p, "mips");
    r->sample_count = number_after(p, "samples");
}

static D3D12_FILTER_TYPE filter_of(struct parser *p, const char *key)
{
    const char *text = after(p, key);
    return text && strcmp(text, "linear") == 0 ? D3D12_FILTER_TYPE_LINEAR : D3D12_FILTER_TYPE_POINT;
}

static void parse_sampler(struct parser *p, struct resource *r)
{
    r->kind = RESOURCE_SAMPLER;
    D3D12_SAMPLER_DESC *s = &r->sampler;
    uint32_t compare = number_after(p, "compare");
    s->Filter = (D3D12_FILTER)((filter_of(p, "min") << 4) | (filter_of(p, "mag") << 2) | filter_of(p, "mip") |
                               (compare ? 0x80 : 0));
    s->ComparisonFunc = (D3D12_COMPARISON_FUNC)(compare ? compare : D3D12_COMPARISON_FUNC_NEVER);
    const char *bias = after(p, "lodbias");
    s->MipLODBias = bias ? strtof(bias, NULL) : 0;
    s->MaxLOD = D3D12_FLOAT32_MAX;
    s->MaxAnisotropy = 1;
    for (size_t i = 1; i + 4 < p->word_count; i++) {
        if (strcmp(p->words[i], "address") == 0) {
            s->AddressU = (D3D12_TEXTURE_ADDRESS_MODE)number(p, i + 1);
            s->AddressV = (D3D12_TEXTURE_ADDRESS_MODE)number(p, i + 2);
            s->AddressW = (D3D12_TEXTURE_ADDRESS_MODE)number(p, i + 3);
        } else if (strcmp(p->words[i], "border") == 0) {
            for (size_t k = 0; k < 4; k++)
                s->BorderColor[k] = strtof(p->words[i + 1 + k], NULL);
        }
    }
}

static void parse_resource(struct parser *p, struct vector *v)
{
    static const char *const kinds[] = {"raw", "structured", "counted", "typed", "cbuffer", "constants"};
    struct resource *r = APPEND(v->resources, v->resource_count);
    copy_text(r->name, sizeof(r->name), word(p, 1));
    const char *kind = word(p, 2);
    if (strcmp(kind, "texture") == 0) {
        parse_texture(p, r);
    } else if (strcmp(kind, "sampler") == 0) {
        parse_sampler(p, r);
    } else {
        size_t i = 0;
        while (i < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[i], kind) != 0)
            i++;
        if (i == sizeof(kinds) / sizeof(kinds[0]))
            fail(p, "resource kind '%s' is not known", kind);
        r->kind = (enum resource_kind)i;
    }
    r->stride = number_after(p, "stride");
    r->counter = number_after(p, "counter");
    r->byte_count = number_after(p, "bytes");
    const char *format = after(p, "format");
    if (format && (r->format = format_by_name(format)) == DXGI_FORMAT_UNKNOWN)
        fail(p, "format '%s' is not known", format);
    parse_data(p, r);
}

static void parse_floats(struct parser *p, struct geometry *g, size_t count)
{
    g->floats = calloc(count ? count : 1, sizeof(float));
    while (g->floats && g->float_count < count && next_line(p))
        for (size_t i = 0; i < p->word_count && g->float_count < count; i++)
            g->floats[g->float_count++] = strtof(p->words[i], NULL);
}

static void parse_indices(struct parser *p, struct geometry *g)
{
    if (!next_line(p) || strcmp(p->words[0], "indices") != 0) {
        fail(p, "'indices' expected after the vertices");
        return;
    }
    if (p->word_count > 1 && strcmp(p->words[1], "linear") == 0)
        return;
    g->indices = calloc(g->index_count ? g->index_count : 1, sizeof(uint32_t));
    size_t count = 0, first = 1;
    while (g->indices && count < g->index_count) {
        for (size_t i = first; i < p->word_count && count < g->index_count; i++)
            g->indices[count++] = number(p, i);
        first = 0;
        if (count < g->index_count && !next_line(p))
            return;
    }
}

static void parse_blas(struct parser *p, struct vector *v)
{
    struct blas *b = APPEND(v->blases, v->blas_count);
    copy_text(b->name, sizeof(b->name), word(p, 1));
    while (next_line(p) && strcmp(p->words[0], "end") != 0) {
        struct geometry *g = APPEND(b->geometries, b->geometry_count);
        g->flags = number_after(p, "flags");
        g->is_boxes = strcmp(p->words[0], "boxes") == 0;
        g->vertex_count = number_after(p, g->is_boxes ? "count" : "vertices");
        g->index_count = number_after(p, "indices");
        if (!g->is_boxes && strcmp(p->words[0], "triangles") != 0) {
            fail(p, "geometry '%s' is not known", p->words[0]);
            return;
        }
        parse_floats(p, g, (size_t)g->vertex_count * (g->is_boxes ? 6 : 3));
        if (!g->is_boxes)
            parse_indices(p, g);
    }
}

static void parse_omm(struct parser *p, struct vector *v)
{
    struct omm *o = APPEND(v->omms, v->omm_count);
    copy_text(o->blas, sizeof(o->blas), word(p, 1));
    o->geometry = number_after(p, "geometry");
    o->primitive = number_after(p, "primitive");
    o->level = number_after(p, "level");
    const char *format = after(p, "format");
    o->is_4state = format && strcmp(format, "4state") == 0;
    for (size_t i = 1; i < p->word_count; i++)
        if (strcmp(p->words[i], "data") == 0)
            for (i++; i < p->word_count && o->data_bytes < sizeof(o->data); i++)
                o->data[o->data_bytes++] = (uint8_t)number(p, i);
}

static void parse_instance(struct parser *p, struct vector *v)
{
    struct instance *n = APPEND(v->instances, v->instance_count);
    copy_text(n->blas, sizeof(n->blas), word(p, 1));
    n->id = number_after(p, "id");
    n->mask = number_after(p, "mask");
    n->contribution = number_after(p, "contribution");
    n->flags = number_after(p, "flags");
    for (size_t i = 1; i + 12 < p->word_count; i++)
        if (strcmp(p->words[i], "transform") == 0)
            for (size_t k = 0; k < 12; k++)
                n->transform[k] = strtof(p->words[i + 1 + k], NULL);
}

static void parse_record(struct parser *p, struct vector *v)
{
    static const char *const kinds[RECORD_KIND_COUNT] = {"raygen", "miss", "hit", "callable"};
    struct record *r = APPEND(v->records, v->record_count);
    size_t kind = 0;
    while (kind < RECORD_KIND_COUNT && strcmp(kinds[kind], word(p, 1)) != 0)
        kind++;
    if (kind == RECORD_KIND_COUNT)
        fail(p, "record kind '%s' is not known", word(p, 1));
    r->kind = (enum record_kind)kind;
    r->index = number(p, 2);
    copy_text(r->entry, sizeof(r->entry), word(p, 3));
    const char *text = after(p, "closesthit");
    copy_text(r->closest_hit, sizeof(r->closest_hit), text ? text : "-");
    text = after(p, "anyhit");
    copy_text(r->any_hit, sizeof(r->any_hit), text ? text : "-");
    text = after(p, "intersection");
    copy_text(r->intersection, sizeof(r->intersection), text ? text : "-");
}

static void parse_binding(struct parser *p, struct binding *b)
{
    const char *reg = word(p, 1);
    b->register_class = reg[0];
    b->index = (uint32_t)strtoul(reg + 1, NULL, 10);
    b->space = number_after(p, "space");
    copy_text(b->resource, sizeof(b->resource), word(p, 4));
}

static void parse_local(struct parser *p, struct vector *v)
{
    if (!v->record_count) {
        fail(p, "'local' before any record");
        return;
    }
    struct record *r = &v->records[v->record_count - 1];
    parse_binding(p, APPEND(r->locals, r->local_count));
}

static void parse_heap(struct parser *p, struct vector *v, char register_class)
{
    struct binding *b = APPEND(v->bindings, v->binding_count);
    b->register_class = register_class;
    b->index = number(p, 1);
    copy_text(b->resource, sizeof(b->resource), word(p, 2));
}

static void parse_expect_rows(struct parser *p, struct expectation *e)
{
    e->rows = calloc(e->row_count ? e->row_count : 1, sizeof(*e->rows));
    for (uint32_t row = 0; e->rows && row < e->row_count; row++) {
        if (!next_line(p)) {
            fail(p, "%u rows expected, %u found", e->row_count, row);
            return;
        }
        size_t used = 0;
        for (size_t i = 0; i < p->word_count; i++)
            used += (size_t)snprintf(e->rows[row] + used, sizeof(e->rows[row]) - used, "%s ", p->words[i]);
    }
}

static void parse_expect(struct parser *p, struct vector *v, struct step *s)
{
    s->kind = STEP_EXPECT;
    struct expectation *e = &s->expectation;
    copy_text(e->resource, sizeof(e->resource), word(p, 1));
    const char *layout = after(p, "layout");
    copy_text(e->layout, sizeof(e->layout), layout ? layout : "");
    const char *absolute = after(p, "abs"), *relative = after(p, "rel");
    e->absolute = absolute ? strtod(absolute, NULL) : 0;
    e->relative = relative ? strtod(relative, NULL) : 0;
    e->max_bad = number_after(p, "maxbad");
    e->first = number_after(p, "first");
    e->row_count = number_after(p, "rows");
    e->ulps = number_after(p, "ulps");
    struct resource *r = vector_resource(v, e->resource);
    if (!r)
        fail(p, "resource '%s' is not defined", e->resource);
    else
        r->is_written = true;
    parse_expect_rows(p, e);
}

static void parse_step(struct parser *p, struct vector *v)
{
    const char *kind = p->words[0];
    struct step s = {.line = p->line, .record_count = v->record_count};
    if (strcmp(kind, "expect") == 0) {
        parse_expect(p, v, &s);
    } else if (strcmp(kind, "dispatchrays") == 0) {
        s.kind = STEP_DISPATCH_RAYS;
        for (size_t i = 0; i < 3; i++)
            s.values[i] = number(p, i + 1);
    } else {
        s.kind = strcmp(kind, "dispatch") == 0 ? STEP_DISPATCH : strcmp(kind, "poke") == 0 ? STEP_POKE : STEP_EXPECT_COUNTER;
        copy_text(s.name, sizeof(s.name), word(p, 1));
        for (size_t i = 0; i < 3 && i + 2 < p->word_count; i++)
            s.values[i] = number(p, i + 2);
    }
    struct step *to = APPEND(v->steps, v->step_count);
    *to = s;
}

static void parse_config(struct parser *p, struct vector *v)
{
    v->payload_bytes = number_after(p, "payload");
    v->attribute_bytes = number_after(p, "attributes");
    v->recursion = number_after(p, "recursion");
    v->flags = number_after(p, "flags");
}

static void parse_statement(struct parser *p, struct vector *v)
{
    const char *kind = p->words[0];
    if (strcmp(kind, "test") == 0)
        copy_text(v->test, sizeof(v->test), word(p, 1));
    else if (strcmp(kind, "resource") == 0)
        parse_resource(p, v);
    else if (strcmp(kind, "module") == 0 && v->module_count < 8)
        copy_text(v->modules[v->module_count++], sizeof(v->modules[0]), word(p, 1));
    else if (strcmp(kind, "config") == 0)
        parse_config(p, v);
    else if (strcmp(kind, "blas") == 0)
        parse_blas(p, v);
    else if (strcmp(kind, "omm") == 0)
        parse_omm(p, v);
    else if (strcmp(kind, "instance") == 0)
        parse_instance(p, v);
    else if (strcmp(kind, "wavesize") == 0)
        v->wave_size = number(p, 1);
    else if (strcmp(kind, "bind") == 0)
        parse_binding(p, APPEND(v->bindings, v->binding_count));
    else if (strcmp(kind, "heap") == 0)
        parse_heap(p, v, 'h');
    else if (strcmp(kind, "samplerheap") == 0)
        parse_heap(p, v, 'p');
    else if (strcmp(kind, "record") == 0)
        parse_record(p, v);
    else if (strcmp(kind, "local") == 0)
        parse_local(p, v);
    else if (strcmp(kind, "poke") == 0 || strncmp(kind, "dispatch", 8) == 0 || strncmp(kind, "expect", 6) == 0)
        parse_step(p, v);
    else
        fail(p, "statement '%s' is not known", kind);
}

bool vector_parse(const char *path, struct vector *vector)
{
    struct parser *p = calloc(1, sizeof(*p));
    if (!p)
        return false;
    p->path = path;
    p->file = fopen(path, "r");
    if (!p->file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        free(p);
        return false;
    }
    struct resource *tlas = APPEND(vector->resources, vector->resource_count);
    tlas->kind = RESOURCE_TLAS;
    copy_text(tlas->name, sizeof(tlas->name), "TLAS");
    while (next_line(p))
        parse_statement(p, vector);
    bool ok = !p->failed;
    fclose(p->file);
    free(p);
    return ok;
}

struct resource *vector_resource(struct vector *vector, const char *name)
{
    for (size_t i = 0; i < vector->resource_count; i++)
        if (strcmp(vector->resources[i].name, name) == 0)
            return &vector->resources[i];
    return NULL;
}

void vector_free(struct vector *v)
{
    for (size_t i = 0; i < v->resource_count; i++)
        free(v->resources[i].words);
    for (size_t i = 0; i < v->blas_count; i++) {
        for (size_t g = 0; g < v->blases[i].geometry_count; g++) {
            free(v->blases[i].geometries[g].floats);
            free(v->blases[i].geometries[g].indices);
        }
        free(v->blases[i].geometries);
    }
    for (size_t i = 0; i < v->record_count; i++)
        free(v->records[i].locals);
    for (size_t i = 0; i < v->step_count; i++)
        free(v->steps[i].expectation.rows);
    free(v->resources);
    free(v->blases);
    free(v->omms);
    free(v->instances);
    free(v->bindings);
    free(v->records);
    free(v->steps);
    memset(v, 0, sizeof(*v));
}
