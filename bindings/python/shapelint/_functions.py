"""The functions: each accepts a model in any form, and fields of the launch config by name."""

from __future__ import annotations

import array
import itertools
import json
import os
from typing import Any, Callable, Iterable, Mapping, Sequence, Union

from . import _shapelint
from ._error import ShapelintError
from ._generated import Field, Gpu, KernelCost, LintResult, Model, PlanResult, Problem, Rule, Step, SuggestResult
from ._objects import written
from ._tables import Columns, Results

Plan = Union[int, bool, str]
Gpus = Union[str, Iterable[str], None]
Stack = Union[str, Iterable[str], None]

# Of a sweep: ten columns of results take 8 GB.
_MOST_ROWS = 100_000_000
_MOST_ROWS_WITHOUT_LENGTH = 10_000_000  # a generator may have no end
_MOST_VALUES = 100_000  # of a field in a search
_MOST_NAMES = 1_000  # of GPUs, rules or packages: as in a configuration


def _asked(call: Callable[[], Any]) -> Any:
    try:
        answer = call()
        return json.loads(answer) if isinstance(answer, str) else answer
    except _shapelint.Refused as refused:
        problems = tuple(Problem._of(each) for each in json.loads(refused.args[0]))
    raise ShapelintError(problems)


def _source(model: Any, name: str | None) -> tuple[str, str | None, bool]:
    """Return path, text, and whether an unrecognized text is read as a native file."""
    if isinstance(model, os.PathLike):
        return os.fspath(model), None, False
    if isinstance(model, str):
        start = model.lstrip()
        if "\n" not in model and not start.startswith(("{", "[")):
            return model, None, False
        return name or ("config.json" if start.startswith("{") else "<text>"), model, not start.startswith("{")
    if hasattr(model, "to_dict"):  # a configuration of transformers, and what else calls it so
        model = model.to_dict()
    if isinstance(model, Mapping):
        try:
            text = json.dumps(model, indent=2, default=str, ensure_ascii=False)
        except RecursionError:
            raise ValueError("the model is a dictionary that is nested too deep") from None
        return name or "config.json", text, False
    raise TypeError(
        "a model is a path, a text, a dictionary, has to_dict(), or is an object of a framework that docs/how-to/use-from-python.md lists: "
        f"not {type(model).__name__}"
    )


def _held(values: Iterable[Any], most: int, what: str) -> list[Any]:
    """Return the values of an iterable, which may have no end."""
    held = list(itertools.islice(values, most + 1))
    if len(held) > most:
        raise ValueError(f"{what} has more than {most:,} values")
    return held


def _listed(texts: Gpus | Stack) -> list[str]:
    """Return the names in `a,b`, or in a sequence of such texts."""
    given = [] if texts is None else [texts] if isinstance(texts, str) else texts
    try:
        names = [each.strip() for some in itertools.islice(given, _MOST_NAMES + 1) for each in some.split(",")]
    except (TypeError, AttributeError):
        raise TypeError(f"expected a text or several, not {texts!r}") from None
    if len(names) > _MOST_NAMES:
        raise ValueError(f"more than {_MOST_NAMES:,} names are given")
    return names


def share(value: float | str, name: str) -> float:
    """Return the share in 0.01 or "1%"."""
    try:
        number = float(value[:-1]) / 100 if isinstance(value, str) and value.endswith("%") else float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number <= 1:
        raise ValueError(f'{name} is a share such as 0.01 or "1%", not {value!r}')
    return number


def _check_characters(text: str) -> None:
    """Reject lone surrogates, which no text read from a file contains."""
    try:
        text.encode()
    except UnicodeEncodeError as wrong:
        raise ValueError(f"the text holds U+{ord(text[wrong.start]):04X} at {wrong.start}, which is not a character") from None


def _question(
    model: Any,
    gpu: Gpus,
    plan: Mapping[str, Plan],
    name: str | None,
    config: str | os.PathLike[str] | None,
    isolated: bool,
    stack: Stack = None,
) -> dict[str, Any]:
    said = written(model)
    text: str | None
    if said is not None:
        first, *others = said.files
        path, text, assume_native = name if name and not others else first, said.files[first], False
        plan = {**said.plan, **plan}
    else:
        path, text, assume_native = _source(model, name)
    settings = []
    for field, value in plan.items():
        if isinstance(value, bool):
            value = "true" if value else "false"
        settings.append((field, str(value)))
    if stack is not None:
        settings.append(("stack", ",".join(_listed(stack))))
    gpus = _listed(gpu)
    folder = os.fspath(config) if config is not None else ""
    for given in (path, text or "", folder, *gpus, *(each for pair in settings for each in pair)):
        _check_characters(given)
    return {
        "path": path,
        "text": text,
        "files": said.files if said is not None and len(said.files) > 1 else {},
        "is_free": said is not None and said.is_free,
        "gpus": gpus,
        "settings": settings,
        "config": folder,
        "isolated": isolated,
        "assume_native": assume_native,
    }


