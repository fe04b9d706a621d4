"""Friedman and Popescu's H statistic: the strength of interactions between two features (2008, section 8.1).

H^2 of a pair is the variance of what its joint partial dependence has beyond the sum of both features' own partial
dependences, as a share of the variance of the joint partial dependence; variances are over the rows. It is computed
from exact dependences (exact_dependence.py). A pair that no path of a tree has together does not interact: its H is 0.

The overall H of a feature compares the margin with the sum of the feature's own partial dependence and the one of
all other features together. The latter needs a prediction for each pair of rows, so it is computed for some rows only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._data.matrix import DMatrix
from .._data.tables import columns_of, matrix_like, weights_of_rows
from .._public import described, public
from .dependence_curves import numbers_of_pairs
from .exact_dependence import Steps, batches_of, steps_of
from .explanation import _output_number
from .subject import Subject, feature_numbers, subject_of


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class InteractionStrengths:
    """The result of `h_statistic`, strongest pair first.

    Attributes
    ----------
    pairs
        The pairs of feature names.
    values
        ``[n_pairs]``, with a last axis for several outputs: H, between 0 (no interaction) and about 1 (the joint
        dependence is nothing but interaction). NaN if the joint dependence is constant.
    strengths
        The same shape: the standard deviation of the interaction over the rows, in units of the margin. A pair without
        influence may have a high H; this says whether the interaction matters.
    feature_names
        The features of `overall`.
    overall
        ``[n_features]``, with a last axis for several outputs: the overall H of each feature, the strength of its
        interaction with all others together. None unless `h_statistic` was asked for it.
    output_names, scale, class_name
        As in `PartialDependence`.
    """

    pairs: list[tuple[str, str]]
    values: np.ndarray
    strengths: np.ndarray
    feature_names: list[str] = field(default_factory=list)
    overall: np.ndarray | None = None
    output_names: list[Any] | None = None
    scale: str = ""
    class_name: Any = None

    def __repr__(self) -> str:
        return described(self, pairs=len(self.pairs), outputs=self.output_names)

    def output(self, which: Any) -> InteractionStrengths:
        """Return the strengths for one output, by its name (a class) or else its number, strongest first."""
        number = _output_number(self.output_names, which)
        assert self.output_names is not None
        chosen = replace(
            self,
            values=self.values[:, number],
            strengths=self.strengths[:, number],
            overall=None if self.overall is None else self.overall[:, number],
            output_names=None,
            class_name=self.output_names[number],
        )
        return chosen._sorted()

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per pair (and output): first, second, h, strength."""
        import pandas as pd

        first, second = zip(*self.pairs) if self.pairs else ((), ())
        if self.output_names is None:
            return pd.DataFrame({"first": first, "second": second, "h": self.values, "strength": self.strengths})
        n_outputs = len(self.output_names)
        return pd.DataFrame(
            {
                "first": np.repeat(first, n_outputs),
                "second": np.repeat(second, n_outputs),
                "output": self.output_names * len(self.pairs),
                "h": self.values.ravel(),
                "strength": self.strengths.ravel(),
            }
        )

    def _sorted(self) -> InteractionStrengths:
        """Return the pairs ordered by H, for several outputs by its mean; equal ones by strength."""
        axis = tuple(range(1, self.values.ndim))
        of_pairs = (np.nan_to_num(self.values).mean(axis=axis), self.strengths.mean(axis=axis))
        order = np.lexsort((-of_pairs[1], -of_pairs[0]))
        pairs = [self.pairs[place] for place in order]
        return replace(self, pairs=pairs, values=self.values[order], strengths=self.strengths[order])


