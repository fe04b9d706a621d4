"""categorical_encoding=ordered: numbers for categories against a reference, in files, and in continued training."""

from __future__ import annotations

import json
import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest

N_ROWS = 700
N_CATEGORIES = 40
PURPOSE = 0x6F726465726564
MASK = (1 << 64) - 1
PARAMS = {"max_depth": 3, "tree_method": "hist", "categorical_encoding": "ordered", "ordered_permutations": 1}
TYPES = ["c", "q", "c"]


def make_rows(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return two categorical columns around a numeric one; labels are small integers, whose sums are exact."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, N_CATEGORIES, (N_ROWS, 3)).astype(np.float32)
    rows[:, 1] = rng.normal(size=N_ROWS)
    labels = np.round(3 * np.sin(rows[:, 0]) + 2 * np.cos(rows[:, 2]) + rows[:, 1])
    rows[rng.random(N_ROWS) < 0.1, 0] = np.nan
    return rows, labels.astype(np.float32)


ROWS, LABELS = make_rows()


def matrix(rows: np.ndarray = ROWS, labels: np.ndarray | None = LABELS, **more: Any) -> kb.DMatrix:
    return kb.DMatrix(rows, labels, feature_types=TYPES, **more)


def train(rounds: int = 5, data: kb.DMatrix | None = None, model: Any = None, **more: Any) -> kb.Booster:
    return kb.train({**PARAMS, **more}, matrix() if data is None else data, rounds, xgb_model=model)


def mix(value: int) -> int:
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


def permutation(n_rows: int, seed: int, number: int) -> np.ndarray:
    key = mix(mix(seed ^ mix(PURPOSE)) ^ mix(number))
    return kb.shuffle(n_rows, key)


def ordered(column: np.ndarray, labels: np.ndarray, weights: np.ndarray, order: np.ndarray, strength: float) -> Any:
    """Return the column's numbers from the earlier rows, row by row, and the numbers of whole categories."""
    prior = np.sum(labels * weights) / np.sum(weights)
    own = strength * np.mean(weights)
    sums: dict[float, list[float]] = {}
    numbers = np.full(len(column), np.nan, dtype=np.float32)
    for row in order:
        if np.isnan(column[row]):
            continue
        known = sums.setdefault(float(column[row]), [0.0, 0.0])
        numbers[row] = (known[0] + prior * own) / (known[1] + own)
        known[0] += float(labels[row]) * float(weights[row])
        known[1] += float(weights[row])
    return numbers, {category: (a + prior * own) / (b + own) for category, (a, b) in sums.items()}, prior


def encoded(seed: int = 0, strength: float = 1.0, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows as used in training, and as used in prediction."""
    weights = np.ones(N_ROWS) if weights is None else weights
    learnt, seen = ROWS.copy(), ROWS.copy()
    order = permutation(N_ROWS, seed, 0)
    for column in (0, 2):
        learnt[:, column], whole, _ = ordered(ROWS[:, column], LABELS, weights, order, strength)
        seen[:, column] = [whole.get(float(value), np.nan) for value in ROWS[:, column]]
    return learnt, seen


def splits(model: kb.Booster) -> list[str]:
    return model.get_dump(dump_format="json", with_stats=True)


@pytest.mark.parametrize("method", ["hist", "exact", "approx"])
@pytest.mark.parametrize(("seed", "strength", "weighted"), [(0, 1.0, False), (5, 0.25, False), (1, 8.0, True)])
def test_trees_are_those_of_the_numbers(method: str, seed: int, strength: float, weighted: bool) -> None:
    weights = np.random.default_rng(2).integers(0, 4, N_ROWS).astype(np.float64) if weighted else None
    learnt, seen = encoded(seed, strength, weights)
    more = {"tree_method": method, "seed": seed, "ordered_strength": strength}
    model = train(data=matrix(weight=weights), **more)
    plain = {"max_depth": 3, "tree_method": method, "seed": seed}
    reference = kb.train(plain, kb.DMatrix(learnt, LABELS, weight=weights), 5)
    assert splits(model) == splits(reference)
    for kind in ("pred_contribs", "pred_leaf", "pred_interactions", "output_margin"):
        expected = reference.predict(kb.DMatrix(seen), **{kind: True})
        assert np.array_equal(model.predict(matrix(labels=None), **{kind: True}), expected)
    assert np.array_equal(model.inplace_predict(ROWS), reference.predict(kb.DMatrix(seen)))
    assert model.get_score() == reference.get_score()


def test_permutations_take_turns() -> None:
    """Round t uses the permutation with number t modulo their count."""
    model = train(2, ordered_permutations=2)
    first = train(1, ordered_permutations=1)
    assert splits(model)[0] == splits(first)[0]
    assert splits(model)[1] != splits(train(2, ordered_permutations=1))[1]
    assert splits(train(4, ordered_permutations=3)) == splits(
        train(2, model=train(2, ordered_permutations=3), ordered_permutations=3)
    )


def test_missing_and_unseen_categories() -> None:
    model = train()
    *_, prior = ordered(ROWS[:, 0], LABELS, np.ones(N_ROWS), np.arange(N_ROWS), 1.0)
    plain = kb.train({"max_depth": 3, "tree_method": "hist"}, kb.DMatrix(encoded()[0], LABELS), 5)
    rows = np.array([[np.nan, 0.5, np.nan], [77, 0.5, 1e6], [-3, 0.5, 0.5]], dtype=np.float32)
    numbers = np.array([[np.nan, 0.5, np.nan], [prior, 0.5, prior], [prior, 0.5, prior]], dtype=np.float32)
    assert np.array_equal(model.inplace_predict(rows), plain.inplace_predict(numbers))
    missing = train(unseen_category="missing").inplace_predict(rows)
    assert missing[0] == missing[1]
    with pytest.raises(kb.KauriError, match="which did not occur in training"):
        train(unseen_category="error").inplace_predict(rows)


def frame_of(rows: np.ndarray, names: list[str]) -> pd.DataFrame:
    city = [None if np.isnan(code) else f"t{int(code)}" for code in rows[:, 0]]
    return pd.DataFrame({"town": pd.Categorical(city, names), "x": rows[:, 1]})


def test_names_in_another_order_and_new_ones() -> None:
    names = [f"t{i}" for i in range(N_CATEGORIES)]
    data = kb.DMatrix(frame_of(ROWS, names), LABELS)
    model = kb.train(PARAMS, data, 4)
    other = frame_of(ROWS, names[::-1])
    assert np.array_equal(model.inplace_predict(other), model.predict(data))
    new = pd.DataFrame({"town": pd.Categorical(["nowhere"]), "x": [0.0]})
    number = kb.DMatrix(np.array([[1000, 0.0]]), feature_types=["c", "q"], feature_names=["town", "x"])
    assert model.inplace_predict(new) == model.predict(number)
    on = [kb.train(PARAMS, kb.DMatrix(table, LABELS), 3, xgb_model=model) for table in (frame_of(ROWS, names), other)]
    assert on[0].save_raw("json") == on[1].save_raw("json")


@pytest.mark.parametrize("method", ["hist", "exact"])
def test_the_same_bytes_for_any_threads(method: str) -> None:
    models = [train(6, nthread=n, tree_method=method, ordered_permutations=3).save_raw("json") for n in (1, 8, 3)]
    assert models[0] == models[1] == models[2]


def test_files_snapshots_and_slices() -> None:
    model = train(6, ordered_permutations=3)
    expected = model.predict(matrix())
    for form in ("json", "ubj"):
        back = kb.Booster(model_file=model.save_raw(form))
        assert np.array_equal(back.predict(matrix()), expected)
        assert back.save_raw("json") == model.save_raw("json")
        assert "kauri_cats_ordered" not in back.attributes()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(matrix()), expected)
    assert np.array_equal(model[:2].predict(matrix()), model.predict(matrix(), iteration_range=(0, 2)))
    assert "kauri_cats_ordered" in json.loads(model.save_raw("json"))["learner"]["attributes"]


def test_training_goes_on() -> None:
    """A file changes nothing; other data use the model's table; evaluation equals prediction."""
    at_once = train(7, ordered_permutations=3)
    half = kb.Booster(model_file=train(3, ordered_permutations=3).save_raw("ubj"))
    for more in ({}, {"categorical_encoding": ""}, {"ordered_permutations": 9, "seed": 4, "subsample": 1.0}):
        on = train(4, model=half, **{"ordered_permutations": 3, **more})
        assert splits(on) == splits(at_once)
    rows, labels = make_rows(seed=9)
    on = train(2, data=matrix(rows, labels), model=half)
    assert np.array_equal(on[:3].predict(matrix()), half.predict(matrix()))
    history: dict[str, Any] = {}
    model = kb.train(PARAMS, matrix(), 3, evals=[(matrix(rows, labels), "other")], evals_result=history)
    error = np.sqrt(np.mean((model.predict(matrix(rows)) - labels) ** 2))
    assert history["other"]["rmse"][-1] == pytest.approx(error, rel=1e-6)


def test_a_failure_leaves_all_as_it_was() -> None:
    model = train(3)
    before = model.save_raw("json")
    heavy = matrix(labels=np.full(N_ROWS, 3e38), weight=np.full(N_ROWS, 9.0))
    for data in (heavy, kb.QuantileDMatrix(ROWS, LABELS, feature_types=TYPES)):
        with pytest.raises(kb.KauriError):
            model.update(data, 3)
        assert model.save_raw("json") == before
    model.update(matrix(), 3)
    assert splits(model) == splits(train(4))


def test_other_objectives_and_boosters() -> None:
    y = (LABELS > 0).astype(np.float32)
    for more in (
        {"objective": "binary:logistic"},
        {"booster": "dart", "rate_drop": 0.5},
        {"objective": "count:poisson"},
    ):
        model = train(data=matrix(labels=y), **more)
        assert np.isfinite(model.predict(matrix())).all()
    ranked = matrix(labels=y)
    ranked.set_info(group=[N_ROWS // 2, N_ROWS // 2], weight=[1.0, 3.0])
    assert len(splits(train(data=ranked, objective="rank:ndcg"))) == 5


def test_without_categories_nothing_changes() -> None:
    data = kb.DMatrix(ROWS, LABELS)
    plain = kb.train({"max_depth": 3, "tree_method": "hist"}, data, 3)
    assert kb.train(PARAMS, data, 3).save_raw("json") == plain.save_raw("json")
    on = kb.train(PARAMS, data, 1, xgb_model=plain)
    assert on.num_boosted_rounds() == 4


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"categorical_encoding": "target"}, "categorical_encoding='target' is not valid; expected partition or"),
        ({"ordered_strength": 0}, "ordered_strength=0 is not valid; expected a number above 0"),
        ({"ordered_permutations": 0}, "ordered_permutations"),
        ({"booster": "gblinear"}, "does not go with booster=gblinear"),
        ({"objective": "survival:cox"}, "does not go with objective=survival:cox: a censored time"),
    ],
)
def test_what_is_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(kb.KauriError, match=message):
        train(data=matrix(labels=np.abs(LABELS)), **params)


