"""For a project's own tests: `from shapelint.testing import assert_aligned`."""

from __future__ import annotations

from typing import Any

from ._functions import Gpus, lint, share
from ._results import Report, lines_of
from ._types import ShapelintError


def assert_aligned(
    config: Any, gpu: Gpus = None, *, severity: str = "warning", min_gain: float | str = 0.0, **options: Any
) -> Report:
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
