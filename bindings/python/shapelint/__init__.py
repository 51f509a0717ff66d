"""Finds the dimensions of a neural network that waste time on a GPU, prices them, and proposes better ones.

>>> import shapelint
>>> shapelint.lint("config.json", gpu="h100", micro_batch_size=8)  # doctest: +SKIP
"""

from ._error import ShapelintError
from ._functions import find_gpu, find_rule, fields, gpus, kernel, lint, price, read, rules, suggest, sweep
from ._generated import (
    After,
    Change,
    Edit,
    Field,
    Finding,
    Gpu,
    GpuGain,
    KernelCost,
    LintedModel,
    LintedStep,
    LintResult,
    Memory,
    Model,
    Note,
    Operation,
    Problem,
    Proposal,
    Range,
    Rule,
    Step,
    Suggestion,
    SuggestionOnGpu,
    SuggestResult,
    Value,
)
from ._shapelint import version as _version

__version__: str = _version()

__all__ = [
    "After",
    "Change",
    "Edit",
    "Field",
    "Finding",
    "Gpu",
    "GpuGain",
    "KernelCost",
    "LintResult",
    "LintedModel",
    "LintedStep",
    "Memory",
    "Model",
    "Note",
    "Operation",
    "Problem",
    "Proposal",
    "Range",
    "Rule",
    "ShapelintError",
    "Step",
    "SuggestResult",
    "Suggestion",
    "SuggestionOnGpu",
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
