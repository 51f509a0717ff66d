// What answers: the native program, or the same in WebAssembly on files that it is handed. Both take a command line.
import { spawn } from "node:child_process";

const most_output_bytes = 1 << 20;
const most_time_ms = 60_000;
const most_at_once = 4;

const waiting = [];
let running = 0;
/** Whatever comes while as many run waits for the first that ends. */
async function in_turn(work) {
  if (running < most_at_once) ++running;
  else await new Promise((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else --running;
  }
}

/** The program at `command`, without a shell. Ends with the call that asked for it. */
export function native(command, root) {
  return {
    reads_files: true,
    run: (args, { input, signal } = {}) =>
      in_turn(() => new Promise((resolve, reject) => {
        const child = spawn(command, args, { cwd: root, signal, timeout: most_time_ms, killSignal: "SIGKILL", stdio: ["pipe", "pipe", "pipe"] });
        const texts = { out: "", err: "" };
        let is_too_long = false;
        for (const [name, stream] of [["out", child.stdout], ["err", child.stderr]]) {
          stream.setEncoding("utf8");
          stream.on("data", (text) => {
            if (texts[name].length + text.length <= most_output_bytes) return void (texts[name] += text);
            is_too_long = true;
            child.kill("SIGKILL");
          });
        }
        child.stdin.on("error", () => {}); // a program that does not read its input
        child.stdin.end(input ?? "");
        child.on("error", reject);
        child.on("close", (code) => {
          if (is_too_long) return reject(new Error(`the answer is longer than ${most_output_bytes} bytes: ask for one file`));
          if (code === null) return reject(new Error(`no answer within ${most_time_ms / 1000} s`));
          resolve({ code, ...texts });
        });
      })),
  };
}

/** The module of @shapelint/wasm. A call keeps this thread busy and cannot be cancelled. */
export function in_wasm(shapelint) {
  return {
    reads_files: false,
    run: async (args, { input, files } = {}) => {
      const { exit_code, out, err } = shapelint.run(args, { files, input });
      return { code: exit_code, out, err };
    },
  };
}

const answers = async (program) => {
  try {
    return (await program.run(["--version"])).code === 0;
  } catch {
    return false;
  }
};

/** `command` if one is named; else `shapelint` of PATH, else the module. */
export async function find(command, root) {
  if (command) {
    const named = native(command, root);
    if (!(await answers(named))) throw new Error(`${command} does not run`);
    return named;
  }
  const found = native("shapelint", root);
  if (await answers(found)) return found;
  try {
    const { load } = await import("@shapelint/wasm");
    return in_wasm(await load());
  } catch {
    throw new Error("there is no `shapelint` in PATH and no package @shapelint/wasm: name a program with --program");
  }
}
