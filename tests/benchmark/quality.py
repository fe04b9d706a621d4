"""Quality of models: held-out losses and time beside the peers.

    build-peers/quality/bin/python tests/benchmark/quality.py --data FOLDER [set ...]
        [--splits 5] [--rows 50000] [--stopping] [--kauri cat_smooth=0 ...] [--lightgbm linear_tree=true ...]
        [--best ROUNDS[xFOLDS] ...] [--without catboost ...] [--with ebm ...] [--trials 50] [--tuned lightgbm catboost]
        [--only ENTRANT ...] [--save FILE] [--label TEXT] [--picture FILE]
    build-peers/quality/bin/python tests/benchmark/quality.py --table FILE ... [--only ENTRANT ...] [--picture FILE]

The environment is made by `tests/peers/environments.py quality`. Every library trains with its defaults and is told
only which columns are categories. "kauri" is `kauriboost.train`, with XGBoost's defaults; "kauri's estimators" are
KauriClassifier and KauriRegressor, with their own. With --stopping every library may take 2,000 rounds, and stops early
by a fifth of its training rows. Losses are on a held-out fifth of the rows, means over splits; time is processor time,
including data. --kauri and --lightgbm add an entrant with the given parameters, separated by commas; --best adds an
entrant that chooses them by `fit_best` within ROUNDS rounds (2,000 is its default) of FOLDS folds (5 is its default);
--tuned one that chooses them by Optuna, and its time includes the search; --with one of the further peers
(quality_cases/peers.py). --only keeps the named entrants. The sets have two halves: settings are chosen on the first
and confirmed on the second (quality_cases/tasks.py). Sets that were unseen when the settings were chosen confirm them
once more.

--save appends each measurement to a file, and measures nothing that is there. So a run goes on where it ended, and a
second one adds an entrant, a set or splits. --table reads such files, measures nothing and prints losses, wins, mean
ranks, tests and times of both halves, from sets and splits that all of the entrants have. In several files, a later
measurement takes an earlier one's place; --label adds a text to the names of Kauri's entrants to keep both.
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
from paper_tables.report import Report, say
from quality_cases import libraries, peers, ranks, store, summary, tuned
from quality_cases.picture import draw
from quality_cases.tasks import ALL_CHOOSING, ALL_CONFIRMING, Task, read_task, source_of, split


def parameters_of(text: str) -> dict[str, str]:
    """Parse the parameters of an entrant."""
    return dict(pair.split("=", 1) for pair in text.split(","))


def best_maker(text: str) -> tuple[str, Any]:
    """Return the name of an entrant of `fit_best`, given "160" or "160x10", and the function that makes its learner."""
    rounds, _, folds = text.partition("x")
    name = f"kauri, best of {rounds}" + (f", {folds} folds" if folds else "")
    return name, lambda: libraries.kauri_best(int(rounds), int(folds or libraries.FOLDS))


def makers_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return functions that make the learners, by the names in the table."""
    own: dict[str, Any] = {"kauri": lambda: libraries.kauri({}), "kauri's estimators": libraries.kauri_estimators}
    own |= {f"kauri {text}": lambda text=text: libraries.kauri(parameters_of(text)) for text in args.kauri}
    own |= dict(best_maker(text) for text in args.best)
    made = {f"{name} ({args.label})" if args.label else name: make for name, make in own.items()}
    made |= {name: make for name, make in libraries.PEERS.items() if name not in args.without}
    made |= {f"lightgbm {text}": lambda text=text: libraries.lightgbm(parameters_of(text)) for text in args.lightgbm}
    made |= {name: peers.FURTHER[name] for name in args.further}
    for name in args.tuned:
        named = f"{name}, {args.trials} trials"
        made[named] = lambda name=name: tuned.tuned(tuned.TUNED[name], args.trials)
    return made


def entrants_of(args: argparse.Namespace) -> dict[str, libraries.Learner]:
    """Return the learners by their names in the table."""
    made = makers_of(args)
    unknown = [name for name in args.only if name not in made]
    if unknown:
        raise SystemExit(f"no entrant {', '.join(unknown)}; there are {', '.join(made)}")
    return {name: make() for name, make in made.items() if not args.only or name in args.only}


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


def line_of(name: str, learner: libraries.Learner, task: Task, seed: int, args: argparse.Namespace) -> store.Line:
    """Return a measurement for the file; of a library that failed, the error in place of the loss."""
    line: store.Line = {"set": task.name, "entrant": name, "split": seed, "rows": args.rows}
    line |= {"stopping": args.stopping, "threads": args.threads}
    found = args.store.find(line)
    if found is not None:
        return found
    try:
        line["loss"], line["seconds"] = measure(learner, task, seed, args)
    except Exception as error:  # a peer's failure on one set must not end a run of hours
        if args.save is None:
            raise
        line |= {"loss": None, "seconds": None, "failure": f"{type(error).__name__}: {error}"[:200]}
    args.store.add(line)
    return line


def row_of(task: Task, entrants: dict[str, libraries.Learner], args: argparse.Namespace) -> dict[str, Any]:
    """Return a row of the table: each entrant's mean loss, its standard error, and the mean time."""
    row: dict[str, Any] = {"name": task.name, "rows": len(task.labels)}
    for name, learner in entrants.items():
        lines = [line_of(name, learner, task, seed, args) for seed in range(args.splits)]
        measured = np.array([(line["loss"], line["seconds"]) for line in lines if line["loss"] is not None])
        if len(measured) == 0:
            continue
        row[name], row[f"{name}: seconds"] = measured.mean(axis=0).tolist()
        error = float(measured[:, 0].std(ddof=1) / np.sqrt(len(measured))) if len(measured) > 1 else None
        row[f"{name}: error"] = error
    return row


