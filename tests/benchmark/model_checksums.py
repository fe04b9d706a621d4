"""Checksums of models, predictions, explanations and evaluations over many configurations, one line each.

Equal tables before and after a change show that it changed no model:

    KAURI_LIBRARY=old/libkauri.so python tests/benchmark/model_checksums.py > before
    python tests/benchmark/model_checksums.py > after; diff before after

--device cuda trains, predicts and explains on a CUDA device. The data are random, from a fixed seed.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
from collections.abc import Iterator
from typing import Any

import kauriboost as kb
import numpy as np

FEW_ROWS, MANY_ROWS = 400, 30_000
N_COLS, N_ROUNDS = 8, 5
Case = tuple[str, dict[str, Any], str]  # name, parameters, kind of data

LABELS = {
    "binary": ["binary:logistic", "binary:logitraw", "binary:hinge", "reg:logistic"],
    "real": [
        "reg:squarederror",
        "reg:pseudohubererror",
        "reg:absoluteerror",
        "reg:quantileerror",
        "reg:expectileerror",
    ],
    "positive": ["reg:squaredlogerror", "count:poisson", "reg:gamma", "reg:tweedie"],
    "classes": ["multi:softmax", "multi:softprob"],
    "survival": ["survival:cox"],
    "intervals": ["survival:aft"],
    "groups": ["rank:ndcg", "rank:pairwise"],
    "pages": ["rank:map"],
}
EXTRA = {
    "reg:quantileerror": {"quantile_alpha": [0.2, 0.7]},
    "reg:expectileerror": {"expectile_alpha": [0.3, 0.6]},
    "multi:softmax": {"num_class": 4},
    "multi:softprob": {"num_class": 4},
}
METHODS = ("exact", "approx", "hist")
GROWTH: dict[str, dict[str, Any]] = {
    "plain": {},
    "deep": {"max_depth": 0, "max_leaves": 23, "grow_policy": "lossguide"},
    "rows": {"subsample": 0.6, "seed": 3},
    "gradient-rows": {"subsample": 0.5, "sampling_method": "gradient_based"},
    "columns": {"colsample_bytree": 0.7, "colsample_bylevel": 0.8, "colsample_bynode": 0.9},
    "limits": {"monotone_constraints": "(1,-1,0,0,0,0,0,0)", "alpha": 0.5, "max_delta_step": 0.4, "gamma": 0.1},
    "allowed-pairs": {"interaction_constraints": "[[0,1,2],[3,4],[5,6,7]]"},
    "forest": {"num_parallel_tree": 3, "colsample_bynode": 0.5},
    "few-bins": {"max_bin": 7, "lambda": 0.0, "min_child_weight": 0.0},
}
OTHER_PARAMETERS = {
    "min_data_in_leaf": 30,
    "extra_trees": True,
    "path_smooth": 10.0,
    "feature_cost": [40.0] * N_COLS,
    "random_strength": 1.0,
}


def table(kind: str, categories: bool, n_rows: int) -> kb.DMatrix:
    random = np.random.default_rng(7)
    values = random.normal(size=(n_rows, N_COLS)).astype(np.float32)
    values[random.random(values.shape) < 0.1] = np.nan
    values[:, 5] = np.round(values[:, 5])
    score = np.nan_to_num(values[:, 0]) + np.nan_to_num(values[:, 1]) * np.nan_to_num(values[:, 2])
    score = (score + random.normal(size=n_rows) * 0.3).astype(np.float32)
    fields: dict[str, Any] = {"weight": random.random(n_rows).astype(np.float32) + np.float32(0.5)}
    if kind == "binary":
        fields["label"] = (score > 0).astype(np.float32)
    elif kind == "classes":
        fields["label"] = np.digitize(score, [-1, 0, 1]).astype(np.float32)
    elif kind == "positive":
        fields["label"] = np.exp(score / 2)
    elif kind == "survival":
        fields["label"] = np.where(random.random(n_rows) < 0.3, -1, 1).astype(np.float32) * np.exp(score / 2)
    elif kind == "intervals":
        fields["label_lower_bound"] = np.exp(score / 2)
        fields["label_upper_bound"] = np.where(random.random(n_rows) < 0.3, np.inf, np.exp(score / 2) * 1.5)
    elif kind in {"groups", "pages"}:
        borders = [-1, 0, 1] if kind == "groups" else [0]
        fields = {"label": np.digitize(score, borders).astype(np.float32), "qid": np.arange(n_rows) // 20}
    elif kind == "targets":
        fields["label"] = np.stack([score, -score, score**2], axis=1)
    else:
        fields["label"] = score
    types = ["float"] * N_COLS
    if categories:
        values[:, 6] = random.integers(0, 5, n_rows)
        values[:, 7] = random.integers(0, 30, n_rows)
        types[6:] = ["c", "c"]
    return kb.DMatrix(values, feature_types=types, enable_categorical=categories, **fields)


def cases() -> Iterator[Case]:
    for kind, objectives in LABELS.items():
        for objective in objectives:
            for method in METHODS:
                yield f"{objective} {method}", {"objective": objective, "tree_method": method}, kind
    for method in METHODS:
        for name, growth in GROWTH.items():
            yield f"{name} {method}", {"objective": "reg:squarederror", "tree_method": method, **growth}, "real"
            yield (
                f"{name} classes {method}",
                {"objective": "multi:softprob", "tree_method": method, **growth},
                "classes",
            )
        for name in ("plain", "rows", "columns", "limits", "deep"):
            one = {"objective": "binary:logistic", "tree_method": method, **GROWTH[name]}
            yield f"categories {name} {method}", {**one, "max_cat_to_onehot": 6}, "binary+categories"
        yield f"dart {method}", {"booster": "dart", "rate_drop": 0.4, "tree_method": method}, "real"
        yield f"targets {method}", {"tree_method": method}, "targets"
    for name in ("plain", "rows", "columns", "limits", "allowed-pairs", "forest", "few-bins"):
        symmetric = {"objective": "reg:squarederror", "grow_policy": "symmetric", **GROWTH[name]}
        yield f"symmetric {name}", symmetric, "real"
    yield "weighed rows", {"objective": "reg:squarederror", "bagging_temperature": 1.0}, "real"
    for bits, name in itertools.product((8, 4), ("plain", "rows", "deep", "limits")):
        rounded = {"objective": "binary:logistic", "gradient_bits": bits, **GROWTH[name]}
        yield f"rounded to {bits} bits {name}", rounded, "binary"
    yield "rounded classes", {"objective": "multi:softprob", "gradient_bits": 8}, "classes"
    yield "drawn exactly", {"sampling_method": "without_replacement", "subsample": 0.6}, "real"
    yield "drawn queries", {"objective": "rank:ndcg", "sampling_method": "by_query", "subsample": 0.6}, "groups"
    for name in ("plain", "rows", "columns", "limits", "deep", "few-bins"):
        yield (
            f"vector leaves {name}",
            {"multi_strategy": "multi_output_tree", "tree_method": "hist", **GROWTH[name]},
            "targets",
        )
    for objective in ("reg:squarederror", "multi:softprob", "reg:quantileerror"):
        kind = "classes" if objective.startswith("multi") else "real"
        one = {"multi_strategy": "multi_output_tree", "tree_method": "hist", "objective": objective}
        yield f"vector leaves {objective}", one, kind
    for updater in ("shotgun", "coord_descent"):
        for selector in ("cyclic", "shuffle") + (("greedy", "thrifty") if updater == "coord_descent" else ()):
            linear = {"booster": "gblinear", "updater": updater, "feature_selector": selector, "lambda": 0.1}
            yield f"gblinear {updater} {selector}", linear, "real"
    yield "refresh", {"process_type": "update", "updater": "refresh", "refresh_leaf": True}, "real"
    yield "prune", {"process_type": "update", "updater": "prune", "gamma": 0.5}, "real"
    for method in METHODS:
        for name, value in OTHER_PARAMETERS.items():
            yield f"{name} {method}", {"objective": "reg:squarederror", "tree_method": method, name: value}, "real"


def checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def summary(case: Case, n_rows: int, device: dict[str, Any], threads: int) -> str:
    name, params, kind = case
    params = {"nthread": threads, "max_depth": 5, **EXTRA.get(params.get("objective", ""), {}), **params, **device}
    data = table(kind.split("+")[0], "categories" in kind, n_rows)
    start = None
    if params.get("process_type") == "update":
        start = kb.train({"max_depth": 5, "nthread": threads}, data, N_ROUNDS)
    history: dict[str, Any] = {}
    booster = kb.train(
        params, data, N_ROUNDS, evals=[(data, "train")], evals_result=history, xgb_model=start, verbose_eval=False
    )
    parts = [bytes(booster.save_raw("ubj")), booster.predict(data).tobytes(), repr(history).encode()]
    if params.get("booster") != "gblinear":
        data = data.slice(np.arange(FEW_ROWS), allow_groups=True) if n_rows > FEW_ROWS else data
        parts.append(booster.predict(data, pred_contribs=True).tobytes())
        parts.append(booster.predict(data, pred_interactions=True).tobytes())
    return f"{name} {n_rows}: " + " ".join(checksum(part) for part in parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    device = {} if options.device == "cpu" else {"device": options.device}
    for case, n_rows in itertools.product(cases(), (FEW_ROWS, MANY_ROWS)):
        try:
            print(summary(case, n_rows, device, options.threads))
        except kb.KauriError as refused:
            print(f"{case[0]}: refused: {refused}")


if __name__ == "__main__":
    main()