def lint(
    model: Any,
    gpu: Gpus = None,
    *,
    select: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
    min_severity: str | None = None,
    fail_severity: str | None = None,
    shape: str | None = None,
    head_multiple: int | None = None,
    min_gain: float | str | None = None,
    with_fields: bool = True,
    with_operations: bool = False,
    stack: Stack = None,
    name: str | None = None,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
    **plan: Plan,
) -> LintResult:
    """Find the dimensions that waste time on `gpu` (one, several, or those of the file and its configuration).

    `model` is a path (of a file or folder), a text, a dictionary, an object with `to_dict()` (configurations of transformers),
    such an object with the trainer's arguments, or an object of another framework (docs/how-to/use-from-python.md). `name`
    names a model without a file in messages. Every field of `fields()` can be given by name:
    `lint("config.json", gpu="h100", micro_batch_size=8, tensor=2)`. `stack="vllm==0.24,deep-ep"` names the packages that
    run it: rejected sizes are reported and not proposed; padding and fallback kernels are in the times. Unreadable input raises
    ShapelintError; the other files of a folder are linted, and LintResult.problems lists unreadable ones.
    """
    question = _question(model, gpu, plan, name, config, isolated, stack)
    if question["is_free"] and shape is None:
        shape = "free"
    answer = _asked(
        lambda: _shapelint.lint(
            question,
            select=_listed(select),
            ignore=_listed(ignore),
            min_severity=min_severity,
            fail_severity=fail_severity,
            shape=shape,
            head_multiple=head_multiple,
            min_gain=None if min_gain is None else share(min_gain, "min_gain"),
            with_fields=with_fields,
            with_operations=with_operations,
        )
    )
    report = LintResult._of(answer)
    refused = tuple(each for each in report.problems if each.code == "invalid-option")
    is_folder = question["text"] is None and os.path.isdir(question["path"])
    if refused or (report.problems and not is_folder):
        raise ShapelintError(refused or report.problems)
    return report


def read(
    model: Any, *, name: str | None = None, config: str | os.PathLike[str] | None = None, isolated: bool = False, **plan: Plan
) -> Results[Model]:
    """Return the models of a file as read, with the origin of each value."""
    question = _question(model, None, plan, name, config, isolated)
    return Results(Model._of(each) for each in _asked(lambda: _shapelint.read(question))["models"])


def price(
    model: Any,
    gpu: Gpus = "h100",
    *,
    stack: Stack = None,
    name: str | None = None,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
    **plan: Plan,
) -> Results[Step]:
    """Predict a step, operation by operation, for each model of the file on each GPU.

    `stack` names the packages that run it (`vllm==0.24,deep-ep`): times include their padding and fallback kernels.
    """
    question = _question(model, gpu, plan, name, config, isolated, stack)
    return Results(Step._of(each) for each in _asked(lambda: _shapelint.price(question)))


def suggest(
    model: Any,
    gpu: Gpus = "h100",
    *,
    part: str = "",
    vary: Sequence[str] = (),
    fix: Sequence[str] = (),
    ranges: Mapping[str, str | Iterable[int]] | None = None,
    where: Sequence[str] = (),
    shape: str | None = None,
    head_multiple: int | None = None,
    budget: Mapping[str, float] | None = None,
    objective: str = "tokens",
    basket: str = "worst",
    weights: Mapping[str, float] | None = None,
    prices: Mapping[str, float] | None = None,
    top: int = 10,
    every: bool = False,
    stack: Stack = None,
    name: str | None = None,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
    **plan: Plan,
) -> SuggestResult:
    """Search for better shapes near the model's, with the options of `shapelint suggest` (docs/how-to/find-better-shapes.md).

    `ranges={"hidden_size": "2048:4096:64", "tensor": [1, 2, 4]}`, `where=["hidden_size % 256 == 0"]`,
    `budget={"parameters": 0.05}`; a negative budget means unlimited. Shapes that `stack` (`vllm==0.24`) rejects are not
    suggested. Ctrl-C stops the search.
    """
    question = _question(model, gpu, plan, name, config, isolated, stack)
    texts = []
    for field, values in (ranges or {}).items():
        listed = values if isinstance(values, str) else ",".join(map(str, _held(values, _MOST_VALUES, f"`{field}`")))
        texts.append(f"{field}={listed}")
    return SuggestResult._of(
        _asked(
            lambda: _shapelint.suggest(
                question,
                model=part,
                vary=_held(vary, _MOST_NAMES, "`vary`"),
                fix=_held(fix, _MOST_NAMES, "`fix`"),
                ranges=texts,
                where=_held(where, _MOST_NAMES, "`where`"),
                shape=shape,
                head_multiple=head_multiple,
                budget=dict(budget or {}),
                objective=objective,
                basket=basket,
                weights=dict(weights or {}),
                prices=dict(prices or {}),
                top=top,
                every=every,
            )
        )
    )


