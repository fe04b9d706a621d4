"""Equality of the models from Ray's workers and from one process, on real data of every kind.

    python tests/benchmark/cluster_ray.py [--workers 1 2 4] [set ...]

Needs ray[data,train,tune], and the real data sets of $KAURI_DATA. Each set is cut into blocks of unequal lengths, in
two ways. The exit status is 1 if a model differs by a byte.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_TRAIN_HEALTH_CHECK_INTERVAL_S", "0.2")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import numpy as np
import pyarrow as pa
import ray
from cluster_sets import LABEL, QUERY, ClusterSet, cluster_sets, model_of_one_process

CUTS = [(0.37, 0.37, 0.81), (0.05, 0.5)]  # ends of blocks as shares of the rows


def table_of(each: ClusterSet) -> tuple[pa.Table, dict[str, Any]]:
    """Return a set as a table of Arrow, and the names of its columns."""
    from kauriboost import ray as kr

    targets = each.label.reshape(len(each.label), -1)
    labels = [f"{LABEL}{i}" for i in range(targets.shape[1])]
    columns: dict[str, Any] = dict(zip(labels, targets.T))
    names: dict[str, Any] = {"label_column": labels if len(labels) > 1 else labels[0]}
    if hasattr(each.features, "tocsr"):
        columns["features"] = kr.sparse_column(each.features)
    else:
        columns |= {name: pa.array(each.features[name], from_pandas=True) for name in each.features}
    if each.query is not None:
        columns[QUERY] = each.query
        names["qid_column"] = QUERY
    return pa.table(columns), names


def in_blocks(table: pa.Table, shares: tuple[float, ...]) -> Any:
    ends = [0, *(int(share * table.num_rows) for share in shares), table.num_rows]
    return ray.data.from_arrow([table.slice(begin, end - begin) for begin, end in zip(ends, ends[1:])])


def fitted(each: ClusterSet, dataset: Any, names: dict[str, Any], n_workers: int) -> bytes:
    from kauriboost import ray as kr
    from ray.train import RunConfig, ScalingConfig

    estimator = getattr(kr, f"Ray{each.estimator}")(**each.params)
    with tempfile.TemporaryDirectory() as folder:
        estimator.fit(
            dataset,
            **names,
            scaling_config=ScalingConfig(num_workers=n_workers),
            run_config=RunConfig(storage_path=folder),
        )
    return bytes(estimator.get_booster().save_raw())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    arguments = parser.parse_args()
    ray.init(num_cpus=max(arguments.workers) + 1, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    n_different = 0
    for each in cluster_sets(arguments.sets):
        alone = model_of_one_process(each)
        table, names = table_of(each)
        for n_workers, shares in zip(arguments.workers, CUTS * len(arguments.workers)):
            begin = time.perf_counter()
            same = fitted(each, in_blocks(table, shares), names, n_workers) == alone
            n_different += not same
            told = "the bytes of one process" if same else "OTHER BYTES"
            seconds = time.perf_counter() - begin
            print(f"{each.name:<12} {each.kind:<16} {n_workers} workers {told}, {seconds:.1f} s", flush=True)
    print(f"{n_different} models differ; numpy {np.__version__}, ray {ray.__version__}")
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
