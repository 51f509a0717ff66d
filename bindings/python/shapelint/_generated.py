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

    end: exclusive
    """

    _order = ("start", "end", )
    _nested = {"start": "Place", "end": "Place", }

    start: Place
    end: Place


@dataclass(frozen=True)
class Problem(_behaviour.Problem):
    """Reason for a missing result.

    code: not-found, too-large, unreadable, invalid-file, invalid-config, invalid-option, no-model, incomplete, unable, no-candidates
    message: what is wrong
    hint: what to try
    path: of the file
    range: in that file; absent: the whole file
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
    """Data-sheet figures of a GPU.

    id: `a100-sxm4-80gb`
    aliases: other names
    architecture: `ampere`
    compute_capability: `8.0`
    sm_count: compute units on AMD
    peaks_tflops: by dtype: fp32, tf32, fp16, bf16, fp8, int8, fp4; dense, with fp32 accumulation
    tensor_core_dtypes: those with tensor cores
    dram_gb_s: 10^9 bytes per second
    dram_bytes: memory size
    l2_bytes: size of the last-level cache
    link_gb_s: per direction, within a node
    calibration: basis of predictions: calibrated, architecture, uncalibrated …
    calibration_source: measurements behind them
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
    """A field's value and its origin.

    origin: unknown; stated: in the file; given: by the caller or the configuration; derived: from other fields; default: of the framework or of shapelint
    note: derived: the source field; default: the framework
    path: stated: the file, which may be an inherited one
    key_path: stated: key in the file
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
    """A part of a file that was not understood, or a decision made.

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

    id: path and part: `config.json#text`; other objects refer to it
    path: of its file
    part: one of several: `text`, `vision`
    dialect: config format: `native`, `huggingface` …
    type: model type in the file: `llama`
    complete: enough fields are known to price it
    parameters: of the whole model
    active_parameters: used in one token's forward pass
    fields: by name, if requested
    notes: parts that were not understood, and decisions made
    gpus_assumed: the GPUs are defaults
    gpus_left_out: ids of named GPUs without support for the stored dtype
    shape_note: which dimensions are fixed, and why
    min_gain: findings that save less are omitted
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
    """The saving on one GPU: a share of the time per token, 1 - new / old.

    gpu: id
    gain_error: half width of its interval
    step_us: of a proposal: step time now
    new_step_us: with the proposal
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

    field: `hidden_size`; for a CNN layer the file's name: `conv[2].out_channels`
    """

    _order = ("field", "before", "after", )

    field: str
    before: Scalar
    after: Scalar


@dataclass(frozen=True)
class Edit(Plain):
    """New text for a range of a file; apply several from the last to the first.

    path: of the file
    """

    _order = ("path", "range", "new_text", )
    _nested = {"range": "Range", }

    path: str
    range: Range
    new_text: str


@dataclass(frozen=True)
class Proposal(Plain):
    """One fix of a finding.

    summary: on one line
    applicability: safe: the trained model is unchanged; unsafe: it changes; manual: needs more than an edit of the file
    changes: what to edit
    implied: derived values that change too
    edits: edits of the linted file that make the changes; empty if manual
    gain: share of the step time, mean over the finding's GPUs
    gain_error: half width of its interval
    memory_bytes_before: per GPU
    or_multiple_of: of one change: nearby multiples of this in its direction gain as much
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
    """A value that costs time or makes the job fail.

    id: stable if lines are added above or the file is reformatted; the same in every output
    code: `SL101`
    rule: `vocab-misaligned`
    confidence: basis of the gain: cost model, measurements on this GPU, or arithmetic
    model: its id
    gpu: id of the only GPU it applies to; absent: every GPU of the run
    message: title: the fact, with numbers
    label: mechanism or consequence, in a few words
    why: the mechanism
    note: additional context, such as the source of a default
    cost: the gain in words
    how: how the file's framework makes the first proposal
    field: the blamed field
    path: of the file that states it
    key_path: key in the file: `model.hidden_size`
    range: the value; absent if no file states it
    use_range: where the value is used, if it is written elsewhere
    certain_to_fail: the job fails at startup
    gain: share of the step time that the best proposal saves
    gain_error: half width of its interval
    proposals: best first
    operations: names of the slow operations
    related: other fields involved
    assumed: defaults that the finding depends on
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
    """Memory per GPU by use, in bytes.

    optimizer: states and FP32 copy of the weights
    activations: at the peak of the step
    kv_cache: KV cache and recurrent states of the step's sequences
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
    """Estimated memory per GPU.

    total_bytes: sum of the parts; null if the dtype of the weights is unknown
    usable_bytes: GPU memory available to tensors
    capacity_bytes: GPU memory
    fits: total_bytes <= usable_bytes
    host_bytes: host memory per GPU
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

    expression: the fields it is computed from: `3 * hidden_size / tensor`
    """

    _order = ("value", "expression", )
    _may_be_absent = frozenset(("expression", ))

    value: int
    expression: str = dataclasses.field(default="")


