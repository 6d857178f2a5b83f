/* SPDX-License-Identifier: MIT
 * From container bytes to a checked module: the order of the checker's steps, and the module's life. See module.h for the
 * result and reader.h for the steps. */
#include "dxil/module.h"

#include <stdlib.h>
#include <string.h>

#include "dxil/reader.h"

enum {
    MODULE_VERSION = 1,
    MODULE_TRIPLE = 2,
    MODULE_DATALAYOUT = 3,
    MODULE_GLOBALVAR = 7,
    MODULE_FUNCTION = 8,
};

/* A module with the memory behind its description. */
struct module_memory {
    struct dxil_module module;
    struct arena arena;
    uint8_t *bitcode;
};

/* What DXC writes in this order; a later phase may refer to an earlier one only. */
enum phase { PHASE_START, PHASE_GROUPS, PHASE_LISTS, PHASE_TYPES, PHASE_GLOBALS, PHASE_CONSTANTS, PHASE_METADATA, PHASE_SYMBOLS, PHASE_BODIES };

struct module_walk {
    struct ir_reader *r;
    const struct dxil_program *program;
    enum phase phase;
    bool has_version, has_layout, has_triple;
};

static bool enter_phase(struct module_walk *w, enum phase phase, bool repeatable)
{
    if (w->phase > phase || (w->phase == phase && !repeatable))
        return reader_corrupt(w->r, "DXIL module has its parts in another order than LLVM writes them");
    w->phase = phase;
    return true;
}

