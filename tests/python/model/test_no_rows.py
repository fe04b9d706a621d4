"""Data without rows: training, evaluation, predictions of every kind, the same on the CPU and on a device."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

DEVICES = ["cpu", "cuda"] if kb.build_info()["USE_CUDA"] else ["cpu"]
rng = np.random.default_rng(8)
X = rng.normal(size=(120, 4)).astype(np.float32)
NOTHING = np.empty((0, 4), np.float32)
KINDS: dict[str, tuple[dict[str, Any], np.ndarray]] = {
    "numbers": ({}, X[:, 0]),
    "two classes": ({"objective": "binary:logistic"}, X[:, 0] > 0),
    "classes": ({"objective": "multi:softprob", "num_class": 3}, np.digitize(X[:, 0], [-0.5, 0.5])),
    "labels of classes": ({"objective": "multi:softmax", "num_class": 3}, np.digitize(X[:, 0], [-0.5, 0.5])),
    "vectors": ({"multi_strategy": "multi_output_tree"}, X[:, :2]),
    "dropout": ({"booster": "dart", "rate_drop": 0.5}, X[:, 0]),
    "exact": ({"tree_method": "exact"}, X[:, 0]),
    "approx": ({"tree_method": "approx"}, X[:, 0]),
}
EXPLANATIONS = ["pred_contribs", "approx_contribs", "pred_interactions", "pred_leaf"]


def learnt(device: str, kind: str, rounds: int = 3) -> kb.Booster:
    params, labels = KINDS[kind]
    return kb.train({"device": device, "max_depth": 3, **params}, kb.DMatrix(X, labels), rounds)


def nothing(kind: str, make: Any = kb.DMatrix) -> Any:
    labels = KINDS[kind][1]
    return make(NOTHING, labels[:0])


def predicted(booster: kb.Booster, data: kb.DMatrix, kind: str) -> np.ndarray:
    if kind == "approx_contribs":
        return booster.predict(data, pred_contribs=True, approx_contribs=True)
    return booster.predict(data, **({} if kind == "value" else {kind: True}))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS)
def test_predictions_have_the_shape_of_no_rows(kind: str, device: str) -> None:
    booster, one_row = learnt(device, kind), kb.DMatrix(X[:1])
    for wanted in ("value", "output_margin", *EXPLANATIONS):
        found = predicted(booster, nothing(kind), wanted)
        assert found.shape == (0, *predicted(booster, one_row, wanted).shape[1:]), wanted
    for predict_type in ("value", "margin"):
        assert booster.inplace_predict(NOTHING, predict_type=predict_type).shape[0] == 0


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("kind", "make"),
    [(kind, kb.DMatrix) for kind in KINDS]
    + [(kind, kb.QuantileDMatrix) for kind in KINDS if kind not in ("exact", "approx")],  # those need values
)
def test_evaluated_round_by_round(kind: str, make: Any, device: str) -> None:
    params, labels = KINDS[kind]
    log: dict[str, Any] = {}
    data = make(X, labels)
    sets = [(nothing(kind), "none"), (data, "train")]
    kb.train({"device": device, "max_depth": 3, **params}, data, 3, evals=sets, evals_result=log, verbose_eval=False)
    assert all(len(values) == 3 for values in log["none"].values())
    booster = learnt(device, kind)
    for _ in range(2):  # the second time with cached margins
        assert "none-" in booster.eval_set([(nothing(kind), "none")])


@pytest.mark.parametrize("device", DEVICES)
# no label determines the number of outputs
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "vectors"])
def test_trained_on_and_updated_with(kind: str, device: str) -> None:
    params, _ = KINDS[kind]
    alone = kb.train({"device": device, **params}, nothing(kind), 3)
    assert alone.num_boosted_rounds() == 3
    assert np.isfinite(alone.predict(kb.DMatrix(X))).all()
    booster, empty = learnt(device, kind), nothing(kind)
    before = booster.predict(kb.DMatrix(X), output_margin=True)
    for _ in range(2):
        booster.update(empty, booster.num_boosted_rounds())
    assert booster.num_boosted_rounds() == 5
    assert booster.predict(empty).shape[0] == 0
    if kind != "dropout":
        np.testing.assert_array_equal(booster.predict(kb.DMatrix(X), output_margin=True), before)
    resumed = kb.train({"device": device, **params}, nothing(kind), 2, xgb_model=learnt(device, kind))
    assert resumed.num_boosted_rounds() == 5


@pytest.mark.skipif("cuda" not in DEVICES, reason="no CUDA device")
@pytest.mark.parametrize("kind", KINDS)
def test_a_device_says_what_the_cpu_says(kind: str) -> None:
    def said(device: str) -> list[Any]:
        params, _ = KINDS[kind]
        booster = learnt(device, kind)
        trained = None if kind == "vectors" else kb.train({"device": device, **params}, nothing(kind), 2)
        return [
            predicted(booster, nothing(kind), "value").shape,
            booster.eval_set([(nothing(kind), "none")]),
            None if trained is None else trained.predict(kb.DMatrix(X)).tolist(),
        ]

    assert str(said("cuda")) == str(said("cpu"))


@pytest.mark.skipif("cuda" not in DEVICES, reason="no CUDA device")
@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_lie_on_the_device(kind: str) -> None:
    cupy = pytest.importorskip("cupy")
    booster, rows = learnt("cuda", kind), cupy.asarray(NOTHING)
    assert booster.inplace_predict(rows).shape[0] == 0
    data = kb.DMatrix(rows, KINDS[kind][1][:0])
    for wanted in ("value", "output_margin", *EXPLANATIONS):
        assert predicted(booster, data, wanted).shape[0] == 0, wanted
    assert "none-" in booster.eval_set([(data, "none")])
