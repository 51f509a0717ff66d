"""Every result is a table in a notebook and a data frame, the largest cost first."""

import re

import pytest

import shapelint

GPT3 = "examples/gpt3-2.7b.toml"


def cells(html: str) -> list[list[str]]:
    rows = re.findall("<tr>(.*?)</tr>", html)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]


def test_findings_are_sorted_by_cost():
    report = shapelint.lint(GPT3, "a100")
    rows = cells(report._repr_html_())
    assert rows[0] == ["rule", "finding", "cost", "fix"]
    gains = [float(row[2].split()[0]) for row in rows[1:]]
    assert len(gains) == len(report) and gains == sorted(gains, reverse=True)


def test_operations_are_sorted_by_cost():
    step = shapelint.price("examples/llama-3-8b.toml", "h100")[0]
    names = [row[0] for row in cells(step._repr_html_())[1:]]
    largest = max(step.operations, key=lambda each: each.total_us)
    assert names[0] == largest.name
    assert "MFU 63.5%" in step._repr_html_()


@pytest.mark.parametrize(
    "result",
    [
        lambda: shapelint.price(GPT3, "a100"),
        lambda: shapelint.suggest(GPT3, "a100", vary=["num_attention_heads", "vocab_size"]),
        lambda: shapelint.sweep(GPT3, {"hidden_size": [2560, 2568]}, "a100"),
        lambda: shapelint.kernel("gemm", "h100", m=8192, n=50304, k=4096),
        lambda: shapelint.read(GPT3),
        lambda: shapelint.gpus(),
        lambda: shapelint.rules(),
        lambda: shapelint.fields(),
        lambda: shapelint.find_gpu("a100"),
        lambda: shapelint.find_rule("SL101"),
    ],
)
def test_every_result_is_a_table(result):
    html = result()._repr_html_()
    assert html.startswith("<table>") and html.count("<tr>") >= 2
    pandas = pytest.importorskip("pandas")
    frame = result().to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and len(frame) >= 1


def test_results_stay_tuples_and_dictionaries():
    assert isinstance(shapelint.gpus(), tuple)
    assert isinstance(shapelint.sweep(GPT3, {"hidden_size": [2560]}, "a100"), dict)


def test_texts_are_escaped():
    model = {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 2, "num_attention_heads": 32, "vocab_size": 32000,
             "intermediate_size": 11008, "_name_or_path": "<script>"}
    assert "<script>" not in shapelint.price(model, "h100")[0]._repr_html_()
