"""Options of kauriboost.explain besides SHAP values: other values, fewer features, means, batches, pairs."""

from __future__ import annotations

import itertools
import json
import math
import weakref
from collections.abc import Iterator
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from kauriboost.sklearn import KauriClassifier, KauriRegressor
from matplotlib import pyplot as plt

mpl.use("Agg")
Table = tuple[np.ndarray, np.ndarray]
NAMES = ["ash", "birch", "cedar", "douglas", "elm", "fir"]


@pytest.fixture(scope="module")
def booster(binary: Table) -> kb.Booster:
    X, y = binary
    data = kb.DMatrix(X, label=y, feature_names=NAMES)
    return kb.train({"objective": "binary:logistic", "max_depth": 4}, data, 6, verbose_eval=False)


@pytest.fixture(scope="module")
def classifier(multiclass: Table) -> KauriClassifier:
    X, y = multiclass
    return KauriClassifier(n_estimators=4, max_depth=3).fit(X, np.array(["red", "green", "blue"])[y.astype(int)])


def margins(booster: kb.Booster, X: np.ndarray) -> np.ndarray:
    return booster.inplace_predict(X, predict_type="margin")


def conditional(dump: str, x: np.ndarray, known: frozenset[int]) -> float:
    """Return a coalition's value: the tree's mean over the training rows that agree with x in the known features."""

    def value(node: dict[str, Any]) -> float:
        if "leaf" in node:
            return node["leaf"]
        left, right = node["children"]
        feature = NAMES.index(node["split"])
        if feature not in known:
            return (left["cover"] * value(left) + right["cover"] * value(right)) / (left["cover"] + right["cover"])
        goes_left = x[feature] < node["split_condition"] if not np.isnan(x[feature]) else node["missing"] == node["yes"]
        return value(left if goes_left else right)

    return value(json.loads(dump))


def coalitions(booster: kb.Booster, x: np.ndarray) -> dict[frozenset[int], float]:
    dumps = booster.get_dump(dump_format="json", with_stats=True)
    sets = [frozenset(some) for size in range(7) for some in itertools.combinations(range(6), size)]
    return {known: sum(conditional(dump, x, known) for dump in dumps) for known in sets}


@pytest.mark.parametrize("row", [0, 17])
def test_banzhaf_by_definition(booster: kb.Booster, binary: Table, row: int) -> None:
    x = binary[0][row]
    value = coalitions(booster, x)
    expected = [sum(value[known | {i}] - value[known] for known in value if i not in known) / 32 for i in range(6)]
    explanation = kb.explain(booster, x[None], values="banzhaf")
    np.testing.assert_allclose(explanation.values[0], expected, atol=1e-5)
    assert explanation.kind == "banzhaf"
    assert not explanation.adds_up


def test_taylor_by_definition(booster: kb.Booster, binary: Table) -> None:
    x = binary[0][3]
    value = coalitions(booster, x)
    none = frozenset[int]()
    expected = np.zeros((6, 6))
    for i in range(6):
        expected[i, i] = value[frozenset({i})] - value[none]
    for i, j in itertools.combinations(range(6), 2):
        index = 0.0
        for known in value:
            if i not in known and j not in known:
                both = value[known | {i, j}] - value[known | {i}] - value[known | {j}] + value[known]
                index += both * 2 / 6 / math.comb(5, len(known))
        expected[i, j] = expected[j, i] = index / 2
    explanation = kb.explain(booster, x[None], values="taylor")
    np.testing.assert_allclose(explanation.values[0], expected, atol=1e-5)
    assert explanation.is_interaction
    total = explanation.values.sum() + explanation.base_values[0]
    assert total == pytest.approx(margins(booster, x[None])[0], abs=1e-5)


