#include "http_head.h"

#include <string.h>

/* MARK: Characters */

/* RFC 9110 section 5.6.2: letters, digits and !#$%&'*+-.^_`|~. */
static inline bool is_token_byte(unsigned char byte) {
  /* A set of bits, one for each byte below 0x80. */
  static const uint64_t low = 0x03ff6cfa00000000u, high = 0x57ffffffc7fffffeu;
  if (byte >= 0x80) return false;
  return ((byte < 0x40 ? low >> byte : high >> (byte - 0x40)) & 1) != 0;
}

static inline bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static inline bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

static inline bool is_control(unsigned char byte) {
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

/* Whether the first `size` bytes of `text` are `word`, which is in lower case; case is ignored. */
static inline bool is_word(const char *text, const char *word, size_t size) {
  for (size_t i = 0; i < size; i++) {
    char byte = text[i];
    if (byte >= 'A' && byte <= 'Z') byte |= 0x20;
    if (byte != word[i]) return false;
  }
  return true;
}

static inline bool has_token_bytes(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (!is_token_byte((unsigned char)text[i])) return false;
  return true;
}

/* RFC 9110 section 5.5: visible characters, spaces, tabs and bytes over 0x7f; eight bytes at a time. */
static inline bool has_no_control(const char *text, size_t size) {
  const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, text + i, 8);
    uint64_t low = (word - ones * 0x20) & ~word;
    uint64_t deleted = word ^ (ones * 0x7f);
    deleted = (deleted - ones) & ~deleted;
    if (((low | deleted) & highs) == 0) continue;
    for (size_t k = i; k < i + 8; k++)
      if (is_control((unsigned char)text[k])) return false;
  }
  for (; i < size; i++)
    if (is_control((unsigned char)text[i])) return false;
  return true;
}

/* MARK: Host and target */

/* Whether `text` is a host with or without a port (RFC 3986 section 3.2); stricter than the RFC's reg-name,
   which allows marks that no real host has. */
static bool is_host(const char *text, size_t size) {
  size_t i = 0;
  if (size == 0) return false;
  if (text[0] == '[') {
    for (i = 1; i < size && text[i] != ']'; i++) {
      unsigned char byte = (unsigned char)text[i];
      if (!is_token_byte(byte) && byte != ':') return false;
    }
    if (i == 1 || i == size) return false;
    i++;
  } else {
    for (; i < size && text[i] != ':'; i++) {
      char byte = text[i];
      bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || is_digit(byte);
      if (!plain && byte != '-' && byte != '.' && byte != '_' && byte != '~' && byte != '%')
        return false;
    }
    if (i == 0) return false;
  }
  if (i == size) return true;
  if (text[i] != ':') return false;
  for (i++; i < size; i++)
    if (!is_digit(text[i])) return false;
  return true;
}

struct http_target http_target_split(const char *text, size_t size) {
  struct http_target target = {text, size, size, NULL};
  size_t scheme = size >= 7 && is_word(text, "http://", 7)    ? 7
                  : size >= 8 && is_word(text, "https://", 8) ? 8
                                                              : 0;
  if (scheme == 0) return target;
  size_t end = scheme;
  while (end < size && text[end] != '/' && text[end] != '?' && text[end] != '#') end++;
  if (!is_host(text + scheme, end - scheme))
    target.fault = "The host in the request target is empty or malformed.";
  target.path += end;
  target.path_size -= end;
  return target;
}

/* MARK: The head */

static const char malformed_line[] = "A line of the head does not end in CR LF, is folded or holds a NUL.";

static bool is_version(const struct http_request_line *line, const char *version) {
  return line->version_size == 8 && memcmp(line->version, version, 8) == 0;
}

bool http_head_begin(struct http_head *head, const struct http_request_line *line, bool layout) {
  head->layout = layout;
  head->start = line->method;
  if (is_version(line, "HTTP/1.1")) {
    head->is_1_1 = true;
  } else if (!is_version(line, "HTTP/1.0")) {
    head->fault = "The version is neither HTTP/1.1 nor HTTP/1.0.";
    return false;
  }
  if (!has_token_bytes(line->method, line->method_size)) {
    head->fault = "The method holds a character that is not allowed there.";
    return false;
  }
  if (line->target_fault != NULL) {
    head->fault = line->target_fault;
    return false;
  }
  if (line->target_size == 0 || line->target[0] != '/') {
    head->fault = "The request target is not a path that begins with a slash.";
    return false;
  }
  for (size_t i = 0; i < line->target_size; i++)
    if ((unsigned char)(line->target[i] - 0x21) > 0x5d || line->target[i] == '#') {
      head->fault = "The request target holds a character that must be percent-encoded.";
      return false;
    }
  if (layout) {
    if (line->received_target != line->method + line->method_size + 1 ||
        line->version != line->received_target + line->received_target_size + 1) {
      head->fault = "The request line is malformed.";
      return false;
    }
    head->next = line->version + line->version_size + 2;
  }
  return true;
}

