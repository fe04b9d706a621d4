"""Explains what is no boosted model: a network of scikit-learn, with its scaling; then probabilities, losses and data sources.

usage: explain_any_model.py [FOLDER]    prints, and draws function.png and loss.png into FOLDER (by default .)
"""

from __future__ import annotations

import sys
from pathlib import Path

import kauriboost as kb
import matplotlib as mpl
import numpy as np
import pandas as pd
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

DATA = Path(__file__).resolve().parent / "data"
PARAMS = {"objective": "binary:logistic", "max_depth": 3}


def load(part: str) -> tuple[pd.DataFrame, np.ndarray]:
    data = kb.DMatrix(f"{DATA}/breast_cancer.{part}.libsvm?format=libsvm")
    names = [line.split()[1] for line in (DATA / "breast_cancer.features.txt").read_text().splitlines()]
    return pd.DataFrame(data.get_data().toarray(), columns=names), data.get_label()


def strongest(explanation: kb.Explanation) -> list[int]:
    return list(np.argsort(-np.abs(explanation.values))[:3])


def main(folder: Path) -> None:
    mpl.use("Agg")
    (train, y_train), (test, y_test) = load("train"), load("test")
    background = train.sample(50, random_state=0)

    # Any function of rows: here a pipeline, which gets data frames as it was trained with.
    network = make_pipeline(StandardScaler(), MLPClassifier(max_iter=500, random_state=0)).fit(train, y_train)

    def malignant(rows: pd.DataFrame) -> np.ndarray:
        return network.predict_proba(rows)[:, 1]

    doubtful = test.iloc[[int(np.abs(malignant(test) - 0.5).argmin())]]
    one = kb.explain_function(malignant, doubtful, background)[0]
    print(f"a network says {malignant(doubtful)[0]:.2f} of the most doubtful tumour, {one.base_values:.2f} on average")
    for i in strongest(one):
        print(f"  {one.feature_names[i]}: {one.values[i]:+.3f} +- {one.std_error[i]:.3f}")
    kb.plot_waterfall(one).figure.savefig(folder / "function.png")

    # Columns that belong together, as one player each.
    kinds = {kind: [name for name in train if name.startswith(kind)] for kind in ("mean", "error", "worst")}
    grouped = kb.explain_function(malignant, doubtful, background, groups=kinds)[0]
    print(f"the same by kind of measurement ({grouped.method}, {grouped.n_evals} sets of columns):")
    for name, value in zip(grouped.feature_names, grouped.values):
        print(f"  {name}: {value:+.3f}")

    # A model of our own, on the scale of probabilities, and what each feature saves of the loss.
    model = kb.train(PARAMS, kb.DMatrix(train, label=y_train), 30, verbose_eval=False)
    value = kb.explain(model, doubtful, background=background, output="value")[0]
    print(f"30 trees say {value.values.sum() + value.base_values:.2f}:")
    for i in strongest(value):
        print(f"  {value.feature_names[i]}: {value.values[i]:+.3f} +- {value.std_error[i]:.3f}")
    loss = kb.explain(model, test, background=background, output="loss", y=y_test)
    mean = loss.values.mean(axis=0)
    kb.plot_beeswarm(loss).figure.savefig(folder / "loss.png")
    print(f"what is known of the tumours takes the mean loss from {loss.base_values.mean():.2f}")
    print(f"  to {loss.base_values.mean() + mean.sum():.2f}; {loss.feature_names[int(mean.argmin())]} does most of it")

    # A game: what is each kind of measurement worth for training?
    def accuracy(coalitions: np.ndarray) -> list[float]:
        found = []
        for members in coalitions:
            columns = [name for kind, takes_part in zip(kinds, members) if takes_part for name in kinds[kind]]
            if not columns:
                found.append(max(y_test.mean(), 1 - y_test.mean()))
                continue
            of_kinds = kb.train(PARAMS, kb.DMatrix(train[columns], label=y_train), 30, verbose_eval=False)
            found.append(float(((of_kinds.predict(kb.DMatrix(test[columns])) > 0.5) == y_test).mean()))
        return found

    shares = kb.shapley_values(accuracy, len(kinds), player_names=list(kinds))
    print(f"of the accuracy beyond {shares.base_values:.3f}, which needs no measurement,")
    print("  " + ", ".join(f"{name} has {value:.3f}" for name, value in zip(shares.feature_names, shares.values)))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
