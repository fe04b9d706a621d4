"""Files in folders that other users also write to: links, long names, leftovers of killed processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._model.files import FolderLock, _shortened
from kauriboost.callback import TrainingCheckPoint

X = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
DATA = kb.DMatrix(X, X[:, 0])
MODEL = kb.train({"max_depth": 2}, DATA, 2)


def dead_process() -> int:
    """Return the id of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_a_link_in_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / ".model.ubj.lock").symlink_to(victim)
    with pytest.raises(kb.FileError, match="symbolic link"):
        kb.train({}, DATA, 1, callbacks=[TrainingCheckPoint(folder)])
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("end", ["", "-0", "-1"])
def test_a_link_in_place_of_a_temporary_file_is_not_followed(tmp_path: Path, end: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f"trees.txt.new-{os.getpid()}{end}").symlink_to(victim)
    MODEL.dump_model(tmp_path / "trees.txt")
    assert victim.read_text() == "precious"
    assert not (tmp_path / "trees.txt").is_symlink()


@pytest.mark.parametrize("length", [243, 244, 250, 255])
def test_names_as_long_as_they_may_be(tmp_path: Path, length: int) -> None:
    for name in ("n" * (length - 4) + ".txt", "\N{EURO SIGN}" * (length // 3)):
        MODEL.dump_model(tmp_path / name)
        MODEL.save_model(tmp_path / ("m" + name[1:]))
    assert not [path for path in tmp_path.iterdir() if ".new-" in path.name]


def test_long_names_that_are_not_utf8(tmp_path: Path) -> None:
    name, other = (os.fsdecode(code * 126) for code in (b"\x83\x8e", b"\x84\x8e"))
    assert os.fsencode(_shortened(name, ".new-123-0")) == (b"\x83\x8e" * 126)[:245] + b".new-123-0"
    assert _shortened("\N{EURO SIGN}" * 85, ".lock") == "\N{EURO SIGN}" * 83 + ".lock"
    left = tmp_path / _shortened(name, f".new-{dead_process()}-0")
    left.write_text("half")
    os.utime(left, (0, time.time() - 3600))
    MODEL.dump_model(tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == {name}
    locks = [FolderLock(tmp_path, each) for each in (name, other)]  # each name has its own lock
    for each in locks:
        each.release()


def test_what_a_kill_left_is_cleared_by_the_next_save(tmp_path: Path) -> None:
    dead = dead_process()
    stale = [f"{name}.new-{dead}-{number}" for name in ("a.ubj", "a.txt") for number in (0, 3)]
    others = [f"b.ubj.new-{dead}-0", f"a.ubj.new-{os.getppid()}-0", f"a.ubj.new-{dead}", "a.ubj.new-x-0", "xa.ubj"]
    for name in stale + others:
        (tmp_path / name).write_text("half")
        os.utime(tmp_path / name, (0, time.time() - 3600))
    young = f"a.txt.new-{dead}-9"  # its writer may be running on another machine
    (tmp_path / young).write_text("half")
    MODEL.save_model(tmp_path / "a.ubj")
    MODEL.dump_model(tmp_path / "a.txt")
    assert {path.name for path in tmp_path.iterdir()} == {*others, young, "a.ubj", "a.txt"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system's folders hold no pipes")
def test_a_pipe_without_a_writer_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    start = time.monotonic()
    found = kb.check(tmp_path / "pipe")
    assert time.monotonic() - start < 60
    assert "pipe" in str(found.problem)
