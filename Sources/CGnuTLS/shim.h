#pragma once
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* GnuTLS's own way to free what it allocated, which is a variable. */
static inline void cgnutls_free(void *memory) { gnutls_free(memory); }

/* A function's address, as libmicrohttpd takes it. */
static inline void *cgnutls_address(gnutls_certificate_retrieve_function3 *retrieve) {
  return (void *)retrieve;
}
