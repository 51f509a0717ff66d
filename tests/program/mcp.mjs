#!/usr/bin/env node
// The server of the Model Context Protocol, asked by the official client: initialize, list, calls, errors, cancelling.
// Usage: mcp.mjs SHAPELINT. Exit code 77 (skipped) where its packages cannot be had.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const shapelint = path.resolve(process.argv[2]);
const source = path.resolve("bindings/wasm/mcp");
const folder = path.resolve("build/mcp"); // kept: its packages are fetched once
mkdirSync(folder, { recursive: true });
for (const name of ["package.json", "package-lock.json", "server.mjs", "inputs.mjs", "program.mjs"]) cpSync(path.join(source, name), path.join(folder, name));
try {
  const same = existsSync(path.join(folder, "fetched")) && readFileSync(path.join(folder, "fetched"), "utf8") === readFileSync(path.join(folder, "package-lock.json"), "utf8");
  if (!same) {
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    cpSync(path.join(folder, "package-lock.json"), path.join(folder, "fetched"));
  }
} catch (problem) {
  console.log(`skipped: npm cannot fetch the packages: ${String(problem.stderr ?? problem.message).split("\n")[0]}`);
  process.exit(77);
}
const require = createRequire(path.join(folder, "server.mjs"));
const of_sdk = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${name}.js`)));
const { Client } = await of_sdk("index");
const { StdioClientTransport } = await of_sdk("stdio");

const root = mkdtempSync(path.join(os.tmpdir(), "shapelint-mcp-"));
mkdirSync(path.join(root, "repository/configs"), { recursive: true });
const repository = path.join(root, "repository");
cpSync("examples/gpt3-2.7b.toml", path.join(repository, "configs/gpt3.toml"));
cpSync("examples/gpt3-2.7b.toml", path.join(root, "outside.toml"));
symlinkSync("../../outside.toml", path.join(repository, "configs/link.toml"));

async function connect(program) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [path.join(folder, "server.mjs"), "--program", program, "--root", repository], stderr: "pipe" }));
  return client;
}
const text_of = (result) => result.content.map((each) => each.text).join("\n");

async function session() {
  const client = await connect(shapelint);
  assert.equal(client.getServerVersion().name, "shapelint");
  assert.match(client.getServerVersion().version, /^\d+\.\d+\.\d+$/);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ["lint", "suggest", "roofline", "fits", "gemm", "explain", "gpus"]);
  for (const tool of tools) assert.ok(tool.annotations.readOnlyHint && tool.description.length < 300, tool.name);
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    return { ...result, text: text_of(result) };
  };
  const right = async (name, args) => {
    const result = await call(name, args);
    assert.ok(!result.isError, `${name}: ${result.text}`);
    return result.content[0].text;
  };
  const wrong = async (name, args, says) => {
    const result = await call(name, args);
    assert.ok(result.isError, `${name} ${JSON.stringify(args)}: ${result.text}`);
    assert.match(result.text, says);
    return result.text;
  };

  const linted = JSON.parse(await right("lint", { path: "configs/gpt3.toml", gpu: "a100" }));
  assert.equal(linted.format, "shapelint.compact");
  assert.ok(linted.models[0].findings.some((each) => each.code === "SL101" && each.fix.changes.vocab_size[1] === 50304));
  const text = readFileSync("examples/gpt3-2.7b.toml", "utf8");
  const of_text = JSON.parse(await right("lint", { text, filename: "model.toml", gpu: "a100", select: ["SL101"] }));
  assert.deepEqual(of_text.models[0].findings.map((each) => [each.code, each.path]), [["SL101", "model.toml"]]);
  const folder_of = JSON.parse(await right("lint", { path: "configs", gpu: "a100" }));
  assert.deepEqual(folder_of.models.map((each) => each.path), ["configs/gpt3.toml"]); // and not the link
  const served = JSON.parse(await right("lint", { model: "Qwen/Qwen3-8B", gpu: "h100", set: { mode: "decode", context_length: 4096, tensor: 2 } }));
  assert.deepEqual([served.models[0].plan.mode, served.models[0].plan.tensor], ["decode", 2]);
  assert.match(await right("suggest", { path: "configs/gpt3.toml", gpu: "a100", vary: ["vocab_size"], top: 1 }), /vocab_size 50257 → 50304/);
  assert.match(await right("roofline", { text, gpu: "a100" }), /MFU/);
  assert.match(await right("fits", { model: "Qwen/Qwen3-8B", gpu: "h100", count: 2 }), /2 GPUs/);
  assert.match(await right("gemm", { m: 8192, n: 50257, k: 2560, gpu: "a100" }), /misaligned dimensions/);
  assert.match(await right("explain", { rule: "SL101" }), /vocab/);
  assert.match(await right("gpus", {}), /h100-sxm5/);

  // What a call gets wrong is an answer, not the end of the session.
  const nowhere = [];
  for (const given of ["../outside.toml", "configs/link.toml", path.join(root, "outside.toml"), "configs/../../outside.toml", "../no-such.toml", "/etc/passwd", "no-such.toml"])
    nowhere.push((await wrong("lint", { path: given }, /no such file below the working folder/)).replace(given, ""));
  assert.equal(new Set(nowhere).size, 1); // it tells nothing of what is outside
  await wrong("lint", {}, /give one of/);
  await wrong("lint", { text: "a", path: "configs/gpt3.toml" }, /give one of/);
  await wrong("lint", { text: "[model]\nhiden_size = 1\n", filename: "a.toml" }, /hidden_size/);
  await wrong("lint", { text: "x", filename: "../a.toml" }, /not a file name/);
  await wrong("lint", { text: "#".repeat((16 << 20) + 1) }, /longer than/);
  await wrong("lint", { model: "no/such-model-anywhere" }, /no-such-model-anywhere|such-model/);
  await wrong("lint", { path: "configs/gpt3.toml", gpu: "no-such-gpu" }, /no-such-gpu/);
  await wrong("lint", { path: "configs/gpt3.toml", gpu: "--fix" }, /gpu/);
  await wrong("gemm", { m: 0, n: 1, k: 1, gpu: "a100" }, /m/);
  await wrong("explain", { rule: "SL999" }, /SL999/);
  await wrong("no-such-tool", {}, /no-such-tool/);
  assert.match(await right("gpus", { name: "a100" }), /A100/);
  await client.close();
}

// A program that does not answer: the call ends when it is cancelled, and the program with it.
async function cancelled() {
  const slow = path.join(root, "slow");
  writeFileSync(slow, `#!/bin/sh\ncase "$1" in --version) echo "shapelint 0.0.0"; exit 0;; esac\necho $$ > "${root}/pid"\nexec sleep 60\n`, { mode: 0o755 });
  const client = await connect(slow);
  const stop = new AbortController();
  const call = client.callTool({ name: "gpus", arguments: {} }, undefined, { signal: stop.signal });
  const pid = path.join(root, "pid");
  for (let i = 0; i < 500 && !(existsSync(pid) && readFileSync(pid, "utf8").endsWith("\n")); ++i) await new Promise((done) => setTimeout(done, 10));
  const number = Number(readFileSync(pid, "utf8"));
  stop.abort("enough");
  await assert.rejects(call, /enough/);
  const runs = () => {
    try {
      return process.kill(number, 0);
    } catch {
      return false;
    }
  };
  for (let i = 0; i < 500 && runs(); ++i) await new Promise((done) => setTimeout(done, 10));
  assert.ok(!runs(), "the program goes on after its call was cancelled");
  assert.equal((await client.listTools()).tools.length, 7); // and the server, too
  await client.close();
}

