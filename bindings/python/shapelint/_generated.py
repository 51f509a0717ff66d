"""Generated from include/shapelint; _behaviour.py adds their methods."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal, Mapping, Union

from . import _behaviour
from ._behaviour import Plain

Scalar = Union[int, bool, str, float]
Origin = Literal["unknown", "stated", "given", "derived", "default"]
Severity = Literal["info", "warning", "error"]
Confidence = Literal["estimated", "measured", "certain"]
Applicability = Literal["safe", "unsafe", "manual"]
Bound = Literal["compute", "memory", "communication", "overhead", "bubble"]
FieldType = Literal["integer", "boolean", "choice"]
Shape = Literal["free", "padding", "fixed"]


@dataclass(frozen=True)
class Place(Plain):
    """A place in a text.

    line: from 1
    column: from 1, in Unicode code points
    byte: from 0
    """

    _order = ("line", "column", "byte", )

    line: int
    column: int
    byte: int


@dataclass(frozen=True)
class Range(_behaviour.Range):
    """Some bytes of a text.

    end: behind the last
    """

    _order = ("start", "end", )
    _nested = {"start": "Place", "end": "Place", }

    start: Place
    end: Place


@dataclass(frozen=True)
class Problem(_behaviour.Problem):
    """Why there is no answer, or none about a file.

    code: what kind it is: not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option, no-model, incomplete, unable, no-candidates
    message: what was seen
    hint: what to try
    path: of the file that it is about
    range: in that file; absent: the file as a whole
    """

    _order = ("code", "message", "hint", "path", "range", )
    _may_be_absent = frozenset(("hint", "path", "range", ))
    _nested = {"range": "Range", }

    code: str
    message: str
    hint: str = dataclasses.field(default="")
    path: str = dataclasses.field(default="")
    range: Range | None = dataclasses.field(default=None)


@dataclass(frozen=True)
class Gpu(Plain):
    """Figures of vendors' documents.

    id: `a100-sxm4-80gb`
    aliases: other names that it is found by
    architecture: `ampere`
    compute_capability: `8.0`
    sm_count: compute units on AMD
    peaks_tflops: by number format that it multiplies: fp32, tf32, fp16, bf16, fp8, int8, fp4; dense, with fp32 accumulation
    tensor_core_dtypes: of these, what its matrix units multiply
    dram_gb_s: 10^9 bytes per second
    dram_bytes: of its memory
    l2_bytes: of its last cache
    link_gb_s: per direction, within a node
    calibration: how well predictions are backed: calibrated, architecture, uncalibrated …
    calibration_source: what they are backed by
    """

    _order = ("id", "name", "vendor", "aliases", "architecture", "compute_capability", "sm_count", "peaks_tflops", "tensor_core_dtypes", "dram_gb_s", "dram_bytes", "l2_bytes", "link_gb_s", "boost_clock_mhz", "tdp_w", "calibration", "calibration_source", )
    _may_be_absent = frozenset(("compute_capability", "calibration_source", ))

    id: str
    name: str
    vendor: str
    aliases: tuple[str, ...]
    architecture: str
    sm_count: int
    peaks_tflops: Mapping[str, float] = dataclasses.field(repr=False)
    tensor_core_dtypes: tuple[str, ...]
    dram_gb_s: float
    dram_bytes: int | None
    l2_bytes: int | None
    link_gb_s: float | None
    boost_clock_mhz: float | None
    tdp_w: float | None
    calibration: str
    compute_capability: str = dataclasses.field(default="")
    calibration_source: str = dataclasses.field(default="")


@dataclass(frozen=True)
class Value(Plain):
    """A field's value, and where it comes from.

    origin: unknown: nobody gave it; stated: the file; given: the caller or the configuration; derived: other fields; default: somebody's default
    note: derived: from what; default: whose
    path: stated: in this file, which may be another one (inheritance)
    key_path: stated: as the file calls it
    range: stated: the value
    key_range: stated: its key
    """

    _order = ("value", "origin", "note", "path", "key_path", "range", "key_range", )
    _may_be_absent = frozenset(("note", "path", "key_path", "range", "key_range", ))
    _nested = {"range": "Range", "key_range": "Range", }

    value: Scalar | None
    origin: Origin
    note: str = dataclasses.field(default="")
    path: str = dataclasses.field(default="")
    key_path: str = dataclasses.field(default="")
    range: Range | None = dataclasses.field(default=None)
    key_range: Range | None = dataclasses.field(default=None)


@dataclass(frozen=True)
class Note(Plain):
    """Something in a file that was not understood, or had to be decided.

    path: of the file
    """

    _order = ("message", "path", "key_path", "range", )
    _may_be_absent = frozenset(("path", "key_path", "range", ))
    _nested = {"range": "Range", }

    message: str
    path: str = dataclasses.field(default="")
    key_path: str = dataclasses.field(default="")
    range: Range | None = dataclasses.field(default=None)


@dataclass(frozen=True)
class LintedModel(_behaviour.LintedModel):
    """A model that was linted.

    id: path and part: `config.json#text`; what other objects call it by
    path: of its file
    part: which of several: `text`, `vision`
    dialect: `native`, `huggingface` …
    type: as the file calls it: `llama`
    complete: enough is known to cost it
    parameters: of all ranks together
    active_parameters: that take part in one token's forward pass
    fields: by name, where they are asked for
    notes: what was not understood, or had to be decided
    gpus_assumed: nobody named one
    gpus_left_out: ids of those named that cannot multiply what is stored
    shape_note: what of the model is taken as fixed, and why
    min_gain: findings that save less are left out
    """

    _order = ("id", "name", "path", "part", "dialect", "type", "complete", "parameters", "active_parameters", "fields", "notes", "gpus_assumed", "gpus_left_out", "shape_note", "min_gain", )
    _may_be_absent = frozenset(("part", "type", "fields", "shape_note", ))
    _nested = {"fields": "Value", "notes": "Note", }

    id: str
    name: str
    path: str
    dialect: str
    complete: bool
    parameters: int | None
    active_parameters: int | None
    notes: tuple[Note, ...] = dataclasses.field(repr=False)
    gpus_assumed: bool
    gpus_left_out: tuple[str, ...]
    min_gain: float
    part: str = dataclasses.field(default="")
    type: str = dataclasses.field(default="")
    fields: Mapping[str, Value] = dataclasses.field(default_factory=dict, repr=False)
    shape_note: str = dataclasses.field(default="")


@dataclass(frozen=True)
class GpuGain(Plain):
    """What something saves on one GPU: a share of the time per token, 1 - new / old.

    gpu: id
    gain_error: half width of its interval
    step_us: of a proposal: of a step now, and with it
    """

    _order = ("gpu", "gain", "gain_error", "step_us", "new_step_us", )
    _may_be_absent = frozenset(("step_us", "new_step_us", ))

    gpu: str
    gain: float
    gain_error: float | None
    step_us: float = dataclasses.field(default=0)
    new_step_us: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class Change(_behaviour.Change):
    """A field set to another value.

    field: `hidden_size`; of a layer of a CNN as the file calls it: `conv[2].out_channels`
    """

    _order = ("field", "before", "after", )

    field: str
    before: Scalar
    after: Scalar


@dataclass(frozen=True)
class Edit(Plain):
    """New text for some bytes of a file; of several, make all, the last first.

    path: of the file
    """

    _order = ("path", "range", "new_text", )
    _nested = {"range": "Range", }

    path: str
    range: Range
    new_text: str


@dataclass(frozen=True)
class Proposal(Plain):
    """One way out of a finding.

    summary: all of it in words, on one line
    applicability: safe: it leaves what is trained as it is; unsafe: it does not; manual: the file alone cannot take it
    changes: what to edit
    implied: what follows without being edited
    edits: that make the changes in the linted file; none of a manual one
    gain: share of the step's time, the mean over the finding's GPUs
    gain_error: half width of its interval
    memory_bytes_before: that the run needs on one GPU
    or_multiple_of: of one change: other multiples of this, near it and in its direction, gain as much
    """

    _order = ("summary", "applicability", "changes", "implied", "edits", "gain", "gain_error", "by_gpu", "parameters_before", "parameters_after", "memory_bytes_before", "memory_bytes_after", "or_multiple_of", )
    _may_be_absent = frozenset(("or_multiple_of", ))
    _nested = {"changes": "Change", "implied": "Change", "edits": "Edit", "by_gpu": "GpuGain", }

    summary: str
    applicability: Applicability
    changes: tuple[Change, ...] = dataclasses.field(repr=False)
    implied: tuple[Change, ...] = dataclasses.field(repr=False)
    edits: tuple[Edit, ...] = dataclasses.field(repr=False)
    gain: float
    gain_error: float | None
    by_gpu: tuple[GpuGain, ...] = dataclasses.field(repr=False)
    parameters_before: int
    parameters_after: int
    memory_bytes_before: int | None
    memory_bytes_after: int | None
    or_multiple_of: int = dataclasses.field(default=0)


@dataclass(frozen=True)
class Finding(_behaviour.Finding):
    """Something that costs time, or does not run.

    id: stays the same when lines are added above or the file is reformatted; the same in every output
    code: `SL101`
    rule: `vocab-misaligned`
    confidence: what the gain rests on: the cost model alone, measurements on this GPU, or arithmetic
    model: its id
    gpu: id of the only GPU that it holds for; absent: all of the run
    message: what is wrong, with numbers
    label: what it leads to or why, in a few words
    why: the mechanism
    note: what else to know: whose default a value is
    cost: the gain in words
    how: how the file's framework does what is proposed first
    field: that is blamed
    path: of the file that states it
    key_path: as the file calls it: `model.hidden_size`
    range: the value; absent when no file states it
    use_range: where it is used, when it is written elsewhere
    certain_to_fail: the run cannot start
    gain: share of the step that the best proposal saves
    gain_error: half width of its interval
    proposals: best first
    operations: names of those that lose time
    related: fields that it is about, too
    assumed: fields that nobody stated, and it would be another without
    url: of the rule's page
    """

    _order = ("id", "code", "rule", "severity", "confidence", "model", "gpu", "message", "label", "why", "note", "cost", "how", "field", "path", "key_path", "range", "use_range", "certain_to_fail", "gain", "gain_error", "by_gpu", "proposals", "operations", "related", "assumed", "url", )
    _may_be_absent = frozenset(("gpu", "label", "why", "note", "cost", "how", "field", "key_path", "range", "use_range", "url", ))
    _nested = {"range": "Range", "use_range": "Range", "by_gpu": "GpuGain", "proposals": "Proposal", }

    id: str
    code: str
    rule: str
    severity: Severity
    confidence: Confidence
    model: str
    message: str
    path: str
    certain_to_fail: bool
    gain: float
    gain_error: float | None
    by_gpu: tuple[GpuGain, ...] = dataclasses.field(repr=False)
    proposals: tuple[Proposal, ...] = dataclasses.field(repr=False)
    operations: tuple[str, ...]
    related: tuple[str, ...]
    assumed: tuple[str, ...]
    gpu: str = dataclasses.field(default="")
    label: str = dataclasses.field(default="")
    why: str = dataclasses.field(default="")
    note: str = dataclasses.field(default="")
    cost: str = dataclasses.field(default="")
    how: str = dataclasses.field(default="")
    field: str = dataclasses.field(default="")
    key_path: str = dataclasses.field(default="")
    range: Range | None = dataclasses.field(default=None)
    use_range: Range | None = dataclasses.field(default=None)
    url: str = dataclasses.field(default="")


@dataclass(frozen=True)
class MemoryParts(Plain):
    """Bytes of one GPU's memory, by what they are for.

    optimizer: states, and the copy of weights that it updates
    activations: beside these, at the fullest moment
    kv_cache: of the sequences of a step, and what recurrent layers keep
    """

    _order = ("weights", "gradients", "optimizer", "activations", "kv_cache", )
    _may_be_absent = frozenset(("weights", "gradients", "optimizer", "activations", "kv_cache", ))

    weights: int = dataclasses.field(default=0)
    gradients: int = dataclasses.field(default=0)
    optimizer: int = dataclasses.field(default=0)
    activations: int = dataclasses.field(default=0)
    kv_cache: int = dataclasses.field(default=0)


@dataclass(frozen=True)
class Memory(Plain):
    """What a run needs of one GPU's memory, an estimate.

    total_bytes: that it needs: the parts together; null where nobody says how weights are stored
    usable_bytes: that tensors can have of the GPU's
    capacity_bytes: that the GPU has
    fits: total_bytes are usable
    host_bytes: in the host's memory, of this GPU
    """

    _order = ("total_bytes", "usable_bytes", "capacity_bytes", "fits", "parts", "host_bytes", )
    _may_be_absent = frozenset(("host_bytes", ))
    _nested = {"parts": "MemoryParts", }

    total_bytes: int | None
    usable_bytes: int | None
    capacity_bytes: int | None
    fits: bool | None
    parts: MemoryParts
    host_bytes: int = dataclasses.field(default=0)


@dataclass(frozen=True)
class OperationSize(Plain):
    """A dimension of an operation.

    expression: where it comes from: `3 * hidden_size / tensor`
    """

    _order = ("value", "expression", )
    _may_be_absent = frozenset(("expression", ))

    value: int
    expression: str = dataclasses.field(default="")


@dataclass(frozen=True)
class Efficiency(Plain):
    """Shares in (0, 1] that multiply to ideal_us / run_us; 1: nothing is lost.

    alignment: dimensions that are no multiple of what the hardware loads at once
    tile: partial tiles that are computed in full
    wave: SMs that idle in the last wave
    rest: launch, ramp, and rates below the data sheet
    """

    _order = ("alignment", "tile", "wave", "rest", )

    alignment: float
    tile: float
    wave: float
    rest: float


@dataclass(frozen=True)
class Tile(Plain):
    """How a matrix product is divided over SMs.

    split_k: tiles that share one part of the result
    waves: tiles by those that run at once
    """

    _order = ("m", "n", "split_k", "waves", )

    m: int
    n: int
    split_k: int
    waves: float


@dataclass(frozen=True)
class Operation(Plain):
    """A kernel or a collective of a step: what one run and all of them take.

    id: name and pass: `layer.mlp.up/forward`
    name: `layer.mlp.up`
    kind: gemm, attention, scan, elementwise, collective
    pass: forward, recompute, grad_input, grad_weight, backward, update
    runs: how often it runs in the step
    sizes: gemm: batch, m, n, k of C[m,n] = A[m,k] B[k,n]; attention: sequences, heads, key_value_heads, query_length, key_length, head_dim, value_head_dim; scan: sequences, length, key_heads, value_heads, key_dim, value_dim, chunk
    layout: of a gemm; tn: y = x W^T; nn: its input gradient; nt: its weight gradient
    causal: attention to what is before alone
    window: attention to so many keys at most
    bytes: elementwise: moved; collective: the whole buffer
    collective: which: all-reduce, all-gather …
    ranks: that take part in a collective
    overlapped: a collective that hides behind computation
    run_us: of one run
    ideal_us: the same at the roofline of the data sheet
    bound: what limits it
    compute_us: what arithmetic would take alone; the three overlap
    memory_us: what moving bytes would take alone
    overhead_us: what launch and ramp take
    tile: of a matrix product
    total_us: of all runs
    share: total_us of the step's time; communication behind computation has one, too, so that shares may add up to more than 1
    kernel_head_dim: attention: what the kernel computes of each head, zeros included; absent where no kernel takes it
    """

    _order = ("id", "name", "kind", "pass", "dtype", "runs", "sizes", "layout", "causal", "window", "bytes", "collective", "ranks", "overlapped", "run_us", "ideal_us", "bound", "compute_us", "memory_us", "overhead_us", "efficiency", "tile", "total_us", "share", "kernel_head_dim", )
    _may_be_absent = frozenset(("sizes", "layout", "causal", "window", "bytes", "collective", "ranks", "overlapped", "tile", "kernel_head_dim", ))
    _nested = {"sizes": "OperationSize", "efficiency": "Efficiency", "tile": "Tile", }

    id: str
    name: str
    kind: str
    pass_name: str
    dtype: str
    runs: float
    run_us: float
    ideal_us: float
    bound: Bound
    compute_us: float
    memory_us: float
    overhead_us: float
    efficiency: Efficiency
    total_us: float
    share: float
    sizes: Mapping[str, OperationSize] = dataclasses.field(default_factory=dict, repr=False)
    layout: str = dataclasses.field(default="")
    causal: bool = dataclasses.field(default=False)
    window: int = dataclasses.field(default=0)
    bytes: float = dataclasses.field(default=0)
    collective: str = dataclasses.field(default="")
    ranks: int = dataclasses.field(default=0)
    overlapped: bool = dataclasses.field(default=False)
    tile: Tile | None = dataclasses.field(default=None)
    kernel_head_dim: int = dataclasses.field(default=0)


@dataclass(frozen=True)
class After(Plain):
    """A step with all proposals that go together.

    step_us: of that step
    gain: share of the time per token, of all together
    applied: nothing: there is nothing to apply
    left_out: what does not go with them
    """

    _order = ("step_us", "mfu", "gain", "applied", "left_out", "left_out_because", )
    _may_be_absent = frozenset(("left_out_because", ))
    _nested = {"applied": "Change", "left_out": "Change", }

    step_us: float
    mfu: float
    gain: float
    applied: tuple[Change, ...] = dataclasses.field(repr=False)
    left_out: tuple[Change, ...] = dataclasses.field(repr=False)
    left_out_because: str = dataclasses.field(default="")


@dataclass(frozen=True)
class Capacity(Plain):
    """What an engine has room for on one GPU.

    budget_bytes: that the engine may take
    runtime_bytes: activations of its longest step, context, kernels, NCCL's buffers
    kv_cache_bytes: left for the KV cache
    kv_cache_tokens: that it holds, in sequences of the longest length
    longest_sequence: tokens that a request may have
    concurrent_requests: of that length, at a time
    largest_sequence: tokens of the longest sequence that has room
    weights_known: the GPU's memory and the weights' format are
    starts: the engine does
    """

    _order = ("budget_bytes", "runtime_bytes", "kv_cache_bytes", "kv_cache_tokens", "longest_sequence", "concurrent_requests", "largest_sequence", "weights_known", "starts", )

    budget_bytes: int | None
    runtime_bytes: int
    kv_cache_bytes: int | None
    kv_cache_tokens: int | None
    longest_sequence: int | None
    concurrent_requests: float | None
    largest_sequence: int | None
    weights_known: bool
    starts: bool | None


@dataclass(frozen=True)
class LintedStep(_behaviour.LintedStep):
    """A step as the file has it, and with all proposals that go together.

    model: its id
    part: which of a file's several models: `text`, `vision`
    gpu: id
    step_us: of the step: the five parts below together
    low_us: of ten published steps of its kind one is faster
    high_us: of ten published steps of its kind one is slower
    communication_us: that is waited for
    bubble_us: of the pipeline
    hidden_us: communication behind computation; not part of step_us
    bound: the largest part
    mfu: arithmetic that the model needs / (time x peak)
    hfu: with what is computed again
    produces: what is counted as tokens: `tokens`, or `images` of a CNN
    tokens_per_step: of one replica of the model
    tokens_per_s_per_gpu: of one replica, by the GPUs that it is spread over
    tokens_per_s_all_gpus: of all replicas
    num_gpus: that the run takes
    model_flops_per_gpu: of a step
    hardware_flops_per_gpu: with what is computed again
    parameters: of the model, all ranks together
    operations: where they are asked for
    capacity: of a model that an engine serves
    """

    _order = ("model", "part", "gpu", "step_us", "low_us", "high_us", "compute_us", "memory_us", "communication_us", "overhead_us", "bubble_us", "hidden_us", "bound", "mfu", "hfu", "produces", "tokens_per_step", "tokens_per_s_per_gpu", "tokens_per_s_all_gpus", "num_gpus", "model_flops_per_gpu", "hardware_flops_per_gpu", "parameters", "memory", "operations", "after", "capacity", )
    _may_be_absent = frozenset(("part", "low_us", "high_us", "operations", "capacity", ))
    _nested = {"memory": "Memory", "operations": "Operation", "after": "After", "capacity": "Capacity", }

    model: str
    gpu: str
    step_us: float
    compute_us: float
    memory_us: float
    communication_us: float
    overhead_us: float
    bubble_us: float
    hidden_us: float
    bound: Bound
    mfu: float
    hfu: float
    produces: str
    tokens_per_step: float
    tokens_per_s_per_gpu: float
    tokens_per_s_all_gpus: float
    num_gpus: int
    model_flops_per_gpu: float
    hardware_flops_per_gpu: float
    parameters: int
    memory: Memory
    after: After
    part: str = dataclasses.field(default="")
    low_us: float = dataclasses.field(default=0)
    high_us: float = dataclasses.field(default=0)
    operations: tuple[Operation, ...] = dataclasses.field(default=(), repr=False)
    capacity: Capacity | None = dataclasses.field(default=None)


@dataclass(frozen=True)
class WholePart(Plain):
    """A model of a whole.

    runs: how often it runs in it
    num_gpus: that it takes
    """

    _order = ("part", "runs", "num_gpus", )

    part: str
    runs: float
    num_gpus: int


@dataclass(frozen=True)
class WholeTime(Plain):
    """What a whole takes on one GPU.

    gpu: id
    step_us: of all parts, as the file has them
    shares: of it, by part
    """

    _order = ("gpu", "step_us", "shares", )

    gpu: str
    step_us: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Whole(Plain):
    """Models of one file that are one step together, or its plans that are one iteration.

    path: of the file
    memory_bytes: of models that are held at once
    """

    _order = ("path", "parts", "memory_bytes", "by_gpu", )
    _nested = {"parts": "WholePart", "by_gpu": "WholeTime", }

    path: str
    parts: tuple[WholePart, ...] = dataclasses.field(repr=False)
    memory_bytes: int | None
    by_gpu: tuple[WholeTime, ...] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class Counts(Plain):
    """How many findings there are, and are not.

    error: findings of this severity
    hidden: not severe enough to be shown
    suppressed: a comment or the configuration leaves out
    baselined: the baseline knows, or a source's `base` had
    not_whole: files of a folder of which too little is known
    not_recognised: files of a folder that are no model's configuration
    """

    _order = ("error", "warning", "info", "hidden", "suppressed", "baselined", "not_whole", "not_recognised", )

    error: int
    warning: int
    info: int
    hidden: int
    suppressed: int
    baselined: int
    not_whole: int
    not_recognised: int


@dataclass(frozen=True)
class LintResult(_behaviour.LintResult):
    """What the linter found in files.

    gpus: all that were looked at
    models: by path
    findings: by path, then model; of each, certain failures first, then by gain
    steps: for each model, by GPU
    fails: some finding is as severe as its file's fail level, a warning unless somebody says otherwise
    notes: why files and GPUs are passed over, what was not understood
    problems: of a file: the others are linted anyway; of a configuration or of the options: nothing is
    """

    _order = ("gpus", "models", "findings", "steps", "together", "counts", "fails", "notes", "problems", )
    _nested = {"gpus": "Gpu", "models": "LintedModel", "findings": "Finding", "steps": "LintedStep", "together": "Whole", "counts": "Counts", "problems": "Problem", }

    gpus: tuple[Gpu, ...] = dataclasses.field(repr=False)
    models: tuple[LintedModel, ...] = dataclasses.field(repr=False)
    findings: tuple[Finding, ...] = dataclasses.field(repr=False)
    steps: tuple[LintedStep, ...] = dataclasses.field(repr=False)
    together: tuple[Whole, ...] = dataclasses.field(repr=False)
    counts: Counts
    fails: bool
    notes: tuple[str, ...]
    problems: tuple[Problem, ...] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class Model(_behaviour.Model):
    """One model of a file, as it is understood.

    id: path and part: `config.json#text`; what other objects call it by
    path: of its file
    part: which of several: `text`, `vision`
    dialect: `native`, `huggingface` …
    type: as the file calls it: `llama`
    complete: enough is known to cost it
    parameters: of all ranks together
    active_parameters: that take part in one token's forward pass
    fields: by name, where they are asked for
    notes: what was not understood, or had to be decided
    """

    _order = ("id", "name", "path", "part", "dialect", "type", "complete", "parameters", "active_parameters", "fields", "notes", )
    _may_be_absent = frozenset(("part", "type", "fields", ))
    _nested = {"fields": "Value", "notes": "Note", }

    id: str
    name: str
    path: str
    dialect: str
    complete: bool
    parameters: int | None
    active_parameters: int | None
    notes: tuple[Note, ...] = dataclasses.field(repr=False)
    part: str = dataclasses.field(default="")
    type: str = dataclasses.field(default="")
    fields: Mapping[str, Value] = dataclasses.field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class ReadResult(Plain):
    """What is understood of a file.

    recognised: a configuration of a known dialect; it may still hold no model
    notes: why it is not understood, or what in it was not
    problems: whatever else is in here is then not to be relied on
    """

    _order = ("recognised", "models", "notes", "problems", )
    _nested = {"models": "Model", "notes": "Note", "problems": "Problem", }

    recognised: bool
    models: tuple[Model, ...] = dataclasses.field(repr=False)
    notes: tuple[Note, ...] = dataclasses.field(repr=False)
    problems: tuple[Problem, ...] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class StartOnGpu(Plain):
    """What the file's own shape comes to on one GPU.

    gpu: id
    dollars_per_m_tokens: of 10^6 tokens, where a price is known
    memory_bytes: that it needs
    capacity_bytes: that the GPU has
    """

    _order = ("gpu", "step_us", "mfu", "tokens_per_s_per_gpu", "dollars_per_m_tokens", "memory_bytes", "capacity_bytes", )
    _may_be_absent = frozenset(("dollars_per_m_tokens", ))

    gpu: str
    step_us: float
    mfu: float
    tokens_per_s_per_gpu: float
    memory_bytes: int
    capacity_bytes: int | None
    dollars_per_m_tokens: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class SuggestStart(Plain):
    """The file's own shape.

    """

    _order = ("parameters", "by_gpu", )
    _nested = {"by_gpu": "StartOnGpu", }

    parameters: int
    by_gpu: tuple[StartOnGpu, ...] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class AloneChange(Plain):
    """A change made alone.

    field: `hidden_size`; of a layer of a CNN as the file calls it: `conv[2].out_channels`
    possible: some only are together
    gain: where it is possible
    """

    _order = ("field", "before", "after", "possible", "gain", )
    _may_be_absent = frozenset(("gain", ))

    field: str
    before: Scalar
    after: Scalar
    possible: bool
    gain: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class Cause(Plain):
    """Time that one effect takes less in one operation: a share of the start's step. Negative: more.

    operation: its name
    effect: `alignment`, `tile`, `wave` …, or `work`
    description: the same for people
    sizes: what changed: `n 50257 → 50304`
    """

    _order = ("operation", "effect", "description", "share", "sizes", )

    operation: str
    effect: str
    description: str
    share: float
    sizes: str


@dataclass(frozen=True)
class SuggestionOnGpu(Plain):
    """What a suggestion comes to on one GPU.

    gpu: id
    gain: of the objective: 1 - new / old cost
    gain_error: half width of its interval
    measured: measurements on this GPU back most of it
    dollars_per_m_tokens: of 10^6 tokens, where a price is known
    memory_bytes: that it needs
    capacity_bytes: that the GPU has
    causes: largest first
    other: what the rest adds up to
    """

    _order = ("gpu", "gain", "gain_error", "measured", "step_us", "mfu", "tokens_per_s_per_gpu", "dollars_per_m_tokens", "memory_bytes", "capacity_bytes", "causes", "other", )
    _may_be_absent = frozenset(("dollars_per_m_tokens", ))
    _nested = {"causes": "Cause", }

    gpu: str
    gain: float
    gain_error: float | None
    measured: bool
    step_us: float
    mfu: float
    tokens_per_s_per_gpu: float
    memory_bytes: int
    capacity_bytes: int | None
    causes: tuple[Cause, ...] = dataclasses.field(repr=False)
    other: float
    dollars_per_m_tokens: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class Suggestion(_behaviour.Suggestion):
    """A better shape.

    gain: of the objective, as the basket says
    gain_error: half width of its interval
    of_best: of several GPUs: 1 is each one's own best
    implied: what follows without being edited
    alone: each change made alone
    """

    _order = ("gain", "gain_error", "of_best", "parameters", "changes", "implied", "alone", "by_gpu", )
    _may_be_absent = frozenset(("of_best", ))
    _nested = {"changes": "Change", "implied": "Change", "alone": "AloneChange", "by_gpu": "SuggestionOnGpu", }

    gain: float
    gain_error: float | None
    parameters: int
    changes: tuple[Change, ...] = dataclasses.field(repr=False)
    implied: tuple[Change, ...] = dataclasses.field(repr=False)
    alone: tuple[AloneChange, ...] = dataclasses.field(repr=False)
    by_gpu: tuple[SuggestionOnGpu, ...] = dataclasses.field(repr=False)
    of_best: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class FrontPoint(Plain):
    """No other shape is as large and faster.

    speed: relative to the start
    implied: what follows without being edited
    """

    _order = ("parameters", "speed", "changes", "implied", )
    _nested = {"changes": "Change", "implied": "Change", }

    parameters: int
    speed: float
    changes: tuple[Change, ...] = dataclasses.field(repr=False)
    implied: tuple[Change, ...] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class Exclusion(Plain):
    """A condition, and the share of the combinations that break it.

    """

    _order = ("condition", "share", )

    condition: str
    share: float


@dataclass(frozen=True)
class SuggestResult(_behaviour.SuggestResult):
    """A search for better shapes near the file's.

    model: its name
    path: of its file
    objective: tokens, mfu, step, prefill, decode or cost
    basket: of several GPUs: worst or mean
    broken_rules: codes of those that the start breaks
    head_multiple: numbers of heads are multiples of this or divide it
    shape_note: what of the model is taken as fixed, and why
    stack_note: what the stack makes of it
    doubtful: shapes that were left out as their gain is within its error
    gpus: ids
    suggestions: best first; none: nothing better was found
    behind_front: how much faster the fastest shape with as many parameters is
    candidates: combinations of the space
    priced: that were looked at one by one, of a search that was stopped
    excluded: share that breaks a condition
    complete: false: stopped early
    gap: nothing is better than the first suggestion by more; null: infinite, nobody knows
    """

    _order = ("model", "path", "objective", "basket", "broken_rules", "head_multiple", "shape_note", "stack_note", "doubtful", "gpus", "start", "suggestions", "front", "behind_front", "candidates", "priced", "excluded", "exclusions", "complete", "gap", )
    _may_be_absent = frozenset(("shape_note", "stack_note", "priced", "excluded", "exclusions", ))
    _nested = {"start": "SuggestStart", "suggestions": "Suggestion", "front": "FrontPoint", "exclusions": "Exclusion", }

    model: str
    path: str
    objective: str
    basket: str
    broken_rules: tuple[str, ...]
    head_multiple: int
    doubtful: int
    gpus: tuple[str, ...]
    start: SuggestStart
    suggestions: tuple[Suggestion, ...] = dataclasses.field(repr=False)
    front: tuple[FrontPoint, ...] = dataclasses.field(repr=False)
    behind_front: float
    candidates: float
    complete: bool
    gap: float | None
    shape_note: str = dataclasses.field(default="")
    stack_note: str = dataclasses.field(default="")
    priced: float = dataclasses.field(default=0)
    excluded: float = dataclasses.field(default=0)
    exclusions: tuple[Exclusion, ...] = dataclasses.field(default=(), repr=False)


@dataclass(frozen=True)
class SearchCounts(Plain):
    """How the plans of the enumeration ended.

    by_rules: that break a rule that any framework has
    refused: by the stack's packages
    needless: training: recompute more or wait longer than a plan that fits and differs in nothing else
    bounded: not priced, since none can be faster than those listed
    """

    _order = ("all", "too_large", "by_rules", "refused", "needless", "bounded", "priced", )

    all: int
    too_large: int
    by_rules: int
    refused: int
    needless: int
    bounded: int
    priced: int


@dataclass(frozen=True)
class Parallel(Plain):
    """Degrees of parallelism; the first four multiply to num_gpus.

    """

    _order = ("tensor", "pipeline", "context", "data", "expert", "expert_tensor", )

    tensor: int
    pipeline: int
    context: int
    data: int
    expert: int
    expert_tensor: int


@dataclass(frozen=True)
class TrainingPlan(Plain):
    """A way of training a model over GPUs.

    virtual_pipeline: chunks of layers of each stage
    pipeline_schedule: order of forward and backward passes on a stage
    embedding_stages: of embedding and head, those that count as a layer
    stage_layers: layers of all stages but the last, which has the rest; 0: as even as can be
    overlap: what the exchange of tokens among experts runs beside
    zero: what data-parallel ranks share
    micro_batch_size: sequences of one rank at a time
    recompute_parts: besides, of every layer
    offload_optimizer: percent of the optimizer's states
    low_us: of ten published steps of its kind one is faster
    high_us: of ten published steps of its kind one is slower
    bubble_us: of step_us: stages wait for each other
    exposed_communication_us: of step_us: communication that nothing hides
    run_hours: for --tokens
    run_cost: with --price
    """

    _order = ("parallel", "sequence_parallel", "virtual_pipeline", "pipeline_schedule", "embedding_stages", "stage_layers", "overlap", "zero", "micro_batch_size", "gradient_accumulation", "recompute", "recompute_parts", "offload_optimizer", "step_us", "low_us", "high_us", "mfu", "tokens_per_s_all_gpus", "tokens_per_s_per_gpu", "bubble_us", "exposed_communication_us", "memory", "run_hours", "run_cost", )
    _may_be_absent = frozenset(("recompute_parts", "run_hours", "run_cost", ))
    _nested = {"parallel": "Parallel", "memory": "Memory", }

    parallel: Parallel
    sequence_parallel: bool
    virtual_pipeline: int
    pipeline_schedule: str
    embedding_stages: int
    stage_layers: int
    overlap: str
    zero: int
    micro_batch_size: int
    gradient_accumulation: int
    recompute: str
    offload_optimizer: int
    step_us: float
    low_us: float
    high_us: float
    mfu: float
    tokens_per_s_all_gpus: float
    tokens_per_s_per_gpu: float
    bubble_us: float
    exposed_communication_us: float
    memory: Memory
    recompute_parts: tuple[str, ...] = dataclasses.field(default=())
    run_hours: float = dataclasses.field(default=0)
    run_cost: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class WithoutChoice(Plain):
    """The best plan without a choice of the first plan.

    value: the choice
    plan: null: none fits
    """

    _order = ("field", "value", "plan", )
    _nested = {"plan": "TrainingPlan", }

    field: str
    value: str
    plan: TrainingPlan | None


@dataclass(frozen=True)
class ServingPlan(Plain):
    """A way of serving a model over GPUs.

    dtype: with its recipe: `fp8:block128`
    num_gpus: of all replicas
    concurrent_requests: of all replicas
    concurrent_requests_per_rank: of one data-parallel rank of a replica
    ttft_us: time to a request's first token
    tpot_us: between two tokens of a request, prompts of others included
    request_us: from a request's arrival to its last token
    requests_per_s: that all GPUs together can take
    load: of requests_per_s, what arrives; 1 without --rate
    memory_bytes: that one GPU needs
    usable_bytes: that tensors can have of it
    kv_cache_tokens_per_rank: that the cache of one data-parallel rank has room for
    kv_cache_requests_per_rank: of input and output tokens
    largest_context: tokens of the longest request that has room
    bound: what bounds a decoding step
    binds: what keeps more requests out
    cost_per_million_input_tokens: with --price
    cost_per_million_output_tokens: with --price
    """

    _order = ("parallel", "dtype", "num_gpus", "num_gpus_per_replica", "replicas", "concurrent_requests", "concurrent_requests_per_rank", "ttft_us", "tpot_us", "request_us", "requests_per_s", "load", "output_tokens_per_s_all_gpus", "input_tokens_per_s_all_gpus", "output_tokens_per_s_per_gpu", "output_tokens_per_s_per_user", "memory_bytes", "usable_bytes", "kv_cache_tokens_per_rank", "kv_cache_requests_per_rank", "largest_context", "bound", "binds", "cost_per_million_input_tokens", "cost_per_million_output_tokens", )
    _may_be_absent = frozenset(("cost_per_million_input_tokens", "cost_per_million_output_tokens", ))
    _nested = {"parallel": "Parallel", }

    parallel: Parallel
    dtype: str
    num_gpus: int
    num_gpus_per_replica: int
    replicas: int
    concurrent_requests: int
    concurrent_requests_per_rank: int
    ttft_us: float
    tpot_us: float
    request_us: float
    requests_per_s: float
    load: float
    output_tokens_per_s_all_gpus: float
    input_tokens_per_s_all_gpus: float
    output_tokens_per_s_per_gpu: float
    output_tokens_per_s_per_user: float
    memory_bytes: int
    usable_bytes: int | None
    kv_cache_tokens_per_rank: int
    kv_cache_requests_per_rank: int
    largest_context: int
    bound: str
    binds: str
    cost_per_million_input_tokens: float = dataclasses.field(default=0)
    cost_per_million_output_tokens: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class PlanCount(Plain):
    """The plans of one GPU and number of them.

    gpu: id
    price_per_gpu_hour: as it was given
    proved_best: no plan of the enumeration is predicted to be better
    least_memory_bytes: training: on one GPU, of the plan that needs least
    plans: training: the fastest first
    without: training, of the number that is printed in full: without each choice of the first plan
    as_the_file_says: training
    cheapest: serving; absent: none does what is asked
    fastest: serving
    fewest_gpus: serving
    front: serving: no plan is both faster and cheaper
    """

    _order = ("gpu", "num_gpus", "price_per_gpu_hour", "proved_best", "enumerated", "least_memory_bytes", "plans", "without", "as_the_file_says", "cheapest", "fastest", "fewest_gpus", "front", )
    _may_be_absent = frozenset(("price_per_gpu_hour", "least_memory_bytes", "plans", "without", "as_the_file_says", "cheapest", "fastest", "fewest_gpus", "front", ))
    _nested = {"enumerated": "SearchCounts", "plans": "TrainingPlan", "without": "WithoutChoice", "as_the_file_says": "TrainingPlan", "cheapest": "ServingPlan", "fastest": "ServingPlan", "fewest_gpus": "ServingPlan", "front": "ServingPlan", }

    gpu: str
    num_gpus: int
    proved_best: bool
    enumerated: SearchCounts
    price_per_gpu_hour: float = dataclasses.field(default=0)
    least_memory_bytes: float = dataclasses.field(default=0)
    plans: tuple[TrainingPlan, ...] = dataclasses.field(default=(), repr=False)
    without: tuple[WithoutChoice, ...] = dataclasses.field(default=(), repr=False)
    as_the_file_says: TrainingPlan | None = dataclasses.field(default=None)
    cheapest: ServingPlan | None = dataclasses.field(default=None)
    fastest: ServingPlan | None = dataclasses.field(default=None)
    fewest_gpus: ServingPlan | None = dataclasses.field(default=None)
    front: tuple[ServingPlan, ...] = dataclasses.field(default=(), repr=False)


@dataclass(frozen=True)
class PlanResult(_behaviour.PlanResult):
    """The best ways over GPUs.

    kind: training or serving
    model: its name
    sequences_per_step: training: of all GPUs together
    sequence_length: training
    input_tokens: serving: of a request
    output_tokens: serving
    training_tokens: training: of the whole run, as asked for
    measured_scale: training: by which predicted times are multiplied, as the measured step of the file's plan asks for
    requests_per_s: serving: that arrive, as asked for
    counts: for each GPU and number of them
    best: place in `counts`, from 0, of the one with most tokens for the money, or without prices of a GPU; for a rate with the least money an hour; null: nothing does what is asked
    in_the_file: training: how the first plan is said in the file
    launch: serving: the command of each engine that starts a replica of the cheapest plan
    """

    _order = ("kind", "model", "sequences_per_step", "sequence_length", "input_tokens", "output_tokens", "training_tokens", "measured_scale", "requests_per_s", "counts", "best", "in_the_file", "launch", )
    _may_be_absent = frozenset(("sequences_per_step", "sequence_length", "input_tokens", "output_tokens", "training_tokens", "measured_scale", "requests_per_s", "in_the_file", "launch", ))
    _nested = {"counts": "PlanCount", }

    kind: str
    model: str
    counts: tuple[PlanCount, ...] = dataclasses.field(repr=False)
    best: int | None
    sequences_per_step: int = dataclasses.field(default=0)
    sequence_length: int = dataclasses.field(default=0)
    input_tokens: int = dataclasses.field(default=0)
    output_tokens: int = dataclasses.field(default=0)
    training_tokens: float = dataclasses.field(default=0)
    measured_scale: float = dataclasses.field(default=0)
    requests_per_s: float = dataclasses.field(default=0)
    in_the_file: tuple[str, ...] = dataclasses.field(default=())
    launch: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class RuleParameter(Plain):
    """A number of a rule that a configuration may set.

    value: unless somebody sets it
    """

    _order = ("value", "doc", )

    value: float
    doc: str


@dataclass(frozen=True)
class Rule(Plain):
    """What the linter looks for.

    code: `SL101`
    name: `vocab-misaligned`
    since: the version that it came with
    status: preview, stable, deprecated; all but stable ones run only when they are selected
    scope: what it is evaluated on: model, gemm, attention …
    effect: what it finds: slower, fails, advice
    summary: one line
    mechanism: one or two sentences: why this costs time
    page: all of the above and more, as Markdown
    parameters: by name
    """

    _order = ("code", "name", "since", "status", "severity", "confidence", "scope", "effect", "summary", "mechanism", "page", "sources", "parameters", )
    _nested = {"parameters": "RuleParameter", }

    code: str
    name: str
    since: str
    status: str
    severity: Severity
    confidence: Confidence
    scope: str
    effect: str
    summary: str
    mechanism: str
    page: str
    sources: tuple[str, ...]
    parameters: Mapping[str, RuleParameter] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class Field(Plain):
    """Something that can be said of a model or of how it is run; Setting sets it.

    name: `hidden_size`
    section: of the native file: model, model.moe, model.mla, run, parallel
    key: there: `num_experts` of `moe_num_experts`
    choices: what a choice can be
    """

    _order = ("name", "section", "key", "type", "minimum", "maximum", "choices", "unit", "doc", )
    _may_be_absent = frozenset(("choices", "unit", ))

    name: str
    section: str
    key: str
    type: FieldType
    minimum: int
    maximum: int
    doc: str
    choices: tuple[str, ...] = dataclasses.field(default=())
    unit: str = dataclasses.field(default="")


@dataclass(frozen=True)
class KernelCost(Plain):
    """One run of one kernel.

    run_us: of one run
    ideal_us: the same at the roofline of the data sheet
    bound: what limits it
    compute_us: what arithmetic would take alone; the three overlap
    memory_us: what moving bytes would take alone
    overhead_us: what launch and ramp take
    tile: of a matrix product
    """

    _order = ("run_us", "ideal_us", "bound", "compute_us", "memory_us", "overhead_us", "efficiency", "tile", )
    _may_be_absent = frozenset(("tile", ))
    _nested = {"efficiency": "Efficiency", "tile": "Tile", }

    run_us: float
    ideal_us: float
    bound: Bound
    compute_us: float
    memory_us: float
    overhead_us: float
    efficiency: Efficiency
    tile: Tile | None = dataclasses.field(default=None)


@dataclass(frozen=True)
class Step(_behaviour.Step):
    """A step, and what it is made of.

    model: its id
    part: which of a file's several models: `text`, `vision`
    gpu: id
    step_us: of the step: the five parts below together
    low_us: of ten published steps of its kind one is faster
    high_us: of ten published steps of its kind one is slower
    communication_us: that is waited for
    bubble_us: of the pipeline
    hidden_us: communication behind computation; not part of step_us
    bound: the largest part
    mfu: arithmetic that the model needs / (time x peak)
    hfu: with what is computed again
    produces: what is counted as tokens: `tokens`, or `images` of a CNN
    tokens_per_step: of one replica of the model
    tokens_per_s_per_gpu: of one replica, by the GPUs that it is spread over
    tokens_per_s_all_gpus: of all replicas
    num_gpus: that the run takes
    model_flops_per_gpu: of a step
    hardware_flops_per_gpu: with what is computed again
    parameters: of the model, all ranks together
    operations: where they are asked for
    """

    _order = ("model", "part", "gpu", "step_us", "low_us", "high_us", "compute_us", "memory_us", "communication_us", "overhead_us", "bubble_us", "hidden_us", "bound", "mfu", "hfu", "produces", "tokens_per_step", "tokens_per_s_per_gpu", "tokens_per_s_all_gpus", "num_gpus", "model_flops_per_gpu", "hardware_flops_per_gpu", "parameters", "memory", "operations", )
    _may_be_absent = frozenset(("part", "low_us", "high_us", "operations", ))
    _nested = {"memory": "Memory", "operations": "Operation", }

    model: str
    gpu: str
    step_us: float
    compute_us: float
    memory_us: float
    communication_us: float
    overhead_us: float
    bubble_us: float
    hidden_us: float
    bound: Bound
    mfu: float
    hfu: float
    produces: str
    tokens_per_step: float
    tokens_per_s_per_gpu: float
    tokens_per_s_all_gpus: float
    num_gpus: int
    model_flops_per_gpu: float
    hardware_flops_per_gpu: float
    parameters: int
    memory: Memory
    part: str = dataclasses.field(default="")
    low_us: float = dataclasses.field(default=0)
    high_us: float = dataclasses.field(default=0)
    operations: tuple[Operation, ...] = dataclasses.field(default=(), repr=False)
