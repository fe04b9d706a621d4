"""Categorical columns: names and codes, reordered categories, categories unseen in training, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kauriboost.sklearn import KauriClassifier, KauriRegressor

COLORS = ["red", "green", "blue", "grün", "z"]
SIZES = [10, -5, 7, 300]
PARAMS = {"max_depth": 4, "max_cat_to_onehot": 3, "min_child_weight": 0}


def make_frame(n_rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    color, size, x = rng.integers(0, 5, n_rows), rng.integers(0, 4, n_rows), rng.normal(size=n_rows)
    frame = pd.DataFrame(
        {
            "color": pd.Categorical.from_codes(color, COLORS),
            "size": pd.Categorical.from_codes(size, SIZES),
            "x": x.astype(np.float32),
        }
    )
    frame.loc[rng.random(n_rows) < 0.1, "color"] = np.nan
    return frame, (color % 2) + (size == 2) + 0.1 * x


def reordered(frame: pd.DataFrame) -> pd.DataFrame:
    color, size = [COLORS[i] for i in (4, 2, 0, 1, 3)], [SIZES[i] for i in (3, 1, 0, 2)]
    return frame.assign(color=frame["color"].cat.set_categories(color), size=frame["size"].cat.set_categories(size))


@pytest.fixture(scope="module", params=["hist", "approx", "exact"])
def trained(request: pytest.FixtureRequest) -> tuple[kb.Booster, pd.DataFrame, np.ndarray]:
    frame, y = make_frame()
    data = kb.DMatrix(frame, y)
    booster = kb.train({**PARAMS, "tree_method": request.param}, data, 5)
    return booster, frame, booster.predict(data)


def test_frames_bring_types_and_names(trained: Any) -> None:
    booster, frame, _ = trained
    data = kb.DMatrix(frame)
    assert data.feature_types == ["c", "c", "float"] == booster.feature_types
    assert data.get_categories() == {"color": COLORS, "size": SIZES} == booster.get_categories()
    assert np.isnan(data.get_data().toarray()).sum() == 0
    assert data.num_nonmissing() == 3 * len(frame) - frame["color"].isna().sum()


def test_learns_from_categories(trained: Any) -> None:
    booster, frame, predicted = trained
    y = make_frame()[1]
    known = frame["color"].notna()
    assert np.abs(predicted - y)[known].mean() < 0.35
    assert '"split_type":[1' in booster.save_raw("json").decode()


def test_rows_in_another_order_are_recoded(trained: Any) -> None:
    booster, frame, predicted = trained
    other = reordered(frame)
    np.testing.assert_array_equal(booster.predict(kb.DMatrix(other)), predicted)
    np.testing.assert_array_equal(booster.inplace_predict(other), predicted)
    for kind in ({"pred_contribs": True}, {"pred_interactions": True}, {"pred_leaf": True}, {"approx_contribs": True}):
        how = {**kind, "pred_contribs": True} if "approx_contribs" in kind else kind
        expected = booster.predict(kb.DMatrix(frame), **how)
        np.testing.assert_array_equal(booster.predict(kb.DMatrix(other), **how), expected)


def test_evaluation_sets_in_another_order() -> None:
    frame, y = make_frame()
    results: dict[str, Any] = {}
    evals = [(kb.DMatrix(frame, y), "same"), (kb.DMatrix(reordered(frame), y), "other")]
    kb.train(PARAMS, kb.DMatrix(frame, y), 3, evals=evals, evals_result=results, verbose_eval=False)
    assert results["same"] == results["other"]


@pytest.mark.parametrize("file_format", ["json", "ubj"])
def test_files_keep_names(trained: Any, file_format: str) -> None:
    booster, frame, predicted = trained
    loaded = kb.Booster(model_file=bytearray(booster.save_raw(file_format)))
    assert loaded.get_categories() == booster.get_categories()
    np.testing.assert_array_equal(loaded.predict(kb.DMatrix(reordered(frame))), predicted)
    assert loaded.save_raw(file_format) == booster.save_raw(file_format)


def test_arrow_and_polars(trained: Any) -> None:
    booster, frame, predicted = trained
    colors = [None if isinstance(color, float) else color for color in frame["color"]]
    sizes, x = frame["size"].astype(np.int64).to_numpy(), frame["x"].to_numpy()
    size_column = pa.array(sizes).dictionary_encode()
    for color_column in (pa.array(colors), pa.array(colors, pa.large_string()), pa.array(colors, pa.string_view())):
        if pa.types.is_string_view(color_column.type):
            dictionary = pa.array(COLORS, pa.string_view())
            codes = pa.array([None if color is None else COLORS.index(color) for color in colors], pa.int8())
            column = pa.DictionaryArray.from_arrays(codes, dictionary)
        else:
            column = color_column.dictionary_encode()
        table = pa.table({"color": column, "size": size_column, "x": x})
        data = kb.DMatrix(table)
        assert data.feature_types == ["c", "c", "float"]
        np.testing.assert_array_equal(booster.predict(data), predicted)
    halves = pa.concat_tables(
        [
            table.slice(0, 150),
            pa.table(
                {
                    "color": column.take(list(range(150, 400))),
                    "size": pa.array(sizes[150:]).dictionary_encode(),
                    "x": x[150:],
                }
            ),
        ]
    )
    np.testing.assert_array_equal(booster.predict(kb.DMatrix(halves)), predicted)
    polars = pl.DataFrame({"color": pl.Series(colors).cast(pl.Categorical), "size": sizes, "x": x})
    with_codes = pl.DataFrame({"color": pl.Series(colors).cast(pl.Enum(COLORS)), "size": sizes, "x": x})
    for table in (polars, with_codes):
        data = kb.DMatrix(table.with_columns(size=pl.Series([SIZES.index(size) for size in sizes])))
        assert data.feature_types == ["c", "int", "float"]
        data.feature_types = ["c", "c", "float"]
        np.testing.assert_array_equal(booster.predict(data), predicted)


def test_codes_without_names() -> None:
    frame, y = make_frame()
    X = np.column_stack([frame["color"].cat.codes, frame["size"].cat.codes, frame["x"]]).astype(np.float32)
    X[X[:, 0] < 0, 0] = np.nan
    types = ["c", "c", "float"]
    coded = kb.train(PARAMS, kb.DMatrix(X, y, feature_types=types), 3)
    named = kb.train(PARAMS, kb.DMatrix(frame, y), 3)
    np.testing.assert_array_equal(coded.predict(kb.DMatrix(X)), named.predict(kb.DMatrix(frame)))
    assert coded.get_categories() == {}


def unseen(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with an unseen color in the first row."""
    color = frame["color"].cat.add_categories(["pink"])
    color.iloc[0] = "pink"
    return frame.assign(color=color)


