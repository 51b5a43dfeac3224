/*
 * ss55: encrypted streams and AEADs. Made by `cargo xtask header` of the sources.
 *
 * What all functions ask for, beyond what they say themselves:
 * - A pointer with a length points to so many bytes, which nobody else writes meanwhile, and which
 *   nobody else reads where they are written. It may be NULL where the length is 0.
 * - A pointer without a length points to what is said of it. NULL is an error, not a crash, where it is
 *   not said to be allowed.
 * - A handle came from its `new` and was not freed. It may move between threads. One call at a time uses
 *   it: another is refused.
 * - What is written overlaps with nothing that is read, unless a function allows it.
 *
 * Nothing is thrown or unwound. Without memory the process ends.
 */

#ifndef SS55_H
#define SS55_H

#include <stddef.h>
#include <stdint.h>

/**
 * What a callback answers if it would have to wait: nothing is lost, and the call that it is part of answers
 * `SS55_ERROR_AGAIN`.
 */
#define SS55_CALLBACK_AGAIN -2

/**
 * What a call answers. `SS55_OK` is 0.
 *
 * The errors of a stream stay: every later call that moves it answers the same. Those of the call alone do not:
 * `SS55_ERROR_NULL`, `SS55_ERROR_ARGUMENT`, `SS55_ERROR_OVERLAP`, `SS55_ERROR_BUSY`, `SS55_ERROR_FINISHED`
 * (also where more is pushed after an end that failed), and `SS55_ERROR_AGAIN` and `SS55_OUTPUT_FULL`, after
 * which the same call goes on. A call with no room for plaintext asks a stream nothing.
 */
typedef enum ss55_error {
    /**
     * Done.
     */
    SS55_OK = 0,
    /**
     * No error: the stream has ended as it should, authenticated to its end.
     */
    SS55_END = 1,
    /**
     * No error: there is more than the output took. Call again, with room.
     */
    SS55_OUTPUT_FULL = 2,
    /**
     * A pointer is NULL that must not be: a handle, a key, a place for a result, or data of a length that
     * is not 0.
     */
    SS55_ERROR_NULL = 3,
    /**
     * An argument is out of range.
     */
    SS55_ERROR_ARGUMENT = 4,
    /**
     * Memory to read and memory to write overlap where they must not.
     */
    SS55_ERROR_OVERLAP = 5,
    /**
     * The handle is in use: by another thread, or by the call whose callback this is.
     */
    SS55_ERROR_BUSY = 6,
    /**
     * Wrong key, wrong ad, or changed data.
     */
    SS55_ERROR_AUTHENTICATION = 7,
    /**
     * The input ended before the stream did.
     */
    SS55_ERROR_TRUNCATED = 8,
    /**
     * The input goes on behind the stream's end.
     */
    SS55_ERROR_TRAILING_DATA = 9,
    /**
     * Not a stream of this format.
     */
    SS55_ERROR_MALFORMED = 10,
    /**
     * A later version of the format, or a flag that this library does not know.
     */
    SS55_ERROR_UNSUPPORTED = 11,
    /**
     * A message, an ad or a stream is longer than the format allows.
     */
    SS55_ERROR_TOO_LONG = 12,
    /**
     * The stream was ended by an earlier call.
     */
    SS55_ERROR_FINISHED = 13,
    /**
     * The callback failed, or claims more bytes than it was given.
     */
    SS55_ERROR_CALLBACK = 14,
    /**
     * The callback would have had to wait. Nothing is lost: make the same call again.
     */
    SS55_ERROR_AGAIN = 15,
    /**
     * The operating system gave no random bytes.
     */
    SS55_ERROR_RANDOM = 16,
    /**
     * A fault of this library. The handle can only be freed.
     */
    SS55_ERROR_INTERNAL = 17,
} ss55_error;

/**
 * A stream that is read through a callback.
 */
typedef struct ss55_decryptor ss55_decryptor;

/**
 * A stream that is written through a callback.
 */
typedef struct ss55_encryptor ss55_encryptor;

/**
 * A stream that is opened from buffer to buffer.
 */
typedef struct ss55_opener ss55_opener;

/**
 * A stream that is sealed from buffer to buffer.
 */
typedef struct ss55_sealer ss55_sealer;

/**
 * Takes up to `len` bytes from `data`, at least one, and answers how many. A negative answer is a failure, after
 * which it is not called again, or `SS55_CALLBACK_AGAIN`; so is 0.
 *
 * It must return: no `longjmp`, no C++ exception. It must not use the handle whose call it is part of.
 */
typedef ptrdiff_t (*ss55_write_callback)(void *user, const uint8_t *data, size_t len);

/**
 * Puts up to `len` bytes at `data` and answers how many: 0 is the end of the input. A negative answer is a
 * failure, after which it is not called again, or `SS55_CALLBACK_AGAIN`.
 *
 * It must return: no `longjmp`, no C++ exception. It must not use the handle whose call it is part of.
 */
typedef ptrdiff_t (*ss55_read_callback)(void *user, uint8_t *data, size_t len);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The library's version, such as "1.2.3".
 */
