"""Parameters, files and errors of the estimators of Spark; nothing here needs a session."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

ks = pytest.importorskip("kauriboost.spark")
from kauriboost._spark.columns import Columns, selected  # noqa: E402
from kauriboost._spark.estimators import _result  # noqa: E402
from kauriboost._spark.files import Writer, as_saved  # noqa: E402
from kauriboost._spark.task import Trained  # noqa: E402
from pyspark.errors import PySparkException  # noqa: E402
from pyspark.ml.util import MLWriter  # noqa: E402


class Nothing(kb.callback.TrainingCallback):
    """A callback without effect."""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("callbacks", [Nothing()]),
        ("objective", lambda margins, labels: (margins, labels)),
        ("random_state", np.random.RandomState(1)),
        ("arbitrary_params_dict", {"objects": [object()]}),
    ],
)
def test_what_cannot_be_saved_leaves_the_older_folder(name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[str, str]] = []
    monkeypatch.setattr(MLWriter, "_handleOverwrite", lambda self, path: done.append(("delete", path)))
    monkeypatch.setattr(Writer, "saveImpl", lambda self, path: done.append(("save", path)))
    monkeypatch.setattr(Writer, "_move", lambda self, draft, path: done.append((draft, path)))
    with pytest.raises(kb.ModelError, match=f"the parameter {name} has no form in Spark's metadata"):
        ks.KauriRegressor(**{name: value}).write().overwrite().save("folder")
    assert done == []
    ks.KauriRegressor(**{name: None if name != "arbitrary_params_dict" else {}}).write().overwrite().save("folder")
    draft = done[0][1]
    assert draft.startswith("folder.")
    assert done == [("save", draft), ("delete", "folder"), (draft, "folder")]


def test_a_save_that_fails_leaves_the_older_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Any, path: str) -> None:
        raise OSError("no room")

    deleted: list[str] = []
    monkeypatch.setattr(MLWriter, "_handleOverwrite", lambda self, path: deleted.append(path))
    monkeypatch.setattr(Writer, "saveImpl", fails)
    with pytest.raises(OSError, match="no room"):
        ks.KauriRegressor().write().overwrite().save("folder")
    assert len(deleted) == 1
    assert deleted[0].startswith("folder.")


def test_numbers_of_numpy_are_saved_as_numbers() -> None:
    given = ks.KauriRegressor(learning_rate=np.float32(0.5), max_depth=np.int64(3), feature_weights=np.ones(2))
    given.setParams(arbitrary_params_dict={"alpha": [np.float64(2)]}, xgb_model=b"a model")
    made = as_saved(given)
    assert made.value("xgb_model") is None
    assert given.value("xgb_model") == b"a model"
    found = [made.value(name) for name in ("learning_rate", "max_depth", "feature_weights", "arbitrary_params_dict")]
    assert found == [0.5, 3, [1.0, 1.0], {"alpha": [2.0]}]
    assert [type(value) for value in found] == [float, int, list, dict]


def test_a_model_has_no_callbacks() -> None:
    estimator = ks.KauriRegressor(callbacks=[Nothing()], max_depth=3)
    model = estimator._fitted(Trained(b"", {}))
    assert model.value("callbacks") is None
    assert model.value("max_depth") == 3
    assert len(estimator.value("callbacks")) == 1


def test_the_last_features_count() -> None:
    estimator = ks.KauriRegressor(features_col=["a", "b"])
    both = {estimator.featuresCol: "vector"}
    assert estimator.copy(both).columns().features == "vector"
    assert estimator.copy().columns().features == ["a", "b"]
    assert estimator.setFeaturesCol("vector").columns().features == "vector"
    assert estimator.copy({estimator.features_cols: ["c"]}).columns().features == ["c"]
    assert estimator.setFeaturesCol(["c", "d"]).columns().features == ["c", "d"]
    estimator.set(estimator.featuresCol, "other")
    assert estimator.columns().features == "other"
    assert estimator.setParams(features_cols=["e"]).columns().features == ["e"]
    assert estimator.setParams(max_depth=2).columns().features == ["e"]


def test_a_feature_is_named_once() -> None:
    with pytest.raises(kb.DataError, match="features_col has 'a' more than once"):
        selected(None, Columns(["a", "b", "a"]))


@pytest.mark.parametrize("timeout", [0.0, -1.0, float("nan"), float("inf")])
def test_a_deadline_is_a_time(timeout: float) -> None:
    with pytest.raises(kb.ParameterError, match=r"timeout is .*; choose a number of seconds above 0"):
        ks.KauriRegressor(timeout=timeout).fit(None)


def test_rankers_need_queries() -> None:
    with pytest.raises(kb.ParameterError, match="KauriRanker needs qid_col, the column of queries"):
        ks.KauriRanker().fit(None)
    with pytest.raises(kb.ParameterError, match="KauriRegressor takes no qid_col"):
        ks.KauriRegressor(qid_col="query").fit(None)


def test_names_of_no_parameter() -> None:
    with pytest.raises(kb.ParameterError, match="max_dept"):
        ks.KauriRegressor(max_dept=3).fit(None)


class Failing:
    """A frame whose rows cannot be computed."""

    def __init__(self, message: str) -> None:
        self.message = message

    def repartition(self, n: int) -> Failing:
        return self

    def collect(self) -> Any:
        raise PySparkException(self.message)


@pytest.mark.parametrize(
    "message",
    [
        "Could not recover from a failed barrier ResultStage. Most recent failure reason: ...",
        "ShuffleMapStage 1 has failed the maximum allowable number of times: 4. Most recent failure reason: ...",
        "Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task "
        "ExecutorLostFailure (executor 3 exited caused by one of the running tasks)",
    ],
)
def test_lost_workers_are_told_apart(message: str) -> None:
    with pytest.raises(kb.CollectiveError, match=r"(?s)Spark has given up the training.*memoryOverhead"):
        _result(Failing(message))


def test_errors_of_the_frame_are_its_own() -> None:
    with pytest.raises(PySparkException, match="division by zero"):
        _result(Failing("division by zero\n\tat org.apache.spark.a barrier task"))
