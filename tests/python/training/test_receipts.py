"""Receipts: valid for the training data and parameters, and for nothing else."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pytest


def make_data(**info: Any) -> kb.DMatrix:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3)).astype(np.float32)
    X[::7, 1] = np.nan
    chosen = {"label": (X[:, 0] > 0).astype(np.float32), "feature_names": ["a", "b", "c"], **info}
    return kb.DMatrix(X, **chosen)


def signed(params: dict[str, Any], data: kb.DMatrix, **how: Any) -> kb.Booster:
    booster = kb.train(params, data, 6, verbose_eval=False, **how)
    kb.add_receipt(booster, data)
    return kb.Booster(model_file=bytes(booster.save_raw()))


@pytest.mark.parametrize(
    "params",
    [
        {"objective": "binary:logistic", "subsample": 0.5, "seed": 3, "nthread": 1, "eval_metric": ["auc", "error"]},
        {"monotone_constraints": {"a": 1}, "interaction_constraints": [["a", "b"]], "tree_method": "exact"},
        {"booster": "dart", "rate_drop": 0.5},
        {"booster": "gblinear"},
        {"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.9], "tree_method": "approx"},
        {"num_parallel_tree": 3, "subsample": 0.7, "max_leaves": 5, "grow_policy": "lossguide"},
    ],
)
def test_it_holds(params: dict[str, Any]) -> None:
    data = make_data()
    loaded = signed(params, data, evals=[(data, "a")], early_stopping_rounds=5)
    for again in (data, make_data()):
        found = kb.verify(loaded, again)
        assert found, found
        assert repr(found) == "Verification(holds=True)"
    kept = json.loads(loaded.attr("kauri_receipt") or "")
    assert not {"nthread", "eval_metric"} & set(kept["params"])


def test_it_holds_for_rows_that_lie_elsewhere() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 4)).astype(np.float32)
    loaded = signed({}, kb.DMatrix(X, label=X[:, 0]))
    assert kb.verify(loaded, kb.DMatrix(sparse.csr_matrix(X), label=X[:, 0].astype(np.float64)))
    assert kb.verify(loaded, kb.DMatrix(np.asfortranarray(X), label=X[:, 0], nthread=1))


@pytest.mark.parametrize(
    ("info", "what"),
    [
        ({"label": np.ones(300)}, "the values of label"),
        ({"weight": np.ones(300)}, "the values of weight"),
        ({"base_margin": np.zeros(300)}, "the values of base_margin"),
        ({"feature_weights": np.ones(3)}, "the values of feature_weights"),
        ({"feature_names": ["a", "c", "b"]}, "the names and types"),
        ({"group": [150, 150]}, "the query groups"),
        ({"missing": 0.0, "data": np.zeros((300, 3))}, "the features"),
    ],
)
def test_other_data(info: dict[str, Any], what: str) -> None:
    loaded = signed({}, make_data())
    if "data" in info:
        rows = np.random.default_rng(1).normal(size=(300, 3)).astype(np.float32)  # the same with nothing missing
        other = kb.DMatrix(rows, label=(rows[:, 0] > 0).astype(np.float32), feature_names=["a", "b", "c"])
    else:
        other = make_data(**info)
    found = kb.verify(loaded, other)
    assert not found
    assert found.differences == [f"{what} of the data differ"]


def test_other_models() -> None:
    data = make_data()
    loaded = signed({"max_depth": 3}, data)
    changed = kb.Booster(model_file=bytes(loaded.save_raw("json")).replace(b'"a","b","c"', b'"a","b","d"'))
    assert kb.verify(changed, data).differences == ["the model was changed after its receipt"]
    kept = json.loads(loaded.attr("kauri_receipt") or "")
    forged = loaded.copy()
    forged.set_attr(kauri_receipt=json.dumps({**kept, "params": {"eta": "0.2"}}))
    assert "learning again gives another model" in kb.verify(forged, data).differences[0]
    for damage in ("", "{", "[]", "{}", json.dumps({**kept, "rounds": 5}), json.dumps({**kept, "data": {}})):
        forged.set_attr(kauri_receipt=damage)
        with pytest.raises(kb.ModelError, match=r"kauri_receipt is damaged|has no receipt"):
            kb.verify(forged, data)
    assert kb.verify(loaded, data)
    loaded.set_attr(note="an attribute changes nothing")
    assert kb.verify(loaded, data)


def test_what_gets_none() -> None:
    data = make_data()
    booster = kb.train({"max_depth": 2, "eta": 0.7}, data, 4, verbose_eval=False)
    with pytest.raises(kb.ModelError, match="has no receipt; give it one after training"):
        kb.verify(booster, data)
    slower = kb.callback.LearningRateScheduler([0.5, 0.4, 0.3])
    impossible = {
        "a file has no parameters": kb.Booster(model_file=bytes(booster.save_raw())),
        "a callback changed some": kb.train({}, data, 3, callbacks=[slower], verbose_eval=False),
        "an objective of the user's own": kb.train(
            {}, data, 3, obj=lambda margins, _: (margins - 3, np.ones_like(margins)), verbose_eval=False
        ),
        "nothing learnt": kb.Booster(),
    }
    for why, model in impossible.items():
        with pytest.raises(kb.ModelError, match="gives another model; add a receipt right after"):
            kb.add_receipt(model, data)
        assert model.attr("kauri_receipt") is None, why
    with pytest.raises(kb.ModelError, match="gives another model"):
        kb.add_receipt(booster, make_data(label=np.arange(300)))
    with pytest.raises(kb.DataError, match="a receipt needs a DMatrix"):
        kb.verify(signed({}, data), np.ones((3, 3)))  # type: ignore[arg-type]


def test_estimators_and_categories() -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=200), "c": pd.Categorical(rng.choice(["p", "q"], 200))})
    y = (frame.x + (frame.c == "p")).to_numpy(dtype=np.float32)
    model = kb.KauriRegressor(n_estimators=4, max_depth=2, n_jobs=1).fit(frame, y)
    kb.add_receipt(model, kb.DMatrix(frame, label=y))
    assert kb.verify(model, kb.DMatrix(frame, label=y))
    renamed = frame.assign(c=frame.c.cat.rename_categories({"p": "r"}))
    found = kb.verify(model, kb.DMatrix(renamed, label=y))
    assert found.differences == ["the names and types of the data differ"]


def test_many_rows_are_known_however_they_lie() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(5)
    X = np.where(rng.random((9500, 3)) < 0.3, rng.normal(size=(9500, 3)), np.nan).astype(np.float32)
    y = np.nan_to_num(X[:, 0])
    present = ~np.isnan(X)
    rows = sparse.csr_matrix((X[present], np.nonzero(present)), X.shape)
    loaded = signed({"max_depth": 2}, kb.DMatrix(X, label=y))
    assert kb.verify(loaded, kb.DMatrix(rows, label=y, nthread=1))
    X[9001, 2] = 0.25 if np.isnan(X[9001, 2]) else np.nan
    found = kb.verify(loaded, kb.DMatrix(X, label=y))
    assert found.differences == ["the features of the data differ"]