def say_ranks(report: Report, what: str, names: list[str], rows: list[dict[str, Any]]) -> None:
    """Note the mean ranks over some of the sets, if there are at least two with all entrants."""
    rows = [row for row in rows if all(name in row for name in names)]
    if len(rows) < 2 or len(names) < 2:
        return
    losses = np.array([[row[name] for name in names] for row in rows])
    means = ranks.mean_ranks(losses)
    apart = ranks.critical_difference(len(names), len(rows))
    best_first = sorted(zip(names, means, strict=True), key=lambda entrant: entrant[1])
    listed = ", ".join(f"{name} {mean:.2f}" for name, mean in best_first)
    report.note(f"Mean ranks of {len(rows)} sets ({what}): {listed}; critical difference {apart:.2f}.")


def parse(words: list[str] | None) -> argparse.Namespace:
    """Parse the command's arguments."""
    parser = make_parser(__doc__)
    parser.set_defaults(device="cpu")
    parser.add_argument("sets", nargs="*", help="default: all that are known; 'choosing' and 'confirming' are halves")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rows", type=int, default=50_000, help="at most, of each set")
    parser.add_argument("--stopping", action="store_true", help="as many rounds as rows held out of training ask for")
    parser.add_argument("--kauri", nargs="*", default=[], metavar="NAME=VALUE,...", help="more entrants")
    parser.add_argument("--lightgbm", nargs="*", default=[], metavar="NAME=VALUE,...", help="the same of LightGBM")
    parser.add_argument("--best", nargs="*", default=[], metavar="ROUNDS[xFOLDS]", help="more entrants, by fit_best")
    parser.add_argument("--without", nargs="*", default=[], choices=list(libraries.PEERS), help="peers to leave out")
    parser.add_argument("--with", dest="further", nargs="*", default=[], choices=list(peers.FURTHER), help="more peers")
    parser.add_argument("--tuned", nargs="*", default=[], choices=list(tuned.TUNED), help="more entrants, by Optuna")
    parser.add_argument("--trials", type=int, default=50, help="of a search by Optuna")
    parser.add_argument("--only", nargs="*", default=[], metavar="ENTRANT", help="the entrants to keep, by name")
    parser.add_argument("--label", default="", help="to add to the names of Kauri's entrants")
    parser.add_argument("--kept", type=Path, help="folder for the rows that are used, to read the sets only once")
    parser.add_argument("--save", type=Path, help="measurements, a line each; what is there is not measured again")
    parser.add_argument("--table", type=Path, nargs="+", help="print the tables of such files, and measure nothing")
    parser.add_argument("--reference", default="kauri, best of 160", help="entrant that others are compared with")
    parser.add_argument("--picture", type=Path, help="quality against time, .svg or .png")
    return parser.parse_args(words)


def sets_of(words: list[str]) -> list[str]:
    """Return the names of the sets that were asked for. Sets that have the same source follow each other."""
    halves = {"choosing": ALL_CHOOSING, "confirming": ALL_CONFIRMING}
    if not words:
        words = list(halves)
    if not set(words) & set(halves):
        return words
    names = [name for word in words for name in halves.get(word, (word,))]
    return sorted(dict.fromkeys(names), key=lambda name: (source_of(name), name))


def print_tables(args: argparse.Namespace) -> int:
    """Print the tables of files of measurements, and draw the picture."""
    lines = store.read(args.table)
    print("\n".join(summary.whole(lines, args.only, args.reference)))
    if args.picture is not None:
        means = summary.means_of(lines, summary.entrants_in(lines, args.only))
        draw(args.picture, means.entrants, means.losses, means.seconds, f"{len(means.sets)} real sets")
    return 0


def main(words: list[str] | None = None) -> int:
    """Print the table, the ranks, and the picture."""
    args = parse(words)
    if args.table is not None:
        return print_tables(args)
    args.store = store.Store(args.save)
    entrants = entrants_of(args)
    names = list(entrants)
    columns = [("set", "name", "{}"), ("rows", "rows", "{:,}"), *((name, name, "{:.4f}") for name in names)]
    columns += [(f"{name}, s", f"{name}: seconds", "{:.2f}") for name in names]
    stops = ", with early stopping" if args.stopping else ""
    report = Report("quality", f"Losses and processor time{stops}, {args.splits} splits", columns, args)
    rows = []
    for name in sets_of(args.sets):
        task = read_task(name, args.data, args.rows, args.kept)
        if task is None:
            say(f"({name}: left out)")
            continue
        rows.append(row_of(task, entrants, args))
        report.add(rows[-1])
    for what, members in (*summary.OLDER_GROUPS, *summary.GROUPS):
        say_ranks(report, what, names, [row for row in rows if row["name"] in members])
    full = [row for row in rows if all(name in row for name in names)]
    if args.picture is not None and full:
        losses = np.array([[row[name] for name in names] for row in full])
        seconds = np.array([[row[f"{name}: seconds"] for name in names] for row in full])
        draw(args.picture, names, losses, seconds, f"{len(full)} real sets{stops}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
