"""Metrics with invalid arguments, constraints on missing columns, data with other numbers of outputs."""

from __future__ import annotations

import re

import kauriboost as kb
import numpy as np
import pytest

QUIET = {"verbose_eval": False}
RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 4))
CLASSES = np.arange(90) % 3

PLAIN = ["rmse", "mae", "logloss", "poisson-nloglik", "rmsle", "mape", "mphe", "gamma-nloglik", "gamma-deviance", "auc"]
PLAIN += ["aucpr", "merror", "mlogloss", "quantile", "expectile", "cox-nloglik", "aft-nloglik"]
PLAIN += ["interval-regression-accuracy"]
NUMBERED = {"error": "0.7", "tweedie-nloglik": "1.5", "ndcg": "3", "map": "3", "pre": "3", "ndcg-": "3", "map-": "3"}


def configure(**params: object) -> None:
    kb.Booster({"objective": "reg:squarederror", **params}).save_config()


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("argument", ["@3", "@", "@0.5", "@x", "@@", "@-"])
def test_metrics_without_arguments_take_none(name: str, argument: str) -> None:
    alphas = {"quantile_alpha": 0.5, "expectile_alpha": 0.5}
    configure(eval_metric=name, **alphas)
    with pytest.raises(kb.ParameterError) as refused:
        configure(eval_metric=name + argument, **alphas)
    assert f"metric '{name}{argument}': {name} takes no value; write {name}." in str(refused.value)


@pytest.mark.parametrize("name", NUMBERED)
@pytest.mark.parametrize("argument", ["", "x", "3x", "3 ", " 3", "1.5.2", "nan", "inf", "0x3", "3@3", "--"])
def test_metrics_with_arguments_take_no_others(name: str, argument: str) -> None:
    configure(eval_metric=f"{name}@{NUMBERED[name]}")
    with pytest.raises(kb.ParameterError) as refused:
        configure(eval_metric=f"{name}@{argument}")
    assert f"{name.rstrip('-')}" in str(refused.value)
    assert "@" in str(refused.value)
    if not argument:
        assert f"metric '{name}@': a value is missing after '@'; write {name}, or the value as well" in str(
            refused.value
        )


@pytest.mark.parametrize("method", ["exact", "approx", "hist"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("interaction_constraints", "[[0,1],[2,4]]"),
        ("interaction_constraints", "[[7]]"),
        ("monotone_constraints", "(0,0,0,0,1)"),
    ],
)
def test_constraints_on_columns_that_are_not_there(method: str, name: str, value: str) -> None:
    data = kb.DMatrix(X, label=X[:, 0])
    params = {"tree_method": method, name: value}
    message = f"{name} (names feature [47]|has 5 values).* have 4 features"
    with pytest.raises(kb.ParameterError, match=message):
        kb.train(params, data, 1, **QUIET)
    model = kb.train({"tree_method": method}, data, 1, **QUIET)
    with pytest.raises(kb.ParameterError, match=message):  # also when the training is continued
        kb.train(params, data, 1, xgb_model=model, **QUIET)
    model.set_param(name, value)
    with pytest.raises(kb.ParameterError, match=message):
        model.update(data, 1)


def test_feature_weights_of_columns_that_are_not_there() -> None:
    with pytest.raises(kb.DataError, match="feature_weights has 5 values, but the data have 4 columns"):
        kb.DMatrix(X, feature_weights=np.ones(5))


# ---- outputs ----


def softprob(n_classes: int) -> dict[str, object]:
    return {"objective": "multi:softprob", "num_class": n_classes, "nthread": 1}


def matrix(n_classes: int = 3, n_targets: int = 0) -> kb.DMatrix:
    label = RNG.normal(size=(90, n_targets)) if n_targets else CLASSES % n_classes
    return kb.DMatrix(X, label=label)


def models() -> dict[str, kb.Booster]:
    return {
        "classes": kb.train(softprob(3), matrix(), 2, **QUIET),
        "number": kb.train({}, matrix(2), 2, **QUIET),
        "targets": kb.train({}, matrix(n_targets=2), 2, **QUIET),
        "quantiles": kb.train(
            {"objective": "reg:quantileerror", "quantile_alpha": [0.2, 0.8]}, matrix(n_targets=1), 2, **QUIET
        ),
    }


