"""Models of every kind, with rows to predict, for tests of reading by other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import kauriboost as kb
import numpy as np
import pandas as pd

COLUMNS = 5
CATEGORIES = 7


class Sample(NamedTuple):
    """A trained model, rows as numbers, and how to declare them."""

    booster: kb.Booster
    rows: np.ndarray
    feature_types: list[str] | None = None
    feature_names: list[str] | None = None


def _table(seed: int = 0, missing: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Return 300 rows with ties and missing values, and their labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, COLUMNS)).astype(np.float32)
    X[:, 2] = np.round(X[:, 2] * 2)
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=300)
    X[rng.random(X.shape) < missing] = np.nan
    return X, signal.astype(np.float32)


def _train(objective: str, label: Callable[[np.ndarray], np.ndarray], **params: object) -> Sample:
    X, signal = _table()
    data = kb.DMatrix(X, label(signal))
    return Sample(kb.train({"objective": objective, "max_depth": 3, **params}, data, 4), X)


def _positive(signal: np.ndarray) -> np.ndarray:
    return np.exp(np.clip(signal, -2, 2))


def _is_large(signal: np.ndarray) -> np.ndarray:
    return (signal > 0).astype(np.float32)


def _classes(signal: np.ndarray) -> np.ndarray:
    return np.digitize(signal, [-0.5, 0.5])


def _targets(signal: np.ndarray) -> np.ndarray:
    return np.column_stack([signal, -signal, signal**2])


def _ranking(**params: object) -> Sample:
    X, signal = _table()
    data = kb.DMatrix(X, np.digitize(signal, [-1, 0, 1]), group=[30] * 10)
    return Sample(kb.train({"max_depth": 3, **params}, data, 4), X)


def _censored() -> Sample:
    X, signal = _table()
    time = _positive(signal)
    upper = np.where(np.arange(300) % 3 == 0, np.inf, time)
    data = kb.DMatrix(X, label_lower_bound=time, label_upper_bound=upper)
    return Sample(kb.train({"objective": "survival:aft", "max_depth": 3}, data, 4), X)


def _codes(max_cat_to_onehot: int) -> Sample:
    X, signal = _table()
    rng = np.random.default_rng(5)
    X[:, 3] = rng.integers(0, CATEGORIES, 300)
    X[::9, 3] = np.nan
    y = signal + 2 * (np.nan_to_num(X[:, 3]) % 3)
    types = ["q", "q", "q", "c", "q"]
    params = {"max_depth": 4, "max_cat_to_onehot": max_cat_to_onehot, "tree_method": "hist"}
    return Sample(kb.train(params, kb.DMatrix(X, y, feature_types=types), 4), X, types)


def _named_categories() -> Sample:
    codes = _codes(1).rows
    names = [f"city {i}" for i in range(CATEGORIES)]
    frame = pd.DataFrame(codes, columns=[f"x{i}" for i in range(COLUMNS)])
    known = np.where(np.isnan(codes[:, 3]), -1, codes[:, 3]).astype(int)
    frame["x3"] = pd.Categorical.from_codes(known, names)
    data = kb.DMatrix(frame, np.nan_to_num(codes[:, 3]) % 3 + np.nan_to_num(codes[:, 0]))
    booster = kb.train({"max_depth": 4, "max_cat_to_onehot": 1}, data, 4)
    return Sample(booster, codes, booster.feature_types, booster.feature_names)


def _missing() -> Sample:
    X, signal = _table(missing=0.7)
    X[:, 4] = np.nan
    return Sample(kb.train({"max_depth": 4}, kb.DMatrix(X, signal), 4), X)


def _early_stopped() -> Sample:
    X, signal = _table()
    train, held = kb.DMatrix(X[:100], signal[:100]), kb.DMatrix(X[100:], -signal[100:])
    params = {"max_depth": 3, "learning_rate": 1.0}
    booster = kb.train(params, train, 20, evals=[(held, "held")], early_stopping_rounds=2, verbose_eval=False)
    return Sample(booster, X)


def _named() -> Sample:
    X, signal = _table()
    names, types = ['a "b"', "grün", "c\\d", "e f", "g"], ["float", "q", "int", "q", "float"]
    data = kb.DMatrix(X, signal, feature_names=names, feature_types=types)
    return Sample(kb.train({"max_depth": 3}, data, 4), X, types, names)


def _counted() -> Sample:
    sample = _codes(1)
    sample.booster.set_param("unseen_category", "xgboost")
    sample.booster.count_rows(kb.DMatrix(sample.rows, feature_types=sample.feature_types))
    return sample


def _unequal_rounds() -> Sample:
    X, signal = _table()
    data = kb.DMatrix(X, signal)
    half = kb.train({"max_depth": 3, "num_parallel_tree": 2, "subsample": 0.8}, data, 2)
    half.set_param("num_parallel_tree", 3)
    half.update(data, 2)
    return Sample(half, X)


KINDS: dict[str, Callable[[], Sample]] = {
    "regression": lambda: _train("reg:squarederror", lambda y: y),
    "logarithmic": lambda: _train("reg:squaredlogerror", _positive),
    "pseudo-huber": lambda: _train("reg:pseudohubererror", lambda y: y),
    "absolute": lambda: _train("reg:absoluteerror", lambda y: y),
    "one quantile": lambda: _train("reg:quantileerror", lambda y: y, quantile_alpha=0.4),
    "quantiles": lambda: _train("reg:quantileerror", lambda y: y, quantile_alpha=[0.2, 0.8]),
    "expectile": lambda: _train("reg:expectileerror", lambda y: y, expectile_alpha=0.3),
    "binary": lambda: _train("binary:logistic", _is_large),
    "logistic": lambda: _train("reg:logistic", _is_large),
    "raw logits": lambda: _train("binary:logitraw", _is_large),
    "hinge": lambda: _train("binary:hinge", _is_large),
    "one class only": lambda: _train("binary:logistic", np.zeros_like),
    "poisson": lambda: _train("count:poisson", lambda y: np.round(_positive(y))),
    "gamma": lambda: _train("reg:gamma", _positive),
    "tweedie": lambda: _train("reg:tweedie", _positive),
    "cox": lambda: _train("survival:cox", lambda y: np.where(y > 0, 1, -1) * _positive(y)),
    "aft": _censored,
    "classes": lambda: _train("multi:softprob", _classes, num_class=3),
    "classes, one base score": lambda: _train("multi:softmax", _classes, num_class=3, base_score=0.5),
    "ndcg": lambda: _ranking(objective="rank:ndcg"),
    "map": lambda: _ranking(objective="rank:pairwise"),
    "unbiased": lambda: _ranking(objective="rank:ndcg", lambdarank_unbiased=True),
    "dart": lambda: _train("reg:squarederror", lambda y: y, booster="dart", rate_drop=0.5, seed=3),
    "linear": lambda: _train("reg:squarederror", lambda y: y, booster="gblinear"),
    "linear classes": lambda: _train("multi:softprob", _classes, num_class=3, booster="gblinear", base_score=0.5),
    "forest": lambda: _train("binary:logistic", _is_large, num_parallel_tree=3, subsample=0.7),
    "forest of classes": lambda: _train(
        "multi:softprob", _classes, num_class=3, num_parallel_tree=2, subsample=0.7, base_score=0.5
    ),
    "one-hot": lambda: _codes(100),
    "sets of categories": lambda: _codes(1),
    "named categories": _named_categories,
    "counted, unseen": _counted,
    "missing": _missing,
    "targets": lambda: _train("reg:squarederror", _targets),
    "targets, one base score": lambda: _train("reg:squarederror", _targets, base_score=0.25),
    "vector leaves": lambda: _train(
        "reg:squarederror", _targets, multi_strategy="multi_output_tree", tree_method="hist", base_score=0.25
    ),
    "early stopped": _early_stopped,
    "names and types": _named,
    "unequal rounds": _unequal_rounds,
}

_BEFORE_2 = {"1.7"}
_BEFORE_31 = {"1.7", "2.1", "3.0"}
_BEFORE_33 = {"1.7", "2.1", "3.0", "3.2"}
# Models that the dialects cannot represent; they must represent all others.
REFUSED: dict[str, set[str]] = {
    "one quantile": _BEFORE_2,
    "quantiles": _BEFORE_31,
    "expectile": _BEFORE_33,
    "classes": _BEFORE_31,
    "named categories": _BEFORE_31,
    "targets": _BEFORE_31,
    "vector leaves": _BEFORE_2,
    "unequal rounds": _BEFORE_2,
}
