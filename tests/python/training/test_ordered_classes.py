"""categorical_encoding=ordered for several classes: shares of categories against a reference, and in files."""

from __future__ import annotations

import itertools
import json
import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from scipy import sparse
from test_combined_categories import frame_of
from test_ordered_categories import ordered, permutation

N_ROWS = 800
N_CLASSES = 4
CATEGORICAL = (0, 2, 3)
TYPES = ["c", "q", "c", "c"]
SIZES = {0: 12, 2: 9, 3: 3}
PARAMS = {
    "objective": "multi:softprob",
    "num_class": N_CLASSES,
    "max_depth": 3,
    "tree_method": "hist",
    "categorical_encoding": "ordered",
    "ordered_permutations": 1,
}


def make_rows(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in which columns 0 and 2 determine the class, and combining 1 with 3 is better than 1 alone."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((N_ROWS, 4), dtype=np.float32)
    for column, size in SIZES.items():
        rows[:, column] = rng.integers(0, size, N_ROWS)
    rows[:, 1] = rng.normal(size=N_ROWS)
    a, b, c = (rows[:, column].astype(int) for column in CATEGORICAL)
    tables = np.random.default_rng(5)
    scores = tables.normal(size=(12, N_CLASSES))[a] + tables.normal(size=(9, N_CLASSES))[b]
    scores += 2 * tables.normal(size=(12, 3, N_CLASSES))[a, c]
    scores[:, 0] += rows[:, 1]
    for column in CATEGORICAL:
        rows[rng.random(N_ROWS) < 0.05, column] = np.nan
    return rows, np.argmax(scores, axis=1).astype(np.float32)


ROWS, LABELS = make_rows()


def matrix(rows: np.ndarray = ROWS, labels: np.ndarray | None = LABELS, **more: Any) -> kb.DMatrix:
    return kb.DMatrix(rows, labels, feature_types=TYPES, **more)


def train(rounds: int = 5, data: kb.DMatrix | None = None, model: Any = None, **more: Any) -> kb.Booster:
    return kb.train({**PARAMS, **more}, matrix() if data is None else data, rounds, xgb_model=model)


def keys_of(rows: np.ndarray, members: tuple[int, ...]) -> np.ndarray:
    """Return one number per row for its values in all the columns, NaN if one is missing."""
    keys = np.zeros(len(rows))
    for column in members:
        keys = keys * 1000 + rows[:, column]
    return keys


def shares(
    members: tuple[int, ...], of: int, weights: np.ndarray, seed: int, strength: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return a class's shares in a column's categories: for training, for prediction, and over all rows."""
    keys, order = keys_of(ROWS, members), permutation(N_ROWS, seed, 0)
    learnt, whole, prior = ordered(keys, (of == LABELS).astype(np.float64), weights, order, strength)
    return learnt, np.array([whole.get(float(key), np.nan) for key in keys]), prior


def encoded(
    combined: list[tuple[int, ...]], weights: np.ndarray, seed: int, strength: float
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the rows as used in training and in prediction, and the names of columns: the first class uses the
    positions of the columns and of combinations after them; the other classes of each column follow in turn."""
    sources = [(column,) for column in CATEGORICAL] + combined
    places = list(CATEGORICAL) + [4 + i for i in range(len(combined))]
    further = list(itertools.product(sources, range(1, N_CLASSES)))
    learnt = np.column_stack([ROWS, np.zeros((N_ROWS, len(combined) + len(further)))]).astype(np.float32)
    seen = learnt.copy()
    names = ["f0", "f1", "f2", "f3"] + [""] * (len(combined) + len(further))
    columns = [(place, members, 0) for place, members in zip(places, sources)]
    columns += [(4 + len(combined) + i, members, of) for i, (members, of) in enumerate(further)]
    for place, members, of in columns:
        learnt[:, place], seen[:, place], _ = shares(members, of, weights, seed, strength)
        names[place] = "&".join(f"f{i}" for i in members) + f"@{of}"
    return learnt, seen, names


def told(members: tuple[int, ...], weights: np.ndarray, seed: int, strength: float) -> float:
    """Return the gain in squared error of shares in earlier rows over the overall shares, over all classes."""
    gains = 0.0
    known = ~np.isnan(keys_of(ROWS, members))
    for of in range(N_CLASSES):
        numbers, _, prior = shares(members, of, weights, seed, strength)
        labels = (of == LABELS).astype(np.float64)
        errors = (labels - numbers.astype(np.float64)) ** 2
        gains += float(np.sum((weights * ((labels - prior) ** 2 - errors))[known]))
    return gains


def find(weights: np.ndarray, seed: int, strength: float) -> list[tuple[int, ...]]:
    """Return the pairs that are better than their columns, from the definition."""
    surplus = {}
    for pair in itertools.combinations(CATEGORICAL, 2):
        alone = sum(max(told((column,), weights, seed, strength), 0.0) for column in pair)
        surplus[pair] = told(pair, weights, seed, strength) - alone
    return sorted((pair for pair, more in surplus.items() if more > 0), key=lambda pair: -surplus[pair])


def splits(model: kb.Booster) -> list[str]:
    return model.get_dump(dump_format="json", with_stats=True)


def tables(model: kb.Booster) -> Any:
    """Return the tables of categories in the model's file."""
    return json.loads(json.loads(model.save_raw("json"))["learner"]["attributes"]["kauri_cats_ordered"])


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("method", ["hist", "exact", "approx"])
@pytest.mark.parametrize(("seed", "strength", "weighted"), [(0, 1.0, False), (5, 0.25, False), (1, 8.0, True)])
def test_trees_are_those_of_the_shares(most: int, method: str, seed: int, strength: float, weighted: bool) -> None:
    weights = np.random.default_rng(2).integers(0, 4, N_ROWS).astype(np.float64) if weighted else np.ones(N_ROWS)
    combined = find(weights, seed, strength) if most == 2 else []
    assert most == 1 or (0, 3) in combined
    learnt, seen, names = encoded(combined, weights, seed, strength)
    plain = {**PARAMS, "categorical_encoding": "partition", "tree_method": method, "seed": seed}
    more = {"tree_method": method, "seed": seed, "ordered_strength": strength, "ordered_combination": most}
    drawn = {"colsample_bynode": 0.7}
    model = train(data=matrix(weight=weights), **more, **drawn)
    reference = kb.train({**plain, **drawn}, kb.DMatrix(learnt, LABELS, weight=weights, feature_names=names), 5)
    assert splits(model) == splits(reference)
    for kind in ("pred_leaf", "output_margin"):
        expected = reference.predict(kb.DMatrix(seen, feature_names=names), **{kind: True})
        assert np.array_equal(model.predict(matrix(labels=None), **{kind: True}), expected)
    assert np.array_equal(model.inplace_predict(ROWS), reference.inplace_predict(seen, validate_features=False))
    for kind in ("weight", "gain", "total_cover"):
        assert model.get_score(importance_type=kind) == reference.get_score(importance_type=kind)
    assert {"f0@0", "f0@1", "f2@3"} <= model.get_score().keys()
    assert model.num_features() == 4


@pytest.mark.parametrize("most", [1, 2])
def test_vectors_in_leaves(most: int) -> None:
    more = {"multi_strategy": "multi_output_tree"}
    weights = np.ones(N_ROWS)
    learnt, seen, names = encoded(find(weights, 0, 1.0) if most == 2 else [], weights, 0, 1.0)
    plain = {**PARAMS, "categorical_encoding": "partition", **more}
    reference = kb.train(plain, kb.DMatrix(learnt, LABELS, feature_names=names), 5)
    model = train(**more, ordered_combination=most)
    assert np.array_equal(model.inplace_predict(ROWS), reference.inplace_predict(seen, validate_features=False))
    back = kb.Booster(model_file=model.save_raw("ubj"))
    assert np.array_equal(back.predict(matrix()), model.predict(matrix()))


def test_of_two_classes_one_share_says_all() -> None:
    """Only the share of class 1 is needed: the statistics of the labels 0 and 1, without an added column."""
    data = matrix(labels=(LABELS > 1).astype(np.float32))
    model = train(data=data, num_class=2)
    binary = train(data=data, objective="binary:logistic", num_class=None)
    assert tables(model) == tables(binary)
    assert set(model.get_score()) <= {"f0", "f1", "f2", "f3"}
    contributions = model.predict(data, pred_contribs=True)
    assert contributions.shape == (N_ROWS, 2, 5)
    margins = model.predict(data, output_margin=True)
    np.testing.assert_allclose(contributions.sum(axis=2), margins, rtol=1e-4, atol=1e-4)
    assert "f0@" not in "".join(splits(model))


def test_the_likeliest_class() -> None:
    likeliest = train(objective="multi:softmax").predict(matrix())
    assert np.array_equal(likeliest, np.argmax(train().predict(matrix()), axis=1))


def test_permutations_take_turns() -> None:
    model = train(2, ordered_permutations=2)
    assert splits(model)[:N_CLASSES] == splits(train(1))
    assert splits(model)[N_CLASSES:] != splits(train(2))[N_CLASSES:]


@pytest.mark.parametrize("method", ["hist", "exact"])
def test_the_same_bytes_for_any_threads(method: str) -> None:
    more = {"tree_method": method, "ordered_permutations": 3, "ordered_combination": 3}
    models = [train(4, nthread=n, **more).save_raw("json") for n in (1, 8, 3)]
    assert models[0] == models[1] == models[2]


def test_missing_and_unseen_categories() -> None:
    """Missing values are missing in the columns of all classes; unseen categories have the share over all rows."""
    weights = np.ones(N_ROWS)
    combined = find(weights, 0, 1.0)
    learnt, seen, names = encoded(combined, weights, 0, 1.0)
    plain = {**PARAMS, "categorical_encoding": "partition"}
    reference = kb.train(plain, kb.DMatrix(learnt, LABELS, feature_names=names), 5)
    model = train(ordered_combination=2)
    rows, numbers = ROWS[:60].copy(), seen[:60].copy()
    rows[:20, 0], rows[20:40, 2], rows[40:, 3] = np.nan, 77, -3
    for place, name in enumerate(names):
        base, _, of = name.partition("@")
        members = [int(member[1]) for member in base.split("&")]
        if not of:
            continue
        is_missing = np.isnan(rows[:, members]).any(axis=1)
        is_unknown = np.array([any(rows[row, c] not in range(SIZES[c]) for c in members) for row in range(60)])
        numbers[is_unknown, place] = np.mean(int(of) == LABELS)
        numbers[is_missing, place] = np.nan
    assert np.array_equal(model.inplace_predict(rows), reference.inplace_predict(numbers, validate_features=False))
    lost = rows.copy()
    lost[20:40, 2] = lost[40:, 3] = np.nan
    of_missing = train(ordered_combination=2, unseen_category="missing")
    assert np.array_equal(of_missing.inplace_predict(rows), of_missing.inplace_predict(lost))
    with pytest.raises(kb.KauriError, match="which did not occur in training"):
        train(unseen_category="error").inplace_predict(rows)


def test_rows_of_other_storage() -> None:
    """Sparse rows, whose unstored values are missing, and rows with fewer columns."""
    model = train(ordered_combination=2)
    rare = np.where(np.random.default_rng(1).random(ROWS.shape) < 0.5, np.nan, ROWS).astype(np.float32)
    present = ~np.isnan(rare)
    pointers = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    sparsely = sparse.csr_matrix((rare[present], np.nonzero(present)[1], pointers), shape=rare.shape)
    expected = model.inplace_predict(rare)
    assert np.array_equal(model.inplace_predict(sparsely), expected)
    assert np.array_equal(model.predict(kb.DMatrix(sparsely, feature_types=TYPES)), expected)
    assert splits(train(data=kb.DMatrix(sparsely, LABELS, feature_types=TYPES))) == splits(train(data=matrix(rare)))
    narrow = ROWS.copy()
    narrow[:, 2:] = np.nan
    assert np.array_equal(model.inplace_predict(ROWS[:, :2], validate_features=False), model.inplace_predict(narrow))


def test_names_in_another_order() -> None:
    names = [f"t{i}" for i in range(12)]
    data = kb.DMatrix(frame_of(ROWS, names, TYPES), LABELS)
    model = kb.train(PARAMS, data, 4)
    assert "c0@1" in model.get_score()
    other = frame_of(ROWS, names[::-1], TYPES)
    assert np.array_equal(model.inplace_predict(other), model.predict(data))
    assert np.array_equal(model.predict(kb.DMatrix(other)), model.predict(data))
    on = [
        kb.train(PARAMS, kb.DMatrix(table, LABELS), 3, xgb_model=model)
        for table in (frame_of(ROWS, names, TYPES), other)
    ]
    assert on[0].save_raw("json") == on[1].save_raw("json")


def test_files_snapshots_and_slices() -> None:
    model = train(6, ordered_permutations=3, ordered_combination=2)
    expected = model.predict(matrix())
    for form in ("json", "ubj"):
        back = kb.Booster(model_file=model.save_raw(form))
        assert np.array_equal(back.predict(matrix()), expected)
        assert back.save_raw("json") == model.save_raw("json")
        assert back.num_features() == 4
        assert back.get_score() == model.get_score()
        assert "kauri_cats_ordered" not in back.attributes()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(matrix()), expected)
    assert np.array_equal(model[:2].predict(matrix()), model.predict(matrix(), iteration_range=(0, 2)))
    table, param = tables(model), json.loads(model.save_raw("json"))["learner"]["learner_model_param"]
    assert int(param["num_feature"]) == 4 + 3 * 3 + 4 * table["combinations"]["count"]
    assert len(table["labels"]) == N_CLASSES * len(table["weights"])
    assert table["numbers"] == N_CLASSES
    for form in ("text", "json", "dot"):
        assert "f0&f3@2" in "".join(model.get_dump(dump_format=form))


def test_training_goes_on() -> None:
    """A file changes nothing; other data use the model's table; evaluation equals prediction."""
    more = {"ordered_permutations": 3, "ordered_combination": 2}
    at_once = train(7, **more)
    half = kb.Booster(model_file=train(3, **more).save_raw("ubj"))
    for change in ({}, {"categorical_encoding": ""}, {"ordered_permutations": 9, "seed": 4, "ordered_combination": 1}):
        assert splits(train(4, model=half, **{**more, **change})) == splits(at_once)
    rows, labels = make_rows(seed=9)
    on = train(2, data=matrix(rows, labels), model=half)
    assert np.array_equal(on[:3].predict(matrix()), half.predict(matrix()))
    assert tables(on) == tables(half)
    history: dict[str, Any] = {}
    model = kb.train(PARAMS, matrix(), 3, evals=[(matrix(rows, labels), "other")], evals_result=history)
    chosen = model.predict(matrix(rows))[np.arange(N_ROWS), labels.astype(int)]
    assert history["other"]["mlogloss"][-1] == pytest.approx(-np.mean(np.log(chosen)), rel=1e-5)
    renewed = kb.train({**PARAMS, "process_type": "update", "updater": "refresh"}, matrix(), 3, xgb_model=model)
    assert [json.loads(tree)["split"] for tree in splits(renewed)] == [
        json.loads(tree)["split"] for tree in splits(model)
    ]


def test_a_booster_learns_anew() -> None:
    """With other classes or another objective than an earlier failed call, it gives the same as a new booster."""
    model = kb.Booster({**PARAMS, "base_score": 0.5})
    with pytest.raises(kb.KauriError, match="label"):
        model.update(matrix(labels=LABELS + 1), 0)
    model.set_param({"num_class": N_CLASSES + 1})
    model.update(matrix(labels=LABELS + 1), 0)
    five = train(1, data=matrix(labels=LABELS + 1), num_class=N_CLASSES + 1, base_score=0.5)
    assert splits(model) == splits(five)
    assert tables(model)["numbers"] == N_CLASSES + 1
    before = model.save_raw("json")
    model.set_param({"num_class": N_CLASSES})
    with pytest.raises(kb.KauriError, match="num_class=4 does not fit the model"):
        model.update(matrix(), 1)
    model.set_param({"num_class": N_CLASSES + 1})
    assert model.save_raw("json") == before
    fresh = kb.Booster({**PARAMS, "base_score": 0.5}, [matrix()])
    with pytest.raises(kb.KauriError, match="label"):
        fresh.update(matrix(labels=LABELS + 1), 0)
    two = matrix(labels=(LABELS > 1).astype(np.float32))
    fresh.set_param({"num_class": 2})
    fresh.update(two, 0)
    assert splits(fresh) == splits(train(1, data=two, num_class=2, base_score=0.5))
    assert "numbers" not in tables(fresh)


def test_other_boosters_and_trees() -> None:
    for more in (
        {"booster": "dart", "rate_drop": 0.5},
        {"linear_tree": 1},
        {"grow_policy": "symmetric"},
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"monotone_constraints": "(0,1,0)"},
    ):
        model = train(**more)
        expected = model.predict(matrix())
        assert np.mean(np.argmax(expected, axis=1) == LABELS) > 0.5
        assert np.array_equal(kb.Booster(model_file=model.save_raw("ubj")).predict(matrix()), expected)
        assert np.array_equal(model.inplace_predict(ROWS), expected)


