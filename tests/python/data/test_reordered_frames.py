"""Frames with reordered categories mean the same as in training, in all uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor
from sklearn.metrics import log_loss

mpl.use("Agg")

COLORS = ["red", "green", "blue", "cyan", "black"]
SIZES = [10, -5, 7, 300]
PARAMS = {"max_depth": 4, "max_cat_to_onehot": 1, "min_child_weight": 0, "nthread": 1}
QUIET = {"verbose_eval": False}


def make_frame(color_order: list[str], size_order: list[int]) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "color": pd.Categorical(rng.choice(COLORS, 300), color_order),
            "size": pd.Categorical(rng.choice(SIZES, 300), size_order),
            "x": rng.normal(size=300).astype(np.float32),
        }
    )
    frame.loc[rng.random(300) < 0.1, "color"] = np.nan
    return frame


FRAME = make_frame(COLORS, SIZES)
OTHER = make_frame(COLORS[::-1], [300, 10, -5, 7])
Y = FRAME["color"].isin(["red", "blue"]).to_numpy() + (FRAME["size"] == 7).to_numpy() + 0.1 * FRAME["x"].to_numpy()


def as_arrow(frame: pd.DataFrame) -> pa.Table:
    def column(name: str) -> pa.Array:
        if name == "x":
            return pa.array(frame[name])
        codes = frame[name].cat.codes.to_numpy()
        return pa.DictionaryArray.from_arrays(
            pa.array(codes, mask=codes < 0), pa.array(list(frame[name].cat.categories))
        )

    return pa.table({name: column(name) for name in frame.columns})


def as_polars(frame: pd.DataFrame) -> pl.DataFrame:
    texts = frame.assign(size=frame["size"].astype(np.int64))
    order = pl.Enum(list(frame["color"].cat.categories))
    colors = [None if isinstance(color, float) else color for color in frame["color"]]
    sizes = [str(size) for size in texts["size"]]
    size_order = pl.Enum([str(size) for size in frame["size"].cat.categories])
    return pl.DataFrame(
        {
            "color": pl.Series(colors, dtype=order),
            "size": pl.Series(sizes, dtype=size_order),
            "x": frame["x"].to_numpy(),
        }
    )


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "arrow": as_arrow,
    "polars": as_polars,
}


@pytest.fixture(params=KINDS.values(), ids=KINDS.keys())
def kind(request: pytest.FixtureRequest) -> Callable[[pd.DataFrame], Any]:
    return request.param


@pytest.mark.parametrize("params", [{}, {"tree_method": "approx"}, {"booster": "dart"}], ids=str)
def test_permutation_importance(kind: Callable[[pd.DataFrame], Any], params: dict[str, Any]) -> None:
    booster = kb.train({**PARAMS, **params}, kb.DMatrix(kind(FRAME), Y), 8, **QUIET)
    same = kb.permutation_importance(booster, kind(FRAME), Y)
    other = kb.permutation_importance(booster, kind(OTHER), Y)
    np.testing.assert_array_equal(other.repeats, same.repeats)
    assert other.baseline == same.baseline
    assert same.baseline == pytest.approx(
        np.sqrt(np.mean((booster.predict(kb.DMatrix(kind(FRAME))) - Y) ** 2)), rel=1e-5
    )
    matrix = kb.permutation_importance(booster, kb.DMatrix(kind(OTHER), Y))
    np.testing.assert_array_equal(matrix.repeats, same.repeats)


def test_permutation_importance_by_hand() -> None:
    """Compare with shuffled columns of the frame itself."""
    model = KauriClassifier(n_estimators=6).fit(FRAME, Y > 1)
    found = kb.permutation_importance(model, OTHER, Y > 1, metric="logloss", n_repeats=2, seed=4)
    seeds = kb.shuffle(2**61, 4, 6).reshape(3, 2)
    before = log_loss(Y > 1, model.predict_proba(OTHER))
    assert found.baseline == pytest.approx(before, rel=1e-4)
    for feature, name in enumerate(FRAME.columns):
        for repeat in range(2):
            order = kb.shuffle(len(OTHER), int(seeds[feature, repeat]))
            shuffled = OTHER.assign(**{name: OTHER[name].iloc[order].reset_index(drop=True)})
            after = log_loss(Y > 1, model.predict_proba(shuffled))
            assert found.repeats[feature, repeat] == pytest.approx(after - before, abs=1e-4)


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
def test_permutation_importance_of_several_targets(strategy: str) -> None:
    targets, margin = np.column_stack([Y, -Y]), np.arange(600).reshape(300, 2) / 300
    data = kb.DMatrix(FRAME, targets, base_margin=margin)
    booster = kb.train({**PARAMS, "multi_strategy": strategy}, data, 5, **QUIET)
    same = kb.permutation_importance(booster, data)
    assert same.baseline == pytest.approx(np.sqrt(np.mean((booster.predict(data) - targets) ** 2)), rel=1e-5)
    other = kb.permutation_importance(booster, kb.DMatrix(OTHER, targets, base_margin=margin))
    np.testing.assert_array_equal(other.repeats, same.repeats)


def test_permutation_importance_of_queries() -> None:
    qid, grades = np.repeat(np.arange(30), 10), (Y > 1).astype(int)
    model = KauriRanker(n_estimators=4).fit(FRAME.assign(qid=qid), grades)
    found = [kb.permutation_importance(model, rows.assign(qid=qid), grades, metric="ndcg@3") for rows in (FRAME, OTHER)]
    np.testing.assert_array_equal(found[0].repeats, found[1].repeats)
    assert found[0].values.max() > 0.05


def test_codes_without_names_stay_codes() -> None:
    codes = np.column_stack([FRAME["color"].cat.codes, FRAME["size"].cat.codes, FRAME["x"]]).astype(np.float32)
    codes[codes[:, 0] < 0, 0] = np.nan
    data = kb.DMatrix(codes, Y, feature_types=["c", "c", "q"])
    booster = kb.train(PARAMS, data, 5, **QUIET)
    named = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 5, **QUIET)
    found = [kb.permutation_importance(booster, data).repeats, kb.permutation_importance(named, OTHER, Y).repeats]
    np.testing.assert_array_equal(*found)
    assert kb.explain(booster, data).categories == {}


def test_explanations_know_the_names(kind: Callable[[pd.DataFrame], Any]) -> None:
    booster = kb.train(PARAMS, kb.DMatrix(kind(FRAME), Y), 5, **QUIET)
    same, other = kb.explain(booster, kind(FRAME)), kb.explain(booster, kind(OTHER))
    np.testing.assert_array_equal(other.values, same.values)
    assert same.categories["color"] == COLORS
    assert other.categories["color"] == COLORS[::-1]
    assert list(map(int, other.categories["size"])) == [300, 10, -5, 7]
    expected = FRAME[["color", "size"]].to_numpy(dtype=object).astype(str)
    for explanation in (same, other, kb.explain(booster, kb.DMatrix(kind(OTHER)))):
        shown = explanation.display_data()
        np.testing.assert_array_equal(shown[:, :2].astype(str), expected)
        np.testing.assert_array_equal(shown[:, 2].astype(np.float32), FRAME["x"])
        np.testing.assert_array_equal(explanation[7].display_data().astype(str), shown[7].astype(str))
        np.testing.assert_array_equal(explanation[5:9].display_data().astype(str), shown[5:9].astype(str))


def test_explanations_of_a_choice_and_of_batches() -> None:
    booster = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 5, **QUIET)
    chosen = kb.explain(booster, OTHER, features=["x", "a"], feature_names=["a", "b", "x"])
    assert chosen.categories == {"a": COLORS[::-1]}
    np.testing.assert_array_equal(
        chosen.display_data().astype(str), kb.explain(booster, FRAME).display_data()[:, [2, 0]].astype(str)
    )
    batches = list(kb.explain_batches(booster, [FRAME[:100], OTHER[100:]]))
    assert [batch.categories["color"] for batch in batches] == [COLORS, COLORS[::-1]]
    shown = np.concatenate([batch.display_data() for batch in batches])
    np.testing.assert_array_equal(shown.astype(str), kb.explain(booster, FRAME).display_data().astype(str))


def labels_of(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


def test_pictures_name_categories() -> None:
    booster = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 5, **QUIET)
    same, other = kb.explain(booster, FRAME), kb.explain(booster, OTHER)
    row = int(np.flatnonzero(FRAME["color"] == "green")[0])
    waterfalls = [labels_of(kb.plot_waterfall(explanation[row]).yaxis) for explanation in (same, other)]
    assert waterfalls[0] == waterfalls[1]
    assert {"color = green", f"size = {FRAME['size'][row]}"} <= set(waterfalls[1])
    axes = kb.plot_dependence(other, "color", color="size")
    assert labels_of(axes.xaxis) == COLORS[::-1]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["300", "10", "-5", "7"]
    swarm = kb.plot_beeswarm(other, max_display=3)
    axes.figure.savefig("/dev/null", format="png")
    swarm.figure.savefig("/dev/null", format="png")


def test_where_each_category_is_drawn() -> None:
    booster = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 5, **QUIET)
    other = kb.explain(booster, OTHER)
    axes = kb.plot_dependence(other, "color")
    x = axes.collections[0].get_offsets()[:, 0]
    for place, name in enumerate(labels_of(axes.xaxis)):
        assert np.all(np.abs(x[(FRAME["color"] == name).to_numpy()] - place) <= 0.21)
    assert np.all(x[FRAME["color"].isna().to_numpy()] < -0.21)


def test_shap_shows_names() -> None:
    shap = pytest.importorskip("shap")
    booster = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 5, **QUIET)
    other = kb.explain(booster, OTHER)
    for_shap = other.to_shap()
    assert for_shap.display_data[3].tolist() == other.display_data()[3].tolist()
    assert set(for_shap.display_data[:, 0]) >= set(COLORS)
    row = int(np.flatnonzero(FRAME["color"] == "green")[0])
    axes = shap.plots.waterfall(for_shap[row], show=False)
    assert any(text.startswith("green") for text in labels_of(axes.yaxis))


def test_everywhere_else(kind: Callable[[pd.DataFrame], Any]) -> None:
    """No other function that takes rows depends on the order."""
    model = KauriRegressor(n_estimators=4, max_cat_to_onehot=1).fit(
        kind(FRAME), Y, eval_set=[(kind(FRAME), Y), (kind(OTHER), Y)]
    )
    evaluated = model.evals_result()
    assert evaluated["validation_0"] == evaluated["validation_1"]
    booster = model.get_booster()
    for act in (
        model.predict,
        model.apply,
        booster.inplace_predict,
        lambda rows: booster.predict(kb.DMatrix(rows), pred_contribs=True),
        lambda rows: kb.explain(model, rows, interactions=True).values,
        lambda rows: kb.explain(model, rows, background=rows).values,
        lambda rows: kb.explain(model, rows, background=kind(OTHER)).values,
        lambda rows: kb.global_importance(model, rows).values,
        lambda rows: kb.sparse_interactions(model, rows).values,
        lambda rows: kb.train(PARAMS, kb.DMatrix(rows, Y), 2, xgb_model=booster, **QUIET).predict(
            kb.DMatrix(kind(FRAME))
        ),
    ):
        np.testing.assert_array_equal(act(kind(OTHER)), act(kind(FRAME)))
