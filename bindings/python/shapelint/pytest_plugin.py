"""`pytest --shapelint configs/`: a test for each configuration in a file or folder.

pytest finds it by the wheel's entry point; without the option it does nothing.
"""

from __future__ import annotations

import os
from typing import Any, Iterator

import pytest

from ._functions import lint
from ._behaviour import lines_of
from ._error import ShapelintError
from ._generated import Finding, LintResult, Problem

_LEVELS = ("info", "warning", "error")


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("shapelint", "shapes of neural networks")
    group.addoption("--shapelint", action="append", default=[], metavar="PATH",
                    help="make a test of each configuration in this file or folder; may be given several times")
    group.addoption("--shapelint-gpu", default=None, metavar="NAMES",
                    help="GPUs to lint for, with commas between them; else those of the files and their configuration")
    group.addoption("--shapelint-severity", default="warning", choices=_LEVELS,
                    help="findings from this severity on fail (default: warning)")
    group.addoption("--shapelint-stack", default=None, metavar="PACKAGES",
                    help="packages that run the models: vllm==0.24,deep-ep")


class Failed(Exception):
    """Raised by a failing test with the findings as text."""


class ShapelintItem(pytest.Item):
    """One configuration, linted when tests are collected: a file takes milliseconds."""

    def __init__(self, *, wrong: list[str], **rest: Any):
        super().__init__(**rest)
        self.wrong = wrong

    def runtest(self) -> None:
        if self.wrong:
            raise Failed("\n".join(self.wrong))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, int | None, str]:
        return self.name.removeprefix("shapelint::"), None, self.name


def _of_file(report: LintResult, path: str, severity: str) -> list[str]:
    paths = {each.id: each.path for each in report.models}

    def counts(finding: Finding) -> bool:
        return _LEVELS.index(finding.severity) >= _LEVELS.index(severity) and paths[finding.model] == path

    return [*(str(each) for each in report.problems if each.path == path),
            *lines_of([each for each in report.findings if counts(each)])]


def _checked(path: str, options: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield each checked or unreadable file with its findings."""
    try:
        report = lint(path, options.shapelint_gpu, stack=options.shapelint_stack, min_severity=options.shapelint_severity)
    except ShapelintError as problem:
        yield path, [str(problem)]
        return
    problems: tuple[Problem, ...] = report.problems
    files = sorted({each.path for each in report.models} | {each.path for each in problems})
    if not files:
        yield path, ["nothing was checked: no configuration of a known format is in it"]
    for each in files:
        yield each, _of_file(report, each, options.shapelint_severity)


def pytest_collection_modifyitems(session: Any, config: Any, items: list[Any]) -> None:
    for path in config.option.shapelint:
        for file, wrong in _checked(os.fspath(path), config.option):
            items.append(ShapelintItem.from_parent(session, name=f"shapelint::{file}", nodeid=f"{file}::shapelint", wrong=wrong))
