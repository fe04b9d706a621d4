"""The value for missing data, stored as an attribute of the booster, so a loaded model treats rows alike."""

from __future__ import annotations

import math

from .._binding.errors import ModelError
from .._data.matrix import missing_value
from .._model.booster import Booster
from .._training.callback import TrainingCallback

ATTRIBUTE = "kauri_missing"


class MissingCallback(TrainingCallback):
    """Stores the value for missing data in the model before the first round, so that checkpoints contain it.

    Parameters
    ----------
    missing
        The estimator's parameter.
    """

    def __init__(self, missing: float | None) -> None:
        self._missing = missing_value(missing)

    def before_training(self, model: Booster) -> Booster:
        """Set the attribute. Raises ValueError if the model to continue was trained with another value."""
        known = missing_of(model)
        if known is not None and not _same(known, self._missing):
            raise ValueError(
                f"the model to go on with was trained with missing={known:g}, and the estimator has "
                f"missing={self._missing:g}; pass missing={known:g}."
            )
        model.set_attr(**{ATTRIBUTE: None if math.isnan(self._missing) else repr(self._missing)})
        return model


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


def missing_to_take(booster: Booster, missing: float | None) -> float | None:
    """Return the value of `missing` for an estimator that has loaded a booster.

    Raises ValueError if the estimator has another value than the booster.
    """
    known = missing_of(booster)
    if known is None or _same(known, missing_value(missing)):
        return missing
    if not math.isnan(missing_value(missing)):
        raise ValueError(
            f"the model was trained with missing={known:g}, and the estimator has missing={missing:g}; leave it out, "
            "or set it after loading to the value that the rows have."
        )
    return known


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))
