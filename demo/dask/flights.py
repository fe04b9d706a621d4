"""Trains on flight delays with a cluster of three processes, kills one of them on the way, and compares the models.

usage: flights.py [NAME]

NAME is another of the real data sets in $KAURI_DATA, by default ../shared/data beside the project. The script needs the
packages of kauriboost[dask].
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import kauriboost as kb

DATA = Path(os.environ.get("KAURI_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
PARAMS = {"max_depth": 8, "eta": 0.1, "subsample": 0.8, "colsample_bytree": 0.8}
ROUNDS = 40
LOST_AFTER = 25  # rounds


class LoseAWorker(kb.callback.TrainingCallback):
    """Ends one worker's process, as a broken machine would. The other workers survive, and Dask restarts this one."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch + 1 == LOST_AFTER:
            try:
                self.file.open("x").close()  # only one process can create the file
            except FileExistsError:
                return False
            os._exit(1)
        return False


def timed(what: str, begin: float) -> None:
    print(f"{what:<44} {time.perf_counter() - begin:6.1f} s", flush=True)


def main(name: str) -> None:
    sys.path.insert(0, str(DATA))
    from load import load

    X, y, _ = load(name)
    print(f"{name}: {X.shape[0]} rows, {X.shape[1]} features")
    begin = time.perf_counter()
    alone = kb.train(PARAMS, kb.DMatrix(X, label=y), ROUNDS)
    timed("one process", begin)

    import dask.array as da
    from distributed import Client, LocalCluster
    from kauriboost import dask as kd

    n_rows = -(-len(X) // 12)
    with LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        rows, labels = da.from_array(X, chunks=(n_rows, -1)), da.from_array(y, chunks=n_rows)
        data = kd.DaskDMatrix(client, rows, labels)
        begin = time.perf_counter()
        booster = kd.train(client, PARAMS, data, ROUNDS)["booster"]
        timed("three processes, 12 partitions", begin)
        print("  the same bytes:", booster.save_raw() == alone.save_raw())

        callbacks = [LoseAWorker(Path(tempfile.mkdtemp()) / "lost")]
        begin = time.perf_counter()
        booster = kd.train(client, PARAMS, data, ROUNDS, callbacks=callbacks)["booster"]
        timed(f"the same, one of them lost after {LOST_AFTER} rounds", begin)
        print("  the same bytes:", booster.save_raw() == alone.save_raw())

        strongest = abs(kd.predict(client, booster, rows, pred_contribs=True)[:, :-1]).mean(axis=0).compute()
        print("  features by the mean of their absolute SHAP values:", strongest.argsort()[::-1][:3].tolist())


if __name__ == "__main__":
    if (DATA / "load.py").is_file():
        main(*(sys.argv[1:] or ["flights"]))
    else:
        print(f"there are no real data sets at {DATA}; say where they are in KAURI_DATA, and start this again.")
