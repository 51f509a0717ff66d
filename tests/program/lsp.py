#!/usr/bin/env python3
"""Drives `shapelint lsp` as an editor does. Usage: lsp.py SHAPELINT"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

binary = sys.argv[1]
problems = []
ODD = """[model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = 50257 # größer 😀
[run]
micro_batch_size = 8
sequence_length = 1024
"""


# The same in other syntaxes; each with the line to break and the place of the vocabulary.
MAXTEXT = """base_emb_dim: 2048 # größer 😀
base_num_query_heads: 32
base_num_kv_heads: 32
base_mlp_dim: 8192
head_dim: 64
base_num_decoder_layers: 24
vocab_size: 50257
mlp_activations: ["gelu"]
dtype: "bfloat16"
per_device_batch_size: 4
max_target_length: 2048
"""
HUGGING_FACE = """{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768, "n_layer": 12,
 "note 😀": "größer", "n_head": 12, "n_positions": 1024, "vocab_size": 50257}
"""
SYNTAXES = [("model.toml", "toml", ODD, ODD + "micro_batch_size = \n"),
            ("train.yaml", "yaml", MAXTEXT, MAXTEXT + "broken: [1,\n"),
            ("config.json", "json", HUGGING_FACE, HUGGING_FACE[:-2] + ", \"torch_dtype\": \n")]


def check(condition, message):
    if not condition:
        problems.append(message)


class Client:
    def __init__(self, *args):
        self.process = subprocess.Popen([binary, "lsp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.next_id = 0

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        self.process.stdin.flush()

    def receive(self):
        length = None
        while (line := self.process.stdout.readline().strip()):
            name, value = line.split(b": ")
            if name == b"Content-Length":
                length = int(value)
        return json.loads(self.process.stdout.read(length))

    def all_diagnostics(self):
        """What was published by now: messages are answered in order."""
        self.next_id += 1
        self.send({"id": self.next_id, "method": "no/such/method", "params": {}})
        published = {}
        while "id" not in (message := self.receive()):
            published[message["params"]["uri"]] = message["params"]["diagnostics"]
        return published

    def request(self, method, **params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        answer = self.receive()
        check(answer["id"] == self.next_id, f"{method}: the answer to another request")
        return answer.get("result", answer.get("error"))

    def notify(self, method, **params):
        self.send({"method": method, "params": params})

    def diagnostics(self, uri):
        message = self.receive()
        check(message["method"] == "textDocument/publishDiagnostics", f"not diagnostics: {message}")
        check(message["params"]["uri"] == uri, f"diagnostics of {message['params']['uri']}")
        return message["params"]["diagnostics"]

    def open(self, uri, text, language):
        self.notify("textDocument/didOpen",
                    textDocument={"uri": uri, "languageId": language, "version": 1, "text": text})
        return self.diagnostics(uri)

    def change(self, uri, text):
        self.notify("textDocument/didChange", textDocument={"uri": uri, "version": 2},
                    contentChanges=[{"text": text}])
        return self.diagnostics(uri)


def of_rule(diagnostics, code):
    return [each for each in diagnostics if each["code"] == code]


def edited(text, edits):
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]),
                       reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        check(start["line"] == end["line"], "an edit over several lines")
        line = lines[start["line"]].encode("utf-16-le")
        lines[start["line"]] = (line[:2 * start["character"]] + edit["newText"].encode("utf-16-le") +
                                line[2 * end["character"]:]).decode("utf-16-le")
    return "\n".join(lines)


def position(text, offset):
    """Line and character in UTF-16 code units."""
    before = text[:offset]
    line = before.rsplit("\n", 1)[-1]
    return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}


def time_per_token(path):
    ran = subprocess.run([binary, "lint", str(path), "--gpu", "a100", "--format", "json"], capture_output=True,
                         text=True)
    step = json.loads(ran.stdout)["steps"][0]
    return step["step_us"] / step["tokens_per_step"]


def try_syntax(client, root, name, language, text, broken):
    """Diagnostics, hover and edits in one language; what a title promises is what linting the result shows."""
    uri = (root / name).as_uri()
    found = of_rule(client.open(uri, text, language), "SL101")
    check(len(found) == 1, f"{name}: SL101 is not found")
    at = text.index("50257")
    place = {"start": position(text, at), "end": position(text, at + 5)}
    check(found and found[0]["range"] == place, f"{name}: the place is {found and found[0]['range']}")
    # Invalid text: what was known stays, its own error comes first, and nothing is offered.
    while_broken = client.change(uri, broken)
    check(of_rule(while_broken, "SL101") == found and of_rule(while_broken, "unreadable"),
          f"{name}: while broken: {while_broken}")
    actions = client.request("textDocument/codeAction", textDocument={"uri": uri}, range=place,
                             context={"diagnostics": []})
    check(actions == [], f"{name}: edits of a broken text")
    check(of_rule(client.change(uri, text), "SL101") == found, f"{name}: not as before")
    hover = client.request("textDocument/hover", textDocument={"uri": uri}, position=place["start"])["contents"]
    for part in ("vocab_size", "50257", "GEMMs on a100", "`head.logits`", "misalignment"):
        check(part in hover["value"], f"{name}: hover without {part}: {hover['value']}")
    actions = client.request("textDocument/codeAction", textDocument={"uri": uri},
                             range={"start": {"line": 0, "character": 0}, "end": position(text, len(text))},
                             context={"diagnostics": []})
    check(len(actions) > 0, f"{name}: no actions")
    before = root / ("before." + name) if language != "json" else root / "before" / name
    before.parent.mkdir(exist_ok=True)
    before.write_text(text)
    at_first = time_per_token(before)
    for action in actions:
        promised = re.search(r"saves ([0-9.]+)", action["title"])
        if not promised:
            continue
        before.write_text(edited(text, action["edit"]["changes"][uri]))
        saved = 100 * (1 - time_per_token(before) / at_first)
        check(abs(saved - float(promised[1])) < 0.06, f"{name}: {action['title']}, but {saved:.2f} % were saved")
    # The first proposal for the vocabulary takes its finding away.
    first = next(a for a in actions if a["diagnostics"][0]["code"] == "SL101")
    better = edited(text, first["edit"]["changes"][uri])
    check("größer" in better and "😀" in better, f"{name}: the rest of the text is lost")
    check(not of_rule(client.change(uri, better), "SL101"), f"{name}: the finding stays")
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    client.diagnostics(uri)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "with config").mkdir()
    (root / "with config/shapelint.toml").write_text('ignore = ["SL101"]\n')
    client = Client("--gpu", "a100")
    result = client.request("initialize", processId=None, rootUri=root.as_uri(), capabilities={})
    check(result["capabilities"]["positionEncoding"] == "utf-16", "the encoding")
    client.notify("initialized")

    # Diagnostics in TOML, and a proposal that takes its finding away.
    uri = (root / "a b.toml").as_uri()
    found = of_rule(client.open(uri, ODD, "toml"), "SL101")
    check(len(found) == 1, "SL101 is not found")
    check(found[0]["range"] == {"start": {"line": 4, "character": 13}, "end": {"line": 4, "character": 18}},
          f"the place: {found[0]['range']}")
    hover = client.request("textDocument/hover", textDocument={"uri": uri}, position={"line": 4, "character": 15})
    check("vocab_size" in hover["contents"]["value"] and "50257" in hover["contents"]["value"], f"hover: {hover}")
    check("GEMMs on a100" in hover["contents"]["value"], f"hover: {hover}")
    nothing = client.request("textDocument/hover", textDocument={"uri": uri}, position={"line": 0, "character": 1})
    check(nothing is None, f"hover on nothing: {nothing}")
    actions = client.request("textDocument/codeAction", textDocument={"uri": uri}, range=found[0]["range"],
                             context={"diagnostics": found})
    check(actions and all(action["kind"] == "quickfix" for action in actions), f"actions: {actions}")
    better = edited(ODD, [a for a in actions if a["diagnostics"][0]["code"] == "SL101"][0]["edit"]["changes"][uri])
    check("# größer 😀" in better, "the comment is lost")
    check(not of_rule(client.change(uri, better), "SL101"), "the proposal does not take the finding away")

    # A text that is broken while typing keeps what was known, and says what is wrong.
    client.change(uri, ODD)
    broken = client.change(uri, ODD + "micro_batch_size = \n")
    check(of_rule(broken, "SL101") and of_rule(broken, "unreadable"), f"broken: {broken}")
    check(client.request("textDocument/codeAction", textDocument={"uri": uri}, range=found[0]["range"],
                         context={"diagnostics": []}) == [], "edits of a broken text")
    check(len(of_rule(client.change(uri, ODD), "unreadable")) == 0, "the error stays")
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    check(client.diagnostics(uri) == [], "a closed file has diagnostics")

    # Other languages, a text past the basic plane, a workspace's configuration.
    config = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "note 😀": 1, "n_embd": 768, "n_layer": 12,
              "n_head": 12, "n_positions": 1024, "vocab_size": 50257}
    for name, text in (("config.json", json.dumps(config, ensure_ascii=False)),):
        uri = (root / name).as_uri()
        found = of_rule(client.open(uri, text, "json"), "SL101")
        check(len(found) == 1, f"{name}: SL101 is not found")
        if found:
            before = text[:text.index("50257")]
            check(found[0]["range"]["start"]["character"] == len(before.encode("utf-16-le")) // 2, f"{name}: place")
    uri = (root / "with config/model.toml").as_uri()
    check(not of_rule(client.open(uri, ODD, "toml"), "SL101"), "the configuration is not read")
    check(client.open((root / "unrelated.yaml").as_uri(), "a: 1\n", "yaml") == [], "a file that is no model")

    for syntax in SYNTAXES:
        try_syntax(client, root, *syntax)

    # A configuration that changes counts from the next save on, for every open file; one that is broken is told.
    workspace = root / "workspace"
    workspace.mkdir()
    uri = (workspace / "m.toml").as_uri()
    check(of_rule(client.open(uri, ODD, "toml"), "SL101"), "SL101 without a configuration")
    (workspace / "shapelint.toml").write_text('ignore = ["SL101"]\n')
    client.notify("textDocument/didSave", textDocument={"uri": uri})
    after = client.all_diagnostics()
    check(not of_rule(after[uri], "SL101"), f"the new configuration does not count: {after[uri]}")
    (workspace / "shapelint.toml").write_text('gpus = ["h100"]\n')
    wrong = client.change(uri, ODD)
    check(any("shapelint.toml" in each["message"] and "did you mean `gpu`?" in each["message"] for each in wrong),
          f"a broken configuration: {wrong}")
    (workspace / "shapelint.toml").unlink()

    # Keystrokes in UTF-16 code units, and a burst of them.
    typed = (root / "typed.toml").as_uri()
    client.open(typed, "", "toml")
    for version, character in enumerate(ODD):
        end = {"line": 10**6, "character": 0}
        client.notify("textDocument/didChange", textDocument={"uri": typed, "version": version},
                      contentChanges=[{"range": {"start": end, "end": end}, "text": character}])
    found = of_rule(client.all_diagnostics()[typed], "SL101")
    check(found and found[0]["range"]["start"] == position(ODD, ODD.index("50257")), f"typed: {found}")
    comma = position(ODD, ODD.index("😀"))
    client.notify("textDocument/didChange", textDocument={"uri": typed, "version": 999}, contentChanges=[
        {"range": {"start": comma, "end": {**comma, "character": comma["character"] + 2}}, "text": "x\r\n# "},
        {"range": {"start": {"line": 4, "character": 13}, "end": {"line": 4, "character": 18}}, "text": "50304"}])
    check(not of_rule(client.diagnostics(typed), "SL101"), "changes of ranges")

    # What no server should end for.
    for content in (b'{"method": 5}', b"[1]", b"{", b"", b'{"jsonrpc": "2.0", "id": {}, "method": "exit"}'):
        client.process.stdin.write(b"content-type: a/b\ncontent-length:%d\n\n" % len(content) + content)
        client.process.stdin.flush()
        answer = client.receive()
        check(answer["id"] is None and answer["error"]["code"] in (-32600, -32700), f"{content}: {answer}")
    client.notify("textDocument/didChange", textDocument={"uri": typed, "version": 1000}, contentChanges=[])
    client.diagnostics(typed)
    client.notify("textDocument/didChange", textDocument={"uri": typed, "version": 1001})
    check(client.receive()["method"] == "window/logMessage", "changes that are missing")
    check(client.diagnostics(typed) == [], "a document that is not known any more")
    check(client.request("initialize")["code"] == -32600, "initialized twice")
    check(client.request("no/such/method")["code"] == -32601, "unknown method")
    check(client.request("textDocument/hover", position=1)["code"] == -32602, "wrong parameters")
    client.request("shutdown")
    check(client.request("textDocument/hover")["code"] == -32600, "a request after shutdown")
    client.notify("exit")
    check(client.process.wait(timeout=30) == 0, "the exit code")

    # How a dimension is split over ranks.
    split = Client("--gpu", "a100", "--tensor", "2")
    split.request("initialize", capabilities={})
    uri = (root / "split.toml").as_uri()
    split.open(uri, ODD.replace("[run]", "intermediate_size = 3072\n[run]"), "toml")
    hover = split.request("textDocument/hover", textDocument={"uri": uri}, position={"line": 5, "character": 22})
    check("1536** = `intermediate_size / tensor`" in hover["contents"]["value"], f"hover: {hover}")
    split.request("shutdown")
    split.notify("exit")
    check(split.process.wait(timeout=30) == 0, "the exit code")

    early = Client()
    check(early.request("shutdown")["code"] == -32002, "a request before initialize")
    early.notify("exit")
    check(early.process.wait(timeout=30) == 1, "the exit code without shutdown")

    other = Client()
    other.request("initialize", capabilities={"general": {"positionEncodings": ["utf-8"]}})
    other.process.stdin.close()
    check(other.process.wait(timeout=30) == 1, "the exit code at the end of the input")

print(*problems, sep="\n")
print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
