"""Rows to evaluate, under the argument names of scikit-learn and LightGBM, and in pipelines."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import sklearn
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SMALL: dict[str, Any] = {"n_estimators": 40, "max_depth": 3, "learning_rate": 0.5, "n_jobs": 1}
STOPPING: dict[str, Any] = {**SMALL, "early_stopping_rounds": 3}
SPELLINGS = [("X_val", "y_val", "sample_weight_val"), ("eval_X", "eval_y", "eval_sample_weight")]
ESTIMATORS = [kb.KauriRegressor, kb.KauriClassifier, kb.KauriRanker]


def rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=n) > 0).astype(np.int64)


X, Y = rows(300, 0)
X_NEW, Y_NEW = rows(100, 1)
WEIGHTS = np.random.default_rng(2).uniform(0.5, 2, 100)
QID, QID_NEW = np.repeat(np.arange(30), 10), np.repeat(np.arange(10), 10)


def queries_of(estimator: Any) -> dict[str, Any]:
    return {"qid": QID, "eval_qid": [QID_NEW]} if estimator is kb.KauriRanker else {}


def raw(model: Any) -> bytes:
    return bytes(model.get_booster().save_raw("ubj"))


@pytest.mark.parametrize("names", SPELLINGS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_both_spellings_mean_an_eval_set(estimator: Any, names: tuple[str, str, str]) -> None:
    weights = WEIGHTS[:10] if estimator is kb.KauriRanker else WEIGHTS
    how = queries_of(estimator)
    expected = estimator(**STOPPING).fit(X, Y, eval_set=[(X_NEW, Y_NEW)], sample_weight_eval_set=[weights], **how)
    for given in (weights, [weights]):
        found = estimator(**STOPPING).fit(X, Y, **dict(zip(names, (X_NEW, Y_NEW, given))), **how)
        assert found.evals_result() == expected.evals_result()
        assert raw(found) == raw(expected)


def test_tuples_are_several_sets() -> None:
    expected = kb.KauriRegressor(**STOPPING).fit(
        X, Y, eval_set=[(X, Y), (X_NEW, Y_NEW)], sample_weight_eval_set=[None, WEIGHTS]
    )
    found = kb.KauriRegressor(**STOPPING).fit(
        X, Y, eval_X=(X, X_NEW), eval_y=(Y, Y_NEW), eval_sample_weight=(None, WEIGHTS)
    )
    assert list(found.evals_result()) == ["validation_0", "validation_1"]
    assert found.evals_result() == expected.evals_result()


def test_fields_of_the_one_set_need_no_list() -> None:
    ranker = kb.KauriRanker(**STOPPING)
    expected = raw(ranker.fit(X, Y, qid=QID, eval_set=[(X_NEW, Y_NEW)], eval_group=[[10] * 10]))
    for how in ({"eval_qid": QID_NEW}, {"eval_qid": [QID_NEW]}, {"eval_group": [10] * 10}, {"eval_group": [[10] * 10]}):
        assert raw(ranker.fit(X, Y, qid=QID, X_val=X_NEW, y_val=Y_NEW, **how)) == expected
    one_query = ranker.fit(X, Y, qid=QID, X_val=X_NEW, y_val=Y_NEW, eval_group=[100])
    assert list(one_query.evals_result()) == ["validation_0"]


def test_a_column_qid_of_the_rows_is_enough() -> None:
    pd = pytest.importorskip("pandas")
    ranker = kb.KauriRanker(**STOPPING)
    expected = raw(ranker.fit(X, Y, qid=QID, X_val=X_NEW, y_val=Y_NEW, eval_qid=QID_NEW))
    told = pd.DataFrame(X_NEW).rename(columns=str).assign(qid=QID_NEW)
    train = pd.DataFrame(X).rename(columns=str).assign(qid=QID)
    named = ranker.fit(train, Y, X_val=told, y_val=Y_NEW)
    assert named.best_iteration == ranker.best_iteration
    np.testing.assert_array_equal(named.predict(train), ranker.predict(train))
    assert expected


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"X_val": X_NEW}, "X_val is given, and the rows to evaluate need both X_val and y_val"),
        ({"y_val": Y_NEW}, "y_val is given, and the rows to evaluate need both X_val and y_val"),
        ({"eval_sample_weight": WEIGHTS}, "eval_sample_weight is given, .* both eval_X and eval_y"),
        ({"X_val": X_NEW, "eval_y": Y_NEW}, "X_val and eval_y are both given"),
        ({"X_val": X_NEW, "y_val": Y_NEW, "eval_X": X_NEW, "eval_y": Y_NEW}, "X_val and eval_X are both given"),
        ({"X_val": X_NEW, "y_val": Y_NEW, "eval_set": [(X, Y)]}, "X_val and eval_set are both given"),
        ({"X_val": (X_NEW, X), "y_val": Y_NEW}, "one set each, or tuples of the same number"),
        ({"eval_X": (X_NEW, X), "eval_y": (Y_NEW,)}, "one set each, or tuples of the same number"),
        (
            {"X_val": X_NEW, "y_val": Y_NEW, "sample_weight_val": WEIGHTS, "sample_weight_eval_set": [WEIGHTS]},
            "sample_weight_val and sample_weight_eval_set are both given",
        ),
        ({"X_val": (X_NEW, X), "y_val": (Y_NEW, Y), "sample_weight_val": [WEIGHTS]}, "2 pairs .* 1 entries"),
        ({"X_val": X_NEW, "y_val": Y_NEW[:5]}, "label"),
    ],
)
def test_what_is_given_twice_or_in_part_is_refused(given: dict[str, Any], words: str) -> None:
    model = kb.KauriRegressor(**SMALL).fit(X, Y)
    before = raw(model)
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y, **given)
    assert raw(model) == before


# ---- pipelines ----


@pytest.fixture
def _routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("names", SPELLINGS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_pipeline_transforms_the_rows_to_evaluate(estimator: Any, names: tuple[str, str, str]) -> None:
    rows_name, labels_name, weights_name = names
    asked = {rows_name: True, labels_name: True, weights_name: True}
    queries = queries_of(estimator)
    weights = WEIGHTS[:10] if queries else WEIGHTS
    model = estimator(**STOPPING).set_fit_request(**asked, **dict.fromkeys(queries, True))
    pipeline = make_pipeline(StandardScaler(), model, transform_input=[rows_name])
    given = {rows_name: X_NEW * 3 + 1, labels_name: Y_NEW, weights_name: weights}
    pipeline.fit(X * 3 + 1, Y, **given, **queries)
    scaler = StandardScaler().fit(X * 3 + 1)
    alone = estimator(**STOPPING).fit(
        scaler.transform(X * 3 + 1),
        Y,
        eval_set=[(scaler.transform(X_NEW * 3 + 1), Y_NEW)],
        sample_weight_eval_set=[weights],
        **queries,
    )
    found = pipeline[-1]
    assert found.best_iteration < SMALL["n_estimators"] - 1
    assert found.evals_result() == alone.evals_result()
    assert raw(found) == raw(alone)


@pytest.mark.usefixtures("_routing")
def test_a_pipeline_transforms_each_of_several_sets() -> None:
    model = kb.KauriClassifier(**STOPPING).set_fit_request(eval_X=True, eval_y=True)
    pipeline = make_pipeline(StandardScaler(), model, transform_input=["eval_X"])
    pipeline.fit(X, Y, eval_X=(X, X_NEW), eval_y=(Y, Y_NEW))
    assert list(pipeline[-1].evals_result()) == ["validation_0", "validation_1"]


# ---- rows held out without being asked ----


@pytest.mark.parametrize("by_callback", [False, True])
def test_early_stopping_holds_out_a_tenth_and_says_so(by_callback: bool, caplog: pytest.LogCaptureFixture) -> None:
    how = {"callbacks": [kb.callback.EarlyStopping(rounds=3)]} if by_callback else {"early_stopping_rounds": 3}
    with caplog.at_level(logging.INFO, logger="kauriboost"):
        model = kb.KauriRegressor(**SMALL, **how).fit(X, Y)
    (said,) = [text for text in caplog.messages if "leaves out" in text]
    assert said.startswith("early stopping watches 30 of 300 rows")
    assert "validation_fraction=0.1" in said
    held = np.sort(kb.shuffle(300, 0, 30))
    kept = np.setdiff1d(np.arange(300), held)
    expected = kb.KauriRegressor(**STOPPING).fit(X[kept], Y[kept], eval_set=[(X[held], Y[held])])
    assert raw(model) == raw(expected)
    assert model.best_iteration < SMALL["n_estimators"] - 1


def test_nothing_is_held_out_without_early_stopping(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="kauriboost"):
        model = kb.KauriRegressor(**SMALL).fit(X, Y)
    assert not caplog.messages
    assert raw(model) == raw(kb.KauriRegressor(validation_fraction=None, **SMALL).fit(X, Y))


def test_none_holds_out_nothing() -> None:
    with pytest.raises(ValueError, match=r"eval_set \(or X_val and y_val\)"):
        kb.KauriRegressor(validation_fraction=None, **STOPPING).fit(X, Y)


def test_a_failed_fit_keeps_the_evaluations() -> None:
    model = kb.KauriRegressor(**SMALL).fit(X, Y, X_val=X_NEW, y_val=Y_NEW)
    before = model.evals_result()
    with pytest.raises(kb.ParameterError):
        model.set_params(max_depth=-3).fit(X, Y, X_val=X_NEW, y_val=Y_NEW)
    assert model.evals_result() is before


def test_no_columns_or_wrong_numbers_of_them_name_the_expected() -> None:
    pd = pytest.importorskip("pandas")
    model = kb.KauriRegressor(**SMALL).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.raises(ValueError, match="expecting 4 features as input: 'a', 'b', 'c', 'd'"):
        model.predict(X[:, :3])


@pytest.mark.parametrize("y", [Y, (Y, Y + 1)])
def test_bounds_of_survival_times_are_for_train(y: Any) -> None:
    with pytest.raises(ValueError, match=r"survival:aft, which learns from two bounds .* label_lower_bound"):
        kb.KauriRegressor(objective="survival:aft").fit(X, y)
