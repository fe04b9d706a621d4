"""Copies of boosters: pickles, deep copies, configurations, attributes, slices."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Any

import cloudpickle
import joblib
import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, classes, positive, queries, regression, times
from scenarios.support.models import SMALL, learn
from scenarios.support.scenario import EQUAL, caught, close, scenario


def _data() -> xgb.DMatrix:
    return xgb.DMatrix(regression()[0])


# ---- pickles ---------------------------------------------------------------------------------------------------------


@scenario(close())
def pickled() -> object:
    booster = learn({}, *regression())
    booster.set_attr(note="kept")
    other = pickle.loads(pickle.dumps(booster))
    return [other.attributes(), other.num_boosted_rounds(), other.predict(_data())]


@scenario(EQUAL)
def pickled_configurations() -> object:
    booster = learn({"tree_method": "approx", "subsample": 0.9, "lambda": 2.0}, *regression())
    return booster.save_config() == pickle.loads(pickle.dumps(booster)).save_config()


@scenario(close())
def pickled_and_trained_on() -> object:
    data = xgb.DMatrix(*regression())
    booster = pickle.loads(pickle.dumps(xgb.train({**SMALL, "max_depth": 2}, data, 3)))
    booster.update(data, 3)
    return [booster.predict(data), [text.count("leaf") for text in booster.get_dump()]]


@scenario(EQUAL)
def pickled_with_the_number_of_threads() -> object:
    booster = pickle.loads(pickle.dumps(learn({"nthread": 2}, *regression())))
    return json.loads(booster.save_config())["learner"]["generic_param"]["nthread"]


@scenario(close())
def pickled_estimators() -> object:
    features, labels = binary()
    model = xgb.XGBClassifier(n_estimators=5, max_depth=3).fit(features, labels)
    copies = [pickle.loads(pickle.dumps(model)), cloudpickle.loads(cloudpickle.dumps(model)), copy.deepcopy(model)]
    joblib.dump(model, "model.joblib")
    copies.append(joblib.load("model.joblib"))
    return [other.predict_proba(features) for other in copies]


@scenario(EQUAL)
def pickled_before_training() -> object:
    model = pickle.loads(pickle.dumps(xgb.XGBClassifier(n_estimators=7, max_depth=3)))
    return [model.n_estimators, model.get_params()["max_depth"]]


@scenario(close())
def copied() -> object:
    booster = learn({}, *regression())
    copies = [booster.copy(), copy.copy(booster), copy.deepcopy(booster)]
    booster.update(xgb.DMatrix(*regression()), 6)
    return [[other.num_boosted_rounds(), other.predict(_data())] for other in copies]


@scenario(EQUAL)
def snapshots() -> object:
    booster = learn({}, *regression())
    booster.__getstate__()
    state = booster.__getstate__()["handle"]
    return [type(state).__name__, bytes(state[:1])]


@scenario(close())
def matrices_that_went() -> object:
    booster = learn({}, *regression())
    booster.reset()
    return booster.predict(_data())


# ---- configurations --------------------------------------------------------------------------------------------------


@scenario(EQUAL)
def configurations_through_another_booster() -> object:
    features, labels = regression()
    booster = learn({"max_depth": 4, "eta": 0.05, "tree_method": "approx"}, features, labels)
    other = xgb.train({}, xgb.DMatrix(features, labels), 6)
    other.load_config(booster.save_config())
    return other.save_config() == booster.save_config()


READ = (
    "learner_train_param/objective",
    "learner_train_param/booster",
    "learner_train_param/multi_strategy",
    "learner_model_param/num_feature",
    "learner_model_param/num_class",
    "learner_model_param/num_target",
    "generic_param/device",
    "generic_param/seed",
    "generic_param/seed_per_iteration",
    "generic_param/validate_parameters",
    "gradient_booster/name",
    "gradient_booster/gbtree_train_param/tree_method",
    "gradient_booster/gbtree_train_param/updater",
    "gradient_booster/gbtree_train_param/process_type",
    "gradient_booster/gbtree_model_param/num_trees",
    "gradient_booster/gbtree_model_param/num_parallel_tree",
    "gradient_booster/tree_train_param/max_depth",
    "gradient_booster/tree_train_param/learning_rate",
    "gradient_booster/tree_train_param/reg_lambda",
    "gradient_booster/tree_train_param/subsample",
    "gradient_booster/tree_train_param/grow_policy",
    "gradient_booster/tree_train_param/max_cat_to_onehot",
    "gradient_booster/tree_train_param/monotone_constraints",
    "gradient_booster/tree_train_param/interaction_constraints",
)


def _at(config: dict[str, Any], path: str) -> object:
    for name in path.split("/"):
        config = config.get(name, {})
    return config


@scenario(close())
def what_tools_read_in_a_configuration() -> object:
    params = {"tree_method": "approx", "eta": 0.05, "seed": 3, "monotone_constraints": (1, 0), "eval_metric": "mae"}
    config = json.loads(learn(params, *regression()).save_config())
    texts = {path: _at(config["learner"], path) for path in READ}
    return [config["version"], config["learner"]["metrics"], _numbers(texts)]


def _numbers(texts: dict[str, Any]) -> dict[str, Any]:
    """Convert numeric texts to numbers, because the libraries write different digits."""
    return {k: float(v) if re.fullmatch(r"-?[\d.]+(E-?\d+)?", str(v)) else v for k, v in texts.items()}


@scenario(close())
def objectives_in_a_configuration() -> object:
    said = []
    for params in ({"objective": "reg:tweedie", "tweedie_variance_power": 1.2}, {"objective": "reg:pseudohubererror"}):
        objective = json.loads(learn(params, *positive()).save_config())["learner"]["objective"]
        said.append({k: v if isinstance(v, str) else _numbers(v) for k, v in objective.items()})
    return said


WITH_PARAMETERS = (
    {"objective": "survival:aft", "aft_loss_distribution": "extreme"},
    {"objective": "reg:pseudohubererror", "huber_slope": 2.5},
    {"objective": "reg:quantileerror", "quantile_alpha": [0.25, 0.75]},
    {"objective": "reg:expectileerror", "expectile_alpha": [0.25, 0.75]},
    {"eval_metric": ["mphe", "rmse"], "huber_slope": 2.5},
    {"eval_metric": ["ndcg@5", "map", "pre@3-"], "objective": "rank:ndcg", "ndcg_exp_gain": False},
)


def _with_parameters(params: dict[str, Any]) -> xgb.DMatrix:
    if params.get("objective") == "survival:aft":
        features, lower, upper = times()
        return xgb.DMatrix(features, label_lower_bound=lower, label_upper_bound=upper)
    if "rank" in params.get("objective", ""):
        features, labels, ids = queries()
        return xgb.DMatrix(features, labels > labels.mean(), qid=ids)
    return xgb.DMatrix(*positive())


def _said_of(metric: dict[str, Any]) -> object:
    groups = {key: sorted(group) for key, group in metric.items() if key != "name"}
    values = [_numbers({k: metric[key][k]}) for key in groups for k in groups[key] if key != "lambdarank_param"]
    places = [metric[key].get("lambdarank_num_pair_per_sample") for key in groups]
    return [metric["name"], groups, [v for v in values if not str(v).count("[")], places]


@scenario(close())
def parameters_of_metrics_in_a_configuration() -> object:
    said = []
    for params in WITH_PARAMETERS:
        config = json.loads(xgb.train(params, _with_parameters(params), 1).save_config())
        said.append([_said_of(metric) for metric in config["learner"]["metrics"]])
    return said


@scenario(close())
def configurations_with_parameters_of_metrics_through_another_booster() -> object:
    evaluations = []
    for params in WITH_PARAMETERS:
        data = _with_parameters(params)
        booster = xgb.train(params, data, 2)
        other = xgb.Booster(model_file=booster.save_raw())
        other.load_config(booster.save_config())
        assert other.eval(data) == booster.eval(data)
        evaluations.append([float(part.rsplit(":", 1)[1]) for part in booster.eval(data).split("\t")[1:]])
    return evaluations


# ---- attributes ------------------------------------------------------------------------------------------------------


@scenario(EQUAL)
def attributes() -> object:
    booster = learn({}, *regression())
    booster.set_attr(one="1", two="äöü")
    first = [booster.attr("one"), booster.attr("two"), booster.attr("nothing"), booster.attributes()]
    booster.set_attr(one=None)
    return [first, booster.attributes()]


@scenario(EQUAL)
def attributes_that_are_no_texts() -> object:
    booster = learn({}, *regression())
    booster.set_attr(number=3, truth=True)
    return booster.attributes()


@scenario(EQUAL)
def the_best_round() -> object:
    booster = learn({}, *regression())
    missing = caught("best_iteration", lambda: booster.best_iteration)
    booster.best_iteration = 3
    return [missing, booster.best_iteration, booster.attributes()]


@scenario(EQUAL)
def names_set_on_a_booster() -> object:
    booster = learn({}, *regression())
    booster.feature_names, booster.feature_types = list("vwxyz"), ["float"] * 5
    return [booster.feature_names, booster.feature_types, sorted(booster.get_score())]


# ---- slices ----------------------------------------------------------------------------------------------------------


@scenario(close())
def slices() -> object:
    booster, data = learn({}, *regression(), 8), _data()
    parts = [booster[:3], booster[2:6], booster[0:8:2], booster[...], booster[5], booster[3:]]
    return [[part.num_boosted_rounds(), part.predict(data)] for part in parts]


@scenario(close())
def slices_of_classes() -> object:
    features, labels = classes()
    booster = learn({"objective": "multi:softprob", "num_class": 3, "num_parallel_tree": 2}, features, labels)
    part = booster[2:4]
    return [len(part.get_dump()), part.predict(xgb.DMatrix(features))]


@scenario(close())
def slices_of_dart() -> object:
    booster = learn({"booster": "dart", "rate_drop": 0.0}, *regression())
    return booster[1:3].predict(_data())


@scenario(close())
def rounds_one_by_one() -> object:
    booster, data = learn({}, *regression(), 3), _data()
    return [part.predict(data, output_margin=True) for part in booster]


@scenario(close())
def predictions_of_some_rounds() -> object:
    booster, data = learn({}, *regression(), 8), _data()
    return [booster.predict(data, iteration_range=pair) for pair in ((0, 3), (2, 6), (0, 0), (7, 8))]


@scenario(EQUAL)
def slices_beyond_the_end() -> object:
    booster = learn({}, *regression(), 3)
    return [
        caught("Layer index out of range|out of range", lambda: booster[:9]),
        caught("", lambda: booster[4])["raised"],
    ]


@scenario(EQUAL)
def slices_that_are_empty() -> object:
    booster = learn({}, *regression(), 3)
    return caught("Empty slice", lambda: booster[2:2])


@scenario(EQUAL)
def slices_backwards() -> object:
    booster = learn({}, *regression(), 3)
    return [caught(">= 0", lambda: booster[-2:]), caught(">= 1", lambda: booster[::-1])]


@scenario(EQUAL)
def rounds_beyond_the_end() -> object:
    booster = learn({}, *regression(), 3)
    return caught("", lambda: booster.predict(_data(), iteration_range=(0, 9)))["raised"]


@scenario(EQUAL)
def slices_of_linear_models() -> object:
    booster = learn({"booster": "gblinear"}, *regression())
    return caught("", lambda: booster[:2])["raised"]


@scenario(EQUAL)
def columns_of_a_model() -> object:
    booster = learn({}, *regression())
    return [booster.num_features(), booster.num_boosted_rounds(), np.array(booster.feature_names is None)]
