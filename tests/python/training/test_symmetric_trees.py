"""Trees with one test per level: structure, compatible options, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

QUIET = {"verbose_eval": False}
PARAMS: dict[str, Any] = {"grow_policy": "symmetric", "max_depth": 4, "eta": 0.3, "nthread": 2}


def _problem(n_rows: int = 1200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_rows, 5)).astype(np.float32)
    y = X[:, 0] + np.where(X[:, 1] > 0, X[:, 2], -X[:, 3]) + 0.1 * rng.normal(size=n_rows)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y.astype(np.float32)


def _questions(model: kb.Booster) -> list[int]:
    """Return the number of different splits in each tree."""
    frame = model.trees_to_dataframe()
    splits = frame[frame["Feature"] != "Leaf"]
    splits = splits.assign(missing_left=splits["Missing"] == splits["Yes"])
    return [len(of_tree.drop_duplicates(["Feature", "Split", "missing_left"])) for _, of_tree in splits.groupby("Tree")]


def test_every_tree_asks_one_question_a_level_and_learns() -> None:
    data = kb.DMatrix(*_problem())
    history: dict[str, Any] = {}
    model = kb.train(PARAMS, data, 30, evals=[(data, "train")], evals_result=history, **QUIET)
    errors = history["train"]["rmse"]
    assert max(_questions(model)) == 4
    assert errors[-1] < 0.5 * errors[0]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
def test_the_same_bytes_for_any_threads_and_going_on(booster: str) -> None:
    data = kb.DMatrix(*_problem())
    params = {**PARAMS, "booster": booster, "subsample": 0.7, "colsample_bylevel": 0.8, "num_parallel_tree": 2}
    models = [kb.train({**params, "nthread": n}, data, 4, **QUIET) for n in (1, 2, 5)]
    assert len({bytes(model.save_raw("json")) for model in models}) == 1
    half = kb.train(params, data, 2, **QUIET)
    assert kb.train(params, data, 2, xgb_model=half, **QUIET).save_raw("json") == models[0].save_raw("json")


def test_files_slices_and_explanations(tmp_path: Path) -> None:
    X, y = _problem()
    data = kb.DMatrix(X, label=y)
    model = kb.train(PARAMS, data, 6, **QUIET)
    model.save_model(tmp_path / "model.ubj")
    again = kb.Booster(model_file=tmp_path / "model.ubj")
    margins = model.predict(data, output_margin=True)
    np.testing.assert_array_equal(again.predict(data, output_margin=True), margins)
    np.testing.assert_array_equal(model[:3].predict(data), model.predict(data, iteration_range=(0, 3)))
    for method in ("treeshap", "quadrature"):
        model.set_param({"shap_method": method})
        values = model.predict(data, pred_contribs=True)
        np.testing.assert_allclose(values.sum(axis=1), margins, rtol=1e-4, atol=1e-4)


def test_bins_in_place_of_values_and_a_policy_changed_between_rounds() -> None:
    X, y = _problem()
    quantile, values = kb.QuantileDMatrix(X, label=y), kb.DMatrix(X, label=y)
    from_bins = kb.train(PARAMS, quantile, 3, **QUIET)
    assert from_bins.save_raw("json") == kb.train(PARAMS, values, 3, **QUIET).save_raw("json")
    depthwise = {**PARAMS, "grow_policy": "depthwise"}
    mixed = kb.train(PARAMS, values, 2, xgb_model=kb.train(depthwise, values, 1, **QUIET), **QUIET)
    model = kb.Booster(depthwise, [values])
    model.update(values, 0)
    model.set_param({"grow_policy": "symmetric"})
    model.update(values, 1)
    model.update(values, 2)
    np.testing.assert_array_equal(mixed.predict(values), model.predict(values))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"tree_method": "exact"}, "tree_method=exact makes no symmetric trees"),
        ({"tree_method": "approx"}, "tree_method=approx makes no symmetric trees"),
        (
            {"multi_strategy": "multi_output_tree"},
            "supports vector leaves only with random thresholds; set extra_trees=1",
        ),
    ],
)
def test_refused_by_parameters(more: dict[str, str], words: str) -> None:
    X, y = _problem(50)
    with pytest.raises(kb.ParameterError, match=words):
        kb.train({**PARAMS, **more}, kb.DMatrix(X, label=y), 1, **QUIET)


def test_a_level_sets_one_category_against_the_others() -> None:
    X, y = _problem()
    X[:, 4] = np.arange(len(y)) % 30
    y = y + 3 * np.isin(X[:, 4], [3, 11])
    known: dict[str, Any] = {"feature_types": ["q"] * 4 + ["c"], "enable_categorical": True}
    data = kb.DMatrix(X, label=y, **known)
    model = kb.train(PARAMS, data, 20, **QUIET)
    assert max(_questions(model)) == 4
    frame = model.trees_to_dataframe()
    asked = frame[(frame["Feature"] == "f4") & frame["Category"].notna()]
    assert all(len(categories) == 1 for categories in asked["Category"])
    assert {int(categories[0]) for categories in asked["Category"]} >= {3, 11}
    # One-hot columns of the categories give the same results for the same tests.
    columns = np.concatenate([X[:, :4], X[:, 4:] == np.arange(30)], axis=1).astype(np.float32)
    of_columns = kb.DMatrix(columns, label=y)
    same = kb.train(PARAMS, of_columns, 20, **QUIET)
    assert same.predict(of_columns).tobytes() == model.predict(data).tobytes()
    # The loaded model predicts the same, both for the rows and for their categories one by one.
    again = kb.Booster(model_file=model.save_raw("json"))
    assert again.predict(data).tobytes() == model.predict(data).tobytes()
    contributions = model.predict(data, pred_contribs=True)
    np.testing.assert_allclose(contributions.sum(axis=1), model.predict(data, output_margin=True), atol=1e-4)
    X[:, 4] = [*([np.nan] * 600), *([77.0] * 600)]
    unseen = model.predict(kb.DMatrix(X, **known))
    assert unseen[:600].tobytes() != unseen[600:].tobytes()
    assert np.isfinite(unseen).all()


def test_refused_and_the_booster_stays_as_it_was() -> None:
    X, y = _problem(200)
    data = kb.DMatrix(X, label=y)
    model = kb.Booster({**PARAMS, "grow_policy": "depthwise"}, [data])
    model.update(data, 0)
    before = model.save_raw("json")
    model.set_param({"grow_policy": "symmetric", "extra_trees": 1})
    with pytest.raises(
        kb.ParameterError, match="set multi_strategy=multi_output_tree, extra_trees=0, or grow_policy=depthwise"
    ):
        model.update(data, 1)
    assert model.save_raw("json") == before
    model.set_param({"extra_trees": 0})
    model.update(data, 1)
    assert model.num_boosted_rounds() == 2


def test_refused_by_data_and_the_booster_stays_as_it_was(tmp_path: Path) -> None:
    X, y = _problem(200)

    class Batches(kb.DataIter):
        def __init__(self) -> None:
            self.at = 0
            super().__init__(cache_prefix=str(tmp_path / "pages"))

        def next(self, input_data: Any) -> bool:
            if self.at == 2:
                return False
            half = slice(100 * self.at, 100 * self.at + 100)
            input_data(data=X[half], label=y[half])
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    in_file = kb.ExtMemQuantileDMatrix(Batches())
    model = kb.Booster({**PARAMS, "grow_policy": "depthwise"}, [in_file])
    model.update(in_file, 0)
    before = model.save_raw("json")
    model.set_param({"grow_policy": "symmetric"})
    with pytest.raises(kb.ParameterError, match="use QuantileDMatrix in place of ExtMemQuantileDMatrix"):
        model.update(in_file, 1)
    assert model.save_raw("json") == before
    model.set_param({"grow_policy": "depthwise"})
    model.update(in_file, 1)
    assert model.num_boosted_rounds() == 2
