/* SPDX-License-Identifier: MIT
 * Arrays of opacity micromaps: header, entries in the application's order, states packed without gaps. */
#include "accel/micromap.h"

#include <string.h>

#include "base/thread_pool.h"

enum { LEVELS = ACCEL_MICROMAP_MAX_LEVEL + 1, FORMATS = 2, CHUNK_MICROMAPS = 1024, DESC_ALIGNMENT_BYTES = 4 };

/* How many micromaps there are of each level and format. */
struct tally {
    uint64_t counts[LEVELS][FORMATS];
};

static uint64_t align_up(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

static bool is_micromap_kind(uint32_t level, uint32_t format)
{
    return level <= ACCEL_MICROMAP_MAX_LEVEL && (format == ACCEL_MICROMAP_2_STATE || format == ACCEL_MICROMAP_4_STATE);
}

static const char *format_name(uint32_t format)
{
    return format == ACCEL_MICROMAP_2_STATE ? "OC1_2_STATE" : "OC1_4_STATE";
}

static void tally_histogram(const struct accel_micromap_array *array, struct tally *tally)
{
    *tally = (struct tally){0};
    for (uint32_t i = 0; i < array->histogram_count; i++)
        tally->counts[array->histogram[i].level][array->histogram[i].format - 1] += array->histogram[i].count;
}

uint64_t accel_micromap_desc_count(const struct accel_micromap_array *array)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < array->histogram_count; i++)
        count += array->histogram[i].count;
    return count;
}

static uint64_t histogram_state_bytes(const struct accel_micromap_array *array)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < array->histogram_count; i++) {
        const struct accel_micromap_histogram *entry = &array->histogram[i];
        bytes += (uint64_t)entry->count * accel_micromap_state_bytes(entry->level, entry->format);
    }
    return bytes;
}

static enum status check_histogram(const struct accel_micromap_array *array, struct reason *reason)
{
    uint64_t count = 0, state_bytes = 0;
    if (array->histogram_count && !array->histogram)
        return reason_set(reason, STATUS_INVALID, "pOmmHistogram is NULL with NumOmmHistogramEntries %u", array->histogram_count);
    for (uint32_t i = 0; i < array->histogram_count; i++) {
        const struct accel_micromap_histogram *entry = &array->histogram[i];
        if (entry->level > ACCEL_MICROMAP_MAX_LEVEL)
            return reason_set(reason, STATUS_INVALID, "pOmmHistogram[%u].SubdivisionLevel is %u, at most %u", i, entry->level,
                              ACCEL_MICROMAP_MAX_LEVEL);
        if (!is_micromap_kind(entry->level, entry->format))
            return reason_set(reason, STATUS_INVALID, "pOmmHistogram[%u].Format is %u, neither OC1_2_STATE (1) nor OC1_4_STATE (2)",
                              i, entry->format);
        count += entry->count;
        state_bytes += (uint64_t)entry->count * accel_micromap_state_bytes(entry->level, entry->format);
        if (count > UINT32_MAX || state_bytes > UINT32_MAX)
            return reason_set(reason, STATUS_INVALID,
                              "pOmmHistogram: %llu micromaps of %llu bytes in entries 0 to %u, an array holds less than 4 GiB",
                              (unsigned long long)count, (unsigned long long)state_bytes, i);
    }
    return STATUS_OK;
}

