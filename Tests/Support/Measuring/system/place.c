#include "CMeasuring.h"

#include <linux/magic.h>
#include <sys/vfs.h>

bool causeway_is_in_memory(const char *path) {
    struct statfs system;
    return statfs(path, &system) == 0 && system.f_type == TMPFS_MAGIC;
}
