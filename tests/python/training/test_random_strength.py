"""Noise on the gains that features are compared by (random_strength)."""

from __future__ import annotations

import itertools
import math
import pickle
import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriClassifier

sys.path.insert(0, str(Path(__file__).parents[1] / "collective"))
from test_thread_ranks import run_ranks

QUIET = {"verbose_eval": False}
METHODS = ("exact", "hist", "approx")
GROWTH: dict[str, dict[str, Any]] = {
    "exact": {"tree_method": "exact"},
    "hist": {"tree_method": "hist"},
    "approx": {"tree_method": "approx"},
    "lossguide": {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 20, "max_depth": 0},
    "symmetric": {"tree_method": "hist", "grow_policy": "symmetric", "max_depth": 4},
    "vectors": {"tree_method": "hist", "multi_strategy": "multi_output_tree"},
}


def _rows(n_rows: int = 900, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return six columns, two of which matter, with a tenth of the values missing."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 0] + rng.normal(size=n_rows)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y.astype(np.float32)


def _data(growth: str, X: np.ndarray, y: np.ndarray) -> kb.DMatrix:
    """Make a matrix; column 5 is categorical if the growth policy supports it."""
    if growth == "symmetric":
        return kb.DMatrix(X, label=y)
    X = X.copy()
    X[:, 5] = np.floor(np.abs(np.nan_to_num(X[:, 5])) * 5)
    label = np.column_stack([y, -y, y * y]) if growth == "vectors" else y
    return kb.DMatrix(X, label=label, feature_types=["q"] * 5 + ["c"], enable_categorical=True)


def _root(model: kb.Booster) -> Any:
    return model.trees_to_dataframe().iloc[0]


@pytest.mark.parametrize("growth", GROWTH)
def test_none_is_todays_bytes_and_some_is_not(growth: str) -> None:
    data = _data(growth, *_rows())
    plain = kb.train(GROWTH[growth], data, 4, **QUIET).save_raw()
    assert kb.train({**GROWTH[growth], "random_strength": 0}, data, 4, **QUIET).save_raw() == plain
    assert kb.train({**GROWTH[growth], "random_strength": 2}, data, 4, **QUIET).save_raw() != plain
    # The noise is too small to change any decision.
    assert kb.train({**GROWTH[growth], "random_strength": 1e-25}, data, 4, **QUIET).save_raw() == plain


@pytest.mark.parametrize("growth", GROWTH)
def test_the_same_bytes_for_any_threads_and_going_on(growth: str) -> None:
    data = _data(growth, *_rows())
    params = {**GROWTH[growth], "random_strength": 2, "subsample": 0.8, "seed": 7}
    models = [kb.train({**params, "nthread": n}, data, 4, **QUIET) for n in (1, 2, 5)]
    assert len({bytes(model.save_raw()) for model in models}) == 1
    half = kb.train(params, data, 2, **QUIET)
    again = pickle.loads(pickle.dumps(half))
    for start in (half, again):
        assert kb.train(params, data, 2, xgb_model=start, **QUIET).save_raw() == models[0].save_raw()
    assert kb.train({**params, "seed": 8}, data, 4, **QUIET).save_raw() != models[0].save_raw()


@pytest.mark.parametrize("growth", ["hist", "approx", "symmetric"])
def test_several_ranks_train_the_model_of_one_process(growth: str) -> None:
    X, y = _rows()
    params = {**GROWTH[growth], "random_strength": 2, "nthread": 1}
    alone = bytes(kb.train(params, _data(growth, X, y), 4, **QUIET).save_raw())

    def of_rank(collective: Any) -> bytes:
        bounds = np.linspace(0, len(X), collective.size + 1).astype(int)
        rows = slice(bounds[collective.rank], bounds[collective.rank + 1])
        data = _data(growth, X[rows], y[rows])
        data.set_info(global_rows=np.array([[rows.start, rows.stop - rows.start]]))
        return bytes(kb.train(params, data, 4, collective=collective, **QUIET).save_raw())

    assert run_ranks(3, of_rank) == [alone] * 3


def test_folds_over_shared_bins() -> None:
    data = _data("hist", *_rows())
    params = {"random_strength": 2, "max_depth": 3}
    tables = [kb.cv({**params, "nthread": n}, data, 4, nfold=3, shared_bins=True) for n in (1, 2, 5)]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
    assert not tables[0].equals(kb.cv({"max_depth": 3}, data, 4, nfold=3, shared_bins=True))


def _gain(X: np.ndarray, gradients: np.ndarray, column: int, threshold: float) -> float:
    """Return the gain of a split at the root, from the rows; hessians and lambda are 1."""
    left = X[:, column] < np.float32(threshold)
    sums = [(gradients[rows].sum(), rows.sum()) for rows in (left, ~left, np.ones(len(X), dtype=bool))]
    of = [g * g / (n + 1) for g, n in sums]
    return of[0] + of[1] - of[2]


@pytest.mark.parametrize("method", METHODS)
def test_recorded_gains_are_without_noise(method: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8)).astype(np.float32)
    y = rng.normal(size=300).astype(np.float32)
    data = kb.DMatrix(X, label=y)
    chosen = set()
    for seed in range(30):
        params = {"tree_method": method, "max_depth": 1, "random_strength": 3, "seed": seed, "base_score": 0.0}
        root = _root(kb.train(params, data, 1, **QUIET))
        column = int(root["Feature"][1:])
        chosen.add(column)
        expected = _gain(X, -y.astype(np.float64), column, root["Split"])
        assert root["Gain"] == pytest.approx(expected, rel=1e-4)
    assert len(chosen) > 4


