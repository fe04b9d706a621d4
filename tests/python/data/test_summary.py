"""Column summaries, compared with NumPy, pandas and scipy."""

from __future__ import annotations

from typing import Any, Callable

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from scipy import stats

SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def table(rows: int = 5000) -> np.ndarray:
    random = np.random.default_rng(1)
    columns = [
        random.standard_normal(rows),
        1000 + random.standard_normal(rows),
        random.lognormal(size=rows),
        random.integers(0, 7, rows),
    ]
    values = np.stack(columns, axis=1).astype(np.float32)
    values[random.random(values.shape) < 0.1] = np.nan
    return values


def test_numbers_are_those_of_numpy_and_scipy() -> None:
    values = table()
    summary = kb.summarize(values)
    assert summary.names == ["f0", "f1", "f2", "f3"]
    assert len(summary) == 4
    for i, name in enumerate(summary.names):
        column = values[:, i][~np.isnan(values[:, i])].astype(np.float64)
        assert summary.count[i] == len(column), name
        assert summary.missing[i] == len(values) - len(column)
        assert (summary.min[i], summary.max[i]) == (column.min(), column.max())
        np.testing.assert_allclose(summary.mean[i], column.mean(), rtol=1e-13)
        np.testing.assert_allclose(summary.std[i], column.std(), rtol=1e-12)
        np.testing.assert_allclose(summary.skewness[i], stats.skew(column), rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(summary.kurtosis[i], stats.kurtosis(column), rtol=1e-9, atol=1e-11)
        np.testing.assert_array_equal(summary.quantiles[i], np.quantile(column, SHARES, method="inverted_cdf"))
    assert summary.distinct[3] == 7
    assert np.isnan(summary.distinct[:3]).all()
    assert (summary.rank_error == 0).all()


def test_whole_weights_are_repeated_rows() -> None:
    values = table(2000)
    weights = np.random.default_rng(2).integers(0, 4, len(values))
    weighted = kb.summarize(values, weights=weights)
    repeated = kb.summarize(values.repeat(weights, axis=0))
    np.testing.assert_array_equal(weighted.quantiles, repeated.quantiles)
    np.testing.assert_allclose(weighted.mean, repeated.mean, rtol=1e-13)
    np.testing.assert_allclose(weighted.kurtosis, repeated.kurtosis, rtol=1e-9)
    np.testing.assert_array_equal(weighted.count + weighted.missing, [(weights > 0).sum()] * 4)


class Batches(kb.DataIter):
    def __init__(self, values: np.ndarray, weights: np.ndarray, lengths: list[int]) -> None:
        super().__init__()
        ends = np.cumsum(lengths)
        self.parts = [(values[end - n : end], weights[end - n : end]) for n, end in zip(lengths, ends)]
        self.at = 0

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.at == len(self.parts):
            return False
        data, weight = self.parts[self.at]
        input_data(data=data, weight=weight)
        self.at += 1
        return True

    def reset(self) -> None:
        self.at = 0


@pytest.mark.parametrize("sketch", ["exact", "gk", "kll", "moments"])
def test_batches_matrices_and_threads_do_not_matter(sketch: str) -> None:
    values = table(9000)
    weights = np.random.default_rng(3).random(9000).astype(np.float32)
    expected = kb.summarize(values, sketch=sketch, weights=weights, nthread=1)
    batches = Batches(values, weights, [1, 4095, 17, 4000, 887])
    for other in (
        kb.summarize(batches, sketch=sketch, nthread=3),
        kb.summarize(kb.DMatrix(values, weight=weights), sketch=sketch),
    ):
        for field in ("count", "missing", "mean", "std", "skewness", "kurtosis", "quantiles", "rank_error"):
            np.testing.assert_array_equal(getattr(other, field), getattr(expected, field), err_msg=field)


@pytest.mark.parametrize(("sketch", "most"), [("gk", 0.002), ("kll", 0.01)])
def test_ranks_are_within_what_is_promised(sketch: str, most: float) -> None:
    values = np.random.default_rng(5).standard_normal((200_000, 1)).astype(np.float32)
    summary = kb.summarize(values, SHARES, sketch)
    ranks = np.searchsorted(np.sort(values[:, 0]), summary.quantiles[0]) / len(values)
    assert 0 < summary.rank_error[0] < most
    assert np.abs(ranks - SHARES).max() < summary.rank_error[0] + 1e-5


def test_moments_promise_nothing_and_move_with_the_data() -> None:
    values = np.random.default_rng(6).standard_normal((50_000, 1)).astype(np.float32)
    values = np.round(values * 4096) / 4096
    near, far = kb.summarize(values, sketch="moments"), kb.summarize(4 * values + 1024, sketch="moments")
    assert np.isnan(near.rank_error).all()
    np.testing.assert_allclose(far.quantiles, 4 * near.quantiles + 1024, atol=2e-3)
    np.testing.assert_allclose(near.quantiles[0], np.quantile(values, SHARES), atol=0.03)
    legendre = kb.summarize(values, sketch="moments", sketch_density="legendre", sketch_order=12)
    np.testing.assert_allclose(legendre.quantiles[0], np.quantile(values, SHARES), atol=0.1)


def test_frames_have_names_and_give_one_back() -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0, np.nan], "kind": pd.Categorical(["a", "b", "a"])})
    summary = kb.summarize(frame, (0.5,))
    assert summary.names == ["age", "kind"]
    assert repr(summary) == "ColumnSummary(columns=['age', 'kind'], shares=[0.5])"
    back = summary.to_frame()
    assert list(back.index) == ["age", "kind"]
    assert back.loc["age", "missing"] == 1
    assert back.loc["age", "0.5"] == 1.0
    assert back.loc["kind", "distinct"] == 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"quantiles": (0.5, 0.2)}, kb.ParameterError, "0.2 after 0.5"),
        ({"quantiles": 0.5}, kb.ParameterError, "give a list of shares"),
        ({"sketch": "reservoir"}, kb.ParameterError, "exact, gk, kll or moments"),
        ({"sketch": "moments", "sketch_density": "cosine"}, kb.ParameterError, "needs the range"),
        ({"sketch": "kll", "sketch_size": 1}, kb.ParameterError, "sketch_size=1"),
        ({"weights": [1.0, -1.0, 1.0]}, kb.DataError, "weight"),
        ({"weights": [1.0]}, kb.DataError, "weight"),
    ],
)
def test_refusals(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kb.summarize(np.zeros((3, 1), dtype=np.float32), **arguments)


def test_refusals_of_data() -> None:
    values = np.zeros((3, 1), dtype=np.float32)
    with pytest.raises(kb.DataError, match="has its own weights"):
        kb.summarize(kb.DMatrix(values), weights=[1, 1, 1])
    with pytest.raises(kb.DataError, match="come with each batch"):
        kb.summarize(Batches(values, np.ones(3), [3]), weights=[1, 1, 1])
    with pytest.raises(kb.DataError, match=r"read 'file\.csv' as a DMatrix"):
        kb.summarize("file.csv")
    with pytest.raises(kb.DataError, match="bins"):
        kb.summarize(kb.QuantileDMatrix(values))
    with pytest.raises(kb.DataError, match="features must be finite"):
        kb.summarize(np.full((3, 1), np.inf, dtype=np.float32))
    with pytest.raises(kb.DataError, match="no rows"):
        kb.summarize(Batches(values, np.ones(3), []))


def test_what_an_iterator_raises_comes_through() -> None:
    class Broken(Batches):
        def next(self, input_data: Callable[..., None]) -> bool:
            raise ValueError("the file is gone")

    with pytest.raises(ValueError, match="the file is gone"):
        kb.summarize(Broken(np.zeros((1, 1)), np.ones(1), [1]))
