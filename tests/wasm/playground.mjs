// The playground in headless Chromium, with real keys and a real pointer, from a file and without a network.
//   node tests/wasm/playground.mjs PLAYGROUND.html [FOLDER FOR SCREENSHOTS]      exit 77: no Chromium here
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { browse } from "./browser.mjs";
import { attack, listen, strange, violations, watch } from "./policy.mjs";

const page = pathToFileURL(resolve(process.argv[2])).href;
const pictures = process.argv[3];
const browser = await browse({ width: 1400, height: 1000 });
const { evaluate, until, send, click, type, press } = browser;
const server = await listen();
await watch(browser);
const findings = () => evaluate("[...document.querySelectorAll('#findings > .finding .code')].map((each) => each.textContent)");
const seen = () => evaluate("Number(document.body.dataset.seen ?? 0)");
const settled = async (before) => {
  await until("the text was looked at", `Number(document.body.dataset.seen ?? 0) > ${before} && document.querySelector("#findings").getAttribute("aria-busy") === "false"`);
};
const open = async (url) => {
  await send("Page.navigate", { url: "about:blank" });
  await send("Page.navigate", { url });
  await until("the page", "document.body?.dataset.ready === 'yes' && Number(document.body.dataset.seen) > 0");
};
const picture = async (name) => {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true });
  writeFileSync(join(pictures, name), Buffer.from(data, "base64"));
};
// What the module beside the page says of the same text in Node.
const summaryOf = async (text) => {
  const { load } = await import(pathToFileURL(join(dirname(resolve(process.argv[2])), "module/index.mjs")).href);
  const { out } = (await load()).run(["roofline", "model.toml", "--gpu", "a100", "--format", "json"], { files: { "model.toml": await evaluate(text) } });
  const { step } = JSON.parse(out).cases[0];
  return `2\\.652 B.*${(step.step_us / 1e6).toFixed(2)} s.*${(100 * step.mfu).toFixed(1)} %`;
};
const overwrite = async (text) => {
  const before = await seen();
  await click(".cm-content");
  await press("a", { ctrl: true });
  await send("Input.insertText", { text });
  await settled(before);
};

