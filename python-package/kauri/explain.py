"""Explanations: what each feature adds to each prediction, as the plots here and those of the package shap take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import _lib
from ._lib import DataError, ParameterError
from .booster import Booster
from .data import DMatrix
from .device import to_host


@dataclass(frozen=True)
class Explanation:
    """SHAP values of some rows: each row's values and its base value add up to the margin.

    Attributes
    ----------
    values
        ``[n_rows, n_features]``; of interactions ``[n_rows, n_features, n_features]``, where the effect of a pair is
        divided between its two cells. With several outputs their axis is the last.
    base_values
        ``[n_rows]``, or ``[n_rows, n_outputs]``: the mean margin of the data that the model was trained on.
    data
        ``[n_rows, n_features]``, NaN where missing.
    feature_names
        One per feature.
    output_names
        One per output where there are several, else None: the classes of a classifier, or numbers.
    """

    values: np.ndarray
    base_values: np.ndarray
    data: np.ndarray
    feature_names: list[str]
    output_names: list[Any] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    @property
    def is_interaction(self) -> bool:
        """Whether the values are of pairs of features."""
        return self.values.ndim - (self.output_names is not None) == 3

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Explanation:
        """Return the explanation of one row (without the axis of rows), a slice, a mask, or a list of row numbers."""
        return replace(self, values=self.values[rows], base_values=self.base_values[rows], data=self.data[rows])

    def output(self, which: Any) -> Explanation:
        """Return the explanation of one output, by its name (a class) or else its number."""
        if self.output_names is None:
            raise ParameterError("the explanation has one output; there is nothing to choose.")
        names = list(self.output_names)
        number = names.index(which) if which in names else which
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < len(names):
            raise ParameterError(f"there is no output {which!r}; choose one of {names}.")
        return replace(
            self, values=self.values[..., number], base_values=self.base_values[..., number], output_names=None
        )

    def to_shap(self) -> Any:
        """Return a ``shap.Explanation``: the plots of the package shap take nothing else. Needs that package."""
        import shap

        return shap.Explanation(
            self.values,
            base_values=self.base_values,
            data=self.data,
            feature_names=self.feature_names,
            output_names=self.output_names,
        )


def _dense(matrix: DMatrix) -> np.ndarray:
    n_rows = matrix.num_row()
    indptr, indices, values = _lib.rows_as_csr(matrix.handle, n_rows, matrix.num_nonmissing())
    table = np.full((n_rows, matrix.num_col()), np.nan, dtype=np.float32)
    table[np.repeat(np.arange(n_rows), np.diff(indptr.astype(np.int64))), indices] = values
    return table


def _names(given: Sequence[str] | None, booster: Booster, matrix: DMatrix) -> list[str]:
    n_features = booster.num_features()
    names = given if given is not None else booster.feature_names or matrix.feature_names
    names = [f"f{i}" for i in range(n_features)] if names is None else list(names)
    if len(names) != n_features:
        raise ParameterError(f"feature_names has {len(names)} names, the model {n_features} features; give one each.")
    return names


def _output_names(model: Any, n_outputs: int) -> list[Any]:
    classes = getattr(model, "classes_", None)
    return list(range(n_outputs)) if classes is None or len(classes) != n_outputs else np.asarray(classes).tolist()


def explain(
    model: Any,
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    interactions: bool = False,
    approximate: bool = False,
    iteration_range: tuple[int, int] | None = None,
) -> Explanation:
    """Explain the predictions for rows by SHAP values, which are exact unless `approximate`.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauri.sklearn`. The parameters ``device`` and ``shap_method`` decide where
        and how the values are computed.
    X
        The rows: a DMatrix, or whatever one is made of.
    feature_names
        What to call the features; by default as the model or the data frame does, else f0, f1, ...
    interactions
        Explain pairs of features: `n_features` times as many numbers.
    approximate
        Take the faster, approximate method instead.
    iteration_range
        Rounds [begin, end) to explain, an end of 0 means all; by default all, or for an estimator after early stopping
        those up to its best round.

    Raises
    ------
    ParameterError
        Names that do not fit the model; `interactions` and `approximate` at once.
    DataError
        Rows that do not fit the model.
    """
    if interactions and approximate:
        raise ParameterError("interactions and approximate are both true; there is no approximation of interactions.")
    is_booster = isinstance(model, Booster)
    if not is_booster and not hasattr(model, "get_booster"):
        raise TypeError(f"expected a Booster or an estimator of kauri.sklearn, got {type(model).__name__}.")
    booster = model if is_booster else model.get_booster()
    rounds = (iteration_range or (0, 0)) if is_booster else model._rounds(iteration_range)
    matrix = X if isinstance(X, DMatrix) else DMatrix(X) if is_booster else model._matrix(X)
    n_features = booster.num_features()
    if matrix.num_col() != n_features:
        raise DataError(f"the data have {matrix.num_col()} features, the model {n_features}; pass its features.")
    values = to_host(
        booster.predict(
            matrix,
            pred_contribs=not interactions,
            pred_interactions=interactions,
            approx_contribs=approximate,
            validate_features=matrix.feature_names is not None,
            iteration_range=rounds,
            strict_shape=True,
        )
    )
    return _explanation(values, _dense(matrix), _names(feature_names, booster, matrix), model)


def _explanation(values: np.ndarray, data: np.ndarray, names: list[str], model: Any) -> Explanation:
    """`values` has the axis of outputs second, and the bias as the last of each axis of features."""
    values = np.moveaxis(values, 1, -1)
    n_outputs = values.shape[-1]
    if values.ndim == 3:
        base_values, values = values[:, -1], values[:, :-1]
    else:
        base_values, values = values[:, -1, -1], values[:, :-1, :-1]
    if n_outputs == 1:
        return Explanation(values[..., 0], base_values[..., 0], data, names)
    return Explanation(values, base_values, data, names, _output_names(model, n_outputs))
