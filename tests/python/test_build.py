"""What the archives are made of."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
import shapelint_build


def test_what_tools_leave_behind_is_no_source(tmp_path: pathlib.Path) -> None:
    wasm = tmp_path / "bindings/wasm/playground"
    for path in ("main.js", "node_modules/esbuild/main.js", "__pycache__/a.pyc", ".cache/a.js"):
        (wasm / path).parent.mkdir(parents=True, exist_ok=True)
        (wasm / path).write_text("")
    assert [path.name for path in shapelint_build.sources(tmp_path) if path.is_file()] == ["main.js"]
    assert wasm / "main.js" in shapelint_build.sources(tmp_path)


def test_a_wheel_is_of_the_machine_that_its_module_is_for(tmp_path: pathlib.Path) -> None:
    module = tmp_path / "_shapelint.so"
    for machine, name in ((62, "x86_64"), (183, "aarch64")):
        module.write_bytes(b"\x7fELF" + bytes(14) + machine.to_bytes(2, "little"))
        assert shapelint_build.machine_of(module) == name


def test_a_build_does_not_remember_a_virtual_environment(tmp_path: pathlib.Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    asks = "import shapelint_build; print(shapelint_build.interpreter())"
    folder = str(pathlib.Path(shapelint_build.__file__).parent)
    said = subprocess.run([tmp_path / "bin/python", "-c", asks], env={**os.environ, "PYTHONPATH": folder},
                          capture_output=True, text=True, check=True).stdout.strip()
    assert pathlib.Path(said).is_file()
    assert tmp_path not in pathlib.Path(said).parents
