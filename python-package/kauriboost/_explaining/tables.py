"""Explanations as tables of their strongest features, for notebooks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._markup.markup import Markup, html_of, joined, paragraph, table

_MOST_FEATURES = 10
_MOST_OUTPUTS = 6


def table_of(explanation: Any) -> str:
    """Return HTML: a row's values, means of absolute values for several rows, or only a line for pairs."""
    about = paragraph(repr(explanation))
    values = np.asarray(explanation.values)
    n_axes = values.ndim - (explanation.output_names is not None)
    is_mean = not hasattr(explanation, "base_values")
    is_row = not is_mean and n_axes == 1
    if n_axes != (1 if is_mean or is_row else 2):
        return html_of(about)
    shown = values if is_mean or is_row else np.abs(values).mean(axis=0)
    outputs = [] if explanation.output_names is None else explanation.output_names[:_MOST_OUTPUTS]
    columns = shown[:, : len(outputs)] if outputs else shown[:, None]
    what = "value" if is_row else "mean |value|"
    head = ["feature", *(f"{what}, {name}" for name in outputs)] if outputs else ["feature", what]
    return joined([about, _lines(head, explanation.feature_names, columns)]).text


def _lines(head: list[str], names: list[str], columns: np.ndarray) -> Markup:
    order = np.argsort(-np.abs(columns).sum(axis=1), kind="stable")[:_MOST_FEATURES]
    return table(head, [[names[feature], *(f"{value:.4g}" for value in columns[feature])] for feature in order])