const char *ss55_version(void);

/**
 * A sentence for people, in English. Never NULL, and nothing to free: for a number that is none of
 * `ss55_error`, "unknown error".
 */
const char *ss55_error_message(int error);

/**
 * A new SS55 v2 stream under the 32 bytes at `key`, at `*encryptor`; NULL is there after an error. `ad` is
 * authenticated with each frame of data and does not travel. `user` is handed to `write`.
 *
 * Nothing is written before the first write, flush or finish.
 */
enum ss55_error ss55_encryptor_new_v2(struct ss55_encryptor **encryptor,
                                      const uint8_t *key,
                                      const uint8_t *ad,
                                      size_t ad_len,
                                      ss55_write_callback write,
                                      void *user);

/**
 * As `ss55_encryptor_new_v2`, but in libsodium's layout with `chunk_size` bytes of plaintext in a chunk: 0
 * stands for 8192, and 2^30 is the most.
 */
enum ss55_error ss55_encryptor_new_libsodium(struct ss55_encryptor **encryptor,
                                             const uint8_t *key,
                                             size_t chunk_size,
                                             ss55_write_callback write,
                                             void *user);

/**
 * Encrypts `len` bytes at `data`. `*written`, unless it is NULL, says how many were taken: all, if the answer is
 * `SS55_OK`. After `SS55_ERROR_AGAIN` go on with the rest.
 */
enum ss55_error ss55_encryptor_write(struct ss55_encryptor *encryptor,
                                     const uint8_t *data,
                                     size_t len,
                                     size_t *written);

/**
 * Hands on what was taken so far: in SS55 v2 as a shorter frame. In libsodium's layout what does not fill a
 * chunk stays.
 */
enum ss55_error ss55_encryptor_flush(struct ss55_encryptor *encryptor);

/**
 * Ends the stream. Without this it is truncated for its reader. Once it has answered `SS55_OK`, it does nothing
 * more.
 */
enum ss55_error ss55_encryptor_finish(struct ss55_encryptor *encryptor);

/**
 * Wipes the key and what plaintext there is, and frees the handle. NULL is nothing to free. It calls no callback
 * and ends no stream.
 */
void ss55_encryptor_free(struct ss55_encryptor *encryptor);

/**
 * A new reader of an SS55 v2 stream under the 32 bytes at `key`, at `*decryptor`; NULL is there after an error.
 * `ad` is what the writer gave. `user` is handed to `read`, which is not called before the first read.
 */
enum ss55_error ss55_decryptor_new_v2(struct ss55_decryptor **decryptor,
                                      const uint8_t *key,
                                      const uint8_t *ad,
                                      size_t ad_len,
                                      ss55_read_callback read,
                                      void *user);

/**
 * As `ss55_decryptor_new_v2`, but for libsodium's layout with `chunk_size` bytes of plaintext in a chunk: 0
 * stands for 8192, and 2^30 is the most.
 */
enum ss55_error ss55_decryptor_new_libsodium(struct ss55_decryptor **decryptor,
                                             const uint8_t *key,
                                             size_t chunk_size,
                                             ss55_read_callback read,
                                             void *user);

/**
 * Puts up to `len` bytes of authentic plaintext at `data` and their number at `*count`.
 *
 * `SS55_END` says that the stream has ended and is whole; only then is what came out more than a beginning. With
 * `SS55_OK` there is at least one byte, unless `len` is 0. With an error `*count` is 0. Until it returns, and
 * behind `*count`, `data` may hold what is not authentic.
 */
enum ss55_error ss55_decryptor_read(struct ss55_decryptor *decryptor,
                                    uint8_t *data,
                                    size_t len,
                                    size_t *count);

/**
 * Wipes the key and what plaintext there is, and frees the handle. NULL is nothing to free; a handle in use, in
 * whose callback this is, stays.
 */
void ss55_decryptor_free(struct ss55_decryptor *decryptor);

/**
 * A new SS55 v2 stream under the 32 bytes at `key`, at `*sealer`; NULL is there after an error. `ad` is
 * authenticated with each frame of data and does not travel.
 */
enum ss55_error ss55_sealer_new_v2(struct ss55_sealer **sealer,
                                   const uint8_t *key,
                                   const uint8_t *ad,
                                   size_t ad_len);

/**
 * As `ss55_sealer_new_v2`, but in libsodium's layout with `chunk_size` bytes of plaintext in a chunk: 0 stands
 * for 8192, and 2^30 is the most.
 */
enum ss55_error ss55_sealer_new_libsodium(struct ss55_sealer **sealer,
                                          const uint8_t *key,
                                          size_t chunk_size);

/**
 * Takes plaintext from `source` and puts sealed bytes at `out`; how many, say `*source_used` and `*out_used`. It stops
 * where all is taken or `out` is full: call again with the rest and more room until `*source_used` is `source_len`.
 * Sealed bytes may stay inside until a later call has room for them.
 */
enum ss55_error ss55_sealer_push(struct ss55_sealer *sealer,
                                 const uint8_t *source,
                                 size_t source_len,
                                 size_t *source_used,
                                 uint8_t *out,
                                 size_t out_len,
                                 size_t *out_used);

