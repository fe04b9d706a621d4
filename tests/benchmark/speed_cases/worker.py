"""Worker process of one library on one case: `python -m speed_cases.worker CASE LIBRARY FOLDER THREADS`.

Loads the data, then answers each line on standard input, "run" or "score", with a line of JSON. Peak memory is the
process's maximum resident set after the first run minus its maximum after loading.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from .cases import BY_NAME, Case
from .datasets import Part, load_parts
from .libraries import ENTRANTS, Entrant

MODEL_ROWS = 20_000  # number of rows for training the models of prediction cases


def max_resident() -> int:
    """Return this program's maximum resident set in bytes. ru_maxrss would include the parent's memory at the fork."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) * 1024


def resident() -> int:
    """Return the current resident set in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1]) * 1024


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(step: Any) -> tuple[Any, dict[str, float]]:
    wall, cpu = time.perf_counter(), cpu_seconds()
    result = step()
    return result, {"seconds": time.perf_counter() - wall, "cpu_seconds": cpu_seconds() - cpu}


def ndcg(labels: np.ndarray, scores: np.ndarray, group: np.ndarray, at: int = 10) -> float:
    """Return the mean NDCG over the queries that have a relevant row."""
    discount = 1.0 / np.log2(np.arange(2, at + 2))
    values = []
    for begin, n in zip(np.cumsum(group) - group, group, strict=True):
        gain = 2.0 ** labels[begin : begin + n] - 1
        best = np.sort(gain)[::-1][:at]
        if best[0] == 0:
            continue
        found = gain[np.argsort(-scores[begin : begin + n], kind="stable")][:at]
        values.append((found * discount[: len(found)]).sum() / (best * discount[: len(best)]).sum())
    return float(np.mean(values))


def quality(case: Case, test: Part, scores: np.ndarray) -> dict[str, float]:
    """Return the test metric by its name."""
    from sklearn.metrics import log_loss, roc_auc_score

    if case.task == "rank":
        return {"ndcg@10": ndcg(test.labels, scores, test.group)}
    if case.task == "multiclass":
        scores = scores.reshape(len(test.labels), -1).astype(np.float64)
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        classes = np.arange(odds.shape[1])  # rare classes may be absent from the test rows
        return {"mlogloss": float(log_loss(test.labels, odds / odds.sum(axis=1, keepdims=True), labels=classes))}
    return {"AUC": float(roc_auc_score(test.labels, scores))}


class Worker:
    """Data and model that persist between commands."""

    def __init__(self, case: Case, entrant: Entrant, folder: Path) -> None:
        self.case, self.entrant = case, entrant
        self.part, self.test = load_parts(case.data, folder)
        self.model: Any = None
        if case.task == "predict":
            small = Part(self.part.features[:MODEL_ROWS], self.part.labels[:MODEL_ROWS])
            self.model = entrant.load(str(folder / f"{case.name}.ubj"), small)
            entrant.predict(self.model, small.features)
        self.at_start = max_resident()
        self.peak: int | None = None

    def run_again(self) -> dict[str, float]:
        """Train twice; `seconds` is the second training's time, `resident_bytes` the memory of data set and model."""
        self.model = None
        before = resident()
        data, made = timed(lambda: self.entrant.data(self.part))
        first = timed(lambda: self.entrant.train_on(data, self.part, self.case.rounds))[1]
        self.model, taken = timed(lambda: self.entrant.train_on(data, self.part, self.case.rounds))
        return {
            **taken,
            "first_seconds": made["seconds"] + first["seconds"],
            "resident_bytes": max(0, resident() - before),
        }

    def run(self) -> dict[str, float]:
        if self.case.task == "predict":
            _, taken = timed(lambda: self.entrant.predict(self.model, self.part.features))
        elif self.case.again:
            taken = self.run_again()
        else:
            self.model = None
            first = timed(lambda: self.entrant.train(self.part, 1))[1]
            self.model, taken = timed(lambda: self.entrant.train(self.part, self.case.rounds))
            later = max(1, self.case.rounds - 1)
            taken |= {
                "first_seconds": first["seconds"],
                "round_ms": 1e3 * (taken["seconds"] - first["seconds"]) / later,
            }
        if self.peak is None:
            self.peak = max_resident() - self.at_start
        return {**taken, "peak_bytes": self.peak}

    def score(self) -> dict[str, float]:
        return quality(self.case, self.test, self.entrant.predict(self.model, self.test.features))


def serve(worker: Worker, answers: TextIO) -> None:
    commands = {"run": worker.run, "score": worker.score}
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(commands[line.strip()]()), file=answers, flush=True)


def main() -> None:
    name, library, folder, threads = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with the answer
    case = BY_NAME[name]
    serve(Worker(case, ENTRANTS[library](case, int(threads)), Path(folder)), answers)


if __name__ == "__main__":
    main()
