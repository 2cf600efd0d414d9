#pragma once
#include <stdint.h>
#include <sys/timex.h>
#include <time.h>

static inline uint64_t shim_nanoseconds(clockid_t clock) {
  struct timespec time = {0};
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// Time that only goes forward, in nanoseconds; it has nothing to do with the time of day.
static inline uint64_t shim_monotonic(void) { return shim_nanoseconds(CLOCK_MONOTONIC); }

// The same time, precise to some milliseconds, for a third of the price.
static inline uint64_t shim_monotonic_coarse(void) { return shim_nanoseconds(CLOCK_MONOTONIC_COARSE); }

// The time since the machine was started, in nanoseconds; it goes on while the machine sleeps.
static inline uint64_t shim_boottime(void) { return shim_nanoseconds(CLOCK_BOOTTIME); }

// The kernel's word on the clock, which Swift's Glibc module leaves out (adjtimex(2)): 1 where
// something keeps it right, 0 where nothing does, -1 where that cannot be told. It changes nothing.
static inline int shim_clock_is_synchronized(void) {
  struct timex state = {.modes = 0};
  int result = adjtimex(&state);
  if (result == -1) return -1;
  return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}
