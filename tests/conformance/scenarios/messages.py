"""Exceptions: their types, and the phrases that users' code matches."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xgboost as xgb
from scenarios.support.data import binary, classes, positive, regression, targets
from scenarios.support.models import learn
from scenarios.support.scenario import EQUAL, caught, close, scenario
from scipy import sparse
from xgboost.federated import FederatedTracker

# ---- data ------------------------------------------------------------------------------------------------------------


@scenario(EQUAL)
def infinity_in_data() -> object:
    return caught("Input data contains `inf`", lambda: xgb.DMatrix(np.array([[1.0, np.inf]])))


@scenario(close())
def infinity_in_data_in_place() -> object:
    features, labels = regression()
    booster = learn({}, features, labels)
    features[3, :2] = np.inf
    features[4, :2] = -np.inf
    tables = [features, features.astype(np.float32), np.asfortranarray(features), pd.DataFrame(features)]
    said = [booster.inplace_predict(table) for table in [*tables, sparse.csr_matrix(features)]]
    return [*said, booster.inplace_predict(features, missing=np.inf)]


@scenario(EQUAL)
def infinity_where_it_is_missing() -> object:
    return xgb.DMatrix(np.array([[1.0, np.inf]]), missing=np.inf).num_nonmissing()


@scenario(EQUAL)
def nan_in_labels() -> object:
    features, labels = regression()
    labels[4] = np.nan
    return caught("Label contains NaN, infinity or a value too large", lambda: xgb.DMatrix(features, labels))


@scenario(EQUAL)
def infinity_in_labels() -> object:
    features, labels = regression()
    labels[4] = np.inf
    return caught("Label contains NaN, infinity or a value too large", lambda: xgb.DMatrix(features, labels))


@scenario(EQUAL)
def nan_in_nullable_labels() -> object:
    labels = pd.Series([1, None, 0], dtype="Int32")
    return caught("Label contains NaN, infinity or a value too large", lambda: xgb.DMatrix(np.ones((3, 2)), labels))


@scenario(EQUAL)
def nan_in_weights() -> object:
    features, labels = regression()
    return caught("[Ww]eight", lambda: xgb.DMatrix(features, labels, weight=np.full(300, np.nan)))


@scenario(EQUAL)
def weights_below_zero() -> object:
    features, labels = regression()
    return caught("[Ww]eights must be positive", lambda: xgb.DMatrix(features, labels, weight=np.full(300, -1.0)))


@scenario(EQUAL)
def labels_of_another_length() -> object:
    features, labels = regression()
    return caught("", lambda: xgb.train({}, xgb.DMatrix(features, labels[:100]), 1))["raised"]


@scenario(EQUAL)
def weights_of_another_length() -> object:
    features, labels = regression()
    return caught("", lambda: xgb.train({}, xgb.DMatrix(features, labels, weight=np.ones(5)), 1))["raised"]


@scenario(EQUAL)
def margins_of_another_length() -> object:
    features, labels = regression()
    return caught("", lambda: xgb.train({}, xgb.DMatrix(features, labels, base_margin=np.ones(7)), 1))["raised"]


@scenario(EQUAL)
def no_labels() -> object:
    return caught("", lambda: xgb.train({}, xgb.DMatrix(regression()[0]), 1))["raised"]


@scenario(EQUAL)
def fewer_columns_than_in_training() -> object:
    features, labels = regression()
    return learn({}, features, labels, 1).predict(xgb.DMatrix(features[:, :3])).shape


@scenario(EQUAL)
def more_columns_than_in_training() -> object:
    features, labels = regression()
    booster = learn({}, features[:, :3], labels, 1)
    return caught("[Nn]umber of columns|columns", lambda: booster.predict(xgb.DMatrix(features)))


@scenario(EQUAL)
def a_kind_of_data_that_is_unknown() -> object:
    return caught("Not supported type for data", lambda: xgb.DMatrix(object()))


@scenario(EQUAL)
def weights_of_columns_below_zero() -> object:
    features, labels = regression()
    return caught("[Ff]eature weight", lambda: xgb.DMatrix(features, labels, feature_weights=[-1.0, 1, 1, 1, 1]))


@scenario(EQUAL)
def slices_of_matrices() -> object:
    data = xgb.DMatrix(*regression(20), weight=np.arange(20.0))
    part = data.slice([3, 5, 7])
    return [part.get_label(), part.get_weight(), part.get_data().toarray()]


# ---- labels that an objective refuses --------------------------------------------------------------------------------


@scenario(EQUAL)
def labels_beyond_one() -> object:
    features, labels = binary()
    params = {"objective": "binary:logistic"}
    return caught(r"label must be in [\[(]0, ?1[\])]", lambda: learn(params, features, labels * 1.5, 1))


@scenario(EQUAL)
def labels_beyond_the_classes() -> object:
    params = {"objective": "multi:softprob", "num_class": 2}
    return caught("label must be discrete values in the range of", lambda: learn(params, *classes(), 1))


@scenario(EQUAL)
def classes_without_their_number() -> object:
    return caught("num_class", lambda: learn({"objective": "multi:softprob"}, *classes(), 1))


@scenario(EQUAL)
def counts_below_zero() -> object:
    features, labels = positive()
    labels[5] = -1
    return caught("label must be non-?negative", lambda: learn({"objective": "count:poisson"}, features, labels, 1))


@scenario(EQUAL)
def gammas_below_zero() -> object:
    features, labels = positive()
    labels[5] = -1
    return caught("label must be positive", lambda: learn({"objective": "reg:gamma"}, features, labels, 1))


@scenario(EQUAL)
def logs_below_minus_one() -> object:
    features, labels = positive()
    return caught("greater than -1", lambda: learn({"objective": "reg:squaredlogerror"}, features, labels - 9, 1))


@scenario(EQUAL)
def one_label_where_bounds_are_asked_for() -> object:
    return caught("", lambda: learn({"objective": "survival:aft"}, *positive(), 1))["raised"]


# ---- parameters ------------------------------------------------------------------------------------------------------


def _refused(phrase: str, **params: object) -> object:
    return caught(phrase, lambda: learn(params, *binary(), 1))


@scenario(EQUAL)
def objectives_that_are_none() -> object:
    return _refused("(?i)unknown objective", objective="reg:nothing")


@scenario(EQUAL)
def metrics_that_are_none() -> object:
    features, labels = binary()
    data = xgb.DMatrix(features, labels)
    return caught("(?i)unknown metric", lambda: xgb.train({"eval_metric": "nothing"}, data, 1, evals=[(data, "d")]))


@scenario(EQUAL)
def boosters_that_are_none() -> object:
    return _refused("[Uu]nknown gbm|[Uu]nknown|booster", booster="gbforest")


@scenario(EQUAL)
def tree_methods_that_are_none() -> object:
    return _refused("guess", tree_method="guess")


@scenario(EQUAL)
def updaters_that_are_none() -> object:
    return _refused("Unknown tree updater|updater", updater="grow_weeds")


@scenario(EQUAL)
def devices_that_are_none() -> object:
    return _refused("device|Invalid", device="toaster")


@scenario(EQUAL)
def numbers_out_of_bounds() -> object:
    beyond: tuple[dict[str, object], ...] = ({"max_depth": -1}, {"subsample": 2.0}, {"eta": -1.0}, {"lambda": -3.0})
    return [_refused(next(iter(params)), **params)["raised"] for params in beyond]


@scenario(EQUAL)
def texts_where_numbers_belong() -> object:
    return _refused("max_depth", max_depth="deep")


@scenario(EQUAL)
def scores_out_of_bounds() -> object:
    return _refused("base_score", objective="binary:logistic", base_score=2.0)


@scenario(EQUAL)
def tree_methods_of_old_versions() -> object:
    return _refused("gpu_hist", tree_method="gpu_hist")


@scenario(EQUAL)
def a_depth_of_zero_without_leaves() -> object:
    return len(learn({"tree_method": "hist", "max_depth": 0}, *regression(50), 1).get_dump())


@scenario(EQUAL)
def shared_parents_of_exceptions() -> object:
    return [xgb.core.XGBoostError.__mro__[1].__name__, issubclass(xgb.core.XGBoostError, ValueError)]


@scenario(EQUAL)
def boosters_that_have_not_been_trained() -> object:
    data = xgb.DMatrix(*regression())
    return [
        xgb.Booster({}, [data]).num_boosted_rounds(),
        caught("", lambda: xgb.Booster().predict(data))["raised"],
    ]


@scenario(EQUAL)
def gradients_of_another_length() -> object:
    features, labels = regression()
    data = xgb.DMatrix(features, labels)
    return caught("", lambda: xgb.train({}, data, 1, obj=lambda p, d: (p[:10], np.ones(10))))["raised"]


@scenario(EQUAL)
def columns_of_gradients_that_are_no_outputs() -> object:
    data = xgb.DMatrix(*regression())
    ones = np.ones((300, 2))
    phrase = "The number of columns in gradient should be equal to the number of targets/classes in the model"
    return caught(phrase, lambda: xgb.train({}, data, 1, obj=lambda p, d: (ones, ones)))


@scenario(EQUAL)
def vector_leaves_by_another_method() -> object:
    features, labels = targets()
    params = {"multi_strategy": "multi_output_tree", "tree_method": "approx"}
    phrase = "Only the hist tree method is supported for building multi-target trees with vector leaf"
    return caught(phrase, lambda: xgb.train(params, xgb.DMatrix(features, labels), 1))


@scenario(EQUAL)
def trackers_of_federated_learning() -> object:
    return caught(
        "not compiled with federated learning support",
        lambda: FederatedTracker(n_workers=1, port=0, secure=False),
    )
