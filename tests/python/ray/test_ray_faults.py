"""A training whose workers are lost or silent ends with the same bytes or with an error that names the worker."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kauriboost as kb
import pytest
from ray_faults import Damage
from ray_problems import NUMBERS, in_blocks, rows

kr = pytest.importorskip("kauriboost.ray")
from ray.train import ScalingConfig  # noqa: E402

HERE = Path(__file__).resolve().parent
LONG = pytest.mark.skipif(os.environ.get("KAURI_LONG", "0") == "0", reason="only with KAURI_LONG=1: minutes of damage")
PARAMS = {"max_depth": 3, "subsample": 0.8}
ROUNDS = 8
COLUMNS = [*NUMBERS, "score"]


@pytest.fixture(scope="module")
def dataset(cluster: Any) -> Any:
    return in_blocks(rows()[COLUMNS], [650, 650])


def expected() -> bytes:
    table = rows()
    return bytes(kb.train(PARAMS, kb.DMatrix(table[NUMBERS], label=table["score"]), ROUNDS).save_raw())


def fit(dataset: Any, **given: Any) -> bytes:
    settings = {"label_column": "score", "scaling_config": ScalingConfig(num_workers=2), "report_every": 2, **given}
    return bytes(kr.train(PARAMS, dataset, ROUNDS, **settings)["booster"].save_raw())


def test_a_killed_worker_changes_no_byte(dataset: Any, run: Any, tmp_path: Path) -> None:
    damage = Damage("kill the worker", str(tmp_path / "done"), 5)
    assert fit(dataset, callbacks=[damage], run_config=run(max_failures=2)) == expected()
    assert (tmp_path / "done").exists()


def test_a_lost_worker_is_named_with_the_cure(dataset: Any, run: Any, tmp_path: Path) -> None:
    damage = Damage("kill the worker", str(tmp_path / "done"), 1)
    with pytest.raises(kb.CollectiveError, match=r"(?s)worker [01].*FailureConfig\(max_failures="):
        fit(dataset, callbacks=[damage], run_config=run(name="again"))
    assert fit(dataset, run_config=run(name="again")) == expected()  # goes on, as after the loss of the driver


def test_an_error_in_a_worker_is_raised_here(dataset: Any, run: Any, tmp_path: Path) -> None:
    damage = Damage("raise an error", str(tmp_path / "done"), 3)
    with pytest.raises(ValueError, match="the callback has had enough"):
        fit(dataset, callbacks=[damage], run_config=run(max_failures=3))


def test_no_places(dataset: Any, run: Any) -> None:
    with pytest.raises(kb.DataError, match=r"9 workers need 9 of CPU, and the cluster has 4; choose fewer workers"):
        fit(dataset, scaling_config=ScalingConfig(num_workers=9), run_config=run(), timeout=1.0)


@LONG
def test_a_silent_worker_is_replaced(dataset: Any, run: Any, tmp_path: Path) -> None:
    damage = Damage("stop the worker", str(tmp_path / "done"), 3)
    begin = time.monotonic()
    assert fit(dataset, callbacks=[damage], timeout=20.0, run_config=run(max_failures=2)) == expected()
    assert (tmp_path / "done").exists()
    assert time.monotonic() - begin < 300


@LONG
def test_random_kills() -> None:
    command = [sys.executable, str(HERE / "ray_random_kills.py"), "--kills", os.environ.get("KAURI_KILLS", "200")]
    subprocess.run(command, check=True)
