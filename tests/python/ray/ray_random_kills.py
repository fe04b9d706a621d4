"""Trainings whose workers or drivers are killed at random: the same bytes, or an error, but never a hang.

    python tests/python/ray/ray_random_kills.py [--kills 200] [--seed 1] [--workers 2 3] [--kills-of-a-fit 4]
                                                [--patience 900]

Needs kauriboost, Ray, and about eight seconds for each kill on two idle cores. Kills are SIGKILL: of a worker before,
within or after a message of a collective call (the first ones compute the bin edges), at any moment, of two workers at
a time, and of the driver, after which the same training is started again. The last line has the counts of outcomes.
The exit status is 1 if a byte differs, something hangs, or an error is not one that a loss may cause.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python-package"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import kauriboost as kb
import ray
from conftest import SETTINGS
from kauriboost import ray as kr
from outcomes import outcome_of
from ray.train import FailureConfig, RunConfig, ScalingConfig
from ray_problems import FEATURES, in_blocks, rows

HERE = Path(__file__).resolve().parent
ROUNDS = 10
TIMEOUT = 120.0  # timeout of training
LEARNT: list[dict[str, Any]] = [
    {"max_depth": 4, "subsample": 0.8, "seed": 7},
    {"max_depth": 7, "min_child_weight": 0, "max_bin": 1024},
    {"grow_policy": "lossguide", "max_leaves": 12, "max_depth": 0},
    {"booster": "dart", "rate_drop": 0.4, "seed": 3, "max_depth": 3},
    {"tree_method": "approx", "max_depth": 3},
]
WAYS = ("before", "within", "after", "cuts", "moment", "two", "driver", "nobody")
OUTCOMES = ("equal bytes", "clear errors", "other bytes", "hangs", "other errors")


class Kill:
    """One death: of the worker with this rank, once."""

    def __init__(self, rank: int, way: str, number: int, seconds: float, done: str) -> None:
        self.rank, self.way, self.number, self.seconds, self.done = rank, way, number, seconds, done

    def now(self) -> None:
        try:
            Path(self.done).touch(exist_ok=False)
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def arm(self) -> None:
        """Wait, in the worker, for the moment of the death."""
        from kauriboost._collective.sockets import SocketRank

        if self.way == "moment":
            threading.Timer(self.seconds, self.now).start()
            return
        swap, seen = SocketRank.swap, [0]

        def counted(rank: Any, outgoing: Any, awaited: Any) -> Any:
            seen[0] += 1
            if seen[0] == self.number and self.way == "before":
                self.now()
            if seen[0] == self.number and self.way == "within":
                threading.Timer(self.seconds / 1000, self.now).start()
            result = swap(rank, outgoing, awaited)
            if seen[0] == self.number and self.way == "after":
                self.now()
            return result

        SocketRank.swap = counted  # type: ignore[method-assign]  # of this process, which ends by it


class Deaths(kb.callback.TrainingCallback):
    """Arms the next kill of a worker when the worker gets its job, before any message."""

    def __init__(self, kills: list[Kill]) -> None:
        self.kills = kills

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        try:
            rank = ray.train.get_context().get_world_rank()
        except Exception:  # not in a worker
            return
        for kill in self.kills:
            if kill.rank == rank and not Path(kill.done).exists():
                kill.arm()
                return


def fit(params: dict[str, Any], n_workers: int, run: RunConfig, kills: list[Kill]) -> bytes:
    """Train on the cluster; return the model."""
    names = {"label_column": "score", "weight_column": "weight", "feature_columns": FEATURES}
    frame = rows()[[*FEATURES, "score", "weight"]]
    found = kr.train(
        params,
        in_blocks(frame, [300, 0, 500, 500]),
        ROUNDS,
        scaling_config=ScalingConfig(num_workers=n_workers),
        run_config=run,
        callbacks=[Deaths(kills)],
        report_every=2,
        timeout=TIMEOUT,
        **names,
    )
    return bytes(found["booster"].save_raw())


LEAVING = """
import os, signal, sys, threading
sys.path[:0] = {path!r}
from ray_random_kills import LEARNT, fit, ray, run_of
ray.init(address={address!r}, log_to_driver=False, logging_level="ERROR")
threading.Timer({seconds!r}, os.kill, [os.getpid(), signal.SIGKILL]).start()
fit(LEARNT[{number!r}], {n_workers!r}, run_of({folder!r}, {name!r}), [])
"""


def run_of(folder: str, name: str) -> RunConfig:
    return RunConfig(name=name, storage_path=folder, failure_config=FailureConfig(max_failures=-1))


class Kills:
    """Trainings during which processes are killed."""

    def __init__(self, arguments: argparse.Namespace, folder: str) -> None:
        self._random = random.Random(arguments.seed)
        self._arguments, self._folder = arguments, folder
        self.counts: Counter[str] = Counter()
        frame = rows()
        data = kb.DMatrix(frame[FEATURES], label=frame["score"], weight=frame["weight"])
        self._expected = [bytes(kb.train(params, data, ROUNDS).save_raw()) for params in LEARNT]

    def one(self) -> None:
        """Run a training, and kill processes meanwhile."""
        begin = time.monotonic()
        number, way = self._random.randrange(len(LEARNT)), self._random.choice(WAYS)
        n_workers = self._random.choice(self._arguments.workers)
        name = uuid.uuid4().hex
        kills = self._kills(way, n_workers, name)
        if way == "driver":
            self._kill_a_driver(number, n_workers, name)
        what = self._outcome(number, n_workers, name, kills)
        n_kills = sum(Path(kill.done).exists() for kill in kills) + (way == "driver")
        self.counts["kills"] += n_kills
        self.counts["trainings"] += 1
        self.counts[what] += 1
        told = f"{self.counts['kills']:>4} {way:<8} training {number}, {n_workers} workers, {n_kills} killed: {what}"
        print(f"{told}, {time.monotonic() - begin:.1f} s", flush=True)

    def _kills(self, way: str, n_workers: int, name: str) -> list[Kill]:
        drawn, found = self._random, []
        if way in ("driver", "nobody"):
            return []
        for i in range(drawn.randint(1, self._arguments.kills_of_a_fit)):
            ranks = drawn.sample(range(n_workers), 2) if way == "two" else [drawn.randrange(n_workers)]
            stage = way if way in ("before", "within", "after", "moment") else drawn.choice(WAYS[:3])
            number = drawn.randint(1, 25 if way == "cuts" else 120)
            for rank in ranks:
                done = str(Path(self._folder) / f"{name}-{i}-{rank}")
                found.append(Kill(rank, stage, number, 2 * drawn.random(), done))
        return found

    def _kill_a_driver(self, number: int, n_workers: int, name: str) -> None:
        program = LEAVING.format(
            path=sys.path,
            address=ray.get_runtime_context().gcs_address,
            seconds=2 + self._arguments.driver_seconds * self._random.random(),
            number=number,
            n_workers=n_workers,
            folder=self._folder,
            name=name,
        )
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=False, timeout=self._arguments.patience
        )

    def _outcome(self, number: int, n_workers: int, name: str, kills: list[Kill]) -> str:
        def work() -> Any:
            return fit(LEARNT[number], n_workers, run_of(self._folder, name), kills)

        return outcome_of(work, self._arguments.patience, self._expected[number], "worker")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (
        ("kills", 200),
        ("seed", 1),
        ("kills-of-a-fit", 4),
        ("driver-seconds", 15),
        ("patience", 900),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 3])
    arguments = parser.parse_args()
    path = os.pathsep.join([str(HERE), str(HERE.parents[2] / "python-package")])
    os.environ.update({**SETTINGS, "PYTHONPATH": path})
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    with tempfile.TemporaryDirectory() as folder:
        kills = Kills(arguments, folder)
        while kills.counts["kills"] < arguments.kills:
            kills.one()
    counts = kills.counts
    told = ", ".join(f"{counts[name]} {name}" for name in OUTCOMES)
    print(f"{counts['trainings']} trainings, {counts['kills']} kills: {told}", flush=True)
    return 1 if counts["other bytes"] + counts["hangs"] + counts["other errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
