/* SPDX-License-Identifier: MIT
 * The description of a module from its dx.* metadata: shader model, entry points with their properties, functions. The
 * resources are in describe_resources.c. See reader.h. */
#include <string.h>

#include "dxil/describe.h"

enum property_tag {
    PROPERTY_SHADER_FLAGS = 0,
    PROPERTY_NUM_THREADS = 4,
    PROPERTY_PAYLOAD_BYTES = 6,
    PROPERTY_ATTRIBUTE_BYTES = 7,
    PROPERTY_SHADER_KIND = 8,
    PROPERTY_WAVE_SIZE = 11,
    PROPERTY_WAVE_RANGE = 23,
};

enum { THREADS_MAX = 1024, PAYLOAD_MAX_BYTES = 1 << 16 };

bool metadata_integer(const struct ir_reader *r, const struct ir_metadata *metadata, uint64_t *integer)
{
    if (!metadata || metadata->kind != IR_METADATA_VALUE)
        return false;
    const struct ir_value *value = &r->values[metadata->value];
    if (value->kind != IR_VALUE_INTEGER)
        return false;
    *integer = value->integer;
    return true;
}

bool metadata_integer_at(struct ir_reader *r, const struct ir_metadata *node, uint32_t index, uint64_t maximum,
                         const char *what, uint64_t *integer)
{
    if (!metadata_integer(r, metadata_operand(r, node, index), integer) || *integer > maximum)
        return reader_corrupt(r, "DXIL metadata: %s is missing or out of range", what);
    return true;
}

const char *metadata_text(const struct ir_metadata *metadata)
{
    return metadata && metadata->kind == IR_METADATA_STRING ? metadata->text : NULL;
}

/* Operand index of a named metadata, which must be a node. NULL if it is not there. */
static const struct ir_metadata *named_node(const struct ir_reader *r, const char *name, uint32_t index)
{
    const struct ir_named_metadata *named = reader_named(r, name);
    if (!named || index >= named->count || r->metadata[named->ids[index]].kind != IR_METADATA_NODE)
        return NULL;
    return &r->metadata[named->ids[index]];
}

static bool read_version(struct ir_reader *r, const char *name, uint32_t *major, uint32_t *minor)
{
    const struct ir_metadata *node = named_node(r, name, 0);
    uint64_t values[2];
    if (!metadata_integer_at(r, node, 0, 0xffff, name, &values[0]) ||
        !metadata_integer_at(r, node, 1, 0xffff, name, &values[1]))
        return false;
    *major = (uint32_t)values[0];
    *minor = (uint32_t)values[1];
    return true;
}

static bool read_shader_model(struct ir_reader *r, const struct dxil_program *program)
{
    struct dxil_module *module = r->module;
    const struct ir_metadata *node = named_node(r, "dx.shaderModel", 0);
    const char *kind = metadata_text(metadata_operand(r, node, 0));
    uint64_t major, minor;
    if (!kind)
        return reader_corrupt(r, "DXIL module does not name its shader model (dx.shaderModel)");
    if (!metadata_integer_at(r, node, 1, 15, "major version of the shader model", &major) ||
        !metadata_integer_at(r, node, 2, 15, "minor version of the shader model", &minor))
        return false;
    if (strcmp(kind, "lib") != 0 && strcmp(kind, "cs") != 0)
        return reader_fail(r, STATUS_UNSUPPORTED, "shader of the kind '%.8s' is not supported: libraries and compute "
                           "shaders are", kind);
    if (major != 6 || minor > 10)
        return reader_fail(r, STATUS_UNSUPPORTED, "shader model %llu.%llu is not supported: 6.0 to 6.9 are, and 6.10 as a "
                           "preview", (unsigned long long)major, (unsigned long long)minor);
    module->shader_kind = strcmp(kind, "lib") == 0 ? DXIL_SHADER_KIND_LIBRARY : DXIL_SHADER_KIND_COMPUTE;
    module->major = (uint32_t)major;
    module->minor = (uint32_t)minor;
    if (module->shader_kind != program->shader_kind || major != program->major || minor != program->minor)
        return reader_corrupt(r, "DXIL program header says %s %u.%u, the module says %s_%u_%u",
                              dxil_shader_kind_name(program->shader_kind), program->major, program->minor, kind,
                              module->major, module->minor);
    return true;
}

