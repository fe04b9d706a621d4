"""Rules for every test: no skip hides anything, and nothing global is left behind; which tests share a process.

This is the one place that says which skips may stay.

Where `KAURI_REQUIRE` is set, as `tests/run` sets it, a skip fails unless its reason stands in the table below: a peer
that tests/requirements.txt installs, a data set that the project makes itself or a part of the build is missing then.
tests/cpp/support/need.h says the same of the C++ tests.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

# For Spark's drivers and executors, also in programs that tests start: they live for seconds, on few cores.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

MAY_STAY = {
    r"no CUDA device|there is a CUDA device": "tests of both sides, of which a machine has one",
    r"could not import '(cupy|torch)'": "arrays in device memory, of libraries that only machines with a device have",
    r"does not have a decision_function method": "scikit-learn's own check of another kind of classifier",
    r"SCIPY_ARRAY_API is not set": "scikit-learn's own check of arrays that the package does not claim to take",
    r"no real data sets at ": "they belong to others and lie outside the project",
    r"not there; python tests/peers/environments\.py": "other versions of peers, each in an environment of its own",
    r"until 3\.4 the gain lacks alpha": "the peer computes something else",
    r"peak memory cannot be reset here|needs /dev/full": "what not every kernel lets a process do",
    r"no Python 3\.\d+ with ensurepip|PyPI cannot be reached": "what a wheel is installed into, and with",
    r"only with KAURI_LONG=1": "minutes of random damage",
    r"only with KAURI_WHEELS=all": "other Pythons, and a build from the source distribution",
    r"there is no mpirun": "a program, which the package of requirements.txt brings where there is a wheel of it",
    r"there is no Node\.js": "a runtime of JavaScript; wasmtime runs the same tests of the module",
    r"there is no Chromium": "the browser of systems other than Debian has other names",
    r"only after cmake/(cross|wasm)\.sh": "libraries for other systems, which take minutes to compile",
    r"graphviz|Graphviz is not installed": "a program, and its module, that draws what the tests of the text check too",
}

# Folders whose files run in one process of pytest-xdist, because they share a job of the session; and exceptions.
TOGETHER = {
    "site": (),  # all blocks of the pages are run once
    "python/dask": ("test_losses.py",),  # a cluster of three processes
    "python/spark": (),  # a cluster of two executors, of which a process has one at most
    "python/ray": (),  # a cluster on this machine
}


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return what `--dist loadfile` returns, except that the files of some folders stay together."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(super()._split_scope(nodeid))

    return Scheduling(config, log)


def scope_of(file: str) -> str:
    """Return what runs in one process: a folder of the table, or the file."""
    folder, _, name = file.rpartition("/")
    return folder if name not in TOGETHER.get(folder, (name,)) else file


def judge(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn the skip of a test or of a module into a failure, unless its reason may stay."""
    if not report.skipped or hasattr(report, "wasxfail") or os.environ.get("KAURI_REQUIRE", "0") == "0":
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not any(re.search(pattern, reason) for pattern in MAY_STAY):
        report.outcome = "failed"
        report.longrepr = f"{reason}\nKAURI_REQUIRE is set: install what is missing, or name the reason in {__file__}"


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Judge the skips of tests."""
    outcome = yield
    judge(outcome.get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    """Judge the skips of whole modules."""
    outcome = yield
    judge(outcome.get_result())


@pytest.fixture(autouse=True)
def _leaves_the_global_settings() -> Iterator[None]:
    """Fail a test after which the library's global settings are others: those that follow would run under them."""
    library = sys.modules.get("kauriboost")
    before = library.get_config() if library else None
    yield
    if library:
        after = library.get_config()
        library.set_config(**before)
        assert after == before
