"""A model of any library as the tree explainer sees it: rows in, raw scores out, and what the scores mean."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.naming import recalling_categories, shown_names
from .._explaining.subject import subject_of
from .._forests.load import LoadedForest, load
from .._model.classes import classes_of
from .._public import described, public

_FOREST = re.compile(r"^(DecisionTree|ExtraTree|ExtraTrees|RandomForest)Classifier$")
_SQUARED = {"reg:squarederror", "regression", "squared_error", "RMSE"}
_CROSS_ENTROPY = {"binary:logistic", "binary:logitraw", "reg:logistic", "binary", "log_loss", "Logloss", "CrossEntropy"}
_TREE_OUTPUTS = {"prediction": "raw_value", "log-odds": "log_odds"}


@public("kauriboost.shap")
class TreeModel:
    """The model of a `TreeExplainer`.

    Attributes
    ----------
    original_model
        The model as it was given.
    forest
        The model as Kauri read it.
    num_outputs
        The number of raw scores of a row. A scikit-learn forest of two classes has two, as in shap.
    tree_limit
        The number of trees that are explained by default, after early stopping; None for all.
    tree_output
        ``"raw_value"``, ``"log_odds"``, ``"probability"``, or empty if it is none of them.
    objective
        ``"squared_error"``, ``"binary_crossentropy"``, or empty if it is none of them.
    """

    def __init__(self, model: Any) -> None:
        self.original_model = model
        self.forest: LoadedForest = model if isinstance(model, LoadedForest) else load(model)
        self.booster = self.forest.booster
        is_own = self.forest.library == "Kauri"
        self._own = subject_of(self.booster if model is self.forest else model, None) if is_own else None
        theirs = self.forest.objective.split(" ")[0]
        is_classifier = _FOREST.match(self.forest.kind) is not None
        self.is_doubled = is_classifier and self.forest.n_outputs == 1
        self.num_outputs = 2 if self.is_doubled else self.forest.n_outputs
        scale = subject_of(self.booster, None).meaning(None)["scale"]
        self.tree_output = "probability" if is_classifier else _TREE_OUTPUTS.get(scale, "")
        is_squared = theirs in _SQUARED and self.tree_output == "raw_value"
        is_entropy = theirs in _CROSS_ENTROPY and self.tree_output == "log_odds"
        self.objective = "squared_error" if is_squared else "binary_crossentropy" if is_entropy else ""
        self.per_score = _margin_per_score(self.forest)
        self._trees_in_round = self.forest.n_trees // max(self.booster.num_boosted_rounds(), 1)
        self.tree_limit = self._default_limit()

    def __repr__(self) -> str:
        return described(self, forest=self.forest, outputs=self.num_outputs, tree_limit=self.tree_limit)

    def _default_limit(self) -> int | None:
        if self._own is not None:
            end = self._own.rounds[1]
            return end * self._trees_in_round if end else None
        if self.forest.library != "XGBoost":
            return None
        best = self.booster.attr("best_iteration")
        n_rounds = self.booster.num_boosted_rounds() if best is None else int(best) + 1
        return n_rounds * self._trees_in_round

    def classes(self) -> list[Any] | None:
        """Return the labels of the two classes of a log-odds model; None if it has none."""
        if self.objective != "binary_crossentropy":
            return None
        classes = getattr(self.original_model, "classes_", None)
        classes = classes_of(self.booster) if classes is None else classes
        return None if classes is None else list(np.asarray(classes).tolist())

    def rounds(self, tree_limit: int | None) -> tuple[int, int]:
        """Return the rounds of so many first trees. LightGBM counts rounds where others count trees, as in shap."""
        limit = self.tree_limit if tree_limit is None else tree_limit
        unit = 1 if self.forest.library == "LightGBM" else self._trees_in_round
        if limit is None or limit == -1 or limit >= unit * self.booster.num_boosted_rounds():
            return (0, 0)
        if limit < 1 or limit % unit:
            raise ParameterError(
                f"tree_limit is {limit}; expected -1 for all trees, or a multiple of {unit}, the trees of a round."
            )
        return (0, limit // unit)

    def matrix(self, X: Any) -> DMatrix:
        """Return rows as a matrix that fits the model."""
        if isinstance(X, DMatrix):
            if len(X.get_base_margin()):
                raise DataError(
                    "the rows have base margins, and a tree explainer has one expected value for all rows; leave them "
                    "out, or use kauriboost.explain, which has a base value for each row."
                )
            return X
        if self._own is not None and (_names_of(X) is not None or self.booster.get_categories()):
            return self._own.rows(X)
        missing = getattr(self.original_model, "missing", None) if self.forest.library in ("Kauri", "XGBoost") else None
        with recalling_categories(self.booster):
            return self._of_frame(X, missing) if hasattr(X, "iloc") else self._of_array(X, missing)

    def _of_frame(self, X: Any, missing: float | None) -> DMatrix:
        if self.booster.feature_names:
            X = X.set_axis(self._checked([str(name) for name in X.columns]), axis=1)
        has_codes = "c" in (self.booster.feature_types or []) and not self.booster.get_categories()
        if has_codes and all(kind.kind in "biuf" for kind in X.dtypes):
            return self._of_array(X.to_numpy(np.float64), missing)
        return DMatrix(X, missing=missing)

    def _of_array(self, X: Any, missing: float | None) -> DMatrix:
        given = _names_of(X)
        if given is not None and self.booster.feature_names:
            self._checked([str(name) for name in given])
        data = X.get_data() if _is_foreign_matrix(X) else X
        if hasattr(data, "toarray") and self.forest.library not in ("Kauri", "XGBoost"):
            data = data.toarray()  # cells that a sparse row does not have are 0 there, not missing
        if isinstance(data, (list, tuple)) or str(getattr(data, "dtype", "")) == "object":
            data = np.asarray(data, dtype=np.float64)
        names, types = self.booster.feature_names, self.booster.feature_types
        return DMatrix(data, missing=missing, feature_names=names, feature_types=types)

    def _checked(self, columns: Sequence[str]) -> Sequence[str]:
        """Return the model's names for a frame's columns. Raises DataError for its names in another order."""
        names = self.booster.feature_names or []
        shown = [name.replace(" ", "_") if self.forest.library == "LightGBM" else name for name in columns]
        if shown == names or len(shown) != len(names):
            return shown
        if set(shown) & set(names):
            raise DataError(
                f"X has the columns {shown_names(columns)}, the model has {shown_names(names)}; pass the model's "
                "columns in its order."
            )
        warnings.warn(
            f"X has the columns {shown_names(columns)}, the model has {shown_names(names)}; they are matched by place.",
            stacklevel=2,
        )
        return names

    def margins(self, matrix: DMatrix, rounds: tuple[int, int]) -> np.ndarray:
        """Return the margins of Kauri's model in float64, ``[n_rows, n_outputs]``, of which scores are multiples."""
        margins = self.booster.predict(matrix, output_margin=True, strict_shape=True, iteration_range=rounds)
        return np.asarray(margins, dtype=np.float64)

    def predict(self, X: Any, tree_limit: int | None = None) -> np.ndarray:
        """Return the raw scores, ``[n_rows]``, or ``[n_rows, num_outputs]`` if there are several outputs."""
        scores = self.margins(self.matrix(X), self.rounds(tree_limit)) / self.per_score
        if self.is_doubled:
            scores = np.hstack([1 - scores, scores])
        return scores[:, 0] if self.num_outputs == 1 else scores


def _names_of(X: Any) -> Any:
    """Return the names of the columns of a frame of any library; None for arrays and matrices."""
    return None if hasattr(X, "get_data") else getattr(X, "column_names", getattr(X, "columns", None))


def _is_foreign_matrix(X: Any) -> bool:
    """Return whether X is a matrix of XGBoost's package."""
    return type(X).__module__.startswith("xgboost.") and hasattr(X, "get_data")


def _margin_per_score(forest: LoadedForest) -> float:
    """Return the factor from a library's raw score to the margin: LightGBM's sigmoid, the exponential loss."""
    found = re.search(r" sigmoid:(\S+)", forest.objective)
    if forest.library == "LightGBM" and found is not None:
        return float(found[1])
    return 2.0 if forest.library == "scikit-learn" and forest.objective == "exponential" else 1.0
