"""KauriDistribution, and the plot of calibration."""

from __future__ import annotations

import pickle
from pathlib import Path

import kauriboost as kb
import matplotlib as mpl
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

mpl.use("Agg")


def rows_with_spread(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return labels whose mean and spread depend on the features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, 2 * X[:, 0] + np.exp(0.5 * X[:, 1]) * rng.normal(size=n)


def test_it_learns_mean_and_spread() -> None:
    X, y = rows_with_spread(3000)
    X_new, y_new = rows_with_spread(3000, seed=1)
    model = kb.KauriDistribution(n_estimators=100).fit(X, y)
    found = model.predict_distribution(X_new)
    np.testing.assert_array_equal(model.predict(X_new), found.mean)
    assert np.corrcoef(found.mean, 2 * X_new[:, 0])[0, 1] > 0.95
    assert np.corrcoef(np.log(found.std), X_new[:, 1])[0, 1] > 0.85
    ends = model.predict_interval(X_new, coverage=0.8)
    np.testing.assert_array_equal(ends, found.interval(0.8))
    assert 0.72 < np.mean((ends[:, 0] <= y_new) & (y_new <= ends[:, 1])) < 0.86
    assert model.score(X_new, y_new) == pytest.approx(-found.nll(y_new).mean())
    assert model.score(X_new, y_new) > -2.0
    raw = model.predict(X_new, output_margin=True)
    np.testing.assert_allclose(np.exp(raw[:, 1]), found.parameters["scale"], rtol=1e-6)
    assert 0.02 < abs(np.sort(found.pit(y_new)) - np.linspace(0, 1, 3000)).max() + 0.02 < 0.1


def test_stages_stop_early_and_keep_scikit_learns_conventions(tmp_path: Path) -> None:
    X, y = rows_with_spread(800)
    model = kb.KauriDistribution(distribution="laplace", early_stopping_rounds=5, n_estimators=300)
    model.fit(X, y)
    assert list(model.evals_result()["validation_0"]) == ["nll"]
    assert model.best_iteration < 299
    np.testing.assert_allclose(list(model.staged_predict(X))[-1], model.predict(X), rtol=1e-5, atol=1e-6)
    assert clone(model).get_params()["distribution"] == "laplace"
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    model.save_model(tmp_path / "model.json")
    loaded = kb.KauriDistribution()
    loaded.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict_distribution(X).std, model.predict_distribution(X).std)
    assert cross_val_score(kb.KauriDistribution(n_estimators=20), X, y, cv=3).mean() > -3.0


def test_own_defaults_follow_the_number_of_rows() -> None:
    X, y = rows_with_spread(1000)
    default = kb.KauriDistribution(n_estimators=5)
    spelt = {"learning_rate": 0.1, "max_depth": 3, "min_data_in_leaf": 20}
    for n, share in ((999, 1.0), (1000, 0.5)):
        told = kb.KauriDistribution(n_estimators=5, subsample=share, **spelt)
        assert default.fit(X[:n], y[:n]).get_booster().save_raw() == told.fit(X[:n], y[:n]).get_booster().save_raw()


def test_wrong_uses_are_refused_in_words() -> None:
    X, y = rows_with_spread(100)
    with pytest.raises(NotFittedError):
        kb.KauriDistribution().predict(X)
    with pytest.raises(ValueError, match="distribution is 'gauss'; expected one of normal"):
        kb.KauriDistribution(distribution="gauss").fit(X, y)
    with pytest.raises(ValueError, match="leave it out"):
        kb.KauriDistribution(objective="reg:squarederror").fit(X, y)
    with pytest.raises(ValueError, match="preset"):
        kb.KauriDistribution(preset="best").fit(X, y)
    with pytest.raises(ValueError, match="predict_interval"):
        kb.KauriDistribution().fit_intervals(X, y)
    with pytest.raises(kb.DataError, match=r"dist:gamma: label .* of row"):
        kb.KauriDistribution(distribution="gamma").fit(X, y)
    with pytest.raises(ValueError, match="cannot have the objective dist:normal"):
        kb.KauriRegressor(objective="dist:normal").fit(X, y)


@pytest.mark.parametrize("kind", ["reliability", "histogram"])
def test_calibration_plot_draws_what_it_says(kind: str) -> None:
    _, y = rows_with_spread(2000)
    known = np.tile([y.mean(), y.std()], (2000, 1))
    ax = kb.plot_calibration(kb.Distribution("normal", known), y, kind=kind)
    assert "90 % intervals hold" in ax.texts[0].get_text()
    if kind == "reliability":
        found = ax.lines[-1].get_ydata()
        assert np.all(np.diff(found) >= 0)
        assert found[-1] == 1.0
    else:
        assert sum(bar.get_height() for bar in ax.patches[:20]) == pytest.approx(20)
    with pytest.raises(ValueError, match="kind is 'other'"):
        kb.plot_calibration(kb.Distribution("normal", known), y, kind="other")
    y[3] = np.nan
    with pytest.raises(ValueError, match="1 labels are missing"):
        kb.plot_calibration(kb.Distribution("normal", known), y, kind=kind)
    mpl.pyplot.close("all")
