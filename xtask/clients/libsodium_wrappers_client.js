// libsodium-wrappers: libsodium as WebAssembly.
"use strict";
const sodium = require("libsodium-wrappers");
const { main } = require("./layout.js");

sodium.ready.then(() =>
  main({
    initPush(key) {
      const { state, header } = sodium.crypto_secretstream_xchacha20poly1305_init_push(key);
      const push = (message, tag) =>
        sodium.crypto_secretstream_xchacha20poly1305_push(state, message, null, tag);
      return { header, push };
    },
    initPull(header, key) {
      const state = sodium.crypto_secretstream_xchacha20poly1305_init_pull(header, key);
      return (chunk) => {
        const pulled = sodium.crypto_secretstream_xchacha20poly1305_pull(state, chunk, null);
        if (!pulled) throw new Error("the chunk is not authentic");
        return pulled;
      };
    },
  }),
);
