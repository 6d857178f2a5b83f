/* SPDX-License-Identifier: MIT
 * TraceRay, CallShader, ReportHit, hit objects and ray queries: the resumable traversal of trace/ on one side, shader
 * records on the other. Called from machine code of shaders. */
#include "exec/ray_services.h"

#include <string.h>

#include "accel/build.h"
#include "exec/structure_proof.h"
#include "trace/trace.h"

enum { RAY_QUERY_FLAG_ALLOW_MICROMAPS = 0x1 }; /* RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS */

/* What a caller hands to the shaders it calls. memory_bytes 0: not known, trusted. */
struct payload {
    void *start;
    uint32_t memory_bytes;
};

/* One TraceRay in flight, on the caller's stack. abi_thread.traversal points at its first member, so that ReportHit
 * finds the frame again. */
struct ray_frame {
    struct trace_state trace;
    struct exec_dispatch_state *state;
    struct payload payload;
    uint32_t ray_contribution;
    uint32_t geometry_multiplier;
    struct exec_record candidate; /* of the intersection shader that is running */
    uint8_t attributes[ABI_ATTRIBUTE_STORAGE_BYTES] __attribute__((aligned(16))); /* of the committed procedural hit */
};

/* What a shader call changes in the thread and must put back. */
struct thread_position {
    const uint8_t *local_root_arguments;
    const struct abi_shader *shader;
    const struct abi_traversal *traversal;
    const struct abi_hit *hit;
};

/* One by one: some of the fields were stored a moment ago, and a load of two at once would wait for both stores to reach
 * the cache. */
static struct thread_position position_save(const struct abi_thread *thread)
{
    struct thread_position position;
    position.local_root_arguments = __atomic_load_n(&thread->local_root_arguments, __ATOMIC_RELAXED);
    position.shader = __atomic_load_n(&thread->shader, __ATOMIC_RELAXED);
    position.traversal = __atomic_load_n(&thread->traversal, __ATOMIC_RELAXED);
    position.hit = __atomic_load_n(&thread->hit, __ATOMIC_RELAXED);
    return position;
}

static void position_restore(struct abi_thread *thread, const struct thread_position *position)
{
    thread->local_root_arguments = position->local_root_arguments;
    thread->shader = position->shader;
    thread->traversal = position->traversal;
    thread->hit = position->hit;
}

/* The caller's struct is smaller than the shader's type: the specification wants them equal. The shader gets a copy that is large
 * enough, zero behind what the caller gave, and the caller gets its part back. */
static __attribute__((cold, noinline)) void call_with_copies(struct abi_thread *thread, const struct abi_shader *shader,
                                                             struct payload payload, const void *attributes,
                                                             uint32_t attribute_bytes)
{
    uint64_t copy_bytes = (uint64_t)shader->payload_memory_bytes + shader->attribute_memory_bytes + 32;
    const struct exec_worker *worker = thread->context;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here < (uintptr_t)worker->stack_limit + shader->stack_bytes + copy_bytes) {
        exec_thread_fault(thread, ABI_FAULT_STACK, worker->stack_used_bytes + copy_bytes);
        return;
    }
    uint8_t *own = __builtin_alloca_with_align(copy_bytes, 16 * 8);
    uint8_t *own_attributes = own + (((uint64_t)shader->payload_memory_bytes + 15) & ~15ull);
    memset(own, 0, copy_bytes);
    bool payload_is_short = payload.memory_bytes && payload.memory_bytes < shader->payload_memory_bytes;
    if (payload_is_short) {
        exec_thread_note(thread, EXEC_NOTE_PAYLOAD,
                         "its payload or parameter type takes %u bytes of memory, the caller's has %u: what is behind "
                         "reads as zero and is lost",
                         shader->payload_memory_bytes, payload.memory_bytes);
        memcpy(own, payload.start, payload.memory_bytes);
    }
    if (attributes)
        memcpy(own_attributes, attributes,
               attribute_bytes < shader->attribute_memory_bytes ? attribute_bytes : shader->attribute_memory_bytes);
    shader->function(thread, payload_is_short ? own : payload.start, own_attributes);
    if (payload_is_short)
        memcpy(payload.start, own, payload.memory_bytes);
}

static inline struct payload take_payload(struct abi_thread *thread, void *start)
{
    struct payload payload = {start, thread->payload_memory_bytes};
    thread->payload_memory_bytes = 0;
    return payload;
}

