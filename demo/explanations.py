"""Explains a model of the tumours in demo/data: which features matter, which sets of them, and why one prediction.

usage: explanations.py [FOLDER]    prints, and draws importance.png, pairs.png and row.png into FOLDER (by default .)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import kauriboost as kb
import matplotlib as mpl
import numpy as np

DATA = Path(__file__).resolve().parent / "data"
BATCH_ROWS = 50


def load(part: str) -> kb.DMatrix:
    data = kb.DMatrix(f"{DATA}/breast_cancer.{part}.libsvm?format=libsvm")
    data.feature_names = [line.split()[1] for line in (DATA / "breast_cancer.features.txt").read_text().splitlines()]
    return data


def batches(data: kb.DMatrix) -> Iterator[kb.DMatrix]:
    """Yield the rows in batches, as if they arrived from elsewhere."""
    for begin in range(0, data.num_row(), BATCH_ROWS):
        yield data.slice(range(begin, min(begin + BATCH_ROWS, data.num_row())))


def main(folder: Path) -> None:
    mpl.use("Agg")
    train, test = load("train"), load("test")
    model = kb.train({"objective": "binary:logistic", "max_depth": 4}, train, 30, verbose_eval=False)

    importance = kb.global_importance(model, test)
    kb.plot_contributions(importance).figure.savefig(folder / "importance.png")
    strongest = [importance.feature_names[i] for i in np.argsort(-importance.values)[:3]]
    print(f"strongest features: {', '.join(strongest)}")

    explanation = kb.explain(model, test)
    doubtful = int(np.abs(explanation.values.sum(axis=1) + explanation.base_values).argmin())
    kb.plot_waterfall(explanation[doubtful]).figure.savefig(folder / "row.png")
    print(f"row {doubtful} is the most doubtful; its strongest pairs:")
    pairs = kb.sparse_interactions(model, test, top_k=3)
    for first, second, value in pairs.pairs(doubtful):
        print(f"  {first} and {second}: {2 * value:+.3f}")  # an entry is half of the pair's effect
    drawn = kb.global_importance(model, test, interactions=True)
    kb.plot_interactions(drawn).figure.savefig(folder / "pairs.png")

    print("its strongest sets of three features:")
    sets = kb.explain_interactions(model, test, max_order=3).row(doubtful)
    threes = [(value, names) for names, value in sets.items() if len(names) == 3]
    for value, names in sorted(threes, key=lambda each: -abs(each[0]))[:3]:
        print(f"  {value:+.3f} from {', '.join(names)}")

    # Against the benign tumours of the training data: what makes this one different from them?
    benign = train.slice(np.flatnonzero(train.get_label() == 0))
    against = kb.explain(model, test, background=benign)[doubtful]
    print(f"against benign tumours, whose mean margin is {against.base_values:.2f}:")
    for feature in np.argsort(-np.abs(against.values))[:3]:
        print(f"  {against.feature_names[feature]}: {against.values[feature]:+.3f}")

    # The same values, computed in batches and for two features only, so that memory holds one batch at a time.
    parts = kb.explain_batches(model, batches(test), features=strongest[:2])
    largest = max(float(np.abs(part.values).max()) for part in parts)
    print(f"the largest contribution of {strongest[0]} or {strongest[1]} in any row: {largest:.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