/* Counts a header that may occur once; a second one is at fault. */
static bool is_first(struct http_head *head, unsigned *count, const char *fault) {
  if (++*count > 1) head->fault = fault;
  return head->fault == NULL;
}

/* RFC 9110 section 8.6; at most 18 digits, which a uint64_t holds. */
static void take_length(struct http_head *head, const char *value, size_t size) {
  if (!is_first(head, &head->lengths, "There are two Content-Length headers; send one.")) return;
  if (size == 0 || size > 18) head->fault = "Content-Length is not a number.";
  for (size_t i = 0; head->fault == NULL && i < size; i++) {
    if (is_digit(value[i]))
      head->content_length = head->content_length * 10 + (uint64_t)(value[i] - '0');
    else
      head->fault = "Content-Length is not a number.";
  }
}

/* RFC 9112 section 6.1. */
static void take_coding(struct http_head *head, const char *value, size_t size) {
  if (!is_first(head, &head->codings, "There are two Transfer-Encoding headers; send one.")) return;
  if (!head->is_1_1)
    head->fault = "HTTP/1.0 has no Transfer-Encoding.";
  else if (size != 7 || !is_word(value, "chunked", 7))
    head->fault = "Transfer-Encoding may only be chunked.";
  else
    head->chunked = true;
}

/* The caller's id is 1 to 128 visible ASCII characters; any other is ignored. */
static void take_request_id(struct http_head *head, const char *value, size_t size) {
  if (head->request_id != NULL || size == 0 || size > 128) return;
  for (size_t i = 0; i < size; i++)
    if (value[i] <= 0x20 || value[i] >= 0x7f) return;
  head->request_id = value;
  head->request_id_size = size;
}

bool http_head_add(struct http_head *head, const char *name, size_t name_size, const char *value,
                   size_t value_size) {
  head->fields++;
  if (value == NULL) {
    value = "";
    value_size = 0;
  }
  if (head->layout) {
    if (name != head->next) {
      head->fault = malformed_line;
      return false;
    }
    head->next = value + value_size + 2;
  }
  if (name_size == 0) {
    head->fault = "A header has no name.";
    return false;
  }
  if (!has_token_bytes(name, name_size)) {
    head->fault = "A header's name holds a character that is not allowed there.";
    return false;
  }
  if (!has_no_control(value, value_size)) {
    head->fault = "A header's value holds a control character.";
    return false;
  }
  while (value_size > 0 && is_blank(value[value_size - 1])) value_size--;
  switch (name_size) {
  case 4:
    if (is_word(name, "host", 4) &&
        is_first(head, &head->hosts, "There are two Host headers; send one.") &&
        !is_host(value, value_size))
      head->fault = "The Host header is empty or malformed.";
    break;
  case 6:
    if (is_word(name, "cookie", 6)) {
      for (size_t i = 0; i < value_size; i++) head->cookies += value[i] == ';';
    } else if (is_word(name, "expect", 6) && value_size == 12 &&
               is_word(value, "100-continue", 12)) {
      head->expects_continue = head->is_1_1;
    }
    break;
  case 12:
    if (is_word(name, "content-type", 12))
      is_first(head, &head->types, "There are two Content-Type headers; send one.");
    else if (is_word(name, "x-request-id", 12))
      take_request_id(head, value, value_size);
    break;
  case 13:
    if (is_word(name, "authorization", 13))
      is_first(head, &head->credentials, "There are two Authorization headers; send one.");
    break;
  case 14:
    if (is_word(name, "content-length", 14)) take_length(head, value, value_size);
    break;
  case 17:
    if (is_word(name, "transfer-encoding", 17)) take_coding(head, value, value_size);
    break;
  default:
    break;
  }
  return head->fault == NULL;
}

/* The parser's read buffer grows in small steps, hence the 256. */
static size_t used_memory(const struct http_head *head, size_t limit, size_t record) {
  size_t used = head->size + 256 > limit / 2 ? head->size + 256 : limit / 2;
  return used + (head->fields + head->cookies) * record;
}

bool http_head_end(struct http_head *head, size_t limit, size_t record) {
  if (head->fault != NULL) return false;
  head->memory = used_memory(head, limit, record);
  if (head->layout && head->next + 2 != head->start + head->size)
    head->fault = malformed_line;
  else if (head->hosts == 0 && head->is_1_1)
    head->fault = "There is no Host header.";
  else if (head->lengths > 0 && head->codings > 0)
    head->fault = "There are both Content-Length and Transfer-Encoding; send one.";
  return head->fault == NULL;
}
