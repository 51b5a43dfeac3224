/* A program for libsodium, which prints all that comes of fixed inputs: `cargo xtask capi` compares what it
 * prints with this library preloaded and without.
 *     sodium            the transcript
 *     sodium where      each of the symbols that are to be replaced, and the file that it came from
 *     sodium ours       what holds of this library alone */

#include <dlfcn.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef crypto_secretstream_xchacha20poly1305_state state;
typedef unsigned char byte;
typedef unsigned long long length;

#define PUSH crypto_secretstream_xchacha20poly1305_push
#define PULL crypto_secretstream_xchacha20poly1305_pull
#define REKEY crypto_secretstream_xchacha20poly1305_rekey
#define AEAD(name) crypto_aead_xchacha20poly1305_ietf_##name

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

enum { MAX = 70000, ROOM = MAX + 300 };
static const size_t LENGTHS[] = {0,   1,   2,   15,  16,  17,  31,   32,   33,   63,   64,    65,
                                 127, 128, 129, 255, 256, 257, 511,  512,  513,  767,  1000,  1023,
                                 1024, 1025, 2047, 4095, 4096, 4097, 8191, 8192, 8193, 65535, 65536};
enum { COUNT = sizeof LENGTHS / sizeof *LENGTHS };
static const size_t AD_LENGTHS[] = {0, 1, 15, 16, 17, 64, 100};
enum { AD_COUNT = sizeof AD_LENGTHS / sizeof *AD_LENGTHS };

static byte text[ROOM], ad[ROOM], one[ROOM], two[ROOM];
static const byte KEY[32] = "not a secret: a key for the test";
static const byte HEADER[24] = "a header, for the test.";

static void fill(byte *at, size_t n, unsigned seed) {
    for (size_t i = 0; i < n; i++) at[i] = (byte)((seed = seed * 1103515245 + 12345) >> 16);
}

static void show(const char *what, const byte *bytes, size_t n) {
    byte hash[16];
    crypto_generichash(hash, sizeof hash, bytes, n, NULL, 0);
    printf(" %s ", what);
    for (size_t i = 0; i < sizeof hash; i++) printf("%02x", hash[i]);
}

static void show_state(const state *s) {
    const byte *bytes = (const byte *)s;
    printf(" state ");
    for (size_t i = 0; i < sizeof *s; i++) printf("%02x", bytes[i]);
    printf("\n");
}

static void begin(state *push, state *pull) {
    memset(push, 0xaa, sizeof *push);
    CHECK(crypto_secretstream_xchacha20poly1305_init_pull(push, HEADER, KEY) == 0);
    memset(push->_pad, 0x5a, sizeof push->_pad); /* nobody touches it afterwards */
    *pull = *push;
}

/* Pulls what is at `one`: forged first. */
static void pull_shown(state *pull, size_t len, size_t ad_len) {
    length mlen = 12345;
    byte tag = 0x77;
    size_t at = (len * 7 + ad_len) % (len + 17);
    one[at] ^= 0x10;
    memset(two, 0xee, sizeof two);
    int end = PULL(pull, two, &mlen, &tag, one, len + 17, ad, ad_len);
    one[at] ^= 0x10;
    printf(" forged %d %llu %02x", end, mlen, tag);
    show("m", two, len + 64);
    show_state(pull);
    end = PULL(pull, two, &mlen, &tag, one, len + 17, ad, ad_len);
    printf(" pull %d %llu %02x", end, mlen, tag);
    show("m", two, len + 64);
    show_state(pull);
}

static void streams(void) {
    static const byte TAGS[] = {0, 1, 2, 3, 4, 0x40, 0xfe, 0xff};
    state push, pull;
    begin(&push, &pull);
    show_state(&push);
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < AD_COUNT; j++) {
            size_t len = LENGTHS[i], ad_len = AD_LENGTHS[j];
            byte tag = TAGS[(i + j) % sizeof TAGS];
            length out = 99;
            memset(one, 0xee, sizeof one);
            int end = PUSH(&push, one, &out, text + i, len, ad, ad_len, tag);
            printf("push %zu %zu %02x: %d %llu", len, ad_len, tag, end, out);
            show("c", one, len + 64);
            show_state(&push);
            pull_shown(&pull, len, ad_len);
            if ((i + j) % 5 == 0) {
                REKEY(&push);
                REKEY(&pull);
                printf("rekey");
                show_state(&push);
            }
        }
    }
    /* The counter's end, and beyond. */
    for (unsigned low = 0xfd; low <= 0xff; low++) {
        memset(push.nonce, 0xff, 4);
        push.nonce[0] = (byte)low;
        memcpy(pull.nonce, push.nonce, 4);
        for (int i = 0; i < 4; i++) {
            PUSH(&push, one, NULL, text, 40, NULL, 0, 0);
            printf("wrap %02x", low);
            show("c", one, 57);
            show_state(&push);
            pull_shown(&pull, 40, 0);
        }
    }
}

