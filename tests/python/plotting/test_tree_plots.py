"""Plots of trees, histograms of thresholds, and plot_importance's arguments, compared with XGBoost."""

from __future__ import annotations

import builtins
import re
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xgboost
from kauriboost.sklearn import KauriRegressor

mpl.use("Agg")
Table = tuple[np.ndarray, np.ndarray]
NAMES = ["ash", "birch", "cedar", "douglas", "elm"]


@pytest.fixture(scope="module")
def both(regression: Table) -> tuple[kb.Booster, xgboost.Booster]:
    X, y = regression
    params = {"max_depth": 3, "tree_method": "exact"}
    ours = kb.train(params, kb.DMatrix(X, label=y, feature_names=NAMES), 8, verbose_eval=False)
    theirs = xgboost.train(params, xgboost.DMatrix(X, label=y, feature_names=NAMES), 8)
    return ours, theirs


def test_graphs_are_those_of_xgboost(both: tuple[kb.Booster, xgboost.Booster], regression: Table) -> None:
    pytest.importorskip("graphviz")
    how: dict[str, Any] = {
        "tree_idx": 2,
        "rankdir": "LR",
        "yes_color": "#00aa00",
        "no_color": "#aa0000",
        "condition_node_params": {"shape": "box"},
        "leaf_node_params": {"style": "filled"},
    }
    ours, theirs = kb.to_graphviz(both[0], **how).source, xgboost.to_graphviz(both[1], **how).source
    assert ours.count(" -> ") == theirs.count(" -> ") > 4
    for part in ('rankdir="LR"', "#00aa00", "#aa0000", 'shape="box"', 'style="filled"'):
        assert ours.count(part) == theirs.count(part) > 0
    assert "gain=" in kb.to_graphviz(both[0], with_stats=True).source
    assert "gain=" not in ours
    model = KauriRegressor(n_estimators=1).fit(*regression)
    assert kb.to_graphviz(model, bgcolor="#eeeeee").source.count("#eeeeee") == 1
    with pytest.raises(IndexError, match="no tree 8; the booster has 8"):
        kb.to_graphviz(both[0], tree_idx=8)


def test_graphs_name_categories() -> None:
    pytest.importorskip("graphviz")
    frame = pd.DataFrame({"town": pd.Categorical(list("xyz") * 20)})
    booster = kb.train({"max_cat_to_onehot": 1}, kb.DMatrix(frame, [0, 5, 1] * 20), 1)
    assert re.search(r'label="town:\{[xyz](,[xyz])*\}"', kb.to_graphviz(booster).source)


def test_without_graphviz(both: tuple[kb.Booster, xgboost.Booster], monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "graphviz":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match="pip install graphviz"):
        kb.to_graphviz(both[0])
    assert kb.plot_tree(both[0]).texts  # it needs no graphviz
    plt.close("all")


@pytest.mark.parametrize("bins", [None, 1, 4, 1000])
@pytest.mark.parametrize("feature", NAMES)
def test_histograms_of_thresholds(both: tuple[kb.Booster, xgboost.Booster], feature: str, bins: int | None) -> None:
    ours, theirs = (booster.get_split_value_histogram(feature, bins=bins) for booster in both)
    assert list(ours.columns) == list(theirs.columns)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    array = both[0].get_split_value_histogram(feature, bins=bins, as_pandas=False)
    np.testing.assert_array_equal(array, ours)
    assert array[:, 1].sum() == both[0].get_score().get(feature, 0)


def test_categories_have_no_thresholds() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(list("xyz") * 20)})
    booster = kb.train({}, kb.DMatrix(frame, label=[0, 5, 1] * 20), 1, verbose_eval=False)
    with pytest.raises(kb.DataError, match="'a' is split by categories"):
        booster.get_split_value_histogram("a")


def test_importance_takes_scores_and_limits(both: tuple[kb.Booster, xgboost.Booster]) -> None:
    scores = {"b": 2.0, "a": 3.0, "c": 1.0}
    axes = kb.plot_importance(scores, xlim=(0, 9), ylim=(-1, 5), ylabel="trees", grid=False)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["c", "b", "a"]
    assert (axes.get_xlim(), axes.get_ylim(), axes.get_ylabel()) == ((0, 9), (-1, 5), "trees")
    assert not any(line.get_visible() for line in axes.get_xgridlines())
    axes = kb.plot_importance(both[0])
    assert all(line.get_visible() for line in axes.get_xgridlines())
    assert axes.get_ylabel() == ""
    plt.close("all")
    with pytest.raises(ValueError, match="no scores to draw"):
        kb.plot_importance({})
