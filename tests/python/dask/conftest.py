"""A small cluster for all tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

distributed = pytest.importorskip("distributed")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "collective"))  # also for the workers


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Provide three workers, which no test stops."""
    from clusters import make_cluster

    with make_cluster(3) as made:
        yield made


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster) as made:
        yield made
