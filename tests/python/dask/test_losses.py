"""Trainings whose workers are killed: the same bytes, or an error with a cure, but never a hang."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import kauriboost as kb
import numpy as np
import pytest
from clusters import addresses_of, make_cluster
from kauriboost import dask as kd
from kauriboost._dask import train as dask_train
from kauriboost._dask.worker_endpoint import EndpointPlugin, endpoint_of
from problems import features, spread, target

PARAMS = {"max_depth": 4, "tree_method": "hist", "subsample": 0.8, "seed": 7}
LENGTHS = (500, 700, 600, 400, 800)
ROUNDS = 12


class Killer(kb.callback.TrainingCallback):
    """Kills the process of one rank, once: the one that creates the file first."""

    def __init__(self, file: Path, when: str, epoch: int, after: float = 0.0) -> None:
        self.file, self.when, self.epoch, self.after = file, when, epoch, after

    def _kill(self) -> None:
        try:
            with self.file.open("x"):
                pass
        except FileExistsError:
            return
        if self.after:
            threading.Timer(self.after, os._exit, [1]).start()
        else:
            os._exit(1)

    def before_training(self, model: Any) -> Any:
        if self.when == "before_training":
            self._kill()
        return model

    def before_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if (self.when, self.epoch) == ("before_iteration", epoch):
            self._kill()
        return False

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if (self.when, self.epoch) == ("after_iteration", epoch):
            self._kill()
        return False


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with make_cluster(3) as cluster, distributed.Client(cluster) as made:
        yield made


@pytest.fixture(autouse=True)
def _short_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each segment one round long, however fast the machine is."""
    monkeypatch.setattr(dask_train, "SEGMENT_SECONDS", 0.0)


X = features()
Y = target(X)


def expected() -> tuple[bytes, Any]:
    data = kb.DMatrix(X, label=Y)
    history: Any = {}
    booster = kb.train(PARAMS, data, ROUNDS, evals=[(data, "train")], evals_result=history, verbose_eval=False)
    return bytes(booster.save_raw()), history


def pids(client: Any) -> dict[str, int]:
    found: dict[str, int] = client.run(os.getpid)
    return found


def wait_for_workers(client: Any) -> None:
    """Wait for two workers; the third may still be restarting, which is slow on a busy machine."""
    client.wait_for_workers(2, timeout=120)


@pytest.mark.parametrize(
    ("kind", "when", "epoch", "after"),
    [
        (kd.DaskQuantileDMatrix, "before_training", 0, 0.0),
        (kd.DaskDMatrix, "before_iteration", 0, 0.0),  # the others compute the bin edges
        (kd.DaskDMatrix, "after_iteration", 6, 0.0),
        (kd.DaskQuantileDMatrix, "before_iteration", 5, 0.02),  # usually inside a call
    ],
)
def test_a_lost_worker(client: Any, tmp_path: Path, kind: Any, when: str, epoch: int, after: float) -> None:
    wait_for_workers(client)
    before = pids(client)
    data = kind(client, spread(X, LENGTHS), spread(Y, LENGTHS))
    killer = Killer(tmp_path / "killed", when, epoch, after)
    begin = time.monotonic()
    result = kd.train(
        client, PARAMS, data, ROUNDS, evals=[(data, "train")], verbose_eval=False, callbacks=[killer], timeout=60
    )
    assert time.monotonic() - begin < 45
    assert (tmp_path / "killed").exists()
    assert (bytes(result["booster"].save_raw()), result["history"]) == expected()
    wait_for_workers(client)
    assert len(set(before.values()) & set(pids(client).values())) == len(before) - 1  # the others survive


def test_adaboost_goes_on_after_a_loss(client: Any, tmp_path: Path) -> None:
    wait_for_workers(client)
    labels = (np.median(Y) < Y).astype(np.float32)
    params = {"booster": "adaboost", "objective": "binary:logitraw", "max_depth": 2}
    data = kd.DaskDMatrix(client, spread(X, LENGTHS), spread(labels, LENGTHS))
    killer = Killer(tmp_path / "killed", "after_iteration", 3)
    result = kd.train(client, params, data, 8, callbacks=[killer], timeout=60)
    assert (tmp_path / "killed").exists()
    alone = kb.train(params, kb.DMatrix(X, label=labels), 8, verbose_eval=False)
    assert bytes(result["booster"].save_raw()) == bytes(alone.save_raw())
    wait_for_workers(client)


