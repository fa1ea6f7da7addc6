#ifndef CAUSEWAY_CMEASURING_H
#define CAUSEWAY_CMEASURING_H

#include <stdbool.h>
#include <stddef.h>

/// The processors that a thread of this process may use, one bit each. 0, or the number of an error.
int causeway_get_processors(int thread, void *mask, size_t bytes);
int causeway_set_processors(int thread, const void *mask, size_t bytes);

/// Whether a file is in a file system that keeps its files in memory. False where there is no such file.
bool causeway_is_in_memory(const char *path);

#endif
