"""Cross-validation."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._data.matrix import DMatrix
from .._model.booster import Booster, Objective
from .._model.metrics import CustomMetric
from .callback import EvalsLog, TrainingCallback, deviation_of, mean_of
from .callbacks import CallbackContainer, EarlyStopping
from .cv_booster import CvBooster
from .folds import Folds, make_folds
from .progress import display

Preprocessing = Callable[[DMatrix, DMatrix, dict[str, Any]], tuple[DMatrix, DMatrix, dict[str, Any]]]


def _with_metrics(
    params: Mapping[str, Any] | Sequence[tuple[str, Any]], metrics: str | Sequence[str]
) -> dict[str, Any]:
    """Return the parameters as a dictionary; `metrics`, if there are some, replace those among them."""
    if not isinstance(params, Mapping):
        told = [value for name, value in params if name == "eval_metric"]
        params = {**dict(params), **({"eval_metric": told} if told else {})}
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    return {**params, **({"eval_metric": metrics} if metrics else {})}


def binned_for(params: Mapping[str, Any], data: DMatrix) -> DMatrix:
    """Return the bins of all rows that boosters with these parameters train on.

    Raises
    ------
    ParameterError
        Parameters that are none, or of training on values.
    """
    booster = json.loads(Booster(params, [data]).save_config())["learner"]["gradient_booster"]
    kind = booster["name"]
    booster = booster.get("gbtree", booster)  # within dart
    method = booster.get("gbtree_train_param", {}).get("tree_method")
    if kind == "gblinear" or method not in ("auto", "hist"):
        seen = f"booster={kind}" if kind == "gblinear" else f"tree_method={method}"
        raise ParameterError(f"{seen} learns from values, which bins are not; set tree_method=hist to share bins.")
    return data.binned(int(booster["tree_train_param"]["max_bin"]))


def _packed(
    params: dict[str, Any], dtrain: DMatrix, rows: list[tuple[np.ndarray, np.ndarray]], fpreproc: Preprocessing | None
) -> CvBooster:
    folds = []
    for train_rows, test_rows in rows:
        train, test = dtrain.slice(train_rows, allow_groups=True), dtrain.slice(test_rows, allow_groups=True)
        own = dict(params)
        if fpreproc is not None:
            train, test, own = fpreproc(train, test, own)
        folds.append((own, train, test))
    return CvBooster(folds)


def _as_result(history: EvalsLog, n_rounds: int | None, as_pandas: bool) -> Any:
    result: dict[str, list[float]] = {}
    for data, metrics in history.items():
        for metric, scores in metrics.items():
            result[f"{data}-{metric}-mean"] = [mean_of(score) for score in scores[:n_rounds]]
            result[f"{data}-{metric}-std"] = [deviation_of(score) for score in scores[:n_rounds]]
    if as_pandas:
        try:
            import pandas as pd
        except ImportError:
            return result
        return pd.DataFrame.from_dict(result)
    return result


def cv(
    params: Mapping[str, Any] | Sequence[tuple[str, Any]],
    dtrain: DMatrix,
    num_boost_round: int = 10,
    *,
    nfold: int = 3,
    stratified: bool = False,
    folds: Folds | None = None,
    metrics: str | Sequence[str] = (),
    obj: Objective | None = None,
    maximize: bool | None = None,
    early_stopping_rounds: int | None = None,
    fpreproc: Preprocessing | None = None,
    as_pandas: bool = True,
    verbose_eval: bool | int | None = None,
    show_stdv: bool = True,
    seed: int = 0,
    callbacks: Sequence[TrainingCallback] | None = None,
    shuffle: bool = True,
    custom_metric: CustomMetric | None = None,
    shared_bins: bool = False,
) -> Any:
    """Cross-validate: train on all folds but one, evaluate on that one, for each; all of them round by round.

    The rows of the folds are copied once, before the first round. Queries of ranking data stay whole.

    Parameters
    ----------
    params
        Parameters of the boosters.
    dtrain
        All rows.
    num_boost_round
        Number of rounds.
    nfold
        Number of folds.
    stratified
        Give every fold the same share of each label.
    folds
        Folds of your own: (training rows, test rows) for each, or a splitter of scikit-learn; instead of `nfold`.
    metrics
        Metrics to evaluate, instead of the ``eval_metric`` of `params`.
    obj
        An objective of your own: (margins, dtrain) -> (gradients, hessians).
    maximize
        Whether early stopping looks for a larger metric; if not given, the metric decides.
    early_stopping_rounds
        Stop when the mean of the last metric on the test rows has not improved for so many rounds; the result then ends
        with the best round.
    fpreproc
        Changes what each fold gets: (train, test, params) -> (train, test, params).
    as_pandas
        Return a pandas frame, where pandas is installed.
    verbose_eval
        True prints the evaluation of every round, a number that of every so many rounds.
    show_stdv
        Print the standard deviation over the folds, too.
    seed
        Names the permutation of the rows; nothing else depends on it.
    callbacks
        What else to do around each round; they get a `CvBooster`, and (mean, standard deviation) for values.
    shuffle
        Draw the folds from permuted rows; otherwise they are cut in order.
    custom_metric
        A metric of your own: (predictions, data) -> (name, value), or a list of such pairs. It gets margins when `obj`
        is given.
    shared_bins
        Cut all rows into bins once, for ``tree_method="hist"``, and let the folds share them. Each fold is then what
        `train` makes of that slice of ``dtrain.binned()``, to the same bytes; its cuts know where the features of the
        rows that it is tested on lie, and nothing of their labels. Without it each fold cuts its own rows.

    Returns
    -------
    pandas.DataFrame or dict
        ``train-rmse-mean``, ``train-rmse-std``, ``test-rmse-mean`` and so on; a value per round.
    """
    rows = make_folds(dtrain, nfold, stratified, folds, seed, shuffle)
    told = _with_metrics(params, metrics)
    model = _packed(told, binned_for(told, dtrain) if shared_bins else dtrain, rows, fpreproc)
    actions = list(callbacks or [])
    if early_stopping_rounds is not None:
        actions.append(EarlyStopping(rounds=early_stopping_rounds, maximize=maximize))
    is_bar = verbose_eval is True and sys.stderr.isatty()
    actions += display(num_boost_round, is_bar, int(verbose_eval or 0), show_stdv)
    container = CallbackContainer(actions, custom_metric, output_margin=obj is not None)

    n_best = None
    with model:
        container.before_training(model)
        for epoch in range(num_boost_round):
            if container.before_iteration(model, epoch):
                break
            model.update(epoch, obj, custom_metric, obj is not None)
            if container.after_iteration(model, epoch, []):
                n_best = None if model.attr("best_iteration") is None else model.best_iteration + 1
                break
        container.after_training(model)
    return _as_result(container.history, n_best, as_pandas)
