"""Conversion of LightGBM models, whose text format the library reads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .._binding.errors import ModelError
from .._model.booster import Booster
from .._public import public


@public("kauriboost.forests")
def from_lightgbm(model: Any) -> Booster:
    """Convert a LightGBM model to one of ours, which can be predicted, explained, saved and drawn like any other.

    Rows are float32 here, and LightGBM compares them as float64: values above a threshold take the same branch as in
    LightGBM unless they round to the same float32. Names of categories are converted, and rows are matched by name. A
    level unknown to the model is treated as in models that were trained here. LightGBM replaces each space in a
    column's name by an underscore; set ``feature_names`` of the result to the names of the data. Objectives without a
    link, whose predictions are sums of leaves, become ``reg:squarederror``.

    Parameters
    ----------
    model
        A ``lightgbm.Booster``, a fitted estimator of LightGBM, or the path of a file that it saved.

    Raises
    ------
    ModelError
        Linear leaves, ``zero_as_missing``, an unknown objective, names of categories whose columns are ambiguous in the
        file, or a text that is not a model.
    """
    text = _text_of(model)
    if not text.startswith((b"tree\n", b"tree\r\n")):
        raise ModelError(f"this is no model of LightGBM: its text begins with {text[:20]!r} instead of a line 'tree'.")
    return Booster(model_file=bytearray(text))


def _text_of(model: Any) -> bytes:
    if isinstance(model, (str, os.PathLike)):
        return Path(model).read_bytes()
    booster = getattr(model, "booster_", model)
    if not hasattr(booster, "model_to_string"):
        raise ModelError(
            f"a {type(model).__name__} is no model of LightGBM. Give its Booster, a fitted estimator of it, or the "
            "path of a file that it saved."
        )
    return str(booster.model_to_string()).encode()
