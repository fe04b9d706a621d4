"""Interactions of sets of features: against their definitions over all coalitions, explain, and the package shapiq."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriClassifier

Table = tuple[np.ndarray, np.ndarray]
NAMES = ["ash", "birch", "cedar", "douglas", "elm", "fir"]
INDICES = ["SII", "k-SII", "STII", "FSII", "BII"]
N = len(NAMES)
COALITIONS = [frozenset(c) for size in range(N + 1) for c in itertools.combinations(range(N), size)]
Game = dict[frozenset[int], float]


@pytest.fixture(scope="module")
def booster(binary: Table) -> kb.Booster:
    X, y = binary
    data = kb.DMatrix(X, label=y, feature_names=NAMES)
    params = {"objective": "binary:logistic", "max_depth": 6, "min_child_weight": 0}
    return kb.train(params, data, 8, verbose_eval=False)


@pytest.fixture(scope="module")
def classifier(multiclass: Table) -> KauriClassifier:
    X, y = multiclass
    return KauriClassifier(n_estimators=4, max_depth=3).fit(X, np.array(["red", "green", "blue"])[y.astype(int)])


def tree_value(node: dict[str, Any], x: np.ndarray, known: frozenset[int]) -> float:
    if "leaf" in node:
        return node["leaf"]
    left, right = node["children"]
    feature = NAMES.index(node["split"])
    if feature not in known:
        both = left["cover"] * tree_value(left, x, known) + right["cover"] * tree_value(right, x, known)
        return both / (left["cover"] + right["cover"])
    goes_left = x[feature] < node["split_condition"] if not np.isnan(x[feature]) else node["missing"] == node["yes"]
    return tree_value(left if goes_left else right, x, known)


def game_of(booster: kb.Booster, x: np.ndarray) -> Game:
    trees = [json.loads(dump) for dump in booster.get_dump(dump_format="json", with_stats=True)]
    return {known: sum(tree_value(tree, x, known) for tree in trees) for known in COALITIONS}


def derivative(game: Game, members: frozenset[int], known: frozenset[int]) -> float:
    parts = (frozenset(c) for size in range(len(members) + 1) for c in itertools.combinations(members, size))
    return sum((-1) ** (len(members) - len(part)) * game[known | part] for part in parts)


def mean_derivative(game: Game, members: frozenset[int], weight: Callable[[int], float]) -> float:
    others = [known for known in COALITIONS if not known & members]
    return sum(weight(len(known)) * derivative(game, members, known) for known in others)


def faithful(game: Game, order: int) -> dict[frozenset[int], float]:
    """Minimise the weighted squares over all sums over sets that are exact for nobody and everybody."""
    sets = [members for members in COALITIONS if len(members) <= order]
    inner = [known for known in COALITIONS if 0 < len(known) < N]
    table = np.array([[members <= known for members in sets] for known in COALITIONS], dtype=float)
    worth = np.array([game[known] for known in COALITIONS])
    kernel = {known: 1 / (math.comb(N, len(known)) * len(known) * (N - len(known))) for known in inner}
    weights = np.array([kernel.get(known, 0.0) for known in COALITIONS])
    ends = table[[0, -1]]
    normal = np.block([[table.T * weights @ table, ends.T], [ends, np.zeros((2, 2))]])
    found = np.linalg.lstsq(normal, np.concatenate([table.T * weights @ worth, worth[[0, -1]]]), rcond=None)[0]
    return dict(zip(sets, found[: len(sets)]))


def by_definition(game: Game, index: str, order: int) -> dict[frozenset[int], float]:
    if index == "FSII":
        return faithful(game, order)
    found = {}
    for members in COALITIONS[1:]:
        size = len(members)
        if size > order:
            continue
        if index == "BII":
            found[members] = mean_derivative(game, members, lambda n, size=size: 0.5 ** (N - size))
        elif index == "STII" and size == order:
            found[members] = mean_derivative(game, members, lambda n: order / N / math.comb(N - 1, n))
        elif index == "STII":
            found[members] = derivative(game, members, frozenset())
        else:
            found[members] = mean_derivative(
                game, members, lambda n, size=size: 1 / (N - size + 1) / math.comb(N - size, n)
            )
    if index != "k-SII":
        return found
    bernoulli = [1, -1 / 2, 1 / 6, 0, -1 / 30]
    wholes = {part: [whole for whole in found if part <= whole] for part in found}
    return {part: sum(bernoulli[len(w) - len(part)] * found[w] for w in wholes[part]) for part in found}


@pytest.fixture(scope="module")
def explained(booster: kb.Booster, binary: Table) -> list[tuple[np.ndarray, Game]]:
    rows = binary[0][[3, 77]]
    return [(row, game_of(booster, row)) for row in rows]


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_definition(booster: kb.Booster, explained: list[tuple[np.ndarray, Game]], index: str, order: int) -> None:
    found = kb.explain_interactions(booster, np.stack([x for x, _ in explained]), index=index, max_order=order)
    for row, (_, game) in zip(found, explained):
        expected = by_definition(game, index, order)
        for members, value in expected.items():
            if members:
                names = tuple(NAMES[feature] for feature in sorted(members))
                assert row.get(names, 0.0) == pytest.approx(value, abs=1e-5)


def test_shapiq_by_coalitions(booster: kb.Booster, explained: list[tuple[np.ndarray, Game]]) -> None:
    shapiq = pytest.importorskip("shapiq")
    x, game = explained[0]
    computer = shapiq.ExactComputer(
        lambda masks: np.array([game[frozenset(np.flatnonzero(mask).tolist())] for mask in masks]), n_players=N
    )
    for index in INDICES:
        ours = kb.explain_interactions(booster, x[None], index=index, max_order=3).to_shapiq(0)
        theirs = computer(index, 3)
        assert ours.index == theirs.index
        assert ours.max_order == theirs.max_order
        for members in itertools.chain(*(itertools.combinations(range(N), size) for size in (1, 2, 3))):
            assert ours[members] == pytest.approx(theirs[members], abs=1e-5), (index, members)


def test_shapiq_tree_explainer(booster: kb.Booster, binary: Table) -> None:
    """Compare with shapiq's own algorithm for trees, which it is given as arrays."""
    shapiq = pytest.importorskip("shapiq")
    from shapiq.explainer.tree import TreeModel

    X = binary[0][~np.isnan(binary[0]).any(axis=1)][:3]
    trees = []
    for of_tree in (json.loads(dump) for dump in booster.get_dump(dump_format="json", with_stats=True)):
        nodes: list[dict[str, Any]] = []
        todo = [of_tree]
        while todo:
            node = todo.pop()
            nodes.append(node)
            todo += node.get("children", [])
        nodes.sort(key=lambda node: node["nodeid"])
        place = {node["nodeid"]: number for number, node in enumerate(nodes)}
        trees.append(
            TreeModel(
                children_left=np.array([place.get(node.get("yes"), -1) for node in nodes]),
                children_right=np.array([place.get(node.get("no"), -1) for node in nodes]),
                features=np.array([NAMES.index(node["split"]) if "split" in node else -2 for node in nodes]),
                thresholds=np.array(
                    [np.nextafter(node["split_condition"], -np.inf) if "split" in node else -2 for node in nodes]
                ),
                values=np.array([node.get("leaf", 0.0) for node in nodes]),
                node_sample_weight=np.array([node["cover"] for node in nodes]),
            )
        )
    found = kb.explain_interactions(booster, X, index="k-SII", max_order=3)
    explainer = shapiq.TreeExplainer(trees, index="k-SII", max_order=3)
    for row, x in zip(found, X):
        theirs = explainer.explain(x)
        for names, value in row.items():
            members = tuple(NAMES.index(name) for name in names)
            assert value == pytest.approx(theirs[members], abs=1e-5)


