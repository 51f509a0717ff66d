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
    """Fails, and says what was found, where `config` has findings of this severity that save at least `min_gain`.

    What would not run at all counts whatever it saves. Other options are those of `lint`, fields of the plan among them.
    A file that cannot be read raises ShapelintError, one among others in a folder, too; and nothing passes of which
    nothing was checked.
    """
    levels = ("info", "warning", "error")
    if severity not in levels:
        raise ValueError(f"{severity!r} is no severity: {', '.join(levels)}")
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
    """Lints every entry of a registry of models or recipes, and fails with all that is wrong of all.

    An entry is what `lint` takes, or a function without arguments that returns it. Unless `severity` says otherwise, what
    counts is what keeps a run from working. `known` names entries that fail: one of them that passes is told, too, and so
    is one that is not there. Other options are those of `assert_aligned`.
    """
    entries = dict(registry.items() if isinstance(registry, Mapping) else registry)
    left = set(known)
    wrong = [f"{each}: known to fail, and not in the registry" for each in sorted(left - entries.keys())]
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
            wrong.append(f"{name}: known to fail, and nothing is found")
    if wrong:
        raise AssertionError("\n".join(wrong))
    if not entries:
        raise AssertionError("the registry is empty: nothing was checked")
    return reports
