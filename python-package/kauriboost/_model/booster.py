"""The booster: parameters, training and prediction. model.py has the other methods of a trained model."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

from .._binding.calls import call_bytes, call_handle, call_int, handles_in
from .._binding.errors import DataError, KauriError, ModelError, ParameterError
from .._binding.library import LIB, check
from .._binding.model_calls import call_result, predict_matrix
from .._binding.text import config, encode_text
from .._data import device
from .._data.batch import Batch
from .._data.columns import is_arrow_table
from .._data.few_rows import rows_to_predict
from .._data.matrix import DMatrix, missing_value, require_dmatrix
from .._data.naming import names_columns, shown_names
from .._data.rows import Rows, by_row, rows_of
from .._public import described, public
from .metrics import CustomMetric, Evaluation, EvaluationSets, as_line, own_values
from .model import Model
from .params import ParamsOrPairs, param_pairs
from .shap_model import shap_model

Objective = Callable[[Any, DMatrix], tuple[Any, Any]]
IterationRange = tuple[int, int]

_VALUE, _MARGIN, _CONTRIBS, _APPROX_CONTRIBS, _INTERACTIONS, _APPROX_INTERACTIONS, _LEAF = range(7)


@public("kauriboost.booster")
class Booster(Model):
    """A gradient-boosted model.

    Parameters
    ----------
    params
        Training parameters. A misspelt name is an error at the first use.
    cache
        Data that will be used for training or evaluation.
    model_file
        A model to start from: a path, bytes from `save_raw`, or another Booster.
    """

    def __init__(
        self,
        params: ParamsOrPairs | None = None,
        cache: Sequence[DMatrix] | None = None,
        model_file: str | os.PathLike[str] | bytes | bytearray | Booster | None = None,
    ) -> None:
        matrices = list(cache or [])
        for matrix in matrices:
            require_dmatrix(matrix)
        handles = handles_in([matrix.handle for matrix in matrices])
        self.handle = call_handle(LIB.XGBoosterCreate, handles, len(matrices))
        if isinstance(model_file, Booster):
            self._unserialize(model_file._serialize())
        elif model_file is not None:
            self.load_model(model_file)
        for matrix in matrices:
            self._announce(matrix)
        self.set_param({"validate_parameters": "1"})
        self.set_param(params or {})

    def __repr__(self) -> str:
        try:
            learner = json.loads(self.save_config())["learner"]
        except KauriError as error:  # a wrong parameter; every use of the booster reports it
            return described(self, error=str(error))
        best = self.attr("best_iteration")
        return described(
            self,
            booster=learner["gradient_booster"]["name"],
            objective=learner["objective"]["name"],
            rounds=self.num_boosted_rounds(),
            features=self.feature_names or self.num_features(),
            best_iteration=int(best) if best and best.isdecimal() else best,
        )

    # ---- parameters ----

    def set_param(self, params: ParamsOrPairs | str, value: Any = None) -> None:
        """Set parameters, as a mapping, a list of pairs, or one name and its value.

        Once the booster knows the feature names, ``monotone_constraints`` and ``feature_cost`` may be mappings from
        names, and ``interaction_constraints`` lists of names.
        """
        pairs = [(params, value)] if isinstance(params, str) else params
        for name, text in param_pairs(pairs, self.feature_names):
            check(LIB.XGBoosterSetParam(self.handle, encode_text(name), encode_text(text)))
        check(LIB.KauriBoosterSettleParams(self.handle))

    def save_config(self) -> str:
        """Return the parameters in effect, as JSON."""
        return call_bytes(LIB.XGBoosterSaveJsonConfig, self.handle).decode()

    def load_config(self, config: str) -> None:
        """Set the parameters from JSON returned by `save_config`."""
        check(LIB.XGBoosterLoadJsonConfig(self.handle, config.encode()))

    @names_columns
    def _check_columns(self, data: DMatrix) -> None:
        """Raise DataError if names, number or types of the columns differ from the booster's."""
        check(LIB.KauriBoosterCheckColumns(self.handle, data.handle))

    def _announce(self, data: DMatrix) -> None:
        """Take over the column names and types of data passed as `cache`; parameters may refer to these names."""
        self._require_named(data)
        self._check_columns(data)
        if data.feature_names is not None and not self._has_names():
            self.feature_names = data.feature_names
        if self.feature_types is None and data.feature_types is not None:
            self.feature_types = data.feature_types

    def _require_named(self, data: DMatrix) -> None:
        """Raise DataError if the booster's columns have names and the data's do not. The library compares names."""
        if not data._has_names() and self._has_names():
            shown = shown_names(self.feature_names or [])
            raise DataError(
                f"the data have no feature names, but the booster expects {shown}; name them, or pass "
                "validate_features=False."
            )

    # ---- training ----

    @names_columns
    def update(self, dtrain: DMatrix, iteration: int, fobj: Objective | None = None) -> None:
        """Train one round.

        Parameters
        ----------
        dtrain
            Training data.
        iteration
            Number of the round. Random draws depend on the number of rounds that the booster has, not on this.
        fobj
            A custom objective: (margins, dtrain) -> (gradients, hessians), shaped like the margins. If `dtrain` is in
            the memory of a CUDA device, so are the margins, and the results should be.
        """
        require_dmatrix(dtrain)
        self._require_named(dtrain)
        self._update_again(dtrain, iteration, fobj)

    @names_columns
    def _update_again(self, dtrain: DMatrix, iteration: int, fobj: Objective | None) -> None:
        """Do as `update`, without checking names again: comparing hundreds takes longer than a small tree."""
        if fobj is None:
            check(LIB.XGBoosterUpdateOneIter(self.handle, iteration, dtrain.handle))
            return
        margins = self.predict(dtrain, output_margin=True, training=True)
        gradients, hessians = fobj(margins, dtrain)
        self.boost(dtrain, iteration, gradients, hessians)

    @names_columns
    def boost(self, dtrain: DMatrix, iteration: int, grad: Any, hess: Any) -> None:
        """Train one round from gradients and hessians, ``[n_rows]`` or ``[n_rows, n_outputs]`` each.

        The latter may be flat, row after row. Arrays in the memory of the training device are not copied to the host.
        """
        require_dmatrix(dtrain)
        self._require_named(dtrain)
        n_rows = dtrain.num_row()
        grad_text, _grad = device.array_in(by_row(grad, n_rows), "grad")
        hess_text, _hess = device.array_in(by_row(hess, n_rows), "hess")
        check(LIB.XGBoosterTrainOneIter(self.handle, dtrain.handle, iteration, grad_text, hess_text))

    @names_columns
    def eval_set(
        self,
        evals: Sequence[tuple[DMatrix, str]],
        iteration: int = 0,
        feval: CustomMetric | None = None,
        output_margin: bool = True,
    ) -> str:
        """Evaluate all metrics on all data sets; return ``[0] train-rmse:0.5 test-rmse:0.6``, separated by tabs.

        Parameters
        ----------
        evals
            (data, name) pairs.
        iteration
            The number in brackets.
        feval
            An additional custom metric: (predictions, data) -> (name, value), or a list of such pairs; predictions are
            in the memory in which `predict` returns them.
        output_margin
            Whether `feval` is called with margins instead of predictions.
        """
        built_in = self._evaluation_of(evals).line(self, iteration)
        return built_in + as_line(self._own_evaluations(evals, feval, output_margin))

    def _evaluate(
        self, evals: Sequence[tuple[DMatrix, str]], iteration: int, feval: CustomMetric | None, output_margin: bool
    ) -> list[Evaluation]:
        """Return the values that `eval_set` writes; values of `feval` are exactly the returned ones."""
        return self._evaluate_again(self._evaluation_of(evals), iteration, feval, output_margin)

    def _evaluation_of(self, evals: Sequence[tuple[DMatrix, str]]) -> EvaluationSets:
        """Return the arguments of an evaluation, once the names of columns are compared."""
        for data, _ in evals:
            require_dmatrix(data)
            self._require_named(data)
        return EvaluationSets.of(evals)

    def _evaluate_again(
        self, sets: EvaluationSets, iteration: int, feval: CustomMetric | None, output_margin: bool
    ) -> list[Evaluation]:
        """Do as `_evaluate`, without the work that is the same in every round: it takes longer than a small tree."""
        return sets.values(self, iteration) + self._own_evaluations(sets.evals, feval, output_margin)

    def _own_evaluations(
        self, evals: Sequence[tuple[DMatrix, str]], feval: CustomMetric | None, output_margin: bool
    ) -> list[Evaluation]:
        found: list[Evaluation] = []
        if feval is None:
            return found
        for data, name in evals:
            predictions = self.predict(data, output_margin=output_margin, training=True)
            found += [(name, metric, value) for metric, value in own_values(feval(predictions, data))]
        return found

    def higher_is_better(self, metric: str) -> bool:
        """Return whether larger values of a metric, named as in `eval_set`, are better; False for custom metrics."""
        return bool(call_int(LIB.KauriBoosterHigherIsBetter, self.handle, encode_text(metric)))

    def eval(self, data: DMatrix, name: str = "eval", iteration: int = 0) -> str:
        """Evaluate every metric on one data set."""
        return self.eval_set([(data, name)], iteration)

    def reset(self) -> Booster:
        """Free the data that training keeps; the model stays."""
        check(LIB.XGBoosterReset(self.handle))
        return self

    # ---- prediction ----

    @names_columns
    def predict(
        self,
        data: DMatrix,
        *,
        output_margin: bool = False,
        pred_leaf: bool = False,
        pred_contribs: bool = False,
        approx_contribs: bool = False,
        pred_interactions: bool = False,
        validate_features: bool = True,
        training: bool = False,
        iteration_range: IterationRange = (0, 0),
        strict_shape: bool = False,
    ) -> Any:
        """Return predictions: a NumPy array, or an array in device memory if the rows of `data` are there.

        A device array is CuPy's if CuPy is installed, else a `DeviceArray`.

        Parameters
        ----------
        data
            The rows.
        output_margin
            Return sums of leaf values without transforming them.
        pred_leaf
            Return the leaf of every row in every tree, ``[n_rows, n_trees]``.
        pred_contribs
            Return SHAP values, ``[n_rows, n_features + 1]``, or one such array per output; the last column is the bias.
        approx_contribs
            Use the faster, approximate method for `pred_contribs` or `pred_interactions`.
        pred_interactions
            Return SHAP interaction values, ``[n_rows, n_features + 1, n_features + 1]``.
        validate_features
            Compare the feature names with the model's.
        training
            Use the cached margins of `data`.
        iteration_range
            Rounds [begin, end) to use; an end of 0 means all.
        strict_shape
            Keep dimensions of length one, so that the shape does not depend on the model.
        """
        require_dmatrix(data)
        if validate_features:
            self._require_named(data)
        kinds = {_LEAF: pred_leaf, _CONTRIBS: pred_contribs, _INTERACTIONS: pred_interactions, _MARGIN: output_margin}
        chosen = [kind for kind, wanted in kinds.items() if wanted and kind != _MARGIN]
        if len(chosen) > 1:
            raise ParameterError("pass only one of pred_leaf, pred_contribs and pred_interactions.")
        kind = chosen[0] if chosen else (_MARGIN if output_margin else _VALUE)
        if approx_contribs:
            kind = {_CONTRIBS: _APPROX_CONTRIBS, _INTERACTIONS: _APPROX_INTERACTIONS}.get(kind, kind)
        checks = {} if validate_features else {"validate_features": False}
        settings = _predict_config(kind, iteration_range, strict_shape, training=bool(training), **checks)
        if data.on_device:
            return device.predict(self.handle, LIB.KauriBoosterPredictOnDevice, data.handle, settings)
        return predict_matrix(self.handle, data.handle, settings, not training or pred_contribs or pred_interactions)

    @names_columns
    def count_rows(self, data: DMatrix) -> None:
        """Count for every node of every tree how many rows of `data` reach it; weights do not matter.

        With the parameter ``shap_cover="count"``, explanations weigh the branches of a split by these numbers instead
        of sums of hessians, as other libraries do. Model files contain the counts. A new count replaces the previous
        one, and trees that are added later need a new count.
        """
        require_dmatrix(data)
        self._require_named(data)
        check(LIB.KauriBoosterCountRows(self.handle, data.handle))

    def to_shap_model(self) -> dict[str, Any]:
        """Return the trees, whose splits must be numeric, as the dictionary that ``shap.TreeExplainer`` takes.

        All its options work. It explains margins; ``model_output="probability"`` requires binary:logistic.

        Raises
        ------
        ModelError
            There are no trees, or the dictionary cannot represent the model: splits on categories, linear leaves,
            categories encoded by target statistics of the training data, an objective that XGBoost does not have.
        """
        row = DMatrix(np.full((1, self.num_features()), np.nan, np.float32))
        margins = self.predict(row, output_margin=True, strict_shape=True, validate_features=False)[0]
        try:
            document = json.loads(bytes(self.save_raw("json", dialect="3.2")))
        except ParameterError as error:
            what = "SHAP's dictionaries cannot express the whole model; use kauriboost.explain"
            raise ModelError(f"{what}. {error}") from error
        return shap_model(document, margins)

    @names_columns
    def inplace_predict(
        self,
        data: Any,
        *,
        iteration_range: IterationRange = (0, 0),
        predict_type: str = "value",
        missing: float | None = None,
        validate_features: bool = True,
        base_margin: Any = None,
        strict_shape: bool = False,
    ) -> Any:
        """Predict without making a DMatrix; thread-safe. The result is in the same memory as the rows.

        Parameters
        ----------
        data
            NumPy array, SciPy CSR matrix or pandas frame; CuPy array, PyTorch tensor on a CUDA device, or anything with
            ``__cuda_array_interface__``. A contiguous float32 array is not copied; polars and Arrow tables are.
        iteration_range, strict_shape
            As for `predict`.
        predict_type
            ``"value"`` or ``"margin"``.
        missing
            A value that means "missing", in addition to NaN.
        validate_features
            Compare the number of features with the model's, and the names if the data have any.
        base_margin
            ``[n_rows]`` or ``[n_rows, n_outputs]``.
        """
        kinds = {"value": _VALUE, "margin": _MARGIN}
        if predict_type not in kinds:
            raise ParameterError(f"predict_type is {predict_type!r}; expected 'value' or 'margin'.")
        if is_arrow_table(data):
            return self.predict(
                DMatrix(data, missing=missing, base_margin=base_margin),
                output_margin=predict_type == "margin",
                iteration_range=iteration_range,
                validate_features=validate_features,
                strict_shape=strict_shape,
            )
        rows = data if isinstance(data, Rows) else rows_to_predict(data)
        columns = {"feature_types": rows.types, "feature_names": rows.names if validate_features else None}
        declared: dict[str, Any] = {field: strings for field, strings in columns.items() if strings is not None}
        declared["missing"] = missing_value(missing)
        if not validate_features:
            declared["validate_features"] = False
        settings = _predict_config(kinds[predict_type], iteration_range, strict_shape, **declared)
        return self._predict_rows(rows, settings, base_margin)

    def _predict_rows(self, rows: Rows, settings: bytes, base_margin: Any) -> Any:
        batch = None if base_margin is None else _with_margin(rows, base_margin)
        arguments = [*rows.arguments, settings, None if batch is None else batch.handle]
        if rows.layout.on_device:
            return device.predict(self.handle, rows.layout.predict, *arguments)
        return call_result(rows.layout.predict, self.handle, *arguments)


def _with_margin(rows: Rows, base_margin: Any) -> Batch:
    batch = Batch()
    # Only the margins are read, and the columns may have a form only for predictions: any rows of the same number do.
    batch.point_to(rows if rows.layout.on_device else rows_of(np.zeros((rows.n_rows, 1), dtype=np.float32)))
    batch.set_base_margin(base_margin)
    return batch


def _predict_config(kind: int, iteration_range: IterationRange, strict_shape: bool, **more: Any) -> bytes:
    begin, end = map(int, iteration_range)
    return config(type=kind, iteration_begin=begin, iteration_end=end, strict_shape=bool(strict_shape), **more)