@dataclass(frozen=True)
class Efficiency(Plain):
    """Shares in (0, 1] whose product is ideal_us / run_us; 1: no loss.

    alignment: dimensions that are misaligned for tensor cores or vector loads
    tile: tile quantization: partial tiles are computed in full
    wave: wave quantization: SMs idle in the last wave
    rest: launch, ramp, and throughput below the data sheet
    """

    _order = ("alignment", "tile", "wave", "rest", )

    alignment: float
    tile: float
    wave: float
    rest: float


@dataclass(frozen=True)
class Tile(Plain):
    """Tiling of a GEMM over SMs.

    split_k: split-K factor: CTAs per output tile
    waves: tiles / concurrent tiles
    """

    _order = ("m", "n", "split_k", "waves", )

    m: int
    n: int
    split_k: int
    waves: float


@dataclass(frozen=True)
class Operation(Plain):
    """A kernel or a collective of a step, with the cost of one run and of all.

    id: name and pass: `layer.mlp.up/forward`
    name: `layer.mlp.up`
    kind: gemm, attention, scan, elementwise, collective
    pass: forward, recompute, grad_input, grad_weight, backward, update
    runs: runs per step
    sizes: gemm: batch, m, n, k of C[m,n] = A[m,k] B[k,n]; attention: sequences, heads, key_value_heads, query_length, key_length, head_dim, value_head_dim; scan: sequences, length, key_heads, value_heads, key_dim, value_dim, chunk
    layout: of a gemm; tn: y = x W^T; nn: its input gradient; nt: its weight gradient
    causal: each token attends to those before it only
    window: sliding window: most keys of a query
    bytes: elementwise: bytes moved; collective: size of the full buffer
    collective: all-reduce, all-gather, reduce-scatter, all-to-all, send
    ranks: ranks of a collective
    overlapped: a collective that is overlapped with computation
    run_us: one run
    ideal_us: one run at the roofline of the data sheet
    bound: limiting resource
    compute_us: compute time alone; the three overlap
    memory_us: memory time alone
    overhead_us: launch and ramp time
    tile: GEMM only
    total_us: all runs
    share: total_us / step_us; overlapped communication has one too, so shares may add up to more than 1
    kernel_head_dim: attention: head_dim of the kernel, padding included; absent if no kernel supports it
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
    """A step with all compatible proposals.

    step_us: step time
    gain: share of the time per token that all of them save
    applied: empty: there is nothing to apply
    left_out: proposals that conflict with them
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
    """KV cache capacity of a serving engine on one GPU.

    budget_bytes: memory available to the engine
    runtime_bytes: activations of the longest step, CUDA context, kernels, NCCL buffers
    kv_cache_bytes: available to the KV cache
    kv_cache_tokens: KV cache capacity, in sequences of the longest length
    longest_sequence: maximum tokens per request
    concurrent_requests: of that length
    largest_sequence: longest sequence that fits, in tokens
    weights_known: GPU memory and dtype of the weights are known
    starts: whether the engine starts
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
    """A step as in the file, and with all compatible proposals.

    model: its id
    part: one of a file's several models: `text`, `vision`
    gpu: id
    step_us: step time: sum of the five parts below
    low_us: 10 % quantile of published steps of its kind
    high_us: 90 % quantile of published steps of its kind
    communication_us: exposed communication
    bubble_us: pipeline bubble
    hidden_us: overlapped communication; not part of step_us
    bound: largest part of the step
    mfu: model FLOPs / (time x peak)
    hfu: the same with activation recomputation and padding
    produces: unit of the token counts: `tokens`, or `images` of a CNN
    tokens_per_step: per model replica
    tokens_per_s_per_gpu: of one replica, per GPU of the replica
    tokens_per_s_all_gpus: all replicas
    num_gpus: GPUs of the run
    model_flops_per_gpu: per step
    hardware_flops_per_gpu: with activation recomputation and padding
    parameters: of the whole model
    operations: if requested
    capacity: of a served model
    out_of_memory: the step does not fit: its times are hypothetical
    """

    _order = ("model", "part", "gpu", "step_us", "low_us", "high_us", "compute_us", "memory_us", "communication_us", "overhead_us", "bubble_us", "hidden_us", "bound", "mfu", "hfu", "produces", "tokens_per_step", "tokens_per_s_per_gpu", "tokens_per_s_all_gpus", "num_gpus", "model_flops_per_gpu", "hardware_flops_per_gpu", "parameters", "memory", "operations", "after", "capacity", "out_of_memory", )
    _may_be_absent = frozenset(("part", "low_us", "high_us", "operations", "capacity", "out_of_memory", ))
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
    out_of_memory: bool = dataclasses.field(default=False)


@dataclass(frozen=True)
class WholePart(Plain):
    """One model of a step of several.

    runs: runs per step of the whole
    """

    _order = ("part", "runs", "num_gpus", )

    part: str
    runs: float
    num_gpus: int


@dataclass(frozen=True)
class WholeTime(Plain):
    """Time of the whole on one GPU.

    gpu: id
    step_us: all parts, as in the file
    shares: share of each part
    """

    _order = ("gpu", "step_us", "shares", )

    gpu: str
    step_us: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Whole(Plain):
    """Models of one file that run as one step, or launch configs that form one iteration.

    path: of the file
    memory_bytes: of models in memory at the same time
    """

    _order = ("path", "parts", "memory_bytes", "by_gpu", )
    _nested = {"parts": "WholePart", "by_gpu": "WholeTime", }

    path: str
    parts: tuple[WholePart, ...] = dataclasses.field(repr=False)
    memory_bytes: int | None
    by_gpu: tuple[WholeTime, ...] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class Counts(Plain):
    """Numbers of findings and files, shown and not.

    error: findings of this severity
    hidden: below the severity or the saving that is shown
    suppressed: by a comment or the configuration
    baselined: in the baseline, or in the `base` of a source
    not_whole: files of a folder with too few known fields
    not_recognised: files of a folder that are not model configurations
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
    """Findings in files.

    gpus: every GPU of the run
    models: by path
    findings: by path, then model; certain failures first, then by gain
    steps: for each model, by GPU
    fails: a finding reaches its file's fail level (default: warning)
    notes: skipped files and GPUs, and parts that were not understood
    problems: about one file: the others are linted; about a configuration or an option: nothing is linted
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
    """One model of a file, as read.

    id: path and part: `config.json#text`; other objects refer to it
    path: of its file
    part: one of several: `text`, `vision`
    dialect: config format: `native`, `huggingface` …
    type: model type in the file: `llama`
    complete: enough fields are known to price it
    parameters: of the whole model
    active_parameters: used in one token's forward pass
    fields: by name, if requested
    notes: parts that were not understood, and decisions made
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
    """A file, as read.

    recognised: the config format is known; the file may still hold no model
    notes: why it is not understood, or which parts are not
    problems: if there are any, the rest is unreliable
    """

    _order = ("recognised", "models", "notes", "problems", )
    _nested = {"models": "Model", "notes": "Note", "problems": "Problem", }

    recognised: bool
    models: tuple[Model, ...] = dataclasses.field(repr=False)
    notes: tuple[Note, ...] = dataclasses.field(repr=False)
    problems: tuple[Problem, ...] = dataclasses.field(repr=False)


