"""Estimators that follow scikit-learn's conventions."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from ._estimator import KauriModel, has_several_columns


class KauriRegressor(RegressorMixin, KauriModel):
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
            ``[n_rows, n_features]`` (array, sparse matrix or data frame) and ``[n_rows]``, or ``[n_rows, n_targets]``:
            see the parameter `multi_strategy`.
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(
        self, X: Any, *, output_margin: bool = False, iteration_range: tuple[int, int] | None = None
    ) -> np.ndarray:
        """Predict, in the shape of y; after early stopping with the rounds up to the best one."""
        return self._predict(X, iteration_range, output_margin=output_margin)


class KauriClassifier(ClassifierMixin, KauriModel):
    """Gradient-boosted classification; see `KauriRegressor` for the parameters. Labels may be of any kind.

    y may be a table of labels that each row has (1) or has not (0), ``[n_rows, n_labels]``; predictions and
    probabilities are such tables then, and `classes_` is [0, 1].
    """

    def _encode(self, y: Any) -> np.ndarray:
        if self._is_multilabel:
            return self._encode_table(y)
        labels = column_or_1d(y, warn=True)
        codes = np.searchsorted(self.classes_, labels)
        codes = np.minimum(codes, len(self.classes_) - 1)
        unknown = self.classes_[codes] != labels
        if unknown.any():
            raise ValueError(
                f"the label {labels[unknown].tolist()[0]!r} is not among the classes {self.classes_.tolist()}."
            )
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @staticmethod
    def _encode_table(y: Any) -> np.ndarray:
        table = np.asarray(y, dtype=np.float32)
        wrong = (table != 0) & (table != 1)
        if wrong.any():
            raise ValueError(f"a table of labels holds {table[wrong][0]}; 1 says that a row has a label, 0 that not.")
        return table

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
        self._is_multilabel = has_several_columns(y)
        self.classes_ = np.arange(2) if self._is_multilabel else np.unique(np.asarray(y))
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
        objective = json.loads(self._booster.save_config())["learner"]["objective"]["name"]
        self._is_multilabel = margins.size > 1 and not objective.startswith("multi:")
        self.n_classes_ = 2 if self._is_multilabel else max(2, margins.size)
        self.classes_ = np.arange(self.n_classes_)

    def predict_proba(self, X: Any, *, iteration_range: tuple[int, int] | None = None) -> np.ndarray:
        """Return probabilities, ``[n_rows, n_classes]``, or of each label, ``[n_rows, n_labels]``."""
        values = self._predict(X, iteration_range)
        return values if values.ndim == 2 else np.column_stack([1.0 - values, values])

    def predict(
        self, X: Any, *, output_margin: bool = False, iteration_range: tuple[int, int] | None = None
    ) -> np.ndarray:
        """Return the likeliest class of each row, or whether it has each label; or the margins."""
        if output_margin:
            return self._predict(X, iteration_range, output_margin=True)
        values = self._predict(X, iteration_range)
        if self._is_multilabel:
            return (values > 0.5).astype(np.int64)
        codes = values.argmax(axis=1) if values.ndim == 2 else (values > 0.5).astype(np.int64)
        return self.classes_[codes]


class _Forest(KauriModel):
    """A random forest: one round of `n_estimators` trees for each output."""

    def __init__(
        self,
        *,
        learning_rate: float = 1.0,
        subsample: float = 0.8,
        colsample_bynode: float = 0.8,
        reg_lambda: float = 1e-5,
        **shared: Any,
    ) -> None:
        super().__init__(
            learning_rate=learning_rate,
            subsample=subsample,
            colsample_bynode=colsample_bynode,
            reg_lambda=reg_lambda,
            **shared,
        )

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return KauriModel._get_param_names()

    def _num_rounds(self) -> int:
        return 1

    def _booster_params(self) -> dict[str, Any]:
        if self.early_stopping_rounds is not None or self.callbacks:
            raise ValueError("a random forest is one round, so early_stopping_rounds and callbacks have no meaning.")
        return {**super()._booster_params(), "num_parallel_tree": self.n_estimators}


class KauriRFRegressor(_Forest, KauriRegressor):
    """A random forest for regression; parameters as `KauriRegressor`'s, with a forest's defaults.

    `n_estimators` is the number of trees, which are averaged; `subsample` and `colsample_bynode` make them differ.
    """


class KauriRFClassifier(_Forest, KauriClassifier):
    """A random forest for classification, of `n_estimators` trees per class; see `KauriRFRegressor`."""


class KauriRanker(KauriModel):
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
        return sorted({*super()._get_param_names(), *KauriModel._get_param_names()})

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
        self._require_queries(group, qid)
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

    def _require_queries(self, group: Any, qid: Any) -> None:
        if group is None and qid is None:
            raise ValueError("KauriRanker needs the queries of the rows: pass group (rows per query) or qid (per row).")

    def predict(
        self, X: Any, *, output_margin: bool = False, iteration_range: tuple[int, int] | None = None
    ) -> np.ndarray:
        """Return the scores of rows, ``[n_rows]``, by which those of a query are ordered, largest first."""
        return self._predict(X, iteration_range, output_margin=output_margin)

    def score(self, X: Any, y: Any, *, group: Any = None, qid: Any = None, sample_weight: Any = None) -> float:
        """Return the last of the metrics (by default the objective's own) on rows X of queries and their relevance y.

        `group`, `qid` and `sample_weight` are as in `fit`; the rounds as in `predict`.
        """
        self._require_queries(group, qid)
        data = self._matrix(X, label=self._encode(y), group=group, qid=qid, weight=sample_weight)
        begin, end = self._rounds(None)
        return float(self.get_booster()[begin : end or None].eval(data).rsplit(":", 1)[1])
