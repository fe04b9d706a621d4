"""Explanations of predictions: rows, batches of rows, whole data sets, and pairs of features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._binding.library import LIB
from .._binding.model_calls import call_result, call_sparse
from .._data.matrix import DMatrix
from .._data.tables import columns_of
from .explanation import Explanation, GlobalImportance, SparseInteractions
from .sampled import Sampling, explain_sampled
from .subject import Subject, feature_numbers, subject_of

_TYPES = {"shapley": 2, "approximate": 3, "interactions": 4, "banzhaf": 100, "taylor": 101, "banzhaf interactions": 102}


def _kind(values: str, interactions: bool, approximate: bool) -> str:
    """Return the key of `_TYPES`. Raises ParameterError for incompatible arguments."""
    if values not in ("shapley", "banzhaf", "taylor"):
        raise ParameterError(f"values is {values!r}; expected 'shapley', 'banzhaf' or 'taylor'.")
    if interactions and approximate:
        raise ParameterError("interactions and approximate are both true; there is no approximation of interactions.")
    if approximate and values != "shapley":
        raise ParameterError(f"approximate is true, but only Shapley values are approximated, not {values}.")
    if values != "shapley":
        return "banzhaf interactions" if interactions and values == "banzhaf" else values
    return "approximate" if approximate else "interactions" if interactions else "shapley"


def _shown(kind: str) -> str:
    """Return the kind of an explanation."""
    return {"interactions": "shapley", "banzhaf interactions": "banzhaf"}.get(kind, kind)


def _values(
    model: Subject, matrix: DMatrix, background: DMatrix | None, kind: str, features: list[int], reduce: str
) -> np.ndarray:
    """Return the values with the axis of outputs last."""
    settings = model.settings(type=_TYPES[kind], strict_shape=True, features=features, reduce=reduce)
    against = None if background is None else background.handle
    values = call_result(LIB.KauriBoosterExplain, model.booster.handle, matrix.handle, against, settings)
    return np.moveaxis(values, 1 if reduce == "none" else 0, -1)


def explain(
    model: Any,
    X: Any,
    *,
    values: str = "shapley",
    interactions: bool = False,
    approximate: bool = False,
    background: Any = None,
    features: Sequence[str | int] | None = None,
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
    output: str = "margin",
    y: Any = None,
    method: str = "auto",
    n_orders: int | None = None,
    max_evals: int | None = None,
    tolerance: float | None = None,
    groups: dict[str, Sequence[str | int]] | Sequence[Sequence[str | int]] | None = None,
    seed: int = 0,
) -> Explanation:
    """Explain the predictions for rows by SHAP values, which are exact unless `approximate` or sampled.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`. The parameters ``device`` and ``shap_method`` select
        where and how the values are computed.
    X
        The rows: a DMatrix, or data to make one from.
    values
        ``"shapley"``; ``"banzhaf"``: a feature's mean effect over all sets of other features, which need not add up to
        the margin; ``"taylor"``: Shapley-Taylor interactions of pairs, with the effect of a single feature on the
        diagonal.
    interactions
        Explain pairs of features: `n_features` times as many numbers. Each cell is half of a pair's interaction, and
        the cells of a row add up to the value of its feature.
    approximate
        Use the faster, approximate method instead.
    background
        Rows to compare with. A feature outside a coalition then takes its values from these rows (interventional
        values and interactions), instead of from the distribution of the training data. All rows count equally: their
        weights and base margins are not used. There is no approximation against a background.
    features
        Return the values of these features only, given by name or number. Memory is then needed only for them.
    feature_names
        Names of the features; by default those of the model or the data frame, else f0, f1, ...
    iteration_range
        Rounds [begin, end) to explain; an end of 0 means all. By default all rounds, or for an estimator after early
        stopping the rounds up to the best one.
    output
        The explained quantity: ``"margin"``, the sum of trees; ``"value"``, the prediction, such as a probability or
        count; ``"loss"``, the loss of each row by the objective's metric, which shows how useful a feature is.
        ``"value"`` and ``"loss"`` need a background, and are estimated from sets of features (see `explain_function`).
        Margins are also estimated if `method` names a sampling method, or with `groups`.
    y
        The labels, for ``"loss"``; by default the labels of the DMatrix.
    method, n_orders, max_evals, tolerance, groups, seed
        As for `explain_function`.

    Raises
    ------
    ParameterError
        Names or features that do not fit the model; incompatible arguments.
    DataError
        Rows that do not fit the model; no labels for ``"loss"``.
    """
    kind = _kind(values, interactions, approximate)
    choices = Sampling(output, method, n_orders, max_evals, tolerance, groups, seed)
    if choices.are_made():
        if kind != "shapley" or features is not None:
            raise ParameterError(
                "sampled explanations are Shapley values of all features; leave out the other choices."
            )
        return explain_sampled(subject_of(model, iteration_range), X, y, background, choices, feature_names)
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    against = None if background is None else asked.rows(background)
    names = asked.names(feature_names, matrix)
    chosen = feature_numbers(features, names)
    all_values = _values(asked, matrix, against, kind, chosen, "none")
    adds_up = _shown(kind) != "banzhaf" and not chosen
    chosen = chosen or list(range(len(names)))
    shown = [names[feature] for feature in chosen]
    if all_values.ndim == 3:
        base_values, of_features = all_values[:, -1], all_values[:, :-1]
    else:
        base_values, of_features = all_values[:, -1, -1], all_values[:, :-1, :-1]
    output_names = asked.output_names(all_values.shape[-1])
    if output_names is None:
        base_values, of_features = base_values[..., 0], of_features[..., 0]
    return Explanation(
        of_features,
        base_values,
        columns_of(matrix, chosen),
        shown,
        output_names,
        _shown(kind),
        adds_up,
        {name: categories for name, categories in matrix._categories_by(names).items() if name in shown},
        **asked.meaning(output_names),
    )


def explain_batches(model: Any, batches: Iterable[Any], *, background: Any = None, **how: Any) -> Iterator[Explanation]:
    """Explain rows that come in batches, lazily, in the memory of one batch and its explanation.

    The values are bit for bit the same as from a single call with all rows.

    Parameters
    ----------
    model
        As for `explain`.
    batches
        Batches of rows, of any kind that `explain` takes.
    background, **how
        As for `explain`.

    Yields
    ------
    Explanation
        The explanation of each batch.
    """
    if background is not None:
        background = subject_of(model, None).rows(background)
    for batch in batches:
        explanation = explain(model, batch, background=background, **how)
        del batch  # otherwise it would live until the next batch has arrived
        yield explanation
        del explanation


def global_importance(
    model: Any,
    X: Any,
    *,
    values: str = "shapley",
    interactions: bool = False,
    approximate: bool = False,
    background: Any = None,
    features: Sequence[str | int] | None = None,
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> GlobalImportance:
    """Return the mean over rows of the absolute SHAP values, in the memory of one tile of rows.

    The numbers are the same as from `explain`, but not all values are in memory at once. Means are summed in float64 in
    the order of the rows.

    Parameters
    ----------
    model, X, values, interactions, approximate, background, features, feature_names, iteration_range
        As for `explain`; at least one row.
    """
    kind = _kind(values, interactions, approximate)
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    against = None if background is None else asked.rows(background)
    names = asked.names(feature_names, matrix)
    chosen = feature_numbers(features, names)
    means = _values(asked, matrix, against, kind, chosen, "mean_abs")
    means = means[:-1] if means.ndim == 2 else means[:-1, :-1]
    output_names = asked.output_names(means.shape[-1])
    return GlobalImportance(
        means[..., 0] if output_names is None else means,
        [names[feature] for feature in chosen or range(len(names))],
        output_names,
        _shown(kind),
    )


def sparse_interactions(
    model: Any,
    X: Any,
    *,
    top_k: int | None = None,
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> SparseInteractions:
    """Explain pairs of features without the pairs that are zero for every row.

    Parameters
    ----------
    model, X, feature_names, iteration_range
        As for `explain`.
    top_k
        Return only this number of pairs of different features per row and output, strongest first. By default all cells
        of the upper triangle are returned, including the diagonal and the bias.
    """
    if top_k is not None and top_k < 1:
        raise ParameterError(f"top_k is {top_k}; expected at least 1, or None for all.")
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    names = asked.names(feature_names, matrix)
    settings = asked.settings(top_k=int(top_k or 0))
    cells = call_sparse(asked.booster.handle, matrix.handle, matrix.num_row(), settings)
    return SparseInteractions(
        cells.begin, cells.first, cells.second, cells.values, names, asked.output_names(cells.n_outputs)
    )
