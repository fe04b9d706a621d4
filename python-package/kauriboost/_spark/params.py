"""Parameters of the estimators and models, as Spark ML knows them, named as in ``xgboost.spark``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasFeaturesCol,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasValidationIndicatorCol,
    HasWeightCol,
)

from .._binding.errors import ParameterError
from .columns import Columns
from .gpus import uses_gpus

if TYPE_CHECKING:
    from typing_extensions import Self

# Other spellings -> the names of the parameters.
_SPELLINGS = {
    "features_col": "featuresCol",
    "label_col": "labelCol",
    "weight_col": "weightCol",
    "prediction_col": "predictionCol",
    "probability_col": "probabilityCol",
    "raw_prediction_col": "rawPredictionCol",
    "validation_indicator_col": "validationIndicatorCol",
    "baseMarginCol": "base_margin_col",
    "qidCol": "qid_col",
    "predContribCol": "pred_contrib_col",
    "numWorkers": "num_workers",
}
# Parameters of the estimators of kauriboost.sklearn that a cluster refuses, and the cures.
_REFUSED = {
    "n_jobs": "set spark.task.cpus, the threads of each worker",
    "nthread": "set spark.task.cpus, the threads of each worker",
    "enable_categorical": "columns of text are categories; mark other columns by feature_types",
    "validation_fraction": "mark the rows to evaluate by validation_indicator_col",
    "class_weight": "give the weights of the rows by weight_col",
    "preset": "it needs the rows in one process; use kauriboost.fit_best",
    "time_budget": "it belongs to preset, which needs the rows in one process",
    "rounds_budget": "it belongs to preset, which needs the rows in one process",
    "warm_start": "pass xgb_model to continue a model",
    "coll_cfg": "the deadline is `timeout`, and there is no tracker to configure",
    "use_gpu": 'set device="cuda" for GPUs, or leave it out',
    "launch_tracker_on_driver": "there is no tracker to launch; leave it out",
    "repartition_random_shuffle": "a model depends on the order of the rows; shuffle the frame by a seed of your own",
    "eval_set": "mark the rows to evaluate by validation_indicator_col",
    "sample_weight": "give the weights of the rows by weight_col",
    "base_margin": "give the margins of the rows by base_margin_col",
    "group": "give the query of each row by qid_col",
    "qid": "give the query of each row by qid_col",
}


def _param(name: str, doc: str, convert: Any = None) -> Any:
    return Param(Params._dummy(), name, doc, convert)


class KauriParams(HasFeaturesCol, HasLabelCol, HasWeightCol, HasPredictionCol, HasValidationIndicatorCol):
    """Common base of estimators and models."""

    _LOCAL: type[Any]  # the estimator of kauriboost.sklearn

    features_cols = _param("features_cols", "names of feature columns", TypeConverters.toListString)
    base_margin_col = _param("base_margin_col", "column of base margins", TypeConverters.toString)
    qid_col = _param("qid_col", "column of the query of each row", TypeConverters.toString)
    pred_contrib_col = _param("pred_contrib_col", "column of SHAP values to add", TypeConverters.toString)
    num_workers = _param("num_workers", "tasks that train together", TypeConverters.toInt)
    force_repartition = _param(
        "force_repartition", "spread the rows even if each worker has a partition", TypeConverters.toBoolean
    )
    enable_sparse_data_optim = _param(
        "enable_sparse_data_optim", "values that sparse vectors leave out are missing", TypeConverters.toBoolean
    )
    timeout = _param("timeout", "seconds that a worker waits for another one", TypeConverters.toFloat)
    xgb_model = _param("xgb_model", "the model to continue: a Booster, its bytes, or the path of its file")
    arbitrary_params_dict = _param("arbitrary_params_dict", "parameters of the booster that have no Param")

    def __init__(self) -> None:
        super().__init__()
        local = self._LOCAL()
        self._setDefault(
            num_workers=1,
            force_repartition=False,
            enable_sparse_data_optim=False,
            timeout=300.0,
            arbitrary_params_dict={},
            **{name: getattr(local, name) for name in self.of_booster()},
        )

    @classmethod
    def of_booster(cls) -> list[str]:
        """Return the names of the parameters that the local estimator has."""
        return [name for name in cls._LOCAL._get_param_names() if name not in _REFUSED]

    @classmethod
    def declare(cls) -> None:
        """Declare a `Param` for each parameter of the local estimator."""
        for name in cls.of_booster():
            setattr(cls, name, _param(name, f"as for kauriboost.{cls._LOCAL.__name__}"))

    def setParams(self, **given: Any) -> Self:
        """Set parameters, which are checked by their names. Raises ParameterError."""
        others = dict(self.getOrDefault(self.arbitrary_params_dict))
        for name, value in given.items():
            known = _SPELLINGS.get(name, name)
            if known in _REFUSED:
                raise ParameterError(f"{type(self).__name__} takes no {name}: {_REFUSED[known]}.")
            if known == "featuresCol" and not isinstance(value, str):
                self.set(self.features_cols, list(value))
            elif known == "arbitrary_params_dict":
                others.update(value)
            elif self.hasParam(known):
                self._set(**{known: value})
                self._forget_the_other(known)
            else:
                others[name] = value
        if others:
            self._set(arbitrary_params_dict=others)
        return self

    def set(self, param: Any, value: Any) -> None:
        """Set a parameter."""
        super().set(param, value)
        self._forget_the_other(param.name)

    def copy(self, extra: Any = None) -> Self:
        """Return a copy with further parameters."""
        made: Self = super().copy(extra)
        for param in (self.featuresCol, self.features_cols):
            if param in (extra or {}):
                made._forget_the_other(param.name)
        return made

    def _forget_the_other(self, name: str) -> None:
        """Clear `features_cols` after `featuresCol` was set, and the other way round: the last one counts."""
        others = {"featuresCol": self.features_cols, "features_cols": self.featuresCol}
        if name in others:
            self.clear(others[name])

    def value(self, name: str) -> Any:
        """Return the value of a parameter; None if it has none."""
        return self.getOrDefault(name) if self.hasParam(name) and self.isDefined(name) else None

    def columns(self, *wanted: str) -> Columns:
        """Return the names of the columns of features, and of the wanted others that are set."""
        names = {
            "label": "labelCol",
            "weight": "weightCol",
            "base_margin": "base_margin_col",
            "validation": "validationIndicatorCol",
            "qid": "qid_col",
        }
        found = {name: self.value(names[name]) for name in wanted}
        return Columns(self.value("features_cols") or self.value("featuresCol"), **found)

    def local(self) -> Any:
        """Return an estimator of kauriboost.sklearn with these parameters. Raises ParameterError for unknown ones."""
        given, others = {name: self.value(name) for name in self.of_booster()}, self.value("arbitrary_params_dict")
        if twice := sorted(set(given) & set(others)):
            raise ParameterError(f"arbitrary_params_dict has {twice[0]}, which is a parameter by itself; set that one.")
        made = self._LOCAL(**given, **others)
        made.get_booster_params()
        uses_gpus(made.device)  # for its error
        return made

    @property
    def is_sparse(self) -> bool:
        """Whether values that sparse vectors leave out are missing. Raises ParameterError if `missing` disagrees."""
        wanted = bool(self.value("enable_sparse_data_optim"))
        if wanted and self.value("missing") != 0:
            raise ParameterError(
                f"enable_sparse_data_optim takes values that are not there as missing, and missing is "
                f"{self.value('missing')}; set missing=0.0, so that zeros of dense vectors are missing, too."
            )
        return wanted

    # ---- setters of Spark ML ----

    def setFeaturesCol(self, value: Any) -> Self:
        """Set the column of features, or a list of columns."""
        return self.setParams(featuresCol=value)

    def setLabelCol(self, value: str) -> Self:
        """Set the column of labels."""
        return self.setParams(labelCol=value)

    def setWeightCol(self, value: str) -> Self:
        """Set the column of weights."""
        return self.setParams(weightCol=value)

    def setPredictionCol(self, value: str) -> Self:
        """Set the column of predictions to add."""
        return self.setParams(predictionCol=value)

    def setValidationIndicatorCol(self, value: str) -> Self:
        """Set the boolean column that is true in rows to evaluate and not to learn from."""
        return self.setParams(validationIndicatorCol=value)


class ClassifierParams(KauriParams, HasProbabilityCol, HasRawPredictionCol):
    """Common base of the classifier and its model."""

    def setProbabilityCol(self, value: str) -> Self:
        """Set the column of probabilities to add."""
        return self.setParams(probabilityCol=value)

    def setRawPredictionCol(self, value: str) -> Self:
        """Set the column of margins to add."""
        return self.setParams(rawPredictionCol=value)
