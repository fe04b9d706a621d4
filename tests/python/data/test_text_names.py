"""CSV files whose categories and labels are names: supported uses and refusals."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost._binding.library import LIB
from kauriboost.sklearn import KauriClassifier

NAMES = ["17", "A1", "4", "B"]
KEYS = "label_column=y&categorical_columns=c"
NUMBERS = "c,x,y\n4,1,1\n17,0,0\n"
MIXED = "c,x,y\n4,1,1\nB,0,0\n"
MISSING = "c,x,y\n,1,1\n"
TWO = "c,x\n2,1\n"


@pytest.fixture(scope="module")
def trained() -> tuple[kb.Booster, pd.DataFrame]:
    rng = np.random.default_rng(0)
    name = rng.choice(NAMES, 200)
    frame = pd.DataFrame({"c": pd.Categorical(name), "x": rng.integers(0, 50, 200)})
    y = np.isin(name, ["A1", "4"]).astype(float)
    params = {"objective": "binary:logistic", "min_child_weight": 0}
    return kb.train(params, kb.DMatrix(frame, y), 5), frame


def write(folder: Path, text: str) -> str:
    (folder / "a.csv").write_text(text)
    return str(folder / "a.csv")


@pytest.mark.parametrize("keys", [KEYS, "label_column=y"])
def test_numbers_where_the_model_has_names_are_refused(
    keys: str, trained: tuple[kb.Booster, pd.DataFrame], tmp_path: Path
) -> None:
    booster = trained[0]
    data = kb.DMatrix(f"{write(tmp_path, NUMBERS)}?{keys}")
    for predict in (booster.predict, booster.eval, lambda d: booster.predict(d, pred_contribs=True)):
        with pytest.raises(
            kb.DataError, match=r"column 0 \('c'\) holds only numbers.*knows its categories by names, such as '17'"
        ):
            predict(data)
    data.save_binary(str(tmp_path / "a.bin"))
    for copy in (data.slice([0, 1]), kb.DMatrix(str(tmp_path / "a.bin"))):
        with pytest.raises(kb.DataError, match="holds only numbers"):
            booster.predict(copy)
    empty = kb.DMatrix(f"{write(tmp_path, MISSING)}?{keys}")
    missing = pd.DataFrame({"c": pd.Categorical([None]), "x": [1]})
    np.testing.assert_array_equal(booster.predict(empty), booster.inplace_predict(missing))


def test_a_cache_is_judged_alike(trained: tuple[kb.Booster, pd.DataFrame], tmp_path: Path) -> None:
    path = write(tmp_path, NUMBERS)
    data = kb.DMatrix(f"{path}?format=csv&{KEYS}#{tmp_path / 'cache'}")
    with pytest.raises(kb.DataError, match="holds only numbers"):
        trained[0].predict(data)


def test_names_are_compared(trained: tuple[kb.Booster, pd.DataFrame], tmp_path: Path) -> None:
    booster = trained[0]
    data = kb.DMatrix(f"{write(tmp_path, MIXED)}?{KEYS}")
    frame = pd.DataFrame({"c": pd.Categorical(["4", "B"]), "x": [1, 0]})
    np.testing.assert_array_equal(booster.predict(data), booster.inplace_predict(frame))


def test_names_that_are_their_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"c": pd.Categorical([0, 1, 2] * 20), "x": range(60)})
    booster = kb.train({"min_child_weight": 0}, kb.DMatrix(frame, frame.c.cat.codes), 3)
    data = kb.DMatrix(f"{write(tmp_path, TWO)}?categorical_columns=c")
    rows = pd.DataFrame({"c": pd.Categorical([2]), "x": [1]})
    np.testing.assert_array_equal(booster.predict(data), booster.inplace_predict(rows))
    gap = pd.DataFrame({"c": pd.Categorical([10, 20, 30] * 20), "x": range(60)})
    booster = kb.train({"min_child_weight": 0}, kb.DMatrix(gap, gap.c.cat.codes), 3)
    with pytest.raises(kb.DataError, match=r"holds only numbers.*such as 10"):
        booster.predict(data)


def test_arrays_of_codes_stay_codes(trained: tuple[kb.Booster, pd.DataFrame]) -> None:
    booster, frame = trained
    codes = np.column_stack([frame.c.cat.codes, frame.x]).astype(np.float32)
    data = kb.DMatrix(codes, feature_types=["c", "q"], feature_names=["c", "x"])
    np.testing.assert_array_equal(booster.predict(data), booster.predict(kb.DMatrix(frame)))


def test_the_c_function(trained: tuple[kb.Booster, pd.DataFrame], tmp_path: Path) -> None:
    library = ctypes.CDLL(LIB._name)
    library.XGBGetLastError.restype = ctypes.c_char_p
    handle, shape, size, out = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
    uri = f"{write(tmp_path, NUMBERS)}?{KEYS}"
    assert library.XGDMatrixCreateFromURI(json.dumps({"uri": uri}).encode(), ctypes.byref(handle)) == 0
    config = {"type": 0, "training": False, "iteration_begin": 0, "iteration_end": 0, "strict_shape": False}
    booster = ctypes.c_void_p()
    assert library.XGBoosterCreate(None, 0, ctypes.byref(booster)) == 0
    raw = bytes(trained[0].save_raw("ubj"))
    assert library.XGBoosterLoadModelFromBuffer(booster, raw, ctypes.c_uint64(len(raw))) == 0
    status = library.XGBoosterPredictFromDMatrix(
        booster, handle, json.dumps(config).encode(), ctypes.byref(shape), ctypes.byref(size), ctypes.byref(out)
    )
    assert status == -1
    assert b"holds only numbers" in library.XGBGetLastError()
    library.XGDMatrixFree(handle)
    library.XGBoosterFree(booster)


def test_labels_of_text_say_what_to_do(tmp_path: Path) -> None:
    path = write(tmp_path, "c,x,y\n4,1,yes\nB,0,no\n")
    with pytest.raises(kb.DataError, match=r"labels of text are classes.*number the classes from 0.*KauriClassifier"):
        kb.DMatrix(f"{path}?{KEYS}")
    frame = pd.read_csv(path)
    frame["c"] = frame.c.astype("category")
    model = KauriClassifier(n_estimators=2, min_child_weight=0).fit(frame[["c", "x"]], frame.y)
    assert list(model.classes_) == ["no", "yes"]
