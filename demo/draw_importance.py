"""Draws how much each feature improved the model.

usage: draw_importance.py MODEL FEATURES.txt IMAGE.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import kauriboost as kb


def main(model: str, features: str, image: str) -> None:
    booster = kb.Booster(model_file=model)
    booster.feature_names = [line.split()[1] for line in Path(features).read_text().splitlines()]
    axes = kb.plot_importance(booster, importance_type="total_gain", max_num_features=15, show_values=False)
    axes.figure.set_size_inches(9, 6)
    axes.figure.savefig(image, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
