#define _GNU_SOURCE
#include "interposition.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

static _Thread_local struct interposed_reads *reads;

/* What GnuTLS receives for the session that the loop reads. */
struct secure_reads {
  /* How many bytes it may still receive. */
  size_t left;
  /* Whether the socket gave nothing more: the loop hears of what comes next. */
  bool is_dry;
};

/* NULL while the loop reads no session. */
static _Thread_local struct secure_reads *secure;

static int (*handshake)(gnutls_session_t);
static ssize_t (*record_recv)(gnutls_session_t, void *, size_t);
static enum MHD_Result (*lookup)(struct MHD_Connection *, enum MHD_ValueKind, const char *, size_t,
                                 const char **, size_t *);

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "%s is in no shared library; it must not be linked statically.\n", name);
    abort();
  }
  return found;
}

__attribute__((constructor)) static void find(void) {
  *(void **)&handshake = next("gnutls_handshake");
  *(void **)&record_recv = next("gnutls_record_recv");
  *(void **)&lookup = next("MHD_lookup_connection_value_n");
}

void interpose_reads(struct interposed_reads *thread) { reads = thread; }

static enum interposed_turn turn(int descriptor) {
  return reads->watched == 0 ? INTERPOSED_READ : reads->may_read(reads->cls, descriptor);
}

static void note(int descriptor, const char *buffer, size_t room, size_t size) {
  reads->descriptor = descriptor;
  reads->end = buffer + size;
  reads->count++;
  if (reads->watched > 0)
    reads->was_read(reads->cls, descriptor, size, size == room && buffer[size - 1] != '\n');
}

/* recv(2) */
ssize_t recv(int descriptor, void *buffer, size_t room, int flags) {
  bool is_noted = reads != NULL && !reads->is_secure;
  enum interposed_turn what = is_noted ? turn(descriptor) : INTERPOSED_READ;
  if (what != INTERPOSED_READ || (secure != NULL && secure->left == 0)) {
    errno = what == INTERPOSED_WAIT ? EAGAIN : ECONNRESET;
    return -1;
  }
  ssize_t size = recvfrom(descriptor, buffer, room, flags, NULL, NULL);
  if (secure != NULL) secure->is_dry = size <= 0;
  if (size <= 0) return size;
  if (is_noted) note(descriptor, buffer, room, (size_t)size);
  if (secure != NULL) secure->left -= (size_t)size < secure->left ? (size_t)size : secure->left;
  return size;
}

/* gnutls_handshake(3): on a loop the handshake is a part of reading. */
int gnutls_handshake(gnutls_session_t session) {
  return reads == NULL ? handshake(session) : GNUTLS_E_SUCCESS;
}

/* How much a TLS client may send without any data of an application in it, in bytes: handshake, alerts,
   changes of keys, and the record that the next data comes in, which is no more than 17 KiB. */
enum { SECURE_LIMIT = 32768 };

/* Goes on with a handshake. An answer that does not fit into the socket's buffer, tens of KiB of certificates,
   ends it, since the loop waits for what the client sends. */
static int shake(gnutls_session_t session) {
  int result = handshake(session);
  bool is_stuck = result == GNUTLS_E_AGAIN && gnutls_record_get_direction(session) == 1;
  return is_stuck ? GNUTLS_E_PUSH_ERROR : result;
}

static bool is_unfinished(ssize_t result) {
  return result == GNUTLS_E_AGAIN || result == GNUTLS_E_INTERRUPTED;
}

/* Goes on with the session as far as the socket has bytes. GnuTLS stops behind each record that has no data in
   it, a part of a handshake or a change of keys, and the loop hears of new bytes alone. */
static ssize_t receive(gnutls_session_t session, bool *is_shaken, void *buffer, size_t room) {
  for (;;) {
    size_t left = secure->left;
    secure->is_dry = false;
    ssize_t size = *is_shaken ? GNUTLS_E_SUCCESS : shake(session);
    if (size == GNUTLS_E_SUCCESS) {
      *is_shaken = true;
      size = record_recv(session, buffer, room);
    }
    if (!is_unfinished(size) || secure->is_dry || secure->left == left) return size;
  }
}

