"""Draws the pictures of README.md and of the guide again, beside this file.

usage: draw.py [FOLDER]    writes all pictures into FOLDER (by default this one); it takes a minute

The charts measure nothing. Their numbers are the figures recorded in tests/benchmark/README.md, where the commands that
measured them stand; tests/site/test_site_readme.py compares them with that page. explanation.png and report.png
show the model of README.md's example, and report.png needs the browser Chromium. The blocks of the guide's pages draw
all other pictures.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kauriboost as kb
import matplotlib as mpl
import matplotlib.pyplot as plt
from PIL import Image
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

HERE = Path(__file__).resolve().parent
SITE = HERE.parent / "site"


@dataclass(frozen=True)
class Figure:
    """One row of a table in tests/benchmark/README.md: Kauri's time, and how many times as long the others take."""

    section: str
    row: str  # the first cell of the table's row
    label: str
    kauri: str
    xgboost: str
    lightgbm: str = ""
    xgboost_time: str = ""

    def cells(self) -> list[str]:
        """Return the neighbouring cells of the table's row."""
        return [cell for cell in (self.kauri, self.xgboost_time, self.xgboost, self.lightgbm) if cell]


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

# One NVIDIA H100 for both libraries; XGBoost 3.4.1.
DEVICE = "Histogram training on a device"
ON_DEVICE = [
    Figure(DEVICE, "a tree, 10 M x 28, depth 6", "a tree, 10 M rows x 28,\ndepth 6", "2.16 ms", "4.1",
           xgboost_time="8.81 ms"),
    Figure(DEVICE, "depth 12", "the same, depth 12", "6.73 ms", "9.7", xgboost_time="65.4 ms"),
    Figure(DEVICE, "a tree, one-hot sparse 1 M x 1,000, depth 6", "1 M rows x 1,000,\nsparse, a tree", "0.309 ms",
           "4.8", xgboost_time="1.47 ms"),
    Figure(DEVICE, "581,012 x 54, 7 classes, 100 rounds", "covertype, 7 classes,\n100 rounds", "0.107 s", "12.1",
           xgboost_time="1.29 s"),
    Figure(DEVICE, "arrays to model, 50,000 x 28, 100 rounds", "50,000 rows x 28,\n100 rounds", "0.035 s", "4.6",
           xgboost_time="0.158 s"),
]  # fmt: skip


@dataclass(frozen=True)
class Losses:
    """One row of the tables in the section QUALITY: losses of a data set, the second of `fit_best` with 210 rounds."""

    row: str
    best: str
    lightgbm: str
    catboost: str


QUALITY = "A setting chosen by folds"
CHOOSING = [
    Losses("adult", "0.2993", "0.3091", "**0.2989**"), Losses("ames", "**0.2598**", "0.2861", "0.2629"),
    Losses("flights", "**0.3405**", "0.3930", "0.3445"), Losses("fremtpl2", "0.9862", "1.0096", "1.0010"),
    Losses("lightgbm_categorical", "**0.4314**", "0.4741", "0.4330"),
    Losses("spambase", "**0.1202**", "0.1260", "0.1282"), Losses("protein", "**0.6568**", "0.7024", "0.6811"),
    Losses("letter", "**0.1890**", "0.2843", "0.2359"), Losses("higgs26k", "**0.5474**", "0.5590", "0.5518"),
    Losses("titanic", "0.4005", "0.4560", "**0.3884**"),
]  # fmt: skip
CONFIRMING = [
    Losses("credit_default", "0.4273", "0.4470", "0.4322"), Losses("flights_late", "0.4690", "0.4784", "**0.4686**"),
    Losses("california", "0.4162", "0.4292", "**0.4142**"), Losses("california_raw", "0.4276", "0.4416", "**0.4236**"),
    Losses("covtype_cat", "**0.4879**", "0.5698", "0.5029"), Losses("satimage", "**0.2054**", "0.2656", "0.2057"),
    Losses("machine_cpu", "**0.2413**", "0.4463", "0.3075"), Losses("boston", "0.3415", "0.3753", "**0.3296**"),
    Losses("lightgbm_multiclass", "1.0912", "1.1606", "**1.0569**"),
]  # fmt: skip

COLORS = {"Kauri": "#2166ac", "XGBoost": "#9aa5b1", "LightGBM": "#cfd6dd"}

FRONT = {"speed.svg", "device.svg", "quality.svg", "explanation.png", "report.png"}  # not drawn by the pages' blocks

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


