"""Serpent by Botan's C interface: reads lines "KEY BLOCKS" in hexadecimal, prints the blocks encrypted.

Debian: libbotan-2-19 (or any Botan from 2.3 on; the name of the library may be given).
"""

import ctypes
import ctypes.util
import sys


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else ctypes.util.find_library("botan-2")
    if not name:
        sys.exit("no libbotan-2")
    botan = ctypes.CDLL(name)

    def check(error):
        if error:
            sys.exit(f"Botan: error {error}")

    cipher = ctypes.c_void_p()
    check(botan.botan_block_cipher_init(ctypes.byref(cipher), b"Serpent"))
    for line in sys.stdin:
        key, blocks = map(bytes.fromhex, line.split())
        out = ctypes.create_string_buffer(len(blocks))
        count = ctypes.c_size_t(len(blocks) // 16)
        check(botan.botan_block_cipher_set_key(cipher, key, ctypes.c_size_t(len(key))))
        check(botan.botan_block_cipher_encrypt_blocks(cipher, blocks, out, count))
        print(out.raw.hex())


if __name__ == "__main__":
    main()
