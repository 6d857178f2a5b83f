/* SPDX-License-Identifier: MIT
 * Rules of initial states and layouts of resources (resource_state.c), used by resource.c. */
#ifndef CDXR_D3D12_RESOURCE_STATE_H
#define CDXR_D3D12_RESOURCE_STATE_H

#include "d3d12/resource.h"

/* Is the combination of state bits legal at all (one write state alone, or read states) and allowed by the resource's
 * dimension and flags? Also for barriers. */
MUST_USE enum status d3d12_state_check(const D3D12_RESOURCE_DESC1 *desc, D3D12_RESOURCE_STATES state,
                                       struct reason *reason);
/* The same for a barrier layout of a texture. */
MUST_USE enum status d3d12_layout_check(const D3D12_RESOURCE_DESC1 *desc, D3D12_BARRIER_LAYOUT layout,
                                        struct reason *reason);
/* State that stands for a layout in the executor's book-keeping. */
D3D12_RESOURCE_STATES d3d12_state_of_layout(D3D12_BARRIER_LAYOUT layout);

#endif
