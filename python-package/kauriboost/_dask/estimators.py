"""Estimators for rows on a cluster. For rows in memory they predict as any other estimator."""

from __future__ import annotations

from typing import Any

import dask.array as da
import distributed
import numpy as np

from .._data.columns import split_column, text_names
from .._estimators import best
from .._estimators.classifier import KauriClassifier
from .._estimators.estimator import KauriModel, has_several_columns
from .._estimators.fit_data import FitData, GivenRows
from .._estimators.forests import KauriRFClassifier, KauriRFRegressor
from .._estimators.functions import as_objective
from .._estimators.ranker import KauriRanker
from .._estimators.regressor import KauriRegressor
from .._public import public
from .collections import is_collection, of_blocks
from .matrix import DaskDMatrix
from .train import train


def _call(given: tuple[KauriModel, str, dict[str, Any]], block: Any, **others: Any) -> np.ndarray:
    """Call a method of an estimator in a worker."""
    estimator, method, how = given
    values: np.ndarray = getattr(estimator, method)(block, **others, **how)
    return values


class _OnCluster(KauriModel):
    """Common base of the estimators for clusters."""

    _client: Any = None
    _local: type[KauriModel]

    @property
    def client(self) -> Any:
        """The ``distributed.Client``; Dask's current one unless it is set."""
        return distributed.get_client() if self._client is None else self._client

    @client.setter
    def client(self, client: Any) -> None:
        self._client = client

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_client", None)
        return state

    # ---- training ----

    def _fit(self, given: FitData, params: dict[str, Any]) -> Any:
        if self.early_stopping_rounds is not None and not given.evals:
            raise ValueError("validation_fraction needs the rows in one process; on a cluster pass eval_set to fit.")
        if self.warm_start:
            raise ValueError("warm_start needs the rows in one process; on a cluster pass xgb_model to fit.")
        if self.preset is not None:
            raise ValueError(f"preset={self.preset!r} needs the rows in one process; use kauriboost.sklearn.")
        best.require_no_search(given)
        if "objective" in params:
            self._require_objective(params["objective"])
        return self.client.sync(self._fit_on_cluster, given, params)

    async def _fit_on_cluster(self, given: FitData, params: dict[str, Any]) -> _OnCluster:
        data = await self._table(given.train)
        evals = [(await self._table(rows), f"validation_{i}") for i, rows in enumerate(given.evals)]
        result = await train(
            self.client,
            params,
            data,
            self.get_num_boosting_rounds(),
            evals=evals,
            obj=as_objective(self.objective) if callable(self.objective) else None,
            custom_metric=self._own_metric(),
            early_stopping_rounds=self.early_stopping_rounds,
            verbose_eval=given.verbose,
            xgb_model=given.model.get_booster() if isinstance(given.model, KauriModel) else given.model,
            callbacks=[*self._own_callbacks(), *(self.callbacks or [])],
        )
        self._evals_result = result["history"]
        self._keep(result["booster"], result["booster"].feature_names if text_names(given.train[0]) else None)
        return self

    def _refit(self, rows: GivenRows, decay_rate: float) -> None:
        if any(is_collection(part) for part in rows[:2]):
            raise ValueError("refit needs the rows in one process, got a Dask collection; compute() it first.")
        super()._refit(rows, decay_rate)

    def _encode(self, y: Any) -> Any:
        return y if is_collection(y) else super()._encode(y)

    async def _table(self, rows: GivenRows) -> DaskDMatrix:
        X, y, fields = rows
        self._require_target(y)
        weights = fields.get("feature_weights")
        return await DaskDMatrix(
            self.client,
            X,
            self._encode(y),
            weight=fields.get("weight"),
            base_margin=fields.get("base_margin"),
            qid=fields.get("qid"),
            feature_weights=self.feature_weights if weights is None else weights,
            missing=self.missing,
            feature_types=self.feature_types,
            enable_categorical=self.enable_categorical,
        )

    # ---- prediction ----

    def _of_blocks(self, method: str, X: Any, how: dict[str, Any]) -> Any:
        """Call the method on the local estimator, block by block."""
        others = {"base_margin": how.pop("base_margin")} if how.get("base_margin") is not None else {}
        local = self._as_local()
        sample = getattr(local, method)(_no_rows(X), **how)
        return of_blocks(_call, (local, method, how), X, others, sample)

    def _as_local(self) -> KauriModel:
        local = self._local(**self.get_params(deep=False))
        local.__dict__.update({name: value for name, value in self.__dict__.items() if name != "_client"})
        return local

    def predict(self, X: Any, **how: Any) -> Any:
        """Predict; for a Dask collection, return one with the same partitions. For the arguments see the class."""
        self.get_booster()
        return self._of_blocks("predict", X, how) if is_collection(X) else super().predict(X, **how)

    def apply(self, X: Any, iteration_range: tuple[int, int] | None = None) -> Any:
        """Return the leaf of every row in every tree, ``[n_rows, n_trees]``."""
        self.get_booster()
        if is_collection(X):
            return self._of_blocks("apply", X, {"iteration_range": iteration_range})
        return super().apply(X, iteration_range)


