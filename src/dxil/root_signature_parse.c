/* SPDX-License-Identifier: MIT
 * Serialised root signatures: finds the RTS0 bytes in what the application passed and reads them into a description,
 * which root_signature_check.c then judges. Called by CreateRootSignature, the deserialisers, state objects (root
 * signatures that live in a library) and compute pipelines. Every read goes through one bounds check. */
#include <stdlib.h>
#include <string.h>

#include "dxil/container.h"
#include "dxil/rdat.h"
#include "dxil/root_signature.h"

enum { RTS0_HEADER_WORDS = 6, RTS0_PARAMETER_BYTES = 12 };

struct blob {
    const uint8_t *bytes;
    size_t byte_count;
};

/* The one place that checks bounds: word_count words at offset, or failure. */
static bool read_words(const struct blob *blob, uint64_t offset, uint32_t *words, uint32_t word_count)
{
    if (offset > blob->byte_count || (uint64_t)word_count * 4 > blob->byte_count - offset)
        return false;
    memcpy(words, blob->bytes + offset, (size_t)word_count * 4);
    return true;
}

static bool is_container(const struct blob *blob)
{
    uint32_t magic;
    return read_words(blob, 0, &magic, 1) && magic == DXIL_PART_KIND_CONTAINER;
}

/* Find RTS0 in a container; part->bytes NULL when there is none. Root signatures need no validator's signature: what
 * they say is checked here. */
static enum status find_part(const struct blob *bytes, struct blob *part, struct reason *reason)
{
    struct dxil_container container;
    struct dxil_options options = {.allow_unsigned = true};
    *part = (struct blob){0};
    RETURN_IF_FAILED(dxil_container_parse(bytes->bytes, bytes->byte_count, &options, &container, reason));
    const struct dxil_part *found = dxil_container_find(&container, DXIL_PART_KIND_ROOT_SIGNATURE);
    if (found)
        *part = (struct blob){found->data, found->data_bytes};
    return STATUS_OK;
}

bool dxil_root_signature_is_in(const void *bytes, size_t byte_count)
{
    struct blob container = {bytes, byte_count}, part;
    return is_container(&container) && find_part(&container, &part, NULL) == STATUS_OK && part.bytes;
}

struct parser {
    struct blob blob;
    struct dxil_root_signature *signature;
    struct reason *reason;
};

static uint32_t range_words(const struct dxil_root_signature *signature)
{
    return signature->version == DXIL_ROOT_SIGNATURE_VERSION_1_0 ? 5 : 6;
}

static uint32_t sampler_words(const struct dxil_root_signature *signature)
{
    return signature->version >= DXIL_ROOT_SIGNATURE_VERSION_1_2 ? 14 : 13;
}

static enum status parse_range(const struct parser *parser, uint32_t parameter_index, uint32_t range_index,
                               uint64_t offset)
{
    uint32_t w[6] = {0};
    uint32_t word_count = range_words(parser->signature);
    if (!read_words(&parser->blob, offset, w, word_count))
        return reason_set(parser->reason, STATUS_CORRUPT,
                          "root parameter %u: range at offset %llu lies outside the %zu bytes", parameter_index,
                          (unsigned long long)offset, parser->blob.byte_count);
    struct dxil_descriptor_range *range = &parser->signature->ranges[range_index];
    *range = (struct dxil_descriptor_range){.type = w[0], .descriptor_count = w[1], .base_register = w[2],
                                            .space = w[3]};
    range->flags = word_count == 6 ? w[4] : 0;
    range->table_offset = word_count == 6 ? w[5] : w[4];
    return STATUS_OK;
}

