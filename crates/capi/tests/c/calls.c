/* What each call answers: to NULL, overlaps, misuse, damage and its repetition. With -DLOOK and
 * --wrap=free it also looks into each piece of memory that is given back for a key and for plaintext. */

#include "ss55.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                          \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
            exit(1);                                                              \
        }                                                                         \
    } while (0)
#define OK(call) CHECK((call) == SS55_OK)

/* Bytes that occur nowhere else by chance. */
static const uint8_t KEY[32] = "\x8e\x11\xfa\x04\x5b\xc3\x92\x6d\xe0\x17\x4c\xb8\x3f\xa9\x70\x25"
                               "\xd6\x0b\x99\x5e\xc1\x38\x84\xef\x62\x1a\xb5\x4d\x07\xf3\x2c\x9b";
static const uint8_t SECRET[32] = "plaintext: nobody else's at all";
static const uint8_t NONCE[24] = "a nonce of enough bytes";

#ifdef LOOK
static volatile unsigned long looked, leaks; /* compilers know that free() changes no variable */

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory) {
    if (memory != NULL) {
        size_t size = malloc_usable_size(memory);
        looked++;
        leaks += memmem(memory, size, KEY, sizeof KEY) != NULL;
        leaks += memmem(memory, size, SECRET, sizeof SECRET) != NULL;
    }
    __real_free(memory);
}
#endif

/* Sealed bytes, and how far they have been read. */
static uint8_t sealed[200000];
static size_t sealed_len, read_to;

static ptrdiff_t put(void *user, const uint8_t *data, size_t len) {
    CHECK(user == &sealed_len);
    CHECK(len <= sizeof sealed - sealed_len);
    memcpy(sealed + sealed_len, data, len);
    sealed_len += len;
    return (ptrdiff_t)len;
}

static ptrdiff_t take(void *user, uint8_t *data, size_t len) {
    CHECK(user == &read_to);
    size_t n = len < sealed_len - read_to ? len : sealed_len - read_to;
    memcpy(data, sealed + read_to, n);
    read_to += n;
    return (ptrdiff_t)n;
}

static int failures;
static ptrdiff_t put_fails(void *user, const uint8_t *data, size_t len) {
    (void)user, (void)data, (void)len;
    failures++;
    return -1;
}
static ptrdiff_t take_fails(void *user, uint8_t *data, size_t len) {
    (void)user, (void)data, (void)len;
    failures++;
    return -1;
}
static ptrdiff_t put_lies(void *user, const uint8_t *data, size_t len) {
    (void)user, (void)data;
    return (ptrdiff_t)len + 1;
}
static ptrdiff_t take_lies(void *user, uint8_t *data, size_t len) {
    (void)user, (void)data;
    return (ptrdiff_t)len + 1;
}

static ss55_encryptor *itself;
static ptrdiff_t put_again(void *user, const uint8_t *data, size_t len) {
    (void)user, (void)data;
    CHECK(ss55_encryptor_flush(itself) == SS55_ERROR_BUSY);
    ss55_encryptor_free(itself); /* in use: it stays */
    return (ptrdiff_t)len;
}

static void messages(void) {
    CHECK(strcmp(ss55_error_message(SS55_OK), "done") == 0);
    CHECK(strcmp(ss55_error_message(SS55_ERROR_TRUNCATED), "the stream is truncated") == 0);
    CHECK(strcmp(ss55_error_message(12345), "unknown error") == 0);
    CHECK(strcmp(ss55_error_message(-1), "unknown error") == 0);
    CHECK(strcmp(ss55_version(), VERSION) == 0);
}