def test_unseen_names(trained: Any) -> None:
    booster, frame, predicted = trained
    strange = unseen(frame)
    booster = booster.copy()
    with pytest.raises(kb.DataError, match=r"column 0 \('color'\) has the category 'pink', whose name the model"):
        booster.predict(kb.DMatrix(strange))
    np.testing.assert_array_equal(booster.predict(kb.DMatrix(strange.iloc[1:])), predicted[1:])
    booster.set_param("unseen_category", "error")
    with pytest.raises(kb.DataError, match=r"column 0 \('color'\) has the category 'pink', which did not occur"):
        booster.inplace_predict(strange)
    booster.set_param("unseen_category", "missing")
    missing = frame.copy()
    missing.loc[missing.index[0], "color"] = np.nan
    for how in ({}, {"pred_contribs": True}, {"pred_leaf": True}, {"pred_interactions": True}):
        expected = booster.predict(kb.DMatrix(missing), **how)
        np.testing.assert_array_equal(booster.predict(kb.DMatrix(strange), **how), expected)
    loaded = kb.Booster(model_file=bytearray(booster.save_raw("ubj")))  # the policy is stored in the model
    np.testing.assert_array_equal(loaded.predict(kb.DMatrix(strange)), booster.predict(kb.DMatrix(missing)))


