"""A callback for the Trainer of transformers, which need not be installed for this to be imported.

    from shapelint.transformers import ShapelintCallback
    Trainer(…, callbacks=[ShapelintCallback(gpu="h100")])
"""

from __future__ import annotations

import warnings
from typing import Any

from ._functions import Gpus, Plan, lint
from ._error import ShapelintError


class ShapelintCallback:
    """Lint the model's configuration once, when training starts, and warn about findings.

    The trainer's arguments are used: batch, accumulation, precision, optimizer, gradient checkpointing, FSDP, DeepSpeed.
    Only warnings are raised, also for an unreadable model. `plan` overrides the arguments: `ShapelintCallback(gpu="h100", sequence_length=4096, tensor=2)`.
    """

    def __init__(self, gpu: Gpus = None, *, min_gain: float | None = None, **plan: Plan):
        self.gpu = gpu
        self.min_gain = min_gain
        self.plan = plan
        self.report: Any = None
        self._has_asked = False

    def __getattr__(self, name: str) -> Any:
        # The trainer calls an `on_…` of every event; only one does something here.
        if name.startswith("on_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)

    def on_train_begin(self, args: Any = None, state: Any = None, control: Any = None, **kwargs: Any) -> None:
        if self._has_asked or not getattr(state, "is_world_process_zero", True):
            return
        self._has_asked = True
        model = kwargs.get("model")
        model = getattr(model, "module", model)  # as data parallelism wraps it
        config = getattr(model, "config", None)
        if config is None:
            warnings.warn("shapelint: the model has no `config`, and was not checked", stacklevel=2)
            return
        try:
            model = (config, args) if hasattr(args, "per_device_train_batch_size") else config
            self.report = lint(model, self.gpu, min_gain=self.min_gain, min_severity="warning", **self.plan)  # type: ignore[arg-type]
        except (ShapelintError, TypeError, ValueError, OSError) as problem:
            warnings.warn(f"shapelint: {problem}", stacklevel=2)
            return
        if self.report.findings:
            warnings.warn(f"shapelint: {self.report}", stacklevel=2)
