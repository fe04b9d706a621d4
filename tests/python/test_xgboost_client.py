"""XGBoost's own Python package runs on libkauri.so instead of its own library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import xgboost

SCRIPT = """
import pickle
import numpy as np
import pandas as pd
import xgboost

assert "KAURI_VERSION" in xgboost.build_info()
rng = np.random.default_rng(1)
X = rng.random((300, 4), dtype=np.float32)
y = (X[:, 0] + X[:, 1] > 1).astype(np.float32)
data = xgboost.DMatrix(X, label=y)
assert (data.get_label() == y).all() and data.get_base_margin().size == 0
log = {}
params = {"objective": "binary:logistic", "max_depth": 3, "tree_method": "exact"}
model = xgboost.train(params, data, 8, evals=[(data, "train")], early_stopping_rounds=3, evals_result=log)
assert log["train"]["logloss"][-1] < log["train"]["logloss"][0] and model.best_iteration == 7
values = model.predict(data)
assert (model.inplace_predict(X) == values).all()
assert (pickle.loads(pickle.dumps(model)).predict(data) == values).all()
assert (xgboost.Booster(model_file=model.save_raw()).predict(data) == values).all()
assert model.predict(data, pred_contribs=True).shape == (300, 5)
assert model[2:5].num_boosted_rounds() == 3
assert len(model.get_dump()) == 8 and set(model.get_score()) <= {"f0", "f1", "f2", "f3"}
assert len(model.trees_to_dataframe()) > 8
own = xgboost.train({}, data, 3, obj=lambda p, d: (p - d.get_label(), np.ones_like(p)))
assert own.num_boosted_rounds() == 3
named = xgboost.DMatrix(pd.DataFrame(X, columns=list("abcd")), label=y)
assert named.feature_names == list("abcd")
assert len(xgboost.cv(params, named, 4, nfold=3)) == 4
assert xgboost.XGBClassifier(n_estimators=5, tree_method="exact").fit(X, y).score(X, y) > 0.9
try:
    xgboost.train({"eta": -1}, data, 1)
except xgboost.core.XGBoostError as error:
    assert "eta" in str(error) and ">= 0" in str(error)
else:
    raise AssertionError("no error")
class Halves(xgboost.DataIter):
    def next(self, input_data):
        if self.at == 2:
            return False
        half = slice(150 * self.at, 150 * self.at + 150)
        input_data(data=X[half], label=y[half])
        self.at += 1
        return True

    def reset(self):
        self.at = 0


batched = xgboost.DMatrix(Halves())
assert batched.num_row() == 300 and (xgboost.train(params, batched, 8).predict(batched) == values).all()


class OnDisk(Halves):
    def __init__(self):
        self.at = 0
        super().__init__(cache_prefix="pages")


for method in ("hist", "approx"):
    settings = {"tree_method": method, "max_depth": 3}
    whole = xgboost.train(settings, data, 3).predict(data)
    assert (xgboost.train(settings, xgboost.DMatrix(OnDisk()), 3).predict(data) == whole).all(), method
frame = pd.DataFrame(X, columns=list("abcd"))
quantiles = xgboost.QuantileDMatrix(frame, label=y)
assert quantiles.num_col() == 4 and quantiles.feature_names == list("abcd")
assert xgboost.XGBRegressor(n_estimators=2).fit(frame, y).predict(frame).shape == (300,)
margins = np.linspace(-1, 1, 300, dtype=np.float32)
shifted = model.inplace_predict(X, base_margin=margins, predict_type="margin")
for shape in ((300,), (300, 1), (1, 300)):
    data.set_base_margin(margins.reshape(shape))
    assert (model.predict(data, output_margin=True) == shifted).all(), shape
empty = xgboost.DMatrix(np.empty((0, 4)), label=[])
assert (xgboost.train({}, empty, 2, evals=[(empty, "none")], verbose_eval=False).inplace_predict(X) == 0).all()
assert "none-rmse" in xgboost.train({}, data, 2, verbose_eval=False).eval(empty, "none")
assert xgboost.DMatrix(X.astype(np.longdouble)).get_data().nnz == 1200
assert xgboost.DMatrix(np.empty((1, 0))).num_row() == 1
colours = pd.DataFrame({"c": pd.Categorical(rng.integers(10, 14, 300))})
by_name = xgboost.train({}, xgboost.DMatrix(colours, y, enable_categorical=True), 2, verbose_eval=False)
assert (by_name.inplace_predict(colours) == by_name.predict(xgboost.DMatrix(colours, enable_categorical=True))).all()
try:
    by_name.inplace_predict(colours.astype(int))
except ValueError as error:
    assert "The data type doesn't match" in str(error)
else:
    raise AssertionError("numbers were taken for categories")
print("the client runs")
"""


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """Return a folder with XGBoost's Python files and our library under its name."""
    package = Path(xgboost.__file__).parent
    shutil.copytree(package, tmp_path / "xgboost", ignore=shutil.ignore_patterns("lib", "__pycache__"))
    (tmp_path / "xgboost" / "lib").mkdir()
    (tmp_path / "xgboost" / "lib" / "libxgboost.so").symlink_to(Path(os.environ["KAURI_LIBRARY"]).resolve())
    return tmp_path


def test_the_client_runs(client: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(client)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert "the client runs" in done.stdout, done.stderr