static void nulls(void) {
    size_t n;
    uint8_t byte = 0;
    ss55_encryptor *encryptor = (void *)&byte;
    CHECK(ss55_encryptor_new_v2(NULL, KEY, NULL, 0, put, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_encryptor_new_v2(&encryptor, NULL, NULL, 0, put, NULL) == SS55_ERROR_NULL);
    CHECK(encryptor == NULL);
    CHECK(ss55_encryptor_new_v2(&encryptor, KEY, NULL, 1, put, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_encryptor_new_v2(&encryptor, KEY, NULL, 0, NULL, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_encryptor_new_libsodium(&encryptor, NULL, 0, put, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_encryptor_new_libsodium(&encryptor, KEY, 0, NULL, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_encryptor_new_libsodium(&encryptor, KEY, (1 << 30) + 1, put, NULL) ==
          SS55_ERROR_ARGUMENT);
    CHECK(encryptor == NULL);
    CHECK(ss55_encryptor_write(NULL, &byte, 1, &n) == SS55_ERROR_NULL);
    CHECK(ss55_encryptor_flush(NULL) == SS55_ERROR_NULL);
    CHECK(ss55_encryptor_finish(NULL) == SS55_ERROR_NULL);
    ss55_encryptor_free(NULL);

    ss55_decryptor *decryptor = (void *)&byte;
    CHECK(ss55_decryptor_new_v2(NULL, KEY, NULL, 0, take, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_decryptor_new_v2(&decryptor, NULL, NULL, 0, take, NULL) == SS55_ERROR_NULL);
    CHECK(decryptor == NULL);
    CHECK(ss55_decryptor_new_v2(&decryptor, KEY, NULL, 1, take, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_decryptor_new_v2(&decryptor, KEY, NULL, 0, NULL, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_decryptor_new_libsodium(&decryptor, KEY, SIZE_MAX, take, NULL) ==
          SS55_ERROR_ARGUMENT);
    CHECK(ss55_decryptor_read(NULL, &byte, 1, &n) == SS55_ERROR_NULL);
    OK(ss55_decryptor_new_v2(&decryptor, KEY, NULL, 0, take, &read_to));
    CHECK(ss55_decryptor_read(decryptor, &byte, 1, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_decryptor_read(decryptor, NULL, 1, &n) == SS55_ERROR_NULL && n == 0);
    OK(ss55_decryptor_read(decryptor, NULL, 0, &n));
    CHECK(n == 0);
    ss55_decryptor_free(decryptor);
    ss55_decryptor_free(NULL);

    ss55_sealer *sealer = (void *)&byte;
    uint8_t room[100];
    size_t m;
    CHECK(ss55_sealer_new_v2(NULL, KEY, NULL, 0) == SS55_ERROR_NULL);
    CHECK(ss55_sealer_new_v2(&sealer, NULL, NULL, 0) == SS55_ERROR_NULL && sealer == NULL);
    CHECK(ss55_sealer_new_libsodium(&sealer, KEY, SIZE_MAX) == SS55_ERROR_ARGUMENT);
    CHECK(ss55_sealer_push(NULL, &byte, 1, &n, room, 100, &m) == SS55_ERROR_NULL);
    CHECK(ss55_sealer_finish(NULL, room, 100, &m) == SS55_ERROR_NULL);
    OK(ss55_sealer_new_v2(&sealer, KEY, NULL, 0));
    CHECK(ss55_sealer_push(sealer, &byte, 1, NULL, room, 100, &m) == SS55_ERROR_NULL);
    CHECK(ss55_sealer_push(sealer, &byte, 1, &n, room, 100, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_sealer_push(sealer, NULL, 1, &n, room, 100, &m) == SS55_ERROR_NULL);
    CHECK(ss55_sealer_push(sealer, &byte, 1, &n, NULL, 100, &m) == SS55_ERROR_NULL);
    CHECK(ss55_sealer_push(sealer, room + 50, 50, &n, room, 51, &m) == SS55_ERROR_OVERLAP);
    CHECK(ss55_sealer_push(sealer, room, 1, &n, room, 1, &m) == SS55_ERROR_OVERLAP);
    CHECK(n == 0 && m == 0);
    /* Nothing of that was held against the stream. */
    OK(ss55_sealer_push(sealer, NULL, 0, &n, NULL, 0, &m));
    OK(ss55_sealer_push(sealer, room + 50, 50, &n, room, 50, &m));
    CHECK(n == 50 && m == 36);
    ss55_sealer_free(sealer);
    ss55_sealer_free(NULL);

    ss55_opener *opener = (void *)&byte;
    CHECK(ss55_opener_new_v2(NULL, KEY, NULL, 0) == SS55_ERROR_NULL);
    CHECK(ss55_opener_new_v2(&opener, NULL, NULL, 0) == SS55_ERROR_NULL && opener == NULL);
    CHECK(ss55_opener_new_libsodium(&opener, KEY, SIZE_MAX) == SS55_ERROR_ARGUMENT);
    CHECK(ss55_opener_push(NULL, &byte, 1, &n, room, 100, &m) == SS55_ERROR_NULL);
    CHECK(ss55_opener_finish(NULL, room, 100, &m) == SS55_ERROR_NULL);
    OK(ss55_opener_new_v2(&opener, KEY, NULL, 0));
    CHECK(ss55_opener_push(opener, &byte, 1, NULL, room, 100, &m) == SS55_ERROR_NULL);
    CHECK(ss55_opener_push(opener, &byte, 1, &n, room, 100, NULL) == SS55_ERROR_NULL);
    CHECK(ss55_opener_push(opener, NULL, 1, &n, room, 100, &m) == SS55_ERROR_NULL);
    CHECK(ss55_opener_push(opener, room, 60, &n, room + 59, 9, &m) == SS55_ERROR_OVERLAP);
    CHECK(ss55_opener_finish(opener, NULL, 1, &m) == SS55_ERROR_NULL);
    CHECK(ss55_opener_finish(opener, room, 1, NULL) == SS55_ERROR_NULL);
    byte = 'S'; /* as a stream begins */
    OK(ss55_opener_push(opener, &byte, 1, &n, room, 100, &m));
    CHECK(n == 1 && m == 0);
    CHECK(ss55_opener_finish(opener, NULL, 0, &m) == SS55_ERROR_TRUNCATED);
    CHECK(ss55_opener_finish(opener, NULL, 0, &m) == SS55_ERROR_TRUNCATED);
    CHECK(ss55_opener_push(opener, &byte, 1, &n, room, 100, &m) == SS55_ERROR_FINISHED);
    ss55_opener_free(opener);
    ss55_opener_free(NULL);
}

/* Seals SECRET as two frames, 32 bytes and none but a final one. */
static void seal_secret(void) {
    ss55_encryptor *stream;
    size_t n;
    sealed_len = 0;
    OK(ss55_encryptor_new_v2(&stream, KEY, (const uint8_t *)"ad", 2, put, &sealed_len));
    OK(ss55_encryptor_write(stream, SECRET, sizeof SECRET, &n));
    CHECK(n == sizeof SECRET && sealed_len == 36);
    OK(ss55_encryptor_flush(stream));
    CHECK(sealed_len == 36 + 5 + 32 + 16);
    OK(ss55_encryptor_finish(stream));
    OK(ss55_encryptor_finish(stream));
    CHECK(sealed_len == 36 + 5 + 32 + 16 + 21);
    CHECK(ss55_encryptor_write(stream, SECRET, 1, &n) == SS55_ERROR_FINISHED && n == 0);
    ss55_encryptor_free(stream);
}

/* Opens what is sealed, both ways, with what should come of it twice. */
static void opens_as(const char *ad, size_t plaintext, ss55_error end) {
    ss55_decryptor *stream;
    ss55_opener *opener;
    uint8_t room[100];
    size_t n = 0, used, given;
    read_to = 0;
    OK(ss55_decryptor_new_v2(&stream, KEY, (const uint8_t *)ad, strlen(ad), take, &read_to));
    if (plaintext > 0) {
        OK(ss55_decryptor_read(stream, room, sizeof room, &n));
        CHECK(n == plaintext && memcmp(room, SECRET, n) == 0);
    }
    CHECK(ss55_decryptor_read(stream, room, sizeof room, &n) == end && n == 0);
    CHECK(ss55_decryptor_read(stream, room, sizeof room, &n) == end && n == 0);
    ss55_decryptor_free(stream);

    OK(ss55_opener_new_v2(&opener, KEY, (const uint8_t *)ad, strlen(ad)));
    memset(room, 0xee, sizeof room);
    ss55_error pushed =
        ss55_opener_push(opener, sealed, sealed_len, &used, room, sizeof room, &given);
    CHECK(given == plaintext && memcmp(room, SECRET, given) == 0);
    if (pushed == SS55_OK) {
        CHECK(used == sealed_len);
        pushed = ss55_opener_finish(opener, room, sizeof room, &given);
        CHECK(given == 0);
    }
    CHECK(pushed == (end == SS55_END ? SS55_OK : end));
    CHECK(ss55_opener_finish(opener, NULL, 0, &given) == pushed && given == 0);
    ss55_opener_free(opener);
}

static void damage(void) {
    seal_secret();
    size_t whole = sealed_len;
    opens_as("ad", 32, SS55_END);
    opens_as("da", 0, SS55_ERROR_AUTHENTICATION);
    for (sealed_len = 0; sealed_len < whole; sealed_len++) {
        opens_as("ad", sealed_len < 89 ? 0 : 32, SS55_ERROR_TRUNCATED);
    }
    sealed[whole] = 0;
    sealed_len = whole + 1;
    opens_as("ad", 32, SS55_ERROR_TRAILING_DATA);
    sealed_len = whole;
    for (size_t at = 0; at < whole; at++) {
        ss55_error error = SS55_ERROR_AUTHENTICATION;
        if (at < 8) error = SS55_ERROR_MALFORMED;             /* magic */
        else if (at < 12) error = SS55_ERROR_UNSUPPORTED;     /* version, flags */
        else if (at >= 32 && at < 36) error = SS55_END;       /* of the nonce, unused */
        else if (at >= 36 && at < 38) error = SS55_ERROR_MALFORMED; /* length: too long */
        else if (at >= 38 && at < 40) error = SS55_ERROR_TRUNCATED; /* length: longer */
        else if (at == 40) error = SS55_ERROR_MALFORMED;      /* frame tag */
        else if (at >= 89 && at < 93) error = SS55_ERROR_MALFORMED; /* length of the final frame */
        else if (at == 93) error = SS55_ERROR_MALFORMED;      /* its frame tag */
        sealed[at] ^= 0x80;
        opens_as("ad", at >= 89 || error == SS55_END ? 32 : 0, error);
        sealed[at] ^= 0x80;
    }
}

static void callbacks(void) {
    size_t n;
    uint8_t byte;
    ss55_encryptor *encryptor;
    OK(ss55_encryptor_new_v2(&encryptor, KEY, NULL, 0, put_fails, NULL));
    failures = 0;
    CHECK(ss55_encryptor_write(encryptor, SECRET, 32, &n) == SS55_ERROR_CALLBACK && n == 0);
    CHECK(ss55_encryptor_write(encryptor, SECRET, 32, NULL) == SS55_ERROR_CALLBACK);
    CHECK(ss55_encryptor_finish(encryptor) == SS55_ERROR_CALLBACK);
    CHECK(failures == 1);
    ss55_encryptor_free(encryptor);
    OK(ss55_encryptor_new_v2(&encryptor, KEY, NULL, 0, put_lies, NULL));
    CHECK(ss55_encryptor_write(encryptor, SECRET, 32, &n) == SS55_ERROR_CALLBACK);
    ss55_encryptor_free(encryptor);

    ss55_decryptor *decryptor;
    OK(ss55_decryptor_new_v2(&decryptor, KEY, NULL, 0, take_fails, NULL));
    failures = 0;
    CHECK(ss55_decryptor_read(decryptor, &byte, 1, &n) == SS55_ERROR_CALLBACK && n == 0);
    CHECK(ss55_decryptor_read(decryptor, &byte, 1, &n) == SS55_ERROR_CALLBACK && failures == 1);
    ss55_decryptor_free(decryptor);
    OK(ss55_decryptor_new_v2(&decryptor, KEY, NULL, 0, take_lies, NULL));
    CHECK(ss55_decryptor_read(decryptor, &byte, 1, &n) == SS55_ERROR_CALLBACK);
    ss55_decryptor_free(decryptor);

    OK(ss55_encryptor_new_v2(&itself, KEY, NULL, 0, put_again, NULL));
    OK(ss55_encryptor_write(itself, SECRET, 32, &n));
    OK(ss55_encryptor_finish(itself));
    ss55_encryptor_free(itself);
}

typedef ss55_error seal_fn(const uint8_t *, const uint8_t *, const uint8_t *, size_t,
                           const uint8_t *, size_t, uint8_t *, uint8_t *);
typedef ss55_error open_fn(const uint8_t *, const uint8_t *, const uint8_t *, size_t,
                           const uint8_t *, size_t, const uint8_t *, uint8_t *);

static void aead(seal_fn *seal, open_fn *open) {
    uint8_t text[64], other[64], mac[16], mac2[16], ad[4] = "ad";
    memcpy(text, SECRET, 32);
    OK(seal(KEY, NONCE, ad, 2, text, 32, other, mac));
    OK(seal(KEY, NONCE, ad, 2, text, 32, text, mac2)); /* in place */
    CHECK(memcmp(text, other, 32) == 0 && memcmp(mac, mac2, 16) == 0);
    OK(open(KEY, NONCE, ad, 2, other, 32, mac, text));
    CHECK(memcmp(text, SECRET, 32) == 0);
    OK(open(KEY, NONCE, ad, 2, other, 32, mac, other)); /* in place */
    CHECK(memcmp(other, SECRET, 32) == 0);

    /* Nothing at all, from nowhere. */
    OK(seal(KEY, NONCE, NULL, 0, NULL, 0, NULL, mac));
    OK(open(KEY, NONCE, NULL, 0, NULL, 0, mac, NULL));
    mac[15] ^= 1;
    CHECK(open(KEY, NONCE, NULL, 0, NULL, 0, mac, NULL) == SS55_ERROR_AUTHENTICATION);

    OK(seal(KEY, NONCE, ad, 2, SECRET, 32, text, mac));
    for (size_t bit = 0; bit < 8 * (32 + 16 + 2); bit++) {
        uint8_t *at = bit < 256 ? text + bit / 8
                    : bit < 384 ? mac + (bit - 256) / 8 : ad + (bit - 384) / 8;
        *at ^= (uint8_t)(1 << bit % 8);
        memset(other, 0xee, sizeof other);
        CHECK(open(KEY, NONCE, ad, 2, text, 32, mac, other) == SS55_ERROR_AUTHENTICATION);
        for (size_t i = 0; i < sizeof other; i++) CHECK(other[i] == (i < 32 ? 0 : 0xee));
        *at ^= (uint8_t)(1 << bit % 8);
    }
    OK(open(KEY, NONCE, ad, 2, text, 32, mac, other));

    for (size_t at = 1; at < 32; at++) {
        CHECK(seal(KEY, NONCE, ad, 2, text, 32, text + at, mac) == SS55_ERROR_OVERLAP);
        CHECK(seal(KEY, NONCE, ad, 2, text + at, 32, text, mac) == SS55_ERROR_OVERLAP);
        CHECK(open(KEY, NONCE, ad, 2, text, 32, mac, text + at) == SS55_ERROR_OVERLAP);
        CHECK(open(KEY, NONCE, ad, 2, text + at, 32, mac, text) == SS55_ERROR_OVERLAP);
        CHECK(seal(KEY, NONCE, ad, 2, text, 32, other, other + at) == SS55_ERROR_OVERLAP);
        CHECK(seal(KEY, NONCE, text + 31, 2, SECRET, 32, text, mac) == SS55_ERROR_OVERLAP);
        CHECK(open(KEY, NONCE, other + at, 2, text, 32, mac, other) == SS55_ERROR_OVERLAP);
    }
    CHECK(seal(KEY, NONCE, mac + 14, 2, SECRET, 32, text, mac) == SS55_ERROR_OVERLAP);
    /* Side by side is not over each other; and nothing above has changed a byte. */
    CHECK(memcmp(other, SECRET, 32) == 0);
    OK(open(KEY, NONCE, ad, 2, text, 32, mac, text + 32));
    OK(seal(KEY, NONCE, ad, 2, text + 32, 32, text, mac));
    CHECK(memcmp(text + 32, SECRET, 32) == 0);

    CHECK(seal(NULL, NONCE, ad, 2, SECRET, 32, text, mac) == SS55_ERROR_NULL);
    CHECK(seal(KEY, NULL, ad, 2, SECRET, 32, text, mac) == SS55_ERROR_NULL);
    CHECK(seal(KEY, NONCE, NULL, 2, SECRET, 32, text, mac) == SS55_ERROR_NULL);
    CHECK(seal(KEY, NONCE, ad, 2, NULL, 32, text, mac) == SS55_ERROR_NULL);
    CHECK(seal(KEY, NONCE, ad, 2, SECRET, 32, NULL, mac) == SS55_ERROR_NULL);
    CHECK(seal(KEY, NONCE, ad, 2, SECRET, 32, text, NULL) == SS55_ERROR_NULL);
    CHECK(open(NULL, NONCE, ad, 2, text, 32, mac, other) == SS55_ERROR_NULL);
    CHECK(open(KEY, NULL, ad, 2, text, 32, mac, other) == SS55_ERROR_NULL);
    CHECK(open(KEY, NONCE, NULL, 2, text, 32, mac, other) == SS55_ERROR_NULL);
    CHECK(open(KEY, NONCE, ad, 2, NULL, 32, mac, other) == SS55_ERROR_NULL);
    CHECK(open(KEY, NONCE, ad, 2, text, 32, NULL, other) == SS55_ERROR_NULL);
    CHECK(open(KEY, NONCE, ad, 2, text, 32, mac, NULL) == SS55_ERROR_NULL);
#if SIZE_MAX > 0xffffffff
    CHECK(seal(KEY, NONCE, ad, 2, text, 274877906881, text, mac) == SS55_ERROR_TOO_LONG);
    CHECK(open(KEY, NONCE, ad, 2, text, 274877906881, mac, text) == SS55_ERROR_TOO_LONG);
#endif
}

/* Handles that are freed in the middle of their work. Some hold the key, some plaintext. */
static void wipes(void) {
    uint8_t room[40], byte;
    size_t n, m;
    ss55_sealer *sealer;
    ss55_opener *opener;
#ifdef LOOK
    unsigned long before = looked;
#endif
    OK(ss55_sealer_new_v2(&sealer, KEY, NULL, 0));
    OK(ss55_sealer_push(sealer, SECRET, 32, &n, room, sizeof room, &m));
    ss55_sealer_free(sealer);
    OK(ss55_sealer_new_libsodium(&sealer, KEY, 0));
    OK(ss55_sealer_push(sealer, SECRET, 32, &n, room, sizeof room, &m));
    ss55_sealer_free(sealer);
    OK(ss55_opener_new_v2(&opener, KEY, NULL, 0));
    ss55_opener_free(opener);
    OK(ss55_opener_new_libsodium(&opener, KEY, 0));
    ss55_opener_free(opener);
    seal_secret();
    OK(ss55_opener_new_v2(&opener, KEY, (const uint8_t *)"ad", 2));
    OK(ss55_opener_push(opener, sealed, sealed_len, &n, &byte, 1, &m));
    CHECK(m == 1 && byte == SECRET[0]); /* the rest is inside */
    ss55_opener_free(opener);
#ifdef LOOK
    CHECK(looked >= before + 6);
    CHECK(leaks == 0);

    /* It would be seen. */
    volatile uint8_t *memory = malloc(100); /* a compiler leaves out what only free() sees */
    for (size_t i = 0; i < 32; i++) memory[20 + i] = SECRET[i];
    free((void *)memory);
    CHECK(leaks == 1);
#endif
}

int main(void) {
    messages();
    nulls();
    damage();
    callbacks();
    aead(ss55_chacha20poly1305_seal, ss55_chacha20poly1305_open);
    aead(ss55_xchacha20poly1305_seal, ss55_xchacha20poly1305_open);
    wipes();
    puts("all answers are right");
    return 0;
}
