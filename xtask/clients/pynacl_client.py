"""PyNaCl's secretstream in the layout of WAL-G: pynacl_client.py seal|open KEY < input > output."""

import sys

from nacl import bindings

HEADER = bindings.crypto_secretstream_xchacha20poly1305_HEADERBYTES
OVERHEAD = bindings.crypto_secretstream_xchacha20poly1305_ABYTES
MESSAGE = bindings.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE
FINAL = bindings.crypto_secretstream_xchacha20poly1305_TAG_FINAL
CHUNK = 8192


def seal(key, plaintext):
    state = bindings.crypto_secretstream_xchacha20poly1305_state()
    out = [bindings.crypto_secretstream_xchacha20poly1305_init_push(state, key)]
    # The last chunk is always short: empty after a whole number of chunks.
    for at in range(0, len(plaintext) + 1, CHUNK):
        message = plaintext[at : at + CHUNK]
        tag = MESSAGE if len(message) == CHUNK else FINAL
        out.append(bindings.crypto_secretstream_xchacha20poly1305_push(state, message, None, tag))
    return b"".join(out)


def open_(key, stream):
    state = bindings.crypto_secretstream_xchacha20poly1305_state()
    bindings.crypto_secretstream_xchacha20poly1305_init_pull(state, stream[:HEADER], key)
    out, tag = [], MESSAGE
    for at in range(HEADER, len(stream), CHUNK + OVERHEAD):
        assert tag == MESSAGE, "a chunk after the final one"
        chunk = stream[at : at + CHUNK + OVERHEAD]
        message, tag = bindings.crypto_secretstream_xchacha20poly1305_pull(state, chunk, None)
        assert (len(message) < CHUNK) == (tag == FINAL), "the final chunk, and no other, is short"
        out.append(message)
    assert tag == FINAL, "no final chunk"
    return b"".join(out)


verb, key = sys.argv[1], bytes.fromhex(sys.argv[2])
convert = {"seal": seal, "open": open_}[verb]
sys.stdout.buffer.write(convert(key, sys.stdin.buffer.read()))
