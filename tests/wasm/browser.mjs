// Headless Chromium over a pipe: no port, nothing to install. Exits with 77 where there is none.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const patience = 60_000;  // milliseconds; a busy machine is slow

export async function browse({ width, height }) {
  const chromium = ["chromium", "chromium-browser", "google-chrome"].find((name) => spawnSync(name, ["--version"]).status === 0);
  if (!chromium) {
    console.log("skipped: no Chromium");
    process.exit(77);
  }
  const folder = mkdtempSync(join(tmpdir(), "shapelint-browser-"));
  // The head of a group of processes, so that its children end with it.
  const browser = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-breakpad", "--remote-debugging-pipe",
    `--user-data-dir=${join(folder, "profile")}`, `--window-size=${width},${height}`, "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
  const gone = new Promise((done) => browser.once("close", done));
  const waiting = new Map();
  const events = [];
  browser.stdio[3].on("error", () => {});
  browser.once("exit", () => { for (const answer of waiting.values()) answer({ error: { message: "the browser ended" } }); });
  let buffer = "";
  browser.stdio[4].on("data", (data) => {
    buffer += data;
    for (let end = buffer.indexOf("\0"); end >= 0; end = buffer.indexOf("\0")) {
      const message = JSON.parse(buffer.slice(0, end));
      buffer = buffer.slice(end + 1);
      if (!message.id) events.push(message);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  let serial = 0;
  let sessionId;
  const send = (method, params = {}) => new Promise((done, failed) => {
    serial += 1;
    waiting.set(serial, (answer) => answer.error ? failed(new Error(`${method}: ${answer.error.message}`)) : done(answer.result));
    const session = sessionId && !method.startsWith("Browser.") && !method.startsWith("Target.");
    browser.stdio[3].write(JSON.stringify({ id: serial, method, params, ...(session && { sessionId }) }) + "\0");
  });
  const evaluate = async (expression) => {
    const answer = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (answer.exceptionDetails) throw new Error(JSON.stringify(answer.exceptionDetails));
    return answer.result.value;
  };
  const until = async (what, expression) => {
    for (const end = Date.now() + patience; Date.now() < end;) {
      const value = await evaluate(expression).catch(() => undefined);  // between two pages there is nothing to ask
      if (value) return value;
      await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`never came: ${what}`);
  };
  const click = async (selector, index = 0) => {
    const at = await evaluate(`(() => {
      const element = document.querySelectorAll(${JSON.stringify(selector)})[${index}];
      element.scrollIntoView({ block: "center" });
      const box = element.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + Math.min(box.height / 2, 100) };
    })()`);
    await send("Input.dispatchMouseEvent", { type: "mouseMoved", ...at });
    await send("Input.dispatchMouseEvent", { type: "mousePressed", ...at, button: "left", clickCount: 1 });
    await send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at, button: "left", clickCount: 1 });
  };
  const codes = { Tab: 9, Enter: 13, Escape: 27 };
  const press = async (key, { ctrl = false } = {}) => {
    const code = codes[key] ?? key.toUpperCase().charCodeAt(0);
    const what = { key, code: key.length === 1 ? `Key${key.toUpperCase()}` : key, windowsVirtualKeyCode: code, modifiers: ctrl ? 2 : 0 };
    await send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...what });
    await send("Input.dispatchKeyEvent", { type: "keyUp", ...what });
  };
  const type = async (text) => {
    for (const letter of text) {
      const code = letter.toUpperCase().charCodeAt(0);
      await send("Input.dispatchKeyEvent", { type: "keyDown", key: letter, text: letter, windowsVirtualKeyCode: code });
      await send("Input.dispatchKeyEvent", { type: "keyUp", key: letter, windowsVirtualKeyCode: code });
    }
  };
  const { targetInfos } = await send("Target.getTargets");
  ({ sessionId } = await send("Target.attachToTarget", { targetId: targetInfos.find((each) => each.type === "page").targetId, flatten: true }));
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  return {
    send, evaluate, until, click, press, type,
    complaints: () => events.filter((event) => event.method === "Runtime.exceptionThrown" ||
      (event.method === "Log.entryAdded" && event.params.entry.level === "error") ||
      (event.method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(event.params.type)))
      .map((event) => JSON.stringify(event.params).slice(0, 400)),
    fetched: () => events.filter((event) => event.method === "Network.requestWillBeSent").map((event) => event.params.request.url)
      .filter((url) => !/^(file|data|blob|about):/.test(url)),
    close: async () => {
      try {
        process.kill(-browser.pid, "SIGKILL");
      } catch (error) {
        if (error.code !== "ESRCH") throw error;  // it had ended by itself
      }
      await gone;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
