/* SPDX-License-Identifier: MIT
 * PERFORM_UPDATE of accel_build: bottom levels are refitted (vertices and boxes read again, node boxes made anew from the
 * leaves up, the tree stays), top levels are built anew. */
#ifndef CDXR_ACCEL_UPDATE_H
#define CDXR_ACCEL_UPDATE_H

#include "accel/build.h"

/* Is the source a structure that allows this update: built with ALLOW_UPDATE, and the same flags, geometries, counts and
 * formats (Raytracing.md, "Acceleration structure update constraints")? */
MUST_USE enum status accel_update_check(const struct accel_build_arguments *arguments, struct reason *reason);

/* Refit into result, which may be the source. Checked before. STATUS_INVALID: indices that do not fit an indexed leaf (the
 * indices of an update must be those of the build); the result is no structure then. */
MUST_USE enum status accel_update_bottom(const struct accel_build_arguments *arguments, struct reason *reason);

#endif
