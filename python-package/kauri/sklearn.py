"""Estimators that follow scikit-learn's conventions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from .booster import Booster
from .callback import EvalsLog, TrainingCallback
from .data import DMatrix
from .device import to_host
from .training import train

# Arguments of an estimator that are no parameters of a booster.
_NOT_OF_THE_BOOSTER = ("n_estimators", "missing", "early_stopping_rounds", "importance_type", "callbacks")


class _KauriModel(BaseEstimator):
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
        colsample_bytree: float | None = None,
        colsample_bylevel: float | None = None,
        colsample_bynode: float | None = None,
        num_parallel_tree: int | None = None,
        monotone_constraints: Mapping[str, int] | Sequence[int] | str | None = None,
        interaction_constraints: Sequence[Sequence[str | int]] | str | None = None,
        scale_pos_weight: float | None = None,
        base_score: float | None = None,
        eval_metric: str | list[str] | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        missing: float | None = None,
        early_stopping_rounds: int | None = None,
        importance_type: str = "gain",
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

    def _matrix(self, X: Any, **info: Any) -> DMatrix:
        return DMatrix(X, missing=self.missing, nthread=self.n_jobs, **info)

    def _require_target(self, y: Any) -> None:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")

    def _encode(self, y: Any) -> np.ndarray:
        return column_or_1d(y, warn=True)

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
    ) -> _KauriModel:
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
    ) -> _KauriModel:
        self._evals_result: EvalsLog = {}
        self._booster = train(
            params,
            data,
            self.n_estimators,
            evals=evals,
            early_stopping_rounds=self.early_stopping_rounds,
            evals_result=self._evals_result,
            verbose_eval=verbose,
            xgb_model=model.get_booster() if isinstance(model, _KauriModel) else model,
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
        """All rounds, or those up to the best one after early stopping."""
        if iteration_range is not None:
            return iteration_range
        best = self.get_booster().attr("best_iteration")
        return (0, 0 if best is None else int(best) + 1)

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
        """Shares of the features in the sum of `importance_type`, ``[n_features]``."""
        booster = self.get_booster()
        names = booster.feature_names or [f"f{i}" for i in range(booster.num_features())]
        scores = booster.get_score(importance_type=self.importance_type)
        values = np.array([scores.get(name, 0.0) for name in names], dtype=np.float32)
        total = values.sum()
        return values / total if total > 0 else values

    def save_model(self, fname: str | os.PathLike[str]) -> None:
        """Save the model; see `Booster.save_model`."""
        self.get_booster().save_model(fname)

    def load_model(self, fname: str | os.PathLike[str] | bytes | bytearray) -> None:
        """Load a model; see `Booster.load_model`."""
        self._booster = Booster(self._booster_params(), model_file=fname)
        self._evals_result = {}
        self.n_features_in_ = self._booster.num_features()


class KauriRegressor(RegressorMixin, _KauriModel):
    """Gradient-boosted regression.

    Parameters are those of the booster (see ``kauri.parameters()``) under scikit-learn's names; None keeps the
    library's default. Besides: `n_estimators` (rounds), `missing`, `early_stopping_rounds` (needs `eval_set` in `fit`),
    `importance_type` and `callbacks`.
    """

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        base_margin: Any = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        sample_weight_eval_set: Sequence[Any] | None = None,
        verbose: bool | int = False,
        xgb_model: Any = None,
    ) -> KauriRegressor:
        """Learn from rows X and targets y.

        Parameters
        ----------
        X, y
            ``[n_rows, n_features]`` (array, sparse matrix or data frame) and ``[n_rows]``.
        sample_weight, base_margin
            ``[n_rows]``.
        eval_set
            (X, y) pairs to evaluate after each round.
        sample_weight_eval_set
            Weights for each of them.
        verbose
            Show the progress; see `kauri.train`.
        xgb_model
            A model to continue.
        """
        self._require_target(y)
        params = self._booster_params()
        return self._fit(X, y, sample_weight, base_margin, eval_set, sample_weight_eval_set, verbose, xgb_model, params)

    def predict(
        self, X: Any, *, output_margin: bool = False, iteration_range: tuple[int, int] | None = None
    ) -> np.ndarray:
        """Predict, ``[n_rows]``; after early stopping with the rounds up to the best one."""
        return self._predict(X, iteration_range, output_margin=output_margin)


class KauriClassifier(ClassifierMixin, _KauriModel):
    """Gradient-boosted classification; see `KauriRegressor` for the parameters. Labels may be of any kind."""

    def _encode(self, y: Any) -> np.ndarray:
        labels = column_or_1d(y, warn=True)
        codes = np.searchsorted(self.classes_, labels)
        codes = np.minimum(codes, len(self.classes_) - 1)
        unknown = self.classes_[codes] != labels
        if unknown.any():
            raise ValueError(f"the label {labels[unknown][0]!r} is not among the classes {self.classes_.tolist()}.")
        return codes

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        base_margin: Any = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        sample_weight_eval_set: Sequence[Any] | None = None,
        verbose: bool | int = False,
        xgb_model: Any = None,
    ) -> KauriClassifier:
        """Learn from rows X and labels y; see `KauriRegressor.fit`."""
        self._require_target(y)
        check_classification_targets(y)
        self.classes_ = np.unique(np.asarray(y))
        self.n_classes_ = len(self.classes_)
        params = self._booster_params()
        if self.n_classes_ > 2:
            params.setdefault("objective", "multi:softprob")
            params["num_class"] = self.n_classes_
        else:
            params.setdefault("objective", "binary:logistic")
        return self._fit(X, y, sample_weight, base_margin, eval_set, sample_weight_eval_set, verbose, xgb_model, params)

    def load_model(self, fname: str | os.PathLike[str] | bytes | bytearray) -> None:
        """Load a model; classes become 0, 1, ..."""
        super().load_model(fname)
        margins = self._booster.inplace_predict(np.full((1, self.n_features_in_), np.nan), predict_type="margin")
        self.n_classes_ = max(2, margins.size)
        self.classes_ = np.arange(self.n_classes_)

    def predict_proba(self, X: Any, *, iteration_range: tuple[int, int] | None = None) -> np.ndarray:
        """Return probabilities, ``[n_rows, n_classes]``."""
        values = self._predict(X, iteration_range)
        return values if values.ndim == 2 else np.column_stack([1.0 - values, values])

    def predict(
        self, X: Any, *, output_margin: bool = False, iteration_range: tuple[int, int] | None = None
    ) -> np.ndarray:
        """Return the likeliest class of each row, or the margins."""
        if output_margin:
            return self._predict(X, iteration_range, output_margin=True)
        values = self._predict(X, iteration_range)
        codes = values.argmax(axis=1) if values.ndim == 2 else (values > 0.5).astype(np.int64)
        return self.classes_[codes]


class KauriRanker(_KauriModel):
    """Gradient-boosted ranking of the rows of queries; `objective` is rank:ndcg, rank:pairwise or rank:map.

    Parameters are those of `KauriRegressor` and the library's ``lambdarank_*`` and ``ndcg_exp_gain``.
    """

    def __init__(
        self,
        *,
        objective: str = "rank:ndcg",
        lambdarank_pair_method: str | None = None,
        lambdarank_num_pair_per_sample: int | None = None,
        lambdarank_normalization: bool | None = None,
        lambdarank_score_normalization: bool | None = None,
        lambdarank_unbiased: bool | None = None,
        lambdarank_bias_norm: float | None = None,
        ndcg_exp_gain: bool | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(objective=objective, **shared)
        self.lambdarank_pair_method = lambdarank_pair_method
        self.lambdarank_num_pair_per_sample = lambdarank_num_pair_per_sample
        self.lambdarank_normalization = lambdarank_normalization
        self.lambdarank_score_normalization = lambdarank_score_normalization
        self.lambdarank_unbiased = lambdarank_unbiased
        self.lambdarank_bias_norm = lambdarank_bias_norm
        self.ndcg_exp_gain = ndcg_exp_gain

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted({*super()._get_param_names(), *_KauriModel._get_param_names()})

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        group: Any = None,
        qid: Any = None,
        sample_weight: Any = None,
        base_margin: Any = None,
        eval_set: Sequence[tuple[Any, Any]] | None = None,
        eval_group: Sequence[Any] | None = None,
        eval_qid: Sequence[Any] | None = None,
        sample_weight_eval_set: Sequence[Any] | None = None,
        verbose: bool | int = False,
        xgb_model: Any = None,
    ) -> KauriRanker:
        """Learn from rows X, the rows of a query together, and their relevance y.

        Parameters
        ----------
        X, y
            ``[n_rows, n_features]`` and ``[n_rows]``.
        group, qid
            Rows per query, in order, ``[n_queries]``; or the query of each row, ascending, ``[n_rows]``.
        sample_weight
            ``[n_queries]``.
        base_margin, verbose, xgb_model
            As in `KauriRegressor.fit`.
        eval_set, eval_group, eval_qid, sample_weight_eval_set
            (X, y) pairs to evaluate after each round, and for each of them its queries and weights.
        """
        self._require_target(y)
        if group is None and qid is None:
            raise ValueError("KauriRanker needs the queries of the rows: pass group (rows per query) or qid (per row).")
        data = self._matrix(
            X, label=self._encode(y), group=group, qid=qid, weight=sample_weight, base_margin=base_margin
        )
        n_evals = len(eval_set or [])
        infos = [eval_group, eval_qid, sample_weight_eval_set]
        lists = [[None] * n_evals if info is None else list(info) for info in infos]
        if any(len(info) != n_evals for info in lists):
            raise ValueError(f"eval_set has {n_evals} pairs; eval_group, eval_qid and weights need one entry for each.")
        evals = [
            (
                self._matrix(X_eval, label=self._encode(y_eval), group=of_group, qid=of_qid, weight=weight),
                f"validation_{i}",
            )
            for i, ((X_eval, y_eval), of_group, of_qid, weight) in enumerate(zip(eval_set or [], *lists))
        ]
        return self._train(X, data, evals, verbose, xgb_model, self._booster_params())

    def predict(
        self, X: Any, *, output_margin: bool = False, iteration_range: tuple[int, int] | None = None
    ) -> np.ndarray:
        """Return the scores of rows, ``[n_rows]``, by which those of a query are ordered, largest first."""
        return self._predict(X, iteration_range, output_margin=output_margin)
