// The extension in an editor: code-server, with the extension installed from its package, in a headless browser. Of each file
// it is waited for a finding's underline, and for the GPU in the status bar.
//   node rehearsal-vscode.mjs FOLDER BROWSER FILE…
// FOLDER: with node_modules/code-server, user/ and extensions/, and the files in work/
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [folder, browser, ...files] = [path.resolve(process.argv[2]), ...process.argv.slice(3)];
const ports = { editor: 8461, browser: 9333 };
const WebSocket = createRequire(path.join(folder, "node_modules/code-server/lib/vscode/package.json"))("ws");
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const own = [];
const start = (command, args) => own.push(spawn(command, args, { stdio: "ignore", env: { ...process.env, HOME: folder }, detached: true }));
async function until(what, ask, tries = 120) {
  for (let i = 0; i < tries; ++i) {
    const answer = await Promise.resolve().then(ask).catch(() => null);
    if (answer) return answer;
    await pause(500);
  }
  throw new Error(`not within ${tries / 2} s: ${what}`);
}

try {
  start(process.execPath, [path.join(folder, "node_modules/code-server/out/node/entry.js"), "--user-data-dir", path.join(folder, "user"),
    "--extensions-dir", path.join(folder, "extensions"), "--auth", "none", "--bind-addr", `127.0.0.1:${ports.editor}`, "--disable-telemetry", "--disable-update-check"]);
  rmSync(path.join(folder, "browser"), { recursive: true, force: true });
  start(browser, ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,800", `--remote-debugging-port=${ports.browser}`,
    `--user-data-dir=${path.join(folder, "browser")}`, "about:blank"]);
  await until("the editor answers", async () => (await fetch(`http://127.0.0.1:${ports.editor}/healthz`)).ok);
  const page = await until("the browser answers", async () =>
    (await (await fetch(`http://127.0.0.1:${ports.browser}/json`)).json()).find((each) => each.type === "page"));
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  await new Promise((done) => socket.on("open", done));
  const waiting = new Map();
  socket.on("message", (text) => {
    const { id, result } = JSON.parse(text);
    waiting.get(id)?.(result);
  });
  let last = 0;
  const send = (method, params = {}) => new Promise((done) => {
    waiting.set(++last, done);
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  const shown = async (expression) => (await send("Runtime.evaluate", { expression })).result.value;
  const work = path.join(folder, "files");
  for (const file of files) {
    const opened = encodeURIComponent(JSON.stringify([["openFile", `vscode-remote://127.0.0.1:${ports.editor}${path.join(work, file)}`]]));
    await send("Page.navigate", { url: `http://127.0.0.1:${ports.editor}/?folder=${work}&payload=${opened}` });
    await until(`a finding in ${file}`, () => shown("document.querySelectorAll('.squiggly-warning, .squiggly-error').length"));
    assert.match(await shown("document.querySelector('.statusbar').innerText"), /a100/, file);
    console.log(`vscode: ${file}: findings, and the GPU in the status bar`);
  }
} finally {
  for (const each of own) {
    try {
      process.kill(-each.pid);
    } catch {
      // it has ended
    }
  }
}
process.exit(0);
