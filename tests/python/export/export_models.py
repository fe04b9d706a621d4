"""Models of every kind that an export has to express, by name."""

from __future__ import annotations

from functools import cache

import kauriboost as kb
import numpy as np
import pandas as pd

N_ROWS = 300
AWKWARD_NAMES = ['a"b', "back\\slash", "what??/", "two\nlines", "*/ /* --", "größe 値", "it's", "%s;DROP"]


def numbers(n_rows: int = N_ROWS) -> np.ndarray:
    """Rows of five columns with missing values."""
    random = np.random.default_rng(1)
    table = random.normal(size=(n_rows, 5)).astype(np.float32)
    table[random.random(table.shape) < 0.1] = np.nan
    return table


def signal(table: np.ndarray) -> np.ndarray:
    """Return a function of the rows with all signs."""
    x = np.nan_to_num(table)
    return x[:, 0] + x[:, 1] * x[:, 2] - 0.5 * x[:, 3]


def frame(n_rows: int = N_ROWS, names: list[str] | None = None) -> pd.DataFrame:
    """Rows of two categorical columns, one of texts and one of numbers, and three of numbers."""
    random = np.random.default_rng(2)
    names = names or [f"city {i}" for i in range(40)]
    rows = pd.DataFrame(numbers(n_rows)[:, :3], columns=["a", "b", "c"])
    rows["city"] = pd.Categorical.from_codes(random.integers(-1, len(names), n_rows), names)
    rows["zone"] = pd.Categorical(random.choice([10, 20, 35], n_rows), [10, 20, 35])
    return rows


BASE = {"max_depth": 4, "eta": 0.3, "nthread": 1}
LABELS = {
    "reg": lambda s: s,
    "positive": lambda s: np.exp(s * 0.3),
    "share": lambda s: 1 / (1 + np.exp(-s)),
    "binary": lambda s: (s > 0).astype(float),
    "classes": lambda s: np.digitize(s, [-1, 0, 1]).astype(float),
    "count": lambda s: np.floor(np.exp(s * 0.3)),
    "time": lambda s: np.where(np.arange(len(s)) % 3 == 0, -1, 1) * np.exp(s * 0.3),
    "several": lambda s: np.stack([s, s * s, -s], axis=1),
}
OBJECTIVES = {
    "reg:squarederror": "reg",
    "reg:squaredlogerror": "positive",
    "reg:pseudohubererror": "reg",
    "reg:absoluteerror": "reg",
    "reg:huber": "reg",
    "reg:fair": "reg",
    "reg:mape": "positive",
    "binary:focal": "binary",
    "binary:exponential": "binary",
    "reg:logistic": "share",
    "binary:logistic": "binary",
    "binary:logitraw": "binary",
    "binary:hinge": "binary",
    "count:poisson": "count",
    "reg:gamma": "positive",
    "reg:tweedie": "positive",
    "survival:cox": "time",
}
ALPHAS = [0.1, 0.5, 0.9]
SPECIAL = {
    "quantiles": ("reg", {"objective": "reg:quantileerror", "quantile_alpha": ALPHAS}),
    "expectiles": ("reg", {"objective": "reg:expectileerror", "expectile_alpha": ALPHAS}),
    "softprob": ("classes", {"objective": "multi:softprob", "num_class": 4}),
    "softmax": ("classes", {"objective": "multi:softmax", "num_class": 4}),
    "several targets": ("several", {"objective": "reg:squarederror"}),
    "vector leaves": ("several", {"objective": "reg:squarederror", "multi_strategy": "multi_output_tree"}),
    "vector classes": (
        "classes",
        {"objective": "multi:softprob", "num_class": 4, "multi_strategy": "multi_output_tree"},
    ),
    "dart": ("reg", {"booster": "dart", "rate_drop": 0.5, "seed": 3}),
    "adaboost": ("binary", {"booster": "adaboost", "objective": "binary:logitraw"}),
    "forest": ("reg", {"num_parallel_tree": 5, "subsample": 0.5, "eta": 1}),
    "exact": ("reg", {"tree_method": "exact", "base_score": 0.25}),
}
CATEGORICAL = {
    "categories": {},
    "missing": {"unseen_category": "missing"},
    "refused": {"unseen_category": "error"},
    "one by one": {"max_cat_to_onehot": 50},
    "ordered": {"categorical_encoding": "ordered"},
    "ordered missing": {"categorical_encoding": "ordered", "unseen_category": "missing"},
}
SINGLE = ("stump", "no rounds", "awkward names", "ordered classes", "aft", "rank")
NAMES = [*OBJECTIVES, *SPECIAL, *CATEGORICAL, *SINGLE]


def _train(parameters: dict, data: object, label: np.ndarray, rounds: int = 8, **fields: object) -> kb.Booster:
    return kb.train({**BASE, **parameters}, kb.DMatrix(data, label, **fields), rounds)


def _single(name: str) -> kb.Booster:
    table = numbers()
    target = signal(table)
    if name == "stump":
        return _train({"gamma": 1e9}, table, target, 2)
    if name == "no rounds":
        return _train({"base_score": 0.5}, table, target, 0)
    if name == "awkward names":
        rows = frame(names=[f"{text} {i}" for i in range(3) for text in AWKWARD_NAMES])
        rows.columns = AWKWARD_NAMES[:5]
        return _train({}, rows, target)
    if name == "ordered classes":
        classes = np.digitize(target, [-1, 0, 1])
        settings = {"categorical_encoding": "ordered", "objective": "multi:softprob", "num_class": 4}
        return _train(settings, frame(), classes)
    if name == "aft":
        bound = np.exp(target * 0.3)
        data = kb.DMatrix(table, label_lower_bound=bound, label_upper_bound=bound * 2)
        return kb.train({**BASE, "objective": "survival:aft"}, data, 8)
    return _train({"objective": "rank:ndcg"}, table, np.digitize(target, [-1, 0, 1]), qid=np.arange(N_ROWS) // 10)


@cache
def model(name: str) -> kb.Booster:
    """Return a model by its name."""
    if name in OBJECTIVES:
        label = LABELS[OBJECTIVES[name]](signal(numbers()))
        return _train({"objective": name}, numbers(), label)
    if name in SPECIAL:
        label, parameters = SPECIAL[name]
        return _train(parameters, numbers(), LABELS[label](signal(numbers())))
    if name in CATEGORICAL:
        rows = frame()
        target = signal(numbers()) + rows["city"].cat.codes.to_numpy() % 3
        return _train(CATEGORICAL[name], rows, target, rounds=12)
    return _single(name)
