"""Training continues with frames whose categories are reordered or new."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest

CITIES = ["oslo", "rome", "bern", "wien", "nice", "york"]
SIZES = [10, -5, 7, 300]
PARAMS = {"max_depth": 4, "max_cat_to_onehot": 5, "min_child_weight": 0, "max_bin": 16}


def make_frame(cities: list[str], sizes: list[int], n_rows: int = 500) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the same rows for any order of the categories; the last city and size do not occur."""
    rng = np.random.default_rng(3)
    city, size, x = rng.integers(0, 5, n_rows), rng.integers(0, 3, n_rows), rng.normal(size=n_rows)
    frame = pd.DataFrame(
        {
            "city": pd.Categorical([CITIES[i] for i in city], cities),
            "x": x.astype(np.float32),
            "size": pd.Categorical([SIZES[i] for i in size], sizes),
        }
    )
    frame.loc[rng.random(n_rows) < 0.1, "city"] = np.nan
    return frame, (city % 2) * (size + 1) + 0.3 * x


def shuffled(names: list[Any]) -> list[Any]:
    return [names[i] for i in np.random.default_rng(len(names)).permutation(len(names))]


FRAME, Y = make_frame(CITIES, SIZES)
OTHER = make_frame(shuffled(CITIES), shuffled(SIZES))[0]


def bins(frame: pd.DataFrame, y: np.ndarray) -> kb.DMatrix:
    return kb.QuantileDMatrix(frame, y, max_bin=16)


@pytest.mark.parametrize(
    ("matrix", "params"),
    [
        (kb.DMatrix, {"tree_method": "hist"}),
        (bins, {"tree_method": "hist"}),
        (bins, {"tree_method": "hist", "booster": "dart", "rate_drop": 0.5}),
        (kb.DMatrix, {"tree_method": "hist", "unseen_category": "error"}),
        (kb.DMatrix, {"tree_method": "exact"}),
        (kb.DMatrix, {"tree_method": "approx"}),
        (kb.DMatrix, {"process_type": "update", "updater": "refresh"}),
    ],
)
def test_the_order_does_not_matter(matrix: Any, params: dict[str, Any]) -> None:
    params = {**PARAMS, **params}
    first = {key: value for key, value in params.items() if key not in ("process_type", "updater")}
    half = kb.train(first, matrix(FRAME, Y), 3)
    expected = kb.train(params, matrix(FRAME, Y + 1), 3, xgb_model=half)
    trained = [
        kb.train({**params, "nthread": threads}, matrix(OTHER, Y + 1), 3, xgb_model=half) for threads in (1, 2, 3)
    ]
    assert [model.save_raw("json") for model in trained] == [expected.save_raw("json")] * 3
    assert expected.save_raw("json") != half.save_raw("json")
    assert trained[0].get_categories() == {"city": CITIES, "size": SIZES}


def test_new_names_follow_those_of_the_model() -> None:
    half = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 2)
    cities, sizes = ["kiev", *reversed(CITIES), "bonn"], [8, *reversed(SIZES)]
    frame, y = make_frame(cities, sizes)
    frame.loc[:50, "city"], frame.loc[60:80, "city"], frame.loc[70:110, "size"] = "bonn", "kiev", 8
    known_first = frame.assign(
        city=frame["city"].cat.set_categories([*CITIES, "kiev", "bonn"]),
        size=frame["size"].cat.set_categories([*SIZES, 8]),
    )
    on = [kb.train(PARAMS, kb.DMatrix(table, y), 2, xgb_model=half) for table in (frame, known_first)]
    assert on[0].save_raw("json") == on[1].save_raw("json")
    assert on[0].get_categories() == {"city": [*CITIES, "kiev", "bonn"], "size": [*SIZES, 8]}
    np.testing.assert_array_equal(on[0].predict(kb.DMatrix(frame)), on[0].predict(kb.DMatrix(known_first)))


def test_fewer_names() -> None:
    half = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 2)
    few = make_frame(CITIES[4::-1], SIZES)[0]
    expected = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 2, xgb_model=half)
    on = kb.train(PARAMS, kb.DMatrix(few, Y), 2, xgb_model=half)
    assert on.save_raw("json") == expected.save_raw("json")


def test_rounds_by_hand_and_evaluation() -> None:
    """Uses one booster, data of both orders in turn, user gradients, and changing labels."""

    def gradients(margins: np.ndarray, data: kb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        return margins - data.get_label(), np.ones_like(margins)

    def run(frames: list[pd.DataFrame]) -> tuple[bytes, list[str]]:
        data = [kb.DMatrix(frame, Y) for frame in frames]
        booster = kb.Booster({**PARAMS, "base_score": 0.5}, cache=data)
        lines = []
        for round_ in range(6):
            train = data[round_ % 2]
            if round_ < 4:
                booster.update(train, round_)
            else:
                booster.update(train, round_, fobj=gradients)
            if round_ == 2:
                data[1].set_label(Y * 2)
            lines.append(booster.eval_set([(data[0], "a"), (data[1], "b")], round_))
        return booster.save_raw("json"), lines

    assert run([FRAME, OTHER]) == run([FRAME, FRAME.copy()])


def test_refusals() -> None:
    half = kb.train(PARAMS, kb.DMatrix(FRAME, Y), 1)
    numbers = FRAME.assign(city=FRAME["city"].cat.rename_categories(range(6)))
    with pytest.raises(kb.DataError, match=r"column 0 .*are integers, as 0, but were texts in training, as 'oslo'"):
        kb.train(PARAMS, kb.DMatrix(numbers, Y), 1, xgb_model=half)

    class Once(kb.DataIter):
        def __init__(self) -> None:
            super().__init__()
            self.done = False

        def reset(self) -> None:
            self.done = False

        def next(self, input_data: Any) -> bool:
            if self.done:
                return False
            input_data(data=OTHER, label=Y)
            self.done = True
            return True

    pages = kb.ExtMemQuantileDMatrix(Once(), max_bin=16)
    with pytest.raises(kb.DataError, match="external memory cannot be renumbered"):
        kb.train({**PARAMS, "tree_method": "hist"}, pages, 1, xgb_model=half)


def test_a_model_that_is_loaded_learns_categories_anew() -> None:
    """Cached state of a booster about the data belongs to its previous model."""
    params = {**PARAMS, "tree_method": "hist", "unseen_category": "error"}
    few = FRAME[FRAME["city"].isin(CITIES[:2])]
    other = kb.train(params, kb.DMatrix(few.assign(city=few["city"].cat.set_categories(CITIES[:2])), Y[few.index]), 2)
    data = kb.DMatrix(FRAME, Y)
    booster = kb.Booster(params, [data])
    booster.update(data, 0)
    booster.load_model(other.save_raw())
    booster.update(data, 2)
    assert booster.get_categories()["city"] == CITIES
    expected = kb.Booster(params, model_file=other)
    expected.update(data, 2)
    assert booster.save_raw("json") == expected.save_raw("json")
    booster.predict(data)
