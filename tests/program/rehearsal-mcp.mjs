// @shapelint/mcp as it was installed, asked by the official client: initialize, list, a call, an error, a cancelled call. No
// program is in PATH, so @shapelint/wasm answers.
//   node rehearsal-mcp.mjs VERSION      in a folder with model.toml, and the packages in node_modules
import assert from "node:assert/strict";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const client = new Client({ name: "rehearsal", version: "1" });
const env = { PATH: path.dirname(process.execPath) };
const server = path.resolve("node_modules/@shapelint/mcp/server.mjs");
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server], env, stderr: "inherit" }));
assert.deepEqual([client.getServerVersion().name, client.getServerVersion().version], ["shapelint", process.argv[2]]);
const { tools } = await client.listTools();
assert.ok(tools.some((tool) => tool.name === "lint"));
const lint = (file, options) => client.callTool({ name: "lint", arguments: { path: file, gpu: "a100" } }, undefined, options);
const found = await lint("model.toml");
assert.ok(!found.isError, found.content[0].text);
assert.ok(JSON.parse(found.content[0].text).models[0].findings.some((each) => each.code === "SL605"));
assert.ok((await lint("../no-such.toml")).isError);
const stop = new AbortController();
const cancelled = lint("model.toml", { signal: stop.signal });
stop.abort("enough");
await assert.rejects(cancelled, /enough/);
assert.equal((await client.listTools()).tools.length, tools.length); // and it goes on
await client.close();
console.log(`npm: @shapelint/mcp upon @shapelint/wasm: initialize, list of ${tools.length}, a call, an error, a cancelled call`);
