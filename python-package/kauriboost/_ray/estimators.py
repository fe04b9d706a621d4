"""Estimators that learn from Ray datasets. For rows in memory they predict as any other estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from ray.data import Dataset

from .._binding.errors import ParameterError
from .._data.naming import recalling_categories
from .._estimators.classifier import KauriClassifier
from .._estimators.estimator import KauriModel
from .._estimators.functions import as_objective
from .._estimators.ranker import KauriRanker
from .._estimators.regressor import KauriRegressor
from .._model.booster import Booster
from .._public import public
from .columns import Columns, part_of_table
from .predict import columns_for, mapped, predict, with_column
from .trainer import ColumnNames, KauriTrainer

# Parameters that need all rows in one process, and the cures.
_REFUSED = {
    "class_weight": "give the weights of the rows by weight_column",
    "preset": "use kauriboost.fit_best on rows in memory",
    "time_budget": "it belongs to preset",
    "rounds_budget": "it belongs to preset",
    "warm_start": "pass xgb_model to fit",
    "enable_categorical": "columns of text and dictionaries are categories; mark other columns by feature_types",
    "validation_fraction": "give a dataset of rows to evaluate by evals",
}
_COLUMN_OF = {"predict": "prediction", "predict_proba": "probability"}


class _Call(NamedTuple):
    """A method of an estimator that a task calls, and the column with its result."""

    estimator: Any
    method: str
    columns: Columns
    how: dict[str, Any]
    column: str


def _called(table: pa.Table, call: _Call) -> pa.Table:
    if table.num_rows == 0:
        return with_column(table, call.column, np.empty(0, dtype=np.float32))
    part, _ = part_of_table(table, call.columns)
    others = {"base_margin": part["base_margin"]} if "base_margin" in part else {}
    with recalling_categories(call.estimator.get_booster()):
        values = np.asarray(getattr(call.estimator, call.method)(part["data"], **others, **call.how))
    return with_column(table, call.column, values)


class _OnRay(KauriModel):
    """Common base of the estimators for Ray."""

    _local: type[KauriModel]
    result: Any = None  # of Ray Train, after `fit`

    def fit(
        self,
        dataset: Any,
        label_column: ColumnNames,
        *,
        evals: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Any:
        """Train on the rows of a Ray dataset.

        Parameters
        ----------
        dataset
            The dataset to learn from.
        label_column
            The column of labels.
        evals
            Datasets by name to evaluate after each round; the last one decides when `early_stopping_rounds` are over.
        settings
            Arguments of `KauriTrainer`: ``feature_columns``, ``weight_column``, ``base_margin_column``, ``qid_column``,
            ``xgb_model``, ``scaling_config``, ``run_config``, ``report_every``, ``timeout``, ``ports``.
        """
        self._require_allowed(evals)
        trainer = KauriTrainer(
            self.get_booster_params(),
            datasets={"train": dataset, **(evals or {})},
            label_column=label_column,
            num_boost_round=self.get_num_boosting_rounds(),
            obj=as_objective(self.objective) if callable(self.objective) else None,
            custom_metric=self._own_metric(),
            early_stopping_rounds=self.early_stopping_rounds,
            missing=self.missing,
            feature_types=self.feature_types,
            feature_weights=self.feature_weights,
            **settings,
        )
        params = self._params_for(trainer)
        trainer.learn_with(params, [*self._own_callbacks(), *(self.callbacks or [])])
        trained = trainer.fit_with_model()
        self.result, self._evals_result = trainer.result, trained.history
        booster = Booster(model_file=bytearray(trained.model))
        self._keep(booster, booster.feature_names)
        return self

    def _require_allowed(self, evals: Any) -> None:
        defaults = type(self)()
        for name, cure in _REFUSED.items():
            if getattr(self, name, None) != getattr(defaults, name, None):
                raise ParameterError(f"{type(self).__name__} takes no {name}: {cure}.")
        if self.early_stopping_rounds is not None and not evals:
            raise ParameterError("early_stopping_rounds needs rows to evaluate: give datasets by evals.")

    def _params_for(self, trainer: KauriTrainer) -> dict[str, Any]:
        """Return the booster's parameters."""
        params = self.get_booster_params()
        if "objective" in params:
            self._require_objective(params["objective"])
        return params

    def _mapped(self, method: str, dataset: Any, how: dict[str, Any]) -> Any:
        """Return a dataset with the results of a method of the local estimator."""
        given = {name: how.pop(name, None) for name in ("feature_columns", "base_margin_column")}
        names = ("output_margin", "validate_features", "iteration_range")
        arguments = {name: how.pop(name) for name in names if name in how}
        column = how.pop("output_column", None) or _COLUMN_OF[method]
        local = self._local(**self.get_params(deep=False))
        local.set_params(callbacks=None, n_jobs=int(how.get("num_cpus") or 1))
        kept = {name: value for name, value in self.__dict__.items() if name != "result"}
        local.__dict__.update({name: value for name, value in kept.items() if name not in local.get_params(deep=False)})
        call = _Call(local, method, columns_for(self.get_booster(), **given), arguments, column)
        return mapped(dataset, _called, call, how)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("result", None)
        return state

    def predict(self, X: Any, **how: Any) -> Any:
        """Predict. A Ray dataset gets a further column ``prediction``.

        For rows in memory see the class of the same name in `kauriboost`. For a dataset the arguments are the ones
        of `kauriboost.ray.predict` for its columns and batches, and ``output_margin`` and ``iteration_range``.
        """
        self.get_booster()
        return self._mapped("predict", X, how) if isinstance(X, Dataset) else super().predict(X, **how)

    def explain(self, dataset: Any, **how: Any) -> Any:
        """Return a dataset with SHAP values in a further column ``contributions``; see `kauriboost.ray.predict`."""
        rounds = self._rounds(how.pop("iteration_range", None))
        return predict(
            self.get_booster(), dataset, pred_contribs=True, missing=self.missing, iteration_range=rounds, **how
        )


