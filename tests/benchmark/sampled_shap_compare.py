"""Shapley values of any function beside the shap package's: error at equal numbers of model rows, and time.

    python tests/benchmark/sampled_shap_compare.py [set ...] [--data FOLDER] [--passes 1 10] [--repeats 5]

The protocol of Mitchell, Cooper, Frank, Holmes 2022, section 5.5: a boosted model of 100 trees of depth 6, rows against
a background of 100 rows, the exact interventional values as truth. A budget is a number of passes of
PermutationExplainer, each an order and its reverse: 2 d + 1 sets of d features. Error: the mean squared difference over
the variance of the true values. Rows: the number of rows that the model predicted for one explained row. The last lines
are `explain` on the model itself: margins by the same orders, and probabilities or predictions beside the function that
predicts them.

FOLDER has load.py and the sets, except synthetic sets (regression, year) and breast_cancer, which is in demo/data.
Everything runs on one thread. Wrong answers fail: values of functions must add up to the margin, values of own models
to the predictions.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from pathlib import Path
from typing import Any, Callable

import numpy as np
import shap
from permutation_cases.problems import load_set
from shap_compare import kb  # the import finds the package in the checkout

N_BACKGROUND = 100


class Counted:
    """A function that counts the rows that it receives."""

    def __init__(self, function: Callable[[np.ndarray], np.ndarray]) -> None:
        self._function = function
        self.rows = 0

    def __call__(self, rows: Any) -> np.ndarray:
        self.rows += len(rows)
        return self._function(np.asarray(rows, dtype=np.float32))


def entrants(function: Counted, background: np.ndarray, n_sets: int, seed: int) -> dict[str, Callable[..., np.ndarray]]:
    """Return the explainers by name; each explains rows with `n_sets` sets per row."""

    def ours(method: str) -> Callable[[np.ndarray], np.ndarray]:
        return lambda rows: (
            kb.explain_function(function, rows, background, method=method, max_evals=n_sets, seed=seed).values
        )

    def permutation(rows: np.ndarray) -> np.ndarray:
        masker = shap.maskers.Independent(background, max_samples=len(background))
        return shap.PermutationExplainer(function, masker, seed=seed)(rows, max_evals=n_sets, silent=True).values

    def kernel(rows: np.ndarray) -> np.ndarray:
        np.random.seed(seed)  # noqa: NPY002 - the package draws from this generator
        return np.asarray(shap.KernelExplainer(function, background).shap_values(rows, nsamples=n_sets, silent=True))

    def sampling(rows: np.ndarray) -> np.ndarray:
        np.random.seed(seed)  # noqa: NPY002 - the package draws from this generator
        n_samples = n_sets * len(background) // 2  # each sample takes one row of the background and two calls
        return np.asarray(
            shap.SamplingExplainer(function, background).shap_values(rows, nsamples=n_samples, silent=True)
        )

    methods = ["antithetic", "orthogonal", *(["sbq", "herding"] if background.shape[1] <= 16 else []), "auto"]
    return {
        **{f"kauri {method}": ours(method) for method in methods},
        "shap Permutation": permutation,
        "shap Kernel": kernel,
        "shap Sampling": sampling,
    }


def line(name: str, passes: int | str, errors: list[float], seconds: list[float], rows: float) -> None:
    """Print a line of the table: the mean error, the median seconds and the rows."""
    error = f"{statistics.fmean(errors):10.2e}" if errors else " " * 10
    print(f"  {name:26} {passes!s:>4} {error} {statistics.median(seconds):9.3f} s {rows:10.0f} rows", flush=True)


def compare_functions(function: Counted, tables: dict[str, np.ndarray], truth: np.ndarray, args: Any) -> None:
    """Explain the margin as an arbitrary function, by every entrant."""
    rows, background = tables["rows"], tables["background"]
    d = rows.shape[1]
    for passes in args.passes:
        found: dict[str, tuple[list[float], list[float], list[int]]] = {}
        for seed in range(args.repeats):
            for name, call in entrants(function, background, passes * (2 * d + 1), seed).items():
                function.rows, start = 0, time.process_time()
                values = call(rows)
                errors, seconds, counts = found.setdefault(name, ([], [], []))
                seconds.append(time.process_time() - start)
                counts.append(function.rows)
                errors.append(float(((values - truth) ** 2).mean() / truth.var()))
                if name.startswith("kauri"):
                    whole = function(rows) - function(background).mean()
                    np.testing.assert_allclose(values.sum(axis=1), whole, rtol=1e-6, atol=1e-4 * np.abs(truth).max())
        for name, (errors, seconds, counts) in found.items():
            line(name, passes, errors, seconds, statistics.fmean(counts) / len(rows))


def compare_models(model: kb.Booster, tables: dict[str, np.ndarray], truth: np.ndarray, args: Any) -> None:
    """Compare `explain` on the model with explain_function: the same orders evaluated in two ways."""
    rows, background = tables["rows"], tables["background"]
    passes = args.passes[-1]
    n_sets = passes * (2 * rows.shape[1] + 1)
    how = {"method": "orthogonal", "max_evals": n_sets}
    value = Counted(lambda table: model.inplace_predict(table))
    calls: dict[str, Callable[[], kb.Explanation]] = {
        "explain, margin": lambda: kb.explain(model, rows, background=background, **how),
        "explain, value": lambda: kb.explain(model, rows, background=background, output="value", **how),
        "explain_function, value": lambda: kb.explain_function(value, rows, background, **how),
    }
    found = {}
    for name, call in calls.items():
        seconds = []
        for _ in range(args.repeats):
            start = time.process_time()
            found[name] = call()
            seconds.append(time.process_time() - start)
        errors = [float(((found[name].values - truth) ** 2).mean() / truth.var())] if "margin" in name else []
        line(name, passes, errors, seconds, float(found[name].n_evals.mean()) * len(background))
    whole = value(rows)
    for name in list(calls)[1:]:
        total = found[name].values.sum(axis=1) + found[name].base_values
        np.testing.assert_allclose(total, whole, rtol=1e-4, atol=1e-5)


def run(name: str, args: argparse.Namespace) -> None:
    """Compare on one set."""
    X, y = load_set(name, args.data)
    objective = "binary:logistic" if set(np.unique(y)) <= {0, 1} else "reg:squarederror"
    model = kb.train({"objective": objective, "nthread": 1}, kb.DMatrix(X, label=y), 100, verbose_eval=False)
    chosen = np.random.default_rng(3).permutation(len(X))[: args.rows + N_BACKGROUND]
    tables = {"rows": X[chosen[: args.rows]], "background": X[chosen[args.rows :]]}
    truth = kb.explain(model, tables["rows"], background=tables["background"]).values.astype(np.float64)
    print(f"{name}: {len(X)} x {X.shape[1]}, {args.rows} rows, background of {N_BACKGROUND}", flush=True)
    margin = Counted(lambda table: model.inplace_predict(table, predict_type="margin"))
    compare_functions(margin, tables, truth, args)
    compare_models(model, tables, truth, args)


def main() -> None:
    """Run the named sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sets = ["california", "regression", "breast_cancer", "spambase", "year", "adult"]
    parser.add_argument("sets", nargs="*", default=sets, metavar="set")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--passes", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    shap.PermutationExplainer(lambda rows: rows[:, 0], np.zeros((2, 2)))(np.ones((1, 2)), silent=True)  # compiles
    with kb.config_context(nthread=1):
        for name in args.sets:
            run(name, args)


if __name__ == "__main__":
    main()
