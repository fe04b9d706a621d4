"""Pruning of weak interactions by bounds (the thesis, 7.2): how many pairs a search for the strongest ones can skip.

    python tests/benchmark/pair_bounds.py --data FOLDER --only adult-med covtype-med

An interaction of two features is a sum over trees. In one tree it is at most half the sum of |value| max(z, 1 - z)
max(z', 1 - z') over the leaves whose paths test both features, where z is the fraction of the rows that follow the
leaf's path at a feature. It is also at most the largest leaf value minus the smallest, which is tighter in deep trees.
A pair whose bound is below the k-th strongest interaction of every row cannot be among the k strongest of any row, and
need not be computed. The table gives the number of such pairs and their fraction of the work, which is one evaluation
for each leaf and pair of its features. The last column is the speed-up if there were no other work. The models are the
models of shap_tables.py, which keeps them in --models; FOLDER (or KAURI_DATA) holds load.py.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))

from paper_tables import arguments
from paper_tables.model_file import read_ubjson
from paper_tables.report import Column, Report, Row
from paper_tables.shap_models import PUBLISHED, TrainedModel, trained

COLUMNS: list[Column] = [
    ("model", "name", "{}"),
    ("leaves", "leaves", "{:,}"),
    ("pairs of an output", "pairs", "{:,}"),
    ("below the bound, every row", "dropped", "{:,}"),
    ("of the work", "work", "{:.1%}"),
    ("below it, half of the rows", "dropped_half", "{:,}"),
    ("of the work", "work_half", "{:.1%}"),
    ("bound / interaction, median", "looseness", "{:.0f}"),
    ("faster at most", "faster", "{:.2f}"),
]


class PairBounds:
    """Bound and number of evaluations of each pair of one output, by first feature * n_features + second."""

    def __init__(self, n_features: int) -> None:
        self.n_features = n_features
        self.bound = np.zeros(n_features * n_features)
        self.work = np.zeros(n_features * n_features, dtype=np.int64)

    def add(self, tree: dict[str, Any]) -> None:
        """Add a tree of a model file."""
        features, zeros, values = leaf_paths(tree)
        by_leaves = np.zeros_like(self.bound)
        size = np.maximum(zeros, 1 - zeros)
        for second in range(features.shape[1]):
            for first in range(second):
                both = (features[:, first] >= 0) & (features[:, second] >= 0)
                low = np.minimum(features[both, first], features[both, second])
                cells = low * self.n_features + np.maximum(features[both, first], features[both, second])
                np.add.at(by_leaves, cells, np.abs(values[both]) * size[both, first] * size[both, second] / 2)
                np.add.at(self.work, cells, 1)
        self.bound += np.minimum(by_leaves, values.max() - values.min())


def leaf_paths(tree: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct features (-1: none) and their fractions z, ``[leaves, levels]`` each, and the leaf values."""
    names = ("left_children", "right_children", "split_indices")
    left, right, feature = (np.asarray(tree[name], dtype=np.int64) for name in names)
    value = np.asarray(tree["split_conditions"], dtype=np.float64)
    cover = np.asarray(tree["sum_hessian"], dtype=np.float64)
    nodes, path, share = np.zeros(1, dtype=np.int64), np.zeros((1, 0), dtype=np.int64), np.ones((1, 0))
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    while len(nodes) > 0:
        is_leaf = left[nodes] == -1
        found.append((path[is_leaf], share[is_leaf], value[nodes[is_leaf]]))
        inner, above, shares = nodes[~is_leaf], path[~is_leaf], share[~is_leaf]
        own = feature[inner][:, None]
        repeats = above == own
        added = np.where(repeats.any(axis=1, keepdims=True), -1, own)
        sides = []
        for child in (left[inner], right[inner]):
            ratio = (cover[child] / cover[inner])[:, None]
            sides.append(np.concatenate([np.where(repeats, shares * ratio, shares), ratio], axis=1))
        nodes = np.concatenate([left[inner], right[inner]])
        path = np.tile(np.concatenate([above, added], axis=1), (2, 1))
        share = np.concatenate(sides)
    levels = found[-1][0].shape[1]
    paths = [np.pad(part, ((0, 0), (0, levels - part.shape[1])), constant_values=-1) for part, _, _ in found]
    shares_of = [np.pad(part, ((0, 0), (0, levels - part.shape[1]))) for _, part, _ in found]
    return np.concatenate(paths), np.concatenate(shares_of), np.concatenate([part for _, _, part in found])


