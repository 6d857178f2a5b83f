/* SPDX-License-Identifier: MIT
 * D3D12_STATE_OBJECT_DESC, checked and turned into the plain structures that state_object_link.h takes: wide strings to
 * UTF-8, COM objects to what is behind them, DXIL libraries to modules and runtime data. Nothing of the description is
 * needed afterwards. */
#ifndef CDXR_D3D12_STATE_OBJECT_INPUT_H
#define CDXR_D3D12_STATE_OBJECT_INPUT_H

#include "com/windows.h"
#include "d3d12/state_object_link.h"

struct com_object;
struct dxil_module;

/* A DXIL library of a state object; so_library_input.user points at one. */
struct so_library {
    struct dxil_module *module; /* NULL once nothing can be compiled from it any more */
    struct dxil_rdat rdat;
    uint64_t hash[2]; /* of the container's bytes */
};

struct so_parsed {
    struct arena arena; /* of everything in input */
    struct so_input input;
    struct so_library *libraries; /* malloc; may be handed on (see below) */
    uint32_t library_count;
    struct com_object **held; /* malloc; root signatures and collections, each with an internal reference */
    uint32_t held_count;
};

/* STATUS_INVALID or STATUS_UNSUPPORTED: the reason names the subobject and the rule. On success the result stays valid
 * until so_parsed_finish; the arena, libraries and held objects must live as long as what so_link makes of input. */
MUST_USE enum status so_parse(const D3D12_STATE_OBJECT_DESC *desc, struct so_parsed *parsed, struct reason *reason);
void so_parsed_finish(struct so_parsed *parsed);

#endif
