"""kauriboost.explain: values and base values add up to the margins; our plots and shap's draw them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from kauriboost.sklearn import KauriClassifier, KauriRegressor
from matplotlib import pyplot as plt

mpl.use("Agg")
Table = tuple[np.ndarray, np.ndarray]
NAMES = ["ash", "birch", "cedar", "douglas", "elm", "fir"]


@pytest.fixture(autouse=True)
def _close_figures() -> Any:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def booster(binary: Table) -> kb.Booster:
    X, y = binary
    data = kb.DMatrix(X, label=y, feature_names=NAMES)
    return kb.train({"objective": "binary:logistic", "max_depth": 4}, data, 10, verbose_eval=False)


@pytest.fixture(scope="module")
def explanation(booster: kb.Booster, binary: Table) -> kb.Explanation:
    return kb.explain(booster, binary[0])


@pytest.fixture(scope="module")
def interactions(booster: kb.Booster, binary: Table) -> kb.Explanation:
    return kb.explain(booster, binary[0][:80], interactions=True)


@pytest.fixture(scope="module")
def classifier(multiclass: Table) -> KauriClassifier:
    X, y = multiclass
    return KauriClassifier(n_estimators=5, max_depth=3).fit(X, np.array(["red", "green", "blue"])[y.astype(int)])


def margins(booster: kb.Booster, X: np.ndarray) -> np.ndarray:
    return booster.inplace_predict(X, predict_type="margin")


def test_sums_are_margins(booster: kb.Booster, explanation: kb.Explanation, binary: Table) -> None:
    X, _ = binary
    assert explanation.shape == explanation.values.shape == X.shape
    assert explanation.base_values.shape == (len(X),)
    assert len(explanation) == len(X)
    assert not explanation.is_interaction
    assert explanation.output_names is None
    np.testing.assert_allclose(explanation.values.sum(1) + explanation.base_values, margins(booster, X), atol=2e-5)
    np.testing.assert_array_equal(explanation.data, X)


def test_interactions_sum_to_contributions(
    explanation: kb.Explanation, interactions: kb.Explanation, binary: Table
) -> None:
    assert interactions.shape == (80, 6, 6)
    assert interactions.is_interaction
    np.testing.assert_allclose(interactions.values.sum(2), explanation.values[:80], atol=2e-5)
    np.testing.assert_allclose(interactions.base_values, explanation.base_values[:80], atol=2e-5)


def test_several_outputs(classifier: KauriClassifier, multiclass: Table) -> None:
    X, _ = multiclass
    explanation = kb.explain(classifier, X)
    assert explanation.shape == (450, 4, 3)
    assert explanation.base_values.shape == (450, 3)
    assert explanation.output_names == ["blue", "green", "red"]
    expected = classifier.predict(X, output_margin=True)
    np.testing.assert_allclose(explanation.values.sum(1) + explanation.base_values, expected, atol=2e-5)
    red = explanation.output("red")
    assert red.output_names is None
    np.testing.assert_array_equal(red.values, explanation.values[:, :, 2])
    np.testing.assert_array_equal(explanation.output(2).base_values, red.base_values)
    pairs = kb.explain(classifier, X[:30], interactions=True)
    assert pairs.shape == (30, 4, 4, 3)
    assert pairs.is_interaction
    np.testing.assert_allclose(pairs.values.sum(2), explanation.values[:30], atol=2e-5)


def test_output_numbers_of_a_booster(classifier: KauriClassifier, multiclass: Table) -> None:
    explanation = kb.explain(classifier.get_booster(), multiclass[0])
    assert explanation.output_names == [0, 1, 2]
    np.testing.assert_array_equal(explanation.output(1).values, explanation.values[..., 1])


def test_rounds_and_early_stopping(regression: Table) -> None:
    X, y = regression
    model = KauriRegressor(n_estimators=60, learning_rate=1.0, early_stopping_rounds=3)
    model.fit(X[:300], y[:300], eval_set=[(X[300:], y[300:])])
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    best, two = kb.explain(model, X), kb.explain(model, X, iteration_range=(0, 2))
    np.testing.assert_allclose(best.values.sum(1) + best.base_values, model.predict(X), atol=1e-4)
    expected = model.predict(X, iteration_range=(0, 2))
    np.testing.assert_allclose(two.values.sum(1) + two.base_values, expected, atol=1e-4)


def test_approximate(booster: kb.Booster, explanation: kb.Explanation, binary: Table) -> None:
    approximate = kb.explain(booster, binary[0], approximate=True)
    sums = approximate.values.sum(1) + approximate.base_values
    np.testing.assert_allclose(sums, margins(booster, binary[0]), atol=2e-5)
    assert np.abs(approximate.values - explanation.values).max() > 1e-3


@pytest.mark.parametrize(
    "container",
    [
        lambda X: pd.DataFrame(X, columns=NAMES),
        lambda X: kb.DMatrix(X, feature_names=NAMES),
        lambda X: kb.DMatrix(X),
        np.asfortranarray,
    ],
    ids=["frame", "named", "unnamed", "columns"],
)
def test_rows_of_any_kind(
    booster: kb.Booster, explanation: kb.Explanation, binary: Table, container: Callable[[np.ndarray], Any]
) -> None:
    other = kb.explain(booster, container(binary[0]))
    np.testing.assert_array_equal(other.values, explanation.values)
    np.testing.assert_array_equal(other.data, binary[0])
    assert other.feature_names == NAMES


def test_sparse_rows(regression: Table) -> None:
    X, y = regression
    X = np.where(np.abs(X) < 1, 0, X)
    model = KauriRegressor(n_estimators=5, max_depth=3).fit(scipy.sparse.csr_matrix(X), y)
    explanation = kb.explain(model, scipy.sparse.csr_matrix(X))
    np.testing.assert_array_equal(explanation.data, np.where(X == 0, np.nan, X))


def test_names(booster: kb.Booster, classifier: KauriClassifier, binary: Table, multiclass: Table) -> None:
    assert kb.explain(booster, binary[0], feature_names=list("uvwxyz")).feature_names == list("uvwxyz")
    assert kb.explain(classifier, multiclass[0]).feature_names == ["f0", "f1", "f2", "f3"]
    frame = pd.DataFrame(multiclass[0], columns=list("abcd"))
    assert kb.explain(classifier, frame).feature_names == list("abcd")


def test_missing_of_the_estimator(regression: Table) -> None:
    X, y = regression
    X = np.where(X > 1, -999, X)
    model = KauriRegressor(n_estimators=5, missing=-999).fit(X, y)
    explanation = kb.explain(model, X)
    np.testing.assert_array_equal(np.isnan(explanation.data), X == -999)
    np.testing.assert_allclose(explanation.values.sum(1) + explanation.base_values, model.predict(X), atol=2e-5)


def test_errors(booster: kb.Booster, explanation: kb.Explanation, classifier: Any, binary: Table) -> None:
    X, _ = binary
    with pytest.raises(TypeError, match="Booster or an estimator"):
        kb.explain("model.json", X)
    with pytest.raises(kb.DataError, match="5 features, the model 6"):
        kb.explain(booster, X[:, :5])
    with pytest.raises(kb.DataError, match="another order"):
        kb.explain(booster, pd.DataFrame(X, columns=NAMES[::-1]))
    with pytest.raises(kb.ParameterError, match="2 names"):
        kb.explain(booster, X, feature_names=["a", "b"])
    with pytest.raises(kb.ParameterError, match="both true"):
        kb.explain(booster, X, interactions=True, approximate=True)
    with pytest.raises(kb.ParameterError, match="one output"):
        explanation.output(0)
    with pytest.raises(kb.ParameterError, match=r"no output 'pink'.*'red'"):
        kb.explain(classifier, np.zeros((1, 4))).output("pink")


# ---- our plots ----


def saved(axes: Any, folder: Path) -> None:
    axes.figure.savefig(folder / "plot.png")
    assert (folder / "plot.png").stat().st_size > 5000


def tick_texts(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def test_beeswarm(explanation: kb.Explanation, tmp_path: Path) -> None:
    axes = kb.plot_beeswarm(explanation, max_display=3)
    order = np.argsort(-np.abs(explanation.values).mean(0))[:3]
    assert tick_texts(axes.yaxis) == ["sum of 3 others", *(NAMES[feature] for feature in order[::-1])]
    points = np.concatenate([part.get_offsets().data for part in axes.collections])
    assert len(points) == 4 * 600
    top = points[np.round(points[:, 1]) == 3]
    np.testing.assert_allclose(np.sort(top[:, 0]), np.sort(explanation.values[:, order[0]]), rtol=1e-6)
    assert np.abs(points[:, 1] - np.round(points[:, 1])).max() <= 0.4 + 1e-9
    saved(axes, tmp_path)


def test_bars(explanation: kb.Explanation, tmp_path: Path) -> None:
    axes = kb.plot_contributions(explanation, max_display=4)
    strength = np.sort(np.abs(explanation.values).mean(0))[::-1]
    drawn = [bar.get_width() for bar in axes.patches]
    assert drawn == pytest.approx([*strength[:4], strength[4:].sum()], rel=1e-5)
    assert tick_texts(axes.yaxis)[-1] == "sum of 2 others"
    saved(axes, tmp_path)


@pytest.mark.parametrize("max_display", [1, 3, 6, 20])
def test_waterfall_leads_to_the_margin(explanation: kb.Explanation, tmp_path: Path, max_display: int) -> None:
    row = explanation[5]
    axes = kb.plot_waterfall(row, max_display=max_display)
    bars = axes.patches
    assert len(bars) == min(max_display + 1, 6)
    assert bars[0].get_x() == pytest.approx(float(row.base_values), abs=1e-6)
    ends = [bar.get_x() + bar.get_width() for bar in bars]
    assert ends[-1] == pytest.approx(float(row.values.sum() + row.base_values), abs=1e-5)
    assert [bar.get_x() for bar in bars[1:]] == pytest.approx(ends[:-1])
    saved(axes, tmp_path)


@pytest.mark.parametrize("color", [None, "cedar", 1])
def test_dependence(explanation: kb.Explanation, tmp_path: Path, color: str | int | None) -> None:
    axes = kb.plot_dependence(explanation, "birch", color=color)
    points = np.concatenate([part.get_offsets().data for part in axes.collections])
    np.testing.assert_allclose(np.sort(points[:, 1]), np.sort(explanation.values[:, 1]), rtol=1e-6)
    n_missing = np.isnan(explanation.data[:, 1]).sum()
    assert (points[:, 0] < np.nanmin(explanation.data[:, 1])).sum() == n_missing > 0
    assert axes.get_xlabel() == "birch"
    saved(axes, tmp_path)


def test_interaction_matrix(interactions: kb.Explanation, tmp_path: Path) -> None:
    axes = kb.plot_interactions(interactions, max_display=4)
    strength = np.abs(interactions.values).mean(0)
    names = tick_texts(axes.yaxis)
    pairs, diagonal = (np.ma.filled(image.get_array(), np.nan) for image in axes.images)
    first, second = NAMES.index(names[0]), NAMES.index(names[1])
    assert diagonal[0, 0] == pytest.approx(strength[first, first])
    assert pairs[1, 0] == pytest.approx(strength[first, second] + strength[second, first], rel=1e-4)
    assert np.isnan(pairs[0, 1])
    assert len(axes.texts) == 10
    saved(axes, tmp_path)


def test_plots_of_the_plain(tmp_path: Path) -> None:
    """Draw a constant column, a column without values, and a model without splits."""
    X = np.column_stack([np.ones(8), np.full(8, np.nan)])
    booster = kb.train({}, kb.DMatrix(X, label=np.ones(8)), 1, verbose_eval=False)
    explanation = kb.explain(booster, X)
    assert (explanation.values == 0).all()
    figures = [kb.plot_beeswarm(explanation), kb.plot_contributions(explanation)]
    figures += [
        kb.plot_waterfall(explanation[0]),
        kb.plot_interactions(kb.explain(booster, X, interactions=True)),
    ]
    figures += [kb.plot_dependence(explanation, 0, color=1), kb.plot_dependence(explanation, 1)]
    for axes in figures:
        saved(axes, tmp_path)


def test_long_names_and_large_numbers_stay_readable(explanation: kb.Explanation) -> None:
    names = [f"{name}_with_a_name_that_leaves_no_room_at_all" for name in NAMES]
    large = replace(explanation, values=explanation.values * 1e5, feature_names=names)
    axes = kb.plot_contributions(large, max_display=6)
    assert {len(text) for text in tick_texts(axes.yaxis)} == {32}
    assert len(set(tick_texts(axes.yaxis))) == 6
    assert not any("e" in text.get_text() for text in axes.texts)


def test_given_axes(explanation: kb.Explanation) -> None:
    _, ax = plt.subplots()
    assert kb.plot_contributions(explanation, ax) is ax


def test_plots_say_what_they_need(
    explanation: kb.Explanation, interactions: kb.Explanation, classifier: Any, multiclass: Table
) -> None:
    several = kb.explain(classifier, multiclass[0])
    with pytest.raises(ValueError, match=r"choose one: explanation.output"):
        kb.plot_beeswarm(several)
    with pytest.raises(ValueError, match=r"explanation\[row\]"):
        kb.plot_waterfall(explanation)
    with pytest.raises(ValueError, match="interactions=True"):
        kb.plot_interactions(explanation)
    with pytest.raises(ValueError, match="several rows"):
        kb.plot_contributions(interactions)
    with pytest.raises(ValueError, match="no feature 'oak'"):
        kb.plot_dependence(explanation, "oak")
    with pytest.raises(ValueError, match="max_display is 0"):
        kb.plot_beeswarm(explanation, max_display=0)


# ---- the package shap ----


def test_shap_draws_it(explanation: kb.Explanation, classifier: KauriClassifier, multiclass: Table) -> None:
    shap = pytest.importorskip("shap")
    theirs = explanation.to_shap()
    axes = shap.plots.beeswarm(theirs, show=False)
    assert "birch" in {label.get_text() for label in axes.get_yticklabels()}
    shap.plots.bar(theirs, show=False)
    shap.plots.waterfall(theirs[0], show=False)
    shap.plots.scatter(theirs[:, "birch"], show=False)
    some = kb.explain(classifier, multiclass[0], values="banzhaf", features=["f2", "f0"]).output("red").to_shap()
    shap.plots.beeswarm(some, show=False)
    several = kb.explain(classifier, multiclass[0]).to_shap()
    shap.plots.beeswarm(several[..., 1], show=False)
    shap.plots.waterfall(several[0, :, 2], show=False)
