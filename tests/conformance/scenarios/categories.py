"""Categorical columns: training, names, reordered categories, and unseen categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import xgboost as xgb
from scenarios.support.models import SMALL
from scenarios.support.scenario import EQUAL, caught, close, scenario

COLOURS = np.array(["red", "green", "blue", "violet", "black", "white"])
EFFECT = np.array([0.5, -1.0, 2.0, 0.1, -0.3, 1.1])


def _codes(n: int = 300) -> np.ndarray:
    return np.random.default_rng(2).integers(0, 6, n)


def _labels(n: int = 300) -> np.ndarray:
    return (EFFECT[_codes(n)] + np.linspace(0, 1, n).round(1)).astype(np.float32)


def _frame(n: int = 300, colours: np.ndarray = COLOURS) -> pd.DataFrame:
    column = pd.Categorical(COLOURS[_codes(n)], categories=colours)
    return pd.DataFrame({"colour": column, "size": np.linspace(0, 1, n).round(1)})


def _data(frame: Any, labels: np.ndarray | None = None) -> xgb.DMatrix:
    return xgb.DMatrix(frame, labels, enable_categorical=True)


def _booster(**params: object) -> xgb.Booster:
    return xgb.train({**SMALL, **params}, _data(_frame(), _labels()), 6)


# ---- learning --------------------------------------------------------------------------------------------------------


@scenario(close())
def sets_of_categories() -> object:
    booster = _booster(max_cat_to_onehot=1)
    return [booster.predict(_data(_frame())), booster.get_dump()[0].count("{")]


@scenario(close())
def one_category_against_the_others() -> object:
    return _booster(max_cat_to_onehot=100).predict(_data(_frame()))


@scenario(close())
def by_approx() -> object:
    return _booster(tree_method="approx").predict(_data(_frame()))


@scenario(close())
def few_categories_a_side() -> object:
    return _booster(max_cat_to_onehot=1, max_cat_threshold=2).predict(_data(_frame()))


@scenario(close())
def of_arrays_by_type() -> object:
    table = np.stack([_codes(), np.linspace(0, 1, 300).round(1)], axis=1)
    data = xgb.DMatrix(table, _labels(), feature_types=["c", "q"], enable_categorical=True)
    return [xgb.train(SMALL, data, 5).predict(data), data.feature_types]


@scenario(close())
def with_missing_values() -> object:
    frame = _frame()
    frame.loc[::7, "colour"] = None
    data = _data(frame, _labels())
    return xgb.train(SMALL, data, 5).predict(data)


@scenario(close())
def of_a_quantile_matrix() -> object:
    data = xgb.QuantileDMatrix(_frame(), _labels(), enable_categorical=True)
    return xgb.train(SMALL, data, 5).predict(_data(_frame()))


@scenario(close())
def of_an_estimator() -> object:
    model = xgb.XGBRegressor(n_estimators=5, max_depth=3, enable_categorical=True, tree_method="hist")
    model.fit(_frame(), _labels())
    return [model.predict(_frame()), model.feature_importances_]


@scenario(close())
def of_polars() -> object:
    import polars as pl

    frame = pl.DataFrame(
        {
            "colour": pl.Series(COLOURS[_codes()], dtype=pl.Enum(list(COLOURS))),
            "size": np.linspace(0, 1, 300).round(1),
        }
    )
    data = _data(frame, _labels())
    return xgb.train(SMALL, data, 5).predict(data)


@scenario(close())
def of_arrow() -> object:
    column = pa.DictionaryArray.from_arrays(pa.array(_codes(), pa.int32()), pa.array(list(COLOURS)))
    table = pa.table({"colour": column, "size": np.linspace(0, 1, 300).round(1)})
    data = _data(table, _labels())
    return xgb.train(SMALL, data, 5).predict(data)


@scenario(close())
def of_numbers_as_categories() -> object:
    frame = pd.DataFrame({"year": pd.Categorical(_codes() + 1990), "size": np.linspace(0, 1, 300).round(1)})
    data = _data(frame, _labels())
    booster = xgb.train(SMALL, data, 5)
    return [booster.predict(data), booster.get_categories(export_to_arrow=True).to_arrow()[0][1].to_pylist()]


@scenario(close())
def in_batches() -> object:
    frame, labels = _frame(), _labels()

    class Halves(xgb.DataIter):
        def __init__(self) -> None:
            self.at = 0
            super().__init__()

        def next(self, input_data: Any) -> bool:
            if self.at == 2:
                return False
            half = slice(150 * self.at, 150 * (self.at + 1))
            input_data(data=frame[half], label=labels[half])
            self.at += 1
            return True

        def reset(self) -> None:
            self.at = 0

    data = xgb.QuantileDMatrix(Halves(), enable_categorical=True)
    return [xgb.train(SMALL, data, 5).predict(_data(frame)), data.feature_types]


# ---- names of categories ---------------------------------------------------------------------------------------------


@scenario(EQUAL)
def names_of_a_model() -> object:
    return [
        (name, values and values.to_pylist())
        for name, values in _booster().get_categories(export_to_arrow=True).to_arrow()
    ]


@scenario(EQUAL)
def names_of_a_matrix() -> object:
    categories = _data(_frame()).get_categories(export_to_arrow=True).to_arrow()
    return [(name, values and values.to_pylist()) for name, values in categories]


@scenario(EQUAL)
def names_in_a_saved_model() -> object:
    _booster().save_model("model.json")
    read = xgb.Booster(model_file="model.json")
    return [(n, v and v.to_pylist()) for n, v in read.get_categories(export_to_arrow=True).to_arrow()]


@scenario(close())
def in_another_order() -> object:
    other = _frame(colours=COLOURS[::-1])
    booster = _booster()
    return [booster.predict(_data(other)), booster.inplace_predict(other)]


@scenario(close())
def a_part_of_them() -> object:
    frame = _frame()
    part = frame[frame["colour"].isin(["red", "blue"])].copy()
    part["colour"] = part["colour"].cat.remove_unused_categories()
    booster = _booster()
    return [booster.predict(_data(part)), booster.inplace_predict(part)]


@scenario(close())
def in_another_order_by_contributions() -> object:
    booster = _booster()
    return [
        booster.predict(_data(_frame(colours=COLOURS[::-1])), pred_contribs=True),
        booster.predict(_data(_frame()), pred_leaf=True),
    ]


@scenario(close())
def in_another_order_in_evaluation() -> object:
    history: dict[str, Any] = {}
    evals = [(_data(_frame(colours=COLOURS[::-1]), _labels()), "held")]
    xgb.train(SMALL, _data(_frame(), _labels()), 5, evals=evals, evals_result=history, verbose_eval=False)
    return history


@scenario(close())
def in_another_order_in_a_reference() -> object:
    train = xgb.QuantileDMatrix(_frame(), _labels(), enable_categorical=True)
    other = xgb.QuantileDMatrix(_frame(colours=COLOURS[::-1]), _labels(), enable_categorical=True, ref=train)
    return xgb.train(SMALL, train, 5).predict(other)


@scenario(close())
def in_another_order_continued() -> object:
    other = _data(_frame(colours=COLOURS[::-1]), _labels())
    return xgb.train(SMALL, other, 3, xgb_model=_booster()).predict(_data(_frame()))


# ---- refusals --------------------------------------------------------------------------------------------------------


@scenario(EQUAL)
def without_being_enabled() -> object:
    return caught("enable_categorical", lambda: xgb.DMatrix(_frame(), enable_categorical=False))


@scenario(EQUAL)
def one_that_training_has_not_seen() -> object:
    other = _frame()
    other["colour"] = other["colour"].cat.rename_categories({"red": "crimson"})
    booster = _booster()
    return caught("Found a category not in the training", lambda: booster.predict(_data(other)))


@scenario(EQUAL)
def one_that_training_has_not_seen_in_place() -> object:
    other = _frame()
    other["colour"] = other["colour"].cat.rename_categories({"red": "crimson"})
    booster = _booster()
    return caught("Found a category not in the training", lambda: booster.inplace_predict(other))


@scenario(EQUAL)
def numbers_where_there_were_names() -> object:
    other = _frame().assign(colour=_codes().astype(float))
    booster = _booster()
    return caught("data type doesn't match|feature_types|type", lambda: booster.inplace_predict(other))


@scenario(EQUAL)
def codes_below_zero() -> object:
    table = np.array([[-1.0], [2.0]])
    data = xgb.DMatrix(table, [0, 1], feature_types=["c"], enable_categorical=True)
    return caught("[Ii]nvalid categorical", lambda: xgb.train({"tree_method": "hist"}, data, 1))


@scenario(EQUAL)
def the_linear_booster() -> object:
    return caught("", lambda: _booster(booster="gblinear"))["raised"]
