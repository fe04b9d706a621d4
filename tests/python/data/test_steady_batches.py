"""An iterator whose rows change in a later pass is refused, for every kind of matrix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest

HAS_DEVICE = bool(kb.build_info()["USE_CUDA"])
N, COLUMNS = 40, ["a", "b", "c"]
VALUES = np.random.default_rng(3).normal(size=(N, 3)).astype(np.float32)
ROWS = np.arange(N, dtype=np.float32)


class Passes(kb.DataIter):
    """Batches with the `fields` of each pass; the last entry applies to all further passes."""

    def __init__(
        self,
        passes: list[dict[str, Any]],
        n_batches: int,
        prefix: Path | None,
        place: Callable[[np.ndarray], Any] = np.asarray,
    ) -> None:
        super().__init__(cache_prefix=None if prefix is None else str(prefix / "cache"))
        self.passes, self.parts, self.place = passes, np.array_split(np.arange(N), n_batches), place
        self.n_resets = self.at = 0

    def next(self, input_data: Callable[..., None]) -> bool:
        if self.at == len(self.parts):
            return False
        rows = self.parts[self.at]
        fields = self.passes[min(self.n_resets, len(self.passes)) - 1]
        of_rows = {k: v[rows] if isinstance(v, np.ndarray) and len(v) == N else v for k, v in fields.items()}
        frame = of_rows.pop("frame", None)
        input_data(data=self.place(VALUES[rows]) if frame is None else frame.iloc[rows], **of_rows)
        self.at += 1
        return True

    def reset(self) -> None:
        self.n_resets, self.at = self.n_resets + 1, 0


FIRST = {"label": ROWS, "feature_names": COLUMNS, "feature_types": ["q", "q", "q"]}
LETTERS = pd.DataFrame({"x": pd.Categorical(np.tile(list("abcd"), N // 4)), "y": ROWS})
OTHER_LETTERS = pd.DataFrame({"x": LETTERS.x.cat.rename_categories(list("dcba")), "y": ROWS})
OTHERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "label": (FIRST, {**FIRST, "label": ROWS[::-1].copy()}),
    "no label": (FIRST, {k: v for k, v in FIRST.items() if k != "label"}),
    "label columns": ({"label": np.c_[ROWS, ROWS]}, {"label": np.c_[ROWS, -ROWS]}),
    "weight": ({"weight": ROWS}, {"weight": ROWS + 1}),
    "base_margin": ({"base_margin": ROWS}, {"base_margin": -ROWS}),
    "label_lower_bound": (
        {"label_lower_bound": ROWS, "label_upper_bound": ROWS + 5},
        {"label_lower_bound": ROWS + 1, "label_upper_bound": ROWS + 5},
    ),
    "label_upper_bound": (
        {"label_lower_bound": ROWS, "label_upper_bound": ROWS + 5},
        {"label_lower_bound": ROWS, "label_upper_bound": ROWS + 6},
    ),
    "group": ({"label": ROWS, "qid": ROWS // 4}, {"label": ROWS, "qid": ROWS // 5}),
    "feature_weights": ({"feature_weights": [1, 2, 3]}, {"feature_weights": [3, 2, 1]}),
    "feature_name": (FIRST, {**FIRST, "feature_names": ["b", "a", "c"]}),
    "feature_type": (FIRST, {**FIRST, "feature_types": ["q", "q", "i"]}),
    "names of categories": (
        {"frame": LETTERS, "label": ROWS},
        {"frame": OTHER_LETTERS, "label": ROWS},
    ),
}
MAKERS: dict[str, tuple[Callable[..., Any], bool, int]] = {
    "QuantileDMatrix of one batch": (kb.QuantileDMatrix, False, 1),
    "QuantileDMatrix": (kb.QuantileDMatrix, False, 4),
    "ExtMemQuantileDMatrix": (kb.ExtMemQuantileDMatrix, True, 4),
}


def make(
    maker: str, passes: list[dict[str, Any]], folder: Path, place: Callable[[np.ndarray], Any] = np.asarray
) -> Any:
    function, in_file, n_batches = MAKERS[maker]
    return function(Passes(passes, n_batches, folder if in_file else None, place))


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("field", OTHERS)
def test_another_field_in_a_further_pass(field: str, maker: str, tmp_path: Path) -> None:
    first, other = OTHERS[field]
    assert make(maker, [first], tmp_path).num_row() == N
    word = field.removeprefix("no ").removesuffix(" columns")
    # An in-memory matrix of several batches first reads two of them, in a separate pass that it does not finish.
    for n_same in (1, 2) if maker == "QuantileDMatrix" else (1,):
        with pytest.raises(kb.DataError, match=rf"gave another .*{word}.* than the first; .* the same rows each time"):
            make(maker, [first] * n_same + [other], tmp_path)


@pytest.mark.parametrize("maker", MAKERS)
def test_all_that_may_be_said_is_said_again(maker: str, tmp_path: Path) -> None:
    everything = {**FIRST, "weight": ROWS, "base_margin": ROWS, "feature_weights": [1, 2, 3]}
    data = make(maker, [everything], tmp_path)
    np.testing.assert_array_equal(data.get_label(), ROWS)
    np.testing.assert_array_equal(data.get_weight(), ROWS)
    assert data.feature_names == COLUMNS


def test_a_matrix_of_one_pass_takes_what_that_says() -> None:
    data = kb.DMatrix(Passes([FIRST, {**FIRST, "label": -ROWS}], 4, None))
    np.testing.assert_array_equal(data.get_label(), ROWS)


def test_a_refused_matrix_leaves_the_iterator_usable(tmp_path: Path) -> None:
    first, other = OTHERS["label"]
    iterator = Passes([first, other], 1, None)
    with pytest.raises(kb.DataError, match="gave another label than the first"):
        kb.QuantileDMatrix(iterator)
    np.testing.assert_array_equal(kb.QuantileDMatrix(iterator).get_label(), other["label"])


@pytest.mark.skipif(not HAS_DEVICE, reason="no CUDA device")
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("field", [name for name in OTHERS if name != "names of categories"])
def test_another_field_of_batches_on_a_device(field: str, maker: str, tmp_path: Path) -> None:
    cupy = pytest.importorskip("cupy")
    first, other = OTHERS[field]
    assert make(maker, [first], tmp_path, cupy.asarray).num_row() == N
    for n_same in (1, 2) if maker == "QuantileDMatrix" else (1,):
        with pytest.raises(kb.DataError, match=r"gave another .* than the first; .* the same rows each time"):
            make(maker, [first] * n_same + [other], tmp_path, cupy.asarray)
