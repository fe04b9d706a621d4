"""Trainings whose workers, executors or drivers are killed at random: the same bytes, or an error, but never a hang.

    python tests/python/spark/spark_random_kills.py [--kills 200] [--seed 1] [--kills-of-a-fit 9] [--attempts 8]
                                                    [--patience 900]

Needs kauriboost, Spark, and some seconds for each kill on two idle cores. One session with three executors runs all
trainings, which may take `--patience` seconds each. Kills are SIGKILL: of a worker (the process of Python) or its
executor (the process of Java), before, within or after a message of a collective call (the first ones compute the bin
edges), at any moment from the beginning of its task, and of two workers at a time. A training has a list of kills, one
for each of its attempts. Some lists are longer than the attempts that the session allows, and end with an error. Some
drivers are killed as well, with a cluster of their own, all of whose processes must be gone soon after. The last line
has the counts of outcomes. The exit status is 1 if a byte differs, something hangs, or an error is not one that a loss
may cause.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python-package"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import kauriboost as kb
import pandas as pd
from conftest import settings_of_tests
from faults import Kill, Kills
from kauriboost import spark as ks
from outcomes import outcome_of
from pyspark.sql import SparkSession
from spark_problems import NUMBERS, in_pieces, rows, spark_home

TIMEOUT = 60.0  # timeout of training
SECONDS_TO_END = 60.0  # for the processes of a cluster without its driver
LABELS = {"KauriRegressor": "score", "KauriClassifier": "label", "KauriRanker": "label"}
FEATURES = [*NUMBERS, "tree"]
LEARNT: list[tuple[str, dict[str, Any]]] = [
    ("KauriRegressor", {"max_depth": 4, "subsample": 0.8, "random_state": 7, "weight_col": "weight"}),
    ("KauriClassifier", {"max_depth": 6, "min_child_weight": 0, "max_bin": 1024}),
    ("KauriRegressor", {"grow_policy": "lossguide", "max_leaves": 12, "max_depth": 0, "force_repartition": True}),
    ("KauriRegressor", {"booster": "dart", "rate_drop": 0.4, "random_state": 3, "max_depth": 3}),
    ("KauriClassifier", {"tree_method": "approx", "max_depth": 3, "force_repartition": True}),
    ("KauriRanker", {"max_depth": 3, "qid_col": "query"}),
]
ROUNDS = 10
PIECES = {2: [[1300, 1300], [2000, 600]], 3: [[900, 1000, 700], [100, 2400, 100]], 0: [[1, 0, 1500, 99, 1000]]}
WAYS = ("before", "within", "after", "cuts", "moment", "two", "driver", "nobody")
WEIGHTS = (4, 4, 4, 4, 4, 4, 1, 1)  # of the ways
OUTCOMES = ("equal bytes", "clear errors", "other bytes", "hangs", "other errors")


def expected(table: pd.DataFrame) -> list[bytes]:
    """Return the models of one process."""
    found = []
    for kind, params in LEARNT:
        own = {name: value for name, value in params.items() if name not in ("qid_col", "weight_col")}
        own.pop("force_repartition", None)
        local, given = getattr(kb, kind)(n_estimators=ROUNDS, **own), table
        more = {"sample_weight": table["weight"]} if "weight_col" in params else {}
        if "qid_col" in params:
            given = table.sort_values("query", kind="stable")
            more["qid"] = given["query"]
        local.fit(given[FEATURES], given[LABELS[kind]], **more)
        found.append(bytes(local.get_booster().save_raw()))
    return found


def session_of(master: str, folder: Path, attempts: int) -> Any:
    """Return a session on a cluster of this machine, in which every executor may be lost many times."""
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", SPARK_HOME=spark_home(folder))
    settings = {
        **settings_of_tests(),
        "spark.stage.maxConsecutiveAttempts": str(attempts),
        "spark.deploy.maxExecutorRetries": "-1",
        "spark.python.daemon.module": "preloading_daemon",
        "spark.executor.heartbeatInterval": "2s",
        "spark.network.timeout": "60s",
        "spark.network.timeoutInterval": "10s",
    }
    made = SparkSession.builder.master(master).config(map=settings).getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def fit(frame: Any, number: int, n_workers: int, kills: list[Kill]) -> bytes:
    """Train on the cluster; return the model."""
    kind, params = LEARNT[number]
    columns = {"features_col": FEATURES, "label_col": LABELS[kind]}
    how = {"callbacks": [Kills(kills)], "timeout": TIMEOUT, "num_workers": n_workers, "n_estimators": ROUNDS}
    return bytes(getattr(ks, kind)(**columns, **how, **params).fit(frame).get_booster().save_raw())


LEAVING = """
import os, signal, sys, threading
sys.path[:0] = {path!r}
from pathlib import Path
from spark_random_kills import fit, in_pieces, rows, session_of
session = session_of("local-cluster[2,1,1024]", Path({folder!r}), 4)
frame = in_pieces(session, rows(), [1300, 1300]).cache()
frame.count()
threading.Timer({seconds!r}, os.kill, [os.getpid(), signal.SIGKILL]).start()
while True:
    fit(frame, {number!r}, 2, [])
