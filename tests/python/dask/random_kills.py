"""Trainings whose workers or clients are killed at random: the same bytes, or an error, but never a hang.

    python tests/python/dask/random_kills.py [--fits 200] [--seed 1] [--workers 2 3 4]

Needs kauriboost on the path and about six seconds per fit on two idle cores. The fits are distributed evenly over
clusters of each number of processes. Kills are SIGKILL: of a worker before, within or after a message of a collective
call (the first ones compute the bin edges), at any moment, of two workers, and of the client. The last line has the
counts of outcomes. The exit status is 1 if a byte differs, something hangs, or an error is not one that a loss may
cause. A fit counts as "without workers" if Dask's nannies restart none while a matrix is being made, which is then
never made; this happens on machines that are too busy for a nanny's timeout.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import dask
import distributed
import kauriboost as kb
import numpy as np
from clusters import addresses_of, make_cluster
from kauriboost import dask as kd
from kauriboost._dask import train as dask_train
from problems import features, spread, target

X = features()
Y = target(X)
LENGTHS = (500, 700, 0, 600, 400, 800)
ROUNDS = 12
SEGMENT_SECONDS = 0.05
PATIENCE = 180  # ticks per fit
TIMEOUT = 60.0  # timeout of training
LEARNT: list[tuple[dict[str, Any], Any]] = [
    ({"max_depth": 4, "subsample": 0.8, "seed": 7}, kd.DaskDMatrix),
    ({"max_depth": 4, "subsample": 0.8, "seed": 7}, kd.DaskQuantileDMatrix),
    ({"max_depth": 7, "min_child_weight": 0, "max_bin": 1024}, kd.DaskDMatrix),
    ({"grow_policy": "lossguide", "max_leaves": 12, "max_depth": 0}, kd.DaskQuantileDMatrix),
    ({"booster": "dart", "rate_drop": 0.4, "seed": 3, "max_depth": 3}, kd.DaskQuantileDMatrix),
    ({"tree_method": "approx", "max_depth": 3}, kd.DaskDMatrix),
]
CLEAR = (
    "times in a row a worker was lost",
    "Dask cannot compute them",
    "the cluster has had no workers for",
)  # words in errors that a loss may cause
WAYS = ("before", "within", "after", "cuts", "moment", "two", "client", "nobody")


class Clock:
    """Counts seconds in which this machine runs, so that suspending it does not count as a hang."""

    def __init__(self) -> None:
        self.ticks = 0
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            time.sleep(1)
            self.ticks += 1


CLOCK = Clock()


def in_time(work: Callable[[], Any]) -> Any:
    """Return the result of `work` or raise its exception; TimeoutError if it does not end."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append((work(), None))
        except Exception as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    end = CLOCK.ticks + PATIENCE
    while thread.is_alive() and CLOCK.ticks < end:
        thread.join(0.2)
    if thread.is_alive():
        raise TimeoutError
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


def arm(way: str, number: int, seconds: float) -> None:
    """Kill a worker's process at message `number`, or after some seconds; runs on the worker."""
    from kauriboost._dask.dask_rank import DaskRank

    def kill() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    if way == "moment":
        threading.Timer(seconds, kill).start()
        return
    swap, seen = DaskRank.swap, [0]

    def counted(self: Any, outgoing: Any, awaited: Any) -> Any:
        seen[0] += 1
        if seen[0] == number and way == "before":
            kill()
        if seen[0] == number and way == "within":
            threading.Timer(seconds / 1000, kill).start()
        result = swap(self, outgoing, awaited)
        if seen[0] == number and way == "after":
            kill()
        return result

    DaskRank.swap = counted  # type: ignore[method-assign]  # of this process, which ends by it


def fit(client: Any, params: dict[str, Any], kind: Any) -> bytes:
    """Train on a cluster; return the model."""
    data = kind(client, spread(X, LENGTHS), spread(Y, LENGTHS))
    evals = [(data, "train")]
    result = kd.train(client, params, data, ROUNDS, evals=evals, verbose_eval=False, timeout=TIMEOUT)
    return bytes(result["booster"].save_raw())


LEAVING = """
import os, signal, sys, threading
sys.path[:0] = {path!r}
import distributed
from random_kills import LEARNT, fit
from kauriboost._dask import train as dask_train
dask_train.SEGMENT_SECONDS = {segment!r}
client = distributed.Client({address!r})
threading.Timer({seconds!r}, os.kill, [os.getpid(), signal.SIGKILL]).start()
while True:
    fit(client, *LEARNT[{number!r}])
"""


