"""Warnings that users filter, and continuing after them."""

from __future__ import annotations

import numpy as np
import xgboost as xgb
from scenarios.support.data import binary, regression
from scenarios.support.models import SMALL, learn
from scenarios.support.scenario import EQUAL, close, scenario, warned


def _trained(**params: object) -> np.ndarray:
    features, labels = regression()
    return learn(params, features, labels, 2).predict(xgb.DMatrix(features))


@scenario(close())
def unknown_parameters() -> object:
    return warned(r"Parameters: \{ .*foo.* \} are not used", lambda: _trained(foo="bar"))


@scenario(close())
def parameters_of_old_versions() -> object:
    return warned("are not used", lambda: _trained(predictor="cpu_predictor", single_precision_histogram=True))


@scenario(close())
def an_estimators_parameters_of_old_versions() -> object:
    features, labels = binary()
    model = xgb.XGBClassifier(n_estimators=2, use_label_encoder=False)
    return warned("use_label_encoder", lambda: model.fit(features, labels).predict_proba(features))


@scenario(close())
def rounds_among_parameters() -> object:
    return warned("n_estimators", lambda: _trained(n_estimators=5))


@scenario(close())
def unknown_parameters_without_a_check() -> object:
    return _trained(foo="bar", validate_parameters=False)


@scenario(close())
def a_device_that_is_not_there() -> object:
    return warned("(?i)device|cuda|gpu", lambda: _trained(device="cuda"))


@scenario(close())
def updaters_chosen_by_hand() -> object:
    return warned("manually specified the `updater`", lambda: _trained(updater="grow_histmaker"))


@scenario(close())
def early_stopping_among_parameters() -> object:
    return warned("early_stopping_rounds", lambda: _trained(early_stopping_rounds=3))


@scenario(close())
def flat_gradients_of_classes() -> object:
    features = regression()[0]
    data = xgb.DMatrix(features, np.arange(300) % 3)

    def flat(predictions: np.ndarray, data: xgb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        hits = np.eye(3)[data.get_label().astype(int)]
        return (predictions - hits).reshape(-1), np.ones(predictions.size)

    params = {**SMALL, "num_class": 3, "objective": "multi:softprob"}
    return warned("Since 2.1.0", lambda: xgb.train(params, data, 2, obj=flat).predict(data, output_margin=True))


@scenario(EQUAL)
def silence() -> object:
    """With verbosity 0 nothing is reported, even if warnings are errors."""
    with xgb.config_context(verbosity=0):
        return _trained(foo="bar").shape


@scenario(EQUAL)
def old_names_of_saved_formats() -> object:
    learn({}, *regression(), 1).save_model("model.bin")
    return xgb.Booster(model_file="model.bin").num_boosted_rounds()


@scenario(close())
def linear_regression_by_its_old_name() -> object:
    return warned("reg:linear.*deprecated|reg:squarederror", lambda: _trained(objective="reg:linear"))


@scenario(close())
def parameters_of_another_booster() -> object:
    return warned("max_depth", lambda: _trained(booster="gblinear", updater="coord_descent", feature_selector="cyclic"))


@scenario(EQUAL)
def models_in_files_of_another_ending() -> object:
    booster = learn({}, *regression(), 1)
    return warned("Saving model in the UBJSON format", lambda: booster.save_model("model.deprecated"))