static bool text_is(const struct ir_record *record, const char *text)
{
    size_t length = strlen(text);
    if (record->count != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (record->operands[i] != (uint8_t)text[i])
            return false;
    return true;
}

/* LLVM 19 insists on bytes of eight bits' alignment; nothing in DXIL depends on theirs. */
static bool read_layout(struct module_walk *w, struct ir_record *record)
{
    static const char minimum_precision[] =
        "e-m:e-p:32:32-i1:32-i8:32-i16:32-i32:32-i64:64-f16:32-f32:32-f64:64-n8:16:32:64";
    static const char native[] = "e-m:e-p:32:32-i1:32-i8:8-i16:16-i32:32-i64:64-f16:16-f32:32-f64:64-n8:16:32:64";
    bool is_native = text_is(record, native);
    if (w->has_layout || (!is_native && !text_is(record, minimum_precision)))
        return reader_corrupt(w->r, "DXIL module has an unknown data layout");
    w->r->module->native_16bit = is_native;
    w->has_layout = true;
    if (!is_native) {
        size_t at = (size_t)(strstr(minimum_precision, "i8:32") - minimum_precision) + 3;
        record->operands[at] = '0';
        record->operands[at + 1] = '8';
    }
    return true;
}

static bool read_module_record(struct module_walk *w, uint32_t index)
{
    struct ir_record record = reader_record(w->r, index);
    switch (record.item->code) {
    case MODULE_VERSION:
        if (w->has_version || record.count != 1 || record.operands[0] != 1)
            return reader_corrupt(w->r, "DXIL module has an unknown bitcode version");
        w->has_version = true;
        return true;
    case MODULE_TRIPLE:
        if (w->has_triple || !text_is(&record, "dxil-ms-dx"))
            return reader_corrupt(w->r, "DXIL module is for another target than dxil-ms-dx");
        w->has_triple = true;
        return true;
    case MODULE_DATALAYOUT:
        return read_layout(w, &record);
    case MODULE_GLOBALVAR:
        return enter_phase(w, PHASE_GLOBALS, true) && reader_global_variable(w->r, index);
    case MODULE_FUNCTION:
        return enter_phase(w, PHASE_GLOBALS, true) && reader_function_declaration(w->r, index);
    }
    return reader_corrupt(w->r, "unknown module record %u in the DXIL module", record.item->code);
}

/* Everything is known but the bodies. */
static bool begin_bodies(struct module_walk *w)
{
    struct ir_reader *r = w->r;
    r->module_value_count = r->value_count;
    r->module_metadata_count = r->metadata_count;
    if (!w->has_version || !w->has_layout || !w->has_triple)
        return reader_corrupt(r, "DXIL module lacks its version, target or data layout");
    return reader_check_initializers(r) && reader_check_symbols(r) && reader_check_debug_info(r) &&
           reader_describe(r, w->program);
}

static bool read_body(struct module_walk *w, uint32_t enter)
{
    if (w->phase != PHASE_BODIES && !begin_bodies(w))
        return false;
    return enter_phase(w, PHASE_BODIES, true) && reader_function_body(w->r, enter);
}

static bool read_block(struct module_walk *w, uint32_t enter)
{
    struct ir_reader *r = w->r;
    switch (r->stream.items[enter].code) {
    case BLOCK_PARAMATTR_GROUP:
        return enter_phase(w, PHASE_GROUPS, false) && reader_attribute_groups(r, enter);
    case BLOCK_PARAMATTR:
        return enter_phase(w, PHASE_LISTS, false) && reader_attribute_lists(r, enter);
    case BLOCK_TYPES:
        return enter_phase(w, PHASE_TYPES, false) && reader_types(r, enter);
    case BLOCK_CONSTANTS:
        return enter_phase(w, PHASE_CONSTANTS, false) && reader_constants(r, enter);
    case BLOCK_METADATA:
        return enter_phase(w, PHASE_METADATA, true) && reader_metadata(r, enter, false);
    case BLOCK_SYMBOLS:
        r->module_value_count = r->value_count;
        return enter_phase(w, PHASE_SYMBOLS, false) && reader_symbols(r, enter);
    case BLOCK_FUNCTION:
        return read_body(w, enter);
    case BLOCK_USELIST:
        r->stream.items[enter].dropped = true;
        return true;
    }
    return reader_corrupt(r, "unknown block %u in the DXIL module", r->stream.items[enter].code);
}

static bool all_bodies_read(struct module_walk *w)
{
    struct ir_reader *r = w->r;
    if (w->phase != PHASE_BODIES && !begin_bodies(w))
        return false;
    for (uint32_t i = r->next_body; i < r->function_count; i++)
        if (r->functions[i].defined)
            return reader_corrupt(r, "function %s has no body", reader_symbol(r->functions[i].name));
    return true;
}

static bool read_module(struct ir_reader *r, const struct dxil_program *program)
{
    struct module_walk walk = {.r = r, .program = program};
    if (r->stream.items[0].code != BLOCK_MODULE)
        return reader_corrupt(r, "DXIL bitcode does not hold a module");
    for (uint32_t i = 1; i < r->stream.items[0].exit_index; i++) {
        bool nested = r->stream.items[i].kind == BITSTREAM_ITEM_ENTER;
        if (nested ? !read_block(&walk, i) : !read_module_record(&walk, i))
            return false;
        if (nested)
            i = r->stream.items[i].exit_index;
    }
    return all_bodies_read(&walk) && reader_check_program(r);
}

static bool reader_begin(struct ir_reader *r)
{
    uint32_t items = r->stream.item_count;
    r->handle_type = IR_NONE;
    memset(r->scalar_types, 0xff, sizeof(r->scalar_types));
    r->value_capacity = items + IR_PARAMETERS_MAX;
    r->metadata_capacity = items;
    r->values = reader_allocate(r, &r->arena, r->value_capacity, sizeof(*r->values));
    r->metadata = reader_allocate(r, &r->arena, r->metadata_capacity, sizeof(*r->metadata));
    r->globals = reader_allocate(r, &r->arena, items, sizeof(*r->globals));
    r->functions = reader_allocate(r, &r->arena, items, sizeof(*r->functions));
    if (!r->values || !r->metadata || !r->globals || !r->functions)
        return false;
    for (uint32_t i = 0; i < r->value_capacity; i++)
        r->values[i].type = IR_NONE;
    return true;
}

static enum status check_bitcode(const struct dxil_program *program, struct module_memory *memory, struct reason *reason)
{
    struct ir_reader reader = {.output = &memory->arena, .module = &memory->module, .reason = reason};
    RETURN_IF_FAILED(bitstream_read(program->bitcode, program->bitcode_bytes, &reader.stream, reason));
    if (reader_begin(&reader) && read_module(&reader, program)) {
        size_t byte_count;
        if (bitstream_write(&reader.stream, &memory->bitcode, &byte_count) != STATUS_OK)
            reader_fail(&reader, STATUS_OUT_OF_MEMORY, "out of memory writing checked bitcode");
        memory->module.bitcode = memory->bitcode;
        memory->module.bitcode_bytes = byte_count;
    }
    bitstream_finish(&reader.stream);
    arena_finish(&reader.arena);
    arena_finish(&reader.scratch);
    return reader.status;
}

enum status dxil_module_create(const void *bytes, size_t byte_count, const struct dxil_options *options,
                               struct dxil_module **module, struct reason *reason)
{
    struct dxil_options defaults = dxil_options_default();
    struct reason own = {{0}};
    struct dxil_container container;
    struct dxil_program program;
    if (!options)
        options = &defaults;
    if (!reason)
        reason = &own;
    RETURN_IF_FAILED(dxil_container_parse(bytes, byte_count, options, &container, reason));
    RETURN_IF_FAILED(dxil_container_program(&container, options->prefer_debug, &program, reason));
    if (program.shader_kind != DXIL_SHADER_KIND_LIBRARY && program.shader_kind != DXIL_SHADER_KIND_COMPUTE)
        return reason_set(reason, STATUS_UNSUPPORTED, "%s shaders are not supported: libraries and compute shaders are",
                          dxil_shader_kind_name(program.shader_kind));
    struct module_memory *memory = calloc(1, sizeof(*memory));
    if (!memory)
        return reason_set(reason, STATUS_OUT_OF_MEMORY, "out of memory loading a DXIL module");
    memory->module.hash_kind = container.hash_kind;
    const struct dxil_part *features = dxil_container_find(&container, DXIL_PART_KIND_FEATURE_INFO);
    if (features && features->data_bytes >= 8)
        memcpy(&memory->module.feature_flags, features->data, 8);
    enum status status = check_bitcode(&program, memory, reason);
    if (status != STATUS_OK) {
        dxil_module_destroy(&memory->module);
        return status;
    }
    *module = &memory->module;
    return STATUS_OK;
}

void dxil_module_destroy(struct dxil_module *module)
{
    if (!module)
        return;
    if (module->destroy) {
        module->destroy(module);
        return;
    }
    struct module_memory *memory = (struct module_memory *)module; /* its first member */
    arena_finish(&memory->arena);
    free(memory->bitcode);
    free(memory);
}

const struct dxil_function *dxil_module_find_function(const struct dxil_module *module, const char *name, bool *ambiguous)
{
    const struct dxil_function *found = NULL;
    uint32_t matches = 0;
    if (ambiguous)
        *ambiguous = false;
    for (uint32_t i = 0; i < module->function_count; i++) {
        const struct dxil_function *function = &module->functions[i];
        if (strcmp(function->name, name) == 0)
            return function;
        if (strcmp(function->plain_name, name) == 0) {
            found = function;
            matches++;
        }
    }
    if (matches > 1 && ambiguous)
        *ambiguous = true;
    return matches == 1 ? found : NULL;
}

const char *dxil_name_plain(const char *mangled, size_t *length_bytes)
{
    const char *start = mangled;
    if (start[0] == 1 && start[1] == '?') {
        start += 2;
        const char *end = strchr(start, '@');
        if (end && end != start) {
            *length_bytes = (size_t)(end - start);
            return start;
        }
    }
    *length_bytes = strlen(mangled);
    return mangled;
}
