"""A training whose executors are lost or silent ends with the same bytes or with an error that names the worker."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from faults import Damage, Kill
from spark_problems import NUMBERS, in_pieces, rows

ks = pytest.importorskip("kauriboost.spark")
ROUNDS = {"n_estimators": 8, "max_depth": 3}
MESSAGES = 80  # about as many as a worker sends and receives
TIMEOUT = 120.0  # seconds for a worker that waits for the others, in trainings whose processes are killed at random
PATIENCE = 900  # seconds for a training, on a machine that may be busy


LONG = pytest.mark.skipif(os.environ.get("KAURI_LONG", "0") == "0", reason="only with KAURI_LONG=1: minutes of damage")


@pytest.fixture(scope="module")
def frame(session: Any) -> Any:
    return in_pieces(session, rows(), [1300, 1300])


def expected() -> bytes:
    table = rows()
    return bytes(kb.KauriRegressor(**ROUNDS).fit(table[NUMBERS], table["score"]).get_booster().save_raw())


def fit(frame: Any, **given: Any) -> bytes:
    estimator = ks.KauriRegressor(features_col=NUMBERS, label_col="score", num_workers=2, **{**ROUNDS, **given})
    return bytes(estimator.fit(frame).get_booster().save_raw())


def test_a_killed_executor_changes_no_byte(frame: Any, tmp_path: Path) -> None:
    damage = Damage("kill the executor", str(tmp_path / "done"), 3)
    assert fit(frame, callbacks=[damage]) == expected()
    assert (tmp_path / "done").exists()


@LONG
def test_a_silent_worker_is_replaced(frame: Any, tmp_path: Path) -> None:
    damage = Damage("stop the worker", str(tmp_path / "done"), 3)
    begin = time.monotonic()
    assert fit(frame, callbacks=[damage], timeout=20.0) == expected()
    assert (tmp_path / "done").exists()
    assert time.monotonic() - begin < 300


def test_an_error_in_a_worker_is_raised_here(frame: Any, tmp_path: Path) -> None:
    damage = Damage("raise an error", str(tmp_path / "done"), 3)
    with pytest.raises(ValueError, match="the callback has had enough"):
        fit(frame, callbacks=[damage])


def outcome(frame: Any, kills: list[Kill]) -> Any:
    """Return the model's bytes, an error, or None after `PATIENCE`."""
    found: list[Any] = []

    def work() -> None:
        try:
            found.append(fit(frame, callbacks=kills, timeout=TIMEOUT))
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return found[0] if found else None


def random_kills(rng: np.random.Generator, folder: Path, number: int) -> list[Kill]:
    """Return one death, or two at a time."""
    kills = []
    for rank in rng.permutation(2)[: 1 + int(rng.random() < 0.2)]:
        whom = ["worker", "executor"][int(rng.integers(2))]
        way = ["before", "within", "after", "moment"][int(rng.integers(4))]
        message = int(rng.integers(1, 20 if rng.random() < 0.3 else MESSAGES))
        kills.append(Kill(whom, int(rank), way, message, 2 * float(rng.random()), str(folder / f"{number}-{rank}")))
    return kills


@LONG
def test_random_kills(session: Any, tmp_path: Path) -> None:
    """Kill KAURI_KILLS (200) processes, drawn with KAURI_SEED (5), and print what comes of each training."""
    most, seed = int(os.environ.get("KAURI_KILLS", "200")), int(os.environ.get("KAURI_SEED", "5"))
    frame, right, rng = in_pieces(session, rows(), [1300, 1300]), expected(), np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    while counts["kills"] < most:
        kills = random_kills(rng, tmp_path, counts["trainings"])
        begin = time.monotonic()
        found = outcome(frame, kills)
        what = "equal bytes" if found == right else "hangs" if found is None else "other bytes"
        if isinstance(found, Exception):
            what = "clear errors" if re.search(r"worker \d", str(found)) else "other errors"
            print(f"     {type(found).__name__}: {found}", flush=True)
        n_kills = sum(Path(kill.done).exists() for kill in kills)
        counts.update({"kills": n_kills, "trainings": 1, what: 1})
        told = " and ".join(f"{kill.whom} {kill.rank} {kill.way} {kill.number}" for kill in kills)
        print(f"{counts['kills']:>4} {told}, {n_kills} killed: {what}, {time.monotonic() - begin:.1f} s", flush=True)
    print(", ".join(f"{count} {name}" for name, count in counts.items()), flush=True)
    assert counts["hangs"] + counts["other bytes"] + counts["other errors"] == 0