"""


def processes_with(text: str) -> list[int]:
    """Return the processes in whose environment the text is."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and text.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


class Trainings:
    """Trainings during which processes are killed."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self._random = random.Random(arguments.seed)
        self._arguments, self._folder = arguments, folder
        self.counts: Counter[str] = Counter()
        table = rows()
        self._expected = expected(table)
        (folder / "home").mkdir()
        self._session = session_of("local-cluster[3,1,1024]", folder / "home", arguments.attempts)
        self._frames = [
            (workers, in_pieces(self._session, table, piece).cache())
            for workers, pieces in PIECES.items()
            for piece in pieces
        ]

    def one(self) -> None:
        """Run a training, and kill processes meanwhile."""
        begin, drawn = time.monotonic(), self._random
        number, way = drawn.randrange(len(LEARNT)), drawn.choices(WAYS, WEIGHTS)[0]
        n_workers, frame = drawn.choice(self._frames)
        n_workers = n_workers or drawn.choice([2, 3])
        if way == "driver":
            kills, what, n_kills = [], self._kill_a_driver(number), 1
        else:
            kills = self._kills(way, n_workers)
            what = self._outcome(frame, number, n_workers, kills)
            n_kills = sum(Path(kill.done).exists() for kill in kills)
        done = Counter(kill.whom for kill in kills if Path(kill.done).exists())
        self.counts.update({"kills": n_kills, "trainings": 1, what: 1, "executors": done["executor"]})
        told = f"{self.counts['kills']:>4} {way:<8} training {number}, {n_workers} workers, "
        told += f"{done['executor']} executors and {done['worker']} workers killed: {what}"
        print(f"{told}, {time.monotonic() - begin:.1f} s", flush=True)

    def _kills(self, way: str, n_workers: int) -> list[Kill]:
        drawn, found = self._random, []
        for i in range(0 if way == "nobody" else drawn.randint(1, self._arguments.kills_of_a_fit)):
            ranks = drawn.sample(range(n_workers), 2) if way == "two" else [drawn.randrange(n_workers)]
            stage = way if way in ("before", "within", "after", "moment") else drawn.choice(WAYS[:3])
            message = drawn.randint(1, 25 if way == "cuts" else 120)
            for rank in ranks:
                whom = "executor" if drawn.random() < 0.75 else "worker"
                done = str(self._folder / f"{self.counts['trainings']}-{i}-{rank}")
                found.append(Kill(whom, rank, stage, message, 2 * drawn.random(), done))
        return found

    def _kill_a_driver(self, number: int) -> str:
        """Kill a driver in the middle of its trainings, and wait for the end of its cluster."""
        with tempfile.TemporaryDirectory() as folder:
            program = LEAVING.format(path=sys.path, folder=folder, seconds=12 * self._random.random(), number=number)
            mark = f"KAURI_OF_DRIVER={folder}"
            environment = {**os.environ, "KAURI_OF_DRIVER": folder}
            environment.pop("SPARK_HOME", None)
            with subprocess.Popen(
                [sys.executable, "-c", program],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            ) as driver:
                if driver.wait(self._arguments.patience) != -signal.SIGKILL:
                    return "other errors"
            end = time.monotonic() + SECONDS_TO_END
            while left := processes_with(mark):
                if time.monotonic() > end:
                    for each in left:
                        os.kill(each, signal.SIGKILL)
                    return "hangs"
                time.sleep(0.5)
        return "ended clusters"

    def _outcome(self, frame: Any, number: int, n_workers: int, kills: list[Kill]) -> str:
        def work() -> Any:
            return fit(frame, number, n_workers, kills)

        return outcome_of(work, self._arguments.patience, self._expected[number], "maxConsecutiveAttempts")

    def stop(self) -> None:
        """End the session."""
        self._session.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("kills", 200), ("seed", 1), ("kills-of-a-fit", 9), ("attempts", 8), ("patience", 900)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trainings = Trainings(arguments, Path(folder))
        while trainings.counts["kills"] < arguments.kills:
            trainings.one()
        trainings.stop()
    counts = trainings.counts
    told = ", ".join(f"{counts[name]} {name}" for name in (*OUTCOMES, "ended clusters"))
    print(
        f"{counts['trainings']} trainings, {counts['kills']} kills, {counts['executors']} of executors: {told}",
        flush=True,
    )
    return 1 if counts["other bytes"] + counts["hangs"] + counts["other errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