try {
  await send("Browser.grantPermissions", { permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"] }).catch(() => {});
  await open(page);
  assert.deepEqual(await findings(), ["SL605 narrow-heads", "SL101 vocab-misaligned"]);

  // The step, better shapes and pictures come behind.
  await until("better shapes", "document.querySelector('#better tbody tr')");
  assert.match(await evaluate("document.querySelector('#better tbody tr').textContent"), /num_attention_heads 32 → 20, vocab_size 50257 → 50304/);
  await until("the roofline", "document.querySelector('#roofline img')?.naturalWidth > 0 && document.querySelector('#waterfall img')?.naturalWidth > 0");
  assert.match(await evaluate("document.querySelector('#summary').textContent"), new RegExp(await summaryOf("document.querySelector('.cm-content').innerText")));
  await picture("desktop.png");

  // Keys: the value is typed anew, and its finding goes; it comes back with an undo.
  let before = await seen();
  await click("#findings .where", 1);
  await type("50304");
  await settled(before);
  assert.deepEqual(await findings(), ["SL605 narrow-heads"]);
  before = await seen();
  await press("z", { ctrl: true });
  await settled(before);
  assert.ok((await findings()).includes("SL101 vocab-misaligned"));

  // A proposal is applied, from the findings and from the better shapes.
  before = await seen();
  await click("#findings li button", 1);
  await settled(before);
  assert.deepEqual(await findings(), ["SL605 narrow-heads"]);
  await until("better shapes of it", "!document.querySelector('#better-section').classList.contains('stale') && document.querySelector('#better tbody button')");
  before = await seen();
  await click("#better tbody button");
  await settled(before);
  assert.deepEqual(await findings(), []);

  // The whole page by keyboard: from the address bar on, the first stop leads to the findings, and the text lets go.
  await evaluate("document.activeElement.blur(); scrollTo(0, 0); document.body.focus()");
  const stops = [];
  for (let i = 0; i < 18; i += 1) {
    await press("Tab");
    stops.push(await evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName"));
  }
  for (const stop of ["example", "gpu", "copy", "share", "name", "file"]) assert.ok(stops.includes(stop), `${stop} in ${stops}`);
  assert.ok(stops.some((stop, i) => stop.includes("cm-content") && stops[i + 1] && !stops[i + 1].includes("cm-content")), stops.join());

  // A broken text says where; other languages are understood by their looks.
  await overwrite("[model]\nhidden_size = \n");
  assert.match(await evaluate("document.querySelector('#findings').textContent"), /line 2: not understood/);
  await overwrite("");
  before = await seen();
  await evaluate(`(() => {
    const data = new DataTransfer();
    data.setData("text/plain", ${JSON.stringify(JSON.stringify({ model_type: "gpt2", architectures: ["GPT2LMHeadModel"], n_embd: 768, n_layer: 12, n_head: 12, n_positions: 1024, vocab_size: 50257 }, null, 1))});
    document.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
  await settled(before);
  await until("the pasted text's name", "document.querySelector('#name').value === 'config.json'");
  await until("findings of config.json", "document.querySelector('#findings').textContent.includes('SL101')");

  // What Windows copies has other ends of lines.
  await overwrite("hidden_size = 1");
  before = await seen();
  await click(".cm-content");
  await press("a", { ctrl: true });
  await evaluate(`(() => {
    const data = new DataTransfer();
    data.setData("text/plain", '{\\r\\n "model_type": "gpt2", "n_embd": 768,\\r\\n "n_layer": 12, "n_head": 12, "n_positions": 1024, "vocab_size": 50257\\r\\n}');
    document.querySelector("#name").value = "model.toml";
    document.querySelector(".cm-content").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
  await settled(before);
  await until("the pasted text's name", "document.querySelector('#name').value === 'config.json'");

  // Dropped files keep their names.
  before = await seen();
  await evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(["base_emb_dim: 2048\\nbase_num_query_heads: 32\\nbase_num_kv_heads: 32\\nbase_mlp_dim: 8192\\nhead_dim: 64\\nbase_num_decoder_layers: 24\\nvocab_size: 50257\\nper_device_batch_size: 4\\nmax_target_length: 2048\\n"], "train.yaml"));
    document.querySelector("#editor").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  await settled(before);
  assert.equal(await evaluate("document.querySelector('#name').value"), "train.yaml");
  await until("findings of the YAML", "document.querySelector('#findings').textContent.includes('SL101')");

  // GPU and plan change what is found; a link holds all of it, and nothing else is needed.
  before = await seen();
  await evaluate("(() => { const select = document.querySelector('#gpu'); select.value = 'h100-sxm5'; select.dispatchEvent(new Event('change')); })()");
  await settled(before);
  before = await seen();
  await click("#plan summary");
  await click("#plan-tensor");
  await type("2");
  await settled(before);
  await click("#share");
  await until("the link", "location.hash.length > 20 && document.querySelector('#told').textContent !== ''");
  const link = await evaluate("location.href");
  const asBefore = await findings();
  await open(link);
  assert.deepEqual(await evaluate("[document.querySelector('#name').value, document.querySelector('#gpu').value, document.querySelector('#plan-tensor').value]"),
    ["train.yaml", "h100-sxm5", "2"]);
  assert.match(await evaluate("document.querySelector('.cm-content').textContent"), /base_num_query_heads: 32/);
  assert.deepEqual(await findings(), asBefore);
  await open(page + "#no-such-state");
  assert.ok((await findings()).length > 0);

  // Copied is what stands there.
  await evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }");
  await click("#copy");
  await until("the copy", "window.copied?.includes('vocab_size = 50257')");

  // A megabyte of garbage is refused in words; the page goes on, and says that it is too long for a link.
  before = await seen();
  await evaluate(`(() => {
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 2147483647);
    const data = new DataTransfer();
    data.items.add(new File([Array.from({ length: 1000000 }, () => String.fromCharCode(random() % 0x3000)).join("")], "garbage.json"));
    document.querySelector("#editor").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  })()`);
  await settled(before);
  assert.match(await evaluate("document.querySelector('#findings').textContent"), /not understood/);
  await click("#share");
  await until("the refusal", "document.querySelector('#told').textContent.includes('too long')");
  before = await seen();
  await evaluate("(() => { const select = document.querySelector('#example'); select.value = 'gpt3-2.7b.toml'; select.dispatchEvent(new Event('change')); })()");
  await settled(before);
  await until("the example's findings", "document.querySelector('#findings').textContent.includes('SL605') || document.querySelector('#findings').textContent.includes('SL101')");

  // In the dark and on a telephone: nothing is wider than the screen.
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  await until("dark paper", "getComputedStyle(document.body).backgroundColor === 'rgb(13, 17, 23)'");
  await open(page);
  await until("the roofline", "document.querySelector('#roofline img')?.naturalWidth > 0");
  await picture("dark.png");
  await send("Emulation.setDeviceMetricsOverride", { width: 390, height: 844, deviceScaleFactor: 2, mobile: true });
  await open(page);
  await until("the roofline", "document.querySelector('#roofline img')?.naturalWidth > 0 && document.querySelector('#better tbody tr')");
  assert.equal(await evaluate("document.documentElement.scrollWidth"), 390);
  await picture("phone.png");

  // Texts and names that are markup stay text.
  for (const text of ["<img src=x onerror=ran=1>", "</script><script>ran=2</script>", "\"><svg onload=ran=3>"]) {
    await evaluate(`(() => { const name = document.querySelector("#name"); name.value = ${JSON.stringify(text + ".toml")}; name.dispatchEvent(new Event("input")); })()`);
    await overwrite(`[model]\nname = ${JSON.stringify(text)}\nhidden_size = 768\nnum_layers = 2\nnum_attention_heads = 12\nvocab_size = 50257\n[run]\nmicro_batch_size = 8\nsequence_length = 1024\n`);
    await overwrite(`${text} = ${JSON.stringify(text)}\n`);
  }
  assert.equal(await evaluate("typeof ran"), "undefined");
  assert.deepEqual(await strange(browser, ".picture img, #controls, link[rel=icon]"), []);
  assert.deepEqual(await violations(browser), []);
  assert.deepEqual(browser.complaints(), []);
  assert.deepEqual(browser.fetched(), []);
  await attack(browser, server);
  console.log("playground: typed, applied, pasted, dropped, shared, reloaded; nothing fetched, no errors");
} finally {
  await browser.close();
  server.close();
}
process.exit(0);