static void nothing(void) {
    state push, pull;
    length n = 9;
    byte tag = 9;
    begin(&push, &pull);
    printf("empty %d", PUSH(&push, one, NULL, NULL, 0, NULL, 0, 3));
    show("c", one, 17);
    show_state(&push);
    printf("pull %d", PULL(&pull, NULL, NULL, NULL, one, 17, NULL, 0));
    show_state(&pull);
    for (size_t short_len = 0; short_len < 17; short_len++) {
        n = 9, tag = 9;
        printf("short %d", PULL(&pull, two, &n, &tag, one, short_len, NULL, 0));
        printf(" %llu %02x", n, tag);
        show_state(&pull);
    }
    n = 9;
    printf("aead %d", AEAD(encrypt)(one, &n, NULL, 0, NULL, 0, NULL, HEADER, KEY));
    printf(" %llu", n);
    show("c", one, 16);
    n = 9;
    printf(" %d", AEAD(decrypt)(NULL, &n, NULL, one, 16, NULL, 0, HEADER, KEY));
    printf(" %llu\n", n);
    for (size_t short_len = 0; short_len < 16; short_len++) {
        n = 9;
        printf("short %d", AEAD(decrypt)(two, &n, NULL, one, short_len, NULL, 0, HEADER, KEY));
        printf(" %llu\n", n);
    }
}

static void aeads(void) {
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < AD_COUNT; j++) {
            size_t len = LENGTHS[i], ad_len = AD_LENGTHS[j];
            length n = 9;
            byte mac[16];
            memset(one, 0xee, sizeof one);
            int end = AEAD(encrypt)(one, &n, text + j, len, ad, ad_len, NULL, HEADER, KEY);
            printf("encrypt %zu %zu: %d %llu", len, ad_len, end, n);
            show("c", one, len + 64);
            n = 9;
            end = AEAD(encrypt_detached)(two, mac, &n, text + j, len, ad, ad_len, NULL, HEADER, KEY);
            printf(" detached %d %llu %d %d\n", end, n, memcmp(one, two, len),
                   memcmp(one + len, mac, 16));
            memset(two, 0xee, sizeof two);
            n = 9;
            end = AEAD(decrypt)(two, &n, NULL, one, len + 16, ad, ad_len, HEADER, KEY);
            printf(" decrypt %d %llu", end, n);
            show("m", two, len + 64);
            memset(two, 0xee, sizeof two);
            end = AEAD(decrypt_detached)(two, NULL, one, len, mac, ad, ad_len, HEADER, KEY);
            printf(" detached %d", end);
            show("m", two, len + 64);
            n = 9;
            end = AEAD(decrypt)(NULL, &n, NULL, one, len + 16, ad, ad_len, HEADER, KEY);
            printf(" verify %d %llu", end, n);
            size_t at = (len * 5 + ad_len) % (len + 16);
            one[at] ^= 1;
            memset(two, 0xee, sizeof two);
            n = 9;
            end = AEAD(decrypt)(two, &n, NULL, one, len + 16, ad, ad_len, HEADER, KEY);
            printf(" forged %d %llu", end, n);
            show("m", two, len + 64);
            n = 9;
            end = AEAD(decrypt)(NULL, &n, NULL, one, len + 16, ad, ad_len, HEADER, KEY);
            printf(" verify %d %llu", end, n);
            end = AEAD(decrypt)(one, NULL, NULL, one, len + 16, ad, ad_len, HEADER, KEY);
            printf(" in place %d", end);
            show("c", one, len + 16);
            printf("\n");
        }
    }
}

/* The output may lie on the input, or begin before it in a message of one block: there libsodium gives one
 * answer on all processors. */
