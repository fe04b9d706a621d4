"""Models, rows and their Shapley values: sections 5.5.1 and 5.5.2."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import kauriboost as kb
import numpy as np

DEMO = Path(__file__).resolve().parents[3] / "demo" / "data"
N_ROWS, N_BACKGROUND = 10, 100
SETS = ("california", "regression", "breast_cancer", "spambase", "year", "adult")
FEW_PLAYERS = ("california", "regression")  # problems whose coalitions can all be evaluated


def one_hot(X: np.ndarray, categorical: list[int]) -> np.ndarray:
    """Return the features with indicator columns of 0 and 1 for categorical columns, all 0 for missing values."""
    columns = []
    for i in range(X.shape[1]):
        values = np.unique(X[:, i][~np.isnan(X[:, i])]) if i in categorical else []
        columns += [(X[:, i] == value).astype(np.float32) for value in values] or [np.nan_to_num(X[:, i])]
    return np.column_stack(columns)


def load_set(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels."""
    rng = np.random.default_rng(0)
    if name == "regression":
        X = rng.normal(size=(1000, 10))
        return X.astype(np.float32), X @ rng.uniform(0, 100, 10)
    if name == "year":
        X = rng.normal(size=(20000, 90))
        y = np.tanh(X[:, :30] @ rng.normal(size=30) * 0.2) + X[:, 30] * X[:, 31] + 0.1 * rng.normal(size=20000)
        return X.astype(np.float32), y
    if name == "breast_cancer":
        data = kb.DMatrix(f"{DEMO}/breast_cancer.train.libsvm?format=libsvm")
        return data.get_data().toarray().astype(np.float32), data.get_label()
    spec = importlib.util.spec_from_file_location("load", folder / "load.py")
    loader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loader)
    X, y, extras = loader.load(name)
    return one_hot(np.asarray(X, dtype=np.float32), extras["categorical"]), np.asarray(y, dtype=float)


class Problem(NamedTuple):
    """A model whose exact Shapley values are known for some rows."""

    name: str
    rows: np.ndarray
    background: np.ndarray
    truth: np.ndarray  # [rows, features]
    model: kb.Booster


def boosted(name: str, folder: Path, n_rows: int = N_ROWS) -> Problem:
    """Train 100 trees of depth 6, and compute their exact interventional values."""
    X, y = load_set(name, folder)
    objective = "binary:logistic" if set(np.unique(y)) <= {0, 1} else "reg:squarederror"
    model = kb.train({"objective": objective, "nthread": 1}, kb.DMatrix(X, label=y), 100, verbose_eval=False)
    chosen = np.random.default_rng(3).permutation(len(X))[: n_rows + N_BACKGROUND]
    rows, background = X[chosen[:n_rows]], X[chosen[n_rows:]]
    truth = kb.explain(model, rows, background=background).values.astype(np.float64)
    return Problem(name, rows, background, truth, model)


def network(name: str, folder: Path) -> tuple[Callable[[np.ndarray], np.ndarray], np.ndarray, np.ndarray]:
    """Train scikit-learn's default multi-layer perceptron (100 relu, adam, 200 iterations).

    Returns its prediction function (log-odds for classes), rows and background.
    """
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.preprocessing import StandardScaler

    X, y = load_set(name, folder)
    X = StandardScaler().fit_transform(X)
    is_class = set(np.unique(y)) <= {0, 1}
    kind = MLPClassifier if is_class else MLPRegressor
    model = kind(random_state=0, max_iter=200).fit(X, y if is_class else (y - y.mean()) / y.std())
    chosen = np.random.default_rng(3).permutation(len(X))[: N_ROWS + N_BACKGROUND]

    def margin(rows: np.ndarray) -> np.ndarray:
        if not is_class:
            values: np.ndarray = model.predict(rows)
            return values
        # In float64: in float32 the upper bound is 1, whose log-odds are infinite.
        shares = np.clip(model.predict_proba(rows)[:, 1].astype(np.float64), 1e-12, 1 - 1e-12)
        return np.log(shares / (1 - shares))

    return margin, X[chosen[:N_ROWS]], X[chosen[N_ROWS:]]


def all_sets(problem: Problem) -> np.ndarray:
    """Return the worth of each set of features, [rows, 2^d]. Bit i of a set's number indicates feature i."""
    d = problem.rows.shape[1]
    masks = (np.arange(2**d)[:, None] >> np.arange(d)) & 1 == 1
    worth = np.empty((len(problem.rows), 2**d))
    for number, row in enumerate(problem.rows):
        hybrid = np.where(masks[:, None, :], row, problem.background[None])
        margins = problem.model.inplace_predict(hybrid.reshape(-1, d), predict_type="margin")
        worth[number] = margins.reshape(2**d, -1).astype(np.float64).mean(axis=1)
    return worth


def values_of(worth: np.ndarray, orders: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return each feature's marginal contributions, weighted by the orders' weights, [rows, d]."""
    n, d = orders.shape
    sets = np.concatenate([np.zeros((n, 1), np.int64), np.cumsum(np.int64(1) << orders.astype(np.int64), axis=1)], 1)
    added = np.diff(worth[:, sets], axis=2) * weights[:, None]  # [rows, n, d], by position in the order
    values = np.zeros((len(worth), d))
    for place in range(d):
        np.add.at(values, (slice(None), orders[:, place].astype(np.int64)), added[:, :, place])
    return values