def test_unseen_codes() -> None:
    """Covers codes that are declared but not in the training rows, and codes beyond the declared ones."""
    frame, y = make_frame()
    train = frame[frame["color"] != "z"]
    booster = kb.train(PARAMS, kb.DMatrix(train, y[frame["color"] != "z"]), 3)
    rows = np.array([[4, 0, 0], [9, 1, 0], [-3, 1, 0], [1.5, 1, 0], [2, 0, 0]], np.float32)
    missing = rows.copy()
    missing[:4, 0] = np.nan
    plain = {"validate_features": False}
    left = booster.inplace_predict(rows, **plain)
    booster.set_param("unseen_category", "missing")
    np.testing.assert_array_equal(booster.inplace_predict(rows, **plain), booster.inplace_predict(missing, **plain))
    assert booster.inplace_predict(rows, **plain)[4] == left[4]
    booster.set_param("unseen_category", "error")
    for row, value in enumerate(["4", "9", "-3", "1.5"]):
        with pytest.raises(kb.DataError, match=rf"row 0 of column 0 .*has the category {value}"):
            booster.inplace_predict(rows[row : row + 1], **plain)
    np.testing.assert_array_equal(booster.inplace_predict(rows[4:], **plain), left[4:])
    booster.set_param("unseen_category", "xgboost")
    np.testing.assert_array_equal(booster.inplace_predict(rows, **plain), left)


def test_unseen_in_evaluation_and_counts() -> None:
    frame, y = make_frame()
    strange, missing = unseen(frame), frame.copy()
    missing.loc[missing.index[0], "color"] = np.nan
    results: dict[str, Any] = {}
    evals = [(kb.DMatrix(strange, y), "strange"), (kb.DMatrix(missing, y), "missing")]
    params = {**PARAMS, "unseen_category": "missing"}
    booster = kb.train(params, kb.DMatrix(frame, y), 3, evals=evals, evals_result=results, verbose_eval=False)
    assert results["strange"] == results["missing"]
    with pytest.raises(kb.DataError, match="pink"):
        kb.train({**PARAMS, "unseen_category": "error"}, kb.DMatrix(frame, y), 3, evals=evals)
    explained = kb.explain(booster, strange, background=frame.iloc[:20])
    np.testing.assert_array_equal(explained.values[0], kb.explain(booster, missing, background=frame[:20]).values[0])


