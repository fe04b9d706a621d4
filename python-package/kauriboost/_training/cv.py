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
from .callback_container import CallbackContainer
from .callbacks import EarlyStopping
from .cv_booster import CvBooster
from .cv_result import CvResult, by_row, times_tested
from .folds import Folds, RowsOfFold, make_folds
from .progress import can_draw, display

Preprocessing = Callable[[DMatrix, DMatrix, dict[str, Any]], tuple[DMatrix, DMatrix, dict[str, Any]]]
Settings = Union[ParamsOrPairs, Sequence[Mapping[str, Any]]]  # one, or a list of several


def _settings_in(params: Any) -> tuple[list[Any], bool]:
    """Return the settings, and whether `params` is a list of settings instead of a single one."""
    if isinstance(params, Mapping) or not any(isinstance(entry, Mapping) for entry in params):
        return [params], False
    for at, entry in enumerate(params):
        if not isinstance(entry, Mapping):
            raise ParameterError(
                f"params[{at}] is {entry!r} among dictionaries; pass a dictionary for each setting, or pairs of one."
            )
    return list(params), True


def _with_metrics(params: ParamsOrPairs, metrics: str | Sequence[str]) -> dict[str, Any]:
    """Return the parameters as a dictionary; non-empty `metrics` replace its ``eval_metric``."""
    if not isinstance(params, Mapping):
        told = [value for name, value in params if name == "eval_metric"]
        params = {**dict(params), **({"eval_metric": told} if told else {})}
    metrics = [metrics] if isinstance(metrics, str) else list(metrics)
    return {**params, **({"eval_metric": metrics} if metrics else {})}


def max_bin_of(params: Mapping[str, Any], data: DMatrix) -> int:
    """Return the maximum number of bins per feature of boosters with these parameters.

    Raises
    ------
    ParameterError
        Invalid parameters, or parameters of training on values.
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
    """Return the bins of all rows that boosters with these parameters train on. Raises the errors of `max_bin_of`."""
    return data.binned(max_bin_of(params, data))


def _require_places(fold: int, n_rows: int, n_found: int) -> None:
    if n_found != n_rows:
        raise DataError(
            f"fpreproc has returned {n_found} test rows for fold {fold}, which has {n_rows}; with return_models=True "
            "each keeps its place."
        )


class _Slices:
    """The rows of the folds, sliced once for all settings that learn from the same matrix."""

    def __init__(self, data: DMatrix, rows: list[RowsOfFold], shares_bins: bool) -> None:
        self.data, self.rows, self._shares_bins = data, rows, shares_bins
        self._cut: dict[int, list[tuple[DMatrix, DMatrix]]] = {}  # by number of bins; 0 if bins are not shared

    def require(self, params: dict[str, Any], return_models: bool) -> None:
        """Raise ParameterError for invalid settings, and for class predictions of rows that several folds test."""
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
        """Return the boosters of a setting. `fpreproc` gets its own slices, which it may change or reorder."""
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
    """The arguments of `cv` that apply to every setting."""

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
        """Train; return the evaluations, and the number of rounds up to the best one after early stopping."""
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
    """Cross-validate: for each fold, train on the other folds and evaluate on it. All folds advance round by round.

    The rows of the folds are copied once, before the first round, for all settings. Queries of ranking data stay whole.
    A `DaskDMatrix` cannot be sliced into folds, because its rows are on several machines; call `kauriboost.dask.train`
    for each fold instead.

    Parameters
    ----------
    params
        Parameters of the boosters, or a list of dictionaries, one per setting. The settings have the same folds and,
        with `shared_bins`, the same bins. The result of a setting does not depend on the others.
    dtrain
        All rows.
    num_boost_round
        Number of rounds.
    nfold
        Number of folds.
    stratified
        Give every fold the same share of each label.
    folds
        Custom folds instead of `nfold`: (training rows, test rows) for each, or a splitter of scikit-learn.
    metrics
        Metrics to evaluate instead of the ``eval_metric`` of `params`.
    obj
        A custom objective: (margins, dtrain) -> (gradients, hessians).
    maximize
        Whether early stopping looks for a larger metric; by default the metric decides.
    early_stopping_rounds
        Stop when the mean of the last metric on the test rows has not improved for this number of rounds; the result
        then ends with the best round.
    fpreproc
        A function that changes the data or parameters of each fold: (train, test, params) -> (train, test, params).
    as_pandas
        Return a pandas frame if pandas is installed.
    verbose_eval
        True prints the evaluation of every round; a number n, of every n-th round.
    show_stdv
        Print the standard deviation over the folds, too.
    seed
        Selects the permutation of the rows and affects nothing else.
    callbacks
        Callbacks to run around each round: objects with any of `TrainingCallback`'s methods. They
        get a `CvBooster`, and values as (mean, standard deviation).
    shuffle
        Draw the folds from permuted rows; otherwise folds are consecutive rows.
    custom_metric
        A custom metric: (predictions, data) -> (name, value), or a list of such pairs. It gets margins if `obj` is
        given.
    shared_bins
        Bin all rows once, for ``tree_method="hist"``, and let the folds share the bins. The model of each fold is then
        the same, byte for byte, as `train` gives on that slice of ``dtrain.binned()``. Its bin edges use the features
        of its test rows, but not their labels. Without `shared_bins` each fold bins its own rows.
    return_models
        Return a `CvResult`: the table, the models of the folds, and the predictions for the rows that each model did
        not learn from.

    Returns
    -------
    pandas.DataFrame, dict or CvResult
        ``train-rmse-mean``, ``train-rmse-std``, ``test-rmse-mean`` and so on, with a value per round. For several
        settings, a list of such results.

    Raises
    ------
    TypeError
        `dtrain` is not a `DMatrix`.
    ParameterError
        Invalid parameters in any setting, raised before the first is trained; an impossible number of folds; with
        `return_models`, an objective that predicts classes (multi:softmax) for rows that several folds test.
    DataError
        Folds that split a query; with `return_models`, an `fpreproc` that removes test rows.
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
