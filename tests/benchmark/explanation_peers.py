"""Explanations beside woodelf, shapiq, shap, XGBoost and scikit-learn, on one thread and on several, in one command.

    python tests/benchmark/explanation_peers.py [--threads 1 16] [--repeats 3] [--seconds 110] [--device cuda]

The model has 100 trees of depth 6 on 20 columns and is trained by Kauri on 20,000 rows, which are also the background
and the rows of dependences. Every number of threads has a process of its own, which may use only that many cores
(where the system can say so), and the libraries are told the number, too. Times are wall times: the median of up to
--repeats calls, with those that a peer's first call takes more than two seconds called once. shap's interventional
values are against 100 rows, because it takes minutes for 20,000. Answers are compared, and a wrong one fails; peers
that are not installed are left out. --seconds limits the peers' calls of all processes together: a job whose turn comes
later shows Kauri's time alone. --device adds a process in which Kauri's models are on the device.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import itertools
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python-package"))
N_FEATURES = 20
N_ROWS = 20000
SLOW = 2.0  # seconds of a call that is made once
MODEL_FILE = "KAURI_PEERS_MODEL"
Answer = Callable[[], Any]


class Job(NamedTuple):
    """A call of Kauri, the same of a peer, and the comparison of their answers."""

    title: str
    ours: Answer
    peer: str
    theirs: Answer | None
    check: Callable[[Any, Any], float] | None


def installed(name: str) -> Any:
    """Return the module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def rows_and_labels() -> tuple[np.ndarray, np.ndarray]:
    """Return the rows, whose columns interact in twos and threes, and their labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_ROWS, N_FEATURES), dtype=np.float32)
    y = X[:, 0] * X[:, 1] * X[:, 2] + np.sin(X[:, 3] * X[:, 4]) + 0.3 * X[:, 5:12].sum(axis=1) + X[:, 12] * X[:, 13]
    return X, y + 0.3 * rng.standard_normal(N_ROWS)


def difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the largest difference relative to the largest value; more than 1e-5 fails."""
    scale = float(np.abs(theirs).max())
    found = float(np.abs(np.asarray(ours, dtype=np.float64) - theirs).max()) / scale
    if not found < 1e-5:
        raise AssertionError(f"the answers differ by {found} of the largest value")
    return found


def off_diagonal(matrices: np.ndarray) -> np.ndarray:
    """Return the cells of pairs."""
    return np.asarray(matrices)[:, ~np.eye(matrices.shape[1], dtype=bool)]


