/* Preloaded into a program that runs under callgrind, has it write what it has counted since the last time whenever
   somebody asks: each byte that comes out of the FIFO WORK_ASKED is answered with one in WORK_TOLD. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

static void *listen_for_questions(void *nothing) {
  int asked = open(getenv("WORK_ASKED"), O_RDONLY | O_CLOEXEC), told = open(getenv("WORK_TOLD"), O_WRONLY | O_CLOEXEC);
  char byte;
  while (read(asked, &byte, 1) == 1) {
    CALLGRIND_DUMP_STATS;
    if (write(told, &byte, 1) != 1) break;
  }
  return nothing;
}

__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  if (RUNNING_ON_VALGRIND && getenv("WORK_ASKED") && pthread_create(&thread, NULL, listen_for_questions, NULL)) abort();
}
