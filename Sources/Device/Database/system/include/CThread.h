#ifndef CAUSEWAY_CTHREAD_H
#define CAUSEWAY_CTHREAD_H

#include <stdint.h>

/// What tells the running thread from all others that exist: the address of its control block, which is in a register.
/// Every property read asks for it, and `pthread_self` would be a call. `const` tells Swift that it releases no object: a loop
/// retains none for it. As with `pthread_self`, the compiler may take the thread from before an `await` for the one behind it. Then
/// it is a misuse that stays unnoticed, never a right use that is refused: a thread that differs is asked for again.
__attribute__((const)) static inline uintptr_t causeway_thread(void) { return (uintptr_t)__builtin_thread_pointer(); }

#endif