OTHERS = {
    "fewer classes": (softprob(2), matrix(2)),
    "more classes": (softprob(5), matrix(3)),
    "softmax": ({"objective": "multi:softmax", "num_class": 4}, matrix(3)),
    "no classes": ({"objective": "reg:squarederror", "num_class": 0}, matrix(2)),
    "another number of targets": ({"objective": "reg:squarederror", "num_class": 0}, matrix(n_targets=3)),
    "another number of quantiles": (
        {"objective": "reg:quantileerror", "quantile_alpha": [0.1, 0.5, 0.9], "num_class": 0},
        matrix(n_targets=1),
    ),
    "ranking": (
        {"objective": "rank:ndcg", "num_class": 0},
        kb.DMatrix(X, label=CLASSES % 2, group=[90]),
    ),
}
FITS = {("number", "no classes"), ("number", "ranking")}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", ["classes", "number", "targets", "quantiles"])
@pytest.mark.parametrize("way", ["xgb_model", "set_param", "load_model"])
def test_models_go_on_with_their_outputs_alone(name: str, other: str, way: str) -> None:
    model = models()[name]
    params, data = OTHERS[other]
    before = model.save_raw("json")

    def go_on() -> kb.Booster:
        if way == "xgb_model":
            return kb.train(params, data, 1, xgb_model=model, **QUIET)
        booster = model if way == "set_param" else kb.Booster(model_file=before)
        booster.set_param(params)
        booster.update(data, 2)
        return booster

    if (name, other) in FITS:
        assert go_on().num_boosted_rounds() == 3
        return
    with pytest.raises((kb.ParameterError, kb.DataError)) as refused:
        go_on()
    assert re.search("does not fit the model|but the model has|does not go with", str(refused.value))
    assert not isinstance(refused.value, kb.InternalError)
    again = kb.Booster(model_file=before)
    assert again.save_raw("json") == before


@pytest.mark.parametrize("name", ["classes", "number", "targets", "quantiles"])
def test_data_of_other_outputs_are_refused(name: str) -> None:
    model = models()[name]
    wide = kb.DMatrix(X, label=RNG.normal(size=(90, 5)))
    classes = kb.DMatrix(X, label=np.arange(90))
    for data in (wide, classes) if name == "classes" else (wide,):
        with pytest.raises((kb.ParameterError, kb.DataError)):
            model.update(data, 2)
        with pytest.raises((kb.ParameterError, kb.DataError)):
            model.eval(data)
    assert model.num_boosted_rounds() == 2


def test_gradients_of_the_caller_go_on_with_any_labels() -> None:
    data = matrix(n_targets=3)
    model = kb.train({}, data, 1, obj=lambda margins, _: (margins, np.ones_like(margins)), **QUIET)
    model.boost(kb.DMatrix(X), 1, np.ones((90, 3)), np.ones((90, 3)))
    assert model.num_boosted_rounds() == 2


# ---- iterators that change ----


class Changing(kb.DataIter):
    """Gives two batches; part of the second differs in the last pass."""

    def __init__(self, change, n_passes: int) -> None:
        self.change = change
        self.passes = 0
        self.n_passes = n_passes

    def reset(self) -> None:
        self.passes += 1
        self.at = 0

    def next(self, input_data) -> bool:
        self.at += 1
        rows = X.copy()
        if self.at == 2 and self.passes >= self.n_passes:
            rows = self.change(rows)
        if self.at <= 2:
            input_data(data=rows, label=np.zeros(len(rows)))
        return self.at <= 2


def changed(place: tuple, value: float):
    def change(rows: np.ndarray) -> np.ndarray:
        rows[place] = value
        return rows

    return change


CHANGES = {
    "a value within the cuts": changed((7, 1), 0.01),
    "a value out of the cuts": changed((7, 1), 1e9),
    "a missing value": changed((7, 1), np.nan),
    "fewer rows": lambda rows: rows[:-1],
    "more rows": lambda rows: np.concatenate([rows, rows]),
    "fewer columns": lambda rows: rows[:, :3],
    "more columns": lambda rows: np.hstack([rows, rows]),
    "another order": lambda rows: rows[::-1],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", ["QuantileDMatrix", "ExtMemQuantileDMatrix"])
def test_iterators_must_repeat_themselves(change: str, kind: str) -> None:
    make = getattr(kb, kind)
    count = Changing(lambda rows: rows, 0)
    make(count)
    last = count.passes - 1  # one reset follows the last pass
    with pytest.raises(kb.DataError):
        make(Changing(CHANGES[change], last))
