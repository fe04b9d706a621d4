"""Worker process of one library: runs works on the same rows and prints an answer in JSON for each."""

from __future__ import annotations

import gc
import hashlib
import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hist_cases import rows  # noqa: E402
from hist_cases.peak import DeviceMemory  # noqa: E402
from hist_cases.works import Work  # noqa: E402

FEW = 10  # the shorter of two trainings has a tenth of the rounds
CHECKED_ROWS = 100_000
MIB = 1 << 20


def seconds_of(act: Callable[[], Any]) -> float:
    """Return the seconds of a call, including the destruction of its result."""
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


class Worker:
    """A library, and its rows."""

    def __init__(self, library: str, works: list[Work], settings: dict[str, Any]) -> None:
        if library == "kauri":
            sys.path.insert(0, os.environ.get("KAURI_PYTHON_PACKAGE", str(ROOT / "python-package")))
        self.name, self.settings, self.first = library, settings, works[0]
        self.library = importlib.import_module("kauriboost" if library == "kauri" else "xgboost")
        work = works[0]
        self.features, self.labels = rows.make(work.data, work.rows, work.columns, settings["device"])
        self.matrix: Any = None

    def params(self, work: Work, device: str | None = None) -> dict[str, Any]:
        """Return parameters that mean the same in both libraries."""
        params: dict[str, Any] = {
            "objective": "binary:logistic",
            "tree_method": "hist",
            "device": device or self.settings["device"],
            "max_depth": work.depth,
            "max_bin": work.max_bin,
            "eta": 0.1,
            "nthread": self.settings["threads"],
            "verbosity": 1,
        }
        if work.leaves:
            params |= {"grow_policy": "lossguide", "max_leaves": work.leaves}
        if work.data == "classes":
            params |= {"objective": "multi:softprob", "num_class": rows.N_CLASSES}
        return params

    def make_matrix(self, features: Any, labels: Any, max_bin: int) -> Any:
        """Return a matrix of the kind in the settings, from arrays on host or device."""
        threads = self.settings["threads"]
        if self.settings["matrix"] == "values":
            return self.library.DMatrix(features, labels, nthread=threads)
        return self.library.QuantileDMatrix(features, labels, max_bin=max_bin, nthread=threads)

    def arrays(self, source: str, n_rows: int | None = None) -> tuple[Any, Any]:
        """Return features and labels, in host memory or as CuPy arrays."""
        features, labels = self.features[:n_rows], self.labels[:n_rows]
        if source == "host":
            return features, labels
        cupy = importlib.import_module("cupy")
        arrays = cupy.asarray(features), cupy.asarray(labels)
        cupy.cuda.Device().synchronize()
        return arrays

    def train(self, work: Work, matrix: Any, n_rounds: int) -> Any:
        return self.library.train(self.params(work), matrix, n_rounds, verbose_eval=False)

    def kept_matrix(self, work: Work) -> Any:
        """Return the shared matrix. The first work makes it, and also trains two rounds to warm up."""
        if self.matrix is None:
            self.matrix = self.make_matrix(*self.arrays(work.source), work.max_bin)
            self.train(work, self.matrix, 2)
        return self.matrix

    def measure_tree(self, work: Work) -> dict[str, Any]:
        matrix = self.kept_matrix(work)
        few = max(1, work.rounds // FEW)
        self.train(work, matrix, few)
        taken = []
        for _ in range(self.settings["repeats"]):
            short = seconds_of(lambda: self.train(work, matrix, few))
            taken.append((seconds_of(lambda: self.train(work, matrix, work.rounds)) - short) / (work.rounds - few))
        return {"value": 1e3 * statistics.median(taken), "runs": [1e3 * one for one in taken]}

    def measure_rounds(self, work: Work) -> dict[str, Any]:
        matrix = self.kept_matrix(work)
        taken = [seconds_of(lambda: self.train(work, matrix, work.rounds)) for _ in range(self.settings["repeats"])]
        return {"value": statistics.median(taken), "runs": taken}

    def measure_arrays(self, work: Work) -> dict[str, Any]:
        """Measure seconds from arrays to the model. The first training is a warm-up."""

        def act() -> None:
            self.train(work, self.make_matrix(*arrays, work.max_bin), work.rounds)

        arrays = self.arrays(work.source)
        act()
        taken = [seconds_of(act) for _ in range(self.settings["repeats"])]
        return {"value": statistics.median(taken), "runs": taken}

    def measure_matrix(self, work: Work) -> dict[str, Any]:
        """Measure the matrix and its first round, minus a second round, because libraries defer different work.

        A small matrix is made and trained on before, as a warm-up.
        """
        self.train(work, self.make_matrix(*self.arrays(work.source, 10_000), work.max_bin), 1)
        arrays, made, ready = self.arrays(work.source), [], []
        for _ in range(self.settings["repeats"]):
            start = time.perf_counter()
            matrix = self.make_matrix(*arrays, work.max_bin)
            made.append(time.perf_counter() - start)
            self.train(work, matrix, 1)
            ready.append(time.perf_counter() - start - seconds_of(lambda matrix=matrix: self.train(work, matrix, 1)))
            del matrix
        return {
            "value": 1e3 * statistics.median(ready),
            "runs": [1e3 * one for one in ready],
            "made_ms": 1e3 * statistics.median(made),
        }

    def measure_memory(self, work: Work) -> dict[str, Any]:
        """Measure memory beyond the input arrays and the context, after a small training has loaded every kernel."""
        memory = DeviceMemory()
        self.train(work, self.make_matrix(*self.arrays(work.source, 10_000), work.max_bin), 2)
        gc.collect()
        if work.source == "device":
            importlib.import_module("cupy").get_default_memory_pool().free_all_blocks()
        memory.trim()
        context = memory.used()
        arrays = self.arrays(work.source)
        before = memory.used()
        matrix, construction = memory.peak_of(lambda: self.make_matrix(*arrays, work.max_bin))
        _, training = memory.peak_of(lambda: self.train(work, matrix, work.rounds))
        numbers = {"context": context, "input": before - context, "construction": construction - before}
        numbers |= {"kept": memory.used() - before, "training": training - before}
        return {"value": numbers["training"] / MIB, **{key: value / MIB for key, value in numbers.items()}}

    def check(self, work: Work) -> dict[str, Any]:
        """Compare Kauri's models of device and CPU on some rows, by their bytes."""
        if self.name != "kauri" or not self.settings["device"].startswith("cuda"):
            return {}
        digests = set()
        for device in ("cpu", self.settings["device"]):
            matrix = self.make_matrix(*self.arrays("host", CHECKED_ROWS), work.max_bin)
            booster = self.library.train(self.params(work, device), matrix, 3, verbose_eval=False)
            digests.add(hashlib.sha256(booster.save_raw("ubj")).hexdigest())
        return {"equal_bytes": len(digests) == 1}

    def run(self, work: Work) -> dict[str, Any]:
        measure = {
            "tree": self.measure_tree,
            "rounds": self.measure_rounds,
            "arrays": self.measure_arrays,
            "matrix": self.measure_matrix,
            "memory": self.measure_memory,
        }[work.measure]
        return {**measure(work), **self.check(work), "version": self.library.__version__}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with the answer
    task = json.loads(sys.argv[1])
    works = [Work(**work) for work in task["works"]]
    worker = Worker(task["library"], works, task["settings"])
    for work in works:
        print(json.dumps({"work": work.name, **worker.run(work)}), file=answers, flush=True)


if __name__ == "__main__":
    main()
