"""Exact dependences compared with predictions of modified rows."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

PARAMS: dict[str, Any] = {"objective": "reg:squarederror", "max_depth": 4, "eta": 0.3, "nthread": 1}


def train(params: dict[str, Any], X: Any, y: Any, n_rounds: int = 12, **more: Any) -> kb.Booster:
    return kb.train({**PARAMS, **params}, kb.DMatrix(X, label=y, **more), n_rounds, verbose_eval=False)


@pytest.fixture(scope="module")
def booster(binary: tuple[np.ndarray, np.ndarray]) -> kb.Booster:
    return train({"objective": "binary:logistic"}, *binary)


def margins(booster: kb.Booster, X: Any, **more: Any) -> np.ndarray:
    """Return the margins as float64, ``[n_rows, n_outputs]``."""
    found = booster.predict(kb.DMatrix(X, **more), output_margin=True, strict_shape=True)
    return np.asarray(found, dtype=np.float64)


def mean_with(booster: kb.Booster, X: np.ndarray, values: dict[int, float], weights: Any = None) -> np.ndarray:
    """Return the mean margin when all rows have these values, per output."""
    rows = X.copy()
    for feature, value in values.items():
        rows[:, feature] = value
    return np.average(margins(booster, rows), axis=0, weights=weights)


def close(found: Any, expected: Any) -> None:
    """Allow for the float32 sums of predictions."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=3e-6 * max(1.0, float(np.abs(expected).max())))


