"""Runs shap's own tests of its tree explainer on kauriboost.shap.TreeExplainer, and counts.

    .venv/bin/python tests/peers/shap_suite.py [kauri|shap]

The tests come from the source distribution of the installed version of shap, which pip downloads to a temporary folder.
With ``shap`` they run on shap's own explainer, for comparison. Tests that shap marks as very slow are left out. Where
the data sets of shap cannot be downloaded, tables of the same shape and types from a generator take their place. Tests
of libraries that are not installed skip themselves.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WHICH = "KAURI_SHAP_SUITE"  # environment variable: whose explainer the tests get
ADULT = ["Age", "Workclass", "Education-Num", "Marital Status", "Occupation", "Relationship", "Race", "Sex"]
ADULT += ["Capital Gain", "Capital Loss", "Hours per week", "Country"]
HOUSES = ["MedInc", "HouseAge", "AveRooms", "AveBedrms", "Population", "AveOccup", "Latitude", "Longitude"]


def made_adult(display: bool = False, n_points: int | None = None) -> tuple[Any, np.ndarray]:
    """Return a table with the columns of shap's adult data, and labels of two classes."""
    import pandas as pd

    rows = np.random.default_rng(1).integers(0, 40, (n_points or 32561, len(ADULT))).astype(np.float32)
    labels = rows[:, 0] + rows[:, 2] + rows[:, -2] > 70
    return pd.DataFrame(rows, columns=ADULT), labels


def made_houses(n_points: int | None = None) -> tuple[Any, np.ndarray]:
    """Return a table with the columns of shap's california data, and amounts."""
    import pandas as pd

    random = np.random.default_rng(2)
    rows = random.gamma(2.0, 2.0, (n_points or 20640, len(HOUSES)))
    rows[:, 1] = random.integers(1, 52, len(rows))
    return pd.DataFrame(rows, columns=HOUSES), np.log1p(rows[:, 0]) + np.sin(rows[:, 6]) + rows[:, 1] / 52


def made_ranks() -> tuple[Any, ...]:
    """Return sparse rows, grades and query sizes for training, and for a test."""
    from scipy.sparse import random as random_rows

    parts = [random_rows(300, 50, 0.3, "csr", random_state=seed) for seed in (1, 2)]
    grades = [np.random.default_rng(seed).integers(0, 4, 300) for seed in (1, 2)]
    return parts[0], grades[0], parts[1], grades[1], np.full(10, 30), np.full(10, 30)


class _Texts:
    """Texts, and the number of each text's group, as in scikit-learn's data set of news."""

    def __init__(self) -> None:
        random = np.random.default_rng(3)
        words = np.array([f"word{number}" for number in range(200)])
        self.target = random.integers(0, 2, 120)
        self.data = [" ".join(random.choice(words[100 * group :], 30)) for group in self.target]


def or_made(load: Callable[..., Any], make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loader that makes the data, from the first time on that they cannot be downloaded."""
    loaders = [load]

    def loaded(*args: Any, **kwargs: Any) -> Any:
        if loaders[0] is not make:
            try:
                return load(*args, **kwargs)
            except OSError:  # URLError is one
                loaders[0] = make
        return make(*args, **kwargs)

    return loaded


def pytest_configure(config: pytest.Config) -> None:
    """Put our explainer, and the data, under shap's names. (This file is a plug-in of the inner pytest.)"""
    import shap
    import sklearn.datasets

    if os.environ.get(WHICH) == "kauri":
        from kauriboost.shap import TreeExplainer

        for module, name in ((shap, "TreeExplainer"), (shap.explainers, "TreeExplainer"), (shap.explainers, "Tree")):
            setattr(module, name, TreeExplainer)
    for name, make in (("adult", made_adult), ("california", made_houses), ("rank", made_ranks)):
        setattr(shap.datasets, name, or_made(getattr(shap.datasets, name), make))
    news = sklearn.datasets.fetch_20newsgroups
    sklearn.datasets.fetch_20newsgroups = or_made(news, lambda **_: _Texts())


def fetch(folder: Path) -> Path:
    """Return the folder of shap's tests, from the source distribution of the installed version."""
    version = importlib.metadata.version("shap")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=shap", f"shap=={version}"]
    subprocess.run(command, cwd=folder, check=True)
    with tarfile.open(folder / f"shap-{version}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / f"shap-{version}" / "tests"


def run(tests: Path, which: str, report: Path) -> list[tuple[str, str, str]]:
    """Run the tests. Returns the name of each, the result, and the reason if it did not pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "shap_suite", "-p", "no:cacheprovider", "-W", "ignore"]
    command += ["-o", "addopts=", "-m", "not xslow", f"--junitxml={report}", "explainers/test_tree.py"]
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    subprocess.run(command, cwd=tests, env={**os.environ, "PYTHONPATH": path, WHICH: which}, stdout=subprocess.DEVNULL)
    found = []
    for case in ElementTree.parse(report).iter("testcase"):
        problem = next(iter(case), None)
        result = "passed" if problem is None else {"skipped": "skipped"}.get(problem.tag, "failed")
        reason = "" if problem is None else problem.get("message", "").strip().split("\n")[0]
        found.append((case.get("name", ""), result, reason))
    return found


def main(arguments: list[str]) -> int:
    """Run the tests and print those that did not pass, and the counts."""
    which = arguments[0] if arguments else "kauri"
    if which not in ("kauri", "shap"):
        print(f"unknown: {which}; there are kauri and shap")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        results = run(fetch(Path(folder)), which, Path(folder) / "report.xml")
    for name, result, reason in results:
        if result != "passed":
            print(f"{result:8} {name:60} {reason[:150]}")
    counts = {result: sum(result == other for _, other, _ in results) for result in ("passed", "failed", "skipped")}
    ran = counts["passed"] + counts["failed"]
    print(f"{which}: {counts['passed']} of {ran} tests that ran passed; {counts['skipped']} were skipped")
    return 0 if ran else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
