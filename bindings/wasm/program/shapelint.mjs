#!/usr/bin/env node
// shapelint's command line: the program itself, compiled to WebAssembly.
import { createRequire } from "node:module";

createRequire(import.meta.url)("./program.cjs");
