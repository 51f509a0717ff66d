"""Objects of frameworks, by stand-ins that have the names of their fields and nothing else of them.

Sources of the names: transformers, src/transformers/training_args.py; torchtitan, torchtitan/config/job_config.py and, since
2026, torchtitan/trainer.py, config/configs.py, protocols/model_spec.py and distributed/activation_checkpoint.py;
Megatron-Bridge, src/megatron/bridge/training/config.py, and Megatron-LM, megatron/core/transformer/transformer_config.py;
NeMo, nemo/collections/llm/recipes; fiddle, fiddle/_src/config.py; vLLM, vllm/engine/arg_utils.py.
"""

import dataclasses
import types

import pytest
import shapelint
from shapelint.testing import assert_registry

SimpleNamespace = types.SimpleNamespace


def values(model, **options):
    [found] = shapelint.read(model, **options)
    return {name: str(each.value).lower() for name, each in found.fields.items()}


class PretrainedConfig:
    def __init__(self, **members):
        self.__dict__.update(members)

    def to_dict(self):
        return dict(self.__dict__)


GPT2 = PretrainedConfig(model_type="gpt2", n_embd=768, n_layer=12, n_head=12, vocab_size=50257, n_positions=1024)


def training(**members):
    return SimpleNamespace(**{"per_device_train_batch_size": 8, "gradient_accumulation_steps": 2, "world_size": 4,
                              "gradient_checkpointing": False, "bf16": True, "fp16": False, "optim": "adamw_torch", "fsdp": [],
                              "fsdp_config": {}, "deepspeed": None, "learning_rate": 5e-5, **members})


