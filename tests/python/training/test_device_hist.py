"""`hist` on a CUDA device: the same bytes as the CPU's models, for arrays of every kind and real data sets."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

scipy_sparse = pytest.importorskip("scipy.sparse")

pytestmark = pytest.mark.skipif(not kb.build_info()["USE_CUDA"], reason="no CUDA device")
DATA = Path(os.environ.get("KAURI_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))
Binary = tuple[np.ndarray, np.ndarray]

# Data set: parameters, rounds, maximum number of rows.
REAL = {
    "adult": ({"objective": "binary:logistic"}, 20, None),
    "california": ({"objective": "reg:squarederror", "max_depth": 8}, 20, None),
    "covtype": ({"objective": "multi:softprob", "num_class": 7}, 2, 30_000),
    "flights": ({"objective": "reg:squarederror", "max_bin": 1024}, 5, 50_000),
    "a9a": ({"objective": "binary:logistic", "grow_policy": "lossguide", "max_leaves": 31}, 10, None),
    "lambdarank": ({"objective": "rank:ndcg"}, 10, None),
}
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "drawn": {"subsample": 0.7, "colsample_bynode": 0.7, "seed": 3},
    "by gain": {"grow_policy": "lossguide", "max_leaves": 40, "max_depth": 0},
    "few bins": {"max_bin": 16, "max_depth": 10, "min_child_weight": 0},
    "noise": {"random_strength": 2, "subsample": 0.8, "seed": 4},
    "symmetric": {"grow_policy": "symmetric", "max_depth": 5},
    "symmetric, with noise": {"grow_policy": "symmetric", "random_strength": 1},
}


def bytes_on(device: str, params: dict[str, Any], data: kb.DMatrix, rounds: int = 4) -> bytes:
    """Return a model trained on the device."""
    return bytes(kb.train({"tree_method": "hist", **params, "device": device}, data, rounds).save_raw("ubj"))


def assert_same(make: Callable[[], kb.DMatrix], params: dict[str, Any], rounds: int = 4) -> None:
    """Compare both devices; each makes its own matrix, because cached data would be shared."""
    assert bytes_on("cuda", params, make(), rounds) == bytes_on("cpu", params, make(), rounds)


@pytest.fixture(params=["cupy", "torch"])
def to_device(request: pytest.FixtureRequest) -> Callable[[np.ndarray], Any]:
    """Return a function that copies an array to the device."""
    module = pytest.importorskip(request.param)
    return module.asarray if request.param == "cupy" else lambda values: module.as_tensor(values, device="cuda")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("make", [kb.DMatrix, kb.QuantileDMatrix])
def test_arrays(binary: Binary, way: str, make: type[kb.DMatrix]) -> None:
    X, y = binary
    params = {"objective": "binary:logistic", **WAYS[way]}
    more = {"max_bin": params.get("max_bin", 256)} if make is kb.QuantileDMatrix else {}
    assert_same(lambda: make(X, y, weight=np.linspace(0, 2, len(y)), **more), params)
    rows = scipy_sparse.csr_matrix(np.nan_to_num(X) * (np.abs(np.nan_to_num(X)) > 0.5))
    assert_same(lambda: make(rows, y, **more), params)


@pytest.mark.parametrize("way", WAYS)
def test_numbers_beside_one_hot_columns(way: str) -> None:
    """A number of 256 bins in all rows has a column of its own beside bundles."""
    rng = np.random.default_rng(5)
    levels = rng.integers(0, 12, (4000, 3))
    one_hot = (levels[:, :, None] == np.arange(12)).reshape(len(levels), -1).astype(np.float32)
    rows = scipy_sparse.csr_matrix(np.hstack([1 + rng.random((len(levels), 2), np.float32), one_hot]))
    labels = (rows.toarray()[:, 0] + levels[:, 0] / 12 + rng.random(len(levels)) > 2.5).astype(np.float32)
    assert_same(lambda: kb.DMatrix(rows, labels), {"objective": "binary:logistic", **WAYS[way]})


def test_symmetric_trees_of_classes(binary: Binary) -> None:
    X, y = binary
    classes = (y + 2 * (np.nan_to_num(X[:, 0]) > 0)).astype(np.float32)
    params = {
        "objective": "multi:softprob",
        "num_class": 4,
        "multi_strategy": "multi_output_tree",
        "grow_policy": "symmetric",
        "extra_trees": 1,
        "max_depth": 7,
    }
    for more in ({}, {"subsample": 0.6, "colsample_bynode": 0.6}, {"max_bin": 1000, "min_data_in_leaf": 9}):
        assert_same(lambda: kb.DMatrix(X, classes), {**params, **more})
        assert_same(lambda: kb.DMatrix(np.nan_to_num(X), classes), {**params, **more})


def test_predictions(binary: Binary) -> None:
    X, y = binary
    data = kb.DMatrix(X, y)
    boosters = [kb.train({"tree_method": "hist", "device": device}, data, 5) for device in ("cpu", "cuda")]
    for rows in (data, kb.DMatrix(X[:100])):
        np.testing.assert_array_equal(boosters[1].predict(rows), boosters[0].predict(rows))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bins_of_host_rows_are_made_on_the_device(binary: Binary, dtype: type) -> None:
    X, y = binary
    rows = np.tile(X, (1 + (1 << 17) // X.size, 1)).astype(dtype)  # fewer values stay on the host
    labels = np.resize(y, len(rows))
    weights = np.linspace(0, 2, len(rows))
    for max_bin in (256, 1000):
        params = {"objective": "binary:logistic", "max_bin": max_bin}
        on_host = kb.QuantileDMatrix(rows, labels, weight=weights, max_bin=max_bin)
        on_device = kb.QuantileDMatrix(rows, labels, weight=weights, max_bin=max_bin, device="cuda")
        expected = bytes_on("cpu", params, on_host)
        assert bytes_on("cuda", params, on_device) == expected
        assert bytes_on("cpu", params, on_device) == expected
        for mine, theirs in zip(on_device.get_quantile_cut(), on_host.get_quantile_cut()):
            np.testing.assert_array_equal(mine, theirs)
        held_out = [
            kb.QuantileDMatrix(rows[::2], ref=data, device=device)
            for data, device in ((on_host, None), (on_device, "cuda"))
        ]
        booster = kb.train({**params, "device": "cuda"}, on_device, 3)
        np.testing.assert_array_equal(booster.predict(held_out[0]), booster.predict(held_out[1]))


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_the_device_finds_infinite_values(binary: Binary, value: float) -> None:
    X, y = binary
    rows = np.tile(X, (1 + (1 << 17) // X.size, 1)).astype(np.float32)
    labels = np.resize(y, len(rows))
    data = kb.QuantileDMatrix(rows, labels, device="cuda")
    rows[-5, 2] = value
    for ref in (None, data):
        with pytest.raises(kb.DataError, match=f"row {len(rows) - 5}, column 2 is {value}"):
            kb.QuantileDMatrix(rows, labels, ref=ref, device="cuda")


@pytest.mark.parametrize("make", [kb.DMatrix, kb.QuantileDMatrix])
def test_training_again_sees_every_change(binary: Binary, make: type[kb.DMatrix]) -> None:
    X, y = binary
    rows = np.tile(X, (1 + (1 << 17) // X.size, 1))
    labels = np.resize(y, len(rows))
    params = {"objective": "binary:logistic", "subsample": 0.5}
    data = make(rows, labels)
    for change in ({}, {"label": 1 - labels}, {"weight": np.linspace(0, 2, len(rows))}, {"label": labels}, {}):
        for name, values in change.items():
            data.set_info(**{name: values})
        # The weights set the cuts of a DMatrix; a QuantileDMatrix has the cuts it was made with.
        fresh = make(rows, labels)
        fresh.set_info(label=data.get_label())
        if len(data.get_weight()):
            fresh.set_info(weight=data.get_weight())
        assert bytes_on("cuda", params, data) == bytes_on("cpu", params, fresh)
        assert bytes_on("cuda", {**params, "objective": "reg:squarederror"}, data) == bytes_on(
            "cpu", {**params, "objective": "reg:squarederror"}, fresh
        )


def test_names_of_the_method(binary: Binary) -> None:
    X, y = binary
    expected = bytes_on("cpu", {}, kb.DMatrix(X, y))
    for method in ("hist", "auto", "gpu_hist"):
        assert bytes_on("cuda", {"tree_method": method}, kb.DMatrix(X, y)) == expected
    assert kb.train({"device": "cuda"}, kb.DMatrix(X, y), 4).save_raw("ubj") == expected


@pytest.mark.parametrize("make", [kb.DMatrix, kb.QuantileDMatrix])
def test_arrays_on_the_device(to_device: Callable, binary: Binary, make: type[kb.DMatrix]) -> None:
    X, y = binary
    weights = np.linspace(0.5, 2, len(y))
    for way in ("plain", "drawn", "by gain"):
        params = {"objective": "binary:logistic", **WAYS[way]}
        on_device = make(to_device(X), to_device(y), weight=to_device(weights))
        assert bytes_on("cuda", params, on_device) == bytes_on("cpu", params, make(X, y, weight=weights))


def test_evaluation_and_stopping(binary: Binary) -> None:
    X, y = binary
    found = []
    for device in ("cpu", "cuda"):
        history: dict[str, Any] = {}
        train, held_out = kb.DMatrix(X[:400], y[:400]), kb.DMatrix(X[400:], y[400:])
        params = {"objective": "binary:logistic", "device": device, "eval_metric": ["logloss", "auc"]}
        evals = [(train, "train"), (held_out, "held out")]
        booster = kb.train(
            params, train, 60, evals=evals, evals_result=history, early_stopping_rounds=3, verbose_eval=False
        )
        found.append((history, booster.best_iteration, booster.save_raw("ubj")))
    assert found[0] == found[1]


@pytest.mark.parametrize("n_classes", [0, 3])
def test_fit_best_tries_what_it_tries_on_the_cpu(binary: Binary, n_classes: int) -> None:
    X, y = binary
    params: dict[str, Any] = {"objective": "binary:logistic", "eta": 0.5}
    if n_classes > 0:
        y = y + (np.nan_to_num(X[:, 0]) > 0)
        params = {"objective": "multi:softprob", "num_class": n_classes, "eta": 0.5}
    found = {
        device: kb.fit_best(X, y, params={**params, "device": device}, rounds_budget=700, nfold=3)
        for device in ("cpu", "cuda")
    }
    attempts = found["cuda"].attempts
    assert [attempt.error for attempt in attempts] == [None] * len(attempts)
    assert any(attempt.params.get("random_strength") for attempt in attempts)
    assert found["cuda"].booster.save_raw("ubj") == found["cpu"].booster.save_raw("ubj")


@pytest.mark.parametrize("kind", ["dense", "many bins", "sparse", "categories", "external"])
def test_evaluation_sets_that_keep_bins(binary: Binary, kind: str, tmp_path: Path) -> None:
    X, y = binary
    more: dict[str, Any] = {"max_bin": 400} if kind == "many bins" else {}
    params = {"objective": "binary:logistic", "eval_metric": ["logloss", "auc"], **more}
    rows: Any = X
    if kind == "sparse":
        rows = scipy_sparse.csr_matrix(np.nan_to_num(X) * (np.abs(np.nan_to_num(X)) > 0.5))
    if kind == "categories":
        rows = np.hstack([np.abs(np.round(X[:, :1])), X[:, 1:]])
        more["feature_types"] = ["c"] + ["q"] * (X.shape[1] - 1)

    class Halves(kb.DataIter):
        """The rows in two batches."""

        def __init__(self, of: slice) -> None:
            self.of, self.at = of, 0
            super().__init__(cache_prefix=str(tmp_path / f"rows{of.start}"))

        def reset(self) -> None:
            self.at = 0

        def next(self, input_data: Callable) -> bool:
            if self.at == 2:
                return False
            part = np.array_split(np.arange(self.of.start, self.of.stop), 2)[self.at]
            self.at += 1
            input_data(data=X[part], label=y[part])
            return True

    def matrix(of: slice, ref: kb.DMatrix | None) -> kb.DMatrix:
        if kind == "external":
            return kb.ExtMemQuantileDMatrix(Halves(of), ref=ref)
        return kb.QuantileDMatrix(rows[of], y[of], ref=ref, **more)

    found = []
    for device in ("cpu", "cuda"):
        train = matrix(slice(0, 400), None)
        evals = [(train, "train"), (matrix(slice(400, len(y)), train), "held out"), (kb.DMatrix(X, y), "values")]
        if kind in {"categories", "sparse"}:
            evals.pop()
        history: dict[str, Any] = {}
        booster = kb.train(
            {**params, "device": device},
            train,
            20,
            evals=evals,
            evals_result=history,
            early_stopping_rounds=3,
            verbose_eval=False,
        )
        again = kb.train({**params, "device": device}, train, 3, xgb_model=booster)
        found.append((history, booster.best_iteration, booster.save_raw("ubj"), again.save_raw("ubj")))
    assert found[0] == found[1]


def real_rows(name: str, limit: int | None) -> tuple[Any, np.ndarray, dict[str, Any]]:
    """Return features, labels and extras."""
    if not (DATA / "load.py").is_file():
        pytest.skip(f"no real data sets at {DATA}")
    sys.path.insert(0, str(DATA))
    try:
        from load import load

        features, labels, extras = load(name)
    finally:
        sys.path.remove(str(DATA))
    features = scipy_sparse.csr_matrix(features) if hasattr(features, "indptr") else features
    return features[:limit], labels[:limit], extras


@pytest.mark.parametrize("name", REAL)
def test_real_sets(name: str) -> None:
    params, rounds, limit = REAL[name]
    features, labels, extras = real_rows(name, limit)
    columns = range(features.shape[1])
    types = ["c" if column in extras["categorical"] else "q" for column in columns] if extras["categorical"] else None
    for way in (WAYS["plain"], WAYS["drawn"]):
        for kinds in [None] if types is None else [None, types]:
            assert_same(
                lambda kinds=kinds: kb.DMatrix(features, labels, group=extras.get("group"), feature_types=kinds),
                {**params, **way},
                rounds,
            )


def test_rules_of_columns_and_queries_hold_on_a_device() -> None:
    """The rules are the library's; see demo/guide/checks.md."""
    pandas = pytest.importorskip("pandas")
    x = np.arange(40, dtype=np.float32)
    frame = pandas.DataFrame({"x": x, "grade": pandas.Categorical(["u", "v"] * 20)})
    params = {"device": "cuda", "max_depth": 2, "interaction_constraints": "[[0]]"}
    booster = kb.train(params, kb.DMatrix(frame, label=x), 2)
    new = frame.assign(grade=pandas.Categorical(["u"] * 39 + ["zz"]))
    for rows, message in (
        (frame[["grade", "x"]], "in another order"),
        (frame.assign(grade=1.0), "holds categories in the model, but numbers"),
        (new, r"column 1 .*has the category 'zz'"),
    ):
        with pytest.raises(kb.DataError, match=message):
            booster.predict(kb.DMatrix(rows))
    with pytest.raises(kb.DataError, match="no query groups"):
        kb.train({"device": "cuda", "objective": "rank:ndcg"}, kb.DMatrix(x[:, None], label=x % 3), 1)


