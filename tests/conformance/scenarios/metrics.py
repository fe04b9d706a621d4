"""Every metric, over a few rounds."""

from __future__ import annotations

import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, classes, counts, positive, queries, regression, targets, times
from scenarios.support.models import SMALL, curve
from scenarios.support.scenario import close, scenario


@scenario(close())
def of_errors() -> object:
    data = xgb.DMatrix(*positive())
    return curve({"eval_metric": ["rmse", "rmsle", "mae", "mape", "mphe"]}, data)


@scenario(close())
def of_two_classes() -> object:
    metrics = ["logloss", "error", "error@0.3", "auc", "aucpr", "rmse"]
    return curve({"objective": "binary:logistic", "eval_metric": metrics}, xgb.DMatrix(*binary()))


@scenario(close())
def of_more_classes() -> object:
    metrics = ["merror", "mlogloss", "auc", "aucpr"]
    return curve({"objective": "multi:softprob", "num_class": 3, "eval_metric": metrics}, xgb.DMatrix(*classes()))


@scenario(close())
def of_several_labels() -> object:
    features, labels = targets()
    data = xgb.DMatrix(features, labels > 0)
    return curve({"objective": "binary:logistic", "eval_metric": ["logloss", "error", "auc", "aucpr"]}, data)


@scenario(close())
def of_counts() -> object:
    return curve({"objective": "count:poisson", "eval_metric": ["poisson-nloglik", "rmse"]}, xgb.DMatrix(*counts()))


@scenario(close())
def of_positive_labels() -> object:
    metrics = ["gamma-nloglik", "gamma-deviance", "tweedie-nloglik@1.4"]
    return curve({"objective": "reg:gamma", "eval_metric": metrics}, xgb.DMatrix(*positive()))


@scenario(close())
def of_queries() -> object:
    features, grades, query = queries()
    metrics = ["ndcg", "ndcg@3", "ndcg@3-", "map", "map@3", "map@3-", "pre", "pre@3", "auc", "aucpr"]
    data = xgb.DMatrix(features, np.minimum(grades, 1), qid=query)
    return curve({"objective": "rank:ndcg", "eval_metric": metrics}, data)


@scenario(close())
def of_weighted_queries() -> object:
    features, grades, query = queries()
    data = xgb.DMatrix(features, grades, qid=query, weight=np.linspace(0.5, 2, len(np.unique(query))))
    return curve({"objective": "rank:ndcg", "eval_metric": ["ndcg@5", "ndcg"]}, data)


@scenario(close())
def of_censored_times() -> object:
    features, lower, upper = times()
    data = xgb.DMatrix(features, label_lower_bound=lower, label_upper_bound=upper)
    return curve({"objective": "survival:aft", "eval_metric": ["aft-nloglik", "interval-regression-accuracy"]}, data)


@scenario(close())
def of_hazards() -> object:
    features, labels = positive()
    return curve({"objective": "survival:cox", "eval_metric": "cox-nloglik"}, xgb.DMatrix(features, labels))


@scenario(close())
def of_quantiles() -> object:
    params = {"objective": "reg:quantileerror", "quantile_alpha": [0.2, 0.7], "eval_metric": "quantile"}
    return curve(params, xgb.DMatrix(*regression()))


@scenario(close())
def of_expectiles() -> object:
    params = {"objective": "reg:expectileerror", "expectile_alpha": [0.2, 0.7]}
    return curve(params, xgb.DMatrix(*regression()))


@scenario(close())
def defaults_of_objectives() -> object:
    names = []
    for objective in ("reg:squarederror", "binary:logistic", "reg:absoluteerror", "reg:pseudohubererror"):
        features, labels = binary()
        names += list(curve({"objective": objective}, xgb.DMatrix(features, labels), 1))
    for objective in ("count:poisson", "reg:gamma", "reg:tweedie", "survival:cox", "reg:squaredlogerror"):
        features, labels = positive()
        names += list(curve({"objective": objective}, xgb.DMatrix(features, labels), 1))
    return names


@scenario(close())
def with_weights() -> object:
    features, labels = binary()
    data = xgb.DMatrix(features, labels, weight=np.linspace(0, 2, len(labels)))
    return curve({"objective": "binary:logistic", "eval_metric": ["logloss", "error", "auc", "aucpr"]}, data)


@scenario(close())
def own_metric() -> object:
    def largest_miss(predictions: np.ndarray, data: xgb.DMatrix) -> tuple[str, float]:
        return "largest", float(np.abs(predictions - data.get_label()).max())

    return curve({"disable_default_eval_metric": True}, xgb.DMatrix(*regression()), custom_metric=largest_miss)


@scenario(close())
def eval_of_a_booster() -> object:
    data = xgb.DMatrix(*regression())
    booster = xgb.train({**SMALL, "eval_metric": ["mae", "rmse"]}, data, 3)
    name, *parts = booster.eval(data, "held", 7).replace("\t", ":").split(":")
    return [name, *(float(part) if i % 2 else part for i, part in enumerate(parts))]
