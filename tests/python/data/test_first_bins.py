"""The first bin of a column stands for the column's smallest value, for every reader of a matrix of bins."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import scipy.sparse as sp
from kauriboost.collective import thread_group

RNG = np.random.default_rng(0)
N = 400
FLAGS = (RNG.random((N, 2)) < 0.5).astype(np.float32)
COUNTS = RNG.integers(0, 5, (N, 2)).astype(np.float32)
TABLES = {
    "flags": FLAGS,
    "counts": COUNTS,
    "negative": COUNTS - 9,
    "tiny": FLAGS * np.float32(1e-40),
    "large": np.where(FLAGS > 0, np.float32(3e38), np.float32(-3e38)).astype(np.float32),
    "missing": np.where(RNG.random((N, 2)) < 0.3, np.nan, FLAGS).astype(np.float32),
    "constant": np.c_[np.full(N, 7.0), FLAGS[:, 0]].astype(np.float32),
}


class Halves(kb.DataIter):
    """Two batches of a table with labels."""

    def __init__(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self.batches = list(zip(np.array_split(rows, 2), np.array_split(labels, 2), strict=True))
        self.at = 0

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.at == len(self.batches):
            return False
        rows, labels = self.batches[self.at]
        input_data(data=rows, label=labels)
        self.at += 1
        return True

    def reset(self) -> None:
        self.at = 0


def labels_of(rows: np.ndarray) -> np.ndarray:
    order = np.argsort(np.argsort(np.nan_to_num(rows[:, 0], nan=-1), kind="stable"))
    return (3.0 * order / N - (np.nan_to_num(rows[:, 1]) > np.nanmin(rows[:, 1]))).astype(np.float32)


def without_name(rows: np.ndarray) -> kb.DMatrix:
    return kb.QuantileDMatrix(rows, label=labels_of(rows))


MATRICES: dict[str, Callable[[np.ndarray], kb.DMatrix]] = {
    "array": without_name,
    "sparse": lambda rows: kb.QuantileDMatrix(present_cells(rows), label=labels_of(rows)),
    "iterator": lambda rows: kb.QuantileDMatrix(Halves(rows, labels_of(rows))),
    "file": lambda rows: kb.ExtMemQuantileDMatrix(Halves(rows, labels_of(rows))),
    "ref of bins": lambda rows: kb.QuantileDMatrix(rows, label=labels_of(rows), ref=without_name(rows)),
    "ref of values": lambda rows: kb.QuantileDMatrix(rows, label=labels_of(rows), ref=kb.DMatrix(rows)),
    "slice": lambda rows: without_name(rows).slice(np.arange(N)),
}


def present_cells(rows: np.ndarray) -> sp.csr_matrix:
    """Return all values that are not missing, including zeros."""
    row, column = np.nonzero(~np.isnan(rows))
    return sp.csr_matrix((rows[row, column], (row, column)), shape=rows.shape)


def foreign_model(rows: np.ndarray, **params: Any) -> kb.Booster:
    """Return a model whose thresholds lie between the values, not at bin edges."""
    settings = {"tree_method": "exact", "max_depth": 3, "eta": 1.0, **params}
    return kb.train(settings, kb.DMatrix(rows, label=labels_of(rows)), 4)


@pytest.mark.parametrize("make", MATRICES.values(), ids=MATRICES.keys())
@pytest.mark.parametrize("name", TABLES)
def test_a_model_with_other_thresholds_says_of_bins_what_it_says_of_values(
    name: str, make: Callable[[np.ndarray], kb.DMatrix]
) -> None:
    rows = TABLES[name]
    values, bins = kb.DMatrix(rows, label=labels_of(rows)), make(rows)
    model = foreign_model(rows)
    assert len({tuple(row) for row in model.predict(values, pred_leaf=True).tolist()}) > 1
    for kind in ("output_margin", "pred_leaf", "pred_contribs", "pred_interactions"):
        np.testing.assert_array_equal(model.predict(bins, **{kind: True}), model.predict(values, **{kind: True}))
    assert model.eval(bins) == model.eval(values)


@pytest.mark.parametrize("name", TABLES)
def test_values_that_are_their_bins_are_read_back(name: str) -> None:
    rows = TABLES[name]
    shown = without_name(rows).get_data()
    np.testing.assert_array_equal(np.sort(shown.data), np.sort(rows[~np.isnan(rows)]))


@pytest.mark.parametrize("make", MATRICES.values(), ids=MATRICES.keys())
def test_training_goes_on_from_what_the_model_says_of_the_values(make: Callable[[np.ndarray], kb.DMatrix]) -> None:
    rows = TABLES["flags"]
    model = foreign_model(rows)
    params = {"tree_method": "hist", "max_depth": 3}
    on_bins = kb.train(params, make(rows), 2, xgb_model=model)
    on_values = kb.train(params, kb.DMatrix(rows, label=labels_of(rows)), 2, xgb_model=model)
    assert bytes(on_bins.save_raw()) == bytes(on_values.save_raw())


def test_one_hot_columns_and_a_threshold_that_is_no_middle() -> None:
    rows = np.eye(4, dtype=np.float32)[RNG.integers(0, 4, N)]
    model = foreign_model(rows)
    document = json.loads(bytes(model.save_raw("json")))
    for tree in document["learner"]["gradient_booster"]["model"]["trees"]:
        is_leaf = [child < 0 for child in tree["left_children"]]
        conditions = zip(is_leaf, tree["split_conditions"], strict=True)
        tree["split_conditions"] = [value if leaf else 0.4 for leaf, value in conditions]
    model = kb.Booster(model_file=bytearray(json.dumps(document).encode()))
    np.testing.assert_array_equal(model.predict(without_name(rows)), model.predict(kb.DMatrix(rows)))


def test_cuts_of_other_data_stand_for_the_smallest_value_of_these() -> None:
    """Values below all those that the edges were computed from are also in the first bin."""
    train, lower = TABLES["counts"], TABLES["counts"] - 3
    bins = kb.QuantileDMatrix(lower, label=labels_of(lower), ref=without_name(train))
    shown = bins.get_data().toarray()
    assert (shown <= lower).all()
    assert (shown[lower < 1] == -3).all()
    model = foreign_model(lower - 20)  # splits far below the values
    np.testing.assert_array_equal(model.predict(bins), model.predict(kb.DMatrix(lower)))


def test_data_that_begin_later_than_the_cuts_of_others() -> None:
    train, higher = TABLES["counts"], TABLES["counts"] + 2
    shown = kb.QuantileDMatrix(higher, ref=without_name(train)).get_data().toarray()
    assert (shown <= higher).all()
    np.testing.assert_array_equal(shown[higher <= 4], higher[higher <= 4])


def test_ranks_agree_on_the_smallest_value_of_all() -> None:
    rows = TABLES["counts"]
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    parts = np.array_split(rows, 2)  # the second rank has no row in the first bin of column 0
    model = foreign_model(rows)

    def said(collective: Any) -> np.ndarray:
        bins = kb.QuantileDMatrix(parts[collective.rank], collective=collective)
        return model.predict(bins)

    with ThreadPoolExecutor(2) as pool:
        for of_bins, part in zip(pool.map(said, thread_group(2)), parts, strict=True):
            np.testing.assert_array_equal(of_bins, model.predict(kb.DMatrix(part)))


def test_all_missing_and_empty_columns() -> None:
    rows = np.c_[np.full(N, np.nan), FLAGS[:, 0]].astype(np.float32)
    labels = FLAGS[:, 0]
    model = kb.train({"tree_method": "exact", "max_depth": 2}, kb.DMatrix(rows, label=labels), 2)
    np.testing.assert_array_equal(model.predict(kb.QuantileDMatrix(rows)), model.predict(kb.DMatrix(rows)))


@pytest.mark.parametrize("criterion", ["gradient", "absolute_error"])
@pytest.mark.parametrize("types", [["q", "q"], None])
def test_types_that_are_taken_from_bins_of_categories_are_refused(types: list[str] | None, criterion: str) -> None:
    """A matrix without types once trained by sets of categories without request, beyond the end of a vector."""
    data = kb.QuantileDMatrix(COUNTS, label=FLAGS[:, 0], feature_types=["c", "q"])
    data.feature_types = types
    params = {"objective": "reg:absoluteerror", "split_criterion": criterion, "tree_method": "hist"}
    with pytest.raises(kb.DataError, match="had another type when its bins were made"):
        kb.train(params, data, 1)
