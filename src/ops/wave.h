/* SPDX-License-Identifier: MIT
 * Wave, quad and derivative operations over the lanes that met. Called natively by the machinery that runs a wave's
 * lanes (jit). */
#ifndef CDXR_OPS_WAVE_H
#define CDXR_OPS_WAVE_H

#include "ops/types.h"

/* Computes step->result (or result4) of all active lanes from step->value and step->argument. Floats are combined in
 * ascending lane order, starting from the operation's identity, so a result never depends on timing. A lane that is read and is
 * not active gives 0. Opcodes: every row of OPS_OP_LIST with form WAVE. */
void ops_wave_run(struct ops_wave_step *step);

#endif
