"""Scores another predictor on a table of its own: bench/field.py --rows, --others.

    tests/program/scoreboard.py PROGRAM
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = "gpu,framework,version,kernel_source,m,k,quant_dtype,time_us"
# Quantizing 16,384 x 8,192 numbers and more on an H100, in so many microseconds.
TIMINGS = ["h100-sxm5,vllm,1.0,default,16384,8192,fp8,170", "h100-sxm5,vllm,1.0,default,32768,8192,fp8,340",
           "h100-sxm5,vllm,2.0,default,16384,8192,fp8,200"]
RUNS = {"training-runs.csv": "release,model", "serving-runs.csv": "model_path"}


def field(program, *options):
    command = [sys.executable, ROOT / "bench/field.py", "--program", program, *options]
    return subprocess.run(command, capture_output=True, text=True)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        data.mkdir()
        (data / "fp8-quantize.csv").write_text("\n".join([COLUMNS, *TIMINGS]) + "\n")
        for file, head in RUNS.items():
            (data / file).write_text(head + "\n")
        done = field(program, "--data", data, "--rows", folder / "rows")
        assert done.returncode == 0, done.stderr
        with open(folder / "rows/fp8-quantize.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == len(TIMINGS) and all("time_us" not in row for row in rows), rows
        assert len({row["row"] for row in rows}) == len(rows), rows

        # A tenth too slow on the first version, right on the second; the third row of it is left out.
        answers = folder / "answers.csv"
        lines = [f"guess,{rows[0]['row']},187", f"guess,{rows[2]['row']},200", "guess,unknown,1"]
        answers.write_text("predictor,row,predicted\n" + "\n".join(lines) + "\n")
        done = field(program, "--data", data, "--others", answers, "--output", folder / "page.md")
        assert done.returncode == 0, done.stderr
        assert "guess: 1 of 3 rows are not scored" in done.stderr, done.stderr
        page = (folder / "page.md").read_text()
        assert "| fp8-quantize | h100-sxm5 | vllm 1.0 | guess | 1 | 10.0 % | 10.0 % | 1.10 |" in page, page
        assert "| fp8-quantize | h100-sxm5 | vllm 2.0 | guess | 1 | 0.0 % | 0.0 % | 1.00 |" in page, page
        assert "| fp8-quantize | vllm 1.0 | 2 |" in page, page

        for wrong, said in (("guess,x\n", "no predicted"), ("guess,x,-1\n", "not a positive number"),
                            ("guess,x,1\nguess,x,2\n", "a second time")):
            answers.write_text("predictor,row,predicted\n" + wrong)
            done = field(program, "--data", data, "--others", answers, "--output", folder / "page.md")
            assert done.returncode == 1 and said in done.stderr, done.stderr


if __name__ == "__main__":
    main()
