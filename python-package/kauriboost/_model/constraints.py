"""Conversion of constraints and costs from feature names to indices, which the library reads."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._binding.errors import ParameterError
from .._data.naming import shown_names

_OF_FEATURES = ("monotone_constraints", "feature_cost")


def by_index(name: str, value: Any, feature_names: Sequence[str] | None) -> Any:
    """Return a parameter's value with feature names replaced by indices; other values are returned unchanged.

    ``monotone_constraints`` may be a mapping from names to -1, 0 or 1, ``feature_cost`` a mapping from names to costs;
    features that are not in it get 0. ``interaction_constraints`` may be lists of names or of indices. Raises
    ParameterError for an unknown name.
    """
    if name in _OF_FEATURES and isinstance(value, Mapping):
        of_features = [0] * len(feature_names or [])
        for feature, of_feature in value.items():
            of_features[_index(name, feature, feature_names)] = of_feature
        return tuple(of_features)
    if name == "interaction_constraints" and isinstance(value, Iterable) and not isinstance(value, str):
        groups = list(value)
        for group in groups:
            if isinstance(group, str) or not isinstance(group, Iterable):
                raise ParameterError(
                    f"{name} has the member {group!r}; expected lists of features, as in [['a', 'b']]."
                )
        return [
            [_index(name, part, feature_names) if isinstance(part, str) else operator.index(part) for part in group]
            for group in groups
        ]
    return value


def _index(name: str, feature: str, feature_names: Sequence[str] | None) -> int:
    if not feature_names:
        raise ParameterError(f"{name} names the feature {feature!r}, but the training data have no feature names.")
    if feature not in feature_names:
        raise ParameterError(
            f"{name} names the feature {feature!r}; the training data have {shown_names(feature_names)}."
        )
    return list(feature_names).index(feature)
