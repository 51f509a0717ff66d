#!/usr/bin/env python3
"""Drives `shapelint lsp` as an editor does. Usage: lsp.py SHAPELINT"""
import json
import pathlib
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
    check("Matrix products on a100" in hover["contents"]["value"], f"hover: {hover}")
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
    client.open((root / "unrelated.yaml").as_uri(), "a: 1\n", "yaml")

    # What no server should end for.
    check(client.request("no/such/method")["code"] == -32601, "unknown method")
    check(client.request("textDocument/hover", position=1)["code"] == -32602, "wrong parameters")
    client.request("shutdown")
    client.notify("exit")
    check(client.process.wait(timeout=30) == 0, "the exit code")

    other = Client()
    other.request("initialize", capabilities={"general": {"positionEncodings": ["utf-8"]}})
    other.process.stdin.close()
    check(other.process.wait(timeout=30) == 1, "the exit code without shutdown")

print(*problems, sep="\n")
print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
