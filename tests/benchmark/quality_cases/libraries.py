"""Libraries with their default parameters, told only which columns are categories.

A learner takes training rows, rows for early stopping (None: the default number of rounds) and the rows to predict.
With early stopping it may take 2,000 rounds, and ends after 50 rounds without improvement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .tasks import Task

MOST_ROUNDS = 2000
PATIENCE = 50
FOLDS = 5  # of fit_best
Learner = Callable[[Task, "Task | None", Task, int], np.ndarray]


def class_chances(model: Any, features: Any, kind: str, n_classes: int) -> np.ndarray:
    """Return a classifier's chances of class 1, or of all classes, of which some may have no training rows."""
    found = model.predict_proba(features)
    if kind == "binary":
        return found[:, 1]
    of_all = np.zeros((len(found), n_classes))
    of_all[:, np.asarray(model.classes_).astype(int)] = found
    return of_all


_OBJECTIVES = {"binary": "binary:logistic", "multiclass": "multi:softprob", "regression": "reg:squarederror"}


def _as_xgboost(library: Any, more: dict[str, Any], with_types: bool) -> Learner:
    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        def matrix(task: Task) -> Any:
            types = ["c" if column in task.categorical else "q" for column in range(task.features.shape[1])]
            told = {} if with_types else {"enable_categorical": True}
            return library.DMatrix(task.features, label=task.labels, feature_types=types, nthread=threads, **told)

        params = {"objective": _OBJECTIVES[train.kind], "nthread": threads, **more}
        if train.kind == "multiclass":
            params["num_class"] = train.n_classes
        if stop is None:
            return library.train(params, matrix(train), 100, verbose_eval=False).predict(matrix(test))
        stopping = {"evals": [(matrix(stop), "stop")], "early_stopping_rounds": PATIENCE, "verbose_eval": False}
        booster = library.train(params, matrix(train), MOST_ROUNDS, **stopping)
        return booster.predict(matrix(test), iteration_range=(0, booster.best_iteration + 1))

    return learn


def kauri(more: dict[str, Any]) -> Learner:
    """Return a learner of Kauri with further parameters beside the defaults."""
    import kauriboost

    return _as_xgboost(kauriboost, more, with_types=True)


def kauri_estimators() -> Learner:
    """Return a learner by KauriClassifier and KauriRegressor, whose defaults are their own."""
    import kauriboost

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        kind = kauriboost.KauriRegressor if train.kind == "regression" else kauriboost.KauriClassifier
        types = ["c" if column in train.categorical else "q" for column in range(train.features.shape[1])]
        rounds = {} if stop is None else {"n_estimators": MOST_ROUNDS, "early_stopping_rounds": PATIENCE}
        model = kind(feature_types=types, n_jobs=threads, **rounds)
        model.fit(train.features, train.labels, eval_set=None if stop is None else [(stop.features, stop.labels)])
        if train.kind == "regression":
            return model.predict(test.features)
        return class_chances(model, test.features, train.kind, train.n_classes)

    return learn


def kauri_best(rounds: int, folds: int = FOLDS) -> Learner:
    """Return a learner by `fit_best` with a budget of rounds. It stops by folds, so it trains on stopping rows too."""
    import kauriboost

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        known = [train] if stop is None else [train, stop]
        types = ["c" if column in train.categorical else "q" for column in range(train.features.shape[1])]
        params: dict[str, Any] = {"objective": _OBJECTIVES[train.kind], "nthread": threads}
        if train.kind == "multiclass":
            params["num_class"] = train.n_classes
        found = kauriboost.fit_best(
            np.concatenate([task.features for task in known]),
            np.concatenate([task.labels for task in known]),
            params=params,
            rounds_budget=rounds,
            nfold=folds,
            feature_types=types,
        )
        return found.booster.predict(kauriboost.DMatrix(test.features, feature_types=types, nthread=threads))

    return learn


def xgboost() -> Learner:
    """Return a learner of XGBoost."""
    import xgboost as library

    return _as_xgboost(library, {}, with_types=False)


