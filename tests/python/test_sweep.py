"""Prices: of steps, of kernels, of a million candidates."""

import array
import pathlib
import threading

import pytest
import shapelint

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples/llama-3-8b.toml"
RESULTS = [
    "parameters", "memory_gib", "gpu", "step_us", "tokens_per_s_per_gpu", "mfu", "hfu", "compute_us", "memory_us",
    "communication_us", "overhead_us", "bubble_us", "fails",
]  # fmt: skip


def test_a_row_is_the_step_that_price_gives():
    rows = shapelint.sweep(EXAMPLE, {"hidden_size": [4096, 4608], "micro_batch_size": [1, 2]}, "h100", tensor=2)
    assert list(rows) == ["hidden_size", "micro_batch_size", *RESULTS]
    step = shapelint.price(EXAMPLE, "h100", hidden_size=4608, micro_batch_size=2, tensor=2)[0]
    assert rows["step_us"][1] == pytest.approx(step.step_us)
    assert rows["parameters"][1] == step.parameters
    assert isinstance(rows["mfu"], array.array)
    assert list(rows["fails"]) == ["", ""]


def test_several_gpus_follow_each_other():
    rows = shapelint.sweep(EXAMPLE, {"hidden_size": [4096, 4608]}, ["a100", "h100"])
    assert rows["gpu"] == ["a100-sxm4-80gb"] * 2 + ["h100-sxm5"] * 2
    assert list(rows["hidden_size"]) == [4096, 4608] * 2
    assert {len(column) for column in rows.values()} == {4}


def test_what_frameworks_refuse():
    rows = shapelint.sweep(EXAMPLE, {"tensor": [1, 3]}, "h100")
    assert rows["fails"][0] == "" and "SL403" in rows["fails"][1]


@pytest.mark.parametrize(
    "over, text",
    [
        ({}, "no columns"),
        ({"tensor": [1, 2], "data": [1]}, "`data` has 1 row, and"),
        ({"tensor": [1, 0]}, "`tensor` is 0 in row 1"),
        ({"tensr": [1]}, "did you mean `tensor`?"),
        ({"dtype": [1]}, "not a field of whole numbers"),
    ],
)
def test_columns_that_are_wrong(over, text):
    with pytest.raises(shapelint.ShapelintError, match=text):
        shapelint.sweep(EXAMPLE, over)


def test_numbers_that_are_not_whole():
    with pytest.raises(TypeError, match="`over` has a column"):
        shapelint.sweep(EXAMPLE, None)
    with pytest.raises(ValueError, match="more than 1,000 names"):
        shapelint.sweep(EXAMPLE, {"tensor": [1]}, ["h100"] * 100_000)
    with pytest.raises(TypeError):
        shapelint.sweep(EXAMPLE, {"tensor": [1.5]})
    numpy = pytest.importorskip("numpy")
    with pytest.raises(TypeError, match="whole numbers"):
        shapelint.sweep(EXAMPLE, {"tensor": numpy.array([1.0])})


def test_numpy_in_and_out():
    numpy = pytest.importorskip("numpy")
    widths = numpy.arange(2048, 8192, 64, dtype=numpy.int32)[::2]
    rows = shapelint.sweep(EXAMPLE, {"intermediate_size": widths})
    assert isinstance(rows["step_us"], numpy.ndarray) and rows["step_us"].shape == widths.shape
    assert (rows["intermediate_size"] == widths).all()
    plain = shapelint.sweep(EXAMPLE, {"intermediate_size": widths.tolist()}, threads=1)
    assert rows["step_us"].tolist() == list(plain["step_us"])
    pandas = pytest.importorskip("pandas")
    assert len(pandas.DataFrame(rows)) == len(widths)


def test_other_threads_go_on():
    numbers = array.array("q", range(1, 200_001))
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    other = threading.Thread(target=count)
    other.start()
    before = counted[0]
    shapelint.sweep(EXAMPLE, {"gradient_accumulation": numbers}, threads=1)
    after = counted[0]
    done.set()
    other.join()
    assert after > before


def test_kernels():
    padded = shapelint.kernel("gemm", "h100", m=8192, n=50304, k=4096)
    assert padded.run_us < shapelint.kernel("gemm", "h100", m=8192, n=50257, k=4096).run_us
    assert padded.efficiency.alignment * padded.efficiency.tile * padded.efficiency.wave * padded.efficiency.rest == pytest.approx(padded.ideal_us / padded.run_us)
    assert shapelint.kernel("attention", "h100", heads=32, query_length=4096, head_dim=128).bound == "compute"
    with pytest.raises(TypeError, match="gemm needs k"):
        shapelint.kernel("gemm", m=1, n=1)
    with pytest.raises(TypeError, match="no 'o'"):
        shapelint.kernel("gemm", m=1, n=1, k=1, o=1)


def test_suggestions():
    found = shapelint.suggest(ROOT / "examples/gpt3-2.7b.toml", "a100", vary=["num_attention_heads"], ranges={"num_attention_heads": [20, 32]})
    assert str(found[0]) == "num_attention_heads 32 → 20: 14.6% ± 5.6%"
    assert found.complete and len(found) == 1
    assert found[0].by_gpu[0].causes[0].share > 0