def strongest(model: TrainedModel, args: argparse.Namespace) -> tuple[np.ndarray, int]:
    """Return absolute interactions, ``[rows, outputs, features, features]``, and the number of outputs."""
    import kauriboost as kb

    booster = kb.Booster({"nthread": args.threads}, model_file=str(model.path))
    rows = kb.DMatrix(model.test_rows(args.rows), nthread=args.threads)
    found = booster.predict(rows, pred_interactions=True)
    n_features = found.shape[-1] - 1
    found = found.reshape(args.rows, -1, n_features + 1, n_features + 1)[:, :, :n_features, :n_features]
    return np.abs(found), found.shape[1]


def measure(model: TrainedModel, args: argparse.Namespace) -> Row:
    """Compare bounds with the interactions of some rows; returns means over the outputs."""
    found, n_outputs = strongest(model, args)
    n_features = found.shape[-1]
    booster = read_ubjson(model.path.read_bytes())["learner"]["gradient_booster"]
    bounds = [PairBounds(n_features) for _ in range(n_outputs)]
    for tree, output in zip(booster["model"]["trees"], booster["model"]["tree_info"], strict=True):
        bounds[output].add(tree)
    upper = np.triu_indices(n_features, 1)
    rows: list[Row] = []
    for output, pairs in enumerate(bounds):
        own = found[:, output][:, upper[0], upper[1]]
        bound, work = (values.reshape(n_features, n_features)[upper] for values in (pairs.bound, pairs.work))
        used = work > 0
        if not used.any():
            continue
        assert (own <= bound * (1 + 1e-4) + 1e-5).all(), "an interaction beyond its bound"
        kth = np.partition(own, -args.top_k, axis=1)[:, -args.top_k]
        row: Row = {"pairs": int(used.sum())}
        for suffix, least in (("", kth.min()), ("_half", np.median(kth))):
            dropped = used & (bound < least)
            row[f"dropped{suffix}"] = int(dropped.sum())
            row[f"work{suffix}"] = float(work[dropped].sum() / work.sum())
        largest = own.max(axis=0)
        row["looseness"] = float(np.median(bound[used & (largest > 0)] / largest[used & (largest > 0)]))
        rows.append(row)
    means: Row = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
    for key in ("pairs", "dropped", "dropped_half"):
        means[key] = round(means[key])
    return {**model.size(), **means, "faster": 1 / max(1e-9, 1 - means["work"])}


def main(argv: list[str] | None = None) -> int:
    """Run; returns the exit status."""
    parser = arguments.make_parser(__doc__)
    parser.add_argument("--models", type=Path, default=Path("shap-models"), help="folder of the models")
    parser.add_argument("--train-seconds", type=float, default=20.0, help="for each model (default: 20)")
    parser.add_argument("--only", nargs="+", choices=PUBLISHED, default=list(PUBLISHED), help="models")
    parser.add_argument("--rows", type=int, default=256, help="rows whose interactions bounds are compared with")
    parser.add_argument("--top-k", type=int, default=10, help="default: 10")
    args = parser.parse_args(argv)
    title = f"The {args.top_k} strongest interactions of {args.rows} rows: what bounds leave out"
    report = Report("pair-bounds", title, COLUMNS, args)
    for name in args.only:
        model = trained(name, args)
        if model is not None:
            report.add(measure(model, args))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
