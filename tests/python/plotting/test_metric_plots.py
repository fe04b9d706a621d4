"""A metric over the rounds, from any object with evaluations."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

mpl.use("Agg")
LOG = {
    "train": {"rmse": [3.0, 2.0, 1.0], "auc": [0.5, 0.7, 0.9]},
    "_test": {"rmse": [3.0, 1.5, 2.0], "auc": [0.5, 0.8, 0.6]},
}


def lines_of(ax: Any) -> dict[str, list[float]]:
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    return {line.get_label(): list(line.get_ydata()) for line in ax.lines if line.get_label() in names}


def test_the_last_metric_or_the_one_that_is_asked_for() -> None:
    ax = kb.plot_metric(LOG)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("auc", "round")
    assert lines_of(ax) == {"train": LOG["train"]["auc"], "_test": LOG["_test"]["auc"]}
    assert [text.get_text() for text in ax.texts] == ["round 1: 0.8"]
    ax = kb.plot_metric(LOG, plt.subplots()[1], metric="rmse")
    assert [text.get_text() for text in ax.texts] == ["round 1: 1.5"]
    assert lines_of(ax)["_test"] == [3.0, 1.5, 2.0]
    plt.close("all")


@pytest.mark.parametrize("metric", ["rmse", "auc"])
@pytest.mark.parametrize("best", [0, 3, 9])
def test_no_curve_runs_below_the_texts(metric: str, best: int) -> None:
    curve = [0.5 + (0.02 if metric == "rmse" else -0.02) * abs(place - best) for place in range(10)]
    ax = kb.plot_metric({"train": {metric: curve[::-1]}, "test": {metric: curve}})
    ax.figure.canvas.draw()
    inside = ax.get_window_extent()
    texts = [*ax.texts, *ax.get_legend().get_texts()]
    boxes = [text.get_window_extent() for text in texts]
    assert all(box.y0 >= inside.y1 for box in boxes)
    assert all(ax.figure.bbox.y1 >= box.y1 for box in boxes)
    assert not any(boxes[0].overlaps(box) for box in boxes[1:])
    plt.close("all")


def test_axes_end_where_values_end() -> None:
    assert kb.plot_metric({"a": {"rmse": [0.5, 0.1, 0.001]}}).get_ylim()[0] == 0
    assert kb.plot_metric({"a": {"auc": [0.5, 0.9, 0.999]}}).get_ylim()[1] == 1
    assert kb.plot_metric({"a": {"aft-nloglik": [-0.5, 0.1]}}).get_ylim()[0] < -0.5
    plt.close("all")


@pytest.mark.parametrize("as_pandas", [False, True])
def test_cross_validation(regression: tuple[np.ndarray, np.ndarray], as_pandas: bool) -> None:
    found = kb.cv({"max_depth": 2}, kb.DMatrix(*regression), 5, metrics=["mae", "rmse"], as_pandas=as_pandas)
    ax = kb.plot_metric(found, metric="mae")
    np.testing.assert_allclose(lines_of(ax)["test"], list(found["test-mae-mean"]))
    band = ax.collections[1].get_paths()[0].vertices[:, 1]
    assert band.max() == pytest.approx(max(np.add(found["test-mae-mean"], found["test-mae-std"])))
    plt.close("all")


def test_estimators(regression: tuple[np.ndarray, np.ndarray]) -> None:
    pytest.importorskip("sklearn")
    X, y = regression
    model = kb.KauriRegressor(n_estimators=60, early_stopping_rounds=3, learning_rate=0.9)
    model.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])])
    ax = kb.plot_metric(model)
    assert lines_of(ax) == {"validation_0": model.evals_result()["validation_0"]["rmse"]}
    assert ax.texts[0].get_text().startswith(f"round {model.best_iteration}: ")
    with pytest.raises(ValueError, match="no evaluations to draw"):
        kb.plot_metric(kb.KauriRegressor(n_estimators=1).fit(X, y))
    plt.close("all")


def test_short_and_odd_logs() -> None:
    assert not kb.plot_metric({"a": {"m": [1.0]}}).texts  # a single round has no best one
    assert not kb.plot_metric({"a": {"m": [np.nan, np.nan]}}).texts
    assert kb.plot_metric({"a": {"m": [np.nan, 2.0, 1.0]}}).texts[0].get_text() == "round 2: 1"
    uneven = kb.plot_metric({"a": {"m": [1.0, 2.0]}, "b": {"other": [1.0, 2.0]}}, metric="m")
    assert list(lines_of(uneven)) == ["a"]
    plt.close("all")


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match=r"no metric 'mae'; choose one of \['rmse', 'auc'\]"):
        kb.plot_metric(LOG, metric="mae")
    with pytest.raises(ValueError, match="no evaluations"):
        kb.plot_metric({})
    with pytest.raises(TypeError, match="got list"):
        kb.plot_metric([1, 2])
