"""fit_best: its choices match the folds, respect the budget, and are reproducible."""

from __future__ import annotations

import functools
import json
import pickle
import time
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import xgboost
from best_rows import CLASSES, FEW, RNG, X, Y
from kauriboost._training import best, settings
from kauriboost._training.blend import best_blend
from kauriboost._training.folds import make_folds


@functools.cache
def best_of(rounds: int) -> kb.BestFit:
    """Return the result of three folds."""
    return kb.fit_best(X, Y, rounds_budget=rounds, nfold=3)


def with_all_rows(attempt: kb.Attempt) -> int:
    """Return the number of final rounds on all rows."""
    return attempt.rounds if attempt.is_cut else attempt.rounds // 3


def raw(found: kb.BestFit) -> bytes:
    return bytes(found.booster.save_raw())


def choices(found: kb.BestFit) -> list[tuple[Any, ...]]:
    return [(a.params, a.score, a.deviation, a.rounds, a.trained, a.error, a.is_cut) for a in found.attempts]


def test_the_same_model_and_table_whatever_the_threads() -> None:
    first = kb.fit_best(X, Y, **FEW)
    for threads in (1, 2, 5):
        again = kb.fit_best(X, Y, params={"nthread": threads}, **FEW)
        assert (raw(again), choices(again)) == (raw(first), choices(first))
    assert raw(kb.fit_best(kb.DMatrix(X, Y), **FEW)) == raw(first)
    assert raw(kb.fit_best(X, Y, seed=1, **FEW)) != raw(first)


def boosters_of(attempt: kb.Attempt, folds: list[Any], told: dict[str, Any]) -> list[kb.Booster]:
    """Return the boosters of an attempt, trained again on its folds."""
    binned = kb.DMatrix(X, Y).binned()
    told = {**attempt.params, **told}
    return [
        kb.train({**told, "seed": fold}, binned.slice(train), attempt.rounds, verbose_eval=False)
        for fold, (train, _) in enumerate(folds)
    ]


def gone_on(attempt: kb.Attempt, boosters: list[kb.Booster], told: dict[str, Any]) -> list[kb.Booster]:
    """Return the boosters after the final rounds on all rows."""
    binned, rounds = kb.DMatrix(X, Y).binned(), with_all_rows(attempt)
    told = {**attempt.params, **told}
    return [
        kb.train({**told, "seed": fold}, binned, rounds, xgb_model=booster, verbose_eval=False)
        for fold, booster in enumerate(boosters)
    ]


@pytest.mark.parametrize("rounds", [20, 60, 2000])
def test_the_model_is_the_mean_of_what_has_shares(rounds: int) -> None:
    found = best_of(rounds)
    learner = json.loads(found.booster.save_config())["learner"]
    told = {"base_score": float(learner["learner_model_param"]["base_score"].strip("[]"))}
    data = kb.DMatrix(X, Y)
    folds = list(make_folds(data, 3, False, None, 0, True))
    assert sum(found.shares) == pytest.approx(1)
    assert (sum(share > 0 for share in found.shares) > 1) == (rounds == 2000)  # otherwise these tests cover no blend
    means, left_out, attempts = np.zeros(600), np.zeros(600), list(zip(found.attempts, found.shares))
    for attempt, share in attempts:
        boosters = boosters_of(attempt, folds, told)
        of_folds = [booster.predict(data) for booster in boosters]
        at_the_end = gone_on(attempt, boosters, told)
        means += share * np.mean([booster.predict(data) for booster in at_the_end], axis=0)
        for predictions, (_, test) in zip(of_folds, folds):
            left_out[test] += share * predictions[test]
        scores = [np.sqrt(np.mean((of[test] - Y[test]) ** 2)) for of, (_, test) in zip(of_folds, folds)]
        assert attempt.score == pytest.approx(np.mean(scores), rel=1e-5)
        assert attempt.deviation == pytest.approx(np.std(scores), rel=1e-4)
    np.testing.assert_allclose(found.booster.predict(data), means, rtol=1e-4, atol=1e-5)
    errors = [np.sqrt(np.mean((left_out[test] - Y[test]) ** 2)) for _, test in folds]
    assert found.score == pytest.approx(np.mean(errors), rel=1e-5)
    assert found.booster.num_boosted_rounds() == max(
        attempt.rounds + with_all_rows(attempt) for attempt, share in attempts if share > 0
    )


