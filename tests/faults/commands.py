"""Every command that writes files, with a folder to write in: what the tests of this folder disturb."""
import csv
import dataclasses
import pathlib
import subprocess

MODEL = """[model]
hidden_size = 768
num_layers = 12
num_attention_heads = 12
vocab_size = {}
[run]
micro_batch_size = 8
sequence_length = 1023
"""
MODELS = 12
OLD = "what was there before\n"


@dataclasses.dataclass
class Command:
    name: str
    arguments: list
    old: dict  # path in the folder: text before the run
    new: dict = dataclasses.field(default_factory=dict)  # and after one that nothing disturbs
    code: int = 0

    def reset(self, folder):
        for path, text in self.old.items():
            (folder / path).write_text(text)

    def words(self, binary):
        return [str(binary), *self.arguments]


def set_up(binary, folder):
    """Fills the folder, runs every command once, and returns the commands."""
    binary = pathlib.Path(binary).resolve()
    for name in ("models", "fixed", "out"):
        (folder / name).mkdir(parents=True)
    models = {f"models/m{i}.toml": MODEL.format(50001 + 2 * i) for i in range(MODELS)}
    fixed = {f"fixed/m{i}.toml": MODEL.format(50001 + 2 * i) for i in range(MODELS)}
    for path, text in {**models, **fixed, "suggested.toml": MODEL.format(50257)}.items():
        (folder / path).write_text(text)
    (folder / "gpu.toml").write_text('based_on = "a100"\nname = "ours"\n')
    with (folder / "times.csv").open("w", newline="") as out:
        table = csv.writer(out)
        table.writerow(("m", "n", "k", "time_us"))
        for i in range(1, 60):
            table.writerow((128 * i, 1024 * (1 + i % 4), 4096, 20 + 8 * i * (1 + i % 4)))
    a100 = ["--quiet", "--gpu", "a100"]
    formats = ("json", "sarif", "gitlab", "junit", "checkstyle", "rdjson")
    reports = {f"out/{name}.report": OLD for name in formats}
    pictures = {f"out/{name}": OLD for name in ("plot.svg", "waterfall.svg", "page.html")}
    empty = '{"format": "shapelint-baseline", "version": 1, "findings": []}\n'
    search = ["suggest", "suggested.toml", "--gpu", "a100", "--apply", "1", "--vary", "vocab_size"]
    commands = [
        Command("reports", ["lint", *a100, "--exit-zero", "models",
                            *(f"--output={name}=out/{name}.report" for name in formats)], reports),
        Command("--write-baseline", ["lint", *a100, "models", "--write-baseline", "--baseline", "out/known.json"],
                {"out/known.json": empty}),
        Command("--prune-baseline", ["lint", *a100, "models", "--exit-zero", "--select", "SL101", "--prune-baseline",
                                     "--baseline", "out/pruned.json"], {}),
        Command("--fix", ["lint", *a100, "--exit-zero", "--fix", "fixed"], fixed),
        Command("--write", [*search, "--write"], {"suggested.toml": MODEL.format(50257)}),
        Command("suggest -o", [*search, "-o", "out/copy.toml"], {"out/copy.toml": OLD}),
        Command("pictures", ["roofline", "models/m0.toml", "--gpu", "a100", "--plot", "out/plot.svg", "--waterfall",
                             "out/waterfall.svg", "--report", "out/page.html"], pictures),
        Command("calibrate", ["calibrate", "--gpu-file", "gpu.toml", "--shapes", "times.csv", "-o", "out/gpu.toml",
                              "--evaluations", "50", "--folds", "1"], {"out/gpu.toml": OLD}),
        Command("sweep", ["sweep", "models/m0.toml", "--gpu", "a100", "--over", "hidden_size=768:1024:64", "--plot",
                          "out/sweep.svg"], {"out/sweep.svg": OLD}),
    ]
    known = subprocess.run([str(binary), *a100, "models", "--write-baseline", "--baseline", "out/pruned.json"], cwd=folder,
                           check=False, capture_output=True)
    assert known.returncode == 0, known.stderr
    commands[2].old = {"out/pruned.json": (folder / "out/pruned.json").read_text()}
    for command in commands:
        command.reset(folder)
        ran = subprocess.run(command.words(binary), cwd=folder, check=False, capture_output=True, text=True)
        assert ran.returncode == command.code, (command.name, ran.returncode, ran.stderr)
        command.new = {path: (folder / path).read_text() for path in command.old}
        # A run that writes what was there already shows nothing.
        same = [path for path, text in command.new.items() if text == command.old[path]]
        assert not same, (command.name, same, ran.stderr)
        command.reset(folder)
    return commands


def left_over(folder):
    """What lies there that no command and no test has put there."""
    mine = {"models", "fixed", "out", "suggested.toml", "gpu.toml", "times.csv"}
    found = {each.name for each in folder.iterdir()} - mine
    for name in ("models", "fixed", "out"):
        found |= {f"{name}/{each.name}" for each in (folder / name).iterdir() if each.name.startswith(".")}
    return found
