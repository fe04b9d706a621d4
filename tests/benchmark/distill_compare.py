"""Distilling: `fit_best`, a slow teacher and the trees that copy it, by their losses and the time of a row.

    .venv/bin/python tests/benchmark/distill_compare.py --data FOLDER [set ...] [--kept FOLDER]
        [--splits 1] [--first-split 0] [--rows 500] [--teacher-rows 2000] [--synthetic N] [--rounds 1000]

On each split the teacher learns --teacher-rows rows with their labels, as a pretrained model knows more than the rows
at hand. The student gets --rows of these rows without labels, and `fit_best` the same rows with labels. With equal
numbers all have the same rows. The loss is on rows that none of them has seen, at most 2,000: the logarithmic
loss for classes, else the root mean squared error in parts of the labels' standard deviation. "kept" is
(fit_best - student) / (fit_best - teacher), from the mean losses over the splits: the part of the teacher's gain that
the student keeps. Microseconds are processor time for a row in a batch of all tested rows, with one thread.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from distill_cases.teachers import Teacher, kauri_best
from paper_tables.arguments import make_parser
from paper_tables.report import Report
from quality_cases.tasks import Task, read_task

SETS = (
    "adult",
    "california",
    "covtype_cat",
    "credit_default",
    "flights_late",
    "higgs26k",
    "nhanes1",
    "protein",
    "satimage",
    "spambase",
)
MOST_TESTED = 2000


def loss_of(task: Task, predictions: np.ndarray) -> float:
    """Return the loss of predictions [n_rows], or of probabilities [n_rows, n_classes]."""
    return task.loss(predictions[:, 1] if task.kind == "binary" else predictions)


def timed(predict: Callable[[np.ndarray], Any], features: np.ndarray) -> tuple[np.ndarray, float]:
    """Return predictions, and microseconds of processor time for a row."""
    begin = time.process_time()
    predictions = np.asarray(predict(features))
    return predictions, 1e6 * (time.process_time() - begin) / len(features)


def distilled(teacher: Teacher, task: Task, args: argparse.Namespace) -> tuple[Callable[[np.ndarray], Any], Any]:
    """Return the student's predictions and the result of `distill`."""
    import kauriboost

    types = ["c" if column in task.categorical else "q" for column in range(task.features.shape[1])]
    found = kauriboost.distill(
        teacher,
        task.features,
        kind="numbers" if task.kind == "regression" else "probabilities",
        n_synthetic=args.synthetic,
        rounds=args.rounds,
        feature_types=types,
        nthread=args.threads,
    )
    predict = found.predict if task.kind == "regression" else found.predict_proba
    return lambda features: predict(kauriboost.DMatrix(features, feature_types=types, nthread=args.threads)), found


def measure(task: Task, seed: int, args: argparse.Namespace) -> dict[str, float]:
    """Return losses, microseconds of a row, and the fidelity of one split."""
    order = np.random.default_rng(seed).permutation(len(task.labels))
    n_taught = min(args.teacher_rows, 2 * len(order) // 3)
    taught, test = task.some(order[:n_taught]), task.some(order[n_taught:][:MOST_TESTED])
    given = task.some(order[: min(args.rows, n_taught)])
    best = kauri_best(given)
    teacher = Teacher(taught)
    begin = time.process_time()
    student, found = distilled(teacher, given, args)
    row = {"seconds": time.process_time() - begin, "fidelity": found.fidelity}
    row["rounds"] = found.booster.num_boosted_rounds()
    for name, predict in (("fit_best", best), ("teacher", teacher), ("student", student)):
        predictions, row[f"{name}: us"] = timed(predict, test.features)
        row[name] = loss_of(test, predictions)
    return row


def main() -> int:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.set_defaults(device="cpu", threads=1)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--kept", type=Path, help="folder for the rows that are used, to read the sets only once")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--first-split", type=int, default=0)
    parser.add_argument("--rows", type=int, default=500, help="of fit_best and the student")
    parser.add_argument("--teacher-rows", type=int, default=2000)
    parser.add_argument("--synthetic", type=int, help="synthetic rows (default: that of distill)")
    parser.add_argument("--rounds", type=int, default=1000, help="of the student, at most (default: that of distill)")
    args = parser.parse_args()
    names = ("fit_best", "teacher", "student")
    columns = [("set", "name", "{}"), ("kind", "kind", "{}"), *((name, name, "{:.4f}") for name in names)]
    columns += [("teacher's gain", "gain", "{:.1%}"), ("kept", "kept", "{:.0%}"), ("fidelity", "fidelity", "{:.4f}")]
    columns += [(f"{name}, us a row", f"{name}: us", "{:.1f}") for name in names]
    columns += [("distilling, s", "seconds", "{:.1f}")]
    report = Report("distill", f"Distilling, {args.splits} splits, {args.rows} rows", columns, args)
    kept = []
    for name in args.sets:
        task = read_task(name, args.data, args.teacher_rows + MOST_TESTED, args.kept)
        if task is None:
            continue
        splits = [measure(task, args.first_split + split, args) for split in range(args.splits)]
        row: dict[str, Any] = {key: float(np.mean([split[key] for split in splits])) for key in splits[0]}
        row.update(name=name, kind=task.kind, splits=splits, gain=1 - row["teacher"] / row["fit_best"])
        if row["gain"] > 0:
            row["kept"] = (row["fit_best"] - row["student"]) / (row["fit_best"] - row["teacher"])
            kept.append(row["kept"])
        report.add(row)
    if kept:
        report.note(f"The teacher gains on {len(kept)} sets; the students keep {np.mean(kept):.0%} of it on average.")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
