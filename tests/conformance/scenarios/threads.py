"""Boosters in threads, pools of processes, and children of forks."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import xgboost as xgb
from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from scenarios.support.data import binary, regression
from scenarios.support.models import SMALL, learn
from scenarios.support.scenario import close, scenario
from sklearn.model_selection import cross_val_score


@scenario(close())
def predictions_in_threads() -> object:
    features, labels = regression()
    booster = learn({}, features, labels)
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda i: booster.predict(xgb.DMatrix(features[i::8])), range(8)))


@scenario(close())
def predictions_in_place_in_threads() -> object:
    features, labels = regression()
    booster = learn({}, features, labels)
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda i: booster.inplace_predict(features[i::8]), range(8)))


@scenario(close())
def explanations_in_threads() -> object:
    features, labels = regression()
    booster = learn({}, features, labels)
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda i: booster.predict(xgb.DMatrix(features[i::8]), pred_contribs=True), range(8)))


@scenario(close())
def trainings_in_threads() -> object:
    features, labels = regression()

    def train(depth: int) -> np.ndarray:
        data = xgb.DMatrix(features, labels)
        return xgb.train({**SMALL, "max_depth": depth, "nthread": 1}, data, 5).predict(data)

    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(train, [1, 2, 3, 4]))


@scenario(close())
def exceptions_in_threads() -> object:
    """Each thread has its own last error."""
    texts: dict[int, str] = {}

    def fail(number: int) -> None:
        try:
            xgb.DMatrix(np.ones((3, number)), feature_names=[])
            xgb.Booster(model_file=f"nowhere-{number}.json")
        except ValueError as error:
            texts[number] = str(f"nowhere-{number}" in str(error))

    threads = [threading.Thread(target=fail, args=(number,)) for number in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return dict(sorted(texts.items()))


def _in_a_child(features: np.ndarray) -> np.ndarray:
    labels = regression()[1]
    return learn({"nthread": 2}, features, labels, 3).predict(xgb.DMatrix(features))


@scenario(close())
def a_pool_of_spawned_processes() -> object:
    features, _ = regression()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_in_a_child, (features,))


@scenario(close())
def folds_in_processes() -> object:
    features, labels = binary()
    scores = cross_val_score(xgb.XGBClassifier(n_estimators=4, n_jobs=1), features, labels, cv=3, n_jobs=2)
    get_reusable_executor().shutdown()  # otherwise its processes stay for five minutes
    return scores


@scenario(close())
def models_in_joblibs_threads() -> object:
    features, labels = regression()

    def fit(depth: int) -> np.ndarray:
        return xgb.XGBRegressor(n_estimators=4, max_depth=depth).fit(features, labels).predict(features)

    return Parallel(n_jobs=2, prefer="threads")(delayed(fit)(depth) for depth in (1, 2, 3))


@scenario(close())
def one_matrix_in_several_trainings() -> object:
    data = xgb.DMatrix(*regression())
    with ThreadPoolExecutor(2) as pool:
        boosters = list(pool.map(lambda eta: xgb.train({**SMALL, "eta": eta}, data, 4), [0.1, 0.5]))
    return [booster.predict(data) for booster in boosters]
