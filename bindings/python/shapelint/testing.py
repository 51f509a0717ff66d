"""For a project's own tests: `from shapelint.testing import assert_aligned, assert_registry`.

`pytest --shapelint configs/` makes a test of each configuration in a folder, without any code.
"""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from ._behaviour import lines_of
from ._error import ShapelintError
from ._functions import Gpus, lint, share
from ._generated import LintResult


def assert_aligned(
    config: Any, gpu: Gpus = None, *, severity: str = "warning", min_gain: float | str = 0.0, **options: Any
) -> LintResult:
    """Fail with the findings if `config` has any of this severity that save at least `min_gain`.

    Findings that keep a job from running always count. Other options are those of `lint`, with fields of the launch config.
    An unreadable file raises ShapelintError, also in a folder; an input without any checked model fails.
    """
    levels = ("info", "warning", "error")
    if severity not in levels:
        raise ValueError(f"{severity!r} is not a severity: {', '.join(levels)}")
    least = share(min_gain, "min_gain")
    options.setdefault("min_severity", severity)
    report = lint(config, gpu, **options)
    if report.problems:
        raise ShapelintError(report.problems)
    if not report.models:
        raise AssertionError(str(report))
    found = [
        each
        for each in report.findings
        if levels.index(each.severity) >= levels.index(severity) and (each.certain_to_fail or each.gain >= least)
    ]
    if found:
        raise AssertionError("\n".join(lines_of(found)))
    return report


def assert_registry(
    registry: Mapping[str, Any] | Iterable[tuple[str, Any]],
    gpu: Gpus = None,
    *,
    severity: str = "error",
    known: Iterable[str] = (),
    **options: Any,
) -> dict[str, LintResult]:
    """Lint every entry of a registry of models or recipes, and fail with the findings of all.

    An entry is an argument of `lint`, or a function without arguments that returns one. By default only errors count.
    `known` names entries that are known to fail; one that passes, or is missing, fails the test. Other options are those of `assert_aligned`.
    """
    entries = dict(registry.items() if isinstance(registry, Mapping) else registry)
    left = set(known)
    wrong = [f"{each}: known to fail, but not in the registry" for each in sorted(left - entries.keys())]
    reports: dict[str, LintResult] = {}
    for name, entry in entries.items():
        try:
            model = entry() if callable(entry) and not hasattr(entry, "__fn_or_cls__") else entry
            reports[name] = assert_aligned(model, gpu, severity=severity, **options)
        except (AssertionError, ShapelintError, TypeError) as problem:
            if name not in left:
                wrong += [f"{name}: {line}" for line in str(problem).splitlines()]
            continue
        if name in left:
            wrong.append(f"{name}: known to fail, but no finding")
    if wrong:
        raise AssertionError("\n".join(wrong))
    if not entries:
        raise AssertionError("the registry is empty: nothing was checked")
    return reports
