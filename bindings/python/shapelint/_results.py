"""Whole answers: what `lint`, `price`, `suggest` and `sweep` give."""

from __future__ import annotations

import dataclasses
import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping

from ._tables import data_frame, table_html
from ._types import Change, Finding, Gpu, Model, Problem, _many, _Plain, _with

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class KernelCost(_Plain):
    """One run of a kernel. `alignment`, `tile`, `wave` and `rest` are shares that multiply to ideal_us / time_us."""

    time_us: float
    ideal_us: float
    bound: str
    compute_us: float
    memory_us: float
    overhead_us: float
    alignment: float
    tile: float
    wave: float
    rest: float
    tile_m: int
    tile_n: int
    split_k: int
    waves: float


@dataclass(frozen=True)
class Operation(_Plain):
    """A kernel of a step: how often it runs, what one run and all of them cost."""

    name: str
    kind: str
    pass_name: str
    dtype: str
    count: float
    cost: KernelCost
    total_us: float
    share: float
    overlapped: bool
    sizes: Mapping[str, int]
    layout: str
    bytes: float
    ranks: int


@dataclass(frozen=True)
class Step(_Plain):
    """One training step, prompt or decoding step on one of the GPUs that it runs on."""

    model: str
    part: str
    gpu: str
    time_us: float
    compute_us: float
    memory_us: float
    communication_us: float
    overhead_us: float
    bubble_us: float
    hidden_us: float
    bound: str
    mfu: float
    hfu: float
    tokens_per_step: float
    tokens_per_s: float
    model_flops: float
    parameters: int
    memory_bytes: float
    memory_capacity_bytes: float
    operations: tuple[Operation, ...] = dataclasses.field(repr=False)

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Step:
        operations = tuple(Operation(**_with(each, cost=KernelCost(**each["cost"]))) for each in value["operations"])
        return cls(**_with(value, operations=operations))

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for each in sorted(self.operations, key=lambda operation: -operation.total_us):
            row: dict[str, Any] = {"operation": each.name, "pass": each.pass_name, "count": each.count}
            row.update(each.sizes)
            row.update(time_us=each.cost.time_us, total_us=each.total_us, share=each.share, bound=each.cost.bound)
            row["hidden"] = each.overlapped
            rows.append(row)
        return rows

    _is_list = True

    def _caption(self) -> str:
        return f"{self.model} on {self.gpu}: step {self.time_us / 1e3:,.4g} ms, MFU {self.mfu:.1%}; largest cost first".strip()

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each operation, in the order in which they run."""
        rows = []
        for each in self.operations:
            row = {**each.to_dict(), **each.sizes, **dataclasses.asdict(each.cost)}
            rows.append({key: value for key, value in row.items() if key not in ("cost", "sizes")})
        return data_frame(rows)


@dataclass(frozen=True)
class Improvement(_Plain):
    """A step as the file has it, and with all proposals that go together. `model` is its place in Report.models."""

    model: int
    before: Step
    after_us: float
    gain: float
    applied: tuple[Change, ...]

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Improvement:
        return cls(**_with(value, before=Step._of(value["before"]), applied=_many(Change, value["applied"])))


def lines_of(findings: Iterable[Finding]) -> list[str]:
    """Each with its cost, and its first proposal."""
    lines = []
    for each in findings:
        lines.append(each.text + (f" ({each.cost})" if each.cost else ""))
        if each.proposals:
            lines.append(f"  try: {each.proposals[0].summary}")
    return lines


@dataclass(frozen=True)
class Report(_Plain):
    """What the linter found. True where something was found at or above the fail level: `if lint(…): …`."""

    findings: tuple[Finding, ...]
    models: tuple[Model, ...] = dataclasses.field(repr=False)
    steps: tuple[Improvement, ...] = dataclasses.field(repr=False)
    gpus: tuple[Gpu, ...] = dataclasses.field(repr=False)
    suppressed: int
    known: int
    fails: bool
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Report:
        return cls(
            findings=tuple(Finding._of(each) for each in value["findings"]),
            models=tuple(Model._of(each) for each in value["models"]),
            steps=tuple(Improvement._of(each) for each in value["steps"]),
            gpus=_many(Gpu, value["gpus"]),
            suppressed=value["suppressed"],
            known=value["known"],
            fails=value["fails"],
            notes=tuple(value["notes"]),
            problems=tuple(Problem._of(each) for each in value["errors"]),
        )

    def __bool__(self) -> bool:
        return self.fails

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __str__(self) -> str:
        lines = [problem.text for problem in self.problems] + lines_of(self.findings)
        return "\n".join(lines) if lines else self._nothing

    @property
    def _nothing(self) -> str:
        return "nothing was found" if self.models else "\n".join(("nothing was checked", *self.notes))

    def _by_cost(self) -> list[Finding]:
        return sorted(self.findings, key=lambda finding: (not finding.certain_to_fail, -finding.gain))

    def _rows(self) -> list[dict[str, Any]]:
        return self._rows_of(self._by_cost())

    @staticmethod
    def _rows_of(findings: Iterable[Finding]) -> list[dict[str, Any]]:
        """A row for each finding, with its first proposal."""
        names = ("code", "rule", "severity", "confidence", "message", "field", "path", "gain", "gain_error", "cost")
        rows = []
        for each in findings:
            row: dict[str, Any] = {name: getattr(each, name) for name in names}
            row["line"] = each.range.line if each.range else None
            row["proposal"] = each.proposals[0].summary if each.proposals else None
            rows.append(row)
        return rows

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each finding, in the order of the report: by severity, then by cost."""
        return data_frame(self._rows_of(self.findings))

    def _repr_html_(self) -> str:
        """For notebooks."""
        problems = "".join(f"<p>{html.escape(problem.text)}</p>" for problem in self.problems)
        steps = []
        for step in self.steps:
            model = self.models[step.model].name if step.model < len(self.models) else ""
            text = f"{model} {step.before.gpu}: {step.before.time_us / 1e3:,.4g} ms a step, MFU {step.before.mfu:.1%}"
            if step.applied:
                changes = ", ".join(str(change) for change in step.applied)
                text += f"; with {changes} {step.after_us / 1e3:,.4g} ms"
            steps.append(f"<p>{html.escape(text.strip())}</p>")
        rows: list[dict[str, Any]] = []
        for each in self._by_cost():
            fix = each.proposals[0].summary if each.proposals else ""
            finding = f"{each.message}: {each.label}" if each.label else each.message
            rows.append({"rule": f"{each.severity} {each.code}", "finding": finding, "cost": each.cost, "fix": fix})
        if not rows:
            return (problems or f"<p>{self._nothing}</p>") + "".join(steps)
        return problems + table_html(rows, is_list=True) + "".join(steps)


