"""What is there for others' tests, trainers and programs."""

import pathlib
import subprocess
import sys
import types
import warnings

import pytest
import shapelint
from shapelint.testing import assert_aligned
from shapelint.transformers import ShapelintCallback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BAD = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257, "n_positions": 1024}


def test_assert_aligned():
    assert not assert_aligned({**BAD, "vocab_size": 50304}, gpu="a100", micro_batch_size=8)
    with pytest.raises(AssertionError, match="(?s)SL101.*fix: vocab_size 50257 → 50304"):
        assert_aligned(BAD, gpu="a100", micro_batch_size=8)
    assert_aligned(BAD, gpu="a100", micro_batch_size=8, min_gain=0.9)
    # What stops the run counts whatever it saves.
    with pytest.raises(AssertionError, match="SL403"):
        assert_aligned(BAD, gpu="a100", tensor=5, min_gain=0.9)
    with pytest.raises(ValueError, match="is not a severity"):
        assert_aligned(BAD, severity="fatal")
    assert_aligned(BAD, gpu="a100", micro_batch_size=8, min_gain="90%")
    for share in (10, "2", -0.1, "x%", None):
        with pytest.raises(ValueError, match="min_gain is a share"):
            assert_aligned(BAD, gpu="a100", min_gain=share)


def test_assert_aligned_passes_nothing_that_was_not_checked(tmp_path):
    with pytest.raises(AssertionError, match="nothing was checked"):
        assert_aligned(tmp_path, gpu="a100")
    (tmp_path / "config.json").write_text('{"model_type": "llama",, }')
    (tmp_path / "good.toml").write_text((ROOT / "examples/llama-3-8b.toml").read_text())
    for path in (tmp_path, tmp_path / "config.json"):
        with pytest.raises(shapelint.ShapelintError, match="config.json:1"):
            assert_aligned(path, gpu="a100")
    report = shapelint.lint(tmp_path, gpu="a100")
    assert "config.json:1" in str(report) and "config.json:1" in report._repr_html_()


class Config:
    def to_dict(self):
        return BAD


def trained(callback, config):
    args = types.SimpleNamespace(per_device_train_batch_size=8, world_size=4, bf16=True)
    model = types.SimpleNamespace(config=config)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for event in ("on_init_end", "on_train_begin", "on_epoch_begin", "on_train_begin", "on_train_end"):
            getattr(callback, event)(args, types.SimpleNamespace(is_world_process_zero=True), object(), model=model)
    return [str(each.message) for each in caught]


def test_the_callback_warns_once():
    callback = ShapelintCallback(gpu="a100")
    said = trained(callback, Config())
    assert len(said) == 1 and "SL101" in said[0]
    values = callback.report.models[0]
    assert (values["micro_batch_size"], values["data"], values["dtype"]) == (8, 4, "bf16")


def test_the_callback_never_stops_the_training():
    said = trained(ShapelintCallback(gpu="a100"), {"model_type": "llama", "hidden_size": -1})
    assert said and all(each.startswith("shapelint: ") for each in said)
    assert trained(ShapelintCallback(gpu="no-such-gpu"), Config())[0].startswith("shapelint: error: unknown GPU")
    assert trained(ShapelintCallback(), None) == ["shapelint: the model has no `config`, and was not checked"]
    with pytest.raises(AttributeError):
        ShapelintCallback().something


def test_the_program_comes_along():
    done = subprocess.run([sys.executable, "-m", "shapelint", "--version"], capture_output=True, text=True)
    assert done.stdout == f"shapelint {shapelint.__version__}\n"
    missing = subprocess.run([sys.executable, "-m", "shapelint", "lint", "no-such.toml"], capture_output=True, text=True)
    assert missing.returncode == 2
