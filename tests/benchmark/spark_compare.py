"""Training of the same rows on one local Spark cluster: kauriboost.spark beside xgboost.spark, in turns.

    python tests/benchmark/spark_compare.py [--rows 1000000] [--workers 2] [--depth 8] [--rounds 20] [--repeats 3]
                                             [--reuse 0] [--deal 0]

The cluster has an executor with one core for each worker. Its rows are arrays of float32 in as many partitions as there
are workers, cached by the executors, so that neither library need move them; with `--deal 1` kauriboost.spark does.
Numbers are medians of the repeats after a first training. Seconds: time of fit(). CPU: processor time of the driver's
Java, the executors' Java and the Python workers in it; Python: that of the Python workers alone. Memory: the largest
peak of a Python worker, which is a process of its own in each training; with `--reuse 1`, Spark's default, it is that
of both libraries together. Bytes sent: traffic of the loopback device, of the whole machine. The run fails if Kauri's
model differs from the model of one process by a byte, or if the libraries' errors differ by more than 2 %.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

PACKAGE = str(Path(__file__).resolve().parents[2] / "python-package")
sys.path.insert(0, PACKAGE)

N_COLUMNS = 28
SECONDS_BETWEEN_LOOKS = 0.02
TICKS = os.sysconf("SC_CLK_TCK")


def block(first: int, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features and targets."""
    X = np.random.default_rng(first).normal(size=(n_rows, N_COLUMNS)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.5 * X[:, 3 : N_COLUMNS // 2].sum(axis=1)
    return X, y.astype(np.float64)


def blocks_of(arguments: argparse.Namespace, worker: int) -> Iterator[tuple[int, int]]:
    """Yield the first row and the number of rows of each block of a partition."""
    begin, end = (arguments.rows * i // arguments.workers for i in (worker, worker + 1))
    for first in range(begin, end, 50_000):
        yield first, min(50_000, end - first)


def table(session: Any, arguments: argparse.Namespace) -> Any:
    """Return the cached rows, made by the executors."""
    import pyarrow as pa

    def make(batches: Any) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for worker in batch.column(0).to_pylist():
                for place in blocks_of(arguments, worker):
                    X, y = block(*place)
                    lengths = np.arange(0, X.size + 1, N_COLUMNS, dtype=np.int32)
                    features = pa.ListArray.from_arrays(pa.array(lengths), pa.array(X.ravel()))
                    yield pa.RecordBatch.from_pydict({"features": features, "label": pa.array(y)})

    numbers = session.range(0, arguments.workers, numPartitions=arguments.workers)
    frame = numbers.mapInArrow(make, "features array<float>, label double").cache()
    assert frame.count() == arguments.rows
    return frame


Trainer = Callable[[Any], Callable[[np.ndarray], np.ndarray]]  # frame -> predict


def parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return XGBoost's defaults where an estimator has others, and the arguments."""
    return {
        "n_estimators": arguments.rounds,
        "max_depth": arguments.depth,
        "learning_rate": 0.1,
        "reg_lambda": 1.0,
        "colsample_bynode": 1.0,
        "tree_method": "hist",
        "max_bin": 256,
    }


def kauri(arguments: argparse.Namespace) -> Trainer:
    import kauriboost as kb
    from kauriboost import spark as ks

    rows = [block(*place) for worker in range(arguments.workers) for place in blocks_of(arguments, worker)]
    alone = kb.KauriRegressor(**parameters(arguments))
    alone.fit(np.concatenate([X for X, _ in rows]), np.concatenate([y for _, y in rows]))
    expected = bytes(alone.get_booster().save_raw())

    def train(frame: Any) -> Callable[[np.ndarray], np.ndarray]:
        given = {"num_workers": arguments.workers, "force_repartition": bool(arguments.deal)}
        booster = ks.KauriRegressor(**given, **parameters(arguments)).fit(frame).get_booster()
        assert bytes(booster.save_raw()) == expected, "the bytes are not those of one process"
        return lambda rows: booster.predict(kb.DMatrix(rows))

    return train


def xgboost(arguments: argparse.Namespace) -> Trainer:
    import xgboost as xgb
    from xgboost.spark import SparkXGBRegressor

    def train(frame: Any) -> Callable[[np.ndarray], np.ndarray]:
        booster = SparkXGBRegressor(num_workers=arguments.workers, **parameters(arguments)).fit(frame).get_booster()
        return lambda rows: booster.predict(xgb.DMatrix(rows))

    return train


class Usage(NamedTuple):
    """Processor time of the processes below this one, and the traffic of the machine."""

    all_processes: float  # seconds of processor time
    python: float
    sent: int  # bytes


def processes_below() -> dict[int, tuple[str, float]]:
    """Return name and processor time (ended children included) of each process below this one, by id."""
    found: dict[int, tuple[int, str, float]] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            head, _, rest = (folder / "stat").read_text().rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        found[int(folder.name)] = (int(fields[1]), head.split("(", 1)[1], sum(map(int, fields[11:15])) / TICKS)
    below, more = {os.getpid()}, True
    while more:
        news = {each for each, (parent, _, _) in found.items() if parent in below} - below
        below |= news
        more = bool(news)
    return {each: found[each][1:] for each in below - {os.getpid()} if each in found}


def usage() -> Usage:
    below = processes_below().values()
    line = next(line for line in Path("/proc/net/dev").read_text().splitlines() if line.strip().startswith("lo:"))
    python = sum(seconds for name, seconds in below if name.startswith("python"))
    return Usage(sum(seconds for _, seconds in below), python, int(line.split(":")[1].split()[0]))


class Peak:
    """Looks at the Python workers again and again; `bytes` is the largest peak of their memory."""

    def __init__(self) -> None:
        self.bytes, self._is_over = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(SECONDS_BETWEEN_LOOKS):
            for each, (name, _) in processes_below().items():
                if name.startswith("python"):
                    self.bytes = max(self.bytes, peak_of(each))


def peak_of(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return 1024 * int(next((line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")), "0"))


class Contestant:
    """A library, and what its trainings have taken."""

    def __init__(self, name: str, train: Trainer, frame: Any) -> None:
        self._name, self._train, self._frame = name, train, frame
        with Peak() as peak:
            self._predict = train(frame)
        self._memory = peak.bytes
        self._measured: list[tuple[float, ...]] = []

    def train(self) -> None:
        before, begin = usage(), time.perf_counter()
        self._predict = self._train(self._frame)
        seconds, after = time.perf_counter() - begin, usage()
        self._measured.append((seconds, *(new - old for new, old in zip(after, before))))
        print(f"# {self._name}:", *(f"{each:.2f}" for each in self._measured[-1]), flush=True)

    def report(self) -> tuple[float, float]:
        """Print a line of the table; returns the processor time and the error on new rows."""
        X, y = block(10**9, 20_000)
        error = float(np.sqrt(np.mean((self._predict(X) - y) ** 2)))
        seconds, processor, python, sent = map(statistics.median, zip(*self._measured))
        times = f"{seconds:>9.2f}{processor:>9.2f}{python:>9.2f}"
        print(f"{self._name:<20}{times}{self._memory / 1e6:>12.0f}{sent / 1e6:>12.1f}{error:>10.4f}", flush=True)
        return processor, error


def cluster(arguments: argparse.Namespace) -> Any:
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.python.worker.reuse": "true" if arguments.reuse else "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.python.daemon.module": "spark_daemon",
        "spark.executorEnv.PYTHONPATH": os.pathsep.join([PACKAGE, str(Path(__file__).parent)]),
        "spark.executorEnv.OMP_NUM_THREADS": "1",
        "spark.executorEnv.KAURI_LIBRARY": os.environ.get("KAURI_LIBRARY", ""),
    }
    master = f"local-cluster[{arguments.workers},1,{arguments.executor_mb}]"
    session = SparkSession.builder.master(master).config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    defaults = {
        "rows": 1_000_000,
        "workers": 2,
        "depth": 8,
        "rounds": 20,
        "repeats": 3,
        "executor-mb": 2048,
        "reuse": 0,
        "deal": 0,
    }
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    trainers = {"kauriboost.spark": kauri(arguments), "xgboost.spark": xgboost(arguments)}
    session = cluster(arguments)
    try:
        frame = table(session, arguments)
        print(f"{arguments.rows} rows, {N_COLUMNS} columns, {arguments.workers} workers, depth {arguments.depth}")
        heads = f"{'seconds':>9}{'CPU':>9}{'Python':>9}{'MB a worker':>12}{'MB sent':>12}{'error':>10}"
        print(f"{'':<20}{heads}", flush=True)
        contestants = [Contestant(name, train, frame) for name, train in trainers.items()]
        for _ in range(arguments.repeats):
            for contestant in contestants:
                contestant.train()
        (ours, our_error), (theirs, their_error) = (contestant.report() for contestant in contestants)
        print(f"processor time of xgboost.spark / kauriboost.spark: {theirs / ours:.2f}")
    finally:
        session.stop()
    if max(our_error, their_error) > 1.02 * min(our_error, their_error):
        sys.exit("the errors differ by more than 2 %")


if __name__ == "__main__":
    main()
