"""Explanations and leaves, for every kind of model and in every shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xgboost as xgb
from scenarios.support.data import binary, classes, regression, rows_with_gaps, score, targets
from scenarios.support.models import learn
from scenarios.support.scenario import EQUAL, caught, close, scenario


def _explained(params: dict[str, Any], features: np.ndarray, labels: np.ndarray, **options: Any) -> object:
    booster = learn(params, features, labels, 4)
    return booster.predict(xgb.DMatrix(features[:60]), **options)


@scenario(close())
def contributions() -> object:
    return _explained({}, *regression(), pred_contribs=True)


@scenario(close())
def contributions_with_gaps() -> object:
    features = rows_with_gaps()
    return _explained({}, features, score(features), pred_contribs=True)


@scenario(close())
def contributions_of_classes() -> object:
    return _explained({"objective": "multi:softprob", "num_class": 3}, *classes(), pred_contribs=True)


@scenario(close())
def contributions_of_probabilities() -> object:
    return _explained({"objective": "binary:logistic"}, *binary(), pred_contribs=True, strict_shape=True)


@scenario(close())
def contributions_of_forests() -> object:
    return _explained({"num_parallel_tree": 3}, *regression(), pred_contribs=True)


@scenario(close())
def contributions_of_dart() -> object:
    return _explained({"booster": "dart", "rate_drop": 0.0}, *regression(), pred_contribs=True)


@scenario(close(1e-3))
def contributions_of_weights() -> object:
    params = {"booster": "gblinear", "updater": "coord_descent", "feature_selector": "cyclic"}
    return _explained(params, *regression(), pred_contribs=True)


@scenario(close())
def contributions_of_several_targets() -> object:
    return _explained({}, *targets(), pred_contribs=True)


@scenario(close())
def contributions_of_vectors() -> object:
    return _explained({"multi_strategy": "multi_output_tree"}, *targets(), pred_contribs=True)


@scenario(close())
def contributions_of_some_rounds() -> object:
    return _explained({}, *regression(), pred_contribs=True, iteration_range=(0, 2))


@scenario(close())
def contributions_from_margins() -> object:
    features, labels = regression()
    booster = learn({}, features, labels)
    return booster.predict(xgb.DMatrix(features, base_margin=np.linspace(0, 1, 300)), pred_contribs=True)


@scenario(close())
def contributions_of_categories() -> object:
    codes = np.random.default_rng(1).integers(0, 6, 300)
    frame = pd.DataFrame({"kind": pd.Categorical(codes), "size": np.linspace(0, 1, 300).round(1)})
    data = xgb.DMatrix(frame, codes % 3 + frame["size"], enable_categorical=True)
    booster = xgb.train({"max_depth": 3, "max_cat_to_onehot": 1}, data, 4)
    return [booster.predict(data, pred_contribs=True), booster.predict(data, pred_interactions=True)]


@scenario(close(1e-3))
def approximate_contributions() -> object:
    return _explained({}, *regression(), pred_contribs=True, approx_contribs=True)


@scenario(close())
def interactions() -> object:
    return _explained({}, *regression(), pred_interactions=True)


@scenario(close())
def interactions_of_classes() -> object:
    return _explained({"objective": "multi:softprob", "num_class": 3}, *classes(), pred_interactions=True)


@scenario(close(1e-3))
def approximate_interactions() -> object:
    return _explained({}, *regression(), pred_interactions=True, approx_contribs=True)


@scenario(EQUAL)
def leaves() -> object:
    return _explained({}, *regression(), pred_leaf=True)


@scenario(EQUAL)
def leaves_of_classes() -> object:
    return _explained({"objective": "multi:softprob", "num_class": 3}, *classes(), pred_leaf=True)


@scenario(EQUAL)
def leaves_of_forests_in_strict_shape() -> object:
    params = {"objective": "multi:softprob", "num_class": 3, "num_parallel_tree": 2}
    return _explained(params, *classes(), pred_leaf=True, strict_shape=True)


@scenario(EQUAL)
def leaves_of_some_rounds() -> object:
    return _explained({}, *regression(), pred_leaf=True, iteration_range=(0, 2))


@scenario(EQUAL)
def leaves_of_weights() -> object:
    return caught("", lambda: _explained({"booster": "gblinear"}, *regression(), pred_leaf=True))["raised"]


def _shapes(params: dict[str, Any], features: np.ndarray, labels: np.ndarray) -> list[tuple[int, ...]]:
    booster, rows = learn(params, features, labels, 2), xgb.DMatrix(features[:7])
    kinds = ("output_margin", "pred_contribs", "pred_interactions", "pred_leaf")
    asked: list[dict[str, bool]] = [{}, *({kind: True} for kind in kinds)]
    return [booster.predict(rows, strict_shape=strict, **kind).shape for kind in asked for strict in (False, True)]


@scenario(EQUAL)
def shapes_of_predictions() -> object:
    softprob = {"objective": "multi:softprob", "num_class": 3}
    return [_shapes({}, *regression()), _shapes(softprob, *classes()), _shapes({}, *targets())]


@scenario(close())
def values_and_bias_apart() -> object:
    features, labels = classes()
    model = xgb.XGBClassifier(n_estimators=3, max_depth=3).fit(features, labels)
    values, bias = xgb.interpret.shap_values(model, features[:20])
    return [values, bias]


@scenario(close())
def sums_of_contributions() -> object:
    features, labels = binary()
    booster = learn({"objective": "binary:logistic"}, features, labels)
    data = xgb.DMatrix(features)
    return booster.predict(data, pred_contribs=True).sum(axis=1) - booster.predict(data, output_margin=True) < 1e-4


@scenario(EQUAL)
def two_kinds_at_once() -> object:
    features, labels = regression()
    booster, data = learn({}, features, labels, 2), xgb.DMatrix(features)
    return caught("One type of prediction", lambda: booster.predict(data, pred_leaf=True, pred_contribs=True))


@scenario(EQUAL)
def contributions_of_rounds_from_the_second_on() -> object:
    features, labels = regression()
    booster, data = learn({}, features, labels, 4), xgb.DMatrix(features)
    return caught("", lambda: booster.predict(data, pred_contribs=True, iteration_range=(1, 3)))["raised"]
