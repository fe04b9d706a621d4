"""Predictions after each round equal predictions with the rounds so far."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

ROUNDS = 7


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(900, 4)).astype(np.float32)
    features[rng.random(features.shape) < 0.1] = np.nan
    return features, np.nan_to_num(features[:, 0]) + rng.normal(size=900) / 3


def expect_stages(found: Any, predict: Any, n_rounds: int) -> None:
    """Check that the i-th item of `found` equals `predict` with the rounds [0, i + 1)."""
    stages = list(found)
    assert len(stages) == n_rounds
    for i, stage in enumerate(stages):
        np.testing.assert_array_equal(stage, predict(iteration_range=(0, i + 1)))


REGRESSORS: dict[str, dict[str, Any]] = {
    "plain": {},
    "forest": {"num_parallel_tree": 3, "subsample": 0.5},
    "poisson": {"objective": "count:poisson"},
    "quantiles": {"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.5, 0.9]},
    "expectiles": {"objective": "reg:expectileerror", "expectile_alpha": [0.1, 0.9]},
    "vectors": {"multi_strategy": "multi_output_tree"},
    "fair": {"objective": "reg:fair"},
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name: str, rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    labels = np.exp(labels) if name == "poisson" else np.c_[labels, -labels] if name == "vectors" else labels
    model = kb.KauriRegressor(n_estimators=ROUNDS, **REGRESSORS[name]).fit(features, labels)
    expect_stages(model.staged_predict(features), lambda **how: model.predict(features, **how), ROUNDS)


@pytest.mark.parametrize("objective", [None, "binary:focal", "binary:logitraw", "binary:hinge"])
def test_two_classes(objective: str | None, rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    names = np.where(labels > 0, "yes", "no")
    model = kb.KauriClassifier(n_estimators=ROUNDS, objective=objective).fit(features, names)
    expect_stages(model.staged_predict(features), lambda **how: model.predict(features, **how), ROUNDS)
    expect_stages(model.staged_predict_proba(features), lambda **how: model.predict_proba(features, **how), ROUNDS)


@pytest.mark.parametrize("objective", ["multi:softprob", "multi:softmax"])
def test_several_classes(objective: str, rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    names = np.array(["low", "mid", "top"])[np.digitize(labels, [-0.5, 0.5])]
    model = kb.KauriClassifier(n_estimators=ROUNDS, objective=objective).fit(features, names)
    expect_stages(model.staged_predict(features), lambda **how: model.predict(features, **how), ROUNDS)
    expect_stages(model.staged_predict_proba(features), lambda **how: model.predict_proba(features, **how), ROUNDS)


def test_queries(rows: tuple[np.ndarray, np.ndarray]) -> None:
    pd = pytest.importorskip("pandas")
    features, labels = rows
    grades, query = np.digitize(labels, [-0.5, 0.5]), np.repeat(np.arange(90), 10)
    frame = pd.DataFrame(features, columns=list("abcd"))
    model = kb.KauriRanker(n_estimators=ROUNDS).fit(frame, grades, qid=query)
    margins = labels.astype(np.float32)
    for given in (frame, frame.assign(qid=query)):
        for base in (None, margins):
            found = model.staged_predict(given, base_margin=base)
            expect_stages(found, lambda base=base, **how: model.predict(frame, base_margin=base, **how), ROUNDS)


def test_the_best_round_ends_and_a_range_chooses(rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    model = kb.KauriRegressor(n_estimators=200, early_stopping_rounds=3, learning_rate=0.5)
    model.fit(features[:600], labels[:600], eval_set=[(features[600:], labels[600:])])
    stages = list(model.staged_predict(features))
    assert len(stages) == model.best_iteration + 1 < 200
    np.testing.assert_array_equal(stages[-1], model.predict(features))
    some = list(model.staged_predict(features, iteration_range=(1, 3)))
    assert len(some) == 2
    np.testing.assert_array_equal(some[-1], model.predict(features, iteration_range=(1, 3)))


def test_from_base_margins_and_frames(rows: tuple[np.ndarray, np.ndarray]) -> None:
    pd = pytest.importorskip("pandas")
    features, labels = rows
    frame = pd.DataFrame(features, columns=list("abcd"))
    model = kb.KauriRegressor(n_estimators=ROUNDS).fit(frame, labels)
    margins = labels.astype(np.float32)
    found = model.staged_predict(frame[:5], base_margin=margins[:5])
    expect_stages(found, lambda **how: model.predict(frame[:5], base_margin=margins[:5], **how), ROUNDS)
    with pytest.raises(ValueError, match="expecting 4 features"):
        next(model.staged_predict(features[:, :3]))
    with pytest.raises(kb.KauriError, match="feature"):
        next(model.staged_predict(frame.rename(columns={"a": "z"})))
    expect_stages(model.staged_predict(frame), lambda **how: model.predict(frame, **how), ROUNDS)


def test_before_fit(rows: tuple[np.ndarray, np.ndarray]) -> None:
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        kb.KauriRegressor().staged_predict(rows[0])


def test_intervals_are_staged_as_medians(rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    model = kb.KauriRegressor(n_estimators=ROUNDS).fit_intervals(features, labels, nfold=3)
    expect_stages(model.staged_predict(features), lambda **how: model.predict(features, **how), ROUNDS)
    with pytest.raises(ValueError, match="leave it out"):
        next(model.staged_predict(features, base_margin=np.zeros((900, 3))))


@pytest.mark.parametrize("rounds", [(5, 3), (0, ROUNDS + 1), (-1, 3), (ROUNDS + 1, 0)])
def test_ranges_that_do_not_fit(rounds: tuple[int, int], rows: tuple[np.ndarray, np.ndarray]) -> None:
    model = kb.KauriRegressor(n_estimators=ROUNDS).fit(*rows)
    for call in (model.predict, model.staged_predict):
        with pytest.raises(kb.ParameterError, match="range"):
            call(rows[0], iteration_range=rounds)


def test_trees_alone_have_stages(rows: tuple[np.ndarray, np.ndarray]) -> None:
    features, labels = rows
    model = kb.KauriRegressor(n_estimators=ROUNDS, booster="gblinear").fit(features, labels)
    with pytest.raises(kb.ParameterError, match="gblinear"):
        model.staged_predict(features)
    dropped = kb.KauriRegressor(n_estimators=ROUNDS, booster="dart", rate_drop=0.5).fit(features, labels)
    expect_stages(dropped.staged_predict(features), lambda **how: dropped.predict(features, **how), ROUNDS)
