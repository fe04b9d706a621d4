"""Conversion of forests given as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._binding.errors import ModelError
from .._model.booster import Booster
from .._public import public
from .document import Forest, model_bytes
from .trees import ForestTree


@public("kauriboost.forests")
def from_trees(
    trees: Sequence[ForestTree],
    n_features: int,
    *,
    objective: str = "reg:squarederror",
    base_score: float | Sequence[float] = 0.0,
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
        Predictions without the trees, one number for each output.
    feature_names
        Names of all columns, or empty.

    Raises
    ------
    ModelError
        No trees, or invalid trees: unreachable nodes, or children or columns that do not exist.
    """
    if not trees:
        raise ModelError("the forest has no trees. Give at least one; a constant is a tree with a single leaf.")
    scores = np.atleast_1d(np.asarray(base_score, dtype=np.float64)).tolist()
    n_classes = len(scores) if objective.startswith("multi:") else 0
    forest = Forest(trees, n_features, objective, scores, n_classes, len(trees), feature_names)
    return Booster(model_file=bytearray(model_bytes(forest)))
