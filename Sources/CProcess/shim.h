#pragma once
#include <stdbool.h>
#include <sys/prctl.h>

/// Whether the system has been told never to write this process's memory into a file (prctl(2), which is variadic).
static inline bool shim_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }
