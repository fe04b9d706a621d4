"""Trains an estimator on a data frame, and prints how good it is and what decided; a start for your own data."""

from __future__ import annotations

import kauriboost as kb
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    labels = y.map({0: "malignant", 1: "benign"})
    X_train, X_test, y_train, y_test = train_test_split(X, labels, stratify=labels, random_state=0)
    model = kb.KauriClassifier(early_stopping_rounds=20).fit(X_train, y_train)
    print(f"accuracy on {len(X_test)} other rows: {model.score(X_test, y_test):.3f}")
    shares = sorted(zip(model.feature_importances_, X.columns), reverse=True)
    print("strongest features:", ", ".join(f"{name} ({share:.0%})" for share, name in shares[:3]))


if __name__ == "__main__":
    main()