/* Run a shader of a record. traversal and hit of the thread are set already. */
static void call_record_shader(struct abi_thread *thread, const struct exec_record *record,
                               const struct abi_shader *shader, struct payload payload, const void *attributes,
                               uint32_t attribute_bytes)
{
    struct exec_worker *worker = thread->context;
    uint64_t used_bytes = worker->stack_used_bytes + shader->stack_bytes;
    const uint8_t *here = __builtin_frame_address(0);
    if (used_bytes > worker->state->stack_bytes ||
        (uintptr_t)here < (uintptr_t)worker->stack_limit + shader->stack_bytes) {
        exec_thread_fault(thread, ABI_FAULT_STACK, used_bytes);
        return;
    }
    worker->stack_used_bytes = used_bytes;
    thread->local_root_arguments = record->local_root_arguments;
    thread->shader = shader;
    thread->source_line = 0;
    if (__builtin_expect((payload.memory_bytes && payload.memory_bytes < shader->payload_memory_bytes) ||
                             attribute_bytes < shader->attribute_memory_bytes, 0))
        call_with_copies(thread, shader, payload, attributes, attribute_bytes);
    else
        shader->function(thread, payload.start, attributes);
    worker->stack_used_bytes = used_bytes - shader->stack_bytes;
}

static __attribute__((cold, noinline)) void refuse_record(struct abi_thread *thread, enum exec_table_kind kind,
                                                          uint64_t index, enum exec_record_result result)
{
    exec_thread_remove(thread, "record %llu of %s %s", (unsigned long long)index, exec_table_name(kind),
                       exec_record_result_text(result));
}

static __attribute__((noinline)) bool look_up_record(struct abi_thread *thread, enum exec_table_kind kind,
                                                     uint64_t index, struct exec_cached_record *cached)
{
    const struct exec_worker *worker = thread->context;
    cached->key = 0;
    enum exec_record_result result = exec_shader_table_find(&worker->state->tables, kind, index, &cached->record);
    if (result == EXEC_RECORD_OK)
        cached->key = index * EXEC_TABLE_COUNT + kind + 1;
    else if (result != EXEC_RECORD_NULL)
        refuse_record(thread, kind, index, result);
    return result == EXEC_RECORD_OK;
}

/* False: no shader (null record), or the device was removed because the record is bad. */
static inline bool find_record(struct abi_thread *thread, enum exec_table_kind kind, uint64_t index,
                               struct exec_record *record)
{
    struct exec_worker *worker = thread->context;
    struct exec_cached_record *cached = &worker->records[(index * 2 + kind) % EXEC_RECORD_CACHE_ENTRIES];
    if (cached->key != index * EXEC_TABLE_COUNT + kind + 1 && !look_up_record(thread, kind, index, cached))
        return false;
    *record = cached->record;
    return true;
}

static uint64_t hit_index(const struct ray_frame *frame, const struct abi_hit *hit)
{
    return exec_hit_record_index(frame->ray_contribution, frame->geometry_multiplier, hit->geometry_index,
                                 hit->instance->hit_group_contribution);
}

static bool find_hit_record(struct abi_thread *thread, uint64_t index, enum abi_group_kind kind,
                            struct exec_record *record)
{
    if (!find_record(thread, EXEC_TABLE_HIT, index, record))
        return false;
    if (__builtin_expect(record->group->kind == kind, 1))
        return true;
    exec_thread_remove(thread, "record %llu of HitGroupTable holds hit group '%s' of type %s, the geometry is %s",
                       (unsigned long long)index, record->group->name,
                       kind == ABI_GROUP_TRIANGLES ? "PROCEDURAL_PRIMITIVE" : "TRIANGLES",
                       kind == ABI_GROUP_TRIANGLES ? "triangles" : "AABBs");
    return false;
}

/* A non-opaque triangle: the any-hit shader decides. No group or no any-hit shader: accepted. */
static void judge_triangle(struct abi_thread *thread, struct ray_frame *frame)
{
    const struct trace_table *trace = frame->state->trace;
    struct abi_hit *candidate = &frame->trace.visible.candidate;
    struct exec_record record;
    if (!find_hit_record(thread, hit_index(frame, candidate), ABI_GROUP_TRIANGLES, &record) ||
        !record.group->any_hit) {
        trace->commit_triangle(&frame->trace);
        return;
    }
    thread->traversal = &frame->trace.visible;
    thread->hit = candidate;
    thread->ignore_hit = 0;
    thread->end_search = 0;
    call_record_shader(thread, &record, record.group->any_hit, frame->payload, candidate->barycentrics,
                       sizeof(candidate->barycentrics));
    if (thread->ignore_hit)
        return;
    trace->commit_triangle(&frame->trace);
    if (thread->end_search)
        trace->abort(&frame->trace);
}

