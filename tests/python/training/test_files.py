"""Files and texts of any kind: folders of checkpoints, unwritable paths, bytes that are not UTF-8."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._binding.library import LIB
from kauriboost.callback import TrainingCallback, TrainingCheckPoint

QUIET = {"verbose_eval": False}
PARAMS = {"objective": "binary:logistic", "max_depth": 2, "nthread": 1}
ODD = b"caf\xe9 \xff"
ODD_NAME = os.fsdecode(ODD)


@pytest.fixture
def train() -> kb.DMatrix:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return kb.DMatrix(X, label=X[:, 0] > 0)


@contextmanager
def small_files(n_bytes: int) -> Iterator[None]:
    """Limit the size of files to `n_bytes`, to simulate a full disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


# ---- checkpoints ----


class Within(TrainingCallback):
    """Calls a function in the middle of a training."""

    def __init__(self, call) -> None:
        self.call = call

    def after_iteration(self, model: kb.Booster, epoch: int, evals_log: dict) -> bool:
        if epoch == 1:
            self.call()
        return False


@pytest.mark.parametrize("as_pickle", [False, True])
def test_one_training_at_a_time_has_the_folder(train: kb.DMatrix, tmp_path: Path, as_pickle: bool) -> None:
    def saver(**settings: object) -> TrainingCheckPoint:
        return TrainingCheckPoint(tmp_path, as_pickle=as_pickle, interval=1, resume=True, **settings)

    def another() -> None:
        half = tmp_path / f"model_9.{'pkl' if as_pickle else 'ubj'}.new-1"
        half.touch()
        with pytest.raises(kb.KauriError, match="in use by another training") as refused:
            kb.train(PARAMS, train, 1, callbacks=[saver()], **QUIET)
        assert repr(str(tmp_path)) in str(refused.value)
        assert f"process {os.getpid()}" in str(refused.value)
        assert "a folder or a name of its own" in str(refused.value)
        assert half.exists()
        kb.train(PARAMS, train, 1, callbacks=[saver(name="other")], **QUIET)  # other files

    kb.train(PARAMS, train, 3, callbacks=[saver(), Within(another)], **QUIET)
    kb.train(PARAMS, train, 4, callbacks=[saver()], **QUIET)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".") or ".new-" in path.name]


def test_a_failed_training_frees_the_folder(train: kb.DMatrix, tmp_path: Path) -> None:
    def fail() -> None:
        raise ValueError("stop")

    first = TrainingCheckPoint(tmp_path, interval=1, resume=True)
    with pytest.raises(ValueError, match="stop"):
        kb.train(PARAMS, train, 3, callbacks=[first, Within(fail)], **QUIET)
    model = kb.train(PARAMS, train, 3, callbacks=[TrainingCheckPoint(tmp_path, interval=1, resume=True)], **QUIET)
    assert model.num_boosted_rounds() == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model_1.ubj", "model_2.ubj", "model_3.ubj"]


CHILD = """
import sys, kauriboost as kb, numpy as np
from kauriboost.callback import TrainingCheckPoint, TrainingCallback
class Wait(TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        print("round", flush=True)
        sys.stdin.readline()
data = kb.DMatrix(np.arange(8.0).reshape(8, 1), label=np.arange(8.0))
saver = TrainingCheckPoint(sys.argv[1], interval=1, resume=True)
kb.train({"nthread": 1}, data, 5, callbacks=[Wait(), saver], verbose_eval=False)
"""


