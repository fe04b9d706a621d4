"""Every objective, with its intercept and predictions."""

from __future__ import annotations

import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, classes, counts, positive, queries, regression, targets, times
from scenarios.support.models import SMALL, fitted, intercept
from scenarios.support.scenario import close, losses, scenario
from xgboost.objective import TreeObjective

# ---- one number ------------------------------------------------------------------------------------------------------


@scenario(close())
def squared_error() -> object:
    return fitted({"objective": "reg:squarederror"}, *regression())


@scenario(close())
def squared_log_error() -> object:
    return fitted({"objective": "reg:squaredlogerror"}, *positive())


@scenario(close())
def logistic_regression() -> object:
    features, labels = regression()
    return fitted({"objective": "reg:logistic"}, features, 1 / (1 + np.exp(-labels)))


@scenario(close())
def pseudo_huber_error() -> object:
    return fitted({"objective": "reg:pseudohubererror", "huber_slope": 0.7}, *regression())


@scenario(close())
def absolute_error() -> object:
    return fitted({"objective": "reg:absoluteerror"}, *regression())


@scenario(close())
def one_quantile() -> object:
    return fitted({"objective": "reg:quantileerror", "quantile_alpha": 0.8}, *regression())


@scenario(close())
def several_quantiles() -> object:
    return fitted({"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.5, 0.9]}, *regression())


@scenario(close())
def one_expectile() -> object:
    return fitted({"objective": "reg:expectileerror", "expectile_alpha": 0.8}, *regression())


@scenario(close())
def several_expectiles() -> object:
    return fitted({"objective": "reg:expectileerror", "expectile_alpha": [0.1, 0.5, 0.9]}, *regression())


@scenario(close())
def gamma() -> object:
    return fitted({"objective": "reg:gamma"}, *positive())


@scenario(close())
def tweedie() -> object:
    return fitted({"objective": "reg:tweedie", "tweedie_variance_power": 1.3}, *counts())


@scenario(close())
def poisson() -> object:
    return fitted({"objective": "count:poisson"}, *counts())


@scenario(close())
def poisson_with_steps() -> object:
    return fitted({"objective": "count:poisson", "max_delta_step": 0.2}, *counts())


@scenario(close())
def several_targets() -> object:
    return fitted({"objective": "reg:squarederror"}, *targets())


@scenario(close())
def several_targets_absolute() -> object:
    return fitted({"objective": "reg:absoluteerror"}, *targets())


# ---- classes ---------------------------------------------------------------------------------------------------------


@scenario(close())
def logistic() -> object:
    return fitted({"objective": "binary:logistic"}, *binary())


@scenario(close())
def logistic_with_weighted_positives() -> object:
    return fitted({"objective": "binary:logistic", "scale_pos_weight": 3.0}, *binary())


@scenario(close())
def raw_logits() -> object:
    return fitted({"objective": "binary:logitraw"}, *binary())


@scenario(close())
def hinge() -> object:
    return fitted({"objective": "binary:hinge"}, *binary())


@scenario(close())
def class_numbers() -> object:
    return fitted({"objective": "multi:softmax", "num_class": 3}, *classes())


@scenario(close())
def class_probabilities() -> object:
    return fitted({"objective": "multi:softprob", "num_class": 3}, *classes())


@scenario(close())
def several_labels() -> object:
    features, labels = targets()
    return fitted({"objective": "binary:logistic"}, features, labels > 0)


# ---- queries ---------------------------------------------------------------------------------------------------------


def _ranked(objective: str, **params: object) -> object:
    features, grades, query = queries()
    data = xgb.DMatrix(features, grades, qid=query)
    history: dict[str, dict[str, list[float]]] = {}
    asked = {**SMALL, "objective": objective, "eval_metric": ["ndcg@5", "ndcg"], **params}
    booster = xgb.train(asked, data, 6, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    return {"intercept": intercept(booster), "metrics": history["train"], "predictions": booster.predict(data)}


@scenario(close())
def rank_ndcg() -> object:
    return _ranked("rank:ndcg")


@scenario(losses(0.1))
def rank_pairwise() -> object:
    return _ranked("rank:pairwise", lambdarank_pair_method="mean", lambdarank_num_pair_per_sample=4)["metrics"]


@scenario(close())
def rank_pairwise_of_the_first() -> object:
    return _ranked("rank:pairwise", lambdarank_pair_method="topk", lambdarank_num_pair_per_sample=8)


@scenario(close())
def rank_map() -> object:
    features, grades, query = queries()
    return xgb.train({**SMALL, "objective": "rank:map"}, xgb.DMatrix(features, grades > 1, qid=query), 6).predict(
        xgb.DMatrix(features)
    )


@scenario(close())
def rank_with_linear_gains() -> object:
    return _ranked("rank:ndcg", ndcg_exp_gain=False)


@scenario(close(1e-3))
def rank_unbiased() -> object:
    return _ranked("rank:ndcg", lambdarank_unbiased=True, lambdarank_bias_norm=1.0)


# ---- survival --------------------------------------------------------------------------------------------------------


@scenario(close())
def cox() -> object:
    features, labels = positive()
    distinct = labels + np.arange(len(labels)) * 1e-3
    return fitted(
        {"objective": "survival:cox"}, features, np.where(np.arange(len(labels)) % 3 == 0, -distinct, distinct)
    )


def _accelerated(distribution: str) -> object:
    features, lower, upper = times()
    data = xgb.DMatrix(features, label_lower_bound=lower, label_upper_bound=upper)
    asked = {
        **SMALL,
        "objective": "survival:aft",
        "aft_loss_distribution": distribution,
        "aft_loss_distribution_scale": 1.2,
    }
    booster = xgb.train(asked, data, 6)
    return {"intercept": intercept(booster), "predictions": booster.predict(data)}


@scenario(close())
def aft_normal() -> object:
    return _accelerated("normal")


@scenario(close())
def aft_logistic() -> object:
    return _accelerated("logistic")


@scenario(close())
def aft_extreme() -> object:
    return _accelerated("extreme")


@scenario(close())
def aft_censored_to_the_left() -> object:
    features, labels = positive()
    lower = np.where(np.arange(len(labels)) % 4 == 0, -np.inf, labels)
    data = xgb.DMatrix(features, label_lower_bound=lower, label_upper_bound=labels + 0.1)
    return xgb.train({**SMALL, "objective": "survival:aft"}, data, 5).predict(data)


# ---- custom objectives -----------------------------------------------------------------------------------------------


@scenario(close())
def own_objective() -> object:
    features, labels = positive()

    def squared_log(predictions: np.ndarray, data: xgb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        above = np.maximum(predictions, -0.99)
        distance = np.log1p(above) - np.log1p(data.get_label())
        return distance / (above + 1), np.maximum((1 - distance) / (above + 1) ** 2, 1e-6)

    data = xgb.DMatrix(features, labels)
    booster = xgb.train({**SMALL, "base_score": 0.5, "disable_default_eval_metric": 1}, data, 6, obj=squared_log)
    return booster.predict(data)


@scenario(close())
def own_softmax() -> object:
    features, labels = classes()

    def softmax(predictions: np.ndarray, data: xgb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        shares = np.exp(predictions - predictions.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        hits = np.eye(3)[data.get_label().astype(int)]
        return shares - hits, np.maximum(2 * shares * (1 - shares), 1e-6)

    data = xgb.DMatrix(features, labels)
    booster = xgb.train({**SMALL, "num_class": 3, "objective": "multi:softprob"}, data, 6, obj=softmax)
    return booster.predict(data, output_margin=True)


@scenario(close())
def own_objective_of_several_targets() -> object:
    features, labels = targets()

    def squared(predictions: np.ndarray, data: xgb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        return predictions - data.get_label().reshape(predictions.shape), np.ones_like(predictions)

    data = xgb.DMatrix(features, labels)
    return xgb.train({**SMALL, "num_target": 3}, data, 5, obj=squared).predict(data)


@scenario(close())
def given_intercept() -> object:
    return fitted({"objective": "binary:logistic", "base_score": 0.3}, *binary())


@scenario(close())
def given_intercepts() -> object:
    return fitted({"objective": "reg:squarederror", "base_score": [0.5, -0.5, 1.0]}, *targets())


@scenario(close())
def own_gradients_to_find_splits_with() -> object:
    class Averaged(TreeObjective):
        """Trees with leaves of three values, grown for their mean."""

        def __call__(self, iteration: int, y_pred: np.ndarray, dtrain: xgb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
            return y_pred - dtrain.get_label().reshape(y_pred.shape), np.ones_like(y_pred)

        def split_grad(self, iteration: int, grad: np.ndarray, hess: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return grad.mean(axis=1, keepdims=True), hess.mean(axis=1, keepdims=True)

    features, labels = targets()
    labels[:, 1] = labels[:, 0] * 0.5
    data = xgb.DMatrix(features, labels)
    params = {**SMALL, "num_target": 3, "multi_strategy": "multi_output_tree", "base_score": 0.0}
    return xgb.train(params, data, 4, obj=Averaged()).predict(data)
