"""Models in all the ways they come, and what is wrong with them."""

import dataclasses
import itertools
import json
import pathlib
import pickle

import pytest
import shapelint

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples/gpt3-2.7b.toml"
CONFIG = {
    "model_type": "llama",
    "hidden_size": 5130,
    "intermediate_size": 13824,
    "num_hidden_layers": 40,
    "num_attention_heads": 45,
    "vocab_size": 32000,
}


class Configuration:
    """As transformers has them: `to_dict`, with a value that JSON does not know."""

    class DType:
        def __str__(self):
            return "float16"

    def to_dict(self):
        return {**CONFIG, "torch_dtype": self.DType()}


def codes(report):
    return [finding.code for finding in report]


@pytest.mark.parametrize("model", [EXAMPLE, str(EXAMPLE), EXAMPLE.read_text()], ids=["path", "name", "text"])
def test_a_file_and_its_text(model):
    report = shapelint.lint(model, "a100", min_severity="warning")
    assert codes(report) == ["SL604", "SL605", "SL101"]
    assert bool(report)
    assert report.findings[0].field == "attention"
    first = report.findings[1]
    assert (first.field, first.range.line, first.range.column) == ("num_attention_heads", 8, 23)
    assert str(first.proposals[0].changes[0]) == "num_attention_heads 32 → 20"
    assert first.proposals[0].edits[0].new_text == "20"
    assert report.steps[0].gpu == "a100-sxm4-80gb"
    assert report.models[0]["hidden_size"] == 2560


@pytest.mark.parametrize("model", [CONFIG, json.dumps(CONFIG), Configuration()], ids=["dict", "json", "to_dict"])
def test_a_configuration(model):
    report = shapelint.lint(model, gpu="h100", micro_batch_size=4, tensor=2)
    assert codes(report)[:2] == ["SL403", "SL404"]
    assert report.findings[0].certain_to_fail
    assert report.findings[0].path == "config.json"


def test_what_is_no_model():
    with pytest.raises(TypeError, match="not int"):
        shapelint.lint(3)


def test_several_gpus_and_the_plan():
    several = shapelint.lint(EXAMPLE, ["a100", "h100"])
    assert [gpu.id for gpu in several.gpus] == ["a100-sxm4-80gb", "h100-sxm5"]
    assert several.to_dict()["gpus"] == shapelint.lint(EXAMPLE, "a100,h100").to_dict()["gpus"]
    flash = shapelint.lint(EXAMPLE, "a100", attention="flash")
    assert "SL605" not in codes(flash)


def test_select_and_ignore():
    assert codes(shapelint.lint(EXAMPLE, "a100", select=["SL1"])) == ["SL101"]
    assert "SL101" not in codes(shapelint.lint(EXAMPLE, "a100", ignore=["SL101"]))
    assert not shapelint.lint(EXAMPLE, "a100", ignore=["SL101", "SL110", "SL604", "SL605"])


def test_a_folder_tells_of_broken_files_and_lints_the_others(tmp_path):
    (tmp_path / "good.toml").write_text(EXAMPLE.read_text())
    (tmp_path / "broken.shapelint.toml").write_text("[model]\nhiden_size = 1\n")
    report = shapelint.lint(tmp_path, "a100", min_severity="warning")
    assert codes(report) == ["SL604", "SL605", "SL101"]
    assert report.problems[0].path.endswith("broken.shapelint.toml")
    assert report.problems[0].code == "invalid-file"


def test_a_question_about_a_folder_that_has_no_answer_is_refused(tmp_path):
    (tmp_path / "good.toml").write_text(EXAMPLE.read_text())
    (tmp_path / "broken.shapelint.toml").write_text("[model]\nhiden_size = 1\n")
    with pytest.raises(shapelint.ShapelintError, match="unknown GPU `h10`") as caught:
        shapelint.lint(tmp_path, "h10")
    assert [each.code for each in caught.value.problems] == ["invalid-option"]


def test_errors_have_a_place():
    text = EXAMPLE.read_text().replace("hidden_size = 2560", "hidden_size = -2560")
    with pytest.raises(shapelint.ShapelintError) as caught:
        shapelint.lint(text, "h100", name="a/model.toml")
    error = caught.value
    assert (error.code, error.path, error.line, error.column) == ("invalid-file", "a/model.toml", 6, 15)
    assert str(error).startswith("a/model.toml:6:15: error: ")
    copy = pickle.loads(pickle.dumps(error))
    assert copy.problems == error.problems


@pytest.mark.parametrize(
    "call, code, text",
    [
        (lambda: shapelint.lint("no-such.toml"), "not-found", "no-such.toml"),
        (lambda: shapelint.lint(EXAMPLE, "a1000"), "invalid-option", "did you mean `a100`?"),
        (lambda: shapelint.lint(EXAMPLE, hiden_size=1), "invalid-option", "did you mean `hidden_size`?"),
        (lambda: shapelint.lint(EXAMPLE, micro_batch_size=0), "invalid-option", "a whole number from 1"),
        (lambda: shapelint.lint(EXAMPLE, min_severity="bad"), "invalid-option", "info, warning or error"),
        (lambda: shapelint.find_gpu("a1000"), "invalid-option", "did you mean `a100`?"),
        (lambda: shapelint.find_rule("SL999"), "invalid-option", "SL999"),
        (lambda: shapelint.suggest(EXAMPLE, "a100", objective="speed"), "invalid-option", "tokens, mfu"),
        (lambda: shapelint.suggest(EXAMPLE, "a100", where=["hidden_size %"]), "invalid-option", "hidden_size"),
        (lambda: shapelint.suggest(EXAMPLE, "a100", where=["hidden_size == 1"]), "no-candidates", "no allowed combination"),
        (lambda: shapelint.kernel("gemm", "h100", m=0, n=1, k=1), "invalid-option", "`m` is 0"),
    ],
)
def test_errors(call, code, text):
    with pytest.raises(shapelint.ShapelintError) as caught:
        call()
    assert caught.value.code == code
    assert text in str(caught.value)


