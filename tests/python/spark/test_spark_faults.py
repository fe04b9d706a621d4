"""A training whose executors are lost or silent ends with the same bytes or with an error that names the worker."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kauriboost as kb
import pytest
from faults import Damage
from spark_problems import NUMBERS, in_pieces, rows

ks = pytest.importorskip("kauriboost.spark")
ROUNDS = {"n_estimators": 8, "max_depth": 3}
HERE = Path(__file__).resolve().parent
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


@LONG
def test_random_kills() -> None:
    kills, seed = os.environ.get("KAURI_KILLS", "200"), os.environ.get("KAURI_SEED", "5")
    command = [sys.executable, str(HERE / "spark_random_kills.py"), "--kills", kills, "--seed", seed]
    subprocess.run(command, check=True)
