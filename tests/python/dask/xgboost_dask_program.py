"""Trains, predicts and ranks with xgboost.dask over Kauri's library, and compares with one process."""

from __future__ import annotations

import tempfile
from pathlib import Path

import dask.array as da
import distributed
import numpy as np
import xgboost
from xgboost import collective
from xgboost import dask as dxgb

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
        check_estimators(client, features)
        client.shutdown()
    print("the cluster works")


if __name__ == "__main__":
    main()