class Problem:
    """A model for all libraries, and the jobs."""

    def __init__(self, threads: int, device: str) -> None:
        import kauriboost as kb

        self.kb = kb
        self.threads = threads
        self.X, _ = rows_and_labels()
        path = os.environ[MODEL_FILE]
        self.model = kb.Booster({"nthread": threads, "device": device}, model_file=path)
        self.matrix = kb.DMatrix(self.X)
        self.few = self.X[:2000]
        self.with_peers = device == "cpu"
        self.xgboost = installed("xgboost") if self.with_peers else None
        self.theirs = None
        if self.xgboost is not None:
            self.theirs = self.xgboost.Booster({"nthread": threads}, model_file=path)

    def jobs(self) -> list[Job]:
        """Return all jobs; cheap peers come first."""
        return [*self.of_xgboost(), *self.dependences(), *self.sets(), *self.against_background(), *self.of_shap()]

    def of_xgboost(self) -> list[Job]:
        """Return contributions and interactions without a background."""
        kb, xgboost, theirs, few = self.kb, self.xgboost, self.theirs, self.X[:500]
        rows = kb.DMatrix(few)
        more: list[Answer | None] = [None, None]
        if xgboost is not None:
            data = xgboost.DMatrix(few)
            more = [
                lambda: theirs.predict(data, pred_contribs=True),
                lambda: theirs.predict(data, pred_interactions=True),
            ]
        return [
            Job(
                "contributions, 500 rows",
                lambda: self.model.predict(rows, pred_contribs=True),
                "xgboost",
                more[0],
                difference,
            ),
            Job(
                "interactions, 500 rows",
                lambda: self.model.predict(rows, pred_interactions=True),
                "xgboost",
                more[1],
                difference,
            ),
        ]

    def against_background(self) -> list[Job]:
        """Return values and pairs of 2,000 rows against 20,000."""
        kb, X, few = self.kb, self.X, self.few
        woodelf, pandas = installed("woodelf"), installed("pandas")
        has_peer = None not in (woodelf, pandas, self.theirs)
        if has_peer:
            names = [f"f{i}" for i in range(N_FEATURES)]
            frame, against = pandas.DataFrame(few, columns=names), pandas.DataFrame(X, columns=names)

        def peer(method: str) -> Answer | None:
            def call() -> np.ndarray:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    return np.asarray(getattr(woodelf.WoodelfExplainer(self.theirs, data=against), method)(frame))

            return call if has_peer else None

        def ours(**how: Any) -> Answer:
            return lambda: kb.explain(self.model, few, background=X, **how).values

        return [
            Job("background values, 2,000 x 20,000", ours(), "woodelf", peer("shap_values"), difference),
            Job(
                "background Banzhaf pairs",
                ours(values="banzhaf", interactions=True),
                "woodelf",
                peer("banzhaf_interaction_values"),
                lambda a, b: difference(off_diagonal(a), 0.5 * off_diagonal(b)),
            ),
            Job(
                "background interactions",
                ours(interactions=True),
                "woodelf",
                peer("shap_interaction_values"),
                lambda a, b: difference(off_diagonal(a), off_diagonal(b)),
            ),
        ]

    def dependences(self) -> list[Job]:
        """Return the curves of all features and pairs over 20,000 rows."""
        kb, model, matrix = self.kb, self.model, self.matrix
        pairs = list(itertools.combinations(range(N_FEATURES), 2))
        has_peer = self.theirs is not None and installed("woodelf") is not None
        curves: Answer | None = None
        joint: Answer | None = None
        if has_peer:
            import pandas as pd
            from woodelf import pdp

            frame = pd.DataFrame(self.X, columns=[f"f{i}" for i in range(N_FEATURES)])
            theirs = self.xgboost.XGBRegressor(n_jobs=self.threads)
            theirs.load_model(os.environ[MODEL_FILE])
            more = {"percentiles": (0.0, 1.0), "verbose": False}
            curves = lambda: pdp.woodelf_pdp(theirs, frame, full_pdp=True, **more)  # noqa: E731
            joint = lambda: pdp.woodelf_pdp_joint(theirs, frame, k=5, **more)  # noqa: E731
        return [
            Job("all curves, every threshold", lambda: kb.dependence_curves(model, matrix), "woodelf", curves, None),
            Job(
                "190 joint ones, every threshold (peer: 5 x 5)",
                lambda: kb.dependence_curves(model, matrix, pairs=pairs),
                "woodelf",
                joint,
                None,
            ),
            Job("H of all pairs", lambda: kb.h_statistic(model, matrix), "", None, None),
            Job("functional ANOVA", lambda: kb.functional_anova(model, matrix), "", None, None),
        ]

    def sets(self) -> list[Job]:
        """Return interactions of up to three features of 1,000 rows."""
        kb, few = self.kb, self.X[:1000]
        shapiq = installed("shapiq") if self.theirs is not None else None

        def job(index: str) -> Job:
            theirs: Answer | None = None
            if shapiq is not None and index in ("SII", "k-SII", "BII"):
                explainer = shapiq.TreeExplainer(self.theirs, index=index, max_order=3)
                theirs = lambda: explainer.explain_X(few)  # noqa: E731
            ours: Answer = lambda: kb.explain_interactions(self.model, few, index=index, max_order=3)  # noqa: E731
            return Job(f"{index}, order 3, 1,000 rows", ours, "shapiq", theirs, sets_differ)

        return [job(index) for index in ("SII", "BII", "STII", "FSII", "k-SII")]

    def of_shap(self) -> list[Job]:
        """Return the values of 1,000 rows against 100, shap's own size."""
        kb, few, reference = self.kb, self.X[:1000], self.X[-100:]
        shap = installed("shap") if self.theirs is not None else None
        theirs: Answer | None = None
        if shap is not None:
            masker = shap.maskers.Independent(reference, max_samples=100)
            explainer = shap.TreeExplainer(self.theirs, data=masker, feature_perturbation="interventional")
            theirs = lambda: explainer.shap_values(few, check_additivity=False)  # noqa: E731
        ours: Answer = lambda: kb.explain(self.model, few, background=reference).values  # noqa: E731
        return [Job("background values, 1,000 x 100", ours, "shap", theirs, difference)]