static void run_intersection(struct abi_thread *thread, struct ray_frame *frame)
{
    struct abi_hit *candidate = &frame->trace.visible.candidate;
    if (!find_hit_record(thread, hit_index(frame, candidate), ABI_GROUP_PROCEDURAL,
                         &frame->candidate) ||
        !frame->candidate.group->intersection)
        return;
    thread->traversal = &frame->trace.visible;
    thread->hit = candidate;
    thread->end_search = 0;
    candidate->t = trace_current_t_max(&frame->trace); /* RayTCurrent() */
    call_record_shader(thread, &frame->candidate, frame->candidate.group->intersection, frame->payload, NULL, 0);
    if (thread->end_search)
        frame->state->trace->abort(&frame->trace);
}

/* The any-hit shader of a reported procedural hit. False: ignored. */
static bool judge_report(struct abi_thread *thread, struct ray_frame *frame, const void *attributes,
                         uint32_t attribute_bytes)
{
    const struct abi_shader *any_hit = frame->candidate.group->any_hit;
    if (frame->trace.visible.candidate_is_opaque || !any_hit)
        return true;
    struct thread_position position = position_save(thread);
    thread->ignore_hit = 0;
    call_record_shader(thread, &frame->candidate, any_hit, frame->payload, attributes, attribute_bytes);
    position_restore(thread, &position);
    return !thread->ignore_hit;
}

static uint32_t service_report_hit(struct abi_thread *thread, float t, uint32_t hit_kind, const void *attributes,
                                   uint32_t attribute_bytes)
{
    struct ray_frame *frame = (struct ray_frame *)(uintptr_t)thread->traversal;
    struct abi_traversal *visible = &frame->trace.visible;
    float t_current = trace_current_t_max(&frame->trace);
    if (thread->end_search || !(visible->ray.t_min <= t && t <= t_current))
        return 0;
    visible->candidate.t = t;
    visible->candidate.hit_kind = hit_kind;
    bool accepted = judge_report(thread, frame, attributes, attribute_bytes);
    if (accepted && frame->state->trace->commit_procedural(&frame->trace, t, hit_kind)) {
        if (attribute_bytes > sizeof(frame->attributes))
            attribute_bytes = sizeof(frame->attributes);
        memcpy(frame->attributes, attributes, attribute_bytes);
        if ((visible->ray_flags | visible->pipeline_flags) & ABI_RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH)
            thread->end_search = 1;
        return 1; /* candidate.t is the new RayTCurrent() */
    }
    visible->candidate.t = t_current;
    return 0;
}

static void note_micromaps(struct abi_thread *thread, uint64_t address, uint32_t notes, bool micromaps_allowed)
{
    if ((notes & EXEC_STRUCTURE_HAS_MICROMAPS) && !micromaps_allowed)
        exec_thread_note(thread, EXEC_NOTE_MICROMAPS_NOT_ALLOWED,
                         "structure 0x%llx has opacity micromaps, but neither pipeline nor ray query has the flag "
                         "ALLOW_OPACITY_MICROMAPS: the flags of the geometries count",
                         (unsigned long long)address);
    if (notes & EXEC_STRUCTURE_DISABLES_MICROMAPS)
        exec_thread_note(thread, EXEC_NOTE_MICROMAPS_DISABLED,
                         "structure 0x%llx: an instance has DISABLE_OMMS, but its bottom level was built without "
                         "ALLOW_DISABLE_OMMS",
                         (unsigned long long)address);
}

