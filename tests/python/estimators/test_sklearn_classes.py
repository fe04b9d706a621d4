"""All objectives of KauriClassifier; which estimators accept which models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import xgboost
from kauriboost._model.classes import few_numbers
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor

XGBOOSTS: dict[str, Any] = {"learning_rate": 0.3, "reg_lambda": 1, "colsample_bynode": 1}  # its defaults
Table = tuple[np.ndarray, np.ndarray]
SMALL = {"n_estimators": 6, "max_depth": 3}


@pytest.mark.parametrize("objective", ["multi:softmax", "multi:softprob", "binary:logistic", "binary:hinge"])
def test_three_classes(multiclass: Table, objective: str) -> None:
    X, y = multiclass
    words = np.array(["ash", "birch", "elm"])[y.astype(int)]
    model = KauriClassifier(objective=objective, **XGBOOSTS, **SMALL).fit(X, words)
    usual = KauriClassifier(**XGBOOSTS, **SMALL).fit(X, words)
    assert usual.score(X, words) > 0.9
    np.testing.assert_array_equal(model.predict(X), usual.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), usual.predict_proba(X), rtol=1e-5)
    kept = "multi:softmax" if objective == "multi:softmax" else "multi:softprob"
    assert f'"objective":{{"name":"{kept}"' in model.get_booster().save_config().replace(" ", "")


def test_softmax_as_xgboost(multiclass: Table) -> None:
    X, y = multiclass
    how = {"objective": "multi:softmax", "tree_method": "exact", **XGBOOSTS, **SMALL}
    ours, theirs = KauriClassifier(**how).fit(X, y), xgboost.XGBClassifier(**how).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "objective",
    ["multi:softmax", "multi:softprob", "binary:logistic", "binary:logitraw", "binary:hinge", "reg:logistic"],
)
def test_two_classes(binary: Table, objective: str) -> None:
    X, y = binary
    model = KauriClassifier(objective=objective, **XGBOOSTS, **SMALL).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (600, 2)
    assert probabilities.min() >= 0
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(model.predict(X), probabilities.argmax(axis=1))
    assert model.score(X, y) > 0.75
    if objective == "binary:logitraw":
        margins = model.predict(X, output_margin=True)
        np.testing.assert_allclose(probabilities[:, 1], 1 / (1 + np.exp(-margins)), rtol=1e-5)


@pytest.mark.parametrize("objective", ["reg:squarederror", "count:poisson", "rank:ndcg", "survival:aft"])
def test_objectives_of_other_estimators(binary: Table, objective: str) -> None:
    with pytest.raises(ValueError, match=f"KauriClassifier cannot have the objective {objective}"):
        KauriClassifier(objective=objective).fit(*binary)


def test_tables_of_labels_are_no_classes(binary: Table) -> None:
    X, y = binary
    with pytest.raises(ValueError, match="takes one class per row"):
        KauriClassifier(objective="multi:softprob").fit(X, np.column_stack([y, 1 - y]))
    with pytest.raises(ValueError, match="KauriRegressor cannot have the objective multi:softprob"):
        KauriRegressor(objective="multi:softprob", num_class=2).fit(X, y)


@pytest.mark.parametrize("objective", ["binary:logistic", "multi:softmax", "binary:logitraw"])
def test_loaded_classifiers_predict_the_same(binary: Table, tmp_path: Path, objective: str) -> None:
    X, y = binary
    model = KauriClassifier(objective=objective, **SMALL).fit(X, y)
    model.save_model(tmp_path / "model.ubj")
    loaded = KauriClassifier()
    loaded.load_model(tmp_path / "model.ubj")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_models_of_other_estimators_are_refused(regression: Table, multiclass: Table, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    KauriRegressor(n_estimators=1).fit(*regression).save_model(path)
    classifier = KauriClassifier(n_estimators=1).fit(*multiclass)
    before = classifier.predict(multiclass[0])
    with pytest.raises(ValueError, match="KauriClassifier cannot have the objective reg:squarederror"):
        classifier.load_model(path)
    np.testing.assert_array_equal(classifier.predict(multiclass[0]), before)
    classifier.save_model(path)
    for estimator in (KauriRegressor(), KauriRanker()):
        with pytest.raises(ValueError, match="cannot have the objective multi:softprob"):
            estimator.load_model(path)
        assert not hasattr(estimator, "_booster")
    other = tmp_path / "xgboost.json"
    xgboost.XGBRegressor(n_estimators=1).fit(*regression).save_model(other)
    with pytest.raises(ValueError, match="reg:squarederror"):
        KauriClassifier().load_model(other)
    KauriRegressor().load_model(other)
    loaded = KauriClassifier(objective="binary:logistic", base_score=0.1)
    loaded.load_model(path)
    np.testing.assert_array_equal(loaded.predict(multiclass[0]), before)


def test_margins_of_kauri_train_stay_as_they_were(multiclass: Table) -> None:
    """The booster of a multi:softmax classifier predicts classes, like XGBoost's."""
    X, y = multiclass
    model = KauriClassifier(objective="multi:softmax", **SMALL).fit(X, y)
    np.testing.assert_array_equal(model.get_booster().predict(kb.DMatrix(X)), model.predict(X))


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "int64", "uint64", "float16", "float32", "float64"]
)
def test_classes_of_numbers_are_numpys(dtype: str) -> None:
    """The library's search for classes gives what NumPy's gives, for vectors of any stride."""
    labels = np.random.default_rng(3).integers(0, 2 if dtype == "bool" else 100, 5000).astype(dtype)
    for given in (labels, labels[::-3], labels[:0], labels[:3], np.asfortranarray(labels[:, None])[:, 0]):
        found = few_numbers(given)
        classes, codes = np.unique(given, return_inverse=True)
        if len(classes) == 0 or 2 * len(classes) > len(given):
            assert found is None
            continue
        assert found is not None
        assert found[0].dtype == given.dtype
        assert np.array_equal(found[0], classes)
        assert np.array_equal(found[1], codes)
