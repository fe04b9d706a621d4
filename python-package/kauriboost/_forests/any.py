"""Conversion of forests given as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._model.booster import Booster
from .._public import public
from .document import Forest, booster_of
from .trees import ForestTree


@public("kauriboost.forests")
def from_trees(
    trees: Sequence[ForestTree],
    n_features: int,
    *,
    objective: str = "reg:squarederror",
    base_score: float | Sequence[float] | None = None,
    feature_names: Sequence[str] = (),
) -> Booster:
    """Return trees as a model whose margins are the sums of the trees.

    Parameters
    ----------
    trees
        At least one tree. All belong to one round, so `iteration_range` takes all or none of them.
    n_features
        Number of columns of the rows to predict.
    objective
        Name of an objective whose predictions have the wanted link. ``multi:...`` needs a `base_score` for each class.
    base_score
        Predictions without the trees, one number for each output: 0.5 adds nothing to the margins of a probability, 1
        nothing to those of a logarithmic objective. By default 0 for "reg:squarederror"; others need it.
    feature_names
        Names of all columns, or empty.

    Raises
    ------
    ModelError
        No trees, or invalid trees: arrays of different lengths, nodes that form no tree, or children or columns that do
        not exist.
    """
    scores = None if base_score is None else np.atleast_1d(np.asarray(base_score, dtype=np.float64)).tolist()
    return booster_of(Forest(trees, n_features, objective, scores, len(trees), feature_names))
