"""Folders in which the program is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_program import Kauri


@pytest.fixture
def kauri(tmp_path: Path) -> Kauri:
    return Kauri(tmp_path)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Kauri:
    """Return a folder with model.json of five rounds, for tests that only read it."""
    program = Kauri(tmp_path_factory.mktemp("trained"))
    program.train()
    return program