/* The address, or 0: what is there is empty, or a fault that has removed the device. */
static __attribute__((noinline)) uint64_t check_structure(struct abi_thread *thread, uint64_t address,
                                                          bool micromaps_allowed)
{
    struct exec_worker *worker = thread->context;
    struct exec_structure_report report;
    switch (exec_structure_check(worker->state->device, &worker->state->structures, address, &report)) {
    case EXEC_STRUCTURE_EMPTY:
        return 0;
    case EXEC_STRUCTURE_NONE:
        exec_thread_fault(thread, ABI_FAULT_ACCELERATION_STRUCTURE, address);
        return 0;
    case EXEC_STRUCTURE_UNSOUND:
        exec_thread_remove(thread, "the top-level structure 0x%llx is damaged: %s", (unsigned long long)address,
                           report.reason.text);
        return 0;
    case EXEC_STRUCTURE_BAD_POINTER:
        exec_thread_remove(thread,
                           "an instance of the top-level structure 0x%llx refers to 0x%llx, where no %s is any more: %s",
                           (unsigned long long)address, (unsigned long long)report.bad_address, report.bad_kind,
                           report.reason.text);
        return 0;
    case EXEC_STRUCTURE_SOUND:
        break;
    }
    if (report.notes)
        note_micromaps(thread, address, report.notes, micromaps_allowed);
    worker->checked_structures[address / ACCEL_ALIGNMENT_BYTES % EXEC_STRUCTURE_CACHE_ENTRIES] = address;
    return address;
}

static inline uint64_t usable_structure(struct abi_thread *thread, uint64_t address, uint32_t trace_flags)
{
    const struct exec_worker *worker = thread->context;
    if (address == 0 ||
        worker->checked_structures[address / ACCEL_ALIGNMENT_BYTES % EXEC_STRUCTURE_CACHE_ENTRIES] == address)
        return address;
    return check_structure(thread, address, trace_flags & ABI_TRACE_FLAG_ALLOW_MICROMAPS);
}

/* Find the closest hit: frame->trace.visible.committed* hold the result. False: the dispatch is being aborted. */
static bool find_closest(struct abi_thread *thread, const struct abi_trace_arguments *arguments, struct payload payload,
                         struct ray_frame *frame)
{
    struct exec_worker *worker = thread->context;
    struct exec_dispatch_state *state = worker->state;
    const struct trace_table *trace = state->trace;
    worker->ray_count++;
    frame->state = state;
    frame->payload = payload;
    frame->ray_contribution = arguments->ray_contribution;
    frame->geometry_multiplier = arguments->geometry_multiplier;
    trace->begin(&frame->trace,
                 usable_structure(thread, arguments->acceleration_structure, state->pipeline_flags), &arguments->ray,
                 arguments->ray_flags, state->pipeline_flags, arguments->instance_mask);
    for (;;) {
        uint32_t event = trace->next(&frame->trace);
        if (event == TRACE_DONE || exec_is_aborted(thread->dispatch))
            break;
        if (event == TRACE_CANDIDATE_TRIANGLE)
            judge_triangle(thread, frame);
        else
            run_intersection(thread, frame);
    }
    thread->end_search = 0;
    return !exec_is_aborted(thread->dispatch);
}

static void run_closest_hit(struct abi_thread *thread, struct ray_frame *frame)
{
    const struct abi_traversal *visible = &frame->trace.visible;
    if ((visible->ray_flags | visible->pipeline_flags) & ABI_RAY_FLAG_SKIP_CLOSEST_HIT_SHADER)
        return;
    bool is_triangle = visible->committed_status == ABI_COMMITTED_TRIANGLE_HIT;
    struct exec_record record;
    if (!find_hit_record(thread, hit_index(frame, &visible->committed),
                         is_triangle ? ABI_GROUP_TRIANGLES : ABI_GROUP_PROCEDURAL, &record) ||
        !record.group->closest_hit)
        return;
    thread->traversal = visible;
    thread->hit = &visible->committed;
    const void *attributes = is_triangle ? (const void *)visible->committed.barycentrics : frame->attributes;
    call_record_shader(thread, &record, record.group->closest_hit, frame->payload, attributes,
                       is_triangle ? sizeof(visible->committed.barycentrics) : sizeof(frame->attributes));
}

static void run_miss(struct abi_thread *thread, const struct abi_traversal *visible, uint32_t miss_index,
                     struct payload payload)
{
    struct exec_record record;
    if (!find_record(thread, EXEC_TABLE_MISS, miss_index & 0xffff, &record))
        return;
    thread->traversal = visible;
    thread->hit = &visible->committed; /* its t is the ray's t_max */
    call_record_shader(thread, &record, record.group->shader, payload, NULL, 0);
}

