/* SPDX-License-Identifier: MIT
 * See fiber.h. x86-64 System V and AArch64. */
#include "jit/fiber.h"

#include <stdint.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

void fiber_swap(void **save, void *load);
void fiber_start(void);

#if defined(__x86_64__)
__asm__(".text\n.globl fiber_swap\n.hidden fiber_swap\n.type fiber_swap,@function\n"
        "fiber_swap:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size fiber_swap, .-fiber_swap\n"
        ".globl fiber_start\n.hidden fiber_start\n.type fiber_start,@function\n"
        "fiber_start:\n"
        "  xorl %ebp, %ebp\n"
        "  movq %r12, %rdi\n"
        "  callq *%r13\n"
        "  ud2\n"
        ".size fiber_start, .-fiber_start\n");

static void *fiber_first_frame(uintptr_t top, void (*main)(void *), void *argument)
{
    /* r15 r14 r13 r12 rbx rbp, return address; the stack is 16-byte aligned when fiber_start runs. */
    uint64_t *frame = (uint64_t *)(top - 16 - 7 * sizeof(uint64_t));
    memset(frame, 0, 7 * sizeof(uint64_t) + 16);
    frame[2] = (uint64_t)(uintptr_t)main;
    frame[3] = (uint64_t)(uintptr_t)argument;
    frame[6] = (uint64_t)(uintptr_t)fiber_start;
    return frame;
}
#elif defined(__aarch64__)
__asm__(".text\n.globl fiber_swap\n.hidden fiber_swap\n.type fiber_swap,@function\n"
        "fiber_swap:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n  ret\n"
        ".size fiber_swap, .-fiber_swap\n"
        ".globl fiber_start\n.hidden fiber_start\n.type fiber_start,@function\n"
        "fiber_start:\n"
        "  mov x29, #0\n  mov x0, x19\n  blr x20\n  brk #0\n"
        ".size fiber_start, .-fiber_start\n");

static void *fiber_first_frame(uintptr_t top, void (*main)(void *), void *argument)
{
    uint64_t *frame = (uint64_t *)(top - 160);
    memset(frame, 0, 160);
    frame[0] = (uint64_t)(uintptr_t)argument;
    frame[1] = (uint64_t)(uintptr_t)main;
    frame[11] = (uint64_t)(uintptr_t)fiber_start;
    return frame;
}
#else
#error "no stack switch for this processor"
#endif

void fiber_prepare(struct fiber *fiber, void *stack_base, size_t stack_bytes, void (*main)(void *), void *argument)
{
    uintptr_t top = ((uintptr_t)stack_base + stack_bytes) & ~(uintptr_t)63;
    *fiber = (struct fiber){.stack_base = stack_base, .stack_bytes = stack_bytes};
    fiber->stack_pointer = fiber_first_frame(top, main, argument);
#ifdef FIBER_TSAN
    fiber->sanitizer = __tsan_create_fiber(0);
#endif
}

void fiber_switch(struct fiber *from, struct fiber *to, int ends)
{
#ifdef FIBER_ASAN
    void *fake_stack = NULL;
    __sanitizer_start_switch_fiber(ends ? NULL : &fake_stack, to->stack_base, to->stack_bytes);
#endif
#ifdef FIBER_TSAN
    if (!from->sanitizer)
        from->sanitizer = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->sanitizer, 0);
#endif
    (void)ends;
    fiber_swap(&from->stack_pointer, to->stack_pointer);
#ifdef FIBER_ASAN
    const void *base;
    size_t bytes;
    __sanitizer_finish_switch_fiber(fake_stack, &base, &bytes);
#endif
}

void fiber_started(struct fiber *from)
{
#ifdef FIBER_ASAN
    const void *base;
    size_t bytes;
    __sanitizer_finish_switch_fiber(NULL, &base, &bytes);
    from->stack_base = (void *)base;
    from->stack_bytes = bytes;
#endif
    (void)from;
}

void fiber_finish(struct fiber *fiber)
{
#ifdef FIBER_TSAN
    if (fiber->sanitizer)
        __tsan_destroy_fiber(fiber->sanitizer);
#endif
    fiber->sanitizer = NULL;
}
