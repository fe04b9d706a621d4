"""Shows how a classifier of the tumours in demo/data depends on its features, alone and in pairs.

usage: dependence.py [FOLDER]    prints, and draws curve.png, pair.png, interactions.png, effect.png and local.png into
                                 FOLDER (by default .)
"""

from __future__ import annotations

import sys
from pathlib import Path

import kauriboost as kb
import matplotlib as mpl
import numpy as np

DATA = Path(__file__).resolve().parent / "data"


def load(part: str) -> kb.DMatrix:
    data = kb.DMatrix(f"{DATA}/breast_cancer.{part}.libsvm?format=libsvm")
    data.feature_names = [line.split()[1] for line in (DATA / "breast_cancer.features.txt").read_text().splitlines()]
    return data


def main(folder: Path) -> None:
    mpl.use("Agg")
    train = load("train")
    model = kb.train({"objective": "binary:logistic", "max_depth": 2}, train, 40, verbose_eval=False)

    # Which pairs interact? The joint dependence of the strongest pair has every step of the model.
    strengths = kb.h_statistic(model, train)
    kb.plot_h_statistic(strengths, max_pairs=8).figure.savefig(folder / "interactions.png")
    strongest = max(zip(strengths.strengths, strengths.pairs))[1]
    print(f"the strongest interaction is of {strongest[0]} and {strongest[1]}")
    curves = kb.dependence_curves(model, train, pairs=[strongest])
    kb.plot_partial_dependence(curves.joint(*strongest)).figure.savefig(folder / "pair.png")

    # The curve that moves the mean log-odds most, and the same feature's local effects.
    ranges = {name: np.ptp(curves.curve(name).mean) for name in curves.feature_names}
    steepest = max(ranges, key=ranges.__getitem__)
    print(f"{steepest} moves the mean log-odds by {ranges[steepest]:.2f}, in {len(curves.curve(steepest).grid)} steps")
    kb.plot_partial_dependence(curves.curve(steepest)).figure.savefig(folder / "curve.png")
    effects = kb.accumulated_local_effects(model, train, steepest, output="margin")
    kb.plot_partial_dependence(effects).figure.savefig(folder / "local.png")

    # Trees of depth 2 have no effects of three features, so mean, features and pairs add up to each row's margin.
    anova = kb.functional_anova(model, train)
    print(anova.to_frame().head(4).round(3).to_string(index=False))
    print(f"effects and margins differ by at most {np.abs(anova.residue).max():.0e}")
    kb.plot_partial_dependence(anova.joint(*strongest)).figure.savefig(folder / "effect.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