@dataclass(frozen=True)
class StartOnGpu(Plain):
    """The file's own shape on one GPU.

    gpu: id
    dollars_per_m_tokens: per 10^6 tokens, if a price is known
    memory_bytes: per GPU
    capacity_bytes: GPU memory
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

    field: `hidden_size`; for a CNN layer the file's name: `conv[2].out_channels`
    possible: some changes work only together
    gain: if possible
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
    """Time saved by one effect in one operation: a share of the start's step. Negative: lost.

    operation: its name
    effect: `alignment`, `tile`, `wave` …, or `work`
    description: the same in words
    sizes: changed sizes: `n 50257 → 50304`
    """

    _order = ("operation", "effect", "description", "share", "sizes", )

    operation: str
    effect: str
    description: str
    share: float
    sizes: str


@dataclass(frozen=True)
class SuggestionOnGpu(Plain):
    """A suggestion on one GPU.

    gpu: id
    gain: of the objective: 1 - new / old cost
    gain_error: half width of its interval
    measured: mostly backed by measurements on this GPU
    dollars_per_m_tokens: per 10^6 tokens, if a price is known
    memory_bytes: per GPU
    capacity_bytes: GPU memory
    causes: largest first
    other: sum of the rest
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

    gain: of the objective, combined over GPUs by `basket`
    gain_error: half width of its interval
    of_best: of several GPUs: 1 is the best of each
    implied: derived values that change too
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
    """A point of the Pareto front of parameters and speed.

    speed: relative to the start
    implied: derived values that change too
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
    """Better shapes near the file's.

    model: its name
    path: of its file
    objective: tokens, mfu, step, prefill, decode or cost
    basket: of several GPUs: worst or mean
    broken_rules: codes of the rules that the start violates
    head_multiple: numbers of heads are multiples of this or divide it
    shape_note: which dimensions are fixed, and why
    stack_note: effect of the stack
    doubtful: shapes omitted because their gain is within its error
    gpus: ids
    suggestions: best first; empty: nothing better was found
    behind_front: how much faster the fastest shape with as many parameters is
    candidates: combinations in the search space
    priced: of a stopped search: combinations predicted one by one
    excluded: share that violates a condition
    complete: false: stopped early
    gap: bound on how much better than the first suggestion any other is; null: unknown
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
    """Outcome of the enumerated plans.

    by_rules: rejected by a rule of every framework
    refused: rejected by the stack's packages
    needless: training: more recomputation or pipeline bubble than an otherwise equal plan that fits
    bounded: not predicted: none can be faster than those listed
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
    """TP, PP, CP, DP, EP and expert TP; the first four multiply to num_gpus.

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
    """A parallelism layout and batch for training.

    dtype: dtype of the GEMMs, with its scaling recipe
    over: values of --over, by field
    virtual_pipeline: virtual pipeline stages (VPP) per stage
    pipeline_schedule: order of forward and backward passes on a stage
    embedding_stages: whether embedding and head count as a layer each
    stage_layers: layers of every stage but the last, which has the rest; 0: balanced
    overlap: what overlaps the expert all-to-all
    zero: ZeRO stage: what data-parallel ranks shard
    micro_batch_size: sequences per micro-batch on one rank
    recompute_parts: modules recomputed in every layer
    offload_optimizer: percent of the optimizer states
    low_us: 10 % quantile of published steps of its kind
    high_us: 90 % quantile of published steps of its kind
    bubble_us: pipeline bubble, part of step_us
    exposed_communication_us: exposed communication, part of step_us
    run_hours: for --tokens
    run_cost: with --price
    """

    _order = ("parallel", "dtype", "over", "sequence_parallel", "virtual_pipeline", "pipeline_schedule", "embedding_stages", "stage_layers", "overlap", "zero", "micro_batch_size", "gradient_accumulation", "recompute", "recompute_parts", "offload_optimizer", "step_us", "low_us", "high_us", "mfu", "tokens_per_s_all_gpus", "tokens_per_s_per_gpu", "bubble_us", "exposed_communication_us", "memory", "run_hours", "run_cost", )
    _may_be_absent = frozenset(("over", "recompute_parts", "run_hours", "run_cost", ))
    _nested = {"parallel": "Parallel", "memory": "Memory", }

    parallel: Parallel
    dtype: str
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
    over: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    recompute_parts: tuple[str, ...] = dataclasses.field(default=())
    run_hours: float = dataclasses.field(default=0)
    run_cost: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class WithoutChoice(Plain):
    """The best plan without one choice of the first plan.

    value: the choice
    plan: null: no plan fits
    """

    _order = ("field", "value", "plan", )
    _nested = {"plan": "TrainingPlan", }

    field: str
    value: str
    plan: TrainingPlan | None


