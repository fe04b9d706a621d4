"""Copies between host and CUDA device during training: bytes and copies a round, for each objective.

    python tests/benchmark/copy_profile.py [objective ...] [--rows 1000] [--times 1,100] [--depth 6]

The larger sets repeat the smallest set, so that the trees are the same. Each round evaluates the training set and
another set. The numbers are the plug-in's own (it logs them at verbosity 3), the largest from round 3 on, because
earlier rounds copy the data sets to the device. The loop is resident if the numbers do not grow with the rows, as the
last column says. A line `falls back` names an objective or metric without a device version, whose rows are copied every
round. The exit status is 1 if a number grows although nothing fell back.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

LINE = re.compile(
    r"copies of round (\d+) \(\d+ rows\): host to device (\d+) bytes in (\d+) copies, "
    r"device to host (\d+) bytes in (\d+) copies"
)
FIRST_STEADY = 3
# Metrics by objective.
OBJECTIVES = {
    "reg:squarederror": ["rmse", "mae"],
    "reg:logistic": ["rmse", "logloss"],
    "binary:logistic": ["logloss", "error"],
    "binary:logitraw": ["error"],
    "count:poisson": ["poisson-nloglik"],
    "multi:softmax": ["merror"],
    "multi:softprob": ["mlogloss", "merror"],
}


class Lines(logging.Handler):
    """Keeps the library's log."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def make_set(n_rows: int, times: int, n_cols: int, n_classes: int, seed: int) -> kb.DMatrix:
    rng = np.random.default_rng(seed)
    features = rng.standard_normal((n_rows, n_cols), dtype=np.float32)
    signal = features[:, 0] + features[:, 1] * features[:, 2] + rng.standard_normal(n_rows, dtype=np.float32)
    labels = np.digitize(signal, np.linspace(-1, 1, n_classes - 1)).astype(np.float32)
    return kb.DMatrix(np.tile(features, (times, 1)), label=np.tile(labels, times))


def profile(objective: str, times: int, options: argparse.Namespace, log: Lines) -> tuple[np.ndarray, set[str]]:
    """Return the most bytes and copies up and down of a steady round, and the log lines about fallbacks to the host."""
    n_classes = 3 if objective.startswith("multi:") else 2
    params = {
        "objective": objective,
        "eval_metric": OBJECTIVES.get(objective, []),
        "device": "cuda",
        "tree_method": "exact",
        "max_depth": options.depth,
        "lambda": 0,
        "min_child_weight": 0,
        **({"num_class": n_classes} if n_classes > 2 else {}),
    }
    train, valid = (make_set(options.rows, times, options.cols, n_classes, seed) for seed in (1, 2))
    log.lines.clear()
    evals = [(train, "train"), (valid, "valid")]
    kb.train(params, train, options.rounds, evals=evals, verbose_eval=False)
    found = [[int(number) for number in match.groups()] for match in map(LINE.search, log.lines) if match]
    steady = np.array([numbers[1:] for numbers in found if numbers[0] >= FIRST_STEADY])
    return steady.max(axis=0), {line for line in log.lines if "copied every round" in line}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("objectives", nargs="*", metavar="objective", help=f"any of {', '.join(OBJECTIVES)}")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--times", default="1,100", help="how often the rows are repeated")
    parser.add_argument("--cols", type=int, default=28)
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    log = Lines()
    logging.getLogger("kauriboost").addHandler(log)
    logging.getLogger("kauriboost").propagate = False
    kb.set_config(verbosity=3)
    print(f"{'objective':18} {'rows':>10} {'bytes up':>10} {'copies':>7} {'bytes down':>10} {'copies':>7}  grows")
    failed = False
    for objective in options.objectives or OBJECTIVES:
        first = None
        for times in map(int, options.times.split(",")):
            largest, fallbacks = profile(objective, times, options, log)
            first = largest if first is None else first
            grows = bool((largest > first + first // 4 + 2048).any())
            failed |= grows and not fallbacks
            up, up_copies, down, down_copies = largest
            columns = f"{objective:18} {options.rows * times:10} {up:10} {up_copies:7} {down:10} {down_copies:7}"
            print(f"{columns}  {'yes' if grows else 'no'}")
            for line in sorted(fallbacks):
                print(f"  falls back: {line}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