class Kills:
    """A cluster, and fits during which processes are killed."""

    def __init__(self, n_workers: int, drawn: random.Random, counts: Counter[str]) -> None:
        self._random = drawn
        self._n_workers = n_workers
        self._counts = counts
        alone = kb.DMatrix(X, label=Y)
        self._expected = [bytes(kb.train(params, alone, ROUNDS).save_raw()) for params, _ in LEARNT]
        self._begin()

    def _begin(self) -> None:
        self._cluster = make_cluster(self._n_workers)
        self._client = distributed.Client(self._cluster)

    def _ready(self) -> None:
        """Wait for all workers; a cluster that does not restart them, for reasons of Dask, is replaced."""
        try:
            in_time(lambda: self._client.wait_for_workers(self._n_workers, timeout=60))
        except (TimeoutError, OSError):
            self._make_again()

    def _make_again(self) -> None:
        self._counts["clusters made again"] += 1
        self.end()
        self._begin()
        self._client.wait_for_workers(self._n_workers, timeout=300)

    def one(self) -> None:
        """Run a fit and kill a process meanwhile."""
        self._ready()
        start = time.monotonic()
        number, way = self._random.randrange(len(LEARNT)), self._random.choice(WAYS)
        addresses = addresses_of(self._client)
        victims = self._random.sample(addresses, min(len(addresses), 2 if way == "two" else 1))
        before = self._client.run(os.getpid)
        if way == "client":
            self._kill_a_client(number)
        elif way != "nobody":
            for victim in victims:
                self._arm(way, victim)
        what = self._outcome(number)
        after = self._client.run(os.getpid)
        n_killed = len(set(before.values()) - set(after.values())) + (way == "client")
        self._counts["kills"] += n_killed
        self._counts[what] += 1
        n_fits = sum(self._counts[name] for name in OUTCOMES)
        done = f"{n_fits:>4} {way:<8} training {number}, {n_killed} of {len(before)} killed: {what}"
        print(f"{done}, {time.monotonic() - start:.1f} s", flush=True)

    def _arm(self, way: str, victim: str) -> None:
        drawn = self._random
        number = drawn.randint(1, 25) if way == "cuts" else drawn.randint(1, 250)
        stage = way if way in ("before", "within", "after", "moment") else drawn.choice(["before", "within", "after"])
        self._client.run(arm, stage, number, 3 * drawn.random(), workers=[victim])

    def _kill_a_client(self, number: int) -> None:
        program = LEAVING.format(
            path=sys.path,
            address=self._client.scheduler.address,
            seconds=0.5 + 4 * self._random.random(),
            number=number,
            segment=SEGMENT_SECONDS,
        )
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, timeout=None)

    def _outcome(self, number: int) -> str:
        try:
            learnt = in_time(lambda: fit(self._client, *LEARNT[number]))
        except TimeoutError:
            if addresses_of(self._client):
                return "hangs"
            self._make_again()  # Dask has restarted no worker, and waits for one to make the matrix
            return "without workers"
        except Exception as error:
            print(f"     {type(error).__name__}: {error}", flush=True)
            is_clear = isinstance(error, kb.KauriError) and any(text in str(error) for text in CLEAR)
            return "clear errors" if is_clear else "other errors"
        return "equal bytes" if learnt == self._expected[number] else "other bytes"

    def end(self) -> None:
        """Shut the cluster down."""
        self._client.close(timeout=5)
        self._cluster.close(timeout=20)


OUTCOMES = ("equal bytes", "clear errors", "without workers", "other bytes", "hangs", "other errors")


def is_well(counts: Counter[str]) -> bool:
    """Print the last line; return whether all outcomes are acceptable."""
    n_fits = sum(counts[name] for name in OUTCOMES)
    told = ", ".join(f"{counts[name]} {name}" for name in (*OUTCOMES, "clusters made again"))
    print(f"{n_fits} fits, {counts['kills']} kills: {told}", flush=True)
    return counts["other bytes"] + counts["hangs"] + counts["other errors"] == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("fits", 200), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 3, 4])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    dask_train.SEGMENT_SECONDS = SEGMENT_SECONDS
    dask.config.set({"distributed.scheduler.worker-ttl": None})  # so that suspending the machine loses no worker
    drawn, counts = random.Random(arguments.seed), Counter[str]()
    n_sizes = len(arguments.workers)
    for place, n_workers in enumerate(arguments.workers):
        kills = Kills(n_workers, drawn, counts)
        for _ in range(arguments.fits // n_sizes + (place < arguments.fits % n_sizes)):
            kills.one()
        kills.end()
    return 0 if is_well(counts) else 1


if __name__ == "__main__":
    sys.exit(main())
