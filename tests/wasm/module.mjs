// The npm package @shapelint/wasm in Node: node tests/wasm/module.mjs FOLDER PROGRAM
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const folder = resolve(process.argv[2]);
const native = process.argv[3] && resolve(process.argv[3]);
const { ShapelintError, load } = await import(pathToFileURL(join(folder, "index.mjs")));
const shapelint = await load();
const gpt3 = readFileSync("examples/gpt3-2.7b.toml", "utf8");

test("it is small enough for a page", () => {
  const bytes = gzipSync(readFileSync(join(folder, "shapelint.wasm")), { level: 9 }).length;
  assert.ok(bytes < 2_000_000, `${bytes} bytes packed`);
  assert.ok(statSync(join(folder, "shapelint.wasm")).size > 0);
});

test("lint finds what the program finds, with edits that make the proposals", () => {
  const result = shapelint.lint({ path: "gpt3.toml", text: gpt3 }, { gpu: "a100", min_severity: "warning" });
  assert.deepEqual(result.problems, []);
  assert.equal(result.fails, true);
  assert.deepEqual(result.findings.map((finding) => [finding.code, finding.severity, finding.range.start.line, finding.range.start.column]), [
    ["SL605", "warning", 8, 23], ["SL101", "warning", 10, 14]]);
  const [edit] = result.findings[1].proposals[0].edits;
  assert.deepEqual([gpt3.slice(edit.range.start.byte, edit.range.end.byte), edit.new_text], ["50257", "50304"]);
  assert.equal(result.steps[0].gpu, "a100-sxm4-80gb");
});

