"""The estimator for classification."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from .._data.numbers import collected
from .._model import classes as _classes
from .._model.booster import Booster
from .._public import public
from .._training.callback import TrainingCallback
from .._training.folds import Folds
from .class_labels import label_table, set_objective
from .classes_callback import ClassesCallback
from .estimator import KauriModel, has_several_columns
from .fit_data import FitData, GivenRows, eval_rows, require_labels
from .parameters import hands_on

# For objectives that predict classes or margins instead of probabilities.
_LIKELIHOODS_OF_MARGINS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "multi:softmax": lambda margins: softmax(margins, axis=1),
    "binary:logitraw": expit,
}
# Objectives whose margins are log-odds.
_LOG_ODDS = ("binary:logistic", "binary:logitraw", "reg:logistic")


@public("kauriboost.sklearn")
class KauriClassifier(ClassifierMixin, KauriModel):
    """Gradient-boosted classification; see `KauriRegressor` for the parameters. Labels may be of any type.

    y may be a table ``[n_rows, n_labels]`` with 1 for each label that a row has and 0 for the others. Predictions and
    probabilities are then such tables, and `classes_` is [0, 1]. More than two classes are learnt with multi:softprob
    unless `objective` is multi:softmax. binary:hinge has only the probabilities 0 and 1.

    `class_weight` multiplies the weights of training rows by class: ``{class: weight}``, by default 1, or "balanced":
    the number of rows divided by the size of the class and the number of classes.
    """

    _OWN_DEFAULTS = True
    classes_: np.ndarray
    n_classes_: int
    _is_multilabel: bool

    @hands_on
    def __init__(self, *, class_weight: dict[Any, float] | str | None = None, **shared: Any) -> None:
        super().__init__(**shared)
        self.class_weight = class_weight

    def _has_classes(self) -> bool:
        return not self._is_multilabel

    def _encode(self, y: Any) -> np.ndarray:
        if self._is_multilabel:
            return label_table(y)
        labels = column_or_1d(y, warn=True)
        found = _classes.few_numbers(labels, self.n_jobs)
        if found is not None and np.array_equal(found[0], self.classes_):
            return found[1]
        require_labels(labels)
        return _classes.codes_of(labels, self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        base_margin: Any = None,
        feature_weights: Any = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        eval_X: Any = None,
        eval_y: Any = None,
        eval_sample_weight: Any = None,
        sample_weight_eval_set: Sequence[Any] | None = None,
        base_margin_eval_set: Sequence[Any] | None = None,
        verbose: bool | int = False,
        xgb_model: Any = None,
        groups: Any = None,
        folds: Folds | None = None,
        nfold: int | None = None,
    ) -> KauriClassifier:
        """Train on rows X and labels y; see `KauriRegressor.fit`."""
        y = collected(y)
        self._require_target(y)
        if has_several_columns(y):
            self._check_targets(y)
        fields = {"weight": sample_weight, "base_margin": base_margin, "feature_weights": feature_weights}
        apart = {"X_val": X_val, "y_val": y_val, "sample_weight_val": sample_weight_val}
        apart |= {"eval_X": eval_X, "eval_y": eval_y, "eval_sample_weight": eval_sample_weight}
        by_set = {
            "sample_weight_eval_set": sample_weight_eval_set,
            "base_margin_eval_set": base_margin_eval_set,
        }
        evals = eval_rows(eval_set, apart, **by_set)
        search = {"groups": groups, "folds": folds, "nfold": nfold}
        before = dict(self.__dict__)
        try:
            return self._fit_classes(self._given((X, y, fields), evals, verbose, xgb_model, **search))
        except BaseException:  # also on an interrupt: the classes must match the booster
            self.__dict__ = before
            raise

    def refit(
        self, X: Any, y: Any, *, decay_rate: float = 0.9, sample_weight: Any = None, base_margin: Any = None
    ) -> KauriClassifier:
        """Refit the leaf values on other rows of the same classes; see `KauriRegressor.refit`.

        `class_weight` also applies here; "balanced" refers to these rows.
        """
        self.get_booster()  # raises an error before `fit`, without which there are no classes
        self._require_target(y)
        rows: GivenRows = (X, y, {"weight": sample_weight, "base_margin": base_margin})
        self._refit(rows if self.class_weight is None else self._with_class_weight(rows), decay_rate)
        return self

    def _fit_classes(self, given: FitData) -> KauriClassifier:
        y = given.train[1]
        if isinstance(given.model, (str, os.PathLike, bytes, bytearray)):
            given.model = Booster(model_file=given.model)
        self._is_multilabel = has_several_columns(y)
        self.classes_, codes = (np.arange(2), None) if self._is_multilabel else self._classes_in(y)
        known = None if self._is_multilabel else self._classes_to_continue(given.model)
        given.codes = codes if known is None or np.array_equal(known, self.classes_) else None
        self.classes_ = self.classes_ if known is None else known
        self.n_classes_ = len(self.classes_)
        if self.n_classes_ == 1:
            warnings.warn(
                f"y holds the class {self.classes_.tolist()[0]!r} alone, which every prediction will be; check the "
                "labels, and how the rows were selected.",
                stacklevel=3,
            )
        if self.class_weight is not None:
            given.train = self._with_class_weight(given.train)
        params = self.get_booster_params()
        self._set_objective(params)
        return self._fit(given, params)

    def _with_class_weight(self, rows: GivenRows) -> GivenRows:
        X, y, fields = rows
        if self._is_multilabel:
            raise ValueError("class_weight needs one class per row, but y is a table of labels; pass sample_weight.")
        of_rows = compute_sample_weight(self.class_weight, column_or_1d(y))
        given = fields["weight"]
        return X, y, {**fields, "weight": of_rows if given is None else of_rows * np.asarray(given)}

    def _check_targets(self, y: Any) -> None:
        if not has_several_columns(y):
            require_labels(y)
        table = np.asarray(y)
        if has_several_columns(y) and table.dtype.kind == "f":
            y = np.where(np.isnan(table), 0, table)  # an unknown label does not restrict the classes
        check_classification_targets(y)

    def _classes_in(self, y: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the classes among labels, and the codes of the labels if they are found with them."""
        found = _classes.few_numbers(np.asarray(y), self.n_jobs)
        if found is not None:
            return found
        self._check_targets(y)
        return np.unique(np.asarray(y)), None

    @staticmethod
    def _classes_to_continue(model: Booster | KauriModel | None) -> np.ndarray | None:
        """Return the classes of the model to continue, or None if unknown; they already have their outputs."""
        if isinstance(model, Booster):
            return _classes.classes_of(model)
        return getattr(model, "classes_", None)

    def _own_callbacks(self) -> list[TrainingCallback]:
        return [*super()._own_callbacks(), ClassesCallback(self.classes_)]

    def save_model(self, fname: str | os.PathLike[str], dialect: str | None = None) -> None:
        """Save the model and its classes, unless these are objects other than texts and numbers.

        See `Booster.save_model`.
        """
        super().save_model(fname, dialect)
        if _classes.as_text(self.classes_) is None and not _classes.are_numbers_from_0(self.classes_):
            warnings.warn(
                f"a model file has no form for the classes {self.classes_.tolist()}; they are 0, 1, ... when it is "
                "loaded. Pickle keeps them.",
                stacklevel=2,
            )

    def _set_objective(self, params: dict[str, Any]) -> None:
        """Choose an objective that fits the number of classes."""
        self._require_objective(params.get("objective", "binary:logistic"))
        set_objective(params, self.n_classes_, self._is_multilabel)

    @staticmethod
    def _suits(objective: str) -> bool:
        return objective == "reg:logistic" or not objective.startswith(("reg:", "count:", "survival:", "rank:"))

    def load_model(self, fname: str | os.PathLike[str] | bytes | bytearray) -> None:
        """Load a model and its classes; if it has none, as in XGBoost's files, they are 0, 1, ...

        Raises ValueError if the model is not a classifier.
        """
        super().load_model(fname)

    def _take_classes(self, booster: Booster) -> None:
        nothing = np.full((1, booster.num_features()), np.nan)
        margins = booster.inplace_predict(nothing, predict_type="margin", validate_features=False)
        objective = json.loads(booster.save_config())["learner"]["objective"]["name"]
        is_multilabel = margins.size > 1 and not objective.startswith("multi:")
        n_classes = 2 if is_multilabel else max(2, margins.size)
        known = None if is_multilabel else _classes.classes_of(booster)
        if known is not None:
            _classes.require_number(known, n_classes)
        self._is_multilabel = is_multilabel
        self.classes_ = np.arange(n_classes) if known is None else known
        self.n_classes_ = len(self.classes_)

    def _likelihoods(self, X: Any, iteration_range: tuple[int, int] | None, how: dict[str, Any]) -> np.ndarray:
        """Return ``[n_rows, n_classes]``, or ``[n_rows]`` for two classes, or ``[n_rows, n_labels]`` for labels."""
        self.get_booster()  # raises an error before `fit`
        of_margins = _LIKELIHOODS_OF_MARGINS.get(self._objective_name)
        values = self._predict(X, iteration_range, output_margin=of_margins is not None, **how)
        return values if of_margins is None else of_margins(values)

    def predict_proba(
        self,
        X: Any,
        *,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Return class probabilities, ``[n_rows, n_classes]``, or label probabilities, ``[n_rows, n_labels]``.

        For the parameters see `KauriRegressor.predict`.
        """
        how = {"validate_features": validate_features, "base_margin": base_margin}
        values = self._likelihoods(X, iteration_range, how)
        return values if values.ndim == 2 else np.column_stack([1.0 - values, values])

    def predict(
        self,
        X: Any,
        *,
        output_margin: bool = False,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Return the most likely class of each row, or 0 or 1 for each label; or the margins.

        For the parameters see `KauriRegressor.predict`.
        """
        how = {"validate_features": validate_features, "base_margin": base_margin}
        if output_margin:
            return self._predict(X, iteration_range, output_margin=True, **how)
        values = self._likelihoods(X, iteration_range, how)
        if self._is_multilabel:
            return (values > 0.5).astype(np.int64)
        codes = values.argmax(axis=1) if values.ndim == 2 else (values > 0.5).astype(np.int64)
        labels: np.ndarray = self.classes_[codes]
        return labels

    def decision_function(
        self,
        X: Any,
        *,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Return the margins: ``[n_rows]`` for two classes, above 0 for the second; else a column per class or label.

        For binary:logistic and tables of labels the margin is the log-odds. For the parameters see
        `KauriRegressor.predict`.
        """
        how = {"validate_features": validate_features, "base_margin": base_margin}
        margins = self._predict(X, iteration_range, output_margin=True, **how)
        if margins.ndim == 2 and margins.shape[1] == 2 and not self._is_multilabel:  # multi:softprob of two classes
            return np.asarray(margins[:, 1] - margins[:, 0])
        return margins

    def predict_log_proba(
        self,
        X: Any,
        *,
        validate_features: bool = True,
        base_margin: Any = None,
        iteration_range: tuple[int, int] | None = None,
    ) -> np.ndarray:
        """Return the logarithms of `predict_proba`, computed from the margins where these are log-odds.

        The logarithm of a probability that rounds to 0 is then a finite number. For the parameters see
        `KauriRegressor.predict`.
        """
        how = {"validate_features": validate_features, "base_margin": base_margin}
        self.get_booster()  # raises an error before `fit`
        if self._objective_name not in _LOG_ODDS and not self._objective_name.startswith("multi:"):
            with np.errstate(divide="ignore"):
                return np.asarray(np.log(self.predict_proba(X, iteration_range=iteration_range, **how)))
        margins = self._predict(X, iteration_range, output_margin=True, **how)
        if self._objective_name not in _LOG_ODDS:
            return np.asarray(log_softmax(margins, axis=1))
        if margins.ndim == 2:
            return np.asarray(log_expit(margins))
        return np.column_stack([log_expit(-margins), log_expit(margins)])

    def staged_predict(
        self, X: Any, *, base_margin: Any = None, iteration_range: tuple[int, int] | None = None
    ) -> Iterator[np.ndarray]:
        """Yield the classes after each round; see `KauriRegressor.staged_predict`."""
        return self._staged(
            X,
            base_margin,
            iteration_range,
            lambda rows, margins, one: self.predict(rows, base_margin=margins, iteration_range=one),
        )

    def staged_predict_proba(
        self, X: Any, *, base_margin: Any = None, iteration_range: tuple[int, int] | None = None
    ) -> Iterator[np.ndarray]:
        """Yield the probabilities after each round; see `KauriRegressor.staged_predict`."""
        return self._staged(
            X,
            base_margin,
            iteration_range,
            lambda rows, margins, one: self.predict_proba(rows, base_margin=margins, iteration_range=one),
        )
