"""Explanations of any function of rows, and of any game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._binding.game_calls import Estimate, call_explain_function, call_shapley
from .._binding.text import config
from .._training.progress import bar_of
from .explanation import Explanation
from .hybrid_rows import ArrayRows, FrameRows, players_of, rows_of
from .orders import integer

INEXACT = ("owen", "owen_halved", "stratified")  # methods whose values do not add up

_MOST_PLAYERS = 1 << 20  # the library's limit, checked before allocating names and tables


def sampling(
    method: str, n_orders: int | None, max_evals: int | None, tolerance: float | None, seed: int
) -> dict[str, Any]:
    """Return the settings of sampling for a configuration."""
    settings: dict[str, Any] = {"method": method, "seed": integer("seed", seed, 0)}
    for name, value in {"n_orders": n_orders, "max_evals": max_evals}.items():
        if value is not None:
            settings[name] = integer(name, value, 1)
    if tolerance is not None:
        if not tolerance > 0:
            raise ParameterError(f"tolerance is {tolerance!r}; expected a number above 0, or None.")
        settings["tolerance"] = float(tolerance)
    return settings


def _checked(returned: Any, n: int, n_outputs: int | None, who: str) -> np.ndarray:
    """Return the result of the caller's function as ``[n, n_outputs]``; any number of outputs if that is None."""
    values = np.asarray(returned, dtype=np.float64)
    table = values.reshape(n, 1) if values.shape == (n,) else values
    if table.ndim == 2 and len(table) == n and table.shape[1] > 0 and n_outputs in (None, table.shape[1]):
        return table
    outputs = "k" if n_outputs is None else n_outputs
    expected = f"({n},)" if n_outputs == 1 else f"({n}, {outputs})" if n_outputs else f"({n},) or ({n}, k)"
    raise DataError(f"{who} returned shape {values.shape}; expected {expected}.")


def _of_rows(
    predict: Callable[[Any], Any], table: ArrayRows | FrameRows, shape: tuple[int, int], settings: bytes, progress: bool
) -> Estimate:
    """Return the values; with `progress` row by row, with the same result."""

    def function(hybrid: np.ndarray) -> np.ndarray:
        return _checked(predict(table.decoded(hybrid)), len(hybrid), shape[1], "predict")

    rows, background = table.rows, table.background
    if not progress or len(rows) == 0:
        return call_explain_function(function, rows, background, shape, settings)
    bar: Any = bar_of(len(rows))  # callbacks get no model
    bar.before_training(None)
    parts = []
    for row in range(len(rows)):
        parts.append(call_explain_function(function, rows[row : row + 1], background, shape, settings))
        bar.after_iteration(None, row, {})
    bar.after_training(None)
    most = max(parts, key=lambda part: int(part.n_evals[0]))
    joined = (np.concatenate([part[i] for part in parts]) for i in (0, 1, 3))
    values, errors, n_evals = joined
    return Estimate(values, errors, parts[0].base, n_evals, most.method)


