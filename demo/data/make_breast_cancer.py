#!/usr/bin/env python3
"""Writes breast_cancer.{train,test}.libsvm and breast_cancer.features.txt beside this file, from scikit-learn's copy.

The split is by position (every fifth row is for testing), so every run writes the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer

FOLDER = Path(__file__).resolve().parent


def write_libsvm(path: Path, features: np.ndarray, labels: np.ndarray) -> None:
    lines = (
        " ".join([str(label), *(f"{column}:{value:.9g}" for column, value in enumerate(row))])
        for row, label in zip(features, labels, strict=True)
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    data = load_breast_cancer()
    malignant = 1 - data.target  # scikit-learn's 0 is malignant
    is_test = np.arange(len(malignant)) % 5 == 4
    write_libsvm(FOLDER / "breast_cancer.train.libsvm", data.data[~is_test], malignant[~is_test])
    write_libsvm(FOLDER / "breast_cancer.test.libsvm", data.data[is_test], malignant[is_test])
    names = [f"{index} {name.replace(' ', '_')} q" for index, name in enumerate(data.feature_names)]
    (FOLDER / "breast_cancer.features.txt").write_text("\n".join(names) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