enum status accel_micromap_check(const struct accel_build_inputs *inputs, struct reason *reason)
{
    const uint32_t update = ACCEL_BUILD_FLAG_ALLOW_UPDATE | ACCEL_BUILD_FLAG_PERFORM_UPDATE | ACCEL_BUILD_FLAG_ALLOW_OMM_UPDATE;
    const struct accel_micromap_array *array = inputs->micromap_array;
    if (inputs->flags & update)
        return reason_set(reason, STATUS_INVALID, "Flags 0x%x: opacity micromap arrays cannot be updated", inputs->flags);
    if (inputs->count != 1)
        return reason_set(reason, STATUS_INVALID, "NumDescs is %u, must be 1 for an opacity micromap array", inputs->count);
    if (inputs->instances_layout != ACCEL_INSTANCES_ARRAY)
        return reason_set(reason, STATUS_INVALID, "DescsLayout is %u, must be ARRAY (0) for an opacity micromap array",
                          inputs->instances_layout);
    if (!array)
        return reason_set(reason, STATUS_INVALID, "pOpacityMicromapArrayDesc is NULL");
    if (array->input % ACCEL_MICROMAP_ALIGNMENT_BYTES)
        return reason_set(reason, STATUS_INVALID, "InputBuffer 0x%llx is not aligned to %u bytes",
                          (unsigned long long)array->input, ACCEL_MICROMAP_ALIGNMENT_BYTES);
    if (array->descs % DESC_ALIGNMENT_BYTES || array->desc_stride_bytes % DESC_ALIGNMENT_BYTES)
        return reason_set(reason, STATUS_INVALID, "PerOmmDescs address 0x%llx and stride %llu must be multiples of %u",
                          (unsigned long long)array->descs, (unsigned long long)array->desc_stride_bytes, DESC_ALIGNMENT_BYTES);
    return check_histogram(array, reason);
}

static uint64_t state_offset(uint64_t micromap_count)
{
    return align_up(sizeof(struct accel_header) + micromap_count * sizeof(struct accel_micromap), 64);
}

static uint64_t chunk_count(uint64_t micromap_count)
{
    return micromap_count / CHUNK_MICROMAPS + 1;
}

void accel_micromap_prebuild(const struct accel_build_inputs *inputs, struct accel_prebuild_info *info)
{
    const struct accel_micromap_array *array = inputs->micromap_array;
    uint64_t bytes = state_offset(accel_micromap_desc_count(array)) + histogram_state_bytes(array);
    *info = (struct accel_prebuild_info){.result_bytes = align_up(bytes, ACCEL_ALIGNMENT_BYTES),
                                         .scratch_bytes = align_up(chunk_count(accel_micromap_desc_count(array)) *
                                                                       sizeof(uint32_t), ACCEL_ALIGNMENT_BYTES)};
}

/* Descriptions are read once, into the entries, so that nobody can change them after they were checked. */
struct array_build {
    const struct accel_micromap_array *array;
    struct accel_header *header;
    uint64_t input_bytes; /* that may be read from array->input on */
    struct accel_micromap *entries;
    uint8_t *states;
    uint32_t *chunk_states; /* scratch: where the states of a chunk's first micromap go */
};

static void read_desc(const struct accel_micromap_array *array, uint64_t index, struct accel_micromap *desc)
{
    memcpy(desc, (const void *)(uintptr_t)(array->descs + index * array->desc_stride_bytes), sizeof(*desc));
}

static enum status check_desc(const struct array_build *b, uint32_t index, struct reason *reason)
{
    const struct accel_micromap desc = b->entries[index];
    if (desc.level > ACCEL_MICROMAP_MAX_LEVEL)
        return reason_set(reason, STATUS_INVALID, "PerOmmDescs[%u].SubdivisionLevel is %u, at most %u", index, desc.level,
                          ACCEL_MICROMAP_MAX_LEVEL);
    if (!is_micromap_kind(desc.level, desc.format))
        return reason_set(reason, STATUS_INVALID, "PerOmmDescs[%u].Format is %u, neither OC1_2_STATE (1) nor OC1_4_STATE (2)",
                          index, desc.format);
    uint64_t bytes = accel_micromap_state_bytes(desc.level, desc.format);
    if (b->input_bytes < bytes || desc.state_byte > b->input_bytes - bytes)
        return reason_set(reason, STATUS_INVALID,
                          "PerOmmDescs[%u].ByteOffset is %u, its %llu bytes do not lie in the %llu bytes behind InputBuffer", index,
                          desc.state_byte, (unsigned long long)bytes, (unsigned long long)b->input_bytes);
    return STATUS_OK;
}

