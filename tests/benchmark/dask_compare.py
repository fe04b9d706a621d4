"""Distributed training of the same rows on equal clusters: kauriboost.dask beside xgboost.dask and lightgbm.dask.

    .venv/bin/python tests/peers/environments.py dask
    build-peers/dask/bin/python tests/benchmark/dask_compare.py [--rows 1000000] [--workers 2] [--depth 8] [--rounds 20]

Each library has its own cluster, of processes with one thread each, and rows that the workers make themselves. The
libraries take turns; numbers are medians of the repeats after a first training. Seconds: time of train() on rows in
memory. CPU: processor time of all workers in it. Memory: a worker's peak in the first training minus its peak before.
Bytes sent: traffic of the loopback device, of the whole machine. The run fails if Kauri's model differs from the model
of one process by a byte, or if the libraries' errors differ by more than 2 %.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import distributed
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))

N_COLUMNS = 28


def block(first: int, n_rows: int) -> np.ndarray:
    """Return the features and, in the last column, the target."""
    X = np.random.default_rng(first).normal(size=(n_rows, N_COLUMNS)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + 0.5 * X[:, 3 : N_COLUMNS // 2].sum(axis=1)
    return np.column_stack([X, y])


def blocks_of(arguments: argparse.Namespace) -> list[tuple[int, int]]:
    """Return the first row and the number of rows of each block."""
    n_blocks = 4 * arguments.workers
    ends = [arguments.rows * i // n_blocks for i in range(n_blocks + 1)]
    return [(begin, end - begin) for begin, end in zip(ends, ends[1:])]


def table(client: Any, arguments: argparse.Namespace) -> Any:
    """Return the rows, in blocks that alternate between workers. On a busy machine Dask may put all on one worker."""
    addresses = sorted(client.scheduler_info(n_workers=-1)["workers"])
    places = blocks_of(arguments)
    made = [
        client.submit(block, first, n, workers=[addresses[i % len(addresses)]], pure=False)
        for i, (first, n) in enumerate(places)
    ]
    blocks = [da.from_delayed(each, (n, N_COLUMNS + 1), np.float32) for each, (_, n) in zip(made, places)]
    return da.concatenate(blocks)


Trainer = Callable[[Any, Any, Any], Callable[[np.ndarray], np.ndarray]]  # (client, X, y) -> predict


def kauri(arguments: argparse.Namespace, kind: str) -> Trainer:
    import kauriboost as kb
    from kauriboost import dask as kd

    params = {"max_depth": arguments.depth, "eta": 0.1, "tree_method": "hist", "max_bin": 256}
    expected: list[bytes] = []

    def train(client: Any, X: Any, y: Any) -> Callable[[np.ndarray], np.ndarray]:
        data = getattr(kd, kind)(client, X, y)
        booster = kd.train(client, params, data, arguments.rounds)["booster"]
        if not expected:
            rows = np.concatenate([block(*place) for place in blocks_of(arguments)])  # X.compute() would move X
            alone = kb.DMatrix(rows[:, :-1], label=rows[:, -1])
            expected.append(bytes(kb.train(params, alone, arguments.rounds).save_raw()))
        assert bytes(booster.save_raw()) == expected[0], "the bytes are not those of one process"
        return lambda rows: booster.predict(kb.DMatrix(rows))

    return train


def xgboost(arguments: argparse.Namespace, kind: str) -> Trainer:
    import xgboost as xgb
    from xgboost import dask as dxgb

    params = {"max_depth": arguments.depth, "eta": 0.1, "tree_method": "hist", "max_bin": 256}

    def train(client: Any, X: Any, y: Any) -> Callable[[np.ndarray], np.ndarray]:
        data = getattr(dxgb, kind)(client, X, y)
        booster = dxgb.train(client, params, data, num_boost_round=arguments.rounds)["booster"]
        return lambda rows: booster.predict(xgb.DMatrix(rows))

    return train


def lightgbm(arguments: argparse.Namespace) -> Trainer:
    from lightgbm import DaskLGBMRegressor

    def train(client: Any, X: Any, y: Any) -> Callable[[np.ndarray], np.ndarray]:
        model = DaskLGBMRegressor(
            client=client,
            n_estimators=arguments.rounds,
            learning_rate=0.1,
            max_depth=arguments.depth,
            num_leaves=2**arguments.depth,
            min_child_samples=1,
            verbose=-1,
        )
        model.fit(X, y)
        return model.to_local().predict

    return train


def loopback_bytes() -> int:
    line = next(line for line in Path("/proc/net/dev").read_text().splitlines() if line.strip().startswith("lo:"))
    return int(line.split(":")[1].split()[0])


def peak_memory() -> int:
    """Return the peak memory of this process in bytes."""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


class Contestant:
    """A library with its cluster and its rows."""

    def __init__(self, name: str, train: Trainer, arguments: argparse.Namespace, stack: ExitStack) -> None:
        self._name, self._train = name, train
        options = {"n_workers": arguments.workers, "threads_per_worker": 1, "dashboard_address": ":0"}
        self._client = stack.enter_context(
            distributed.Client(stack.enter_context(distributed.LocalCluster(**options)), set_as_default=False)
        )
        with self._client.as_current():
            rows = self._client.persist(table(self._client, arguments))
            distributed.wait(rows)
            self._rows = self._client.persist([rows[:, :-1], rows[:, -1]])
            distributed.wait(self._rows)
            held = [len(keys) for keys in self._client.has_what().values()]
            assert max(held) == min(held), f"the workers hold {held} blocks"
            idle = self._peak()
            self.predict = train(self._client, *self._rows)
            self._memory = self._peak() - idle
        self._measured: list[tuple[float, float, int]] = []

    def _peak(self) -> int:
        return int(max(self._client.run(peak_memory).values()))

    def _processor_time(self) -> float:
        return float(sum(self._client.run(time.process_time).values()))

    def train(self) -> None:
        processor, sent, begin = self._processor_time(), loopback_bytes(), time.perf_counter()
        with self._client.as_current():
            self.predict = self._train(self._client, *self._rows)
        seconds = time.perf_counter() - begin
        self._measured.append((seconds, self._processor_time() - processor, loopback_bytes() - sent))

    def error(self) -> float:
        """Print a line of the table; returns the error on new rows."""
        new = block(10**9, 20_000)
        error = float(np.sqrt(np.mean((self.predict(new[:, :-1]) - new[:, -1]) ** 2)))
        seconds, processor, sent = map(statistics.median, zip(*self._measured))
        times = f"{seconds:>9.2f}{processor:>9.2f}"
        print(f"{self._name:<28}{times}{self._memory / 1e6:>12.0f}{sent / 1e6:>12.1f}{error:>10.4f}", flush=True)
        return error


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("rows", 1_000_000), ("workers", 2), ("depth", 8), ("rounds", 20), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    trainers = {
        "kauriboost, DaskDMatrix": kauri(arguments, "DaskDMatrix"),
        "kauriboost, Quantile": kauri(arguments, "DaskQuantileDMatrix"),
        "xgboost, DaskDMatrix": xgboost(arguments, "DaskDMatrix"),
        "xgboost, Quantile": xgboost(arguments, "DaskQuantileDMatrix"),
        "lightgbm": lightgbm(arguments),
    }
    dask.config.set({"distributed.scheduler.worker-ttl": None})  # so that a suspended machine loses no worker
    print(f"{arguments.rows} rows, {N_COLUMNS} columns, {arguments.workers} workers, depth {arguments.depth}")
    print(f"{'':<28}{'seconds':>9}{'CPU':>9}{'MB a worker':>12}{'MB sent':>12}{'error':>10}")
    with ExitStack() as stack:
        contestants = [Contestant(name, train, arguments, stack) for name, train in trainers.items()]
        for _ in range(arguments.repeats):
            for contestant in contestants:
                contestant.train()
        errors = {name: contestant.error() for name, contestant in zip(trainers, contestants)}
    if max(errors.values()) > 1.02 * min(errors.values()):
        sys.exit(f"the errors differ by more than 2 %: {errors}")


if __name__ == "__main__":
    main()
