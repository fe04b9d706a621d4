"""Small frames have their own prediction path, which gives the same bits and the same errors for any columns."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._data.few_rows import few_rows

pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(5)
N = 300
CITIES = [f"city {i}" for i in range(40)]


def frame_of(n: int = N) -> Any:
    city = pd.Categorical.from_codes(RNG.integers(-1, 40, n), categories=CITIES)
    size = pd.Categorical.from_codes(RNG.integers(0, 3, n), categories=[10, 20, 40])
    return pd.DataFrame(
        {
            "x": RNG.normal(size=n),
            "city": city,
            "count": RNG.integers(0, 9, n),
            "size": size,
            "flag": RNG.random(n) < 0.5,
            "narrow": RNG.normal(size=n).astype(np.float32),
        }
    )


FRAME = frame_of()
LABEL = FRAME["city"].cat.codes % 3 + FRAME["x"] + FRAME["count"] * FRAME["flag"] + FRAME["size"].astype(float) / 10
NUMBERS = FRAME[["x", "count", "flag", "narrow"]]


def model_of(frame: Any, **params: Any) -> kb.Booster:
    return kb.train({"max_depth": 5, "max_cat_to_onehot": 1, **params}, kb.DMatrix(frame, LABEL), 8)


def expect_same(model: kb.Booster, rows: Any) -> None:
    assert few_rows(rows) is not None
    np.testing.assert_array_equal(model.inplace_predict(rows), model.predict(kb.DMatrix(rows)))


@pytest.mark.parametrize("frame", [FRAME, NUMBERS, NUMBERS[["x"]], FRAME[["city"]], FRAME[["city", "size"]]])
def test_each_row_as_in_the_whole_frame(frame: Any) -> None:
    model = model_of(frame)
    whole = model.predict(kb.DMatrix(frame))
    for row in range(0, N, 7):
        assert model.inplace_predict(frame.iloc[[row]]) == whole[row]
    expect_same(model, frame.iloc[20:60])
    expect_same(model, frame.iloc[60:20:-3])


def test_a_large_frame_goes_the_usual_way() -> None:
    assert few_rows(pd.DataFrame(np.zeros((5000, 1)))) is None
    assert few_rows(pd.DataFrame(np.zeros((0, 3)))) is None
    assert few_rows(pd.Series([1.0, 2.0])) is None
    assert few_rows(np.zeros((1, 3))) is None


@pytest.mark.parametrize("order", [CITIES[::-1], [*CITIES, "another"], ["another", *CITIES]])
def test_names_in_another_order(order: list[str]) -> None:
    model = model_of(FRAME)
    rows = FRAME.iloc[:10].assign(city=lambda frame: frame["city"].cat.set_categories(order))
    np.testing.assert_array_equal(model.inplace_predict(rows), model.predict(kb.DMatrix(FRAME.iloc[:10])))


def test_missing_categories_alone() -> None:
    model = model_of(FRAME)
    rows = FRAME.iloc[:3].copy()
    rows["city"] = pd.Categorical([None] * 3, categories=CITIES)
    expect_same(model, rows)
    rows["size"] = pd.Categorical([None] * 3, categories=[40, 10])
    expect_same(model, rows)


def test_unknown_names_are_refused_where_rows_have_them() -> None:
    model = model_of(FRAME)
    rows = FRAME.iloc[:2].assign(city=pd.Categorical(["city 3", "nowhere"], categories=["nowhere", "city 3"]))
    model.inplace_predict(rows.iloc[[0]])
    for predict in (model.inplace_predict, lambda rows: model.predict(kb.DMatrix(rows))):
        with pytest.raises(kb.DataError, match=r"row 0 of column 1.* has the category 'nowhere'"):
            predict(rows.iloc[[1]])
    lenient = model_of(FRAME, unseen_category="missing")
    missing = rows.assign(city=pd.Categorical(["city 3", None], categories=["city 3"]))
    np.testing.assert_array_equal(lenient.inplace_predict(rows), lenient.inplace_predict(missing))


def test_names_of_another_type_are_refused() -> None:
    model = model_of(FRAME)
    for cells in ([1, 2], [None, None]):
        rows = FRAME.iloc[:2].assign(city=pd.Categorical(cells, categories=[1, 2]))
        with pytest.raises(kb.DataError, match="are integers, as 1, but were texts"):
            model.inplace_predict(rows)


def test_a_column_of_another_kind_is_refused() -> None:
    with pytest.raises(kb.DataError, match=r"column 1 \('city'\) holds categories in the model, but numbers"):
        model_of(FRAME).inplace_predict(FRAME.iloc[:2].assign(city=[1, 2]))


def test_integers_beyond_float64_go_the_usual_way() -> None:
    large = 2**60 + 2**36 + 1  # float64 drops the 1, which determines the rounding to float32
    frame = pd.DataFrame({"x": [0.5], "n": [large]})
    assert np.array([large]).astype(np.float32) != np.float32(float(large))
    assert few_rows(frame) is None
    assert few_rows(frame[["n"]]) is not None
    assert few_rows(frame.assign(n=2**53)) is not None


def test_infinite_values_go_the_usual_way() -> None:
    for value in (np.inf, -np.inf, 1e39):
        assert few_rows(pd.DataFrame({"x": [value]})) is None
    assert few_rows(pd.DataFrame({"x": [np.nan, 1e38]})) is not None


def test_other_columns_go_the_usual_way() -> None:
    model = model_of(NUMBERS)
    nullable = NUMBERS.iloc[:4].astype({"count": "Int64"})
    nullable.loc[2, "count"] = pd.NA
    assert few_rows(nullable) is None
    np.testing.assert_array_equal(model.inplace_predict(nullable), model.predict(kb.DMatrix(nullable)))
    with pytest.raises(kb.DataError, match="columns that are not numbers: flag"):
        model.inplace_predict(NUMBERS.iloc[:2].assign(flag=["yes", 0]))
    with pytest.raises(kb.DataError, match=r"column \d \('flag'\) holds numbers in the model, but categories"):
        model.inplace_predict(NUMBERS.iloc[:2].assign(flag=["yes", "no"]))


def test_a_value_that_means_missing() -> None:
    model = model_of(NUMBERS)
    rows = NUMBERS.iloc[:9]
    expected = model.predict(kb.DMatrix(rows, missing=3.0))
    np.testing.assert_array_equal(model.inplace_predict(rows, missing=3.0), expected)


def test_names_and_numbers_of_columns_are_checked() -> None:
    model = model_of(NUMBERS)
    with pytest.raises(kb.DataError, match="the data have 3 features, the model 4"):
        model.inplace_predict(NUMBERS.iloc[:1, :3].to_numpy(np.float32))
    with pytest.raises(kb.DataError, match="Lacking: 'narrow'"):
        model.inplace_predict(NUMBERS.iloc[:1, :3])
    with pytest.raises(kb.DataError, match="Lacking: 'narrow'; unknown: 'wide'"):
        model.inplace_predict(NUMBERS.iloc[:1].rename(columns={"narrow": "wide"}))


def test_margins_and_several_outputs() -> None:
    classes = kb.train({"objective": "multi:softprob", "num_class": 3}, kb.DMatrix(FRAME, np.arange(N) % 3), 3)
    rows = FRAME.iloc[:5]
    start = np.arange(15, dtype=np.float32).reshape(5, 3)
    given = {"predict_type": "margin", "base_margin": start, "iteration_range": (0, 2)}
    expected = classes.predict(kb.DMatrix(rows, base_margin=start), output_margin=True, iteration_range=(0, 2))
    np.testing.assert_array_equal(classes.inplace_predict(rows, **given), expected)


@pytest.mark.parametrize("frame", [FRAME, NUMBERS])
def test_estimators(frame: Any) -> None:
    pytest.importorskip("sklearn")
    labels = np.asarray(LABEL) > 5
    model = kb.KauriClassifier(n_estimators=8).fit(frame, labels)
    whole = model.predict_proba(pd.concat([frame] * 20))  # too large for the short path
    for row in range(0, 40, 3):
        np.testing.assert_array_equal(model.predict_proba(frame.iloc[[row]])[0], whole[row])
    rows = frame.iloc[:4]
    np.testing.assert_array_equal(
        model.predict(rows, output_margin=True), model.get_booster().predict(kb.DMatrix(rows), output_margin=True)
    )
    with pytest.raises(ValueError, match="X has 1 features, but KauriClassifier is expecting"):
        model.predict(rows[["x"]].to_numpy())
    with pytest.raises(kb.DataError, match=r"Lacking: '(city', '|)count'"):
        model.predict(rows[["x"]])
    with pytest.raises(kb.DataError, match="is inf as float32"):
        model.predict(rows.assign(x=np.inf))
    with pytest.raises(kb.DataError, match="Lacking"):
        model.predict(rows.rename(columns={"x": "y"}))


def coded(frame: Any) -> np.ndarray:
    """Return the frame as numbers, NaN for missing categories."""
    columns = [
        column.cat.codes.where(column.notna()) if column.dtype == "category" else column for _, column in frame.items()
    ]
    return np.column_stack([np.asarray(column, dtype=np.float32) for column in columns])


@pytest.mark.parametrize("policy", ["xgboost", "missing"])
@pytest.mark.parametrize("encoding", ["partition", "ordered"])
def test_a_model_without_names_knows_categories_by_their_numbers(policy: str, encoding: str) -> None:
    """A model trained on numbers uses a frame's codes, whether the frame is small or large."""
    types = ["c" if dtype == "category" else "float" for dtype in FRAME.dtypes]
    data = kb.DMatrix(coded(FRAME), LABEL, feature_names=list(FRAME), feature_types=types)
    params = {"max_depth": 5, "max_cat_to_onehot": 1, "unseen_category": policy, "categorical_encoding": encoding}
    model = kb.train(params, data, 8)
    whole = model.predict(data)
    rows = FRAME.iloc[20:29]
    assert few_rows(rows) is not None
    np.testing.assert_array_equal(model.inplace_predict(rows, validate_features=False), whole[20:29])
    np.testing.assert_array_equal(model.predict(kb.DMatrix(rows), validate_features=False), whole[20:29])
    np.testing.assert_array_equal(model.inplace_predict(FRAME, validate_features=False), whole)
    margin = np.linspace(-1, 1, len(rows)).astype(np.float32)
    expected = model.predict(kb.DMatrix(rows, base_margin=margin), validate_features=False)
    np.testing.assert_array_equal(model.inplace_predict(rows, validate_features=False, base_margin=margin), expected)


def test_a_model_with_names_for_one_column_alone() -> None:
    """Columns are handled one by one: the model has category names for the second column, but not for the first."""
    mixed = FRAME[["city", "size"]].assign(city=FRAME["city"].cat.codes.where(FRAME["city"].notna()).astype(float))
    data = kb.DMatrix(mixed, LABEL, feature_types=["c", "c"])
    model = kb.train({"max_depth": 5, "max_cat_to_onehot": 1}, data, 8)
    rows = FRAME[["city", "size"]].iloc[30:37]
    rows = rows.assign(size=rows["size"].cat.set_categories([40, 20, 10]))
    assert few_rows(rows) is not None
    np.testing.assert_array_equal(model.inplace_predict(rows), model.predict(data)[30:37])
