"""Large explanations are returned without a copy: later calls do not change them, and freed memory is reused."""

from __future__ import annotations

import gc
import pickle

import kauriboost as kb
import numpy as np
import pytest

N_ROWS, N_COLS = 9000, 40


@pytest.fixture(scope="module")
def data() -> kb.DMatrix:
    rng = np.random.default_rng(1)
    features = rng.standard_normal((N_ROWS, N_COLS), dtype=np.float32)
    return kb.DMatrix(features, features[:, 0] * features[:, 1] > 0)


@pytest.fixture(scope="module")
def booster(data: kb.DMatrix) -> kb.Booster:
    return kb.train({"objective": "binary:logistic", "max_depth": 3}, data, 5, verbose_eval=False)


def test_no_call_changes_it(booster: kb.Booster, data: kb.DMatrix) -> None:
    first = booster.predict(data, pred_contribs=True)
    assert first.nbytes > 1 << 20
    assert first.flags.c_contiguous
    before = first.copy()
    again = booster.predict(data, pred_contribs=True, training=True)
    booster.predict(data, pred_contribs=True, approx_contribs=True)
    kb.explain(booster, data)
    np.testing.assert_array_equal(first, before)
    np.testing.assert_array_equal(again, before)
    np.testing.assert_allclose(before.sum(axis=1), booster.predict(data, output_margin=True), atol=1e-4)


def test_it_belongs_to_the_caller(booster: kb.Booster, data: kb.DMatrix) -> None:
    other = booster.copy()
    values = other.predict(data, pred_contribs=True)
    expected = booster.predict(data, pred_contribs=True)
    part = values[3:7, 1:]
    del other, values
    gc.collect()
    np.testing.assert_array_equal(part, expected[3:7, 1:])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(expected)), expected)
    part += 1
    np.testing.assert_array_equal(part, expected[3:7, 1:] + np.float32(1))


def test_memory_is_used_again(booster: kb.Booster, data: kb.DMatrix) -> None:
    mine = booster.copy()
    first = mine.predict(data, pred_contribs=True)
    expected = first.copy()
    address = first.ctypes.data
    del first
    gc.collect()
    again = mine.predict(data, pred_contribs=True)
    assert again.ctypes.data == address
    np.testing.assert_array_equal(again, expected)
