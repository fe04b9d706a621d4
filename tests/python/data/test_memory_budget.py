"""A memory budget is respected: peak memory of a process that trains on more data than the budget."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json
import sys

import kauriboost
import numpy as np

ROWS, COLS, AT_ONCE, BUDGET = 200_000, 128, 10_000, int(sys.argv[1])
BASE = np.random.default_rng(5).standard_normal((AT_ONCE, COLS), dtype=np.float32)
LABELS = (BASE[:, 0] + BASE[:, 1] > 0).astype(np.float32)


class Shifted(kauriboost.DataIter):
    def __init__(self, n_batches):
        self.n_batches, self.at, self.rows = n_batches, 0, np.empty_like(BASE)

    def next(self, input_data):
        if self.at == self.n_batches:
            return False
        np.multiply(BASE, 1 + self.at * 1e-3, out=self.rows)
        input_data(data=self.rows, label=LABELS)
        self.at += 1
        return True

    def reset(self):
        self.at = 0


def resident(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name)) / 1024


def train(n_batches, budget):
    data = kauriboost.ExtMemQuantileDMatrix(Shifted(n_batches), max_bin=32, nthread=1, memory_budget=budget)
    params = {"objective": "binary:logistic", "max_bin": 32, "nthread": 1, "max_depth": 7, "eval_metric": "auc"}
    return kauriboost.train(params, data, 3, evals=[(data, "train")], verbose_eval=False)


train(1, 0)  # threads and what they keep
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")  # the peak starts anew
before = resident("VmRSS")
train(ROWS // AT_ONCE, BUDGET)
print(json.dumps({"values": ROWS * COLS * 4 / 2**20, "peak": resident("VmHWM") - before}))
"""


def test_peak_memory_stays_below_the_budget(tmp_path: Path) -> None:
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("peak memory cannot be reset here")
    budget = 30
    package = str(Path(__file__).resolve().parents[3] / "python-package")
    environment = {**os.environ, "PYTHONPATH": package, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(budget)], capture_output=True, text=True, env=environment, check=False
    )
    if "Permission" in done.stderr:
        pytest.skip("peak memory cannot be reset here")
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout.splitlines()[-1])
    assert measured["peak"] <= budget, measured
    assert measured["values"] > 3 * budget
