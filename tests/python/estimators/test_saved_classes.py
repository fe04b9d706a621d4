"""Classifiers keep their classes through save_model and load_model; all other readers accept the files."""

from __future__ import annotations

import copy
import datetime
import json
import pickle
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
import xgboost
from kauriboost.callback import TrainingCheckPoint
from kauriboost.sklearn import KauriClassifier, KauriRegressor, KauriRFClassifier

Table = tuple[np.ndarray, np.ndarray]
SMALL = {"n_estimators": 4, "max_depth": 3, "n_jobs": 1}

THREE = {
    "texts": np.array(["ash", "birch", "elm"]),
    "other letters": np.array(["", 'q"\\\n\t', "ü 木 🙂"]),
    "objects": np.array(["ash", "birch", "elm"], dtype=object),
    "texts of any length": np.array(["ash", "birch", "elm"], np.dtypes.StringDType()),
    "bytes": np.array([b"a", b"\xff\xfe", b"\xff\xff"]),
    "integers": np.array([-5, 7, 300]),
    "small integers": np.array([1, 2, 3], np.int8),
    "large integers": np.array([0, 1, 2**64 - 1], np.uint64),
    "of the other byte order": np.array([1, 2, 3], ">i4"),
    "floats": np.array([-0.1, 1 / 3, 1e300]),
    "small floats": np.array([0.1, 0.5, 2], np.float32),
    "numbers as objects": np.array([1, 2, 10**30], dtype=object),
    "dates": np.array(["2024-01-01", "2024-01-02", "2025-01-01"], "M8[D]"),
    "durations": np.array([1, 2, 3], "m8[ms]"),
}


@pytest.fixture(params=THREE.values(), ids=THREE.keys())
def classes(request: pytest.FixtureRequest) -> np.ndarray:
    return request.param


def load(path: Path, kind: Any = KauriClassifier) -> Any:
    model = kind()
    model.load_model(path)
    return model


def agree(a: KauriClassifier, b: KauriClassifier, X: np.ndarray) -> None:
    np.testing.assert_array_equal(a.classes_, b.classes_)
    assert (a.classes_.dtype.kind, a.classes_.itemsize) == (b.classes_.dtype.kind, b.classes_.itemsize)
    assert a.n_classes_ == b.n_classes_
    np.testing.assert_array_equal(a.predict(X), b.predict(X))
    np.testing.assert_array_equal(a.predict_proba(X), b.predict_proba(X))


@pytest.mark.parametrize("name", ["model.json", "model.ubj"])
def test_classes_come_back(multiclass: Table, classes: np.ndarray, name: str, tmp_path: Path) -> None:
    X, codes = multiclass
    y = classes[codes.astype(int)]
    path = tmp_path / name
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = fit(X, y)
        fitted.save_model(path)
    loaded = load(path)
    agree(loaded, fitted, X)
    loaded.save_model(tmp_path / f"again {name}")
    again = load(tmp_path / f"again {name}")
    agree(again, fitted, X)
    assert again.get_booster().save_raw() == fitted.get_booster().save_raw()
    fitted.get_booster().save_model(path)  # through the booster
    agree(load(path), fitted, X)
    for other in (pickle.loads(pickle.dumps(loaded)), copy.deepcopy(loaded)):
        agree(other, fitted, X)
    assert load(path, KauriRFClassifier).classes_.tolist() == classes.tolist()


def fit(X: np.ndarray, y: Any, **how: Any) -> KauriClassifier:
    """Fit without scikit-learn's check of labels, which rejects dates, mixed objects and NumPy's newest text type."""
    model = KauriClassifier(**{**SMALL, **how})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kauriboost._estimators.classifier.check_classification_targets", lambda y: None)
        return model.fit(X, y)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 4], [b"a", b"b"], [0.5, 1.5]], ids=str)
@pytest.mark.parametrize("objective", ["binary:logistic", "multi:softprob"])
def test_two_classes(binary: Table, labels: list[Any], objective: str, tmp_path: Path) -> None:
    X, codes = binary
    fitted = fit(X, np.array(labels)[codes.astype(int)], objective=objective)
    fitted.save_model(tmp_path / "model.ubj")
    agree(load(tmp_path / "model.ubj"), fitted, X)


