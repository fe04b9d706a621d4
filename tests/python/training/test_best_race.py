"""fit_best: kinds of trees that race for the budget if the labels are numeric."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np

RNG = np.random.default_rng(8)
DENSE = RNG.normal(size=(400, 6)).astype(np.float32)
SMOOTH = (DENSE[:, 0] + DENSE[:, 1] ** 2 + DENSE[:, 2] * DENSE[:, 3]).astype(np.float32)
NFOLD: dict[str, Any] = {"nfold": 2}


def kind_of(attempt: kb.Attempt) -> str:
    """Return the kind of trees: symmetric, with random thresholds, with noise, or plain."""
    if attempt.params.get("grow_policy") == "symmetric":
        return "symmetric"
    if attempt.params.get("extra_trees"):
        return "drawn"
    return "noisy" if "random_strength" in attempt.params else "shallow"


def rounds_of_race(attempt: kb.Attempt) -> int:
    """Return the number of rounds of a racing setting before one continues."""
    return int(np.ceil(8 / attempt.params["eta"] - 1e-9))


def test_the_better_one_goes_on() -> None:
    told: list[kb.Attempt] = []
    found = kb.fit_best(DENSE, SMOOTH, rounds_budget=150, on_attempt=told.append, **NFOLD)
    first, second, *later = told
    assert [kind_of(attempt) for attempt in (first, second)] == ["drawn", "symmetric"]
    assert [first.trained, second.trained] == [rounds_of_race(first), rounds_of_race(second)]
    assert first.is_cut
    assert second.is_cut
    assert second.score < first.score
    assert later == [found.attempts[1]]
    assert found.attempts[1].trained == 150 - first.trained
    assert found.attempts[0] == first
    assert found.trained == 150


def test_both_go_on_to_their_ends_where_the_budget_is_large() -> None:
    found = kb.fit_best(DENSE, SMOOTH, rounds_budget=2000, **NFOLD)
    assert not any(attempt.is_cut for attempt in found.attempts[:-1])
    assert {kind_of(attempt) for attempt in found.attempts[:4]} == {"drawn", "symmetric", "shallow", "noisy"}
    assert len(found.attempts) > 4


def test_a_race_is_as_long_whatever_the_budget() -> None:
    told: dict[int, list[kb.Attempt]] = {}
    for rounds in (30, 100, 134, 135, 400):
        told[rounds] = []
        kb.fit_best(DENSE, SMOOTH, rounds_budget=rounds, on_attempt=told[rounds].append, **NFOLD)
    assert [attempt.trained for attempt in told[30]] == [30]
    assert [attempt.trained for attempt in told[100]] == [80, 20]
    for rounds in (134, 135, 400):
        assert [attempt.trained for attempt in told[rounds]][:2] == [80, 54]


def test_one_that_fails_does_not_race() -> None:
    found = kb.fit_best(DENSE, SMOOTH, params={"multi_strategy": "multi_output_tree"}, rounds_budget=150, **NFOLD)
    assert [kind_of(attempt) for attempt in found.attempts[:2]] == ["drawn", "symmetric"]
    assert "vector leaves" in str(found.attempts[1].error)
    assert found.best.score is not None


def test_a_metric_that_fails_later_leaves_what_was_learnt() -> None:
    calls: list[int] = []

    def breaks_down(predictions: np.ndarray, data: kb.DMatrix) -> tuple[str, float]:
        calls.append(1)
        if len(calls) == 2 * (80 + 54) + 8:  # while the better one continues
            raise kb.DataError("no more")
        return "error", float(np.mean((predictions - data.get_label()) ** 2))

    told: dict[str, Any] = {"custom_metric": breaks_down, "maximize": False}
    found = kb.fit_best(DENSE, SMOOTH, rounds_budget=170, **told, **NFOLD)
    drawn, symmetric = found.attempts
    assert (symmetric.trained, symmetric.is_cut, symmetric.error) == (54, True, None)
    assert drawn.trained > 80
    assert found.trained == 170
    assert found.predict(DENSE).shape == (400,)


def test_classes_and_grades_do_not_race() -> None:
    classes = (SMOOTH > 1).astype(np.float32)
    for objective, more in (
        ("binary:logistic", {}),
        ("reg:logistic", {}),
        ("rank:ndcg", {"qid": np.arange(400) // 10}),
    ):
        found = kb.fit_best(DENSE, classes, params={"objective": objective}, rounds_budget=60, **more, **NFOLD)
        assert not any(kind_of(attempt) == "symmetric" for attempt in found.attempts)


def test_where_many_features_are_categories_there_is_no_race() -> None:
    rows = DENSE.copy()
    rows[:, 4:] = (np.arange(400) % 7)[:, None]
    labels = SMOOTH + 2 * (rows[:, 5] == 3)
    orders = {1: ["drawn", "symmetric", "shallow", "noisy"], 2: ["shallow", "drawn", "symmetric", "noisy"]}
    for n_categories, order in orders.items():
        known: dict[str, Any] = {"feature_types": ["q"] * (6 - n_categories) + ["c"] * n_categories}
        told: list[kb.Attempt] = []
        found = kb.fit_best(rows, labels, rounds_budget=900, on_attempt=told.append, **known, **NFOLD)
        assert [kind_of(attempt) for attempt in found.attempts[:4]] == order
        assert any(attempt.is_cut for attempt in told[:2]) == (n_categories == 1)
        assert all(attempt.error is None for attempt in found.attempts)
        again = kb.fit_best(rows, labels, rounds_budget=900, params={"nthread": 2}, **known, **NFOLD)
        assert again.booster.save_raw() == found.booster.save_raw()
