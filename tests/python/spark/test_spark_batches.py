"""Arrow batches as arrays and frames, and the numbers of rows; nothing here needs a session."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost.collective import thread_group
from scipy import sparse
from sklearn.base import clone

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark")
from kauriboost._cluster.arrow import features_of, part_of  # noqa: E402
from kauriboost._collective.sockets import Key  # noqa: E402
from kauriboost._estimators.missing import MissingCallback  # noqa: E402
from kauriboost._spark.meeting import Meeting  # noqa: E402
from kauriboost._spark.predict import NUMBER, NUMBERS, Prediction, run  # noqa: E402
from kauriboost._spark.rows import BITS_OF_POSITION, WorkerRows  # noqa: E402
from kauriboost._spark.task import Job, _trained  # noqa: E402
from kauriboost._training.training import Plan  # noqa: E402


def vectors(rows: list[dict[str, Any]]) -> Any:
    kind = pa.struct([("size", pa.int32()), ("indices", pa.list_(pa.int32())), ("values", pa.list_(pa.float32()))])
    return pa.RecordBatch.from_pydict({"features": pa.array(rows, type=kind)})


def lists(rows: list[list[float]]) -> Any:
    return pa.RecordBatch.from_pydict({"features": pa.array(rows, type=pa.list_(pa.float32()))})


DENSE = {"size": None, "indices": None, "values": [1.0, 0.0, 3.0]}
SPARSE = {"size": 3, "indices": [1], "values": [5.0]}
EMPTY = {"size": 3, "indices": [], "values": []}


def test_vectors_of_any_kind_are_the_same_numbers() -> None:
    right = np.array([[1, 0, 3], [0, 5, 0], [0, 0, 0], [1, 0, 3]], dtype=np.float32)
    batch = vectors([DENSE, SPARSE, EMPTY, DENSE])
    np.testing.assert_array_equal(features_of(batch, None, False), right)
    np.testing.assert_array_equal(features_of(batch.slice(1, 2), None, False), right[1:3])
    np.testing.assert_array_equal(features_of(vectors([DENSE]), None, False), right[:1])
    found = features_of(batch, None, True)
    assert sparse.issparse(found)
    assert found.nnz == 7
    np.testing.assert_array_equal(found.toarray(), right)
    np.testing.assert_array_equal(features_of(batch.slice(1, 3), None, True).toarray(), right[1:])


def test_rows_that_make_no_table_are_refused() -> None:
    with pytest.raises(kb.DataError, match=r"the vectors of features have \[2, 3\] numbers"):
        features_of(vectors([DENSE, {**SPARSE, "size": 2}]), None, False)
    with pytest.raises(kb.DataError, match="a row has no features"):
        features_of(vectors([{"size": None, "indices": None, "values": None}]), None, False)
    wide = vectors([{"size": 1 << 30, "indices": [1], "values": [5.0]}])
    with pytest.raises(kb.DataError, match=r"set missing=0\.0 and enable_sparse_data_optim=True"):
        features_of(wide, None, False)
    with pytest.raises(kb.DataError, match=r"the arrays of features have \[1, 2\] numbers"):
        features_of(lists([[1.0], [1.0, 2.0]]), None, False)
    labels = pa.RecordBatch.from_pydict({"feature0": pa.array([1.0]), "label": pa.array([None], type=pa.float64())})
    with pytest.raises(kb.DataError, match=r"a row has no label \(null\)"):
        part_of(labels, ["a"], False)
    keys = pa.RecordBatch.from_pydict({"feature0": [1.0, 2.0], "key": pa.array([7, None], type=pa.int64())})
    with pytest.raises(kb.DataError, match=r"a row has no query \(null\)"):
        WorkerRows([keys], ["a"], False)


def test_nulls_are_missing_and_texts_are_categories() -> None:
    columns = {"feature0": pa.array([1.5, None], type=pa.float32()), "feature1": pa.array(["b", None])}
    frame = features_of(pa.RecordBatch.from_pydict(columns), ["number", "text"], False)
    assert math.isnan(frame["number"][1])
    assert frame["number"].dtype == np.float32
    assert frame["text"].tolist()[0] == "b"
    assert frame["text"].cat.codes.tolist() == [0, -1]


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide what Spark says of a task with two processors."""
    monkeypatch.setattr("pyspark.TaskContext.get", lambda: type("Task", (), {"cpus": lambda self: 2})())


