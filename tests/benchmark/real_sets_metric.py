"""Quality of `hist` beside XGBoost's: the metric on held-out rows of real sets, both libraries on one device.

    python tests/benchmark/real_sets_metric.py --data FOLDER [--device cuda] [--rounds 100] [--splits 5] [set ...]

FOLDER (or KAURI_DATA) holds load.py, as for gpu_exact_tables.py; missing sets are skipped. Each split holds out a
random tenth of the rows (of the training part if a set has parts, of the queries for ranking). Parameters are the
libraries' defaults. Values are means over the splits. `worse by` is Kauri's loss over XGBoost's, or XGBoost's score
over Kauri's, minus 1: above 0 XGBoost is better.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from paper_tables import arguments
from paper_tables.real_sets import TASKS, raw_set
from paper_tables.report import Column, Report, Row

SETS = [
    "california",
    "protein",
    "flights",
    "higgs",
    "adult",
    "credit_default",
    "spambase",
    "a9a",
    "letter",
    "satimage",
    "covtype",
    "lambdarank",
]
SCORES = ("auc", "ndcg@10")  # higher is better
COLUMNS: list[Column] = [
    ("data set", "name", "{}"),
    ("rows", "rows", "{:,}"),
    ("metric", "metric", "{}"),
    ("Kauri", "kauri", "{:.5f}"),
    ("XGBoost", "xgboost", "{:.5f}"),
    ("worse by, %", "worse", "{:+.2f}"),
    ("spread of splits, %", "spread", "{:.2f}"),
]


def group_sizes(groups: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    """Return the number of the rows in each group, without empty groups."""
    return None if groups is None else np.unique(groups[rows], return_counts=True)[1]


def held_out_value(library: Any, found: tuple[Any, np.ndarray, Row], split: int, args: Any) -> float:
    """Train on one split; returns the metric on its held-out rows."""
    features, labels, extras = found
    objective, _, metric = TASKS[extras["task"]]
    params = {"objective": objective, "tree_method": "hist", "device": args.device, "nthread": args.threads}
    if extras["task"] == "multiclass":
        params["num_class"] = int(labels.max()) + 1
    sizes = extras.get("group")
    groups = None if sizes is None else np.repeat(np.arange(len(sizes)), sizes)
    n_units = len(labels) if groups is None else len(sizes)
    drawn = np.random.default_rng(split).permutation(n_units) % 10 == 0
    is_held_out = drawn if groups is None else drawn[groups]
    train, test = np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)
    matrix = library.DMatrix(features[train], labels[train], group=group_sizes(groups, train), nthread=args.threads)
    booster = library.train(params, matrix, args.rounds, verbose_eval=False)
    predicted = booster.predict(library.DMatrix(features[test], nthread=args.threads))
    return metric(labels[test], predicted, group_sizes(groups, test))


def compare(name: str, found: tuple[Any, np.ndarray, Row], args: Any) -> Row:
    """Measure both libraries on all splits; returns the row of the table."""
    import kauriboost
    import xgboost

    values = {
        library.__name__: [held_out_value(library, found, split, args) for split in range(args.splits)]
        for library in (kauriboost, xgboost)
    }
    ours, theirs = statistics.mean(values["kauriboost"]), statistics.mean(values["xgboost"])
    metric = TASKS[found[2]["task"]][1]
    worse = theirs / ours - 1 if metric in SCORES else ours / theirs - 1
    spread = statistics.pstdev(values["xgboost"]) / theirs
    row = {"name": name, "rows": len(found[1]), "metric": metric, "kauri": ours, "xgboost": theirs, "splits": values}
    return {**row, "worse": 100 * worse, "spread": 100 * spread}


def main(argv: list[str] | None = None) -> int:
    """Compare on every set; returns the exit status."""
    parser = arguments.make_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("sets", nargs="*", help=f"default: {' '.join(SETS)}")
    args = parser.parse_args(argv)
    report = Report("real_sets_metric", "hist on held-out rows of real sets, beside XGBoost", COLUMNS, args)
    for name in args.sets or SETS:
        found = raw_set(name, args.data)
        if found is None or found[2]["task"] not in TASKS:
            continue
        features = found[0].tocsr() if hasattr(found[0], "tocsr") else np.asarray(found[0], dtype=np.float32)
        report.add(compare(name, (features, np.asarray(found[1], dtype=np.float32), found[2]), args))
    worst = [row["worse"] for row in report.rows]
    if worst:
        mean = statistics.mean(worst)
        report.note(f"Mean {mean:+.2f} %, median {statistics.median(worst):+.2f} %.", mean_percent=mean)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
