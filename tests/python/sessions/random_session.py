"""Random sessions: a few data sets, a few boosters, and calls in random order.

A session depends on its seed only, so a failure can be repeated. After each call the rules of this file are checked:
entry points agree with each other, a failed call changes nothing, and a copy trains like the original.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import scipy.sparse

OBJECTIVES = (
    "reg:squarederror",
    "reg:absoluteerror",
    "count:poisson",
    "binary:logistic",
    "multi:softprob",
    "reg:quantileerror",
)
WRONG: tuple[dict[str, Any], ...] = (
    {"max_depth": -3},
    {"eta": "fast"},
    {"objective": "reg:nothing"},
    {"tree_method": "exactly"},
    {"subsample": 7.0},
    {"learning_rate": 0.1, "eta": 0.2},
)


@dataclass
class Rows:
    """A table in the forms that users pass, with its labels."""

    table: Any
    labels: np.ndarray
    quantile: bool

    def matrix(self) -> kb.DMatrix:
        """Return the rows as training data."""
        if self.quantile:
            return kb.QuantileDMatrix(self.table, label=self.labels, enable_categorical=True)
        return kb.DMatrix(self.table, label=self.labels, enable_categorical=True)

    def plain(self) -> kb.DMatrix:
        """Return the rows as data for predictions, with unchanged values."""
        return kb.DMatrix(self.table, label=self.labels, enable_categorical=True)


def make_rows(rng: np.random.Generator, kind: str, n_classes: int, quantile: bool) -> Rows:
    """Return a small table: dense, sparse, or a frame with categories; values may be missing."""
    n_rows, n_cols = int(rng.integers(1, 120)), int(rng.integers(1, 7))
    values = rng.integers(-3, 4, size=(n_rows, n_cols)) * rng.choice([1.0, 0.37])
    values[rng.random(values.shape) < rng.choice([0.0, 0.3])] = np.nan
    labels = rng.integers(0, n_classes, size=n_rows).astype(np.float32)
    labels[0] = 1.0  # the logarithm of a mean of zeros is infinite
    table: Any = values.astype(np.float32)
    if kind == "sparse":
        table = scipy.sparse.csr_matrix(np.nan_to_num(table))
    if kind == "frame":
        table = pd.DataFrame(table, columns=[f"c{i}" for i in range(n_cols)])
        table["kind"] = pd.Categorical(
            rng.choice(["red", "green", "blue"], size=n_rows), categories=["blue", "green", "red"]
        )
    return Rows(table, labels, quantile)


def make_params(rng: np.random.Generator) -> dict[str, Any]:
    """Return parameters valid for all of the tables."""
    params: dict[str, Any] = {
        "objective": str(rng.choice(OBJECTIVES)),
        "tree_method": str(rng.choice(["hist", "hist", "approx", "exact"])),
        "max_depth": int(rng.integers(0, 5)),
        "eta": float(rng.choice([0.1, 0.3, 1.0])),
        "seed": int(rng.integers(0, 100)),
        "nthread": int(rng.integers(1, 4)),
    }
    if params["max_depth"] == 0:
        params |= {"tree_method": "hist", "grow_policy": "lossguide", "max_leaves": 6}
    if params["objective"] == "multi:softprob":
        params["num_class"] = 3
    if params["objective"] == "reg:quantileerror":
        params["quantile_alpha"] = 0.6
    more = {"subsample": 0.7, "colsample_bynode": 0.6, "booster": "dart", "min_child_weight": 0.0, "base_score": 0.4}
    for name in rng.permutation(list(more))[: int(rng.integers(0, 3))]:
        params[str(name)] = more[str(name)]
    return params


def is_equal(left: np.ndarray, right: np.ndarray) -> bool:
    """Return whether two results have the same shape and the same bits."""
    return left.shape == right.shape and left.dtype == right.dtype and left.tobytes() == right.tobytes()


@dataclass
class Session:
    """The objects of one session and the calls made so far.

    Attributes
    ----------
    seed : the number that determines the whole session.
    calls : one word for each call, in order; printed by a failure.
    """

    seed: int
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.params = make_params(self.rng)
        kind = str(self.rng.choice(["dense", "sparse", "frame"]))
        n_classes = 3 if self.params["objective"] == "multi:softprob" else 2
        quantile = self.params["tree_method"] == "hist" and bool(self.rng.random() < 0.4)
        self.rows = make_rows(self.rng, kind, n_classes, quantile)
        self.train = self.rows.matrix()
        self.booster = kb.Booster(self.params, [self.train])
        self.rounds = 0

    def run(self, n_calls: int) -> None:
        """Make `n_calls` random calls, each followed by its rule."""
        steps: tuple[Callable[[], None], ...] = (
            self.learn, self.learn, self.set_wrong, self.give_wrong_rows, self.predict, self.explain,
            self.reload, self.learn_elsewhere, self.take_rounds, self.evaluate,
        )  # fmt: skip
        for _ in range(n_calls):
            step = steps[int(self.rng.integers(len(steps)))]
            self.calls.append(step.__name__)
            step()

    def must(self, holds: bool, rule: str) -> None:
        """Fail with the rule, the seed and the calls so far."""
        assert holds, f"{rule}: seed {self.seed}, parameters {self.params}, calls {' '.join(self.calls)}"

    def state(self) -> bytes:
        """Return the complete state of the booster, as a pickle stores it."""
        return bytes(self.booster.__getstate__()["snapshot"])

    def margins(self, booster: kb.Booster | None = None) -> np.ndarray:
        """Return the sums of leaf values for the session's rows."""
        return np.asarray((booster or self.booster).predict(self.rows.plain(), output_margin=True))

    def learn(self) -> None:
        """Train one round."""
        self.booster.update(self.train, self.rounds)
        self.rounds += 1
        self.must(self.booster.num_boosted_rounds() == self.rounds, "an update adds one round")

    def refuse(self, call: Callable[[], Any], what: str) -> None:
        """Make a call that must fail and change nothing."""
        before = self.state()
        try:
            call()
        except (kb.KauriError, ValueError):
            self.must(self.state() == before, f"{what} changes nothing")
        else:
            self.must(False, f"{what} is refused")

    def set_wrong(self) -> None:
        """Set invalid parameters of a copy: it fails to train, and the original is not affected."""
        wrong = WRONG[int(self.rng.integers(len(WRONG)))]
        copy = self.booster.copy()

        def learn() -> None:
            copy.set_param(wrong)
            copy.update(self.train, self.rounds)

        self.refuse(learn, str(wrong))
        self.must(copy.num_boosted_rounds() == self.rounds, f"{wrong} adds no round")

    def give_wrong_rows(self) -> None:
        """Train, predict and evaluate on rows with an extra column; a booster without rounds accepts any width."""
        if self.rounds == 0:
            return
        width = self.train.num_col() + 1
        wrong = kb.DMatrix(np.zeros((3, width), np.float32), label=np.zeros(3))
        calls = (
            lambda: self.booster.update(wrong, self.rounds),
            lambda: self.booster.predict(wrong),
            lambda: self.booster.inplace_predict(np.zeros((3, width), np.float32)),
            lambda: self.booster.eval(wrong),
            lambda: self.booster.boost(wrong, self.rounds, np.zeros(7), np.ones(7)),
        )
        self.refuse(calls[int(self.rng.integers(len(calls)))], "a column too many")

    def predict(self) -> None:
        """Compare the entry points for predictions with each other."""
        begin, end = sorted(int(i) for i in self.rng.integers(0, self.rounds + 1, size=2))
        rounds = (begin, end) if end > begin else (0, 0)
        for margin in (True, False):
            kind = "margin" if margin else "value"
            expected = np.asarray(self.booster.predict(self.rows.plain(), output_margin=margin, iteration_range=rounds))
            in_place = self.booster.inplace_predict(self.rows.table, predict_type=kind, iteration_range=rounds)
            self.must(is_equal(np.asarray(in_place), expected), f"in-place predictions are the same bits ({kind})")
        self.must(len(expected) == len(self.rows.labels), "a row has one prediction")

    def explain(self) -> None:
        """Check the sums of contributions and interactions."""
        if self.params.get("booster") == "dart" and self.rounds == 0:
            return
        margins, data = self.margins(), self.rows.plain()
        values = np.asarray(self.booster.predict(data, pred_contribs=True))
        interactions = np.asarray(self.booster.predict(data, pred_interactions=True))
        scale = 1e-3 + 1e-4 * np.abs(values).sum(-1).max()
        self.must(np.abs(values.sum(-1) - margins).max() <= scale, "contributions add up to the margin")
        self.must(np.abs(interactions.sum(-1) - values).max() <= scale, "interactions add up to contributions")

    def reload(self) -> None:
        """Save and load the model: the predictions have the same bits."""
        before = self.margins()
        form = str(self.rng.choice(["ubj", "json", "pickle"]))
        if form == "pickle":
            loaded = pickle.loads(pickle.dumps(self.booster))
        else:
            loaded = kb.Booster()
            loaded.load_model(self.booster.save_raw(form))
        self.must(is_equal(self.margins(loaded), before), f"a model reloaded from {form} predicts the same bits")
        self.must(
            loaded.save_raw() == self.booster.save_raw(), f"a model reloaded from {form} is saved as the same bytes"
        )

    def learn_elsewhere(self) -> None:
        """Train a copy and the original for a round in different numbers of threads: the bytes are the same."""
        copy = pickle.loads(pickle.dumps(self.booster))
        copy.set_param({"nthread": int(self.rng.integers(1, 4))})
        copy.update(self.rows.matrix(), self.rounds)
        self.learn()
        self.must(copy.save_raw() == self.booster.save_raw(), "a copy learns on as the original does")

    def take_rounds(self) -> None:
        """Slice all rounds, and the first ones."""
        if self.rounds == 0 or self.params.get("booster") == "dart":
            return
        self.must(
            is_equal(self.margins(self.booster[:]), self.margins()), "a slice of all rounds predicts the same bits"
        )
        end = int(self.rng.integers(1, self.rounds + 1))
        first = np.asarray(self.booster.predict(self.rows.plain(), output_margin=True, iteration_range=(0, end)))
        self.must(is_equal(self.margins(self.booster[:end]), first), "a slice predicts as iteration_range does")

    def evaluate(self) -> None:
        """Evaluate with another number of threads: the line is the same text."""
        line = self.booster.eval(self.rows.plain())
        copy = self.booster.copy()
        copy.set_param({"nthread": int(self.rng.integers(1, 4))})
        self.must(copy.eval(self.rows.plain()) == line, "an evaluation is the same in any number of threads")
