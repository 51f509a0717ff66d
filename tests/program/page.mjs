// Opens the interactive report in headless Chromium, points at its marks and clicks on them, as a reader would.
//
//   node tests/program/page.mjs SHAPELINT      exit 77: no Chromium here, or a build without what the page draws with
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";

const program = process.argv[2];
const chromium = ["chromium", "chromium-browser", "google-chrome"].find(
  (name) => spawnSync(name, ["--version"]).status === 0);
if (!chromium) {
  console.log("skipped: no Chromium");
  process.exit(77);
}
const folder = mkdtempSync(join(tmpdir(), "shapelint-page-"));
const page = join(folder, "report.html");
const trained = join(folder, "trained.html");  // a model with findings
const both = join(folder, "both.html");  // on two GPUs
const decoded = join(folder, "decoded.html");
const files = ["examples/llama-3-8b.toml", "--gpu", "a100,h100"];
const said = spawnSync(program, ["roofline", ...files, "--report", page], { encoding: "utf8" });
assert.equal(said.status, 0, said.stderr);
if (said.stderr.includes("built without npm")) {
  rmSync(folder, { recursive: true });
  console.log("skipped: built without what the page draws with (CMake: -DSHAPELINT_NPM=ON)");
  process.exit(77);
}
const expected = JSON.parse(execFileSync(program, ["roofline", ...files, "--format", "json"], { encoding: "utf8" }));
const write = (path, ...args) => execFileSync(program, ["roofline", ...args, "--report", path], { encoding: "utf8" });
write(trained, "examples/gpt3-2.7b.toml", "--gpu", "a100");
write(both, "examples/gpt3-2.7b.toml", "--gpu", "a100,h100");
write(decoded, "examples/llama-2-7b.toml", "--gpu", "a100", "--mode", "decode", "--context-length", "1024");
const html = readFileSync(page, "utf8");
assert.ok(html.length < 2e6, `the page has ${html.length} bytes`);