@pytest.mark.usefixtures("task")
def test_batches_without_rows() -> None:
    assert features_of(lists([]), None, False).shape == (0, 0)
    assert features_of(lists([[], []]), None, False).shape == (2, 0)
    X, y = np.arange(20, dtype=np.float32).reshape(10, 2), np.arange(10) % 2
    alone = kb.KauriClassifier(n_estimators=2).fit(X, y)
    kinds = {"prediction": NUMBER, "raw": NUMBERS, "probability": NUMBERS, "contributions": NUMBERS}
    given = Prediction(kb.KauriClassifier(), bytes(alone.get_booster().save_raw()), None, False, kinds, False)
    frames = [vectors([]), lists([]), lists([[1.0, 2.0]])]
    found = list(run(given, iter([frame.to_struct_array() for frame in frames])))
    assert [len(each) for each in found] == [0, 0, 1]
    assert [each.type for each in found] == [found[2].type] * 3
    assert given.estimator.n_jobs == 2  # the processors of the task


def predicted(model: Any, batch: Any, names: list[str] | None = None, is_sparse: bool = False) -> np.ndarray:
    """Return the predictions of a task that has the parameters and the bytes of a model."""
    fields = {"prediction": NUMBER}
    given = Prediction(clone(model), bytes(model.get_booster().save_raw()), names, is_sparse, fields, False)
    (found,) = run(given, iter([batch.to_struct_array()]))
    values: np.ndarray = found.field("prediction").to_numpy(zero_copy_only=False)
    return values


@pytest.mark.usefixtures("task")
def test_rules_of_columns_hold_in_predictions() -> None:
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"a": rng.normal(size=60).astype(np.float32), "b": pd.Categorical(rng.choice(["x", "y"], 60))})
    model = kb.KauriRegressor(n_estimators=3).fit(table, table["a"] + (table["b"] == "x"))
    numbers, texts = pa.array([0.5, 1.5], type=pa.float32()), pa.array(["y", "x"])
    right = model.predict(pd.DataFrame({"a": [0.5, 1.5], "b": pd.Categorical(["y", "x"])}))
    batch = pa.RecordBatch.from_pydict({"feature0": numbers, "feature1": texts})
    np.testing.assert_array_equal(predicted(model, batch, ["a", "b"]), right.astype(float))
    for columns, names, said in (
        ([texts, numbers], ["b", "a"], "order"),
        ([numbers, texts], ["a", "c"], "c"),
        ([numbers, numbers], ["a", "b"], "categor"),
        ([numbers, pa.array(["x", "z"])], ["a", "b"], "z"),
        ([numbers], ["a"], "b"),
    ):
        wrong = pa.RecordBatch.from_arrays(columns, names=[f"feature{i}" for i in range(len(columns))])
        with pytest.raises(ValueError, match=said):
            predicted(model, wrong, names)
    counted = kb.KauriRegressor(n_estimators=2).fit(rng.normal(size=(20, 3)), np.arange(20))
    with pytest.raises(ValueError, match="X has 2 features, but KauriRegressor is expecting 3"):
        predicted(
            counted, pa.RecordBatch.from_pydict({"features": pa.array([[1.0, 2.0]], type=pa.list_(pa.float32()))})
        )


@pytest.mark.usefixtures("task")
def test_the_value_that_means_missing() -> None:
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(80, 3)).astype(np.float32)
    model = kb.KauriRegressor(n_estimators=3, missing=0.0).fit(X, X[:, 0] * (X[:, 1] == 0))
    rows = np.array([[1, 0, 3], [0, 5, 0], [0, 0, 0]], dtype=np.float32)
    for is_sparse in (False, True):
        found = predicted(model, vectors([DENSE, SPARSE, EMPTY]), is_sparse=is_sparse)
        np.testing.assert_array_equal(found, model.predict(rows).astype(float))