@pytest.mark.parametrize(
    "make",
    [
        lambda words: pd.Series(words),
        lambda words: pd.Series(words, dtype="string"),
        lambda words: pd.Series(pd.Categorical(words, ["elm", "birch", "ash"])),
        lambda words: pd.Categorical(words),
        lambda words: words.tolist(),
        lambda words: pd.DataFrame({"tree": words}),
    ],
)
def test_labels_of_frames(multiclass: Table, make: Any, tmp_path: Path) -> None:
    X, codes = multiclass
    words = np.array(["ash", "birch", "elm"])[codes.astype(int)]
    fitted = KauriClassifier(**SMALL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a column
        fitted.fit(X, make(words))
    fitted.save_model(tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    agree(loaded, fitted, X)
    assert loaded.score(X, words) > 0.8


def test_numbers_from_0_need_no_words(multiclass: Table, tmp_path: Path) -> None:
    X, y = multiclass
    for labels in (y, y.astype(int), y.astype(np.int8)):
        model = KauriClassifier(**SMALL).fit(X, labels)
        assert model.get_booster().attributes() == {}
    model.save_model(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").classes_, [0, 1, 2])


def test_one_class(binary: Table, tmp_path: Path) -> None:
    fitted = KauriClassifier(**SMALL).fit(binary[0], np.full(600, "only"))
    fitted.save_model(tmp_path / "model.json")
    agree(load(tmp_path / "model.json"), fitted, binary[0][:5])
    assert fitted.predict(binary[0][:2]).tolist() == ["only", "only"]


def test_tables_of_labels_have_none(binary: Table, tmp_path: Path) -> None:
    X, y = binary
    fitted = KauriClassifier(**SMALL).fit(X, np.column_stack([y, 1 - y, y]))
    fitted.save_model(tmp_path / "model.json")
    agree(load(tmp_path / "model.json"), fitted, X)


def test_objects_without_a_form(binary: Table, tmp_path: Path) -> None:
    X, y = binary
    labels = np.array([Decimal("1.5"), Decimal("2.5")], dtype=object)[y.astype(int)]
    model = fit(X, labels)
    with pytest.warns(UserWarning, match=r"no form for the classes .*Decimal\('1.5'\).* Pickle keeps them"):
        model.save_model(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").classes_, [0, 1])
    days = np.array([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)], dtype=object)[y.astype(int)]
    on = fit(X, days, n_estimators=1)
    assert pickle.loads(pickle.dumps(on)).classes_.tolist() == on.classes_.tolist()


def test_other_readers(multiclass: Table, tmp_path: Path) -> None:
    X, codes = multiclass
    words = np.array(["ash", "birch", "elm"])[codes.astype(int)]
    fitted = KauriClassifier(**SMALL).fit(X, words)
    for name in ("model.json", "model.ubj"):
        fitted.save_model(tmp_path / name)
        theirs = xgboost.XGBClassifier()
        theirs.load_model(tmp_path / name)
        np.testing.assert_allclose(theirs.predict_proba(X), fitted.predict_proba(X), rtol=1e-5)
        theirs.get_booster().save_model(tmp_path / f"theirs {name}")  # they keep unknown attributes
        agree(load(tmp_path / f"theirs {name}"), fitted, X)
    booster = kb.Booster(model_file=tmp_path / "model.json")
    np.testing.assert_allclose(booster.predict(kb.DMatrix(X)), fitted.predict_proba(X), rtol=1e-6)
    assert booster[:2].attributes() == booster.attributes()


def test_files_without_classes(multiclass: Table, binary: Table, tmp_path: Path) -> None:
    X, y = multiclass
    theirs = xgboost.XGBClassifier(n_estimators=2).fit(X, y)
    theirs.save_model(tmp_path / "theirs.json")
    words = fit(X, np.array(["a", "b", "c"])[y.astype(int)])
    words.load_model(tmp_path / "theirs.json")
    assert words.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(words.predict(X), theirs.predict(X))
    params = {"objective": "binary:logistic"}
    kb.train(params, kb.DMatrix(*binary), 2, verbose_eval=False).save_model(tmp_path / "booster.json")
    words.load_model(tmp_path / "booster.json")
    assert (words.classes_.tolist(), words.n_classes_) == ([0, 1], 2)


def test_an_estimator_that_is_used_again(multiclass: Table, binary: Table, tmp_path: Path) -> None:
    """After being fitted, loaded and refitted it has the classes of its latest model."""
    X, codes = multiclass
    trees = np.array(["ash", "birch", "elm"])[codes.astype(int)]
    model = KauriClassifier(**SMALL).fit(X, trees)
    model.save_model(tmp_path / "trees.json")
    model.fit(X, codes)
    assert model.get_booster().attributes() == {}
    model.load_model(tmp_path / "trees.json")
    assert model.classes_.tolist() == ["ash", "birch", "elm"]
    model.fit(binary[0], binary[1] == 1)
    model.save_model(tmp_path / "truth.json")
    assert load(tmp_path / "truth.json").classes_.tolist() == [False, True]


def test_failures_leave_the_classes(multiclass: Table, regression: Table, tmp_path: Path) -> None:
    X, codes = multiclass
    model = KauriClassifier(**SMALL).fit(X, np.array(["ash", "birch", "elm"])[codes.astype(int)])
    before = model.predict(X)
    KauriRegressor(n_estimators=1).fit(*regression).save_model(tmp_path / "regression.json")
    document = json.loads(bytes(model.get_booster().save_raw("json")))
    document["learner"]["attributes"]["kauri_classes"] = "[]"
    (tmp_path / "damaged.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="reg:squarederror"):
        model.load_model(tmp_path / "regression.json")
    with pytest.raises(kb.ModelError, match=r"attribute kauri_classes is '\[\]'; delete it"):
        model.load_model(tmp_path / "damaged.json")
    with pytest.raises(kb.FileError):
        model.load_model(tmp_path / "nowhere.json")
    for bad in (
        lambda: model.fit(X[:, 0], np.array([1, 2])),
        lambda: model.fit(X[:9], np.array(list("abcdefghi")), sample_weight=[1, 2]),
        lambda: model.fit(X, codes > 1, eval_set=[(X, codes)]),
    ):
        with pytest.raises(ValueError):
            bad()
        np.testing.assert_array_equal(model.predict(X), before)
    fresh = KauriClassifier(**SMALL)
    with pytest.raises(ValueError, match="weight"):
        fresh.fit(X, codes, sample_weight=[1, 2])
    assert not hasattr(fresh, "classes_")


@pytest.mark.parametrize("form", ["estimator", "booster", "file", "bytes"])
def test_continued(multiclass: Table, form: str, tmp_path: Path) -> None:
    X, codes = multiclass
    trees = np.array(["ash", "birch", "elm"])[codes.astype(int)]
    first = KauriClassifier(**SMALL).fit(X, trees)
    path = tmp_path / "first.ubj"
    first.save_model(path)
    model = {"estimator": first, "booster": first.get_booster(), "file": path, "bytes": path.read_bytes()}[form]
    second = KauriClassifier(**SMALL).fit(X, trees, xgb_model=model)
    assert second.get_booster().num_boosted_rounds() == 8
    agree(second, KauriClassifier(**{**SMALL, "n_estimators": 8}).fit(X, trees), X)
    some = trees != "birch"  # the model nevertheless has an output for it
    third = KauriClassifier(**SMALL).fit(X[some], trees[some], xgb_model=model)
    assert third.classes_.tolist() == ["ash", "birch", "elm"]
    third.save_model(tmp_path / "third.ubj")
    agree(load(tmp_path / "third.ubj"), third, X)
    with pytest.raises(ValueError, match=r"label 'oak' is not among the classes \['ash', 'birch', 'elm'\]"):
        KauriClassifier(**SMALL).fit(X, np.where(trees == "elm", "oak", trees), xgb_model=model)


def test_checkpoints_have_the_classes(multiclass: Table, tmp_path: Path) -> None:
    X, codes = multiclass
    trees = np.array(["ash", "birch", "elm"])[codes.astype(int)]
    save = TrainingCheckPoint(tmp_path, interval=2, resume=True)
    fitted = KauriClassifier(callbacks=[save], **SMALL).fit(X, trees)
    assert load(tmp_path / "model_2.ubj").classes_.tolist() == ["ash", "birch", "elm"]
    resumed = KauriClassifier(callbacks=[save], **{**SMALL, "n_estimators": 6}).fit(X, trees)
    assert resumed.get_booster().num_boosted_rounds() == 6
    resumed.save_model(tmp_path / "resumed.json")
    agree(load(tmp_path / "resumed.json"), resumed, X)
    assert fitted.classes_.tolist() == resumed.classes_.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[" * 100_000,
        "null",
        '{"dtype": "U"}',
        '{"dtype": 7, "values": []}',
        '{"dtype": "U", "values": "abc"}',
        '{"dtype": "U", "values": ["a", "b", 3]}',
        '{"dtype": "U", "values": ["a", "b", "b"]}',
        '{"dtype": "U", "values": ["c", "b", "a"]}',
        '{"dtype": "U", "values": ["a", "b"]}',
        '{"dtype": "O", "values": [["a"], "b", "c"]}',
        '{"dtype": "O", "values": ["a", 1, "c"]}',
        '{"dtype": "<U99999999", "values": ["a", "b", "c"]}',
        '{"dtype": "V9999999999", "values": [1, 2, 3]}',
        '{"dtype": "f8, f8", "values": [1, 2, 3]}',
        '{"dtype": "<i8", "values": [[1], [2], [3]]}',
        '{"dtype": "<i4", "values": [1, 2, "x"]}',
        '{"dtype": "<M8[D]", "values": ["2024-01-01", "x", "y"]}',
        '{"dtype": "<i8", "values": [1, 2, 1e400]}',
        '{"dtype": "S", "values": ["a", "b", "\\u4e00"]}',
    ],
)
def test_damaged_attributes(multiclass: Table, text: str, tmp_path: Path) -> None:
    booster = KauriClassifier(n_estimators=1).fit(*multiclass).get_booster()
    booster.set_attr(kauri_classes=text)
    booster.save_model(tmp_path / "model.json")
    with pytest.raises(kb.ModelError, match="attribute kauri_classes"):
        load(tmp_path / "model.json")
    kb.Booster(model_file=tmp_path / "model.json").predict(kb.DMatrix(multiclass[0]))
