"""Explanations of any function of rows, and of any game."""

from __future__ import annotations

import itertools
import math
import threading
from typing import Any, Callable

import kauriboost as kb
import numpy as np
import pytest

RNG = np.random.default_rng(5)
X = RNG.normal(size=(7, 5))
BACKGROUND = RNG.normal(size=(11, 5))


def curve(rows: np.ndarray) -> np.ndarray:
    """Evaluate a function with interacting features."""
    return rows[:, 0] * rows[:, 1] + np.sin(rows[:, 2] + rows[:, 3]) + 2 * rows[:, 4]


def brute_force(function: Callable[[np.ndarray], np.ndarray], row: np.ndarray, background: np.ndarray) -> np.ndarray:
    """Return Shapley values by their formula."""
    d = len(row)

    def worth(members: tuple[int, ...]) -> np.ndarray:
        hybrid = background.copy()
        hybrid[:, list(members)] = row[list(members)]
        return np.asarray(function(hybrid)).mean(axis=0)

    values = []
    for player in range(d):
        others = [i for i in range(d) if i != player]
        value = 0.0
        for size in range(d):
            weight = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
            for members in itertools.combinations(others, size):
                value = value + weight * (worth((*members, player)) - worth(members))
        values.append(value)
    return np.array(values)


def test_values_are_those_of_the_formula() -> None:
    found = kb.explain_function(curve, X, BACKGROUND, method="exact")
    expected = np.array([brute_force(curve, row, BACKGROUND) for row in X])
    assert np.allclose(found.values, expected, rtol=0, atol=1e-12)
    assert np.allclose(found.base_values, curve(BACKGROUND).mean(), atol=1e-12)
    assert np.allclose(found.values.sum(axis=1) + found.base_values, curve(X), rtol=1e-12)
    assert (found.method, found.adds_up, found.kind) == ("exact", True, "shapley")
    assert found.n_evals.tolist() == [32] * 7
    assert not found.std_error.any()
    assert np.array_equal(found.data, X)
    assert found.feature_names == ["f0", "f1", "f2", "f3", "f4"]


def test_auto_is_exact_for_few_features() -> None:
    assert kb.explain_function(curve, X, BACKGROUND).method == "exact"


@pytest.mark.parametrize("method", ["mc", "antithetic", "orthogonal", "sobol", "herding", "sbq"])
def test_sampled_values_add_up_and_come_close(method: str) -> None:
    found = kb.explain_function(curve, X, BACKGROUND, method=method, n_orders=60)
    exact = kb.explain_function(curve, X, BACKGROUND, method="exact")
    assert np.allclose(found.values.sum(axis=1) + found.base_values, curve(X), rtol=1e-12)
    assert np.abs(found.values - exact.values).max() < 0.25
    assert found.method == method
    assert np.isnan(found.std_error).all() == (method in ("sobol", "herding", "sbq"))
    again = kb.explain_function(curve, X[2:4], BACKGROUND, method=method, n_orders=60)
    assert np.array_equal(again.values, found.values[2:4])  # rows are independent of each other


@pytest.mark.parametrize("method", ["owen", "owen_halved", "stratified"])
def test_other_estimators_come_close(method: str) -> None:
    found = kb.explain_function(curve, X, BACKGROUND, method=method, n_orders=400)
    exact = kb.explain_function(curve, X, BACKGROUND, method="exact")
    assert np.abs(found.values - exact.values).max() < 0.2
    assert not found.adds_up


def test_several_outputs() -> None:
    def both(rows: np.ndarray) -> np.ndarray:
        return np.column_stack([curve(rows), -rows[:, 0]])

    found = kb.explain_function(both, X, BACKGROUND, output_names=["curve", "slope"])
    single = kb.explain_function(curve, X, BACKGROUND)
    assert found.shape == (7, 5, 2)
    assert found.std_error.shape == (7, 5, 2)
    assert np.allclose(found.output("curve").values, single.values, atol=1e-13)
    assert found.output("slope").std_error.shape == (7, 5)
    assert kb.explain_function(both, X, BACKGROUND).output_names == [0, 1]
    assert found[2].values.shape == (5, 2)
    assert found[2].std_error.shape == (5, 2)
    assert found[[1, 3]].n_evals.tolist() == [32, 32]


def test_groups_are_players() -> None:
    def product(rows: np.ndarray) -> np.ndarray:
        return rows[:, 0] * rows[:, 3] + rows[:, 1]

    found = kb.explain_function(product, X, BACKGROUND, groups={"pair": [3, "f0"]}, method="exact")
    assert found.feature_names == ["pair", "f1", "f2", "f4"]
    expected = X[:, 0] * X[:, 3] - (BACKGROUND[:, 0] * BACKGROUND[:, 3]).mean()
    assert np.allclose(found.values[:, 0], expected, atol=1e-12)
    assert np.isnan(found.data[:, 0]).all()
    assert np.array_equal(found.data[:, 1], X[:, 1])
    unnamed = kb.explain_function(product, X, BACKGROUND, groups=[["f0", "f3"]], method="exact")
    assert unnamed.feature_names[0] == "f0 + f3"
    assert np.array_equal(unnamed.values, found.values)


