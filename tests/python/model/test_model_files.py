"""Model files: the library's own attributes, and dialects of XGBoost's versions."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.sklearn import KauriRegressor

OWN = {"kauri_cats_seen", "kauri_row_counts"}
PARAMS = {"max_depth": 3, "max_cat_to_onehot": 1, "tree_method": "hist", "unseen_category": "missing"}


def make_data() -> tuple[kb.DMatrix, np.ndarray]:
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.integers(0, 5, 200), rng.normal(size=200)]).astype(np.float32)
    return kb.DMatrix(X, X[:, 0] % 2 + X[:, 1], feature_types=["c", "q"]), X


DATA, X = make_data()


def knowing() -> kb.Booster:
    """Return a model with all state that XGBoost's files cannot represent."""
    booster = kb.train(PARAMS, DATA, 4)
    booster.count_rows(DATA)
    booster.set_attr(mine="1")
    return booster


def attributes_in(raw: bytes) -> dict[str, str]:
    return json.loads(raw)["learner"]["attributes"]


def counts_in(booster: kb.Booster) -> list[Any]:
    return json.loads(attributes_in(booster.save_raw("json"))["kauri_row_counts"])["counts"]


def test_own_attributes_are_hidden() -> None:
    booster = knowing()
    assert set(attributes_in(booster.save_raw("json"))) == {"mine", *OWN}
    for known in (booster, kb.Booster(model_file=booster.save_raw("ubj"))):
        assert known.attributes() == {"mine": "1"}
        assert [known.attr(name) for name in OWN] == [None, None]
    for name in OWN:
        with pytest.raises(kb.ParameterError, match=f"the attribute '{name}' of model files is the library's own"):
            booster.set_attr(**{name: "7"})
        booster.set_attr(**{name: None})
    assert set(attributes_in(booster.save_raw("json"))) == {"mine", *OWN}


def test_own_attributes_go_where_the_model_goes(tmp_path: Path) -> None:
    booster = knowing()
    booster.save_model(tmp_path / "model.json")
    copies = [
        kb.Booster(model_file=tmp_path / "model.json"),
        kb.Booster(model_file=booster),
        booster.copy(),
        pickle.loads(pickle.dumps(booster)),
        booster[:],
    ]
    for copy in copies:
        assert copy.save_raw("json") == booster.save_raw("json")
    part = booster[1:3]
    assert counts_in(part) == counts_in(booster)[1:3]
    unseen, missing = np.array([[9, 0.5]], np.float32), np.array([[np.nan, 0.5]], np.float32)
    assert kb.Booster(model_file=part.save_raw()).inplace_predict(unseen) == part.inplace_predict(missing)


def test_own_attributes_follow_the_model() -> None:
    booster = knowing()
    before = counts_in(booster)
    booster.update(DATA, 4)
    assert counts_in(booster) == [*before, []]
    more = X.copy()
    more[:, 0] += 3
    booster.update(kb.DMatrix(more, X[:, 1], feature_types=["c", "q"]), 5)
    seen = json.loads(attributes_in(booster.save_raw("json"))["kauri_cats_seen"])["seen"]
    assert seen["values"] == list(range(8))


@pytest.mark.parametrize("continued", [True, False])
def test_what_xgboost_makes_of_them(continued: bool) -> None:
    """XGBoost keeps attributes when it changes the trees; attributes that no longer fit are not an error."""
    xgboost = pytest.importorskip("xgboost")
    booster = knowing()
    theirs = xgboost.Booster(model_file=bytearray(booster.save_raw("json")))
    data = xgboost.DMatrix(X, X[:, 0], feature_types=["c", "q"], enable_categorical=True)
    if continued:
        theirs = xgboost.train({"max_depth": 3, "tree_method": "hist"}, data, 1, xgb_model=theirs)
    else:
        theirs = theirs[1:3]
    assert set(theirs.attributes()) >= OWN
    back = kb.Booster(model_file=bytearray(theirs.save_raw("json")))
    assert back.attributes() == {"mine": "1"}
    counts = json.loads(attributes_in(back.save_raw("json")).get("kauri_row_counts", '{"counts": []}'))["counts"]
    assert counts == ([*counts_in(booster), []] if continued else [])
    seen = json.loads(attributes_in(back.save_raw("json"))["kauri_cats_seen"])["seen"]
    assert (seen["values"], seen["unseen_category"]) == ([], "missing")
    again = kb.Booster(model_file=bytearray(xgboost.Booster(model_file=bytearray(booster.save_raw())).save_raw()))
    assert again.save_raw() == booster.save_raw()


def test_dialects_by_every_door(tmp_path: Path) -> None:
    booster = kb.train({"max_depth": 2}, kb.DMatrix(X, X[:, 1]), 2)
    booster.save_model(tmp_path / "old.json", dialect="1.7")
    text = (tmp_path / "old.json").read_bytes()
    assert json.loads(text)["version"] == [1, 7, 0]
    assert text == bytes(booster.save_raw("json", dialect="1.7"))
    assert booster.save_raw("json") == booster.save_raw("json", dialect="3.2") == booster.save_raw("json", dialect=None)
    model = KauriRegressor(n_estimators=2).fit(X, X[:, 1])
    model.save_model(tmp_path / "old.ubj", dialect="3.0")
    assert bytes(model.get_booster().save_raw(dialect="3.0")) == (tmp_path / "old.ubj").read_bytes()
    for load in (tmp_path / "old.json", text):
        back = kb.Booster(model_file=load)
        np.testing.assert_array_equal(back.inplace_predict(X), booster.inplace_predict(X))
    with pytest.raises(kb.ParameterError, match=r"'2\.0' is not known; expected one of 1\.7, 2\.1"):
        booster.save_raw(dialect="2.0")


def test_what_a_dialect_cannot_say_leaves_no_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": pd.Categorical(list("abca") * 9)})
    booster = kb.train({}, kb.DMatrix(frame, np.arange(36)), 1)
    with pytest.raises(kb.ParameterError, match=r"names of categories, .* dialect 3.0 .* write the dialect 3.2 or"):
        booster.save_model(tmp_path / "model.json", dialect="3.0")
    assert list(tmp_path.iterdir()) == []
