"""Training trees with vector leaves (multi_strategy=multi_output_tree) through the Python package."""

from __future__ import annotations

import json
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
import scipy.sparse
from kauriboost.callback import TrainingCheckPoint
from kauriboost.sklearn import KauriClassifier, KauriRegressor, KauriRFClassifier, KauriRFRegressor

XGBOOSTS: dict[str, Any] = {"learning_rate": 0.3, "reg_lambda": 1, "colsample_bynode": 1}  # its defaults
Table = tuple[np.ndarray, np.ndarray]
VECTORS = {"multi_strategy": "multi_output_tree", "max_depth": 4}


@pytest.fixture(scope="module")
def targets() -> Table:
    """Return 400 x 6 features, a tenth missing, and three targets."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(400, 6)).astype(np.float32)
    y = np.column_stack([X[:, 0] + X[:, 1], X[:, 0] * X[:, 2], np.abs(X[:, 3])]) + rng.normal(scale=0.1, size=(400, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y.astype(np.float32)


def trees_of(booster: kb.Booster) -> list[dict[str, Any]]:
    """Return the trees in the model file."""
    return json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]


def widths(booster: kb.Booster) -> list[int]:
    """Return the number of values in the leaves of each tree."""
    return [int(tree["tree_param"]["size_leaf_vector"]) for tree in trees_of(booster)]


OBJECTIVES: dict[str, tuple[dict[str, Any], str, int]] = {
    "squarederror": ({}, "targets", 3),
    "pseudohuber": ({"objective": "reg:pseudohubererror"}, "targets", 3),
    "absoluteerror": ({"objective": "reg:absoluteerror"}, "targets", 3),
    "poisson": ({"objective": "count:poisson"}, "counts", 3),
    "labels": ({"objective": "binary:logistic"}, "labels", 3),
    "softprob": ({"objective": "multi:softprob", "num_class": 4}, "classes", 4),
    "quantiles": ({"objective": "reg:quantileerror", "quantile_alpha": [0.2, 0.8]}, "one", 2),
    "expectiles": ({"objective": "reg:expectileerror", "expectile_alpha": [0.2, 0.8]}, "one", 2),
}


def labels_for(kind: str, y: np.ndarray) -> np.ndarray:
    """Convert the targets to labels for an objective."""
    if kind == "classes":
        return np.digitize(y[:, 0], [-1, 0, 1])
    return {"targets": y, "counts": np.floor(np.abs(3 * y)), "labels": y > 0, "one": y[:, 0]}[kind].astype(np.float32)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_objective_of_several_outputs_learns(name: str, targets: Table) -> None:
    params, kind, n_outputs = OBJECTIVES[name]
    X, y = targets
    data = kb.DMatrix(X, label=labels_for(kind, y))
    log: dict = {}
    booster = kb.train({**VECTORS, **params}, data, 12, evals=[(data, "d")], evals_result=log, verbose_eval=False)
    (losses,) = log["d"].values()
    assert losses[-1] < 0.75 * losses[0]
    assert widths(booster) == [n_outputs] * 12
    assert booster.predict(data, output_margin=True).shape == (400, n_outputs)
    again = kb.Booster(model_file=bytearray(booster.save_raw()))
    np.testing.assert_array_equal(again.predict(data), booster.predict(data))
    assert losses[-1] == pytest.approx(float(booster.eval(data).split(":")[1]), rel=1e-6)


VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "rows": {"subsample": 0.6},
    "rows by gradients": {"subsample": 0.4, "sampling_method": "gradient_based"},
    "columns": {"colsample_bytree": 0.7, "colsample_bylevel": 0.7, "colsample_bynode": 0.7},
    "lossguide": {"grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0},
    "forest": {"num_parallel_tree": 3, "subsample": 0.6},
    "dart": {"booster": "dart", "rate_drop": 0.4, "one_drop": True},
    "absolute": {"objective": "reg:absoluteerror", "subsample": 0.7},
    "constraints": {"monotone_constraints": "(1,0,-1)", "interaction_constraints": "[[0,1,2],[2,3]]"},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_same_bytes_for_any_number_of_threads(variant: str, targets: Table) -> None:
    X, y = targets
    models = set()
    for threads in (1, 2, 3):
        params = {**VECTORS, **VARIANTS[variant], "seed": 3, "nthread": threads}
        booster = kb.train(params, kb.DMatrix(np.tile(X, (60, 1)), label=np.tile(y, (60, 1))), 2)
        models.add(bytes(booster.save_raw()))
    assert len(models) == 1


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_margins_of_training_are_those_of_predictions(kind: str, targets: Table) -> None:
    X, y = targets
    rows = scipy.sparse.csr_matrix(np.nan_to_num(X * (np.abs(X) > 1.5))) if kind == "sparse" else X
    data = kb.DMatrix(rows, label=y)
    booster = kb.train({**VECTORS, "booster": "dart", "rate_drop": 0.3, "seed": 5}, data, 6)
    np.testing.assert_allclose(booster.predict(data), booster.predict(kb.DMatrix(rows)), rtol=1e-5, atol=1e-5)


def test_feature_weights_keep_columns_out(targets: Table) -> None:
    X, y = targets
    data = kb.DMatrix(X, label=y)
    data.set_info(feature_weights=[0, 1, 1, 1, 0, 0])
    booster = kb.train({**VECTORS, "colsample_bytree": 0.5}, data, 5)
    assert set(booster.get_score()) <= {"f1", "f2", "f3"}


def test_constraints_hold_for_every_output(targets: Table) -> None:
    X, y = targets
    booster = kb.train({**VECTORS, **VARIANTS["constraints"]}, kb.DMatrix(X, label=y), 15)
    grid = np.nan_to_num(X[:40])
    for feature, sign in ((0, 1), (2, -1)):
        steps = []
        for value in np.linspace(-3, 3, 25):
            grid[:, feature] = value
            steps.append(booster.predict(kb.DMatrix(grid)))
        assert (sign * np.diff(steps, axis=0) >= 0).all()
        assert np.ptp(steps) > 0.1


def test_rounds_may_change_their_strategy(targets: Table) -> None:
    X, y = targets
    data = kb.DMatrix(X, label=y)
    vectors = kb.train(VECTORS, data, 4)
    numbers = kb.train({"max_depth": 4}, data, 2)
    assert kb.train(VECTORS, data, 2, xgb_model=kb.train(VECTORS, data, 2)).save_raw() == vectors.save_raw()
    longer = kb.train({"max_depth": 4, "multi_strategy": "one_output_per_tree"}, data, 2, xgb_model=vectors)
    assert widths(longer) == [3] * 4 + [1] * 6
    np.testing.assert_array_equal(longer[:4].predict(data), vectors.predict(data))
    other = kb.train(VECTORS, data, 2, xgb_model=numbers)
    assert widths(other) == [1] * 6 + [3] * 2
    assert other.num_boosted_rounds() == 4
    assert other.eval(data) < numbers.eval(data)


def test_an_objective_of_ones_own_has_as_many_outputs_as_targets(targets: Table) -> None:
    X, y = targets
    data = kb.DMatrix(X, label=y)
    params = {**VECTORS, "base_score": 0.5}
    own = kb.train(params, data, 5, obj=lambda margins, d: (margins - y, np.ones_like(margins)))
    np.testing.assert_array_equal(own.predict(data), kb.train(params, data, 5).predict(data))


def test_resuming_gives_the_same_bytes(targets: Table, tmp_path: Any) -> None:
    X, y = targets
    data = kb.DMatrix(X, label=y)
    params = {**VECTORS, "subsample": 0.7, "seed": 2}
    whole = kb.train(params, data, 6)
    saver = TrainingCheckPoint(tmp_path, interval=1, resume=True)
    for n_rounds in (1, 3, 6):
        resumed = kb.train(params, data, n_rounds, callbacks=[saver])
    assert resumed.save_raw() == whole.save_raw()


def test_one_output_has_numbers_as_leaves(regression: Table) -> None:
    X, y = regression
    data = kb.DMatrix(X, label=y)
    assert kb.train(VECTORS, data, 3).save_raw() == kb.train({"max_depth": 4}, data, 3).save_raw()


def test_explanations_add_up(targets: Table) -> None:
    X, y = targets
    booster = kb.train(VECTORS, kb.DMatrix(X, label=y), 5)
    rows = kb.DMatrix(X[:30])
    contributions = booster.predict(rows, pred_contribs=True)
    assert contributions.shape == (30, 3, 7)
    np.testing.assert_allclose(contributions.sum(-1), booster.predict(rows), rtol=1e-4, atol=1e-5)


def test_estimators_take_tables_of_targets(targets: Table) -> None:
    X, y = targets
    boosted = KauriRegressor(n_estimators=8, max_depth=4, **XGBOOSTS)
    for estimator in (boosted, KauriRFRegressor(n_estimators=5, max_depth=4)):
        model = estimator.set_params(multi_strategy="multi_output_tree").fit(X, y, eval_set=[(X, y)])
        assert model.predict(X).shape == y.shape
        assert model.score(X, y) > 0.5
        assert set(widths(model.get_booster())) == {3}
    booster = kb.train(VECTORS, kb.DMatrix(X, label=y), 8)
    model = KauriRegressor(n_estimators=8, **XGBOOSTS, **VECTORS).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), booster.predict(kb.DMatrix(X)))


@pytest.mark.parametrize("strategy", ["multi_output_tree", "one_output_per_tree"])
def test_classifiers_take_tables_of_labels(strategy: str, targets: Table, tmp_path: Any) -> None:
    X, y = targets
    labels = (y > 0).astype(int)
    for estimator in (KauriClassifier(n_estimators=8), KauriRFClassifier(n_estimators=8)):
        model = estimator.set_params(multi_strategy=strategy).fit(X, labels, eval_set=[(X, labels)])
        assert (model.predict(X) == labels).mean() > 0.8
        assert model.predict_proba(X).shape == labels.shape
        assert model.classes_.tolist() == [0, 1]
        model.save_model(tmp_path / "model.json")
        loaded = KauriClassifier()
        loaded.load_model(tmp_path / "model.json")
        np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="holds 2; expected 1"):
        KauriClassifier().fit(X, 2 * labels)


def test_classes_by_vectors(multiclass: Table) -> None:
    X, y = multiclass
    model = KauriClassifier(n_estimators=8, multi_strategy="multi_output_tree").fit(X, y)
    assert set(widths(model.get_booster())) == {3}
    assert model.score(X, y) > 0.9
    np.testing.assert_allclose(model.predict_proba(X).sum(1), 1, rtol=1e-5)


@pytest.mark.parametrize(
    ("params", "named", "cure"),
    [
        ({"tree_method": "exact"}, "tree_method=exact", "tree_method=hist"),
        ({"tree_method": "approx"}, "tree_method=approx", "one_output_per_tree"),
        ({"multi_strategy": "both"}, "both", "multi_output_tree"),
    ],
)
def test_what_cannot_be_trained_is_refused(params: dict[str, Any], named: str, cure: str, targets: Table) -> None:
    X, y = targets
    with pytest.raises(kb.ParameterError) as refused:
        kb.train({**VECTORS, **params}, kb.DMatrix(X, label=y), 1)
    assert named in str(refused.value)
    assert cure in str(refused.value)


@pytest.mark.parametrize("updater", ["refresh", "prune"])
def test_updates_are_refused(updater: str, targets: Table) -> None:
    X, y = targets
    data = kb.DMatrix(X, label=y)
    booster = kb.train(VECTORS, data, 2)
    with pytest.raises(kb.ModelError, match=r"process_type=update: .* vector leaves .* process_type=default"):
        kb.train({"process_type": "update", "updater": updater}, data, 2, xgb_model=booster)


def test_gradients_that_are_not_finite_name_their_row(targets: Table) -> None:
    X, y = targets

    def broken(margins: np.ndarray, _: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        gradients = margins - y
        gradients[17, 2] = np.inf
        return gradients, np.ones_like(gradients)

    with pytest.raises(kb.DataError, match="row 17 has gradient inf"):
        kb.train(VECTORS, kb.DMatrix(X, label=y), 1, obj=broken)
