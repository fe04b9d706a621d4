"""Cross-validation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.numbers import whole_number
from .._model.booster import Booster, Objective
from .._model.metrics import CustomMetric
from .._model.params import ParamsOrPairs
from .callback import EvalsLog, TrainingCallback, deviation_of, mean_of
from .callbacks import CallbackContainer, EarlyStopping
from .cv_booster import CvBooster
from .cv_result import CvResult, by_row, times_tested
from .folds import Folds, RowsOfFold, make_folds
from .progress import can_draw, display

Preprocessing = Callable[[DMatrix, DMatrix, dict[str, Any]], tuple[DMatrix, DMatrix, dict[str, Any]]]
Settings = Union[ParamsOrPairs, Sequence[Mapping[str, Any]]]  # one, or a list of several


def _settings_in(params: Any) -> tuple[list[Any], bool]:
    """Return the settings, and whether `params` is a list of them, instead of one."""
    if isinstance(params, Mapping) or not any(isinstance(entry, Mapping) for entry in params):
        return [params], False
    for at, entry in enumerate(params):
        if not isinstance(entry, Mapping):
            raise ParameterError(
                f"params[{at}] is {entry!r} among dictionaries; pass a dictionary for each setting, or pairs of one."
            )
    return list(params), True


def _with_metrics(params: ParamsOrPairs, metrics: str | Sequence[str]) -> dict[str, Any]:
    """Return the parameters as a dictionary; `metrics`, if there are some, replace those among them."""
    if not isinstance(params, Mapping):
        told = [value for name, value in params if name == "eval_metric"]
        params = {**dict(params), **({"eval_metric": told} if told else {})}
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    return {**params, **({"eval_metric": metrics} if metrics else {})}


def max_bin_of(params: Mapping[str, Any], data: DMatrix) -> int:
    """Return into how many bins boosters with these parameters cut a feature.

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
        raise ParameterError(f"{seen} needs the values of the features, not bins; set tree_method=hist to share bins.")
    return int(booster["tree_train_param"]["max_bin"])


def binned_for(params: Mapping[str, Any], data: DMatrix) -> DMatrix:
    """Return the bins of all rows that boosters with these parameters train on; errors as of `max_bin_of`."""
    return data.binned(max_bin_of(params, data))


def _require_places(fold: int, n_rows: int, n_found: int) -> None:
    if n_found != n_rows:
        raise DataError(
            f"fpreproc has returned {n_found} test rows for fold {fold}, which has {n_rows}; with return_models=True "
            "each keeps its place."
        )


class _Slices:
    """The rows of the folds, cut once for all settings that learn from the same matrix."""

    def __init__(self, data: DMatrix, rows: list[RowsOfFold], shares_bins: bool) -> None:
        self.data, self.rows, self._shares_bins = data, rows, shares_bins
        self._cut: dict[int, list[tuple[DMatrix, DMatrix]]] = {}  # by the number of bins; 0: none are shared

    def require(self, params: dict[str, Any], return_models: bool) -> None:
        """Raise ParameterError for a setting that is none, or of classes where several folds predict a row."""
        if self._shares_bins:
            max_bin_of(params, self.data)
        objective = json.loads(Booster(params, [self.data]).save_config())["learner"]["objective"]["name"]
        times = times_tested(self.rows, self.data.num_row())
        if return_models and objective == "multi:softmax" and (times > 1).any():
            raise ParameterError(
                f"row {times.argmax()} is tested {times.max()} times, and classes have no mean; set "
                "objective=multi:softprob, or give folds that test each row once."
            )

    def packed(self, params: dict[str, Any], fpreproc: Preprocessing | None, keeps_places: bool) -> CvBooster:
        """Return the boosters of a setting. `fpreproc` gets rows of its own, which it may change or move."""
        bins = max_bin_of(params, self.data) if self._shares_bins else 0
        if fpreproc is not None:
            changed = [fpreproc(train, test, dict(params)) for train, test in self._slices(bins)]
            for fold, (_, test, _own) in enumerate(changed if keeps_places else []):
                _require_places(fold, len(self.rows[fold][1]), test.num_row())
            return CvBooster([(own, train, test) for train, test, own in changed])
        if bins not in self._cut:
            self._cut[bins] = self._slices(bins)
        return CvBooster([(dict(params), train, test) for train, test in self._cut[bins]])

    def _slices(self, bins: int) -> list[tuple[DMatrix, DMatrix]]:
        data = self.data.binned(bins) if bins else self.data
        return [
            (data.slice(train, allow_groups=True), data.slice(test, allow_groups=True)) for train, test in self.rows
        ]


