#pragma once
#include <sys/timex.h>

// The kernel's word on the clock, which Swift's Glibc module leaves out (adjtimex(2)): 1 where
// something keeps it right, 0 where nothing does, -1 where that cannot be told. It changes nothing.
static inline int shim_clock_is_synchronized(void) {
  struct timex state = {.modes = 0};
  int result = adjtimex(&state);
  if (result == -1) return -1;
  return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}