static enum status read_descs(const struct array_build *b, uint32_t count, struct tally *found, struct reason *reason)
{
    uint64_t state_byte = 0;
    for (uint32_t i = 0; i < count; i++) {
        read_desc(b->array, i, &b->entries[i]);
        RETURN_IF_FAILED(check_desc(b, i, reason));
        if (i % CHUNK_MICROMAPS == 0)
            b->chunk_states[i / CHUNK_MICROMAPS] = (uint32_t)state_byte;
        state_byte += accel_micromap_state_bytes(b->entries[i].level, b->entries[i].format);
        found->counts[b->entries[i].level][b->entries[i].format - 1]++;
    }
    return STATUS_OK;
}

static enum status check_tally(const struct tally *promised, const struct tally *found, struct reason *reason)
{
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t f = 0; f < FORMATS; f++)
            if (promised->counts[level][f] != found->counts[level][f])
                return reason_set(reason, STATUS_INVALID,
                                  "pOmmHistogram says %llu micromaps of level %u in %s, PerOmmDescs has %llu",
                                  (unsigned long long)promised->counts[level][f], level, format_name(f + 1),
                                  (unsigned long long)found->counts[level][f]);
    return STATUS_OK;
}

static void copy_states(void *context, uint32_t chunk, uint32_t worker_index)
{
    const struct array_build *b = context;
    uint64_t begin = (uint64_t)chunk * CHUNK_MICROMAPS, end = begin + CHUNK_MICROMAPS;
    uint32_t state_byte = b->chunk_states[chunk];
    for (uint64_t i = begin; i < end && i < b->header->leaf_count; i++) {
        struct accel_micromap *entry = &b->entries[i];
        uint32_t bytes = accel_micromap_state_bytes(entry->level, entry->format);
        memcpy(b->states + state_byte, (const uint8_t *)(uintptr_t)b->array->input + entry->state_byte, bytes);
        entry->state_byte = state_byte;
        state_byte += bytes;
    }
}

static void write_header(struct array_build *b, uint32_t build_flags, uint32_t count, uint64_t state_bytes)
{
    *b->header = (struct accel_header){
        .version = ACCEL_VERSION,
        .kind = ACCEL_KIND_MICROMAPS,
        .build_flags = build_flags,
        .root = ACCEL_REF_EMPTY,
        .leaf_offset = sizeof(struct accel_header),
        .leaf_count = count,
        .primitive_count = count,
        .transform_condition = 1,
        .state_offset = state_offset(count),
    };
    b->header->structure_bytes = align_up(b->header->state_offset + state_bytes, 64);
}

enum status accel_micromap_build(const struct accel_build_arguments *arguments, struct reason *reason)
{
    const struct accel_micromap_array *array = arguments->inputs.micromap_array;
    struct array_build b = {.array = array, .header = arguments->result, .input_bytes = ~0ull, .chunk_states = arguments->scratch};
    struct tally promised, found = {0};
    uint32_t count = (uint32_t)accel_micromap_desc_count(array);
    uint64_t state_bytes = histogram_state_bytes(array);
    if (arguments->reader)
        b.input_bytes = arguments->reader->bytes_behind(arguments->reader->context, array->input);
    b.header->magic = 0;
    b.entries = (struct accel_micromap *)((uint8_t *)b.header + sizeof(*b.header));
    b.states = (uint8_t *)b.header + state_offset(count);
    RETURN_IF_FAILED(read_descs(&b, count, &found, reason));
    tally_histogram(array, &promised);
    RETURN_IF_FAILED(check_tally(&promised, &found, reason));
    write_header(&b, arguments->inputs.flags, count, state_bytes);
    memset(b.entries + count, 0, (size_t)(b.states - (uint8_t *)(b.entries + count)));
    memset(b.states + state_bytes, 0, b.header->structure_bytes - b.header->state_offset - state_bytes);
    if (count)
        thread_pool_parallel_for(arguments->pool, (count - 1) / CHUNK_MICROMAPS + 1, copy_states, &b);
    b.header->magic = ACCEL_MAGIC;
    return STATUS_OK;
}

static const struct accel_micromap *entries_of(const struct accel_header *array)
{
    return (const struct accel_micromap *)((const uint8_t *)array + array->leaf_offset);
}

