// The layout of WAL-G over any secretstream: NAME_client.js seal|open KEY < input > output.
"use strict";
const { readFileSync, writeSync } = require("node:fs");

const HEADER = 24;
const OVERHEAD = 17;
const MESSAGE = 0;
const FINAL = 3;
const CHUNK = 8192;

function check(holds, message) {
  if (!holds) throw new Error(message);
}

// `initPush(key)` gives { header, push(message, tag) }.
function seal(initPush, key, plaintext) {
  const { header, push } = initPush(key);
  const out = [header];
  // The last chunk is always short: empty after a whole number of chunks.
  for (let at = 0; at <= plaintext.length; at += CHUNK) {
    const message = plaintext.subarray(at, at + CHUNK);
    out.push(push(message, message.length === CHUNK ? MESSAGE : FINAL));
  }
  return Buffer.concat(out);
}

// `initPull(header, key)` gives pull(chunk), which gives { message, tag }, or throws.
function open(initPull, key, stream) {
  const pull = initPull(stream.subarray(0, HEADER), key);
  const out = [];
  let last = MESSAGE;
  for (let at = HEADER; at < stream.length; at += CHUNK + OVERHEAD) {
    check(last === MESSAGE, "a chunk after the final one");
    const { message, tag } = pull(stream.subarray(at, at + CHUNK + OVERHEAD));
    check((message.length < CHUNK) === (tag === FINAL), "the final chunk, and no other, is short");
    out.push(message);
    last = tag;
  }
  check(last === FINAL, "no final chunk");
  return Buffer.concat(out);
}

function main({ initPush, initPull }) {
  const [verb, hex] = process.argv.slice(2);
  const key = Buffer.from(hex, "hex");
  const input = readFileSync(0);
  check(verb === "seal" || verb === "open", `seal or open, not ${verb}`);
  const output = verb === "seal" ? seal(initPush, key, input) : open(initPull, key, input);
  for (let at = 0; at < output.length; ) at += writeSome(output, at);
}

// A pipe may be full for a moment.
function writeSome(output, at) {
  try {
    return writeSync(1, output, at);
  } catch (error) {
    if (error.code === "EAGAIN") return 0;
    throw error;
  }
}

module.exports = { main };
