"""Cost of training one model on several ranks: work, messages and bytes, beside one process.

    python tests/benchmark/groups.py [--rows 200000] [--columns 28] [--depth 8] [--rounds 10] [--ranks 1,2,4]

Ranks are threads of one process that share only messages, one thread each. Each rank has one contiguous run of rows.
The output, for each number of ranks, is the processor time of all ranks together, including bin edges and bins (a
machine with one processor per rank takes that time divided by the ranks, plus the messages), its ratio to one process,
the calls and the bytes that a rank sends for a tree, and whether the models are equal.
"""

from __future__ import annotations

import argparse
import threading
import time
from typing import Any

import kauriboost as kb
import numpy as np
from kauriboost.collective import Collective, thread_group


class Counted(Collective):
    """A rank that counts its collective calls."""

    def __init__(self, group: Any) -> None:
        self.group, self.rank, self.size, self.calls = group, group.rank, group.size, 0

    def sum(self, values: np.ndarray) -> None:
        """Count and pass on."""
        self.calls += 1
        self.group.sum(values)

    def max(self, values: np.ndarray) -> None:
        """Count and pass on."""
        self.calls += 1
        self.group.max(values)

    def gather(self, mine: np.ndarray, sizes: np.ndarray, everything: np.ndarray) -> None:
        """Count and pass on."""
        self.calls += 1
        self.group.gather(mine, sizes, everything)

    def abort(self, why: str) -> None:
        """Pass on."""
        self.group.abort(why)


def make_table(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels with a signal."""
    random = np.random.default_rng(1)
    features = random.standard_normal((rows, columns)).astype(np.float32)
    signal = features[:, 0] * features[:, 1] + np.sin(features[:, 2]) + 0.5 * random.standard_normal(rows)
    return features, (signal > 0).astype(np.float32)


def learn(params: dict[str, Any], rounds: int, table: tuple[np.ndarray, np.ndarray], group: Any = None) -> bytes:
    """Train on the rows of one rank, or on all rows without a group; returns the bytes of the model."""
    features, labels = table
    rank, size = (0, 1) if group is None else (group.rank, group.size)
    bounds = np.linspace(0, len(labels), size + 1).astype(int)
    here = slice(bounds[rank], bounds[rank + 1])
    data = kb.DMatrix(features[here], labels[here], nthread=1)
    if group is not None:
        data.set_info(global_rows=np.array([[here.start, here.stop - here.start]], dtype=np.int64))
    return bytes(kb.train(params, data, rounds, collective=group).save_raw())


def learn_together(params: dict[str, Any], rounds: int, table: tuple[np.ndarray, np.ndarray], ranks: int) -> Any:
    """Train on all ranks; returns the models of all ranks, and the ranks."""
    groups = [Counted(group) for group in thread_group(ranks)]
    models: list[bytes] = [b""] * ranks

    def run(rank: int) -> None:
        models[rank] = learn(params, rounds, table, groups[rank])

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return models, groups


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("rows", 200_000), ("columns", 28), ("depth", 8), ("rounds", 10)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    table = make_table(args.rows, args.columns)
    params = {"objective": "binary:logistic", "max_depth": args.depth, "nthread": 1}
    times: dict[int, list[float]] = {}
    seen: dict[int, str] = {}
    for _ in range(args.repeats):
        begin = time.process_time()
        model = learn(params, args.rounds, table)
        times.setdefault(0, []).append(time.process_time() - begin)
        for ranks in map(int, args.ranks.split(",")):
            begin = time.process_time()
            models, groups = learn_together(params, args.rounds, table, ranks)
            times.setdefault(ranks, []).append(time.process_time() - begin)
            calls = max(group.calls for group in groups) / args.rounds
            sent = max(group.group.bytes_sent for group in groups) / args.rounds
            seen[ranks] = f"{calls:8.1f} {sent / 1e6:10.3f} {all(other == model for other in models)!s:>6}"
    print("ranks   CPU s  of one  calls/tree  MB sent/tree  equal")
    alone = sorted(times[0])[args.repeats // 2]
    print(f"alone {alone:7.3f}  1.00")
    for ranks, texts in seen.items():
        median = sorted(times[ranks])[args.repeats // 2]
        print(f"{ranks:5} {median:7.3f} {median / alone:5.2f} {texts}")


if __name__ == "__main__":
    main()
