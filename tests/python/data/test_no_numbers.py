"""Dates, durations, texts, records and complex numbers are refused wherever numbers are expected, as in frames."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kauriboost._binding.arrays import interface_members
from kauriboost._binding.calls import call_handle
from kauriboost._binding.library import LIB, check
from kauriboost._binding.text import config
from kauriboost._estimators.class_labels import label_table
from kauriboost.sklearn import KauriClassifier, KauriRegressor
from scipy.sparse import csr_matrix

DAYS = np.array(["2024-01-01", "NaT", "2024-01-03", "2024-01-04"], "M8[D]")
X = np.arange(8, dtype=np.float32).reshape(4, 2)
Y = np.array([0, 1, 0, 1], np.float32)


def objects(*elements: Any) -> np.ndarray:
    array = np.empty(4, dtype=object)
    array[:] = [1.0, 2, None, True]
    array[: len(elements)] = elements
    return array


NO_NUMBERS = {
    "dates": DAYS,
    "dates of nanoseconds": DAYS.astype("M8[ns]"),
    "dates of the other byte order": DAYS.astype(">M8[s]"),
    "durations": DAYS - DAYS[0],
    "masked dates": np.ma.masked_array(DAYS, [0, 1, 0, 0]),
    "masked durations": np.ma.masked_array(DAYS - DAYS[0], [0, 1, 0, 0]),
    "texts": np.array(["1", "2.5", "3", "4"]),
    "bytes": np.array([b"1", b"2.5", b"3", b"4"]),
    "texts of any length": np.array(["1", "2.5", "3", "4"], np.dtypes.StringDType()),
    "records": np.zeros(4, [("a", "f8")]),
    "records of several fields": np.zeros(4, [("a", "f8"), ("b", "f8")]),
    "complex": np.ones(4, np.complex64),
    "list of dates": list(DAYS),
    "list of days": [datetime.date(2024, 1, day) for day in (1, 2, 3, 4)],
    "list of times": [pd.Timestamp("2024-01-01", tz="UTC")] * 4,
    "list of spans": [datetime.timedelta(days=day) for day in (1, 2, 3, 4)],
    "objects: date": objects(DAYS[0]),
    "objects: NaT": objects(pd.NaT),
    "objects: NumPy's NaT": objects(np.datetime64("NaT")),
    "objects: duration": objects(np.timedelta64(1, "s")),
    "objects: date in an array": objects(np.array(DAYS[0])),
    "objects: complex": objects(np.complex128(1 + 2j)),
    "objects: text": objects("1"),
    "masked objects": np.ma.masked_array(objects("a", DAYS[0]), [1, 0, 0, 0]),
    "series of dates": pd.Series(DAYS),
    "series of durations": pd.Series(DAYS - DAYS[0]),
    "series with a time zone": pd.Series(DAYS).dt.tz_localize("UTC"),
    "polars dates": pl.Series(DAYS.astype(object)),
    "polars durations": pl.Series(DAYS.astype("M8[us]")) - pl.Series(DAYS.astype("M8[us]")),
    "arrow dates": pa.array(DAYS.astype(object), pa.date32()),
    "arrow timestamps": pa.chunked_array([pa.array(DAYS.astype("M8[us]"))]),
    "arrow durations": pa.array(np.arange(4).astype("m8[s]")),
}


@pytest.fixture(params=NO_NUMBERS.values(), ids=NO_NUMBERS.keys())
def no_numbers(request: pytest.FixtureRequest) -> Any:
    return request.param


FIELDS = ("label", "weight", "base_margin", "label_lower_bound", "group", "qid")
PLACES: dict[str, Callable[[Any], Any]] = {
    **{field: lambda v, field=field: kb.DMatrix(X, **{field: v}) for field in FIELDS},
    "feature_weights": lambda v: kb.DMatrix(np.zeros((1, 4)), feature_weights=v),
    "gradients": lambda v: kb.Booster().boost(kb.DMatrix(X, Y), 0, v, np.ones(4)),
    "margins in place": lambda v: kb.train({}, kb.DMatrix(X, Y), 1).inplace_predict(X, base_margin=v),
    "targets": lambda v: KauriRegressor(n_estimators=1).fit(X, v),
    "weights of rows": lambda v: KauriClassifier(n_estimators=1).fit(X, Y, sample_weight=v),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_refused_beside_rows(place: Callable[[Any], Any], no_numbers: Any) -> None:
    with pytest.raises(ValueError, match=r"dates|durations|texts|records|omplex|dtype|masked elements"):
        place(no_numbers)


@pytest.mark.parametrize("name", [name for name in NO_NUMBERS if "polars" not in name and "arrow" not in name])
def test_refused_as_features(name: str) -> None:
    """Texts in an array are no frame's column of text."""
    values = NO_NUMBERS[name]
    is_masked = isinstance(values, np.ma.MaskedArray)
    table = values.to_frame() if hasattr(values, "to_frame") else values if is_masked else np.asarray(values)
    table = table if isinstance(table, pd.DataFrame) else table.reshape(-1, 1)
    booster = kb.train({}, kb.DMatrix(X[:, :1], Y), 1)
    for read in (kb.DMatrix, kb.QuantileDMatrix, booster.inplace_predict, KauriRegressor().fit(X, Y).predict):
        with pytest.raises(kb.DataError, match=r"dates|durations|texts|records|omplex|not numbers"):
            read(table)


