"""ordered_combination: the combined columns, their numbers, and their representation in files."""

from __future__ import annotations

import itertools
import json
import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from test_ordered_categories import ordered, permutation

N_ROWS = 900
CATEGORICAL = (0, 1, 3, 4)
TYPES = ["c", "c", "q", "c", "c"]
SIZES = {0: 5, 1: 4, 3: 3, 4: 7}
PARAMS = {
    "max_depth": 4,
    "tree_method": "hist",
    "categorical_encoding": "ordered",
    "ordered_permutations": 1,
    "ordered_combination": 2,
}


def make_rows(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose columns 0 and 1 need each other, and gain from 3; labels are integers with exact sums."""
    rng = np.random.default_rng(seed)
    rows = np.zeros((N_ROWS, 5), dtype=np.float32)
    for column, size in SIZES.items():
        rows[:, column] = rng.integers(0, size, N_ROWS)
    rows[:, 2] = rng.normal(size=N_ROWS)
    a, b, c = (rows[:, column].astype(int) for column in (0, 1, 3))
    tables = np.random.default_rng(77)
    pairs, triples = tables.integers(-6, 7, (5, 4)), tables.integers(-4, 5, (5, 4, 3))
    pairs -= np.round(pairs.mean(axis=1, keepdims=True)).astype(int)
    labels = pairs[a, b] + triples[a, b, c] + np.round(rows[:, 2])
    for column in CATEGORICAL:
        rows[rng.random(N_ROWS) < 0.03, column] = np.nan
    return rows, labels.astype(np.float32)


ROWS, LABELS = make_rows()


def matrix(rows: np.ndarray = ROWS, labels: np.ndarray | None = LABELS, **more: Any) -> kb.DMatrix:
    return kb.DMatrix(rows, labels, feature_types=TYPES, **more)


def train(rounds: int = 5, data: kb.DMatrix | None = None, model: Any = None, **more: Any) -> kb.Booster:
    return kb.train({**PARAMS, **more}, matrix() if data is None else data, rounds, xgb_model=model)


def told(keys: np.ndarray, weights: np.ndarray, order: np.ndarray, strength: float) -> float:
    """Return how much the squared error falls when numbers from earlier rows replace the mean of all labels."""
    numbers, _, prior = ordered(keys, LABELS, weights, order, strength)
    known = ~np.isnan(keys)
    errors = (LABELS - numbers.astype(np.float64)) ** 2
    return float(np.sum((weights * ((LABELS - prior) ** 2 - errors))[known]))


def keys_of(rows: np.ndarray, members: tuple[int, ...]) -> np.ndarray:
    """Return one number per row for its values in all the columns, NaN if one is missing."""
    keys = np.zeros(len(rows))
    for column in members:
        keys = keys * 1000 + rows[:, column]
    return keys


def find(weights: np.ndarray, seed: int, strength: float, most: int) -> list[tuple[int, ...]]:
    """Return the combinations from the definition: pairs first, then combinations with one more column."""
    order = permutation(N_ROWS, seed, 0)
    gains = {(column,): told(keys_of(ROWS, (column,)), weights, order, strength) for column in CATEGORICAL}
    found: list[tuple[int, ...]] = []
    bases = [(column,) for column in CATEGORICAL]
    for _ in range(1, most):
        surplus: dict[tuple[int, ...], float] = {}
        for base, column in itertools.product(bases, CATEGORICAL):
            members = tuple(sorted({*base, column}))
            if column in base or members in surplus:
                continue
            gains[members] = told(keys_of(ROWS, members), weights, order, strength)
            surplus[members] = gains[members] - max(gains[base], 0.0) - max(gains[(column,)], 0.0)
        bases = sorted((members for members, more in surplus.items() if more > 0), key=lambda m: -surplus[m])
        assert len(bases) <= 16
        found += bases
    return found


def encoded(combined: list[tuple[int, ...]], weights: np.ndarray, seed: int, strength: float) -> tuple[Any, Any]:
    """Return the rows as used in training, and as used in prediction."""
    order = permutation(N_ROWS, seed, 0)
    learnt = np.column_stack([ROWS, *(np.zeros(N_ROWS) for _ in combined)]).astype(np.float32)
    seen = learnt.copy()
    targets = [((column,), column) for column in CATEGORICAL] + [(m, 5 + i) for i, m in enumerate(combined)]
    for members, column in targets:
        keys = keys_of(ROWS, members)
        learnt[:, column], whole, _ = ordered(keys, LABELS, weights, order, strength)
        seen[:, column] = [whole.get(float(key), np.nan) for key in keys]
    return learnt, seen


def names_of(combined: list[tuple[int, ...]]) -> list[str]:
    return [f"f{i}" for i in range(5)] + ["&".join(f"f{i}" for i in members) for members in combined]


def splits(model: kb.Booster) -> list[str]:
    return model.get_dump(dump_format="json", with_stats=True)


def combinations(model: kb.Booster) -> Any:
    """Return the combinations in the model's file."""
    attributes = json.loads(model.save_raw("json"))["learner"]["attributes"]
    return json.loads(attributes["kauri_cats_ordered"]).get("combinations")


@pytest.mark.parametrize("method", ["hist", "exact", "approx"])
@pytest.mark.parametrize(
    ("most", "seed", "strength", "weighted"), [(2, 0, 1.0, False), (3, 5, 0.25, False), (4, 1, 4.0, True)]
)
def test_trees_are_those_of_the_numbers(method: str, most: int, seed: int, strength: float, weighted: bool) -> None:
    weights = np.random.default_rng(2).integers(0, 4, N_ROWS).astype(np.float64) if weighted else np.ones(N_ROWS)
    combined = find(weights, seed, strength, most)
    assert (0, 1) in combined
    assert len(combined) < 12
    assert most < 3 or (0, 1, 3) in combined
    learnt, seen = encoded(combined, weights, seed, strength)
    plain = {"max_depth": 4, "tree_method": method, "seed": seed, "colsample_bynode": 0.7}
    more = {**plain, "ordered_strength": strength, "ordered_combination": most}
    model = train(data=matrix(weight=weights), **more)
    names = {"feature_names": names_of(combined)}
    reference = kb.train(plain, kb.DMatrix(learnt, LABELS, weight=weights, **names), 5)
    assert splits(model) == splits(reference)
    for kind in ("pred_leaf", "output_margin"):
        expected = reference.predict(kb.DMatrix(seen, **names), **{kind: True})
        assert np.array_equal(model.predict(matrix(labels=None), **{kind: True}), expected)
    assert np.array_equal(model.inplace_predict(ROWS), reference.inplace_predict(seen, validate_features=False))
    for kind in ("weight", "gain", "total_cover"):
        assert model.get_score(importance_type=kind) == reference.get_score(importance_type=kind)
    assert "f0&f1" in model.get_score()
    assert model.num_features() == 5


def test_columns_together_say_what_they_do_not_say_alone() -> None:
    rows, labels = make_rows(seed=9)

    def error(most: int) -> float:
        model = train(50, eta=0.1, ordered_combination=most)
        return float(np.sqrt(np.mean((model.predict(matrix(rows)) - labels) ** 2)) / np.std(labels))

    alone, pairs, triples = (error(most) for most in (1, 2, 3))
    assert alone > 0.8
    assert pairs < 0.45
    assert triples < 0.3


def test_columns_that_tell_nothing_together_stay_alone() -> None:
    labels = np.random.default_rng(3).integers(0, 9, N_ROWS).astype(np.float32)
    alone = train(data=matrix(labels=labels), ordered_combination=1)
    both = train(data=matrix(labels=labels), ordered_combination=3)
    assert combinations(alone) is None
    assert combinations(both)["count"] == 0
    assert splits(both) == splits(alone)
    assert kb.Booster(model_file=both.save_raw("json")).save_raw("json") == both.save_raw("json")


def test_one_is_none() -> None:
    default = {name: value for name, value in PARAMS.items() if name != "ordered_combination"}
    assert kb.train(default, matrix(), 3).save_raw("json") == train(3, ordered_combination=1).save_raw("json")


def test_missing_and_unseen_cells() -> None:
    """A combination with a missing member is missing; an unseen one has the prior, whatever its members have."""
    model = train(ordered_strength=0.1)
    combined = find(np.ones(N_ROWS), 0, 0.1, 2)
    learnt, _ = encoded(combined, np.ones(N_ROWS), 0, 0.1)
    reference = kb.train({"max_depth": 4, "tree_method": "hist"}, kb.DMatrix(learnt, LABELS), 5)
    order = permutation(N_ROWS, 0, 0)
    tables = {m: ordered(keys_of(ROWS, m), LABELS, np.ones(N_ROWS), order, 0.1) for m in [(c,) for c in CATEGORICAL]}
    tables |= {m: ordered(keys_of(ROWS, m), LABELS, np.ones(N_ROWS), order, 0.1) for m in combined}
    prior = tables[(0,)][2]
    rows = ROWS[:40].copy()
    rows[:10, 0], rows[10:20, 1], rows[20:30, 4], rows[30:, 3] = np.nan, 77, -3, 1.5
    numbers = np.column_stack([rows, np.zeros((40, len(combined)))]).astype(np.float32)
    for members, column in [((c,), c) for c in CATEGORICAL] + [(m, 5 + i) for i, m in enumerate(combined)]:
        for row, key in enumerate(keys_of(rows, members)):
            known = tables[members][1] if all(rows[row, c] in range(SIZES[c]) for c in members) else {}
            numbers[row, column] = np.nan if np.isnan(key) else known.get(key, prior)
    assert np.array_equal(model.inplace_predict(rows), reference.inplace_predict(numbers))
    assert np.array_equal(model.predict(matrix(ROWS[:20], None)), model.inplace_predict(ROWS[:20]))
    lost = rows.copy()
    lost[10:20, 1] = lost[20:30, 4] = lost[30:, 3] = np.nan
    of_missing = train(ordered_strength=0.1, unseen_category="missing")
    assert np.array_equal(of_missing.inplace_predict(rows), of_missing.inplace_predict(lost))
    with pytest.raises(kb.KauriError, match="which did not occur in training"):
        train(unseen_category="error").inplace_predict(rows)


def test_rows_of_other_storage() -> None:
    """Sparse rows, whose unstored values are missing, and rows with fewer columns."""
    model = train()
    stored = sparse.csr_matrix((ROWS.ravel(), np.tile(np.arange(5), N_ROWS), np.arange(0, N_ROWS * 5 + 1, 5)))
    assert np.array_equal(model.inplace_predict(stored), model.inplace_predict(ROWS))
    rare = np.where(np.random.default_rng(1).random(ROWS.shape) < 0.7, np.nan, ROWS).astype(np.float32)
    present = ~np.isnan(rare)
    pointers = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
    sparsely = sparse.csr_matrix((rare[present], np.nonzero(present)[1], pointers), shape=rare.shape)
    expected = model.inplace_predict(rare)
    assert np.array_equal(model.inplace_predict(sparsely), expected)
    assert np.array_equal(model.predict(kb.DMatrix(sparsely, feature_types=TYPES)), expected)
    assert splits(train(data=kb.DMatrix(sparsely, LABELS, feature_types=TYPES))) == splits(train(data=matrix(rare)))
    narrow = ROWS.copy()
    narrow[:, 3:] = np.nan
    assert np.array_equal(model.inplace_predict(ROWS[:, :3], validate_features=False), model.inplace_predict(narrow))


def frame_of(rows: np.ndarray, names: list[str], types: list[str] = TYPES) -> pd.DataFrame:
    """Return categorical columns with their names, followed by the numeric one."""

    def texts(column: int) -> list[str | None]:
        return [None if np.isnan(code) else f"t{int(code)}" for code in rows[:, column]]

    columns = {f"c{column}": pd.Categorical(texts(column), names) for column, kind in enumerate(types) if kind == "c"}
    return pd.DataFrame({**columns, "x": rows[:, types.index("q")]})


def test_names_in_another_order_and_new_ones() -> None:
    names = [f"t{i}" for i in range(7)]
    data = kb.DMatrix(frame_of(ROWS, names), LABELS)
    model = kb.train(PARAMS, data, 4)
    assert "c0&c1" in model.get_score()
    other = frame_of(ROWS, names[::-1])
    assert np.array_equal(model.inplace_predict(other), model.predict(data))
    assert np.array_equal(model.predict(kb.DMatrix(other)), model.predict(data))
    new = frame_of(ROWS, [*names, "nowhere"]).iloc[:3].assign(c0=pd.Categorical(["nowhere"] * 3, ["nowhere"]))
    number = frame_of(ROWS, names).iloc[:3].assign(c0=1000.0)
    coded = np.column_stack([number[name].cat.codes if name in ("c1", "c3", "c4") else number[name] for name in number])
    coded = np.where(coded == -1, np.nan, coded)
    in_numbers = kb.DMatrix(coded, feature_types=["c", "c", "c", "c", "q"], feature_names=list(number))
    assert np.array_equal(model.inplace_predict(new), model.predict(in_numbers))
    on = [kb.train(PARAMS, kb.DMatrix(table, LABELS), 3, xgb_model=model) for table in (frame_of(ROWS, names), other)]
    assert on[0].save_raw("json") == on[1].save_raw("json")


@pytest.mark.parametrize("method", ["hist", "exact"])
def test_the_same_bytes_for_any_threads(method: str) -> None:
    more = {"tree_method": method, "ordered_permutations": 3, "ordered_combination": 3}
    models = [train(6, nthread=n, **more).save_raw("json") for n in (1, 8, 3)]
    assert models[0] == models[1] == models[2]


def test_files_snapshots_and_slices() -> None:
    model = train(6, ordered_permutations=3, ordered_combination=3)
    expected = model.predict(matrix())
    for form in ("json", "ubj"):
        back = kb.Booster(model_file=model.save_raw(form))
        assert np.array_equal(back.predict(matrix()), expected)
        assert back.save_raw("json") == model.save_raw("json")
        assert back.num_features() == 5
        assert back.get_score() == model.get_score()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(matrix()), expected)
    assert np.array_equal(model[:2].predict(matrix()), model.predict(matrix(), iteration_range=(0, 2)))
    param = json.loads(model.save_raw("json"))["learner"]["learner_model_param"]
    assert int(param["num_feature"]) == 5 + combinations(model)["count"]
    for form in ("text", "json", "dot"):
        assert "f0&f1" in "".join(model.get_dump(dump_format=form))


