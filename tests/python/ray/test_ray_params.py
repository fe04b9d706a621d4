"""Parameters, ports, keys, meetings and errors of the trainer; nothing here needs a cluster."""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

kr = pytest.importorskip("kauriboost.ray")
import ray  # noqa: E402
from kauriboost._collective.sockets import Key  # noqa: E402
from kauriboost._ray import checkpoints, meeting, session, task  # noqa: E402
from kauriboost._ray.trainer import _plain  # noqa: E402
from kauriboost._ray.waiting import in_time  # noqa: E402
from kauriboost._training.checkpoint import TrainingState  # noqa: E402
from kauriboost._training.training import Snapshot  # noqa: E402
from ray.train import ControllerError, RunConfig, ScalingConfig, WorkerGroupError  # noqa: E402

GIVEN: dict[str, Any] = {"datasets": {"train": None}, "label_column": "y"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"datasets": {}}, "the one to learn from is 'train'"),
        ({"timeout": 0.0}, "choose a number of seconds above 0"),
        ({"timeout": float("nan")}, "choose a number of seconds above 0"),
        ({"report_every": 0}, "choose 1 or more rounds"),
        ({"label_column": None}, "name the column of labels"),
        ({"feature_columns": ["a", "a"]}, "feature_columns has 'a' more than once"),
        ({"feature_columns": []}, "expected the name of a column"),
        ({"scaling_config": ScalingConfig(num_workers=0)}, "choose 1 or more workers"),
        ({"ports": (5, 4)}, "expected the first and the last port"),
        ({"callbacks": [kr.RayTrainReportCallback()]}, "the trainer reports by itself"),
        ({"callbacks": [kb.callback.TrainingCheckPoint("folder")]}, "Ray Train keeps the checkpoints"),
    ],
)
def test_settings_that_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(kb.KauriError, match=message):
        kr.KauriTrainer({}, **{**GIVEN, **settings})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"class_weight": "balanced"}, "takes no class_weight: give the weights of the rows by weight_column"),
        ({"preset": "best"}, "takes no preset"),
        ({"warm_start": True}, "takes no warm_start"),
        ({"validation_fraction": 0.2, "early_stopping_rounds": 2}, "takes no validation_fraction"),
        ({"enable_categorical": False}, "takes no enable_categorical"),
        ({"early_stopping_rounds": 2}, "needs rows to evaluate"),
    ],
)
def test_parameters_that_estimators_refuse(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(kb.ParameterError, match=message):
        kr.RayKauriClassifier(**settings).fit(None, "y")


def test_rows_that_are_no_dataset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 4})
    with pytest.raises(TypeError, match="expected a Ray dataset under 'train', got list; make one"):
        kr.train({}, [1.0], label_column="y")


def test_rankers_need_queries() -> None:
    with pytest.raises(kb.ParameterError, match="RayKauriRanker needs qid_column"):
        kr.RayKauriRanker().fit(None, "y")


def test_names_of_no_parameter() -> None:
    with pytest.raises((kb.ParameterError, TypeError, ValueError), match="max_dept"):
        kr.RayKauriRegressor(max_dept=3).fit(None, "y")


def test_two_names_of_one_parameter() -> None:
    estimator = kr.RayKauriRegressor(learning_rate=0.1, eta=0.2)
    with pytest.raises(kb.ParameterError, match="eta"):
        estimator.fit(None, "y")
    with pytest.raises(kb.ParameterError, match="eta"):
        kr.train({"learning_rate": 0.1, "eta": 0.2}, None, label_column="y")


def test_a_name_of_evaluated_rows_that_is_taken() -> None:
    with pytest.raises(kb.DataError, match="choose another name"):
        kr.train({}, None, label_column="y", evals={"train": None})


def test_checkpoints_of_other_trainings(tmp_path: Path) -> None:
    X = np.arange(20, dtype=np.float32).reshape(-1, 1)
    model = bytes(kb.train({}, kb.DMatrix(X, label=X[:, 0]), 2).save_raw())
    state = TrainingState(2, {"train": {"rmse": [2.0, 1.0]}}, [], {"eta": "1"})
    saved = checkpoints.Saved(Snapshot(model, state), model, True)
    with checkpoints.folder_for(saved, "these rows") as folder:
        shutil.copytree(folder, tmp_path / "saved")
    checkpoint = ray.train.Checkpoint.from_directory(str(tmp_path / "saved"))
    assert checkpoints.read(checkpoint, "these rows") == saved
    assert checkpoints.booster_of(checkpoint).num_boosted_rounds() == 2
    with pytest.raises(kb.DataError, match=r"other rows or parameters.*RunConfig\(name=...\)"):
        checkpoints.read(checkpoint, "others")
    (tmp_path / "saved" / "state.json").write_text("{}")
    with pytest.raises(kb.ModelError, match=r"is not one of kauriboost.ray.train, or is damaged"):
        checkpoints.read(checkpoint, "these rows")
    assert checkpoints.latest(state.history) == {"train-rmse": 1.0}


def test_waits_for_places_end() -> None:
    run = session.with_an_end(RunConfig(name="a"), 300.0)
    assert run.failure_config.controller_failure_limit == 5
    assert run.name == "a"
    assert session.with_an_end(None, 1.0).failure_config.controller_failure_limit == 3


def test_keys_are_encrypted_where_ray_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert session.new_key().certificate is None
    monkeypatch.setenv("RAY_USE_TLS", "1")
    key = session.new_key()
    assert key.certificate is not None
    assert key.context(is_server=True) is not None


