"""Values and interactions against a background beside woodelf-explainer, one thread each.

    python tests/benchmark/background_kinds.py [kind ...] [--depth 6] [--rows 2000] [--background 20000] [--repeats 3]

Kinds: values, interactions, banzhaf, banzhaf_interactions. The model has 100 trees on 20 columns; XGBoost reads it from
Kauri's file, and woodelf reads it from XGBoost. The libraries take turns; times are medians of the processor time for
all rows, including work on the background, and of Kauri also the making of both matrices. Wrong answers fail: the
libraries must agree, and rows of interactions must add up to the values of features. Woodelf needs minutes for large
sizes: --repeats 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import woodelf
import xgboost
from shap_compare import kb  # the import finds the package in the checkout

# Kauri's arguments, woodelf's method, and the share of woodelf's cell that is ours: each cell of a pair is half of the
# pair's index, but woodelf has the whole index in Banzhaf's cells.
KINDS: dict[str, tuple[dict[str, Any], str, float]] = {
    "values": ({}, "shap_values", 1.0),
    "interactions": ({"interactions": True}, "shap_interaction_values", 1.0),
    "banzhaf": ({"values": "banzhaf"}, "banzhaf_values", 1.0),
    "banzhaf_interactions": ({"values": "banzhaf", "interactions": True}, "banzhaf_interaction_values", 0.5),
}


def model_and_rows(n_rows: int, depth: int) -> tuple[bytearray, np.ndarray]:
    """Return a model of 100 trees, and rows of its 20 columns."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((n_rows, 20), dtype=np.float32)
    labels = rows[:, 0] * rows[:, 1] + np.sin(rows[:, 2]) * rows[:, 3] + rows[:, 4] + 0.3 * rng.standard_normal(n_rows)
    booster = kb.train({"max_depth": depth, "nthread": 1}, kb.DMatrix(rows, label=labels), 100, verbose_eval=False)
    return booster.save_raw("json"), rows


def check(kind: str, ours: np.ndarray, theirs: np.ndarray, of_features: np.ndarray) -> float:
    """Check the answers; returns the largest difference between the libraries relative to the largest value."""
    scale = np.abs(of_features).max()
    if "interactions" in kind:
        np.testing.assert_allclose(ours.sum(axis=2, dtype=np.float64), of_features, rtol=0, atol=1e-6 * scale)
        off_diagonal = ~np.eye(ours.shape[1], dtype=bool)  # woodelf has no diagonal of Banzhaf interactions
        ours, theirs = ours[:, off_diagonal], theirs[:, off_diagonal]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5 * scale)
    return float(np.abs(ours - theirs).max() / scale)


def run(kind: str, args: argparse.Namespace) -> None:
    """Measure one kind."""
    how, method, share = KINDS[kind]
    raw, all_rows = model_and_rows(max(args.rows, args.background), args.depth)
    rows, background = all_rows[: args.rows], all_rows[: args.background]
    ours = kb.Booster({"nthread": 1}, model_file=raw)
    theirs = xgboost.Booster({"nthread": 1}, model_file=raw)
    names = [f"f{feature}" for feature in range(20)]
    frame, against = pd.DataFrame(rows, columns=names), pd.DataFrame(background, columns=names)

    def peer() -> np.ndarray:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return getattr(woodelf.WoodelfExplainer(theirs, data=against), method)(frame)

    calls: dict[str, Callable[[], np.ndarray]] = {
        "kauri": lambda: kb.explain(ours, rows, background=background, **how).values,
        "woodelf": peer,
    }
    seconds: dict[str, list[float]] = {library: [] for library in calls}
    result = {}
    for _ in range(args.repeats):
        for library, call in calls.items():
            start = time.process_time()
            result[library] = call()
            seconds[library].append(time.process_time() - start)
    of_features = kb.explain(ours, rows, background=background, values=how.get("values", "shapley")).values
    difference = check(kind, result["kauri"], share * np.asarray(result["woodelf"]), of_features)
    median = {library: statistics.median(times) for library, times in seconds.items()}
    print(
        f"{kind:20} depth {args.depth}, {args.rows} rows, background of {args.background}: "
        f"kauri {median['kauri']:7.3f} s  woodelf {median['woodelf']:7.2f} s  "
        f"woodelf / kauri {median['woodelf'] / median['kauri']:6.1f}  difference {difference:.1e}",
        flush=True,
    )


def main() -> None:
    """Run the named kinds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="kind")
    parser.add_argument("--depth", type=int, default=6)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--background", type=int, default=20000)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    for kind in args.kinds or KINDS:
        run(kind, args)


if __name__ == "__main__":
    main()
