"""Blocks as features and labels, their description, and the pieces that a worker reads; none needs a cluster."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from ray_problems import FEATURES, NUMBERS, rows, table_of

kr = pytest.importorskip("kauriboost.ray")
from kauriboost._ray import pieces as ray_pieces  # noqa: E402
from kauriboost._ray import table as ray_table  # noqa: E402
from kauriboost._ray.columns import Columns, part_of_table  # noqa: E402
from kauriboost._ray.pieces import Pieces  # noqa: E402
from kauriboost._ray.predict import Prediction, predicted  # noqa: E402

ALL = Columns(tuple(FEATURES), "label", "weight", None, "query")


def described(blocks: list[pa.Table], columns: Columns, wants_classes: bool = False) -> ray_table.Table:
    """Return what `read` makes of a dataset with these blocks."""
    facts = [ray_table.describe_block(columns, None, wants_classes, block) for block in blocks]
    return ray_table._table(columns, blocks, facts)


@pytest.fixture
def without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_pieces, "block_of", lambda ref, number, timeout: ref)


def test_numbers_texts_and_categories() -> None:
    table = pa.table(
        {
            "whole": pa.array([1, None, 3], pa.int64()),
            "flag": [True, False, None],
            "text": ["b", None, "a"],
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
            "nothing": pa.nulls(3),
            "label": [1.0, 0.0, 1.0],
        }
    )
    part, kinds = part_of_table(table, Columns(None, "label"))
    data = part["data"]
    np.testing.assert_array_equal(data["whole"], np.array([1, np.nan, 3], dtype=np.float32))
    np.testing.assert_array_equal(data["flag"], np.array([1, 0, np.nan], dtype=np.float32))
    assert data["text"].tolist()[::2] == ["b", "a"]
    assert list(data["kind"].cat.categories) == ["x", "y"]
    assert kinds == {"whole": "number", "flag": "number", "text": "text", "kind": "category", "nothing": "nothing"}
    assert part["label"].tolist() == [1, 0, 1]


def test_vectors_of_all_kinds() -> None:
    X = np.arange(6, dtype=np.float32).reshape(3, 2)
    lists = pa.array(X.tolist(), pa.list_(pa.float64()))
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(X)
    for column in (lists, pa.array(X.tolist(), pa.list_(pa.float32(), 2)), tensors):
        part, _ = part_of_table(pa.table({"v": column, "y": [1, 2, 3]}), Columns("v", "y"))
        np.testing.assert_array_equal(part["data"], X)
    sparse = pytest.importorskip("scipy.sparse")
    part, _ = part_of_table(pa.table({"v": kr.sparse_column(sparse.csr_matrix(X)), "y": lists}), Columns("v", "y"))
    np.testing.assert_array_equal(part["data"].toarray(), X)
    np.testing.assert_array_equal(part["label"], X)


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        ({"x": [1.0]}, Columns(("z",), "x"), "no column 'z'; its columns are x"),
        ({"x": [1.0]}, Columns(None, "y"), "no column 'y'"),
        ({"y": [1.0]}, Columns(None, "y"), "no columns of features besides y"),
        ({"x": [[1.0]], "z": [1.0], "y": [1.0]}, Columns(None, "y"), "has vectors, and there are 2 columns"),
        ({"x": [pd.Timestamp(0)], "y": [1.0]}, Columns(None, "y"), "a column of its own has numbers, booleans, texts"),
        ({"x": [1.0], "y": ["a"]}, Columns(None, "y"), "expected numbers. Make numbers of texts first"),
        ({"x": [1.0], "y": [None]}, Columns(None, "y"), r"a row has no label \(null\)"),
        ({"x": [1.0], "y": [1.0], "q": [1.5]}, Columns(("x",), "y", qid="q"), "expected integers"),
        ({"x": [[1.0], None], "y": [1.0, 2.0]}, Columns("x", "y"), "a row has no vector"),
        ({"x": [{"a": 1}], "y": [1.0]}, Columns("x", "y"), "kauriboost.ray.sparse_column"),
    ],
)
def test_columns_that_do_not_fit(table: dict[str, Any], columns: Columns, message: str) -> None:
    with pytest.raises(kb.DataError, match=message):
        part_of_table(pa.table(table), columns)


def test_any_blocks_have_one_description(without_ray: None, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = table_of(rows(500))
    monkeypatch.setattr(ray_table, "_VALUES_OF_A_SLICE", 6 * 70)  # slices of 70 rows
    one = described([whole], ALL)
    many = described([whole.slice(0, 3), whole.slice(3, 0), whole.slice(3, 200), whole.slice(203)], ALL)
    assert [one.n_rows, many.n_rows] == [500, 500]
    assert one.checksum == many.checksum
    assert one.checksum != described([table_of(rows(500, seed=4))], ALL).checksum
    np.testing.assert_array_equal(one.query_starts, many.query_starts)
    assert list(one.categories["tree"]) == sorted(["ash", "birch", "cedar", "zelkova", "élan"])
    assert list(many.categories["size"]) == ["small", "large", "huge"]
    for table in (one, many):
        for size in (1, 2, 4):
            shares = [table.share(rank, size) for rank in range(size)]
            assert [first for first, _ in shares[1:]] == [end for _, end in shares[:-1]]
            parts = [part for first, end in shares for part in Pieces(table, first, end, 1.0)]
            labels = np.concatenate([part["label"] for part in parts])
            np.testing.assert_array_equal(labels, rows(500)["label"])
            assert not any(a["qid"][-1] == b["qid"][0] for a, b in zip(parts, parts[1:]))
            weights = rows(500).groupby("query")["weight"].first()
            np.testing.assert_array_equal(np.concatenate([part["weight"] for part in parts]), weights)


def test_the_checksum_sees_every_change() -> None:
    frame = rows(40)
    sparse = pytest.importorskip("scipy.sparse")

    def checksum(changed: pd.DataFrame) -> int:
        return described([table_of(changed)], ALL).checksum

    swapped = frame.assign(x0=frame["x1"], x1=frame["x0"])
    other_text = frame.assign(tree=frame["tree"].replace("ash", "oak"))
    other_kind = frame.assign(size=frame["size"].cat.rename_categories({"small": "tiny"}))
    others = [swapped, other_text, other_kind, frame.assign(query=frame["query"] + 1)]
    others += [frame.assign(label=1 - frame["label"]), frame.assign(weight=frame["weight"] * 2)]
    reordered = frame.assign(query=1)
    found = [checksum(each) for each in (frame, *others, reordered, reordered[::-1])]
    assert len(set(found)) == len(found)
    matrices = [sparse.csr_matrix(values) for values in ([[1.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]])]
    matrices.append(sparse.csr_matrix([[0.0, 0.0], [1.0, 0.0]]))
    of_vectors = [pa.table({"v": kr.sparse_column(matrix), "y": [1.0, 2.0]}) for matrix in matrices]
    assert len({described([table], Columns("v", "y")).checksum for table in of_vectors}) == 3


def test_rows_that_come_back_changed(without_ray: None) -> None:
    table = described([table_of(rows(50))], ALL)
    table.blocks[0] = table_of(rows(50, seed=4))
    with pytest.raises(
        kb.DataError, match="block 0 of the dataset was lost, and computing it again gave different rows"
    ):
        list(Pieces(table, 0, 50, 1.0))


def test_blocks_that_are_unlike() -> None:
    numbers, texts = pa.table({"x": [1.0], "y": [1.0]}), pa.table({"x": ["a"], "y": [1.0]})
    with pytest.raises(kb.DataError, match="'x' has numbers in one block and texts in another"):
        described([numbers, texts], Columns(None, "y"))
    nothing = pa.table({"x": pa.nulls(1), "y": [1.0]})
    assert described([nothing, texts], Columns(None, "y")).kinds == {"x": "text"}
    with pytest.raises(kb.DataError, match=r"a block has the features \['z'\], another one \['x'\]"):
        described([numbers, pa.table({"z": [1.0], "y": [1.0]})], Columns(None, "y"))
    short, long = pa.table({"x": [[1.0]], "y": [1.0]}), pa.table({"x": [[1.0, 2.0]], "y": [1.0]})
    with pytest.raises(kb.DataError, match="the vectors of features have 1 and 2 numbers"):
        described([short, long], Columns("x", "y"))
    with pytest.raises(kb.DataError, match="the dataset has no rows"):
        described([numbers.slice(0, 0)], Columns(None, "y"))


def test_queries_ascend() -> None:
    columns = Columns(("x",), "x", qid="q")
    blocks = [pa.table({"x": [1.0, 2.0], "q": queries}) for queries in ([1, 2], [2, 3])]
    assert described(blocks, columns).query_starts.tolist() == [0, 1, 3]
    with pytest.raises(kb.DataError, match=r"do not ascend.*dataset.sort\('q'\)"):
        described(blocks[::-1], columns)
    with pytest.raises(kb.DataError, match="do not ascend"):
        described([pa.table({"x": [1.0, 2.0], "q": [2, 1]})], columns)


def test_texts_that_are_no_categories() -> None:
    with pytest.raises(kb.DataError, match="holds text that is numbers"):
        described([pa.table({"x": ["1.5", "2"], "y": [1.0, 2.0]})], Columns(None, "y"))


def test_labels_of_classes_are_numbered(without_ray: None) -> None:
    table = described([pa.table({"x": [1.0, 2.0, 3.0], "y": [7, 3, 7]})], Columns(None, "y"), wants_classes=True)
    assert table.classes is not None
    (part,) = Pieces(table, 0, 3, 1.0, table.classes)
    assert part["label"].tolist() == [1, 0, 1]


def prediction(booster: kb.Booster, columns: Columns, missing: float = float("nan")) -> Prediction:
    return Prediction(bytes(booster.save_raw()), columns, {}, missing, "prediction", None, 1)


def test_rules_of_columns_hold_in_predictions() -> None:
    frame = rows(300)
    booster = kb.train({}, kb.DMatrix(frame[FEATURES], label=frame["score"]), 3)
    table = table_of(frame[FEATURES])
    given = prediction(booster, Columns(tuple(FEATURES)))
    found = predicted(table, given).column("prediction").to_numpy()
    np.testing.assert_array_equal(found, booster.predict(kb.DMatrix(frame[FEATURES])))
    assert predicted(table.slice(0, 0), given).num_rows == 0
    with pytest.raises(kb.DataError, match="has a column 'prediction' already"):
        predicted(predicted(table, given), given)
    with pytest.raises(kb.DataError, match="x1"):  # names
        predicted(table, prediction(booster, Columns((*NUMBERS[1:], NUMBERS[0], "tree", "size"))))
    with pytest.raises(kb.DataError, match="tree"):  # types
        predicted(table.set_column(4, "tree", pa.array(np.zeros(300))), given)
    with pytest.raises(kb.DataError, match="oak"):  # categories
        predicted(table.set_column(4, "tree", pa.array(["oak"] * 300)), given)
    vectors = kb.train({}, kb.DMatrix(frame[NUMBERS].to_numpy(), label=frame["score"]), 2)
    with pytest.raises(kb.DataError, match="3"):  # width
        predicted(pa.table({"v": [[1.0, 2.0, 3.0]]}), prediction(vectors, Columns("v")))


def test_the_value_that_means_missing() -> None:
    X = np.array([[0], [1], [2], [3]] * 20, dtype=np.float32)
    booster = kb.train({"min_child_weight": 0}, kb.DMatrix(X, label=X[:, 0], missing=0.0), 2)
    table = pa.table({"v": X.tolist()})
    found = predicted(table, prediction(booster, Columns("v"), 0.0)).column("prediction").to_numpy()
    np.testing.assert_array_equal(found, booster.predict(kb.DMatrix(X, missing=0.0)))
