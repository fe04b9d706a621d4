"""The search for the best model within a time or round budget.

1. The rows are binned once, and assigned to folds, which may keep groups of rows whole or follow the order of time;
   slices share the bins.
2. For each setting (settings.py), one booster per fold learns from the other folds. All advance round by round, until
   the mean of the metric on the left-out rows has not improved for a while (search.py). Some settings race: each stops
   after some rounds, and the best continues first.
3. A setting that is better than the best so far replaces it. Its boosters are cut off after its best round.
4. The model is the mean of the boosters of the settings whose mean is best on the left-out rows (blend.py), usually
   several settings. No booster is trained again. Each continues on all rows, including its left-out ones, for a third
   of its rounds, or for the same number again if the budget has cut it off.

The search counts rounds: its steps depend on the data, the parameters and the seed. A time budget ends the search after
some round, while enough time remains for the final rounds. A budget of that number of rounds ends it at the same place.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.classes import as_text
from .._model.metrics import CustomMetric
from .._model.missing import ATTRIBUTE as MISSING
from .._model.missing import missing_as_text
from .attempts import Attempt, BestFit
from .classes_or_numbers import require_numbered, settle_bounds, settle_labels
from .cv import binned_for
from .cv_booster import CvBooster
from .folds import Folds, RowsOfFold, make_folds, make_group_folds
from .search import Budget, Contest, Search
from .settings import SHORT_WAY, Task, changes, kinds, rates, without

_DEFAULT_ROUNDS = 2000


def fit_best(
    X: Any,
    y: Any = None,
    *,
    params: Mapping[str, Any] | None = None,
    time_budget: float | None = None,
    rounds_budget: int | None = None,
    nfold: int = 5,
    folds: Folds | None = None,
    groups: Any = None,
    seed: int = 0,
    custom_metric: CustomMetric | None = None,
    maximize: bool | None = None,
    on_attempt: Callable[[Attempt], None] | None = None,
    **fields: Any,
) -> BestFit:
    """Find good settings by cross-validation, and return a mean of the models of their folds.

    Learning rate, number of rounds and a few parameters of trees, sampling and categories are chosen by the metric on
    left-out rows, fold by fold. All folds share the bins of all rows (`DMatrix.binned`). The model is the mean of one
    setting or of several, whichever is best on those rows. It has the trees of all folds, so for each setting it is
    `nfold` times as large as one of their models. At the end each booster continues on all rows for a third of its
    rounds. A booster that the budget has cut off while improving continues for the same number of rounds again.

    Parameters
    ----------
    X, y
        Rows, as `DMatrix` takes them, and labels (numbers or classes); or just a `DMatrix` with labels. Texts, Booleans
        and categories are classes. So are few whole numbers: up to 20 different ones, with at least five rows of each.
        Counts have rarer values as a rule; ratings do not, so pass an objective for them. The model keeps the names
        of classes, and `BestFit.predict` returns them.
    params
        Fixed parameters: the objective, ``eval_metric`` (the last metric decides), and any parameter that the search
        must not choose. Without an objective, classes get ``binary:logistic`` or ``multi:softprob``, and numbers
        ``reg:squarederror``; ``label_lower_bound`` without `y` gets ``survival:aft``. The log says in one line which
        objective classes or bounds got, and how to change it. An ``eval_metric`` of amounts, such as ``rmse``, makes
        whole numbers amounts. ``num_class`` may be left out.
    time_budget
        Seconds. The search ends with the current round when the remaining time is only enough for the final rounds.
        With five folds this is after four tenths of the time for a single setting, and after seven tenths if all
        settings have ended by themselves.
    rounds_budget
        Number of rounds of the search; each adds a round to the boosters of all folds. Final rounds on all rows do not
        count. With the same budget the model has the same bytes everywhere. 2,000 if neither budget is given; the
        search may end earlier.
    nfold
        Number of folds. For classification, folds have equal shares of each class; queries stay whole.
    folds
        Custom folds instead of `nfold`: (training rows, test rows) for each, or a splitter of scikit-learn, such as
        ``TimeSeriesSplit(4)`` for rows in the order of time. All of them judge the settings. A fold with less than half
        as many training rows as the largest one leaves its boosters out of the model.
    groups
        A value for each row. Rows with the same value stay in the same fold, so that the score is one of new groups,
        such as new patients of whom there are several rows each. Classes and sizes of folds are as even as groups let
        them. A splitter as `folds` gets the groups.
    seed
        Selects the permutation of the rows.
    custom_metric
        A custom metric, see `kauriboost.train`.
    maximize
        Whether a larger metric is better; by default the metric decides.
    on_attempt
        Called with each setting after it was tried, for example to print it, and again after it has continued.
    fields
        Further arguments of `DMatrix`: ``weight``, ``group``, ``feature_types`` and so on. The model keeps ``missing``,
        so that `BestFit.predict` and estimators that load the model take rows alike.

    Returns
    -------
    BestFit
        The model, and a table of all settings tried, with their cost and their weights in the model.

    Raises
    ------
    ParameterError
        Parameters with which no bins can be shared or boosters cannot be averaged: tree methods other than ``hist``,
        ``dart``, ``gblinear``, ``lambdarank_unbiased``. Few whole numbers as labels without an objective, if
        there are queries (they may be grades of relevance), or in a `DMatrix` if they are not 0, 1 and so on. Both
        labels and bounds of survival times without an objective. More folds than rows, queries or groups.
    DataError
        As `DMatrix` and `cv`; a metric that is NaN in every round. Folds or groups that split a query, folds that split
        a group, a row both for training and for testing of a fold, an empty part of a fold, or groups with missing
        values.
    """
    is_matrix = isinstance(X, DMatrix)
    given = X.get_label() if is_matrix else y
    told = settle_bounds(params or {}, given) if _has_bounds(X, fields) else params or {}
    labels = settle_labels(given, told, _has_queries(X, fields))
    if is_matrix:
        require_numbered(labels)
    data = _matrix_of(X, y, fields) if is_matrix else DMatrix(X, labels.values, **fields)
    if data.num_row() == 0:
        raise DataError("the data have 0 rows; pass at least one row to train on.")
    found = search_best(
        BestTask(
            data,
            labels.params,
            time_budget,
            rounds_budget,
            nfold,
            seed,
            custom_metric,
            maximize,
            on_attempt,
            folds,
            groups,
        )
    )
    found.booster.set_attr(**{MISSING: missing_as_text(fields.get("missing"))})
    if labels.classes is None:
        return found
    found.booster.set_attr(kauri_classes=as_text(labels.classes))
    return replace(found, classes_=labels.classes)


@dataclass(frozen=True)
class BestTask:
    """The arguments of `fit_best`, with numeric labels and a fixed objective."""

    data: DMatrix
    params: Mapping[str, Any]
    time_budget: float | None = None
    rounds_budget: int | None = None
    nfold: int = 5
    seed: int = 0
    custom_metric: CustomMetric | None = None
    maximize: bool | None = None
    on_attempt: Callable[[Attempt], None] | None = None
    folds: Folds | None = None
    groups: Any = None


def search_best(task: BestTask) -> BestFit:
    """Do the work of `fit_best`."""
    time_budget, rounds_budget = task.time_budget, task.rounds_budget
    _require_budget(time_budget, rounds_budget)
    is_open = time_budget is None and rounds_budget is None
    begun = time.monotonic()
    told = dict(task.params)
    data = binned_for(told, task.data)
    told["base_score"], learner = _settled(told, data)
    given = learner["user_params"]
    objective = learner["objective"]["name"]
    rows = _folds_of(task, data, objective)
    rows_of_all = data.num_row() * len(rows) / sum(len(train) for train, _ in rows)
    budget = Budget(_DEFAULT_ROUNDS if is_open else rounds_budget, time_budget, rows_of_all, begun)
    folds = [(data.slice(train, allow_groups=True), data.slice(test, allow_groups=True)) for train, test in rows]
    search = Search(Contest(told, folds, task.custom_metric, task.maximize), budget, task.on_attempt)
    _explore(search, given, _task_of(data, objective, int(learner["learner_model_param"]["num_class"])))
    blend = search.blend()
    return BestFit(
        search.with_all_rows(blend, data).model(),
        search.best,
        search.metric,
        search.attempts,
        budget.spent,
        budget.seconds,
        blend.score,
        search.shares(blend),
    )


def _folds_of(task: BestTask, data: DMatrix, objective: str) -> list[RowsOfFold]:
    is_classified = objective.startswith(("binary:", "multi:")) and data.get_label().ndim == 1
    if task.groups is not None:
        rows = make_group_folds(data, task.nfold, is_classified, task.folds, task.seed, task.groups)
    else:
        stratified = is_classified and task.folds is None and len(data.get_uint_info("group_ptr")) == 0
        rows = make_folds(data, task.nfold, stratified, task.folds, task.seed, True)
    for fold, (train, test) in enumerate(rows):
        if len(train) == 0 or len(test) == 0:
            raise DataError(f"fold {fold} of `folds` has no rows for {'testing' if len(train) else 'training'}.")
        common = np.intersect1d(train, test) if task.folds is not None else train[:0]
        if len(common):
            raise DataError(
                f"row {common[0]} is for training and for testing of fold {fold}; leave it out of either, so that the "
                "score is one of rows that the fold has not learnt from."
            )
    return rows


def _require_budget(seconds: float | None, rounds: int | None) -> None:
    if seconds is not None and not 0 < seconds < float("inf"):
        raise ValueError(f"time_budget is {seconds!r}; expected seconds above 0.")
    if rounds is not None and rounds < 1:
        raise ValueError(f"rounds_budget is {rounds!r}; expected 1 round or more.")


def _has_queries(X: Any, fields: Mapping[str, Any]) -> bool:
    if isinstance(X, DMatrix):
        return len(X.get_uint_info("group_ptr")) > 0
    return fields.get("group") is not None or fields.get("qid") is not None


def _has_bounds(X: Any, fields: Mapping[str, Any]) -> bool:
    """Return whether there are bounds of survival times."""
    if isinstance(X, DMatrix):
        return len(X.get_float_info("label_lower_bound")) > 0
    return fields.get("label_lower_bound") is not None


def _matrix_of(X: DMatrix, y: Any, fields: dict[str, Any]) -> DMatrix:
    if y is not None or fields:
        told = ", ".join([*(["y"] if y is not None else []), *fields])
        raise DataError(f"X is a DMatrix, which holds its own labels and other fields; leave out {told}.")
    return X


def _settled(params: dict[str, Any], data: DMatrix) -> tuple[str, dict[str, Any]]:
    """Return the intercept of all rows and the parameters in effect; averaging needs one common intercept.

    Raises ParameterError for boosters that cannot be averaged.
    """
    booster = Booster(params, [data])
    booster.update(data, 0)
    learner = json.loads(booster.save_config())["learner"]
    kind = learner["gradient_booster"]["name"]
    if kind != "gbtree":
        raise ParameterError(f"booster is {kind!r}, whose later rounds change earlier ones; fit_best takes gbtree.")
    CvBooster.mean_of([booster])
    return learner["learner_model_param"]["base_score"], learner


def _task_of(data: DMatrix, objective: str, n_classes: int) -> Task:
    has_numbers = objective.startswith(("reg:", "count:")) and objective != "reg:logistic"
    n_categorical = (data.feature_types or []).count("c")
    return Task(has_numbers, n_classes, data.num_row(), n_categorical / max(1, data.num_col()))


def _explore(search: Search, given: Mapping[str, Any], task: Task) -> None:
    """Try the kinds of trees, then single changes to the best setting, within the budget."""

    def helps(change: Mapping[str, Any]) -> bool:
        changed = without(change, given)
        if search.is_over() or not changed or changed.items() <= search.best.params.items():
            return False
        return search.attempt({**search.best.params, **changed})

    def lower() -> None:
        for rate in rates(task.n_classes):
            if not helps(rate):
                return

    def begin(shares_trees: bool) -> None:
        first = kinds(task, shares_trees, given)
        for race in (True, False):
            for kind in first:
                setting = without(kind.setting, given)
                if kind.races == race and not search.is_over() and not search.has_tried(setting):
                    search.attempt(setting, race)
            search.go_on()

    begin(given.get("multi_strategy") != "one_output_per_tree")
    if all(attempt.error is not None for attempt in search.attempts):
        begin(False)  # the user's parameters may exclude vector leaves
    has_vectors = {**given, **search.best.params}.get("multi_strategy") == "multi_output_tree"
    lowers_first = search.way < SHORT_WAY
    if lowers_first:
        lower()
    for change in changes(task, has_vectors):
        helps(change)
    if not lowers_first:
        lower()
