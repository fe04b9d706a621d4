"""The result of `distill`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._data.matrix import DMatrix
from .._data.naming import recalling_categories
from .._model.booster import Booster
from .._model.result import ModelResult
from .._public import described, public


@public("kauriboost.distill")
@dataclass(frozen=True, repr=False)
class Distilled(ModelResult):
    """A student, and how well it copies its teacher.

    Attributes
    ----------
    booster
        The model.
    fidelity
        Agreement with the teacher on held-out rows, which a first student has not seen: for numbers the share of the
        variance of the teacher's results that the student has (R2, 1 is best), for probabilities the mean
        Kullback-Leibler divergence of the student's from the teacher's (0 is best). If the teacher returns the same
        number for all held-out rows, it is 1 for a student that does so too, up to rounding, and else 0.
    metric
        ``"r2"`` or ``"divergence"``.
    label_weight
        The weight of `y` beside the teacher's results, on the given rows.
    n_synthetic
        The number of synthetic rows.
    n_calls, n_rows
        The number of calls of the teacher, and of rows in all of them.
    seconds, teacher_seconds
        The time of the whole call, and of the teacher's calls.
    classes_
        The names of the classes, ascending; None for numbers.
    fields
        Arguments of `DMatrix` about columns, which `distill` got and `predict` takes for rows that are no `DMatrix`.
    """

    booster: Booster
    fidelity: float
    metric: str
    label_weight: float
    n_synthetic: int
    n_calls: int
    n_rows: int
    seconds: float
    teacher_seconds: float
    classes_: np.ndarray | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def predict(self, X: Any, **how: Any) -> Any:
        """Predict rows: a `DMatrix`, or data to make one from.

        Without further arguments, the result for a student of classes is the most likely class of each row. Else it is
        the result of `Booster.predict`, which takes `how`.
        """
        if self.classes_ is None or how:
            return self.booster.predict(self._matrix(X), **how)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the classes, ``[n_rows, n_classes]``.

        Raises ParameterError if the teacher predicts numbers.
        """
        if self.classes_ is None:
            raise ParameterError("the teacher predicts numbers, so the student has no classes; call predict().")
        values: np.ndarray = self.booster.predict(self._matrix(X))
        return values if values.ndim == 2 else np.column_stack([1.0 - values, values])

    def _matrix(self, X: Any) -> DMatrix:
        if isinstance(X, DMatrix):
            return X
        told = dict(self.fields)
        names = told.pop("feature_names", None)
        with recalling_categories(self.booster):
            data = DMatrix(X, **told)
        if names is not None and data.feature_names is None:
            data.feature_names = names
        return data

    def __repr__(self) -> str:
        return described(
            self,
            fidelity=f"{self.metric} {self.fidelity:.6g}",
            rounds=self.booster.num_boosted_rounds(),
            label_weight=self.label_weight,
            n_synthetic=self.n_synthetic,
            n_calls=self.n_calls,
            n_rows=self.n_rows,
            seconds=round(self.seconds, 2),
        )
