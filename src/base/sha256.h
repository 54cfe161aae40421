#ifndef TILEC_BASE_SHA256_H
#define TILEC_BASE_SHA256_H
/* SHA-256 by libcrypto, for cache keys and for checking what comes out of the cache. */
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 65 };

struct sha256 {
    uint64_t state[16]; /* libcrypto's context, which sha256.c checks to fit */
};

void sha256_init(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *bytes, size_t length);
/* The length first, so that ("ab", "c") and ("a", "bc") differ. NULL differs from "". */
void sha256_add_string(struct sha256 *hash, const char *string);
void sha256_add_u64(struct sha256 *hash, uint64_t number);
void sha256_end(struct sha256 *hash, unsigned char digest[SHA256_BYTES]);

/* Lower-case digits, ending with NUL. */
void sha256_hex(const unsigned char digest[SHA256_BYTES], char hex[SHA256_HEX]);

#endif