def test_the_lock_dies_with_its_process(train: kb.DMatrix, tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout.readline() == b"round\n"
        with pytest.raises(kb.KauriError, match=f"process {child.pid}"):
            kb.train(PARAMS, train, 1, callbacks=[TrainingCheckPoint(tmp_path)], **QUIET)
        child.send_signal(signal.SIGKILL)
    kb.train(PARAMS, train, 2, callbacks=[TrainingCheckPoint(tmp_path, interval=1)], **QUIET)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model_1.ubj", "model_2.ubj"]


class Never(TrainingCallback):
    def before_iteration(self, model: kb.Booster, epoch: int, evals_log: dict) -> bool:
        raise AssertionError("a round has begun")


def test_folders_are_tried_before_the_first_round(train: kb.DMatrix, tmp_path: Path) -> None:
    for saver, limit in (
        (TrainingCheckPoint("/proc/self"), resource.RLIM_INFINITY),
        (TrainingCheckPoint(tmp_path, name="n" * 260), resource.RLIM_INFINITY),
        (TrainingCheckPoint(tmp_path), 1000),
    ):
        with small_files(limit), pytest.raises(kb.KauriError, match="cannot write"):
            kb.train(PARAMS, train, 1, callbacks=[saver, Never()], **QUIET)
    assert list(tmp_path.iterdir()) == []


def test_pickled_checkpoints_follow_links(train: kb.DMatrix, tmp_path: Path) -> None:
    (tmp_path / "model_1.pkl").symlink_to("middle")
    (tmp_path / "middle").symlink_to(tmp_path / "target")
    kb.train(PARAMS, train, 1, callbacks=[TrainingCheckPoint(tmp_path, as_pickle=True, interval=1)], **QUIET)
    assert (tmp_path / "model_1.pkl").is_symlink()
    assert (tmp_path / "middle").is_symlink()
    assert (tmp_path / "target").is_file()


# ---- files ----


def test_a_full_disk_leaves_the_old_files(train: kb.DMatrix, tmp_path: Path) -> None:
    model = kb.train(PARAMS, train, 20, **QUIET)
    writers = {"m.json": model.save_model, "d.txt": model.dump_model, "b.bin": train.save_binary}
    for name, write in writers.items():
        (tmp_path / name).write_text("old")
        with small_files(500), pytest.raises(OSError, match="File too large"):
            write(tmp_path / name)
        assert (tmp_path / name).read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(writers)


def test_dumps_follow_links(train: kb.DMatrix, tmp_path: Path) -> None:
    model = kb.train(PARAMS, train, 1, **QUIET)
    (tmp_path / "link").symlink_to("target")
    model.dump_model(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == model.get_dump()[0].join(["booster[0]:\n", ""])
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError) as refused:
        model.dump_model(tmp_path / "circle")
    assert refused.value.errno == errno.ELOOP


def test_models_without_an_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, message in (("/dev/zero", "is larger than"), (tmp_path, "it is a folder"), (tmp_path / "pipe", "empty")):
        with pytest.raises(OSError, match=message):
            kb.Booster(model_file=path)


# ---- bytes that are not UTF-8 ----


def test_file_names_of_any_bytes(train: kb.DMatrix, tmp_path: Path) -> None:
    folder = tmp_path / ODD_NAME
    folder.mkdir()
    model = kb.train(PARAMS, train, 2, callbacks=[TrainingCheckPoint(folder, ODD_NAME, interval=1)], **QUIET)
    assert sorted(os.listdir(os.fsencode(folder))) == [ODD + b"_1.ubj", ODD + b"_2.ubj"]
    for name in ("m.ubj", "m.json"):
        model.save_model(folder / name)
        assert kb.Booster(model_file=folder / name).save_raw() == model.save_raw()
    train.save_binary(folder / "rows.bin")
    assert kb.DMatrix(folder / "rows.bin").num_row() == 80
    (folder / f"{ODD_NAME}.csv").write_text("1,2\n3,4\n")
    assert kb.DMatrix(f"{folder}/{ODD_NAME}.csv?format=csv&label_column=0").num_col() == 1
    (folder / "map").write_text("0 a q\n1 b q\n2 c q\n")
    assert set(model.get_score(folder / "map")) <= {"a", "b", "c"}
    assert "[a<" in model.get_dump(folder / "map")[0]
    model.dump_model(folder / "dump", folder / "map")

    class Batches(kb.DataIter):
        def __init__(self, prefix: str) -> None:
            self.cache_prefix = prefix

        def reset(self) -> None:
            self.left = 2

        def next(self, input_data) -> bool:
            self.left -= 1
            if self.left >= 0:
                input_data(data=np.ones((4, 2)), label=np.zeros(4))
            return self.left >= 0

    assert kb.ExtMemQuantileDMatrix(Batches(str(folder / "cache"))).num_row() == 8
    with pytest.raises(kb.KauriError, match=r"caf\\xE9 \\xFF/no\.ubj"):
        kb.Booster(model_file=folder / "no.ubj")


def test_names_and_attributes_of_any_bytes(train: kb.DMatrix, tmp_path: Path) -> None:
    names = [ODD_NAME, "größe", "c"]
    train.feature_names = names
    model = kb.train(PARAMS, train, 2, **QUIET)
    assert model.feature_names == names
    for form in ("text", "json", "dot"):  # dumps are UTF-8, whatever the names
        assert "caf\ufffd \ufffd" in model.get_dump(dump_format=form)[0]
    assert ODD_NAME in model.get_score()
    assert set(model.get_score()) <= set(names)
    found = model.get_split_value_histogram(ODD_NAME, as_pandas=False)
    assert found[:, 1].sum() == model.get_score()[ODD_NAME]
    model.set_attr(**{ODD_NAME: ODD_NAME})
    assert model.attributes() == {ODD_NAME: ODD_NAME}
    json.loads(model.save_config())
    for form in ("json", "ubj"):
        raw = model.save_raw(form)
        again = kb.Booster(model_file=raw)
        assert again.feature_names[1:] == names[1:]
        if form == "json":
            json.loads(raw.decode())
    for tree in model.get_dump(dump_format="json"):
        json.loads(tree)
    model.set_param({ODD_NAME: ODD_NAME})
    with pytest.raises(kb.ParameterError, match=r"\\xE9"):
        model.save_config()


@pytest.mark.parametrize("raw", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x8f\xbe\x80"])
def test_bytes_through_the_c_interface(train: kb.DMatrix, raw: bytes) -> None:
    model = kb.train(PARAMS, train, 1, **QUIET)
    lib, handle = LIB, model.handle
    text, array = ctypes.c_char_p(raw), (ctypes.c_char_p * 3)(raw, b"b", b"c")
    types = (ctypes.c_char_p * 3)(raw, raw, raw)
    out, length = ctypes.c_void_p(), ctypes.c_uint64()
    calls = [
        lambda: lib.XGBoosterSetAttr(handle, text, text),
        lambda: lib.XGBoosterSetStrFeatureInfo(handle, b"feature_name", array, 3),
        lambda: lib.XGBoosterSetStrFeatureInfo(handle, text, array, 3),
        lambda: lib.XGDMatrixSetStrFeatureInfo(train.handle, b"feature_name", array, 3),
        lambda: lib.XGDMatrixSetStrFeatureInfo(train.handle, b"feature_type", types, 3),
        lambda: lib.XGDMatrixSetInfoFromInterface(train.handle, text, text),
        lambda: lib.XGBoosterLoadJsonConfig(handle, text),
        lambda: lib.XGBoosterLoadModel(handle, text),
        lambda: lib.XGBSetGlobalConfig(b'{"' + raw + b'": "' + raw + b'"}'),
        lambda: lib.XGDMatrixCreateFromURI(b'{"uri": "' + raw + b'"}', ctypes.byref(out)),
        lambda: lib.XGDMatrixCreateFromDense(b'{"data": "' + raw + b'"}', b'{"missing": NaN}', ctypes.byref(out)),
        lambda: lib.XGBoosterSaveModelToBuffer(
            handle, b'{"format": "' + raw + b'"}', ctypes.byref(length), ctypes.byref(ctypes.POINTER(ctypes.c_char)())
        ),
    ]
    for call in calls:
        if call() != 0:
            assert lib.KauriGetLastErrorKind() not in (0, 7), lib.XGBGetLastError()  # 7: a bug in the library
            lib.XGBGetLastError().decode()
    json.loads(model.save_config())
    json.loads(model.save_raw("json").decode())
    for tree in model.get_dump(dump_format="json"):
        json.loads(tree)
    kb.Booster(model_file=model.save_raw())


def test_messages_stay_short(train: kb.DMatrix) -> None:
    long = "x" * 5_000_000
    calls = [
        lambda: kb.train({**PARAMS, "eta": long}, train, 1, **QUIET),
        lambda: kb.train({**PARAMS, long: 1}, train, 1, **QUIET),
        lambda: kb.train({**PARAMS, "objective": long}, train, 1, **QUIET),
        lambda: kb.train({**PARAMS, "eval_metric": long}, train, 1, **QUIET),
        lambda: kb.train({**PARAMS, "monotone_constraints": long}, train, 1, **QUIET),
        lambda: kb.DMatrix(long),
        lambda: kb.Booster(model_file=long),
        lambda: kb.Booster(model_file=b'{"' + long.encode() + b'": 1}'),
        lambda: kb.Booster(model_file=b'{"learner": "' + long.encode() + b'"}'),
        lambda: kb.DMatrix(np.ones((2, 1)), feature_types=[long]),
        lambda: kb.Booster().load_config(long),
    ]
    for call in calls:
        with pytest.raises(kb.KauriError) as refused:
            call()
        assert len(str(refused.value)) < 5000
