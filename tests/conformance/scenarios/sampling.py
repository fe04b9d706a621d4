"""Row and column sampling. Random numbers differ, so losses are compared, and results independent of chance."""

from __future__ import annotations

import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, regression
from scenarios.support.models import SMALL, curve, learn, trees
from scenarios.support.scenario import EQUAL, losses, scenario


def _last(params: dict[str, object]) -> float:
    return curve(params, xgb.DMatrix(*regression(2000)), 20)["rmse"][-1]


@scenario(losses(0.15))
def rows_by_chance() -> object:
    return _last({"subsample": 0.5})


@scenario(losses(0.15))
def rows_by_gradient() -> object:
    return _last({"subsample": 0.3, "sampling_method": "gradient_based", "tree_method": "hist"})


@scenario(losses(0.25))
def columns_by_tree() -> object:
    return _last({"colsample_bytree": 0.6})


@scenario(losses(0.25))
def columns_by_level() -> object:
    return _last({"colsample_bylevel": 0.6})


@scenario(losses(0.25))
def columns_by_node() -> object:
    return _last({"colsample_bynode": 0.6})


@scenario(losses(0.25))
def columns_by_all_three() -> object:
    return _last({"colsample_bytree": 0.8, "colsample_bylevel": 0.8, "colsample_bynode": 0.8, "tree_method": "approx"})


def _same(first: dict[str, object], second: dict[str, object]) -> bool:
    features, labels = regression()
    dumps = [
        learn({"subsample": 0.5, "colsample_bytree": 0.6, **p}, features, labels).get_dump() for p in (first, second)
    ]
    return dumps[0] == dumps[1]


@scenario(EQUAL)
def seeds() -> object:
    return {"one": _same({"seed": 3}, {"seed": 3}), "two": _same({"seed": 3}, {"seed": 4}), "none": _same({}, {})}


@scenario(EQUAL)
def seed_under_its_other_name() -> object:
    return _same({"random_state": 5}, {"seed": 5})


@scenario(EQUAL)
def seeds_by_round() -> object:
    return _same({"seed_per_iteration": True}, {"seed_per_iteration": True})


@scenario(EQUAL)
def columns_without_weight_are_never_drawn() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels, feature_weights=[1.0, 0.0, 1.0, 0.0, 1.0])
    booster = xgb.train({**SMALL, "colsample_bynode": 0.6}, data, 20)
    return sorted(booster.get_score())


@scenario(EQUAL)
def feature_weights_of_an_estimator() -> object:
    features, labels = binary()
    weights = np.array([1.0, 0.0, 1.0, 0.0, 1.0])
    model = xgb.XGBClassifier(n_estimators=20, max_depth=2, colsample_bytree=0.6, feature_weights=weights)
    return (model.fit(features, labels).feature_importances_ > 0).tolist()


@scenario(EQUAL)
def trees_see_a_part_of_the_columns() -> object:
    features, labels = regression()
    booster = learn({"colsample_bytree": 0.2}, features, labels, 10)
    columns = [{split[0] for split in _flat(tree)} for tree in trees(booster)]
    return [max(len(seen) for seen in columns), len(set.union(*columns)) > 1]


def _flat(tree: list) -> list:
    return [] if not tree else [tree[0], *(split for child in tree[1:] for split in _flat(child))]
