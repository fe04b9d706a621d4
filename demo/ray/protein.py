"""Trains on real data with two workers of a Ray cluster, kills one of them on the way, and compares the models.

usage: protein.py [NAME]

NAME is another of the real data sets with one target in $KAURI_DATA, by default ../shared/data beside the project. The
script needs the packages of kauriboost[ray].
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import kauriboost as kb

HERE = Path(__file__).resolve()
DATA = Path(os.environ.get("KAURI_DATA", HERE.parents[3] / "shared" / "data"))
PARAMS = {"n_estimators": 40, "max_depth": 6, "subsample": 0.8}
LOST_AFTER, REPORT_EVERY = 25, 10  # rounds
N_BLOCKS = 7


class LoseAWorker(kb.callback.TrainingCallback):
    """Ends one worker, as a broken machine would. Ray Train starts all again from the last checkpoint."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch + 1 == LOST_AFTER:
            try:
                self.file.open("x").close()  # only one process can create the file
            except FileExistsError:
                return False
            os.kill(os.getpid(), signal.SIGKILL)
        return False


def timed(what: str, begin: float) -> None:
    print(f"{what:<44} {time.perf_counter() - begin:6.1f} s", flush=True)


def start() -> Any:
    """Start a cluster on this machine with places for three workers or tasks."""
    path = os.pathsep.join([str(HERE.parent), *filter(None, sys.path)])
    os.environ.update(PYTHONPATH=path, RAY_USAGE_STATS_ENABLED="0")
    os.environ.setdefault("RAY_TRAIN_HEALTH_CHECK_INTERVAL_S", "0.2")
    import ray

    ray.init(num_cpus=3, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    return ray


def main(name: str) -> None:
    sys.path.insert(0, str(DATA))
    import numpy as np
    import pandas as pd
    from load import load

    X, y, _ = load(name)
    print(f"{name}: {X.shape[0]} rows, {X.shape[1]} features")
    names = [f"x{i}" for i in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names)
    begin = time.perf_counter()
    alone = kb.KauriRegressor(**PARAMS).fit(table, y).get_booster().save_raw()
    timed("one process", begin)

    ray = start()
    from kauriboost import ray as kr
    from protein import LoseAWorker  # by its module's name, so that workers can import it
    from ray.train import FailureConfig, RunConfig, ScalingConfig

    whole = table.assign(label=y)
    ends = np.linspace(0, len(whole), N_BLOCKS + 1).astype(int)
    dataset = ray.data.from_pandas([whole.iloc[begin:end] for begin, end in zip(ends, ends[1:])])
    folder = tempfile.mkdtemp()
    for what, callbacks in {
        "two workers": None,
        f"the same, one of them lost after {LOST_AFTER} rounds": [LoseAWorker(Path(folder) / "lost")],
    }.items():
        begin = time.perf_counter()
        model = kr.RayKauriRegressor(callbacks=callbacks, **PARAMS)
        model.fit(
            dataset,
            "label",
            scaling_config=ScalingConfig(num_workers=2),
            run_config=RunConfig(storage_path=folder, failure_config=FailureConfig(max_failures=2)),
            report_every=REPORT_EVERY,
        )
        timed(what, begin)
        print("  the same bytes:", model.get_booster().save_raw() == alone)

    sums = np.zeros(len(names))
    for batch in model.explain(dataset).iter_batches(batch_format="numpy"):
        sums += np.abs(batch["contributions"])[:, :-1].sum(axis=0)
    first = np.argsort(-sums)[:3]
    print("  features by the mean of their absolute SHAP values:", [names[i] for i in first])
    ray.shutdown()


if __name__ == "__main__":
    if (DATA / "load.py").is_file():
        main(*(sys.argv[1:] or ["protein"]))
    else:
        print(f"there are no real data sets at {DATA}; say where they are in KAURI_DATA, and start this again.")
