"""Guesses in training are reported or refused: directions of custom metrics, objectives of fit_best."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.callback import EarlyStopping

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = X[:, 0] + 0.3 * RNG.normal(size=400)
TRAIN, VALID = kb.DMatrix(X[:200], label=Y[:200]), kb.DMatrix(X[200:], label=Y[200:])
OWN = ["loss", "prediction_error", "premium_mae", "mapping_error", "auc_gap", "mape_own", "maple", "ndcg_loss"]
NO_OTHER = {"disable_default_eval_metric": 1}


def objective_of(booster: kb.Booster) -> str:
    return json.loads(booster.save_config())["learner"]["objective"]["name"]


def stopped(name: str, **how: Any) -> kb.Booster:
    def metric(predictions: np.ndarray, data: kb.DMatrix) -> tuple[str, float]:
        return name, float(np.mean(np.abs(predictions - data.get_label())))

    how = {"evals": [(VALID, "v")], "early_stopping_rounds": 5, "verbose_eval": False, "custom_metric": metric, **how}
    return kb.train(NO_OTHER, TRAIN, 60, **how)


@pytest.mark.parametrize("name", OWN)
def test_an_own_metric_is_minimised_whatever_its_name_begins_with(name: str, caplog: pytest.LogCaptureFixture) -> None:
    booster = stopped(name)
    assert booster.best_iteration > 2
    said = [line for line in caplog.messages if "is not a built-in one" in line]
    assert len(said) == 1
    assert name in said[0]


@pytest.mark.parametrize("maximize", [True, False])
def test_a_direction_that_is_given_holds_and_nothing_is_said(maximize: bool, caplog: pytest.LogCaptureFixture) -> None:
    assert (stopped("mine", maximize=maximize).best_iteration == 0) == maximize
    assert not [line for line in caplog.messages if "built-in" in line]


def test_built_in_metrics_decide_for_themselves(caplog: pytest.LogCaptureFixture) -> None:
    labels = (Y > 0).astype(float)
    train, valid = kb.DMatrix(X[:200], label=labels[:200]), kb.DMatrix(X[200:], label=labels[200:])
    params = {"objective": "binary:logistic", "eval_metric": "auc"}
    booster = kb.train(params, train, 30, evals=[(valid, "v")], early_stopping_rounds=5, verbose_eval=False)
    history: dict[str, Any] = {}
    kb.train(
        params, train, booster.num_boosted_rounds(), evals=[(valid, "v")], evals_result=history, verbose_eval=False
    )
    assert booster.best_score == pytest.approx(max(history["v"]["auc"]))
    assert not [line for line in caplog.messages if "built-in" in line]


def test_cross_validation_and_callbacks_have_the_same_rule(caplog: pytest.LogCaptureFixture) -> None:
    def metric(predictions: np.ndarray, data: kb.DMatrix) -> tuple[str, float]:
        return "mapping_error", float(np.mean(np.abs(predictions - data.get_label())))

    found = kb.cv(NO_OTHER, TRAIN, 40, custom_metric=metric, early_stopping_rounds=4, as_pandas=False)
    assert len(found["test-mapping_error-mean"]) > 3
    assert sum("built-in" in line for line in caplog.messages) == 1
    stopping = EarlyStopping(rounds=5, metric_name="mapping_error")
    booster = kb.train(
        NO_OTHER, TRAIN, 60, evals=[(VALID, "v")], custom_metric=metric, callbacks=[stopping], verbose_eval=False
    )
    assert booster.best_iteration > 2


CLASSES = {
    "texts": (np.where(Y > 0, "yes", "no"), ["no", "yes"]),
    "objects": (np.where(Y > 0, "yes", "no").astype(object), ["no", "yes"]),
    "truth values": (Y > 0, [False, True]),
    "categories": (pd.Series(np.where(Y > 0, "yes", "no")).astype("category"), ["no", "yes"]),
    "three texts": (np.array(["a", "b", "c"])[np.digitize(Y, [-0.5, 0.5])], ["a", "b", "c"]),
}


@pytest.mark.parametrize(("y", "classes"), CLASSES.values(), ids=CLASSES.keys())
def test_fit_best_learns_classes_from_classes(y: Any, classes: list[Any], caplog: pytest.LogCaptureFixture) -> None:
    found = kb.fit_best(X, y, rounds_budget=10, nfold=2)
    assert objective_of(found.booster) == ("binary:logistic" if len(classes) == 2 else "multi:softprob")
    predicted = found.booster.predict(kb.DMatrix(X))
    chosen = (predicted > 0.5).astype(int) if len(classes) == 2 else predicted.argmax(axis=1)
    assert np.mean(np.asarray(classes)[chosen] == np.asarray(y)) > 0.8
    np.testing.assert_array_equal(found.predict(X), np.asarray(classes)[chosen])
    chances = predicted if len(classes) > 2 else np.column_stack([1 - predicted, predicted])
    np.testing.assert_array_equal(found.predict_proba(X), chances)
    assert len([line for line in caplog.messages if "is taken; for amounts pass" in line]) == 1


def test_fit_best_keeps_the_names_of_classes_in_the_model(tmp_path: Any) -> None:
    found = kb.fit_best(X, np.where(Y > 0, "yes", "no"), rounds_budget=10, nfold=2)
    path = tmp_path / "model.json"
    found.save_model(path)
    model = kb.KauriClassifier()
    model.load_model(path)
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(X)) <= {"no", "yes"}


def test_fit_best_takes_0_and_1_for_classes_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    for y in ((Y > 0).astype(int), (Y > 0).astype(float)):
        caplog.clear()
        assert objective_of(kb.fit_best(X, y, rounds_budget=6, nfold=2).booster) == "binary:logistic"
        assert sum("y holds 0 and 1 alone" in line for line in caplog.messages) == 1
    data = kb.DMatrix(X, label=(Y > 0).astype(int))
    assert objective_of(kb.fit_best(data, rounds_budget=6, nfold=2).booster) == "binary:logistic"


FEW = {
    "0 to 2": (np.digitize(Y, [-0.5, 0.5]), [0, 1, 2]),
    "1 and 2": (np.where(Y > 0, 2.0, 1.0), [1, 2]),
    "tens": (np.digitize(Y, [-0.5, 0.5]) * 10, [0, 10, 20]),
    "a column": (np.digitize(Y, [-0.5, 0.5])[:, np.newaxis], [0, 1, 2]),
}


@pytest.mark.parametrize(("y", "classes"), FEW.values(), ids=FEW.keys())
def test_fit_best_takes_few_whole_numbers_for_classes_and_says_so(
    y: np.ndarray, classes: list[int], caplog: pytest.LogCaptureFixture, tmp_path: Any
) -> None:
    found = kb.fit_best(X, y, rounds_budget=6, nfold=2)
    objective = "binary:logistic" if len(classes) == 2 else "multi:softprob"
    assert objective_of(found.booster) == objective
    numbers = ", ".join(map(str, classes))
    what = f"fit_best: y holds {len(classes)} whole numbers ({numbers}), so objective={objective} is taken; "
    assert caplog.messages == [what + 'for amounts pass params={"objective": "reg:squarederror"}.']
    assert set(found.predict(X)) <= set(classes)
    assert np.mean(found.predict(X) == y.ravel()) > 0.7
    found.save_model(tmp_path / "model.json")
    model = kb.KauriClassifier()
    model.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(model.predict(X), found.predict(X))


@pytest.mark.parametrize("y", [np.digitize(Y, [-0.5, 0.5]), np.where(Y > 0, 2.0, 1.0)], ids=["0 to 2", "1 and 2"])
def test_an_objective_that_is_given_wins(y: np.ndarray, caplog: pytest.LogCaptureFixture) -> None:
    for objective in ("count:poisson", "reg:squarederror"):
        found = kb.fit_best(X, y, params={"objective": objective}, rounds_budget=6, nfold=2)
        assert objective_of(found.booster) == objective
        assert found.classes_ is None
        np.testing.assert_array_equal(found.predict(X), found.booster.predict(kb.DMatrix(X)))
    found = kb.fit_best(X, y, params={"objective": "multi:softprob"}, rounds_budget=6, nfold=2)
    assert set(found.predict(X)) <= set(y)
    assert found.predict_proba(X).shape == (400, len(set(y)))
    numbers = np.digitize(Y, [0])
    plain = kb.fit_best(X, numbers, params={"objective": "binary:logistic"}, rounds_budget=6, nfold=2)
    assert 0 < plain.predict(X).min() < plain.predict(X).max() < 1
    assert caplog.messages == []


def test_a_matrix_has_no_names_for_classes() -> None:
    y = np.where(Y > 0, 2.0, 1.0)
    with pytest.raises(kb.ParameterError, match="which may be classes or amounts; say which"):
        kb.fit_best(kb.DMatrix(X, label=y), rounds_budget=6, nfold=2)
    data = kb.DMatrix(X, label=y - 1)
    assert set(kb.fit_best(data, rounds_budget=6, nfold=2).predict(data)) == {0, 1}


def test_whole_numbers_with_queries_may_be_grades() -> None:
    grades, sizes = np.digitize(Y, [-0.5, 0.5]), [20] * 20
    with pytest.raises(kb.ParameterError, match="rank:ndcg"):
        kb.fit_best(X, grades, group=sizes, rounds_budget=6, nfold=2)
    with pytest.raises(kb.ParameterError, match="rank:ndcg"):
        kb.fit_best(kb.DMatrix(X, label=grades, group=sizes), rounds_budget=6, nfold=2)
    found = kb.fit_best(X, grades, group=sizes, params={"objective": "rank:ndcg"}, rounds_budget=6, nfold=2)
    assert found.classes_ is None


def test_counts_are_amounts_and_the_log_says_why(caplog: pytest.LogCaptureFixture) -> None:
    counts = np.digitize(Y, [-0.5, 0.5])
    counts[:4] = 7
    assert objective_of(kb.fit_best(X, counts, rounds_budget=6, nfold=2).booster) == "reg:squarederror"
    assert len(caplog.messages) == 1
    what = "y holds 4 whole numbers, but 7 in 4 rows only, so objective=reg:squarederror is taken; for classes pass"
    assert what in caplog.messages[0]


def test_a_metric_of_amounts_makes_whole_numbers_amounts(caplog: pytest.LogCaptureFixture) -> None:
    grades = np.digitize(Y, [-0.5, 0.5])
    found = kb.fit_best(X, grades, params={"eval_metric": ["mae"]}, rounds_budget=6, nfold=2)
    assert objective_of(found.booster) == "reg:squarederror"
    assert caplog.messages == []


def test_a_result_without_classes_has_no_probabilities() -> None:
    with pytest.raises(kb.ParameterError, match="its objective is reg:squarederror"):
        kb.fit_best(X, Y, rounds_budget=6, nfold=2).predict_proba(X)


def test_everything_that_takes_a_model_takes_the_result(tmp_path: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    y = np.array(["low", "mid", "top"])[np.digitize(Y, [-0.5, 0.5])]
    found = kb.fit_best(frame, y, rounds_budget=6, nfold=2)
    explanation = kb.explain(found, frame[:20])
    assert explanation.output_names == ["low", "mid", "top"]
    kb.report(found, frame, tmp_path / "page.html", y=y)
    assert "mid" in (tmp_path / "page.html").read_text()
    assert kb.permutation_importance(found, frame, y).metric == "mlogloss"
    assert kb.partial_dependence(found, frame, "a").output_names == ["low", "mid", "top"]
    kb.plot_importance(found)
    kb.plot_tree(found)
    with pytest.raises(ValueError, match="the label 'high' is not among the classes"):
        kb.permutation_importance(found, frame, np.where(Y > 0, "high", "low"))


def test_fit_best_learns_numbers_from_numbers(caplog: pytest.LogCaptureFixture) -> None:
    assert objective_of(kb.fit_best(X, Y, rounds_budget=6, nfold=2).booster) == "reg:squarederror"
    assert objective_of(kb.fit_best(X, np.arange(400), rounds_budget=6, nfold=2).booster) == "reg:squarederror"
    assert not [line for line in caplog.messages if "is taken" in line]


def test_estimators_know_what_their_labels_are() -> None:
    counts = np.digitize(Y, [-0.5, 0.5])
    model = kb.KauriRegressor(preset="best", rounds_budget=6).fit(X, counts)
    assert objective_of(model.get_booster()) == "reg:squarederror"


def test_what_was_found_can_be_explained_and_shown(tmp_path: Any) -> None:
    found = kb.fit_best(X, Y, rounds_budget=6, nfold=2)
    np.testing.assert_array_equal(kb.explain(found, X[:5]).values, kb.explain(found.booster, X[:5]).values)
    assert kb.permutation_importance(found, X, Y).metric == "rmse"


@pytest.mark.parametrize("dtype", [object, "category", "str"])
def test_classes_are_no_amounts(dtype: Any) -> None:
    """An objective of amounts would learn the places of the names."""
    names = pd.Series(np.where(Y > 0, "low", "high")).astype(dtype)
    for objective in ("reg:squarederror", "count:poisson", "survival:cox"):
        with pytest.raises(kb.ParameterError, match=rf"objective={objective} does not learn classes.*\(high, low\)"):
            kb.fit_best(X, names, params={"objective": objective}, rounds_budget=6)
    amounts = pd.Series(np.where(Y > 0, 20, 10)).astype("category")
    with pytest.raises(kb.ParameterError, match=r"2 of them \(10, 20\) as text or categories"):
        kb.fit_best(X, amounts, params={"objective": "reg:squarederror"}, rounds_budget=6)
    found = kb.fit_best(X, Y > 0, params={"objective": "reg:squarederror"}, rounds_budget=6, nfold=2)
    assert objective_of(found.booster) == "reg:squarederror"
