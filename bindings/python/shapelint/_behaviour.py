"""Methods of the objects in _generated.py."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING, Any, ClassVar, Iterable, Iterator, Mapping, Type, TypeVar

from ._tables import Tabular, data_frame, table_html

if TYPE_CHECKING:
    import pandas

_T = TypeVar("_T", bound="Plain")

# Members whose names are words of the language.
_ATTRIBUTES = {"pass": "pass_name"}


def _plain(value: Any) -> Any:
    if isinstance(value, Plain):
        return value.to_dict()
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return value


class Plain(Tabular):
    """Convert to and from JSON."""

    _order: ClassVar[tuple[str, ...]] = ()
    _may_be_absent: ClassVar[frozenset[str]] = frozenset()
    _nested: ClassVar[Mapping[str, str]] = {}  # by member: the class of the object, or of those in its list or mapping

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of the command line as dictionaries, lists and numbers."""
        members = ((name, getattr(self, _ATTRIBUTES.get(name, name))) for name in self._order)
        absent = self._may_be_absent
        return {name: _plain(value) for name, value in members if not (name in absent and (value is None or not value))}

    def _row(self) -> dict[str, Any]:
        """Return the members that fit in one table row."""
        row: dict[str, Any] = {}
        for name in self._order:
            value = getattr(self, _ATTRIBUTES.get(name, name))
            is_list = isinstance(value, tuple) and all(isinstance(each, (str, int, float)) for each in value)
            is_mapping = isinstance(value, Mapping) and not any(isinstance(each, Plain) for each in value.values())
            if isinstance(value, (str, int, float)) or is_list or is_mapping:
                row[name] = value
        return row

    def _rows(self) -> list[dict[str, Any]]:
        return [self._row()]

    @classmethod
    def _of(cls: Type[_T], value: Mapping[str, Any]) -> _T:
        made = {}
        classes = sys.modules[cls.__module__]
        for name, member in value.items():
            nested = cls._nested.get(name)
            if nested is None:
                made[_ATTRIBUTES.get(name, name)] = tuple(member) if isinstance(member, list) else member
                continue
            kind = getattr(classes, nested)
            if isinstance(member, list):
                made[name] = tuple(kind._of(each) for each in member)
            elif member is None or name in cls._by_name():
                made[name] = member and {key: kind._of(each) for key, each in member.items()}
            else:
                made[name] = kind._of(member)
        return cls(**made)

    @classmethod
    def _by_name(cls) -> frozenset[str]:
        """Return the members that are mappings of objects."""
        return frozenset(name for name, kind in cls.__annotations__.items() if kind.startswith("Mapping"))


class Range(Plain):
    start: Any
    end: Any

    @property
    def line(self) -> int:
        """Return its start."""
        return int(self.start.line)

    @property
    def column(self) -> int:
        return int(self.start.column)


def _place(path: str, range: Any) -> str:
    if not path:
        return ""
    return f"{path}:{range.line}:{range.column}: " if range else f"{path}: "


class Problem(Plain):
    message: str
    hint: str
    path: str
    range: Any

    @property
    def text(self) -> str:
        """Return the finding on one line."""
        return f"{_place(self.path, self.range)}error: {self.message}{'; ' if self.hint else ''}{self.hint}"

    def __str__(self) -> str:
        return self.text


class Model(Plain):
    fields: Mapping[str, Any]

    def __getitem__(self, field: str) -> int | bool | str | None:
        """Return a field's value: `model["hidden_size"]`; None if unknown."""
        value: int | bool | str | None = self.fields[field].value
        return value


class LintedModel(Model):
    pass


class Change(Plain):
    field: str
    before: Any
    after: Any

    def __str__(self) -> str:
        before, after = (str(each).lower() if isinstance(each, bool) else str(each) for each in (self.before, self.after))
        return f"{self.field} {before} → {after}"


class Finding(Plain):
    path: str
    range: Any
    severity: str
    message: str
    code: str
    cost: str
    proposals: tuple[Any, ...]

    @property
    def text(self) -> str:
        """Return the problem on one line, with its place."""
        place = _place(self.path, self.range) or self.path
        return f"{place}{self.severity}: {self.message} [{self.code}]"

    def __str__(self) -> str:
        return self.text


class Step(Plain):
    model: str
    gpu: str
    step_us: float
    mfu: float
    operations: tuple[Any, ...]

    _is_list = True

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for each in sorted(self.operations, key=lambda operation: -float(operation.total_us)):
            row: dict[str, Any] = {"operation": each.name, "pass": each.pass_name, "runs": each.runs}
            row.update({name: size.value for name, size in each.sizes.items()})
            row.update(run_us=each.run_us, total_us=each.total_us, share=each.share, bound=each.bound)
            row["hidden"] = each.overlapped
            rows.append(row)
        return rows

    def _caption(self) -> str:
        return f"{self.model} on {self.gpu}: step {self.step_us / 1e3:,.4g} ms, MFU {self.mfu:.1%}; largest cost first".strip()

    def to_pandas(self) -> pandas.DataFrame:
        """Return a row for each operation, in execution order."""
        rows = []
        for each in self.operations:
            row = each.to_dict()
            sizes = {name: size["value"] for name, size in row.pop("sizes", {}).items()}
            rows.append({**row, **row.pop("efficiency"), **sizes})
        return data_frame(rows)


class LintedStep(Step):
    pass


def lines_of(findings: Iterable[Any]) -> list[str]:
    """Findings with their cost and first fix."""
    lines = []
    for each in findings:
        lines.append(each.text + (f" ({each.cost})" if each.cost else ""))
        if each.proposals:
            lines.append(f"  fix: {each.proposals[0].summary}")
    return lines


