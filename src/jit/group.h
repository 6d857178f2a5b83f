/* SPDX-License-Identifier: MIT
 * Runs the threads of one compute group: plain loops where the shader needs no meeting of threads, coroutines where
 * it has barriers, wave or quad operations. Given to exec as exec_group_runner_fn by d3d12/device.c. */
#ifndef CDXR_JIT_GROUP_H
#define CDXR_JIT_GROUP_H

#include "abi/thread.h"

/* groupshared: shader->groupshared_bytes, content undefined at the start. thread_template: dispatch, shader, group_id and
 * context are filled; the runner makes one thread per numthreads. Called by any worker; stacks are kept per worker. */
void jit_group_run(const struct abi_shader *shader, const struct abi_thread *thread_template, void *groupshared);

#endif