@pytest.mark.parametrize(
    ("index", "order", "values"),
    [("SII", 1, "shapley"), ("k-SII", 1, "shapley"), ("STII", 1, "shapley"), ("FSII", 1, "shapley"),
     ("BII", 3, "banzhaf")],
)  # fmt: skip
def test_single_features_are_those_of_explain(
    booster: kb.Booster, binary: Table, index: str, order: int, values: str
) -> None:
    X = binary[0][:50]
    expected = kb.explain(booster, X, values=values)
    found = kb.explain_interactions(booster, X, index=index, max_order=order)
    for feature, name in enumerate(NAMES):
        np.testing.assert_allclose(found.of_set([name]), expected.values[:, feature], atol=2e-6)
    np.testing.assert_allclose(found.base_values, expected.base_values, atol=1e-6)


@pytest.mark.parametrize(("index", "values"), [("k-SII", "shapley"), ("STII", "taylor")])
def test_pairs_are_those_of_explain(booster: kb.Booster, binary: Table, index: str, values: str) -> None:
    X = binary[0][:50]
    expected = kb.explain(booster, X, values=values, interactions=True)
    found = kb.explain_interactions(booster, X, index=index, max_order=2)
    for i, j in itertools.combinations_with_replacement(range(N), 2):
        cells = expected.values[:, i, j] if i == j else expected.values[:, i, j] + expected.values[:, j, i]
        np.testing.assert_allclose(found.of_set([i] if i == j else [j, i]), cells, atol=2e-6)