def test_what_the_budget_cuts_off_goes_on_for_as_long_again() -> None:
    for rounds in (1, 2, 3, 20):
        found = kb.fit_best(X, Y, rounds_budget=rounds, nfold=2)
        assert [(attempt.rounds, attempt.is_cut) for attempt in found.attempts] == [(rounds, True)]
        assert found.booster.num_boosted_rounds() == 2 * rounds
        assert ", cut off" in found.attempts[0].line()
        assert f"{rounds}, cut off" in found._repr_html_()


def test_what_ends_by_itself_is_not_cut_off() -> None:
    for rounds in range(40, 140, 9):
        found = kb.fit_best(X, Y, rounds_budget=rounds, nfold=2)
        cut = [attempt for attempt in found.attempts if attempt.is_cut]
        assert all(attempt.rounds >= 0.9 * attempt.trained for attempt in cut)
        assert not any(attempt.is_cut for attempt in found.attempts[2:-1])  # the first two race
    assert not any(attempt.is_cut for attempt in kb.fit_best(X, Y, rounds_budget=2000, nfold=2).attempts[:-1])


def test_seeds_of_folds_follow_from_that_of_the_parameters() -> None:
    few: dict[str, Any] = {"rounds_budget": 6, "nfold": 2}
    models = [raw(kb.fit_best(X, Y, params={"seed": seed}, **few)) for seed in (0, 1, 2**63 - 1, -(2**63))]
    assert len(set(models)) == 4
    assert raw(kb.fit_best(X, Y, params={"random_state": 1}, **few)) == models[1]
    assert raw(kb.fit_best(X, Y, **few)) == models[0]


def test_a_blend_brings_something_and_is_found_greedily() -> None:
    margins = {0: [np.array([1.0, 0.0])], 2: [np.array([0.0, 0.6])], 3: [np.array([5.0, 5.0])]}
    labels = np.array([0.5, 0.4])

    class ByHand:
        def margins(self, number: Any) -> list[np.ndarray]:
            return margins[number[0]]

        def score(self, of_folds: list[np.ndarray]) -> float:
            return float(np.abs(of_folds[0] - labels).sum())

    learnt: Any = {number: [number] for number in margins}
    judge: Any = ByHand()
    found = best_blend(learnt, 0, judge, maximizes=False)
    assert found.members == [0, 2]  # |0.5 - 0.5| + |0.3 - 0.4|; a third member makes it worse
    assert found.score == pytest.approx(0.1)
    assert best_blend(learnt, 3, judge, maximizes=True).members == [3]
    assert best_blend({2: learnt[2]}, 2, judge, maximizes=False).members == [2]


def test_the_best_of_all_attempts_is_taken() -> None:
    found = best_of(2000)
    scores = [attempt.score for attempt in found.attempts]
    assert found.score <= found.best.score == min(scores)
    assert len(scores) > 5
    assert found.trained == sum(attempt.trained for attempt in found.attempts) <= 2000
    assert all(0 < attempt.rounds <= attempt.trained for attempt in found.attempts)
    assert len({json.dumps(attempt.params, sort_keys=True) for attempt in found.attempts}) == len(scores)


@pytest.mark.parametrize("rounds", [1, 7, 100])
def test_a_budget_of_rounds_is_kept(rounds: int) -> None:
    found = kb.fit_best(X, Y, rounds_budget=rounds, nfold=2)
    assert found.trained == rounds
    assert 1 <= found.booster.num_boosted_rounds() <= 2 * rounds