// Chromium's debugging protocol over a pipe: no port, nothing to install. It is the head of a group of processes, so
// that its children can be ended with it; all of them hold its stderr, which is closed once the last of them is gone.
const browser = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-breakpad",
  "--remote-debugging-pipe", `--user-data-dir=${join(folder, "profile")}`, "--window-size=1100,1400", "about:blank"],
  { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"], detached: true });
let complaints = "";
browser.stderr.on("data", (data) => { complaints = (complaints + data).slice(-2000); });
browser.stdio[3].on("error", () => {});  // a browser that is gone: told below
let ended = false;
const gone = new Promise((resolve) => browser.once("close", resolve));
const waiting = new Map();
browser.once("exit", (code, signal) => {
  ended = true;
  const died = { error: { message: `the browser ended (${code ?? signal}): ${complaints}` } };
  for (const answer of waiting.values()) answer(died);
});
const events = [];
let buffer = "";
let serial = 0;
browser.stdio[4].on("data", (data) => {
  buffer += data;
  for (let end = buffer.indexOf("\0"); end >= 0; end = buffer.indexOf("\0")) {
    const message = JSON.parse(buffer.slice(0, end));
    buffer = buffer.slice(end + 1);
    if (message.id) {
      waiting.get(message.id)(message);
      waiting.delete(message.id);
    } else {
      events.push(message);
    }
  }
});
let sessionId;
const send = (method, params = {}) => new Promise((resolve, reject) => {
  if (ended) return reject(new Error(`${method}: the browser ended: ${complaints}`));
  serial += 1;
  waiting.set(serial, (answer) => answer.error ? reject(new Error(method + ": " + answer.error.message)) : resolve(answer.result));
  browser.stdio[3].write(JSON.stringify({ id: serial, method, params, ...(sessionId && { sessionId }) }) + "\0");
});
const evaluate = async (expression) => {
  const answer = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  assert.ok(!answer.exceptionDetails, JSON.stringify(answer.exceptionDetails));
  return answer.result.value;
};
const patience = 60_000;  // milliseconds; a busy machine is slow
const until = async (what, expression) => {
  for (const end = Date.now() + patience; Date.now() < end;) {
    const value = await evaluate(expression);
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never came: ${what}`);
};
const mouse = (type, at, more = {}) => send("Input.dispatchMouseEvent", { type, ...at, ...more });
const click = async (at) => {
  await mouse("mouseMoved", at);
  await mouse("mousePressed", at, { button: "left", clickCount: 1 });
  await mouse("mouseReleased", at, { button: "left", clickCount: 1 });
};
// The middle of an element, once it is in view.
const middle = (selector, index = 0) => evaluate(`(() => {
  const element = document.querySelectorAll(${JSON.stringify(selector)})[${index}];
  element.scrollIntoView({ block: "center" });
  const box = element.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
})()`);

const open = async (path) => {
  await send("Page.navigate", { url: "file://" + path });
  await until("the page's pictures", `location.pathname === ${JSON.stringify(path)} && document.body && document.body.dataset.ready === 'yes'`);
};
const sweepAgainst = async (field) => {
  await evaluate(`(() => { const select = document.querySelector("#sweep-field"); select.value = "${field}"; select.dispatchEvent(new Event("change")); })()`);
  await until(`the sweep over ${field}`, `document.querySelector('#sweep').dataset.field === '${field}'`);
};
const texts = (selector) => evaluate(`[...document.querySelectorAll('${selector}')].map((each) => each.textContent)`);
// What the tooltip says while the pointer is over an element.
const hover = async (selector, index) => {
  await evaluate(`(() => {
    const old = document.querySelector("#vg-tooltip-element");
    if (old) old.textContent = "";
    const mark = document.querySelectorAll('${selector}')[${index}];
    mark.scrollIntoView({ block: "center" });
    const box = mark.getBoundingClientRect();
    const at = { bubbles: true, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
    mark.dispatchEvent(new PointerEvent("pointerover", at));
    mark.dispatchEvent(new PointerEvent("pointermove", at));
  })()`);
  const rows = await until("a tooltip", `(() => {
    const rows = [...document.querySelectorAll("#vg-tooltip-element tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
    return rows.length ? rows : null;
  })()`);
  return Object.fromEntries(rows.map(([key, value]) => [key.replace(/:$/, ""), value.replace("\u2212", "-")]));
};
const parsed = (text) => Number(text.replaceAll(",", ""));
const four = (value) => Number(value.toPrecision(4));

try {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  ({ sessionId } = await send("Target.attachToTarget", { targetId, flatten: true }));
  await Promise.all(["Runtime.enable", "Log.enable", "Network.enable", "Page.enable"].map((each) => send(each)));
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] });
  await open(page);
  assert.equal(await evaluate("document.querySelector('#by-pointer').hidden"), false);

  const short = { forward: "", recompute: " re", grad_input: " dx", grad_weight: " dw", backward: " bwd", update: " upd" };
  const opName = (op) => op.name + short[op.pass];
  const marks = "#roofline .mark-symbol.role-mark path";
  const shown = expected.cases[0].operations.filter((op) => op.intensity_flop_per_byte.dram > 0 && op.tflops > 0);
  assert.equal(await evaluate(`document.querySelectorAll('${marks}').length`), shown.length);

  // Each mark's hover says what the JSON says. The page draws large marks first; a mark that lies under others is
  // reached through an event of its own.
  for (let i = 0; i < shown.length; ++i) {
    const told = await hover(marks, i);
    const op = shown.find((each) => opName(each) === told.operation);
    assert.ok(op, `no operation is called ${told.operation}`);
    assert.equal(parsed(told["FLOP/B"]), four(op.intensity_flop_per_byte.dram), told.operation);
    assert.equal(parsed(told["TFLOP/s"]), four(op.tflops), told.operation);
    assert.equal(told["bound by"], op.bound);
    assert.equal(told["of the step"], (100 * op.share_of_step).toFixed(1) + "%");
  }

  // Each loss has a bar that is seen, of a kind that the SVG names as well.
  const svg = join(folder, "losses.svg");
  execFileSync(program, ["roofline", "examples/llama-3-8b.toml", "--gpu", "a100", "--waterfall", svg]);
  const named = [...readFileSync(svg, "utf8").matchAll(/>([^<]+)<\/text>/g)].map((match) => match[1]);
  const legend = await texts("#waterfall .role-legend-label text");
  assert.ok(legend.includes("other FLOPs and DRAM traffic"));
  assert.deepEqual(legend.filter((each) => !["hidden", "the step"].includes(each) && !named.includes(each)), []);
  const fills = await evaluate("[...document.querySelectorAll('#waterfall .mark-rect.role-mark path')].map((bar) => bar.getAttribute('fill'))");
  assert.equal(fills.length, (await texts("#waterfall .mark-text.role-mark text")).length);
  assert.ok(fills.every((fill) => /^#[0-9a-f]{6}$/.test(fill)), fills.join());

  // A real pointer over the largest mark, and a click that finds its row.
  const largest = shown.reduce((a, b) => a.share_of_step > b.share_of_step ? a : b);
  const lone = shown.find((op) => op.name === "layer.attention.flash" && op.pass === "backward");
  const index = await evaluate(`[...document.querySelectorAll('${marks}')].findIndex((mark) =>
    mark.__data__ && mark.__data__.datum && mark.__data__.datum.op === ${JSON.stringify(opName(lone))})`);
  assert.ok(index >= 0);
  await click(await middle(marks, index));
  assert.equal(await until("the chosen row", "document.querySelector('#ops tr.chosen')?.dataset.op"), opName(lone));

  // The table: sorted by share at first, then by what is clicked.
  assert.equal(await evaluate("document.querySelector('#ops tbody tr').dataset.op"), opName(largest));
  await click(await middle("#ops th button", 1));
  await until("the other order", "document.querySelectorAll('#ops th')[1].getAttribute('aria-sort') === 'descending'");
  const most = expected.cases[0].operations.reduce((a, b) => a.flops >= b.flops ? a : b);
  assert.equal(await evaluate("document.querySelector('#ops tbody tr').dataset.op.split(' ')[0]"), most.name);

  // Side by side: what each GPU reaches, which is best, and the sentences of the command line.
  const rows = await evaluate("[...document.querySelectorAll('#compare tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
  assert.equal(rows.length, 2);
  expected.cases.forEach((each, i) => {
    assert.equal(rows[i][1], each.gpu_name);
    assert.equal(parsed(rows[i][3]), Math.round(each.step.tokens_per_s_per_gpu));
    assert.ok(rows[i][4].startsWith(each.step.bound));
    assert.equal(rows[i].at(-1).includes("best GPU"), each.best_gpu);
  });
  assert.ok(expected.cases.some((each) => each.best_gpu));
  assert.deepEqual(await texts("#compare-text li"), expected.best);

  // Sweeps over the fields that the reader chooses; a point's hover agrees with the command line.
  assert.deepEqual(await evaluate("[...document.querySelectorAll('#sweep-field option')].map((each) => each.value)"),
    ["hidden_size", "intermediate_size", "num_attention_heads", "vocab_size", "micro_batch_size", "sequence_length"]);
  await sweepAgainst("sequence_length");
  const over = JSON.parse(execFileSync(program, ["roofline", ...files, "--over", "sequence_length=256:65536:*2", "--format", "json"], { encoding: "utf8" }));
  const curves = new Map(over.curves.map((curve) => [curve.gpu_name, curve.points]));
  const dots = "#sweep .mark-symbol.role-mark path";
  const told = await hover(dots, 3);
  const point = curves.get(told.GPU).find((each) => each.value === parsed(told.value));
  assert.equal(parsed(told["per second per GPU"]), four(point.step.tokens_per_s_per_gpu));
  assert.equal(told["bound by"], point.step.bound);
  assert.deepEqual((await texts("#sweep .role-legend text")).filter(Boolean), expected.cases.map((each) => each.gpu_name));
  await sweepAgainst("vocab_size");
  assert.ok((await texts("#sweep text")).includes("vocab size (rows)"));
  assert.ok((await texts("#sweep text")).includes("the file: 128,256"));

  // Another level of memory, the other GPU, a dark page.
  await click(await middle("#levels input", 1));
  await until("the roof of L2", "[...document.querySelectorAll('#roofline text')].some((text) => text.textContent.startsWith('L2 '))");
  await evaluate(`(() => { const select = document.querySelector("#case"); select.value = "1"; select.dispatchEvent(new Event("change")); })()`);
  await until("the other GPU", "document.querySelector('#title').textContent.includes('H100')");
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  assert.equal(await until("dark paper", "getComputedStyle(document.body).backgroundColor === 'rgb(13, 17, 23)' && 'dark'"), "dark");

  // A row of the comparison shows its case.
  await click(await middle("#compare tbody tr", 0));
  await until("the first GPU again", "document.querySelector('#title').textContent.includes('A100')");

  // Findings lead to the sweep of the field that they want changed, where their values are marked.
  await open(trained);
  const button = await evaluate("[...document.querySelectorAll('.to-sweep')].findIndex((each) => each.parentElement.textContent.includes('vocab_size'))");
  assert.ok(button >= 0);
  await click(await middle(".to-sweep", button));
  await until("the vocabulary's sweep", "document.querySelector('#sweep').dataset.field === 'vocab_size'");
  assert.ok((await texts("#sweep text")).some((text) => /^SL\d+: 50,304$/.test(text)));
  assert.ok((await texts("#better td")).includes("50,304"));

  // A fix saves what it does on the GPU that is shown, not on average.
  await open(both);
  const linted = JSON.parse(spawnSync(program, ["examples/gpt3-2.7b.toml", "--gpu", "a100,h100", "--format", "json"], { encoding: "utf8" }).stdout);
  const saved = linted.findings[0].proposals[0].by_gpu.find((each) => each.gpu === "a100-sxm4-80gb").gain;
  assert.ok((await texts(".finding"))[0].includes(`saves ${(100 * saved).toFixed(1)} % of the step`));

  // Of a decode also the batch, the cache and prompts that are read along.
  await open(decoded);
  assert.deepEqual((await evaluate("[...document.querySelectorAll('#sweep-field option')].map((each) => each.value)")).slice(0, 3),
    ["micro_batch_size", "context_length", "prefill_tokens"]);
  await sweepAgainst("prefill_tokens");

  // On a telephone nothing is wider than the screen, and every word of a picture is within it.
  await send("Emulation.setDeviceMetricsOverride", { width: 400, height: 800, deviceScaleFactor: 1, mobile: true });
  await open(page);
  assert.equal(await evaluate("document.documentElement.scrollWidth"), 400);
  assert.deepEqual(await evaluate(`["roofline", "waterfall", "sweep"].flatMap((id) => {
    const svg = document.querySelector("#" + id + " svg").getBoundingClientRect();
    return [...document.querySelectorAll("#" + id + " svg text")].filter((text) => {
      const box = text.getBoundingClientRect();
      return box.left < svg.left - 1 || box.right > svg.right + 1;
    }).map((text) => text.textContent);
  })`), []);

  const wrong = events.filter((event) => event.method === "Runtime.exceptionThrown" ||
    (event.method === "Log.entryAdded" && event.params.entry.level === "error") ||
    (event.method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(event.params.type)));
  assert.deepEqual(wrong.map((event) => JSON.stringify(event.params).slice(0, 400)), []);
  const fetched = events.filter((event) => event.method === "Network.requestWillBeSent")
    .map((event) => event.params.request.url).filter((url) => !/^(file|data|blob):/.test(url));
  assert.deepEqual(fetched, []);
  console.log(`page: ${shown.length} marks, ${html.length} bytes, nothing fetched, no errors`);
} finally {
  try {
    process.kill(-browser.pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;  // it had ended by itself
  }
  await gone;
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exit(0);
