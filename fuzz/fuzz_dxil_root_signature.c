/* SPDX-License-Identifier: MIT
 * Root signatures from any bytes: containers or bare RTS0 parts. What is accepted must survive writing and reading back in
 * every version, and every register it defines must be found. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "dxil/container.h"
#include "dxil/root_signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

static void must(bool condition)
{
    if (!condition)
        __builtin_trap();
}

static void write_and_read(const struct dxil_root_signature *signature, uint32_t version)
{
    struct dxil_root_signature back, converted;
    void *bytes;
    size_t byte_count;
    must(dxil_root_signature_serialize(signature, version, &bytes, &byte_count, NULL) == STATUS_OK);
    must(dxil_root_signature_parse(bytes, byte_count, &back, NULL) == STATUS_OK);
    must(dxil_root_signature_copy(signature, &converted) == STATUS_OK);
    dxil_root_signature_convert(&converted, version);
    must(dxil_root_signature_equal(&back, &converted));
    must(dxil_root_signature_hash(&back) == dxil_root_signature_hash(&converted));
    dxil_root_signature_finish(&converted);
    dxil_root_signature_finish(&back);
    free(bytes);
}

static void find_everything(const struct dxil_root_signature *signature)
{
    struct dxil_binding binding;
    for (uint32_t i = 0; i < signature->parameter_count; i++) {
        const struct dxil_root_parameter *parameter = &signature->parameters[i];
        for (uint32_t r = 0; parameter->type == DXIL_ROOT_PARAMETER_TABLE && r < parameter->range_count; r++) {
            const struct dxil_descriptor_range *range = &signature->ranges[parameter->first_range + r];
            bool found = dxil_root_signature_find(signature, (enum dxil_register_type)range->type, range->space,
                                                  range->base_register, &binding);
            must(parameter->visibility || (found && binding.argument_offset < signature->argument_bytes));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    struct dxil_root_signature signature;
    struct reason reason = {0};
    if (dxil_root_signature_parse(data, byte_count, &signature, &reason) != STATUS_OK) {
        must(reason.text[0]);
        return 0;
    }
    find_everything(&signature);
    if (signature.parameter_count < 1000)
        for (uint32_t version = DXIL_ROOT_SIGNATURE_VERSION_1_0; version <= DXIL_ROOT_SIGNATURE_VERSION_1_2; version++)
            write_and_read(&signature, version);
    dxil_root_signature_finish(&signature);
    return 0;
}
