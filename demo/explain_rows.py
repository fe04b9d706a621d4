"""Prints the features that decided three predictions: the surest of each class, and the most doubtful one.

usage: explain_rows.py DATA.libsvm FEATURES.txt PREDICTIONS.txt CONTRIBUTIONS.csv
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

N_STRONGEST = 5
BAR_WIDTH = 24


def print_row(row: int, label: str, probability: float, strongest: list[tuple[str, str, float]], scale: float) -> None:
    print(
        f"\nrow {row}: malignant with probability {probability:.3f} (true: {'malignant' if label == '1' else 'benign'})"
    )
    for name, value, contribution in strongest:
        bar = "#" * max(1, round(abs(contribution) / scale * BAR_WIDTH))
        print(f"  {name:<24} = {value:<10} {contribution:+.3f}  {bar}")


def main(data: str, features: str, predictions: str, contributions: str) -> None:
    names = [line.split()[1] for line in Path(features).read_text().splitlines()]
    rows = [line.split() for line in Path(data).read_text().splitlines()]
    probabilities = [float(line) for line in Path(predictions).read_text().splitlines()]
    with Path(contributions).open(newline="") as file:
        table = [[float(cell) for cell in line] for line in list(csv.reader(file))[1:]]

    by_probability = sorted(range(len(rows)), key=probabilities.__getitem__)
    doubtful = min(by_probability, key=lambda row: abs(probabilities[row] - 0.5))
    chosen = [by_probability[-1], by_probability[0], doubtful]
    scale = max(abs(value) for row in chosen for value in table[row][:-1])
    print("Contributions are SHAP values in log-odds; + speaks for malignant. They and the bias add up to the margin.")
    for row in chosen:
        label, *entries = rows[row]
        values = dict(entry.split(":") for entry in entries)
        order = sorted(range(len(names)), key=lambda feature: -abs(table[row][feature]))[:N_STRONGEST]
        strongest = [(names[feature], values.get(str(feature), "missing"), table[row][feature]) for feature in order]
        print_row(row, label, probabilities[row], strongest, scale)


if __name__ == "__main__":
    main(*sys.argv[1:])
