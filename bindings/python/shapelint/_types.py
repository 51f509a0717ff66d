"""What the functions of the package give: plain values under the names of the C++ library (docs/how-to/use-from-cpp.md)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Mapping, Type, TypeVar

from ._tables import Tabular

_T = TypeVar("_T")


def _with(value: Mapping[str, Any], **made: Any) -> dict[str, Any]:
    """A dictionary of the library with some of its values made into what they are here."""
    return {**value, **made}


def _many(kind: Type[_T], values: Any) -> tuple[_T, ...]:
    return tuple(kind(**value) for value in values)


class _Plain(Tabular):
    """Values to and from dictionaries."""

    def _row(self) -> dict[str, Any]:
        """Numbers, texts and what is shown on one line: a row among others of its kind."""
        row: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            is_short = isinstance(value, (str, int, float, Mapping)) or (
                isinstance(value, tuple) and all(isinstance(each, (str, int, float)) for each in value)
            )
            if is_short and field.repr:
                row[field.name] = value
        return row

    def _rows(self) -> list[dict[str, Any]]:
        return [self._row()]

    def to_dict(self) -> dict[str, Any]:
        """Nested dictionaries, tuples and numbers, as JSON takes them."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Range(_Plain):
    """A part of a text: bytes from 0; lines and columns from 1, columns in code points; the end is not part of it."""

    begin_byte: int
    end_byte: int
    line: int
    column: int
    end_line: int
    end_column: int


def _range(value: Any) -> Range | None:
    return None if value is None else Range(**value)


@dataclass(frozen=True)
class Problem(_Plain):
    """Why there is no answer. `code` stays the same from version to version; `text` is all of it on one line."""

    code: str
    message: str
    hint: str
    path: str
    range: Range | None
    text: str

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Problem:
        return cls(**_with(value, range=_range(value["range"])))


class ShapelintError(ValueError):
    """A question that has no answer: `problems` has all that is wrong, the rest of the attributes the first of them."""

    def __init__(self, problems: tuple[Problem, ...]):
        super().__init__("\n".join(problem.text for problem in problems))
        self.problems = problems
        first = problems[0]
        self.code = first.code
        self.message = first.message
        self.hint = first.hint
        self.path = first.path
        self.line = first.range.line if first.range else None
        self.column = first.range.column if first.range else None

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.problems,))


@dataclass(frozen=True)
class Gpu(_Plain):
    """Figures of vendors' documents; 0 where none is known. `peak_tflops` by number format, dense."""

    id: str
    name: str
    vendor: str
    aliases: tuple[str, ...]
    architecture: str
    compute_capability: str
    sm_count: int
    peak_tflops: Mapping[str, float]
    dram_bandwidth_gb_s: float
    dram_gb: float
    l2_mib: float
    link_gb_s: float
    boost_clock_mhz: float
    tdp_w: float
    calibration: str
    calibration_source: str


@dataclass(frozen=True)
class Rule(_Plain):
    code: str
    name: str
    since: str
    status: str
    severity: str
    confidence: str
    scope: str
    effect: str
    summary: str
    mechanism: str
    page: str = dataclasses.field(repr=False)
    sources: tuple[str, ...] = dataclasses.field(repr=False)
    parameters: Mapping[str, float] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class Field(_Plain):
    """Something that can be said of a model or its plan, and given to every function by its name."""

    name: str
    section: str
    type: str
    minimum: int
    maximum: int
    choices: tuple[str, ...]
    unit: str
    doc: str


@dataclass(frozen=True)
class Value(_Plain):
    """A field's value; `origin` is unknown, stated, given, derived or defaulted, and `note` from what."""

    field: str
    text: str
    number: int
    origin: str
    note: str
    path: str
    key_path: str
    range: Range | None


@dataclass(frozen=True)
class Note(_Plain):
    message: str
    path: str
    key_path: str
    range: Range | None


@dataclass(frozen=True)
class Model(_Plain):
    """One model of a file, as it is understood."""

    name: str
    path: str
    dialect: str
    type: str
    part: str
    complete: bool
    values: tuple[Value, ...] = dataclasses.field(repr=False)
    parameters: int
    active_parameters: int
    notes: tuple[Note, ...]

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Model:
        values = tuple(Value(**_with(each, range=_range(each["range"]))) for each in value["values"])
        notes = tuple(Note(**_with(each, range=_range(each["range"]))) for each in value["notes"])
        return cls(**_with(value, values=values, notes=notes))

    def __getitem__(self, field: str) -> str:
        """A field's value as a native file states it: `model["hidden_size"]`; empty when it is unknown."""
        for value in self.values:
            if value.field == field:
                return value.text
        raise KeyError(field)


@dataclass(frozen=True)
class Change(_Plain):
    """A field set to another value, as text and (booleans 0 or 1, the index of a choice) as a number."""

    field: str
    before: str
    after: str
    before_number: int
    after_number: int

    def __str__(self) -> str:
        return f"{self.field} {self.before} → {self.after}"


@dataclass(frozen=True)
class GpuGain(_Plain):
    gpu: str
    gain: float
    gain_error: float


@dataclass(frozen=True)
class Edit(_Plain):
    """New text for some bytes of the file."""

    range: Range
    text: str


@dataclass(frozen=True)
class Proposal(_Plain):
    """One way out of a finding. Gains are shares of the step's time: 0.073 is 7.3 %."""

    summary: str
    changes: tuple[Change, ...]
    implied: tuple[Change, ...]
    gain: float
    gain_error: float
    gains: tuple[GpuGain, ...] = dataclasses.field(repr=False)
    parameters_before: int
    parameters_after: int
    memory_before_gb: float
    memory_after_gb: float
    edits: tuple[Edit, ...] = dataclasses.field(repr=False)

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Proposal:
        return cls(
            **_with(
                value,
                changes=_many(Change, value["changes"]),
                implied=_many(Change, value["implied"]),
                gains=_many(GpuGain, value["gains"]),
                edits=tuple(Edit(Range(**each["range"]), each["text"]) for each in value["edits"]),
            )
        )


@dataclass(frozen=True)
class Finding(_Plain):
    """Something that costs time or does not run. `text` is all of it on one line, with its place."""

    code: str
    rule: str
    severity: str
    confidence: str
    model: int
    gpu: str
    message: str
    label: str
    why: str = dataclasses.field(repr=False)
    note: str = dataclasses.field(repr=False)
    cost: str
    how: str = dataclasses.field(repr=False)
    field: str
    path: str
    range: Range | None = dataclasses.field(repr=False)
    use_range: Range | None = dataclasses.field(repr=False)
    key_path: str
    certain_to_fail: bool
    gain: float
    gain_error: float
    gains: tuple[GpuGain, ...]
    proposals: tuple[Proposal, ...]
    operations: tuple[str, ...]
    url: str
    text: str

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _of(cls, value: Mapping[str, Any]) -> Finding:
        return cls(
            **_with(
                value,
                range=_range(value["range"]),
                use_range=_range(value["use_range"]),
                gains=_many(GpuGain, value["gains"]),
                proposals=tuple(Proposal._of(each) for each in value["proposals"]),
            )
        )
