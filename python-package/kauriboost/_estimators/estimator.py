"""The base class of the estimators of `kauriboost.sklearn`."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import column_or_1d

from .._binding.errors import ParameterError
from .._data.columns import text_names
from .._data.device import to_host
from .._data.few_rows import few_rows
from .._data.matrix import DMatrix
from .._data.naming import hinting_at_order, recalling_categories, shown_names
from .._data.rows import Rows
from .._model.booster import Booster
from .._training.attempts import BestFit
from .._training.callback import EvalsLog, TrainingCallback
from .._training.refit import refit
from .._training.train import train
from . import best
from .device_bins import training_rows
from .fit_data import FitData, GivenRows, require_cells
from .functions import as_objective, first_rounds
from .held_out import hold_out, stops_early
from .missing import MissingCallback, missing_to_take
from .of_xgboost import is_of_xgboost, parameters_of
from .parameters import Parameters
from .stages import HeldRows, Stage, stages
from .warm_start import joined, model_to_continue, require_same_kind

_IN_MODEL_FILES = ("objective", "num_class", "base_score", "booster")  # booster parameters that a model file contains


def has_several_columns(y: Any) -> bool:
    """Return whether the targets are a table of two columns or more."""
    shape = getattr(y, "shape", None) or np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


class KauriModel(Parameters):
    """Common base of estimators: parameters known to scikit-learn, and a booster after `fit`."""

    feature_names_in_: np.ndarray  # set if the features have names
    n_features_in_: int
    best_fit_: BestFit  # set after `preset="best"`
    _booster: Booster
    _objective_name: str
    _is_linear: bool
    _evals_result: EvalsLog

    def _require_objective(self, objective: str) -> None:
        """Raise ValueError for an objective that this estimator does not support."""
        if not self._suits(objective):
            raise ValueError(f"{type(self).__name__} cannot have the objective {objective}; take another estimator.")

    @staticmethod
    def _suits(objective: str) -> bool:
        return not objective.startswith("multi:")

    # ---- training ----

    def _matrix(self, X: Any, kind: type[DMatrix] = DMatrix, **info: Any) -> DMatrix:
        return kind(
            X,
            missing=self.missing,
            nthread=self.n_jobs,
            feature_types=self.feature_types,
            enable_categorical=self.enable_categorical,
            **info,
        )

    def _require_target(self, y: Any) -> None:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if np.ma.is_masked(y) and not has_several_columns(y):
            raise ValueError("y has masked elements; leave out the rows without a target.")

    def _encode(self, y: Any) -> np.ndarray:
        targets: np.ndarray = y if has_several_columns(y) else column_or_1d(y, warn=True)
        return targets

    def _labelled(self, rows: GivenRows) -> DMatrix:
        X, y, fields = rows
        self._require_target(y)
        return self._matrix(X, label=self._encode(y), **fields)

    def _given(self, train: GivenRows, evals: list[GivenRows], verbose: bool | int, model: Any, **how: Any) -> FitData:
        """Return the arguments of `fit`, with the model that it continues."""
        last = model_to_continue(self, model)
        known = 0 if last is None else last.get_booster().num_boosted_rounds()
        return FitData(train, evals, verbose, last or model, known, search=how)

    def _fit(self, given: FitData, params: dict[str, Any]) -> KauriModel:
        if "objective" in params:
            self._require_objective(params["objective"])
        data = training_rows(self, given, params)
        require_cells(data, type(self).__name__)
        self._set_feature_weights(data)
        if best.is_wanted(self, given):
            return self._fit_best(data, given, params)
        if given.known_rounds and isinstance(given.model, KauriModel):
            require_same_kind(self, given.model, params)
        evals = [(self._labelled(rows), f"validation_{i}") for i, rows in enumerate(given.evals)]
        for matrix, _ in evals:
            self._adopt_names(matrix, data.feature_names)
        if not evals and self.validation_fraction is not None and stops_early(self):
            data, held_out = hold_out(
                data, self.validation_fraction, params.get("random_state", 0), self._has_classes()
            )
            evals = [(held_out, "validation_0")]
        history: EvalsLog = {}
        booster = train(
            params,
            data,
            self.get_num_boosting_rounds() - given.known_rounds,
            evals=evals,
            obj=as_objective(self.objective) if callable(self.objective) else None,
            custom_metric=self._own_metric(),
            early_stopping_rounds=self.early_stopping_rounds,
            evals_result=history,
            verbose_eval=given.verbose,
            xgb_model=given.model.get_booster() if isinstance(given.model, KauriModel) else given.model,
            callbacks=[*self._own_callbacks(), *(self.callbacks or [])],
        )
        self._evals_result = joined(self._evals_result, history) if given.known_rounds else history
        self._keep(booster, data.feature_names if text_names(given.train[0]) else None)
        return self

    def _refit(self, rows: GivenRows, decay_rate: float) -> None:
        """Refit the leaf values; splits, classes and feature names stay."""
        booster = self.get_booster()
        if callable(self.objective):
            raise ValueError(
                "objective is a function, and refit needs a built-in objective; to continue training call fit() with "
                "xgb_model."
            )
        data = self._labelled(rows)
        self._require_width(data.feature_names, data.num_col())
        self._adopt_names(data, booster.feature_names)
        with hinting_at_order():
            self._booster = refit(booster, data, decay_rate=decay_rate)
        self._evals_result = {}

    def _fit_best(self, data: DMatrix, given: FitData, params: dict[str, Any]) -> KauriModel:
        found = best.fit(self, data, given, params)
        for callback in self._own_callbacks():
            callback.before_training(found.booster)
        self._evals_result = {}
        self._keep(found.booster, data.feature_names if text_names(given.train[0]) else None)
        self.best_fit_ = found
        return self

    def _has_classes(self) -> bool:
        """Return whether each row has one class, so that rows are held out in equal shares of all classes."""
        return False

    def _own_callbacks(self) -> list[TrainingCallback]:
        """Return the estimator's own callbacks."""
        return [MissingCallback(self.missing)]

    def _set_feature_weights(self, data: DMatrix) -> None:
        if self.feature_weights is None:
            return
        if len(data.get_float_info("feature_weights")) > 0:
            raise ValueError("feature_weights are given to fit and to the estimator; leave one of them out.")
        data.set_info(feature_weights=self.feature_weights)

    def _keep(self, booster: Booster, names: list[str] | None) -> None:
        """Store a trained booster, and the names of its features if they are texts."""
        learner = json.loads(booster.save_config())["learner"]
        self._booster = booster
        self._objective_name = learner["objective"]["name"]
        self._is_linear = learner["gradient_booster"]["name"] == "gblinear"
        self.n_features_in_ = booster.num_features()
        for name in ("feature_names_in_", "best_fit_"):
            self.__dict__.pop(name, None)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _adopt_names(self, data: DMatrix, names: list[str] | None) -> None:
        """Give the columns of an array the names of the training columns."""
        if names is None or data.feature_names is not None or data.num_col() != len(names):
            return
        name = type(self).__name__
        warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names", stacklevel=4)
        data.feature_names = names

    def __setstate__(self, state: dict[str, Any]) -> None:
        names = self._get_param_names()
        if not is_of_xgboost(state, names):
            super().__setstate__(state)
            return
        defaults = {name: getattr(type(self)(), name) for name in names}
        self.__dict__.update(parameters_of(state, defaults))
        if isinstance(booster := state.get("_Booster"), Booster):
            self._take(booster)
            self._evals_result = state.get("evals_result_", {})

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_booster")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def get_booster(self) -> Booster:
        """Return the booster. Raises NotFittedError before `fit`."""
        if not hasattr(self, "_booster"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet; call fit() or load_model() first.")
        return self._booster

    def _rounds(self, iteration_range: tuple[int, int] | None) -> tuple[int, int]:
        """Return all rounds, or for trees after early stopping the rounds up to the best one."""
        if iteration_range is not None:
            return iteration_range
        best = self.get_booster().attr("best_iteration")
        return (0, 0 if best is None or self._is_linear else int(best) + 1)

    def _predict(
        self,
        X: Any,
        iteration_range: tuple[int, int] | None,
        *,
        base_margin: Any = None,
        validate_features: bool = True,
        **how: Any,
    ) -> np.ndarray:
        booster = self.get_booster()
        rounds = self._rounds(iteration_range)
        if (few := self._few_rows(X, how)) is not None:
            self._require_width(few.names, few.n_cols)
            with hinting_at_order():
                values = booster.inplace_predict(
                    few,
                    iteration_range=rounds,
                    predict_type="margin" if how.get("output_margin") else "value",
                    missing=self.missing,
                    validate_features=validate_features,
                    base_margin=base_margin,
                )
            return to_host(values)
        is_held = isinstance(X, HeldRows)
        with recalling_categories(booster):
            data = X.starting_at(base_margin) if is_held else self._matrix(X, base_margin=base_margin)
        self._require_width(data.feature_names, data.num_col())
        if validate_features:
            self._adopt_names(data, booster.feature_names)
        with hinting_at_order():
            return to_host(booster.predict(data, iteration_range=rounds, validate_features=validate_features, **how))

    def _few_rows(self, X: Any, how: dict[str, Any]) -> Rows | None:
        """Return the rows of a small frame without a matrix, if the prediction needs only those."""
        is_plain = self.feature_types is None and self.enable_categorical and "pred_leaf" not in how
        return few_rows(X) if is_plain and not isinstance(X, HeldRows) else None

    def _staged(
        self, X: Any, base_margin: Any, iteration_range: tuple[int, int] | None, predict: Stage
    ) -> Iterator[np.ndarray]:
        """Yield predictions after each round that a prediction uses; every tree is evaluated twice."""
        n_rounds = self.get_booster().num_boosted_rounds()
        if self._is_linear:
            raise ParameterError(
                "booster is 'gblinear', which keeps only the weights after all rounds; call predict()."
            )
        begin, end = self._rounds(iteration_range)
        if not 0 <= begin <= (end or n_rounds) <= n_rounds:
            raise ParameterError(
                f"iteration_range is {(begin, end)}; choose a range within the {n_rounds} rounds of the model."
            )
        rounds = range(begin, end or n_rounds)
        with recalling_categories(self.get_booster()):
            rows = HeldRows(self._matrix(X))
        return stages(rows, base_margin, rounds, self._margins_after, predict)

    def _margins_after(self, rows: HeldRows, margins: Any, rounds: tuple[int, int]) -> np.ndarray:
        return self._predict(rows, rounds, base_margin=margins, output_margin=True)

    def _require_width(self, names: list[str] | None, n_features: int) -> None:
        """Raise ValueError for a wrong number of features; if both have names, the booster reports the difference."""
        if n_features != self.n_features_in_ and (names is None or not self._booster._has_names()):
            expecting = f"{type(self).__name__} is expecting {self.n_features_in_} features as input"
            named = f": {shown_names(self._booster.feature_names or [])}" if self._booster._has_names() else ""
            raise ValueError(f"X has {n_features} features, but {expecting}{named}.")

    def apply(self, X: Any, iteration_range: tuple[int, int] | None = None) -> np.ndarray:
        """Return the leaf of every row in every tree, ``[n_rows, n_trees]``."""
        return self._predict(X, iteration_range, pred_leaf=True).astype(np.int64)

    def evals_result(self) -> EvalsLog:
        """Return the evaluations of `fit`: data set -> metric -> values."""
        self.get_booster()
        return self._evals_result

    @property
    def best_iteration(self) -> int:
        """The best round found by early stopping."""
        return self.get_booster().best_iteration

    @property
    def best_score(self) -> float:
        """The metric of the best round found by early stopping."""
        return self.get_booster().best_score

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the sum of `importance_type`, ``[n_features]``.

        `importance_type` is gain by default, and weight for a linear model: ``[n_features, n_outputs]`` if it has
        several outputs. A combination of columns (`ordered_combination`) has an importance of its own, and with several
        classes a category has one column per class (`categorical_encoding=ordered`). Such models are refused.
        """
        booster = self.get_booster()
        names = booster.feature_names or [f"f{i}" for i in range(booster.num_features())]
        kind = self.importance_type or ("weight" if self._is_linear else "gain")
        scores = booster.get_score(importance_type=kind)
        added = sorted(scores.keys() - set(names))
        if added:
            what, cure = "combinations of columns", "ordered_combination=1"
            if "@" in added[0]:
                what, cure = "shares of classes in categories", "categorical_encoding=partition"
            raise ParameterError(
                f"the model splits on {what} ({added[0]}), whose importance belongs to no single feature; use "
                f"get_booster().get_score(), which names them, or train with {cure}."
            )
        values = np.array([scores.get(name, 0.0) for name in names], dtype=np.float32)
        total = values.sum()
        return values / total if total != 0 else values

    @property
    def coef_(self) -> np.ndarray:
        """The weights of a linear model, ``[n_features]`` or ``[n_outputs, n_features]``."""
        booster = self.get_booster()
        if not self._is_linear:
            raise AttributeError("`coef_` is there for booster='gblinear' only; trees have none.")
        return np.array(list(booster.get_score().values()), dtype=np.float32).T

    @property
    def intercept_(self) -> np.ndarray:
        """A linear model's margins at zeros, ``[n_outputs]``; of trees the base score, on the scale of predictions."""
        booster = self.get_booster()
        if not self._is_linear:
            base_score = json.loads(booster.save_config())["learner"]["learner_model_param"]["base_score"]
            return np.array(json.loads(base_score), dtype=np.float32).reshape(-1)
        zeros = np.zeros((1, booster.num_features()), dtype=np.float32)
        return to_host(booster.inplace_predict(zeros, predict_type="margin", validate_features=False)).reshape(-1)

    def export(
        self, fname: str | os.PathLike[str], target: str | None = None, test: bool = False, contributions: bool = False
    ) -> str | None:
        """Write the rounds that predict as C, SQL, ONNX or WebAssembly; see `Booster.export`."""
        return first_rounds(self.get_booster(), self._rounds(None)[1]).export(fname, target, test, contributions)

    def save_model(self, fname: str | os.PathLike[str], dialect: str | None = None) -> None:
        """Save the model; see `Booster.save_model`."""
        self.get_booster().save_model(fname, dialect)

    def load_model(self, fname: str | os.PathLike[str] | bytes | bytearray) -> None:
        """Load a model; see `Booster.load_model`. Raises ValueError if its objective belongs to another estimator.

        Its objective, base score and kind of booster replace the estimator's, with a warning if those differ. So does
        its value for missing data (`missing`); ValueError if the estimator has a different value.
        """
        booster = Booster(model_file=fname)
        learner = json.loads(booster.save_config())["learner"]
        self._require_objective(learner["objective"]["name"])
        params = self.get_booster_params()
        self._warn_of_overruled(params, learner)
        booster.set_param({name: value for name, value in params.items() if name not in _IN_MODEL_FILES})
        self._take(booster)

    def _warn_of_overruled(self, params: dict[str, Any], learner: dict[str, Any]) -> None:
        """Warn about explicitly chosen parameters that differ in a loaded model."""
        defaults = type(self)().get_params(deep=False)
        of_model = {"objective": learner["objective"]["name"], "booster": learner["gradient_booster"]["name"]}
        for name, value in of_model.items():
            if params.get(name, value) not in (value, defaults[name]):
                warnings.warn(
                    f"{name}={params[name]!r} is the estimator's, and the loaded model has {value!r}, which "
                    "predictions use; fit() uses the estimator's.",
                    stacklevel=3,
                )

    def _take(self, booster: Booster) -> None:
        """Adopt a booster that was trained elsewhere."""
        self.missing = missing_to_take(booster, self.missing)
        self._take_classes(booster)
        self._keep(booster, booster.feature_names)
        self._evals_result = {}

    def _take_classes(self, booster: Booster) -> None:
        """Adopt the classes of a loaded model."""