def test_against_a_background(booster: kb.Booster, binary: Table) -> None:
    """Compare with the definition: coalitions whose other features come from a background row."""
    X, background = binary[0][:1], binary[0][300:303]
    expected = np.zeros(6)
    for z in background:
        sets = [frozenset(some) for size in range(7) for some in itertools.combinations(range(6), size)]
        mixed = np.array([[X[0, i] if i in known else z[i] for i in range(6)] for known in sets])
        value = dict(zip(sets, margins(booster, mixed).astype(float), strict=True))
        for i, known in itertools.product(range(6), sets):
            if i not in known:
                weight = math.factorial(len(known)) * math.factorial(5 - len(known)) / math.factorial(6)
                expected[i] += weight * (value[known | {i}] - value[known]) / len(background)
    explanation = kb.explain(booster, X, background=background)
    np.testing.assert_allclose(explanation.values[0], expected, atol=1e-5)
    assert explanation.base_values[0] == pytest.approx(margins(booster, background).mean(), abs=1e-5)


@pytest.mark.parametrize("how", [{}, {"values": "banzhaf"}, {"approximate": True}, {"background": np.zeros((2, 4))}])
def test_features_are_columns_of_the_whole(classifier: KauriClassifier, multiclass: Table, how: dict[str, Any]) -> None:
    X = multiclass[0][:90]
    whole = kb.explain(classifier, X, **how)
    some = kb.explain(classifier, X, features=["f3", 0], **how)
    np.testing.assert_array_equal(some.values, whole.values[:, [3, 0]])
    np.testing.assert_array_equal(some.base_values, whole.base_values)
    np.testing.assert_array_equal(some.data, X[:, [3, 0]])
    assert some.feature_names == ["f3", "f0"]
    assert whole.adds_up != ("values" in how)
    assert not some.adds_up


@pytest.mark.parametrize("how", [{"interactions": True}, {"values": "taylor"}])
def test_features_are_cells_of_the_whole(classifier: KauriClassifier, multiclass: Table, how: dict[str, Any]) -> None:
    whole = kb.explain(classifier, multiclass[0], **how)
    some = kb.explain(classifier, multiclass[0], features=[2, 1], **how)
    np.testing.assert_array_equal(some.values, whole.values[:, [2, 1]][:, :, [2, 1]])


@pytest.mark.parametrize("features", [None, ["elm", "ash"]])
@pytest.mark.parametrize(
    "how", [{}, {"interactions": True}, {"values": "banzhaf"}, {"values": "taylor"}, {"iteration_range": (1, 3)}]
)
def test_global_importance_is_the_mean(
    booster: kb.Booster, binary: Table, how: dict[str, Any], features: list[str] | None
) -> None:
    explanation = kb.explain(booster, binary[0], features=features, **how)
    importance = kb.global_importance(booster, binary[0], features=features, **how)
    expected = np.abs(explanation.values).mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(importance.values, expected, rtol=1e-6, atol=1e-12)
    assert importance.feature_names == explanation.feature_names
    assert importance.kind == explanation.kind


def test_global_importance_of_outputs(classifier: KauriClassifier, multiclass: Table) -> None:
    importance = kb.global_importance(classifier, multiclass[0], background=multiclass[0][:3])
    explanation = kb.explain(classifier, multiclass[0], background=multiclass[0][:3])
    assert importance.output_names == ["blue", "green", "red"]
    expected = np.abs(explanation.values).mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(importance.values, expected, rtol=1e-6)
    np.testing.assert_array_equal(importance.output("red").values, importance.values[:, 2])


# ---- batches ----


def test_batches_are_the_whole(booster: kb.Booster, binary: Table) -> None:
    X = binary[0]
    kinds = [np.asarray, lambda rows: pd.DataFrame(rows, columns=NAMES), lambda rows: kb.DMatrix(rows), np.asarray]
    cuts = np.cumsum([1, 15, 200, 17])
    batches = [make(rows) for make, rows in zip(itertools.cycle(kinds), np.split(X, cuts), strict=False)]
    for how in ({}, {"interactions": True}, {"values": "banzhaf"}, {"background": X[:5]}, {"features": ["elm"]}):
        parts = list(kb.explain_batches(booster, iter(batches), **how))
        whole = kb.explain(booster, X, **how)
        assert len(parts) == 5
        np.testing.assert_array_equal(np.concatenate([part.values for part in parts]), whole.values)
        np.testing.assert_array_equal(np.concatenate([part.data for part in parts]), whole.data)
        np.testing.assert_array_equal(np.concatenate([part.base_values for part in parts]), whole.base_values)