def test_of_two_columns_each_wins_as_often_as_normal_noise_says() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(400, 2)).astype(np.float32)
    y = (0.35 * X[:, 0] + 0.2 * X[:, 1] + rng.normal(size=400)).astype(np.float32)
    gradients = -y.astype(np.float64)
    gains = [_gain(X, gradients, column, 0.5) for column in (0, 1)]
    strength, n_seeds = 4.0, 1500
    deviation = strength * float(np.mean(gradients**2)) * 400 / 401
    share = 0.5 * math.erfc(-(gains[0] - gains[1]) / (math.sqrt(2) * deviation) / math.sqrt(2))
    assert 0.6 < share < 0.95
    data = kb.DMatrix(X, label=y)
    params = {"max_depth": 1, "random_strength": strength, "base_score": 0.0, "nthread": 1}
    dumps = [kb.train({**params, "seed": seed}, data, 1, **QUIET).get_dump()[0] for seed in range(n_seeds)]
    first = [dump.startswith("0:[f0<") for dump in dumps]
    assert np.mean(first) == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / n_seeds))


@pytest.mark.parametrize("growth", ["exact", "hist", "symmetric"])
def test_a_loss_times_a_number_has_the_same_splits(growth: str) -> None:
    X, y = _rows()
    params = {**GROWTH[growth], "random_strength": 2, "lambda": 0, "min_child_weight": 0, "base_score": 0.0}
    frames = []
    for weight in (1.0, 8.0):
        data = kb.DMatrix(X, label=y, weight=np.full(len(y), weight))
        frames.append(kb.train(params, data, 3, **QUIET).trees_to_dataframe())
    assert (frames[0]["Feature"] == frames[1]["Feature"]).all()
    splits = frames[0]["Feature"] != "Leaf"
    np.testing.assert_allclose(frames[1]["Gain"][splits], 8 * frames[0]["Gain"][splits], rtol=1e-4)


@pytest.mark.parametrize("growth", ["hist", "lossguide", "approx", "symmetric", "vectors"])
def test_no_split_below_gamma_and_none_lost_to_one(growth: str) -> None:
    data = _data(growth, *_rows())
    params = {**GROWTH[growth], "gamma": 20, "base_score": 0.0}
    if growth == "vectors":
        params["gamma"] = 500
    plain = kb.train(params, data, 1, **QUIET).trees_to_dataframe()
    assert plain["Feature"].iloc[0] != "Leaf"
    for seed in range(20):
        noisy = kb.train({**params, "random_strength": 20, "seed": seed}, data, 1, **QUIET).trees_to_dataframe()
        # The root has a split that reaches gamma, so one is made, whatever the noise.
        assert noisy["Feature"].iloc[0] != "Leaf"
        if growth != "symmetric":  # symmetric levels reach it together
            gains = noisy["Gain"][noisy["Feature"] != "Leaf"]
            assert gains.min() >= params["gamma"]


def test_noise_fades_with_the_rounds() -> None:
    X, y = _rows(200)
    data = kb.DMatrix(X, label=y)
    params = {"eta": 1.0, "max_depth": 1, "random_strength": 3, "lambda": 1e4}  # the model hardly learns
    model = kb.train({**params, "seed": 1}, data, 60, **QUIET)
    columns = model.trees_to_dataframe().groupby("Tree")["Feature"].first()
    # ln(200) is 5.3: in the first rounds random columns are split, too; in the last ones only the best.
    assert len(set(columns[:5])) > 1
    assert len(set(columns[-30:])) < len(set(columns[:8]))


def test_each_tree_of_a_round_has_noise_of_its_own() -> None:
    X, y = _rows()
    params = {"num_parallel_tree": 8, "random_strength": 5, "max_depth": 3, "eta": 1.0}
    dumps = kb.train(params, kb.DMatrix(X, label=y), 1, **QUIET).get_dump()
    assert len(set(dumps)) > 4


