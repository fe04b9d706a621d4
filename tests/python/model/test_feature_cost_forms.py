"""Feature costs by name and by number in Python: accepted forms, refusals, and their messages."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.sklearn import KauriRegressor

QUIET = {"verbose_eval": False}
NEVER = 1e30
NAMES = list("abcdef")


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    """Return six columns, and a label that depends on four of them."""
    X = np.random.default_rng(3).normal(size=(400, 6)).astype(np.float32)
    return X, X[:, 0] + X[:, 1] * X[:, 2] - X[:, 3]


def test_every_form_gives_the_same_model(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    data = kb.DMatrix(X, label=y, feature_names=NAMES)
    forms: list[Any] = [
        (0, 2.5, 0, 0, 40, 0),
        [0, 2.5, 0, 0, 40, 0],
        np.array([0, 2.5, 0, 0, 40, 0], dtype=np.float32),
        {"e": 40, "b": np.float32(2.5)},
        "(0,2.5,0,0,40,0)",
        "[0, 2.5e0, 0, 0, 4e1, 0]",
    ]
    models = [kb.train({"feature_cost": form}, data, 4, **QUIET) for form in forms]
    assert len({bytes(model.save_raw()) for model in models}) == 1
    assert models[0].save_raw() != kb.train({}, data, 4, **QUIET).save_raw()
    config = json.loads(models[3].save_config())["learner"]["gradient_booster"]["tree_train_param"]
    assert config["feature_cost"] == "(0,2.5,0,0,40,0)"
    other = kb.Booster()
    other.load_config(models[1].save_config())
    assert '"feature_cost":"[0, 2.5, 0, 0, 40, 0]"' in other.save_config()


def test_estimators_take_names(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    frame = pd.DataFrame(X, columns=NAMES)
    model = KauriRegressor(n_estimators=5, feature_cost={"a": NEVER, "d": NEVER}).fit(frame, y)
    assert set(model.get_booster().get_score()) <= set("bcef")
    assert model.get_params()["feature_cost"] == {"a": NEVER, "d": NEVER}


FORM = "one finite number of 0 or more for each feature, as in"


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([1, 2], "feature_cost has 2 values, the data have 6 features; give one value for each feature, 0 for those"),
        ([0] * 7, "feature_cost has 7 values, the data have 6 features"),
        ([0, 0, -1, 0, 0, 0], "feature_cost has -1 for feature 2"),
        ({"c": -0.5}, "feature_cost has -0.5 for feature 2"),
        ([0, float("nan"), 0, 0, 0, 0], f"cannot be read; expected {FORM}"),
        ((0, np.nan, 0, 0, 0, 0), f"cannot be read; expected {FORM}"),
        ((0, np.inf, 0, 0, 0, 0), f"cannot be read; expected {FORM}"),
        ("many", f"feature_cost='many' cannot be read; expected {FORM}"),
        ({"g": 1}, "feature_cost names the feature 'g'; the training data have 'a', 'b', 'c', 'd', 'e', 'f'"),
    ],
)
def test_refused_and_the_booster_stays_as_it_was(rows: tuple[np.ndarray, np.ndarray], costs: Any, words: str) -> None:
    X, y = rows
    data = kb.DMatrix(X, label=y, feature_names=NAMES)
    model = kb.train({}, data, 1, **QUIET)
    before = model.save_raw()
    for start in (None, model):
        with pytest.raises(kb.ParameterError, match=words):
            kb.train({"feature_cost": costs}, data, 1, xgb_model=start, **QUIET)
    assert model.save_raw() == before


def test_names_of_data_that_have_none(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    with pytest.raises(kb.ParameterError, match="feature_cost names the feature 'a', but the training data have no"):
        kb.train({"feature_cost": {"a": 1}}, kb.DMatrix(X, label=y), 1, **QUIET)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cegb_penalty_feature_coupled", "use feature_cost"),
        ("first_feature_use_penalties", "use feature_cost"),
        ("cegb_tradeoff", "multiply the numbers of feature_cost by it"),
        ("cegb_penalty_feature_lazy", "feature_cost is paid once, not for each row"),
    ],
)
def test_names_of_other_libraries(rows: tuple[np.ndarray, np.ndarray], name: str, words: str) -> None:
    X, y = rows
    with pytest.raises(kb.ParameterError, match=words):
        kb.train({name: 1}, kb.DMatrix(X, label=y), 1, **QUIET)


def test_linear_models_do_not_read_it(rows: tuple[np.ndarray, np.ndarray], caplog: pytest.LogCaptureFixture) -> None:
    X, y = rows
    data = kb.DMatrix(X, label=y)
    plain = kb.train({"booster": "gblinear"}, data, 2, **QUIET)
    caplog.clear()
    model = kb.train({"booster": "gblinear", "feature_cost": [NEVER] * 6}, data, 2, **QUIET)
    assert model.save_raw() == plain.save_raw()
    assert "booster=gblinear does not read them" in caplog.text
    with pytest.raises(kb.ParameterError, match="feature_cost has -1 for feature 0"):
        kb.train({"booster": "gblinear", "feature_cost": "(-1)"}, data, 2, **QUIET)