def test_sparse_batches(regression: Table) -> None:
    X, y = regression
    X = scipy.sparse.csr_matrix(np.where(np.abs(X) < 1, 0, X))
    model = KauriRegressor(n_estimators=4, max_depth=3).fit(X, y)
    parts = list(kb.explain_batches(model, (X[begin : begin + 64] for begin in range(0, X.shape[0], 64))))
    np.testing.assert_array_equal(np.concatenate([part.values for part in parts]), kb.explain(model, X).values)


def test_one_batch_lives_at_a_time(booster: kb.Booster, binary: Table) -> None:
    alive: weakref.WeakSet[Any] = weakref.WeakSet()

    def batches() -> Iterator[kb.DMatrix]:
        for rows in np.split(binary[0], 4):
            assert len(alive) == 0
            batch = kb.DMatrix(rows)
            alive.add(batch)
            yield batch
            del batch

    assert sum(len(part) for part in kb.explain_batches(booster, batches())) == 600


def test_base_margins_of_batches(booster: kb.Booster, binary: Table) -> None:
    X = binary[0][:40]
    base = np.linspace(-1, 1, 40, dtype=np.float32)
    whole = kb.explain(booster, kb.DMatrix(X, base_margin=base), features=["fir"])
    assert np.ptp(whole.base_values - base) < 1e-6
    parts = kb.explain_batches(
        booster, (kb.DMatrix(X[i : i + 8], base_margin=base[i : i + 8]) for i in range(0, 40, 8)), features=["fir"]
    )
    np.testing.assert_array_equal(np.concatenate([part.base_values for part in parts]), whole.base_values)


# ---- sparse interactions ----


def test_sparse_is_the_upper_triangle(booster: kb.Booster, binary: Table) -> None:
    dense = booster.predict(kb.DMatrix(binary[0], feature_names=NAMES), pred_interactions=True)
    sparse = kb.sparse_interactions(booster, binary[0])
    assert len(sparse) == 600
    matrix = sparse.to_csr()
    assert matrix.shape == (600, 49)
    np.testing.assert_array_equal(matrix.toarray().reshape(dense.shape), np.triu(dense))
    first, second, value = sparse.pairs(9)[-1]
    assert (first, second) == ("bias", "bias")
    assert value == dense[9, 6, 6]
    assert sparse.pairs(-1) == sparse.pairs(599)


def test_sparse_of_several_outputs(classifier: KauriClassifier, multiclass: Table) -> None:
    X = multiclass[0]
    sparse = kb.sparse_interactions(classifier, X, iteration_range=(1, 3))
    data = kb.DMatrix(X)
    dense = classifier.get_booster().predict(data, pred_interactions=True, iteration_range=(1, 3))
    for number, name in enumerate(["blue", "green", "red"]):
        table = sparse.to_csr(name).toarray().reshape(450, 5, 5)
        np.testing.assert_array_equal(table, np.triu(dense[:, number]))
        assert sparse.pairs(7, name)[-1][2] == dense[7, number, 4, 4]
    with pytest.raises(kb.ParameterError, match="no output None"):
        sparse.to_csr()


def test_top_k(booster: kb.Booster, binary: Table) -> None:
    dense = kb.explain(booster, binary[0], interactions=True).values
    sparse = kb.sparse_interactions(booster, binary[0], top_k=2)
    assert sparse.begin.tolist() == list(range(0, 1201, 2))
    for row in (0, 5, 599):
        cells = sorted(
            ((first, second) for first, second in itertools.combinations(range(6), 2)),
            key=lambda cell: -abs(dense[row][cell]),
        )
        expected = [(NAMES[i], NAMES[j], float(dense[row, i, j])) for i, j in cells[:2]]
        assert sparse.pairs(row) == expected
    matrix = sparse.to_csr()
    assert matrix.nnz == 1200
    assert matrix.has_sorted_indices
    everything = kb.sparse_interactions(booster, binary[0], top_k=1000)
    assert (np.diff(everything.begin) <= 15).all()


