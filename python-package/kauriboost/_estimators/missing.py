"""The value for missing data of an estimator and of its model."""

from __future__ import annotations

import math

from .._data.matrix import missing_value
from .._model.booster import Booster
from .._model.missing import ATTRIBUTE, missing_as_text, missing_of
from .._training.callback import TrainingCallback


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
        model.set_attr(**{ATTRIBUTE: missing_as_text(self._missing)})
        return model


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