@dataclass(frozen=True)
class ServingPlan(Plain):
    """A parallelism layout and batch for serving.

    dtype: with its recipe: `fp8:block128`
    num_gpus: all replicas
    concurrent_requests: all replicas
    concurrent_requests_per_rank: per data-parallel rank of a replica
    prefill_chunk_tokens: chunked prefill: prompt tokens per step; null: whole prompts between decode steps
    prompts_per_pass: whole prompts read at once between decode steps
    speculative_tokens: drafted per decode step by the model's MTP layer, or as the file states
    tokens_per_decode_step: that a request gains, by the stated acceptance
    ttft_us: time to first token
    tpot_us: mean time per output token after the first, prefills of other requests included; null: one output token
    longest_gap_us: longest time between two tokens of a request: a decode step with one pass of prompts, or with one chunk
    request_us: request latency: arrival to last token
    requests_per_s: maximum request rate of all GPUs
    load: request rate / requests_per_s; 1 without --rate
    memory_bytes: per GPU
    usable_bytes: GPU memory available to tensors
    kv_cache_tokens_per_rank: KV cache capacity of a data-parallel rank
    kv_cache_requests_per_rank: KV cache capacity in requests of input and output tokens
    largest_context: longest request that fits in the KV cache, in tokens
    bound: limiting resource of a decode step
    binds: what limits the number of concurrent requests
    cost_per_million_input_tokens: with --price
    cost_per_million_output_tokens: with --price
    """

    _order = ("parallel", "dtype", "num_gpus", "num_gpus_per_replica", "replicas", "concurrent_requests", "concurrent_requests_per_rank", "prefill_chunk_tokens", "prompts_per_pass", "speculative_tokens", "tokens_per_decode_step", "ttft_us", "tpot_us", "longest_gap_us", "request_us", "requests_per_s", "load", "output_tokens_per_s_all_gpus", "input_tokens_per_s_all_gpus", "output_tokens_per_s_per_gpu", "output_tokens_per_s_per_user", "memory_bytes", "usable_bytes", "kv_cache_tokens_per_rank", "kv_cache_requests_per_rank", "largest_context", "bound", "binds", "cost_per_million_input_tokens", "cost_per_million_output_tokens", )
    _may_be_absent = frozenset(("prompts_per_pass", "speculative_tokens", "cost_per_million_input_tokens", "cost_per_million_output_tokens", ))
    _nested = {"parallel": "Parallel", }

    parallel: Parallel
    dtype: str
    num_gpus: int
    num_gpus_per_replica: int
    replicas: int
    concurrent_requests: int
    concurrent_requests_per_rank: int
    prefill_chunk_tokens: int | None
    tokens_per_decode_step: float
    ttft_us: float
    tpot_us: float | None
    longest_gap_us: float
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
    prompts_per_pass: int = dataclasses.field(default=0)
    speculative_tokens: int = dataclasses.field(default=0)
    cost_per_million_input_tokens: float = dataclasses.field(default=0)
    cost_per_million_output_tokens: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class PlanCount(Plain):
    """The plans of one GPU and GPU count.

    gpu: id
    price_per_gpu_hour: as given
    proved_best: no enumerated plan is predicted to be better
    least_memory_bytes: training: least memory per GPU of any plan
    violated_rules: training: rules that some of the plans violate
    plans: training: fastest first
    without: training, for the GPU count printed in full: the best plan without each choice of the first plan
    as_the_file_says: training: the launch config in the file
    cheapest: serving; absent: no plan meets the targets
    fastest: serving
    fewest_gpus: serving
    front: serving: Pareto front of speed and cost
    least_ttft_us: serving, if no plan meets the targets: of any plan
    least_tpot_us: the same
    least_request_us: the same
    most_requests_per_s: serving, if no plan takes the rate: the most that one takes within the other targets
    """

    _order = ("gpu", "num_gpus", "price_per_gpu_hour", "proved_best", "enumerated", "least_memory_bytes", "violated_rules", "plans", "without", "as_the_file_says", "cheapest", "fastest", "fewest_gpus", "front", "least_ttft_us", "least_tpot_us", "least_request_us", "most_requests_per_s", )
    _may_be_absent = frozenset(("price_per_gpu_hour", "least_memory_bytes", "violated_rules", "plans", "without", "as_the_file_says", "cheapest", "fastest", "fewest_gpus", "front", "least_ttft_us", "least_tpot_us", "least_request_us", "most_requests_per_s", ))
    _nested = {"enumerated": "SearchCounts", "plans": "TrainingPlan", "without": "WithoutChoice", "as_the_file_says": "TrainingPlan", "cheapest": "ServingPlan", "fastest": "ServingPlan", "fewest_gpus": "ServingPlan", "front": "ServingPlan", }

    gpu: str
    num_gpus: int
    proved_best: bool
    enumerated: SearchCounts
    price_per_gpu_hour: float = dataclasses.field(default=0)
    least_memory_bytes: float = dataclasses.field(default=0)
    violated_rules: tuple[str, ...] = dataclasses.field(default=())
    plans: tuple[TrainingPlan, ...] = dataclasses.field(default=(), repr=False)
    without: tuple[WithoutChoice, ...] = dataclasses.field(default=(), repr=False)
    as_the_file_says: TrainingPlan | None = dataclasses.field(default=None)
    cheapest: ServingPlan | None = dataclasses.field(default=None)
    fastest: ServingPlan | None = dataclasses.field(default=None)
    fewest_gpus: ServingPlan | None = dataclasses.field(default=None)
    front: tuple[ServingPlan, ...] = dataclasses.field(default=(), repr=False)
    least_ttft_us: float = dataclasses.field(default=0)
    least_tpot_us: float = dataclasses.field(default=0)
    least_request_us: float = dataclasses.field(default=0)
    most_requests_per_s: float = dataclasses.field(default=0)