def test_names_of_a_map(tmp_path: Any) -> None:
    model = train()
    path = tmp_path / "map"
    path.write_text("".join(f"{i} n{i} {'c' if i in CATEGORICAL else 'q'}\n" for i in range(5)))
    assert "n0&n1" in model.get_score(path)
    assert "n0&n1" in "".join(model.get_dump(path))
    path.write_text("0 n0 c\n")
    with pytest.raises(kb.KauriError, match="5 features"):
        model.get_dump(path)


def test_training_goes_on() -> None:
    """A file changes nothing; other data use the model's tables; evaluation equals prediction."""
    more = {"ordered_permutations": 3, "ordered_combination": 3}
    at_once = train(7, **more)
    half = kb.Booster(model_file=train(3, **more).save_raw("ubj"))
    for change in ({}, {"categorical_encoding": ""}, {"ordered_combination": 1}, {"ordered_combination": 2, "seed": 4}):
        assert splits(train(4, model=half, **{**more, **change})) == splits(at_once)
    rows, labels = make_rows(seed=9)
    on = train(2, data=matrix(rows, labels), model=half)
    assert np.array_equal(on[:3].predict(matrix()), half.predict(matrix()))
    assert combinations(on) == combinations(half)
    history: dict[str, Any] = {}
    model = kb.train(PARAMS, matrix(), 3, evals=[(matrix(rows, labels), "other")], evals_result=history)
    error = np.sqrt(np.mean((model.predict(matrix(rows)) - labels) ** 2))
    assert history["other"]["rmse"][-1] == pytest.approx(error, rel=1e-6)
    renewed = kb.train({**PARAMS, "process_type": "update", "updater": "refresh"}, matrix(), 3, xgb_model=model)
    assert [json.loads(tree)["split"] for tree in splits(renewed)] == [
        json.loads(tree)["split"] for tree in splits(model)
    ]


