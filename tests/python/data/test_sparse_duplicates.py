"""Compressed rows and columns that store a cell twice: the values are added, as in SciPy."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import scipy.sparse as sp

N_ROWS, N_COLS = 60, 5
GENERATOR = np.random.default_rng(3)


def doubled(form: str, kind: str) -> Any:
    """Return a matrix in which every second line stores cells twice, out of order."""
    indptr, indices, values = [0], [], []
    n_major, n_minor = (N_ROWS, N_COLS) if form == "csr" else (N_COLS, N_ROWS)
    for major in range(n_major):
        own = GENERATOR.permutation(n_minor)[:4].tolist()
        own += own[:2] if major % 2 else []
        indices += own
        values += GENERATOR.integers(1, 9, len(own)).tolist()
        indptr.append(len(indices))
    make = sp.csr_matrix if form == "csr" else sp.csc_matrix
    return make((np.array(values).astype(kind), np.array(indices), np.array(indptr)), shape=(N_ROWS, N_COLS))


def cells(matrix: Any) -> np.ndarray:
    """Return the stored values, NaN elsewhere."""
    once = matrix.copy()
    once.sum_duplicates()
    table = np.full(matrix.shape, np.nan)
    coo = once.tocoo()
    table[coo.row, coo.col] = coo.data
    return table


def table_of(data: kb.DMatrix) -> np.ndarray:
    return cells(data.get_data())


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("kind", ["f4", "f8", "i1", "u1", "i2", "i8", "u8", "bool"])
def test_matrices(form: str, kind: str) -> None:
    matrix = doubled(form, kind)
    assert not matrix.has_canonical_format
    before = matrix.data.copy(), matrix.indices.copy()
    np.testing.assert_array_equal(table_of(kb.DMatrix(matrix)), cells(matrix))
    for array, old in zip((matrix.data, matrix.indices), before):
        np.testing.assert_array_equal(array, old)  # the caller's arrays stay unchanged


def test_sums_are_of_the_type_of_the_values() -> None:
    def one(kind: str, *values: float) -> float:
        arrays = np.array(values).astype(kind), np.zeros(len(values), int), np.array([0, len(values)])
        return float(kb.DMatrix(sp.csr_matrix(arrays, shape=(1, 1))).get_data().toarray()[0, 0])

    assert one("f8", 2.0**24, 1, 1) == 2.0**24 + 2  # float32 would lose both
    assert one("i1", 100, 100) == np.int8(-56)
    assert one("i8", 3, -3) == 0
    assert kb.DMatrix(sp.csr_matrix((np.array([1, np.nan]), [0, 0], [0, 2]), shape=(1, 1))).num_nonmissing() == 0
    missing = sp.csr_matrix((np.array([1.0, 2.0]), [0, 0], [0, 2]), shape=(1, 1))
    assert kb.DMatrix(missing, missing=3.0).num_nonmissing() == 0
    assert kb.DMatrix(missing, missing=2.0).num_nonmissing() == 1
    with pytest.raises(kb.DataError, match="inf"):
        kb.DMatrix(sp.csr_matrix((np.array([3e38, 3e38], "f4"), [0, 0], [0, 2]), shape=(1, 1)))


class Batches(kb.DataIter):
    def __init__(self, parts: list[Any], label: np.ndarray) -> None:
        super().__init__()
        self.parts, self.label, self.at = parts, label, 0

    def reset(self) -> None:
        self.at = 0

    def next(self, input_data: Any) -> bool:
        if self.at == len(self.parts):
            return False
        first = sum(part.shape[0] for part in self.parts[: self.at])
        part = self.parts[self.at]
        input_data(data=part, label=self.label[first : first + part.shape[0]])
        self.at += 1
        return True


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_every_door_sees_the_same_rows(form: str) -> None:
    matrix = doubled(form, "f4")
    table = cells(matrix)
    label = np.nan_to_num(table[:, 0]) + np.nan_to_num(table[:, 1])
    booster = kb.train({"max_depth": 4}, kb.DMatrix(table, label=label), 8, verbose_eval=False)
    expected = booster.predict(kb.DMatrix(table))
    np.testing.assert_array_equal(booster.predict(kb.DMatrix(matrix)), expected)
    np.testing.assert_array_equal(booster.inplace_predict(matrix), expected)

    def learnt(data: Any) -> bytes:
        return bytes(kb.train({"max_depth": 4, "tree_method": "hist"}, data, 5, verbose_eval=False).save_raw("json"))

    rows = matrix.tocsr() if form == "csc" else matrix
    parts = [rows[:20], rows[20:]]
    bins = learnt(kb.QuantileDMatrix(table, label=label))
    assert learnt(kb.QuantileDMatrix(matrix, label=label)) == bins
    assert learnt(kb.QuantileDMatrix(Batches(parts, label))) == bins
    assert learnt(kb.DMatrix(Batches(parts, label))) == learnt(kb.DMatrix(table, label=label))
    model = kb.KauriRegressor(n_estimators=3).fit(table, label)
    np.testing.assert_array_equal(model.predict(matrix), model.predict(table))


def test_backgrounds() -> None:
    matrix = doubled("csr", "f4")
    table = cells(matrix)
    booster = kb.train({}, kb.DMatrix(table, label=np.nan_to_num(table[:, 0])), 4, verbose_eval=False)
    values = [kb.explain(booster, kb.DMatrix(rows), background=kb.DMatrix(rows)).values for rows in (matrix, table)]
    np.testing.assert_array_equal(*values)