def test_a_time_ends_where_as_many_rounds_end() -> None:
    began = time.monotonic()
    found = kb.fit_best(X, Y, time_budget=0.3, nfold=2)
    assert 0.1 < time.monotonic() - began < 20
    assert found.seconds >= 0.4 * 0.3
    again = kb.fit_best(X, Y, rounds_budget=found.trained, nfold=2)
    assert (raw(again), choices(again)) == (raw(found), choices(found))


def test_a_setting_that_fails_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    first = kb.fit_best(X, Y, rounds_budget=40, nfold=2)
    one = [settings.Kind({"eta": 0.1, "max_depth": 7, "extra_trees": 1})]
    monkeypatch.setattr(best, "kinds", lambda *_: one)
    bad: list[dict[str, Any]] = [{"max_depth": -3}, {"multi_strategy": "none"}, {"max_depth": 2}]
    monkeypatch.setattr(best, "changes", lambda *_: bad)
    found = kb.fit_best(X, Y, rounds_budget=400, nfold=2)
    failed = [attempt for attempt in found.attempts if attempt.error is not None]
    assert [attempt.score for attempt in failed] == [None, None]
    assert "max_depth" in str(failed[0].error)
    assert found.attempts[3].params["max_depth"] == 2
    assert found.attempts[3].score is not None
    assert "failed" in found._repr_html_()
    monkeypatch.undo()
    assert raw(kb.fit_best(X, Y, rounds_budget=40, nfold=2)) == raw(first)


@pytest.mark.parametrize(
    ("params", "best_one"),
    [
        ({"grow_policy": "symmetric"}, 1),
        ({"objective": "reg:absoluteerror", "split_criterion": "absolute_error"}, 2),
    ],
)
def test_a_kind_of_trees_may_not_go_with_what_is_given(params: dict[str, Any], best_one: int) -> None:
    found = kb.fit_best(X, Y, params=params, **FEW)
    assert "extra_trees" in str(found.attempts[0].error)
    assert found.shares[0] == 0
    assert found.trained == 60
    assert found.best is found.attempts[best_one]


def test_where_all_settings_fail_the_first_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = [settings.Kind({"max_depth": -3}), settings.Kind({"multi_strategy": "none"})]
    monkeypatch.setattr(best, "kinds", lambda *_: bad)
    with pytest.raises(kb.ParameterError, match="max_depth"):
        kb.fit_best(X, Y, **FEW)


def test_what_is_given_is_not_chosen() -> None:
    found = kb.fit_best(X, Y, params={"learning_rate": 0.4, "max_depth": 2, "reg_lambda": 3}, rounds_budget=400)
    for attempt in found.attempts:
        assert not attempt.params.keys() & {"eta", "learning_rate", "max_depth", "lambda"}
    config = json.loads(found.booster.save_config())["learner"]["gradient_booster"]["tree_train_param"]
    assert (config["eta"], config["max_depth"], config["lambda"]) == ("0.4", "2", "3")


def test_classes() -> None:
    params = {"objective": "multi:softprob", "num_class": 3}
    found = kb.fit_best(X, CLASSES, params=params, **FEW)
    chances = found.predict(X)
    assert chances.shape == (600, 3)
    assert (chances.argmax(axis=1) == CLASSES).mean() > 0.6
    assert found.metric == "mlogloss"
    two = kb.fit_best(X, CLASSES > 1, params={"objective": "binary:logistic", "eval_metric": ["logloss", "auc"]}, **FEW)
    assert two.metric == "auc"
    assert two.best.score == max(attempt.score for attempt in two.attempts)


def test_rare_classes_are_in_every_fold() -> None:
    rare = np.zeros(600)
    rare[:5] = 1
    found = kb.fit_best(X, rare, params={"objective": "binary:logistic", "eval_metric": "auc"}, rounds_budget=5)
    assert found.best.score > 0