class LintResult(Plain):
    """Return whether a finding is at or above the fail level: `if lint(…): …`."""

    findings: tuple[Any, ...]
    models: tuple[Any, ...]
    steps: tuple[Any, ...]
    problems: tuple[Any, ...]
    notes: tuple[str, ...]
    fails: bool

    def __bool__(self) -> bool:
        return self.fails

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.findings)

    def __str__(self) -> str:
        lines = [problem.text for problem in self.problems] + lines_of(self.findings)
        return "\n".join(lines) if lines else self._nothing

    @property
    def _nothing(self) -> str:
        return "nothing was found" if self.models else "\n".join(("nothing was checked", *self.notes))

    def _by_cost(self) -> list[Any]:
        return sorted(self.findings, key=lambda finding: (not finding.certain_to_fail, -float(finding.gain)))

    def _rows(self) -> list[dict[str, Any]]:
        return self._rows_of(self._by_cost())

    @staticmethod
    def _rows_of(findings: Iterable[Any]) -> list[dict[str, Any]]:
        """Return a row for each finding, with its first fix."""
        names = ("code", "rule", "severity", "confidence", "message", "field", "path", "gain", "gain_error", "cost")
        rows = []
        for each in findings:
            row: dict[str, Any] = {name: getattr(each, name) for name in names}
            row["line"] = each.range.line if each.range else None
            row["proposal"] = each.proposals[0].summary if each.proposals else None
            rows.append(row)
        return rows

    def to_pandas(self) -> pandas.DataFrame:
        """Return a row for each finding, by severity, then by cost."""
        return data_frame(self._rows_of(self.findings))

    def _failing(self, step: Any) -> list[str]:
        """Return the codes of findings that keep the step from starting on its GPU."""
        findings = [each for each in self.findings if each.certain_to_fail and each.model == step.model]
        return list(dict.fromkeys(each.code for each in findings if not each.gpu or step.gpu in each.gpu.split(", ")))

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        problems = "".join(f"<p>{html.escape(problem.text)}</p>" for problem in self.problems)
        steps = []
        names = {model.id: model.name for model in self.models}
        for step in self.steps:
            text = f"{names.get(step.model, '')} {step.gpu}: "
            failing = self._failing(step)
            if failing or step.out_of_memory:
                until = "fixed: " + ", ".join(failing) if failing else "it fits"
                steps.append(f"<p>{html.escape(f'{text}n/a until {until}'.strip())}</p>")
                continue
            text += f"{step.step_us / 1e3:,.4g} ms a step, MFU {step.mfu:.1%}"
            if step.after.applied:
                changes = ", ".join(str(change) for change in step.after.applied)
                text += f"; with {changes} {step.after.step_us / 1e3:,.4g} ms"
            steps.append(f"<p>{html.escape(text.strip())}</p>")
        rows: list[dict[str, Any]] = []
        for each in self._by_cost():
            fix = each.proposals[0].summary if each.proposals else ""
            finding = f"{each.message}: {each.label}" if each.label else each.message
            rows.append({"rule": f"{each.severity} {each.code}", "finding": finding, "cost": each.cost, "fix": fix})
        if not rows:
            return (problems or f"<p>{self._nothing}</p>") + "".join(steps)
        return problems + table_html(rows, is_list=True) + "".join(steps)


class Suggestion(Plain):
    changes: tuple[Any, ...]
    gain: float
    gain_error: Any

    def __str__(self) -> str:
        return f"{', '.join(str(change) for change in self.changes)}: {self.gain:.1%} ± {self.gain_error or 0:.1%}"


class SuggestResult(Plain):
    """Iterate over the suggestions: `for each in suggest(…)`."""

    model: str
    gpus: tuple[str, ...]
    start: Any
    suggestions: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.suggestions)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.suggestions)

    def __getitem__(self, index: int) -> Any:
        return self.suggestions[index]

    def _rows(self) -> list[dict[str, Any]]:
        """Return a row for each suggestion, with a column for each changed field."""
        rows = []
        for each in self.suggestions:
            row: dict[str, Any] = {"gain": each.gain, "gain_error": each.gain_error, "parameters": each.parameters}
            row.update({change.field: change.after for change in each.changes})
            rows.append(row)
        return rows

    _is_list = True

    def _caption(self) -> str:
        if not self.suggestions:
            return f"{self.model}: no faster shape was found"
        return f"{self.model}, {self.start.parameters:,} parameters, on {', '.join(self.gpus)}; best first"

    def to_pandas(self) -> pandas.DataFrame:
        """Return `to_dataframe()`."""
        return self.to_dataframe()


def _degrees(parallel: Any) -> dict[str, int]:
    """Return the parallelism above 1."""
    return {name: degree for name, degree in parallel.to_dict().items() if degree > 1}


class PlanResult(Plain):
    """Iterate over the plans for the best number of GPUs, best first; in serving those of the Pareto front."""

    model: str
    kind: str
    counts: tuple[Any, ...]
    best: int | None

    _is_list = True

    @property
    def plans(self) -> tuple[Any, ...]:
        """Return the best plan, or None."""
        count = None if self.best is None else self.counts[self.best]
        return () if count is None else tuple(count.plans if self.kind == "training" else count.front)

    def __len__(self) -> int:
        return len(self.plans)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.plans)

    def __getitem__(self, index: int) -> Any:
        return self.plans[index]

    def _rows(self) -> list[dict[str, Any]]:
        return [{**_degrees(each.parallel), **each._row()} for each in self.plans]

    def _caption(self) -> str:
        if self.best is None:
            return f"{self.model}: no plan does what is asked"
        count = self.counts[self.best]
        return f"{self.model}, {self.kind} on {count.num_gpus} {count.gpu}"