/* TraceRay and Invoke count alike; the frames of traversal need room on the native stack. */
static bool may_recurse(struct abi_thread *thread)
{
    const struct exec_worker *worker = thread->context;
    if (exec_is_aborted(thread->dispatch))
        return false;
    if (thread->recursion_depth >= worker->state->max_recursion_depth) {
        exec_thread_fault(thread, ABI_FAULT_RECURSION, thread->recursion_depth);
        return false;
    }
    if ((uintptr_t)__builtin_frame_address(0) < (uintptr_t)worker->stack_limit + sizeof(struct ray_frame)) {
        exec_thread_fault(thread, ABI_FAULT_STACK, worker->stack_used_bytes);
        return false;
    }
    return true;
}

static void service_trace_ray(struct abi_thread *thread, const struct abi_trace_arguments *arguments, void *payload_start)
{
    struct payload payload = take_payload(thread, payload_start);
    if (!may_recurse(thread))
        return;
    struct ray_frame frame;
    struct thread_position position = position_save(thread);
    thread->recursion_depth++;
    if (find_closest(thread, arguments, payload, &frame)) {
        if (frame.trace.visible.committed_status != ABI_COMMITTED_NOTHING)
            run_closest_hit(thread, &frame);
        else
            run_miss(thread, &frame.trace.visible, arguments->miss_index, payload);
    }
    thread->recursion_depth--;
    position_restore(thread, &position);
}

static void service_call_shader(struct abi_thread *thread, uint32_t shader_index, void *parameter)
{
    struct payload payload = take_payload(thread, parameter);
    struct exec_record record;
    if (exec_is_aborted(thread->dispatch) ||
        !find_record(thread, EXEC_TABLE_CALLABLE, shader_index, &record))
        return;
    struct thread_position position = position_save(thread);
    call_record_shader(thread, &record, record.group->shader, payload, NULL, 0);
    position_restore(thread, &position);
}

static void service_hit_object_trace(struct abi_thread *thread, const struct abi_trace_arguments *arguments,
                                     void *payload_start, struct abi_hit_object *object)
{
    struct payload payload = take_payload(thread, payload_start);
    memset(object, 0, sizeof(*object));
    if (!may_recurse(thread))
        return;
    struct ray_frame frame;
    struct thread_position position = position_save(thread);
    thread->recursion_depth++;
    bool found = find_closest(thread, arguments, payload, &frame);
    thread->recursion_depth--;
    position_restore(thread, &position);
    if (!found)
        return;
    const struct abi_traversal *visible = &frame.trace.visible;
    object->ray = visible->ray;
    object->ray_flags = visible->ray_flags;
    object->hit.t = visible->committed.t;
    if (visible->committed_status == ABI_COMMITTED_NOTHING) {
        object->kind = ABI_HIT_OBJECT_MISS;
        object->shader_table_index = arguments->miss_index & 0xffff;
        return;
    }
    object->kind = ABI_HIT_OBJECT_HIT;
    object->hit = visible->committed;
    object->shader_table_index = (uint32_t)hit_index(&frame, &visible->committed);
    object->is_procedural = visible->committed_status == ABI_COMMITTED_PROCEDURAL_PRIMITIVE_HIT;
    object->attribute_bytes = object->is_procedural ? sizeof(frame.attributes) : sizeof(object->hit.barycentrics);
    memcpy(object->attributes,
           object->is_procedural ? (const void *)frame.attributes : visible->committed.barycentrics,
           object->attribute_bytes);
}

static void invoke_hit(struct abi_thread *thread, const struct abi_hit_object *object,
                       const struct abi_traversal *visible, struct payload payload)
{
    if ((visible->ray_flags | visible->pipeline_flags) & ABI_RAY_FLAG_SKIP_CLOSEST_HIT_SHADER)
        return;
    struct exec_record record;
    if (!find_hit_record(thread, object->shader_table_index,
                         object->is_procedural ? ABI_GROUP_PROCEDURAL : ABI_GROUP_TRIANGLES, &record) ||
        !record.group->closest_hit)
        return;
    thread->traversal = visible;
    thread->hit = &visible->committed;
    call_record_shader(thread, &record, record.group->closest_hit, payload, object->attributes,
                       sizeof(object->attributes));
}

static bool object_is_empty(const struct abi_hit_object *object)
{
    return object->kind == ABI_HIT_OBJECT_NOP ||
           (object->kind == ABI_HIT_OBJECT_HIT && object->shader_table_index == ABI_HIT_OBJECT_UNBOUND);
}

