"""fit_best: folds of groups, and folds that the user passes."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from best_rows import CLASSES, FEW, X, Y
from kauriboost._training.folds import make_group_folds
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, TimeSeriesSplit

RNG = np.random.default_rng(3)
PATIENT = np.sort(RNG.integers(0, 80, size=600))
BY_TIME: dict[str, Any] = {"folds": TimeSeriesSplit(4), "rounds_budget": 30}


def raw(found: kb.BestFit) -> bytes:
    return bytes(found.booster.save_raw())


@pytest.mark.parametrize("by_class", [False, True])
@pytest.mark.parametrize("nfold", [2, 5, 80])
def test_groups_stay_whole_and_folds_are_even(by_class: bool, nfold: int) -> None:
    data = kb.DMatrix(X, CLASSES)
    n_groups = len(np.unique(PATIENT))
    folds = make_group_folds(data, min(nfold, n_groups), by_class, None, 0, PATIENT)
    np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(600))
    for train, test in folds:
        assert not set(PATIENT[train]) & set(PATIENT[test])
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(600))
        assert len(test) > 0
    if nfold <= 5:
        shares = [np.bincount(CLASSES[test], minlength=3) / np.bincount(CLASSES) for _, test in folds]
        spread = 0.06 if by_class else 0.2
        assert np.abs(np.array(shares) - 1 / nfold).max() < spread
        sizes = [len(test) for _, test in folds]
        assert max(sizes) - min(sizes) <= (40 if by_class else 10)


def test_names_of_groups_do_not_matter_but_the_seed_does() -> None:
    data = kb.DMatrix(X, Y)
    first = make_group_folds(data, 3, False, None, 0, PATIENT)
    texts = pd.Series([f"patient {number:03d}" for number in PATIENT])
    for groups in (texts, texts.astype("category"), texts.to_numpy(dtype=object), PATIENT.astype(float)):
        again = make_group_folds(data, 3, False, None, 0, groups)
        assert all((one[1] == other[1]).all() for one, other in zip(first, again))
    other = make_group_folds(data, 3, False, None, 1, PATIENT)
    assert not np.array_equal(first[0][1], other[0][1])


def in_fold(groups: Any) -> np.ndarray:
    """Return the fold of each row, of three folds."""
    fold_of_row = np.empty(600, dtype=np.int64)
    for fold, (_, test) in enumerate(make_group_folds(kb.DMatrix(X, Y), 3, False, None, 0, groups)):
        fold_of_row[test] = fold
    return fold_of_row


def test_groups_are_compared_as_in_python() -> None:
    shuffled = RNG.permutation(PATIENT)
    whole = in_fold(shuffled)
    mixed: list[Any] = [float(number) if row % 2 else int(number) for row, number in enumerate(shuffled)]
    alike = np.array(mixed, dtype=object)
    texts = [f"{number:03d}" for number in shuffled]
    for groups in (alike, pd.Series(alike), mixed, alike[:, None], pd.DataFrame({"patient": shuffled}), texts):
        np.testing.assert_array_equal(in_fold(groups), whole)
    assert all(len(set(whole[shuffled == number])) == 1 for number in range(80))
    with_texts: list[Any] = ["none" if number == 0 else number for number in mixed]
    np.testing.assert_array_equal(in_fold(with_texts), whole)
    with_true: list[Any] = [True if number == 1 else number for number in mixed]
    np.testing.assert_array_equal(in_fold(with_true), whole)


def test_a_number_and_its_text_are_two_groups() -> None:
    for groups in ([1, "1"] * 300, np.array([1, "1"] * 300, dtype=object)):
        folds = make_group_folds(kb.DMatrix(X, Y), 2, False, None, 0, groups)
        assert {tuple(test[:2]) for _, test in folds} == {(0, 2), (1, 3)}


def test_a_score_of_new_groups_is_an_honest_one() -> None:
    level = RNG.normal(size=80)[PATIENT]
    rows = np.column_stack([RNG.normal(size=600), PATIENT * 7 % 80, level]).astype(np.float32)
    labels = RNG.normal(size=80)[PATIENT] + 0.3 * RNG.normal(size=600)  # known of a patient who was seen, else unknown
    mixed = kb.fit_best(rows, labels, **FEW)
    apart = kb.fit_best(rows, labels, groups=PATIENT, **FEW)
    assert mixed.score < 0.7 * apart.score
    assert apart.score > 0.8 * labels.std()
    splitter = kb.fit_best(rows, labels, groups=PATIENT, folds=GroupKFold(3), rounds_budget=60)
    assert splitter.score > 0.8 * labels.std()
    assert raw(kb.fit_best(rows, labels, groups=PATIENT, params={"nthread": 1}, **FEW)) == raw(apart)


def test_queries_and_groups() -> None:
    qid = np.repeat(np.arange(60), 10)
    grades = np.digitize(X[:, 0], [-0.5, 0.5])
    told: dict[str, Any] = {"params": {"objective": "rank:ndcg"}, "qid": qid}
    found = kb.fit_best(X, grades, groups=qid // 4, **told, **FEW)
    assert found.metric == "ndcg@32"
    folds = make_group_folds(kb.DMatrix(X, grades, qid=qid), 3, False, None, 0, qid // 4)
    assert all(not set(qid[train] // 4) & set(qid[test] // 4) for train, test in folds)
    with pytest.raises(kb.DataError, match="several values within query 0"):
        kb.fit_best(X, grades, groups=np.arange(600) // 5, **told, **FEW)


def test_folds_in_the_order_of_time() -> None:
    found = kb.fit_best(X, Y, **BY_TIME)
    assert found.trained == 30
    attempt = found.attempts[0]
    folds = list(TimeSeriesSplit(4).split(X))
    assert raw(kb.fit_best(X, Y, folds=folds, rounds_budget=30)) == raw(found)
    assert raw(kb.fit_best(X, Y, folds=folds, rounds_budget=30, params={"nthread": 1})) == raw(found)
    # 120, 240, 360 and 480 training rows: the first booster judges, but is not in the model
    trees = found.booster.get_dump()
    more = attempt.rounds if attempt.is_cut else attempt.rounds // 3
    assert len(trees) == 3 * (attempt.rounds + more)


def test_a_single_fold_and_overlapping_ones() -> None:
    for folds in ([(np.arange(400), np.arange(400, 600))], [(np.arange(200), np.arange(200, 600))] * 2):
        found = kb.fit_best(X, Y, folds=folds, rounds_budget=20)
        assert found.trained == 20
        assert found.booster.num_boosted_rounds() >= 1


def test_a_time_budget_is_kept_with_folds_of_few_rows() -> None:
    found = kb.fit_best(X, Y, folds=TimeSeriesSplit(5), time_budget=0.3)
    again = kb.fit_best(X, Y, folds=TimeSeriesSplit(5), rounds_budget=found.trained)
    assert raw(again) == raw(found)


def test_splitters_of_groups_in_cv() -> None:
    data = kb.DMatrix(X, Y)
    with pytest.raises(kb.ParameterError, match=r"or folds=splitter.split\(X, y, groups\)"):
        kb.cv({}, data, 2, folds=GroupKFold(3))
    assert len(kb.cv({}, data, 2, folds=GroupKFold(3).split(X, Y, PATIENT), as_pandas=False)["test-rmse-mean"]) == 2
    with pytest.raises(kb.ParameterError, match="folds is 3; for a number of folds pass nfold=3"):
        kb.cv({}, data, 2, folds=3)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"groups": PATIENT[:-1]}, kb.DataError, r"groups has the shape \(599,\)"),
        ({"groups": np.where(PATIENT == 3, np.nan, PATIENT)}, kb.DataError, "groups has no value in row"),
        ({"groups": [None, *PATIENT[1:]]}, kb.DataError, "groups has no value in row 0"),
        ({"groups": pd.Series([pd.NA, *PATIENT[1:]], dtype="Int64")}, kb.DataError, "groups has no value in row 0"),
        ({"groups": pd.Categorical(["a", None] * 300)}, kb.DataError, "groups has no value in row 1"),
        ({"groups": [[1], [1, 2], *[[3]] * 598]}, kb.DataError, "groups has values that cannot be compared .*'list'"),
        ({"groups": np.column_stack([PATIENT, PATIENT])}, kb.DataError, r"groups has the shape \(600, 2\)"),
        ({"groups": np.ma.masked_equal(PATIENT, 3)}, kb.DataError, "groups has masked values"),
        ({"groups": PATIENT > 40}, kb.ParameterError, "expected 2 to 2, the number of groups"),
        ({"groups": PATIENT, "folds": [(np.arange(0, 600, 2), np.arange(1, 600, 2))]}, kb.DataError, "rows of group"),
        ({"folds": 5}, kb.ParameterError, "folds is 5; for a number of folds pass nfold=5"),
        ({"folds": GroupKFold(3)}, kb.ParameterError, "a GroupKFold, which needs the groups of the rows; pass groups="),
        ({"folds": StratifiedGroupKFold(3)}, kb.ParameterError, "a StratifiedGroupKFold, which needs the groups"),
        (
            {"folds": [([0, 1], [2]), (np.arange(200), np.arange(100, 200))]},
            kb.DataError,
            "row 100 is for training and for testing of fold 1",
        ),
        ({"folds": []}, kb.ParameterError, "folds is empty"),
        ({"folds": [([], [1, 2])]}, kb.DataError, "fold 0 of `folds` has no rows for training"),
        ({"folds": [([1, 2], [3]), ([1, 2], [])]}, kb.DataError, "fold 1 of `folds` has no rows for testing"),
    ],
)
def test_refusals_of_folds(given: dict[str, Any], error: type[Exception], message: str) -> None:
    labels = CLASSES if isinstance(given.get("folds"), StratifiedGroupKFold) else Y
    with pytest.raises(error, match=message):
        kb.fit_best(X, labels, rounds_budget=5, **given)