def h_statistic(
    model: Any,
    X: Any,
    *,
    features: Sequence[str | int] | None = None,
    pairs: Sequence[tuple[str | int, str | int]] | None = None,
    overall_rows: int = 0,
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> InteractionStrengths:
    """Return the strength of the interaction of pairs of features in the margin of trees: Friedman's H statistic.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`, of trees without linear leaves.
    X
        The rows: a DMatrix, or data to make one from. If they have weights, means and variances are weighted.
    features
        The features whose pairs are measured, by name or number; all by default.
    pairs
        The pairs, instead of all pairs of `features` that occur together on a path of a tree.
    overall_rows
        Number of rows, evenly spaced, over which the overall H of each feature is computed; 0: it is left out. The cost
        is one prediction for each feature and pair of these rows; 100 rows are usually enough.
    feature_names, iteration_range
        As for `explain`.

    Raises
    ------
    ParameterError
        An unknown feature or pair; a linear model, or one with linear leaves.
    DataError
        Rows that do not fit the model, no rows, or weights that are all 0.
    """
    if overall_rows < 0:
        raise ParameterError(f"overall_rows is {overall_rows}; expected 0 or more.")
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    names = asked.names(feature_names, matrix)
    if pairs is not None and features is not None:
        raise ParameterError("features and pairs are given; pass the pairs, or the features whose pairs you want.")
    given = [which for pair in pairs or () for which in (pair if isinstance(pair, (tuple, list)) else [pair])]
    chosen = list(dict.fromkeys(feature_numbers(given or features, names))) or list(range(len(names)))
    curves = steps_of(asked, matrix, chosen, "together", points=matrix)
    wanted = curves.pairs if pairs is None else numbers_of_pairs(pairs, names, chosen)
    squares = _squares(asked, matrix, curves, wanted)
    values, strengths = _ratios(squares), np.sqrt(squares[..., 0])
    overall = _ratios(_overall_squares(asked, matrix, chosen, overall_rows)) if overall_rows else None
    outputs = asked.output_names(len(curves.base))
    if outputs is None:
        values, strengths = values[:, 0], strengths[:, 0]
        overall = None if overall is None else overall[:, 0]
    shown = [(names[first], names[second]) for first, second in wanted]
    alone = [names[feature] for feature in chosen] if overall_rows else []
    meaning = asked.meaning(outputs)
    return InteractionStrengths(shown, values, strengths, alone, overall, outputs, **meaning)._sorted()


def _ratios(squares: np.ndarray) -> np.ndarray:
    """Return H for variances of interaction and of everything; 0 without interaction, NaN without any variance."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios: np.ndarray = np.sqrt(squares[..., 0] / squares[..., 1])
    ratios[squares[..., 0] == 0] = 0.0
    ratios[squares[..., 1] == 0] = np.nan
    return ratios


def _weights_of(matrix: DMatrix) -> np.ndarray:
    """Return the weights of the rows, with the sum 1."""
    given = weights_of_rows(matrix)
    weights = np.ones(matrix.num_row()) if given is None else given
    normalised: np.ndarray = weights / weights.sum()
    return normalised


def _overall_squares(model: Subject, matrix: DMatrix, features: list[int], n_rows: int) -> np.ndarray:
    """Return the variances of each feature's interaction and of the margin, ``[n_features, n_outputs, 2]``."""
    n_all = matrix.num_row()
    part = matrix.slice(np.linspace(0, n_all - 1, min(n_rows, n_all)).round().astype(int), allow_groups=True)
    steps, weights = steps_of(model, part, features, points=part), _weights_of(part)
    table = columns_of(part, list(range(model.booster.num_features())))
    how: dict[str, Any] = {"output_margin": True, "iteration_range": model.rounds, "strict_shape": True}

    def margins(rows: np.ndarray) -> np.ndarray:
        """Return margins without the rows' own base margins, ``[n_outputs, n_rows]``."""
        points = matrix_like(part, list(rows.T), with_info=False)
        found: np.ndarray = np.asarray(model.booster.predict(points, **how), dtype=np.float64).T
        return found

    whole = margins(table)
    squares = []
    for place, feature in enumerate(features):
        _, first, cell = np.unique(steps.cells[:, place], return_index=True, return_inverse=True)
        rows = np.repeat(table, len(first), axis=0)
        rows[:, feature] = np.tile(table[first, feature], len(table))
        others = margins(rows).reshape(len(whole), len(table), len(first)) @ np.bincount(cell, weights)
        beyond = whole - steps.curves[place][:, steps.cells[:, place]] - others
        squares.append(np.stack([_variances(beyond, weights), _variances(whole, weights)], axis=-1))
    return np.array(squares)


def _squares(model: Subject, matrix: DMatrix, curves: Steps, pairs: list[tuple[int, int]]) -> np.ndarray:
    """Return the variances of interaction and of joint dependence, ``[n_pairs, n_outputs, 2]``."""
    weights = _weights_of(matrix)
    place_of = {feature: place for place, feature in enumerate(curves.features)}
    n_cells = {feature: curves.curves[place].shape[1] for feature, place in place_of.items()}
    together = set(curves.pairs)
    squares = np.zeros((len(pairs), len(curves.base), 2))
    of_pair = {pair: place for place, pair in enumerate(pairs)}
    for batch in batches_of(pairs, n_cells, len(curves.base)):
        features = sorted({feature for pair in batch for feature in pair})
        found = steps_of(model, matrix, features, [pair for pair in batch if pair in together] or "")
        surfaces = dict(zip(found.pairs, found.surfaces))
        for pair in batch:
            first, second = (curves.cells[:, place_of[feature]] for feature in pair)
            alone = sum(curves.curves[place_of[feature]][:, cells] for feature, cells in zip(pair, (first, second)))
            beyond = surfaces[pair][:, first, second] if pair in surfaces else np.zeros_like(alone)
            squares[of_pair[pair]] = np.stack(
                [_variances(beyond, weights), _variances(alone + beyond, weights)], axis=-1
            )
    return squares


def _variances(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the variances over the last axis; exactly 0 for a constant, whatever rounding makes of its mean."""
    centred = values - values[:, :1]
    mean = centred @ weights
    variances: np.ndarray = (centred - mean[:, None]) ** 2 @ weights
    return variances
