"""Configurations as frameworks hold them in memory, written as the files that they read.

Nothing of a framework is imported: an object is known by its attributes. What a file of the framework says in the same
words is left to the format of that file (formats/), so that an object and its file are understood alike.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import os
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Union

Plan = Union[int, bool, str]

# Deeper is no configuration, and objects may refer to each other.
_MOST_LEVELS = 12


class Written(NamedTuple):
    """Files by name, the first to be linted, and values that the framework's files cannot hold."""

    files: dict[str, str]
    plan: dict[str, Plan]
    is_free: bool = False  # the model's shape is to be chosen, though the file names it as a model that is there


def _has(given: Any, *names: str) -> bool:
    return not isinstance(given, (str, bytes, Mapping, type)) and all(hasattr(given, name) for name in names)


def _members(given: Any) -> dict[str, Any]:
    """What an object holds: a dataclass, one of pydantic or any other, without what is private or can be called."""
    if isinstance(given, Mapping):
        return {str(key): value for key, value in given.items()}
    names: Iterable[str] = vars(given) if hasattr(given, "__dict__") else ()
    if dataclasses.is_dataclass(given):
        names = [*(field.name for field in dataclasses.fields(given)), *names]
    return {name: getattr(given, name, None) for name in names if not name.startswith("_")}


def _plain(given: Any, levels: int = _MOST_LEVELS) -> Any:
    """Return a JSON value; other objects become null."""
    if isinstance(given, enum.Enum):
        return given.value if isinstance(given.value, (bool, int, float, str)) else given.name
    if given is None or isinstance(given, (bool, int, float, str)):
        return given
    if levels == 0 or callable(given) and not dataclasses.is_dataclass(given) or isinstance(given, type):
        return None
    if type(given).__module__ == "torch" and type(given).__name__ == "dtype":
        return str(given).removeprefix("torch.")
    if isinstance(given, (list, tuple, set, frozenset)):
        return [_plain(each, levels - 1) for each in given]
    if isinstance(given, Mapping) or hasattr(given, "__dict__"):
        return {name: _plain(value, levels - 1) for name, value in _members(given).items()}
    return None


def _text(tree: Any) -> str:
    return json.dumps(tree, indent=2, ensure_ascii=False, default=str)


def _stated(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in tree.items() if value is not None}


def _node(given: Any) -> Any:
    """Of a configuration of fiddle or nemo_run (`run.Config`, `run.Partial`): the arguments, over the class's defaults."""
    if not _has(given, "__arguments__", "__fn_or_cls__"):
        return given
    made = given.__fn_or_cls__
    values: dict[str, Any] = {}
    for field in dataclasses.fields(made) if dataclasses.is_dataclass(made) else ():
        if field.default is not dataclasses.MISSING:
            values[field.name] = field.default
    values.update(given.__arguments__)
    return values


def _get(given: Any, name: str) -> Any:
    given = _node(given)
    return _node(given.get(name) if isinstance(given, Mapping) else getattr(given, name, None))


# Names of Megatron-Core's configurations that are options of Megatron-LM, too.
_MEGATRON = (
    "num_layers hidden_size ffn_hidden_size num_attention_heads num_query_groups kv_channels seq_length vocab_size "
    "make_vocab_size_divisible_by normalization qk_layernorm position_embedding_type "
    "multi_latent_attention q_lora_rank kv_lora_rank qk_head_dim qk_pos_emb_head_dim v_head_dim "
    "moe_router_topk moe_ffn_hidden_size moe_shared_expert_intermediate_size moe_grouped_gemm moe_token_dispatcher_type "
    "mtp_num_layers tensor_model_parallel_size pipeline_model_parallel_size context_parallel_size "
    "expert_model_parallel_size expert_tensor_parallel_size sequence_parallel recompute_granularity recompute_method "
    "recompute_num_layers recompute_modules fp8 fp8_recipe micro_batch_size global_batch_size use_distributed_optimizer "
    "bf16 fp16 account_for_embedding_in_pipeline_split account_for_loss_in_pipeline_split"
).split()


def _layout(given: Any) -> Optional[str]:
    """Where the stages of a pipeline end, as Megatron's option writes it: `Et*3|t*4L`."""
    stages = getattr(given, "layout", given)
    if isinstance(stages, str) or stages is None:
        return stages
    letters = {"embedding": "E", "decoder": "t", "mtp": "m", "loss": "L"}
    if not isinstance(stages, (list, tuple)) or not all(isinstance(stage, (list, tuple)) for stage in stages):
        return None
    return "|".join("".join(letters.get(str(getattr(each, "name", each)).lower(), "") for each in stage) for stage in stages)


