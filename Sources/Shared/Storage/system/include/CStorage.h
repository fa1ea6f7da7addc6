#ifndef CAUSEWAY_CSTORAGE_H
#define CAUSEWAY_CSTORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// XXH3 with 64 bits. False when the bytes raise SIGBUS: the mapped file became shorter, or the disk cannot read them.
bool causeway_hash(const void *bytes, size_t count, uint64_t seed, uint64_t *hash);

/// Makes a SIGBUS inside the range end the process with a message that names the file. At most 64 ranges at once; more
/// are not guarded.
void causeway_guard_range(const void *start, size_t count, const char *path);
void causeway_unguard_range(const void *start);

/// Sleeps while the word, in memory shared by processes, has the expected value. False when the timeout has passed.
bool causeway_futex_wait(const uint32_t *word, uint32_t expected, int64_t timeout_nanoseconds);
void causeway_futex_wake_all(uint32_t *word);

/// Whether the call that runs on this thread throws the damage that it meets. False on a new thread.
bool causeway_throws_damage(void);
void causeway_set_throws_damage(bool throws);

/// Returns freed memory to the system. malloc keeps it otherwise.
void causeway_release_free_memory(void);

#endif