// However many calls come, few programs run.
async function many_at_once() {
  const slow = path.join(root, "counted");
  mkdirSync(path.join(root, "now"));
  writeFileSync(slow, `#!/bin/sh\ncase "$1" in --version) echo "shapelint 0.0.0"; exit 0;; esac\ncd "${root}/now"; : > $$; ls | wc -l; sleep 0.2; rm $$\n`, { mode: 0o755 });
  const client = await connect(slow);
  const counts = (await Promise.all(Array.from({ length: 20 }, () => client.callTool({ name: "gpus", arguments: {} })))).map((each) => Number(text_of(each)));
  assert.ok(counts.length === 20 && Math.max(...counts) <= 4 && Math.max(...counts) >= 2, String(counts));
  await client.close();
}

// The session that docs/how-to/mcp-session.md shows, line by line: `…` there stands for anything.
async function as_documented() {
  const lines = readFileSync("docs/how-to/mcp-session.md", "utf8").split("\n").filter((line) => /^[→←] /.test(line));
  const server = spawn(process.execPath, [path.join(folder, "server.mjs"), "--program", shapelint, "--root", repository], { stdio: ["pipe", "pipe", "ignore"] });
  const said = readline.createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  for (let i = 0; i < lines.length; ++i) {
    const text = lines[i].slice(2);
    if (lines[i].startsWith("←")) {
      const { value } = await said.next();
      assert.ok(new RegExp(`^${text.split("…").map(literal).join(".*")}$`, "u").test(value), `docs/how-to/mcp-session.md: ${text.slice(0, 80)}…, and not ${value?.slice(0, 400)}`);
      continue;
    }
    // Requests without an answer between them go out together.
    let sent = `${text}\n`;
    while (lines[i + 1]?.startsWith("→")) sent += `${lines[++i].slice(2)}\n`;
    server.stdin.write(sent);
  }
  assert.equal(lines.filter((line) => line.startsWith("←")).length, 6);
  server.stdin.end();
  assert.ok((await said.next()).done); // nothing more, and it ends with its input
}

// Where there is no program: the module is handed the file that a call names, and nothing else.
async function without_program() {
  const of_server = (name) => import(pathToFileURL(path.join(folder, name)));
  const { in_wasm } = await of_server("program.mjs");
  const { input_of } = await of_server("inputs.mjs");
  const module = in_wasm({ run: (args, given) => ({ exit_code: 1, out: JSON.stringify({ args, ...given }), err: "" }) });
  const input = await input_of({ path: "configs/gpt3.toml" }, repository, module);
  const { code, out } = await module.run(["lint", input.file], input);
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(out), { args: ["lint", "./configs/gpt3.toml"], files: { "./configs/gpt3.toml": readFileSync("examples/gpt3-2.7b.toml", "utf8") } });
  await assert.rejects(input_of({ path: "configs" }, repository, module), /a folder/);
  await assert.rejects(input_of({ path: "configs/link.toml" }, repository, module), /no such file below/);
}

try {
  await session();
  await cancelled();
  await many_at_once();
  await as_documented();
  await without_program();
  console.log("initialize, list, 7 tools, 17 errors, cancel, 20 calls at once, the session of docs/how-to/mcp-session.md, and the module in place of the program");
} finally {
  rmSync(root, { recursive: true });
}
