"""The interface of shap: the same numbers, shapes and types as from shap itself, and what differs on purpose."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import kauriboost.shap as ours
import lightgbm as lgb
import numpy as np
import pandas as pd
import polars as pl
import pytest
import shap
import xgboost as xgb
from sklearn import ensemble, tree

RANDOM = np.random.default_rng(2)
ROWS = pd.DataFrame(RANDOM.normal(size=(250, 4)).astype(np.float32), columns=list("abcd"))
TARGET = ROWS.a * ROWS.b + ROWS.c
TWO = (TARGET + RANDOM.normal(size=250) > 0).astype(int)
THREE = np.digitize(TARGET, [-0.5, 0.5])
SHOWN, BACKGROUND = ROWS[:15], ROWS[:60]
TOLERANCE = 1e-6  # for float32 values of about 1
MODELS: dict[str, Callable[[], Any]] = {
    "forest": lambda: ensemble.RandomForestRegressor(5, max_depth=4).fit(ROWS, TARGET),
    "forest of two classes": lambda: ensemble.RandomForestClassifier(5, max_depth=4).fit(ROWS, TWO),
    "forest of three classes": lambda: ensemble.ExtraTreesClassifier(5, max_depth=4).fit(ROWS, THREE),
    "tree": lambda: tree.DecisionTreeClassifier(max_depth=4).fit(ROWS, TWO),
    "boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=5).fit(ROWS, TWO),
    "histograms": lambda: ensemble.HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=8).fit(ROWS, THREE),
    "isolation": lambda: ensemble.IsolationForest(n_estimators=5).fit(ROWS),
    "lightgbm": lambda: lgb.LGBMClassifier(n_estimators=5, num_leaves=8, n_jobs=1, verbose=-1).fit(ROWS, TWO),
    "lightgbm classes": lambda: lgb.LGBMClassifier(n_estimators=3, n_jobs=1, verbose=-1).fit(ROWS, THREE),
    "sigmoid": lambda: lgb.LGBMClassifier(n_estimators=3, sigmoid=2, n_jobs=1, verbose=-1).fit(ROWS, TWO),
    "xgboost": lambda: xgb.XGBClassifier(n_estimators=5, max_depth=3, n_jobs=1).fit(ROWS, TWO),
    "xgboost classes": lambda: xgb.XGBClassifier(n_estimators=3, max_depth=3, n_jobs=1).fit(ROWS, THREE),
    "xgboost booster": lambda: xgb.train({"nthread": 1}, xgb.DMatrix(ROWS, TARGET), 5),
}
REGRESSOR = ensemble.GradientBoostingRegressor(n_estimators=6, max_depth=3).fit(ROWS, TARGET)


def expect_same(got: Any, expected: Any, tolerance: float = TOLERANCE) -> None:
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    np.testing.assert_allclose(got, expected, atol=tolerance)


@pytest.mark.parametrize("name", MODELS)
def test_values_and_interactions_are_those_of_shap(name: str) -> None:
    model = MODELS[name]()
    got, expected = ours.TreeExplainer(model), shap.TreeExplainer(model)
    expect_same(got.shap_values(SHOWN), expected.shap_values(SHOWN))
    np.testing.assert_allclose(np.ravel(got.expected_value), np.ravel(expected.expected_value), atol=TOLERANCE)
    expect_same(got.shap_interaction_values(SHOWN), expected.shap_interaction_values(SHOWN))
    if name != "xgboost classes":  # shap 0.51 leaves out the intercept of each class
        np.testing.assert_allclose(got.model.predict(SHOWN), expected.model.predict(SHOWN), atol=TOLERANCE)
    assert got.model.num_outputs == expected.model.num_outputs


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("histograms", "xgboost classes")])
def test_values_against_a_background_are_those_of_shap(name: str) -> None:
    """shap 0.51 does not read two kinds of models well enough: there, its own values do not add up."""
    model = MODELS[name]()
    got, expected = ours.TreeExplainer(model, BACKGROUND), shap.TreeExplainer(model, BACKGROUND)
    assert got.feature_perturbation == expected.feature_perturbation == "interventional"
    expect_same(got.shap_values(SHOWN), expected.shap_values(SHOWN))
    np.testing.assert_allclose(got.expected_value, expected.expected_value, atol=TOLERANCE)


def test_rows_along_the_paths_are_those_of_the_data() -> None:
    model = MODELS["boosting"]()
    explainers = [
        each.TreeExplainer(model, ROWS[:100], feature_perturbation="tree_path_dependent") for each in (ours, shap)
    ]
    full = [each.TreeExplainer(model, ROWS, feature_perturbation="tree_path_dependent") for each in (ours, ours)]
    np.testing.assert_allclose(explainers[0].expected_value, explainers[1].expected_value, atol=TOLERANCE)
    np.testing.assert_allclose(full[0].shap_values(SHOWN), ours.TreeExplainer(model).shap_values(SHOWN), atol=TOLERANCE)
    assert np.abs(explainers[0].shap_values(SHOWN) - explainers[1].shap_values(SHOWN)).max() < 0.01


def test_probabilities_and_losses_are_those_of_shap() -> None:
    for name in ("xgboost", "lightgbm", "boosting", "forest of two classes"):
        model = MODELS[name]()
        explainers = [each.TreeExplainer(model, BACKGROUND, model_output="probability") for each in (ours, shap)]
        expect_same(explainers[0].shap_values(SHOWN), explainers[1].shap_values(SHOWN))
        np.testing.assert_allclose(explainers[0].expected_value, explainers[1].expected_value, atol=TOLERANCE)
    model = MODELS["xgboost"]()
    explainers = [each.TreeExplainer(model, BACKGROUND, model_output="predict_proba") for each in (ours, shap)]
    expect_same(explainers[0].shap_values(SHOWN), explainers[1].shap_values(SHOWN))
    for model, labels in ((MODELS["xgboost"](), TWO[:15]), (MODELS["xgboost booster"](), TARGET[:15])):
        explainers = [each.TreeExplainer(model, BACKGROUND, model_output="log_loss") for each in (ours, shap)]
        expect_same(explainers[0].shap_values(SHOWN, labels), explainers[1].shap_values(SHOWN, labels))
        np.testing.assert_allclose(explainers[0].expected_value(1), explainers[1].expected_value(1), atol=TOLERANCE)
    explanation = explainers[0](SHOWN, labels)
    losses = (model.inplace_predict(SHOWN) - labels) ** 2
    np.testing.assert_allclose(explanation.values.sum(1) + explanation.base_values, losses, atol=1e-5)


def test_losses_of_classes_by_name() -> None:
    names = np.array(["no", "yes"])[TWO]
    for model in (
        kb.KauriClassifier(n_estimators=5, n_jobs=1).fit(ROWS, names),
        kb.KauriClassifier(n_estimators=5, n_jobs=1).fit(ROWS, TWO + 1),
        lgb.LGBMClassifier(n_estimators=5, n_jobs=1, verbose=-1).fit(ROWS, names),
    ):
        explainer = ours.TreeExplainer(model, BACKGROUND, model_output="log_loss")
        labels = np.asarray(model.classes_)[TWO[:15]]
        values = explainer.shap_values(SHOWN, pd.Series(labels))
        base = np.array([explainer.expected_value(label) for label in labels])
        losses = -np.log(model.predict_proba(SHOWN)[np.arange(15), TWO[:15]])
        np.testing.assert_allclose(values.sum(axis=1) + base, losses, atol=1e-5)
        explanation = explainer(SHOWN, labels)
        np.testing.assert_allclose(explanation.values.sum(axis=1) + explanation.base_values, losses, atol=1e-5)
    np.testing.assert_array_equal(explainer.shap_values(SHOWN, TWO[:15]), values)
    numbered = kb.KauriClassifier(n_estimators=5, n_jobs=1).fit(ROWS, TWO + 1)
    for strange in (0, 7, np.nan):  # 0 may mean the first class or be a name, so it is neither
        with pytest.raises(
            kb.DataError, match=rf"y has the label {strange}, and the classes of the model are \[1, 2\]"
        ):
            ours.TreeExplainer(numbered, BACKGROUND, model_output="log_loss").shap_values(SHOWN, [strange] * 15)
    with pytest.raises(
        kb.DataError, match=r"y has the label 'maybe', and the classes of the model are \['no', 'yes'\]"
    ):
        explainer.shap_values(SHOWN, ["maybe"] * 15)
    model = MODELS["xgboost booster"]()
    with pytest.raises(kb.DataError, match="y has the label 'no', and the model has no names of classes"):
        ours.TreeExplainer(model, BACKGROUND, model_output="log_loss").shap_values(SHOWN, ["no"] * 15)


def test_the_sigmoid_of_lightgbm_is_in_the_probability() -> None:
    model = MODELS["sigmoid"]()
    explainer = ours.TreeExplainer(model, BACKGROUND, model_output="probability")
    sums = explainer.shap_values(SHOWN).sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(sums, model.predict_proba(SHOWN)[:, 1], atol=TOLERANCE)


def test_models_of_kauri_and_read_forests_are_explained() -> None:
    model = kb.KauriClassifier(n_estimators=5, n_jobs=1).fit(ROWS, THREE)
    explanation = kb.explain(model, SHOWN)
    for given in (model, model.get_booster(), kb.forests.load(model)):
        explainer = ours.TreeExplainer(given)
        values = explainer.shap_values(SHOWN)
        np.testing.assert_array_equal(values, explanation.values)
        assert values.dtype == np.float32
        np.testing.assert_array_equal(explainer.expected_value, explanation.base_values[0])
    classifier = MODELS["forest of two classes"]()
    values = ours.TreeExplainer(kb.forests.load(classifier)).shap_values(SHOWN)
    np.testing.assert_array_equal(values, ours.TreeExplainer(classifier).shap_values(SHOWN))
    against = ours.TreeExplainer(model, BACKGROUND).shap_values(SHOWN)
    np.testing.assert_array_equal(against, kb.explain(model, SHOWN, background=BACKGROUND).values)


def test_a_call_returns_an_explanation_of_shap() -> None:
    for name in ("xgboost", "forest of two classes"):
        model = MODELS[name]()
        got, expected = ours.TreeExplainer(model)(SHOWN), shap.TreeExplainer(model)(SHOWN)
        assert isinstance(got, shap.Explanation)
        np.testing.assert_allclose(got.base_values, expected.base_values, atol=TOLERANCE)
        np.testing.assert_array_equal(got.data, expected.data)
        assert list(got.feature_names) == list(expected.feature_names)
        pairs = ours.TreeExplainer(model)(SHOWN, interactions=True)
        np.testing.assert_allclose(pairs.values.sum(axis=2), got.values, atol=TOLERANCE)


def test_without_shap_the_explanation_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    explanation = ours.TreeExplainer(MODELS["forest of three classes"]())(SHOWN)
    assert isinstance(explanation, kb.Explanation)
    assert explanation.values.shape == (15, 4, 3)
    assert explanation.base_values.shape == (15, 3)
    assert explanation.feature_names == list("abcd")
    with pytest.raises(AttributeError, match="shap, if installed, has the others"):
        _ = ours.summary_plot


def test_other_names_are_those_of_shap() -> None:
    assert ours.plots is shap.plots
    assert ours.Explanation is shap.Explanation
    assert kb.shap is ours
    with pytest.raises((AttributeError, ImportError)):
        _ = ours.nothing_of_this_name


def test_a_single_row_has_no_axis_of_rows() -> None:
    for name in ("forest", "forest of two classes"):
        model = MODELS[name]()
        got, expected = ours.TreeExplainer(model), shap.TreeExplainer(model)
        for row in (ROWS.iloc[0], ROWS.to_numpy()[0]):
            expect_same(got.shap_values(row), expected.shap_values(row))
            expect_same(got.shap_interaction_values(row), expected.shap_interaction_values(row))


def test_trees_are_counted_as_in_shap() -> None:
    got = ours.TreeExplainer(REGRESSOR).shap_values(SHOWN, tree_limit=2, check_additivity=False)
    expect_same(got, shap.TreeExplainer(REGRESSOR).shap_values(SHOWN, tree_limit=2, check_additivity=False))
    classes = MODELS["xgboost classes"]()
    explainer = ours.TreeExplainer(classes)
    assert explainer.model.tree_limit == shap.TreeExplainer(classes).model.tree_limit == 9
    got = explainer.shap_values(SHOWN, tree_limit=6)
    np.testing.assert_allclose(got, shap.TreeExplainer(classes).shap_values(SHOWN, tree_limit=6), atol=TOLERANCE)
    with pytest.raises(kb.ParameterError, match="tree_limit is 4; expected -1 for all trees, or a multiple of 3"):
        explainer.shap_values(SHOWN, tree_limit=4)
    stopped = xgb.XGBRegressor(n_estimators=30, early_stopping_rounds=1, learning_rate=1, n_jobs=1)
    stopped.fit(ROWS, TARGET, eval_set=[(ROWS[::-1], TARGET)], verbose=False)
    assert ours.TreeExplainer(stopped).model.tree_limit == stopped.best_iteration + 1 < 30


def test_approximate_values_are_those_of_shap() -> None:
    got = ours.TreeExplainer(REGRESSOR).shap_values(SHOWN, approximate=True)
    expect_same(got, shap.TreeExplainer(REGRESSOR).shap_values(SHOWN, approximate=True))


def test_missing_values_of_xgboost_are_passed_on() -> None:
    rows = ROWS.mask(ROWS < -1, -99)
    model = xgb.XGBRegressor(n_estimators=4, missing=-99, n_jobs=1).fit(rows, TARGET)
    explainer = ours.TreeExplainer(model)
    sums = explainer.shap_values(rows).sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(sums, model.predict(rows), atol=1e-5)
    matrix = xgb.DMatrix(rows, missing=-99)
    np.testing.assert_array_equal(explainer.shap_values(matrix), explainer.shap_values(rows))


def test_columns_in_another_order_are_refused_and_other_names_matched_by_place() -> None:
    explainer = ours.TreeExplainer(MODELS["xgboost"]())
    with pytest.raises(kb.DataError, match="pass the model's columns in its order"):
        explainer.shap_values(SHOWN[list("bacd")])
    with pytest.warns(UserWarning, match="they are matched by place"):
        values = explainer.shap_values(SHOWN.rename(columns=str.upper))
    np.testing.assert_array_equal(values, explainer.shap_values(SHOWN))
    with pytest.raises(kb.DataError, match="columns"):
        explainer.shap_values(SHOWN.to_numpy()[:, :3])


def test_codes_of_categories_may_be_plain_numbers() -> None:
    rows = ROWS.assign(c=RANDOM.integers(0, 4, 250))
    model = lgb.LGBMRegressor(n_estimators=4, n_jobs=1, verbose=-1).fit(rows, TARGET, categorical_feature=[2])
    explainer = ours.TreeExplainer(model)
    sums = explainer.shap_values(rows).sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(sums, model.predict(rows), atol=TOLERANCE)


def test_what_is_not_explained_is_refused_with_the_reason() -> None:
    model = MODELS["xgboost classes"]()
    with pytest.raises(
        kb.ParameterError, match=r"log-odds of one class.*XGBClassifier, multi:softprob.*output='value'"
    ):
        ours.TreeExplainer(model, BACKGROUND, model_output="probability")
    with pytest.raises(kb.ParameterError, match="predictions that are raw scores"):
        ours.TreeExplainer(model, BACKGROUND, model_output="predict")
    with pytest.raises(kb.ParameterError, match="minimised the squared error or the logistic loss"):
        ours.TreeExplainer(MODELS["isolation"](), BACKGROUND, model_output="log_loss")
    with pytest.raises(kb.ParameterError, match="model_output is 'odds'; expected 'raw'"):
        ours.TreeExplainer(model, model_output="odds")
    with pytest.raises(kb.ParameterError, match="needs a background"):
        ours.TreeExplainer(MODELS["xgboost"](), model_output="probability")
    with pytest.raises(kb.ParameterError, match=r"feature_perturbation must be 'auto'.*not 'random'"):
        ours.TreeExplainer(model, feature_perturbation="random")
    with pytest.warns(FutureWarning, match="without data will be an error"):
        ours.TreeExplainer(model, feature_perturbation="interventional")
    with pytest.raises(kb.ParameterError, match="no approximation of pairs"):
        ours.TreeExplainer(model)(SHOWN, interactions=True, approximate=True)
    with pytest.raises(kb.ParameterError, match="approximate values have no background"):
        ours.TreeExplainer(model, BACKGROUND).shap_values(SHOWN, approximate=True)
    loss = ours.TreeExplainer(MODELS["xgboost"](), BACKGROUND, model_output="log_loss")
    with pytest.raises(kb.DataError, match="needs the labels"):
        loss.shap_values(SHOWN)
    with pytest.raises(kb.DataError, match="y has 3 labels for 15 rows"):
        loss.shap_values(SHOWN, [0, 1, 0])
    with pytest.raises(kb.ParameterError, match="interactions are of raw scores"):
        loss.shap_interaction_values(SHOWN)
    with pytest.raises(kb.InternalError, match="add up to"):
        ours.TreeExplainer(REGRESSOR).assert_additivity(np.zeros((2, 4)), np.full(2, 99.0))


def test_columns_in_another_order_are_refused() -> None:
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["a", "b", "c"])
    explainer = ours.TreeExplainer(xgb.XGBRegressor(n_estimators=3).fit(X, X.a))
    turned = X[["c", "b", "a"]]
    for rows in (turned, pl.from_pandas(turned), turned.iloc[0]):
        with pytest.raises(kb.DataError, match="pass the model's columns in its order"):
            explainer.shap_values(rows)
    np.testing.assert_array_equal(explainer.shap_values(pl.from_pandas(X)), explainer.shap_values(X))