def test_columns_that_the_background_has_are_exactly_zero() -> None:
    background = BACKGROUND.copy()
    background[:, 1] = 0.5
    background[:, 2] = np.nan
    rows = X.copy()
    rows[0, 1] = 0.5
    rows[:, 2] = np.nan
    found = kb.explain_function(lambda rows: rows[:, 0] + rows[:, 1] * rows[:, 4], rows, background, method="exact")
    assert found.values[0, 1] == 0
    assert not found.values[:, 2].any()
    assert found.n_evals[0] == 8
    assert found.n_evals[1] == 16


def test_tolerance_is_met() -> None:
    rows, background = RNG.normal(size=(3, 18)), RNG.normal(size=(20, 18))

    def rough(values: np.ndarray) -> np.ndarray:
        return np.tanh(values @ np.linspace(-1, 1, 18)) + values[:, 0] * values[:, 1]

    found = kb.explain_function(rough, rows, background, tolerance=0.02)
    spread = found.values.max(axis=1) - found.values.min(axis=1)
    assert (found.std_error.max(axis=1) <= 0.02 * spread).all()
    assert found.method == "orthogonal"
    truth = kb.explain_function(rough, rows, background, method="orthogonal", n_orders=3400, seed=9)
    assert (np.abs(found.values - truth.values) < 5 * found.std_error + 0.01).all()


def test_memory_is_that_of_a_batch() -> None:
    largest = 0

    def watched(rows: np.ndarray) -> np.ndarray:
        nonlocal largest
        largest = max(largest, len(rows))
        return curve(rows)

    small = kb.explain_function(watched, X, BACKGROUND, batch_rows=13)
    assert 1 < largest <= 13
    assert np.array_equal(small.values, kb.explain_function(curve, X, BACKGROUND).values)


def test_what_the_function_keeps_stays() -> None:
    seen = []

    def keeps(rows: np.ndarray) -> np.ndarray:
        seen.append(rows)
        copy = rows.copy()
        rows[:] = 0  # its own copy
        return curve(copy)

    found = kb.explain_function(keeps, X, BACKGROUND)
    assert np.array_equal(found.values, kb.explain_function(curve, X, BACKGROUND).values)
    assert not any(rows.any() for rows in seen)


class RefusedError(Exception):
    """An exception of the user's function."""


