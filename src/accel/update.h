/* SPDX-License-Identifier: MIT
 * Refit: PERFORM_UPDATE of accel_build. */
#ifndef CDXR_ACCEL_UPDATE_H
#define CDXR_ACCEL_UPDATE_H

#include "accel/build.h"

MUST_USE enum status accel_update(const struct accel_build_arguments *arguments, struct reason *reason);

#endif
