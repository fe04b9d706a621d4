"""Monotone and interaction constraints, in all accepted forms."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xgboost as xgb
from scenarios.support.data import regression, targets
from scenarios.support.models import SMALL, fitted, learn, trees
from scenarios.support.scenario import EQUAL, caught, close, scenario

NAMES = ["a", "b", "c", "d", "e"]


@scenario(close())
def monotone_as_a_tuple() -> object:
    return fitted({"monotone_constraints": (1, -1, 0, 0, 1), "tree_method": "hist"}, *regression())


@scenario(close())
def monotone_as_a_text() -> object:
    return fitted({"monotone_constraints": "(1,-1,0,0,1)", "tree_method": "exact"}, *regression())


@scenario(close())
def monotone_of_the_first_columns_only() -> object:
    return fitted({"monotone_constraints": (-1,), "tree_method": "approx"}, *regression())


@scenario(close())
def monotone_by_name() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels, feature_names=NAMES)
    return xgb.train({**SMALL, "monotone_constraints": {"a": -1, "c": 1}}, data, 6).predict(data)


@scenario(close())
def monotone_by_loss() -> object:
    params = {"monotone_constraints": (1, 1, 0, 0, 0), "grow_policy": "lossguide", "max_leaves": 12, "max_depth": 0}
    return fitted(params, *regression())


@scenario(close())
def monotone_of_several_targets() -> object:
    return fitted({"monotone_constraints": (1, 0, 0, 0, 0)}, *targets())


@scenario(close())
def monotone_of_an_estimator_by_name() -> object:
    features, labels = regression()
    frame = pd.DataFrame(features, columns=NAMES)
    model = xgb.XGBRegressor(n_estimators=5, max_depth=3, monotone_constraints={"a": 1, "e": -1})
    return model.fit(frame, labels).predict(frame)


@scenario(close())
def monotone_of_an_unknown_name() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels, feature_names=NAMES)
    return caught("not a subset", lambda: xgb.train({"monotone_constraints": {"z": 1}}, data, 2))


@scenario(close())
def interactions_by_number() -> object:
    features, labels = regression()
    booster = learn({"interaction_constraints": "[[0, 1], [2, 3, 4]]"}, features, labels)
    return [trees(booster), booster.predict(xgb.DMatrix(features))]


@scenario(EQUAL)
def interactions_by_number_where_columns_have_no_names() -> object:
    params = {"interaction_constraints": [[0, 1], [2, 3, 4]]}
    return caught("not a subset", lambda: learn(params, *regression()))


@scenario(close())
def interactions_as_a_text() -> object:
    features, labels = regression()
    booster = learn({"interaction_constraints": "[[0, 2], [1, 3]]", "tree_method": "exact"}, features, labels)
    return [trees(booster), booster.predict(xgb.DMatrix(features))]


@scenario(close())
def interactions_by_name() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels, feature_names=NAMES)
    booster = xgb.train({**SMALL, "interaction_constraints": [["a", "b"], ["c", "d", "e"]]}, data, 6)
    return [trees(booster), booster.predict(data)]


@scenario(close())
def interactions_that_overlap() -> object:
    features, labels = regression()
    booster = learn({"interaction_constraints": "[[0, 1], [0, 2], [3]]", "max_depth": 4}, features, labels)
    return [trees(booster), booster.predict(xgb.DMatrix(features))]


@scenario(close())
def interactions_of_an_estimator() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(n_estimators=5, max_depth=3, interaction_constraints="[[0, 1], [2, 3, 4]]")
    return model.fit(features, labels).predict(features)


@scenario(close())
def interactions_by_loss() -> object:
    features, labels = regression()
    params = {
        "interaction_constraints": "[[0, 1], [2, 3]]",
        "grow_policy": "lossguide",
        "max_leaves": 10,
        "max_depth": 0,
    }
    return trees(learn(params, features, labels))


@scenario(close())
def both_constraints() -> object:
    features, labels = regression()
    params = {"interaction_constraints": "[[0, 1], [2, 3, 4]]", "monotone_constraints": (1, 0, -1, 0, 0)}
    booster = learn(params, features, np.round(labels, 2))
    return [trees(booster), booster.predict(xgb.DMatrix(features))]
