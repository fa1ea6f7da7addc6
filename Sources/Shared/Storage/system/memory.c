#include "CStorage.h"

#include <malloc.h>

void causeway_release_free_memory(void) { malloc_trim(0); }
