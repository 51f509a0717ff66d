"""The plugin of pytest, in a session of its own."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def session(folder, *options):
    done = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rA", *options], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout


def test_each_configuration_is_a_test(tmp_path):
    configs = tmp_path / "configs"
    configs.mkdir()
    for name in ("gpt3-2.7b", "llama-3-8b"):
        (configs / f"{name}.toml").write_text((ROOT / f"examples/{name}.toml").read_text())
    (configs / "notes.toml").write_text("title = 'no model'\n")
    (tmp_path / "test_own.py").write_text("def test_own():\n    pass\n")
    code, out = session(tmp_path, "--shapelint", "configs", "--shapelint-gpu", "a100")
    assert code == 1, out
    assert "PASSED test_own.py::test_own" in out and "FAILED configs/gpt3-2.7b.toml::shapelint" in out, out
    assert "PASSED configs/llama-3-8b.toml::shapelint" in out and "notes.toml" not in out, out
    assert "configs/gpt3-2.7b.toml:10:14: warning: `vocab_size` 50257" in out and "Traceback" not in out, out
    code, out = session(tmp_path, "--shapelint", "configs", "--shapelint-gpu", "a100", "--shapelint-severity", "error")
    assert code == 0 and "3 passed" in out, out
    code, out = session(tmp_path)
    assert code == 0 and "1 passed" in out, out


def test_what_cannot_be_checked_fails(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "llama",, }')
    for path, says in (("config.json", "config.json:1"), ("no-such", "no-such"), (".", "config.json:1")):
        code, out = session(tmp_path, "--shapelint", path, "--shapelint-gpu", "a100")
        assert code == 1 and says in out and "1 failed" in out, out
    code, out = session(tmp_path, "--shapelint", "config.json", "--shapelint-gpu", "no-such-gpu")
    assert code == 1 and "no-such-gpu" in out, out
