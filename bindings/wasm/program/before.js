// Runs before the program: what emscripten does not hand on by itself.
Module.wasmBinary = require("fs").readFileSync(require("path").join(__dirname, "program.wasm"));
Module.preRun = () => {
  Object.assign(ENV, process.env);
  if (require("tty").isatty(1) && !ENV.COLUMNS) ENV.COLUMNS = String(process.stdout.columns);
};
// It takes its streams for terminals, whatever they are.
Module.onRuntimeInitialized = () => {
  for (const stream of [0, 1, 2]) FS.streams[stream].tty = require("tty").isatty(stream);
};
// A pipe that is full, or empty for now, is waited for.
for (const name of ["readSync", "writeSync"]) {
  const files = require("fs");
  const once = files[name];
  files[name] = (...given) => {
    for (;;) {
      try {
        return once(...given);
      } catch (problem) {
        if (problem.code !== "EAGAIN") throw problem;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);  // milliseconds
      }
    }
  };
}