static bool read_threads(struct ir_reader *r, const struct ir_metadata *node, struct dxil_function *function)
{
    uint64_t total = 1;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t count;
        if (!metadata_integer_at(r, node, i, THREADS_MAX, "numthreads", &count))
            return false;
        function->thread_count[i] = (uint32_t)count;
        total *= count;
    }
    if (total == 0 || total > THREADS_MAX || function->thread_count[2] > 64)
        return reader_corrupt(r, "shader %s has numthreads(%u, %u, %u): 1 to 1024 threads, z up to 64, are allowed",
                              function->plain_name, function->thread_count[0], function->thread_count[1],
                              function->thread_count[2]);
    return true;
}

static bool is_wave_size(uint64_t size)
{
    return size >= 4 && size <= 128 && (size & (size - 1)) == 0;
}

static bool read_wave_range(struct ir_reader *r, const struct ir_metadata *node, bool range, struct dxil_function *function)
{
    uint64_t sizes[3] = {0};
    for (uint32_t i = 0; i < (range ? 3 : 1); i++)
        if (!metadata_integer_at(r, node, i, 128, "wave size", &sizes[i]))
            return false;
    if (!range)
        sizes[1] = sizes[2] = sizes[0];
    if (sizes[1] == 0) /* [WaveSize(n)] of 6.8: only the minimum is given */
        sizes[1] = sizes[0];
    bool valid = is_wave_size(sizes[0]) && is_wave_size(sizes[1]) && sizes[0] <= sizes[1] &&
                 (sizes[2] == 0 || (is_wave_size(sizes[2]) && sizes[0] <= sizes[2] && sizes[2] <= sizes[1]));
    if (!valid)
        return reader_corrupt(r, "shader %s has an impossible wave size", function->plain_name);
    function->wave_minimum = (uint32_t)sizes[0];
    function->wave_maximum = (uint32_t)sizes[1];
    function->wave_preferred = (uint32_t)sizes[2];
    return true;
}

static bool read_property(struct ir_reader *r, uint64_t tag, const struct ir_metadata *list, uint32_t index,
                          struct dxil_function *function)
{
    const struct ir_metadata *value = metadata_operand(r, list, index);
    uint64_t integer;
    switch (tag) {
    case PROPERTY_SHADER_FLAGS:
        return metadata_integer_at(r, list, index, UINT64_MAX, "shader flags", &function->entry_flags);
    case PROPERTY_NUM_THREADS:
        return read_threads(r, value, function);
    case PROPERTY_WAVE_SIZE:
        return read_wave_range(r, value, false, function);
    case PROPERTY_WAVE_RANGE:
        return read_wave_range(r, value, true, function);
    case PROPERTY_PAYLOAD_BYTES:
        if (!metadata_integer_at(r, list, index, PAYLOAD_MAX_BYTES, "payload size", &integer))
            return false;
        function->payload_bytes = (uint32_t)integer;
        return true;
    case PROPERTY_ATTRIBUTE_BYTES:
        if (!metadata_integer_at(r, list, index, PAYLOAD_MAX_BYTES, "attribute size", &integer))
            return false;
        function->attribute_bytes = (uint32_t)integer;
        return true;
    case PROPERTY_SHADER_KIND:
        if (!metadata_integer_at(r, list, index, DXIL_SHADER_KIND_INVALID - 1, "shader kind", &integer))
            return false;
        function->kind = (enum dxil_shader_kind)integer;
        return true;
    }
    return true; /* others do not concern raytracing and compute */
}

static bool read_properties(struct ir_reader *r, const struct ir_metadata *list, struct dxil_function *function)
{
    if (!list)
        return true;
    if (list->kind != IR_METADATA_NODE || list->count % 2)
        return reader_corrupt(r, "malformed properties of the shader %s", function->plain_name);
    for (uint32_t i = 0; i < list->count; i += 2) {
        uint64_t tag;
        if (!metadata_integer_at(r, list, i, UINT32_MAX, "property tag", &tag) ||
            !read_property(r, tag, list, i + 1, function))
            return false;
    }
    return true;
}

