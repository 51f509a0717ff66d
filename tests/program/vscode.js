// The VS Code extension against a stub of the editor: what it would start is started, and answers.
//   node vscode.js EXTENSION_FOLDER SHAPELINT [EXTENSION.js]      its source unless a bundle is named
const assert = require("assert");
const childProcess = require("child_process");
const fs = require("fs");
const Module = require("module");
const os = require("os");
const path = require("path");

const [folder, shapelint] = process.argv.slice(2, 4).map((each) => path.resolve(each));
const main = path.resolve(process.argv[4] ?? path.join(folder, "extension.js"));
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
const properties = manifest.contributes.configuration.properties;
const languages = manifest.activationEvents.map((event) => event.replace("onLanguage:", ""));

// The settings as a user has them: the defaults of the manifest, but this build and one GPU.
const settings = { "shapelint.path": shapelint, "shapelint.gpu": "a100" };
const read = new Set();
const commands = new Map();
const told = [];
const panels = [];
const status = { show() { this.shown = true; }, hide() { this.shown = false; }, dispose() {} };
let changed;  // who hears of settings
let looked;  // who hears of other editors
let picked;
const document = { languageId: "toml", fileName: "", isDirty: true, save() { this.isDirty = false; return Promise.resolve(true); } };
const vscode = {
  StatusBarAlignment: { Right: 2 }, ViewColumn: { Beside: -2 }, ConfigurationTarget: { Global: 1, Workspace: 2 },
  commands: { registerCommand: (name, work) => { commands.set(name, work); return { dispose() {} }; } },
  window: {
    activeTextEditor: undefined,
    createStatusBarItem: () => status,
    onDidChangeActiveTextEditor: (work) => { looked = work; return { dispose() {} }; },
    showErrorMessage: (text) => told.push(text),
    showQuickPick: async (items) => { picked = await items; return picked.find((each) => each.gpu === "h100-sxm5"); },
    createWebviewPanel: (...args) => { const panel = { args, webview: {} }; panels.push(panel); return panel; },
  },
  workspace: {
    workspaceFolders: [{}],
    onDidChangeConfiguration: (work) => { changed = work; return { dispose() {} }; },
    getConfiguration: (section) => ({
      get: (key) => {
        const name = `${section}.${key}`;
        assert(name in properties, `the manifest does not declare ${name}`);
        read.add(name);
        return settings[name] ?? properties[name].default;
      },
      update: async (key, value, target) => {
        assert.strictEqual(target, 2);
        settings[`${section}.${key}`] = value;
        await changed({ affectsConfiguration: (name) => name === section });
      },
    }),
  },
};

const started = [];
let stopped = 0;
class LanguageClient {
  // The form of three arguments: the id is the name in lower case.
  constructor(name, server, client) {
    assert.strictEqual(name, "shapelint");
    this.server = server;
    assert.deepStrictEqual(client.documentSelector.map((each) => each.language), languages);
    assert(client.documentSelector.every((each) => each.scheme === "file"));
  }
  // Runs the server as the real client would and waits for the answer to `initialize`.
  start() {
    started.push(this.server.args);
    this.process = childProcess.spawn(this.server.command, this.server.args, { stdio: ["pipe", "pipe", "inherit"] });
    const content = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities: {} } });
    return new Promise((resolve, reject) => {
      this.process.on("error", reject);
      this.process.stdin.on("error", () => {});
      this.process.stdin.write(`Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`);
      this.process.stdout.once("data", (data) => {
        const answer = JSON.parse(data.toString().split("\r\n\r\n")[1]);
        assert.strictEqual(answer.result.serverInfo.name, "shapelint");
        for (const ability of ["hoverProvider", "codeActionProvider", "completionProvider", "inlayHintProvider"]) assert(answer.result.capabilities[ability]);
        resolve();
      });
    });
  }
  stop() {
    stopped += 1;
    this.process.stdin.end();
    return new Promise((resolve) => this.process.on("exit", resolve));
  }
}