def test_an_estimator_bins_its_rows_on_the_device() -> None:
    """Rows from 2^20 values on are binned there; the model is the CPU's, whatever the labels are called."""
    sklearn = pytest.importorskip("kauriboost.sklearn")
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1 << 16, 17)).astype(np.float32)
    X[rng.random(X.shape) < 0.05] = np.nan
    names = np.array([-3, 4, 9])
    y = names[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0)]
    models = {}
    for device in ("cpu", "cuda"):
        model = sklearn.KauriClassifier(n_estimators=4, max_depth=4, device=device, tree_method="hist").fit(X, y)
        models[device] = bytes(model.get_booster().save_raw("ubj"))
        assert model.classes_.tolist() == names.tolist()
    assert models["cpu"] == models["cuda"]


def test_infinite_rows_in_place_are_named() -> None:
    X = np.arange(4000, dtype=np.float32).reshape(1000, 4)
    booster = kb.train({"device": "cuda"}, kb.DMatrix(X, X[:, 0]), 2)
    expected = booster.inplace_predict(X)
    rows = X.copy()
    rows[700, 2] = np.inf
    for given in (rows, np.asfortranarray(rows), rows.astype(np.float64)):
        with pytest.raises(kb.DataError, match="row 700, column 2 is inf"):
            booster.inplace_predict(given)
    rows[700, 2] = np.nan
    assert np.array_equal(np.delete(booster.inplace_predict(rows), 700), np.delete(expected, 700))
