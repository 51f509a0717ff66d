// The library in a thread of its own, so that the page never waits. Each message is a call; what a call needs of the
// others it does itself.
import { load, ShapelintError } from "../module/index.mjs";

let shapelint;

// The step as pictures: what `shapelint roofline --plot --waterfall` writes.
function pictures({ name, text, args }) {
  const { exit_code: code, written, err } = shapelint.run(
    ["roofline", "/" + name, "--isolated", "--plot", "/out/roofline.svg", "--waterfall", "/out/waterfall.svg", ...args],
    { files: { [name]: text } });
  if (code !== 0) return { problem: err };
  return { roofline: written["/out/roofline.svg"], waterfall: written["/out/waterfall.svg"] };
}

// The file with a proposal of `suggest` in it.
function applied({ name, text, args, number }) {
  const ending = name.slice(name.lastIndexOf("."));
  const out = `/out/applied${ending}`;
  const { written, err } = shapelint.run(
    ["suggest", "/" + name, "--isolated", "--apply", String(number), "-o", out, ...args], { files: { [name]: text } });
  if (!(out in written)) throw new Error(err);
  return written[out];
}

const calls = {
  lint: ({ name, text, options }) => shapelint.lint({ path: name, text }, options),
  suggest: ({ name, text, options }) => shapelint.suggest({ path: name, text }, options),
  pictures,
  applied,
  gpus: () => shapelint.gpus(),
  fields: () => shapelint.fields(),
  version: () => shapelint.version,
};

onmessage = async ({ data }) => {
  if (data.module) {
    shapelint = await load(data.module);
    postMessage({ ready: true });
    return;
  }
  const { id, call, given } = data;
  try {
    postMessage({ id, value: calls[call](given) });
  } catch (problem) {
    const told = problem instanceof ShapelintError;
    postMessage({ id, problems: told ? problem.problems : [{ code: "unable", message: String(problem.message ?? problem) }], broken: !told });
  }
};
