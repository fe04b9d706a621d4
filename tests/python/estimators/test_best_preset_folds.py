"""Estimators with preset="best" on given folds, and on folds that keep groups whole."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import sklearn
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor, KauriRFRegressor
from sklearn.model_selection import GridSearchCV, GroupKFold, TimeSeriesSplit, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

RNG = np.random.default_rng(8)
X = RNG.normal(size=(300, 3))
Y = X[:, 0] + RNG.normal(scale=0.3, size=300)
CLASSES = np.where(Y > 0.4, "high", np.where(Y < -0.4, "low", "some"))
PATIENTS = np.arange(300) // 6
HALVES = [(np.arange(150), np.arange(150, 300)), (np.arange(150, 300), np.arange(150))]
BEST: dict[str, Any] = {"preset": "best", "rounds_budget": 12, "random_state": 3}
WAYS: list[dict[str, Any]] = [
    {"groups": PATIENTS},
    {"groups": [f"patient {one}" for one in PATIENTS], "nfold": 3},
    {"folds": TimeSeriesSplit(3)},
    {"folds": HALVES},
    {"folds": GroupKFold(4), "groups": PATIENTS},
    {"nfold": 3},
]


@pytest.mark.parametrize("how", WAYS, ids=["groups", "texts", "time", "pairs", "splitter", "nfold"])
def test_a_regressor_has_the_model_of_fit_best(how: dict[str, Any]) -> None:
    model = KauriRegressor(**BEST).fit(X, Y, **how)
    params = {"random_state": 3, "objective": "reg:squarederror"}
    found = kb.fit_best(X, Y, params=params, seed=3, rounds_budget=12, **how)
    np.testing.assert_array_equal(model.predict(X), found.predict(X))
    assert model.best_fit_.score == found.score
    plain = KauriRegressor(**BEST).fit(X, Y)
    assert plain.best_fit_.score != found.score


def test_a_classifier_has_the_model_of_fit_best() -> None:
    model = KauriClassifier(**BEST).fit(X, CLASSES, groups=PATIENTS)
    found = kb.fit_best(X, CLASSES, params={"random_state": 3}, seed=3, rounds_budget=12, groups=PATIENTS)
    assert found.classes_ is not None
    assert model.classes_.tolist() == found.classes_.tolist()
    np.testing.assert_array_equal(model.predict_proba(X), found.predict_proba(X))


def test_a_ranker_keeps_queries_of_a_group_together() -> None:
    qid, grades = np.arange(300) // 5, np.digitize(Y, [-0.5, 0.5])
    users = np.arange(300) // 30
    model = KauriRanker(**BEST).fit(X, grades, qid=qid, groups=users)
    params = {"random_state": 3, "objective": "rank:ndcg"}
    found = kb.fit_best(X, grades, params=params, seed=3, rounds_budget=12, qid=qid, groups=users)
    np.testing.assert_array_equal(model.predict(X), found.predict(X))
    with pytest.raises(ValueError, match="groups has several values within query"):
        KauriRanker(**BEST).fit(X, grades, qid=qid, groups=np.arange(300))


def test_pipelines_and_routing_pass_groups_on() -> None:
    scaled = make_pipeline(StandardScaler(), KauriRegressor(**BEST)).fit(X, Y, kauriregressor__groups=PATIENTS)
    with sklearn.config_context(enable_metadata_routing=True):
        model = KauriRegressor(**BEST).set_fit_request(groups=True)
        routed = make_pipeline(StandardScaler(), model).fit(X, Y, groups=PATIENTS)
    np.testing.assert_array_equal(routed.predict(X), scaled.predict(X))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"groups": PATIENTS[:-1]}, "groups has the shape"),
        ({"groups": PATIENTS, "folds": [HALVES[0], (np.arange(149), np.arange(149, 300))]}, "has rows of group"),
        ({"groups": np.zeros(300)}, "nfold is 5; expected 2 to 1, the number of groups"),
        ({"folds": GroupKFold(3)}, "needs the groups of the rows; pass groups= to fit_best or to fit of an estimator"),
        ({"folds": 3}, "pass nfold=3"),
        ({"nfold": 1}, "nfold is 1; expected 2 to 300"),
    ],
)
def test_wrong_folds_leave_the_estimator_as_it_was(how: dict[str, Any], message: str) -> None:
    model = KauriClassifier(**BEST).fit(X, CLASSES)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y > 0, **how)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.classes_.tolist() == ["high", "low", "some"]


@pytest.mark.parametrize("how", [{"groups": PATIENTS}, {"folds": HALVES}, {"nfold": 3}], ids=lambda how: str(list(how)))
@pytest.mark.parametrize("model", [KauriRegressor(), KauriClassifier(), KauriRFRegressor()], ids=lambda m: str(type(m)))
def test_one_training_has_no_folds(model: Any, how: dict[str, Any]) -> None:
    labels = CLASSES if isinstance(model, KauriClassifier) else Y
    with pytest.raises(ValueError, match=f"{next(iter(how))} is for the folds of preset='best'"):
        model.fit(X, labels, **how)
    assert not hasattr(model, "_booster")


@pytest.mark.parametrize(("kind", "y"), [(KauriRegressor, Y), (KauriClassifier, CLASSES)])
def test_groups_are_for_the_splitter_if_there_is_no_preset(kind: Any, y: np.ndarray) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_validate(kind(n_estimators=2), X, y, params={"groups": PATIENTS}, cv=GroupKFold(3))
        assert np.isfinite(scores["test_score"]).all()
        pipeline = make_pipeline(StandardScaler(), kind(n_estimators=2))
        space = {f"{kind.__name__.lower()}__max_depth": [1, 2]}
        GridSearchCV(pipeline, space, cv=GroupKFold(3)).fit(X, y, groups=PATIENTS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nfold": 2.5}, "nfold is 2.5; expected a whole number"),
        ({"nfold": "3"}, "nfold is '3'; expected a whole number"),
        ({"folds": "kfold"}, "folds is 'kfold'; give pairs"),
        ({"folds": iter([])}, "A generator gives them only once"),
    ],
)
def test_folds_that_are_none_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(kb.ParameterError, match=message):
        KauriRegressor(**BEST).fit(X, Y, **given)
