#define _GNU_SOURCE
#include "CStorage.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool causeway_futex_wait(const uint32_t *word, uint32_t expected, int64_t timeout_nanoseconds) {
    struct timespec timeout = {
        .tv_sec = timeout_nanoseconds / 1000000000, .tv_nsec = timeout_nanoseconds % 1000000000};
    long result = syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, NULL, 0);
    return result == 0 || errno != ETIMEDOUT;
}

void causeway_futex_wake_all(uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
