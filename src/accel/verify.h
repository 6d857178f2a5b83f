/* SPDX-License-Identifier: MIT
 * Proof that bytes from outside are a structure that traversal and updates can walk safely: every section inside the
 * block, every reference inside its section, a tree (no node reached twice) of bounded depth. */
#ifndef CDXR_ACCEL_VERIFY_H
#define CDXR_ACCEL_VERIFY_H

#include "accel/build.h"

/* STATUS_CORRUPT with the reason, or STATUS_OK. Addresses of bottom levels are the
 * application's: only that leaves name instances that have one is checked. */
MUST_USE enum status accel_verify(const struct accel_header *structure, uint64_t available_bytes, struct reason *reason);

#endif