def test_the_catalogue():
    assert shapelint.find_gpu("A100_SXM4-80GB").sm_count == 108
    assert shapelint.find_gpu("h100").peaks_tflops["bf16"] > 900
    assert len(shapelint.gpus()) > 40
    rule = shapelint.find_rule("vocab-misaligned")
    assert rule.code == "SL101" and rule in shapelint.rules()
    assert "hidden_size" in {field.name for field in shapelint.fields()}


def test_reading():
    model = shapelint.read(CONFIG, dtype="fp16")[0]
    values = model.fields
    assert values["head_dim"].origin == "derived" and values["head_dim"].value == 114
    assert values["dtype"].origin == "given"
    assert values["hidden_size"].range.line == 3


def test_notebook_and_tables(tmp_path):
    text = shapelint.lint({**CONFIG, "_name_or_path": "<script>alert(1)</script>"}, "h100")._repr_html_()
    assert text.startswith("<table>") and "SL102" in text
    assert "<script" not in text
    pandas = pytest.importorskip("pandas")
    frame = shapelint.lint(EXAMPLE, "a100").to_pandas()
    assert list(frame["code"])[:2] == ["SL604", "SL605"]
    assert list(frame["line"])[:2] == [18, 8]
    assert isinstance(shapelint.price(EXAMPLE, "a100")[0].to_pandas(), pandas.DataFrame)
    json.dumps(shapelint.lint(EXAMPLE, "a100", with_operations=True).to_dict())


def test_a_step_that_cannot_start_has_no_time():
    text = shapelint.lint(EXAMPLE, "a100", tensor=3)._repr_html_()
    assert "n/a until fixed: SL403" in text and "ms a step" not in text
    report = shapelint.lint(EXAMPLE, "a100", micro_batch_size=512)
    assert report.steps[0].out_of_memory
    text = report._repr_html_()
    assert "n/a until it fits" in text and "ms a step" not in text


def test_values_are_plain_and_fixed():
    finding = shapelint.lint(EXAMPLE, "a100").findings[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        finding.code = "SL1"


def test_what_the_caller_gets_wrong_is_said_in_their_words():
    gpt2 = {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257, "n_positions": 1024}
    assert [each.code for each in shapelint.lint(gpt2, gpu="a100", select="SL101")] == ["SL101"]
    with pytest.raises(TypeError, match="expected a text or several, not 4090"):
        shapelint.lint(gpt2, gpu=4090)
    with pytest.raises(TypeError, match="`hidden_size` is a column of whole numbers, not 4096"):
        shapelint.sweep(gpt2, {"hidden_size": 4096})
    with pytest.raises(ValueError, match="the column `hidden_size` has no rows"):
        shapelint.sweep(gpt2, {"hidden_size": []})
    with pytest.raises(shapelint.ShapelintError, match="did you mean `Qwen/Qwen3-8B`?"):
        shapelint.price("Qwen/Qewn3-8B", gpu="h100")
    for text in ("hidden_size = 1\n# \ud800", {"model_type": "\udfff"}):
        with pytest.raises(ValueError, match="which is not a character"):
            shapelint.lint(text, gpu="a100")
    with pytest.raises(ValueError, match="which is not a character"):
        shapelint.lint(gpt2, gpu="a100\ud800")
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"model_type": deep}
    with pytest.raises(ValueError, match="nested too deep"):
        shapelint.lint(deep, gpu="a100")
    with pytest.raises(ValueError, match="`hidden_size` holds a number beyond 64 bits"):
        shapelint.sweep(gpt2, {"hidden_size": [10**400]})
    for endless in (range(1, 10**12), range(1, 10**30), range(10**12, 1, -1)):
        with pytest.raises(ValueError, match="`hidden_size` has more than 100,000,000 rows"):
            shapelint.sweep(gpt2, {"hidden_size": endless})
    with pytest.raises(ValueError, match="`hidden_size` has more than 10,000,000 rows"):
        shapelint.sweep(gpt2, {"hidden_size": itertools.count(1)})
    with pytest.raises(ValueError, match="more than 1,000 names"):
        shapelint.lint(gpt2, gpu=itertools.repeat("a100"))
    with pytest.raises(ValueError, match="`vary` has more than 1,000 values"):
        shapelint.suggest(gpt2, gpu="a100", vary=itertools.repeat("vocab_size"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`hidden_size` has more than 100,000 values"):
        shapelint.suggest(gpt2, gpu="a100", ranges={"hidden_size": range(1, 10**12)})
    no_number = float("nan")
    with pytest.raises(shapelint.ShapelintError, match="a share of the budget is not a number"):
        shapelint.suggest(gpt2, gpu="a100", vary=["vocab_size"], budget={"parameters": no_number})
    with pytest.raises(shapelint.ShapelintError, match="the weight of `a100` is not a positive number"):
        shapelint.suggest(gpt2, gpu="a100", vary=["vocab_size"], weights={"a100": float("inf")})
    with pytest.raises(shapelint.ShapelintError, match="`tokens` is not a number from 0 on"):
        shapelint.plan(gpt2, gpu="a100", num_gpus=8, tokens=float("inf"))
    with pytest.raises(shapelint.ShapelintError) as many:
        shapelint.plan(gpt2, gpu="a100", num_gpus=8, prices={f"g{i}": 1.0 for i in range(100_000)})
    assert len(many.value.problems) <= 101
