"""Estimators in typical scikit-learn use: regressors, classifiers, forests, and scikit-learn's tools."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import xgboost as xgb
from scenarios.support.data import binary, classes, regression, rows, targets
from scenarios.support.scenario import EQUAL, caught, close, losses, scenario
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import StackingRegressor
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, cross_val_predict, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SMALL: dict[str, Any] = {"n_estimators": 6, "max_depth": 3}

# ---- regressors ------------------------------------------------------------------------------------------------------


@scenario(close())
def a_regressor() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(**SMALL).fit(features, labels)
    return [model.predict(features), model.score(features, labels), model.n_features_in_, model.feature_importances_]


@scenario(close())
def a_regressor_with_weights_and_margins() -> object:
    features, labels = regression()
    weights, margins = np.linspace(0, 2, 300), np.linspace(-1, 1, 300)
    model = xgb.XGBRegressor(**SMALL).fit(features, labels, sample_weight=weights, base_margin=margins)
    begun = model.predict(features, base_margin=margins)
    return [begun, model.predict(features), model.predict(features, output_margin=True)]


@scenario(close())
def a_regressor_of_frames() -> object:
    features, labels = regression()
    frame = pd.DataFrame(features, columns=list("vwxyz"))
    model = xgb.XGBRegressor(**SMALL, importance_type="weight").fit(frame, pd.Series(labels))
    return [model.predict(frame), list(model.feature_names_in_), model.feature_importances_]


@scenario(close())
def a_regressor_that_is_evaluated() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(**SMALL, eval_metric=["rmse", "mae"])
    sets = [(features[:200], labels[:200]), (features[200:], labels[200:])]
    model.fit(features[:200], labels[:200], eval_set=sets, verbose=False)
    return model.evals_result()


@scenario(close())
def a_regressor_that_stops_early() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(n_estimators=80, max_depth=4, learning_rate=0.8, early_stopping_rounds=3)
    model.fit(features[:200], labels[:200], eval_set=[(features[200:], labels[200:])], verbose=False)
    rounds = [model.best_iteration, model.best_score, model.get_booster().num_boosted_rounds()]
    return [*rounds, model.predict(features), model.predict(features, iteration_range=(0, 2))]


@scenario(close())
def a_regressor_of_several_targets() -> object:
    features, labels = targets()
    models = [xgb.XGBRegressor(**SMALL, multi_strategy=kind) for kind in ("one_output_per_tree", "multi_output_tree")]
    return [model.fit(features, labels).predict(features) for model in models]


@scenario(close())
def a_regressor_of_quantiles() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(**SMALL, objective="reg:quantileerror", quantile_alpha=[0.2, 0.8])
    return model.fit(features, labels).predict(features)


@scenario(close())
def a_linear_regressor() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(booster="gblinear", n_estimators=60, updater="coord_descent", feature_selector="cyclic")
    model.fit(features, labels)
    return [np.round(model.coef_, 3).astype(float), np.round(np.asarray(model.intercept_, float), 2)]


@scenario(EQUAL)
def coefficients_of_trees() -> object:
    model = xgb.XGBRegressor(**SMALL).fit(*regression())
    return caught("Coefficients are not defined", lambda: model.coef_)


@scenario(close())
def intercepts() -> object:
    models = [xgb.XGBRegressor(**SMALL).fit(*regression()), xgb.XGBClassifier(**SMALL).fit(*binary())]
    return [np.asarray(model.intercept_, float) for model in models]


@scenario(EQUAL)
def leaves_of_an_estimator() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(**SMALL).fit(features, labels)
    return [model.apply(features), model.apply(features, iteration_range=(0, 2))]


@scenario(close())
def an_estimator_continued() -> object:
    features, labels = regression()
    first = xgb.XGBRegressor(**SMALL).fit(features, labels)
    second = xgb.XGBRegressor(**SMALL).fit(features, labels, xgb_model=first)
    third = xgb.XGBRegressor(**SMALL).fit(features, labels, xgb_model=first.get_booster())
    return [second.get_booster().num_boosted_rounds(), second.predict(features), third.predict(features)]


@scenario(close())
def an_estimators_own_objective() -> object:
    def squared(labels: np.ndarray, predictions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return predictions - labels, np.ones_like(labels)

    features, labels = regression()
    return xgb.XGBRegressor(**SMALL, objective=squared, base_score=0.0).fit(features, labels).predict(features)


@scenario(close())
def an_estimators_own_metric() -> object:
    def worst(labels: np.ndarray, predictions: np.ndarray) -> float:
        return float(np.abs(labels - predictions).max())

    features, labels = regression()
    model = xgb.XGBRegressor(**SMALL, eval_metric=worst)
    return model.fit(features, labels, eval_set=[(features, labels)], verbose=False).evals_result()


# ---- classifiers -----------------------------------------------------------------------------------------------------


@scenario(close())
def a_classifier_of_two() -> object:
    features, labels = binary()
    model = xgb.XGBClassifier(**SMALL).fit(features, labels)
    both = [model.predict(features), model.predict_proba(features), model.classes_]
    return [*both, model.n_classes_, model.objective, model.score(features, labels)]


@scenario(close())
def a_classifier_of_three() -> object:
    features, labels = classes()
    model = xgb.XGBClassifier(**SMALL).fit(features, labels)
    both = [model.predict(features), model.predict_proba(features), model.predict(features, output_margin=True)]
    return [*both, model.n_classes_, model.objective]


@scenario(close())
def a_classifier_of_several_labels() -> object:
    features, labels = targets()
    model = xgb.XGBClassifier(**SMALL).fit(features, (labels > 0).astype(int))
    return [model.predict(features), model.predict_proba(features)]


@scenario(EQUAL)
def classes_that_do_not_begin_at_zero() -> object:
    features, labels = classes()
    return caught("Invalid classes inferred", lambda: xgb.XGBClassifier(**SMALL).fit(features, labels + 1))


@scenario(EQUAL)
def classes_that_are_texts() -> object:
    features, labels = binary()
    names = np.array(["no", "yes"])[labels]
    return caught("Invalid classes inferred", lambda: xgb.XGBClassifier(**SMALL).fit(features, names))


@scenario(close())
def a_classifier_saved_and_read() -> object:
    features, labels = classes()
    xgb.XGBClassifier(**SMALL).fit(features, labels).save_model("model.json")
    model = xgb.XGBClassifier()
    model.load_model("model.json")
    return [model.predict(features), model.predict_proba(features), model.n_classes_, model.classes_, model.objective]


@scenario(close())
def a_classifier_with_weighted_positives() -> object:
    features, labels = binary()
    return (
        xgb.XGBClassifier(**SMALL, scale_pos_weight=4, max_delta_step=1).fit(features, labels).predict_proba(features)
    )


@scenario(EQUAL)
def a_classifier_without_being_fitted() -> object:
    return caught("fit or load|need to call fit", lambda: xgb.XGBClassifier().predict(rows(3)))


# ---- forests ---------------------------------------------------------------------------------------------------------


@scenario(losses(0.25))
def a_forest_of_regressors() -> object:
    features, labels = regression(1000)
    model = xgb.XGBRFRegressor(n_estimators=40, max_depth=5, random_state=1).fit(features, labels)
    return [model.get_booster().num_boosted_rounds(), float(np.mean((model.predict(features) - labels) ** 2))]


@scenario(losses(0.1))
def a_forest_of_classifiers() -> object:
    features, labels = classes(1000)
    model = xgb.XGBRFClassifier(n_estimators=20, max_depth=5, random_state=1).fit(features, labels)
    return [len(model.get_booster().get_dump()), float(model.score(features, labels))]


@scenario(EQUAL)
def a_forest_that_is_to_stop_early() -> object:
    phrase = "not implemented for the sklearn random"
    return caught(phrase, lambda: xgb.XGBRFRegressor(n_estimators=3, early_stopping_rounds=3).fit(*regression()))


# ---- parameters ------------------------------------------------------------------------------------------------------


@scenario(EQUAL)
def parameters_of_estimators() -> object:
    model = xgb.XGBRegressor(n_estimators=3, max_depth=4, reg_lambda=2.0)
    other = clone(model.set_params(max_depth=5, gamma=0.5))
    asked = ("n_estimators", "max_depth", "reg_lambda", "gamma", "learning_rate", "missing")
    return [repr({name: m.get_params()[name] for name in asked}) for m in (model, other)]


@scenario(close())
def parameters_beyond_the_signature() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(**SMALL, huber_slope=0.5, objective="reg:pseudohubererror")
    return [model.fit(features, labels).predict(features), model.get_xgb_params()["huber_slope"]]


@scenario(EQUAL)
def what_an_estimator_says_of_itself() -> object:
    return [
        repr(xgb.XGBRegressor(max_depth=4)).split("(")[0],
        xgb.XGBClassifier(n_estimators=7).get_num_boosting_rounds(),
    ]


@scenario(close())
def missing_values_of_an_estimator() -> object:
    features, labels = regression()
    return xgb.XGBRegressor(**SMALL, missing=0.0).fit(features, labels).predict(features)


@scenario(close())
def tree_methods_of_estimators() -> object:
    features, labels = regression()
    methods = ("exact", "hist", "approx")
    return [xgb.XGBRegressor(**SMALL, tree_method=m).fit(features, labels).predict(features) for m in methods]


# ---- in scikit-learn's tools -----------------------------------------------------------------------------------------


@scenario(close())
def in_a_grid() -> object:
    grid = GridSearchCV(
        xgb.XGBRegressor(n_estimators=5), {"max_depth": [1, 3], "learning_rate": [0.1, 0.5]}, cv=KFold(3)
    )
    grid.fit(*regression())
    return [grid.best_params_, grid.best_score_, grid.cv_results_["mean_test_score"]]


@scenario(close())
def in_a_random_search() -> object:
    space = {"max_depth": [2, 3, 4], "reg_lambda": [0.5, 1.0, 5.0]}
    search = RandomizedSearchCV(xgb.XGBClassifier(n_estimators=5), space, n_iter=4, cv=3, random_state=0, n_jobs=1)
    search.fit(*binary())
    return [search.best_params_, search.best_score_]


@scenario(close())
def in_cross_validation() -> object:
    features, labels = classes()
    model = xgb.XGBClassifier(**SMALL)
    scores = cross_val_score(model, features, labels, cv=3, scoring="neg_log_loss")
    return [scores, cross_val_predict(model, features, labels, cv=3, method="predict_proba")]


@scenario(close())
def in_a_pipeline() -> object:
    features, labels = regression()
    frame = pd.DataFrame(features, columns=list("vwxyz"))
    scaled = ColumnTransformer([("scaled", StandardScaler(), ["v", "w"])], remainder="passthrough")
    return make_pipeline(scaled, xgb.XGBRegressor(**SMALL)).fit(frame, labels).predict(frame)


@scenario(close())
def in_a_calibration() -> object:
    features, labels = binary()
    model = CalibratedClassifierCV(xgb.XGBClassifier(**SMALL), cv=3)
    return model.fit(features, labels).predict_proba(features)


@scenario(close())
def in_other_estimators() -> object:
    features, labels = regression()
    stack = StackingRegressor([("a", xgb.XGBRegressor(**SMALL)), ("b", xgb.XGBRegressor(n_estimators=3))], cv=3)
    logged = TransformedTargetRegressor(xgb.XGBRegressor(**SMALL), func=np.arcsinh, inverse_func=np.sinh)
    many = MultiOutputRegressor(xgb.XGBRegressor(**SMALL)).fit(features, targets()[1])
    return [
        stack.fit(features, labels).predict(features),
        logged.fit(features, labels).predict(features),
        many.predict(features),
    ]


@scenario(close())
def in_permutations() -> object:
    features, labels = regression()
    model = xgb.XGBRegressor(**SMALL).fit(features, labels)
    return permutation_importance(model, features, labels, n_repeats=2, random_state=0).importances_mean
