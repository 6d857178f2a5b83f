/* SPDX-License-Identifier: MIT
 * Which structures in memory are safe to walk. Traversal, updates and copies follow offsets and references without
 * looking, so before the first of them a structure needs a proof: it was made by a build, update, copy or deserialise
 * command and nothing wrote to its memory since, or all of it was looked through (accel/verify.h).
 *
 * A proof is one bit for each 128 bytes of a buffer, kept only where nothing else can write behind our back: buffers that
 * were made in state RAYTRACING_ACCELERATION_STRUCTURE (shaders get no writable view of them) or with the flag of that
 * name (until a writable view is asked for), not visible to the CPU, not reserved, and with memory that no other
 * resource shows. Commands that write there all the same withdraw the proofs of what they overwrite. Structures in any
 * other memory are looked through again in every dispatch that traces them and by every command that reads them. */
#ifndef CDXR_EXEC_STRUCTURE_PROOF_H
#define CDXR_EXEC_STRUCTURE_PROOF_H

#include "accel/build.h"
#include "exec/device.h"
#include "exec/memory.h"

enum exec_proof {
    EXEC_PROOF_NONE, /* no structure, or an unsafe one */
    EXEC_PROOF_ONCE, /* looked through now; its memory may change without notice */
    EXEC_PROOF_KEPT, /* until device->structure_changes or the address map change */
};

/* Is there a structure at address that lies in its buffer and is safe to walk? Any thread. Without an address map (unit
 * tests) what looks like a header is believed. reason may be NULL. */
enum exec_proof exec_structure_prove(struct exec_device *device, uint64_t address, struct reason *reason);
/* A command of ours has just finished the structure at address. */
void exec_structure_proven(struct exec_device *device, uint64_t address);
/* A command is going to write to these bytes. Cheap where no structures are. */
void exec_structure_overwrite(struct exec_device *device, uint64_t address, uint64_t byte_count);

/* A writable view of memory at address is wanted. False: its buffer is for structures alone. */
bool exec_structure_allow_view(struct exec_device *device, uint64_t address);

/* For accel_reader.is_sound: remembers the last answers of one build. */
enum { EXEC_PROOF_CACHE_ENTRIES = 64 };
struct exec_proof_cache {
    struct exec_device *device;
    uint64_t addresses[EXEC_PROOF_CACHE_ENTRIES];
};
bool exec_proof_cache_ask(struct exec_proof_cache *cache, uint64_t address);

#endif
