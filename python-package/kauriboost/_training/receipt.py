"""Receipts: data checksums and parameters of a model, so that anyone can retrain it and compare bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._binding.calls import call_strings
from .._binding.errors import DataError
from .._binding.library import LIB, check
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._public import described, public


@public("kauriboost.training")
@dataclass(frozen=True, repr=False)
class Verification:
    """The result of `verify`; true if the receipt holds.

    Attributes
    ----------
    holds
        Whether the rows match the receipt and training on them reproduced the model's bytes.
    differences
        Descriptions of the mismatches.
    """

    holds: bool
    differences: list[str]

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return described(self, holds=self.holds, differences=self.differences)


def add_receipt(model: Any, data: DMatrix) -> None:
    """Add a receipt to a model and its files: checksums of its data, its parameters and its bytes.

    This trains the model once more as a proof. A model that cannot be reproduced gets no receipt.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`, trained in this process, because model files do not
        contain the parameters.
    data
        The training rows, with labels, weights and all other fields used in training.

    Raises
    ------
    ModelError
        Training again gives another model. This happens if the model was loaded, continued or changed by callbacks, has
        a custom objective, or was trained on other rows, for example because the estimator holds out some rows.
    """
    check(LIB.KauriBoosterAddReceipt(_booster_of(model).handle, _matrix(data).handle))


def verify(model: Any, data: DMatrix) -> Verification:
    """Retrain a model from its receipt, on any machine, and compare bytes.

    Parameters
    ----------
    model
        A Booster, or an estimator of `kauriboost.sklearn`, with a receipt from `add_receipt`.
    data
        The training rows, with labels, weights and all other fields used in training.

    Raises
    ------
    ModelError
        There is no receipt, or it is damaged.
    """
    differences = call_strings(LIB.KauriBoosterVerify, _booster_of(model).handle, _matrix(data).handle)
    return Verification(not differences, differences)


def _booster_of(model: Any) -> Booster:
    booster: Booster = model if isinstance(model, Booster) else model.get_booster()
    return booster


def _matrix(data: DMatrix) -> DMatrix:
    if not isinstance(data, DMatrix):
        raise DataError(f"a receipt needs a DMatrix with its labels, got {type(data).__name__}; make one.")
    return data