def _said(name: str, parts: Iterable[Any]) -> Any:
    """Return the value of the first part that states it."""
    return next((value for value in (_get(part, name) for part in parts) if value is not None), None)


def _megatron_text(*parts: Any) -> str:
    """Return the parts of a configuration as options of Megatron-LM."""

    def said(name: str) -> Any:
        return _said(name, parts)

    options = {name: said(name) for name in _MEGATRON}
    for option, name, is_on in (
        ("swiglu", "gated_linear_unit", True),
        ("disable_bias_linear", "add_bias_linear", False),
        ("untie_embeddings_and_output_weights", "share_embeddings_and_output_weights", False),
        ("add_qkv_bias", "add_qkv_bias", True),
    ):
        if said(name) is is_on:
            options[option] = True
    options["num_experts"] = said("num_moe_experts")
    options["decoder_first_pipeline_num_layers"] = said("num_layers_in_first_pipeline_stage")
    options["decoder_last_pipeline_num_layers"] = said("num_layers_in_last_pipeline_stage")
    options["pipeline_model_parallel_layout"] = _layout(said("pipeline_model_parallel_layout"))
    layers, frequency = options["num_layers"], said("moe_layer_freq")
    if options["num_experts"]:
        options["moe_layer_freq"] = str(frequency) if isinstance(frequency, (list, tuple)) else frequency
    if options["num_query_groups"]:
        options["group_query_attention"] = True
    chunks, stages = said("virtual_pipeline_model_parallel_size"), options["pipeline_model_parallel_size"]
    if isinstance(chunks, int) and isinstance(stages, int) and isinstance(layers, int) and layers % (chunks * stages) == 0:
        options["num_layers_per_virtual_pipeline_stage"] = layers // (chunks * stages)
    if options["bf16"] is None and options["fp16"] is None:
        options["bf16"] = True  # default of their mixed precision
    return _text({"MODEL_ARGS": {f"--{name.replace('_', '-')}": _plain(value) for name, value in options.items() if value not in (None, False)}})


def _replicas(gpus: Any, *parts: Any) -> dict[str, Plan]:
    """Return the data parallelism of this number of GPUs."""
    if not isinstance(gpus, int):
        return {}
    for name in ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"):
        degree = _said(name, parts)
        if isinstance(degree, int) and degree > 0:
            gpus //= degree
    return {"data": gpus} if gpus > 0 else {}


def _of_nemo(recipe: Any) -> Optional[Written]:
    model = _get(_get(recipe, "model"), "config")
    trainer, data = _get(recipe, "trainer"), _get(recipe, "data")
    if model is None or trainer is None or _get(model, "num_layers") is None:
        return None
    strategy = _get(trainer, "strategy")
    text = _megatron_text(data, strategy, model)
    nodes, devices = _get(trainer, "num_nodes"), _get(trainer, "devices")
    gpus = devices * (nodes if isinstance(nodes, int) else 1) if isinstance(devices, int) else None
    return Written({"recipe.yaml": text}, _replicas(gpus, strategy, model))


# TrainingArguments and what TRL derives from them, as far as a format reads it.
_TRAINING = (
    "per_device_train_batch_size gradient_accumulation_steps gradient_checkpointing bf16 fp16 optim fsdp fsdp_config "
    "deepspeed use_liger_kernel torch_compile max_length max_seq_length packing activation_offloading beta loss_type "
    "num_generations max_prompt_length max_completion_length learning_rate"
).split()


