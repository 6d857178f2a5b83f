/* SPDX-License-Identifier: MIT
 * Writes root signature descriptions as the DXBC container that D3D12SerializeRootSignature returns: one RTS0 part,
 * byte for byte what DXC writes for the same description (header, parameters, payloads in order, static samplers). */
#include <stdlib.h>
#include <string.h>

#include "dxil/container.h"
#include "dxil/root_signature.h"

enum { CONTAINER_BYTES = 36, PART_HEADER_BYTES = 8, RTS0_HEADER_BYTES = 24, PARAMETER_BYTES = 12 };

struct writer {
    uint8_t *bytes; /* of the RTS0 part */
    uint32_t offset;
};

static void put(struct writer *writer, uint32_t word)
{
    memcpy(writer->bytes + writer->offset, &word, 4);
    writer->offset += 4;
}

static uint32_t range_bytes(uint32_t version)
{
    return version == DXIL_ROOT_SIGNATURE_VERSION_1_0 ? 20 : 24;
}

static uint32_t sampler_bytes(uint32_t version)
{
    return version >= DXIL_ROOT_SIGNATURE_VERSION_1_2 ? 56 : 52;
}

static uint64_t payload_bytes(const struct dxil_root_parameter *parameter, uint32_t version)
{
    if (parameter->type == DXIL_ROOT_PARAMETER_TABLE)
        return 8 + (uint64_t)parameter->range_count * range_bytes(version);
    if (parameter->type == DXIL_ROOT_PARAMETER_CONSTANTS || version != DXIL_ROOT_SIGNATURE_VERSION_1_0)
        return 12;
    return 8;
}

static void write_table(struct writer *writer, const struct dxil_root_signature *signature,
                        const struct dxil_root_parameter *parameter)
{
    put(writer, parameter->range_count);
    put(writer, writer->offset + 4);
    for (uint32_t i = 0; i < parameter->range_count; i++) {
        const struct dxil_descriptor_range *range = &signature->ranges[parameter->first_range + i];
        put(writer, range->type);
        put(writer, range->descriptor_count);
        put(writer, range->base_register);
        put(writer, range->space);
        if (signature->version != DXIL_ROOT_SIGNATURE_VERSION_1_0)
            put(writer, range->flags);
        put(writer, range->table_offset);
    }
}

static void write_payload(struct writer *writer, const struct dxil_root_signature *signature,
                          const struct dxil_root_parameter *parameter)
{
    if (parameter->type == DXIL_ROOT_PARAMETER_TABLE) {
        write_table(writer, signature, parameter);
        return;
    }
    put(writer, parameter->shader_register);
    put(writer, parameter->space);
    if (parameter->type == DXIL_ROOT_PARAMETER_CONSTANTS)
        put(writer, parameter->constant_count);
    else if (signature->version != DXIL_ROOT_SIGNATURE_VERSION_1_0)
        put(writer, parameter->flags);
}

static void write_part(struct writer *writer, const struct dxil_root_signature *signature, uint32_t samplers_offset)
{
    put(writer, signature->version);
    put(writer, signature->parameter_count);
    put(writer, RTS0_HEADER_BYTES);
    put(writer, signature->static_sampler_count);
    put(writer, samplers_offset);
    put(writer, signature->flags);
    uint32_t payload_offset = RTS0_HEADER_BYTES + signature->parameter_count * PARAMETER_BYTES;
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        put(writer, signature->parameters[i].type);
        put(writer, signature->parameters[i].visibility);
        put(writer, payload_offset);
        payload_offset += (uint32_t)payload_bytes(&signature->parameters[i], signature->version);
    }
    for (uint32_t i = 0; i < signature->parameter_count; i++)
        write_payload(writer, signature, &signature->parameters[i]);
    for (uint32_t i = 0; i < signature->static_sampler_count; i++) {
        memcpy(writer->bytes + writer->offset, &signature->static_samplers[i], sampler_bytes(signature->version));
        writer->offset += sampler_bytes(signature->version);
    }
}

static void write_container_header(uint8_t *bytes, uint32_t byte_count)
{
    const uint32_t head[] = {DXIL_PART_KIND_CONTAINER, 0, 0, 0, 0, 1 /* major 1, minor 0 */, byte_count, 1,
                             CONTAINER_BYTES, DXIL_PART_KIND_ROOT_SIGNATURE,
                             byte_count - CONTAINER_BYTES - PART_HEADER_BYTES};
    memcpy(bytes, head, sizeof(head));
}

/* signature is already in the wanted version. */
static enum status write_container(const struct dxil_root_signature *signature, void **bytes, size_t *byte_count,
                                   struct reason *reason)
{
    uint64_t samplers_offset = RTS0_HEADER_BYTES + (uint64_t)signature->parameter_count * PARAMETER_BYTES;
    for (uint32_t i = 0; i < signature->parameter_count; i++)
        samplers_offset += payload_bytes(&signature->parameters[i], signature->version);
    uint64_t total = CONTAINER_BYTES + PART_HEADER_BYTES + samplers_offset +
                     (uint64_t)signature->static_sampler_count * sampler_bytes(signature->version);
    if (total > UINT32_MAX)
        return reason_set(reason, STATUS_INVALID, "the root signature takes %llu bytes, at most 2^32-1 can be stored",
                          (unsigned long long)total);
    uint8_t *container = calloc(1, total);
    if (!container)
        return STATUS_OUT_OF_MEMORY;
    write_container_header(container, (uint32_t)total);
    struct writer writer = {container + CONTAINER_BYTES + PART_HEADER_BYTES, 0};
    write_part(&writer, signature, (uint32_t)samplers_offset);
    dxil_container_hash(container, total, container + 4);
    *bytes = container;
    *byte_count = total;
    return STATUS_OK;
}

enum status dxil_root_signature_serialize(const struct dxil_root_signature *signature, uint32_t version, void **bytes,
                                          size_t *byte_count, struct reason *reason)
{
    if (version < DXIL_ROOT_SIGNATURE_VERSION_1_0 || version > DXIL_ROOT_SIGNATURE_VERSION_1_2)
        return reason_set(reason, STATUS_INVALID, "root signature version %u is unknown", version);
    struct dxil_root_signature converted;
    RETURN_IF_FAILED(dxil_root_signature_copy(signature, &converted));
    dxil_root_signature_convert(&converted, version);
    enum status status = write_container(&converted, bytes, byte_count, reason);
    dxil_root_signature_finish(&converted);
    return status;
}
