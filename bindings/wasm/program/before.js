// Runs before the program: what emscripten does not hand on by itself.
Module.wasmBinary = require("fs").readFileSync(require("path").join(__dirname, "program.wasm"));
Module.preRun = () => {
  Object.assign(ENV, process.env);
  if (process.stdout.isTTY && !ENV.COLUMNS) ENV.COLUMNS = String(process.stdout.columns);
};