def test_policy_without_knowledge() -> None:
    frame, y = make_frame()
    booster = kb.train(PARAMS, kb.DMatrix(frame, y), 2)
    document = json.loads(booster.save_raw("json"))
    trees = document["learner"]["gradient_booster"]["model"]
    del document["learner"]["attributes"]["kauri_cats_seen"]
    named = kb.Booster({"unseen_category": "error"}, model_file=bytearray(json.dumps(document).encode()))
    np.testing.assert_array_equal(named.predict(kb.DMatrix(frame)), booster.predict(kb.DMatrix(frame)))
    trees["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    unknown = kb.Booster({"unseen_category": "error"}, model_file=bytearray(json.dumps(document).encode()))
    with pytest.raises(kb.ModelError, match="unseen_category=error needs the categories that occurred"):
        unknown.predict(kb.DMatrix(frame))
    with pytest.raises(kb.ParameterError, match="unseen_category='drop' is not valid; expected xgboost, missing"):
        kb.train({"unseen_category": "drop"}, kb.DMatrix(frame, y), 1)


def test_continued_training() -> None:
    frame, y = make_frame()
    booster = kb.train(PARAMS, kb.DMatrix(frame, y), 4)
    half = kb.train(PARAMS, kb.DMatrix(frame, y), 2)
    on = kb.train(PARAMS, kb.DMatrix(frame, y), 2, xgb_model=half)
    assert on.save_raw("json") == booster.save_raw("json")
    more = unseen(frame)
    grown = kb.train({**PARAMS, "unseen_category": "error"}, kb.DMatrix(more, y), 1, xgb_model=half)
    assert grown.get_categories()["color"] == [*COLORS, "pink"]
    grown.predict(kb.DMatrix(more))


def test_refresh_of_categorical_trees() -> None:
    frame, y = make_frame()
    booster = kb.train(PARAMS, kb.DMatrix(frame, y), 3)
    params = {**PARAMS, "process_type": "update", "updater": "refresh", "refresh_leaf": 0}
    same = kb.train(params, kb.DMatrix(frame, y), 3, xgb_model=booster)
    np.testing.assert_array_equal(same.predict(kb.DMatrix(frame)), booster.predict(kb.DMatrix(frame)))


@pytest.mark.parametrize("method", ["hist", "approx", "exact"])
def test_same_bytes_for_any_number_of_threads(method: str) -> None:
    frame, y = make_frame(3000)
    data = kb.DMatrix(frame, y)
    params = {**PARAMS, "tree_method": method, "subsample": 0.8, "colsample_bynode": 0.7}
    models = [kb.train({**params, "nthread": n}, data, 4).save_raw("ubj") for n in (1, 2, 3)]
    assert models[0] == models[1] == models[2]


def test_estimators() -> None:
    frame, y = make_frame()
    model = KauriRegressor(n_estimators=5, max_cat_to_onehot=1, unseen_category="missing").fit(frame, y)
    np.testing.assert_array_equal(model.predict(reordered(frame)), model.predict(frame))
    model.predict(unseen(frame))
    labels = KauriClassifier(n_estimators=50).fit(frame, y > 1).predict(reordered(frame))
    assert (labels == (y > 1)).mean() > 0.9
    with pytest.raises(kb.DataError, match="column color is categorical and enable_categorical is False"):
        KauriRegressor(enable_categorical=False).fit(frame, y)
    X = np.column_stack([frame["color"].cat.codes + 1, frame["x"]])
    coded = KauriRegressor(n_estimators=2, feature_types=["c", "q"]).fit(X, y)
    assert '"split_type":[1' in coded.get_booster().save_raw("json").decode()


def test_slices_and_folds_keep_names() -> None:
    frame, y = make_frame()
    data = kb.DMatrix(frame, y)
    assert data.slice([3, 1, 2]).get_categories() == data.get_categories()
    scores = kb.cv(PARAMS, data, 3, nfold=3)
    assert len(scores) > 0


def test_batches_with_names() -> None:
    frame, _ = make_frame()

    class Batches(kb.DataIter):
        def __init__(self, frames: list[pd.DataFrame]) -> None:
            super().__init__()
            self.frames, self.at = frames, 0

        def reset(self) -> None:
            self.at = 0

        def next(self, input_data: Any) -> bool:
            if self.at == len(self.frames):
                return False
            input_data(data=self.frames[self.at])
            self.at += 1
            return True

    whole = kb.DMatrix(Batches([frame[:100], frame[100:]]))
    assert whole.get_categories() == {"color": COLORS, "size": SIZES}
    np.testing.assert_array_equal(whole.get_data().toarray(), kb.DMatrix(frame).get_data().toarray())
    with pytest.raises(kb.DataError, match=r"number of categories between batches.*: batch 1 differs"):
        kb.DMatrix(Batches([frame[:100], reordered(frame)[100:]]))


def test_matrices_of_bins() -> None:
    frame, y = make_frame()
    plain = kb.DMatrix(frame, y)
    bins = kb.QuantileDMatrix(frame, y)
    assert bins.get_categories() == plain.get_categories()
    models = [kb.train(PARAMS, data, 3).save_raw("json") for data in (plain, bins)]
    seen = [json.loads(model)["learner"]["attributes"]["kauri_cats_seen"] for model in models]
    assert seen[0] == seen[1]
    assert models[0] == models[1]
    booster = kb.train(PARAMS, bins, 3)
    np.testing.assert_array_equal(booster.predict(bins), booster.predict(plain))


def test_binary_form_keeps_names(tmp_path: Path) -> None:
    frame, y = make_frame()
    data = kb.DMatrix(frame, y)
    data.save_binary(tmp_path / "frame.bin")
    loaded = kb.DMatrix(tmp_path / "frame.bin")
    assert loaded.get_categories() == data.get_categories()
    assert loaded.feature_types == data.feature_types


@pytest.mark.parametrize("value", [-1, 0.5, 2**24, 3e9])
@pytest.mark.parametrize("method", ["hist", "approx", "exact"])
def test_values_that_are_no_categories(value: float, method: str) -> None:
    X = np.array([[0, 1], [1, 2], [value, 3], [np.nan, 4]], np.float32)
    data = kb.DMatrix(X, [0, 1, 0, 1], feature_types=["c", "q"], feature_names=["kind", "size"])
    with pytest.raises(kb.DataError, match=r"row 2 of the categorical column 0 \('kind'\) is .*NaN for missing"):
        kb.train({"tree_method": method}, data, 1)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"monotone_constraints": "(1,0)"}, "has 1 for feature 0, which is categorical"),
        ({"booster": "gblinear"}, "booster=gblinear cannot learn from categories, and column 0"),
        ({"max_cat_to_onehot": 0}, "max_cat_to_onehot"),
        ({"max_cat_threshold": 0}, "max_cat_threshold"),
    ],
)
def test_what_categories_cannot_do(params: dict[str, Any], message: str) -> None:
    X = np.array([[0, 1], [1, 2], [2, 3], [0, 4]], np.float32)
    with pytest.raises(kb.KauriError, match=message):
        kb.train(params, kb.DMatrix(X, [0, 1, 0, 1], feature_types=["c", "q"]), 1)


