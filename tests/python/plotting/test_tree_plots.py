"""Pictures of trees, histograms of thresholds, and plot_importance's arguments; against XGBoost."""

from __future__ import annotations

import builtins
import shutil
from pathlib import Path
from typing import Any

import kauri
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xgboost
from kauri.sklearn import KauriRegressor

mpl.use("Agg")
Table = tuple[np.ndarray, np.ndarray]
NAMES = ["ash", "birch", "cedar", "douglas", "elm"]


@pytest.fixture(scope="module")
def both(regression: Table) -> tuple[kauri.Booster, xgboost.Booster]:
    X, y = regression
    params = {"max_depth": 3, "tree_method": "exact"}
    ours = kauri.train(params, kauri.DMatrix(X, label=y, feature_names=NAMES), 8, verbose_eval=False)
    theirs = xgboost.train(params, xgboost.DMatrix(X, label=y, feature_names=NAMES), 8)
    return ours, theirs


def test_graphs_are_those_of_xgboost(both: tuple[kauri.Booster, xgboost.Booster], regression: Table) -> None:
    pytest.importorskip("graphviz")
    how: dict[str, Any] = {
        "tree_idx": 2,
        "rankdir": "LR",
        "yes_color": "#00aa00",
        "no_color": "#aa0000",
        "condition_node_params": {"shape": "box"},
        "leaf_node_params": {"style": "filled"},
    }
    ours, theirs = kauri.to_graphviz(both[0], **how).source, xgboost.to_graphviz(both[1], **how).source
    assert ours.count(" -> ") == theirs.count(" -> ") > 4
    for part in ('rankdir="LR"', "#00aa00", "#aa0000", 'shape="box"', 'style="filled"'):
        assert ours.count(part) == theirs.count(part) > 0
    assert "gain=" in kauri.to_graphviz(both[0], with_stats=True).source
    assert "gain=" not in ours
    model = KauriRegressor(n_estimators=1).fit(*regression)
    assert kauri.to_graphviz(model, bgcolor="#eeeeee").source.count("#eeeeee") == 1
    with pytest.raises(IndexError, match="no tree 8; the booster has 8"):
        kauri.to_graphviz(both[0], tree_idx=8)


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_plots_of_trees(both: tuple[kauri.Booster, xgboost.Booster], tmp_path: Path) -> None:
    pytest.importorskip("graphviz")
    axes = kauri.plot_tree(both[0], tree_idx=1)
    assert axes.images[0].get_array().shape[0] > 200
    sharper = kauri.plot_tree(both[0], tree_idx=1, dpi=400, ax=plt.subplots()[1])
    assert sharper.images[0].get_array().shape[0] > 1.5 * axes.images[0].get_array().shape[0]
    axes.figure.savefig(tmp_path / "tree.png")
    assert (tmp_path / "tree.png").stat().st_size > 5000
    plt.close("all")


def test_without_graphviz(both: tuple[kauri.Booster, xgboost.Booster], monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "graphviz":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "__import__", missing)
        with pytest.raises(ImportError, match="pip install graphviz"):
            kauri.to_graphviz(both[0])
    pytest.importorskip("graphviz")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ImportError, match="program dot"):
        kauri.plot_tree(both[0])
    plt.close("all")


@pytest.mark.parametrize("bins", [None, 1, 4, 1000])
@pytest.mark.parametrize("feature", NAMES)
def test_histograms_of_thresholds(both: tuple[kauri.Booster, xgboost.Booster], feature: str, bins: int | None) -> None:
    ours, theirs = (booster.get_split_value_histogram(feature, bins=bins) for booster in both)
    assert list(ours.columns) == list(theirs.columns)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
    array = both[0].get_split_value_histogram(feature, bins=bins, as_pandas=False)
    np.testing.assert_array_equal(array, ours)
    assert array[:, 1].sum() == both[0].get_score().get(feature, 0)


def test_categories_have_no_thresholds() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(list("xyz") * 20)})
    booster = kauri.train({}, kauri.DMatrix(frame, label=[0, 5, 1] * 20), 1, verbose_eval=False)
    with pytest.raises(kauri.DataError, match="'a' is split by categories"):
        booster.get_split_value_histogram("a")


def test_importance_takes_scores_and_limits(both: tuple[kauri.Booster, xgboost.Booster]) -> None:
    scores = {"b": 2.0, "a": 3.0, "c": 1.0}
    axes = kauri.plot_importance(scores, xlim=(0, 9), ylim=(-1, 5), ylabel="trees", grid=False)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["c", "b", "a"]
    assert (axes.get_xlim(), axes.get_ylim(), axes.get_ylabel()) == ((0, 9), (-1, 5), "trees")
    assert not any(line.get_visible() for line in axes.get_xgridlines())
    axes = kauri.plot_importance(both[0])
    assert all(line.get_visible() for line in axes.get_xgridlines())
    assert axes.get_ylabel() == ""
    plt.close("all")
    with pytest.raises(ValueError, match="no scores to draw"):
        kauri.plot_importance({})