def test_weights_of_columns() -> None:
    """The shares of a column are sampled as often as the column: never, if it has weight 0."""
    used = train(10, data=matrix(feature_weights=[0, 1, 1, 1]), colsample_bynode=0.3).get_score()
    assert "f2@1" in used
    assert not [name for name in used if name.startswith("f0")]


def test_estimators_and_folds() -> None:
    frame = frame_of(ROWS, [f"t{i}" for i in range(12)], TYPES)
    texts = np.array(["ash", "elm", "fir", "oak"])[LABELS.astype(int)]
    classifier = kb.KauriClassifier(n_estimators=5, categorical_encoding="ordered", max_depth=3)
    classifier.fit(frame, texts)
    assert np.mean(classifier.predict(frame) == texts) > 0.6
    with pytest.raises(kb.KauriError, match=r"splits on shares of classes in categories \(c0@0\)"):
        _ = classifier.feature_importances_
    # the same error as with one label
    with pytest.raises(kb.KauriError, match="categorical_encoding=ordered needs the values"):
        kb.fit_best(frame, LABELS, params=PARAMS, rounds_budget=60, nfold=2)
    history = kb.cv(PARAMS, matrix(), 3, nfold=2)
    assert history["test-mlogloss-mean"].iloc[-1] < np.log(N_CLASSES)
