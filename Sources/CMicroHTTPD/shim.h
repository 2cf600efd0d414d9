#pragma once
#include <malloc.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* What Swift cannot import from libmicrohttpd (variadic functions) and from the C
   library (GNU extensions), and the one scan of a request's head, which is here
   because it runs for every request. */

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
  return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | (is_secure ? MHD_USE_TLS : 0),
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

/* The result of scanning a head. */
struct chttp_head {
  const char *fault; /* what is wrong, as a sentence, or NULL */
  size_t size;       /* bytes from the method to the empty line */
  size_t memory;     /* what the library has put into the connection's memory, at most */
  uint64_t content_length;
  bool has_length;
  bool chunked;
  bool expects_continue;
  const char *request_id;
  size_t request_id_size;
  /* Used while scanning. */
  const char *next;
  bool layout;
  bool is_1_1;
  unsigned fields, hosts, lengths, codings, types, credentials, cookies;
};

/* RFC 9110 section 5.6.2: letters, digits and !#$%&'*+-.^_`|~, as a set of bits. */
static inline bool chttp_is_token_byte(unsigned char byte) {
  static const uint64_t low = 0x03ff6cfa00000000u, high = 0x57ffffffc7fffffeu;
  if (byte >= 0x80) return false;
  return ((byte < 0x40 ? low >> byte : high >> (byte - 0x40)) & 1) != 0;
}

/* Whether `text` is `word`, which is in lower case, letters compared in any case. */
static inline bool chttp_is_word(const char *text, const char *word, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char byte = text[i];
    if (byte >= 'A' && byte <= 'Z') byte |= 0x20;
    if (byte != word[i]) return false;
  }
  return true;
}

/* RFC 9110 section 5.5: visible characters, space, tab and bytes over 0x7f. */
static inline bool chttp_is_field_value(const char *text, size_t size) {
  const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, text + i, 8);
    uint64_t low = (word - ones * 0x20) & ~word;
    uint64_t deleted = word ^ (ones * 0x7f);
    deleted = (deleted - ones) & ~deleted;
    if (((low | deleted) & highs) == 0) continue;
    for (size_t k = i; k < i + 8; k++) {
      unsigned char byte = (unsigned char)text[k];
      if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return false;
    }
  }
  for (; i < size; i++) {
    unsigned char byte = (unsigned char)text[i];
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return false;
  }
  return true;
}

/* RFC 3986 section 3.2: a host, with a port or without; stricter than its reg-name,
   which allows marks that no real host has. */
static inline bool chttp_is_host(const char *text, size_t size) {
  size_t i = 0;
  if (size == 0) return false;
  if (text[0] == '[') {
    for (i = 1; i < size && text[i] != ']'; i++) {
      unsigned char byte = (unsigned char)text[i];
      if (!chttp_is_token_byte(byte) && byte != ':') return false;
    }
    if (i == 1 || i == size) return false;
    i++;
  } else {
    for (; i < size && text[i] != ':'; i++) {
      unsigned char byte = (unsigned char)text[i];
      bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                   (byte >= '0' && byte <= '9');
      if (!plain && byte != '-' && byte != '.' && byte != '_' && byte != '~' && byte != '%')
        return false;
    }
    if (i == 0) return false;
  }
  if (i == size) return true;
  if (text[i] != ':') return false;
  for (i++; i < size; i++)
    if (text[i] < '0' || text[i] > '9') return false;
  return true;
}

static enum MHD_Result chttp_scan_field(void *cls, enum MHD_ValueKind kind, const char *name,
                                        size_t name_size, const char *value, size_t value_size) {
  struct chttp_head *head = (struct chttp_head *)cls;
  (void)kind;
  head->fields++;
  if (value == NULL) {
    value = "";
    value_size = 0;
  }
  if (head->layout) {
    if (name != head->next) {
      head->fault = "A line of the head does not end in CR LF, is folded or holds a NUL.";
      return MHD_NO;
    }
    head->next = value + value_size + 2;
  }
  if (name_size == 0) {
    head->fault = "A header has no name.";
    return MHD_NO;
  }
  for (size_t i = 0; i < name_size; i++)
    if (!chttp_is_token_byte((unsigned char)name[i])) {
      head->fault = "A header's name holds a character that is not allowed there.";
      return MHD_NO;
    }
  if (!chttp_is_field_value(value, value_size)) {
    head->fault = "A header's value holds a control character.";
    return MHD_NO;
  }
  while (value_size > 0 && (value[value_size - 1] == ' ' || value[value_size - 1] == '\t'))
    value_size--;
  switch (name_size) {
  case 4:
    if (!chttp_is_word(name, "host", 4)) break;
    if (++head->hosts > 1)
      head->fault = "There are two Host headers; send one.";
    else if (!chttp_is_host(value, value_size))
      head->fault = "The Host header is empty or malformed.";
    break;
  case 6:
    if (chttp_is_word(name, "cookie", 6)) {
      for (size_t i = 0; i < value_size; i++) head->cookies += value[i] == ';';
      break;
    }
    if (chttp_is_word(name, "expect", 6) && value_size == 12 &&
        chttp_is_word(value, "100-continue", 12))
      head->expects_continue = head->is_1_1;
    break;
  case 12:
    if (chttp_is_word(name, "content-type", 12)) {
      if (++head->types > 1) head->fault = "There are two Content-Type headers; send one.";
      break;
    }
    if (head->request_id == NULL && chttp_is_word(name, "x-request-id", 12)) {
      bool usable = value_size >= 1 && value_size <= 128;
      for (size_t i = 0; usable && i < value_size; i++)
        usable = value[i] > 0x20 && value[i] < 0x7f;
      if (usable) {
        head->request_id = value;
        head->request_id_size = value_size;
      }
    }
    break;
  case 13:
    if (chttp_is_word(name, "authorization", 13) && ++head->credentials > 1)
      head->fault = "There are two Authorization headers; send one.";
    break;
  case 14:
    if (!chttp_is_word(name, "content-length", 14)) break;
    if (++head->lengths > 1) {
      head->fault = "There are two Content-Length headers; send one.";
      break;
    }
    head->has_length = true;
    if (value_size == 0 || value_size > 18) head->fault = "Content-Length is not a number.";
    for (size_t i = 0; head->fault == NULL && i < value_size; i++) {
      if (value[i] < '0' || value[i] > '9')
        head->fault = "Content-Length is not a number.";
      else
        head->content_length = head->content_length * 10 + (uint64_t)(value[i] - '0');
    }
    break;
  case 17:
    if (!chttp_is_word(name, "transfer-encoding", 17)) break;
    if (++head->codings > 1)
      head->fault = "There are two Transfer-Encoding headers; send one.";
    else if (!head->is_1_1)
      head->fault = "HTTP/1.0 has no Transfer-Encoding.";
    else if (value_size != 7 || !chttp_is_word(value, "chunked", 7))
      head->fault = "Transfer-Encoding may only be chunked.";
    else
      head->chunked = true;
    break;
  default:
    break;
  }
  return head->fault == NULL ? MHD_YES : MHD_NO;
}