def batch_of(keys: list[int], held: list[bool]) -> Any:
    values = pa.array(np.arange(len(keys), dtype=np.float32))
    return pa.RecordBatch.from_pydict({"feature0": values, "label": values, "key": keys, "held": held})


def on_ranks(given: list[list[Any]], work: Callable[[WorkerRows, Any], Any]) -> list[Any]:
    results: list[Any] = [None] * len(given)

    def go(rank: Any) -> None:
        try:
            results[rank.rank] = work(WorkerRows(given[rank.rank], ["a"], False, rank.rank), rank)
        except kb.DataError as error:
            results[rank.rank] = error

    threads = [threading.Thread(target=go, args=(rank,)) for rank in thread_group(len(given), 10.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_rows_are_numbered_by_their_keys() -> None:
    first = [batch_of([3, 3, 5], [False, True, False]), batch_of([5, 9], [False, False])]
    second = [batch_of([1, 4, 4], [True, False, False])]
    found = on_ranks([first, second, []], lambda rows, rank: [each.tolist() for each in rows.number(rank)])
    # keys 1, 3, 4, 5, 9 have 0, 1, 2, 2, 1 rows to learn from, and 1, 1, 0, 0, 0 held-out ones
    assert found == [[[[0, 1], [3, 3]], [[1, 1]]], [[[1, 2]], [[0, 1]]], [[], []]]
    twice = on_ranks([[batch_of([3], [False])], [batch_of([3], [False])]], lambda rows, rank: rows.number(rank))
    assert all("two workers have the same rows" in str(error) for error in twice)


TABLE = pd.DataFrame({"a": np.arange(8, dtype=np.float32), "b": list("xyzxwzyx")})
BEGIN = 3 << BITS_OF_POSITION  # the tag of the first row of the fourth partition


def tagged(rows: list[int], tags: list[int]) -> Any:
    some = TABLE.iloc[rows]
    columns = {"feature0": pa.array(some["a"]), "feature1": pa.array(some["b"]), "label": pa.array(some["a"])}
    return pa.RecordBatch.from_pydict({**columns, "tag": pa.array(tags, type=pa.int64())})


@pytest.mark.parametrize(
    "batches",
    [
        [tagged([0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 5, 2000, 2001, BEGIN, BEGIN + 1, BEGIN + 2000])],
        [tagged([5, 6, 7, 0, 1], [BEGIN, BEGIN + 1, BEGIN + 2000, 0, 1]), tagged([2, 3, 4], [5, 2000, 2001])],
        [tagged([6, 0, 3], [BEGIN + 1, 0, 2000]), tagged([7, 5, 4, 1, 2], [BEGIN + 2000, BEGIN, 2001, 1, 5])],
    ],
)
def test_dealt_rows_are_put_in_order(batches: list[Any]) -> None:
    """Rows of several partitions may come in any order, and even mixed."""
    rows = WorkerRows(batches, ["a", "b"], False)
    parts = rows.parts[0]
    found = pd.concat([part["data"].astype({"b": object}) for part in parts], ignore_index=True)
    pd.testing.assert_frame_equal(found, TABLE.astype({"b": object}))
    assert np.concatenate([part["label"] for part in parts]).tolist() == TABLE["a"].tolist()
    (rank,) = thread_group(1, 10.0)
    assert rows.categories(rank)["b"].tolist() == ["w", "x", "y", "z"]
    assert [each.tolist() for each in rows.number(rank)] == [[[0, 8]], []]


def test_a_partition_is_read_as_it_is() -> None:
    given = [
        [batch_of([0, 0], [False, True]).drop_columns(["key"])],
        [],
        [batch_of([0], [False]).drop_columns(["key"])],
    ]
    found = on_ranks(given, lambda rows, rank: [each.tolist() for each in rows.number(rank)])
    assert found == [[[[0, 1]], [[0, 1]]], [[], []], [[[1, 1]], []]]


def test_texts_of_queries_are_the_same_categories_in_every_batch() -> None:
    rng = np.random.default_rng(3)
    queries = np.sort(rng.integers(0, 40, 600))
    texts = np.where(queries < 20, rng.choice(["b", "a"], 600), rng.choice(["c", "b"], 600))
    grades = (texts == "b") + 2.0 * (texts == "c")
    alone = kb.KauriRanker(n_estimators=3).fit(pd.DataFrame({"a": pd.Categorical(texts)}), grades, qid=queries)
    columns = {"feature0": pa.array(texts), "label": grades, "key": queries.astype(np.int64)}
    table, half = pa.RecordBatch.from_pydict(columns), int(np.searchsorted(queries, 25))
    given = [[table.slice(0, 100), table.slice(100, half - 100)], [table.slice(half, 50), table.slice(half + 50)]]
    work = job(kb.KauriRanker(), is_ranking=True)
    found = on_ranks(given, lambda rows, rank: _trained(work, rows, rank, {"nthread": 1}))
    assert [each.model for each in found] == [bytes(alone.get_booster().save_raw())] * 2


def job(estimator: Any, **given: Any) -> Job:
    usual = {"names": ["a"], "is_sparse": False, "is_ranking": False, "is_validated": False}
    plan = Plan(estimator.get_booster_params(), 3, callbacks=[MissingCallback(math.nan)])
    is_classifier = isinstance(estimator, kb.KauriClassifier)
    of_data = {"missing": math.nan, "feature_types": None, "feature_weights": None}
    return Job(plan, is_classifier, **of_data, key=Key(b""), ports=(0,), timeout=10.0, **{**usual, **given})


def test_workers_without_rows_train_along() -> None:
    rng = np.random.default_rng(2)
    values, labels, weights = rng.normal(size=90).astype(np.float32), rng.integers(0, 3, 90), rng.random(90)
    keys, held = np.repeat(np.arange(9), 10), np.arange(90) % 3 == 0
    columns = {"feature0": values, "label": labels.astype(float), "weight": weights.astype(np.float32), "key": keys}
    batches = [pa.RecordBatch.from_pydict({**columns, "held": held}).slice(begin, 40) for begin in (0, 40, 80)]
    table = pd.DataFrame({"a": values})
    for estimator, fields, is_ranking in (
        (kb.KauriRanker(n_estimators=3), {"qid": keys, "sample_weight": weights}, True),
        (kb.KauriClassifier(n_estimators=3), {"sample_weight": weights}, False),
    ):
        chosen = {name: given[~held] for name, given in fields.items()}
        if is_ranking:
            chosen["sample_weight"] = pd.Series(chosen["sample_weight"]).groupby(chosen["qid"]).first()
        alone = clone(estimator).fit(table[~held], labels[~held].astype(float), **chosen)
        work = job(estimator, is_ranking=is_ranking, is_validated=True)
        for given in ([batches, []], [[], batches[:1], batches[1:]] if not is_ranking else [[], batches]):
            found = on_ranks(given, lambda rows, rank, work=work: _trained(work, rows, rank, {"nthread": 1}))
            assert [each.model for each in found] == [bytes(alone.get_booster().save_raw())] * len(given)
            assert [*found[0].history] == ["training", "validation"]
    nothing = on_ranks([[], []], lambda rows, rank: _trained(job(kb.KauriRegressor()), rows, rank, {"nthread": 1}))
    assert all("there are no rows to learn from" in str(error) for error in nothing)


def test_executors_get_estimators_by_name() -> None:
    """Classes sent by value would be others than those that the executors import."""
    code = "import sys, pyspark.cloudpickle as cloudpickle; from kauriboost import spark;"
    code += "made = spark.KauriClassifier().local();"
    code += "sys.exit(b'kauriboost.sklearn' not in (text := cloudpickle.dumps(made)) or b'_encode_table' in text)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


class Silent:
    """A context of a task whose others say nothing."""

    def partitionId(self) -> int:  # noqa: N802
        return 1

    def getTaskInfos(self) -> list[Any]:  # noqa: N802
        return [type("Info", (), {"address": "machine:7077"})] * 2

    def allGather(self, text: str) -> list[str]:  # noqa: N802
        threading.Event().wait(5)
        return [text, text]


def test_a_meeting_has_a_deadline() -> None:
    with pytest.raises(kb.CollectiveError, match=r"worker 1 at machine waited 0\.2 s for the other workers"):
        Meeting(Silent(), 0.2).tell(error=None)
