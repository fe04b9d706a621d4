"""Further peers of quality.py: PerpetualBooster, EBM, NGBoost, random forests and RealMLP.

A learner has the same arguments as in libraries.py. Each has its library's defaults. With early stopping, a library
that holds out rows by itself, or has no rounds to stop, learns from the stopping rows as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .libraries import Learner, class_chances
from .tasks import Task


def _known(train: Task, stop: Task | None) -> Task:
    """Return the training rows and the stopping rows as one task."""
    return train if stop is None else train.with_rows(stop)


def perpetual(budget: float, with_categories: bool) -> Learner:
    """Return a learner by PerpetualBooster with a budget.

    Without categories, it takes their codes as numbers. Release 2.3.0 is much better so where many categories have few
    rows: a value that training has not seen gets the code of a neighbour. (Log loss on titanic 0.49, and 1.81 with
    categories; with unseen values as missing ones 3.62.)
    """
    from perpetual import PerpetualBooster

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        known = _known(train, stop)
        objective = "SquaredLoss" if train.kind == "regression" else "LogLoss"
        categories = train.categorical if with_categories and train.categorical else None
        told = {"categorical_features": categories, "num_threads": threads}
        model = PerpetualBooster(objective=objective, budget=budget, **told)
        model.fit(known.features.copy(), known.labels)  # It writes codes into the array.
        if train.kind == "regression":
            return model.predict(test.features.copy())
        return class_chances(model, test.features.copy(), train.kind, train.n_classes)

    return learn


def ebm() -> Learner:
    """Return a learner by an explainable boosting machine, with pairs of features."""
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        known = _known(train, stop)
        types = ["nominal" if at in train.categorical else "continuous" for at in range(train.features.shape[1])]
        kind = ExplainableBoostingRegressor if train.kind == "regression" else ExplainableBoostingClassifier
        labels = known.labels if train.kind == "regression" else known.labels.astype(int)
        model = kind(feature_types=types, n_jobs=threads)
        model.fit(known.features, labels)
        if train.kind == "regression":
            return model.predict(test.features)
        return class_chances(model, test.features, train.kind, train.n_classes)

    return learn


def ngboost() -> Learner:
    """Return a learner by NGBoost: the mean of the normal distribution that has the best likelihood, or chances.

    Its trees take neither categories nor missing values. They get the codes as numbers, and the median.
    """
    from ngboost import NGBClassifier, NGBRegressor
    from ngboost.distns import k_categorical

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        known = _known(train, stop)
        medians = np.nan_to_num(np.nanmedian(known.features, axis=0))

        def filled(task: Task) -> np.ndarray:
            return np.where(np.isnan(task.features), medians, task.features)

        if train.kind == "regression":
            model = NGBRegressor(verbose=False, random_state=0)
            return model.fit(filled(known), known.labels).predict(filled(test))
        classes = k_categorical(2 if train.kind == "binary" else train.n_classes)
        model = NGBClassifier(Dist=classes, verbose=False, random_state=0)
        found = model.fit(filled(known), known.labels.astype(int)).predict_proba(filled(test))
        return found[:, 1] if train.kind == "binary" else found

    return learn


def random_forest() -> Learner:
    """Return a learner by scikit-learn's random forest. Categories are numbers to it."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        known = _known(train, stop)
        kind = RandomForestRegressor if train.kind == "regression" else RandomForestClassifier
        model = kind(n_jobs=threads, random_state=0).fit(known.features, known.labels)
        if train.kind == "regression":
            return model.predict(test.features)
        return class_chances(model, test.features, train.kind, train.n_classes)

    return learn


def realmlp() -> Learner:
    """Return a learner by RealMLP of pytabkit, which needs torch; the quality environment has neither."""
    import pandas as pd
    from pytabkit import RealMLP_TD_Classifier, RealMLP_TD_Regressor

    def frame(task: Task) -> Any:
        table = pd.DataFrame(task.features)
        for column in task.categorical:
            table[column] = table[column].fillna(-1).astype(int).astype("category")
        return table.fillna(table.median(numeric_only=True))

    def learn(train: Task, stop: Task | None, test: Task, threads: int) -> np.ndarray:
        known = _known(train, stop)
        kind = RealMLP_TD_Regressor if train.kind == "regression" else RealMLP_TD_Classifier
        model = kind(device="cpu", random_state=0, n_cv=1, n_threads=threads).fit(frame(known), known.labels)
        if train.kind == "regression":
            return model.predict(frame(test))
        return class_chances(model, frame(test), train.kind, train.n_classes)

    return learn


FURTHER: dict[str, Callable[[], Learner]] = {
    "perpetual, budget 0.5": lambda: perpetual(0.5, with_categories=True),
    "perpetual, budget 1": lambda: perpetual(1.0, with_categories=True),
    "perpetual, budget 0.5, codes": lambda: perpetual(0.5, with_categories=False),
    "perpetual, budget 1, codes": lambda: perpetual(1.0, with_categories=False),
    "random forest": random_forest,
    "ebm": ebm,
    "ngboost": ngboost,
    "realmlp": realmlp,
}