@pytest.mark.parametrize("index", ["k-SII", "STII", "FSII"])
def test_rows_add_up_to_the_margin(booster: kb.Booster, binary: Table, index: str) -> None:
    X = binary[0][:30]
    found = kb.explain_interactions(booster, X, index=index, max_order=3)
    sums = found.base_values + [sum(row.values()) for row in found]
    np.testing.assert_allclose(sums, booster.inplace_predict(X, predict_type="margin"), atol=1e-5)


def test_threads_and_batches_do_not_matter(booster: kb.Booster, binary: Table) -> None:
    X = binary[0]
    whole = kb.explain_interactions(booster, X, max_order=3)
    for threads in (1, 3):
        booster.set_param({"nthread": threads})
        again = kb.explain_interactions(booster, X, max_order=3)
        np.testing.assert_array_equal(again.values, whole.values)
    booster.set_param({"nthread": 0})
    assert kb.explain_interactions(booster, X[17:18], max_order=3).row(0) == whole.row(17)


def test_top_k(booster: kb.Booster, binary: Table) -> None:
    X = binary[0][:20]
    everything = kb.explain_interactions(booster, X, max_order=3)
    strongest = kb.explain_interactions(booster, X, max_order=3, top_k=5)
    for all_sets, some in zip(everything, strongest):
        assert list(some.items()) == sorted(all_sets.items(), key=lambda item: -abs(item[1]))[:5]
    found = strongest.of_set([NAMES[0]])
    expected = [row.get((NAMES[0],), np.nan) for row in strongest]
    np.testing.assert_array_equal(found, np.array(expected, dtype=np.float32))


def test_several_outputs(classifier: KauriClassifier, multiclass: Table) -> None:
    X = multiclass[0][:40]
    found = kb.explain_interactions(classifier, X, max_order=2, iteration_range=(1, 3))
    dense = kb.explain(classifier, X, interactions=True, iteration_range=(1, 3))
    assert found.base_values.shape == (40, 3)
    for number, name in enumerate(["blue", "green", "red"]):
        alone = found.output(name)
        assert alone.row(7) == found.row(7, name)
        pair = dense.values[:, 0, 1, number] + dense.values[:, 1, 0, number]
        np.testing.assert_allclose(alone.of_set([1, 0]), pair, atol=2e-6)
        np.testing.assert_array_equal(alone.of_set([1, 0]), found.of_set([1, 0], name))
        np.testing.assert_array_equal(alone.base_values, found.base_values[:, number])
    with pytest.raises(kb.ParameterError, match="choose one by output="):
        found.row(0)


def test_frame(classifier: KauriClassifier, multiclass: Table) -> None:
    X = multiclass[0][:3]
    found = kb.explain_interactions(classifier, X, max_order=2)
    frame = found.to_frame()
    assert list(frame.columns) == ["row", "output", "features", "value"]
    lines = frame[(frame.row == 1) & (frame.output == "green")]
    assert dict(zip(lines.features, lines.value)) == found.row(1, "green")
    assert list(found.output("red").to_frame().columns) == ["row", "features", "value"]


def test_representation_and_length(booster: kb.Booster, binary: Table) -> None:
    found = kb.explain_interactions(booster, binary[0][:3], max_order=2)
    assert len(found) == len(list(found)) == 3
    assert found[-1] == found.row(2)
    assert repr(found).startswith("SetInteractions(index='k-SII', max_order=2, rows=3, entries=")
    with pytest.raises(IndexError):
        found[3]
    assert len(kb.explain_interactions(booster, np.empty((0, N)))) == 0


def test_refusals(booster: kb.Booster, binary: Table) -> None:
    X, y = binary
    with pytest.raises(kb.ParameterError, match="index is 'SHAP'; expected SII, k-SII, STII, FSII or BII"):
        kb.explain_interactions(booster, X, index="SHAP")
    with pytest.raises(kb.ParameterError, match=r"max_order is 2\.7; expected a whole number"):
        kb.explain_interactions(booster, X, max_order=2.7)
    with pytest.raises(kb.ParameterError, match=r"top_k is 1\.5; expected a whole number"):
        kb.explain_interactions(booster, X, top_k=1.5)
    with pytest.raises(kb.ParameterError, match="max_order is 0; expected at least 1"):
        kb.explain_interactions(booster, X, max_order=0)
    with pytest.raises(kb.ParameterError, match="top_k is 0; expected a whole number of at least 1"):
        kb.explain_interactions(booster, X, top_k=0)
    with pytest.raises(kb.ParameterError, match="oak"):
        kb.explain_interactions(booster, X).of_set(["oak"])
    linear = kb.train({"booster": "gblinear"}, kb.DMatrix(X, label=y), 2, verbose_eval=False)
    with pytest.raises(kb.ParameterError, match="the model is linear"):
        kb.explain_interactions(linear, X)
