"""The value for missing data, stored as an attribute of the booster, so a loaded model treats rows alike."""

from __future__ import annotations

import math

from .._binding.errors import ModelError
from .._data.matrix import missing_value
from .booster import Booster

ATTRIBUTE = "kauri_missing"


def missing_as_text(missing: float | None) -> str | None:
    """Return the attribute for a value that means "missing"; None for NaN, which always does."""
    value = missing_value(missing)
    return None if math.isnan(value) else repr(value)


def missing_of(booster: Booster) -> float | None:
    """Return the value besides NaN that means "missing" in a booster's training rows; None if unknown.

    Raises ModelError if the attribute is damaged.
    """
    text = booster.attr(ATTRIBUTE)
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise ModelError(
            f"the model's attribute {ATTRIBUTE} is {text[:80]!r}, which is no number; delete it, as by "
            f"Booster.set_attr({ATTRIBUTE}=None), to take NaN alone as missing."
        ) from None
