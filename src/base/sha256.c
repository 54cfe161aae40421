/*
 * SHA-256; see sha256.h.
 *
 * OpenSSL 3 calls these functions deprecated in favour of EVP_*. They stay because EVP's first use
 * in a process costs 0.9 ms (it reads a configuration file and fetches a provider), which is the
 * whole budget of starting a cached kernel; these cost 13 us and allocate nothing.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

#include <openssl/sha.h>
#include <string.h>

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct sha256), "struct sha256 holds libcrypto's");

void sha256_init(struct sha256 *hash)
{
    SHA256_Init((SHA256_CTX *)hash->state);
}

void sha256_add(struct sha256 *hash, const void *bytes, size_t length)
{
    SHA256_Update((SHA256_CTX *)hash->state, bytes, length);
}

void sha256_add_u64(struct sha256 *hash, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    sha256_add(hash, bytes, sizeof bytes);
}

void sha256_add_string(struct sha256 *hash, const char *string)
{
    sha256_add_u64(hash, string ? strlen(string) : UINT64_MAX);
    if (string)
        sha256_add(hash, string, strlen(string));
}

void sha256_end(struct sha256 *hash, unsigned char digest[SHA256_BYTES])
{
    SHA256_Final(digest, (SHA256_CTX *)hash->state);
}

void sha256_hex(const unsigned char digest[SHA256_BYTES], char hex[SHA256_HEX])
{
    for (int i = 0; i < SHA256_BYTES; i++) {
        hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    hex[SHA256_HEX - 1] = '\0';
}
