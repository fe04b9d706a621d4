"""Constraints by name and by index, through every entry point of the package."""

from __future__ import annotations

import json

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.sklearn import KauriRegressor

NAMES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    """Return four features; the label increases with the first, whatever the constraints."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4)).astype(np.float32)
    return X, (2 * X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400)).astype(np.float32)


def parameter(booster: kb.Booster, name: str) -> str:
    """Return a parameter from the configuration."""
    return json.loads(booster.save_config())["learner"]["gradient_booster"]["tree_train_param"][name]


@pytest.mark.parametrize("method", ["exact", "hist"])
def test_every_form_gives_the_same_model(data: tuple[np.ndarray, np.ndarray], method: str) -> None:
    named = kb.DMatrix(*data, feature_names=NAMES)
    forms = [
        ((1, -1, 0, 0), [["a", "b"], ["c"]]),
        ("(1,-1)", "[[0,1],[2]]"),
        ([1, -1], [(0, 1), (2,)]),
        (np.array([1, -1]), [[np.int64(0), "b"], {"c"}]),
        ({"b": -1, "a": 1}, (("a", "b"), ("c",))),
    ]
    models = set()
    for monotone, interaction in forms:
        params = {
            "tree_method": method,
            "monotone_constraints": monotone,
            "interaction_constraints": interaction,
        }
        models.add(bytes(kb.train(params, named, 3).save_raw()))
    free = bytes(kb.train({"tree_method": method}, named, 3).save_raw())
    assert len(models) == 1
    assert free not in models


@pytest.mark.parametrize("method", ["exact", "hist"])
def test_predictions_are_monotone(data: tuple[np.ndarray, np.ndarray], method: str) -> None:
    X, y = data
    for sign in (1, -1):
        booster = kb.train(
            {"tree_method": method, "monotone_constraints": (0, sign, 0), "eta": 0.5}, kb.DMatrix(X, y), 20
        )
        grid = np.repeat(X[:50], 41, axis=0)
        grid[:, 1] = np.tile(np.linspace(-4, 4, 41), 50)
        steps = np.diff(booster.predict(kb.DMatrix(grid), output_margin=True).reshape(50, 41), axis=1)
        assert (steps * sign >= -1e-6).all()
        assert np.abs(steps).max() > 0.01


def test_names_become_indices(data: tuple[np.ndarray, np.ndarray]) -> None:
    params = {"monotone_constraints": {"c": -1}, "interaction_constraints": [["d", "a"], ["b"]]}
    booster = kb.Booster(params, [kb.DMatrix(*data, feature_names=NAMES)])
    assert parameter(booster, "monotone_constraints") == "(0,0,-1,0)"
    assert parameter(booster, "interaction_constraints") == "[[3, 0], [1]]"
    booster.set_param("monotone_constraints", {"a": 1})
    assert parameter(booster, "monotone_constraints") == "(1,0,0,0)"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"monotone_constraints": {"e": 1}}, "names the feature 'e'; the training data have 'a', 'b', 'c', 'd'"),
        ({"interaction_constraints": [["a", "x"]]}, "names the feature 'x'"),
        ({"interaction_constraints": ["ab"]}, "has the member 'ab'; expected lists of features"),
        ({"monotone_constraints": {"a": 2}}, "expected values from -1 to 1"),
        ({"monotone_constraints": (0.5, 0)}, "cannot be read from character 2"),
        ({"monotone_constraints": (0, 0, 0, 0, 0)}, "has 5 values, the data have 4 features"),
        ({"interaction_constraints": "[0,1]"}, "expected lists of feature indices"),
    ],
)
def test_errors(data: tuple[np.ndarray, np.ndarray], params: dict, message: str) -> None:
    with pytest.raises(kb.ParameterError, match=message):
        kb.train(params, kb.DMatrix(*data, feature_names=NAMES), 1)


def test_unnamed_data_take_no_names(data: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.raises(kb.ParameterError, match="have no feature names"):
        kb.train({"monotone_constraints": {"a": 1}}, kb.DMatrix(*data), 1)


def test_estimators(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    frame = pd.DataFrame(X, columns=NAMES)
    named = KauriRegressor(
        n_estimators=3, monotone_constraints={"a": -1}, interaction_constraints=[["a", "b"], ["c", "d"]]
    ).fit(frame, y)
    booster = named.get_booster()
    assert parameter(booster, "monotone_constraints") == "(-1,0,0,0)"
    assert parameter(booster, "interaction_constraints") == "[[0, 1], [2, 3]]"
    by_index = KauriRegressor(n_estimators=3, monotone_constraints=(-1,), interaction_constraints=[[0, 1], [2, 3]]).fit(
        X, y
    )
    np.testing.assert_array_equal(named.predict(frame), by_index.predict(X))