def explain_function(
    predict: Callable[[Any], Any],
    X: Any,
    background: Any,
    *,
    method: str = "auto",
    n_orders: int | None = None,
    max_evals: int | None = None,
    tolerance: float | None = None,
    groups: dict[str, Sequence[str | int]] | Sequence[Sequence[str | int]] | None = None,
    output_names: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    batch_rows: int = 65536,
    seed: int = 0,
    progress: bool = False,
) -> Explanation:
    """Explain the outputs of any function of rows: a pipeline, a model of another library, a service.

    The worth of a set of features is the mean of the function over the background, with these features taken from the
    explained row. A feature's value is its average contribution to such sets (Shapley value). Memory is needed for the
    result and one batch of rows.

    Parameters
    ----------
    predict
        Takes rows as in X and returns ``[n]`` or ``[n, n_outputs]`` finite numbers. Its exceptions are passed on.
    X
        The rows: an array, passed to `predict` as float64, or a pandas data frame, which keeps its columns and types.
    background
        Rows to compare with, of the same kind: a few hundred of the training data. Time is proportional to their
        number.
    method
        ``"exact"``: all sets. ``"orthogonal"``, ``"antithetic"``, ``"mc"``, ``"sobol"``, ``"herding"``, ``"sbq"``:
        orders in which features join, see `sample_orders`. ``"owen"``, ``"owen_halved"``, ``"stratified"``: other
        estimators, whose values do not add up exactly. ``"auto"``: exact if that needs no more sets than orders would;
        otherwise ``"sbq"`` or ``"herding"`` for up to 16 features, and ``"orthogonal"`` for more.
    n_orders
        Number of orders; with d features each needs d - 1 sets. By default the number that `max_evals` allows, or else
        max(10, 2 (d - 1)).
    max_evals
        Maximum number of sets evaluated per row, each on all rows of the background.
    tolerance
        Add orders until every standard error is at most this share of the range of the row's values, or up to 20 times
        the default number of orders. For ``"auto"``, ``"orthogonal"``, ``"antithetic"``, ``"mc"`` and ``"sobol"``.
    groups
        Columns that join together, such as the indicators of one category: lists of names or numbers, or a dict of such
        lists by name. Columns in no group are on their own.
    output_names
        Names of the outputs, if there are several; by default numbers.
    feature_names
        Names of the columns of an array.
    batch_rows
        Maximum number of rows per call of `predict`.
    seed
        Selects the orders. A row's values do not depend on the other rows.
    progress
        Show the progress on standard error.

    Returns
    -------
    Explanation
        With `std_error`, `n_evals` and `method`.

    Raises
    ------
    ParameterError
        An unknown method, or one that the budget does not allow; groups that do not match the columns.
    DataError
        Tables with different columns; results of a wrong shape, or not finite.
    """
    table = rows_of(X, background)
    if len(table.background) == 0:
        raise DataError("the background has 0 rows; pass at least one to compare with.")
    columns = list(table.names() if feature_names is None else feature_names)
    if len(columns) != table.rows.shape[1]:
        raise ParameterError(f"feature_names has {len(columns)} names, X {table.rows.shape[1]} columns; give one each.")
    names, players = players_of(groups, columns)
    settings = config(
        **sampling(method, n_orders, max_evals, tolerance, seed),
        n_outputs=(n_outputs := _outputs_of(predict, table)),
        players=players,
        batch_rows=integer("batch_rows", batch_rows, 1),
    )
    outputs = _output_names(output_names, n_outputs)
    found = _of_rows(predict, table, (len(players), n_outputs), settings, progress)
    single = outputs is None
    base = np.tile(found.base, (len(table.rows), 1))
    data = [table.data[:, which[0]] if len(which) == 1 else np.full(len(table.data), np.nan) for which in players]
    return Explanation(
        found.values[..., 0] if single else found.values,
        base[:, 0] if single else base,
        np.column_stack(data) if data else np.zeros((len(table.rows), 0)),
        names,
        outputs,
        adds_up=found.method not in INEXACT,
        categories={name: table.categories[name] for name in names if name in table.categories},
        std_error=found.errors[..., 0] if single else found.errors,
        n_evals=found.n_evals,
        method=found.method,
        explains="output",
        without_value=[name for name, which in zip(names, players) if len(which) > 1],
    )


def _outputs_of(predict: Callable[[Any], Any], table: ArrayRows | FrameRows) -> int:
    first = table.decoded(table.background[:1].copy())
    return int(_checked(predict(first), 1, None, "predict").shape[1])


def _output_names(names: Sequence[Any] | None, n_outputs: int) -> list[Any] | None:
    if names is not None and len(names) != n_outputs:
        raise ParameterError(f"output_names has {len(names)} names, there are {n_outputs} outputs; give one each.")
    return None if n_outputs == 1 else list(range(n_outputs)) if names is None else list(names)


def shapley_values(
    game: Callable[[np.ndarray], Any],
    n_players: int,
    *,
    n_outputs: int = 1,
    method: str = "auto",
    n_orders: int | None = None,
    max_evals: int | None = None,
    tolerance: float | None = None,
    player_names: Sequence[str] | None = None,
    output_names: Sequence[Any] | None = None,
    seed: int = 0,
) -> Explanation:
    """Return the Shapley values of any game, for example of image tiles, data sources, or rows of a training set.

    Parameters
    ----------
    game
        Takes coalitions, bool ``[n, n_players]``, and returns the worth of each: ``[n]``, or ``[n, n_outputs]``. Its
        exceptions are passed on.
    n_players, n_outputs
        Number of players, and number of outputs of a coalition's worth.
    method, n_orders, max_evals, tolerance, seed
        As for `explain_function`.
    player_names, output_names
        Names of players and outputs; by default p0, p1, .. and numbers.

    Returns
    -------
    Explanation
        Without the axis of rows: values ``[n_players]``, or ``[n_players, n_outputs]``.
    """
    d = integer("n_players", n_players, 1)
    k = integer("n_outputs", n_outputs, 1)
    if d > _MOST_PLAYERS:
        raise ParameterError(f"n_players is {d}; expected 1 to {_MOST_PLAYERS}.")
    names = [f"p{i}" for i in range(d)] if player_names is None else list(player_names)
    if len(names) != d:
        raise ParameterError(f"player_names has {len(names)} names, there are {d} players; give one each.")
    outputs = _output_names(output_names, k)
    settings = config(**sampling(method, n_orders, max_evals, tolerance, seed), n_outputs=k)
    found = call_shapley(lambda masks: _checked(game(masks), len(masks), k, "game"), d, k, settings)
    single = outputs is None
    return Explanation(
        found.values[:, 0] if single else found.values,
        found.base[0] if single else found.base,
        np.full(d, np.nan),
        names,
        outputs,
        adds_up=found.method not in INEXACT,
        std_error=found.errors[:, 0] if single else found.errors,
        n_evals=found.n_evals[0],
        method=found.method,
        explains="worth",
        without_value=names,
    )
