// The page's state as the part of its address behind `#`: it is not sent to any server.
const longestLink = 60_000;  // what browsers and chats take

const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

// Nothing where the text is too long for a link.
export async function linkOf(state) {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  if (packed.length > longestLink) return undefined;
  const letters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  const hash = "#" + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return location.href.split("#")[0] + hash;
}

// Nothing where there is no state, or what is there is none.
export async function stateOf(hash) {
  if (hash.length < 2) return undefined;
  try {
    const letters = atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    const isText = (value) => typeof value === "string";
    if (!isText(state.text) || !isText(state.name) || !isText(state.gpu) || typeof state.plan !== "object") return undefined;
    return state;
  } catch {
    return undefined;
  }
}
