"""What other predictors say of the rows that bench/field.py scores: the rows without their measured times, for them to
answer, and their answers.

Rows (`bench/field.sh --rows FOLDER`): a CSV for each kind of kernel, with the columns of its table and `row`, which names the row;
`runs.csv` has row, unit, gpu, software, name, and as JSON the fields of shapelint's native format in `model`, `run`, `parallel`;
`prompt` tokens of a request and `prompts` read with each step, where an engine serves.

Answers (`--others FILE`, may be given more than once): a CSV with the columns predictor, row, predicted. `predicted` is in
microseconds for a kernel, in the row's `unit` for a run (tokens/s/GPU; ms per token). Other columns are ignored.
"""
import collections
import csv
import json
import os
import sys

import field_kernels
import field_runs

COLUMNS = ("predictor", "row", "predicted")
RUN_COLUMNS = ("row", "unit", "gpu", "software", "name", "model", "run", "parallel", "prompt", "prompts")


def unit_of(job):
    return "tokens/s/GPU" if job[0][0] == "training" else "ms per token"


def write_rows(folder, data, every):
    os.makedirs(folder, exist_ok=True)
    for kind, by_gpu in field_kernels.tables(data, every):
        rows = [row for of_gpu in by_gpu.values() for row in of_gpu]
        if not rows:
            continue
        columns = ["row"] + [column for column in rows[0] if column not in field_kernels.MEASURED]
        with open(os.path.join(folder, f"{kind}.csv"), "w", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows({**row, "row": field_kernels.id_of(kind, row)} for row in rows)
    with open(os.path.join(folder, "runs.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(RUN_COLUMNS)
        for job in field_runs.jobs_of(data):
            _, name, model, run, parallel, gpu, _, *serving = job
            prompt, prompts, version = serving if serving else ("", "", "")
            writer.writerow([field_runs.id_of(job), unit_of(job), gpu, field_runs.software_of(job[0], name, version), name,
                             json.dumps(field_runs.MODELS[model]), json.dumps(run), json.dumps(parallel), prompt, prompts])


def read_answers(paths):
    """Predictor -> row -> predicted."""
    answers = collections.defaultdict(dict)
    for path in paths:
        for number, answer in enumerate(field_kernels.read(path), 2):
            lacking = [column for column in COLUMNS if not answer.get(column)]
            if lacking:
                sys.exit(f"{path}:{number}: no {lacking[0]}; columns are {', '.join(COLUMNS)}")
            value = field_kernels.positive(answer["predicted"])
            if value is None:
                sys.exit(f"{path}:{number}: predicted is {answer['predicted']!r}, not a positive number")
            if answers[answer["predictor"]].setdefault(answer["row"], value) != value:
                sys.exit(f"{path}:{number}: {answer['predictor']} answers row {answer['row']} a second time")
    return answers


def unknown_rows(answers, known):
    """Predictor -> how many of its rows are not among those that are scored."""
    return {predictor: sum(row not in known for row in of) for predictor, of in answers.items()}
