"""The functional analysis of variance of trees: effects of features and of pairs, each without what others explain.

The features are taken as independent: the distribution is the product of the marginal distributions of the rows (Hooker
2004, with this measure). Then each effect has the mean 0 over each of its features, and no main effect hides in a pair;
tables with this property are called purified (Lengerich, Tan, Chang, Hooker, Caruana 2020). A leaf's part of an effect
is a product of shares of the rows in its intervals, so that the effects are exact for trees of any depth, without
iterations. If no path has more than two features, the effects add up to the margin of every row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._data.matrix import DMatrix
from .._data.tables import weights_of_rows
from .._public import described, public
from .dependence_curves import DependenceCurves, curves_of, numbers_of_pairs
from .exact_dependence import Steps, steps_of
from .partial_dependence import PartialDependence
from .subject import Subject, feature_numbers, subject_of


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class FunctionalAnova:
    """The result of `functional_anova`.

    Attributes
    ----------
    intercept
        The mean margin under independent features, one per output if there are several.
    feature_names, pairs
        The features and pairs with an effect.
    feature_variances, pair_variances
        ``[n_features]`` and ``[n_pairs]``, with a last axis for several outputs: the variances of the effects under
        independent features. They add up to the variance of the margin if no path has more than two
        features and none is left out.
    residue
        ``[n_rows]``, with a last axis for several outputs: the margin of each row minus the intercept and all effects.
        It is what three and more features do together, and 0 up to rounding if no path has more than two features
        and no feature or pair is left out.
    effects
        The effects as curves and joint dependences.
    """

    intercept: Any
    feature_names: list[str]
    pairs: list[tuple[str, str]]
    feature_variances: np.ndarray
    pair_variances: np.ndarray
    residue: np.ndarray
    effects: DependenceCurves

    def __repr__(self) -> str:
        return described(self, features=self.feature_names, pairs=len(self.pairs), rows=len(self.residue))

    def curve(self, feature: str | int) -> PartialDependence:
        """Return the effect of a feature, as `DependenceCurves.curve` does."""
        return self.effects.curve(feature)

    def joint(self, first: str | int, second: str | int) -> PartialDependence:
        """Return the effect of a pair beyond both features, as `DependenceCurves.joint` does."""
        return self.effects.joint(first, second)

    def to_frame(self) -> Any:
        """Return a pandas data frame of the effects with their variances, largest first.

        Several outputs have a row per effect and output; effects are in the order of their largest variance.
        """
        import pandas as pd

        texts = [*self.feature_names, *(f"{first} × {second}" for first, second in self.pairs)]
        variances = np.concatenate([self.feature_variances, self.pair_variances])
        outputs = self.effects.output_names
        largest = variances if outputs is None else variances.max(axis=1)
        order = np.argsort(-largest, kind="stable")
        columns = {"effect": np.repeat(np.array(texts, dtype=object)[order], len(outputs or [0]))}
        if outputs is not None:
            columns["output"] = np.array(outputs * len(texts), dtype=object)
        return pd.DataFrame({**columns, "variance": variances[order].ravel()})


def functional_anova(
    model: Any,
    X: Any,
    *,
    features: Sequence[str | int] | None = None,
    pairs: Sequence[tuple[str | int, str | int]] | None = None,
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> FunctionalAnova:
    """Split the margin of trees into a mean, effects of features, and effects of pairs beyond their features.

    Every effect has the mean 0 over each of its features when the features are independent and distributed as in the
    rows. This fixes the split, and makes the effects comparable: their variances say how much each matters.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`, of trees without linear leaves.
    X
        The rows: a DMatrix, or data to make one from. Their weights count.
    features
        The features with an effect, by name or number; all by default.
    pairs
        The pairs with an effect; by default all pairs of `features` that occur together on a path of a tree. Each takes
        the product of both features' numbers of intervals.
    feature_names, iteration_range
        As for `explain`.

    Raises
    ------
    ParameterError
        An unknown feature or pair; a linear model, or one with linear leaves.
    DataError
        Rows that do not fit the model, no rows, or weights that are all 0.
    """
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    names = asked.names(feature_names, matrix)
    chosen = feature_numbers(features, names) or list(range(len(names)))
    numbers = numbers_of_pairs(pairs, names, chosen)
    if pairs is None:
        numbers = steps_of(asked, matrix, chosen, "together", "product").pairs
    steps = steps_of(asked, matrix, chosen, numbers or "", "product", points=matrix)
    effects = curves_of(asked, matrix, steps, names, "effect")
    shares = _cell_shares(steps, matrix)
    of_features = [(curve - steps.base[:, None]) ** 2 @ share for curve, share in zip(steps.curves, shares)]
    of_pairs = []
    for pair, surface in zip(steps.pairs, steps.surfaces):
        first, second = (shares[steps.features.index(feature)] for feature in pair)
        of_pairs.append(np.einsum("kij,i,j->k", surface**2, first, second))
    feature_variances = np.array(of_features).reshape(len(steps.features), -1)
    pair_variances = np.array(of_pairs).reshape(len(steps.pairs), len(steps.base))
    residue = _margins(asked, matrix) - _sums(steps)
    if effects.output_names is None:
        feature_variances, pair_variances, residue = (
            part[:, 0] for part in (feature_variances, pair_variances, residue)
        )
    return FunctionalAnova(
        effects.base, effects.feature_names, effects.pairs, feature_variances, pair_variances, residue, effects
    )


def _cell_shares(steps: Steps, matrix: DMatrix) -> list[np.ndarray]:
    """Return the share of the rows in each cell, by feature."""
    weights = weights_of_rows(matrix)
    counts = [
        np.bincount(steps.cells[:, place], weights, minlength=curve.shape[1])
        for place, curve in enumerate(steps.curves)
    ]
    return [count / count.sum() for count in counts]


def _sums(steps: Steps) -> np.ndarray:
    """Return the sum of intercept and effects of each row, ``[n_rows, n_outputs]``."""
    sums = np.repeat(steps.base[:, None], len(steps.cells), axis=1)
    for place, curve in enumerate(steps.curves):
        sums += curve[:, steps.cells[:, place]] - steps.base[:, None]
    for pair, surface in zip(steps.pairs, steps.surfaces):
        first, second = (steps.cells[:, steps.features.index(feature)] for feature in pair)
        sums += surface[:, first, second]
    return sums.T


def _margins(model: Subject, matrix: DMatrix) -> np.ndarray:
    """Return the margins of the rows, all with the mean base margin; ``[n_rows, n_outputs]``."""
    how: dict[str, Any] = {"output_margin": True, "iteration_range": model.rounds, "strict_shape": True}
    margins = np.asarray(model.booster.predict(matrix, **how), dtype=np.float64)
    own = matrix.get_base_margin()
    if len(own) == 0:
        return margins
    own = own.reshape(margins.shape).astype(np.float64)
    with_mean: np.ndarray = margins - own + np.average(own, axis=0, weights=weights_of_rows(matrix))
    return with_mean
