// Where the program is, and what it says: nothing here is of the editor.
const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

// The setting; else the program that lies in the extension, native or for Node; else the one of the PATH.
exports.commandOf = (setting, folder) => {
  if (setting) return { program: setting, args: [] };
  const native = path.join(folder, "bin", process.platform === "win32" ? "shapelint.exe" : "shapelint");
  if (fs.existsSync(native)) return { program: native, args: [] };
  const script = path.join(folder, "bin", "program.cjs");
  // The editor's own Node.
  if (fs.existsSync(script)) return { program: process.execPath, args: [script] };
  return { program: "shapelint", args: [] };
};

const run = ({ program, args }, more, cwd) => new Promise((resolve, reject) => {
  const child = spawn(program, [...args, ...more], {
    cwd, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", NO_COLOR: "1" } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => { out += data; });
  child.stderr.on("data", (data) => { err += data; });
  child.on("error", reject);
  child.on("close", (code) => code === 0 ? resolve(out) : reject(new Error(err.trim().split("\n")[0] || `exit code ${code}`)));
});

exports.gpusOf = async (command) => JSON.parse(await run(command, ["gpus", "--format", "json"])).gpus;

// The page about a saved file: it may name others beside it.
exports.reportOf = async (command, file, gpu) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "shapelint-"));
  const page = path.join(folder, "report.html");
  try {
    await run(command, ["roofline", file, "--report", page, "--format", "json", ...(gpu ? ["--gpu", gpu] : [])], path.dirname(file));
    return fs.readFileSync(page, "utf8");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};