def test_no_rows(booster: kb.Booster) -> None:
    nothing = np.empty((0, 6))
    assert kb.explain(booster, nothing).shape == (0, 6)
    assert kb.explain(booster, nothing, features=[1], interactions=True).shape == (0, 1, 1)
    assert len(kb.sparse_interactions(booster, nothing)) == 0
    with pytest.raises(kb.DataError, match="0 rows"):
        kb.global_importance(booster, nothing)


# ---- plots ----


def test_plots_of_means(booster: kb.Booster, binary: Table) -> None:
    for how in ({}, {"values": "banzhaf"}):
        explanation = kb.explain(booster, binary[0], **how)
        importance = kb.global_importance(booster, binary[0], **how)
        drawn = [bar.get_width() for bar in kb.plot_contributions(importance).patches]
        expected = [bar.get_width() for bar in kb.plot_contributions(explanation).patches]
        assert drawn == pytest.approx(expected, rel=1e-5)
    assert kb.plot_contributions(importance).get_xlabel() == "mean |Banzhaf value|"
    pairs = kb.global_importance(booster, binary[0], values="taylor")
    shown = kb.plot_interactions(pairs).images[0].get_array()
    expected = kb.plot_interactions(kb.explain(booster, binary[0], values="taylor")).images[0].get_array()
    np.testing.assert_allclose(shown, expected, rtol=1e-5)
    with pytest.raises(ValueError, match="interactions=True"):
        kb.plot_interactions(importance)
    plt.close("all")


def test_plots_say_what_is_drawn(booster: kb.Booster, binary: Table) -> None:
    explanation = kb.explain(booster, binary[0], values="banzhaf", features=["elm", "ash"])
    assert kb.plot_beeswarm(explanation).get_xlabel().splitlines()[0] == "Banzhaf value (effect on the log-odds)"
    assert kb.plot_dependence(explanation, "elm").get_ylabel() == "Banzhaf value of elm"
    with pytest.raises(ValueError, match="do not add up"):
        kb.plot_waterfall(explanation[0])
    plt.close("all")


# ---- errors ----


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"values": "shapely"}, "values is 'shapely'; expected 'shapley', 'banzhaf' or 'taylor'"),
        ({"values": "taylor", "approximate": True}, "only Shapley values are approximated, not taylor"),
        ({"background": np.zeros((2, 6)), "approximate": True}, "^approximate contributions take no background"),
        ({"features": []}, r"features is \[\]; pass a list"),
        ({"features": "elm"}, "features is 'elm'; pass a list"),
        ({"features": ["oak"]}, "no feature 'oak'; choose among"),
        ({"features": [6]}, "no feature 6"),
        ({"features": [True]}, "no feature True"),
        ({"features": ["elm", 4]}, "feature 4 is asked for twice"),
    ],
)
def test_errors(booster: kb.Booster, binary: Table, how: dict[str, Any], message: str) -> None:
    for function in (kb.explain, kb.global_importance):
        with pytest.raises(kb.ParameterError, match=message):
            function(booster, binary[0], **how)


def test_errors_of_data(booster: kb.Booster, binary: Table) -> None:
    with pytest.raises(kb.DataError, match="5 features, the model 6"):
        kb.explain(booster, binary[0], background=np.zeros((1, 5)))
    with pytest.raises(kb.DataError, match="background has 0 rows"):
        kb.explain(booster, binary[0], background=np.zeros((0, 6)))
    with pytest.raises(kb.ParameterError, match="top_k is 0"):
        kb.sparse_interactions(booster, binary[0], top_k=0)
    with pytest.raises(TypeError, match="Booster or an estimator"):
        next(kb.explain_batches("model.json", [binary[0]]))
