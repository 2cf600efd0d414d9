/* Preloaded into a program, sets its time of day off by as many seconds as stand in the file that CLOCK_OFFSET names:
   a whole number of 8 bytes, which may change at any time. What only goes forward is left alone. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *offset;

__attribute__((constructor)) static void begin(void) {
  int file = open(getenv("CLOCK_OFFSET"), O_RDONLY);
  void *page = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) abort();
  offset = page;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *offset;
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