@public("kauriboost.ray")
class RayKauriRegressor(_OnRay, KauriRegressor):  # type: ignore[misc]  # fit takes a dataset
    """Regression for Ray datasets; see `kauriboost.KauriRegressor` for the parameters."""

    _local = KauriRegressor

    def fit_intervals(self, X: Any, y: Any, **how: Any) -> Any:
        """Raise ValueError, because folds need all rows in one process."""
        raise ValueError("fit_intervals needs the rows in one process; use kauriboost.KauriRegressor.")


@public("kauriboost.ray")
class RayKauriRanker(_OnRay, KauriRanker):
    """Ranking for Ray datasets; see `kauriboost.KauriRanker`. The queries of `qid_column` ascend."""

    _local = KauriRanker

    def fit(  # type: ignore[override]  # it takes a dataset
        self, dataset: Any, label_column: ColumnNames, **settings: Any
    ) -> Any:
        """Train; `qid_column` is needed. See `RayKauriRegressor.fit`."""
        if settings.get("qid_column") is None:
            raise ParameterError("RayKauriRanker needs qid_column, the column of queries.")
        if callable(self.objective):
            raise ValueError("RayKauriRanker takes no function for objective; see kauriboost.ray.train.")
        return super().fit(dataset, label_column, **settings)


@public("kauriboost.ray")
class RayKauriClassifier(_OnRay, KauriClassifier):  # type: ignore[misc]  # fit takes a dataset
    """Classification for Ray datasets; see `kauriboost.KauriClassifier`. Labels are numbers."""

    _local = KauriClassifier

    def _params_for(self, trainer: KauriTrainer) -> dict[str, Any]:
        known = trainer.read_classes()
        self._is_multilabel = known is None
        self.classes_ = np.arange(2) if known is None else known
        self.n_classes_ = len(self.classes_)
        params = self.get_booster_params()
        self._set_objective(params)
        return params

    def predict_proba(self, X: Any, **how: Any) -> Any:
        """Return probabilities; for a Ray dataset, in a further column ``probability``. See `predict`."""
        self.get_booster()
        return self._mapped("predict_proba", X, how) if isinstance(X, Dataset) else super().predict_proba(X, **how)