def test_interaction_constraints_hold() -> None:
    frame, y = make_frame()
    data = kb.DMatrix(frame, y)
    params = {**PARAMS, "interaction_constraints": "[[0],[1,2]]"}
    interactions = kb.train(params, data, 3).predict(data, pred_interactions=True)
    assert np.abs(interactions[:, 0, 1:3]).max() == 0.0
    assert np.abs(interactions[:, 1, 2]).max() > 0.0


def test_names_that_do_not_fit() -> None:
    frame, y = make_frame()
    booster = kb.train(PARAMS, kb.DMatrix(frame, y), 1)
    texts = frame.assign(size=frame["size"].astype(str).astype("category"))
    with pytest.raises(kb.DataError, match=r"of column 1 \('size'\) are texts, as '-5', but were integers"):
        booster.predict(kb.DMatrix(texts))
    floats = pd.DataFrame({"f": pd.Categorical([1.5, 2.5])})
    with pytest.raises(kb.DataError, match=r"column 0.*: its categories have names of a floating point dtype"):
        kb.DMatrix(floats)


def test_hostile_category_tables() -> None:
    frame, y = make_frame()
    document = json.loads(kb.train(PARAMS, kb.DMatrix(frame, y), 1).save_raw("json"))
    trees = document["learner"]["gradient_booster"]["model"]

    def load(**changes: Any) -> None:
        model = json.loads(json.dumps(document))
        model["learner"]["gradient_booster"]["model"].update(changes)
        kb.Booster(model_file=bytearray(json.dumps(model).encode()))

    load()
    seen, enc = json.loads(document["learner"]["attributes"]["kauri_cats_seen"])["seen"], trees["cats"]["enc"]
    for change, message in [
        ({"cats": {"enc": enc * 2}}, "has 6 elements for 3 features"),
        ({"cats": {"enc": [{"offsets": [0, 9], "values": [97]}]}}, "goes from 0 to 9"),
        ({"cats": {"enc": [{"offsets": [1, 0], "values": [97]}]}}, "goes from 1 to 0"),
        ({"cats": {"enc": [{"type": 7, "values": [1]}]}}, "is 7; names of categories are texts or integers"),
        ({"cats": {"enc": [{"offsets": [0, 1], "values": [999]}]}}, "holds 999, which is no byte"),
        ({"cats_seen": {**seen, "feature_segments": [0, 99]}}, "does not ascend from 0 to"),
        ({"cats_seen": {**seen, "values": [5] * len(seen["values"])}}, "do not ascend"),
        ({"cats_seen": {**seen, "unseen_category": "drop"}}, "is 'drop'; expected xgboost, missing or error"),
    ]:
        with pytest.raises(kb.ModelError, match=message):
            load(**change)
