"""Ways to train: continuation, initial margins, cross-validation, and custom loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, classes, queries, regression, rows
from scenarios.support.models import SMALL, learn, trees
from scenarios.support.scenario import EQUAL, caught, close, losses, scenario

# ---- continuing ------------------------------------------------------------------------------------------------------


@scenario(close())
def continued_from_a_booster() -> object:
    data = xgb.DMatrix(*regression())
    first = xgb.train(SMALL, data, 4)
    second = xgb.train(SMALL, data, 3, xgb_model=first)
    return [first.num_boosted_rounds(), second.num_boosted_rounds(), second.predict(data)]


@scenario(close())
def continued_from_a_file() -> object:
    data = xgb.DMatrix(*regression())
    xgb.train(SMALL, data, 4).save_model("first.json")
    return xgb.train({**SMALL, "eta": 0.1}, data, 3, xgb_model="first.json").predict(data)


@scenario(close())
def continued_from_no_rounds() -> object:
    data = xgb.DMatrix(*regression())
    xgb.train(SMALL, data, 0).save_model("empty.json")
    return xgb.train(SMALL, data, 3, xgb_model="empty.json").predict(data)


@scenario(EQUAL)
def continued_as_in_one_run() -> object:
    data = xgb.DMatrix(*regression())
    params = {**SMALL, "subsample": 0.5, "colsample_bynode": 0.5, "seed": 7}
    whole = xgb.train(params, data, 6)
    halves = xgb.train(params, data, 3, xgb_model=xgb.train(params, data, 3))
    return whole.get_dump() == halves.get_dump()


@scenario(EQUAL)
def numbers_of_rounds_when_continued() -> object:
    data = xgb.DMatrix(*regression())
    history: dict[str, Any] = {}
    first = xgb.train(SMALL, data, 4)
    xgb.train(SMALL, data, 3, xgb_model=first, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    return len(history["train"]["rmse"])


@scenario(close())
def begun_from_margins() -> object:
    features, labels = binary()
    params = {**SMALL, "objective": "binary:logistic"}
    data = xgb.DMatrix(features, labels)
    margins = xgb.train(params, data, 2).predict(data, output_margin=True)
    data.set_base_margin(margins)
    booster = xgb.train(params, data, 2)
    return [data.get_base_margin(), booster.predict(data), booster.predict(xgb.DMatrix(features))]


@scenario(close())
def begun_from_margins_of_classes() -> object:
    features, labels = classes()
    margins = np.linspace(-1, 1, 900, dtype=np.float32).reshape(300, 3)
    data = xgb.DMatrix(features, labels, base_margin=margins)
    booster = xgb.train({**SMALL, "objective": "multi:softprob", "num_class": 3}, data, 3)
    return [data.get_base_margin(), booster.predict(data)]


@scenario(close())
def begun_from_flat_margins_of_classes() -> object:
    features, labels = classes()
    data = xgb.DMatrix(features, labels, base_margin=np.linspace(-1, 1, 900, dtype=np.float32))
    return xgb.train({**SMALL, "objective": "multi:softprob", "num_class": 3}, data, 3).predict(data)


# ---- weights ---------------------------------------------------------------------------------------------------------


@scenario(close())
def weighted_rows() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels, weight=np.linspace(0, 3, 300))
    return xgb.train(SMALL, data, 5).predict(data)


@scenario(EQUAL)
def rows_without_any_weight() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels, weight=np.zeros(300))
    return caught("(?s)(?=.*weight).*zero", lambda: xgb.train(SMALL, data, 2))


@scenario(close())
def no_rows() -> object:
    booster = xgb.train(SMALL, xgb.DMatrix(np.empty((0, 5)), np.empty(0)), 2)
    return booster.predict(xgb.DMatrix(rows(10)))


@scenario(close())
def no_rows_to_evaluate() -> object:
    data = xgb.DMatrix(*regression())
    history: dict[str, Any] = {}
    empty = xgb.DMatrix(np.empty((0, 5)), np.empty(0))
    evals = [(data, "train"), (empty, "empty")]
    xgb.train(SMALL, data, 2, evals=evals, evals_result=history, verbose_eval=False)
    return history["train"]


@scenario(close())
def no_rounds() -> object:
    data = xgb.DMatrix(*regression())
    return xgb.train(SMALL, data, 0).predict(data)


@scenario(close())
def constant_labels() -> object:
    features, _ = regression()
    data = xgb.DMatrix(features, np.full(300, 2.5))
    return xgb.train(SMALL, data, 3).predict(data)


# ---- cross-validation ------------------------------------------------------------------------------------------------


@scenario(close())
def folds_given() -> object:
    features, labels = regression()
    parts = np.array_split(np.arange(300), 3)
    folds = [(np.setdiff1d(np.arange(300), held), held) for held in parts]
    return xgb.cv(SMALL, xgb.DMatrix(features, labels), 4, folds=folds, as_pandas=False)


@scenario(EQUAL)
def folds_in_a_frame() -> object:
    frame = xgb.cv(SMALL, xgb.DMatrix(*regression()), 3, nfold=3, seed=2, metrics=["mae", "rmse"])
    return [list(frame.columns), frame.shape]


@scenario(close())
def folds_by_chance() -> object:
    return xgb.cv(SMALL, xgb.DMatrix(*regression()), 3, nfold=4, seed=2, as_pandas=False)


@scenario(close())
def folds_stratified() -> object:
    params = {**SMALL, "objective": "binary:logistic"}
    return xgb.cv(params, xgb.DMatrix(*binary()), 3, nfold=3, stratified=True, seed=2, as_pandas=False)


@scenario(close())
def folds_of_queries() -> object:
    features, grades, query = queries()
    data = xgb.DMatrix(features, grades, qid=query)
    params = {**SMALL, "objective": "rank:ndcg"}
    return xgb.cv(params, data, 3, nfold=4, seed=2, metrics="ndcg@5", as_pandas=False)


@scenario(close())
def folds_prepared() -> object:
    def prepare(train: xgb.DMatrix, test: xgb.DMatrix, params: dict[str, Any]) -> tuple:
        label = train.get_label()
        return train, test, {**params, "scale_pos_weight": float(np.sum(label == 0) / np.sum(label == 1))}

    params = {**SMALL, "objective": "binary:logistic"}
    return xgb.cv(params, xgb.DMatrix(*binary()), 3, nfold=3, fpreproc=prepare, seed=2, as_pandas=False)


# ---- loops of users' own ---------------------------------------------------------------------------------------------


@scenario(close())
def updating_round_by_round() -> object:
    data = xgb.DMatrix(*regression())
    booster = xgb.Booster(SMALL, [data])
    texts = []
    for i in range(4):
        booster.update(data, i)
        texts.append(float(booster.eval_set([(data, "train")], i).split(":")[-1]))
    return [texts, booster.predict(data)]


@scenario(close())
def boosting_with_gradients() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels)
    booster = xgb.Booster({**SMALL, "base_score": 0.0}, [data])
    for i in range(4):
        margins = booster.predict(data, output_margin=True)
        booster.boost(data, i, grad=margins - labels, hess=np.ones_like(labels))
    return booster.predict(data)


@scenario(close())
def parameters_changed_between_rounds() -> object:
    data = xgb.DMatrix(*regression())
    booster = xgb.Booster(SMALL, [data])
    for i in range(4):
        booster.set_param("eta", 0.5 / (i + 1))
        booster.set_param({"max_depth": 1 + i})
        booster.update(data, i)
    return [trees(booster), booster.predict(data)]


@scenario(EQUAL)
def metrics_added_after_training() -> object:
    data = xgb.DMatrix(*regression())
    booster = xgb.train(SMALL, data, 2)
    booster.set_param({"eval_metric": "mae"})
    return [part.split(":")[0] for part in booster.eval_set([(data, "d")], 2).split("\t")]


@scenario(close())
def parameters_as_pairs() -> object:
    data = xgb.DMatrix(*regression())
    pairs = [("max_depth", 3), ("eta", 0.3), ("eval_metric", "mae"), ("eval_metric", "rmse")]
    booster = xgb.train(pairs, data, 3)
    return [booster.eval_set([(data, "d")], 2).count(":"), booster.predict(data)]


@scenario(close())
def training_after_the_data_changed() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels)
    booster = xgb.train(SMALL, data, 2)
    data.set_label(-labels)
    booster.update(data, 2)
    data.set_weight(np.linspace(0, 1, 300))
    booster.update(data, 3)
    return booster.predict(data)


@scenario(EQUAL)
def something_that_is_no_matrix() -> object:
    return caught("DMatrix", lambda: xgb.train(SMALL, regression()[0], 1))


@scenario(losses(0.1))
def threads_do_not_change_what_is_learnt() -> object:
    dumps = [learn({"nthread": n}, *regression()).get_dump() for n in (1, 2)]
    return float(dumps[0] == dumps[1])
