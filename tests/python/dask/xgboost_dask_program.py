"""Trains, predicts and ranks with xgboost.dask over Kauri's library, and compares with one process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import dask.array as da
import distributed
import numpy as np
import xgboost
from xgboost import collective
from xgboost import dask as dxgb
from xgboost.tracker import RabitTracker

N_ROWS, N_ROUNDS, PER_QUERY = 1000, 6, 10
SETTINGS = {"max_depth": 3, "nthread": 1, "subsample": 0.7}


class SavesRows:
    """A metric that saves the labels of its rank's rows, each of which is one row's alone."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def __call__(self, _: np.ndarray, data: xgboost.DMatrix) -> tuple[str, float]:
        np.save(self.folder / f"{collective.get_rank()}.npy", data.get_label())
        return "saved", 0.0

    def order(self) -> np.ndarray:
        """Return the labels of all rows in the order of ranks."""
        return np.concatenate([np.load(path) for path in sorted(self.folder.glob("*.npy"))])


def check_bytes(client: distributed.Client, kind: type, features: np.ndarray) -> None:
    labels = np.random.default_rng(2).permutation(N_ROWS).astype(np.float32)
    chunks = da.from_array(features, chunks=(170, features.shape[1]))
    with tempfile.TemporaryDirectory() as folder:
        metric = SavesRows(folder)
        data = kind(client, chunks, da.from_array(labels, chunks=170))
        trained = dxgb.train(client, SETTINGS, data, N_ROUNDS, evals=[(data, "t")], custom_metric=metric)
        order = np.argsort(labels)[metric.order().astype(int)]
    plain = {dxgb.DaskDMatrix: xgboost.DMatrix, dxgb.DaskQuantileDMatrix: xgboost.QuantileDMatrix}[kind]
    alone = xgboost.train(SETTINGS, plain(features[order], labels[order]), N_ROUNDS)
    assert trained["booster"].save_raw("ubj") == alone.save_raw("ubj"), kind
    rmse = trained["history"]["t"]["rmse"]
    assert rmse[-1] < rmse[0]
    predicted = dxgb.predict(client, trained["booster"], chunks).compute()
    assert (predicted == alone.predict(xgboost.DMatrix(features))).all(), kind


class Batches(xgboost.DataIter):
    """Rows in batches, whose bins are kept in a file."""

    def __init__(self, features: np.ndarray, labels: np.ndarray, cache: str) -> None:
        self.batches = list(zip(np.array_split(features, 3), np.array_split(labels, 3), strict=True))
        self.at = 0
        super().__init__(cache_prefix=cache)

    def reset(self) -> None:
        self.at = 0

    def next(self, input_data: Any) -> bool:
        if self.at == len(self.batches):
            return False
        features, labels = self.batches[self.at]
        input_data(data=features, label=labels)
        self.at += 1
        return True


def learn_from_disk(arguments: dict[str, Any], features: np.ndarray, labels: np.ndarray) -> tuple[int, bytes]:
    with tempfile.TemporaryDirectory() as folder, collective.CommunicatorContext(**arguments):
        batches = Batches(features, labels, str(Path(folder) / "cache"))
        booster = xgboost.train(SETTINGS, xgboost.ExtMemQuantileDMatrix(batches, nthread=1), N_ROUNDS)
        return collective.get_rank(), bytes(booster.save_raw("ubj"))


def check_external_memory(client: distributed.Client, features: np.ndarray) -> None:
    labels = np.nan_to_num(features[:, 0] * features[:, 1])
    tracker = RabitTracker(n_workers=2, host_ip="127.0.0.1")
    tracker.start()
    parts = [(features[:300], labels[:300]), (features[300:], labels[300:])]
    workers = list(client.scheduler_info()["workers"])
    learnt = client.gather(
        [
            client.submit(learn_from_disk, tracker.worker_args(), *part, workers=[worker], pure=False)
            for part, worker in zip(parts, workers, strict=True)
        ]
    )
    tracker.wait_for()
    order = np.argsort([rank for rank, _ in learnt])
    rows, targets = (np.concatenate([parts[number][i] for number in order]) for i in (0, 1))
    alone = xgboost.train(SETTINGS, xgboost.QuantileDMatrix(rows, targets), N_ROUNDS)
    assert [model for _, model in learnt] == [bytes(alone.save_raw("ubj"))] * 2


def check_estimators(client: distributed.Client, features: np.ndarray) -> None:
    chunks = da.from_array(features, chunks=(250, features.shape[1]))
    classes = da.from_array((np.nan_to_num(features[:, 0]) * 2).astype(int).clip(0, 2), chunks=250)
    classifier = dxgb.DaskXGBClassifier(n_estimators=20, early_stopping_rounds=2, learning_rate=1.0)
    classifier.client = client
    classifier.fit(chunks, classes, eval_set=[(chunks, da.from_array(np.arange(N_ROWS) % 3, chunks=250))])
    assert len(classifier.evals_result()["validation_0"]["mlogloss"]) < 20
    assert (classifier.predict(chunks).compute() == classes.compute()).mean() > 0.8
    grades = da.from_array(np.random.default_rng(3).integers(0, 4, N_ROWS), chunks=250)
    queries = da.from_array(np.repeat(np.arange(N_ROWS // PER_QUERY), PER_QUERY), chunks=250)
    ranker = dxgb.DaskXGBRanker(n_estimators=4, allow_group_split=True)
    ranker.client = client
    ranker.fit(chunks, grades, qid=queries, eval_set=[(chunks, grades)], eval_qid=[queries])
    (scores,) = ranker.evals_result()["validation_0"].values()
    assert scores[-1] > scores[0]


def main() -> None:
    assert "KAURI_VERSION" in xgboost.build_info()
    rng = np.random.default_rng(0)
    features = rng.normal(size=(N_ROWS, 4)).astype(np.float32)
    features[rng.random(features.shape) < 0.1] = np.nan
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster) as client:
        for kind in (dxgb.DaskDMatrix, dxgb.DaskQuantileDMatrix):
            check_bytes(client, kind, features)
        check_external_memory(client, features)
        check_estimators(client, features)
        client.shutdown()
    print("the cluster works")


if __name__ == "__main__":
    main()
