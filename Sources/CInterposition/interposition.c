#define _GNU_SOURCE
#include "interposition.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

static _Thread_local struct interposed_reads *reads;

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
  *(void **)&record_recv = next("gnutls_record_recv");
  *(void **)&lookup = next("MHD_lookup_connection_value_n");
}

void interpose_reads(struct interposed_reads *thread) { reads = thread; }

static bool may_read(int descriptor) {
  return reads->watched == 0 || reads->may_read(reads->cls, descriptor);
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
  if (is_noted && !may_read(descriptor)) {
    errno = ECONNRESET;
    return -1;
  }
  ssize_t size = recvfrom(descriptor, buffer, room, flags, NULL, NULL);
  if (is_noted && size > 0) note(descriptor, buffer, room, (size_t)size);
  return size;
}

/* gnutls_record_recv(3) */
ssize_t gnutls_record_recv(gnutls_session_t session, void *buffer, size_t room) {
  if (reads == NULL) return record_recv(session, buffer, room);
  int descriptor = gnutls_transport_get_int(session);
  if (!may_read(descriptor)) return GNUTLS_E_PREMATURE_TERMINATION;
  ssize_t size = record_recv(session, buffer, room);
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

/* How the library itself looks a header up. What it would refuse it answers twice, so it does not see
   cookies, which it would parse into the memory for the head, nor a Content-Length that is none; the
   scan of the head refuses both. It takes blanks behind a length for a part of it. */
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
  if (value != NULL) *value = found;
  if (value_size != NULL) *value_size = size;
  return MHD_YES;
}