TIMES = {
    "date": [datetime.date(2024, 1, 1)],
    "timestamp": [datetime.datetime(2024, 1, 1)],
    "duration": [datetime.timedelta(1)],
    "time": [datetime.time(1)],
    "decimal": [Decimal("1.5")],
}


@pytest.mark.parametrize("values", TIMES.values(), ids=TIMES.keys())
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_refused_columns_of_frames(make: Callable[[Any], Any], values: list[Any]) -> None:
    frame = make({"fine": [1.0], "when": values})
    booster = kb.train({}, kb.DMatrix(X, Y), 1)
    for read in (kb.DMatrix, booster.inplace_predict):
        with pytest.raises(kb.DataError, match="when"):
            read(frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
def test_texts_are_names_of_categories(make: Callable[[Any], Any]) -> None:
    assert kb.DMatrix(make({"fine": [1.0], "when": ["1"]})).get_categories() == {"when": ["1"]}


def test_masked_records() -> None:
    with pytest.raises(kb.DataError, match="records"):
        kb.DMatrix(np.ma.zeros((4, 1), [("a", "f8"), ("b", "f8")]))


def test_what_still_counts_as_numbers() -> None:
    label = objects(Decimal("1.5"), np.float32(2), np.array(3.0), False)
    np.testing.assert_array_equal(kb.DMatrix(X, label).get_label(), [1.5, 2, 3, 0])
    rows = kb.DMatrix(objects(None, 5).reshape(2, 2))
    np.testing.assert_array_equal(rows.get_data().toarray(), [[0, 5], [0, 1]])
    assert rows.num_nonmissing() == 2
    masked = np.ma.masked_array(objects("a"), [1, 0, 0, 0]).reshape(2, 2)  # masked values do not matter
    assert kb.DMatrix(masked).num_nonmissing() == 2
    assert kb.DMatrix(csr_matrix(X)).num_nonmissing() == 7


def test_tables_of_labels() -> None:
    with pytest.raises(ValueError, match="durations"):
        label_table(np.zeros((2, 2), "m8[s]"))


class OnDevice:
    """A column that claims to be in device memory."""

    def __init__(self, dtype: str) -> None:
        self.dtype = np.dtype(dtype)
        self.__cuda_array_interface__ = {"data": (8, True), "typestr": self.dtype.str, "shape": (1,), "version": 3}


class DeviceFrame:
    """A minimal frame in device memory, with only the members that are read."""

    def __init__(self, **dtypes: str) -> None:
        self.columns, self.dtypes = list(dtypes), list(dtypes.values())
        self.shape, self.ndim, self.iloc = (1, len(dtypes)), 2, self

    def __getitem__(self, at: tuple[Any, int]) -> OnDevice:
        return OnDevice(self.dtypes[at[1]])


def test_refused_columns_in_device_memory() -> None:
    with pytest.raises(kb.DataError, match=r"when \(M8\[s\]\), long \(m8\[s\]\)"):
        kb.DMatrix(DeviceFrame(fine="f4", when="M8[s]", long="m8[s]"))


@pytest.mark.parametrize("typestr", ["<M8[ns]", "<m8[s]", "<M8", "<m8", "|V8", "<U1", "|S1", "|O", "<c8"])
def test_refused_by_the_library(typestr: str) -> None:
    values = np.zeros((4, 2), np.int64)
    described = {**interface_members(values), "typestr": typestr}
    data = kb.DMatrix(X)
    for act in (
        lambda text: call_handle(LIB.XGDMatrixCreateFromDense, text, b'{"missing": NaN}'),
        lambda text: check(LIB.XGDMatrixSetInfoFromInterface(data.handle, b"base_margin", text)),
        lambda text: call_handle(
            LIB.XGDMatrixCreateFromColumnar, b"[%b]" % text.replace(b"[4, 2]", b"[4]"), b'{"missing": NaN}'
        ),
    ):
        with pytest.raises(kb.DataError, match="typestr"):
            act(config(**described))