def plan(
    model: Any,
    gpu: Gpus = "h100",
    *,
    num_gpus: int | str = "auto",
    part: str = "",
    prices: Mapping[str, float] | None = None,
    global_batch: int | None = None,
    tokens: float = 0,
    input_tokens: int | None = None,
    output_tokens: int | None = None,
    ttft_ms: float = 0,
    tpot_ms: float = 0,
    e2e_ms: float = 0,
    rate: float = 0,
    concurrency: int = 0,
    formats: Sequence[str] = (),
    over: str | Sequence[str] = (),
    top: int = 5,
    stack: Stack = None,
    name: str | None = None,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
    **plan: Plan,
) -> PlanResult:
    """Plan GPUs, layout, batch and cost, as `shapelint plan` does (docs/how-to/plan-parallelism.md).

    Training: the fastest step of `global_batch` sequences on `num_gpus` GPUs (`8`, `"8..64"`, `"auto"`: the fewest), and the
    hours of `tokens`. With `input_tokens` and `output_tokens` serving: the cheapest and fastest replicas within `ttft_ms`,
    `tpot_ms`, `e2e_ms` (a whole request) and `rate` (requests per second) or `concurrency` (requests under way).
    `formats` (`bf16`, `fp8:block128`) and, of training, `over` (`optimizer_bits=32,8`) are tried besides.
    Given fields (`tensor=8`) are kept. Ctrl-C stops the search.
    """
    question = _question(model, gpu, plan, name, config, isolated, stack)
    return PlanResult._of(
        _asked(
            lambda: _shapelint.plan(
                question,
                model=part,
                num_gpus=str(num_gpus),
                prices=dict(prices or {}),
                global_batch=global_batch,
                tokens=float(tokens),
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                ttft_ms=float(ttft_ms),
                tpot_ms=float(tpot_ms),
                e2e_ms=float(e2e_ms),
                rate=float(rate),
                concurrency=concurrency,
                formats=_listed(formats),
                over=[over] if isinstance(over, str) else list(over),
                top=top,
            )
        )
    )


def _column(field: str, values: Any) -> tuple[Any, bool]:
    """Return the values as contiguous 64-bit integers, and whether they are a numpy array."""
    if getattr(values, "ndim", 1) != 1 or not hasattr(values, "__iter__"):
        raise TypeError(f"`{field}` is a column of whole numbers, not {values!r}")
    # A range may be longer than any memory.
    if isinstance(values, range) and values[-1:] and abs(values[-1] - values[0]) // abs(values.step) >= _MOST_ROWS:
        raise ValueError(f"`{field}` has more than {_MOST_ROWS:,} rows")
    is_numpy = type(values).__module__.split(".")[0] in ("numpy", "pandas")
    if is_numpy:
        import numpy

        numbers = numpy.asarray(values)
        if numbers.dtype.kind not in "iu":
            raise TypeError(f"a column holds whole numbers, not {numbers.dtype}")
        return numpy.ascontiguousarray(numbers, dtype=numpy.int64), True
    if isinstance(values, array.array) and values.typecode in "ql" and values.itemsize == 8:
        return values, False
    most = _MOST_ROWS if hasattr(values, "__len__") else _MOST_ROWS_WITHOUT_LENGTH
    try:
        held = array.array("q", itertools.islice(values, most + 1))
    except OverflowError:
        raise ValueError(f"`{field}` holds a number beyond 64 bits") from None
    if len(held) > most:
        raise ValueError(f"`{field}` has more than {most:,} rows")
    return held, False