def lightgbm_model(
    params: dict[str, Any], train: Task, stop: Task | None, rounds: int, threads: int
) -> tuple[Callable[[Task], np.ndarray], int]:
    """Train LightGBM; return the function that predicts, and its number of rounds."""
    import lightgbm as library

    objective = {"binary": "binary", "multiclass": "multiclass", "regression": "l2"}[train.kind]
    params = {"objective": objective, "num_threads": threads, "verbose": -1, **params}
    if train.kind == "multiclass":
        params["num_class"] = train.n_classes
    data = library.Dataset(train.features, train.labels, categorical_feature=train.categorical)
    if stop is None:
        booster = library.train(params, data, rounds)
        return lambda task: booster.predict(task.features), rounds
    held = library.Dataset(stop.features, stop.labels, reference=data, categorical_feature=train.categorical)
    callbacks = [library.early_stopping(PATIENCE, verbose=False)]
    booster = library.train(params, data, rounds, valid_sets=[held], callbacks=callbacks)
    best = booster.best_iteration
    return lambda task: booster.predict(task.features, num_iteration=best), best


def lightgbm(more: dict[str, Any] | None = None) -> Learner:
    """Return a learner of LightGBM with further parameters beside the defaults."""

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        rounds = 100 if stop is None else MOST_ROUNDS
        return lightgbm_model(more or {}, train, stop, rounds, threads)[0](test)

    return learn


def _catboost_frame(task: Task) -> Any:
    import pandas as pd

    table = pd.DataFrame(task.features)
    for column in task.categorical:
        table[column] = table[column].fillna(-1).astype(int).astype(str)
    return table


def catboost_model(
    params: dict[str, Any], train: Task, stop: Task | None, rounds: int, threads: int
) -> tuple[Callable[[Task], np.ndarray], int]:
    """Train CatBoost, by its own number of rounds if `rounds` is 0; return what predicts, and the number of rounds."""
    import catboost as library

    kind = library.CatBoostRegressor if train.kind == "regression" else library.CatBoostClassifier
    told = {} if rounds == 0 else {"iterations": rounds}
    if stop is not None:
        told["early_stopping_rounds"] = PATIENCE
    model = kind(verbose=0, thread_count=threads, allow_writing_files=False, **told, **params)
    held = {} if stop is None else {"eval_set": (_catboost_frame(stop), stop.labels)}
    model.fit(_catboost_frame(train), train.labels, cat_features=train.categorical, **held)

    def predict(task: Task) -> np.ndarray:
        if task.kind == "regression":
            return model.predict(_catboost_frame(task))
        return class_chances(model, _catboost_frame(task), task.kind, train.n_classes)

    return predict, model.tree_count_


def catboost() -> Learner:
    """Return a learner of CatBoost."""

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        return catboost_model({}, train, stop, 0 if stop is None else MOST_ROUNDS, threads)[0](test)

    return learn


def scikit_learn() -> Learner:
    """Return a learner of HistGradientBoosting. Columns of more than 255 categories, which it rejects, are numbers."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        kind = HistGradientBoostingRegressor if train.kind == "regression" else HistGradientBoostingClassifier
        few = [column for column in train.categorical if np.nanmax(train.features[:, column]) < 255]
        rounds = {} if stop is None else {"max_iter": MOST_ROUNDS, "early_stopping": True, "n_iter_no_change": PATIENCE}
        model = kind(categorical_features=few or None, **rounds)
        held = {} if stop is None else {"X_val": stop.features, "y_val": stop.labels}
        with threadpool_limits(threads):
            model.fit(train.features, train.labels, **held)
        if train.kind == "regression":
            return model.predict(test.features)
        return class_chances(model, test.features, train.kind, train.n_classes)

    return learn


PEERS: dict[str, Callable[[], Learner]] = {
    "xgboost": xgboost,
    "lightgbm": lightgbm,
    "scikit-learn": scikit_learn,
    "catboost": catboost,
}
