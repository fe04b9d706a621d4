"""Comparison of a scenario's results over two libraries, with the agreement that it requires."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

NOTHING = 1e-4  # lower bound of the scale for comparing close numbers, because the largest may be rounding error only


def difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """Describe how our record of a scenario differs from XGBoost's; None if they agree as required."""
    if theirs["outcome"] != "returned":
        return f"over XGBoost's own library the scenario {theirs['outcome']}: {theirs['text']}"
    if ours["outcome"] != "returned":
        return f"{ours['outcome']}: {ours['text']}"
    return _compare(theirs["value"], ours["value"], theirs["agreement"], "")


def _compare(theirs: object, ours: object, agreement: tuple[str, float], where: str) -> str | None:
    if isinstance(theirs, np.ndarray) and isinstance(ours, np.ndarray):
        return _compare_arrays(theirs, ours, agreement, where)
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        if list(theirs) != list(ours):
            return f"{where}: keys {list(ours)}, not {list(theirs)}"
        return _compare_all([(theirs[key], ours[key], f"{where}[{key!r}]") for key in theirs], agreement)
    if _is_list(theirs) and _is_list(ours) and len(theirs) == len(ours):
        pairs = zip(theirs, ours, strict=True)
        return _compare_all([(*pair, f"{where}[{i}]") for i, pair in enumerate(pairs)], agreement)
    if isinstance(theirs, (float, np.floating)) and isinstance(ours, (float, np.floating)):
        return _compare_arrays(np.asarray(theirs), np.asarray(ours), agreement, where)
    if type(theirs) is type(ours) and theirs == ours:
        return None
    return f"{where}: {ours!r}, not {theirs!r}"


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray))


def _compare_all(parts: list[tuple[object, object, str]], agreement: tuple[str, float]) -> str | None:
    found = (_compare(theirs, ours, agreement, where) for theirs, ours, where in parts)
    return next((text for text in found if text is not None), None)


def _compare_arrays(theirs: np.ndarray, ours: np.ndarray, agreement: tuple[str, float], where: str) -> str | None:
    if theirs.shape != ours.shape or theirs.dtype != ours.dtype:
        return f"{where}: an array {ours.dtype}{ours.shape}, not {theirs.dtype}{theirs.shape}"
    kind, share = agreement
    if theirs.dtype.kind != "f" or kind == "equal":
        same = np.array_equal(theirs, ours, equal_nan=theirs.dtype.kind == "f")
        return None if same else f"{where}: {_excerpt(ours)}, not {_excerpt(theirs)}"
    sizes = np.maximum(np.abs(theirs), np.abs(ours))
    largest = np.max(sizes, initial=0.0, where=np.isfinite(sizes))
    allowed = share * (max(largest, NOTHING) if kind == "close" else sizes)
    with np.errstate(invalid="ignore"):  # equal infinities
        same = (theirs == ours) | (np.abs(theirs - ours) <= allowed) | (np.isnan(theirs) & np.isnan(ours))
    if same.all():
        return None
    return f"{where}: {_excerpt(ours)}, not {_excerpt(theirs)}; {np.mean(~same):.0%} beyond {kind} {share:g}"


def _excerpt(array: np.ndarray) -> str:
    return np.array2string(array.reshape(-1)[:6], precision=6, max_line_width=200)
