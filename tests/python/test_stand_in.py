"""Kauri imported under XGBoost's names; the dictionary for SHAP."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import shap

PACKAGE = Path(kb.__path__[0]).parent

NAMES = """
import sys
import kauriboost as kb
kb.install_as_xgboost()
kb.install_as_xgboost()
import xgboost
import xgboost.core
from xgboost import DMatrix, XGBClassifier, XGBModel, callback, train
from xgboost.callback import TrainingCallback
from xgboost.sklearn import XGBRegressor
assert xgboost.core.Booster is kb.Booster and XGBClassifier is kb.KauriClassifier
assert xgboost.sklearn.XGBRanker is kb.KauriRanker and issubclass(XGBRegressor, XGBModel)
assert xgboost.callback is kb.callback and xgboost.plot_tree is kb.plot_tree
assert xgboost.plot_importance.keywords["importance_type"] == "weight"  # its default
assert xgboost.config_context is kb.config_context and xgboost.core.XGBoostError is kb.KauriError
assert tuple(map(int, xgboost.__version__.split("."))) >= (3, 2)
print("the names are there")
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], cwd=PACKAGE, capture_output=True, text=True, check=False)


def test_the_names_of_xgboost() -> None:
    done = run(NAMES)
    assert "the names are there" in done.stdout, done.stderr


PICKLE = """
import pickle, sys
import kauriboost as kb, numpy as np
X = np.arange(40.0).reshape(20, 2)
booster = kb.train({}, kb.DMatrix(X, X[:, 0]), 2)
kb.install_as_xgboost()
assert str(type(booster)) == "<class 'xgboost.core.Booster'>"
assert pickle.loads(pickle.dumps(booster)).num_boosted_rounds() == 2
sys.stdout.buffer.write(pickle.dumps(booster))
"""


def test_pickles_need_no_stand_in() -> None:
    done = subprocess.run([sys.executable, "-c", PICKLE], cwd=PACKAGE, capture_output=True, check=True)
    assert pickle.loads(done.stdout).num_boosted_rounds() == 2
    assert b"xgboost" not in done.stdout


def test_xgboost_itself_is_not_pushed_aside() -> None:
    without = (
        "import sys; sys.modules.update(dict.fromkeys(['dask', 'pandas', 'pyarrow', 'sklearn']))"  # imports faster
    )
    done = run(f"{without}; import xgboost, kauriboost; kauriboost.install_as_xgboost()")
    assert done.returncode == 1
    assert "is imported already" in done.stderr


KINDS: list[dict[str, Any]] = [
    {},
    {"objective": "binary:logistic", "base_score": 0.3},
    {"objective": "multi:softprob", "num_class": 3},
    {"objective": "count:poisson"},
    {"booster": "dart", "rate_drop": 0.5},
    {"num_parallel_tree": 3, "subsample": 0.5},
    {"multi_strategy": "multi_output_tree", "tree_method": "hist"},
]


@pytest.mark.parametrize("params", KINDS, ids=lambda params: "-".join(map(str, params)) or "default")
def test_shap_explains_the_dictionary(params: dict[str, Any], multiclass: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = multiclass[0].copy(), multiclass[1]
    X[::7, 1] = np.nan
    label: Any = y if "num_class" in params or params.get("objective") == "count:poisson" else (y > 0)
    data = kb.DMatrix(X, np.c_[y, -y] if "multi_strategy" in params else label)
    booster = kb.train({"max_depth": 4, **params}, data, 6)
    found = shap.TreeExplainer(booster.to_shap_model(), feature_perturbation="tree_path_dependent").shap_values(X)
    ours = booster.predict(data, pred_contribs=True, strict_shape=True)[:, :, :-1]
    ours = np.moveaxis(ours, 1, 2)
    np.testing.assert_allclose(found.reshape(ours.shape), ours, atol=2e-5)


def test_shap_explains_probabilities(binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = np.nan_to_num(binary[0]), binary[1]
    booster = kb.train({"objective": "binary:logistic", "max_depth": 3}, kb.DMatrix(X, y), 5)
    explainer = shap.TreeExplainer(booster.to_shap_model(), X[:50], model_output="probability")
    values = explainer.shap_values(X[:20])
    sums = values.sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(sums, booster.predict(kb.DMatrix(X[:20])), atol=1e-5)


def test_what_the_dictionary_cannot_say(regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    with pytest.raises(kb.ModelError, match="no trees"):
        kb.train({"booster": "gblinear"}, kb.DMatrix(X, y), 2).to_shap_model()
    codes = np.round(np.abs(X[:, :1]) * 3)
    data = kb.DMatrix(codes, y, feature_types=["c"], enable_categorical=True)
    with pytest.raises(kb.ModelError, match="categories"):
        kb.train({}, data, 2).to_shap_model()