def test_queries_stay_whole() -> None:
    sizes = RNG.integers(1, 9, 100)
    rows = RNG.normal(size=(sizes.sum(), 4))
    relevance = np.digitize(rows[:, 0], [-0.5, 0.5])
    found = kb.fit_best(rows, relevance, params={"objective": "rank:ndcg"}, group=sizes, **FEW)
    assert found.metric == "ndcg@32"
    assert found.best.score > 0.9
    with pytest.raises(kb.ParameterError, match="position biases"):
        kb.fit_best(rows, relevance, params={"objective": "rank:ndcg", "lambdarank_unbiased": True}, group=sizes, **FEW)


def test_weights_count() -> None:
    weight = np.where(np.arange(600) % 2 == 0, 1.0, 0.0)
    shifted = Y + np.where(np.arange(600) % 2 == 0, 0.0, 100.0)
    found = kb.fit_best(X, shifted, weight=weight, **FEW)
    assert abs(found.predict(X) - Y).mean() < 2


def test_categories_and_reload(tmp_path: Path) -> None:
    cities = np.array(["bonn", "oslo", "rome", "lima", "kyiv", "york"])
    codes = RNG.integers(0, 6, 600)
    table = pd.DataFrame({"x": X[:, 0], "city": pd.Categorical(cities[codes])})
    found = kb.fit_best(table, Y + codes, rounds_budget=1500, nfold=2)
    assert any("cat_l2" in attempt.params for attempt in found.attempts)
    reordered = table.assign(city=table["city"].cat.reorder_categories(sorted(cities)[::-1]))
    expected = found.predict(table)
    np.testing.assert_array_equal(found.predict(reordered), expected)
    for name in ("model.json", "model.ubj"):
        found.booster.save_model(tmp_path / name)
        loaded = kb.Booster(model_file=tmp_path / name)
        np.testing.assert_array_equal(loaded.predict(kb.DMatrix(table)), expected)
    assert loaded.num_boosted_rounds() == found.booster.num_boosted_rounds() > 0