@dataclass(frozen=True)
class Performance(_Plain):
    time_us: float
    mfu: float
    tokens_per_s: float
    dollars_per_m_tokens: float
    memory_gb: float
    capacity_gb: float


@dataclass(frozen=True)
class Cause(_Plain):
    """Time that one effect takes less in one operation: a share of the start's step. Negative: more."""

    operation: str
    effect: str
    description: str
    share: float
    sizes: str


@dataclass(frozen=True)
class SuggestionOnGpu(_Plain):
    gpu: str
    performance: Performance
    gain: float
    gain_error: float
    measured: bool
    causes: tuple[Cause, ...]
    other: float


@dataclass(frozen=True)
class Suggestion(_Plain):
    """A better shape: `changes` make it, `implied` follow from them."""

    changes: tuple[Change, ...]
    implied: tuple[Change, ...]
    parameters: int
    gain: float
    gain_error: float
    of_best: float
    gpus: tuple[SuggestionOnGpu, ...] = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return f"{', '.join(str(change) for change in self.changes)}: {self.gain:.1%} ± {self.gain_error:.1%}"


@dataclass(frozen=True)
class Suggestions(_Plain):
    """What a search found, best first. Goes through the suggestions: `for each in suggest(…)`."""

    model: str
    path: str
    shape_note: str
    gpus: tuple[str, ...]
    start: tuple[Performance, ...]
    start_parameters: int
    suggestions: tuple[Suggestion, ...]
    behind_front: float
    candidates: float
    priced: float
    complete: bool
    gap: float

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Suggestions:
        def on_gpu(each: Mapping[str, Any]) -> SuggestionOnGpu:
            performance = Performance(**each["performance"])
            return SuggestionOnGpu(**_with(each, performance=performance, causes=_many(Cause, each["causes"])))

        def suggestion(each: Mapping[str, Any]) -> Suggestion:
            changes, implied = _many(Change, each["changes"]), _many(Change, each["implied"])
            on_gpus = tuple(on_gpu(gpu) for gpu in each["gpus"])
            return Suggestion(**_with(each, changes=changes, implied=implied, gpus=on_gpus))

        start = _many(Performance, value["start"])
        suggestions = tuple(suggestion(each) for each in value["suggestions"])
        return cls(**_with(value, start=start, suggestions=suggestions))

    def __len__(self) -> int:
        return len(self.suggestions)

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.suggestions)

    def __getitem__(self, index: int) -> Suggestion:
        return self.suggestions[index]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each suggestion, with a column for each field that any of them changes."""
        rows = []
        for each in self.suggestions:
            row: dict[str, Any] = {"gain": each.gain, "gain_error": each.gain_error, "parameters": each.parameters}
            row.update({change.field: change.after_number for change in each.changes})
            rows.append(row)
        return rows

    _is_list = True

    def _caption(self) -> str:
        if not self.suggestions:
            return f"{self.model}: no faster shape was found"
        return f"{self.model}, {self.start_parameters:,} parameters, on {', '.join(self.gpus)}; best first"

    def to_pandas(self) -> pandas.DataFrame:
        """The same as `to_dataframe()`."""
        return self.to_dataframe()
