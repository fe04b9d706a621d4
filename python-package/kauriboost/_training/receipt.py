"""Receipts: what a model was learnt from and how, so that anyone with the data can learn it again and compare bytes."""

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
    """What `verify` found; true where the receipt holds.

    Attributes
    ----------
    holds
        Whether the rows are those of the receipt, and learning from them gave the model's bytes.
    differences
        What does not hold, in words.
    """

    holds: bool
    differences: list[str]

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return described(self, holds=self.holds, differences=self.differences)


def add_receipt(model: Any, data: DMatrix) -> None:
    """Give a model a receipt, which its files keep: checksums of its data, its parameters and its bytes.

    It takes one more training, which proves the receipt: a model that cannot be learnt again gets none.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`, as it was trained in this process: files of models do
        not have the parameters.
    data
        The rows that it was learnt from, with labels, weights and whatever else went into the training.

    Raises
    ------
    ModelError
        Learning again gives another model: this one was loaded, continued or changed by callbacks, has an objective of
        the user's own, or was learnt from other rows, as where an estimator holds some out.
    """
    check(LIB.KauriBoosterAddReceipt(_booster_of(model).handle, _matrix(data).handle))


def verify(model: Any, data: DMatrix) -> Verification:
    """Learn a model again by its receipt, on whatever machine, and compare bytes.

    Parameters
    ----------
    model
        A Booster, or an estimator of `kauriboost.sklearn`, that `add_receipt` gave a receipt.
    data
        The rows that it was learnt from, with labels, weights and whatever else went into the training.

    Raises
    ------
    ModelError
        There is no receipt, or one that is damaged.
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