@dataclass(frozen=True)
class _Plan:
    """What to do with each setting; see `cv`."""

    num_boost_round: int
    obj: Objective | None
    custom_metric: CustomMetric | None
    fpreproc: Preprocessing | None
    callbacks: Sequence[TrainingCallback]
    as_pandas: bool
    return_models: bool

    def run(self, params: dict[str, Any], slices: _Slices) -> Any:
        """Return the result of a setting."""
        model = slices.packed(params, self.fpreproc, self.return_models)
        with model:
            history, n_best = self._learn(model)
        table = _as_result(history, n_best, self.as_pandas)
        return self._with_models(table, model, slices) if self.return_models else table

    def _learn(self, model: CvBooster) -> tuple[EvalsLog, int | None]:
        """Train; the evaluations, and the number of rounds up to the best one where it stopped early."""
        container = CallbackContainer(list(self.callbacks), self.custom_metric, output_margin=self.obj is not None)
        n_best = None
        container.before_training(model)
        for epoch in range(self.num_boost_round):
            if container.before_iteration(model, epoch):
                break
            model.update(epoch, self.obj, self.custom_metric, self.obj is not None)
            if container.after_iteration(model, epoch, []):
                n_best = None if model.attr("best_iteration") is None else model.best_iteration + 1
                break
        container.after_training(model)
        return container.history, n_best

    def _with_models(self, table: Any, model: CvBooster, slices: _Slices) -> CvResult:
        found = model.predict_test(output_margin=self.obj is not None)
        best = None if model.attr("best_iteration") is None else model.best_iteration
        predictions = by_row(found, slices.rows, slices.data.num_row())
        return CvResult(table, model.trained(), predictions, slices.rows, best)


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
    params: Settings,
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
    return_models: bool = False,
) -> Any:
    """Cross-validate: train on all folds but one, evaluate on that one, for each; all of them round by round.

    The rows of the folds are copied once, before the first round, for all settings. Queries of ranking data stay whole.
    The folds of a `DaskDMatrix`, whose rows are on several machines, are no slices: call `kauriboost.dask.train` for
    each.

    Parameters
    ----------
    params
        Parameters of the boosters; or a list of dictionaries, one for each setting. The settings have the same folds
        and, with `shared_bins`, the same bins; nothing of a setting's result depends on the others.
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
    return_models
        Return a `CvResult`: the table with the models of the folds and the predictions of the rows that they did not
        learn from.

    Returns
    -------
    pandas.DataFrame, dict or CvResult
        ``train-rmse-mean``, ``train-rmse-std``, ``test-rmse-mean`` and so on; a value per round. Of several settings a
        list of such results.

    Raises
    ------
    TypeError
        Data that are no `DMatrix`.
    ParameterError
        Parameters that are none, of any setting, before the first is trained; a number of folds that cannot be made;
        with `return_models` classes (multi:softmax) of rows that several folds test.
    DataError
        Folds that cut a query; with `return_models` a `fpreproc` that takes test rows away.
    """
    if not isinstance(dtrain, DMatrix):
        raise TypeError(f"dtrain is of the type {type(dtrain).__name__}; cv() slices a kauriboost.DMatrix into folds.")
    num_boost_round = whole_number(num_boost_round, "num_boost_round")
    settings, are_several = _settings_in(params)
    told = [_with_metrics(setting, metrics) for setting in settings]
    slices = _Slices(dtrain, make_folds(dtrain, nfold, stratified, folds, seed, shuffle), shared_bins)
    for setting in told:
        slices.require(setting, return_models)
    actions = list(callbacks or [])
    if early_stopping_rounds is not None:
        actions.append(EarlyStopping(rounds=early_stopping_rounds, maximize=maximize))
    actions += display(num_boost_round, verbose_eval is True and can_draw(), int(verbose_eval or 0), show_stdv)
    plan = _Plan(num_boost_round, obj, custom_metric, fpreproc, actions, as_pandas, return_models)
    results = [plan.run(setting, slices) for setting in told]
    return results if are_several else results[0]