/* What the library keeps of each header besides the bytes as they came (struct MHD_HTTP_Header). */
enum { CHTTP_FIELD_MEMORY = 64 };

/* How much of a connection's memory of `limit` bytes the library has used, at most, once it has read a head:
   the buffer for reading, half of the memory until more is needed, which then grows by small steps; and
   from the other end a record of each header. A cookie counts as a header, as it does in HTTP/2. */
static inline size_t chttp_used_memory(const struct chttp_head *head, size_t limit) {
  size_t used = head->size + 256 > limit / 2 ? head->size + 256 : limit / 2;
  return used + (head->fields + head->cookies) * CHTTP_FIELD_MEMORY;
}

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

/* A request target as the library saw it first (RFC 9112 section 3.2). */
struct chttp_target {
  const char *path;  /* with the query; empty or a query alone where an absolute form has no path */
  size_t path_size;
  size_t size;       /* of the whole target */
  const char *fault; /* what is wrong with the authority of an absolute form, or NULL */
};

/* Takes scheme and authority off a target in absolute form, as proxies send it; nothing here asks for the
   host, so that which of it and Host counts is no question. */
static inline struct chttp_target chttp_split(const char *text) {
  struct chttp_target target = {text, strlen(text), 0, NULL};
  target.size = target.path_size;
  size_t scheme = chttp_is_word(text, "http://", 7) ? 7 : chttp_is_word(text, "https://", 8) ? 8 : 0;
  if (scheme == 0) return target;
  size_t authority = strcspn(text + scheme, "/?#");
  if (!chttp_is_host(text + scheme, authority))
    target.fault = "The host in the request target is empty or malformed.";
  target.path += scheme + authority;
  target.path_size -= scheme + authority;
  return target;
}

/* Scans the head of a request once.
   `target` is its path and query in origin form, `whole_size` the size of the target as the library saw it
   first, `fault` what was found wrong with it then; `url`, `method` and `version` are what it hands to the
   access handler; `limit` is the connection's memory. */
static inline struct chttp_head chttp_scan(struct MHD_Connection *connection, const char *method,
                                           const char *url, const char *target, size_t target_size,
                                           size_t whole_size, const char *fault, const char *version,
                                           bool layout, size_t limit) {
  struct chttp_head head = {0};
  head.layout = layout;
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  head.size = info == NULL ? 0 : info->header_size;
  if (strcmp(version, "HTTP/1.1") == 0) {
    head.is_1_1 = true;
  } else if (strcmp(version, "HTTP/1.0") != 0) {
    head.fault = "The version is neither HTTP/1.1 nor HTTP/1.0.";
    return head;
  }
  size_t method_size = strlen(method);
  for (size_t i = 0; i < method_size; i++)
    if (!chttp_is_token_byte((unsigned char)method[i])) {
      head.fault = "The method holds a character that is not allowed there.";
      return head;
    }
  if (fault != NULL) {
    head.fault = fault;
    return head;
  }
  if (target_size == 0 || target[0] != '/') {
    head.fault = "The request target is not a path that begins with a slash.";
    return head;
  }
  for (size_t i = 0; i < target_size; i++)
    if ((unsigned char)(target[i] - 0x21) > 0x5d || target[i] == '#') {
      head.fault = "The request target holds a character that must be percent-encoded.";
      return head;
    }
  if (layout) {
    if (url != method + method_size + 1 || version != url + whole_size + 1) {
      head.fault = "The request line is malformed.";
      return head;
    }
    head.next = version + 10;
  }
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &chttp_scan_field, &head);
  if (head.fault != NULL) return head;
  head.memory = chttp_used_memory(&head, limit);
  if (layout && head.next + 2 != method + head.size)
    head.fault = "A line of the head does not end in CR LF, is folded or holds a NUL.";
  else if (head.hosts == 0 && head.is_1_1)
    head.fault = "There is no Host header.";
  else if (head.lengths > 0 && head.codings > 0)
    head.fault = "There are both Content-Length and Transfer-Encoding; send one.";
  return head;
}
