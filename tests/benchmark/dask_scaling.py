"""Scaling from one to four processes of a Dask cluster on one machine: work per core, and the estimated network cost.

    python tests/benchmark/dask_scaling.py [--rows 1000000] [--depth 8] [--rounds 20] [--workers 1 2 3 4]

Each number of workers has its own cluster, of processes with one thread each. CPU is the processor time of all workers;
`busiest` is the time of the worker that takes most. `speed-up` is the time of a single worker over the busiest one's:
the speed-up if each worker has its own core, whatever else runs on this machine. MB sent and messages are a rank's
bytes sent and messages awaited for a tree, counted in the transport. The run fails if a model differs from the model of
one process by a byte.

The model (distributed.md, section 5): with n ranks a tree takes the busiest rank's processor time, plus the bytes that
a rank sends divided by the network's speed, plus one latency per message that it waits for. Columns are divided among
the ranks, so a rank sends (n - 1) / n of V bytes of sums. V comes from the largest n measured, processor time from a
line fitted to the measurements, t = a / n + b.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import dask
import distributed
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from dask_compare import block, blocks_of, table

NETWORKS = {"10 GbE": (1.1e9, 75e-6), "25 GbE": (2.8e9, 75e-6)}  # bytes per second, seconds per message
RANKS_OF_MODEL = (2, 4, 8, 16)


class Scale(NamedTuple):
    """Cost of a tree with `workers` workers."""

    workers: int
    cpu: float  # processor seconds of all workers
    busiest: float
    sent: float  # bytes sent by the rank that sends most
    messages: float  # messages that this rank waits for
    seconds: float


def count_messages() -> None:
    """Count, in a worker, the bytes that its ranks send and the messages that they wait for."""
    from kauriboost._dask import group

    swap, counts = group.DaskRank.swap, [0, 0]

    def counted(self: Any, outgoing: Any, awaited: Any) -> Any:
        counts[0] += 0 if outgoing is None else outgoing.payload.nbytes
        counts[1] += awaited is not None
        return swap(self, outgoing, awaited)

    group.DaskRank.swap = counted  # type: ignore[method-assign]  # in a process that ends with the benchmark
    group.counts = counts  # type: ignore[attr-defined]


def at_worker() -> tuple[float, int, int]:
    """Return a worker's processor time, bytes sent and messages waited for until now."""
    from kauriboost._dask import group

    return time.process_time(), *group.counts  # type: ignore[attr-defined]


def params_of(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"max_depth": arguments.depth, "eta": 0.1, "tree_method": "hist", "max_bin": 256}


def once(client: Any, rows: Any, expected: bytes, arguments: argparse.Namespace) -> Scale:
    """Train once; returns the costs."""
    from kauriboost import dask as kd

    data = kd.DaskQuantileDMatrix(client, *rows)
    before, begin = client.run(at_worker), time.perf_counter()
    booster = kd.train(client, params_of(arguments), data, arguments.rounds)["booster"]
    seconds, after = time.perf_counter() - begin, client.run(at_worker)
    assert bytes(booster.save_raw()) == expected, "the bytes are not those of one process"
    spent = np.array([np.subtract(after[address], before[address]) for address in after]) / arguments.rounds
    busiest, sent, messages = spent.max(axis=0)
    return Scale(len(after), float(spent[:, 0].sum()), busiest, sent, messages, seconds / arguments.rounds)


def measure(n_workers: int, expected: bytes, arguments: argparse.Namespace) -> Scale:
    """Return the medians of the repeats, after a first training."""
    options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        client.run(count_messages)
        rows = client.persist(table(client, argparse.Namespace(rows=arguments.rows, workers=arguments.blocks // 4)))
        distributed.wait(rows)
        parts = client.persist([rows[:, :-1], rows[:, -1]])
        distributed.wait(parts)
        found = [once(client, parts, expected, arguments) for _ in range(arguments.repeats + 1)][1:]
    return Scale(*(statistics.median(values) for values in zip(*found)))


def show(scales: list[Scale]) -> None:
    """Print the measurements."""
    print("workers  CPU ms a tree  of one's  busiest  speed-up  MB sent  messages  ms a tree here")
    one = scales[0]
    for each in scales:
        work = f"{1e3 * each.cpu:15.1f}{each.cpu / one.cpu:10.2f}{1e3 * each.busiest:9.1f}"
        wire = f"{each.sent / 1e6:9.2f}{each.messages:10.1f}{1e3 * each.seconds:16.1f}"
        print(f"{each.workers:7.0f}{work}{one.busiest / each.busiest:10.2f}{wire}", flush=True)


def model(scales: list[Scale], arguments: argparse.Namespace) -> None:
    """Print the model's estimates for networks."""
    shares = np.array([[1 / each.workers, 1.0] for each in scales])
    (per_share, fixed), *_ = np.linalg.lstsq(shares, np.array([each.busiest for each in scales]), rcond=None)
    last = scales[-1]
    volume = last.sent * last.workers / (last.workers - 1)
    steps = last.messages / np.ceil(np.log2(last.workers))
    print(f"model: {1e3 * per_share:.1f} ms / n + {1e3 * fixed:.1f} ms, {volume / 1e6:.2f} MB (n - 1) / n, "
          f"{steps:.1f} messages times log2 n")  # fmt: skip
    for name, (speed, latency) in NETWORKS.items():
        for n in RANKS_OF_MODEL:
            work, wire = per_share / n + fixed, volume * (n - 1) / n / speed
            wait = steps * np.ceil(np.log2(n)) * latency
            whole = work + wire + wait
            parts = f"({1e3 * work:.1f} work, {1e3 * wire:.1f} wire, {1e3 * wait:.1f} latency)"
            ratio = (per_share + fixed) / whole
            print(f"{name:7} {n:3} workers: {1e3 * whole:7.1f} ms a tree {parts}, {ratio:5.2f} times one")


def main() -> None:
    import kauriboost as kb

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("rows", 1_000_000), ("depth", 8), ("rounds", 20), ("repeats", 3), ("blocks", 12)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3, 4])
    arguments = parser.parse_args()
    dask.config.set({"distributed.scheduler.worker-ttl": None})  # so that a suspended machine loses no worker
    places = blocks_of(argparse.Namespace(rows=arguments.rows, workers=arguments.blocks // 4))
    whole = np.concatenate([block(*place) for place in places])
    alone = kb.train(params_of(arguments), kb.DMatrix(whole[:, :-1], label=whole[:, -1]), arguments.rounds)
    expected = bytes(alone.save_raw())
    scales = [measure(n, expected, arguments) for n in arguments.workers]
    show(scales)
    if scales[0].workers == 1 and scales[-1].workers > 1:
        model(scales, arguments)


if __name__ == "__main__":
    main()
