"""Columns of text are categories at every door, named by their texts in ascending order."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from kauriboost.sklearn import KauriClassifier, KauriRanker, KauriRegressor

N_ROWS = 300
TOWNS = np.array(["Zürich", "Bern", "a b", "Ä", "", "日本", 'Rome, "old"', "bern"], dtype=object)
RANDOM = np.random.default_rng(38)
CODES = RANDOM.integers(0, len(TOWNS), N_ROWS)
TEXTS: list[str | None] = [None if i % 17 == 3 else str(TOWNS[code]) for i, code in enumerate(CODES)]
SIZES = RANDOM.normal(size=N_ROWS).astype(np.float32)
Y = (CODES * 7 % 5 + SIZES).astype(np.float32)
NAMES = sorted({text for text in TEXTS if text is not None})
PARAMS = {"max_depth": 4, "max_cat_to_onehot": 4, "cat_smooth": 1}


def pandas_of(texts: Any, dtype: Any) -> pd.DataFrame:
    return pd.DataFrame({"town": pd.Series(texts, dtype=dtype), "size": SIZES[: len(texts)]})


def arrow_of(texts: Any, kind: Any) -> pa.Table:
    return pa.table({"town": pa.array(texts, kind), "size": SIZES[: len(texts)]})


def in_chunks(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7)])


def arrow_slice(texts: Any) -> pa.Table:
    whole = pa.table({"town": pa.array(["x", *texts], pa.string())})
    return whole.slice(1).append_column("size", pa.array(SIZES[: len(texts)]))


FRAMES: dict[str, Callable[[Any], Any]] = {
    "pandas str": lambda texts: pandas_of(texts, "str" if pd.__version__ >= "3" else object),
    "pandas object": lambda texts: pandas_of(texts, object),
    "pandas string": lambda texts: pandas_of(texts, "string"),
    "pandas Arrow string": lambda texts: pandas_of(texts, pd.ArrowDtype(pa.string())),
    "polars": lambda texts: pl.DataFrame(
        {"town": texts, "size": SIZES[: len(texts)]}, schema_overrides={"town": pl.String}
    ),
    "Arrow string": lambda texts: arrow_of(texts, pa.string()),
    "Arrow large_string": lambda texts: arrow_of(texts, pa.large_string()),
    "Arrow string_view": lambda texts: arrow_of(texts, pa.string_view()),
    "Arrow chunks": lambda texts: in_chunks(arrow_of(texts, pa.string())),
    "Arrow slice": lambda texts: arrow_slice(texts),
}


def declared(texts: Any = TEXTS) -> pd.DataFrame:
    return pd.DataFrame({"town": pd.Categorical(texts, categories=NAMES), "size": SIZES[: len(texts)]})


def trained(data: kb.DMatrix, rounds: int = 6, **params: Any) -> kb.Booster:
    return kb.train({**PARAMS, **params}, data, rounds, verbose_eval=False)


def model_bytes(data: kb.DMatrix, **params: Any) -> bytes:
    return bytes(trained(data, **params).save_raw())


@pytest.fixture(params=FRAMES.values(), ids=FRAMES.keys())
def frame_of(request: pytest.FixtureRequest) -> Any:
    return request.param


EXPECTED = model_bytes(kb.DMatrix(declared(), label=Y))


def test_the_model_of_declared_categories(frame_of: Any) -> None:
    data = kb.DMatrix(frame_of(TEXTS), label=Y)
    assert data.get_categories() == {"town": NAMES}
    assert data.feature_types[0] == "c"
    assert data.num_nonmissing() == 2 * N_ROWS - TEXTS.count(None)
    assert model_bytes(data) == EXPECTED
    assert model_bytes(kb.QuantileDMatrix(frame_of(TEXTS), label=Y)) == EXPECTED


def test_names_do_not_depend_on_the_order_of_rows(frame_of: Any) -> None:
    assert kb.DMatrix(frame_of(TEXTS[::-1])).get_categories() == {"town": NAMES}
    assert kb.DMatrix(frame_of(["b", None, "a", "b"])).get_categories() == {"town": ["a", "b"]}


def test_predictions_go_by_names(frame_of: Any) -> None:
    booster = trained(kb.DMatrix(declared(), label=Y))
    expected = booster.predict(kb.DMatrix(declared()))
    for rows in (slice(0, 5), slice(40, 41), slice(0, N_ROWS)):
        frame = frame_of(TEXTS[rows])
        sizes = SIZES[: len(TEXTS[rows])]
        same = booster.predict(kb.DMatrix(declared(TEXTS[rows])))
        assert np.array_equal(booster.predict(kb.DMatrix(frame)), same)
        assert np.array_equal(booster.inplace_predict(frame), same)
        assert len(sizes) == len(same)
    assert np.array_equal(kb.explain(booster, frame_of(TEXTS)).values, kb.explain(booster, declared()).values)
    assert np.array_equal(booster.inplace_predict(frame_of(TEXTS)), expected)


def test_new_texts_follow_the_policy(frame_of: Any) -> None:
    rows = frame_of(["Bern", "Oban"])
    booster = trained(kb.DMatrix(frame_of(TEXTS), label=Y))
    for predict in (lambda: booster.predict(kb.DMatrix(rows)), lambda: booster.inplace_predict(rows)):
        with pytest.raises(kb.DataError, match=r"row 1 of column 0 \('town'\) has the category 'Oban'"):
            predict()
    tolerant = trained(kb.DMatrix(frame_of(TEXTS), label=Y), unseen_category="missing")
    missing = frame_of(["Bern", None])
    assert np.array_equal(tolerant.inplace_predict(rows), tolerant.inplace_predict(missing))


def test_estimators_and_folds(frame_of: Any) -> None:
    frame = frame_of(TEXTS)
    expected = KauriRegressor(n_estimators=5).fit(declared(), Y).predict(declared())
    model = KauriRegressor(n_estimators=5).fit(frame, Y, eval_set=[(frame, Y)], verbose=False)
    assert np.array_equal(model.predict(frame), expected)
    classes = np.where(Y > 2, "yes", "no")
    assert KauriClassifier(n_estimators=5).fit(frame, classes).score(frame, classes) > 0.8
    KauriRanker(n_estimators=2).fit(frame, (Y > 2).astype(int), group=[N_ROWS // 2] * 2).predict(frame)
    found, wanted = (kb.cv(PARAMS, kb.DMatrix(table, label=Y), 3, nfold=3, seed=1) for table in (frame, declared()))
    assert str(found) == str(wanted)


def test_the_best_fit_takes_texts() -> None:
    found = kb.fit_best(FRAMES["pandas str"](TEXTS), Y, params={"objective": "reg:squarederror"}, rounds_budget=20)
    assert found.booster.predict(kb.DMatrix(declared())).shape == (N_ROWS,)


class Parts(kb.DataIter):
    def __init__(self, frames: list[Any], cache: str | None = None) -> None:
        super().__init__(cache_prefix=cache)
        self.frames, self.at, self.row = frames, 0, 0

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.at == len(self.frames):
            return False
        frame = self.frames[self.at]
        n_rows = frame.num_rows if hasattr(frame, "num_rows") else len(frame)
        input_data(data=frame, label=Y[self.row : self.row + n_rows])
        self.at, self.row = self.at + 1, self.row + n_rows
        return True

    def reset(self) -> None:
        self.at = self.row = 0


def parts(frame_of: Any, cuts: list[int], cache: str | None = None) -> Parts:
    ends = [0, *cuts, N_ROWS]
    frames = []
    for begin, end in zip(ends, ends[1:]):
        frame = frame_of(TEXTS[begin:end])
        sizes = SIZES[begin:end]
        if isinstance(frame, pd.DataFrame):
            frame = frame.assign(size=sizes)
        elif isinstance(frame, pl.DataFrame):
            frame = frame.with_columns(size=pl.Series(sizes))
        else:
            frame = frame.set_column(1, "size", pa.array(sizes))
        frames.append(frame)
    return Parts(frames, cache)


@pytest.mark.parametrize("cuts", [[3, 4, 150], [100, 200], []])
def test_batches_have_the_names_of_all(frame_of: Any, cuts: list[int], tmp_path: Any) -> None:
    """The fourth row is missing: the second batch has no text."""
    data = kb.DMatrix(parts(frame_of, cuts))
    assert data.get_categories() == {"town": NAMES}
    assert model_bytes(data) == EXPECTED
    assert model_bytes(kb.QuantileDMatrix(parts(frame_of, cuts))) == EXPECTED
    in_file = kb.ExtMemQuantileDMatrix(parts(frame_of, cuts, str(tmp_path / "cache")))
    assert model_bytes(in_file) == EXPECTED


def test_evaluation_bins_take_the_names_of_training(frame_of: Any) -> None:
    train = kb.QuantileDMatrix(declared(), label=Y)
    booster = trained(train)
    held = [text for text in TEXTS if text not in ("Bern", "Ä")]
    found = booster.eval(kb.QuantileDMatrix(frame_of(held), label=Y[: len(held)], ref=train))
    wanted = booster.eval(kb.QuantileDMatrix(declared(held), label=Y[: len(held)], ref=train))
    assert found == wanted
    with_parts = kb.QuantileDMatrix(parts(frame_of, [3, 4, 90]), ref=train)
    assert booster.eval(with_parts) == booster.eval(train)


# ---- texts that are no categories ----

IDS = [f"id{i}" for i in range(N_ROWS)]


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(kb.DataError) as error:
        call()
    return str(error.value)


def test_identifiers_are_refused_in_training_alone(frame_of: Any) -> None:
    frame = frame_of(IDS)
    data = kb.DMatrix(frame, label=Y)  # may be rows to predict
    for train in (
        lambda: trained(data),
        lambda: trained(kb.QuantileDMatrix(frame, label=Y)),
        lambda: KauriRegressor(n_estimators=2).fit(frame, Y),
        lambda: kb.cv(PARAMS, data, 2),
        lambda: kb.fit_best(frame, Y, params={"objective": "reg:squarederror"}, rounds_budget=4),
    ):
        said = refusal(train)
        for part in (
            "column 0 ('town')",
            "300 different texts, more than half as many as rows",
            "'id0'",
            "leave the column out",
        ):
            assert part in said
        assert ".astype('category')" in said
    categories = pd.DataFrame({"town": pd.Categorical(IDS), "size": SIZES})
    booster = trained(kb.DMatrix(categories, label=Y))
    assert len(booster.inplace_predict(frame)) == N_ROWS
    assert len(booster.predict(data)) == N_ROWS
    again = kb.train(PARAMS, data, 1, xgb_model=booster, verbose_eval=False)  # its names are known
    assert again.num_boosted_rounds() == booster.num_boosted_rounds() + 1


@pytest.mark.parametrize(
    ("n_names", "n_rows", "is_refused"), [(32, 32, False), (33, 66, False), (33, 65, True), (151, N_ROWS, True)]
)
def test_the_limit(frame_of: Any, n_names: int, n_rows: int, is_refused: bool) -> None:
    data = kb.DMatrix(frame_of([f"t{i % n_names}" for i in range(n_rows)]), label=Y[:n_rows])
    if is_refused:
        assert f"{n_names} different texts, more than half as many as rows" in refusal(lambda: trained(data))
    else:
        trained(data)


def test_batches_of_identifiers(frame_of: Any) -> None:
    """A name that comes once in a batch is no identifier if other batches have it."""
    whole = [f"t{i % 100}" for i in range(N_ROWS)]
    frames = [frame_of(whole[begin : begin + 100]) for begin in (0, 100, 200)]
    trained(kb.DMatrix(Parts(frames)))
    trained(kb.QuantileDMatrix(Parts(frames)))
    of_rows = [frame_of(IDS[begin : begin + 100]) for begin in (0, 100, 200)]
    for make in (kb.DMatrix, kb.QuantileDMatrix):
        assert "300 different texts, more" in refusal(lambda make=make: trained(make(Parts(of_rows))))


def test_slices_are_judged_as_the_whole(frame_of: Any) -> None:
    whole = [f"t{i % 140}" for i in range(N_ROWS)]
    trained(kb.DMatrix(frame_of(whole), label=Y).slice(np.arange(150)))


def test_numbers_in_text_are_refused_in_training(frame_of: Any) -> None:
    texts = [("1", "-2.5", "3e4")[i % 3] for i in range(N_ROWS)]
    said = refusal(lambda: trained(kb.DMatrix(frame_of(texts), label=Y)))
    for part in ("column 0 ('town') holds text that is numbers", "'-2.5'", ".astype(float)", ".astype('category')"):
        assert part in said
    mixed = [("1", "2", "3A")[i % 3] for i in range(N_ROWS)]
    booster = trained(kb.DMatrix(frame_of(mixed), label=Y))
    booster.inplace_predict(frame_of(["1"]))  # a single row may hold nothing else


def test_texts_where_the_model_has_numbers(frame_of: Any) -> None:
    numbers = pd.DataFrame({"town": CODES.astype(np.float32), "size": SIZES})
    booster = trained(kb.DMatrix(numbers, label=Y))
    rows = frame_of(TEXTS)
    for predict in (lambda: booster.predict(kb.DMatrix(rows)), lambda: booster.inplace_predict(rows)):
        assert "column 0 ('town') holds numbers in the model, but categories" in refusal(predict)


def test_texts_where_the_model_knows_categories_by_number(frame_of: Any) -> None:
    table = np.column_stack([CODES, SIZES]).astype(np.float32)
    by_number = kb.DMatrix(table, label=Y, feature_names=["town", "size"], feature_types=["c", "q"])
    booster = trained(by_number)
    rows = frame_of(TEXTS)
    for predict in (lambda: booster.predict(kb.DMatrix(rows)), lambda: booster.inplace_predict(rows)):
        said = refusal(predict)
        assert "column 0 ('town') holds text" in said
        assert "knows its categories by their numbers" in said


def test_a_column_without_any_text(frame_of: Any) -> None:
    nothing: list[str | None] = [None] * N_ROWS
    data = kb.DMatrix(frame_of(nothing), label=Y)
    assert data.num_nonmissing() == N_ROWS
    trained(data)
    booster = trained(kb.DMatrix(declared(), label=Y))
    missing = pd.DataFrame({"town": pd.Categorical(nothing, categories=NAMES), "size": SIZES})
    assert np.array_equal(booster.inplace_predict(frame_of(nothing)), booster.inplace_predict(missing))


def test_objects_that_are_neither_texts_nor_numbers() -> None:
    for values, cure in (
        (["a", 1] * 150, ".astype(str)"),
        ([Decimal("1.5")] * N_ROWS, ".astype(float)"),
        ([1, 2.5] * 150, ".astype(float)"),
        ([datetime.date(2024, 1, 1)] * N_ROWS, ".dt.year"),
        ([b"a"] * N_ROWS, "categor"),
    ):
        said = refusal(lambda values=values: kb.DMatrix(pandas_of(values, object), label=Y))
        assert "columns that are not numbers: town (object)" in said
        assert cure in said


def test_texts_that_are_not_unicode() -> None:
    assert "not Unicode" in refusal(lambda: kb.DMatrix(pandas_of(["\ud800", "a"], object)))


def test_categorical_columns_can_be_refused(frame_of: Any) -> None:
    for make in (kb.DMatrix, kb.QuantileDMatrix):
        said = refusal(lambda make=make: make(frame_of(TEXTS), label=Y, enable_categorical=False))
        assert "town" in said
        assert "enable_categorical" in said


def test_floats_name_categories_if_they_are_whole() -> None:
    """An integer column with a gap is one of floats."""
    rooms = pd.Series([1, 2, None] * 100)
    frame = pd.DataFrame({"rooms": rooms.astype("category"), "size": SIZES})
    booster = trained(kb.DMatrix(frame, label=Y))
    integers = pd.DataFrame({"rooms": pd.Categorical([2, 1, 2]), "size": SIZES[:3]})
    floats = pd.DataFrame({"rooms": pd.Categorical([2.0, 1.0, 2.0]), "size": SIZES[:3]})
    assert np.array_equal(booster.inplace_predict(integers), booster.inplace_predict(floats))
    halves = pd.DataFrame({"rooms": pd.Categorical([0.5, 1.5] * 150), "size": SIZES})
    assert "floating point" in refusal(lambda: kb.DMatrix(halves))


def test_dictionaries_of_arrow_in_pandas() -> None:
    kind = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
    data = kb.DMatrix(pandas_of(TEXTS, kind), label=Y)
    assert data.get_categories() == {"town": NAMES}
    assert model_bytes(data) == EXPECTED


UNDER_THE_NAME_OF_XGBOOST = """
import kauriboost as kb
kb.install_as_xgboost()
import pandas as pd, polars as pl, pyarrow as pa, xgboost
for frame in (pd.DataFrame({"a": ["x", "y"]}), pl.DataFrame({"a": ["x", "y"]}), pa.table({"a": ["x", "y"]})):
    try:
        xgboost.DMatrix(frame, enable_categorical=True)
    except ValueError as error:
        print("not numbers: a" in str(error))
"""


def test_xgboosts_name_keeps_its_rule() -> None:
    done = subprocess.run([sys.executable, "-c", UNDER_THE_NAME_OF_XGBOOST], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 3
