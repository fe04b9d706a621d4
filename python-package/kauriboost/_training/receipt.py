"""Receipts: what a model was learnt from and how, so that anyone with the data can learn it again and compare bytes.

A receipt is the attribute `kauri_receipt` of a model: a SHA-256 of each part of the data, the parameters, the number of
rounds, and a SHA-256 of the model without its attributes. It is written only after a second training gave the same
model.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import DataError, ModelError
from .._binding.matrix_calls import rows_as_csr
from .._binding.process import VERSION
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._public import described, public
from .train import train

ATTRIBUTE = "kauri_receipt"
_FIELDS = ("label", "weight", "base_margin", "label_lower_bound", "label_upper_bound", "feature_weights")
_WHERE_NOT_WHAT = ("device", "nthread", "n_jobs", "verbosity", "validate_parameters")  # no model depends on them


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
    booster = _booster_of(model)
    params = _params_of(booster)
    rounds = booster.num_boosted_rounds()
    digest = _digest_of_model(booster)
    if rounds == 0 or _digest_of_model(_again(params, data, rounds)) != digest:
        raise ModelError(
            f"learning {rounds} rounds from these rows with the parameters {params} gives another model; give a "
            "receipt right after one training with built-in objectives, and the rows that it was learnt from."
        )
    kept = {"data": _digests_of_data(data), "params": params, "rounds": rounds, "model": digest, "kauri": VERSION}
    booster.set_attr(**{ATTRIBUTE: json.dumps(kept)})


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
    booster = _booster_of(model)
    receipt = _receipt_of(booster)
    found = _digests_of_data(data)
    differences = [f"the {name} of the data differ" for name in receipt["data"] if found[name] != receipt["data"][name]]
    if _digest_of_model(booster) != receipt["model"]:
        differences.append("the model was changed after its receipt")
    if not differences:
        again = _again(receipt["params"], data, receipt["rounds"])
        if _digest_of_model(again) != receipt["model"]:
            differences.append(f"learning again gives another model, by Kauri {VERSION} and not {receipt['kauri']}")
    return Verification(not differences, differences)


def _booster_of(model: Any) -> Booster:
    booster: Booster = model if isinstance(model, Booster) else model.get_booster()
    return booster


def _params_of(booster: Booster) -> dict[str, Any]:
    """Return the parameters that were given and that models depend on, with the metrics left out."""
    learner = json.loads(booster.save_config())["learner"]
    return {name: value for name, value in learner["user_params"].items() if name not in _WHERE_NOT_WHAT}


def _again(params: dict[str, Any], data: DMatrix, rounds: int) -> Booster:
    return train(params, data, rounds, verbose_eval=False)


def _digest_of_model(booster: Booster) -> str:
    """Return a checksum of all but the attributes, which say nothing of what is predicted."""
    document = json.loads(bytes(booster.save_raw("json")))
    document["learner"]["attributes"] = {}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _digests_of_data(data: DMatrix) -> dict[str, str]:
    """Return a checksum of each part, which no layout of the rows in memory changes."""
    if not isinstance(data, DMatrix):
        raise DataError(f"a receipt is of a DMatrix with its labels, not of {type(data).__name__}; make one.")
    begins, columns, values = rows_as_csr(data.handle, data.num_row(), data.num_nonmissing())
    cells = [begins.astype("<i8"), columns.astype("<i8"), values.astype("<f4") + np.float32(0)]  # -0 is 0
    names = data.feature_names or [f"f{column}" for column in range(data.num_col())]
    about = [data.feature_names, _types(data), data._categories_by(names)]
    parts = {
        "features": [np.array([data.num_row(), data.num_col()], "<i8"), *cells],
        "names and types": [np.frombuffer(json.dumps(about).encode(), np.uint8)],
        "query groups": [data.get_uint_info("group_ptr").astype("<i8")],
        **{f"values of {name}": [data.get_float_info(name).astype("<f4")] for name in _FIELDS},
    }
    return {name: _digest(arrays) for name, arrays in parts.items()}


def _types(data: DMatrix) -> list[str]:
    """Return whether columns are numbers or categories; all numbers where none is declared."""
    return ["c" if kind == "c" else "q" for kind in data.feature_types or [""] * data.num_col()]


def _digest(arrays: list[np.ndarray]) -> str:
    total = hashlib.sha256()
    for array in arrays:
        total.update(str(array.shape).encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def _receipt_of(booster: Booster) -> dict[str, Any]:
    text = booster.attr(ATTRIBUTE)
    if text is None:
        raise ModelError("the model has no receipt; give it one after training: kauriboost.add_receipt(model, data).")
    try:
        receipt = json.loads(text)
        is_whole = (
            set(receipt["data"]) == set(_digests_of_data(DMatrix(np.zeros((1, 1), np.float32))))
            and isinstance(receipt["params"], dict)
            and isinstance(receipt["rounds"], int)
            and all(isinstance(receipt[name], str) for name in ("model", "kauri"))
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise _damaged() from error
    if not is_whole or receipt["rounds"] != booster.num_boosted_rounds():
        raise _damaged()
    return dict(receipt)


def _damaged() -> ModelError:
    return ModelError(f"the model's attribute {ATTRIBUTE} is damaged, or of other rounds; add_receipt again.")
