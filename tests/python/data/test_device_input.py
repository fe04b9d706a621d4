"""Arrays in the memory of a CUDA device. Most tests need CuPy or PyTorch and a device, and skip without them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

HAS_DEVICE = bool(kb.build_info()["USE_CUDA"])
PARAMS = {"device": "cuda", "tree_method": "exact", "objective": "binary:logistic", "max_depth": 4}


class Announced:
    """Host memory declared as device memory."""

    def __init__(self, values: np.ndarray, **more: Any) -> None:
        self.values = values
        self.__cuda_array_interface__ = {**values.__array_interface__, "stream": 1, **more}


@pytest.fixture(params=["cupy", "torch"])
def to_device(request: pytest.FixtureRequest) -> Callable[[np.ndarray], Any]:
    """Return a function that copies an array to the device."""
    module = pytest.importorskip(request.param)
    if not HAS_DEVICE:
        pytest.skip("no CUDA device")
    return module.asarray if request.param == "cupy" else lambda values: module.as_tensor(values, device="cuda")


def host(values: Any) -> np.ndarray:
    return values.cpu().numpy() if hasattr(values, "cpu") else kb.device.to_host(values)


@pytest.mark.skipif(HAS_DEVICE, reason="there is a CUDA device")
def test_without_a_device(binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = binary
    booster = kb.train({"device": "cpu"}, kb.DMatrix(X, y), 1)
    for act in (
        lambda: kb.DMatrix(Announced(X)),
        lambda: kb.DMatrix(X, Announced(y)),
        lambda: booster.inplace_predict(Announced(X)),
        lambda: booster.boost(kb.DMatrix(X), 1, Announced(y), Announced(y)),
    ):
        with pytest.raises(kb.DeviceError, match=r"array in device memory was given, but .*copy the array to host"):
            act()


@pytest.mark.parametrize(
    ("values", "more", "message"),
    [
        (np.zeros(3, np.float32), {}, "Reshape"),
        (np.zeros((2, 2, 2), np.float32), {}, "3 dimensions"),
        (np.zeros((2, 2), np.float32), {"mask": np.zeros((2, 2), bool)}, "mask"),
        (np.zeros((2, 2), np.complex64), {}, "<c8"),
        (np.zeros((2, 2), np.float32), {"stream": 0}, "stream is 0"),
        (np.zeros((2, 2), np.float32), {"strides": (8, -4)}, "negative"),
    ],
)
def test_bad_arrays(values: np.ndarray, more: dict[str, Any], message: str) -> None:
    with pytest.raises(kb.DataError, match=message):
        kb.DMatrix(Announced(values, **more))


def test_a_tensor_that_refuses() -> None:
    class WithHistory:
        @property
        def __cuda_array_interface__(self) -> dict[str, Any]:
            raise RuntimeError("use tensor.detach()")

    with pytest.raises(kb.DataError, match="detach"):
        kb.DMatrix(WithHistory())


@pytest.mark.skipif(not HAS_DEVICE, reason="no CUDA device")
def test_host_memory_is_no_device_memory() -> None:
    with pytest.raises(kb.DataError, match="host memory"):
        kb.DMatrix(Announced(np.zeros((2, 2), np.float32)))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1"])
def test_the_same_model(to_device: Callable, binary: tuple[np.ndarray, np.ndarray], dtype: str) -> None:
    X, y = binary
    values = (np.nan_to_num(X) * 10 + 100).astype(dtype) if dtype[0] in "iu" else X.astype(dtype)
    weights = np.linspace(0.5, 2, len(y))
    on_host = kb.DMatrix(values, y, weight=weights, missing=100)
    on_device = kb.DMatrix(to_device(values), to_device(y), weight=to_device(weights), missing=100)
    assert on_device.num_nonmissing() == on_host.num_nonmissing()
    np.testing.assert_array_equal(on_device.get_label(), y)
    models = [kb.train(PARAMS, data, 4).save_raw("ubj") for data in (on_host, on_device)]
    models.append(kb.train({**PARAMS, "device": "cpu"}, on_device, 4).save_raw("ubj"))
    assert models[0] == models[1] == models[2]


def test_predictions_stay_there(to_device: Callable, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = binary
    booster = kb.train(PARAMS, kb.DMatrix(X, y), 4)
    rows, matrix = to_device(X), kb.DMatrix(to_device(X))
    marked = to_device(np.where(np.isnan(X), np.float32(-999), X))
    for kind in ("value", "margin"):
        expected = booster.inplace_predict(X, predict_type=kind)
        for result in (
            booster.inplace_predict(rows, predict_type=kind),
            booster.inplace_predict(
                rows.T.copy().T if hasattr(rows, "get") else rows.T.contiguous().T, predict_type=kind
            ),
            booster.inplace_predict(marked, predict_type=kind, missing=-999),
            booster.predict(matrix, output_margin=kind == "margin"),
        ):
            assert hasattr(result, "__cuda_array_interface__")
            np.testing.assert_array_equal(host(result), expected)
    margin = np.linspace(-1, 1, len(y)).astype(np.float32)
    np.testing.assert_array_equal(
        host(booster.inplace_predict(rows, base_margin=to_device(margin), iteration_range=(1, 3))),
        booster.inplace_predict(X, base_margin=margin, iteration_range=(1, 3)),
    )
    for how in ({"pred_leaf": True}, {"pred_contribs": True}):
        np.testing.assert_array_equal(host(booster.predict(matrix, **how)), booster.predict(kb.DMatrix(X), **how))


def test_memory_outlives_the_booster(to_device: Callable, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = binary
    booster = kb.train(PARAMS, kb.DMatrix(X, y), 2)
    expected = booster.inplace_predict(X)
    result = booster.inplace_predict(to_device(X))
    del booster
    np.testing.assert_array_equal(host(result), expected)


def test_custom_objective(to_device: Callable, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = binary
    labels = to_device(y)
    xp = importlib.import_module(type(labels).__module__.split(".")[0])

    def squared_error(margins: Any, data: kb.DMatrix) -> tuple[Any, Any]:
        if isinstance(margins, np.ndarray) and not hasattr(margins, "__cuda_array_interface__"):
            return margins - y, np.ones_like(y)
        here = xp.asarray(margins) if xp.__name__ == "cupy" else xp.as_tensor(margins, device="cuda")
        return here - labels, xp.ones_like(labels)

    params = {"device": "cuda", "tree_method": "exact", "max_depth": 3}
    on_host = kb.train(params, kb.DMatrix(X, y), 4, obj=squared_error)
    on_device = kb.train(params, kb.DMatrix(to_device(X), labels), 4, obj=squared_error)
    assert on_host.save_raw("ubj") == on_device.save_raw("ubj")


def test_estimators_return_host_arrays(to_device: Callable, binary: tuple[np.ndarray, np.ndarray]) -> None:
    from kauriboost.sklearn import KauriClassifier

    X, y = binary
    model = KauriClassifier(n_estimators=3, device="cuda", tree_method="exact").fit(to_device(X), y)
    np.testing.assert_array_equal(model.predict(to_device(X)), model.predict(X))


HIST = {**PARAMS, "tree_method": "hist", "max_depth": 5}


def raw(params: dict[str, Any], data: kb.DMatrix) -> bytes:
    return bytes(kb.train(params, data, 4).save_raw("ubj"))


def table(n_rows: int, n_cols: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return columns with few values, with many, and with missing ones, and labels of 0 and 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_cols)).astype(np.float32)
    X[:, ::3] = np.round(X[:, ::3] * 4)
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, (np.nan_to_num(X[:, 0]) + rng.normal(size=n_rows) > 0).astype(np.float32)


@pytest.mark.parametrize("shape", [(1, 1), (40, 3), (3000, 33), (20000, 7)])
@pytest.mark.parametrize("max_bin", [2, 64, 256, 400])
def test_bins_of_an_array(to_device: Callable, shape: tuple[int, int], max_bin: int) -> None:
    X, y = table(*shape, seed=max_bin)
    weights = np.linspace(0.5, 2, len(y)).astype(np.float32)
    on_host = kb.QuantileDMatrix(X, y, weight=weights, max_bin=max_bin)
    on_device = kb.QuantileDMatrix(to_device(X), to_device(y), weight=to_device(weights), max_bin=max_bin)
    assert on_device.num_nonmissing() == on_host.num_nonmissing()
    for ours, theirs in zip(on_device.get_quantile_cut(), on_host.get_quantile_cut(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    params = {**HIST, "max_bin": max_bin}
    expected = raw({**params, "device": "cpu"}, on_host)
    assert raw(params, on_device) == expected, "before host memory has the codes"
    assert raw({**params, "device": "cpu"}, on_device) == expected
    assert raw(params, on_device) == expected, "after it"
    assert raw({**params, "grow_policy": "lossguide", "max_leaves": 7}, on_device) == raw(
        {**params, "grow_policy": "lossguide", "max_leaves": 7}, on_host
    )


def test_bins_in_every_use(to_device: Callable) -> None:
    X, y = table(5000, 20, seed=1)
    on_host, on_device = kb.QuantileDMatrix(X, y), kb.QuantileDMatrix(to_device(X), to_device(y))
    booster = kb.train(HIST, on_device, 4)
    rows = np.arange(0, 5000, 7)
    for device in ("cuda", "cpu"):
        booster.set_param({"device": device})
        np.testing.assert_array_equal(booster.predict(on_device), booster.predict(on_host))
        np.testing.assert_array_equal(
            booster.predict(on_device, pred_contribs=True), booster.predict(on_host, pred_contribs=True)
        )
        params = {**HIST, "device": device}
        assert raw(params, on_device.slice(rows)) == raw(params, on_host.slice(rows))
    other, labels = table(3000, 20, seed=2)
    of_ref = [
        kb.QuantileDMatrix(to_device(other), labels, ref=on_device),
        kb.QuantileDMatrix(to_device(other), labels, ref=on_host),
        kb.QuantileDMatrix(to_device(other), labels, ref=kb.DMatrix(X, y)),
        kb.QuantileDMatrix(other, labels, ref=on_device),
    ]
    expected = raw(HIST, kb.QuantileDMatrix(other, labels, ref=on_host))
    assert [raw(HIST, data) == expected for data in of_ref] == [True] * 4
    results: list[dict[str, Any]] = [{}, {}]
    for result, train, held_out in zip(results, (on_host, on_device), (of_ref[3], of_ref[0]), strict=True):
        kb.train(HIST, train, 4, evals=[(held_out, "held out")], evals_result=result, verbose_eval=False)
    assert results[0] == results[1]


def test_bins_and_the_life_of_what_they_are_made_of(to_device: Callable) -> None:
    X, y = table(8000, 9, seed=3)
    values = to_device(X)
    data = kb.QuantileDMatrix(values, y)
    expected = raw(HIST, kb.QuantileDMatrix(X, y))
    values[:] = 0  # the matrix no longer needs them
    assert raw(HIST, data) == expected
    booster = kb.Booster(HIST, [data])
    for i in range(2):
        booster.update(data, i)
    del data
    fresh = kb.QuantileDMatrix(to_device(X), y)
    for i in range(2, 4):
        booster.update(fresh, i)
    assert bytes(booster.save_raw("ubj")) == expected
    with pytest.raises(kb.KauriError, match="max_bin=64"):
        kb.train({**HIST, "max_bin": 64}, fresh, 1)
    fresh.set_info(label=1 - y)
    assert raw(HIST, fresh) == raw(HIST, kb.QuantileDMatrix(X, 1 - y))


def test_bins_of_missing_marks_and_columns(to_device: Callable) -> None:
    X, y = table(4000, 12, seed=4)
    marked = np.where(np.isnan(X), np.float32(-999), X)
    expected = raw(HIST, kb.QuantileDMatrix(X, y))
    assert raw(HIST, kb.QuantileDMatrix(to_device(marked), y, missing=-999)) == expected
    assert raw(HIST, kb.QuantileDMatrix(to_device(X.astype(np.float64)), y)) == expected
    assert raw(HIST, kb.QuantileDMatrix(to_device(np.asfortranarray(X)), y)) == expected
    types = ["c"] + ["q"] * 11
    coded = np.where(np.isnan(X[:, :1]), np.nan, np.abs(X[:, :1]))
    X = np.hstack([coded, X[:, 1:]]).astype(np.float32)
    with_categories = [kb.QuantileDMatrix(rows, y, feature_types=types) for rows in (X, to_device(X))]
    assert raw(HIST, with_categories[0]) == raw(HIST, with_categories[1])
    infinite = X.copy()
    infinite[7, 3] = np.inf
    with pytest.raises(kb.DataError, match="row 7"):
        kb.QuantileDMatrix(to_device(infinite), y)


def test_permutation_importance_stays_there(
    binary: tuple[np.ndarray, np.ndarray], to_device: Callable[[np.ndarray], Any]
) -> None:
    X, y = binary
    model = kb.train({**PARAMS, "eval_metric": "logloss"}, kb.DMatrix(X, y), 8, verbose_eval=False)
    expected = kb.permutation_importance(model, X, y, n_repeats=2, seed=3)
    rows = to_device(X)
    before = host(rows).copy()
    for labels in (y, to_device(y)):
        found = kb.permutation_importance(model, rows, labels, n_repeats=2, seed=3)
        np.testing.assert_array_equal(found.repeats, expected.repeats)
        assert found.baseline == expected.baseline
    chosen = kb.permutation_importance(model, rows, y, n_repeats=2, seed=3, features=[1], metric="auc")
    assert chosen.values.shape == (1,)
    np.testing.assert_array_equal(host(rows), before)
