#define _POSIX_C_SOURCE 200809L
#include "temporary_files.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAPACITY = 64 };
static _Atomic(char *) files[CAPACITY];

int temporary_file_remember(const char *path) {
  char *copy = strdup(path);
  for (int number = 0; copy && number < CAPACITY; number++) {
    char *none = 0;
    if (atomic_compare_exchange_strong(&files[number], &none, copy)) return number;
  }
  free(copy);
  return -1;
}

void temporary_file_forget(int number) {
  if (number >= 0 && number < CAPACITY) free(atomic_exchange(&files[number], 0));
}

// Runs on the thread that it interrupts, which makes no file any more: the disposition is the default by now
// (SA_RESETHAND), so the signal ends the process when this returns. Only async-signal-safe functions
// (signal-safety(7)).
static void remove_all(int signal) {
  for (int number = 0; number < CAPACITY; number++) {
    char *path = atomic_load(&files[number]);
    if (path) unlink(path);
  }
  raise(signal);
}

void temporary_files_remove_on_signals(void) {
  const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = remove_all, .sa_flags = SA_RESETHAND};
  sigfillset(&action.sa_mask);
  for (unsigned index = 0; index < sizeof signals / sizeof *signals; index++) {
    struct sigaction old;
    if (sigaction(signals[index], 0, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(signals[index], &action, 0);
  }
}