/* dx.dxrPayloadAnnotations: nodes of {tag, undef of a struct type, its fields' qualifiers, undef of the next type, ...}. */
static bool payload_is_qualified(const struct ir_reader *r, uint32_t type)
{
    const struct ir_named_metadata *annotations = reader_named(r, "dx.dxrPayloadAnnotations");
    for (uint32_t n = 0; annotations && n < annotations->count; n++) {
        const struct ir_metadata *node = named_node(r, "dx.dxrPayloadAnnotations", n);
        for (uint32_t i = 1; node && node->kind == IR_METADATA_NODE && i < node->count; i += 2) {
            const struct ir_metadata *value = metadata_operand(r, node, i);
            if (value && value->kind == IR_METADATA_VALUE && r->values[value->value].type == type)
                return true;
        }
    }
    return false;
}

/* Parameters that a shader of a kind has: payload and attributes are pointers to structs. */
static bool read_entry_type(struct ir_reader *r, const struct ir_function *function, struct dxil_function *entry)
{
    static const uint8_t parameter_counts[] = {
        [DXIL_SHADER_KIND_COMPUTE] = 0,      [DXIL_SHADER_KIND_RAYGENERATION] = 0, [DXIL_SHADER_KIND_INTERSECTION] = 0,
        [DXIL_SHADER_KIND_ANYHIT] = 2,       [DXIL_SHADER_KIND_CLOSESTHIT] = 2,    [DXIL_SHADER_KIND_MISS] = 1,
        [DXIL_SHADER_KIND_CALLABLE] = 1,
    };
    const struct ir_type *type = &r->types[function->type];
    bool valid = function->defined && r->types[type->element].kind == IR_TYPE_VOID &&
                 type->count == parameter_counts[entry->kind];
    for (uint32_t i = 0; valid && i < type->count; i++) {
        const struct ir_type *parameter = &r->types[type->elements[i]];
        valid = parameter->kind == IR_TYPE_POINTER && parameter->address_space == 0 &&
                type_is_first_class(&r->types[parameter->element]) && !r->types[parameter->element].not_plain &&
                r->types[parameter->element].byte_count <= IR_VARIABLE_MAX_BYTES;
        if (valid)
            *(i ? &entry->attribute_memory_bytes : &entry->payload_memory_bytes) =
                (uint32_t)r->types[parameter->element].byte_count;
    }
    if (!valid)
        return reader_corrupt(r, "%s shader %s does not have the parameters of its kind or no body",
                              dxil_shader_kind_name(entry->kind), entry->plain_name);
    entry->has_qualified_payload = type->count && payload_is_qualified(r, r->types[type->elements[0]].element);
    return true;
}

static bool kind_is_supported(const struct dxil_module *module, enum dxil_shader_kind kind)
{
    if (module->shader_kind == DXIL_SHADER_KIND_COMPUTE)
        return kind == DXIL_SHADER_KIND_COMPUTE;
    return kind >= DXIL_SHADER_KIND_RAYGENERATION && kind <= DXIL_SHADER_KIND_CALLABLE;
}

/* !{function, name, signatures, resources, properties}; the first one of a library has no function. */
static bool read_entry(struct ir_reader *r, const struct ir_metadata *node, struct dxil_function *functions)
{
    const struct ir_metadata *symbol = metadata_operand(r, node, 0), *properties = metadata_operand(r, node, 4);
    struct dxil_function scratch = {.plain_name = "(library)", .kind = DXIL_SHADER_KIND_LIBRARY};
    if (!symbol) {
        if (r->module->shader_kind != DXIL_SHADER_KIND_LIBRARY)
            return reader_corrupt(r, "entry point of a compute shader without a function");
        return read_properties(r, properties, &scratch);
    }
    if (symbol->kind != IR_METADATA_VALUE || r->values[symbol->value].kind != IR_VALUE_FUNCTION)
        return reader_corrupt(r, "DXIL entry point that is no function");
    const struct ir_function *function = &r->functions[r->values[symbol->value].index];
    if (function->listed == IR_NONE || functions[function->listed].is_entry)
        return reader_corrupt(r, "function %s cannot be an entry point or is one twice", reader_symbol(function->name));
    struct dxil_function *entry = &functions[function->listed];
    entry->is_entry = true;
    if (r->module->shader_kind == DXIL_SHADER_KIND_COMPUTE)
        entry->kind = DXIL_SHADER_KIND_COMPUTE;
    if (!read_properties(r, properties, entry))
        return false;
    if (!kind_is_supported(r->module, entry->kind))
        return reader_fail(r, STATUS_UNSUPPORTED, "shader %s is of the kind %s, which is not supported", entry->plain_name,
                           dxil_shader_kind_name(entry->kind));
    if (entry->kind == DXIL_SHADER_KIND_COMPUTE && !entry->thread_count[0])
        return reader_corrupt(r, "compute shader %s has no numthreads", entry->plain_name);
    return read_entry_type(r, function, entry);
}

