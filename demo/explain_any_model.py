"""Explains more than sums of trees: a neural network of scikit-learn, probabilities, losses and sources of data.

usage: explain_any_model.py [FOLDER]    prints, and draws function.png and loss.png into FOLDER (by default .)
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Callable

import kauriboost as kb
import matplotlib as mpl
import numpy as np
import pandas as pd
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

DATA = Path(__file__).resolve().parent / "data"
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
Function = Callable[[pd.DataFrame], np.ndarray]
Table = tuple[pd.DataFrame, np.ndarray]


def load(part: str) -> Table:
    data = kb.DMatrix(f"{DATA}/breast_cancer.{part}.libsvm?format=libsvm")
    names = [line.split()[1] for line in (DATA / "breast_cancer.features.txt").read_text().splitlines()]
    return pd.DataFrame(data.get_data().toarray(), columns=names), data.get_label()


def trained(rows: pd.DataFrame, labels: np.ndarray) -> kb.Booster:
    params = {"objective": "binary:logistic", "max_depth": 3}
    return kb.train(params, kb.DMatrix(rows, label=labels), 30, verbose_eval=False)


def print_strongest(explanation: kb.Explanation) -> None:
    for i in np.argsort(-np.abs(explanation.values))[:3]:
        error = f" +- {explanation.std_error[i]:.3f}" if explanation.std_error[i] > 0 else ""
        print(f"  {explanation.feature_names[i]}: {explanation.values[i]:+.3f}{error}")


def explain_network(malignant: Function, row: pd.DataFrame, background: pd.DataFrame) -> None:
    """Explain an arbitrary function of rows. It receives data frames, as in its training."""
    one = kb.explain_function(malignant, row, background)[0]
    print(f"a network says {malignant(row)[0]:.2f} of the most doubtful tumour, {one.base_values:.2f} on average:")
    print_strongest(one)
    kb.plot_waterfall(one).figure.savefig(FOLDER / "function.png")


def explain_groups(malignant: Function, row: pd.DataFrame, background: pd.DataFrame) -> None:
    """Explain groups of columns. A group is one player; there are so few players that all their sets are evaluated."""
    found = kb.explain_function(malignant, row, background, groups=kinds_of(row))[0]
    print(f"the same by kind of measurement ({found.method}, {found.n_evals} sets):")
    print_strongest(found)


def kinds_of(rows: pd.DataFrame) -> dict[str, list[str]]:
    return {kind: [name for name in rows if kind in name.split("_")] for kind in ("mean", "error", "worst")}


def explain_own_model(model: kb.Booster, row: pd.DataFrame, background: pd.DataFrame, test: Table) -> None:
    """Explain probabilities, and by how much each feature reduces the loss."""
    value = kb.explain(model, row, background=background, output="value")[0]
    print(f"30 trees say {value.values.sum() + value.base_values:.2f}:")
    print_strongest(value)
    loss = kb.explain(model, test[0], background=background, output="loss", y=test[1])
    kb.plot_beeswarm(loss).figure.savefig(FOLDER / "loss.png")
    saved = -loss.values.mean(axis=0)
    before = loss.base_values.mean()
    print(f"measurements take the mean loss from {before:.2f} to {before - saved.sum():.2f};")
    print(f"  {loss.feature_names[int(saved.argmax())]} saves most of it, {saved.max():.2f}")


def value_sources(train: Table, test: Table) -> None:
    """Compute Shapley values of a custom game: how much each kind of measurement is worth for training."""
    kinds = kinds_of(train[0])

    def accuracy(coalitions: np.ndarray) -> list[float]:
        found = []
        for members in coalitions:
            columns = [name for kind, takes_part in zip(kinds, members) if takes_part for name in kinds[kind]]
            chance = np.full(len(test[1]), train[1].mean())
            found_by = trained(train[0][columns], train[1]).predict(kb.DMatrix(test[0][columns])) if columns else chance
            found.append(float(((found_by > 0.5) == test[1]).mean()))
        return found

    shares = kb.shapley_values(accuracy, len(kinds), player_names=list(kinds))
    parts = ", ".join(f"{name} {value:.3f}" for name, value in zip(shares.feature_names, shares.values))
    print(f"of the accuracy beyond {shares.base_values:.3f}, which takes no measurement: {parts}")


def main() -> None:
    mpl.use("Agg")
    train, test = load("train"), load("test")
    network = make_pipeline(StandardScaler(), MLPClassifier(max_iter=500, random_state=0)).fit(*train)

    def malignant(rows: pd.DataFrame) -> np.ndarray:
        return network.predict_proba(rows)[:, 1]

    background = train[0].sample(50, random_state=0)
    doubtful = test[0].iloc[[int(np.abs(malignant(test[0]) - 0.5).argmin())]]
    explain_network(malignant, doubtful, background)
    explain_groups(malignant, doubtful, background)
    explain_own_model(trained(*train), doubtful, background, test)
    value_sources(train, test)


if __name__ == "__main__":
    main()
