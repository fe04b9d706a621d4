"""A column is either categorical or numeric, in training and later; a mixture is refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from kauriboost.sklearn import KauriRegressor

PARAMS = {"max_depth": 4, "max_cat_to_onehot": 3, "tree_method": "hist"}
MIXED_UP = r"column 1 \('city'\) holds categories in the model, but numbers"
REVERSED = r"column 1 \('city'\) holds numbers in the model, but categories"


def make_rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=300), rng.integers(0, 6, 300)]).astype(np.float32)
    return X, (X[:, 1] % 2 + 0.1 * X[:, 0]).astype(np.float32)


X, Y = make_rows()
NUMBERS = pd.DataFrame(X, columns=["x", "city"])
CATEGORIES = NUMBERS.assign(city=pd.Categorical.from_codes(X[:, 1].astype(int), list("abcdef")))


def of_categories() -> kb.Booster:
    return kb.train(PARAMS, kb.DMatrix(CATEGORIES, Y), 3)


def of_numbers() -> kb.Booster:
    return kb.train(PARAMS, kb.DMatrix(NUMBERS, Y), 3)


def evaluate(booster: kb.Booster, data: Any) -> None:
    booster.eval(kb.DMatrix(data, Y))


def predict_with_bins(booster: kb.Booster, data: Any) -> None:
    booster.predict(kb.QuantileDMatrix(data, Y))


def predict_batches(booster: kb.Booster, data: Any) -> None:
    class Once(kb.DataIter):
        done = False

        def next(self, input_data: Callable[..., None]) -> bool:
            if self.done:
                return False
            input_data(data=data, label=Y)
            self.done = True
            return True

        def reset(self) -> None:
            self.done = False

    booster.predict(kb.DMatrix(Once()))


def continue_training(booster: kb.Booster, data: Any) -> None:
    kb.train(PARAMS, kb.DMatrix(data, Y), 1, xgb_model=booster)


def refresh(booster: kb.Booster, data: Any) -> None:
    params = {**PARAMS, "process_type": "update", "updater": "refresh"}
    kb.train(params, kb.DMatrix(data, Y), 1, xgb_model=booster)


USES: dict[str, Callable[[kb.Booster, Any], Any]] = {
    "predict": lambda booster, data: booster.predict(kb.DMatrix(data)),
    "predict without names": lambda booster, data: booster.predict(kb.DMatrix(data), validate_features=False),
    "margins of training": lambda booster, data: booster.predict(kb.DMatrix(data), training=True),
    "leaves": lambda booster, data: booster.predict(kb.DMatrix(data), pred_leaf=True),
    "contributions": lambda booster, data: booster.predict(kb.DMatrix(data), pred_contribs=True),
    "in place": lambda booster, data: booster.inplace_predict(data),
    "in place, base margin": lambda booster, data: booster.inplace_predict(data, base_margin=np.zeros(300)),
    "bins": predict_with_bins,
    "batches": predict_batches,
    "evaluate": evaluate,
    "explain": lambda booster, data: kb.explain(booster, data),
    "sparse": lambda booster, data: kb.sparse_interactions(booster, data),
    "importance": lambda booster, data: kb.global_importance(booster, data),
    "count": lambda booster, data: booster.count_rows(kb.DMatrix(data)),
    "continue": continue_training,
    "refresh": refresh,
}


@pytest.mark.parametrize("use", USES)
def test_frames_of_the_other_kind_are_refused(use: str) -> None:
    USES[use](of_categories(), CATEGORIES)
    USES[use](of_numbers(), NUMBERS)
    with pytest.raises(kb.DataError, match=MIXED_UP):
        USES[use](of_categories(), NUMBERS)
    with pytest.raises(kb.DataError, match=REVERSED):
        USES[use](of_numbers(), CATEGORIES)
    with pytest.raises(kb.DataError, match=r"column 1 \('city'\) holds categories in the model, but numbers"):
        USES[use](of_categories(), pl.DataFrame({"x": X[:, 0], "city": X[:, 1]}))


def test_the_background_is_of_the_model_too() -> None:
    kb.explain(of_categories(), CATEGORIES, background=CATEGORIES[:9])
    with pytest.raises(kb.DataError, match=r"numbers .* in the background"):
        kb.explain(of_categories(), CATEGORIES, background=NUMBERS[:9])


def test_evaluation_while_training() -> None:
    for train, held, message in [(CATEGORIES, NUMBERS, MIXED_UP), (NUMBERS, CATEGORIES, REVERSED)]:
        with pytest.raises(kb.DataError, match=message + ".* in evaluation set 'held'"):
            kb.train(PARAMS, kb.DMatrix(train, Y), 2, evals=[(kb.DMatrix(held, Y), "held")])
        with pytest.raises(kb.DataError, match=message):
            KauriRegressor(n_estimators=2).fit(train, Y, eval_set=[(held, Y)])
    with pytest.raises(kb.DataError, match=r"column 1 \('city'\) has the type 'float', but holds categories in the"):
        kb.QuantileDMatrix(NUMBERS, Y, ref=kb.QuantileDMatrix(CATEGORIES, Y))
    with pytest.raises(kb.DataError, match=r"column 1 \('city'\) has the type 'c', but holds numbers in the"):
        kb.QuantileDMatrix(CATEGORIES, Y, ref=kb.QuantileDMatrix(NUMBERS, Y))


def test_arrays_say_nothing_and_hold_codes() -> None:
    """Arrays have no types, so category numbers arrive as plain numbers, as from XGBoost's clients."""
    booster = of_categories()
    booster.feature_names = None
    expected = booster.predict(kb.DMatrix(CATEGORIES))
    for rows in (X, X.astype(np.float64)):
        np.testing.assert_array_equal(booster.predict(kb.DMatrix(rows)), expected)
        np.testing.assert_array_equal(booster.inplace_predict(rows), expected)
        np.testing.assert_array_equal(booster.predict(kb.DMatrix(rows, feature_types=["q", "c"])), expected)
        np.testing.assert_array_equal(kb.explain(booster, rows).values, kb.explain(booster, CATEGORIES).values)
    with pytest.raises(kb.DataError, match=r"column 1 holds categories in the model, but numbers \(type 'q'\)"):
        booster.predict(kb.DMatrix(X, feature_types=["q", "q"]))
    booster.eval(kb.DMatrix(X, Y))


