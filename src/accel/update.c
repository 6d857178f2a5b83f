/* SPDX-License-Identifier: MIT */
#include "accel/update.h"

enum status accel_update(const struct accel_build_arguments *arguments, struct reason *reason)
{
    return reason_set(reason, STATUS_UNSUPPORTED, "PERFORM_UPDATE is not available");
}