def test_external_memory_grows_the_trees_of_memory(tmp_path: Path) -> None:
    X, y = _rows(3000)

    class Batches(kb.DataIter):
        def __init__(self, folder: Path | None) -> None:
            self.at = 0
            super().__init__(cache_prefix=None if folder is None else str(folder / "cache"))

        def next(self, input_data: Any) -> bool:
            if self.at == 3:
                return False
            rows = slice(1000 * self.at, 1000 * self.at + 1000)
            input_data(data=X[rows], label=y[rows])
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    params = {"random_strength": 2, "max_depth": 5}
    in_memory = kb.train(params, kb.QuantileDMatrix(Batches(None)), 4, **QUIET)
    in_files = kb.train(params, kb.ExtMemQuantileDMatrix(Batches(tmp_path)), 4, **QUIET)
    assert in_files.save_raw() == in_memory.save_raw()


def test_one_booster_with_other_strengths_each_round() -> None:
    data = _data("hist", *_rows())
    model = kb.Booster({"max_depth": 3, "random_strength": 4}, [data])
    first = kb.train({"max_depth": 3, "random_strength": 4}, data, 1, **QUIET)
    model.update(data, 0)
    for number, strength in enumerate((0, 2), start=1):
        model.set_param({"random_strength": strength})
        model.update(data, number)
        first = kb.train({"random_strength": strength}, data, 1, xgb_model=first, **QUIET)
        assert model.get_dump(with_stats=True) == first.get_dump(with_stats=True)


def test_settings_travel_with_the_configuration() -> None:
    data = _data("hist", *_rows())
    model = kb.train({"random_strength": 1.5}, data, 1, **QUIET)
    other = kb.Booster()
    other.load_config(model.save_config())
    assert '"random_strength":"1.5"' in other.save_config().replace(" ", "")


def test_estimators_take_it() -> None:
    X, y = _rows()
    kinds = [KauriClassifier(n_estimators=5, random_strength=s).fit(X, y > 0) for s in (0.0, 3.0)]
    assert kinds[1].get_params()["random_strength"] == 3.0
    assert kinds[0].get_booster().save_raw() != kinds[1].get_booster().save_raw()


@pytest.mark.parametrize("booster", ["dart", "adaboost"])
def test_other_boosters_of_trees(booster: str) -> None:
    X, y = _rows()
    data = kb.DMatrix(X, label=(y > 0).astype(float))
    params = {"booster": booster, "objective": "binary:logitraw", "max_depth": 3}
    raws = [kb.train({**params, "random_strength": s}, data, 3, **QUIET).save_raw() for s in (0, 0, 4)]
    assert raws[0] == raws[1] != raws[2]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"random_strength": -1}, "random_strength"),
        ({"random_strength": "nan"}, "random_strength"),
        ({"random_strength": "much"}, "random_strength"),
        (
            {"random_strength": 1, "split_criterion": "absolute_error", "objective": "reg:absoluteerror"},
            "set random_strength=0, or split_criterion=gradient",
        ),
    ],
)
def test_refused_and_the_booster_stays_as_it_was(params: dict[str, Any], words: str) -> None:
    X, y = _rows(200)
    data = kb.DMatrix(X, label=y)
    with pytest.raises(kb.ParameterError, match=words):
        kb.train(params, data, 1, **QUIET)
    model = kb.train({}, data, 1, **QUIET)
    before = model.save_raw()
    with pytest.raises(kb.KauriError):
        kb.train(params, data, 1, xgb_model=model, **QUIET)
    assert model.save_raw() == before


def test_everything_at_once() -> None:
    """Combine sampling, limits and noise in every method: models are valid and reproducible."""
    X, y = _rows()
    more: list[dict[str, Any]] = [
        {"extra_trees": True, "min_data_in_leaf": 9},
        {"subsample": 0.5, "sampling_method": "gradient_based"},
        {"bagging_temperature": 1, "colsample_bynode": 0.5},
        {"path_smooth": 5, "interaction_constraints": "[[0,1],[2,3]]"},
        {"max_delta_step": 0.3, "alpha": 0.5, "monotone_constraints": "(1,-1)"},
    ]
    for method, extra in itertools.product(METHODS, more):
        params = {"tree_method": method, "random_strength": 3, "max_depth": 5, **extra}
        data = kb.DMatrix(X, label=y)
        first, second = (kb.train({**params, "nthread": n}, data, 3, **QUIET) for n in (1, 3))
        assert first.save_raw() == second.save_raw()
        assert np.isfinite(first.predict(data)).all()
