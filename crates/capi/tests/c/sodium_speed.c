/* How fast libsodium's functions are, whoever has them: a line for each, with its size and MB/s, the best of
 * some turns. */

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define AEAD(name) crypto_aead_xchacha20poly1305_ietf_##name

enum { MAX = 65536, TURNS = 12 };
static const double TURN = 0.02; /* seconds */

static unsigned char text[MAX], sealed[MAX + 17], opened[MAX], key[32], header[24];
static crypto_secretstream_xchacha20poly1305_state push, pull;

static void push_one(size_t len) {
    crypto_secretstream_xchacha20poly1305_push(&push, sealed, NULL, text, len, NULL, 0, 0);
}

/* The same chunk each time. */
static void pull_one(size_t len) {
    crypto_secretstream_xchacha20poly1305_state again = pull;
    if (crypto_secretstream_xchacha20poly1305_pull(&again, opened, NULL, NULL, sealed, len + 17,
                                                   NULL, 0) != 0) {
        puts("pull failed");
    }
}

static void encrypt_one(size_t len) {
    AEAD(encrypt)(sealed, NULL, text, len, NULL, 0, NULL, header, key);
}

static void decrypt_one(size_t len) {
    if (AEAD(decrypt)(opened, NULL, NULL, sealed, len + 16, NULL, 0, header, key) != 0) {
        puts("decrypt failed");
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void measure(const char *name, void (*call)(size_t), size_t len) {
    double best = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        size_t calls = 0;
        double start = now(), took;
        do {
            for (int i = 0; i < 8; i++) call(len);
            calls += 8;
            took = now() - start;
        } while (took < TURN);
        double speed = (double)(calls * len) / took / 1e6;
        if (speed > best) best = speed;
    }
    printf("%s %zu %.0f\n", name, len, best);
}

int main(void) {
    static const size_t LENGTHS[] = {64, 1024, 8192, 65536};
    if (sodium_init() < 0) return 1;
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        size_t len = LENGTHS[i];
        crypto_secretstream_xchacha20poly1305_init_pull(&push, header, key);
        pull = push;
        push_one(len);
        measure("pull", pull_one, len);
        measure("push", push_one, len);
        encrypt_one(len);
        measure("decrypt", decrypt_one, len);
        measure("encrypt", encrypt_one, len);
    }
    return 0;
}
