"""Equality of the models of several ranks and of one process, byte for byte, with `hist`, on real data of every kind.

    python tests/benchmark/real_sets_group.py --data FOLDER [--ranks 3] [set ...]

FOLDER (or KAURI_DATA) holds load.py, as for gpu_exact_tables.py; missing sets are skipped. Ranks are threads that share
only messages. Each run of rows, of random length, goes to a random rank, but the first rank has none. Every set is
trained on plainly, and with sampling, constraints and regularisation; sets with categorical columns also with
categories. The exit status is 1 if any pair of models differs.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb
import numpy as np
from kauriboost.collective import Collective, thread_group
from paper_tables import arguments
from paper_tables.real_sets import RealSet, real_set
from paper_tables.report import Column, Report, Row
from real_sets_equality import CASES, SAMPLED

COLUMNS: list[Column] = [
    ("data set", "name", "{}"),
    ("objective", "objective", "{}"),
    ("rows", "rows", "{:,}"),
    ("columns", "columns", "{:,}"),
    ("depth", "depth", "{}"),
    ("rounds", "rounds", "{}"),
    ("parameters", "variant", "{}"),
    ("one process, s", "alone_s", "{:.2f}"),
    ("ranks, s", "ranks_s", "{:.2f}"),
    ("same bytes", "equal_bytes", "{}"),
]


def runs(n_rows: int, queries: np.ndarray | None, n_ranks: int) -> list[list[tuple[int, int]]]:
    """Return (first row, count) of each rank's runs. Runs begin at query boundaries if there are queries."""
    random = np.random.default_rng(n_rows)
    bounds = np.arange(n_rows + 1) if queries is None else np.concatenate([[0], np.cumsum(queries)])
    cuts = np.unique(random.choice(bounds, min(40, len(bounds))))
    edges = np.unique(np.concatenate([[0], cuts, [n_rows]]))
    mine: list[list[tuple[int, int]]] = [[] for _ in range(n_ranks)]
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist()):
        mine[int(random.integers(1, n_ranks))].append((first, last - first))
    return mine


def matrix_of(data: RealSet, here: list[tuple[int, int]] | None) -> kb.DMatrix:
    """Return the matrix of all rows, or of some runs of rows."""
    problem = data.train
    types = {} if data.types is None else {"feature_types": data.types}
    if here is None:
        return kb.DMatrix(problem.features, problem.labels, group=problem.group, nthread=1, **types)
    rows = np.concatenate([np.arange(first, first + count) for first, count in here] or [np.empty(0, np.int64)])
    group = None
    if problem.group is not None:
        begin = np.concatenate([[0], np.cumsum(problem.group)])[:-1]
        group = np.concatenate([problem.group[np.isin(begin, rows)]]) if len(rows) else None
    matrix = kb.DMatrix(problem.features[rows], np.asarray(problem.labels)[rows], group=group, nthread=1, **types)
    matrix.set_info(global_rows=np.array(here, dtype=np.int64).reshape(-1, 2))
    return matrix


def learn(data: RealSet, rounds: int, params: Row, here: Any = None, group: Collective | None = None) -> bytes:
    """Train and return the bytes of the model."""
    params = {**data.train.params, **params, "tree_method": "hist", "nthread": 1}
    return bytes(kb.train(params, matrix_of(data, here), rounds, verbose_eval=False, collective=group).save_raw())


def compare(data: RealSet, rounds: int, name: str, params: Row, n_ranks: int) -> Row:
    """Train in one process and on all ranks; returns the row of the table."""
    start = time.perf_counter()
    alone = learn(data, rounds, params)
    alone_s = time.perf_counter() - start
    queries = None if data.train.group is None else np.asarray(data.train.group)
    parts = runs(data.train.features.shape[0], queries, n_ranks)
    groups = thread_group(n_ranks)
    models: list[bytes] = [b""] * n_ranks

    def run(rank: int) -> None:
        models[rank] = learn(data, rounds, params, parts[rank], groups[rank])

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(n_ranks)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    row: Row = {**data.train.size(), "objective": data.train.params["objective"], "rounds": rounds, "variant": name}
    row.update(alone_s=alone_s, ranks_s=time.perf_counter() - start)
    row["equal_bytes"] = all(model == alone for model in models)
    return row


def main(argv: list[str] | None = None) -> int:
    """Compare on every set; returns the exit status."""
    parser = arguments.make_parser(__doc__)
    parser.add_argument("sets", nargs="*", help=f"default: {' '.join(name for name, _, _ in CASES)}")
    parser.add_argument("--ranks", type=int, default=3)
    parser.set_defaults(device="cpu")
    args = parser.parse_args(argv)
    report = Report("real_sets_group", "The models of several ranks and of one process", COLUMNS, args)
    for name, depth, rounds in CASES:
        if args.sets and name not in args.sets:
            continue
        data = real_set(name, args.data, {"max_depth": depth, "eta": 0.3})
        if data is None:
            continue
        rounds = min(rounds, 10)
        for variant, params in [("plain", {}), ("sampled", SAMPLED)]:
            report.add(compare(data, rounds, variant, params, args.ranks))
        if data.categorical:
            report.add(compare(data.with_categories(), rounds, "categories", {}, args.ranks))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
