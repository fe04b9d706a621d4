"""Uses the tools of an environment on Kauri's boosters and estimators, which stand in for XGBoost's.

    PYTHONPATH=python-package python use_tools.py TOOL

ends with an error if the tool fails, or if its numbers differ from ours.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np

kb.install_as_xgboost()

RNG = np.random.default_rng(5)
X = RNG.normal(size=(300, 4)).astype(np.float32)
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(np.int64)
CLASSES = np.digitize(X[:, 0], [-0.5, 0.5])


def classifier(y: np.ndarray = Y) -> Any:
    """Return a small, fitted estimator."""
    return kb.KauriClassifier(n_estimators=5, max_depth=3).fit(X, y)


def use_shap() -> None:
    """Explain boosters and estimators of two and three classes, and compute interaction values."""
    import shap

    for model in (classifier(), classifier(CLASSES), classifier().get_booster()):
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        explanation = shap.TreeExplainer(model)(X[:20])
        ours = booster.predict(kb.DMatrix(X[:20]), pred_contribs=True)
        ours = np.moveaxis(ours, 1, 2) if ours.ndim == 3 else ours
        np.testing.assert_allclose(explanation.values, ours[:, :-1], atol=1e-5)
    interactions = shap.TreeExplainer(classifier()).shap_interaction_values(X[:5])
    assert interactions.shape == (5, 4, 4)


def use_optuna() -> None:
    """Prune trials early by optuna's callback."""
    import optuna
    from optuna_integration import XGBoostPruningCallback

    data = kb.DMatrix(X, Y)

    def objective(trial: Any) -> float:
        log: dict[str, Any] = {}
        params = {"objective": "binary:logistic", "eta": trial.suggest_float("eta", 1e-6, 0.5)}
        callbacks = [XGBoostPruningCallback(trial, "train-logloss")]
        kb.train(params, data, 8, evals=[(data, "train")], callbacks=callbacks, evals_result=log, verbose_eval=False)
        return log["train"]["logloss"][-1]

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    pruner = optuna.pruners.MedianPruner(n_startup_trials=2)
    study = optuna.create_study(pruner=pruner, sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(objective, n_trials=12)
    states = {trial.state for trial in study.trials}
    assert states == {optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED}


def use_onnxmltools() -> None:
    """Convert boosters and estimators to ONNX and run its runtime."""
    import onnxruntime
    from onnxmltools import convert_xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType

    regressor = kb.KauriRegressor(n_estimators=5, max_depth=3).fit(X, X[:, 0] ** 2)
    told = kb.KauriRegressor(n_estimators=5, objective="count:poisson", missing=np.nan).fit(X, np.floor(X[:, 0] ** 2))
    stopping = kb.KauriClassifier(n_estimators=60, learning_rate=0.5, early_stopping_rounds=3).fit(X, CLASSES)
    forest = kb.KauriRFClassifier(n_estimators=5, max_depth=3).fit(X, Y)
    texts = classifier(np.array(["low", "mid", "high"])[CLASSES])
    for model in (classifier(), classifier(CLASSES), texts, stopping, forest, regressor, told):
        ours = model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X).reshape(-1, 1)
        for subject in (model, model.get_booster()) if model is not stopping else (model,):
            graph = convert_xgboost(subject, initial_types=[("x", FloatTensorType([None, 4]))])
            session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
            found = session.run(None, {"x": X})
            np.testing.assert_allclose(np.asarray(found[-1], np.float64), ours, atol=1e-5)
            if subject is model and hasattr(model, "classes_"):
                np.testing.assert_array_equal(found[0], model.predict(X))


def use_dtreeviz() -> None:
    """Read a tree's nodes, as dtreeviz draws them."""
    import dtreeviz

    names = [f"f{column}" for column in range(4)]
    shown = dtreeviz.model(
        classifier().get_booster(), tree_index=1, X_train=X, y_train=Y, feature_names=names, target_name="y",
        class_names=[0, 1],
    )  # fmt: skip
    assert len(shown.shadow_tree.leaves) > 1
    assert shown.explain_prediction_path(X[0])


def use_treelite() -> None:
    """Convert a booster to a model of treelite."""
    import treelite

    model = classifier()
    found = treelite.gtil.predict(treelite.frontend.from_xgboost(model.get_booster()), X)
    np.testing.assert_allclose(np.ravel(found), model.predict_proba(X)[:, 1], atol=1e-5)


def use_skops() -> None:
    """Write an estimator without pickle, and read it back."""
    import skops.io

    model = classifier()
    data = skops.io.dumps(model)
    again = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def use_mlflow() -> None:
    """Save and load a booster and an estimator in mlflow's XGBoost flavour."""
    import mlflow.xgboost

    with tempfile.TemporaryDirectory() as folder:
        for name, model in (("estimator", classifier()), ("booster", classifier().get_booster())):
            path = str(Path(folder) / name)
            mlflow.xgboost.save_model(model, path)
            again = mlflow.xgboost.load_model(path)
            rows = X if name == "estimator" else kb.DMatrix(X)
            np.testing.assert_array_equal(again.predict(rows), model.predict(rows))


if __name__ == "__main__":
    globals()[f"use_{sys.argv[1]}"]()
    print("used")
