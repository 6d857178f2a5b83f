/* SPDX-License-Identifier: MIT
 * Do the bottom-level structures that a top-level one points at still exist? Applications may release them and trace on;
 * traversal itself trusts the pointers. Looked at once per structure and change of the address map, so it costs a
 * dispatch nothing while no buffer is destroyed. */
#ifndef CDXR_EXEC_STRUCTURE_CHECK_H
#define CDXR_EXEC_STRUCTURE_CHECK_H

#include "exec/device.h"

/* address starts a top-level structure whose header was checked. False: *bad_address is a pointer that leads nowhere.
 * Any thread, no lock. True without an address map (unit tests). */
bool exec_structure_is_sound(struct exec_device *device, uint64_t address, uint64_t *bad_address);
/* The structure at address is about to be overwritten. */
void exec_structure_forget(struct exec_device *device, uint64_t address);

#endif
