/* SPDX-License-Identifier: MIT
 * Linking of state objects from hostile runtime data: a container's RDAT part or the bytes themselves, alone as pipeline
 * and collection, twice with an export list, and as a collection inside a pipeline. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "d3d12/state_object_link.h"
#include "dxil/container.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count);

static const struct so_definition definitions[] = {
    {SO_SLOT_SHADER_CONFIG, "config", NULL, NULL, {64, 32}},
    {SO_SLOT_PIPELINE_CONFIG, "pipeline", NULL, NULL, {1, 0}},
    {SO_SLOT_STATE_OBJECT_CONFIG, "flags", NULL, NULL, {3, 0}},
};

static void check(enum status status, const struct reason *reason)
{
    if (status == STATUS_INTERNAL || (status == STATUS_INVALID && !reason->text[0]))
        __builtin_trap(); /* our own mistake, or a refusal without a reason */
}

static struct so_linked *link_one(const struct so_input *input)
{
    struct so_linked *linked = NULL;
    struct reason reason = {0};
    check(so_link(input, &linked, &reason), &reason);
    return linked;
}

static void link_collection(const struct so_library_input *library)
{
    struct so_input input = {.libraries = library, .library_count = 1, .definitions = definitions,
                             .definition_count = 3};
    struct so_linked *collection = link_one(&input);
    if (!collection)
        return;
    struct so_collection_input include = {.linked = collection};
    struct so_input outer = {.is_executable = true, .collections = &include, .collection_count = 1,
                             .definitions = definitions, .definition_count = 2};
    so_linked_destroy(link_one(&outer));
    outer.libraries = library; /* everything twice: names clash unless there are none */
    outer.library_count = 1;
    so_linked_destroy(link_one(&outer));
    so_linked_destroy(collection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t byte_count)
{
    struct dxil_options options = {.allow_unsigned = true};
    struct dxil_container container;
    struct dxil_rdat rdat;
    if (dxil_container_parse(data, byte_count, &options, &container, NULL) == STATUS_OK) {
        const struct dxil_part *part = dxil_container_find(&container, DXIL_PART_KIND_RUNTIME_DATA);
        data = part ? part->data : data;
        byte_count = part ? part->data_bytes : byte_count;
    }
    if (dxil_rdat_parse(data, byte_count, &rdat, NULL) != STATUS_OK)
        return 0;
    struct so_export_input exports[] = {{rdat.function_count ? rdat.functions[0].unmangled_name : "x", NULL, 0},
                                        {"New", rdat.function_count ? rdat.functions[0].name : "x", 0},
                                        {rdat.subobject_count ? rdat.subobjects[0].name : "y", NULL, 0}};
    struct so_library_input all = {.rdat = &rdat}, some = {.rdat = &rdat, .exports = exports, .export_count = 3};
    struct so_input input = {.is_executable = true, .libraries = &all, .library_count = 1};
    so_linked_destroy(link_one(&input));
    input.definitions = definitions;
    input.definition_count = 2;
    so_linked_destroy(link_one(&input));
    input.libraries = &some;
    so_linked_destroy(link_one(&input));
    link_collection(&all);
    dxil_rdat_finish(&rdat);
    return 0;
}