static void service_hit_object_invoke(struct abi_thread *thread, const struct abi_hit_object *object, void *payload_start)
{
    struct payload payload = take_payload(thread, payload_start);
    if (object_is_empty(object) || !may_recurse(thread))
        return;
    const struct exec_worker *worker = thread->context;
    struct abi_traversal visible = {
        .ray = object->ray,
        .ray_flags = object->ray_flags,
        .pipeline_flags = worker->state->pipeline_flags,
        .committed = object->hit,
    };
    struct thread_position position = position_save(thread);
    thread->recursion_depth++;
    if (object->kind == ABI_HIT_OBJECT_HIT) {
        visible.committed_status =
            object->is_procedural ? ABI_COMMITTED_PROCEDURAL_PRIMITIVE_HIT : ABI_COMMITTED_TRIANGLE_HIT;
        invoke_hit(thread, object, &visible, payload);
    } else {
        visible.committed.t = object->ray.t_max;
        run_miss(thread, &visible, object->shader_table_index, payload);
    }
    thread->recursion_depth--;
    position_restore(thread, &position);
}

static uint32_t service_hit_object_record_constant(struct abi_thread *thread, const struct abi_hit_object *object,
                                                   uint32_t offset)
{
    const struct exec_worker *worker = thread->context;
    if (object_is_empty(object))
        return 0;
    enum exec_table_kind kind = object->kind == ABI_HIT_OBJECT_HIT ? EXEC_TABLE_HIT : EXEC_TABLE_MISS;
    struct exec_record record;
    if (!find_record(thread, kind, object->shader_table_index, &record))
        return 0;
    const struct exec_table *table = &worker->state->tables.tables[kind];
    uint64_t left_bytes = (uint64_t)(table->start + table->bytes - record.local_root_arguments);
    uint32_t value = 0;
    if (left_bytes >= sizeof(value) && offset <= left_bytes - sizeof(value))
        memcpy(&value, record.local_root_arguments + offset, sizeof(value));
    return value;
}

static void service_query_begin(struct abi_thread *thread, void *query, const struct abi_trace_arguments *arguments)
{
    struct exec_worker *worker = thread->context;
    worker->ray_count++;
    uint32_t trace_flags =
        arguments->query_flags & RAY_QUERY_FLAG_ALLOW_MICROMAPS ? ABI_TRACE_FLAG_ALLOW_MICROMAPS : 0;
    worker->state->trace->begin(query, usable_structure(thread, arguments->acceleration_structure, trace_flags),
                                &arguments->ray, arguments->ray_flags, trace_flags, arguments->instance_mask);
}

static uint32_t service_query_proceed(struct abi_thread *thread, void *query)
{
    const struct exec_worker *worker = thread->context;
    return !exec_is_aborted(thread->dispatch) && worker->state->trace->next(query) != TRACE_DONE;
}

static void service_query_abort(struct abi_thread *thread, void *query)
{
    const struct exec_worker *worker = thread->context;
    worker->state->trace->abort(query);
}

static void service_query_commit_triangle(struct abi_thread *thread, void *query)
{
    const struct exec_worker *worker = thread->context;
    worker->state->trace->commit_triangle(query);
}

static void service_query_commit_procedural(struct abi_thread *thread, void *query, float t)
{
    const struct exec_worker *worker = thread->context;
    worker->state->trace->commit_procedural(query, t, 0);
}

static uint64_t service_bytes_behind(struct abi_thread *thread, uint64_t address)
{
    struct exec_device *device = ((const struct exec_worker *)thread->context)->state->device;
    return exec_structure_allow_view(device, address) ? exec_device_bytes_behind(device, address) : 0;
}

const struct abi_services *exec_ray_services(void)
{
    static const struct abi_services services = {
        .trace_ray = service_trace_ray,
        .call_shader = service_call_shader,
        .report_hit = service_report_hit,
        .query_bytes = sizeof(struct trace_state),
        .query_begin = service_query_begin,
        .query_proceed = service_query_proceed,
        .query_abort = service_query_abort,
        .query_commit_triangle = service_query_commit_triangle,
        .query_commit_procedural = service_query_commit_procedural,
        .fault = exec_thread_fault,
        .bytes_behind = service_bytes_behind,
        .hit_object_trace = service_hit_object_trace,
        .hit_object_invoke = service_hit_object_invoke,
        .hit_object_record_constant = service_hit_object_record_constant,
        .triangle_positions = exec_triangle_positions,
    };
    return &services;
}
