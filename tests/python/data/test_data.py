"""DMatrix: every source gives the same rows; fields and errors."""

from __future__ import annotations

from pathlib import Path

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

VALUES = np.array([[1, np.nan, 2], [np.nan, 3, np.nan], [4, 5, 6]])


def rows(data: kb.DMatrix) -> np.ndarray:
    csr = data.get_data()
    dense = np.full(csr.shape, np.nan)
    for row in range(csr.shape[0]):
        span = slice(csr.indptr[row], csr.indptr[row + 1])
        dense[row, csr.indices[span]] = csr.data[span]
    return dense


def sparse_of(values: np.ndarray) -> sp.coo_matrix:
    present = ~np.isnan(values)
    row, col = np.nonzero(present)
    return sp.coo_matrix((values[present], (row, col)), shape=values.shape)


SOURCES = {
    "float64": VALUES,
    "float32": VALUES.astype(np.float32),
    "float16": VALUES.astype(np.float16),
    "Fortran order": np.asfortranarray(VALUES),
    "strides": np.repeat(np.repeat(VALUES, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": VALUES[::-1].copy()[::-1],
    "big endian": VALUES.astype(">f8"),
    "list": VALUES.tolist(),
    "csr": sparse_of(VALUES).tocsr(),
    "csc": sparse_of(VALUES).tocsc(),
    "coo": sparse_of(VALUES),
    "frame": pd.DataFrame(VALUES, columns=["a", "b", "c"]),
    "nullable frame": pd.DataFrame({i: pd.array(column, dtype="Float64") for i, column in enumerate(VALUES.T)}),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_sources_agree(source: object) -> None:
    data = kb.DMatrix(source)
    np.testing.assert_array_equal(rows(data), VALUES)
    assert (data.num_row(), data.num_col(), data.num_nonmissing()) == (3, 3, 6)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"])
def test_integers_and_booleans(dtype: str) -> None:
    values = np.array([[0, 1], [1, 1]], dtype=dtype)
    np.testing.assert_array_equal(rows(kb.DMatrix(values)), values.astype(float))
    np.testing.assert_array_equal(
        rows(kb.DMatrix(values, missing=0)), np.where(values == 0, np.nan, values.astype(float))
    )


def test_csr_keeps_stored_zeros() -> None:
    matrix = sp.csr_matrix((np.array([0.0, 7.0]), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 3))
    expected = np.array([[np.nan, 0, np.nan], [7, np.nan, np.nan]])
    np.testing.assert_array_equal(rows(kb.DMatrix(matrix)), expected)


def test_frame_brings_names_and_types() -> None:
    frame = pd.DataFrame({"age": [1, 2], "height": [0.5, 1.5], "member": [True, False]})
    data = kb.DMatrix(frame)
    assert data.feature_names == ["age", "height", "member"]
    assert data.feature_types == ["int", "float", "i"]
    assert kb.DMatrix(frame, feature_names=["x", "y", "z"]).feature_names == ["x", "y", "z"]
    frame["name"] = [b"ann", b"bob"]
    with pytest.raises(kb.DataError, match=r"name \("):
        kb.DMatrix(frame)


def test_text_files(tmp_path: Path) -> None:
    csv = tmp_path / "data.csv"
    csv.write_text("1,0.5,2\n0,1.5,3\n")
    data = kb.DMatrix(f"{csv}?format=csv&label_column=0")
    np.testing.assert_array_equal(data.get_label(), [1, 0])
    np.testing.assert_array_equal(rows(data), [[0.5, 2], [1.5, 3]])
    with pytest.raises(kb.FileError, match=r"missing\.csv"):
        kb.DMatrix(f"{tmp_path}/missing.csv?format=csv")


def test_files_beside_text_files(tmp_path: Path) -> None:
    libsvm = tmp_path / "data.libsvm"
    libsvm.write_text("1 0:1\n0 0:2\n1 0:3\n")
    for extension, text in {"group": "1\n2\n", "weight": "0.5\n2\n", "base_margin": "1\n2\n3\n"}.items():
        (tmp_path / f"data.libsvm.{extension}").write_text(text)
    data = kb.DMatrix(libsvm)
    np.testing.assert_array_equal(data.get_group(), [1, 2])
    np.testing.assert_array_equal(data.get_weight(), [0.5, 2])
    np.testing.assert_array_equal(data.get_base_margin(), [1, 2, 3])
    (tmp_path / "data.libsvm.group").write_text("1\n1\n")
    with pytest.raises(kb.DataError, match=r"data\.libsvm\.group: .*add up to 2"):
        kb.DMatrix(libsvm)


def test_fields_come_back() -> None:
    data = kb.DMatrix(VALUES)
    assert data.get_label().size == data.get_weight().size == data.get_base_margin().size == data.get_group().size == 0
    data.set_info(label=pd.Series([1, 0, 1]), weight=[1, 2, 3.5], base_margin=np.arange(6).reshape(3, 2))
    np.testing.assert_array_equal(data.get_label(), [1, 0, 1])
    np.testing.assert_array_equal(data.get_weight(), [1, 2, 3.5])
    np.testing.assert_array_equal(data.get_base_margin(), np.arange(6).reshape(3, 2))
    data.set_group([2, 1])
    np.testing.assert_array_equal(data.get_group(), [2, 1])
    np.testing.assert_array_equal(kb.DMatrix(VALUES, qid=[4, 4, 9]).get_group(), [2, 1])
    with pytest.raises(kb.DataError, match="both group and qid"):
        kb.DMatrix(VALUES, qid=[4, 4, 9], group=[2, 1])


def test_slices() -> None:
    data = kb.DMatrix(VALUES, label=[10, 20, 30], feature_names=["a", "b", "c"])
    part = data.slice([2, 0])
    np.testing.assert_array_equal(rows(part), VALUES[[2, 0]])
    np.testing.assert_array_equal(part.get_label(), [30, 10])
    assert part.feature_names == ["a", "b", "c"]


def test_names() -> None:
    data = kb.DMatrix(VALUES)
    assert data.feature_names is None
    data.feature_names = ["a", "b", "c"]
    data.feature_types = "int"
    assert data.feature_types == ["int"] * 3
    for bad in (["a", "b"], ["a", "b", "b"], ["a", "b", "c<1"], ["a", "b", 3]):
        with pytest.raises(kb.DataError):
            data.feature_names = bad
        assert data.feature_names == ["a", "b", "c"]
    data.feature_names = None
    assert data.feature_names is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros(3), "Reshape"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (np.array([["a"]]), "dtype"),
        (np.array([[1j]]), "Complex"),
        (np.array([[np.inf]]), "inf"),
    ],
)
def test_bad_values(values: np.ndarray, message: str) -> None:
    with pytest.raises(kb.DataError, match=message):
        kb.DMatrix(values)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("label", [1, 2]),
        ("label", [1, np.nan, 2]),
        ("weight", [1, -1, 1]),
        ("base_margin", [1, 2]),
        ("group", [4, -1]),
        ("label", ["a", "b", "c"]),
    ],
)
def test_bad_fields(field: str, values: list[object]) -> None:
    data = kb.DMatrix(VALUES)
    with pytest.raises(kb.DataError, match=field):
        data.set_info(**{field: values})


def test_unknown_field_gets_a_suggestion() -> None:
    with pytest.raises(kb.ParameterError, match="did you mean 'label'"):
        kb.DMatrix(VALUES).set_info(lable=[1, 2, 3])