def test_what_is_refused_of_data_and_models() -> None:
    with pytest.raises(kb.KauriError, match="needs one label a row, and the training data have 2"):
        train(data=matrix(labels=np.column_stack([LABELS, LABELS])))
    with pytest.raises(kb.KauriError, match=r"categorical_encoding=ordered needs .*values"):
        train(data=kb.QuantileDMatrix(ROWS, LABELS, feature_types=TYPES))
    with pytest.raises(kb.KauriError, match="does not go with custom gradients"):
        kb.train(PARAMS, matrix(), 1, obj=lambda p, _: (p, np.ones_like(p)))
    with pytest.raises(kb.KauriError, match="=partition does not fit the model, which was trained with ordered"):
        train(model=train(), categorical_encoding="partition")
    with pytest.raises(kb.KauriError, match="=ordered does not fit the model, which was trained with partition"):
        train(model=train(categorical_encoding="partition"))
    heavy = matrix(labels=np.full(N_ROWS, 3e38), weight=np.full(N_ROWS, 9.0))
    with pytest.raises(kb.KauriError, match=r"the label of row 0 is .*whose product is no finite number"):
        train(data=heavy, base_score=0)
    with pytest.raises(kb.KauriError, match="holds categories in the model, but numbers"):
        train().predict(kb.DMatrix(ROWS, feature_types=["q", "q", "c"]))