/* gnutls_record_recv(3)
   Whether the handshake is over, and how much has come since there was data, is kept in the session's pointer
   to a cache of sessions, which there is none of. */
ssize_t gnutls_record_recv(gnutls_session_t session, void *buffer, size_t room) {
  if (reads == NULL) return record_recv(session, buffer, room);
  int descriptor = gnutls_transport_get_int(session);
  switch (turn(descriptor)) {
    /* After GNUTLS_E_AGAIN the library would wait for the socket, and what GnuTLS holds would lie there. */
    case INTERPOSED_WAIT: return GNUTLS_E_INTERRUPTED;
    case INTERPOSED_END: return GNUTLS_E_PREMATURE_TERMINATION;
    case INTERPOSED_READ: break;
  }
  uintptr_t state = (uintptr_t)gnutls_db_get_ptr(session);
  bool is_shaken = (state & 1) != 0;
  struct secure_reads these = {.left = SECURE_LIMIT - (size_t)(state >> 1)};
  secure = &these;
  ssize_t size = receive(session, &is_shaken, buffer, room);
  secure = NULL;
  bool has_failed = !is_shaken && !is_unfinished(size);
  if (has_failed || (these.left == 0 && size <= 0)) {
    /* The client is told why, and nothing of the library's follows. */
    gnutls_alert_send_appropriate(session, (int)size);
    shutdown(descriptor, SHUT_RDWR);
    return GNUTLS_E_PREMATURE_TERMINATION;
  }
  if (size > 0) these.left = SECURE_LIMIT;
  gnutls_db_set_ptr(session, (void *)((uintptr_t)(SECURE_LIMIT - these.left) << 1 | is_shaken));
  if (size > 0) note(descriptor, buffer, room, (size_t)size);
  return size;
}

bool interposed_header(struct MHD_Connection *connection, const char *name, size_t name_size,
                       const char **value, size_t *value_size) {
  return lookup(connection, MHD_HEADER_KIND, name, name_size, value, value_size) == MHD_YES;
}

static bool is_name(const char *text, size_t size, const char *name) {
  return size == strlen(name) && strncasecmp(text, name, size) == 0;
}

/* A value without the blanks behind it, which belong to no value (RFC 9110 section 5.5). */
static size_t trimmed(const char *value, size_t size) {
  while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t')) size--;
  return size;
}

/* 1*DIGIT (RFC 9110 section 8.6) that an integer holds. */
static bool is_length(const char *value, size_t size) {
  if (size == 0 || size > 18) return false;
  for (size_t i = 0; i < size; i++)
    if (value[i] < '0' || value[i] > '9') return false;
  return true;
}

/* The word that a value is, letters in any case and blanks behind it left out, or NULL. */
static const char *word(const char *value, size_t size) {
  static const char *const words[] = {"chunked", "100-continue"};
  size = trimmed(value, size);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is_name(value, size, words[i])) return words[i];
  return NULL;
}

/* How the library itself looks a header up. What it would refuse it answers twice, so it does not see
   cookies, which it would parse into the memory for the head, nor a Content-Length that is none; the
   scan of the head refuses both. It takes blanks behind a value for a part of it, and compares values to
   their NUL, so it sees the word itself where a value is one that it knows. */
enum MHD_Result MHD_lookup_connection_value_n(struct MHD_Connection *connection,
                                              enum MHD_ValueKind kind, const char *name,
                                              size_t name_size, const char **value,
                                              size_t *value_size) {
  if (kind == MHD_HEADER_KIND && is_name(name, name_size, "Cookie")) return MHD_NO;
  const char *found = NULL;
  size_t size = 0;
  if (lookup(connection, kind, name, name_size, &found, &size) != MHD_YES) return MHD_NO;
  if (kind == MHD_HEADER_KIND && is_name(name, name_size, "Content-Length")) {
    size = trimmed(found, size);
    if (!is_length(found, size)) return MHD_NO;
  }
  if (kind == MHD_HEADER_KIND &&
      (is_name(name, name_size, "Transfer-Encoding") || is_name(name, name_size, "Expect"))) {
    const char *known = word(found, size);
    if (known != NULL) {
      found = known;
      size = strlen(known);
    }
  }
  if (value != NULL) *value = found;
  if (value_size != NULL) *value_size = size;
  return MHD_YES;
}
