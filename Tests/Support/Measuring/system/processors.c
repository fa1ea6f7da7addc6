#define _GNU_SOURCE
#include "CMeasuring.h"

#include <errno.h>
#include <sched.h>

// Swift does not see these two functions, which are the system's own.

int causeway_get_processors(int thread, void *mask, size_t bytes) {
    return sched_getaffinity(thread, bytes, mask) == 0 ? 0 : errno;
}

int causeway_set_processors(int thread, const void *mask, size_t bytes) {
    return sched_setaffinity(thread, bytes, mask) == 0 ? 0 : errno;
}
