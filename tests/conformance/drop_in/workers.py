"""Starts a worker over XGBoost's library and one over ours, and collects the results of the scenarios over each.

XGBoost's package comes from the environment "drop-in" of tests/peers/environments.py. For our library a copy of it is
used whose lib/libxgboost.so is a link to libkauri.so; the environment is not changed.
"""

from __future__ import annotations

import ast
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ROOMS = HERE.parent / "scenarios"
ENVIRONMENT = "drop-in"
LIMIT_S = 30  # for one scenario; the slowest takes two seconds on an idle machine
sys.path.append(str(ROOT / "tests" / "peers"))
from environments import interpreter  # noqa: E402

Records = dict[str, dict[str, Any]]


def environment_python() -> Path | None:
    """Return the Python of XGBoost's environment, if that was made."""
    return interpreter(ENVIRONMENT)


def library() -> Path:
    """Return the libkauri.so under test."""
    return Path(os.environ.get("KAURI_LIBRARY", ROOT / "build" / "lib" / "libkauri.so")).resolve()


def scenario_names() -> list[str]:
    """Return all scenarios as room.function, from the sources: importing them needs XGBoost's environment."""
    return [
        f"{path.stem}.{node.name}"
        for path in sorted(ROOMS.glob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and any(map(_marks_scenario, node.decorator_list))
    ]


def _marks_scenario(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "scenario"


def copy_package(python: Path, folder: Path) -> Path:
    """Copy XGBoost's package, put our library under it, and return the folder to import it from."""
    (package,) = python.parents[1].glob("lib/python3*/site-packages/xgboost")
    shutil.copytree(package, folder / "xgboost", ignore=shutil.ignore_patterns("lib", "__pycache__"))
    (folder / "xgboost" / "lib").mkdir()
    (folder / "xgboost" / "lib" / "libxgboost.so").symlink_to(library())
    return folder


def run_over_both(python: Path, names: list[str], folder: Path) -> tuple[Records, Records]:
    """Run scenarios over XGBoost's library and over ours, side by side; return the records of both."""
    ours = copy_package(python, folder / "kauri")
    workers = [
        _start(python, names, folder / "xgboost-records", None),
        _start(python, names, folder / "kauri-records", ours),
    ]
    for worker in workers:
        if worker.wait() != 0:
            raise RuntimeError(f"{worker.args} ended with status {worker.returncode}")
    theirs, mine = (pickle.loads((folder / f"{name}-records").read_bytes()) for name in ("xgboost", "kauri"))
    return theirs, mine


def _start(python: Path, names: list[str], out: Path, package: Path | None) -> subprocess.Popen[bytes]:
    request = {"package": None if package is None else str(package), "names": names, "limit": LIMIT_S}
    asked = out.with_suffix(".json")
    asked.write_text(json.dumps(request))
    two_threads = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    return subprocess.Popen([python, "-E", HERE / "worker.py", asked, out], env=two_threads)
