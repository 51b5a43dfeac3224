// Runs a test program under Node's WASI: node --no-warnings wasi.mjs PROGRAM [ARGUMENT]...
import { readFile } from "node:fs/promises";
import { argv, env, exit } from "node:process";
import { WASI } from "node:wasi";

const args = argv.slice(2);
const wasi = new WASI({ version: "preview1", args, env, returnOnExit: true });
const program = await WebAssembly.compile(await readFile(args[0]));
const instance = await WebAssembly.instantiate(program, wasi.getImportObject());
exit(wasi.start(instance));
