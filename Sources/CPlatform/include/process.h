#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>

// Tells the system never to write this process's memory into a file (prctl(2), which is variadic); whether it
// was told.
static inline bool process_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

// Has every signal of a fault end the process at once, whatever handles it so far; one that is ignored stays
// ignored.
static inline void process_default_faults(void) {
  const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGSYS, SIGTRAP};
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) {
    struct sigaction action;
    if (sigaction(faults[index], NULL, &action) == 0 && action.sa_handler != SIG_IGN) signal(faults[index], SIG_DFL);
  }
}
