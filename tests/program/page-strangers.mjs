// Pages about a stranger's files in headless Chromium: names, messages, GPUs and layers that are markup stay text, the
// page's policy lets nothing run that is not its own, and no connection is opened.
//
//   node tests/program/page-strangers.mjs SHAPELINT      exit 77: no Chromium here
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import assert from "node:assert/strict";
import { browse } from "../wasm/browser.mjs";
import { attack, listen, strange, violations, watch } from "../wasm/policy.mjs";

const program = resolve(process.argv[2]);
const browser = await browse({ width: 1100, height: 1400 });
const { evaluate, until, send } = browser;
const folder = mkdtempSync(join(tmpdir(), "shapelint-strangers-"));
const server = await listen();
const there = server.url;

// Each sets `ran`, asks the server, or both, where it is taken for what it looks like.
const markups = [
  `<img src=x onerror=ran=1>`, `<svg onload=ran=2>`, `<img src='${there}/a'>`, `</script><script>ran=3</script>`, `<iframe srcdoc='<script>parent.ran=4</script>'>`,
  `"><a href=javascript:ran=5 autofocus onfocus=ran=5>`, `<table onpointerenter=ran=6><td class="x" onclick="ran=7">`, `<style>@import '${there}/b';</style>`,
  `{{script}}{{data}}`, `\${ran=8}`, `<!--<script>`, `<td style=background:url(${there}/c)>`, `&lt;img src=x onerror=ran=9&gt;`, `<h2><base href=${there}>`,
  `<meta http-equiv=refresh content=0;url=${there}/d>`, `<link rel=stylesheet href=${there}/e>`, `<form action=${there}><button autofocus>`, `constructor`, `__proto__`,
  `<math><mtext><table><mglyph><style><img src=x onerror=ran=10>`, `\u2028\u2029<\u0000b>`,
];
const toml = (text) => JSON.stringify(text).replaceAll("\u0000", "").replaceAll("\\u0000", "");
const put = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  return path;
};
const transformer = (name) => `[model]\nname = ${toml(name)}\nhidden_size = 768\nnum_layers = 2\nnum_attention_heads = 12\nvocab_size = 50257\n[run]\nmicro_batch_size = 8\nsequence_length = 1024\n`;
const network = (name) => `[model]\nname = ${toml(name)}\nin_channels = 3\nimage = 64\n[run]\nmicro_batch_size = 8\ndtype = "fp16"\n` +
  `[[conv]]\nname = ${toml(name)}\nout_channels = 62\nkernel = 3\n`;
put(".git/HEAD", "");
const rules = markups.map((text, i) => put(`rules/${i}.toml`, `code = "ZZ${100 + i}"\nname = "own-${i}"\nsince = "1.0"\nsummary = ${toml(text)}\nseverity = "warning"\n` +
  `confidence = "certain"\nscope = "model"\neffect = "advice"\nwhen = "micro_batch_size > 0"\nblame = ["micro_batch_size"]\n` +
  `message = ${toml(text.replaceAll("{", "{{").replaceAll("}", "}}"))}\nmechanism = ${toml(text)}\nwhy = ${toml(text)}\nsources = [${toml(text)}]\n`));
assert.equal(rules.length, markups.length);
put(".shapelint.toml", `rule-folders = ["rules"]\nrule-url = ${toml(`https://example.org/"><img src=x onerror=ran=11>/{code}`)}\n`);
put("gpu.toml", `based_on = "a100"\nname = ${toml(markups[0])}\n`);

try {
  await watch(browser);
  let pages = 0;
  for (const [i, text] of markups.entries()) {
    // A name of a file has no \`/\`, which a folder's end has, and no NUL.
    const safe = text.replaceAll("\u0000", "");
    const paths = [put(`${i}/${safe}.toml`, transformer(text)), put(`${i}/net ${safe}.toml`, network(text))];
    const page = join(folder, `${i}.html`);
    const ran = spawnSync(program, ["roofline", ...paths.map((path) => "./" + path), "--gpu-file", "gpu.toml", "--gpu", "h100", "--report", page], { cwd: folder, encoding: "utf8" });
    assert.equal(ran.status, 0, ran.stderr);
    await send("Page.navigate", { url: "about:blank" });
    await send("Page.navigate", { url: "file://" + page });
    await until(`the page of ${text}`, `location.pathname.endsWith("/${i}.html") && document.body?.dataset.ready === "yes"`);
    // Each model and GPU, each tooltip of some marks, each finding.
    const cases = await evaluate("document.querySelector('#case').options.length");
    for (let shown = 0; shown < cases; ++shown) {
      await evaluate(`(() => { const select = document.querySelector("#case"); select.value = ${shown}; document.body.dataset.ready = ""; select.dispatchEvent(new Event("change")); })()`);
      await until("the case", "document.body.dataset.ready === 'yes'");
      await evaluate(`(() => {
        for (const mark of [...document.querySelectorAll("path, rect, text, .finding, td, button")].slice(0, 400)) {
          const box = mark.getBoundingClientRect();
          const at = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
          mark.dispatchEvent(new PointerEvent("pointerover", at));
          mark.dispatchEvent(new PointerEvent("pointermove", at));
        }
      })()`);
    }
    assert.equal(await evaluate("typeof ran"), "undefined", `${text} ran`);
    assert.deepEqual(await strange(browser, ".vega-bindings"), [], text);
    assert.ok((await evaluate("document.body.innerText")).length > 0);
    assert.deepEqual(await violations(browser), [], text);
    pages += 1;
  }
  assert.ok((await evaluate("document.body.innerText")).includes("<img src=x onerror=ran=1>"), "what was written is not shown");

  assert.deepEqual(browser.fetched(), []);
  const blocked = await attack(browser, server);
  console.log(`${pages} pages of hostile names and models: nothing ran, nothing was asked for; ${blocked} attempts were blocked`);
} finally {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