HOSTILE = [
    ("columns", [2, 0], "do not ascend from 0 to at most 2"),
    ("columns", [0, 3], "do not ascend from 0 to at most 2"),
    ("segments", [0, 40, 1 << 40], "does not ascend from 0"),
    ("segments", [0, 80], "does not ascend from 0"),
    ("segments", [], "does not ascend from 0"),
    ("categories", [], "expected 0, one per category"),
    ("categories", [7] * 80, "of column 0 do not ascend from 0"),
    ("labels", [1], "are 1 and 80 numbers"),
    ("weights", [-1] * 80, "has a number below 0"),
    ("label_unit", 256, "make no finite number|makes no finite number"),
    ("label_unit", 257, "label_unit"),
    ("total", [1], "is not a sum of labels and one of weights"),
    ("total", [1, -1], "is not a sum of labels and one of weights"),
    ("rows", -1, "rows"),
    ("permutations", 0, "permutations"),
    ("permutations", 1 << 40, "permutations"),
    ("seed", "x", "seed"),
    ("strength", [0.0], "is not one number above 0"),
    ("strength", [], "is not one number above 0"),
]


@pytest.mark.parametrize(("key", "value", "message"), HOSTILE)
def test_damaged_tables_are_refused(key: str, value: Any, message: str) -> None:
    document = json.loads(train(2).save_raw("json"))
    attributes = document["learner"]["attributes"]
    table = json.loads(attributes["kauri_cats_ordered"])
    attributes["kauri_cats_ordered"] = json.dumps({**table, key: value})
    with pytest.raises(kb.KauriError, match=f"'kauri_cats_ordered' is damaged.*({message})"):
        kb.Booster(model_file=bytearray(json.dumps(document).encode()))
