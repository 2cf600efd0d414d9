#pragma once
#include <http_head.h>
#include <malloc.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* What Swift cannot import from libmicrohttpd (variadic functions) and from the C
   library (GNU extensions), and what hands a head that the library has read to the
   scan of CHTTPHead. */

/* accept4(2) */
int accept4(int descriptor, struct sockaddr *address, socklen_t *size, int flags);

/* poll(2): the other end sends no more. */
enum { CHTTP_POLLRDHUP = 0x2000 };

/* Settings of one event loop: a daemon without a thread and a listen socket. */
struct chttp_loop {
  MHD_AccessHandlerCallback handle;
  void *(*begin)(void *cls, const char *target, struct MHD_Connection *connection);
  MHD_RequestCompletedCallback complete;
  MHD_NotifyConnectionCallback notify;
  void *cls;
  size_t memory_limit;
  unsigned int connection_limit;
  unsigned int timeout_seconds;
  bool strict;
  void *retrieve;         /* gives GnuTLS the certificate, or NULL for plain HTTP */
  const char *priorities; /* GnuTLS's, where there is a certificate */
};

/* Hides the query of a target from the library, which is about to split it where it lies. It keeps each
   parameter in the memory for the head, and once that is full its 0.9 series neither answers nor hangs
   up; queries are read elsewhere, from a copy. */
static inline void chttp_hide_query(const char *target) {
  char *mark = strchr((char *)(uintptr_t)target, '?');
  if (mark != NULL) mark[1] = '\0';
}

/* Leaves percent escapes as they were sent. */
static size_t chttp_keep_escapes(void *cls, struct MHD_Connection *connection, char *text) {
  (void)cls;
  (void)connection;
  return strlen(text);
}

static inline struct MHD_Daemon *chttp_start(const struct chttp_loop *loop) {
  struct MHD_OptionItem options[] = {
      {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)loop->complete, loop->cls},
      {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)loop->notify, loop->cls},
      {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)loop->begin, loop->cls},
      {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)&chttp_keep_escapes, NULL},
      {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)loop->memory_limit, NULL},
      {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)loop->connection_limit, NULL},
      {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)loop->timeout_seconds, NULL},
      {MHD_OPTION_STRICT_FOR_CLIENT, loop->strict ? 1 : 0, NULL},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem secure[] = {
      {MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, loop->retrieve},
      {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)loop->priorities},
      {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
  bool is_secure = loop->retrieve != NULL;
  return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | (is_secure ? MHD_USE_TLS : 0),
                          0, NULL, NULL, loop->handle, loop->cls, MHD_OPTION_ARRAY, options,
                          MHD_OPTION_ARRAY, is_secure ? secure : plain, MHD_OPTION_END);
}

/* What to poll for the loop's sake. */
static inline int chttp_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

/* For how many milliseconds it may be polled; -1 for any time. */
static inline int chttp_wait(struct MHD_Daemon *daemon) {
  MHD_UNSIGNED_LONG_LONG time;
  if (MHD_get_timeout(daemon, &time) != MHD_YES) return -1;
  return time < 1000000000 ? (int)time : 1000000000;
}

/* Whether a connection was opened; else it is about to be closed. */
static inline bool chttp_is_opened(enum MHD_ConnectionNotificationCode event) {
  return event == MHD_CONNECTION_NOTIFY_STARTED;
}

/* What the application attached to the connection when it was opened. */
static inline void *chttp_attached(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

static inline int chttp_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

/* The TLS session of the connection (gnutls_session_t), or NULL. */
static inline void *chttp_session(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info == NULL ? NULL : info->tls_session;
}

static inline const struct sockaddr *chttp_client(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

/* The library's 0.9 series leaves the head of a request where it was received and
   gives out pointers into it, so that gaps between them betray what it skipped
   silently: bare line feeds, folded lines, NUL bytes, doubled spaces. Later series
   refuse these themselves and may lay their memory out in another way. */
static inline bool chttp_shows_layout(void) {
  return strncmp(MHD_get_version(), "0.9.", 4) == 0;
}

/* What the library keeps of each header besides the bytes as they came (struct MHD_HTTP_Header). */
enum { CHTTP_FIELD_MEMORY = 64 };

static enum MHD_Result chttp_add_trailer(void *cls, enum MHD_ValueKind kind, const char *name,
                                         size_t name_size, const char *value, size_t value_size) {
  (void)kind, (void)name, (void)value;
  *(size_t *)cls += name_size + value_size + 4 + CHTTP_FIELD_MEMORY;
  return MHD_YES;
}

/* How much of the connection's memory the trailers of a request take. */
static inline size_t chttp_trailers(struct MHD_Connection *connection) {
  size_t memory = 0;
  MHD_get_connection_values_n(connection, MHD_FOOTER_KIND, &chttp_add_trailer, &memory);
  return memory;
}

static enum MHD_Result chttp_add_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                       size_t name_size, const char *value, size_t value_size) {
  (void)kind;
  return http_head_add((struct http_head *)cls, name, name_size, value, value_size) ? MHD_YES : MHD_NO;
}

/* Scans the head of a request once.
   `target` is its path and query in origin form, `whole_size` the size of the target as the library saw it
   first, `fault` what was found wrong with it then; `url`, `method` and `version` are what it hands to the
   access handler; `limit` is the connection's memory. */
static inline struct http_head chttp_scan(struct MHD_Connection *connection, const char *method,
                                          const char *url, const char *target, size_t target_size,
                                          size_t whole_size, const char *fault, const char *version,
                                          bool layout, size_t limit) {
  const struct http_request_line line = {
      method, strlen(method), url, whole_size, target, target_size, fault, version, strlen(version)};
  struct http_head head = {0};
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  head.size = info == NULL ? 0 : info->header_size;
  if (!http_head_begin(&head, &line, layout)) return head;
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &chttp_add_field, &head);
  http_head_end(&head, limit, CHTTP_FIELD_MEMORY);
  return head;
}
