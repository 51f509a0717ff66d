// shapelint's library in WebAssembly: browsers and Node. index.d.ts describes it.
import create from "./glue.mjs";

const inNode = typeof process !== "undefined" && Boolean(process.versions?.node);

// Where nobody says where the WebAssembly is: beside this file.
async function beside() {
  const url = new URL("./shapelint.wasm", import.meta.url);
  if (!inNode || url.protocol !== "file:") return fetch(url);
  const { readFile } = await import("node:fs/promises");
  return readFile(url);
}

async function compile(given) {
  let source = await given;
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "string" || source instanceof URL) source = await fetch(source);
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
    source = await source.arrayBuffer();
  }
  return WebAssembly.compile(source);
}

export class ShapelintError extends Error {
  constructor(problems) {
    super(problems.map((error) => {
      const place = error.range ? `:${error.range.start.line}:${error.range.start.column}` : "";
      return `${error.path ? `${error.path}${place}: ` : ""}${error.message}${error.hint ? `; ${error.hint}` : ""}`;
    }).join("\n"));
    this.name = "ShapelintError";
    this.problems = problems;
  }
}

// JSON escapes halves of surrogate pairs, which are no UTF-8.
const toJson = (value) =>
  JSON.stringify(value).replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (found) => found === "\\\\" ? found : "\\ufffd");

// A text is a file called `model`, an object one called `config.json`.
function sourceOf(given) {
  if (typeof given === "string") return { path: "model", text: given };
  if (given && typeof given.path === "string") return given;
  if (given && typeof given === "object") return { path: "config.json", text: JSON.stringify(given, null, 2) };
  throw new TypeError("a source is a text, an object of a config.json, or { path, text }");
}

const refusal = (message, hint) => new ShapelintError([{ code: "invalid-option", message, hint}]);

function needs(kernel, sizes, names) {
  for (const name of names) {
    if (!Number.isSafeInteger(sizes?.[name]) || sizes[name] < 1) throw refusal(`${kernel} needs \`${name}\``, "a whole number from 1 on");
  }
}

class Shapelint {
  #wasm;
  constructor(wasm) {
    this.#wasm = wasm;
    this.version = this.#call("version");
  }

  #write(text) {
    const bytes = this.#wasm.lengthBytesUTF8(text) + 1;
    const at = this.#wasm._malloc(bytes);
    if (at === 0) throw new RangeError("out of memory");
    this.#wasm.stringToUTF8(text, at, bytes);
    return at;
  }

  #call(name, given = {}) {
    const wasm = this.#wasm;
    const called = this.#write(name);
    const said = this.#write(toJson(given));
    const answer = wasm._shapelint_call(called, said);
    wasm._free(called);
    wasm._free(said);
    if (answer === 0) throw new RangeError("out of memory");
    const { value, problems } = JSON.parse(wasm.UTF8ToString(answer));
    wasm._free(answer);
    if (problems) throw new ShapelintError(problems);
    return value;
  }

  #ask(name, sources, { files = {}, ...options } = {}) {
    const list = Array.isArray(sources) ? sources : [sources];
    return this.#call(name, { files, sources: list.map(sourceOf), options });
  }

  // What is wrong with files is part of the answer, what is wrong with the question is not.
  lint(sources, options) {
    const report = this.#ask("lint", sources, options);
    const refused = report.problems.filter((error) => error.code === "invalid-option");
    if (refused.length > 0) throw new ShapelintError(refused);
    return report;
  }

  read(source, options) { return this.#ask("read", source, options); }
  step(source, options) { return this.#ask("step", source, options); }
  plan(source, options) { return this.#ask("plan", source, options); }
  suggest(source, options) { return this.#ask("suggest", source, options); }

  gemm(gpu, gemm) {
    needs("gemm", gemm, ["m", "n", "k"]);
    return this.#call("gemm", { ...gemm, gpu });
  }

  attention(gpu, attention) {
    needs("attention", attention, ["heads", "query_length"]);
    return this.#call("attention", { ...attention, gpu });
  }

  gpus() { return this.#call("gpus"); }
  rules() { return this.#call("rules"); }
  fields() { return this.#call("fields"); }

  explain(rule) {
    const wanted = String(rule).toLowerCase();
    const found = this.rules().find((each) => each.code.toLowerCase() === wanted || each.name === wanted);
    if (!found) throw refusal(`unknown rule \`${rule}\``, "`rules()` lists them");
    return found;
  }

  run(args, { files = {}, input = "" } = {}) { return this.#call("run", { args, files, input }); }
}

// `source`: where the WebAssembly is, when not beside this file: a URL, a Response, its bytes, or a compiled module.
export async function load(source = beside()) {
  const module = await compile(source);
  const wasm = await create({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
  });
  return new Shapelint(wasm);
}
