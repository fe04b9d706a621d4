"""DMatrix.save_binary and reading back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 5)).astype(np.float32)
X[RNG.random(X.shape) < 0.2] = np.nan
Y = (np.nan_to_num(X[:, 0]) > 0).astype(np.float32)

MATRICES = {
    "dense": lambda: kb.DMatrix(X, Y, weight=np.arange(200), base_margin=Y),
    "frame": lambda: kb.DMatrix(pd.DataFrame(X, columns=list("abcde")), Y),
    "sparse": lambda: kb.DMatrix(sp.random(200, 400, 0.02, "csr", random_state=1, dtype=np.float32), Y),
    "queries": lambda: kb.DMatrix(X, Y, group=[50, 150], weight=[1, 2]),
    "categories": lambda: kb.DMatrix(np.abs(np.round(X)), Y, feature_types=["c", "q", "int", "float", "c"]),
    "targets": lambda: kb.DMatrix(X, np.stack([Y, Y + 1], axis=1), feature_weights=np.ones(5)),
    "bounds": lambda: kb.DMatrix(X, label_lower_bound=Y, label_upper_bound=np.where(Y > 0, np.inf, 1)),
}


@pytest.mark.parametrize("make", MATRICES.values(), ids=MATRICES.keys())
def test_what_is_saved_comes_back(make: object, tmp_path: Path) -> None:
    saved = make()
    saved.save_binary(tmp_path / "a.bin")
    for source in (tmp_path / "a.bin", f"{tmp_path}/a.bin?format=binary"):
        read = kb.DMatrix(source)
        assert (read.get_data() != saved.get_data()).nnz == 0
        assert read.num_nonmissing() == saved.num_nonmissing()
        assert (read.feature_names, read.feature_types) == (saved.feature_names, saved.feature_types)
        for field in ("label", "weight", "base_margin", "label_lower_bound", "label_upper_bound", "feature_weights"):
            np.testing.assert_array_equal(read.get_float_info(field), saved.get_float_info(field))
        np.testing.assert_array_equal(read.get_group(), saved.get_group())


def test_models_are_the_same(tmp_path: Path) -> None:
    data = kb.DMatrix(X, Y)
    data.save_binary(tmp_path / "a.bin")
    models = [
        kb.train({"objective": "binary:logistic"}, matrix, 3) for matrix in (data, kb.DMatrix(tmp_path / "a.bin"))
    ]
    assert models[0].save_raw("json") == models[1].save_raw("json")


def test_what_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(kb.FileError, match="absent"):
        kb.DMatrix(X, Y).save_binary(tmp_path / "absent" / "a.bin")
    with pytest.raises(kb.DataError, match="saving a matrix needs the values"):
        kb.QuantileDMatrix(X, Y).save_binary(tmp_path / "a.bin")
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "a.bin"
    kb.DMatrix(X, Y).save_binary(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(kb.DataError, match=r"a\.bin': it has \d+ bytes, but was written with \d+; it was cut off"):
        kb.DMatrix(path)
    damaged = bytearray(whole)
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(kb.DataError, match="is damaged: its checksum is"):
        kb.DMatrix(path)
    with pytest.raises(kb.ParameterError, match="format=binary does not know 'label_column'"):
        kb.DMatrix(f"{path}?format=binary&label_column=0")


def lone_bound(data: kb.DMatrix) -> None:
    data.set_float_info("label_lower_bound", Y)


def one_weight(data: kb.DMatrix) -> None:
    data.set_weight([2.0])


def weights_before_groups(data: kb.DMatrix) -> None:
    data.set_weight(np.ones(200))
    data.set_group([50, 150])


def groups_of_other_rows(data: kb.DMatrix) -> None:
    data.set_group([50, 10])


@pytest.mark.parametrize("begin", [lone_bound, one_weight, weights_before_groups, groups_of_other_rows])
def test_what_is_set_halfway_comes_back(begin: Callable[[kb.DMatrix], None], tmp_path: Path) -> None:
    data = kb.DMatrix(X, Y)
    begin(data)
    data.save_binary(tmp_path / "a.bin")
    back = kb.DMatrix(tmp_path / "a.bin")
    for field in ("weight", "label_lower_bound", "label_upper_bound"):
        assert np.array_equal(data.get_float_info(field), back.get_float_info(field))
    assert np.array_equal(data.get_uint_info("group_ptr"), back.get_uint_info("group_ptr"))
    for either in (data, back):
        with pytest.raises(kb.DataError, match=r"give|weight|query groups"):
            kb.train({"objective": "survival:aft" if begin is lone_bound else "rank:ndcg"}, either, 1)
