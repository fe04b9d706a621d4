"""Every booster, tree method and way of growing."""

from __future__ import annotations

import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, classes, regression, rows_with_gaps, score, targets
from scenarios.support.models import SMALL, curve, fitted, learn, trees
from scenarios.support.scenario import close, losses, scenario

# ---- tree methods ----------------------------------------------------------------------------------------------------


def _grown(params: dict[str, object], rounds: int = 4) -> object:
    features = rows_with_gaps()
    booster = learn(params, features, score(features), rounds)
    return {"trees": trees(booster), "predictions": booster.predict(xgb.DMatrix(features))}


@scenario(close())
def exact() -> object:
    return _grown({"tree_method": "exact"})


@scenario(close())
def hist() -> object:
    return _grown({"tree_method": "hist"})


@scenario(close())
def approx() -> object:
    return _grown({"tree_method": "approx"})


@scenario(close())
def auto() -> object:
    return _grown({"tree_method": "auto"})


@scenario(close())
def by_loss() -> object:
    return _grown({"grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0})


@scenario(close())
def by_depth_with_few_leaves() -> object:
    return _grown({"grow_policy": "depthwise", "max_leaves": 5})


@scenario(close())
def regularised() -> object:
    return _grown({"lambda": 3.0, "alpha": 0.5, "gamma": 1.0, "min_child_weight": 8, "max_delta_step": 0.7})


@scenario(close())
def sklearns_names_of_parameters() -> object:
    return _grown({"reg_lambda": 3.0, "reg_alpha": 0.5, "min_split_loss": 1.0, "learning_rate": 0.1})


@scenario(losses(0.05))
def few_bins() -> object:
    features = np.random.default_rng(3).normal(size=(1000, 5))
    return curve({"max_bin": 16}, xgb.DMatrix(features, score(features)))


@scenario(losses(0.05))
def many_values_by_hist() -> object:
    features = np.random.default_rng(3).normal(size=(2000, 5))
    return curve({"max_depth": 5}, xgb.DMatrix(features, score(features)), 20)


@scenario(losses(0.05))
def many_values_by_approx() -> object:
    features = np.random.default_rng(3).normal(size=(2000, 5))
    return curve({"max_depth": 5, "tree_method": "approx"}, xgb.DMatrix(features, score(features)), 20)


@scenario(close())
def many_values_exactly() -> object:
    features = np.random.default_rng(3).normal(size=(500, 4)).astype(np.float32)
    return curve({"max_depth": 4, "tree_method": "exact"}, xgb.DMatrix(features, score(features)))


@scenario(close())
def stumps() -> object:
    return _grown({"max_depth": 1}, rounds=12)


@scenario(close())
def updaters_by_name() -> object:
    return _grown({"updater": "grow_colmaker,prune"})


@scenario(close())
def three_updaters_by_name() -> object:
    return _grown({"updater": "grow_colmaker,prune,refresh"})


# ---- leaves of vectors -----------------------------------------------------------------------------------------------


@scenario(close())
def vector_leaves() -> object:
    return fitted({"multi_strategy": "multi_output_tree", "tree_method": "hist"}, *targets())


@scenario(close())
def vector_leaves_of_classes() -> object:
    params = {"multi_strategy": "multi_output_tree", "objective": "multi:softprob", "num_class": 3}
    return fitted(params, *classes())


# ---- forests ---------------------------------------------------------------------------------------------------------


@scenario(close())
def forest_without_chance() -> object:
    return fitted({"num_parallel_tree": 3, "eta": 1.0}, *regression(), rounds=1)


@scenario(losses(0.15))
def boosted_forest() -> object:
    params = {"num_parallel_tree": 10, "subsample": 0.7, "colsample_bynode": 0.7}
    return curve(params, xgb.DMatrix(*regression(1000)), 5)


# ---- dart ------------------------------------------------------------------------------------------------------------


@scenario(close())
def dart_without_chance() -> object:
    return fitted({"booster": "dart", "rate_drop": 0.0}, *regression())


@scenario(losses(0.3))
def dart_with_dropping() -> object:
    params = {"booster": "dart", "rate_drop": 0.2, "sample_type": "weighted", "normalize_type": "forest"}
    return curve(params, xgb.DMatrix(*regression(1000)), 20)["rmse"][-1]


@scenario(close())
def dart_that_drops_the_first_tree() -> object:
    """Train one tree, which is always dropped."""
    return fitted({"booster": "dart", "rate_drop": 1.0, "one_drop": 1}, *regression(), rounds=2)


@scenario(close())
def trees_dropped_without_dart() -> object:
    """Train with dropout parameters but the tree booster, as the scenario's successor."""
    return fitted({"rate_drop": 1.0, "one_drop": 1}, *regression(), rounds=2)


# ---- linear ----------------------------------------------------------------------------------------------------------


def _linear(**params: object) -> object:
    features, labels = regression()
    booster = learn({"booster": "gblinear", "eta": 0.5, **params}, features, labels, 10)
    return {
        "predictions": booster.predict(xgb.DMatrix(features)),
        "weights": booster.get_score(importance_type="weight"),
    }


@scenario(close(1e-3))
def linear_in_order() -> object:
    return _linear(updater="coord_descent", feature_selector="cyclic")


@scenario(close(1e-3))
def linear_greedily() -> object:
    return _linear(updater="coord_descent", feature_selector="greedy", top_k=3)


@scenario(close(1e-3))
def linear_thriftily() -> object:
    return _linear(updater="coord_descent", feature_selector="thrifty", top_k=3)


@scenario(losses(0.05))
def linear_by_shotgun() -> object:
    data = xgb.DMatrix(*regression())
    return curve({"booster": "gblinear", "updater": "shotgun", "nthread": 1}, data, 30)["rmse"][-1]


@scenario(close(1e-3))
def linear_regularised() -> object:
    return _linear(updater="coord_descent", alpha=0.05, **{"lambda": 0.1})


@scenario(close(1e-3))
def linear_logistic() -> object:
    params = {"booster": "gblinear", "updater": "coord_descent", "objective": "binary:logistic"}
    return fitted(params, *binary(), rounds=10)


# ---- trees of before -------------------------------------------------------------------------------------------------


@scenario(close())
def refreshed() -> object:
    features, labels = regression()
    first = learn({}, features, labels)
    update = {**SMALL, "process_type": "update", "updater": "refresh", "refresh_leaf": True}
    half = xgb.DMatrix(features[:150], labels[:150])
    return xgb.train(update, half, 6, xgb_model=first).predict(xgb.DMatrix(features))


@scenario(close())
def refreshed_statistics_only() -> object:
    features, labels = regression()
    first = learn({}, features, labels)
    update = {**SMALL, "process_type": "update", "updater": "refresh", "refresh_leaf": False}
    second = xgb.train(update, xgb.DMatrix(features[:150], labels[:150]), 6, xgb_model=first)
    return [second.predict(xgb.DMatrix(features)), second.get_score(importance_type="cover")]


@scenario(close())
def pruned() -> object:
    features, labels = regression()
    first = learn({"gamma": 0.0}, features, labels)
    update = {**SMALL, "process_type": "update", "updater": "prune", "gamma": 20.0}
    second = xgb.train(update, xgb.DMatrix(features, labels), 6, xgb_model=first)
    return [trees(second), second.predict(xgb.DMatrix(features))]
