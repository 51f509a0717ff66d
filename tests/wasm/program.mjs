// The npm package shapelint as npx runs it: installed from its tarball into an empty folder.
//   node tests/wasm/program.mjs TARBALL [PROGRAM]      with PROGRAM: it says what the native one says
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";

const tarball = resolve(process.argv[2]);
const native = process.argv[3] && resolve(process.argv[3]);
const folder = mkdtempSync(join(tmpdir(), "shapelint-npm-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "package.json"), '{"private": true}\n');
execFileSync("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", tarball], { cwd: folder });
mkdirSync(join(folder, "examples"));
for (const name of ["gpt3-2.7b.toml", "llama-3-8b.toml"]) copyFileSync(join("examples", name), join(folder, "examples", name));
for (const name of ["transformer.toml", "transformer-cpu.json.gz"]) copyFileSync(join("tests/trace", name), join(folder, name));

const environment = { PATH: process.env.PATH, HOME: folder, npm_config_update_notifier: "false" };
const run = (program, args, more = {}) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8", env: environment, ...more });
  return { status, stdout, stderr };
};
const shapelint = (args, more) => run(join(folder, "node_modules/.bin/shapelint"), args, more);

test("npx finds it", () => {
  assert.deepEqual(run("npx", ["--offline", "shapelint", "--version"]), { status: 0, stdout: shapelint(["--version"]).stdout, stderr: "" });
});

test("exit codes are the program's", () => {
  assert.equal(shapelint(["examples/llama-3-8b.toml", "--gpu", "h100", "--select", "SL101"]).status, 0);
  const found = shapelint(["examples/gpt3-2.7b.toml", "--gpu", "a100"]);
  assert.equal(found.status, 1);
  assert.match(found.stdout, /warning\[SL101\]: `vocab_size` 50257/);
  const missing = shapelint(["nothing.toml"]);
  assert.deepEqual([missing.status, missing.stdout, missing.stderr.split(":")[0]], [2, "", "error"]);
  assert.equal(shapelint(["--gpu", "a101", "examples/llama-3-8b.toml"]).status, 2);
});

test("it says what the native program says", { skip: !native }, () => {
  for (const args of [["examples", "--gpu", "a100,h100"], ["examples/gpt3-2.7b.toml", "--format", "sarif"], ["suggest", "examples/gpt3-2.7b.toml", "--gpu", "a100"],
    ["roofline", "examples/llama-3-8b.toml", "--gpu", "h100", "--mode", "decode", "--context-length", "4096"], ["explain", "SL101"], ["gpus"], ["rules"],
    ["gemm", "--gpu", "h100", "8192,50257,4096"], ["--help"], ["show", "examples/llama-3-8b.toml"], ["completion", "bash"], ["nonsense.toml"],
    ["profile", "transformer-cpu.json.gz", "--model", "transformer.toml", "--gpu", "a100"]]) {
    assert.deepEqual(shapelint(args), run(native, args), args.join(" "));
  }
});

test("it reads standard input, writes files, and takes the terminal's width and colours", () => {
  const text = readFileSync("examples/gpt3-2.7b.toml", "utf8");
  assert.equal(shapelint(["-", "--stdin-filename", "model.toml", "--gpu", "a100"], { input: text }).status, 1);
  const out = join(folder, "fixed.toml");
  writeFileSync(out, text);
  assert.equal(shapelint([out, "--gpu", "a100", "--fix", "--unsafe-fixes"]).status, 0);
  assert.match(readFileSync(out, "utf8"), /vocab_size = 50304/);
  const coloured = shapelint([join("examples", "gpt3-2.7b.toml")], { env: { ...environment, FORCE_COLOR: "1", COLUMNS: "60" } });
  assert.match(coloured.stdout, /\u001b\[/);
});

test("the language server answers", () => {
  const message = (content) => `Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`;
  const input = message('{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}') + message('{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}') + message('{"jsonrpc": "2.0", "method": "exit"}');
  const { status, stdout } = shapelint(["lsp"], { input });
  assert.equal(status, 0);
  assert.match(stdout, /"serverInfo"/);
});