def test_the_model_is_one_like_any_other() -> None:
    found = kb.fit_best(X, Y, **FEW)
    data = kb.DMatrix(X, Y)
    old = kb.Booster(model_file=found.booster.save_raw("json", "1.7"))
    np.testing.assert_array_equal(old.predict(data), found.predict(X))
    copy = pickle.loads(pickle.dumps(found))
    assert raw(copy) == raw(found)
    assert copy.best == found.best
    contributions = found.booster.predict(data, pred_contribs=True)
    np.testing.assert_allclose(contributions.sum(axis=1), found.predict(data), rtol=1e-4, atol=1e-4)
    half = found.booster[: found.best.rounds // 2]
    assert half.num_boosted_rounds() == found.best.rounds // 2
    more = kb.train({}, data, 2, xgb_model=found.booster, verbose_eval=False)
    assert more.num_boosted_rounds() == found.best.rounds + with_all_rows(found.best) + 2


@pytest.mark.parametrize("params", [{"objective": "reg:squarederror"}, {"objective": "multi:softprob", "num_class": 3}])
def test_xgboost_reads_the_model(params: dict[str, Any], tmp_path: Path) -> None:
    found = kb.fit_best(X, CLASSES, params=params, **FEW)
    found.booster.save_model(tmp_path / "model.json")
    theirs = xgboost.Booster(model_file=tmp_path / "model.json").predict(xgboost.DMatrix(X))
    np.testing.assert_allclose(theirs, found.predict(X), rtol=1e-5, atol=1e-6)


def test_what_it_says() -> None:
    found = kb.fit_best(X, Y, **FEW)
    assert repr(found).startswith("BestFit(params={")
    assert f"score='rmse {found.score:.6g}'" in repr(found)
    page = found._repr_html_()
    assert page.count("<tr>") == len(found.attempts) + 1
    assert page.count("100%") == 1
    assert "rmse, mean" in page


def test_each_setting_is_told_when_it_was_tried() -> None:
    told: list[kb.Attempt] = []
    found = kb.fit_best(X, Y, rounds_budget=300, nfold=2, on_attempt=told.append)
    assert list({str(attempt.params): attempt for attempt in told}.values()) == found.attempts
    again = [attempt for attempt in told if attempt not in found.attempts]
    assert all(attempt.is_cut for attempt in again)  # reported again when they continued
    assert len({attempt.line() for attempt in told}) == len(told) > 1
    assert all(f"{attempt.score:.6g} (deviation " in attempt.line() for attempt in told)


def test_own_metrics() -> None:
    def absolute(predictions: np.ndarray, data: kb.DMatrix) -> tuple[str, float]:
        return "mine", float(np.abs(predictions - data.get_label()).mean())

    down = kb.fit_best(X, Y, custom_metric=absolute, **FEW)
    assert down.metric == "mine"
    assert down.best.score == min(attempt.score for attempt in down.attempts)
    up = kb.fit_best(X, Y, custom_metric=absolute, maximize=True, **FEW)
    assert up.best.score == max(attempt.score for attempt in up.attempts) > down.best.score
    with pytest.raises(kb.DataError, match="mine is no number in any round"):
        kb.fit_best(X, Y, custom_metric=lambda *_: ("mine", float("nan")), **FEW)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"time_budget": 0}, ValueError, "time_budget is 0; expected seconds above 0"),
        ({"time_budget": float("nan")}, ValueError, "time_budget is nan"),
        ({"rounds_budget": 0}, ValueError, "rounds_budget is 0; expected 1 round or more"),
        ({"nfold": 1}, kb.ParameterError, "nfold is 1; expected 2 to 600"),
        ({"params": {"tree_method": "exact"}}, kb.ParameterError, "tree_method=exact needs the values of the features"),
        ({"params": {"booster": "gblinear"}}, kb.ParameterError, "booster=gblinear needs the values of the features"),
        ({"params": {"booster": "dart"}}, kb.ParameterError, "booster is 'dart', whose later rounds"),
        ({"params": {"max_dept": 3}}, kb.ParameterError, "max_depth"),
        ({"params": {"device": "gpu:99"}}, kb.KauriError, "device"),
    ],
)
def test_refusals(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kb.fit_best(X, Y, **given)


def test_labels_are_given_once() -> None:
    with pytest.raises(kb.DataError, match="leave out y, weight"):
        kb.fit_best(kb.DMatrix(X, Y), Y, weight=Y)
    with pytest.raises(kb.DataError, match="label"):
        kb.fit_best(X)


def test_tables_of_labels_have_blends() -> None:
    table = np.stack([Y, 3 - Y * Y], axis=1)
    for params in ({}, {"learning_rate": 0.3}):
        found = kb.fit_best(X, table, params=params, rounds_budget=900, nfold=3)
        assert found.score <= found.best.score
        assert found.predict(X).shape == (600, 2)
    assert sum(share > 0 for share in found.shares) > 1


def test_every_setting_is_taken_by_the_library() -> None:
    data = kb.DMatrix(X, Y)
    for task in (
        settings.Task(has_numbers, 0, n_rows, part)
        for has_numbers in (True, False)
        for n_rows in (600, 6000)
        for part in (0.0, 0.2, 0.5)
    ):
        first = [kind.setting for kind in settings.kinds(task, True)]
        for change in [*first, *settings.changes(task, False), *settings.rates(0)]:
            kb.Booster(dict(change)).save_config()
            kb.train(dict(change), data, 1, verbose_eval=False)
    of_classes = {"objective": "multi:softprob", "num_class": 3}
    task = settings.Task(False, 3, 600, 0.0)
    for change in [*(kind.setting for kind in settings.kinds(task, True)), *settings.changes(task, True)]:
        kb.train({**of_classes, **change}, kb.DMatrix(X, CLASSES), 1, verbose_eval=False)
