"""The library with OpenMP's threads behind every loop, as -DKAURI_THREADS=openmp builds it, gives the pool's bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("KAURI_BUILD_DIR", ROOT / "build"))
OPENMP = BUILD / "openmp" / "libkauri.so"

SESSION = """
import hashlib, os
import kauriboost as kb
import numpy as np

rng = np.random.default_rng(1)
X = rng.normal(size=(6000, 6)).astype(np.float32)
X[rng.random(X.shape) < 0.1] = np.nan
y = (np.nan_to_num(X[:, 0] * X[:, 1]) + rng.normal(scale=0.3, size=len(X)) > 0).astype(np.float32)

def show(what, values):
    print(what, hashlib.sha256(bytes(values)).hexdigest())

kb.set_config(nthread=3)
for method in ("hist", "approx", "exact"):
    data = kb.DMatrix(X, label=y)
    params = {"objective": "binary:logistic", "tree_method": method, "max_depth": 4, "subsample": 0.7, "nthread": 3}
    booster = kb.train(params, data, 4, evals=[(data, "train")], verbose_eval=False)
    show(method, booster.save_raw("ubj"))
    show("values", booster.predict(data))
    for shap_method in ("quadrature", "treeshap"):
        booster.set_param({"shap_method": shap_method})
        show(shap_method, booster.predict(kb.DMatrix(X[:200]), pred_contribs=True))
show("shuffle", kb.shuffle(5000, seed=3))
try:
    kb.train({"objective": "no:such"}, data, 1)
except kb.KauriError as error:
    print(type(error).__name__)
names = [open(f"/proc/self/task/{task}/comm").read().strip() for task in os.listdir("/proc/self/task")]
print("workers of the pool:", names.count("kauri") > 0)
"""


def session(library: Path) -> list[str]:
    """Return what the session prints in a process of its own with this library."""
    environment = {
        **os.environ,
        "KAURI_LIBRARY": str(library),
        "OMP_WAIT_POLICY": "passive",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-c", SESSION], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_the_same_bytes() -> None:
    if not OPENMP.exists():
        pytest.skip(f"there is no {OPENMP}; build the target kauri_openmp")
    ours, theirs = session(BUILD / "lib" / "libkauri.so"), session(OPENMP)
    assert theirs[:-1] == ours[:-1]
    assert len(ours) > 14
    assert [lines[-1] for lines in (ours, theirs)] == ["workers of the pool: True", "workers of the pool: False"]
