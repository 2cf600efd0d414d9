#define _GNU_SOURCE
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

// Every signal that ends a process by default (signal(7)), but SIGKILL and those that a fault of the program
// raises, such as SIGSEGV.
static void ending_signals(sigset_t *signals) {
  const int plain[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGABRT, SIGPIPE, SIGALRM,   SIGTERM, SIGUSR1,
                       SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGSTKFLT, SIGIO,   SIGPWR};
  sigemptyset(signals);
  for (unsigned index = 0; index < sizeof plain / sizeof *plain; index++) sigaddset(signals, plain[index]);
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++) sigaddset(signals, signal);
}

// Runs on the thread that it interrupts, which makes no file any more, with every signal blocked. The default
// comes back only after the files are gone: by SA_RESETHAND a second signal would end the process before. Only
// async-signal-safe functions (signal-safety(7)).
static void remove_all(int signal) {
  for (int number = 0; number < CAPACITY; number++) {
    char *path = atomic_load(&files[number]);
    if (path) unlink(path);
  }
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigset_t mine;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, 0);
  raise(signal);
  sigemptyset(&mine);
  sigaddset(&mine, signal);
  pthread_sigmask(SIG_UNBLOCK, &mine, 0);
}

void temporary_files_remove_on_signals(void) {
  sigset_t signals;
  struct sigaction action = {.sa_handler = remove_all};
  sigfillset(&action.sa_mask);
  ending_signals(&signals);
  for (int signal = 1; signal <= SIGRTMAX; signal++) {
    struct sigaction old;
    if (sigismember(&signals, signal) == 1 && sigaction(signal, 0, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(signal, &action, 0);
  }
}

void temporary_files_hold_signals(void) {
  sigset_t signals;
  ending_signals(&signals);
  // Who reads no report any more ends the process as ever; SIGABRT is the program's own.
  sigdelset(&signals, SIGPIPE);
  sigdelset(&signals, SIGABRT);
  pthread_sigmask(SIG_BLOCK, &signals, 0);
}
