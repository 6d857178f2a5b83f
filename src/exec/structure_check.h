/* SPDX-License-Identifier: MIT
 * Do the bottom-level structures that a top-level one points at still exist, and their micromap arrays? Applications may
 * release them and trace on; traversal itself trusts the pointers. Looked at once per structure, change of the address map
 * and build or copy of any structure, so it costs a dispatch nothing while nothing changes. */
#ifndef CDXR_EXEC_STRUCTURE_CHECK_H
#define CDXR_EXEC_STRUCTURE_CHECK_H

#include "exec/device.h"

/* What rays should be allowed to know, bits. */
enum exec_structure_note {
    EXEC_STRUCTURE_HAS_MICROMAPS = 0x1,      /* some geometry is linked to opacity micromaps */
    EXEC_STRUCTURE_DISABLES_MICROMAPS = 0x2, /* an instance has DISABLE_OMMS, its bottom level not ALLOW_DISABLE_OMMS */
};

struct exec_structure_report {
    uint64_t bad_address; /* a pointer that leads nowhere */
    const char *bad_kind; /* "bottom-level structure" or "opacity micromap array" */
    uint32_t notes;       /* enum exec_structure_note */
};

/* address starts a top-level structure whose header was checked. False: a pointer leads nowhere. Any thread, no lock. True
 * without an address map (unit tests). */
bool exec_structure_is_sound(struct exec_device *device, uint64_t address, struct exec_structure_report *report);
/* A structure is about to be overwritten. */
void exec_structure_forget(struct exec_device *device);

#endif
