"""Makes Python environments of other libraries for tests/conformance.

Most read our model files (test_model_readers.py); one has XGBoost's package and its companions (test_scenarios.py).

    .venv/bin/python tests/peers/environments.py [NAME...]

makes the named environments, or by default all missing ones except the large ones, in the folder build-peers (or
$KAURI_PEERS), a few hundred MB each. Each needs a Python between two versions, found as python3.N in $PATH or among
pyenv's versions. An environment without its Python is reported and left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("KAURI_PEERS", ROOT / "build-peers"))


class Environment(NamedTuple):
    """Packages of an environment, and the lowest and highest Python 3.N that have wheels of them."""

    lowest: int
    highest: int
    packages: tuple[str, ...]
    with_needs: bool = False  # install dependencies, too; for XGBoost's wheels that may include NCCL, for GPUs
    on_request: bool = False  # large: made only if named
    alone: tuple[str, ...] = ()  # packages that are installed last and without what they need


_OLD_NUMPY = ("numpy==1.26.4", "scipy==1.13.1")  # XGBoost before 3.0 does not know numpy 2
_NUMPY = ("numpy==2.3.5", "scipy==1.16.3")
_OLD_LEARN = (*_OLD_NUMPY, "scikit-learn==1.5.2", "joblib==1.4.2", "threadpoolctl==3.5.0")
_LEARN = (
    *_NUMPY,
    "scikit-learn==1.9.1",
    "joblib==1.6.0",
    "threadpoolctl==3.8.0",
    "narwhals==2.29.0",
    "cloudpickle==3.1.2",
)
ENVIRONMENTS = {
    "xgboost-1.7": Environment(9, 12, ("xgboost==1.7.6", *_OLD_LEARN)),
    "xgboost-2.0": Environment(9, 12, ("xgboost==2.0.3", *_OLD_LEARN)),
    "xgboost-2.1": Environment(9, 12, ("xgboost-cpu==2.1.4", *_OLD_LEARN)),
    "xgboost-3.0": Environment(11, 13, ("xgboost-cpu==3.0.5", *_LEARN)),
    "xgboost-3.1": Environment(11, 13, ("xgboost-cpu==3.1.3", *_LEARN)),
    "xgboost-3.2": Environment(11, 13, ("xgboost-cpu==3.2.0", *_LEARN)),
    "xgboost-3.3": Environment(12, 13, ("xgboost-cpu==3.3.0", *_LEARN)),
    "xgboost-3.4": Environment(12, 13, ("xgboost-cpu==3.4.1", *_LEARN)),
    "onnx": Environment(
        11,
        13,
        (
            "onnxmltools==1.16.0",
            "onnx==1.23.2",
            "onnxruntime==1.32.0",
            "onnxconverter-common==1.16.0",
            "skl2onnx==1.20.0",
            "scikit-learn==1.9.1",
            "xgboost-cpu==3.2.0",
            "numpy==2.4.6",
            "scipy==1.17.1",
        ),
        with_needs=True,
    ),
    "ngboost": Environment(
        11,
        13,
        ("ngboost==0.6.0", "scikit-learn==1.6.1", "numpy==2.4.6", "scipy==1.17.1", "pandas==2.3.3"),
        with_needs=True,
        on_request=True,
    ),
    "tools": Environment(
        12,
        13,
        (
            "dtreeviz==2.3.2",
            "mlflow-skinny==3.17.2",
            "onnxmltools==1.16.0",
            "onnxruntime==1.32.0",
            "optuna==5.0.0",
            "optuna-integration==5.0.0",
            "shap==0.54.1",
            "skl2onnx==1.20.0",
            "skops==0.16.0",
            "treelite==4.8.1",
            "scikit-learn==1.9.1",
            "numpy==2.5.5",
            "scipy==1.18.1",
        ),
        with_needs=True,
    ),
    "drop-in": Environment(
        12,
        13,
        (
            "xgboost-cpu==3.4.1",
            *_NUMPY,
            "scikit-learn==1.9.1",
            "pandas==3.1.1",
            "pyarrow==26.0.1",
            "polars==2.1.0",
            "cloudpickle==3.1.2",
        ),
        with_needs=True,
    ),
    # Only for tests/benchmark/dask_compare.py; no test uses it.
    "dask": Environment(
        12,
        13,
        (
            "xgboost-cpu==3.4.1",
            "lightgbm==4.7.0",
            "dask[dataframe]==2026.8.0",
            "distributed==2026.8.0",
            "scikit-learn==1.9.1",
            "pandas==3.1.1",
            *_NUMPY,
        ),
        with_needs=True,
        on_request=True,
    ),
    # Only for tests/benchmark/quality.py; no test uses it. NGBoost asks for an older scikit-learn, but works with this.
    "quality": Environment(
        12,
        13,
        (
            "xgboost-cpu==3.4.1",
            "lightgbm==4.7.0",
            "catboost==1.2.10",
            "interpret-core==0.7.8",
            "optuna==5.0.0",
            "perpetual==2.3.0",
            "scikit-learn==1.9.1",
            "pandas==3.1.1",
            "matplotlib==3.11.2",
            "sympy==1.14.0",
            "tqdm==4.70.1",
            *_NUMPY,
        ),
        with_needs=True,
        on_request=True,
        alone=("ngboost==0.6.0",),
    ),
    # Only for tests/benchmark/set_interactions.py; no test uses it. This release computes trees in C++.
    "shapiq": Environment(
        12,
        13,
        ("shapiq==1.8.0", "xgboost-cpu==3.4.1", "numpy==2.5.5", "scipy==1.18.1", "scikit-learn==1.9.1"),
        with_needs=True,
        on_request=True,
    ),
    # This is the last torch in one wheel without NVIDIA's packages: 800 MB, 2 GB once installed.
    "hummingbird": Environment(
        9,
        10,
        ("hummingbird-ml==0.4.12", "torch==1.12.1", "xgboost-cpu==2.1.4", *_OLD_LEARN),
        with_needs=True,
        on_request=True,
    ),
}


def interpreter(name: str) -> Path | None:
    """Return the Python of an environment, if it was made."""
    python = FOLDER / name / "bin" / "python"
    return python if (FOLDER / name / "made").exists() else None


def _find_python(lowest: int, highest: int) -> str | None:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(lowest, highest + 1):
        for path in [shutil.which(f"python3.{minor}"), *map(str, pyenv.glob(f"3.{minor}.*/bin/python"))]:
            wanted = f"import sys; sys.exit(sys.version_info[:2] != (3, {minor}))"
            if path is not None and subprocess.run([path, "-c", wanted], capture_output=True).returncode == 0:
                return path
    return None


def make(name: str) -> bool:
    """Make an environment; returns False if its Python is missing."""
    environment = ENVIRONMENTS[name]
    python = _find_python(environment.lowest, environment.highest)
    if python is None:
        print(f"{name}: no Python from 3.{environment.lowest} to 3.{environment.highest} was found; left out")
        return False
    print(f"{name}: {python}", flush=True)
    shutil.rmtree(FOLDER / name, ignore_errors=True)
    subprocess.run([python, "-m", "venv", FOLDER / name], check=True)
    pip = [FOLDER / name / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    needs = [] if environment.with_needs else ["--no-deps"]
    subprocess.run([*pip, "--only-binary=:all:", *needs, *environment.packages], check=True)
    if environment.alone:
        subprocess.run([*pip, "--only-binary=:all:", "--no-deps", *environment.alone], check=True)
    (FOLDER / name / "made").touch()
    return True


def main(names: list[str]) -> int:
    """Make the named environments, or all missing ones except the large ones."""
    unknown = [name for name in names if name not in ENVIRONMENTS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(ENVIRONMENTS)}")
        return 2
    usual = [name for name, environment in ENVIRONMENTS.items() if not environment.on_request]
    wanted = names or [name for name in usual if interpreter(name) is None]
    made = [make(name) for name in wanted]
    return 0 if all(made) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
