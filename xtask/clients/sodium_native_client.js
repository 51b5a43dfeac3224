// sodium-native: libsodium as an addon of Node.js.
"use strict";
const sodium = require("sodium-native");
const { main } = require("./layout.js");

const {
  crypto_secretstream_xchacha20poly1305_STATEBYTES: STATE,
  crypto_secretstream_xchacha20poly1305_HEADERBYTES: HEADER,
  crypto_secretstream_xchacha20poly1305_ABYTES: OVERHEAD,
} = sodium;

main({
  initPush(key) {
    const state = Buffer.alloc(STATE);
    const header = Buffer.alloc(HEADER);
    sodium.crypto_secretstream_xchacha20poly1305_init_push(state, header, key);
    const push = (message, tag) => {
      const chunk = Buffer.alloc(message.length + OVERHEAD);
      sodium.crypto_secretstream_xchacha20poly1305_push(state, chunk, message, null, tag);
      return chunk;
    };
    return { header, push };
  },
  initPull(header, key) {
    const state = Buffer.alloc(STATE);
    sodium.crypto_secretstream_xchacha20poly1305_init_pull(state, header, key);
    return (chunk) => {
      const message = Buffer.alloc(chunk.length - OVERHEAD);
      const tag = Buffer.alloc(1);
      sodium.crypto_secretstream_xchacha20poly1305_pull(state, message, tag, chunk, null);
      return { message, tag: tag[0] };
    };
  },
});
