#ifndef CAUSEWAY_CBACKUP_H
#define CAUSEWAY_CBACKUP_H

/// Makes two names on one file system change places in one step: renameat2 with RENAME_EXCHANGE. Returns zero or an errno.
int causeway_exchange(const char *one, const char *other);

#endif
