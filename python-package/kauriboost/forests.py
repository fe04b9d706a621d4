"""Conversion of forests that other libraries trained to our models, to be predicted, explained and saved."""

from __future__ import annotations

from ._forests.any import from_trees
from ._forests.lightgbm import from_lightgbm
from ._forests.load import LoadedForest, load
from ._forests.scikit_learn import from_sklearn
from ._forests.trees import ForestTree, thresholds_of, thresholds_of_doubles

__all__ = [
    "ForestTree",
    "LoadedForest",
    "from_lightgbm",
    "from_sklearn",
    "from_trees",
    "load",
    "thresholds_of",
    "thresholds_of_doubles",
]
