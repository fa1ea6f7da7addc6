// A target needs a source. The functions are inlined from their header.
#include "CThread.h"
