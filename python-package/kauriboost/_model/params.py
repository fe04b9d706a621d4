"""Conversion of booster parameters to names and texts for the library."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from .._binding.errors import ParameterError
from . import constraints

Params = Mapping[str, Any]
ParamsOrPairs = Union[Params, Sequence[tuple[str, Any]]]

_INSTEAD_OF_FUNCTION = {"objective": "obj=", "eval_metric": "custom_metric="}


def _text(name: str, value: Any) -> str:
    if callable(value):
        where = _INSTEAD_OF_FUNCTION.get(name)
        cure = "pass a value" if where is None else f"pass it to train() as {where}, and leave the parameter out"
        raise ParameterError(f"{name} is the function {getattr(value, '__name__', value)!r}; {cure}.")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple):  # constraints: (1,-1)
        return "(" + ",".join(str(part) for part in value) + ")"
    if isinstance(value, list):
        return json.dumps(value)
    return str(value)


def metric_list(value: Any) -> list[Any]:
    """Return the metrics in the value of `eval_metric`: one, or a list, tuple, array or series of them."""
    for method in ("tolist", "to_list"):
        if hasattr(value, method):
            value = getattr(value, method)()
    if isinstance(value, (list, tuple)):
        return list(value)
    return [] if value is None else [value]


def param_pairs(params: ParamsOrPairs, feature_names: Sequence[str] | None) -> list[tuple[str, str]]:
    """Return (name, text) pairs; a list of metrics becomes one pair each, and None leaves the parameter unset."""
    pairs: list[tuple[str, str]] = []
    for name, value in params.items() if isinstance(params, Mapping) else params:
        parts = metric_list(value) if name == "eval_metric" else [constraints.by_index(name, value, feature_names)]
        pairs += [(name, _text(name, part)) for part in parts if part is not None]
    return pairs


def params_as_text(params: ParamsOrPairs, feature_names: Sequence[str] | None) -> dict[str, str]:
    """Return the parameters as texts for comparison; the values of a repeated name are joined."""
    texts: dict[str, str] = {}
    for name, text in param_pairs(params, feature_names):
        texts[name] = f"{texts[name]},{text}" if name in texts else text
    return texts
