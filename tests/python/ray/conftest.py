"""One Ray cluster on this machine for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")
import ray

HERE = Path(__file__).resolve().parent
PATH = os.pathsep.join([str(HERE), str(HERE.parents[2] / "python-package")])
SETTINGS = {
    "PYTHONPATH": PATH,
    "OMP_WAIT_POLICY": "passive",
    "RAY_TRAIN_HEALTH_CHECK_INTERVAL_S": "0.1",  # Ray Train looks after its workers every two seconds by default
    "RAY_TRAIN_METRICS_ENABLED": "0",
    "RAY_TRAIN_ENABLE_PREEMPTION_WATCHER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # 15 by default, which starves workers on a busy machine
    "RAY_enable_metrics_collection": "0",
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
}


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Provide a cluster with places for four workers."""
    before = {name: os.environ.get(name) for name in SETTINGS}
    os.environ.update(SETTINGS)
    ray.init(
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=bool(os.environ.get("KAURI_RAY_LOGS")),
        logging_level="ERROR",
        object_store_memory=200 << 20,
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Return a function that makes configurations of runs with a storage of their own."""

    def made(max_failures: int = 0, name: str | None = None) -> Any:
        failure = ray.train.FailureConfig(max_failures=max_failures)
        return ray.train.RunConfig(name=name, storage_path=str(tmp_path / "runs"), failure_config=failure)

    return made
