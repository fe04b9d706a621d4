"""Typical mistakes of users of other libraries: each message states the problem and the cure.

A case is a call and the words that its message must contain.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost import DataError, ParameterError
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor

N_ROWS = 60
X = np.random.default_rng(5).normal(size=(N_ROWS, 3)).astype(np.float32)
CLASSES = (X[:, 0] > 0).astype(int)
AMOUNTS = X[:, 0] + X[:, 1]
TEXTS = np.array(["no", "yes"], dtype=object)[CLASSES]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
CITIES = FRAME.assign(city=pd.Categorical(np.where(CLASSES, "Oslo", "Rome")))
CITIES_AS_TEXTS = CITIES.assign(city=CITIES["city"].astype(str))

Case = tuple[Callable[[], Any], type[Exception], list[str]]


def train(params: dict[str, Any] | None = None, rounds: Any = 1, **more: Any) -> kb.Booster:
    data = kb.DMatrix(X, label=CLASSES)
    return kb.train(params or {}, data, rounds, evals=more.pop("evals", [(data, "t")]), verbose_eval=False, **more)


def regressor(**params: Any) -> KauriRegressor:
    return KauriRegressor(**{"n_estimators": 1, **params})


def classifier(**params: Any) -> KauriClassifier:
    return KauriClassifier(**{"n_estimators": 1, **params})


def assert_refused(case: Case) -> None:
    call, kind, parts = case
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(kind) as refused:
            call()
    message = str(refused.value)
    assert all(part in message for part in parts), message


# ---- names of other libraries ----

OTHER_NAMES = {
    ("eval_metric", "accuracy"): "accuracy is 1 - error: use error, or merror",
    ("eval_metric", "binary_logloss"): "use logloss",
    ("eval_metric", "multi_error"): "use merror",
    ("eval_metric", "ROC_AUC"): "use auc",
    ("eval_metric", "average_precision"): "use aucpr",
    ("eval_metric", "l2"): "use rmse",
    ("eval_metric", "f1"): "custom_metric",
    ("objective", "binary"): "use binary:logistic",
    ("objective", "regression"): "use reg:squarederror",
    ("objective", "multiclass"): "use multi:softprob, with num_class",
    ("objective", "lambdarank"): "use rank:ndcg",
    ("objective", "Logloss"): "use binary:logistic",
    ("objective", "poisson"): "use count:poisson",
    ("booster", "gbdt"): "use gbtree",
}


NAME_DOORS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "train": train,
    "cv": lambda params: kb.cv(params, kb.DMatrix(X, label=CLASSES), 1),
    "booster": lambda params: kb.Booster(params).update(kb.DMatrix(X, label=CLASSES), 0),
    "estimator": lambda params: regressor(**params).fit(X, AMOUNTS, eval_set=[(X, AMOUNTS)]),
    "fit_best": lambda params: kb.fit_best(X, AMOUNTS, params=params, rounds_budget=10),
}


@pytest.mark.parametrize("door", NAME_DOORS)
@pytest.mark.parametrize(("name", "value"), OTHER_NAMES)
def test_names_of_other_libraries_are_told_their_cure(door: str, name: str, value: str) -> None:
    parts = [f"'{value}'; ", OTHER_NAMES[name, value]]
    assert_refused((lambda: NAME_DOORS[door]({name: value}), ParameterError, parts))


@pytest.mark.parametrize("door", NAME_DOORS)
def test_gpu_hist_on_the_cpu_is_told_its_cure(door: str) -> None:
    """The words differ where the CUDA plug-in is loaded, because it knows the name."""
    call = (lambda: NAME_DOORS[door]({"tree_method": "gpu_hist"}), ParameterError, ["gpu_hist", "tree_method=hist"])
    assert_refused(call)


@pytest.mark.parametrize(("value", "nearest"), [("ndgc", "'ndcg'"), ("loglos", "'logloss'"), ("rsme", "'rmse'")])
def test_misspelt_names_are_guessed(value: str, nearest: str) -> None:
    assert_refused((lambda: train({"eval_metric": value}), ParameterError, [f"did you mean {nearest}?"]))


@pytest.mark.parametrize("value", ["g2", "gini", "ks"])
def test_other_words_are_not(value: str) -> None:
    with pytest.raises(ParameterError, match=f"Unknown metric function '{value}'. Known: "):
        train({"eval_metric": value})


def test_a_base_score_without_a_gradient_is_named() -> None:
    """The mean 0 has the margin minus infinity."""
    data = kb.DMatrix(X, label=CLASSES)
    with pytest.raises(DataError, match="Check labels, base margins, base_score"):
        kb.train({"objective": "reg:tweedie", "base_score": 0}, data, 1)


# ---- labels ----


def with_label(value: Any, labels: Any = CLASSES) -> np.ndarray:
    """Return labels with another value in row 7."""
    made = np.array(labels, dtype=object if isinstance(value, str) or value is None else float)
    made[7] = value
    return made


LABELS: dict[str, Case] = {
    "texts in a matrix": (lambda: kb.DMatrix(X, label=TEXTS), DataError, ["KauriClassifier", "pd.factorize"]),
    "texts of NumPy's own kind": (
        lambda: kb.DMatrix(X, label=TEXTS.astype("U3")),
        DataError,
        ["KauriClassifier", "pd.factorize"],
    ),
    "categories": (
        lambda: kb.DMatrix(X, label=pd.Series(TEXTS).astype("category")),
        DataError,
        ["KauriClassifier", "pd.factorize"],
    ),
    "texts in a regression": (lambda: regressor().fit(X, TEXTS), DataError, ["KauriClassifier"]),
    "NaN": (lambda: classifier().fit(X, with_label(np.nan)), ValueError, ["NaN", "row 7 is nan", "drop"]),
    "infinite": (lambda: classifier().fit(X, with_label(np.inf)), ValueError, ["infinity", "row 7 is inf"]),
    "None among texts": (
        lambda: classifier().fit(X, np.where(np.arange(N_ROWS) == 7, None, TEXTS)),
        ValueError,
        ["NaN", "row 7 is None"],
    ),
    "pd.NA": (
        lambda: classifier().fit(X, pd.Series(CLASSES, dtype="Int64").mask(pd.Series(range(N_ROWS)) == 7)),
        ValueError,
        ["NaN", "row 7"],
    ),
    "NaN in eval_set": (
        lambda: classifier().fit(X, CLASSES, eval_set=[(X, with_label(np.nan))]),
        ValueError,
        ["NaN", "row 7 is nan"],
    ),
    "NaN in refit": (
        lambda: classifier().fit(X, CLASSES).refit(X, with_label(np.nan)),
        ValueError,
        ["NaN", "row 7 is nan"],
    ),
    "zeros of Tweedie": (
        lambda: kb.train({"objective": "reg:tweedie"}, kb.DMatrix(X, label=np.zeros(N_ROWS)), 1),
        DataError,
        ["reg:tweedie: every label is 0", "base_score"],
    ),
    "zeros of Tweedie in an estimator": (
        lambda: regressor(objective="reg:tweedie").fit(X, np.zeros(N_ROWS)),
        DataError,
        ["reg:tweedie: every label is 0", "base_score"],
    ),
    "zeros of gamma": (
        lambda: kb.train({"objective": "reg:gamma"}, kb.DMatrix(X, label=np.zeros(N_ROWS)), 1),
        DataError,
        ["reg:gamma: label 0 of row 0", "positive"],
    ),
}


@pytest.mark.parametrize("case", LABELS.values(), ids=LABELS.keys())
def test_labels(case: Case) -> None:
    assert_refused(case)


@pytest.mark.parametrize(("label", "shown"), [(0, "0"), ("a", "'a'")])
def test_a_single_class_is_told(label: Any, shown: str) -> None:
    with pytest.warns(UserWarning, match=f"the class {shown} alone") as told:
        model = classifier().fit(X, np.array([label] * N_ROWS))
    assert told[0].filename == __file__
    assert set(model.predict(X)) == {label}


def test_zeros_are_learnt_where_there_is_something_to_start_from() -> None:
    zeros = kb.DMatrix(X, label=np.zeros(N_ROWS))
    assert np.all(kb.train({"objective": "count:poisson"}, zeros, 2).predict(zeros) == 0)
    tweedie = kb.train({"objective": "reg:tweedie", "base_score": 0.5}, zeros, 2).predict(zeros)
    assert np.all((tweedie > 0) & (tweedie < 0.5))
    margins = kb.DMatrix(X, label=np.zeros(N_ROWS), base_margin=np.zeros(N_ROWS))
    assert np.all(kb.train({"objective": "reg:tweedie"}, margins, 2).predict(margins) < 1)


# ---- columns ----

COLUMNS: dict[str, tuple[Any, list[str]]] = {
    "objects that are numbers": (FRAME["b"].astype(object), ["b (object)", ".astype(float)"]),
    "dates": (pd.date_range("2020-01-01", periods=N_ROWS), [".dt.year"]),
    "objects that are dates": ([datetime.date(2020, 1, 1)] * N_ROWS, [".dt.year", "pd.to_datetime"]),
    "durations": (pd.to_timedelta(np.arange(N_ROWS), "h"), [".dt.total_seconds()"]),
}


@pytest.mark.parametrize("make", [kb.DMatrix, lambda frame: regressor().fit(frame, AMOUNTS)], ids=["matrix", "fit"])
@pytest.mark.parametrize("column", COLUMNS)
def test_columns_without_numbers(column: str, make: Callable[[Any], Any]) -> None:
    values, parts = COLUMNS[column]
    assert_refused((lambda: make(FRAME.assign(b=values)), DataError, parts))


def test_texts_that_are_numbers() -> None:
    frame = FRAME.assign(b=FRAME["b"].astype(str))
    parts = ["column 1 ('b') holds text that is numbers", ".astype(float)"]
    assert_refused((lambda: kb.train({}, kb.DMatrix(frame, label=AMOUNTS), 1), DataError, parts))
    assert_refused((lambda: regressor().fit(frame, AMOUNTS), DataError, parts))


def test_columns_of_arrow_without_numbers() -> None:
    polars = pytest.importorskip("polars")
    dates = polars.DataFrame({"a": [datetime.date(2020, 1, 1)]})
    assert_refused((lambda: kb.DMatrix(dates), DataError, ["'a' holds times", "year"]))


def booster_of_cities() -> kb.Booster:
    return kb.train({}, kb.DMatrix(CITIES, label=AMOUNTS), 1)


FORMER_CATEGORIES: dict[str, Callable[[Any], Any]] = {
    "predict": lambda rows: regressor().fit(CITIES, AMOUNTS).predict(rows),
    "predict_proba": lambda rows: classifier().fit(CITIES, CLASSES).predict_proba(rows),
    "staged": lambda rows: list(regressor().fit(CITIES, AMOUNTS).staged_predict(rows)),
    "apply": lambda rows: regressor().fit(CITIES, AMOUNTS).apply(rows),
    "inplace": lambda rows: booster_of_cities().inplace_predict(rows),
    "explain": lambda rows: kb.explain(booster_of_cities(), rows),
    "explain an estimator": lambda rows: kb.explain(regressor().fit(CITIES, AMOUNTS), rows),
}


@pytest.mark.parametrize("door", FORMER_CATEGORIES)
def test_texts_where_categories_were_learnt(door: str) -> None:
    expected = FORMER_CATEGORIES[door](CITIES)
    found = FORMER_CATEGORIES[door](CITIES_AS_TEXTS)
    assert np.array_equal(getattr(found, "values", found), getattr(expected, "values", expected))
    mixed = CITIES.assign(city=["Oslo", 1] * (N_ROWS // 2))
    parts = ["'city' held categories in training", ".astype('category')"]
    assert_refused((lambda: FORMER_CATEGORIES[door](mixed), DataError, parts))


NOTHING = pd.DataFrame(index=range(N_ROWS))
SHAPES: dict[str, Case] = {
    "no columns": (
        lambda: kb.train({}, kb.DMatrix(NOTHING, label=CLASSES), 1),
        DataError,
        [f"{N_ROWS} rows without columns"],
    ),
    "no columns, bins": (lambda: kb.QuantileDMatrix(NOTHING, label=CLASSES), DataError, ["no columns"]),
    "no columns, estimator": (
        lambda: regressor().fit(NOTHING, AMOUNTS),
        ValueError,
        [f"0 feature(s) (shape=({N_ROWS}, 0)) while a minimum of 1 is required by KauriRegressor"],
    ),
    "no rows, regressor": (
        lambda: regressor().fit(FRAME[:0], AMOUNTS[:0]),
        ValueError,
        ["0 sample(s) (shape=(0, 3))", "minimum of 1 is required by KauriRegressor"],
    ),
    "no rows, classifier": (lambda: classifier().fit(FRAME[:0], CLASSES[:0]), ValueError, ["0 sample(s)"]),
    "no rows, ranker": (
        lambda: KauriRanker(n_estimators=1).fit(FRAME[:0], CLASSES[:0], qid=CLASSES[:0]),
        ValueError,
        ["0 sample(s)", "KauriRanker"],
    ),
    "no rows, best": (lambda: kb.fit_best(FRAME[:0], AMOUNTS[:0], rounds_budget=5), DataError, ["0 rows"]),
}


@pytest.mark.parametrize("case", SHAPES.values(), ids=SHAPES.keys())
def test_tables_without_rows_or_columns(case: Case) -> None:
    assert_refused(case)


def test_a_frame_without_columns_has_its_rows() -> None:
    assert kb.DMatrix(NOTHING, label=CLASSES).shape == (N_ROWS, 0)


# ---- arguments ----

DATA = kb.DMatrix(X, label=CLASSES)
ARGUMENTS: dict[str, Case] = {
    "rounds of an estimator": (
        lambda: regressor(n_estimators="many").fit(X, AMOUNTS),
        ParameterError,
        ["n_estimators is 'many'", "whole number"],
    ),
    "negative rounds": (lambda: regressor(n_estimators=-1).fit(X, AMOUNTS), ParameterError, ["n_estimators is -1"]),
    "rounds": (lambda: train(rounds="many"), ParameterError, ["num_boost_round is 'many'", "whole number"]),
    "part of a round": (lambda: train(rounds=2.5), ParameterError, ["num_boost_round is 2.5"]),
    "NaN rounds": (lambda: train(rounds=float("nan")), ParameterError, ["num_boost_round is nan"]),
    "no rounds": (lambda: train(rounds=None), ParameterError, ["num_boost_round is None"]),
    "rounds of cv": (lambda: kb.cv({}, DATA, "many"), ParameterError, ["num_boost_round is 'many'"]),
    "patience": (
        lambda: train(early_stopping_rounds="many"),
        ParameterError,
        ["early_stopping_rounds is 'many'"],
    ),
    "patience of an estimator": (
        lambda: regressor(early_stopping_rounds="many").fit(X, AMOUNTS, eval_set=[(X, AMOUNTS)]),
        ParameterError,
        ["early_stopping_rounds is 'many'"],
    ),
    "a matrix as evals": (
        lambda: train(evals=DATA),
        TypeError,
        ["evals must be (DMatrix, name) pairs", "DMatrix;", 'evals=[(matrix, "name")]'],
    ),
    "a pair as evals": (lambda: train(evals=(DATA, "t")), TypeError, ['evals=[(matrix, "name")]']),
    "a number as evals": (lambda: train(evals=5), TypeError, ["(DMatrix, name) pairs", "int"]),
    "no queries": (
        lambda: KauriRanker(n_estimators=1).fit(X, CLASSES),
        ValueError,
        ["has neither qid nor group", "pass group"],
    ),
    "no queries of eval_set": (
        lambda: KauriRanker(n_estimators=1).fit(X, CLASSES, group=[N_ROWS], eval_set=[(X, CLASSES)]),
        ValueError,
        ["has neither qid nor group", "eval_group"],
    ),
    "queries twice": (
        lambda: KauriRanker(n_estimators=1).fit(FRAME.assign(qid=0), CLASSES, group=[N_ROWS]),
        ValueError,
        ["needs the queries of the rows once", "2 times"],
    ),
    "patience without data": (
        lambda: classifier(early_stopping_rounds=2, validation_fraction=None).fit(X, CLASSES),
        ValueError,
        ["eval_set", "X_val and y_val", "validation_fraction=0.1"],
    ),
}


@pytest.mark.parametrize("case", ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments(case: Case) -> None:
    assert_refused(case)


def test_whole_floats_are_numbers_of_rounds() -> None:
    assert train(rounds=3.0).num_boosted_rounds() == 3
    assert regressor(n_estimators=np.float64(2)).fit(X, AMOUNTS).get_booster().num_boosted_rounds() == 2


MATRIX_DOORS: dict[str, Callable[[kb.DMatrix], Any]] = {
    "predict": lambda data: regressor().fit(X, AMOUNTS).predict(data),
    "predict_proba": lambda data: classifier().fit(X, CLASSES).predict_proba(data),
    "apply": lambda data: regressor().fit(X, AMOUNTS).apply(data),
    "score": lambda data: regressor().fit(X, AMOUNTS).score(data, AMOUNTS),
    "fit": lambda data: regressor().fit(data, AMOUNTS),
    "eval_set": lambda data: regressor().fit(X, AMOUNTS, eval_set=[(data, AMOUNTS)]),
    "inplace_predict": lambda data: kb.train({}, DATA, 1).inplace_predict(data),
    "another matrix": kb.DMatrix,
}


@pytest.mark.parametrize("door", MATRIX_DOORS)
@pytest.mark.parametrize("kind", [kb.DMatrix, kb.QuantileDMatrix])
def test_a_matrix_where_a_table_belongs(door: str, kind: type[kb.DMatrix]) -> None:
    parts = [f"is a {kind.__name__}", "estimators", "frames and arrays"]
    assert_refused((lambda: MATRIX_DOORS[door](kind(X)), DataError, parts))


# ---- several metrics ----

SEVERAL = ["rmse", "mae"]
SEQUENCES = [SEVERAL, tuple(SEVERAL), np.array(SEVERAL), np.array(SEVERAL, dtype=object), pd.Series(SEVERAL)]


@pytest.mark.parametrize("metrics", SEQUENCES, ids=["list", "tuple", "array", "objects", "series"])
def test_any_sequence_names_several_metrics(metrics: Any) -> None:
    history: dict[str, Any] = {}
    train({"eval_metric": metrics}, evals_result=history)
    assert list(history["t"]) == SEVERAL
    booster = kb.Booster({"objective": "reg:squarederror"}, [DATA])
    booster.set_param({"eval_metric": metrics})
    assert booster.eval(DATA).count(":") == 2
    model = regressor(eval_metric=metrics).fit(X, AMOUNTS, eval_set=[(X, AMOUNTS)])
    assert list(model.evals_result()["validation_0"]) == SEVERAL
    assert [name for name in kb.cv({"eval_metric": metrics}, DATA, 1) if name.startswith("test-mae")]


@pytest.mark.parametrize("metric", [np.array("mae"), np.str_("mae"), np.array(["mae"])])
def test_one_metric_of_numpy(metric: Any) -> None:
    history: dict[str, Any] = {}
    train({"eval_metric": metric}, evals_result=history)
    assert list(history["t"]) == ["mae"]
