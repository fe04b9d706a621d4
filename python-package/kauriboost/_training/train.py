"""The training loop."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from .._collective.collective import Collective
from .._data.matrix import DMatrix
from .._data.numbers import whole_number
from .._model.booster import Booster, Objective
from .._model.metrics import CustomMetric
from .._model.params import ParamsOrPairs
from .callback import EvalsLog, TrainingCallback
from .callbacks import EarlyStopping
from .progress import can_draw, display
from .training import Plan, Training

Evals = Sequence[tuple[DMatrix, str]]  # pairs may be lists of two


def _checked(evals: Evals) -> list[tuple[DMatrix, str]]:
    if isinstance(evals, DMatrix) or not isinstance(evals, Iterable):
        raise TypeError(
            f'evals must be (DMatrix, name) pairs. It is a {type(evals).__name__}; pass evals=[(matrix, "name")].'
        )
    for entry in evals:
        is_pair = isinstance(entry, (tuple, list)) and len(entry) == 2
        if not (is_pair and isinstance(entry[0], DMatrix) and isinstance(entry[1], str)):
            raise TypeError('evals must be (DMatrix, name) pairs. Pass a list of them: evals=[(matrix, "name")].')
        if any(char in entry[1] for char in "-:\t\r\n"):
            raise ValueError(f"the name {entry[1]!r} of an evaluation set holds '-', ':' or a white space; rename it.")
    return [(data, name) for data, name in evals]


def _display(
    n_rounds: int, evals: Evals, verbose_eval: bool | int | None, progress_bar: bool | None
) -> list[TrainingCallback]:
    """Return callbacks that show progress: a bar on a terminal or in a notebook, else a line per round, or nothing."""
    wanted = verbose_eval is True and can_draw() if progress_bar is None else progress_bar
    return display(n_rounds, wanted, int(verbose_eval or 0) if evals else 0)


def train(
    params: ParamsOrPairs,
    dtrain: DMatrix,
    num_boost_round: int = 10,
    *,
    evals: Evals | None = None,
    obj: Objective | None = None,
    maximize: bool | None = None,
    early_stopping_rounds: int | None = None,
    evals_result: EvalsLog | None = None,
    verbose_eval: bool | int | None = True,
    xgb_model: str | os.PathLike[str] | bytes | bytearray | Booster | None = None,
    callbacks: Sequence[TrainingCallback] | None = None,
    custom_metric: CustomMetric | None = None,
    progress_bar: bool | None = None,
    collective: Collective | None = None,
) -> Booster:
    """Train a booster.

    Parameters
    ----------
    params
        Parameters of the booster; a misspelt name is an error.
    dtrain
        Data to learn from.
    num_boost_round
        Number of rounds.
    evals
        (data, name) pairs to evaluate after each round. The evaluations of data sets with the same name follow each
        other.
    obj
        A custom objective: (margins, dtrain) -> (gradients, hessians).
    maximize
        Whether early stopping looks for a larger metric; by default the metric decides.
    early_stopping_rounds
        Stop when the last metric on the last of `evals` has not improved for this number of rounds.
    evals_result
        A dictionary that receives the evaluations: data set -> metric -> values.
    verbose_eval
        True shows the progress (see `progress_bar`); a number n prints the evaluation of every n-th round.
    xgb_model
        A model to continue. If `dtrain` has categories in another order than the model, they are recoded in a copy; new
        names get the numbers after the model's. The model's earlier best round is reset by the first new round. All
        rounds of the model are kept; to drop those after the best one, continue ``model[: best + 1]``.
    callbacks
        Callbacks to run around each round: objects with any of `TrainingCallback`'s methods. A
        `TrainingCheckPoint` with ``resume=True`` resumes the training.
    custom_metric
        A custom metric: (predictions, data) -> (name, value), or a list of such pairs. It gets margins if `obj` is
        given.
    progress_bar
        Whether to draw a bar on standard error, or below a notebook's cell. By default it replaces the lines on a
        terminal and in a notebook.
    collective
        The communicator with other ranks that train the same model on other rows; see `kauriboost.collective`. Every
        rank calls this function with the same arguments, except for the rows. The matrices contain the rows' numbers
        among the rows of all ranks (``set_info(global_rows=...)``). The model and the evaluations are the same as with
        all rows in one process. A custom objective sees the rank's rows, so its result must depend on each row alone. A
        custom metric sees predictions, labels, weights and other fields of all rows, but no features.

    Returns
    -------
    Booster
        The model with all rounds; after early stopping `best_iteration` is the best round.
    """
    num_boost_round = whole_number(num_boost_round, "num_boost_round")
    watched = _checked([] if evals is None else evals)
    actions = list(callbacks or [])
    if early_stopping_rounds is not None:
        actions.append(EarlyStopping(rounds=early_stopping_rounds, maximize=maximize))
    if collective is None or collective.rank == 0:
        actions += _display(num_boost_round, watched, verbose_eval, progress_bar)
    plan = Plan(params, num_boost_round, obj, custom_metric, actions, xgb_model)
    training = Training(plan, dtrain, watched, collective)
    try:
        training.begin()
        training.go_on()
        booster = training.end()
    finally:
        training.release()
    if evals_result is not None:
        evals_result.update(training.history)
    return booster