def test_training_arguments():
    plain = values((GPT2, training()))
    expected = {"micro_batch_size": "8", "gradient_accumulation": "2", "data": "4", "dtype": "bf16", "recompute": "none",
                "optimizer": "adam", "zero": "0", "num_layers": "12", "sequence_length": "1024"}
    assert {name: plain[name] for name in expected} == expected
    fsdp = values((GPT2, training(fsdp=["full_shard", "auto_wrap", "offload"], gradient_checkpointing=True, optim="paged_adamw_8bit")))
    expected = {"zero": "3", "recompute": "full", "optimizer_bits": "8", "paged_optimizer": "true", "offload_weights": "true",
                "weight_precision": "single"}
    assert {name: fsdp[name] for name in expected} == expected
    assert values((GPT2, training(fsdp=["shard_grad_op"])))["zero"] == "2"
    again = values((GPT2, training(fsdp=["full_shard"], fsdp_config={"activation_checkpointing": True})))
    assert (again["recompute"], again["zero"]) == ("full", "3")
    deepspeed = {"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}, "train_micro_batch_size_per_gpu": "auto"}
    offloaded = values((GPT2, training(deepspeed=deepspeed, optim="adafactor", fp16=True, bf16=False)))
    expected = {"zero": "2", "offload_optimizer": "100", "optimizer": "adafactor", "dtype": "fp16", "micro_batch_size": "8"}
    assert {name: offloaded[name] for name in expected} == expected
    with pytest.raises(TypeError, match=r"give both, `\(model.config, args\)`"):
        shapelint.lint(training())


def test_deepspeed_by_the_name_of_a_file(tmp_path):
    (tmp_path / "ds.json").write_text('{"zero_optimization": {"stage": 3}, "bf16": {"enabled": true}}')
    assert values((GPT2, training(deepspeed=str(tmp_path / "ds.json"))))["zero"] == "3"


def test_memory_of_a_sharded_run_is_not_that_of_one_gpu():
    """A 70B over 64 GPUs with FSDP: out of memory only to who knows batch and world size alone."""
    config = PretrainedConfig(model_type="llama", hidden_size=8192, intermediate_size=28672, num_hidden_layers=80,
                              num_attention_heads=64, num_key_value_heads=8, vocab_size=128256, max_position_embeddings=4096)
    sharded = training(fsdp=["full_shard"], gradient_checkpointing=True, per_device_train_batch_size=1, world_size=64)
    def needs(args):
        return shapelint.price((config, args), gpu="h100")[0].memory.total_bytes

    assert needs(sharded) < 80e9 < needs(training(per_device_train_batch_size=1, world_size=64))


def test_a_loaded_models_shape_is_fixed():
    loaded = PretrainedConfig(**GPT2.to_dict(), _name_or_path="openai-community/gpt2")
    codes = {each.code for each in shapelint.lint((GPT2, training()), gpu="a100")}
    assert "SL101" in codes
    fixed = {each.code for each in shapelint.lint((loaded, training()), gpu="a100", min_severity="info")}
    assert "SL607" not in fixed  # no other heads


def test_torchtitan():
    job = SimpleNamespace(job=SimpleNamespace(description="8B"), model=SimpleNamespace(name="llama3", flavor="8B", converters=[]),
                          training=SimpleNamespace(local_batch_size=2, seq_len=8192, steps=1000),
                          parallelism=SimpleNamespace(tensor_parallel_degree=2, pipeline_parallel_degree=1, data_parallel_shard_degree=-1),
                          activation_checkpoint=SimpleNamespace(mode="full"))
    read = values(job)
    expected = {"hidden_size": "4096", "num_layers": "32", "micro_batch_size": "2", "sequence_length": "8192", "tensor": "2", "recompute": "full"}
    assert {name: read[name] for name in expected} == expected


def test_torchtitan_of_2026():
    """Tokens of a rank's micro-batch take the place of a batch and a length, and a class that of a mode."""
    class FullAC:
        class Config:
            early_stop = False

    def job(flavor="8B", tensor=2, checkpointing=FullAC.Config()):
        return SimpleNamespace(
            model_spec=SimpleNamespace(name="llama3", flavor=flavor, model=None, parallelize_fn=print), hf_assets_path="./assets/hf",
            training=SimpleNamespace(num_tokens_per_microbatch_per_dp_rank=16384, max_context_length=8192, steps=1000, dtype="float32"),
            parallelism=SimpleNamespace(data_parallel_replicate_degree=1, data_parallel_shard_degree=-1, tensor_parallel_degree=tensor,
                                        enable_sequence_parallel=True, pipeline_parallel_degree=1, context_parallel_degree=1,
                                        expert_parallel_degree=1),
            activation_checkpoint=checkpointing)

    read = values(job())
    expected = {"hidden_size": "4096", "num_layers": "32", "micro_batch_size": "2", "sequence_length": "8192", "tensor": "2", "recompute": "full"}
    assert {name: read[name] for name in expected} == expected
    assert values(job(checkpointing=None))["recompute"] == "none"
    # 8 heads of keys and values: Decoder.Config.update_from_config raises.
    assert set(assert_registry({"llama3_8b": lambda: job(), "tp_16": lambda: job(tensor=16)}, gpu="h100", known=("tp_16",))) == {"llama3_8b"}


def provider(**members):
    return SimpleNamespace(**{
        "num_layers": 32, "hidden_size": 4096, "ffn_hidden_size": 14336, "num_attention_heads": 32, "num_query_groups": 8,
        "gated_linear_unit": True, "add_bias_linear": False, "share_embeddings_and_output_weights": False, "normalization": "RMSNorm",
        "seq_length": 8192, "vocab_size": 128256, "tensor_model_parallel_size": 2, "pipeline_model_parallel_size": 2,
        "virtual_pipeline_model_parallel_size": 2, "context_parallel_size": 1, "sequence_parallel": True, "num_moe_experts": None,
        "moe_layer_freq": 1, "recompute_granularity": None, **members})


def test_megatron_bridge():
    container = SimpleNamespace(model=provider(), train=SimpleNamespace(micro_batch_size=1, global_batch_size=128),
                                ddp=SimpleNamespace(use_distributed_optimizer=True), world_size=16)
    read = values(container)
    expected = {"num_layers": "32", "num_key_value_heads": "8", "intermediate_size": "14336", "mlp_gated": "true", "tie_word_embeddings": "false",
                "tensor": "2", "pipeline": "2", "virtual_pipeline": "2", "data": "4", "zero": "1", "micro_batch_size": "1", "dtype": "bf16"}
    assert {name: read[name] for name in expected} == expected
    assert shapelint.price(container, gpu="h100")[0].parameters == 8_030_261_248  # Llama 3 8B, as its card says 8.03 B
    # Eight KV heads over sixteen ranks: what torchtitan and Megatron refuse.
    assert any(each.certain_to_fail for each in shapelint.lint(SimpleNamespace(
        model=provider(tensor_model_parallel_size=12), train=SimpleNamespace(micro_batch_size=1, global_batch_size=128)), gpu="h100"))


def test_megatron_bridge_places_its_layers():
    """126 layers are no multiple of 8 stages, and need not be where the embedding, the loss or a layout are counted."""
    def fails(**members):
        plan = {"tensor_model_parallel_size": 8, "pipeline_model_parallel_size": 8, "virtual_pipeline_model_parallel_size": None, **members}
        container = SimpleNamespace(model=provider(num_layers=126, **plan), train=SimpleNamespace(micro_batch_size=1, global_batch_size=128))
        return any(each.certain_to_fail for each in shapelint.lint(container, gpu="h100") if each.code in ("SL417", "SL451"))

    assert fails()
    assert fails(account_for_embedding_in_pipeline_split=False, num_layers_in_first_pipeline_stage=None)
    assert not fails(account_for_embedding_in_pipeline_split=True, account_for_loss_in_pipeline_split=True)
    assert not fails(num_layers_in_first_pipeline_stage=15, num_layers_in_last_pipeline_stage=15)
    stages = [["embedding"] + ["decoder"] * 15, *[["decoder"] * 16] * 6, ["decoder"] * 15 + ["loss"]]
    assert not fails(pipeline_model_parallel_layout=stages)
    assert not fails(pipeline_model_parallel_layout="Et*15|(t*16|)*6t*15L")


class Buildable:
    def __init__(self, made, **arguments):
        self.__fn_or_cls__ = made
        self.__arguments__ = arguments


@dataclasses.dataclass
class LlamaConfig:
    gated_linear_unit: bool = True
    add_bias_linear: bool = False
    share_embeddings_and_output_weights: bool = False
    normalization: str = "RMSNorm"


@dataclasses.dataclass
class Llama3Config8B(LlamaConfig):
    num_layers: int = 32
    hidden_size: int = 4096
    ffn_hidden_size: int = 14336
    num_attention_heads: int = 32
    num_query_groups: int = 8
    seq_length: int = 8192


def nemo_recipe(tensor=4):
    return Buildable(
        print, model=Buildable(print, config=Buildable(Llama3Config8B, vocab_size=128256)),
        trainer=Buildable(print, devices=8, num_nodes=2, strategy=Buildable(
            print, tensor_model_parallel_size=tensor, pipeline_model_parallel_size=1, context_parallel_size=2, sequence_parallel=True)),
        data=Buildable(print, seq_length=8192, micro_batch_size=1, global_batch_size=512))


def test_nemo():
    read = values(nemo_recipe())
    expected = {"num_layers": "32", "hidden_size": "4096", "num_key_value_heads": "8", "tensor": "4", "context": "2", "data": "2",
                "micro_batch_size": "1", "sequence_length": "8192"}
    assert {name: read[name] for name in expected} == expected


def test_dictionaries_that_name_their_model():
    axolotl = values({"base_model": "NousResearch/Llama-2-7b-hf", "datasets": [], "sequence_len": 4096, "micro_batch_size": 2,
                      "gradient_accumulation_steps": 4, "bf16": True})
    assert (axolotl["hidden_size"], axolotl["micro_batch_size"], axolotl["sequence_length"]) == ("4096", "2", "4096")
    factory = values({"model_name_or_path": "meta-llama/Llama-3.1-8B", "stage": "sft", "finetuning_type": "lora", "lora_rank": 8,
                      "cutoff_len": 2048, "per_device_train_batch_size": 1, "bf16": True, "template": "llama3"})
    assert (factory["adapters"], factory["adapter_rank"], factory["sequence_length"]) == ("true", "8", "2048")


def test_vllm():
    engine = SimpleNamespace(model="Qwen/Qwen3-32B", tensor_parallel_size=2, pipeline_parallel_size=1, max_model_len=8192,
                             gpu_memory_utilization=0.9, dtype="auto", kv_cache_dtype="auto", max_num_seqs=64, quantization=None)
    read = values(engine)
    assert (read["mode"], read["tensor"], read["longest_sequence"], read["memory_percent"]) == ("decode", "2", "8192", "90")


def test_what_is_no_configuration():
    for wrong in (object(), 3, SimpleNamespace(model=1), [], (GPT2, 1)):
        with pytest.raises(TypeError):
            shapelint.lint(wrong)


def test_a_registry():
    registry = {"good": lambda: nemo_recipe(4), "bad": lambda: nemo_recipe(12), "unknown": lambda: SimpleNamespace(a=1)}
    with pytest.raises(AssertionError) as problem:
        assert_registry(registry, gpu="h100")
    lines = str(problem.value).splitlines()
    assert {line.split(":")[0] for line in lines} == {"bad", "unknown"}
    assert set(assert_registry(registry, gpu="h100", known=("bad", "unknown"))) == {"good"}
    with pytest.raises(AssertionError, match="good: known to fail, but no finding"):
        assert_registry(registry, gpu="h100", known=("bad", "unknown", "good"))
    with pytest.raises(AssertionError, match="gone: known to fail, but not in the registry"):
        assert_registry(registry, gpu="h100", known=("bad", "unknown", "gone"))
    with pytest.raises(AssertionError, match="nothing was checked"):
        assert_registry({}, gpu="h100")
