"""Quality of models at default parameters: held-out losses and time beside the peers' defaults.

    build-peers/quality/bin/python tests/benchmark/quality.py --data FOLDER [set ...]
        [--splits 5] [--rows 50000] [--stopping] [--kauri cat_smooth=0 ...] [--lightgbm linear_tree=true ...]
        [--best ROUNDS ...] [--without catboost ...] [--picture FILE]

The environment is made by `tests/peers/environments.py quality`. Every library trains with its defaults and is told
only which columns are categories. "kauri" is `kauriboost.train`, with XGBoost's defaults; "kauri's estimators" are
KauriClassifier and KauriRegressor, with their own. With --stopping every library may take 2,000 rounds, and stops early
by a fifth of its training rows. Losses are on a held-out fifth of the rows, means over splits; time is processor time,
including data. --kauri and --lightgbm add an entrant with the given parameters, separated by commas; --best adds an
entrant that chooses them by `fit_best` within ROUNDS rounds. The sets have two halves: settings are chosen on the first
and confirmed on the second (quality_cases/tasks.py). Sets that were unseen when the settings were chosen confirm them
once more. Each group of sets has its mean ranks.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from paper_tables.arguments import make_parser
from paper_tables.report import Report
from quality_cases import libraries, ranks
from quality_cases.picture import draw
from quality_cases.tasks import CHOOSING, CONFIRMING, UNSEEN, Task, read_task, split


def parameters_of(text: str) -> dict[str, str]:
    """Parse the parameters of an entrant."""
    return dict(pair.split("=", 1) for pair in text.split(","))


def entrants_of(args: argparse.Namespace) -> dict[str, libraries.Learner]:
    """Return the learners by their names in the table."""
    made = {"kauri": libraries.kauri({}), "kauri's estimators": libraries.kauri_estimators()}
    for text in args.kauri:
        made[f"kauri {text}"] = libraries.kauri(parameters_of(text))
    for rounds in args.best:
        made[f"kauri, best of {rounds}"] = libraries.kauri_best(rounds)
    for name, make in libraries.PEERS.items():
        if name not in args.without:
            made[name] = make()
    for text in args.lightgbm:
        made[f"lightgbm {text}"] = libraries.lightgbm(parameters_of(text))
    return made


def measure(learner: libraries.Learner, task: Task, seed: int, args: argparse.Namespace) -> tuple[float, float]:
    """Return the loss on the held-out rows, and the seconds of processor time."""
    used, held_out = split(len(task.labels), seed)
    train, stop = task.some(used), None
    if args.stopping:
        learnt, stopped_by = split(len(used), seed + 1000)
        train, stop = task.some(used[learnt]), task.some(used[stopped_by])
    test = task.some(held_out)
    begin = time.process_time()
    predictions = learner(train, stop, test, args.threads)
    return test.loss(np.asarray(predictions)), time.process_time() - begin


def row_of(task: Task, entrants: dict[str, libraries.Learner], args: argparse.Namespace) -> dict[str, Any]:
    """Return a row of the table: each entrant's mean loss, its standard error, and the mean time."""
    row: dict[str, Any] = {"name": task.name, "rows": len(task.labels)}
    for name, learner in entrants.items():
        measured = np.array([measure(learner, task, seed, args) for seed in range(args.splits)])
        row[name], row[f"{name}: seconds"] = measured.mean(axis=0).tolist()
        row[f"{name}: error"] = float(measured[:, 0].std(ddof=1) / np.sqrt(args.splits)) if args.splits > 1 else None
    return row


def say_ranks(report: Report, what: str, names: list[str], rows: list[dict[str, Any]]) -> None:
    """Note the mean ranks over some of the sets, if there are at least two."""
    if len(rows) < 2:
        return
    losses = np.array([[row[name] for name in names] for row in rows])
    means = ranks.mean_ranks(losses)
    apart = ranks.critical_difference(len(names), len(rows))
    best_first = sorted(zip(names, means, strict=True), key=lambda entrant: entrant[1])
    listed = ", ".join(f"{name} {mean:.2f}" for name, mean in best_first)
    report.note(f"Mean ranks of {len(rows)} sets ({what}): {listed}; critical difference {apart:.2f}.")


def parse() -> argparse.Namespace:
    """Parse the command's arguments."""
    parser = make_parser(__doc__)
    parser.set_defaults(device="cpu")
    parser.add_argument("sets", nargs="*", help="default: all that are known")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int, default=50_000, help="at most, of each set")
    parser.add_argument("--stopping", action="store_true", help="as many rounds as rows held out of training ask for")
    parser.add_argument("--kauri", nargs="*", default=[], metavar="NAME=VALUE,...", help="more entrants")
    parser.add_argument("--lightgbm", nargs="*", default=[], metavar="NAME=VALUE,...", help="the same of LightGBM")
    parser.add_argument("--best", nargs="*", default=[], type=int, metavar="ROUNDS", help="more entrants, by fit_best")
    parser.add_argument("--without", nargs="*", default=[], choices=list(libraries.PEERS), help="peers to leave out")
    parser.add_argument("--picture", type=Path, help="quality against time, .svg or .png")
    return parser.parse_args()


def main() -> int:
    """Print the table, the ranks, and the picture."""
    args = parse()
    entrants = entrants_of(args)
    names = list(entrants)
    columns = [("set", "name", "{}"), ("rows", "rows", "{:,}"), *((name, name, "{:.4f}") for name in names)]
    columns += [(f"{name}, s", f"{name}: seconds", "{:.2f}") for name in names]
    stops = ", with early stopping" if args.stopping else ""
    report = Report("quality", f"Losses and processor time at defaults{stops}, {args.splits} splits", columns, args)
    rows = []
    for name in args.sets or [*CHOOSING, *CONFIRMING, *UNSEEN]:
        task = read_task(name, args.data, args.rows)
        if task is None:
            continue
        rows.append(row_of(task, entrants, args))
        report.add(rows[-1])
    for what, members in (
        ("where settings are chosen", CHOOSING),
        ("where they are confirmed", CONFIRMING),
        ("unseen", UNSEEN),
        ("where they are confirmed, and unseen", (*CONFIRMING, *UNSEEN)),
    ):
        say_ranks(report, what, names, [row for row in rows if row["name"] in members])
    if args.picture is not None and rows:
        losses = {name: np.array([row[name] for row in rows]) for name in names}
        seconds = {name: np.array([row[f"{name}: seconds"] for row in rows]) for name in names}
        draw(args.picture, losses, seconds, f"{len(rows)} real sets, defaults{stops}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
