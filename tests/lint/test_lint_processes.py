"""Which test files share a process: tests/conftest.py says it to pytest-xdist."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import Any

import pytest
from lint_sources import ROOT

pytest.importorskip("xdist")


@pytest.fixture(scope="module")
def rules() -> Any:
    """Return tests/conftest.py as a module of its own."""
    spec = importlib.util.spec_from_file_location("rules_of_all_tests", ROOT / "tests" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("test", "scope"),
    [
        ("site/test_site_build.py::test_one", "site"),
        ("site/test_site_blocks.py::test_page[a/b]", "site"),
        ("python/dask/test_train.py::test_one", "python/dask"),
        ("python/dask/test_losses.py::test_one", "python/dask/test_losses.py"),
        ("python/test_link.py::test_one", "python/test_link.py"),
    ],
)
def test_a_folder_with_a_job_of_the_session_is_one_piece_of_work(rules: Any, test: str, scope: str) -> None:
    config = SimpleNamespace(getvalue={"dist": "loadfile", "tx": ["popen"]}.__getitem__)
    assert rules.pytest_xdist_make_scheduler(config, None)._split_scope(test) == scope


def test_other_distributions_are_left_alone(rules: Any) -> None:
    assert rules.pytest_xdist_make_scheduler(SimpleNamespace(getvalue=lambda name: "load"), None) is None


def test_the_table_names_what_exists(rules: Any) -> None:
    for folder, alone in rules.TOGETHER.items():
        names = {path.name for path in (ROOT / "tests" / folder).glob("test_*.py")}
        assert len(names) > 1 + len(alone)
        assert set(alone) <= names
