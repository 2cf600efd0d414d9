#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Functions that libmicrohttpd calls and this program defines in front of the libraries' own, as ELF has it:
   docs/decisions/0022-in-front-of-libmicrohttpd.md says why. */

/* What becomes of a read. */
enum interposed_turn {
  INTERPOSED_READ,
  /* The library is told that nothing has come, and asks again. */
  INTERPOSED_WAIT,
  /* The library is told that the connection was reset. */
  INTERPOSED_END
};

/* What an event loop learns of the reads that the library makes on its thread. */
struct interposed_reads {
  /* Whether the loop's sockets are read through GnuTLS. */
  bool is_secure;
  /* The socket that was read last, and the end of what came, in the connection's memory. */
  int descriptor;
  const char *end;
  /* How many reads there were that gave something. */
  unsigned long count;
  /* How many connections are watched; where there are none, nobody is asked and told. */
  size_t watched;
  /* Whether a socket may be read on. */
  enum interposed_turn (*may_read)(void *cls, int descriptor);
  /* Something was read; `is_unfinished` where it filled the library's buffer and ends no line. */
  void (*was_read)(void *cls, int descriptor, size_t size, bool is_unfinished);
  void *cls;
};

/* Has the calling thread's reads noted there; NULL ends it. */
void interpose_reads(struct interposed_reads *reads);

struct MHD_Connection;

/* The first header of a request with this name, in any case, as it was sent; false where there is none. */
bool interposed_header(struct MHD_Connection *connection, const char *name, size_t name_size,
                       const char **value, size_t *value_size);
