"""Worker process of one library: `python -m speed_cases.contended_worker LIBRARY THREADS ROWS ROUNDS`.

Used by contended.py. Answers each line on standard input with the seconds that its task took. A task is "train", or the
name of a search of scikit-learn followed by the joblib backend that runs its jobs.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from typing import Any, TextIO

from .cases import Case
from .datasets import ROOT, Part, dense_rows
from .libraries import ENTRANTS

SEARCH_SHARE = 10  # a search uses one row in this many
ESTIMATORS = {
    "kauri": ("kauriboost", "KauriClassifier"),
    "xgboost": ("xgboost", "XGBClassifier"),
    "lightgbm": ("lightgbm", "LGBMClassifier"),
}


def estimator(library: str, rounds: int) -> Any:
    """Return an estimator with the library's default number of threads."""
    quiet = {"verbosity": -1} if library == "lightgbm" else {}
    module, name = ESTIMATORS[library]
    make = getattr(importlib.import_module(module), name)
    return make(n_estimators=rounds, max_depth=6, **quiet)


def search(name: str, model: Any, part: Part, jobs: int) -> None:
    """Run a search of six trainings in `jobs` jobs."""
    from joblib import parallel_backend
    from sklearn.model_selection import GridSearchCV, cross_val_score

    how, _, backend = name.partition(" ")
    rows = len(part.labels) // SEARCH_SHARE
    features, labels = part.features[:rows], part.labels[:rows]
    with parallel_backend(backend, n_jobs=jobs):
        if how == "cross_val_score":
            cross_val_score(model, features, labels, cv=6, n_jobs=jobs)
        else:
            GridSearchCV(model, {"max_depth": [4, 6]}, cv=3, n_jobs=jobs, refit=False).fit(features, labels)


def serve(library: str, threads: int, rows: int, rounds: int, answers: TextIO) -> None:
    case = Case("contended", "", rounds=rounds)
    entrant, part = ENTRANTS[library](case, threads), dense_rows(rows)
    print(json.dumps(0.0), file=answers, flush=True)
    for line in sys.stdin:
        task, begin = line.strip(), time.perf_counter()
        if task == "train":
            entrant.train(part, rounds)
        else:
            search(task, estimator(library, rounds), part, threads)
        print(json.dumps(time.perf_counter() - begin), file=answers, flush=True)


def main() -> None:
    library, *numbers = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with the answer
    if library == "kauri":
        sys.path.insert(0, os.environ.get("KAURI_PACKAGE", str(ROOT / "python-package")))
        importlib.import_module("kauriboost")
    serve(library, *(int(number) for number in numbers), answers)


if __name__ == "__main__":
    main()
