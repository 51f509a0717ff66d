// Starts `shapelint lsp` for TOML, YAML and JSON; everything else is the server's.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const settings = vscode.workspace.getConfiguration("shapelint");
  const gpu = settings.get("gpu");
  client = new LanguageClient(
    "shapelint",
    { command: settings.get("path"), args: ["lsp", ...(gpu ? ["--gpu", gpu] : [])] },
    { documentSelector: ["toml", "yaml", "json", "jsonc"].map((language) => ({ scheme: "file", language })) },
  );
  await client.start();
};

exports.deactivate = () => client?.stop();
