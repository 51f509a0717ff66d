// What a call may name: a text, a path below the working folder, or a published model. Nothing outside is read.
import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";

// As docs/reference/security.md has it for configurations.
export const most_text_bytes = 16 << 20;
const published = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;
const file_name = /^[A-Za-z0-9_][\w.-]{0,100}$/;

/** The path as seen from `root`, links followed; an error unless it is below. */
async function below(root, given) {
  const home = await realpath(root);
  let real;
  try {
    real = await realpath(path.resolve(home, given));
  } catch {
    throw new Error(`${given}: no such file below the working folder`);
  }
  const relative = path.relative(home, real);
  // The same sentence whether it is there or not: nobody learns what is outside.
  if (relative.startsWith("..") || path.isAbsolute(relative)) throw new Error(`${given}: no such file below the working folder`);
  const is = await stat(real);
  if (!is.isFile() && !is.isDirectory()) throw new Error(`${given}: neither a file nor a folder`);
  return { name: `./${relative}`, real, is_folder: is.isDirectory() };
}

/** Arguments and input of the command line for one of `path`, `text` (with `filename`), `model`. */
export async function input_of({ path: given, text, filename, model }, root, program) {
  if ([given, text, model].filter((each) => each !== undefined).length !== 1) throw new Error("give one of `path`, `text` and `model`");
  if (text !== undefined) {
    if (Buffer.byteLength(text) > most_text_bytes) throw new Error(`the text is longer than ${most_text_bytes} bytes`);
    const name = filename ?? "model.toml";
    if (!file_name.test(name)) throw new Error(`\`${name}\` is not a file name: letters, digits, \`.\`, \`_\` and \`-\``);
    return { text, name };
  }
  if (model !== undefined) {
    if (!published.test(model)) throw new Error(`\`${model}\` is not the name of a published model, as in \`Qwen/Qwen3-8B\``);
    // The program would read a path of that name.
    if (await stat(path.resolve(root, model)).catch(() => null)) return input_of({ path: model }, root, program);
    return { file: model };
  }
  const found = await below(root, given);
  if (program.reads_files) return { file: found.name };
  if (found.is_folder) throw new Error(`${given}: a folder; only the native program lints folders`);
  return { file: found.name, files: { [found.name]: await readFile(found.real, "utf8") } };
}
