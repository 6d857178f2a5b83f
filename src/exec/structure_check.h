/* SPDX-License-Identifier: MIT
 * May rays walk the top-level structure at an address? It must be one, with a proof (exec/structure_proof.h), and so must
 * be every bottom level that its tree names and every micromap array that those name: applications may hand over any
 * address, release or overwrite what is referred to, and trace on; traversal itself trusts all of it. What was found is kept
 * for the dispatch and, where nothing can change unseen, for the device: a ray pays nothing. */
#ifndef CDXR_EXEC_STRUCTURE_CHECK_H
#define CDXR_EXEC_STRUCTURE_CHECK_H

#include "exec/device.h"

/* What rays should be allowed to know, bits. */
enum exec_structure_note {
    EXEC_STRUCTURE_HAS_MICROMAPS = 0x1,      /* some geometry is linked to opacity micromaps */
    EXEC_STRUCTURE_DISABLES_MICROMAPS = 0x2, /* an instance has DISABLE_OMMS, its bottom level not ALLOW_DISABLE_OMMS */
};

enum exec_structure_result {
    EXEC_STRUCTURE_SOUND,
    EXEC_STRUCTURE_EMPTY,       /* zero-filled memory: nothing was built yet, every ray misses */
    EXEC_STRUCTURE_NONE,        /* no top-level structure */
    EXEC_STRUCTURE_UNSOUND,     /* a damaged one: reason */
    EXEC_STRUCTURE_BAD_POINTER, /* it refers to bad_address, where no bad_kind is: reason */
};

struct exec_structure_report {
    uint64_t bad_address;
    const char *bad_kind; /* "bottom-level structure" or "opacity micromap array" */
    uint32_t notes;       /* enum exec_structure_note */
    struct reason reason;
};

/* What a dispatch has found out; zeroed at its start. Shared by its threads. */
enum { EXEC_STRUCTURE_CACHE_ENTRIES = 4 };
struct exec_structure_cache {
    uint64_t addresses[EXEC_STRUCTURE_CACHE_ENTRIES]; /* atomic; written after notes */
    uint32_t notes[EXEC_STRUCTURE_CACHE_ENTRIES];
};

/* Any thread. Everything is believed without an address map (unit tests). */
enum exec_structure_result exec_structure_check(struct exec_device *device, struct exec_structure_cache *cache,
                                                uint64_t address, struct exec_structure_report *report);

#endif
