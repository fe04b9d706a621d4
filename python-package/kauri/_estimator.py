"""What the estimators of `kauri.sklearn` share."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, column_or_1d

from .booster import Booster
from .callback import EvalsLog, TrainingCallback
from .data import DMatrix
from .device import to_host
from .training import train

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


def has_several_columns(y: Any) -> bool:
    """Whether the targets are a table of two columns or more."""
    shape = getattr(y, "shape", None) or np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


class KauriModel(BaseEstimator):
    """What the estimators share. Every parameter that is None keeps the library's default."""

    def __init__(
        self,
        *,
        n_estimators: int = 100,
        objective: str | None = None,
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
        eval_metric: str | list[str] | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        missing: float | None = None,
        early_stopping_rounds: int | None = None,
        importance_type: str | None = None,
        callbacks: list[TrainingCallback] | None = None,
    ) -> None:
        for name, value in list(locals().items()):
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def _booster_params(self) -> dict[str, Any]:
        params = {name: value for name, value in self.get_params(deep=False).items() if value is not None}
        for name in _NOT_OF_THE_BOOSTER:
            params.pop(name, None)
        if not isinstance(self.random_state, (int, np.integer, type(None))):
            params["random_state"] = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return params

    def _num_rounds(self) -> int:
        return self.n_estimators

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

    def _encode(self, y: Any) -> np.ndarray:
        return y if has_several_columns(y) else column_or_1d(y, warn=True)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        base_margin: Any,
        eval_set: Sequence[tuple[Any, Any]] | None,
        sample_weight_eval_set: Sequence[Any] | None,
        verbose: bool | int,
        model: Any,
        params: dict[str, Any],
    ) -> KauriModel:
        data = self._matrix(X, label=self._encode(y), weight=sample_weight, base_margin=base_margin)
        weights = sample_weight_eval_set or [None] * len(eval_set or [])
        evals = [
            (self._matrix(X_eval, label=self._encode(y_eval), weight=weight), f"validation_{i}")
            for i, ((X_eval, y_eval), weight) in enumerate(zip(eval_set or [], weights))
        ]
        return self._train(X, data, evals, verbose, model, params)

    def _train(
        self,
        X: Any,
        data: DMatrix,
        evals: list[tuple[DMatrix, str]],
        verbose: bool | int,
        model: Any,
        params: dict[str, Any],
    ) -> KauriModel:
        if self.feature_weights is not None:
            data.set_info(feature_weights=self.feature_weights)
        self._evals_result: EvalsLog = {}
        self._booster = train(
            params,
            data,
            self._num_rounds(),
            evals=evals,
            early_stopping_rounds=self.early_stopping_rounds,
            evals_result=self._evals_result,
            verbose_eval=verbose,
            xgb_model=model.get_booster() if isinstance(model, KauriModel) else model,
            callbacks=self.callbacks,
        )
        self.n_features_in_ = data.num_col()
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.asarray(X.columns, dtype=object)
        return self

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
        return (0, 0 if best is None or self._is_linear() else int(best) + 1)

    def _is_linear(self) -> bool:
        return json.loads(self.get_booster().save_config())["learner"]["gradient_booster"]["name"] == "gblinear"

    def _predict(self, X: Any, iteration_range: tuple[int, int] | None, **how: Any) -> np.ndarray:
        booster = self.get_booster()
        data = self._matrix(X)
        n_features, expected = data.num_col(), self.n_features_in_
        if n_features != expected:
            name = type(self).__name__
            raise ValueError(f"X has {n_features} features, but {name} is expecting {expected} features as input.")
        return to_host(booster.predict(data, iteration_range=self._rounds(iteration_range), **how))

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
        kind = self.importance_type or ("weight" if self._is_linear() else "gain")
        scores = booster.get_score(importance_type=kind)
        values = np.array([scores.get(name, 0.0) for name in names], dtype=np.float32)
        total = values.sum()
        return values / total if total != 0 else values

    def _require_linear(self, name: str) -> None:
        if not self._is_linear():
            raise AttributeError(f"`{name}` is there for booster='gblinear' only; trees have none.")

    @property
    def coef_(self) -> np.ndarray:
        """The weights of a linear model, ``[n_features]`` or ``[n_outputs, n_features]``."""
        self._require_linear("coef_")
        return np.array(list(self.get_booster().get_score().values()), dtype=np.float32).T

    @property
    def intercept_(self) -> np.ndarray:
        """The margins of a linear model where every feature is 0, ``[n_outputs]``."""
        self._require_linear("intercept_")
        booster = self.get_booster()
        zeros = np.zeros((1, booster.num_features()), dtype=np.float32)
        return to_host(booster.inplace_predict(zeros, predict_type="margin", validate_features=False)).reshape(-1)

    def save_model(self, fname: str | os.PathLike[str]) -> None:
        """Save the model; see `Booster.save_model`."""
        self.get_booster().save_model(fname)

    def load_model(self, fname: str | os.PathLike[str] | bytes | bytearray) -> None:
        """Load a model; see `Booster.load_model`."""
        self._booster = Booster(self._booster_params(), model_file=fname)
        self._evals_result = {}
        self.n_features_in_ = self._booster.num_features()
