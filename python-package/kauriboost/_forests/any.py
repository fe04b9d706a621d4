"""Forests of any library."""

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
    """Return trees as a model whose margins are their sums.

    Parameters
    ----------
    trees
        At least one. All of a round, so that `iteration_range` takes all or none of them.
    n_features
        Columns of the rows that it predicts.
    objective
        Name of one whose predictions have the wanted link. ``multi:...`` take `base_score` of each class.
    base_score
        What predictions are without the trees, a number for each output.
    feature_names
        Of all columns, or empty.

    Raises
    ------
    ModelError
        No trees, or ones that are none: nodes that nothing leads to, children or columns that are not there.
    """
    if not trees:
        raise ModelError("the forest has no trees. Give at least one; a constant is a tree with a single leaf.")
    scores = np.atleast_1d(np.asarray(base_score, dtype=np.float64)).tolist()
    n_classes = len(scores) if objective.startswith("multi:") else 0
    forest = Forest(trees, n_features, objective, scores, n_classes, len(trees), feature_names)
    return Booster(model_file=bytearray(model_bytes(forest)))
