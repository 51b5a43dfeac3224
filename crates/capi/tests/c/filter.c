/* Seals or opens standard input to standard output, through each part of the library:
 *     filter encryptor|decryptor|sealer|opener v2|CHUNK_SIZE KEY AD
 * KEY is hexadecimal, and so is AD, which libsodium's layout has none of. The exit code is the ss55_error
 * that ended it, or 0. The buffers are small and of odd sizes, so that frames never fit them. */

#include "ss55.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IN = 1009, OUT = 613 };

/* Hands out and takes a few bytes at a time, and says now and then that it would have to wait. */
typedef struct {
    FILE *file;
    unsigned calls;
} pipe_end;

static ptrdiff_t put(void *user, const uint8_t *data, size_t len) {
    pipe_end *end = user;
    if (++end->calls % 3 == 0) return SS55_CALLBACK_AGAIN;
    size_t n = len < OUT ? len : OUT;
    return fwrite(data, 1, n, end->file) == n ? (ptrdiff_t)n : -1;
}

static ptrdiff_t take(void *user, uint8_t *data, size_t len) {
    pipe_end *end = user;
    if (++end->calls % 3 == 0) return SS55_CALLBACK_AGAIN;
    size_t n = fread(data, 1, len < IN ? len : IN, end->file);
    return ferror(end->file) ? -1 : (ptrdiff_t)n;
}

static size_t from_hex(const char *text, uint8_t *bytes, size_t room) {
    size_t n = strlen(text) / 2;
    if (n > room) exit(100);
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) exit(100);
        bytes[i] = (uint8_t)byte;
    }
    return n;
}

static void out(const uint8_t *data, size_t n) {
    if (fwrite(data, 1, n, stdout) != n) exit(101);
}

static ss55_error encryptor(ss55_encryptor *stream) {
    uint8_t data[IN];
    size_t n;
    ss55_error error;
    while ((n = fread(data, 1, sizeof data, stdin)) > 0) {
        size_t at = 0;
        do {
            size_t written;
            error = ss55_encryptor_write(stream, data + at, n - at, &written);
            at += written;
        } while (error == SS55_ERROR_AGAIN);
        if (error != SS55_OK) return error;
        if (at != n) exit(102);
    }
    do error = ss55_encryptor_finish(stream);
    while (error == SS55_ERROR_AGAIN);
    return error;
}

static ss55_error decryptor(ss55_decryptor *stream) {
    uint8_t data[OUT];
    size_t n;
    for (;;) {
        ss55_error error = ss55_decryptor_read(stream, data, sizeof data, &n);
        if (error == SS55_ERROR_AGAIN) continue;
        if (error == SS55_END) return SS55_OK;
        if (error != SS55_OK) return error;
        out(data, n);
    }
}

static ss55_error sealer(ss55_sealer *stream) {
    uint8_t data[IN], room[OUT];
    size_t n, used, given;
    ss55_error error;
    while ((n = fread(data, 1, sizeof data, stdin)) > 0) {
        for (size_t at = 0; at < n; at += used) {
            error = ss55_sealer_push(stream, data + at, n - at, &used, room, sizeof room, &given);
            if (error != SS55_OK) return error;
            out(room, given);
        }
    }
    do {
        error = ss55_sealer_finish(stream, room, sizeof room, &given);
        out(room, given);
    } while (error == SS55_OUTPUT_FULL);
    return error;
}

static ss55_error opener(ss55_opener *stream) {
    uint8_t data[IN], room[OUT];
    size_t n, used, given;
    ss55_error error;
    while ((n = fread(data, 1, sizeof data, stdin)) > 0) {
        for (size_t at = 0; at < n; at += used) {
            error = ss55_opener_push(stream, data + at, n - at, &used, room, sizeof room, &given);
            out(room, given);
            if (error != SS55_OK) return error;
        }
    }
    do {
        error = ss55_opener_finish(stream, room, sizeof room, &given);
        out(room, given);
    } while (error == SS55_OUTPUT_FULL);
    return error;
}

int main(int argc, char **argv) {
    if (argc != 5) return 100;
    const char *part = argv[1];
    int v2 = strcmp(argv[2], "v2") == 0;
    size_t chunk = strtoul(argv[2], NULL, 10);
    uint8_t key[32], ad[256];
    if (from_hex(argv[3], key, sizeof key) != sizeof key) return 100;
    size_t ad_len = from_hex(argv[4], ad, sizeof ad);
    ss55_error error;
    if (strcmp(part, "encryptor") == 0) {
        pipe_end end = {stdout, 0};
        ss55_encryptor *stream;
        error = v2 ? ss55_encryptor_new_v2(&stream, key, ad, ad_len, put, &end)
                   : ss55_encryptor_new_libsodium(&stream, key, chunk, put, &end);
        if (error == SS55_OK) error = encryptor(stream);
        ss55_encryptor_free(stream);
    } else if (strcmp(part, "decryptor") == 0) {
        pipe_end end = {stdin, 0};
        ss55_decryptor *stream;
        error = v2 ? ss55_decryptor_new_v2(&stream, key, ad, ad_len, take, &end)
                   : ss55_decryptor_new_libsodium(&stream, key, chunk, take, &end);
        if (error == SS55_OK) error = decryptor(stream);
        ss55_decryptor_free(stream);
    } else if (strcmp(part, "sealer") == 0) {
        ss55_sealer *stream;
        error = v2 ? ss55_sealer_new_v2(&stream, key, ad, ad_len)
                   : ss55_sealer_new_libsodium(&stream, key, chunk);
        if (error == SS55_OK) error = sealer(stream);
        ss55_sealer_free(stream);
    } else {
        ss55_opener *stream;
        error = v2 ? ss55_opener_new_v2(&stream, key, ad, ad_len)
                   : ss55_opener_new_libsodium(&stream, key, chunk);
        if (error == SS55_OK) error = opener(stream);
        ss55_opener_free(stream);
    }
    if (fflush(stdout) != 0) return 101;
    return error;
}