def sets_differ(ours: Any, theirs: Any) -> float:
    """Compare all sets of some rows; return the largest difference relative to the largest interaction."""
    scale = float(np.abs(ours.values).max())
    worst = 0.0
    for row in range(0, len(ours), 97):
        for names, value in ours.row(row).items():
            worst = max(worst, abs(value - theirs[row][tuple(int(name[1:]) for name in names)]))
    if worst > 1e-5 * scale:
        raise AssertionError(f"the interactions differ by {worst}, of up to {scale}")
    return worst / scale


def measure(call: Answer, repeats: int) -> tuple[Any, float]:
    """Return the last answer and the median of the wall times, without the first call if there are others."""
    times: list[float] = []
    answer = None
    for _ in range(repeats + 1):
        start = time.perf_counter()
        answer = call()
        times.append(time.perf_counter() - start)
        if times[0] > SLOW:
            break
    return answer, statistics.median(times[1:] or times)


def beside(job: Job, ours: Any, seconds: float, repeats: int) -> tuple[str, bool]:
    """Measure the peer of a job; return words for the line, and whether the answers agree."""
    assert job.theirs is not None
    try:
        theirs, of_peer = measure(job.theirs, repeats)
        words = f"  {job.peer:8} {1e3 * of_peer:10.1f} ms, {of_peer / seconds:7.1f} times"
        if job.check is not None:
            words += f"  difference {job.check(ours, theirs):.1e}"
    except Exception as error:  # a peer may miss a package of its own; the other jobs go on
        return f"  {job.peer} failed: {type(error).__name__}: {error}", False
    return words, True


def run_jobs(threads: int, device: str, repeats: int, until: float) -> int:
    """Measure all jobs in this process; return how many peers failed."""
    title = f"{threads} threads" if device == "cpu" else device
    if device == "cpu" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    n_failed = 0
    for job in Problem(threads, device).jobs():
        ours, seconds = measure(job.ours, repeats)
        line = f"{title:10} {job.title:46} kauri {1e3 * seconds:9.1f} ms"
        if job.theirs is not None and time.time() < until:
            words, agrees = beside(job, ours, seconds, repeats)
            line += words
            n_failed += not agrees
        print(line, flush=True)
    return n_failed


def train(path: Path, threads: int) -> None:
    """Write the model."""
    import kauriboost as kb

    X, y = rows_and_labels()
    params = {"max_depth": 6, "eta": 0.1, "nthread": threads, "base_score": 0.0}
    kb.train(params, kb.DMatrix(X, label=y), 100, verbose_eval=False).save_model(path)


def start(threads: int, device: str, until: float, options: argparse.Namespace) -> int:
    """Run the jobs in a process of their own; return its exit status."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    environment = {**os.environ, **{name: str(threads) for name in names}}
    words = [sys.executable, __file__, "--worker", f"{threads},{device},{until}", "--repeats", str(options.repeats)]
    return subprocess.run(words, env=environment, check=False).returncode


def main() -> int:
    """Run every number of threads in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, os.cpu_count() or 1])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=110.0)
    parser.add_argument("--device", help="adds a process with models on this device")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker is not None:
        threads, device, until = options.worker.split(",")
        return min(1, run_jobs(int(threads), device, options.repeats, float(until)))
    path = ROOT / "build-peers-model.json"
    os.environ[MODEL_FILE] = str(path)
    begin = time.time()
    train(path, max(options.threads))
    status = 0
    turns = [(threads, "cpu") for threads in options.threads]
    if options.device:
        turns.insert(0, (max(options.threads), options.device))
    for number, (threads, device) in enumerate(turns):
        until = begin + options.seconds * (number + 1) / len(turns)
        status = max(status, start(threads, device, until, options))
    path.unlink()
    return status


if __name__ == "__main__":
    sys.exit(main())
