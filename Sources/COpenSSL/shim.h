#pragma once
// SHA256_Init and its kin are deprecated in OpenSSL 3 in favour of EVP, and kept here on purpose:
// only they let the state of a half-done hash be copied as a plain value, which makes an HMAC
// under a known key 2.6 times as fast (see HMACKey.swift).
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