enum status accel_micromap_verify(const struct accel_header *array, uint64_t available_bytes, struct reason *reason)
{
    uint64_t bytes = array->structure_bytes;
    if (!accel_is_structure(array, available_bytes) || array->kind != ACCEL_KIND_MICROMAPS || bytes < sizeof(*array) || array->flags)
        return reason_set(reason, STATUS_CORRUPT, "the header is not that of a micromap array of this version");
    if (array->leaf_offset < sizeof(*array) || array->leaf_offset > bytes || array->leaf_offset % 8 ||
        array->leaf_count > (bytes - array->leaf_offset) / sizeof(struct accel_micromap))
        return reason_set(reason, STATUS_CORRUPT, "%u micromaps do not fit", array->leaf_count);
    if (array->state_offset < sizeof(*array) || array->state_offset > bytes)
        return reason_set(reason, STATUS_CORRUPT, "the states of the micromaps do not fit");
    const uint64_t state_bytes = bytes - array->state_offset;
    for (uint32_t i = 0; i < array->leaf_count; i++) {
        struct accel_micromap entry = entries_of(array)[i];
        if (!is_micromap_kind(entry.level, entry.format) ||
            entry.state_byte + (uint64_t)accel_micromap_state_bytes(entry.level, entry.format) > state_bytes)
            return reason_set(reason, STATUS_CORRUPT, "micromap %u (level %u, format %u) does not fit", i, entry.level, entry.format);
    }
    return STATUS_OK;
}

/* D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC. */
struct tools_micromap_array {
    uint32_t histogram_count, padding;
    uint64_t histogram, input, descs, desc_stride_bytes;
};
_Static_assert(sizeof(struct tools_micromap_array) == 40, "array description bytes");

static uint32_t make_histogram(const struct accel_header *array, struct accel_micromap_histogram *histogram)
{
    struct tally tally = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < array->leaf_count; i++)
        tally.counts[entries_of(array)[i].level][entries_of(array)[i].format - 1]++;
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t f = 0; f < FORMATS; f++)
            if (tally.counts[level][f])
                histogram[count++] = (struct accel_micromap_histogram){(uint32_t)tally.counts[level][f], level, f + 1};
    return count;
}

/* Offsets from the tools header on, which is 8 bytes and starts at a multiple of 128. */
static uint64_t decoded_input_offset(const struct accel_header *array, uint32_t histogram_count)
{
    return align_up(8 + sizeof(struct tools_micromap_array) + array->leaf_count * (uint64_t)sizeof(struct accel_micromap) +
                        histogram_count * sizeof(struct accel_micromap_histogram),
                    ACCEL_MICROMAP_ALIGNMENT_BYTES);
}

uint64_t accel_micromap_decoded_bytes(const struct accel_header *array)
{
    struct accel_micromap_histogram histogram[LEVELS * FORMATS];
    return decoded_input_offset(array, make_histogram(array, histogram)) + array->structure_bytes - array->state_offset;
}

void accel_micromap_decode(uint8_t *destination, const struct accel_header *array)
{
    const uint32_t tools_header[2] = {ACCEL_LEVEL_MICROMAPS, 1};
    struct accel_micromap_histogram histogram[LEVELS * FORMATS];
    const uint64_t desc_bytes = array->leaf_count * (uint64_t)sizeof(struct accel_micromap);
    struct tools_micromap_array desc = {.histogram_count = make_histogram(array, histogram),
                                        .desc_stride_bytes = sizeof(struct accel_micromap)};
    uint8_t *out = destination + sizeof(tools_header) + sizeof(desc);
    desc.descs = (uintptr_t)out;
    desc.histogram = desc.descs + desc_bytes;
    desc.input = (uintptr_t)destination + decoded_input_offset(array, desc.histogram_count);
    memcpy(destination, tools_header, sizeof(tools_header));
    memcpy(destination + sizeof(tools_header), &desc, sizeof(desc));
    memcpy(out, entries_of(array), desc_bytes);
    memcpy(out + desc_bytes, histogram, desc.histogram_count * sizeof(histogram[0]));
    memcpy((void *)(uintptr_t)desc.input, (const uint8_t *)array + array->state_offset, array->structure_bytes - array->state_offset);
}