class Held(kb.callback.TrainingCallback):
    """Records, after each round, the number of partitions that Dask holds on this worker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        worker = distributed.get_worker()
        n_held = sum(str(key).startswith("pack-") for key in list(worker.data))
        with (self.folder / f"{epoch}-{os.getpid()}").open("w") as file:
            file.write(str(n_held))
        time.sleep(0.1)  # a segment lasts one round
        return False


def held(folder: Path, epoch: int) -> int:
    return sum(int(path.read_text()) for path in folder.glob(f"{epoch}-*"))


@pytest.mark.parametrize("kind", [kd.DaskDMatrix, kd.DaskQuantileDMatrix])
def test_partitions_are_released_and_come_back(client: Any, tmp_path: Path, kind: Any) -> None:
    """The bytes are the same without a loss, with one, and for a second training and predictions with the matrix."""
    wait_for_workers(client)
    data = kind(client, spread(X, LENGTHS), spread(Y, LENGTHS))
    how: Any = {"evals": [(data, "train")], "verbose_eval": False, "timeout": 60}
    for name, release in (("kept", False), ("released", True)):
        folder = tmp_path / name
        folder.mkdir()
        result = kd.train(client, PARAMS, data, ROUNDS, callbacks=[Held(folder)], release=release, **how)
        assert (bytes(result["booster"].save_raw()), result["history"]) == expected()
        assert held(folder, 0) == len(LENGTHS)
        assert held(folder, ROUNDS - 1) == (0 if release else len(LENGTHS))
    assert repr(data) == f"{kind.__name__}(partitions=5, rows=3000, columns=6)"
    predicted = kd.predict(client, result, data).compute()
    np.testing.assert_array_equal(predicted, result["booster"].predict(kb.DMatrix(X)))
    killer = Killer(tmp_path / "killed", "after_iteration", 6)
    result = kd.train(client, PARAMS, data, ROUNDS, callbacks=[Held(tmp_path), killer], release=True, **how)
    assert (tmp_path / "killed").exists()
    assert (bytes(result["booster"].save_raw()), result["history"]) == expected()


def test_early_stopping_and_schedules_go_on(client: Any, tmp_path: Path) -> None:
    """The state of callbacks survives the loss."""
    wait_for_workers(client)
    half = len(X) // 2

    def callbacks() -> list[Any]:
        stopping = kb.callback.EarlyStopping(rounds=2, data_name="test")
        return [kb.callback.LearningRateScheduler(lambda epoch: 1.0), stopping]

    alone = kb.train(
        {**PARAMS, "max_depth": 8, "subsample": 1.0},
        kb.DMatrix(X[:half], label=Y[:half]),
        40,
        evals=[(kb.DMatrix(X[half:], label=Y[half:]), "test")],
        callbacks=callbacks(),
        verbose_eval=False,
    )
    assert 3 < alone.num_boosted_rounds() < 40
    train = kd.DaskDMatrix(client, spread(X[:half], (500,) * 3), spread(Y[:half], (500,) * 3))
    test = kd.DaskDMatrix(client, spread(X[half:], (700, 800)), spread(Y[half:], (700, 800)))
    killer = Killer(tmp_path / "killed", "after_iteration", 3)
    result = kd.train(
        client,
        {**PARAMS, "max_depth": 8, "subsample": 1.0},
        train,
        40,
        evals=[(test, "test")],
        callbacks=[*callbacks(), killer],
        verbose_eval=False,
        timeout=60,
    )
    assert bytes(result["booster"].save_raw()) == bytes(alone.save_raw())
    assert result["booster"].best_iteration == alone.best_iteration


def test_rows_that_nobody_can_make_again(client: Any, tmp_path: Path) -> None:
    """Scattered rows have no lineage; another call can continue from the checkpoint."""
    wait_for_workers(client)
    addresses = addresses_of(client)
    n = len(addresses)
    pieces = [
        client.scatter([X[i::n], Y[i::n]], workers=[address], hash=False, broadcast=False)
        for i, address in enumerate(addresses)
    ]
    import dask
    import dask.array as da

    def collection(index: int, *columns: int) -> Any:
        blocks = [dask.delayed(piece[index]) for piece in pieces]
        return da.concatenate(
            [da.from_delayed(block, (len(X) // n, *columns), dtype=np.float32) for block in blocks], axis=0
        )

    data = kd.DaskDMatrix(client, collection(0, X.shape[1]), collection(1))
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    killer = Killer(tmp_path / "killed", "after_iteration", 6)
    with pytest.raises(kb.DataError, match=r"(?s)no lineage.*checkpoints' the newest checkpoint is"):
        kd.train(client, PARAMS, data, ROUNDS, callbacks=[killer], checkpoint_dir=folder, timeout=60)
    assert [path.suffix for path in folder.iterdir() if path.suffix == ".ubj"] == [".ubj"]

    order = np.concatenate([np.arange(i, len(X), n) for i in range(n)])
    wait_for_workers(client)
    again = kd.DaskDMatrix(client, spread(X[order], LENGTHS), spread(Y[order], LENGTHS))
    result = kd.train(client, PARAMS, again, ROUNDS, checkpoint_dir=folder)
    alone = kb.train(PARAMS, kb.DMatrix(X[order], label=Y[order]), ROUNDS)
    assert bytes(result["booster"].save_raw()) == bytes(alone.save_raw())


def test_rows_that_come_back_as_others(client: Any, tmp_path: Path) -> None:
    wait_for_workers(client)
    import dask
    import dask.array as da

    def block(i: int) -> np.ndarray:
        return np.random.default_rng().normal(size=(500, 3)).astype(np.float32)

    blocks = [da.from_delayed(dask.delayed(block, pure=False)(i), (500, 3), dtype=np.float32) for i in range(3)]
    data = kd.DaskDMatrix(client, da.concatenate(blocks), spread(Y[:1500], (500,) * 3))
    with pytest.raises(
        kb.DataError, match=r"partition \d was lost with its worker, and computing it again gave different rows"
    ):
        kd.train(client, PARAMS, data, ROUNDS, callbacks=[Killer(tmp_path / "k", "after_iteration", 3)], timeout=60)


class Leaving(kb.callback.TrainingCallback):
    """Fails in a round, like a client that is stopped."""

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch == 8:
            raise InterruptedError("stopped")
        return False


@pytest.mark.parametrize("scheme", ["file", "memory"])
def test_checkpoints_behind_a_url(client: Any, tmp_path: Path, scheme: str) -> None:
    """Another training's checkpoint is continued; there is only one at a time, visible once it is complete."""
    import fsspec

    wait_for_workers(client)
    url = f"{scheme}://{tmp_path}/run/checkpoints/"
    data = kd.DaskDMatrix(client, spread(X, LENGTHS), spread(Y, LENGTHS))
    with pytest.raises(InterruptedError):
        kd.train(client, PARAMS, data, ROUNDS, callbacks=[Leaving()], checkpoint_dir=url)
    files, root = fsspec.core.url_to_fs(url)
    (left,) = [path.rsplit("/", 1)[-1] for path in files.ls(root, detail=False)]
    assert left in {f"model_{n}.ubj" for n in range(1, 9)}
    with pytest.raises(kb.ParameterError, match=rf"checkpoints/{left}' was made with max_depth=4, not 3"):
        kd.train(client, {**PARAMS, "max_depth": 3}, data, ROUNDS, checkpoint_dir=url)
    files.pipe_file(f"{root}/other.txt", b"not ours")
    result = kd.train(client, PARAMS, data, ROUNDS, checkpoint_dir=url)
    assert bytes(result["booster"].save_raw()) == expected()[0]
    assert files.cat_file(f"{root}/other.txt") == b"not ours"
    assert not list(Path(tempfile.gettempdir()).glob("kauriboost-*"))