def draw_device(path: Path) -> None:
    """Draw training times on a GPU relative to Kauri's, beside XGBoost."""
    figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
    draw_bars(ax, ON_DEVICE, "Training time on a GPU", "one NVIDIA H100; shorter is better")
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, [VERSIONS[name] for name in names], loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_losses(ax: Any, sets: list[Losses], title: str) -> None:
    """Draw the losses of CatBoost and of fit_best, in parts of LightGBM's."""
    for name, color, size in (("catboost", "#e08214", 45), ("best", COLORS["Kauri"], 70)):
        parts = [float(getattr(losses, name).strip("*")) / float(losses.lightgbm) for losses in sets]
        ax.scatter(parts, range(len(sets)), s=size, color=color, zorder=3,
                   label={"best": "Kauri's fit_best", "catboost": "CatBoost 1.2.10"}[name])  # fmt: skip
    ax.axvline(1, color="#9aa5b1", label="LightGBM 4.7.0")
    ax.set_yticks(range(len(sets)), [losses.row for losses in sets])
    ax.invert_yaxis()
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color="#eeeeee")
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_title(title, loc="left", fontsize=13, weight="bold")
    ax.set_xlabel("loss of held-out rows, LightGBM = 1")


def draw_quality(path: Path) -> None:
    """Draw the losses of both halves of the data sets."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    draw_losses(left, CHOOSING, "Sets that choices were made by")
    draw_losses(right, CONFIRMING, "Sets that confirm them")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_explanation(path: Path) -> None:
    """Draw the SHAP values of the held-out rows in README.md's example."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X_train, X_test, y_train, _ = train_test_split(X, y, random_state=0)
    found = kb.fit_best(X_train, y_train, rounds_budget=200)
    ax = kb.plot_beeswarm(kb.explain(found, X_test), max_display=8, size=13)
    ax.set_xlabel("SHAP value: effect on the log-odds that the tumour is malignant")
    ax.figure.savefig(path, dpi=110, metadata={"Software": None}, pil_kwargs={"optimize": True})
    plt.close(ax.figure)


def draw_report(path: Path) -> None:
    """Draw the first screen of a report with the browser Chromium. Raises FileNotFoundError without it."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    names = y.map({0: "malignant", 1: "benign"})
    X_train, X_test, y_train, y_test = train_test_split(X, names, random_state=0)
    model = kb.KauriClassifier(n_estimators=50, learning_rate=0.2, max_depth=4).fit(X_train, y_train)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise FileNotFoundError("the picture of the report needs the browser Chromium (Debian's package chromium)")
    with tempfile.TemporaryDirectory() as work:
        page, picture = Path(work) / "report.html", Path(work) / "report.png"
        kb.report(model, X_test, page, y=y_test, title="Is a tumour malignant?", n_features=1, n_trees=0)
        command = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1000,1290",
        ]
        command += [f"--user-data-dir={work}/profile", f"--screenshot={picture}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)
        with Image.open(picture) as image:
            image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def draw_front(folder: Path) -> None:
    """Draw the charts, and the picture of README.md's example."""
    mpl.use("Agg")
    with mpl.rc_context({"font.size": 12, "font.family": "DejaVu Sans", "svg.hashsalt": "kauri"}):
        draw_speed(folder / "speed.svg")
        draw_device(folder / "device.svg")
        draw_quality(folder / "quality.svg")
        draw_explanation(folder / "explanation.png")


def draw_guide(folder: Path) -> None:
    """Run the pages with pictures, and store their pictures with 64 colours each. Raises CalledProcessError."""
    sys.path.insert(0, str(SITE))
    from pages import pictures, sources

    shown = {name: [at for at in pictures(source) if at not in FRONT] for name, source in sources().items()}
    shown = {name: found for name, found in shown.items() if found}
    with tempfile.TemporaryDirectory() as work:
        environment = {**os.environ, "KAURI_BUILD_DIR": os.environ.get("KAURI_BUILD_DIR", "build")}
        command = [sys.executable, str(SITE / "run_pages.py"), work, *shown]
        subprocess.run(command, check=True, env=environment)
        for page, names in shown.items():
            for name in names:
                with Image.open(Path(work) / page / name) as image:
                    image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(folder / name, optimize=True)


def main(folder: Path) -> None:
    draw_front(folder)
    draw_report(folder / "report.png")
    draw_guide(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
