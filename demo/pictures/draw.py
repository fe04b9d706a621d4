"""Draws the two pictures of README.md again, beside this file.

usage: draw.py [FOLDER]    writes speed.svg and explanation.png into FOLDER (by default this one)

The chart measures nothing. Its numbers are the figures recorded in tests/benchmark/README.md, where the commands that
measured them stand; tests/site/test_site_readme.py compares them with that page. The other picture is drawn from the
model of README.md's example, which takes a second to train.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Figure:
    """One row of a table in tests/benchmark/README.md: Kauri's time, and how many times as long the others take."""

    section: str
    row: str  # the first cell of the table's row
    label: str
    kauri: str
    xgboost: str
    lightgbm: str = ""


# Sixteen threads on 16 cores of an Intel Xeon; XGBoost 3.4.1, LightGBM 4.7.0; from arrays in memory to the model.
CPU = "Training and predicting on the CPU"
TRAINING = [
    Figure(CPU, "`hist`, 1 M x 28, depth 6, 20 rounds",
           "1 M rows x 28,\ndepth 6, 20 rounds", "0.257 s", "3.75", "3.38"),
    Figure(CPU, "`hist`, 10 M x 28, 255 leaves lossguide, 10 rounds",
           "10 M rows x 28,\n255 leaves, 10 rounds", "2.54 s", "3.84", "3.12"),
    Figure(CPU, "`hist`, one-hot sparse 1 M x 1,000, 20 rounds",
           "1 M rows x 1,000,\nsparse, 20 rounds", "0.146 s", "4.82", "1.93"),
    Figure(CPU, "`hist`, 10,000 x 28, 100 rounds",
           "10,000 rows x 28,\n100 rounds", "0.077 s", "1.93", "1.92"),
]  # fmt: skip
# One NVIDIA H100 for both libraries; XGBoost 3.4.1; 10,000 rows, with rows and results in host memory.
SHAP = "Explanations"
EXPLAINING = [
    Figure(SHAP, "adult, medium", "adult,\n12 k leaves", "1.15 ms", "28"),
    Figure(SHAP, "covertype, medium", "covertype,\n114 k leaves", "9.8 ms", "30"),
    Figure(SHAP, "adult, large", "adult,\n503 k leaves", "48 ms", "41"),
    Figure(SHAP, "California housing, large", "California housing,\n3.4 M leaves", "0.23 s", "55"),
]

COLORS = {"Kauri": "#2166ac", "XGBoost": "#9aa5b1", "LightGBM": "#cfd6dd"}

VERSIONS = {"Kauri": "Kauri", "XGBoost": "XGBoost 3.4.1", "LightGBM": "LightGBM 4.7.0"}


def draw_bars(ax: Any, figures: list[Figure], title: str, device: str) -> None:
    """Draw one group of bars for each figure, Kauri first and of length 1."""
    names = [name for name in COLORS if all(getattr(figure, name.lower()) for figure in figures)]
    height = 0.8 / len(names)
    for place, figure in enumerate(figures):
        for which, name in enumerate(names):
            told = getattr(figure, name.lower())
            length = 1.0 if name == "Kauri" else float(told)
            y = place + (which - (len(names) - 1) / 2) * height
            ax.barh(y, length, height * 0.92, color=COLORS[name], label=name if place == 0 else None)
            text = told if name == "Kauri" else f"{told}x"
            weight = "bold" if name == "Kauri" else "normal"
            ax.annotate(text, (length, y), (4, 0), textcoords="offset points", va="center", fontsize=11, weight=weight)
    ax.set_yticks(range(len(figures)), [figure.label for figure in figures], fontsize=11)
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.set_xticks([])
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    ax.margins(x=0.12)
    ax.set_title(f"{title}\n", loc="left", fontsize=14, weight="bold")
    ax.text(0, 1.02, device, transform=ax.transAxes, fontsize=11, color="#555555")


def draw_speed(path: Path) -> None:
    """Draw times relative to Kauri's: training beside XGBoost and LightGBM, SHAP values beside XGBoost."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    draw_bars(left, TRAINING, "Training time", "16 threads of an Intel Xeon; shorter is better")
    draw_bars(right, EXPLAINING, "SHAP values of 10,000 rows", "one NVIDIA H100 (LightGBM not measured)")
    handles, names = left.get_legend_handles_labels()
    figure.legend(
        handles, [VERSIONS[name] for name in names], loc="outside lower center", ncols=3, frameon=False, fontsize=12
    )
    figure.get_layout_engine().set(wspace=0.06)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_explanation(path: Path) -> None:
    """Draw the SHAP values of the held-out rows in README.md's example."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, _ = train_test_split(X, y, random_state=0)
    model = kb.KauriClassifier(n_estimators=50, learning_rate=0.2, max_depth=4).fit(X_train, y_train)
    ax = kb.plot_beeswarm(kb.explain(model, X_test), max_display=8, size=13)
    ax.set_xlabel("SHAP value: effect on the log-odds that the tumour is benign")
    ax.figure.savefig(path, dpi=110, metadata={"Software": None}, pil_kwargs={"optimize": True})
    plt.close(ax.figure)


def main(folder: Path) -> None:
    mpl.use("Agg")
    mpl.rcParams.update({"font.size": 12, "font.family": "DejaVu Sans", "svg.hashsalt": "kauri"})
    draw_speed(folder / "speed.svg")
    draw_explanation(folder / "explanation.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
