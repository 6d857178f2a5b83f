/* SPDX-License-Identifier: MIT
 * Acceleration structure commands: addresses checked against the device's resources, then handed to accel/. The checks
 * serve recording (message at the call) and execution (memory safety) alike. */
#ifndef CDXR_EXEC_BUILD_H
#define CDXR_EXEC_BUILD_H

#include "exec/device.h"
#include "exec/stream.h"

/* Alignment, existence and size of every range that the build reads and writes. STATUS_INVALID: the reason names
 * parameter, value and rule. */
MUST_USE enum status exec_build_check(struct exec_device *device,
                                      const struct exec_build_acceleration_structure *build, struct reason *reason);
/* What the build is going to overwrite loses its proofs (exec/structure_proof.h). exec_build_run does it too. */
void exec_build_withdraw(struct exec_device *device, const struct exec_build_acceleration_structure *build);
void exec_build_run(struct exec_device *device, const struct exec_build_acceleration_structure *build);

/* Runs the build first and those behind it that can run beside it; returns the last command that was run. */
const struct exec_command *exec_build_batch_run(struct exec_device *device, const struct exec_command *first);

MUST_USE enum status exec_postbuild_check(struct exec_device *device, const struct exec_postbuild *postbuild,
                                          uint32_t source_count, struct reason *reason);
void exec_emit_postbuild_run(struct exec_device *device, const struct exec_emit_postbuild_info *emit);

MUST_USE enum status exec_copy_structure_check(struct exec_device *device,
                                               const struct exec_copy_acceleration_structure *copy,
                                               struct reason *reason);
void exec_copy_structure_run(struct exec_device *device, const struct exec_copy_acceleration_structure *copy);

#endif
