"""fit_best for classification: shared trees for all classes, if possible."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from best_rows import CLASSES, FEW, X, Y


def test_classes_begin_at_twice_the_rate() -> None:
    classes = {"objective": "multi:softprob", "num_class": 3}
    of_numbers = kb.fit_best(X, Y, **FEW)
    of_classes = kb.fit_best(X, np.digitize(Y, [-0.5, 0.5]), params=classes, **FEW)
    told = kb.fit_best(X, np.digitize(Y, [-0.5, 0.5]), params={**classes, "eta": 0.3}, **FEW)
    assert of_numbers.attempts[0].params["eta"] == 0.1
    assert of_classes.attempts[0].params["eta"] == 0.2
    assert "eta" not in told.attempts[0].params


@pytest.mark.parametrize("n", [3, 12])
def test_classes_share_their_trees(n: int) -> None:
    classes = np.digitize(Y, np.linspace(-1.2, 1.2, n - 1))
    params = {"objective": "multi:softprob", "num_class": n}
    one_setting: dict[str, Any] = {"rounds_budget": 10, "nfold": 3}
    found = kb.fit_best(X, classes, params=params, **one_setting)
    assert found.best.params["multi_strategy"] == "multi_output_tree"
    assert len(found.booster.get_dump()) == 3 * found.booster.num_boosted_rounds()
    assert found.predict(X).shape == (600, n)
    assert found.booster.predict(kb.DMatrix(X[:5]), pred_contribs=True).shape == (5, n, 6)
    apart = kb.fit_best(X, classes, params={**params, "multi_strategy": "one_output_per_tree"}, **one_setting)
    assert not apart.best.params.keys() & {"multi_strategy", "min_child_weight"}
    assert len(apart.booster.get_dump()) == 3 * n * apart.booster.num_boosted_rounds()


def test_classes_have_trees_of_their_own_where_they_cannot_share_them() -> None:
    params = {"objective": "multi:softprob", "num_class": 3, "grow_policy": "symmetric", "extra_trees": 0}
    found = kb.fit_best(X, CLASSES, params=params, **FEW)
    shared = [attempt for attempt in found.attempts if "multi_strategy" in attempt.params]
    assert len(shared) == 3
    assert all(attempt.error is not None for attempt in shared)
    assert any("supports vector leaves only with random thresholds" in str(attempt.error) for attempt in shared)
    assert "multi_strategy" not in found.best.params
    assert found.trained == 60


def test_symmetric_trees_of_classes_come_first_and_draw_thresholds() -> None:
    params = {"objective": "multi:softprob", "num_class": 3}
    found = kb.fit_best(X, CLASSES, params=params, rounds_budget=2000, nfold=2)
    assert found.attempts[0].params["grow_policy"] == "symmetric"
    symmetric = [attempt for attempt in found.attempts if "grow_policy" in attempt.params]
    assert all(attempt.params["extra_trees"] == 1 for attempt in symmetric)
    assert not any(attempt.error for attempt in found.attempts)
    assert any(attempt.params["eta"] == 0.1 for attempt in found.attempts)  # all changes were tried
    apart = {**params, "multi_strategy": "one_output_per_tree"}
    tried = kb.fit_best(X, CLASSES, params=apart, rounds_budget=2000, nfold=2).attempts
    assert any(attempt.params.get("grow_policy") == "symmetric" for attempt in tried)


@pytest.mark.parametrize("given", [{"extra_trees": 0}, {"extra_trees": 1}, {"grow_policy": "lossguide"}])
def test_symmetric_trees_of_classes_are_not_asked_for_in_part(given: dict[str, Any]) -> None:
    params = {"objective": "multi:softprob", "num_class": 3, **given}
    found = kb.fit_best(X, CLASSES, params=params, rounds_budget=60, nfold=2)
    assert not any(attempt.error for attempt in found.attempts)
    assert not any("grow_policy" in attempt.params for attempt in found.attempts)


def test_categories_of_classes_begin_without_symmetric_trees() -> None:
    params = {"objective": "multi:softprob", "num_class": 3}
    rows = np.column_stack([X, np.arange(len(X)) % 4])
    found = kb.fit_best(rows, CLASSES, params=params, rounds_budget=20, nfold=2, feature_types=["q"] * 5 + ["c"])
    assert "grow_policy" not in found.attempts[0].params
