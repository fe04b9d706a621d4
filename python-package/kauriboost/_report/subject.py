"""The predictions that a report judges: their kind, and what they are beside the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._data.matrix import DMatrix
from .._explaining.subject import Subject, objective_of
from .._plotting.parts import class_text

_EXTRA = {
    "binary": ["logloss", "error", "auc", "aucpr"],
    "classes": ["mlogloss", "merror"],
    "regression": ["rmse", "mae", "r2"],
    "ranking": ["ndcg@1", "ndcg@5", "ndcg@10"],
}


@dataclass(frozen=True)
class Judged:
    """Labels and predictions of the rows.

    Attributes
    ----------
    kind
        ``"binary"`` or ``"classes"``: one of two, or of several classes; ``"regression"``; ``"quantiles"``;
        ``"ranking"``; ``"survival"``; ``"other"``.
    labels
        ``[n_rows]`` or ``[n_rows, n_targets]``; empty without labels.
    predictions
        ``[n_rows, n_outputs]``: probabilities of all classes for "binary" and "classes", else predictions.
    has_probabilities
        False if a model of classes predicts nothing but classes; its "probabilities" are then 0 and 1.
    weights
        ``[n_rows]``.
    classes
        The names of the classes for texts.
    """

    kind: str
    objective: str
    labels: np.ndarray
    predictions: np.ndarray
    has_probabilities: bool
    weights: np.ndarray
    classes: list[str]

    def has_labels(self) -> bool:
        """Return whether the rows have labels."""
        return len(self.labels) > 0

    def is_of_classes(self) -> bool:
        """Return whether the model chooses among classes."""
        return self.kind in ("binary", "classes")

    def chosen(self) -> np.ndarray:
        """Return the number of the predicted class of each row; of two equal probabilities, the first class."""
        return np.asarray(np.argmax(self.predictions, axis=1))

    def extra_metrics(self) -> list[str]:
        """Return the metrics that the report shows beside the model's own."""
        if self.is_of_classes() and not self.has_probabilities:
            return ["error" if self.kind == "binary" else "merror"]
        has_one_class = self.is_of_classes() and len(np.unique(self.labels)) < 2
        names = _EXTRA.get(self.kind, [])
        return [name for name in names if not (has_one_class and name.startswith("auc"))]

    def output_name(self, output: int) -> str:
        """Return the name of an output."""
        return self.classes[output] if self.kind == "classes" else f"output {output}"


def _kind(objective: str, labels: np.ndarray, n_outputs: int) -> str:
    if objective.startswith("multi:"):
        return "classes"
    if objective.startswith("binary:") and labels.ndim == 1 and n_outputs == 1 and np.isin(labels, (0, 1)).all():
        return "binary"
    if objective.startswith("rank:"):
        return "ranking"
    if objective.startswith("survival:"):
        return "survival"
    if objective == "reg:quantileerror":
        return "quantiles"
    of_numbers = objective.startswith(("reg:", "count:")) and objective != "reg:expectileerror"
    n_targets = labels.shape[1] if labels.ndim == 2 else 1
    return "regression" if of_numbers and (n_outputs == n_targets or len(labels) == 0) else "other"


def judged(model: Subject, data: DMatrix) -> Judged:
    """Return the predictions of a model for some rows, beside their labels."""
    objective = objective_of(model.booster)
    labels = np.asarray(data.get_label())
    how: dict[str, Any] = {"iteration_range": model.rounds, "strict_shape": True}
    predictions = np.asarray(model.booster.predict(data, **how), dtype=np.float64)
    predictions = predictions.reshape(len(predictions), -1)
    kind = _kind(objective, labels, predictions.shape[1])
    if objective == "binary:logitraw":
        predictions = 1 / (1 + np.exp(-predictions))
    if kind == "binary":
        predictions = np.column_stack([1 - predictions[:, 0], predictions[:, 0]])
    if objective == "multi:softmax":
        margins = np.asarray(model.booster.predict(data, output_margin=True, **how))
        predictions = np.eye(margins.shape[1])[predictions[:, 0].astype(np.int64)]
    given = data.get_weight()
    weights = given.astype(np.float64) if len(given) == len(predictions) else np.ones(len(predictions))
    has_probabilities = objective not in ("binary:hinge", "multi:softmax")
    known = model.classes() if kind in ("binary", "classes") else None
    names = known if known is not None and len(known) == predictions.shape[1] else list(range(predictions.shape[1]))
    return Judged(
        kind, objective, labels, predictions, has_probabilities, weights, [class_text(name) for name in names]
    )
