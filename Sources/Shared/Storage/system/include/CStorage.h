#ifndef CAUSEWAY_CSTORAGE_H
#define CAUSEWAY_CSTORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// XXH3 with 64 bits. False when the bytes could not be read because the mapped file became shorter (SIGBUS).
bool causeway_hash(const void *bytes, size_t count, uint64_t seed, uint64_t *hash);

/// From now on a SIGBUS inside the range ends the process with a sentence that names the file. At most 64 ranges at once.
void causeway_guard_range(const void *start, size_t count, const char *path);
void causeway_unguard_range(const void *start);

/// Sleeps while the word, in memory shared by processes, has the expected value, at most so long. False on timeout.
bool causeway_futex_wait(const uint32_t *word, uint32_t expected, int64_t timeout_nanoseconds);
void causeway_futex_wake_all(uint32_t *word);

#endif
