"""DataIter: batches of every kind become one table; mistakes in batches and iterators."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

VALUES = np.arange(24, dtype=np.float32).reshape(8, 3)


class Batches(kb.DataIter):
    def __init__(self, batches: list[dict[str, Any]]) -> None:
        self.batches, self.at, self.resets = batches, 0, 0

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.at == len(self.batches):
            return False
        input_data(**self.batches[self.at])
        self.at += 1
        return True

    def reset(self) -> None:
        self.at, self.resets = 0, self.resets + 1


def parts_of(convert: Callable[[np.ndarray], Any]) -> list[dict[str, Any]]:
    return [{"data": convert(VALUES[:3])}, {"data": convert(VALUES[3:])}]


@pytest.mark.parametrize("make", [kb.DMatrix, kb.QuantileDMatrix])
def test_labels_of_text_are_refused(make: type[kb.DMatrix]) -> None:
    labels = np.array(["no", "yes", "no"])
    with pytest.raises(kb.DataError, match=r"KauriClassifier"):
        make(Batches([{"data": VALUES[:3], "label": labels}, {"data": VALUES[3:], "label": labels}]))


KINDS = {
    "array": np.asarray,
    "temporary": lambda values: values[::-1][::-1].astype(np.float64).tolist(),
    "csr": sp.csr_matrix,
    "csc": sp.csc_matrix,
    "frame": pd.DataFrame,
}


@pytest.mark.parametrize("convert", KINDS.values(), ids=KINDS.keys())
def test_batches_are_one_table(convert: Callable[[np.ndarray], Any]) -> None:
    iterator = Batches(parts_of(convert))
    data = kb.DMatrix(iterator)
    np.testing.assert_array_equal(data.get_data().toarray(), VALUES)
    assert iterator.resets == 2


def test_fields_and_missing() -> None:
    first = {"label": [[1, 2]] * 3, "weight": [1, 2, 3], "feature_names": ["a", "b", "c"], "base_margin": [0, 1, 2]}
    second = {"label": [[3, 4]] * 5, "weight": [4, 5, 6, 7, 8], "base_margin": [3, 4, 5, 6, 7]}
    data = kb.DMatrix(Batches([{"data": VALUES[:3], **first}, {"data": VALUES[3:], **second}]), missing=4)
    assert data.num_nonmissing() == 23
    np.testing.assert_array_equal(data.get_label(), [[1, 2]] * 3 + [[3, 4]] * 5)
    np.testing.assert_array_equal(data.get_weight(), range(1, 9))
    np.testing.assert_array_equal(data.get_base_margin(), range(8))
    assert data.feature_names == ["a", "b", "c"]
    ranked = kb.DMatrix(Batches([{"data": VALUES[:3], "qid": [1, 1, 2]}, {"data": VALUES[3:], "group": [2, 3]}]))
    np.testing.assert_array_equal(ranked.get_group(), [2, 1, 2, 3])


def test_the_model_is_the_same(binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = binary
    cuts = [0, 100, 101, 350, len(y)]
    batches = [{"data": X[i:j], "label": y[i:j]} for i, j in pairwise(cuts)]
    params = {"objective": "binary:logistic", "tree_method": "hist"}
    models = [kb.train(params, data, 5) for data in (kb.DMatrix(X, label=y), kb.DMatrix(Batches(batches)))]
    assert models[0].save_raw() == models[1].save_raw()


def test_what_the_iterator_raises_comes_back() -> None:
    class Failing(Batches):
        def next(self, input_data: Callable[..., None]) -> bool:
            if self.at == 1:
                raise KeyError("the second file")
            return super().next(input_data)

    with pytest.raises(KeyError, match="the second file"):
        kb.DMatrix(Failing(parts_of(np.asarray)))


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        ([], "no batch"),
        ([{"data": VALUES}, {"data": VALUES[:, :2]}], "batch 1 has 2 columns"),
        ([{"data": VALUES, "label": range(8)}, {"data": VALUES}], "label: batch 1"),
        ([{"data": VALUES, "label": range(7)}], "label has 7 values"),
        ([{"data": pd.DataFrame(VALUES, columns=list("abc"))}, {"data": pd.DataFrame(VALUES, columns=list("abd"))}],
         "feature_name: batch 1"),
        ([{"data": np.array([["a"]])}], "dtype"),
    ],
)  # fmt: skip
def test_bad_batches(batches: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(kb.DataError, match=message):
        kb.DMatrix(Batches(batches))


def test_iterators_that_miscount() -> None:
    class Silent(Batches):
        def next(self, input_data: Callable[..., None]) -> bool:
            return True

    class Twice(Batches):
        def next(self, input_data: Callable[..., None]) -> bool:
            input_data(VALUES)
            input_data(VALUES)
            return True

    with pytest.raises(kb.DataError, match="without calling input_data"):
        kb.DMatrix(Silent([]))
    with pytest.raises(kb.DataError, match="called twice"):
        kb.DMatrix(Twice([]))


class AsInXGBoost(kb.DataIter):
    """An iterator written like subclasses of XGBoost's class."""

    def __init__(self, tables: list[tuple[np.ndarray, np.ndarray]], *positional: Any, **options: Any) -> None:
        self.tables, self.at = tables, 0
        super().__init__(*positional, **options)

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.at == len(self.tables):
            return False
        X, y = self.tables[self.at]
        input_data(data=X, label=y)
        self.at += 1
        return True

    def reset(self) -> None:
        self.at = 0


OPTIONS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "none": ((), {}),
    "no cache": ((), {"cache_prefix": None, "release_data": False}),
    "positional": ((None, True), {"on_host": False, "min_cache_page_bytes": 0}),
    "all": ((), {"release_data": True, "on_host": True, "min_cache_page_bytes": 1 << 20}),
}


@pytest.mark.parametrize(("positional", "options"), OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("kind", [kb.DMatrix, kb.QuantileDMatrix, kb.ExtMemQuantileDMatrix])
def test_iterators_made_for_xgboost(
    regression: tuple[np.ndarray, np.ndarray], kind: Any, positional: Any, options: Any
) -> None:
    X, y = regression
    tables = [(X[:200], y[:200]), (X[200:], y[200:])]
    data = kind(AsInXGBoost(tables, *positional, **options))
    np.testing.assert_array_equal(data.get_label(), y)
    expected = kb.train({"nthread": 1}, kb.DMatrix(X, y), 2, verbose_eval=False)
    assert kb.train({"nthread": 1}, data, 2, verbose_eval=False).save_raw() == expected.save_raw()


def test_where_the_cache_goes(regression: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    class Named(AsInXGBoost):
        cache_prefix = tmp_path / "nowhere" / "of the class"

    tables = [regression]
    for iterator, name in (
        (AsInXGBoost(tables, tmp_path / "nowhere" / "given"), "given"),
        (AsInXGBoost(tables, cache_prefix=str(tmp_path / "nowhere" / "given")), "given"),
        (Named(tables), "of the class"),
        (Named(tables, cache_prefix=tmp_path / "nowhere" / "given"), "given"),
    ):
        with pytest.raises(kb.FileError, match=rf"nowhere[/\\]{name}"):
            kb.ExtMemQuantileDMatrix(iterator)
    fine = kb.ExtMemQuantileDMatrix(AsInXGBoost(tables, tmp_path / "cache"))
    assert fine.num_row() == len(regression[1])
