"""What the estimators of `kauri.sklearn` share."""

from __future__ import annotations

import difflib
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, column_or_1d

from .._binding.errors import ParameterError
from .._binding.process import parameters
from .._data.columns import text_names
from .._data.device import to_host
from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.metrics import CustomMetric
from .._training.callback import EvalsLog, TrainingCallback
from .._training.train import train
from .fit_data import FitData, Rows
from .functions import as_metric, as_objective

# Arguments of an estimator that are no parameters of a booster.
_NOT_OF_THE_BOOSTER = (
    "n_estimators",
    "feature_weights",
    "missing",
    "enable_categorical",
    "feature_types",
    "early_stopping_rounds",
    "importance_type",
    "callbacks",
)

# Parameters of a booster that its file tells.
_IN_MODEL_FILES = ("objective", "num_class", "base_score", "booster")


def has_several_columns(y: Any) -> bool:
    """Whether the targets are a table of two columns or more."""
    shape = getattr(y, "shape", None) or np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


class KauriModel(BaseEstimator):
    """What the estimators share. Every parameter that is None keeps the library's default.

    `kwargs` are parameters of the booster that are not named here; `fit` checks them, as scikit-learn asks for.
    """

    _BY_QUERY = False  # whether metrics of the user's own are of queries

    def __init__(
        self,
        *,
        n_estimators: int | None = 100,
        objective: str | Callable[..., Any] | None = None,
        booster: str | None = None,
        tree_method: str | None = None,
        device: str | None = None,
        learning_rate: float | None = None,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bin: int | None = None,
        grow_policy: str | None = None,
        gamma: float | None = None,
        min_child_weight: float | None = None,
        max_delta_step: float | None = None,
        reg_alpha: float | None = None,
        reg_lambda: float | None = None,
        subsample: float | None = None,
        sampling_method: str | None = None,
        colsample_bytree: float | None = None,
        colsample_bylevel: float | None = None,
        colsample_bynode: float | None = None,
        max_cat_to_onehot: int | None = None,
        max_cat_threshold: int | None = None,
        unseen_category: str | None = None,
        enable_categorical: bool = True,
        feature_types: Sequence[str] | None = None,
        num_parallel_tree: int | None = None,
        multi_strategy: str | None = None,
        sample_type: str | None = None,
        normalize_type: str | None = None,
        rate_drop: float | None = None,
        one_drop: bool | None = None,
        skip_drop: float | None = None,
        updater: str | None = None,
        feature_selector: str | None = None,
        top_k: int | None = None,
        feature_weights: Sequence[float] | None = None,
        monotone_constraints: Mapping[str, int] | Sequence[int] | str | None = None,
        interaction_constraints: Sequence[Sequence[str | int]] | str | None = None,
        scale_pos_weight: float | None = None,
        base_score: float | None = None,
        eval_metric: str | Callable[..., Any] | Sequence[str | Callable[..., Any]] | None = None,
        random_state: int | np.random.RandomState | np.random.Generator | None = None,
        n_jobs: int | None = None,
        missing: float | None = None,
        early_stopping_rounds: int | None = None,
        importance_type: str | None = None,
        callbacks: list[TrainingCallback] | None = None,
        **kwargs: Any,
    ) -> None:
        for name, value in list(locals().items()):
            if name not in ("self", "__class__", "kwargs"):
                setattr(self, name, value)
        if kwargs:
            self.kwargs = kwargs

    # ---- parameters ----

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, also those that were given besides the named ones."""
        return {**super().get_params(deep), **getattr(self, "kwargs", {})}

    def set_params(self, **params: Any) -> KauriModel:
        """Set parameters; see `kauri.parameters` for those that may be given besides the named ones."""
        named = self._get_param_names()
        others = {name: value for name, value in params.items() if name not in named and "__" not in name}
        if others:
            self.kwargs = {**getattr(self, "kwargs", {}), **others}
        return super().set_params(**{name: value for name, value in params.items() if name not in others})

    def _require_known(self, names: Iterable[str]) -> None:
        """Raise ParameterError for a name of no parameter."""
        known = {parameter["name"] for parameter in parameters()}
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, [*self._get_param_names(), *known], 1)
                hint = f"did you mean {near[0]!r}?" if near else "kauri.parameters() lists those of boosters."
                raise ParameterError(f"{type(self).__name__} has no parameter {name!r}; {hint}")

    def get_booster_params(self) -> dict[str, Any]:
        """Return the parameters that the booster gets: those that are given, without functions.

        Raises ParameterError for one that there is not.
        """
        if hasattr(self, "kwargs"):
            self._require_known(self.kwargs)
        params = {name: value for name, value in self.get_params(deep=False).items() if value is not None}
        for name in _NOT_OF_THE_BOOSTER:
            params.pop(name, None)
        if callable(self.objective):
            del params["objective"]
        if metrics := [metric for metric in self._metrics() if not callable(metric)]:
            params["eval_metric"] = metrics
        else:
            params.pop("eval_metric", None)
        if isinstance(self.random_state, np.random.Generator):
            params["random_state"] = int(self.random_state.integers(np.iinfo(np.int32).max))
        elif not isinstance(self.random_state, (int, np.integer, type(None))):
            params["random_state"] = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return params

    def get_xgb_params(self) -> dict[str, Any]:
        """Return what `get_booster_params` does; XGBoost's name."""
        return self.get_booster_params()

    def get_num_boosting_rounds(self) -> int:
        """Return the number of rounds to train."""
        return 100 if self.n_estimators is None else self.n_estimators

    def _metrics(self) -> list[Any]:
        metrics = self.eval_metric
        return list(metrics) if isinstance(metrics, (list, tuple)) else [] if metrics is None else [metrics]

    def _own_metric(self) -> CustomMetric | None:
        functions = [metric for metric in self._metrics() if callable(metric)]
        return as_metric(functions, self._BY_QUERY) if functions else None

    def _require_objective(self, objective: str) -> None:
        """Raise ValueError for an objective that makes no sense here."""
        if not self._suits(objective):
            raise ValueError(f"{type(self).__name__} cannot have the objective {objective}; take another estimator.")

    @staticmethod
    def _suits(objective: str) -> bool:
        return not objective.startswith("multi:")

    # ---- training ----

    def _matrix(self, X: Any, **info: Any) -> DMatrix:
        return DMatrix(
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
        if np.ma.is_masked(y):
            raise ValueError("y has masked elements; leave out the rows without a target.")

    def _encode(self, y: Any) -> np.ndarray:
        return y if has_several_columns(y) else column_or_1d(y, warn=True)

    def _labelled(self, rows: Rows) -> DMatrix:
        X, y, fields = rows
        self._require_target(y)
        return self._matrix(X, label=self._encode(y), **fields)

    def _fit(self, given: FitData, params: dict[str, Any]) -> KauriModel:
        if "objective" in params:
            self._require_objective(params["objective"])
        data = self._labelled(given.train)
        self._set_feature_weights(data)
        evals = [(self._labelled(rows), f"validation_{i}") for i, rows in enumerate(given.evals)]
        for matrix, _ in evals:
            self._adopt_names(matrix, data.feature_names)
        self._evals_result: EvalsLog = {}
        booster = train(
            params,
            data,
            self.get_num_boosting_rounds(),
            evals=evals,
            obj=as_objective(self.objective) if callable(self.objective) else None,
            custom_metric=self._own_metric(),
            early_stopping_rounds=self.early_stopping_rounds,
            evals_result=self._evals_result,
            verbose_eval=given.verbose,
            xgb_model=given.model.get_booster() if isinstance(given.model, KauriModel) else given.model,
            callbacks=[*self._own_callbacks(), *(self.callbacks or [])],
        )
        self._keep(booster, data.feature_names if text_names(given.train[0]) else None)
        return self

    def _own_callbacks(self) -> list[TrainingCallback]:
        """Return what the estimator itself does around each round."""
        return []

    def _set_feature_weights(self, data: DMatrix) -> None:
        if self.feature_weights is None:
            return
        if len(data.get_float_info("feature_weights")) > 0:
            raise ValueError("feature_weights are given to fit and to the estimator; leave one of them out.")
        data.set_info(feature_weights=self.feature_weights)

    def _keep(self, booster: Booster, names: list[str] | None) -> None:
        """Take a trained booster, and the names of its features where they are texts."""
        learner = json.loads(booster.save_config())["learner"]
        self._booster = booster
        self._objective_name = learner["objective"]["name"]
        self._is_linear = learner["gradient_booster"]["name"] == "gblinear"
        self.n_features_in_ = booster.num_features()
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _adopt_names(self, data: DMatrix, names: list[str] | None) -> None:
        """Name the columns of an array as those that were learnt from."""
        if names is None or data.feature_names is not None or data.num_col() != len(names):
            return
        name = type(self).__name__
        warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names", stacklevel=4)
        data.feature_names = names

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
        """All rounds, or those of trees up to the best one after early stopping."""
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
        data = self._matrix(X, base_margin=base_margin)
        n_features, expected = data.num_col(), self.n_features_in_
        if n_features != expected:
            name = type(self).__name__
            raise ValueError(f"X has {n_features} features, but {name} is expecting {expected} features as input.")
        if validate_features:
            self._adopt_names(data, booster.feature_names)
        rounds = self._rounds(iteration_range)
        return to_host(booster.predict(data, iteration_range=rounds, validate_features=validate_features, **how))

    def apply(self, X: Any, iteration_range: tuple[int, int] | None = None) -> np.ndarray:
        """Return the leaf of every row in every tree, ``[n_rows, n_trees]``."""
        return self._predict(X, iteration_range, pred_leaf=True).astype(np.int64)

    def evals_result(self) -> EvalsLog:
        """Return the evaluations of `fit`: data set -> metric -> values."""
        self.get_booster()
        return self._evals_result

    @property
    def best_iteration(self) -> int:
        """The best round by early stopping."""
        return self.get_booster().best_iteration

    @property
    def best_score(self) -> float:
        """The metric of the best round by early stopping."""
        return self.get_booster().best_score

    @property
    def feature_importances_(self) -> np.ndarray:
        """Shares of the features in the sum of `importance_type`, ``[n_features]``.

        `importance_type` is gain if not given, of a linear model weight: ``[n_features, n_outputs]`` if several.
        """
        booster = self.get_booster()
        names = booster.feature_names or [f"f{i}" for i in range(booster.num_features())]
        kind = self.importance_type or ("weight" if self._is_linear else "gain")
        scores = booster.get_score(importance_type=kind)
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
        """The margins of a linear model where every feature is 0, ``[n_outputs]``; of trees the base score.

        The latter is in the space of predictions: 0.5 for binary:logistic means a margin of 0.
        """
        booster = self.get_booster()
        if not self._is_linear:
            base_score = json.loads(booster.save_config())["learner"]["learner_model_param"]["base_score"]
            return np.array(json.loads(base_score), dtype=np.float32).reshape(-1)
        zeros = np.zeros((1, booster.num_features()), dtype=np.float32)
        return to_host(booster.inplace_predict(zeros, predict_type="margin", validate_features=False)).reshape(-1)

    def save_model(self, fname: str | os.PathLike[str], dialect: str | None = None) -> None:
        """Save the model; see `Booster.save_model`."""
        self.get_booster().save_model(fname, dialect)

    def load_model(self, fname: str | os.PathLike[str] | bytes | bytearray) -> None:
        """Load a model; see `Booster.load_model`. Raises ValueError for one with an objective of another estimator.

        Its objective, base score and kind of booster take the place of the estimator's.
        """
        booster = Booster(model_file=fname)
        self._require_objective(json.loads(booster.save_config())["learner"]["objective"]["name"])
        params = self.get_booster_params()
        booster.set_param({name: value for name, value in params.items() if name not in _IN_MODEL_FILES})
        self._take_classes(booster)
        self._keep(booster, booster.feature_names)
        self._evals_result = {}

    def _take_classes(self, booster: Booster) -> None:
        """Take what a loaded model says of classes."""
