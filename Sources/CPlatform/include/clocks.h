#pragma once
#include <stdint.h>
#include <sys/timex.h>
#include <time.h>

static inline uint64_t clock_nanoseconds(clockid_t clock) {
  struct timespec time = {0};
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// The kernel's word on the time of day, which Swift's Glibc module leaves out (adjtimex(2)): 1 where something
// keeps it right, 0 where nothing does, -1 where that cannot be told. It changes nothing.
static inline int clock_is_synchronized(void) {
  struct timex state = {.modes = 0};
  int result = adjtimex(&state);
  if (result == -1) return -1;
  return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}
