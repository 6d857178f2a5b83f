/* SPDX-License-Identifier: MIT
 * Refit of structures with quantised nodes: the part of accel/update.c that knows their nodes and indexed leaves. */
#ifndef CDXR_ACCEL_COMPACT_REFIT_H
#define CDXR_ACCEL_COMPACT_REFIT_H

#include "accel/build.h"

/* Scratch of an update: a box for each node. */
uint64_t accel_compact_refit_scratch_bytes(uint64_t node_count);

/* Read vertices and boxes again and make all nodes and the header's bounds anew. The boxes
 * of children are those of their contents, not of their quantised planes, so repeated updates do not make them grow.
 * STATUS_INVALID: the triangles of a leaf share fewer vertices than at the build. */
MUST_USE enum status accel_compact_refit(const struct accel_build_arguments *arguments, struct accel_header *header,
                                         struct reason *reason);

#endif
