#include "CStorage.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

// A page of a mapped file that lies beyond the file's end raises SIGBUS, and so does one that the disk cannot read. A
// thread that is hashing a page for the first time jumps out of the hash, and the store reports which of the two it is.
// A thread that reads a page checked before cannot be told, so the process stops with a message instead of going on
// with wrong data.

struct guarded_range {
    _Atomic(uintptr_t) start;
    uintptr_t end;
    char path[512];
};

static struct guarded_range ranges[64];
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static __thread sigjmp_buf escape;
static __thread volatile sig_atomic_t is_hashing;

static void say(const char *text) {
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void bus_error(int number, siginfo_t *info, void *context) {
    if (is_hashing) siglongjmp(escape, 1);
    uintptr_t address = (uintptr_t)info->si_addr;
    for (size_t index = 0; index < sizeof ranges / sizeof ranges[0]; index++) {
        uintptr_t start = atomic_load(&ranges[index].start);
        if (start == 0 || address < start || address >= ranges[index].end) continue;
        say("Causeway: the file ");
        say(ranges[index].path);
        say(" was cut shorter by another program while it was open, or the disk failed to read it. The process stops, "
            "because going on would read wrong data. Check the disk and the system's log; if the file was cut, restore "
            "it from a copy.\n");
        _exit(134);
    }
    // Not ours: call the handler that was installed before.
    if (previous.sa_flags & SA_SIGINFO && previous.sa_sigaction) {
        previous.sa_sigaction(number, info, context);
        return;
    }
    if (previous.sa_handler != SIG_IGN && previous.sa_handler != SIG_DFL) {
        previous.sa_handler(number);
        return;
    }
    signal(SIGBUS, SIG_DFL);
    raise(SIGBUS);
}

static void install(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous);
}

void causeway_guard_range(const void *start, size_t count, const char *path) {
    pthread_once(&installed, install);
    pthread_mutex_lock(&ranges_lock);
    for (size_t index = 0; index < sizeof ranges / sizeof ranges[0]; index++) {
        if (atomic_load(&ranges[index].start) != 0) continue;
        ranges[index].end = (uintptr_t)start + count;
        strncpy(ranges[index].path, path, sizeof ranges[index].path - 1);
        atomic_store(&ranges[index].start, (uintptr_t)start);
        break;
    }
    pthread_mutex_unlock(&ranges_lock);
}

void causeway_unguard_range(const void *start) {
    pthread_mutex_lock(&ranges_lock);
    for (size_t index = 0; index < sizeof ranges / sizeof ranges[0]; index++) {
        if (atomic_load(&ranges[index].start) == (uintptr_t)start) atomic_store(&ranges[index].start, 0);
    }
    pthread_mutex_unlock(&ranges_lock);
}

bool causeway_hash(const void *bytes, size_t count, uint64_t seed, uint64_t *hash) {
    pthread_once(&installed, install);
    // The mask needs no saving: the handler runs with SA_NODEFER.
    if (sigsetjmp(escape, 0) != 0) {
        is_hashing = 0;
        return false;
    }
    is_hashing = 1;
    *hash = XXH3_64bits_withSeed(bytes, count, seed);
    is_hashing = 0;
    return true;
}
