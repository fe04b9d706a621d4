"""Matrices: rows by number and by mask, masked arrays, owners of handles, fields by name, cuts."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.device import DeviceArray

X = np.arange(12, dtype=np.float32).reshape(6, 2)
Table = tuple[np.ndarray, np.ndarray]


@pytest.fixture
def data() -> kb.DMatrix:
    return kb.DMatrix(X, label=np.arange(6))


@pytest.mark.parametrize(
    "rows",
    [
        np.array([False, True, False, True, True, False]),
        [False, True, False, True, True, False],
        [1, 3, 4],
        range(1, 5, 2),
        np.array([4, 0], dtype=np.uint64),
        np.zeros(6, dtype=bool),
        [],
    ],
)
def test_slices(data: kb.DMatrix, rows: Any) -> None:
    expected = X[np.asarray(rows, dtype=None if len(rows) else int)]
    part = data.slice(rows)
    np.testing.assert_array_equal(part.get_data().toarray().reshape(expected.shape), expected)
    assert part.get_label().tolist() == (expected[:, 0] / 2).tolist()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([True, False], "the mask has 2 entries, the data 6 rows"),
        ([0.5, 1.9], "dtype float64; row numbers are integers"),
        ([2**32 + 1], "no row 4294967297; the data have 6 rows"),
        ([2**70], "row numbers are integers"),
        ([2**63], "no row 9223372036854775808"),
        ([-1], "no row -1"),
        ([6], "no row 6"),
        ([[1]], "2 dimensions"),
        (["a"], "row numbers are integers"),
    ],
)
def test_rows_that_there_are_not(data: kb.DMatrix, rows: Any, message: str) -> None:
    with pytest.raises(kb.DataError, match=message):
        data.slice(rows)


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy, pickle.dumps])
def test_matrices_have_one_owner(data: kb.DMatrix, make_copy: Any) -> None:
    quantiles = kb.QuantileDMatrix(X)
    for owner, cure in (
        (data, r"slice\(\)"),
        (quantiles, "QuantileDMatrix .* save_binary"),
        (DeviceArray(None, 0, (0,)), "numpy.asarray"),
    ):
        with pytest.raises(TypeError, match=f"neither copied nor pickled; .*{cure}|{cure}"):
            make_copy(owner)
    assert data.get_label().tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("booster", ["gbtree", "dart", "gblinear"])
@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_boosters_are_copied(regression: Table, booster: str, make_copy: Any) -> None:
    matrix = kb.DMatrix(regression[0], label=regression[1])
    model = kb.train({"booster": booster, "max_depth": 3}, matrix, 3, verbose_eval=False)
    model.set_attr(a="b")
    copied = make_copy(model)
    expected = model.predict(matrix)
    copied.update(matrix, 3)
    copied.set_attr(a="c")
    del copied
    np.testing.assert_array_equal(model.predict(matrix), expected)
    assert (model.num_boosted_rounds(), model.attr("a")) == (3, "b")
    assert make_copy(kb.Booster({"max_depth": 3})).num_boosted_rounds() == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8])
def test_masked_elements_are_missing(regression: Table, dtype: Any) -> None:
    values = np.arange(6, dtype=dtype).reshape(3, 2)
    masked = np.ma.masked_array(values, mask=values == 3)
    expected = np.where(values == 3, np.nan, values.astype(np.float32))
    matrix = kb.DMatrix(masked)
    assert matrix.num_nonmissing() == 5
    plain = kb.DMatrix(np.ma.masked_array(values))
    assert plain.num_nonmissing() == 6
    booster = kb.train({"min_child_weight": 0}, kb.DMatrix(expected, label=[0, 5, 1]), 2, verbose_eval=False)
    np.testing.assert_array_equal(booster.inplace_predict(masked), booster.inplace_predict(expected))
    with pytest.raises(kb.DataError, match="label of row 1 is nan"):
        matrix.set_label(np.ma.masked_array([1, 2, 3], mask=[0, 1, 0]))


def test_no_data() -> None:
    with pytest.raises(kb.DataError, match="data is None; pass"):
        kb.DMatrix(None)
    with pytest.raises(kb.DataError, match="data is None; pass"):
        kb.QuantileDMatrix(None)


def test_fields_by_name() -> None:
    data = kb.DMatrix(X, silent=True)
    for name in ("label", "weight", "label_lower_bound"):
        data.set_float_info(name, np.arange(6))
        assert data.get_float_info(name).tolist() == [0, 1, 2, 3, 4, 5]
    data = kb.QuantileDMatrix(X, silent=True)
    data.set_uint_info("group", [2, 4])
    assert data.get_uint_info("group_ptr").tolist() == [0, 2, 6]
    with pytest.raises(kb.ParameterError, match="did you mean 'label'"):
        data.set_float_info("lable", [1])


@pytest.mark.parametrize("max_bin", [None, 2, 16])
def test_cuts_of_values_are_those_of_training(regression: Table, max_bin: int | None) -> None:
    X, y = regression
    weight = np.linspace(0.1, 3, len(y))
    values = kb.DMatrix(X, label=y, weight=weight, nthread=1)
    bins = kb.QuantileDMatrix(X, label=y, weight=weight, max_bin=max_bin)
    for ours, theirs in zip(values.get_quantile_cut(max_bin), bins.get_quantile_cut(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    params = {"tree_method": "hist"} if max_bin is None else {"tree_method": "hist", "max_bin": max_bin}
    booster = kb.train(params, values, 3, verbose_eval=False)
    indptr, cuts = values.get_quantile_cut(max_bin)
    thresholds = booster.trees_to_dataframe().query("Feature == 'f1'")["Split"].to_numpy(np.float32)
    assert np.isin(thresholds, cuts[indptr[1] : indptr[2]]).all()
    with pytest.raises(kb.ParameterError, match="max_bin=1 is out of range"):
        values.get_quantile_cut(1)