static void overlaps(void) {
    state push, pull;
    begin(&push, &pull);
    for (size_t i = 0; i < COUNT; i++) {
        size_t len = LENGTHS[i];
        byte tag;
        memset(one, 0xee, sizeof one);
        memcpy(one + 1, text, len);
        PUSH(&push, one, NULL, one + 1, len, ad, 20, 0);
        printf("push in place %zu", len);
        show("c", one, len + 64);
        show_state(&push);
        int end = PULL(&pull, one + 1, NULL, &tag, one, len + 17, ad, 20);
        printf(" pull %d", end);
        show("m", one, len + 64);
        show_state(&pull);
        memcpy(one, text, len);
        AEAD(encrypt)(one, NULL, one, len, ad, 20, NULL, HEADER, KEY);
        printf("encrypt in place");
        show("c", one, len + 64);
        end = AEAD(decrypt)(one, NULL, NULL, one, len + 16, ad, 20, HEADER, KEY);
        printf(" %d", end);
        show("m", one, len + 64);
        /* The ad is read before anything is written. */
        memcpy(one, text, len + 20);
        AEAD(encrypt)(one, NULL, two, len, one, 20, NULL, HEADER, KEY);
        show("over its ad", one, len + 64);
        memcpy(one, text, len + 20);
        PUSH(&push, one, NULL, two, len, one + len / 2, 17, 1);
        show("push", one, len + 64);
        show_state(&push);
        begin(&push, &pull);
    }
    for (size_t len = 0; len <= 64; len++) {
        for (size_t by = 1; by <= 20; by++) {
            memset(one, 0xee, sizeof one);
            memcpy(one + by, text, len);
            AEAD(encrypt)(one, NULL, one + by, len, ad, 3, NULL, HEADER, KEY);
            printf("before %zu %zu", len, by);
            show("c", one, len + 100);
            memmove(one + by, one, len + 16);
            int end = AEAD(decrypt)(one, NULL, NULL, one + by, len + 16, ad, 3, HEADER, KEY);
            printf(" %d", end);
            show("m", one, len);
            PUSH(&push, one + by, NULL, text, len, ad, 3, 0);
            end = PULL(&pull, one, NULL, NULL, one + by, len + 17, ad, 3);
            printf(" pull %d", end);
            show("m", one, len);
            show_state(&pull);
        }
    }
}