static bool read_entries(struct ir_reader *r)
{
    const struct ir_named_metadata *entries = reader_named(r, "dx.entryPoints");
    struct dxil_function *functions = (struct dxil_function *)r->module->functions;
    uint32_t count = entries ? entries->count : 0;
    if (count == 0 || (r->module->shader_kind == DXIL_SHADER_KIND_COMPUTE && count != 1))
        return reader_corrupt(r, "DXIL module has %u entry points (dx.entryPoints)", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_metadata *node = named_node(r, "dx.entryPoints", i);
        if (!node || !read_entry(r, node, functions))
            return reader_corrupt(r, "malformed entry point %u in the DXIL module", i);
    }
    return true;
}

static bool describe_parameters(struct ir_reader *r, const struct ir_type *type, struct dxil_function *described)
{
    uint64_t *memory_bytes = reader_allocate(r, r->output, type->count + 1, sizeof(*memory_bytes));
    if (!memory_bytes)
        return false;
    for (uint32_t i = 0; i < type->count; i++) {
        const struct ir_type *parameter = &r->types[type->elements[i]];
        memory_bytes[i] = parameter->kind == IR_TYPE_POINTER ? r->types[parameter->element].byte_count : 0;
    }
    described->parameter_count = type->count;
    described->parameter_memory_bytes = memory_bytes;
    return true;
}

static bool list_function(struct ir_reader *r, struct ir_function *function, struct dxil_function *described)
{
    size_t plain_bytes;
    const char *plain = dxil_name_plain(function->name, &plain_bytes);
    char *name = arena_copy_text(r->output, function->name);
    char *plain_name = reader_allocate(r, r->output, plain_bytes + 1, 1);
    if (!name || !plain_name)
        return reader_fail(r, STATUS_OUT_OF_MEMORY, "out of memory describing a DXIL module");
    memcpy(plain_name, plain, plain_bytes);
    *described = (struct dxil_function){
        .name = name,
        .plain_name = plain_name,
        .defined = function->defined,
        .exported = function->external,
        .kind = DXIL_SHADER_KIND_LIBRARY,
    };
    if (function->attributes)
        described->denorm_mode = r->attribute_lists[function->attributes - 1].denorm_mode;
    return describe_parameters(r, &r->types[function->type], described);
}

bool reader_list_functions(struct ir_reader *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->function_count; i++)
        if (!r->functions[i].op_class && r->functions[i].intrinsic == IR_INTRINSIC_NONE)
            r->functions[i].listed = count++;
    struct dxil_function *functions = reader_allocate(r, r->output, count, sizeof(*functions));
    if (!functions)
        return false;
    for (uint32_t i = 0; i < r->function_count; i++)
        if (r->functions[i].listed != IR_NONE &&
            !list_function(r, &r->functions[i], &functions[r->functions[i].listed]))
            return false;
    r->module->functions = functions;
    r->module->function_count = count;
    return true;
}

bool reader_describe(struct ir_reader *r, const struct dxil_program *program)
{
    struct dxil_module *module = r->module;
    if (!read_shader_model(r, program))
        return false;
    if (reader_named(r, "dx.valver") &&
        !read_version(r, "dx.valver", &module->validator_major, &module->validator_minor))
        return false;
    module->has_payload_qualifiers = reader_named(r, "dx.dxrPayloadAnnotations");
    const struct ir_metadata *resources = named_node(r, "dx.resources", 0);
    return reader_list_functions(r) && reader_resources(r, resources) && read_entries(r);
}
