// Makes the playground one file that needs nothing else: node build.mjs SHAPELINT.wasm GLUE.mjs OUT.html
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, glue, out] = process.argv.slice(2).map((path) => resolve(path));
const bundle = async (entry, format) => {
  const result = await build({ entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, format, target: "es2022",
    legalComments: "none", logLevel: "error",
    // Of the module only what a browser needs; where the WebAssembly is, the page says.
    define: { "import.meta.url": '"file:///"', process: "undefined" }, external: ["node:*"],
    plugins: [{ name: "glue", setup: (setup) => setup.onResolve({ filter: /\/glue\.mjs$/ }, () => ({ path: glue })) }] });
  // `</script` would end the element that holds it.
  return result.outputFiles[0].text.replaceAll("</script", "<\\/script");
};
const names = ["gpt3-2.7b.toml", "llama-3-8b.toml", "mixtral-8x7b.toml", "deepseek-v3.toml", "smollm-360m.toml", "resnet-50.toml"];
const examples = names.map((name) => ({ name, text: readFileSync(join(here, "../../../examples", name), "utf8") }));
const gpt2 = { model_type: "gpt2", architectures: ["GPT2LMHeadModel"], n_embd: 768, n_layer: 12, n_head: 12, n_positions: 1024, vocab_size: 50257, torch_dtype: "bfloat16" };
examples.splice(1, 0, { name: "config.json", text: JSON.stringify(gpt2, null, 2) + "\n" });
const parts = {
  style: readFileSync(join(here, "style.css"), "utf8"),
  wasm: gzipSync(readFileSync(wasm), { level: 9 }).toString("base64"),
  worker: await bundle("worker.js", "iife"),
  examples: JSON.stringify(examples).replaceAll("</", "<\\/"),
  script: await bundle("main.js", "esm"),
};
// The one script that the page's policy lets run.
parts.hash = `'sha256-${createHash("sha256").update(parts.script).digest("base64")}'`;
const page = readFileSync(join(here, "index.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
console.log(`${out}: ${page.length} bytes`);
