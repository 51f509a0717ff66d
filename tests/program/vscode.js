// The VS Code extension against a stub of the editor: what it would start is started, and answers.
//   node vscode.js EXTENSION_FOLDER SHAPELINT
const assert = require("assert");
const childProcess = require("child_process");
const fs = require("fs");
const Module = require("module");
const path = require("path");

const [folder, shapelint] = process.argv.slice(2).map((each) => path.resolve(each));
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
const properties = manifest.contributes.configuration.properties;
const languages = manifest.activationEvents.map((event) => event.replace("onLanguage:", ""));
assert.deepStrictEqual(Object.keys(manifest.dependencies), ["vscode-languageclient"]);

// The settings as a user has them: the defaults of the manifest, but this build and one GPU.
const settings = { "shapelint.path": shapelint, "shapelint.gpu": "a100" };
const read = [];
const vscode = {
  workspace: {
    getConfiguration: (section) => ({
      get: (key) => {
        const name = `${section}.${key}`;
        assert(name in properties, `the manifest does not declare ${name}`);
        read.push(name);
        return settings[name] ?? properties[name].default;
      },
    }),
  },
};

let started = 0;
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
    started += 1;
    this.process = childProcess.spawn(this.server.command, this.server.args, { stdio: ["pipe", "pipe", "inherit"] });
    const content = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { capabilities: {} } });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`);
    return new Promise((resolve, reject) => {
      this.process.on("error", reject);
      this.process.stdout.once("data", (data) => {
        const answer = JSON.parse(data.toString().split("\r\n\r\n")[1]);
        assert.strictEqual(answer.result.serverInfo.name, "shapelint");
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

const load = Module._load;
Module._load = (request, ...rest) => {
  if (request === "vscode") return vscode;
  if (request === "vscode-languageclient/node") return { LanguageClient };
  return load(request, ...rest);
};

const extension = require(path.join(folder, manifest.main));
(async () => {
  assert.strictEqual(extension.deactivate(), undefined); // before it was ever active
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(read.sort(), Object.keys(properties).sort());
  await extension.deactivate();
  assert.deepStrictEqual([started, stopped], [1, 1]);
  console.log("the extension starts the server and ends it");
})().catch((problem) => {
  console.error(problem);
  process.exit(1);
});
