"""Partial dependence compared with predictions of modified rows."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

mpl.use("Agg")


@pytest.fixture(scope="module")
def booster(binary: tuple[np.ndarray, np.ndarray]) -> kb.Booster:
    params = {"objective": "binary:logistic", "max_depth": 3}
    return kb.train(params, kb.DMatrix(binary[0], label=binary[1]), 10, verbose_eval=False)


@pytest.mark.parametrize("output", ["value", "margin"])
def test_every_cell_is_a_prediction(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray], output: str) -> None:
    X = binary[0][:80]
    weights = np.arange(80, dtype=np.float32)
    found = kb.partial_dependence(booster, kb.DMatrix(X, weight=weights), 1, grid=[0.5, -1, 2], output=output)
    assert found.grid.tolist() == [-1, 0.5, 2]
    for place, value in enumerate(found.grid):
        rows = X.copy()
        rows[:, 1] = value
        expected = booster.predict(kb.DMatrix(rows), output_margin=output == "margin")
        np.testing.assert_array_equal(found.individual[:, place], expected)
        assert found.mean[place] == pytest.approx(np.sum(weights * expected.astype(float)) / weights.sum(), rel=1e-6)
    np.testing.assert_array_equal(found.observed, X[:, 1])
    assert repr(found) == "PartialDependence(feature='f1', values=3, rows=80)"


def test_values_that_occur(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    found = kb.partial_dependence(booster, binary[0], "f2", n_values=7, feature_names=[f"f{i}" for i in range(6)])
    column = binary[0][:, 2]
    assert len(found.grid) == 7
    assert set(found.grid) <= set(column)
    assert (found.grid[0], found.grid[-1]) == (np.nanmin(column), np.nanmax(column))
    few = kb.partial_dependence(booster, np.round(binary[0]), 2)
    np.testing.assert_array_equal(few.grid, np.unique(np.round(column[~np.isnan(column)])))


def test_values_that_occur_where_most_rows_share_one(booster: kb.Booster) -> None:
    rows = np.zeros((300, 6), dtype=np.float32)
    rows[:40, 2] = np.arange(1, 41)
    found = kb.partial_dependence(booster, rows, 2, n_values=20)
    assert len(found.grid) == 20
    assert set(found.grid) <= set(rows[:, 2])
    assert (found.grid[0], found.grid[-1]) == (0, 40)
    assert np.diff(found.grid).max() < 5


def test_classes_early_stopping_and_categories() -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=300), "c": pd.Categorical(rng.choice(list("pqr"), 300))})
    y = np.where(frame.c == "q", "high", np.where(frame.x > 0, "mid", "low"))
    model = kb.KauriClassifier(n_estimators=20, max_depth=2, early_stopping_rounds=2, learning_rate=1.0)
    model.fit(frame[:200], y[:200], eval_set=[(frame[200:], y[200:])])
    found = kb.partial_dependence(model, frame, "c")
    assert (found.output_names, list(found.categories)) == (["high", "low", "mid"], ["p", "q", "r"])
    for code, name in enumerate("pqr"):
        rows = frame.assign(c=pd.Categorical([name] * 300, categories=list("pqr")))
        np.testing.assert_array_equal(found.individual[:, code], model.predict_proba(rows))
    assert found.output("high").mean.argmax() == 1
    with pytest.raises(ValueError, match=r"choose one: dependence\.output"):
        kb.plot_partial_dependence(found)
    ax = kb.plot_partial_dependence(found.output("high"))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["p", "q", "r"]
    plt.close("all")


def test_picture(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    found = kb.partial_dependence(booster, binary[0], 0)
    ax = kb.plot_partial_dependence(found, n_rows=5)
    assert len(ax.lines) == 5 + 2
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), found.individual[0])
    np.testing.assert_array_equal(ax.lines[5].get_ydata(), found.mean)
    centered = kb.plot_partial_dependence(found, plt.subplots()[1], n_rows=0, centered=True)
    assert centered.lines[0].get_ydata()[0] == 0
    assert (ax.get_ylabel(), centered.get_ylabel()) == ("probability", "change of the probability")
    with pytest.raises(ValueError, match="n_rows is -1"):
        kb.plot_partial_dependence(found, n_rows=-1)
    plt.close("all")


def test_two_features(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, weights = binary[0][:60], np.arange(60, dtype=np.float32)
    grids = [[0.5, -1.0], [0.0, 1.0, 2.0]]
    found = kb.partial_dependence(booster, kb.DMatrix(X, weight=weights), ["f1", 2], grid=grids)
    assert (found.feature_name, [grid.tolist() for grid in found.grid]) == (["f1", "f2"], [[-1, 0.5], [0, 1, 2]])
    for first, second in np.ndindex(2, 3):
        rows = X.copy()
        rows[:, 1], rows[:, 2] = found.grid[0][first], found.grid[1][second]
        expected = np.average(booster.predict(kb.DMatrix(rows)).astype(float), weights=weights)
        assert found.mean[first, second] == pytest.approx(expected, rel=1e-6)
    np.testing.assert_array_equal(found.observed, X[:, [1, 2]])
    assert repr(found) == "PartialDependence(features=['f1', 'f2'], values=[2, 3], rows=60)"
    ax = kb.plot_partial_dependence(found)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("f1", "f2")
    np.testing.assert_array_equal(ax.collections[0].get_array(), found.mean.T)
    with pytest.raises(ValueError, match="two features have no curves"):
        kb.plot_partial_dependence(found, centered=True)
    assert kb.partial_dependence(booster, X, [1, 2]).mean.shape == (12, 12)
    plt.close("all")


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"feature": [0, 0]}, "pass one feature, or a list of two different ones"),
        ({"feature": [0, 1, 2]}, "pass one feature, or a list of two different ones"),
        ({"feature": [0, 1], "grid": [[1.0]]}, "grid has 1 parts; for two features pass a list of two grids"),
        ({"feature": "age"}, "there is no feature 'age'"),
        ({"output": "loss"}, "output is 'loss'; expected 'value' or 'margin'"),
        ({"n_values": 1}, "n_values is 1; expected at least 2"),
        ({"grid": [1.0, np.nan]}, "expected finite numbers"),
        ({"grid": []}, "expected finite numbers"),
    ],
)
def test_what_makes_no_sense(
    booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray], choice: dict[str, Any], message: str
) -> None:
    with pytest.raises(kb.ParameterError, match=message):
        kb.partial_dependence(booster, binary[0], **{"feature": 0, **choice})


def test_data_that_say_nothing(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    missing = np.full((4, 6), np.nan, np.float32)
    with pytest.raises(kb.DataError, match="every row lacks 'f0'; pass the values to try"):
        kb.partial_dependence(booster, missing, 0)
    assert kb.partial_dependence(booster, missing, 0, grid=[1]).mean.shape == (1,)
    with pytest.raises(kb.DataError, match="needs rows"):
        kb.partial_dependence(booster, missing[:0], 0)
    classes = kb.DMatrix(binary[0], label=np.arange(len(binary[0])) % 3)
    softmax = kb.train({"objective": "multi:softmax", "num_class": 3}, classes, 2, verbose_eval=False)
    with pytest.raises(kb.ParameterError, match="pass output='margin'"):
        kb.partial_dependence(softmax, binary[0], 0)


def test_weights_that_are_all_zero() -> None:
    X = np.arange(20.0).reshape(10, 2)
    model = kb.train({}, kb.DMatrix(X, X[:, 0]), 1)
    with pytest.raises(kb.DataError, match="weights of all rows are 0"):
        kb.partial_dependence(model, kb.DMatrix(X, weight=np.zeros(10)), 0)
