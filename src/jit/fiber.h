/* SPDX-License-Identifier: MIT
 * Switching between stacks of one thread: saves what the calling convention says a callee must keep, nothing else. Used
 * by group.c. */
#ifndef CDXR_JIT_FIBER_H
#define CDXR_JIT_FIBER_H

#include <stddef.h>

struct fiber {
    void *stack_pointer;
    void *sanitizer; /* TSan's name for it, NULL elsewhere */
    void *stack_base; /* lowest address */
    size_t stack_bytes;
};

/* main runs on the stack when fiber is switched to for the first time; it must never return, but switch away for good. */
void fiber_prepare(struct fiber *fiber, void *stack_base, size_t stack_bytes, void (*main)(void *), void *argument);
/* Continue to; from continues when somebody switches back. ends: from is never continued. */
void fiber_switch(struct fiber *from, struct fiber *to, int ends);
/* After the fiber ended; not for the thread's own stack. */
void fiber_finish(struct fiber *fiber);
/* To be called at the start of main. */
void fiber_started(struct fiber *from);

#endif