def test_a_booster_learns_anew() -> None:
    """With other parameters and data it gives the same as a new booster."""
    model = kb.Booster({**PARAMS, "base_score": 0})
    model.update(matrix(), 0)
    before = model.save_raw("json")
    heavy = matrix(labels=np.full(N_ROWS, 3e38), weight=np.full(N_ROWS, 9.0))
    with pytest.raises(kb.KauriError, match="whose product is no finite number"):
        model.update(heavy, 1)
    assert model.save_raw("json") == before
    model.set_param({"ordered_combination": 1})
    model.update(matrix(), 1)
    assert splits(model) == splits(train(2, base_score=0))
    fresh = kb.Booster({**PARAMS, "base_score": 0}, [matrix()])
    fresh.set_param({"ordered_combination": 1})
    fresh.update(matrix(), 0)
    assert splits(fresh) == splits(train(1, base_score=0, ordered_combination=1))


def test_other_objectives_and_boosters() -> None:
    y = (LABELS > 0).astype(np.float32)
    for more in (
        {"objective": "binary:logistic"},
        {"booster": "dart", "rate_drop": 0.5},
        {"objective": "count:poisson"},
        {"linear_tree": 1},
        {"monotone_constraints": "(0,0,1)"},
    ):
        model = train(data=matrix(labels=y), **more)
        assert combinations(model)["count"] > 0
        expected = model.predict(matrix())
        assert np.isfinite(expected).all()
        assert np.array_equal(kb.Booster(model_file=model.save_raw("ubj")).predict(matrix()), expected)
        assert np.array_equal(model.inplace_predict(ROWS), expected)
    ranked = matrix(labels=y)
    ranked.set_info(group=[N_ROWS // 2, N_ROWS // 2], weight=[1.0, 3.0])
    assert len(splits(train(data=ranked, objective="rank:ndcg"))) == 5


def test_weights_of_columns() -> None:
    """A combination is sampled as often as its rarest column: never, if that has weight 0."""
    without = matrix(feature_weights=[0, 1, 1, 1, 1])
    used = train(20, data=without, colsample_bynode=0.3).get_score()
    assert used
    assert not [name for name in used if "f0" in name]
    used = train(20, data=matrix(feature_weights=[1] * 5), colsample_bynode=0.3).get_score()
    assert [name for name in used if "&" in name]
