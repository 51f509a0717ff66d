// Starts `shapelint lsp` for TOML, YAML and JSON; findings, hovers, fixes, completions and hints are the server's. Besides:
// a chooser of GPUs in the status bar, and the report of a file in a panel.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { commandOf, gpusOf, reportOf } = require("./program");

const languages = ["toml", "yaml", "json", "jsonc"];
let client;
let status;
let carried;  // the folder of the program that the extension carries

const settings = () => vscode.workspace.getConfiguration("shapelint");
const command = () => commandOf(settings().get("path"), carried);

async function start() {
  const { program, args } = command();
  const gpu = settings().get("gpu");
  const next = new LanguageClient(
    "shapelint",
    { command: program, args: [...args, "lsp", ...(gpu ? ["--gpu", gpu] : [])], options: { env: { ...process.env, ELECTRON_RUN_AS_NODE: "1" } } },
    { documentSelector: languages.map((language) => ({ scheme: "file", language })) },
  );
  await next.start();
  client = next;
}

async function restart() {
  const before = client;
  client = undefined;  // whatever becomes of it
  await before?.stop().catch(() => {});
  await start();
}

// In the status bar while a file of ours is looked at.
function showStatus() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !languages.includes(editor.document.languageId)) return status.hide();
  status.text = `$(chip) ${settings().get("gpu") || "GPU"}`;
  status.show();
}

async function chooseGpu() {
  const own = { label: "as the configuration says", description: "no GPU is named", gpu: "" };
  const known = (await gpusOf(command())).map((gpu) => ({ label: gpu.id, description: gpu.name, gpu: gpu.id }));
  const chosen = await vscode.window.showQuickPick([own, ...known], { placeHolder: "the GPU that files are linted for", matchOnDescription: true });
  if (!chosen) return;
  const isFolder = Boolean(vscode.workspace.workspaceFolders?.length);
  await settings().update("gpu", chosen.gpu, isFolder ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
}

// The page that `shapelint roofline --report` makes of the file, which is saved before.
async function showReport() {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || (document.isDirty && !(await document.save()))) return;
  try {
    const html = await reportOf(command(), document.fileName, settings().get("gpu"));
    const name = document.fileName.split(/[\\/]/).pop();
    const panel = vscode.window.createWebviewPanel("shapelint.report", `shapelint: ${name}`, vscode.ViewColumn.Beside, { enableScripts: true, retainContextWhenHidden: true });
    panel.webview.html = html;
  } catch (problem) {
    vscode.window.showErrorMessage(`shapelint: ${problem.message}`);
  }
}

exports.activate = async (context) => {
  carried = context.extensionPath;
  status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 100);
  status.command = "shapelint.chooseGpu";
  status.tooltip = "shapelint: the GPU that files are linted for";
  context.subscriptions.push(
    status,
    vscode.commands.registerCommand("shapelint.chooseGpu", chooseGpu),
    vscode.commands.registerCommand("shapelint.showReport", showReport),
    vscode.commands.registerCommand("shapelint.restart", restart),
    vscode.window.onDidChangeActiveTextEditor(showStatus),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration("shapelint")) return;
      showStatus();
      await restart();
    }),
  );
  showStatus();
  try {
    await start();
  } catch (problem) {
    vscode.window.showErrorMessage(`shapelint cannot be started: ${problem.message}; \`shapelint.path\` says where it is`);
  }
};

exports.deactivate = () => client?.stop();
