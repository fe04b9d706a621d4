"""The objective and the labels of a classifier, without scikit-learn, which takes a second to load."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.numbers import as_numeric


def set_objective(params: dict[str, Any], n_classes: int, is_multilabel: bool) -> None:
    """Choose an objective that fits the number of classes. Raises ValueError if the given one fits no labels."""
    objective = params.get("objective", "binary:logistic")
    is_multi = objective.startswith("multi:")
    if is_multi and is_multilabel:
        raise ValueError(f"the objective {objective} takes one class per row, not a table of labels.")
    if n_classes > 2 and not is_multi:
        objective, is_multi = "multi:softprob", True
    params["objective"] = objective
    if is_multi:
        params["num_class"] = max(n_classes, 2)


def label_table(y: Any) -> np.ndarray:
    """Return a table of labels. Raises ValueError for values other than 0, 1 and NaN."""
    table = as_numeric(y, "y")
    wrong = (table != 0) & (table != 1) & ~np.isnan(table)
    if wrong.any():
        raise ValueError(
            f"a table of labels holds {table[wrong][0]}; expected 1 (the row has the label), 0 (it has not) or "
            "NaN (not known)."
        )
    return table
