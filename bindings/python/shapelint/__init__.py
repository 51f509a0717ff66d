"""Finds the dimensions of a neural network that waste time on a GPU, prices them, and proposes better ones.

>>> import shapelint
>>> shapelint.lint("config.json", gpu="h100", micro_batch_size=8)  # doctest: +SKIP
"""

from ._functions import find_gpu, find_rule, fields, gpus, kernel, lint, price, read, rules, suggest, sweep
from ._results import (
    Cause,
    Improvement,
    KernelCost,
    Operation,
    Performance,
    Report,
    Step,
    Suggestion,
    SuggestionOnGpu,
    Suggestions,
)
from ._shapelint import version as _version
from ._types import (
    Change,
    Edit,
    Field,
    Finding,
    Gpu,
    GpuGain,
    Model,
    Note,
    Problem,
    Proposal,
    Range,
    Rule,
    ShapelintError,
    Value,
)

__version__: str = _version()

__all__ = [
    "Cause",
    "Change",
    "Edit",
    "Field",
    "Finding",
    "Gpu",
    "GpuGain",
    "Improvement",
    "KernelCost",
    "Model",
    "Note",
    "Operation",
    "Performance",
    "Problem",
    "Proposal",
    "Range",
    "Report",
    "Rule",
    "ShapelintError",
    "Step",
    "Suggestion",
    "SuggestionOnGpu",
    "Suggestions",
    "Value",
    "fields",
    "find_gpu",
    "find_rule",
    "gpus",
    "kernel",
    "lint",
    "price",
    "read",
    "rules",
    "suggest",
    "sweep",
]
