#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The scan of a request's head over plain bytes. A parser has found the lines; the scan refuses what two
   readers may understand differently, and keeps what the server needs of the head.

   http_head_begin takes the request line, http_head_add each field in its order, http_head_end the end of
   the head. Each returns false when the head is at fault; `fault` then holds the reason. */

/* A request line as parsed (RFC 9112 section 3). */
struct http_request_line {
  const char *method;
  size_t method_size;
  /* The target among the received bytes; read only if the layout is checked. */
  const char *received_target;
  size_t received_target_size;
  /* The target in origin form: path and query. */
  const char *target;
  size_t target_size;
  /* The target's fault, from http_target_split, or NULL. */
  const char *target_fault;
  const char *version;
  size_t version_size;
};

/* The state of a scan and its result. */
struct http_head {
  const char *fault;       /* what is wrong, as a sentence; NULL if nothing */
  size_t size;             /* bytes from the method to the empty line, set before http_head_end */
  size_t memory;           /* the most that the parser uses of the connection's memory, in bytes */
  uint64_t content_length; /* 0 when missing */
  bool chunked;            /* whether the body comes in chunks (RFC 9112 section 7.1) */
  bool expects_continue;   /* whether the client waits for 100 (RFC 9110 section 10.1.1) */
  const char *request_id;  /* the first usable X-Request-Id, or NULL */
  size_t request_id_size;

  /* Internal. */
  const char *start; /* the method */
  const char *next;  /* where the next field has to begin */
  bool layout;
  bool is_1_1;
  unsigned fields, hosts, lengths, codings, types, credentials, cookies;
};

/* Begins the scan with the request line: version (RFC 9112 section 2.3), method (RFC 9110 section 9.1) and
   target (RFC 9112 section 3.2.1). `head` is zero but for its size.

   `layout` has the scan check that only CR LF stands between two lines. The parser has to leave the head as
   received and to point into it; a gap then shows what it skipped silently, such as bare line feeds, folded
   lines, NULs and doubled spaces (RFC 9112 sections 2.2 and 5.2). */
bool http_head_begin(struct http_head *head, const struct http_request_line *line, bool layout);

/* Takes the next field (RFC 9110 section 5): its name has to be a token and its value free of control
   characters; Host, Content-Length, Transfer-Encoding, Content-Type and Authorization may occur once.
   `value` may be NULL when it is empty. */
bool http_head_add(struct http_head *head, const char *name, size_t name_size, const char *value,
                   size_t value_size);

/* Ends the scan: HTTP/1.1 needs a Host (RFC 9112 section 3.2), and Content-Length and Transfer-Encoding
   exclude each other (RFC 9112 section 6.1).

   Computes `memory`, too. Of a connection's `limit` bytes the parser uses half to read into, or more if the
   head needs it, and a record of `record` bytes for each field. Each further cookie of a Cookie field counts
   as a field, as in HTTP/2 (RFC 9113 section 8.2.3). */
bool http_head_end(struct http_head *head, size_t limit, size_t record);

/* A request target, taken apart (RFC 9112 section 3.2). */
struct http_target {
  const char *path;  /* with the query; empty or a query alone if an absolute form has no path */
  size_t path_size;
  size_t size;       /* of the whole target */
  const char *fault; /* what is wrong with the authority of an absolute form, or NULL */
};

/* Removes scheme and authority from a target in absolute form, as proxies send it (RFC 9112 section 3.2.2).
   The authority is checked and then dropped: the server uses neither it nor Host, so it need not choose. */
struct http_target http_target_split(const char *target, size_t size);
