"""Files and texts: models, dumps, frames of trees, and importances."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, classes, regression, rows, rows_with_gaps, score, targets
from scenarios.support.models import SMALL, learn
from scenarios.support.scenario import EQUAL, caught, close, scenario

NAMES = ["length", "width", "weight", "age", "colour"]


def _booster(**params: Any) -> xgb.Booster:
    features, labels = regression()
    data = xgb.DMatrix(features, labels, feature_names=NAMES, feature_types=["float", "float", "float", "float", "int"])
    return xgb.train({**SMALL, **params}, data, 3)


# ---- models ----------------------------------------------------------------------------------------------------------


def _through(path: str) -> object:
    booster = _booster()
    booster.set_attr(author="someone", version="3")
    booster.save_model(path)
    read = xgb.Booster(model_file=path)
    data = xgb.DMatrix(regression()[0], feature_names=NAMES)
    names = [read.feature_names, read.feature_types, read.attributes(), read.num_boosted_rounds(), read.num_features()]
    return [*names, read.predict(data, validate_features=False), Path(path).read_bytes()[:1]]


@scenario(close())
def through_json() -> object:
    return _through("model.json")


@scenario(close())
def through_ubjson() -> object:
    return _through("model.ubj")


@scenario(EQUAL)
def through_a_path_object() -> object:
    _booster().save_model(Path("model.json"))
    return xgb.Booster(model_file=Path("model.json")).num_boosted_rounds()


@scenario(EQUAL)
def through_a_name_without_suffix() -> object:
    _booster().save_model("model")
    return [xgb.Booster(model_file="model").num_boosted_rounds(), Path("model").read_bytes()[:1]]


@scenario(EQUAL)
def through_memory() -> object:
    booster = _booster()
    raws = [booster.save_raw(), booster.save_raw("json"), booster.save_raw(raw_format="ubj")]
    return [(type(raw).__name__, bytes(raw[:1]), xgb.Booster(model_file=raw).num_features()) for raw in raws]


@scenario(EQUAL)
def the_old_binary_format() -> object:
    return caught("", lambda: _booster().save_raw("deprecated"))["raised"]


@scenario(EQUAL)
def a_format_that_is_none() -> object:
    return caught("Unknown model format|format", lambda: _booster().save_raw("xml"))


def _keys(value: Any, path: str = "") -> set[str]:
    if isinstance(value, dict):
        return {inner for key, item in value.items() for inner in _keys(item, f"{path}/{key}")}
    if isinstance(value, list):
        return {inner for item in value for inner in _keys(item, f"{path}[]")} or {f"{path}[]"}
    return {f"{path}: {type(value).__name__}"}


def _members(booster: xgb.Booster) -> list[str]:
    return sorted(_keys(json.loads(booster.save_raw("json"))))


@scenario(EQUAL)
def members_of_a_file() -> object:
    return _members(_booster())


@scenario(EQUAL)
def members_of_a_file_of_classes() -> object:
    return _members(learn({"objective": "multi:softprob", "num_class": 3}, *classes()))


@scenario(EQUAL)
def members_of_a_file_of_dart() -> object:
    return _members(learn({"booster": "dart", "rate_drop": 0.1}, *regression()))


@scenario(EQUAL)
def members_of_a_file_of_weights() -> object:
    return _members(learn({"booster": "gblinear"}, *regression()))


@scenario(EQUAL)
def members_of_a_file_of_vectors() -> object:
    return _members(learn({"multi_strategy": "multi_output_tree"}, *targets()))


@scenario(EQUAL)
def members_of_a_file_of_several_targets() -> object:
    return _members(learn({}, *targets()))


@scenario(close())
def trees_in_a_file() -> object:
    model = json.loads(_booster().save_raw("json"))["learner"]["gradient_booster"]["model"]
    kept = ("base_weights", "split_conditions", "split_indices", "left_children", "right_children", "parents")
    sums = ("loss_changes", "sum_hessian", "default_left")
    return [{key: np.array(tree[key], np.float64) for key in (*kept, *sums)} for tree in model["trees"]]


@scenario(close())
def trees_in_a_file_by_exact() -> object:
    model = json.loads(_booster(tree_method="exact").save_raw("json"))["learner"]["gradient_booster"]["model"]
    return [{k: np.array(tree[k], np.float64) for k in ("base_weights", "split_conditions")} for tree in model["trees"]]


@scenario(close())
def trees_in_a_file_walked_by_hand() -> object:
    """Traverse the trees as scripts do that port a model to another language."""
    features, labels = rows_with_gaps(), score(rows_with_gaps())
    booster = learn({"base_score": 0.5}, features, labels, 3)
    model = json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]
    margins = [0.5 + sum(_leaf(tree, row) for tree in model["trees"]) for row in features[:50]]
    return [np.array(margins), booster.predict(xgb.DMatrix(features[:50]))]


def _leaf(tree: dict[str, Any], row: np.ndarray) -> float:
    node = 0
    while tree["left_children"][node] != -1:
        value = row[tree["split_indices"][node]]
        left = tree["default_left"][node] if np.isnan(value) else value < np.float32(tree["split_conditions"][node])
        node = tree["left_children" if left else "right_children"][node]
    return tree["split_conditions"][node]


@scenario(EQUAL)
def version_in_a_file() -> object:
    return json.loads(_booster().save_raw("json"))["version"]


@scenario(EQUAL)
def a_file_that_is_not_there() -> object:
    return caught("No such file|not.*open|exist", lambda: xgb.Booster(model_file="nowhere.json"))


@scenario(EQUAL)
def a_file_of_something_else() -> object:
    Path("model.json").write_text('{"what": 3}')
    return caught("", lambda: xgb.Booster(model_file="model.json"))["raised"]


@scenario(EQUAL)
def a_file_cut_short() -> object:
    Path("model.json").write_bytes(_booster().save_raw("json")[:500])
    return caught("", lambda: xgb.Booster(model_file="model.json"))["raised"]


@scenario(EQUAL)
def a_folder_that_is_not_there() -> object:
    return caught("", lambda: _booster().save_model("no/such/folder/model.json"))["raised"]


@scenario(close())
def a_model_read_into_a_used_booster() -> object:
    features, _ = regression()
    first, second = learn({}, *regression()), learn({"objective": "binary:logistic"}, *binary())
    second.load_model(first.save_raw("json"))
    return second.predict(xgb.DMatrix(features))


# ---- dumps -----------------------------------------------------------------------------------------------------------


def _rounded(text: str) -> list[object]:
    """Split a text into words and numbers."""
    parts = re.split(r"(-?\d+\.\d+(?:e-?\d+)?)", text)
    return [np.float64(part) if i % 2 else part for i, part in enumerate(parts)]


def _dumped(**options: Any) -> object:
    return [_rounded(text) for text in _booster().get_dump(**options)]


@scenario(close())
def dumps_as_text() -> object:
    return _dumped()


@scenario(close())
def dumps_with_statistics() -> object:
    return _dumped(with_stats=True)


@scenario(close())
def dumps_as_json() -> object:
    return [json.loads(text) for text in _booster().get_dump(dump_format="json", with_stats=True)]


@scenario(close())
def dumps_as_graphs() -> object:
    return _dumped(dump_format="dot")


@scenario(close())
def dumps_as_graphs_with_statistics_and_colours() -> object:
    return _dumped(
        dump_format='dot:{"edge": {"yes_color": "#FF0000"}, "graph_attrs": {"rankdir": "LR"}}', with_stats=True
    )


@scenario(close())
def dumps_with_names_from_a_file() -> object:
    features, labels = regression()
    kinds = ["q", "q", "int", "i", "q"]
    Path("names.txt").write_text("".join(f"{i}\tcolumn_{i}\t{kind}\n" for i, kind in enumerate(kinds)))
    return [_rounded(text) for text in learn({}, features, labels, 2).get_dump(fmap="names.txt")]


@scenario(close())
def dumps_of_categories() -> object:
    codes = np.random.default_rng(1).integers(0, 5, 300)
    table = np.stack([codes, rows()[:, 0]], axis=1)
    data = xgb.DMatrix(table, codes % 3 + table[:, 1], feature_types=["c", "q"])
    booster = xgb.train({**SMALL, "max_cat_to_onehot": 1}, data, 2)
    return [[_rounded(text) for text in booster.get_dump(dump_format=form)] for form in ("text", "json", "dot")]


@scenario(close())
def dumps_of_weights() -> object:
    features, labels = regression()
    params = {"booster": "gblinear", "updater": "coord_descent", "feature_selector": "cyclic"}
    return _rounded(learn(params, features, labels, 20).get_dump()[0])


@scenario(close())
def dumps_into_a_file() -> object:
    booster = _booster()
    booster.dump_model("dump.txt", with_stats=True)
    booster.dump_model("dump.json", dump_format="json")
    return [_rounded(Path("dump.txt").read_text()), json.loads(Path("dump.json").read_text())]


@scenario(EQUAL)
def dumps_with_signs_in_names() -> object:
    data = xgb.DMatrix(*regression(), feature_names=["a b", 'c"d', "e\\f", "g\n", "ü"])
    dump = xgb.train(SMALL, data, 1).get_dump(dump_format="json")[0]
    return json.loads(dump)["split"]


# ---- frames and importances ------------------------------------------------------------------------------------------


@scenario(close())
def a_frame_of_trees() -> object:
    frame = _booster().trees_to_dataframe().astype(object)
    return {name: frame[name].where(frame[name].notna(), None).tolist() for name in frame.columns}


@scenario(close())
def importances() -> object:
    booster = _booster()
    kinds = ("weight", "gain", "cover", "total_gain", "total_cover")
    return {kind: sorted(booster.get_score(importance_type=kind).items()) for kind in kinds}


@scenario(close())
def importances_of_classes() -> object:
    booster = learn({"objective": "multi:softprob", "num_class": 3}, *classes())
    return sorted(booster.get_score(importance_type="gain").items())


@scenario(close())
def importances_of_vectors() -> object:
    booster = learn({"multi_strategy": "multi_output_tree"}, *targets())
    return [sorted(booster.get_score(importance_type=kind).items()) for kind in ("weight", "gain", "cover")]


@scenario(close())
def importances_of_weights() -> object:
    params = {"booster": "gblinear", "updater": "coord_descent", "feature_selector": "cyclic"}
    booster = learn(params, *regression(), 20)
    return [booster.get_score(importance_type="weight"), booster.get_fscore()]


@scenario(EQUAL)
def importances_of_an_unknown_kind() -> object:
    return caught("", lambda: _booster().get_score(importance_type="beauty"))["raised"]


@scenario(EQUAL)
def how_often_columns_split() -> object:
    booster = _booster()
    return [booster.get_fscore(), booster.get_split_value_histogram("length", as_pandas=False)]
