#!/usr/bin/env node
// shapelint as a server of the Model Context Protocol, over standard input and output.
//   shapelint-mcp [--program FILE] [--root FOLDER]
import process from "node:process";
import { parseArgs } from "node:util";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { input_of, most_text_bytes } from "./inputs.mjs";
import { find } from "./program.mjs";

const { values } = parseArgs({ options: { program: { type: "string" }, root: { type: "string", default: process.cwd() } } });
const root = values.root;
let program;
try {
  program = await find(values.program, root);
} catch (problem) {
  console.error(`shapelint-mcp: ${problem.message}`);
  process.exit(2);
}
const version = (await program.run(["--version"])).out.trim().split(" ").at(-1);

const word = /^[A-Za-z0-9][\w .,=<>!~:+-]*$/; // names, also several with commas between them: never an option
const source = {
  path: z.string().max(4096).optional().describe("a configuration, or a folder of them, below the working folder"),
  text: z.string().optional().describe("a configuration itself: JSON, YAML, TOML, Python or a launch script"),
  filename: z.string().optional().describe("what to call the text; its extension sets the syntax (config.json, train.sh, model.toml)"),
  model: z.string().max(200).optional().describe("a published model, such as Qwen/Qwen3-8B"),
};
const gpu = z.string().regex(word).max(200).optional().describe("GPUs with commas between them, such as h100 or a100,h200; the tool gpus lists them");
const set = z
  .record(z.string().regex(/^[a-z][\w.]*$/), z.union([z.number(), z.boolean(), z.string().regex(/^[A-Za-z0-9][\w.-]*$/)]))
  .optional()
  .describe('values that the file does not state: {"mode": "decode", "tensor": 8, "context_length": 4096}');
const names = (doc) => z.array(z.string().regex(/^[A-Za-z][\w-]*$/)).max(50).optional().describe(doc);

const option = (name, value) => (value === undefined || value.length === 0 ? [] : [name, Array.isArray(value) ? value.join(",") : String(value)]);
const settings = (given) => option("--set", Object.entries(given ?? {}).map(([field, value]) => `${field}=${value}`));

/** What the program printed; of exit code 2 what it says is wrong. */
async function answer(args, extra, input = {}) {
  const { code, out, err } = await program.run(args, { ...input, signal: extra.signal });
  if (code !== 0 && code !== 1) return { isError: true, content: [{ type: "text", text: (err || out).trim() }] };
  // Apart from the answer, which may be JSON.
  return { content: [out, err].filter((text) => text.trim()).map((text) => ({ type: "text", text: text.trimEnd() })) };
}

/** A command on one of the sources. */
async function on_source(command, given, options, extra) {
  const input = await input_of(given, root, program);
  const named = input.text === undefined ? [input.file] : ["-"];
  const called = input.text !== undefined && command === "lint" ? ["--stdin-filename", input.name] : [];
  return answer([command, ...named, ...called, ...option("--gpu", given.gpu), ...settings(given.set), ...options], extra, { input: input.text, files: input.files });
}

const server = new McpServer(
  { name: "shapelint", version },
  { instructions: "Predicts the time and memory of a training or serving step of a model on a GPU, and finds the dimensions that waste it. Figures are predictions with intervals, not measurements: say so. Start with lint; nothing found does not mean that it fits: read memory." },
);
const read_only = { readOnlyHint: true, openWorldHint: false };
const tool = (name, description, inputSchema, call, outputSchema) =>
  server.registerTool(name, { description, inputSchema, outputSchema, annotations: read_only }, call);

tool("lint", "Find the dimensions, parallel degrees and memory of a configuration that waste time on a GPU or keep the run from starting, with fixes. Gives JSON: plan, steps, memory, findings.",
  { ...source, gpu, set, stack: z.string().regex(word).max(200).optional().describe("packages that run it: vllm==0.24,deep-ep"),
    select: names("only these rules: codes or names"), ignore: names("not these rules"), min_severity: z.enum(["info", "warning", "error"]).optional() },
  (given, extra) => on_source("lint", given, ["--format", "compact", ...option("--stack", given.stack), ...option("--select", given.select),
    ...option("--ignore", given.ignore), ...option("--min-severity", given.min_severity)], extra));
tool("suggest", "Search for faster shapes near the given one.",
  { ...source, gpu, set, vary: names("fields to vary; else the shape's"), top: z.number().int().min(1).max(20).optional() },
  (given, extra) => on_source("suggest", given, [...option("--vary", given.vary), "--top", String(given.top ?? 5)], extra));
tool("roofline", "Show where the time of a step goes: each operation, what bounds it, memory, throughput; of serving the time to the first token and per token.",
  { ...source, gpu, set }, (given, extra) => on_source("roofline", given, [], extra));
tool("fits", "Say which ways of dividing a model over so many GPUs run, with memory and throughput of each.",
  { ...source, gpu, set, count: z.number().int().min(1).max(100_000), stack: z.string().regex(word).max(200).optional().describe("packages that run it: vllm==0.24") },
  (given, extra) => on_source("fits", given, ["--count", String(given.count), ...option("--stack", given.stack)], extra));
tool("gemm", "predict the time of one GEMM C[m,n] = A[m,k] B[k,n], and what is lost to misalignment, tiles and waves.",
  { m: z.number().int().positive(), n: z.number().int().positive(), k: z.number().int().positive(), gpu: gpu.unwrap(),
    dtype: z.enum(["fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4"]).optional() },
  (given, extra) => answer(["gemm", String(given.m), String(given.n), String(given.k), "--gpu", given.gpu, ...option("--dtype", given.dtype)], extra));
tool("explain", "Explain a rule by its code or name: mechanism, condition, what is tried, sources.",
  { rule: z.string().regex(/^[A-Za-z][\w-]*$/).max(100) }, (given, extra) => answer(["explain", given.rule], extra));
tool("gpus", "List the GPUs that are known, or one with the source of every figure.",
  { name: z.string().regex(word).max(100).optional() }, (given, extra) => answer(["gpus", ...(given.name ? [given.name] : [])], extra));

// Beyond it the connection ends: a text that is too long is refused before.
await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: 4 * most_text_bytes }));