/* Tables do not share ranges in what any serialiser writes; the bound keeps a small blob from naming billions. */
static enum status parse_table(const struct parser *parser, uint32_t index, uint32_t payload_offset)
{
    struct dxil_root_signature *signature = parser->signature;
    uint32_t w[2];
    if (!read_words(&parser->blob, payload_offset, w, 2))
        return reason_set(parser->reason, STATUS_CORRUPT,
                          "root parameter %u: payload offset %u lies outside the %zu bytes", index, payload_offset,
                          parser->blob.byte_count);
    uint32_t stride_bytes = range_words(signature) * 4;
    uint64_t total = (uint64_t)signature->range_count + w[0];
    if (total * stride_bytes > parser->blob.byte_count)
        return reason_set(parser->reason, STATUS_CORRUPT,
                          "root parameter %u: %u descriptor ranges do not fit into %zu bytes", index, w[0],
                          parser->blob.byte_count);
    struct dxil_descriptor_range *grown =
        realloc(signature->ranges, (total ? total : 1) * sizeof(*signature->ranges));
    if (!grown)
        return STATUS_OUT_OF_MEMORY;
    signature->ranges = grown;
    signature->parameters[index].first_range = signature->range_count;
    signature->parameters[index].range_count = w[0];
    for (uint32_t i = 0; i < w[0]; i++)
        RETURN_IF_FAILED(parse_range(parser, index, signature->range_count + i,
                                     (uint64_t)w[1] + (uint64_t)i * stride_bytes));
    signature->range_count = (uint32_t)total;
    return STATUS_OK;
}

static enum status parse_root_payload(const struct parser *parser, uint32_t index, uint32_t payload_offset)
{
    struct dxil_root_parameter *parameter = &parser->signature->parameters[index];
    bool constants = parameter->type == DXIL_ROOT_PARAMETER_CONSTANTS;
    bool has_third = constants || parser->signature->version != DXIL_ROOT_SIGNATURE_VERSION_1_0;
    uint32_t w[3] = {0};
    if (!read_words(&parser->blob, payload_offset, w, has_third ? 3 : 2))
        return reason_set(parser->reason, STATUS_CORRUPT,
                          "root parameter %u: payload offset %u lies outside the %zu bytes", index, payload_offset,
                          parser->blob.byte_count);
    parameter->shader_register = w[0];
    parameter->space = w[1];
    if (constants)
        parameter->constant_count = w[2];
    else
        parameter->flags = w[2];
    return STATUS_OK;
}

static enum status parse_parameters(const struct parser *parser, uint32_t count, uint32_t offset)
{
    struct dxil_root_signature *signature = parser->signature;
    if ((uint64_t)offset + (uint64_t)count * RTS0_PARAMETER_BYTES > parser->blob.byte_count)
        return reason_set(parser->reason, STATUS_CORRUPT, "%u root parameters at offset %u do not fit into %zu bytes",
                          count, offset, parser->blob.byte_count);
    signature->parameters = calloc(count ? count : 1, sizeof(*signature->parameters));
    if (!signature->parameters)
        return STATUS_OUT_OF_MEMORY;
    signature->parameter_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t w[3] = {0};
        if (!read_words(&parser->blob, (uint64_t)offset + (uint64_t)i * RTS0_PARAMETER_BYTES, w, 3))
            return reason_set(parser->reason, STATUS_CORRUPT, "root parameter %u lies outside the bytes", i);
        signature->parameters[i].type = w[0];
        signature->parameters[i].visibility = w[1];
        if (w[0] > DXIL_ROOT_PARAMETER_UAV)
            return reason_set(parser->reason, STATUS_INVALID, "root parameter %u: type %u is unknown", i, w[0]);
        RETURN_IF_FAILED(w[0] == DXIL_ROOT_PARAMETER_TABLE ? parse_table(parser, i, w[2])
                                                           : parse_root_payload(parser, i, w[2]));
    }
    return STATUS_OK;
}

static enum status parse_samplers(const struct parser *parser, uint32_t count, uint32_t offset)
{
    struct dxil_root_signature *signature = parser->signature;
    uint32_t word_count = sampler_words(signature);
    if (count && (uint64_t)offset + (uint64_t)count * word_count * 4 > parser->blob.byte_count)
        return reason_set(parser->reason, STATUS_CORRUPT, "%u static samplers at offset %u do not fit into %zu bytes",
                          count, offset, parser->blob.byte_count);
    signature->static_samplers = calloc(count ? count : 1, sizeof(*signature->static_samplers));
    if (!signature->static_samplers)
        return STATUS_OUT_OF_MEMORY;
    signature->static_sampler_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t w[14] = {0};
        if (!read_words(&parser->blob, (uint64_t)offset + (uint64_t)i * word_count * 4, w, word_count))
            return reason_set(parser->reason, STATUS_CORRUPT, "static sampler %u lies outside the bytes", i);
        struct dxil_static_sampler *sampler = &signature->static_samplers[i];
        _Static_assert(sizeof(*sampler) == sizeof(w), "the description has the serialised order of 1.2");
        memcpy(sampler, w, sizeof(w));
    }
    return STATUS_OK;
}