def test_what_the_function_raises_comes_through() -> None:
    calls = 0

    def fails(rows: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise RefusedError("no more")
        return curve(rows)

    with pytest.raises(RefusedError, match="no more") as caught:
        kb.explain_function(fails, X, BACKGROUND)
    assert any("fails" in str(entry.name) for entry in caught.traceback)
    assert np.array_equal(
        kb.explain_function(curve, X, BACKGROUND).values, kb.explain_function(fails, X, BACKGROUND).values
    )

    def interrupted(rows: np.ndarray) -> np.ndarray:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kb.shapley_values(interrupted, 3)


def test_functions_may_explain_themselves() -> None:
    """Nested calls work, also into the library, and also after an error."""

    def inner(rows: np.ndarray) -> np.ndarray:
        with pytest.raises(kb.ParameterError):
            kb.sample_orders(1, 1)
        return kb.explain_function(lambda more: more[:, 0], rows[:, :1], BACKGROUND[:, :1]).values[:, 0]

    found = kb.explain_function(inner, X[:2], BACKGROUND[:3])
    assert np.allclose(found.values[:, 0], X[:2, 0] - BACKGROUND[:3, 0].mean(), atol=1e-12)


def test_threads_explain_at_once() -> None:
    expected = kb.explain_function(curve, X, BACKGROUND, method="mc").values
    found: list[np.ndarray] = []

    def work() -> None:
        found.append(kb.explain_function(curve, X, BACKGROUND, method="mc").values)

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4
    assert all(np.array_equal(values, expected) for values in found)


def test_progress_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    shown = kb.explain_function(curve, X, BACKGROUND, method="mc", progress=True)
    assert "7/7" in capsys.readouterr().err
    silent = kb.explain_function(curve, X, BACKGROUND, method="mc")
    assert capsys.readouterr().err == ""
    for name in ("values", "std_error", "n_evals", "base_values"):
        assert np.array_equal(getattr(shown, name), getattr(silent, name))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"predict": lambda rows: rows[:3, 0]}, kb.DataError, r"predict returned shape"),
        ({"predict": lambda rows: rows[:, 0].reshape(-1, 1, 1)}, kb.DataError, r"expected \(1,\) or \(1, k\)"),
        ({"predict": lambda rows: np.full(len(rows), np.nan)}, kb.DataError, "returned nan for row 0"),
        ({"predict": lambda rows: ["a"] * len(rows)}, ValueError, "could not convert"),
        ({"background": BACKGROUND[:0]}, kb.DataError, "background has 0 rows"),
        ({"background": BACKGROUND[:, :4]}, kb.DataError, "X has 5 columns, the background 4"),
        ({"X": X[0]}, kb.DataError, r"X has shape \(5,\)"),
        ({"X": [["a"] * 5]}, kb.DataError, "not a table of numbers"),
        ({"X": kb.DMatrix(X)}, kb.DataError, "DMatrix"),
        ({"method": "kernel"}, kb.ParameterError, "method is 'kernel'"),
        ({"n_orders": 0}, kb.ParameterError, "n_orders is 0"),
        ({"max_evals": 3}, kb.ParameterError, "max_evals is 3"),
        ({"tolerance": 0.0}, kb.ParameterError, "tolerance is 0.0"),
        ({"tolerance": 0.1, "method": "sbq"}, kb.ParameterError, "no errors that a tolerance"),
        ({"method": "stratified", "n_orders": 3}, kb.ParameterError, "2 d\\^2 = 50"),
        ({"groups": [[0, 1], [1]]}, kb.ParameterError, "twice"),
        ({"groups": [["g"]]}, kb.ParameterError, "no column 'g'"),
        ({"groups": [0]}, kb.ParameterError, "list of columns"),
        ({"feature_names": ["a"]}, kb.ParameterError, "1 names, X 5"),
        ({"output_names": ["a", "b"]}, kb.ParameterError, "2 names, there are 1"),
        ({"batch_rows": 0}, kb.ParameterError, "batch_rows is 0"),
    ],
)
def test_refuses(change: dict[str, Any], error: type[Exception], words: str) -> None:
    arguments: dict[str, Any] = {"predict": curve, "X": X, "background": BACKGROUND, **change}
    with pytest.raises(error, match=words):
        kb.explain_function(**arguments)


def test_no_rows() -> None:
    found = kb.explain_function(curve, X[:0], BACKGROUND)
    assert found.shape == (0, 5)
    assert kb.explain_function(curve, X[:0], BACKGROUND, progress=True).shape == (0, 5)


def test_games() -> None:
    def gloves(masks: np.ndarray) -> np.ndarray:
        """Return the worth of two left gloves and a right one: a pair is worth 1."""
        return np.minimum(masks[:, :2].sum(axis=1), masks[:, 2])

    found = kb.shapley_values(gloves, 3, player_names=["left", "left too", "right"])
    assert np.allclose(found.values, [1 / 6, 1 / 6, 4 / 6], atol=1e-15)
    assert (found.base_values, found.n_evals, found.method) == (0, 8, "exact")
    assert found.feature_names == ["left", "left too", "right"]
    assert repr(found).startswith("Explanation(shape=(3,)")
    sampled = kb.shapley_values(gloves, 3, method="antithetic", n_orders=3000)
    assert np.abs(sampled.values - found.values).max() < 5 * sampled.std_error.max()
    two = kb.shapley_values(lambda masks: np.column_stack([gloves(masks), masks[:, 0]]), 3, n_outputs=2)
    assert np.allclose(two.values[:, 1], [1, 0, 0])
    assert np.allclose(two.output(0).values, found.values)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_players": 0}, "n_players is 0"),
        ({"n_outputs": 2}, r"game returned shape .* expected \(\d+, 2\)"),
        ({"player_names": ["a"]}, "1 names, there are 3"),
        ({"method": "exact", "n_players": 30}, r"2\^30"),
    ],
)
def test_refuses_games(change: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"game": lambda masks: masks.sum(axis=1), "n_players": 3, **change}
    with pytest.raises(kb.KauriError, match=words):
        kb.shapley_values(**arguments)


def test_plots_and_shap_take_them() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    found = kb.explain_function(curve, X, BACKGROUND, method="mc", n_orders=20)
    kb.plot_waterfall(found[0])
    kb.plot_beeswarm(found)
    shap = pytest.importorskip("shap")
    assert np.array_equal(found.to_shap().error_std, found.std_error)
    assert isinstance(found.to_shap(), shap.Explanation)


@pytest.mark.parametrize("n_players", [(1 << 20) + 1, 1 << 31, 1 << 62])
def test_more_players_than_there_can_be_are_refused_at_once(n_players: int) -> None:
    with pytest.raises(kb.ParameterError, match=f"n_players is {n_players}; expected"):
        kb.shapley_values(lambda masks: masks.sum(axis=1), n_players)
