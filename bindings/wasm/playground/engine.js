// The page's policy lets no address become a script but this one.
const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: (url) => {
  if (!url.startsWith("blob:")) throw new TypeError("not this page's worker");
  return url;
} });

// Calls to the worker. Of several calls of one kind only the newest is answered: the others were overtaken by typing.
export class Engine {
  #worker;
  #module;
  #url;
  #serial = 0;
  #running = null;
  #waiting = new Map();  // by kind, the newest

  static async start() {
    const engine = new Engine();
    const packed = document.getElementById("wasm").textContent.trim();
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    engine.#module = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
    const source = document.getElementById("worker").textContent;
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    engine.#url = policy ? policy.createScriptURL(url) : url;
    await engine.#begin();
    return engine;
  }

  #begin() {
    this.#worker?.terminate();
    this.#worker = new Worker(this.#url);
    return new Promise((resolve, reject) => {
      this.#worker.onerror = (event) => reject(new Error(event.message));
      this.#worker.onmessage = ({ data }) => {
        if (data.ready) return resolve();
        this.#take(data);
      };
      this.#worker.postMessage({ module: this.#module });
    });
  }

  // What the call gives; { problems } where it fails; undefined where a newer one took its place.
  call(kind, given = {}) {
    return new Promise((resolve) => {
      this.#waiting.get(kind)?.resolve(undefined);
      this.#waiting.delete(kind);  // so that a newer one stands at the end
      this.#waiting.set(kind, { kind, given, resolve });
      this.#next();
    });
  }

  #next() {
    if (this.#running || this.#waiting.size === 0) return;
    const [kind, call] = this.#waiting.entries().next().value;
    this.#waiting.delete(kind);
    this.#serial += 1;
    this.#running = { ...call, id: this.#serial };
    this.#worker.postMessage({ id: this.#serial, call: kind, given: call.given });
  }

  async #take({ id, value, problems, broken }) {
    if (this.#running?.id !== id) return;
    const { resolve, kind } = this.#running;
    // After a failure that no function expects (out of memory) the instance is not to be relied on.
    if (broken) await this.#begin();
    this.#running = null;
    resolve(problems ? { problems } : this.#waiting.has(kind) ? undefined : { value });
    this.#next();
  }
}
