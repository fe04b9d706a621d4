"""Conversion of YDF models: predictions of its own, and explanations that add up to them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.forests import load

ydf = pytest.importorskip("ydf")
N = 300
RANDOM = np.random.default_rng(6)
ROWS = pd.DataFrame(RANDOM.normal(size=(N, 3)).astype(np.float32), columns=["a", "b", "c"])
ROWS["cat"] = RANDOM.choice(["x", "y", "z", "w"], N)
ROWS["flag"] = RANDOM.random(N) > 0.5
ROWS.loc[::7, "b"] = np.nan
OURS = ROWS.astype({"cat": "category"})
TARGET = ROWS.a + 3 * (ROWS.cat == "x") - 2 * (ROWS.cat == "w") + ROWS.b.fillna(2) * ROWS.flag
TWO = np.where(TARGET > 0, "p", "q")
THREE = np.where(TARGET > 1, "p", np.where(TARGET > -1, "s", "t"))
BOOSTED, AVERAGED = ydf.GradientBoostedTreesLearner, ydf.RandomForestLearner
AMOUNT = {"task": ydf.Task.REGRESSION}
TOLERANCE = 1e-6  # for float32 sums of values of about 1


def learn(learner: Any, target: Any, **settings: Any) -> Any:
    return learner(label="target", num_trees=6, max_depth=4, **settings).train(ROWS.assign(target=target), verbose=0)


@pytest.mark.parametrize(
    ("learner", "target", "settings"),
    [
        (BOOSTED, TARGET, AMOUNT),
        (BOOSTED, np.exp(TARGET / 4), {**AMOUNT, "loss": "POISSON"}),
        (BOOSTED, TWO, {}),
        (BOOSTED, THREE, {}),
        (AVERAGED, TARGET, AMOUNT),
        (AVERAGED, TWO, {}),
        (AVERAGED, THREE, {"winner_take_all": False}),
    ],
    ids=["boosted", "counts", "two classes", "three classes", "averaged", "votes", "shares"],
)
def test_predictions_are_those_of_ydf(learner: Any, target: Any, settings: dict[str, Any]) -> None:
    model = learn(learner, target, **settings)
    forest = load(model)
    rows = kb.DMatrix(OURS)
    np.testing.assert_allclose(forest.booster.predict(rows), model.predict(ROWS), atol=TOLERANCE)
    explanation = kb.explain(forest.booster, rows)
    margins = forest.booster.predict(rows, output_margin=True)
    np.testing.assert_allclose(explanation.values.sum(1) + explanation.base_values, margins, atol=2 * TOLERANCE)
    assert (forest.library, forest.version, forest.n_trees) == ("YDF", ydf.__version__, model.num_trees())


def test_unknown_categories_are_refused_as_in_any_model() -> None:
    booster = load(learn(BOOSTED, TARGET, **AMOUNT)).booster
    with pytest.raises(kb.DataError, match="the category 'unseen', whose name the model does not know"):
        booster.predict(kb.DMatrix(ROWS.assign(cat="unseen").astype({"cat": "category"})))


def test_a_folder_is_read_through_ydf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = learn(AVERAGED, TARGET, **AMOUNT)
    model.save(str(tmp_path / "model"))
    forest = load(tmp_path / "model")
    np.testing.assert_array_equal(
        forest.booster.predict(kb.DMatrix(OURS)), load(model).booster.predict(kb.DMatrix(OURS))
    )
    assert repr(forest).startswith("LoadedForest(library='YDF', kind='RandomForestModel'")
    monkeypatch.setitem(sys.modules, "ydf", None)
    with pytest.raises(kb.ModelError, match=r"read through the package ydf\. Install it"):
        load(tmp_path / "model")


def test_what_has_no_counterpart_is_refused() -> None:
    for settings, name in (
        ({"split_axis": "SPARSE_OBLIQUE"}, "NumericalSparseObliqueCondition"),
        ({"discretize_numerical_columns": True}, "DiscretizedNumericalHigherThanCondition"),
    ):
        with pytest.raises(kb.ModelError, match=f"{name} has no counterpart here"):
            load(learn(BOOSTED, TARGET, **AMOUNT, **settings))
    with pytest.raises(kb.ModelError, match="IsolationForestModel of YDF is not supported"):
        load(ydf.IsolationForestLearner(num_trees=2).train(ROWS[["a", "c"]], verbose=0))
