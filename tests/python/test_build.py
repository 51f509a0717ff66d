"""What the archives are made of."""

from __future__ import annotations

import pathlib
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