@dataclass(frozen=True)
class PlanResult(_behaviour.PlanResult):
    """The best plans.

    kind: training or serving
    model: its name
    sequences_per_step: training: global batch size
    sequence_length: training
    input_tokens: serving: per request
    output_tokens: serving
    training_tokens: training: tokens of the whole run, as requested
    measured_scale: training: factor applied to predicted times, from the measured step of the file's launch config
    requests_per_s: serving: request rate, as requested
    counts: one for each GPU and GPU count
    best: index into `counts` of the best tokens per money, or per GPU without prices; with a rate, the least cost per hour; null: no plan meets the targets
    in_the_file: training: the first plan in the file's format
    launch: serving: each engine's command that starts a replica of the cheapest plan
    notes: what was not searched, and what would be needed for it
    """

    _order = ("kind", "model", "sequences_per_step", "sequence_length", "input_tokens", "output_tokens", "training_tokens", "measured_scale", "requests_per_s", "counts", "best", "in_the_file", "launch", "notes", )
    _may_be_absent = frozenset(("sequences_per_step", "sequence_length", "input_tokens", "output_tokens", "training_tokens", "measured_scale", "requests_per_s", "in_the_file", "launch", "notes", ))
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
    notes: tuple[str, ...] = dataclasses.field(default=())