/**
 * Puts at `out` all that was taken so far, in SS55 v2 as a shorter frame; in libsodium's layout what does not
 * fill a chunk stays. After `SS55_OUTPUT_FULL`, call again with more room.
 */
enum ss55_error ss55_sealer_flush(struct ss55_sealer *sealer,
                                  uint8_t *out,
                                  size_t out_len,
                                  size_t *out_used);

/**
 * Ends the stream and puts at `out` what is left of it. After `SS55_OUTPUT_FULL`, call again with more room;
 * `SS55_OK` says that all is out.
 */
enum ss55_error ss55_sealer_finish(struct ss55_sealer *sealer,
                                   uint8_t *out,
                                   size_t out_len,
                                   size_t *out_used);

/**
 * Wipes the key and what plaintext there is, and frees the handle. NULL is nothing to free.
 */
void ss55_sealer_free(struct ss55_sealer *sealer);

/**
 * A new reader of an SS55 v2 stream under the 32 bytes at `key`, at `*opener`; NULL is there after an error.
 * `ad` is what the writer gave.
 */
enum ss55_error ss55_opener_new_v2(struct ss55_opener **opener,
                                   const uint8_t *key,
                                   const uint8_t *ad,
                                   size_t ad_len);

/**
 * As `ss55_opener_new_v2`, but for libsodium's layout with `chunk_size` bytes of plaintext in a chunk: 0 stands
 * for 8192, and 2^30 is the most.
 */
enum ss55_error ss55_opener_new_libsodium(struct ss55_opener **opener,
                                          const uint8_t *key,
                                          size_t chunk_size);

/**
 * Takes sealed bytes from `source` and puts authentic plaintext at `out`; how many, say `*source_used` and `*out_used`.
 * It stops where all is taken or `out` is full: call again with the rest and more room until `*source_used` is
 * `source_len`. Without room at `out` it does nothing.
 *
 * With an error, `*out_used` bytes of authentic plaintext came before what is wrong.
 */
enum ss55_error ss55_opener_push(struct ss55_opener *opener,
                                 const uint8_t *source,
                                 size_t source_len,
                                 size_t *source_used,
                                 uint8_t *out,
                                 size_t out_len,
                                 size_t *out_used);

/**
 * Says that the input has ended, and puts at `out` what plaintext is left. After `SS55_OUTPUT_FULL`, call again
 * with more room; `SS55_OK` says that the stream is whole. Only then is what came out more than a beginning.
 */
enum ss55_error ss55_opener_finish(struct ss55_opener *opener,
                                   uint8_t *out,
                                   size_t out_len,
                                   size_t *out_used);

/**
 * Wipes the key and what plaintext there is, and frees the handle. NULL is nothing to free.
 */
void ss55_opener_free(struct ss55_opener *opener);

/**
 * ChaCha20-Poly1305 (RFC 8439, 2.8): encrypts `len` bytes from `plaintext` to `ciphertext` and puts their tag,
 * 16 bytes, at `mac`. `key` has 32 bytes. `nonce` has 12 and must never repeat under one key.
 *
 * `ciphertext` may be `plaintext`. Otherwise what is written must overlap nothing.
 */
enum ss55_error ss55_chacha20poly1305_seal(const uint8_t *key,
                                           const uint8_t *nonce,
                                           const uint8_t *ad,
                                           size_t ad_len,
                                           const uint8_t *plaintext,
                                           size_t len,
                                           uint8_t *ciphertext,
                                           uint8_t *mac);

/**
 * Checks `mac` and decrypts `len` bytes from `ciphertext` to `plaintext`, which may be the same. After
 * `SS55_ERROR_AUTHENTICATION` there are zeros at `plaintext`; until then nobody may read there.
 */
enum ss55_error ss55_chacha20poly1305_open(const uint8_t *key,
                                           const uint8_t *nonce,
                                           const uint8_t *ad,
                                           size_t ad_len,
                                           const uint8_t *ciphertext,
                                           size_t len,
                                           const uint8_t *mac,
                                           uint8_t *plaintext);

/**
 * XChaCha20-Poly1305: as `ss55_chacha20poly1305_seal`, but `nonce` has 24 bytes and may be random.
 */
enum ss55_error ss55_xchacha20poly1305_seal(const uint8_t *key,
                                            const uint8_t *nonce,
                                            const uint8_t *ad,
                                            size_t ad_len,
                                            const uint8_t *plaintext,
                                            size_t len,
                                            uint8_t *ciphertext,
                                            uint8_t *mac);

/**
 * XChaCha20-Poly1305: as `ss55_chacha20poly1305_open`, but `nonce` has 24 bytes.
 */
enum ss55_error ss55_xchacha20poly1305_open(const uint8_t *key,
                                            const uint8_t *nonce,
                                            const uint8_t *ad,
                                            size_t ad_len,
                                            const uint8_t *ciphertext,
                                            size_t len,
                                            const uint8_t *mac,
                                            uint8_t *plaintext);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SS55_H */