def test_every_value_of_every_curve(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X = binary[0][:50]
    found = kb.dependence_curves(booster, X)
    close(found.base, margins(booster, X).mean())
    for feature, name in enumerate(found.feature_names):
        curve = found.curve(name)
        assert curve.is_exact
        assert np.all(np.diff(curve.grid) > 0)
        expected = [mean_with(booster, X, {feature: value})[0] for value in curve.grid]
        close(curve.mean, expected)
        close(curve.missing, mean_with(booster, X, {feature: np.nan})[0])
        close(found.at_rows(name), [mean_with(booster, X, {feature: value})[0] for value in X[:, feature]])
        far = np.nextafter(curve.grid[1:], np.float32(-np.inf))  # each step lasts until the next threshold
        close(curve.mean[:-1], [mean_with(booster, X, {feature: value})[0] for value in far])
    assert repr(found) == "DependenceCurves(features=['f0', 'f1', 'f2', 'f3', ...], rows=50)"


def test_joint_dependence(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X = binary[0][:40]
    found = kb.dependence_curves(booster, X, features=["f2", 1, "f4"], pairs=[("f2", "f1"), (1, 4)])
    assert found.pairs == [("f1", "f2"), ("f1", "f4")]
    joint = found.joint("f2", "f1")
    assert joint.mean.shape == (len(joint.grid[0]), len(joint.grid[1]))
    np.testing.assert_array_equal(found.joint("f1", "f2").mean, joint.mean.T)
    rng = np.random.default_rng(0)
    for row, col in zip(rng.integers(0, len(joint.grid[0]), 25), rng.integers(0, len(joint.grid[1]), 25)):
        values = {2: joint.grid[0][row], 1: joint.grid[1][col]}
        close(joint.mean[row, col], mean_with(booster, X, values)[0])
    close(found.at_rows("f1", "f2")[:9], [mean_with(booster, X, {1: row[1], 2: row[2]})[0] for row in X[:9]])
    with pytest.raises(kb.ParameterError, match="is not among the pairs"):
        found.joint("f2", "f4")


def test_weights_and_base_margins(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, weights = binary[0][:40], np.arange(40.0)
    own = np.linspace(-1, 1, 40)
    curve = kb.dependence_curves(booster, kb.DMatrix(X, weight=weights, base_margin=own)).curve(0)
    rows = X.copy()
    rows[:, 0] = curve.grid[3]
    close(curve.mean[3], np.average(margins(booster, rows, base_margin=own)[:, 0], weights=weights))


def test_weights_of_queries(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, sizes, of_query = binary[0][:30], [5, 20, 5], np.array([0.0, 1.0, 4.0], dtype=np.float32)
    ranked = kb.DMatrix(X, group=sizes, weight=of_query)
    weighted = kb.DMatrix(X, weight=np.repeat(of_query, sizes))
    found, expected = (kb.dependence_curves(booster, data).curve(0) for data in (ranked, weighted))
    np.testing.assert_array_equal(found.mean, expected.mean)


@pytest.mark.parametrize(
    "params",
    [
        {"booster": "dart", "rate_drop": 0.5, "seed": 3},
        {"objective": "multi:softprob", "num_class": 3},
        {"objective": "multi:softprob", "num_class": 3, "multi_strategy": "multi_output_tree", "tree_method": "hist"},
        {"num_parallel_tree": 3, "subsample": 0.5},
    ],
)
def test_kinds_of_models(params: dict[str, Any], multiclass: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = multiclass[0][:60], multiclass[1]
    model = train(params, multiclass[0], y, 5)
    found = kb.dependence_curves(model, X, pairs=[(0, 1)])
    curve, joint = found.curve(0), found.joint(0, 1)
    for place in (0, len(curve.grid) // 2, -1):
        expected = mean_with(model, X, {0: curve.grid[place]})
        close(curve.mean[place], expected if len(expected) > 1 else expected[0])
        expected = mean_with(model, X, {0: joint.grid[0][place], 1: joint.grid[1][1]})
        close(joint.mean[place, 1], expected if len(expected) > 1 else expected[0])
    if "num_class" in params:
        assert curve.output_names == [0, 1, 2]
        np.testing.assert_array_equal(curve.output(2).mean, curve.mean[:, 2])
        assert curve.output(2).missing == curve.missing[2]


def test_rounds(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X = binary[0][:30]
    some = kb.dependence_curves(booster, X, iteration_range=(2, 5))
    close(some.base, np.mean(booster.predict(kb.DMatrix(X), output_margin=True, iteration_range=(2, 5))))


def test_categories_by_name() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"x": rng.normal(size=300), "c": pd.Categorical(rng.choice(list("pqrs"), 300))})
    y = np.where(frame.c.isin(["q", "s"]), frame.x, -frame.x) + (frame.c == "p")
    model = kb.KauriRegressor(n_estimators=20, max_depth=3).fit(frame, y)
    rows = frame[:80].assign(c=frame.c[:80].cat.set_categories(list("srqp")))  # other codes than the model's
    found = kb.dependence_curves(model, rows, pairs=[("c", "x")])
    curve, joint = found.curve("c"), found.joint("c", "x")
    assert list(curve.categories) == list("srqp")
    for code, name in enumerate("srqp"):
        changed = rows.assign(c=pd.Categorical([name] * 80, categories=list("srqp")))
        expected = model.predict(changed).astype(float).mean()
        close(curve.mean[code], expected)
        close(kb.partial_dependence(model, rows, "c").mean[code], expected)
        expected = model.predict(changed.assign(x=joint.grid[1][2])).astype(float).mean()
        close(joint.mean[code, 2], expected)
    assert kb.partial_dependence(model, rows, ["c", "x"]).mean.shape == (4, 12)


def test_partial_dependence_of_margins(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X = binary[0][:40]
    steps = kb.partial_dependence(booster, X, "f0", grid="thresholds", output="margin")
    np.testing.assert_array_equal(steps.grid, kb.dependence_curves(booster, X).curve("f0").grid)
    close(steps.individual.mean(axis=0), steps.mean)
    few = steps.curves_of(np.array([3, 7]))
    np.testing.assert_array_equal(few, steps.individual[[3, 7]])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(steps)).individual, steps.individual)
    values = kb.partial_dependence(booster, X, "f0", grid="thresholds")  # probabilities, by brute force
    np.testing.assert_array_equal(values.grid, steps.grid)
    assert np.all((values.mean > 0) & (values.mean < 1))
    close(values.missing, booster.predict(kb.DMatrix(np.where(np.arange(6) == 0, np.nan, X))).astype(float).mean())
    pair = kb.partial_dependence(booster, X, [(2, 1)], grid=[[0.5, 1.0], [-1.0, 0.0, 1.0]], output="margin")
    for row, col in itertools.product(range(2), range(3)):
        close(pair.mean[row, col], mean_with(booster, X, {2: pair.grid[0][row], 1: pair.grid[1][col]})[0])
    with pytest.raises(kb.ParameterError, match="grid is 'all'; expected numbers, 'thresholds'"):
        kb.partial_dependence(booster, X, 0, grid="all")


def test_individual_curves_are_of_the_model_as_it_was(regression: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = regression
    model = train({}, X, y, 3)
    found = kb.partial_dependence(model, X[:20], 0, grid=[0.0])
    expected = model.predict(kb.DMatrix(np.where(np.arange(5) == 0, 0.0, X[:20])))
    model.update(kb.DMatrix(X, label=y), 3)
    np.testing.assert_array_equal(found.individual[:, 0], expected)


def test_threads_do_not_matter(binary: tuple[np.ndarray, np.ndarray]) -> None:
    found = []
    for threads in (1, 3):
        model = train({"nthread": threads}, *binary)
        model.set_param("nthread", threads)
        pairs = list(itertools.combinations(range(6), 2))
        curves = kb.dependence_curves(model, binary[0], pairs=pairs)
        anova = kb.functional_anova(model, binary[0])
        found.append(
            [curves.base, *(curves.curve(i).mean for i in range(6)), *(curves.joint(*pair).mean for pair in pairs)]
            + [anova.curve(i).mean for i in range(6)]
        )
    for one, three in zip(*found):
        np.testing.assert_array_equal(one, three)


def test_h_statistic_is_its_definition(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, weights = binary[0][:25], np.linspace(0.5, 2, 25)
    found = kb.h_statistic(booster, kb.DMatrix(X, weight=weights), pairs=[(0, 1), (2, 1)])
    for pair, value, strength in zip(found.pairs, found.values, found.strengths):
        numbers = [int(name[1]) for name in pair]
        parts = [[number] for number in numbers] + [numbers]
        first, second, both = (
            np.array([mean_with(booster, X, {i: row[i] for i in part}, weights)[0] for row in X]) for part in parts
        )
        first, second, both = (part - np.average(part, weights=weights) for part in (first, second, both))
        beyond = np.average((both - first - second) ** 2, weights=weights)
        assert value == pytest.approx(np.sqrt(beyond / np.average(both**2, weights=weights)), rel=1e-4)
        assert strength == pytest.approx(np.sqrt(beyond), rel=1e-4)
    assert list(found.values) == sorted(found.values, reverse=True)
    every = kb.h_statistic(booster, X)
    assert every.pairs[0] == ("f1", "f2")  # the label is made with their product
    assert len(every.to_frame()) == len(every.pairs)
    assert set(kb.h_statistic(booster, X, features=[0, 1, 2]).pairs) <= {("f0", "f1"), ("f0", "f2"), ("f1", "f2")}


def test_overall_h(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X, weights = binary[0][:12], np.linspace(0.5, 2, 12)
    found = kb.h_statistic(booster, kb.DMatrix(X, weight=weights), features=[1, 0], overall_rows=20)
    assert found.feature_names == ["f1", "f0"]
    whole = margins(booster, X)[:, 0]
    for value, feature in zip(found.overall, (1, 0)):
        alone = np.array([mean_with(booster, X, {feature: row[feature]}, weights)[0] for row in X])
        others = []
        for row in X:
            rows = np.tile(row, (len(X), 1))
            rows[:, feature] = X[:, feature]
            others.append(np.average(margins(booster, rows)[:, 0], weights=weights))
        parts = [part - np.average(part, weights=weights) for part in (whole, alone, np.array(others))]
        beyond = np.average((parts[0] - parts[1] - parts[2]) ** 2, weights=weights)
        assert value == pytest.approx(np.sqrt(beyond / np.average(parts[0] ** 2, weights=weights)), rel=1e-4)
    assert kb.h_statistic(booster, X).overall is None
    with pytest.raises(kb.ParameterError, match="overall_rows is -1"):
        kb.h_statistic(booster, X, overall_rows=-1)


def test_features_without_a_common_path_do_not_interact(regression: tuple[np.ndarray, np.ndarray]) -> None:
    model = train({"max_depth": 1}, *regression)
    assert kb.h_statistic(model, regression[0]).pairs == []
    found = kb.h_statistic(model, regression[0], pairs=[(0, 1)])
    assert (found.values[0], found.strengths[0]) == (0.0, 0.0)
    several = train({"objective": "multi:softprob", "num_class": 3}, regression[0], np.arange(500) % 3, 2)
    strengths = kb.h_statistic(several, regression[0])
    assert strengths.values.shape == (len(strengths.pairs), 3)
    assert list(strengths.output(1).values) == sorted(strengths.output(1).values, reverse=True)
    assert len(strengths.to_frame()) == 3 * len(strengths.pairs)


@pytest.mark.parametrize("depth", [1, 2])
def test_effects_of_shallow_trees_add_up(binary: tuple[np.ndarray, np.ndarray], depth: int) -> None:
    X = binary[0][:200]
    model = train({"max_depth": depth}, *binary)
    for data in (X, kb.DMatrix(X, weight=np.arange(200), base_margin=np.linspace(0, 3, 200))):
        found = kb.functional_anova(model, data)
        assert np.abs(found.residue).max() < 1e-5
    found = kb.functional_anova(model, X)
    sums = found.intercept + sum(found.effects.at_rows(name) for name in found.feature_names)
    sums += sum(found.effects.at_rows(*pair) for pair in found.pairs)
    close(sums, margins(model, X)[:, 0])
    assert (depth == 1) == (not found.pairs)


def test_frame_of_effects_of_several_outputs(multiclass: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = multiclass
    model = kb.KauriClassifier(n_estimators=3, max_depth=3, n_jobs=1).fit(X, y)
    found = kb.functional_anova(model, X)
    frame = found.to_frame()
    n_effects = len(found.feature_names) + len(found.pairs)
    assert list(frame.columns) == ["effect", "output", "variance"]
    assert frame.output.tolist() == list(model.classes_) * n_effects
    variances = np.concatenate([found.feature_variances, found.pair_variances])
    assert frame.variance[0] <= variances.max() == frame.variance[: len(model.classes_)].max()
    of_first = frame[frame.effect == found.feature_names[0]].variance
    assert of_first.tolist() == found.feature_variances[0].tolist()


def test_effects_have_the_mean_zero(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X = binary[0]
    found = kb.functional_anova(booster, X)
    for name, variance in zip(found.feature_names, found.feature_variances):
        of_rows = found.effects.at_rows(name)
        assert np.mean(of_rows) == pytest.approx(0, abs=1e-12)
        assert variance == pytest.approx(np.mean(of_rows**2), rel=1e-9)
    assert np.abs(found.residue).max() > 1e-3  # depth 4: three features together have a part
    assert list(found.to_frame().variance) == sorted(found.to_frame().variance, reverse=True)
    assert repr(found).startswith("FunctionalAnova(features=['f0', 'f1'")


def test_effects_without_missing_values_are_pure(regression: tuple[np.ndarray, np.ndarray]) -> None:
    X = regression[0]
    found = kb.functional_anova(train({}, *regression), X, pairs=[(0, 1), (1, 3)])
    for first, second in found.pairs:
        effect = found.joint(first, second)
        for axis, name in enumerate((first, second)):
            cells = np.searchsorted(effect.grid[axis][1:], X[:, int(name[1])], side="right")
            weights = np.bincount(cells, minlength=len(effect.grid[axis])) / len(X)
            np.testing.assert_allclose(np.tensordot(weights, effect.mean, (0, axis)), 0, atol=1e-12)


def naive_local_effects(model: kb.Booster, X: np.ndarray, feature: int, ends: np.ndarray) -> np.ndarray:
    """Return the accumulated local effects, one row at a time."""
    changes: list[list[float]] = [[] for _ in ends[1:]]
    for row in X:
        for place in range(len(ends) - 1):
            is_first = place == 0 and row[feature] == ends[0]
            if is_first or ends[place] < row[feature] <= ends[place + 1]:
                low, high = row.copy(), row.copy()
                low[feature], high[feature] = ends[place], ends[place + 1]
                both = margins(model, np.stack([low, high]))[:, 0]
                changes[place].append(both[1] - both[0])
    effects = np.concatenate([[0], np.cumsum([np.mean(of_interval) if of_interval else 0 for of_interval in changes])])
    counts = np.array([len(of_interval) for of_interval in changes])
    return effects - counts @ ((effects[1:] + effects[:-1]) / 2) / counts.sum()


def test_accumulated_local_effects(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    X = binary[0][:60]
    found = kb.accumulated_local_effects(booster, X, "f0", n_values=8, output="margin")
    assert (found.kind, len(found.grid)) == ("local", 8)
    close(found.mean, naive_local_effects(booster, X, 0, found.grid))
    given = kb.accumulated_local_effects(booster, X, 1, grid=[-0.5, 0.1, 3.0], output="margin")
    close(given.mean, naive_local_effects(booster, X, 1, given.grid))
    doubled = kb.accumulated_local_effects(booster, kb.DMatrix(X, weight=np.full(60, 2.0)), 1, grid=[-0.5, 0.1, 3.0])
    assert doubled.explains == "value"
    constant = np.zeros((5, 6), np.float32)
    assert kb.accumulated_local_effects(booster, constant, 0).mean.tolist() == [0.0]
    with pytest.raises(kb.ParameterError, match="at least two different finite numbers"):
        kb.accumulated_local_effects(booster, X, 0, grid=[1.0])
    with pytest.raises(kb.ParameterError, match="n_values is 1; expected at least 2"):
        kb.accumulated_local_effects(booster, X, 0, n_values=1)
    with pytest.raises(kb.DataError, match="every row lacks 'f0'"):
        kb.accumulated_local_effects(booster, np.full((3, 6), np.nan), 0)
    with pytest.raises(kb.DataError, match="within the grid"):
        kb.accumulated_local_effects(booster, X, 0, grid=[100.0, 200.0])
    with pytest.raises(
        kb.ParameterError, match=r"grid is 'thresholds'; local effects need the ends .*curve\(feature\)"
    ):
        kb.accumulated_local_effects(booster, X, 0, grid="thresholds")


def test_local_effects_of_categories_are_refused() -> None:
    X = kb.DMatrix(np.arange(20.0).reshape(10, 2) % 3, label=np.arange(10), feature_types=["c", "q"])
    model = kb.train({"tree_method": "hist"}, X, 1, verbose_eval=False)
    with pytest.raises(kb.ParameterError, match="'f0' is categorical, without an order"):
        kb.accumulated_local_effects(model, X, 0)


def test_linear_models(regression: tuple[np.ndarray, np.ndarray]) -> None:
    X = regression[0][:30]
    model = train({"booster": "gblinear"}, *regression)
    for call in (kb.dependence_curves, kb.h_statistic, kb.functional_anova):
        with pytest.raises(kb.ParameterError, match=r"of trees, and the model is linear \(gblinear\)"):
            call(model, X)
    found = kb.partial_dependence(model, X, 0, grid=[0.0, 1.0])
    close(found.mean, [mean_with(model, X, {0: value})[0] for value in (0, 1)])
    with pytest.raises(kb.ParameterError, match="does not consist of trees"):
        kb.partial_dependence(model, X, 0, grid="thresholds")
    leaves = train({"linear_tree": 1, "tree_method": "hist"}, *regression)
    with pytest.raises(kb.ParameterError, match=r"has linear leaves .*no exact dependence curves"):
        kb.dependence_curves(leaves, X)
    found = kb.partial_dependence(leaves, X, 0, grid=[0.0, 1.0])
    close(found.mean, [mean_with(leaves, X, {0: value})[0] for value in (0, 1)])


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"features": ["age"]}, "there is no feature 'age'"),
        ({"features": [0, 0]}, "feature 0"),
        ({"pairs": [(0, 0)]}, r"a pair is \(0, 0\); pass two different features"),
        ({"pairs": [(0, 1, 2)]}, "pass two different features"),
        ({"pairs": [3]}, "a pair is 3"),
        ({"pairs": [(0, 1), (1, 0)]}, "has a pair twice"),
        ({"features": [0, 1], "pairs": [(0, 2)]}, "is not of the chosen features"),
    ],
)
def test_what_makes_no_sense(
    booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray], choice: dict[str, Any], message: str
) -> None:
    for call in (kb.dependence_curves, kb.functional_anova):
        with pytest.raises(kb.ParameterError, match=message):
            call(booster, binary[0], **choice)


def test_rows_that_say_nothing(booster: kb.Booster, binary: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.raises(kb.DataError, match="the background has 0 rows"):
        kb.dependence_curves(booster, binary[0][:0])
    with pytest.raises(kb.DataError, match="weights of all rows of the background are 0"):
        kb.dependence_curves(booster, kb.DMatrix(binary[0][:3], weight=[0, 0, 0]))
    with pytest.raises(kb.ParameterError, match="features and pairs are given"):
        kb.h_statistic(booster, binary[0], features=[0, 1], pairs=[(0, 1)])