def test_training_on_arrays_takes_numbers() -> None:
    """There a column without a type is numeric, unlike in the existing trees."""
    with pytest.raises(kb.DataError, match=r"column 1 \('city'\) holds categories in the model.* give feature_types"):
        kb.train(PARAMS, kb.DMatrix(X, Y, feature_names=["x", "city"]), 1, xgb_model=of_categories())
    typed = kb.DMatrix(X, Y, feature_names=["x", "city"], feature_types=["q", "c"])
    kb.train(PARAMS, typed, 1, xgb_model=of_categories())
    update = {**PARAMS, "process_type": "update", "updater": "refresh"}
    kb.train(update, kb.DMatrix(X, Y, feature_names=["x", "city"]), 1, xgb_model=of_categories())


def without_types(booster: kb.Booster) -> kb.Booster:
    """Return the booster as saved by an older version, or by a client that sets no types."""
    document = json.loads(booster.save_raw("json"))
    document["learner"].update(feature_names=[], feature_types=[], attributes={})
    document["learner"]["gradient_booster"]["model"]["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    return kb.Booster(model_file=bytearray(json.dumps(document).encode()))


def test_files_without_types_know_it_from_their_trees() -> None:
    with pytest.raises(kb.DataError, match=r"column 1 holds categories in the model, but numbers \(type 'float'\)"):
        without_types(of_categories()).predict(kb.DMatrix(NUMBERS))
    with pytest.raises(kb.DataError, match=r"column 1 holds numbers in the model, but categories \(type 'c'\)"):
        without_types(of_numbers()).predict(kb.DMatrix(CATEGORIES))
    for booster, rows in [(of_categories(), CATEGORIES), (of_numbers(), NUMBERS)]:
        data = kb.DMatrix(rows)
        np.testing.assert_array_equal(without_types(booster).predict(data), booster.predict(data))


def test_kinds_are_those_of_the_model_that_is_there() -> None:
    """The kinds are taken from the current model, not from an earlier one or its first rounds."""
    booster = of_numbers()
    booster.predict(kb.DMatrix(NUMBERS))
    booster.load_model(of_categories().save_raw())
    booster.predict(kb.DMatrix(CATEGORIES))
    with pytest.raises(kb.DataError, match=MIXED_UP):
        booster.predict(kb.DMatrix(NUMBERS))
    data = kb.DMatrix(X, X[:, 0], feature_types=["q", "c"])  # the first round does not use city
    grown = kb.Booster({"max_depth": 1, "tree_method": "hist"}, [data])
    grown.feature_types = None
    grown.update(data, 0)
    grown.predict(kb.DMatrix(CATEGORIES))
    data.set_label(100 * (X[:, 1] % 2))
    grown.update(data, 1)
    with pytest.raises(kb.DataError, match="column 1 holds categories"):
        grown.predict(kb.DMatrix(NUMBERS))


def test_linear_models_know_numbers_alone() -> None:
    linear = without_names(kb.train({"booster": "gblinear"}, kb.DMatrix(X, Y), 2))
    linear.predict(kb.DMatrix(NUMBERS))
    with pytest.raises(kb.DataError, match="column 1 holds numbers in the model"):
        linear.predict(kb.DMatrix(CATEGORIES))


def without_names(booster: kb.Booster) -> kb.Booster:
    booster.feature_names = None
    return booster


def test_batches_of_both_kinds() -> None:
    class Two(kb.DataIter):
        def __init__(self, *batches: Any, types: Any) -> None:
            self.batches, self.types, self.at = batches, types, 0

        def next(self, input_data: Callable[..., None]) -> bool:
            if self.at == 2:
                return False
            input_data(data=self.batches[self.at], feature_types=self.types[self.at])
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    for matrix in (kb.DMatrix, kb.QuantileDMatrix):
        with pytest.raises(kb.DataError, match="feature_type: batch 1 differs"):
            matrix(Two(X, X, types=[["q", "c"], ["q", "q"]]))
        with pytest.raises(kb.DataError, match="feature_type: batch 1 differs"):
            matrix(Two(CATEGORIES, NUMBERS, types=[None, None]))
    with pytest.raises(kb.DataError, match="batch 1 has categorical columns, but those before it have no types"):
        kb.QuantileDMatrix(Two(X, X, types=[None, ["q", "c"]]))
