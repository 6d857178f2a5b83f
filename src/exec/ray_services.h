/* SPDX-License-Identifier: MIT
 * The services table of abi/services.h over trace/trace.h: TraceRay, CallShader, ReportHit, hit objects, ray queries,
 * faults. Everything a ray needs lives on the worker's stack: no lock, no allocation, no atomic per ray. */
#ifndef CDXR_EXEC_RAY_SERVICES_H
#define CDXR_EXEC_RAY_SERVICES_H

#include "abi/services.h"
#include "exec/device.h"
#include "exec/shader_table.h"
#include "exec/structure_check.h"

/* Constant for a dispatch; abi_dispatch.exec points here. */
struct exec_dispatch_state {
    struct exec_device *device;
    struct exec_shader_tables tables;
    const struct trace_table *trace; /* kernels for this CPU */
    const char *list_name;           /* for messages */
    uint32_t command_index;
    uint32_t max_recursion_depth;
    uint32_t pipeline_flags;
    uint32_t reported;    /* atomic: bit per enum abi_fault and exec_thread_note_bit, one message a dispatch and kind */
    uint64_t stack_bytes; /* pipeline stack size; UINT64_MAX: not limited */
    struct exec_structure_cache structures;
};

enum { EXEC_RECORD_CACHE_ENTRIES = 8 };

/* A record that was found good. Tables must not change while they are in use (Raytracing.md "Shader tables"). */
struct exec_cached_record {
    uint64_t key; /* index * EXEC_TABLE_COUNT + kind + 1; 0: empty */
    struct exec_record record;
};

/* Per task of a dispatch, on the worker's stack; abi_thread.context points here. */
struct exec_worker {
    struct exec_dispatch_state *state;
    const uint8_t *stack_limit; /* lowest address that shaders may reach */
    uint64_t stack_used_bytes;  /* sum of stack_bytes of the shaders that are running */
    uint64_t ray_count;         /* traced by this task; added to the device's when the task ends */
    /* Addresses that were found to start a top-level structure during this task. */
    uint64_t checked_structures[EXEC_STRUCTURE_CACHE_ENTRIES];
    struct exec_cached_record records[EXEC_RECORD_CACHE_ENTRIES];
};

const struct abi_services *exec_ray_services(void);

/* Removes the device (once) with a text that names list, command, shader and thread. */
void exec_thread_remove(struct abi_thread *thread, const char *format, ...) PRINTF_LIKE(2, 3);
enum exec_thread_note_bit { EXEC_NOTE_PAYLOAD = 29, EXEC_NOTE_MICROMAPS_NOT_ALLOWED = 30, EXEC_NOTE_MICROMAPS_DISABLED = 31 };
/* A warning, once a dispatch and bit; the work goes on. */
void exec_thread_note(struct abi_thread *thread, enum exec_thread_note_bit bit, const char *format, ...) PRINTF_LIKE(3, 4);
/* abi_services.fault */
void exec_thread_fault(struct abi_thread *thread, uint32_t fault, uint64_t detail);
/* abi_services.triangle_positions */
void exec_triangle_positions(struct abi_thread *thread, const struct abi_hit *hit, float positions[9]);

#endif