@dataclass(frozen=True)
class RuleParameter(Plain):
    """A number of a rule that a configuration may set.

    value: default
    """

    _order = ("value", "doc", )

    value: float
    doc: str


@dataclass(frozen=True)
class Rule(Plain):
    """A rule of the linter.

    code: `SL101`
    name: `vocab-misaligned`
    since: first version
    status: preview, stable, deprecated; all but stable ones run only if selected
    scope: unit of evaluation: model, gemm, attention …
    effect: slower, fails, advice
    summary: one line
    mechanism: why it is slow or fails, in one or two sentences
    page: the whole page, as Markdown
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
    """A property of a model or of its launch config; Setting sets it.

    name: `hidden_size`
    section: table of the native file: model, model.moe, model.mla, run, parallel
    key: key in that table: `num_experts` of `moe_num_experts`
    choices: allowed values of a choice
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

    run_us: one run
    ideal_us: one run at the roofline of the data sheet
    bound: limiting resource
    compute_us: compute time alone; the three overlap
    memory_us: memory time alone
    overhead_us: launch and ramp time
    tile: GEMM only
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
    """A step and its operations.

    model: its id
    part: one of a file's several models: `text`, `vision`
    gpu: id
    step_us: step time: sum of the five parts below
    low_us: 10 % quantile of published steps of its kind
    high_us: 90 % quantile of published steps of its kind
    communication_us: exposed communication
    bubble_us: pipeline bubble
    hidden_us: overlapped communication; not part of step_us
    bound: largest part of the step
    mfu: model FLOPs / (time x peak)
    hfu: the same with activation recomputation and padding
    produces: unit of the token counts: `tokens`, or `images` of a CNN
    tokens_per_step: per model replica
    tokens_per_s_per_gpu: of one replica, per GPU of the replica
    tokens_per_s_all_gpus: all replicas
    num_gpus: GPUs of the run
    model_flops_per_gpu: per step
    hardware_flops_per_gpu: with activation recomputation and padding
    parameters: of the whole model
    operations: if requested
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