static enum status parse_rts0(const struct parser *parser)
{
    uint32_t head[RTS0_HEADER_WORDS];
    if (!read_words(&parser->blob, 0, head, RTS0_HEADER_WORDS))
        return reason_set(parser->reason, STATUS_CORRUPT, "root signature of %zu bytes is shorter than its header",
                          parser->blob.byte_count);
    if (head[0] < DXIL_ROOT_SIGNATURE_VERSION_1_0 || head[0] > DXIL_ROOT_SIGNATURE_VERSION_1_2)
        return reason_set(parser->reason, STATUS_CORRUPT,
                          "root signature version %u is unknown (1, 2 and 3 stand for 1.0, 1.1 and 1.2)", head[0]);
    parser->signature->version = head[0];
    parser->signature->flags = head[5];
    RETURN_IF_FAILED(parse_parameters(parser, head[1], head[2]));
    RETURN_IF_FAILED(parse_samplers(parser, head[3], head[4]));
    return dxil_root_signature_finish_layout(parser->signature, parser->reason);
}

/* A library without RTS0 whose runtime data has exactly one global root signature stands for that one. */
static enum status parse_subobject(struct parser *parser, const struct blob *container)
{
    struct dxil_container parsed;
    struct dxil_options options = {.allow_unsigned = true};
    struct dxil_rdat rdat = {0};
    const struct dxil_subobject *found = NULL;
    uint32_t count = 0;
    RETURN_IF_FAILED(
        dxil_container_parse(container->bytes, container->byte_count, &options, &parsed, parser->reason));
    const struct dxil_part *part = dxil_container_find(&parsed, DXIL_PART_KIND_RUNTIME_DATA);
    if (part)
        RETURN_IF_FAILED(dxil_rdat_parse(part->data, part->data_bytes, &rdat, parser->reason));
    for (uint32_t i = 0; i < rdat.subobject_count; i++)
        if (rdat.subobjects[i].kind == DXIL_SUBOBJECT_GLOBAL_ROOT_SIGNATURE) {
            found = &rdat.subobjects[i];
            count++;
        }
    enum status status;
    if (count == 1) {
        parser->blob = (struct blob){found->root_signature.bytes, found->root_signature.byte_count};
        status = parse_rts0(parser);
    } else {
        status = reason_set(parser->reason, count ? STATUS_CORRUPT : STATUS_ABSENT,
                            count ? "the container has no root signature (part RTS0) and %u global root signatures "
                                    "among its subobjects"
                                  : "the container has no root signature (neither part RTS0 nor a global root "
                                    "signature subobject)",
                            count);
    }
    dxil_rdat_finish(&rdat);
    return status;
}

static enum status parse_container(struct parser *parser)
{
    struct blob container = parser->blob;
    RETURN_IF_FAILED(find_part(&container, &parser->blob, parser->reason));
    return parser->blob.bytes ? parse_rts0(parser) : parse_subobject(parser, &container);
}

enum status dxil_root_signature_parse(const void *bytes, size_t byte_count, struct dxil_root_signature *signature,
                                      struct reason *reason)
{
    struct dxil_root_signature result = {0};
    struct parser parser = {{bytes, byte_count}, &result, reason};
    *signature = result;
    if (!bytes || !byte_count)
        return reason_set(reason, STATUS_CORRUPT, "no bytes were given");
    enum status status = is_container(&parser.blob) ? parse_container(&parser) : parse_rts0(&parser);
    if (status != STATUS_OK)
        goto fail;
    *signature = result;
    return STATUS_OK;

fail:
    dxil_root_signature_finish(&result);
    return status;
}