static void misuse(void) {
    struct rlimit none = {0, 0};
    state push, pull;
    begin(&push, &pull);
    for (int which = 0; which < 3; which++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            setrlimit(RLIMIT_CORE, &none);
            size_t max = crypto_secretstream_xchacha20poly1305_messagebytes_max();
            if (which == 0) PUSH(&push, one, NULL, text, (length)max + 1, NULL, 0, 0);
            if (which == 1) PULL(&pull, one, NULL, NULL, text, (length)max + 18, NULL, 0);
            if (which == 2) {
                length more = (length)AEAD(messagebytes_max)() + 1;
                AEAD(encrypt)(one, NULL, text, more, NULL, 0, NULL, HEADER, KEY);
            }
            _exit(0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        printf("misuse %d: signal %d\n", which, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
}

static void constants(void) {
    printf("%zu %zu %zu %zu %zu", crypto_secretstream_xchacha20poly1305_statebytes(),
           crypto_secretstream_xchacha20poly1305_abytes(),
           crypto_secretstream_xchacha20poly1305_headerbytes(),
           crypto_secretstream_xchacha20poly1305_keybytes(),
           crypto_secretstream_xchacha20poly1305_messagebytes_max());
    printf(" %u %u %u %u", crypto_secretstream_xchacha20poly1305_tag_message(),
           crypto_secretstream_xchacha20poly1305_tag_push(),
           crypto_secretstream_xchacha20poly1305_tag_rekey(),
           crypto_secretstream_xchacha20poly1305_tag_final());
    printf(" %zu %zu %zu %zu %zu\n", AEAD(keybytes)(), AEAD(nsecbytes)(), AEAD(npubbytes)(),
           AEAD(abytes)(), AEAD(messagebytes_max)());
}

/* Random keys and headers: no two alike, and they open what they sealed. */
static void random_keys(void) {
    byte keys[4][32], header[2][24], tag;
    state push, pull;
    memset(keys, 0, sizeof keys);
    for (int i = 0; i < 4; i++) {
        if (i % 2) crypto_secretstream_xchacha20poly1305_keygen(keys[i]);
        else AEAD(keygen)(keys[i]);
        for (int j = 0; j < i; j++) CHECK(memcmp(keys[i], keys[j], 32) != 0);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(crypto_secretstream_xchacha20poly1305_init_push(&push, header[i], keys[0]) == 0);
        CHECK(crypto_secretstream_xchacha20poly1305_init_pull(&pull, header[i], keys[0]) == 0);
        CHECK(memcmp(&push, &pull, sizeof push) == 0 && sodium_is_zero(push._pad, 8));
        PUSH(&push, one, NULL, text, 100, NULL, 0, 3);
        CHECK(PULL(&pull, two, NULL, &tag, one, 117, NULL, 0) == 0 && tag == 3);
        CHECK(memcmp(two, text, 100) == 0);
    }
    CHECK(memcmp(header[0], header[1], 24) != 0);
    printf("random keys and headers differ\n");
}

static void where(void) {
    static const char *const NAMES[] = {
#define S "crypto_secretstream_xchacha20poly1305_"
        S "keygen", S "init_push", S "push", S "init_pull", S "pull", S "rekey", S "statebytes",
        S "abytes", S "headerbytes", S "keybytes", S "messagebytes_max", S "tag_message",
        S "tag_push", S "tag_rekey", S "tag_final",
#define A "crypto_aead_xchacha20poly1305_ietf_"
        A "encrypt", A "decrypt", A "encrypt_detached", A "decrypt_detached", A "keygen",
        A "keybytes", A "nsecbytes", A "npubbytes", A "abytes", A "messagebytes_max",
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        Dl_info info;
        void *symbol = dlsym(RTLD_DEFAULT, NAMES[i]);
        CHECK(symbol != NULL && dladdr(symbol, &info) != 0);
        printf("%s %s\n", NAMES[i], info.dli_fname);
    }
}

static const char *zeros_name(void) { return "zeros"; }
static void zeros(void *const buf, const size_t size) { memset(buf, 0, size); }
static uint32_t zeros_random(void) { return 0; }
static struct randombytes_implementation zeros_implementation = {
    zeros_name, zeros_random, NULL, NULL, zeros, NULL};

/* Of this library alone: any overlap is as if the input had been copied first, and randomness is the
 * operating system's. */
static void ours(void) {
    for (size_t i = 0; i < COUNT; i++) {
        for (int by = -100; by <= 100; by += 1 + (by % 7 == 0 ? 5 : 0)) {
            size_t len = LENGTHS[i];
            state push, pull, expected_push, expected_pull;
            begin(&push, &pull);
            begin(&expected_push, &expected_pull);
            byte tag, mac[16];
            static byte expected[ROOM];
            byte *base = one + 100, *there = base + by;

            PUSH(&expected_push, expected, NULL, text, len, ad, 9, 1);
            memcpy(base, text, len);
            PUSH(&push, there, NULL, base, len, ad, 9, 1);
            CHECK(memcmp(there, expected, len + 17) == 0);
            CHECK(memcmp(&push, &expected_push, sizeof push) == 0);
            memmove(base, there, len + 17);
            CHECK(PULL(&pull, there, NULL, &tag, base, len + 17, ad, 9) == 0 && tag == 1);
            CHECK(memcmp(there, text, len) == 0);
            CHECK(PULL(&expected_pull, two, NULL, NULL, expected, len + 17, ad, 9) == 0);
            CHECK(memcmp(&pull, &expected_pull, sizeof pull) == 0);

            AEAD(encrypt_detached)(expected, mac, NULL, text, len, ad, 9, NULL, HEADER, KEY);
            memcpy(base, text, len);
            AEAD(encrypt)(there, NULL, base, len, ad, 9, NULL, HEADER, KEY);
            CHECK(memcmp(there, expected, len) == 0 && memcmp(there + len, mac, 16) == 0);
            memmove(base, there, len + 16);
            CHECK(AEAD(decrypt)(there, NULL, NULL, base, len + 16, ad, 9, HEADER, KEY) == 0);
            CHECK(memcmp(there, text, len) == 0);

            /* A forged one: nothing moved. */
            memcpy(base, expected, len);
            memcpy(two, one, sizeof two);
            begin(&pull, &push);
            CHECK(PULL(&pull, there, NULL, NULL, base, len + 17, ad, 9) == -1);
            CHECK(memcmp(one, two, sizeof two) == 0 && memcmp(&pull, &push, sizeof pull) == 0);
        }
    }
    CHECK(randombytes_set_implementation(&zeros_implementation) == 0);
    random_keys();
    printf("ours\n");
}

int main(int argc, char **argv) {
    CHECK(sodium_init() >= 0);
    CHECK(sizeof(state) == 52);
    fill(text, sizeof text, 1);
    fill(ad, sizeof ad, 2);
    if (argc > 1 && strcmp(argv[1], "where") == 0) {
        where();
    } else if (argc > 1) {
        ours();
    } else {
        constants();
        streams();
        nothing();
        aeads();
        overlaps();
        misuse();
        random_keys();
    }
    return 0;
}