if (!process.argv[4]) {
  const load = Module._load;
  Module._load = (request, ...rest) => {
    if (request === "vscode") return vscode;
    if (request === "vscode-languageclient/node") return { LanguageClient };
    return load(request, ...rest);
  };
}

(async () => {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "shapelint-vscode-"));
  try {
    if (process.argv[4]) {
      // A bundle holds the client, and asks for the editor alone.
      const asked = new Set([...fs.readFileSync(main, "utf8").matchAll(/require\("([^"]+)"\)/g)].map((found) => found[1].replace(/^node:/, "")));
      assert.deepStrictEqual([...asked].filter((each) => !Module.builtinModules.includes(each)), ["vscode"]);
      console.log("the bundle asks for the editor alone");
      return;
    }
    const extension = require(main);
    const { commandOf } = require(path.join(folder, "program.js"));
    assert.strictEqual(extension.deactivate(), undefined); // before it was ever active
    await extension.activate({ subscriptions: [], extensionPath: folder });
    assert.deepStrictEqual([...read].sort(), Object.keys(properties).sort());
    assert.deepStrictEqual(started, [["lsp", "--gpu", "a100"]]);
    assert.deepStrictEqual([...commands.keys()].sort(), manifest.contributes.commands.map((each) => each.command).sort());

    // The status bar is there with a file of a model alone, and chooses the GPU: the server starts anew with it.
    assert.strictEqual(status.shown, false);
    document.fileName = path.join(work, "model.toml");
    fs.copyFileSync(path.join(folder, "../../examples/gpt3-2.7b.toml"), document.fileName);
    vscode.window.activeTextEditor = { document };
    looked();
    assert.deepStrictEqual([status.shown, status.text, status.command], [true, "$(chip) a100", "shapelint.chooseGpu"]);
    await commands.get("shapelint.chooseGpu")();
    assert(picked.some((each) => each.gpu === "" ) && picked.length > 30);
    assert.deepStrictEqual(started.at(-1), ["lsp", "--gpu", "h100-sxm5"]);
    assert.deepStrictEqual([stopped, status.text], [1, "$(chip) h100-sxm5"]);

    // The report of the file, which is saved before; a file of another kind is told of.
    await commands.get("shapelint.showReport")();
    assert.strictEqual(document.isDirty, false);
    assert.deepStrictEqual(told, []);
    assert.match(panels[0].webview.html, /^<!doctype html>[^]*GPT-3 2\.7B[^]*H100/i);
    fs.writeFileSync(document.fileName, "a = 1\n");
    await commands.get("shapelint.showReport")();
    assert.strictEqual(told.length, 1);
    assert.match(told[0], /^shapelint: error: .*model\.toml/);

    // A program that is not there is told of, and the extension lives on.
    settings["shapelint.path"] = path.join(work, "nothing");
    await commands.get("shapelint.restart")().catch(() => told.push("refused"));
    assert.strictEqual(told.length, 2);
    settings["shapelint.path"] = shapelint;
    await commands.get("shapelint.restart")().catch(() => {});
    await extension.deactivate();

    // Where the program is looked for: the setting, what the extension carries, the PATH.
    assert.deepStrictEqual(commandOf("", work), { program: "shapelint", args: [] });
    fs.mkdirSync(path.join(work, "bin"));
    fs.writeFileSync(path.join(work, "bin/program.cjs"), "");
    assert.deepStrictEqual(commandOf("", work), { program: process.execPath, args: [path.join(work, "bin/program.cjs")] });
    fs.writeFileSync(path.join(work, "bin/shapelint"), "");
    assert.deepStrictEqual(commandOf("", work), { program: path.join(work, "bin/shapelint"), args: [] });
    assert.deepStrictEqual(commandOf("/x", work), { program: "/x", args: [] });
    console.log("the extension starts the server, chooses the GPU, shows the report and ends the server");
  } finally {
    fs.rmSync(work, { recursive: true });
  }
})().catch((problem) => {
  console.error(problem);
  process.exit(1);
});