def sweep(
    model: Any,
    over: Mapping[str, Any],
    gpu: Gpus = "h100",
    *,
    part: str = "",
    threads: int = 0,
    name: str | None = None,
    config: str | os.PathLike[str] | None = None,
    isolated: bool = False,
    **plan: Plan,
) -> Columns:
    """Predict many shapes and launch configs of one model: columns of integers in, columns of results out.

    `over` has a column for each varied field, all of one length; each row is a candidate. The result has these columns, then `parameters`, `memory_gib`, `gpu` (an id; with several GPUs the rows of one come after those of the
    other), `step_us`, `tokens_per_s_per_gpu`, `mfu`, `hfu`, `compute_us`, `memory_us`, `communication_us`,
    `overhead_us`, `bubble_us`, and `fails`: rules that the row violates, or an empty text. Numbers are numpy arrays if a
    given column is one, else `array.array`; pandas accepts both:
    `pandas.DataFrame(sweep(…))`. Runs without the GIL on `threads` threads (0: all).
    """
    question = _question(model, gpu, plan, name, config, isolated)
    if not isinstance(over, Mapping):
        raise TypeError(f"`over` has a column for each varied field, not {over!r}")
    columns = []
    is_numpy = False
    for field, values in over.items():
        column, numpys = _column(field, values)
        if len(column) == 0:
            raise ValueError(f"the column `{field}` has no rows")
        columns.append((field, column))
        is_numpy = is_numpy or numpys
    answer = _asked(lambda: _shapelint.sweep(question, columns, model=part, threads=threads))
    reasons = answer["reasons"]
    gpus = answer["gpus"]

    def numbers(code: str, parts: list[bytearray]) -> Any:
        joined = parts[0] if len(parts) == 1 else bytearray().join(parts)
        if not is_numpy:
            return array.array(code, bytes(joined))
        import numpy

        return numpy.frombuffer(joined, dtype=numpy.dtype(code))

    times = len(gpus)
    out = Columns()
    for field, column in columns:
        out[field] = numbers("q", [bytearray(memoryview(column).cast("B"))] * times)
    out["parameters"] = numbers("q", [answer["parameters"]] * times)
    out["memory_gib"] = numbers("d", [answer["memory_gib"]] * times)
    rows = len(answer["memory_gib"]) // 8
    out["gpu"] = [gpu for gpu, _ in gpus for _ in range(rows)]
    for key in gpus[0][1]:
        out[key] = numbers("d", [results[key] for _, results in gpus])
    fails = array.array("I", bytes(answer["fails"]))
    out["fails"] = [reasons[each] for each in fails] * times
    return out


def kernel(kind: str = "gemm", gpu: str = "h100", **sizes: Any) -> KernelCost:
    """Predict one kernel: `kernel("gemm", "h100", m=8192, n=50257, k=4096)`, `kernel("attention", …)`.

    A `gemm` has m, n, k, batch, dtype, layout (tn, nn, nt, tt). Fused forward `attention` has sequences, heads,
    key_value_heads, query_length, key_length, head_dim, causal, dtype.
    """
    kinds: dict[str, tuple[Any, dict[str, Any]]] = {
        "gemm": (_shapelint.price_gemm, {"m": None, "n": None, "k": None, "batch": 1, "dtype": "bf16", "layout": "tn"}),
        "attention": (
            _shapelint.price_attention,
            {
                "sequences": 1,
                "heads": None,
                "key_value_heads": sizes.get("heads"),
                "query_length": None,
                "key_length": sizes.get("query_length"),
                "head_dim": None,
                "causal": True,
                "dtype": "bf16",
            },
        ),
    }
    if kind not in kinds:
        raise TypeError(f"a kernel is a gemm or attention, not {kind!r}")
    function, all_sizes = kinds[kind]
    unknown = [each for each in sizes if each not in all_sizes]
    if unknown:
        raise TypeError(f"{kind} has no {unknown[0]!r}; it has {', '.join(all_sizes)}")
    given = {**all_sizes, **sizes}
    missing = [each for each, value in given.items() if value is None]
    if missing:
        raise TypeError(f"{kind} needs {', '.join(missing)}")
    return KernelCost._of(_asked(lambda: function(gpu, **given)))


def gpus() -> Results[Gpu]:
    """Return all built-in GPUs."""
    return Results(Gpu._of(each) for each in _asked(_shapelint.gpus))


def find_gpu(name: str) -> Gpu:
    """Return a GPU by id or alias."""
    return Gpu._of(_asked(lambda: _shapelint.find_gpu(name)))


def rules() -> Results[Rule]:
    """Return all built-in rules, by code."""
    return Results(Rule._of(each) for each in _asked(_shapelint.rules))


def find_rule(code_or_name: str) -> Rule:
    """Return a rule by code or name; `find_rule("SL101").page` is its page in Markdown."""
    return Rule._of(_asked(lambda: _shapelint.find_rule(code_or_name)))


def fields() -> Results[Field]:
    """Return all fields of models and launch configs, which every function accepts by name."""
    return Results(Field._of(each) for each in _asked(_shapelint.fields))