def _of_training(config: Any, args: Any) -> Written:
    """A model's configuration and the trainer's arguments."""
    said = _stated({name: _plain(getattr(args, name, None)) for name in _TRAINING})
    if isinstance(said.get("deepspeed"), str) and os.path.isfile(said["deepspeed"]):
        with open(said["deepspeed"], encoding="utf-8") as file:
            said["deepspeed"] = json.load(file)
    if isinstance(said.get("fsdp"), list):
        said["fsdp"] = " ".join(str(each) for each in said["fsdp"])
    if not said.get("fsdp"):
        said.pop("fsdp", None)
        said.pop("fsdp_config", None)  # which the arguments always hold
    model = config if isinstance(config, Mapping) else config.to_dict()
    dtype = model.get("dtype") or model.get("torch_dtype")
    if dtype is not None:
        said["torch_dtype"] = str(dtype).removeprefix("torch.")
    if "max_length" not in said and "max_seq_length" not in said:
        longest = next((model[name] for name in ("max_position_embeddings", "n_positions") if isinstance(model.get(name), int)), None)
        if longest is not None:
            said["max_length"] = longest
    said = {"model_name_or_path": "model", "dataset_name": "the trainer's", "learning_rate": 0, "gradient_checkpointing": False, **said}
    world = getattr(args, "world_size", None)
    plan: dict[str, Plan] = {"data": world} if isinstance(world, int) and world > 1 else {}
    # A configuration that was loaded with its model has that model's name.
    is_free = not model.get("_name_or_path")
    return Written({"training.yaml": _text(said), "model/config.json": _text(model)}, plan, is_free)


def _of_torchtitan(job: Any) -> Written:
    """A `Trainer.Config`: until 2026 its fields are those of the TOML, since then tokens take the place of a batch."""
    tree = _plain(job)
    spec = getattr(job, "model_spec", None)
    if spec is None:
        return Written({"job.yaml": _text(tree)}, {})
    training, kept = tree["training"], ("training", "parallelism", "optimizer", "compile")
    longest, tokens = training.get("max_context_length"), training.get("num_tokens_per_microbatch_per_dp_rank")
    if isinstance(longest, int) and longest > 0:
        training.setdefault("seq_len", longest)
        if isinstance(tokens, int) and tokens >= longest:
            training.setdefault("local_batch_size", tokens // longest)
    # The class says which checkpointing it is: FullAC.Config, SelectiveAC.Config.
    checkpointing = getattr(job, "activation_checkpoint", None)
    mode = "none" if checkpointing is None else type(checkpointing).__qualname__.split(".")[-2:][0].removesuffix("AC").lower()
    if mode not in ("full", "selective"):
        mode = _get(checkpointing, "mode") or "none"
    said = {name: tree[name] for name in kept if name in tree}
    model = {"name": _get(spec, "name"), "flavor": _get(spec, "flavor")}
    return Written({"job.yaml": _text({"model": model, **said, "activation_checkpoint": {"mode": mode}})}, {})


# vllm serve's options (EngineArgs has the same), as far as a format reads them.
_ENGINE = (
    "model tensor_parallel_size pipeline_parallel_size data_parallel_size enable_expert_parallel decode_context_parallel_size "
    "max_model_len max_num_seqs max_num_batched_tokens gpu_memory_utilization kv_cache_dtype dtype quantization "
    "enforce_eager block_size enable_prefix_caching enable_chunked_prefill"
).split()


def written(given: Any) -> Optional[Written]:
    """Return the files equivalent to an object, or None if its framework is unknown."""
    if isinstance(given, tuple) and len(given) == 2:
        config, args = given
        if _has(args, "per_device_train_batch_size") and (isinstance(config, Mapping) or _has(config, "to_dict")):
            return _of_training(config, args)
        return None
    if isinstance(given, Mapping):
        # A trainer's file names its model; YAML is what all of them read, and JSON is YAML.
        names_model = "model_type" not in given and ("base_model" in given or "model_name_or_path" in given)
        return Written({"training.yaml": _text(dict(given))}, {}) if names_model else None
    if _has(given, "__arguments__", "__fn_or_cls__"):
        return _of_nemo(given)
    if _has(given, "model", "tensor_parallel_size", "gpu_memory_utilization"):
        said = {name: _plain(getattr(given, name, None)) for name in _ENGINE}
        # `auto` and null are the engine's to decide.
        stated = {name.replace("_", "-"): value for name, value in said.items() if value not in (None, "auto")}
        return Written({"serve.yaml": _text(stated)}, {})
    if _has(given, "model", "train") and _has(given.model, "num_layers", "hidden_size"):
        text = _megatron_text(given.train, given.model, getattr(given, "ddp", None), getattr(given, "dataset", None))
        return Written({"container.yaml": text}, _replicas(getattr(given, "world_size", None), given.model))
    if _has(given, "training", "parallelism") and (_has(given, "model") or _has(given, "model_spec")):
        return _of_torchtitan(given)
    if _has(given, "per_device_train_batch_size") and not hasattr(given, "hidden_size"):
        raise TypeError("training arguments do not include the model: give both, `(model.config, args)`")
    return None