def _no_rows(X: Any) -> Any:
    return X._meta.iloc[:0] if hasattr(X, "divisions") else np.empty((0, X.shape[1]), dtype=np.float32)


class _ClassesOnCluster(_OnCluster, KauriClassifier):
    """Common base of the classifiers."""

    def _with_class_weight(self, rows: GivenRows) -> GivenRows:
        raise ValueError("class_weight needs the rows in one process; on a cluster pass sample_weight to fit.")

    def _check_targets(self, y: Any) -> None:
        """Do nothing: the workers check the labels, because a check here would fetch them."""

    def _classes_in(self, y: Any) -> tuple[np.ndarray, np.ndarray | None]:
        values = y if isinstance(y, da.Array) else y.to_dask_array()
        return np.unique(self.client.compute(da.unique(values.reshape(-1)), sync=True)), None

    def _encode(self, y: Any) -> Any:
        if not is_collection(y):
            return super()._encode(y)
        local = self._as_local()
        sample = np.empty((0, *y.shape[1:]) if has_several_columns(y) else (0,), dtype=np.float32)
        return of_blocks(_encode_block, local, y, {}, sample)

    def predict_proba(self, X: Any, **how: Any) -> Any:
        """Return probabilities, ``[n_rows, n_classes]``; see `kauriboost.KauriClassifier.predict_proba`."""
        self.get_booster()
        return self._of_blocks("predict_proba", X, how) if is_collection(X) else super().predict_proba(X, **how)

    def predict_log_proba(self, X: Any, **how: Any) -> Any:
        """Return the logarithms of `predict_proba`."""
        self.get_booster()
        return self._of_blocks("predict_log_proba", X, how) if is_collection(X) else super().predict_log_proba(X, **how)

    def decision_function(self, X: Any, **how: Any) -> Any:
        """Return margins; see `kauriboost.KauriClassifier.decision_function`."""
        self.get_booster()
        return self._of_blocks("decision_function", X, how) if is_collection(X) else super().decision_function(X, **how)


def _encode_block(estimator: Any, block: Any) -> np.ndarray:
    return np.asarray(estimator._encode(block), dtype=np.float32)


class _WithoutIntervals(_OnCluster):
    """Common base of the regressors."""

    def fit_intervals(self, X: Any, y: Any, **how: Any) -> Any:
        """Raise ValueError, because folds need all rows in one process."""
        raise ValueError("fit_intervals needs the rows in one process; use kauriboost.KauriRegressor.")


@public("kauriboost.dask")
class DaskKauriRegressor(_WithoutIntervals, KauriRegressor):
    """Regression for rows on a cluster; see `kauriboost.KauriRegressor`. X, y and other rows are Dask collections."""

    _local = KauriRegressor


@public("kauriboost.dask")
class DaskKauriClassifier(_ClassesOnCluster):
    """Classification for rows on a cluster; see `kauriboost.KauriClassifier`."""

    _local = KauriClassifier


@public("kauriboost.dask")
class DaskKauriRFRegressor(_WithoutIntervals, KauriRFRegressor):
    """A random forest for regression of rows on a cluster; see `kauriboost.KauriRFRegressor`."""

    _local = KauriRFRegressor


@public("kauriboost.dask")
class DaskKauriRFClassifier(_ClassesOnCluster, KauriRFClassifier):
    """A random forest for classification of rows on a cluster; see `kauriboost.KauriRFClassifier`."""

    _local = KauriRFClassifier


@public("kauriboost.dask")
class DaskKauriRanker(_OnCluster, KauriRanker):
    """Ranking for rows on a cluster; see `kauriboost.KauriRanker`. Queries are given by `qid`, ascending."""

    _local = KauriRanker

    async def _table(self, rows: GivenRows) -> DaskDMatrix:
        X, y, fields = rows
        X, column = split_column(X, "qid")
        qid = column if fields.get("qid") is None else fields["qid"]
        if qid is None or fields.get("group") is not None:
            raise ValueError("DaskKauriRanker needs the query of each row: pass qid, or a column qid of X; no group.")
        return await super()._table((X, y, {**fields, "qid": qid}))