test("the numbers are those of the native program", { skip: !native }, () => {
  for (const name of ["gpt3-2.7b", "llama-3-8b", "mixtral-8x7b", "deepseek-v3", "resnet-50"]) {
    const file = `examples/${name}.toml`;
    const args = [file, "--gpu", "a100,h100", "--format", "json", "--with", "fields,operations"];
    let expected;
    try {
      expected = execFileSync(native, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    } catch (found) {
      expected = found.stdout;
    }
    const { out } = shapelint.run(args, { files: { [file]: readFileSync(file, "utf8") } });
    close(JSON.parse(out), JSON.parse(expected), name);
  }
});

// Equal except for the last digits of numbers, which depend on a compiler's order of arithmetic, and with them which of two
// tiles that are equally fast is named.
const ofTheTile = new Set(["tile"]);
function close(value, expected, where) {
  if (typeof expected === "number") {
    assert.ok(Math.abs(value - expected) <= 1e-9 * Math.abs(expected) + 1e-12, `${where}: ${value}, not ${expected}`);
  } else if (expected && typeof expected === "object") {
    assert.deepEqual(Object.keys(value), Object.keys(expected), where);
    for (const key of Object.keys(expected)) if (!ofTheTile.has(key)) close(value[key], expected[key], `${where}.${key}`);
  } else {
    assert.equal(value, expected, where);
  }
}

test("an object is a config.json, and settings say how it is run", () => {
  const config = { model_type: "gpt2", architectures: ["GPT2LMHeadModel"], n_embd: 768, n_layer: 12, n_head: 12, n_positions: 1024, vocab_size: 50257 };
  const [one, eight] = [1, 8].map((size) => shapelint.step(config, { gpu: "h100", settings: { micro_batch_size: size } })[0]);
  assert.ok(eight.tokens_per_s_per_gpu > one.tokens_per_s_per_gpu);
  assert.equal(shapelint.read(config).models[0].dialect, "huggingface");
});

test("files that a file names are those that are handed in", () => {
  const result = shapelint.lint({ path: "a/model.toml", text: gpt3 }, { gpu: "a100", min_severity: "warning", files: { "a/.shapelint.toml": 'ignore = ["SL605"]\n' } });
  assert.deepEqual(result.findings.map((finding) => finding.code), ["SL101"]);
});

test("suggest, gemm, attention, gpus, rules, fields and explain answer", () => {
  const better = shapelint.suggest({ path: "gpt3.toml", text: gpt3 }, { gpu: "a100", top: 3 });
  assert.deepEqual(better.suggestions[0].changes.map((change) => `${change.field} ${change.after}`), ["num_attention_heads 20", "vocab_size 50304"]);
  assert.ok(shapelint.gemm("h100", { m: 8192, n: 50257, k: 4096 }).efficiency.alignment < 1);
  assert.ok(shapelint.attention("h100", { heads: 32, key_value_heads: 8, query_length: 4096, key_length: 4096 }).run_us > 0);
  assert.ok(shapelint.gpus().some((gpu) => gpu.id === "h100-sxm5"));
  assert.equal(shapelint.explain("sl101").name, "vocab-misaligned");
  assert.ok(shapelint.fields().some((field) => field.name === "hidden_size" && field.doc));
  assert.match(shapelint.version, /^\d+\.\d+\.\d+$/);
});

test("every member that comes is one that index.d.ts declares, and the other way around", () => {
  const types = readFileSync(join(folder, "index.d.ts"), "utf8");
  const members = (name) => new RegExp(`export interface ${name} \\{\\n([^}]*)\\n\\}`).exec(types)[1].split("\n")
    .filter((line) => /^ {2}\w+\??: /.test(line)).map((line) => /^ {2}(\w+\??)/.exec(line)[1]);
  const same = (name, value) => {
    const declared = members(name);
    const came = Object.keys(value);
    assert.deepEqual(came.filter((each) => !declared.includes(each) && !declared.includes(each + "?")), [], name);
    assert.deepEqual(declared.filter((each) => !each.endsWith("?") && !came.includes(each)), [], name);
  };
  const linted = shapelint.lint({ path: "gpt3.toml", text: gpt3 }, { gpu: "a100", with_fields: true, with_operations: true });
  const [finding] = linted.findings;
  const [step] = linted.steps;
  const better = shapelint.suggest({ path: "gpt3.toml", text: gpt3 }, { gpu: "a100" });
  for (const [name, value] of Object.entries({ LintResult: linted, Finding: finding, Proposal: finding.proposals[0], Change: finding.proposals[0].changes[0],
    GpuGain: finding.by_gpu[0], LintedStep: step, Memory: step.memory, LintedModel: linted.models[0], Value: linted.models[0].fields.hidden_size, Range: finding.range,
    ReadResult: shapelint.read(gpt3), Gpu: shapelint.gpus()[0], Rule: shapelint.rules()[0], Field: shapelint.fields()[0], SuggestResult: better,
    Suggestion: better.suggestions[0], SuggestionOnGpu: better.suggestions[0].by_gpu[0], FrontPoint: better.front[0],
    Cause: better.suggestions[0].by_gpu[0].causes[0], StartOnGpu: better.start.by_gpu[0] })) same(name, value);
  for (const operation of step.operations) same("Operation", operation);
});

test("bad input is an error with a reason", () => {
  const said = (work) => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof ShapelintError);
      return error.problems.map(({ code, message, hint }) => `${code}: ${message}; ${hint}`);
    }
    return undefined;
  };
  assert.deepEqual(said(() => shapelint.gemm("h1000", { m: 1 })).map((each) => each.split(":")[0]), ["invalid-option"]);
  assert.deepEqual(said(() => shapelint.step(gpt3, { gpus: "a100" }))?.map((each) => each.split(";")[0]), ["invalid-option: `options` has no `gpus`"]);
  assert.deepEqual(said(() => shapelint.lint(gpt3, { min_severity: "loud", head_multiple: 1.5 })), [
    "invalid-option: `options.head_multiple` is no value that it can have; a whole number",
    "invalid-option: `options.min_severity` is no value that it can have; one of info, warning, error"]);
  // A question that is wrong is no report without findings.
  assert.deepEqual(said(() => shapelint.lint(gpt3, { gpu: "h10" }))?.map((each) => each.split(";")[0]), ["invalid-option: unknown GPU `h10`"]);
  assert.deepEqual(said(() => shapelint.lint(gpt3, { gpu: "a100", settings: { micro_batchsize: 8 } }))?.map((each) => each.split(";")[0]),
    ["invalid-option: unknown field `micro_batchsize`"]);
  for (const sizes of [{}, { n: 1, k: 4 }, { m: NaN, n: 1, k: 4 }, { m: null, n: 1, k: 4 }, { m: 0.5, n: 1, k: 4 }]) {
    assert.deepEqual(said(() => shapelint.gemm("h100", sizes)), ["invalid-option: gemm needs `m`; a whole number from 1 on"]);
  }
  assert.deepEqual(said(() => shapelint.attention("h100", {})), ["invalid-option: attention needs `heads`; a whole number from 1 on"]);
  const [broken] = shapelint.lint({ path: "model.toml", text: "[model]\nhidden_size = \n" }).problems;
  assert.deepEqual([broken.code, broken.range.start.line], ["invalid-file", 2]);
  const [text] = shapelint.lint({ path: "config.json", text: '{"a": "\ud800 \\ud800"' }).problems;
  assert.equal(text.code, "invalid-file");
});

test("garbage of a megabyte and deep nesting are refused, and the instance goes on", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) % 0x2000;
  for (const text of [Array.from({ length: 1_000_000 }, () => String.fromCharCode(random())).join(""), "[".repeat(1_000_000), "a: &a [*a]\n".repeat(50_000)]) {
    for (const path of ["config.json", "model.toml", "train.yaml", "train.sh", "train.py"]) {
      const result = shapelint.lint({ path, text }, { allow_unrecognised: true });
      assert.deepEqual(result.findings, []);
    }
  }
  assert.equal(shapelint.lint(gpt3, { gpu: "a100", min_severity: "warning" }).findings.length, 2);
});

test("the command line is there, too", () => {
  const { exit_code: code, out, written } = shapelint.run(["model.toml", "--gpu", "a100", "--fix", "--unsafe-fixes"], { files: { "model.toml": gpt3 } });
  assert.equal(code, 0, out);
  assert.match(written["/model.toml"], /vocab_size = 50304/);
  assert.equal(shapelint.run(["--no-such-flag"]).exit_code, 2);
  const served = shapelint.run(["lsp"]);
  assert.equal(served.exit_code, 2);
  assert.equal(served.err, "error: the module serves no editors; it is part of the program; `npx shapelint` runs that\n");
});
