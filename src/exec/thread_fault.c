/* SPDX-License-Identifier: MIT
 * The rare paths of the services: faults of shader threads with their texts, and triangle corners for SM 6.10. */
#include "exec/ray_services.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "accel/indexed.h"

static void describe_thread(const struct abi_thread *thread, char *text, size_t text_bytes)
{
    const struct exec_worker *worker = thread->context;
    char line[32] = "";
    if (thread->source_line)
        snprintf(line, sizeof(line), ", line %u", thread->source_line);
    snprintf(text, text_bytes, "command %u of list '%s', shader '%s'%s, thread (%u, %u, %u)",
             worker->state->command_index, worker->state->list_name,
             thread->shader ? thread->shader->name : "none", line, thread->dispatch_index[0],
             thread->dispatch_index[1], thread->dispatch_index[2]);
}

void exec_thread_remove(struct abi_thread *thread, const char *format, ...)
{
    const struct exec_worker *worker = thread->context;
    char where[320], what[384];
    describe_thread(thread, where, sizeof(where));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    exec_device_remove(worker->state->device, EXEC_REMOVED_HUNG, "%s: %s", where, what);
}

void exec_thread_note(struct abi_thread *thread, enum exec_thread_note_bit bit, const char *format, ...)
{
    const struct exec_worker *worker = thread->context;
    char where[320], what[384];
    if (__atomic_fetch_or(&worker->state->reported, 1u << bit, __ATOMIC_RELAXED) & 1u << bit)
        return;
    describe_thread(thread, where, sizeof(where));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    exec_device_message(worker->state->device, bit == EXEC_NOTE_PAYLOAD ? RULE_SHADER_FAULT : RULE_OPACITY_MICROMAPS, "%s: %s", where, what);
}

struct fault_text {
    const char *text; /* takes the detail as %llx or %llu */
    bool removes;     /* else a message, and the shader reads zero */
};

static const struct fault_text fault_texts[] = {
    [ABI_FAULT_DESCRIPTOR_OUT_OF_HEAP] = {"descriptor index %llu lies outside the bound descriptor heap", false},
    [ABI_FAULT_DESCRIPTOR_KIND] = {"the descriptor at 0x%llx is not set or is of another kind than the shader declares",
                                   false},
    [ABI_FAULT_ENDLESS_LOOP] = {"the loop counter reached %llu, the shader does not end", true},
    [ABI_FAULT_RECURSION] = {"TraceRay at depth %llu exceeds MaxTraceRecursionDepth of the pipeline", true},
    [ABI_FAULT_STACK] = {"shader calls need %llu bytes of stack, more than the pipeline stack size allows", true},
    [ABI_FAULT_UNDEF_HANDLE] = {"a resource handle is undefined (%llu)", false},
    [ABI_FAULT_ACCELERATION_STRUCTURE] = {"address 0x%llx does not start a top-level acceleration structure", true},
    [ABI_FAULT_ROOT_ADDRESS] = {"the root descriptor address 0x%llx lies in no buffer", true},
};

void exec_thread_fault(struct abi_thread *thread, uint32_t fault, uint64_t detail)
{
    const struct exec_worker *worker = thread->context;
    struct exec_dispatch_state *state = worker->state;
    if (fault >= ARRAY_COUNT(fault_texts) || !fault_texts[fault].text)
        fault = ABI_FAULT_UNDEF_HANDLE;
    uint32_t bit = 1u << fault;
    if (__atomic_fetch_or(&state->reported, bit, __ATOMIC_RELAXED) & bit)
        return;
    char what[256];
    snprintf(what, sizeof(what), fault_texts[fault].text, (unsigned long long)detail);
    if (fault_texts[fault].removes) {
        exec_thread_remove(thread, "%s", what);
        return;
    }
    char where[320];
    describe_thread(thread, where, sizeof(where));
    exec_device_message(state->device, RULE_SHADER_FAULT, "%s: %s", where, what);
}

/* Leaves are in no order, so this looks at all of them: the operation is for rare use (SM 6.10 preview). */
void exec_triangle_positions(struct abi_thread *thread, const struct abi_hit *hit, float positions[9])
{
    memset(positions, 0, 9 * sizeof(float));
    const struct accel_header *header =
        hit->instance ? (const struct accel_header *)(uintptr_t)hit->instance->blas : NULL;
    if (!header || header->magic != ACCEL_MAGIC || header->kind != ACCEL_KIND_TRIANGLES)
        return;
    float corners[3][3];
    if (accel_find_triangle(header, hit->geometry_index, hit->primitive_index, corners))
        memcpy(positions, corners, sizeof(corners));
}
