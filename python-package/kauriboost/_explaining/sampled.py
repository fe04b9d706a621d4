"""Explanations of the library's models by sampled coalitions, on the scale of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._binding.game_calls import call_explain_sampled
from .._data.tables import columns_of
from .explain_any import INEXACT, sampling
from .explanation import Explanation
from .hybrid_rows import players_of
from .subject import Subject


@dataclass(frozen=True)
class Sampling:
    """The arguments of `explain` that require sampling."""

    output: str
    method: str
    n_orders: int | None
    max_evals: int | None
    tolerance: float | None
    groups: Any
    seed: int

    def are_made(self) -> bool:
        """Return whether values are sampled. Raises ParameterError for an unknown output."""
        if self.output not in ("margin", "value", "loss"):
            raise ParameterError(f"output is {self.output!r}; expected 'margin', 'value' or 'loss'.")
        chosen = (self.n_orders, self.max_evals, self.tolerance, self.groups)
        return self.output != "margin" or self.method != "auto" or any(choice is not None for choice in chosen)

    def settings(self) -> dict[str, Any]:
        """Return the settings of sampling for a configuration."""
        return sampling(self.method, self.n_orders, self.max_evals, self.tolerance, self.seed)


def explain_sampled(
    model: Subject, X: Any, y: Any, background: Any, choices: Sampling, feature_names: Sequence[str] | None
) -> Explanation:
    """Return the explanation as described in `explain`."""
    if background is None:
        raise ParameterError(f"output={choices.output!r} and sampled values need a background; pass some rows.")
    matrix, against = model.labelled(X, y), model.rows(background)
    names = model.names(feature_names, matrix)
    players, features = players_of(choices.groups, names)
    settings = model.settings(output=choices.output, players=features, **choices.settings())
    handles = (model.booster.handle, matrix.handle, against.handle)
    found = call_explain_sampled(*handles, matrix.num_row(), settings)
    outputs = None if choices.output == "loss" else model.output_names(found.values.shape[-1])
    table = columns_of(matrix, list(range(len(names))))
    data = [table[:, which[0]] if len(which) == 1 else np.full(len(table), np.nan, np.float32) for which in features]
    categories = matrix._categories_by(names)
    return Explanation(
        found.values[..., 0] if outputs is None else found.values,
        found.base[..., 0] if outputs is None else found.base,
        np.column_stack(data),
        players,
        outputs,
        adds_up=found.method not in INEXACT,
        categories={name: categories[name] for name in players if name in categories},
        std_error=found.errors[..., 0] if outputs is None else found.errors,
        n_evals=found.n_evals,
        method=found.method,
        explains=choices.output,
        without_value=[name for name, which in zip(players, features) if len(which) > 1],
        **model.meaning(outputs),
    )
