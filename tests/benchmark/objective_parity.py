"""Every objective on a real set: the metric on held-out rows, Kauri beside XGBoost with the same parameters.

    python tests/benchmark/objective_parity.py [objective ...] [--splits 5] [--rounds 100] [--threads 2]

Needs the real data sets (`KAURI_DATA`, by default `../shared/data` beside the project). Values are means over random
splits that hold out a fifth of the rows. Differences are Kauri's value minus XGBoost's, in percent of XGBoost's, with
the standard error of their mean. "same bins": every feature is replaced by the index of its quantile bin (200 bins), so
that both libraries choose from the same candidates and only the objectives matter. "raw": the values themselves; the
quantile sketches of tree_method=hist differ, and so do the models. "exact": the values themselves with
tree_method=exact, which has no sketch. Ranking data hold out whole queries. reg:expectileerror, which XGBoost 3.2
lacks, is compared with the same gradients as a custom objective. The exit status is 1 if a difference is beyond the
tolerance (0.2 %, ndcg 0.5 %) and beyond two standard errors.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import xgboost

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))
sys.path.insert(0, str(DATA))
from load import load  # noqa: E402

ALPHAS = [0.1, 0.5, 0.9]
EXPECTILE = 0.8


@dataclass
class Rows:
    """Features, and the other fields of the rows by their names in set_info."""

    features: np.ndarray
    info: dict[str, np.ndarray]

    def take(self, rows: np.ndarray) -> Rows:
        return Rows(self.features[rows], {name: values[rows] for name, values in self.info.items()})

    def split(self, seed: int) -> tuple[Rows, Rows]:
        """Return the training rows, and a held-out fifth of the rows, or of the queries."""
        units = self.info.get("qid", np.arange(len(self.features)))
        order = np.random.default_rng(seed).permutation(int(units[-1]) + 1)
        held_out = np.isin(units, order[: len(order) // 5])
        return self.take(np.flatnonzero(~held_out)), self.take(np.flatnonzero(held_out))

    def matrix(self, library: Any) -> Any:
        data = library.DMatrix(self.features)
        data.set_info(**self.info)
        return data


def california() -> Rows:
    features, labels, _ = load("california")
    return Rows(features, {"label": labels})


def adult() -> Rows:
    features, labels, _ = load("adult")
    return Rows(features, {"label": labels})


def claims() -> Rows:
    """Return the cost of claims per year of insurance, weighted by years."""
    features, _, extras = load("fremtpl2")
    some = np.random.default_rng(1).permutation(len(features))[:100_000]
    years = extras["exposure"][some]
    return Rows(features[some], {"label": np.minimum(extras["claim_amount"][some], 1e5) / years, "weight": years})


def counts() -> Rows:
    features, labels, _ = load("fremtpl2")
    some = np.random.default_rng(1).permutation(len(features))[:100_000]
    return Rows(features[some], {"label": labels[some]})


def severity() -> Rows:
    """Return the mean cost of a claim, for the policies with claims."""
    features, numbers, extras = load("fremtpl2")
    some = (extras["claim_amount"] > 0) & (numbers > 0)
    return Rows(features[some], {"label": np.minimum(extras["claim_amount"][some], 1e5) / numbers[some]})


def survival() -> Rows:
    """Return times of death, negative if censored."""
    features, labels, _ = load("nhanes1")
    return Rows(features, {"label": labels})


def bounds() -> Rows:
    """Return the times of death as intervals."""
    features, labels, _ = load("nhanes1")
    lower = np.abs(labels)
    some = lower > 0
    upper = np.where(labels > 0, lower, np.inf)
    return Rows(features[some], {"label_lower_bound": lower[some], "label_upper_bound": upper[some]})


def satimage() -> Rows:
    features, labels, _ = load("satimage")
    return Rows(features, {"label": labels})


def queries() -> Rows:
    features, labels, extras = load("lambdarank")
    sizes = np.concatenate([extras["group"], extras["group_test"]])
    rows = np.concatenate([features.toarray(), extras["X_test"].toarray()])
    labels = np.concatenate([labels, extras["y_test"]])
    return Rows(rows, {"label": labels, "qid": np.repeat(np.arange(len(sizes)), sizes)})


@dataclass
class Case:
    objective: str
    rows: Callable[[], Rows]
    metric: str
    params: dict[str, Any] = field(default_factory=dict)


CASES = [
    Case("reg:squarederror", california, "rmse"),
    Case("reg:squaredlogerror", california, "rmsle"),
    Case("reg:absoluteerror", california, "mae"),
    Case("reg:pseudohubererror", california, "mphe"),
    Case("reg:pseudohubererror", california, "mphe", {"huber_slope": 3}),
    Case("reg:quantileerror", california, "quantile", {"quantile_alpha": 0.9}),
    Case("reg:quantileerror", california, "quantile", {"quantile_alpha": ALPHAS}),
    Case("reg:expectileerror", california, "expectile", {"expectile_alpha": EXPECTILE}),
    Case("reg:gamma", california, "gamma-deviance"),
    Case("reg:gamma", severity, "gamma-nloglik"),
    Case("reg:tweedie", claims, "tweedie-nloglik@1.5"),
    Case("reg:tweedie", claims, "tweedie-nloglik@1.2", {"tweedie_variance_power": 1.2}),
    Case("count:poisson", counts, "poisson-nloglik"),
    Case("reg:logistic", adult, "rmse"),
    Case("binary:logistic", adult, "logloss"),
    Case("binary:logitraw", adult, "auc"),
    Case("binary:hinge", adult, "error"),
    Case("multi:softprob", satimage, "mlogloss", {"num_class": 6}),
    Case("multi:softmax", satimage, "merror", {"num_class": 6}),
    Case("rank:ndcg", queries, "ndcg@10"),
    Case("rank:pairwise", queries, "ndcg@10"),
    Case("rank:map", queries, "ndcg@10"),
    Case("survival:cox", survival, "cox-nloglik"),
    Case("survival:aft", bounds, "aft-nloglik"),
    Case("survival:aft", bounds, "aft-nloglik", {"aft_loss_distribution": "logistic"}),
    Case("survival:aft", bounds, "aft-nloglik", {"aft_loss_distribution": "extreme"}),
    Case("survival:aft", bounds, "interval-regression-accuracy"),
]


def evaluate(library: Any, case: Case, train: Rows, test: Rows, options: argparse.Namespace) -> float:
    rounds = options.rounds
    params = {"eta": 0.1, "max_depth": 5, "nthread": options.threads, **case.params}
    data, held_out = train.matrix(library), test.matrix(library)
    if library is xgboost and case.objective == "reg:expectileerror":
        return evaluate_custom_expectile(params, data, held_out, rounds)
    params |= {"objective": case.objective, "eval_metric": case.metric}
    booster = library.train(params, data, rounds)
    return float(booster.eval(held_out).rsplit(":", 1)[1])


def expectile_share(difference: np.ndarray) -> np.ndarray:
    return np.where(difference >= 0, 1 - EXPECTILE, EXPECTILE)


def evaluate_custom_expectile(params: dict[str, Any], data: Any, held_out: Any, rounds: int) -> float:
    def objective(margins: np.ndarray, matrix: Any) -> tuple[np.ndarray, np.ndarray]:
        difference = margins - matrix.get_label()
        share = expectile_share(difference)
        return share * difference, share

    start = data.get_label().mean()
    for _ in range(50):
        share = expectile_share(start - data.get_label())
        start = np.average(data.get_label(), weights=share)
    params = {name: value for name, value in params.items() if name != "expectile_alpha"}
    booster = xgboost.train({**params, "base_score": float(start)}, data, rounds, obj=objective)
    difference = booster.predict(held_out) - held_out.get_label()
    return float(np.mean(expectile_share(difference) * difference**2))


def binned(rows: Rows) -> Rows:
    features = np.full(rows.features.shape, np.nan, np.float32)
    for column, values in zip(features.T, np.asarray(rows.features, np.float32).T, strict=True):
        present = ~np.isnan(values)
        cuts = np.unique(np.quantile(values[present], np.linspace(0, 1, 201)[1:-1], method="nearest"))
        column[present] = np.searchsorted(cuts, values[present], side="right")
    return Rows(features, rows.info)


def differences(case: Case, rows: Rows, options: argparse.Namespace) -> np.ndarray:
    """Return the metric of both libraries in each split, [n_splits, 2]."""
    values = np.empty((options.splits, 2))
    for split in range(options.splits):
        train, test = rows.split(split)
        values[split] = [evaluate(library, case, train, test, options) for library in (kb, xgboost)]
    return values


def compare(case: Case, options: argparse.Namespace) -> bool:
    rows = case.rows()
    if case.objective == "rank:map":  # its labels are binary relevance
        rows.info["label"] = (rows.info["label"] > 1).astype(np.float32)
    name = case.objective + "".join(f" {key}={value}" for key, value in case.params.items())
    tolerance = 0.005 if case.metric.startswith("ndcg") else options.tolerance
    line = f"{name:50} {case.rows.__name__:10} {case.metric:28}"
    fine = True
    for kind, method in ((binned(rows), "hist"), (rows, "hist"), (rows, "exact")):
        values = differences(replace(case, params={**case.params, "tree_method": method}), kind, options)
        scale = abs(values[:, 1].mean())
        relative = (values[:, 0] - values[:, 1]) / scale
        error = relative.std(ddof=1) / np.sqrt(options.splits) if options.splits > 1 else 0.0
        fine = fine and abs(relative.mean()) <= max(tolerance, 2 * error)
        ours, theirs = values.mean(axis=0)
        line += f" {ours:11.6f} {theirs:11.6f} {100 * relative.mean():+8.3f} % +- {100 * error:5.3f}"
    print(line + ("" if fine else " BEYOND"), flush=True)
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("objectives", nargs="*", help="all when none is given")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--tolerance", type=float, default=0.002)
    options = parser.parse_args()
    chosen = [case for case in CASES if not options.objectives or case.objective in options.objectives]
    columns = f"{'kauri':>11} {'xgboost':>11} {'difference':>10} {'':8}"
    print(f"{'':90} same bins{'':35}raw{'':41}exact")
    print(f"{'objective':50} {'set':10} {'metric':28} {columns} {columns} {columns}")
    results = [compare(case, options) for case in chosen]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