def test_a_device_for_each_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    assert task._device("cpu", 0) == {}
    with pytest.raises(kb.ParameterError, match=r"gives this worker 0.5 GPUs.*ScalingConfig\(use_gpu=True\)"):
        task._device("cuda", 0.5)
    monkeypatch.setattr(ray, "get_gpu_ids", lambda: [3])
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1,3")
    assert task._device("cuda", 1) == {"device": "cuda:1"}
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    assert task._device("cuda", 1) == {"device": "cuda:0"}


class Told:
    """Stands in for what Ray Train tells all workers."""

    def __init__(self) -> None:
        self.address: Any = None
        self.is_there = threading.Event()

    def broadcast(self, address: Any, timeout: float, name: str) -> Any:
        if address is not None:
            self.address = address
            self.is_there.set()
        assert self.is_there.wait(timeout)
        return self.address


def met(size: int, monkeypatch: pytest.MonkeyPatch, timeout: float = 20.0) -> list[meeting.Meeting]:
    told, found = Told(), {}
    monkeypatch.setattr(meeting, "_broadcast", told.broadcast)
    monkeypatch.setattr(ray.util, "get_node_ip_address", lambda: "127.0.0.1")

    def meet(rank: int) -> None:
        found[rank] = meeting.Meeting(rank, size, Key(b"secret"), (0,), timeout)

    threads = [threading.Thread(target=meet, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[rank] for rank in range(size)]


def test_workers_meet_and_miss_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = met(3, monkeypatch)
    with closing(first), closing(second), closing(third):
        assert all("worker 2 at 127.0.0.1, process" in each.names[2] for each in (first, second, third))
        answers: dict[int, Any] = {}
        threads = [
            threading.Thread(target=lambda each=each: answers.update({each.rank: each.tell(word=each.rank)}))
            for each in (second, third)
        ]
        for thread in threads:
            thread.start()
        expected = [{"word": 0}, {"word": 1}, {"word": 2}]
        assert first.tell(word=0) == expected
        for thread in threads:
            thread.join()
        assert answers == {1: expected, 2: expected}
        begin = time.monotonic()
        with pytest.raises(kb.CollectiveError, match=r"waited 0.2 s for worker 1 at 127.0.0.1.*FailureConfig"):
            first.tell(patience=0.2)
        second.close()
        with pytest.raises(kb.CollectiveError, match=r"has lost worker 1 at 127\.0\.0\.1"):
            first.tell()
        assert time.monotonic() - begin < 10


def test_errors_of_workers_are_told_apart() -> None:
    lost = kb.CollectiveError("rank 0 has lost the connection to rank 1 (worker 1).")
    died = ray.exceptions.RayActorError()
    named = _plain(WorkerGroupError("", {0: lost, 1: died}))
    assert isinstance(named, kb.CollectiveError)
    assert "worker 1: " in str(named)
    assert "FailureConfig(max_failures=...)" in str(named)
    assert _plain(WorkerGroupError("", {0: lost, 1: kb.DataError("rows")})).args == ("rows",)
    assert "Choose fewer workers" in str(_plain(ControllerError(RuntimeError("no places"))))


def test_a_lost_part_of_ray_is_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: Any) -> Any:
        raise ray.exceptions.RayActorError

    monkeypatch.setattr(task, "_trained", lost)
    (alone,) = met(1, monkeypatch)
    trained, error = task._outcome(SimpleNamespace(timeout=1.0), alone)  # type: ignore[arg-type]
    assert trained is None
    assert isinstance(error, kb.CollectiveError)
    trainer = kr.KauriTrainer({}, **GIVEN)
    monkeypatch.setattr(trainer, "_tables", list)
    monkeypatch.setattr(trainer, "_job", lambda tables: None)
    monkeypatch.setattr("kauriboost._ray.trainer.require_places", lambda *_: None)
    monkeypatch.setattr("ray.train.v2.api.data_parallel_trainer.DataParallelTrainer.fit", lost)
    with pytest.raises(kb.CollectiveError, match=r"controller was lost.*under the same name"):
        trainer.fit()


def test_waiting_for_blocks_ends() -> None:
    def slow() -> Any:
        yield 1
        time.sleep(5)

    found = in_time(slow(), 0.2, lambda: kb.DataError("late"))
    assert next(found) == 1
    with pytest.raises(kb.DataError, match="late"):
        next(found)

    def failing() -> Any:
        yield 1
        raise ValueError("of the source")

    with pytest.raises(ValueError, match="of the source"):
        list(in_time(failing(), 5.0, lambda: kb.DataError("late")))


def test_metrics_to_report() -> None:
    sent: list[Any] = []

    class Kept(kr.TuneReportCheckpointCallback):
        def _report(self, metrics: dict[str, float], **checkpoint: Any) -> None:
            sent.append((metrics, sorted(checkpoint)))

    X = np.arange(20, dtype=np.float32).reshape(-1, 1)
    data = kb.DMatrix(X, label=X[:, 0])
    how: dict[str, Any] = {"evals": [(data, "train")], "verbose_eval": False}
    kb.train({}, data, 3, callbacks=[Kept({"loss": "train-rmse"}, frequency=2)], **how)
    assert [(list(metrics), kept) for metrics, kept in sent] == [
        (["loss"], []),
        (["loss"], ["checkpoint"]),
        (["loss"], []),
        (["loss"], ["checkpoint"]),
    ]
    with pytest.raises(ValueError, match=r"no metric 'other' to report; there are train-rmse"):
        kb.train({}, data, 1, callbacks=[Kept("other")], **how)
