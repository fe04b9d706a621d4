"""Every metric prints the same as in XGBoost, in every situation.

The predictions are base margins: boosters have no trees, or trees of zeros, so only the metrics are compared.
"""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

N_ROWS = 300
N_CLASSES = 3
GROUPS = [120, 1, 2, 40, 3, 100, 34]
RANDOM = np.random.default_rng(7)
TIED = np.round(RANDOM.normal(size=N_ROWS) * 4) / 4
LABELS = {
    "binary": RANDOM.integers(0, 2, N_ROWS),
    "share": np.round(RANDOM.random(N_ROWS) * 8) / 8,
    "count": RANDOM.integers(0, 6, N_ROWS),
    "positive": RANDOM.gamma(2.0, size=N_ROWS) + 0.1,
    "degree": RANDOM.integers(0, 5, N_ROWS),
    "real": RANDOM.normal(size=N_ROWS),
    "class": RANDOM.integers(0, N_CLASSES, N_ROWS),
}
LABELS["binary"][:121] = 0  # groups without relevant rows
LABELS["degree"][120:123] = 0
# objective -> (metrics, labels)
TABLE: dict[str, list[tuple[list[str], list[str]]]] = {
    "reg:squarederror": [
        (["rmse", "mae"], ["real", "count"]),
        (["auc", "aucpr"], ["binary", "share"]),
        (["error@0", "error@0.25"], ["binary", "share"]),
    ],
    "binary:logistic": [(["logloss", "error", "error@0.3", "auc", "aucpr", "rmse"], ["binary", "share"])],
    "count:poisson": [
        (["poisson-nloglik", "rmse", "mae", "rmsle", "tweedie-nloglik@1.5", "tweedie-nloglik@1.25"], ["count"]),
        (["mape", "gamma-nloglik", "gamma-deviance"], ["positive"]),
    ],
    "multi:softprob": [(["merror", "mlogloss", "auc", "aucpr"], ["class"])],
}
RANKING: list[tuple[list[str], list[str], dict[str, Any]]] = [
    (["ndcg", "ndcg-", "ndcg@1", "ndcg@5", "ndcg@5-", "ndcg@500"], ["degree", "binary"], {}),
    (["ndcg", "ndcg@5", "ndcg@500"], ["degree", "share", "real"], {"ndcg_exp_gain": False}),
    (
        ["map", "map-", "map@1", "map@5", "map@5-", "map@500", "pre", "pre-", "pre@1", "pre@5", "pre@500"],
        ["binary"],
        {},
    ),
    (["auc"], ["degree", "binary", "real"], {}),
    (["aucpr"], ["binary", "share"], {}),
]
PLAIN = [
    (objective, metric, labels)
    for objective, lines in TABLE.items()
    for metrics, kinds in lines
    for metric in metrics
    for labels in kinds
]
RANKED = [(metric, labels, params) for metrics, kinds, params in RANKING for metric in metrics for labels in kinds]


def printed(library: Any, metric: str, labels: str, margins: np.ndarray, params: dict[str, Any], **info: Any) -> str:
    """Return the `metric:value` printed when the base margins are the predictions."""
    data = library.DMatrix(np.zeros((N_ROWS, 1), np.float32), LABELS[labels].astype(np.float32))
    data.set_info(base_margin=margins.astype(np.float32), **info)
    params = {"base_score": 0.5, "disable_default_eval_metric": True, "eval_metric": metric, "nthread": 2, **params}
    several = "num_class" in params
    booster = library.train({**params, "eta": 0}, data, 1) if several else library.Booster(params, [data])
    return booster.eval(data, "data").split("\tdata-")[1]


def expect_same(metric: str, labels: str, margins: np.ndarray, params: dict[str, Any], **info: Any) -> None:
    ours, theirs = (printed(library, metric, labels, margins, params, **info) for library in (kb, xgboost))
    assert ours.split(":")[0] == theirs.split(":")[0]
    assert float(ours.split(":")[1]) == pytest.approx(float(theirs.split(":")[1]), rel=2e-7, abs=1e-7, nan_ok=True)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("objective", "metric", "labels"), PLAIN)
def test_metric_of_rows(objective: str, metric: str, labels: str, weighted: bool) -> None:
    params: dict[str, Any] = {"objective": objective}
    margins = TIED
    if objective == "multi:softprob":
        params["num_class"] = N_CLASSES
        margins = np.stack([TIED, TIED[::-1], np.roll(TIED, 7)], axis=1)
    info = {"weight": np.random.default_rng(8).random(N_ROWS)} if weighted else {}
    expect_same(metric, labels, margins, params, **info)


@pytest.mark.parametrize("situation", ["one group", "groups", "weighted groups"])
@pytest.mark.parametrize(("metric", "labels", "params"), RANKED)
def test_metric_of_groups(metric: str, labels: str, params: dict[str, Any], situation: str) -> None:
    info: dict[str, Any] = {"group": [N_ROWS] if situation == "one group" else GROUPS}
    if situation == "weighted groups":
        info["weight"] = 1.0 + np.random.default_rng(9).random(len(GROUPS))
    expect_same(metric, labels, TIED, {"objective": "reg:squarederror", **params}, **info)
