"""The best model in the time one has.

1. The rows are cut into bins once, and dealt out to folds; slices share the bins.
2. Setting by setting (settings.py), a booster for each fold learns from the others, all of them round by round, until
   the mean of the metric on the rows left out has not improved for a while (search.py). Some race: each stops after
   some rounds, and the best goes on first.
3. A setting that is better than the best so far takes its place. The boosters of each are cut off after its best round.
4. The model is the mean of the boosters of the settings whose mean is best on the rows left out (blend.py), mostly of
   several. None is trained again: each goes on with all rows for a third of its rounds, or as many again where the
   budget has cut it off, and so learns from those that were left out of it, too.

Rounds are what is counted: the steps follow from the data, the parameters and the seed. A time ends the search after
one of its rounds, while there is enough for what follows, and a budget of as many rounds ends it there again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.classes import as_text
from .._model.metrics import CustomMetric
from .attempts import Attempt, BestFit
from .classes_or_numbers import settle_labels
from .cv import binned_for
from .cv_booster import CvBooster
from .folds import make_folds
from .search import Budget, Contest, Search
from .settings import Task, changes, kinds, rates, without

_DEFAULT_ROUNDS = 2000


def fit_best(
    X: Any,
    y: Any = None,
    *,
    params: Mapping[str, Any] | None = None,
    time_budget: float | None = None,
    rounds_budget: int | None = None,
    nfold: int = 5,
    seed: int = 0,
    custom_metric: CustomMetric | None = None,
    maximize: bool | None = None,
    on_attempt: Callable[[Attempt], None] | None = None,
    **fields: Any,
) -> BestFit:
    """Find good settings by cross-validation, and return a mean of the models of their folds.

    Learning rate, number of rounds and a few settings of trees, samples and categories are chosen by the metric on rows
    that are left out of training, fold by fold. All folds share the bins of all rows (`DMatrix.binned`). The model is
    the mean of one setting or of several, whatever is best on those rows, and has the trees of all folds: it is `nfold`
    times as large as one of them, for each setting. At the end each goes on with all rows, for a third of its rounds;
    one that the budget has cut off while it got better, for as many again.

    Parameters
    ----------
    X, y
        Rows, as `DMatrix` takes them, and labels: numbers or classes; or a `DMatrix` with labels alone. Texts, truth
        values and categories are classes, whose names the model keeps in its attribute ``kauri_classes``.
    params
        What is settled: the objective, ``eval_metric`` (the last one decides), and whatever is not to be chosen.
        Without an objective, classes ask for ``binary:logistic`` or ``multi:softprob`` and numbers for
        ``reg:squarederror``. Labels that are 0 and 1 alone count as classes, which the log says.
    time_budget
        Seconds. The round being trained is the last of the search when what is left of them is as much as what follows
        takes: of five folds after four tenths of them for a single setting, and seven where all have ended by
        themselves.
    rounds_budget
        How many rounds to search for, each of which adds a round to the boosters of all folds; those with all rows do
        not count. With the same budget the model has the same bytes everywhere. 2,000 if neither is given; the search
        may end before.
    nfold
        Number of folds. Those of a classification have equal shares of each class; queries stay whole.
    seed
        Names the permutation of the rows.
    custom_metric
        A metric of your own, see `kauriboost.train`.
    maximize
        Whether a larger metric is better; if not given, the metric decides.
    on_attempt
        Is called with each setting when it has been tried, to show it for example, and again when it has gone on.
    fields
        What `DMatrix` takes besides: ``weight``, ``group``, ``feature_types`` and so on.

    Returns
    -------
    BestFit
        The model, and a table of all settings that were tried, with what they cost and their shares in the model.

    Raises
    ------
    ParameterError
        Parameters for which there are no bins to share or no mean of boosters: other tree methods than ``hist``,
        ``dart``, ``gblinear``, ``lambdarank_unbiased``. Labels of a few whole numbers other than 0 and 1 without an
        objective: they may be classes or amounts.
    DataError
        As `DMatrix` and `cv`; a metric that is no number in any round.
    """
    labels = settle_labels(X.get_label() if isinstance(X, DMatrix) else y, params or {})
    data = _matrix_of(X, y if isinstance(X, DMatrix) else labels.values, fields)
    if data.num_row() == 0:
        raise DataError("the data have 0 rows; pass at least one row to train on.")
    task = BestTask(data, labels.params, time_budget, rounds_budget, nfold, seed, custom_metric, maximize, on_attempt)
    found = search_best(task)
    if labels.classes is not None:
        found.booster.set_attr(kauri_classes=as_text(labels.classes))
    return found


@dataclass(frozen=True)
class BestTask:
    """The arguments of `fit_best`, with labels that are numbers and an objective that is settled."""

    data: DMatrix
    params: Mapping[str, Any]
    time_budget: float | None = None
    rounds_budget: int | None = None
    nfold: int = 5
    seed: int = 0
    custom_metric: CustomMetric | None = None
    maximize: bool | None = None
    on_attempt: Callable[[Attempt], None] | None = None


def search_best(task: BestTask) -> BestFit:
    """Do the work of `fit_best`."""
    time_budget, rounds_budget, nfold = task.time_budget, task.rounds_budget, task.nfold
    _require_budget(time_budget, rounds_budget)
    is_open = time_budget is None and rounds_budget is None
    budget = Budget(_DEFAULT_ROUNDS if is_open else rounds_budget, time_budget, nfold)
    told = dict(task.params)
    data = binned_for(told, task.data)
    told["base_score"], learner = _settled(told, data)
    given = learner["user_params"]
    objective = learner["objective"]["name"]
    is_classified = objective.startswith(("binary:", "multi:")) and data.get_label().ndim == 1
    stratified = is_classified and len(data.get_uint_info("group_ptr")) == 0
    rows = make_folds(data, nfold, stratified, None, task.seed, True)
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


def _require_budget(seconds: float | None, rounds: int | None) -> None:
    if seconds is not None and not 0 < seconds < float("inf"):
        raise ValueError(f"time_budget is {seconds!r}; expected seconds above 0.")
    if rounds is not None and rounds < 1:
        raise ValueError(f"rounds_budget is {rounds!r}; expected 1 round or more.")


def _matrix_of(X: Any, y: Any, fields: dict[str, Any]) -> DMatrix:
    if not isinstance(X, DMatrix):
        return DMatrix(X, y, **fields)
    if y is not None or fields:
        told = ", ".join([*(["y"] if y is not None else []), *fields])
        raise DataError(f"X is a DMatrix, which holds its own labels and other fields; leave out {told}.")
    return X


def _settled(params: dict[str, Any], data: DMatrix) -> tuple[str, dict[str, Any]]:
    """Return the intercept of all rows, and the parameters in effect; boosters of one intercept have a mean.

    Raises ParameterError for boosters that have none.
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
    """Try the kinds of trees, and one change after the other on top of the best, as far as the budget goes."""

    def helps(change: Mapping[str, Any]) -> bool:
        changed = without(change, given)
        if search.is_over() or not changed or changed.items() <= search.best.params.items():
            return False
        return search.attempt({**search.best.params, **changed})

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
        begin(False)  # what is given may not go with vectors in leaves
    has_vectors = {**given, **search.best.params}.get("multi_strategy") == "multi_output_tree"
    for change in changes(task, has_vectors):
        helps(change)
    for rate in rates(task.n_classes):
        if not helps(rate):
            break
