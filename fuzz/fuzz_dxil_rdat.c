/* SPDX-License-Identifier: MIT
 * Runtime data from any bytes: a container's RDAT part, or the bytes themselves (the container's hash would stop most
 * mutations). Everything that a parsed description offers is read. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "dxil/container.h"
#include "dxil/rdat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

static volatile size_t sink; /* keeps the reads */

static void read_all(const struct dxil_rdat *rdat)
{
    for (uint32_t i = 0; i < rdat->resource_count; i++)
        sink += strlen(rdat->resources[i].name);
    for (uint32_t i = 0; i < rdat->function_count; i++) {
        const struct dxil_rdat_function *function = &rdat->functions[i];
        sink += strlen(function->name) + strlen(function->unmangled_name);
        for (uint32_t k = 0; k < function->resource_count; k++)
            sink += rdat->resources[function->resources[k]].space;
        for (uint32_t k = 0; k < function->dependency_count; k++)
            sink += (size_t)function->dependencies[k][0];
    }
    for (uint32_t i = 0; i < rdat->subobject_count; i++) {
        const struct dxil_subobject *subobject = &rdat->subobjects[i];
        struct dxil_root_signature signature;
        if (subobject->kind == DXIL_SUBOBJECT_EXPORTS_ASSOCIATION)
            for (uint32_t k = 0; k < subobject->association.export_count; k++)
                sink += strlen(subobject->association.exports[k]);
        if (subobject->kind == DXIL_SUBOBJECT_HIT_GROUP)
            sink += strlen(subobject->hit_group.any_hit) + strlen(subobject->hit_group.intersection);
        if (subobject->kind != DXIL_SUBOBJECT_GLOBAL_ROOT_SIGNATURE &&
            subobject->kind != DXIL_SUBOBJECT_LOCAL_ROOT_SIGNATURE)
            continue;
        if (dxil_root_signature_parse(subobject->root_signature.bytes, subobject->root_signature.byte_count,
                                      &signature, NULL) == STATUS_OK)
            dxil_root_signature_finish(&signature);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    struct dxil_options options = {.allow_unsigned = true};
    struct dxil_container container;
    struct dxil_rdat rdat;
    struct reason reason = {0};
    if (dxil_container_parse(data, byte_count, &options, &container, NULL) == STATUS_OK) {
        const struct dxil_part *part = dxil_container_find(&container, DXIL_PART_KIND_RUNTIME_DATA);
        data = part ? part->data : data;
        byte_count = part ? part->data_bytes : byte_count;
    }
    if (dxil_rdat_parse(data, byte_count, &rdat, &reason) == STATUS_OK) {
        read_all(&rdat);
        dxil_rdat_finish(&rdat);
    } else if (!reason.text[0]) {
        __builtin_trap(); /* a refusal without a reason */
    }
    return 0;
}