class AlwaysKiller(Killer):
    def _kill(self) -> None:
        os._exit(1)


def test_workers_that_are_lost_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_train, "MOST_LOSSES", 2)
    with make_cluster(1) as cluster, distributed.Client(cluster) as client:
        data = kd.DaskDMatrix(client, spread(X, (3000,)), spread(Y, (3000,)))
        killer = AlwaysKiller(tmp_path, "before_iteration", 0)
        with pytest.raises(kb.DataError, match=r"2 times in a row a worker was lost before a segment"):
            kd.train(client, PARAMS, data, ROUNDS, callbacks=[killer], timeout=60)


def test_a_cluster_without_workers() -> None:
    """Dask itself would wait forever for a new worker."""
    with make_cluster(1) as cluster, distributed.Client(cluster) as client:
        data = kd.DaskDMatrix(client, spread(X, (3000,)), spread(Y, (3000,)))
        cluster.scale(0)
        end = time.monotonic() + 60
        while addresses_of(client):
            assert time.monotonic() < end
            time.sleep(0.1)
        begin = time.monotonic()
        with pytest.raises(kb.DataError, match=r"the cluster has had no workers for 2 seconds.*timeout="):
            kd.train(client, PARAMS, data, ROUNDS, timeout=2)
        assert time.monotonic() - begin < 20


LEAVING = """
import os, sys, threading
import distributed
sys.path[:0] = {path!r}
from kauriboost import dask as kd
from kauriboost._dask import train as dask_train
from kauriboost._dask.worker_endpoint import EndpointPlugin, endpoint_of
from test_losses import LENGTHS, PARAMS, X, Y, spread

dask_train.SEGMENT_SECONDS = 0.05
client = distributed.Client({address!r})
data = kd.DaskDMatrix(client, spread(X, LENGTHS), spread(Y, LENGTHS))
threading.Timer(1.0, os._exit, [3]).start()
kd.train(client, PARAMS, data, 10_000, timeout=2)
"""


def what_is_kept(dask_worker: Any) -> tuple[int, int]:
    endpoint = endpoint_of(dask_worker)
    return len(endpoint._inboxes), len(endpoint._kept)


def test_a_lost_client(client: Any) -> None:
    """Its workers stop, forget the training, and are available for the next one."""
    wait_for_workers(client)
    client.register_plugin(EndpointPlugin())
    program = LEAVING.format(path=sys.path, address=client.scheduler.address)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3, done.stderr
    end = time.monotonic() + 40
    while set(client.run(what_is_kept).values()) != {(0, 0)}:
        assert time.monotonic() < end
        time.sleep(0.5)
    assert not any(client.processing().values())
    data = kd.DaskDMatrix(client, spread(X, LENGTHS), spread(Y, LENGTHS))
    result = kd.train(client, PARAMS, data, ROUNDS, verbose_eval=False)
    assert bytes(result["booster"].save_raw()) == expected()[0]
