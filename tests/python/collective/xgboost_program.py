"""Three processes of XGBoost's package over Kauri's library: one model, allreduce, a process that dies."""

from __future__ import annotations

import multiprocessing
import os
import time
from typing import Any

import numpy as np
import pytest
import xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker

N_WORKERS = 3
BOUNDS = [0, 100, 550, 600]
DEADLINE = 60


def rows(part: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(600, 4)).astype(np.float32)
    grades = (features[:, 0] + rng.normal(size=600) > 0).astype(np.float32)
    return features[part], grades[part], np.repeat(np.arange(120), 5)[part]


def models(part: slice) -> list[bytes]:
    features, grades, queries = rows(part)
    plain = xgboost.DMatrix(features, grades)
    binned = xgboost.QuantileDMatrix(features, grades, max_bin=32)
    ranked = xgboost.DMatrix(features, grades, qid=queries)
    settings = {"max_depth": 3, "nthread": 1}
    logistic = {**settings, "objective": "binary:logistic", "eval_metric": ["logloss", "auc"]}
    made = [
        xgboost.train(logistic, plain, 9, evals=[(plain, "t")], early_stopping_rounds=2, verbose_eval=False),
        xgboost.train({**settings, "max_bin": 32, "subsample": 0.5, "seed": 3}, binned, 5),
        xgboost.train({**settings, "objective": "rank:ndcg"}, ranked, 4, evals=[(ranked, "t")], verbose_eval=False),
    ]
    return [bytes(model.save_raw("ubj")) for model in made]


def work(task: int, arguments: list[dict[str, Any]], results: Any) -> None:
    first, second, third = [{**each, "dmlc_task_id": str(task), "dmlc_timeout": DEADLINE} for each in arguments]
    assert "KAURI_VERSION" in xgboost.build_info()
    with collective.CommunicatorContext(**first):
        assert collective.get_rank() == task
        assert collective.get_world_size() == N_WORKERS
        results.put(("models", models(slice(BOUNDS[task], BOUNDS[task + 1]))))
    assert not collective.is_distributed()
    with collective.CommunicatorContext(**second):  # again in the same process
        flags = collective.allreduce(np.array([1 << task], dtype=np.uint16), collective.Op.BITWISE_OR)
        text = collective.broadcast("from one" if task == 1 else None, 1)
        results.put(("calls", (int(flags[0]), text)))
    with collective.CommunicatorContext(**third):
        if task == 1:
            results.close()
            results.join_thread()  # what this process has put is on its way when it dies
            os._exit(7)
        try:
            while True:
                collective.allreduce(np.ones(3), collective.Op.SUM)
        except xgboost.core.XGBoostError as error:
            results.put(("error", str(error)))


def main() -> None:
    spawn = multiprocessing.get_context("spawn")
    trackers = [RabitTracker(host_ip="127.0.0.1", n_workers=N_WORKERS, sortby="task") for _ in range(3)]
    for tracker in trackers:
        tracker.start()
    results = spawn.Queue()
    arguments = [tracker.worker_args() for tracker in trackers]
    processes = [spawn.Process(target=work, args=(task, arguments, results)) for task in range(N_WORKERS)]
    for process in processes:
        process.start()
    alone = models(slice(0, 600))
    got = [results.get(timeout=DEADLINE) for _ in range(3 * N_WORKERS - 1)]
    end = time.monotonic() + DEADLINE
    for process in processes:
        process.join(max(0.0, end - time.monotonic()))
    assert [process.exitcode for process in processes] == [0, 7, 0]
    assert [value for kind, value in got if kind == "models"] == [alone] * N_WORKERS
    assert [value for kind, value in got if kind == "calls"] == [(7, "from one")] * N_WORKERS
    errors = [value for kind, value in got if kind == "error"]
    assert ["rank 1 (host" in error and "is gone" in error for error in errors] == [True, True], errors
    for tracker in trackers[:2]:
        tracker.wait_for(5)
    with pytest.raises(xgboost.core.XGBoostError, match=r"rank 1 \(host"):
        trackers[2].wait_for(5)
    print("the group works")


if __name__ == "__main__":
    main()
