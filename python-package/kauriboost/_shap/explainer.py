"""The class TreeExplainer, with the signatures and shapes of shap's.

With an output other than raw scores, a value against one background row is the value of the raw score, times the
quotient of the differences of output and raw score between the two rows. The values are the means over the background.
This is the rescale rule that shap applies, too: Lundberg et al. 2020, "From local explanations to global understanding
with explainable AI for trees", methods, "Interventional TreeSHAP".
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .._binding.errors import DataError, InternalError, ParameterError
from .._data.matrix import DMatrix
from .._explaining.explain import explain
from .._public import described, public
from .outputs import Output, output_of
from .peer import explanation
from .trees import TreeModel

_TOLERANCE = 1e-2  # of additivity, absolute and relative, as in shap


@public("kauriboost.shap")
class TreeExplainer:
    """Explain a model of trees by SHAP values, with shap's signatures and Kauri's speed.

    Parameters
    ----------
    model
        What `kauriboost.forests.load` takes, such as models of Kauri, XGBoost, LightGBM, CatBoost and scikit-learn, and
        files; or what it returns.
    data
        Background rows; all are used. (shap keeps 100 of them.)
    model_output
        ``"raw"``, the raw score. With a background also ``"probability"``, ``"predict_proba"`` (of both classes) and
        ``"log_loss"``, by shap's rescale rule, whose cost grows with rows times background; ``kauriboost.explain`` with
        ``output="value"`` has true Shapley values of these. ``"predict"`` where predictions are raw scores.
    feature_perturbation
        ``"interventional"``: features outside a coalition take the values of background rows.
        ``"tree_path_dependent"``: they follow the training rows along the paths; with `data`, these rows instead.
        ``"auto"``: the first if there is a background, else the second.
    feature_names
        Names for explanations of rows that have none.

    Attributes
    ----------
    expected_value
        The mean output without any feature: a number, or an array ``[n_outputs]``. For ``"log_loss"`` a function that
        returns the mean loss of the background for a label.
    model
        The model as Kauri read it, see `TreeModel`.

    Examples
    --------
    >>> import kauriboost.shap as shap
    >>> explainer = shap.TreeExplainer(model)
    >>> shap.plots.beeswarm(explainer(X))
    """

    expected_value: Any

    def __init__(
        self,
        model: Any,
        data: Any = None,
        model_output: str = "raw",
        feature_perturbation: str = "auto",
        feature_names: Any = None,
    ) -> None:
        if type(data).__module__.startswith("shap."):
            data = data.data  # a masker of shap
        self.model = TreeModel(model)
        self.data = data
        self.data_feature_names = list(getattr(data, "columns", [])) if feature_names is None else feature_names
        self.model_output = model_output
        self.feature_perturbation = _perturbation(feature_perturbation, data is not None)
        self._output: Output = output_of(self.model, model_output)
        is_interventional = self.feature_perturbation == "interventional"
        if self._output.transform is not None and not is_interventional:
            raise ParameterError(
                f"model_output={model_output!r} needs a background: pass data, and feature_perturbation 'auto' or "
                "'interventional'. Without a background only raw scores are explained."
            )
        rows = None if data is None else self.model.matrix(data)
        self._background: DMatrix | None = rows if is_interventional else None
        self._booster = self.model.booster
        if rows is not None and not is_interventional:
            self._booster = self._booster.copy()
            self._booster.count_rows(rows)
            self._booster.set_param("shap_cover", "count")
        self.expected_value = self._expected()

    def __repr__(self) -> str:
        named = {"model_output": self.model_output, "feature_perturbation": self.feature_perturbation}
        return described(self, model=self.model, **named)

    def __call__(
        self,
        X: Any,
        y: Any = None,
        interactions: bool = False,
        check_additivity: bool = True,
        approximate: bool = False,
    ) -> Any:
        """Return an ``Explanation`` of rows: shap's if that package is installed, else Kauri's.

        Parameters
        ----------
        X, y, check_additivity, approximate
            As for `shap_values`.
        interactions
            Explain pairs of features.
        """
        begin = time.perf_counter()
        if interactions and approximate:
            raise ParameterError("interactions and approximate are both true; there is no approximation of pairs.")
        if interactions:
            values = self.shap_interaction_values(X)
        else:
            values = self.shap_values(X, y, approximate=approximate, check_additivity=check_additivity)
        if callable(self.expected_value):
            base = np.array([self.expected_value(label) for label in np.asarray(y).ravel().tolist()])
        elif np.ndim(self.expected_value):
            base = np.tile(self.expected_value, (len(values), 1))
        else:
            base = np.tile(self.expected_value, len(values))
        names = list(X.columns) if hasattr(X, "columns") else self.data_feature_names or None
        return explanation(values, base, _shown(X), names, time.perf_counter() - begin)

    def shap_values(
        self,
        X: Any,
        y: Any = None,
        tree_limit: int | None = None,
        approximate: bool = False,
        check_additivity: bool = True,
    ) -> np.ndarray:
        """Return SHAP values: ``[n_rows, n_features]``, several outputs add a last axis; a single row has no first.

        Parameters
        ----------
        X
            Rows: a data frame, an array, or a DMatrix of Kauri or XGBoost.
        y
            The labels, for ``model_output="log_loss"``.
        tree_limit
            Explain this number of first trees; -1 for all. By default all, or those up to the best round of early
            stopping.
        approximate
            Use the faster method of Saabas, without a background.
        check_additivity
            Check that values and expected value add up to the raw scores.

        Raises
        ------
        DataError
            Rows or labels that do not fit the model.
        ParameterError
            Incompatible arguments.
        """
        rows, is_flat = _rows(X)
        matrix, rounds = self.model.matrix(rows), self.model.rounds(tree_limit)
        if self._output.transform is not None:
            if approximate:
                raise ParameterError("approximate values are of raw scores; leave out model_output.")
            return self._shaped(self._rescaled(matrix, y, rounds), is_flat)
        if approximate and self._background is not None:
            raise ParameterError("approximate values have no background; leave out data.")
        values, base = self._explained(matrix, rounds, approximate=approximate)
        self._take_base(base)
        if check_additivity:
            margins = self.model.margins(matrix, rounds)
            _check_sums(values.sum(axis=1, dtype=np.float64) + base, margins)
        return self._shaped(values / self._per_score(), is_flat)

    def shap_interaction_values(self, X: Any, y: Any = None, tree_limit: int | None = None) -> np.ndarray:
        """Return SHAP interaction values of raw scores: ``[n_rows, n_features, n_features]``, outputs last.

        Parameters
        ----------
        X, tree_limit
            As for `shap_values`.
        y
            Not used, as in shap.
        """
        if self._output.transform is not None:
            raise ParameterError(f"interactions are of raw scores, and model_output is {self.model_output!r}.")
        rows, is_flat = _rows(X)
        values, base = self._explained(self.model.matrix(rows), self.model.rounds(tree_limit), interactions=True)
        self._take_base(base)
        return self._shaped(values / self._per_score(), is_flat)

    def assert_additivity(self, phi: Any, model_output: Any) -> None:
        """Check that values and the expected value add up to raw scores.

        Parameters
        ----------
        phi
            ``[n_rows, n_features]``, or a list of such arrays, one for each output.
        model_output
            ``[n_rows]``, or ``[n_rows, n_outputs]``.

        Raises
        ------
        InternalError
            They do not.
        """
        stacked = np.stack(phi, axis=-1) if isinstance(phi, list) else np.asarray(phi)
        _check_sums(stacked.sum(axis=1) + self.expected_value, np.asarray(model_output))

    def _explained(self, matrix: DMatrix, rounds: tuple[int, int], **how: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return values of margins with an axis of outputs, and base values in float64, ``[n_rows, n_outputs]``."""
        how.setdefault("background", self._background)
        found = explain(self._booster, matrix, iteration_range=rounds, **how)
        values, base = found.values, found.base_values.astype(np.float64)
        return (values[..., None], base[:, None]) if found.output_names is None else (values, base)

    def _rescaled(self, matrix: DMatrix, y: Any, rounds: tuple[int, int]) -> np.ndarray:
        """Return values of the transformed output by the rule at the head of the file."""
        transform, background = self._output.transform, self._background
        assert transform is not None
        assert background is not None
        labels = self._labels(y, matrix.num_row()) if self._output.needs_labels else 0.0
        margins, references = self.model.margins(matrix, rounds), self.model.margins(background, rounds)
        total = 0.0
        for row in range(len(references)):
            values, _ = self._explained(matrix, rounds, background=background.slice(np.array([row])))
            steps = margins - references[row]
            rises = transform(margins, labels) - transform(np.broadcast_to(references[row], margins.shape), labels)
            factors = np.divide(rises, steps, out=np.ones_like(steps), where=steps != 0)
            total = total + values * factors[:, None]
        return np.asarray(total / len(references))

    def _per_score(self) -> Any:
        """Return the divisor of margins that gives raw scores in the precision that shap has."""
        single = self.model.forest.library in ("Kauri", "XGBoost") and self.data is None
        return (np.float32 if single else np.float64)(self.model.per_score)

    def _expected(self) -> Any:
        """Return `expected_value` before the first row."""
        rounds = self.model.rounds(None)
        if self._output.needs_labels:
            return self._mean_loss(rounds)
        if self._background is not None:
            margins = self.model.margins(self._background, rounds)
            outputs = margins / self.model.per_score
            if self._output.transform is not None:
                outputs = self._output.transform(margins, 0.0)
            return self._shown_base(outputs.mean(axis=0))
        nothing = np.full((1, self._booster.num_features()), np.nan, np.float32)
        names, types = self._booster.feature_names, self._booster.feature_types
        row = DMatrix(nothing, feature_names=names, feature_types=types)
        base = explain(self._booster, row, iteration_range=rounds, features=[0]).base_values.astype(np.float64)
        return self._shown_base(np.atleast_1d(base[0]) / self.model.per_score)

    def _mean_loss(self, rounds: tuple[int, int]) -> Callable[[Any], float]:
        transform = self._output.transform
        assert transform is not None
        assert self._background is not None
        margins = self.model.margins(self._background, rounds)

        def mean_loss(label: Any) -> float:
            number = self._labels([label], 1)[0, 0]
            return float(transform(margins, np.full((len(margins), 1), number)).mean())

        return mean_loss

    def _labels(self, y: Any, n_rows: int) -> np.ndarray:
        return _numbers_of_labels(y, n_rows, self.model.classes(), self.model.objective == "binary_crossentropy")

    def _take_base(self, base: np.ndarray) -> None:
        """Make the expected value that of the explained trees."""
        if len(base):
            self.expected_value = self._shown_base(base[0] / self.model.per_score)

    def _shown_base(self, base: np.ndarray) -> Any:
        if self._output.is_doubled:
            base = np.array([1 - base[0], base[0]])
        return float(base[0]) if len(base) == 1 else base

    def _shaped(self, values: np.ndarray, is_flat: bool) -> np.ndarray:
        if self._output.is_doubled:
            values = np.concatenate([-values, values], axis=-1)
        values = values[..., 0] if values.shape[-1] == 1 else values
        return np.asarray(values[0] if is_flat else values)


def _perturbation(asked: str, has_data: bool) -> str:
    if asked not in ("auto", "interventional", "tree_path_dependent"):
        raise ParameterError(
            f"feature_perturbation must be 'auto', 'interventional' or 'tree_path_dependent', not {asked!r}."
        )
    if asked == "interventional" and not has_data:
        warnings.warn(
            "In the future, passing feature_perturbation='interventional' without data will be an error, as in shap. "
            "Values follow the paths of the trees now.",
            FutureWarning,
            stacklevel=3,
        )
    return "tree_path_dependent" if asked == "tree_path_dependent" or not has_data else "interventional"


def _rows(X: Any) -> tuple[Any, bool]:
    """Return rows, and whether a single row was given without its axis."""
    if getattr(X, "ndim", 2) != 1:
        return X, False
    if hasattr(X, "to_frame") and all(isinstance(name, str) for name in getattr(X, "index", [None])):
        return X.to_frame().T.infer_objects(), True  # a row of a data frame, whose index is the names of its columns
    return np.asarray(X, dtype=np.float64).reshape(1, -1), True


def _numbers_of_labels(y: Any, n_rows: int, classes: list[Any] | None, are_chances: bool) -> np.ndarray:
    """Return labels as numbers, ``[n_rows, 1]``: the two classes of a classifier by their names become 0 and 1.

    Other numbers are taken as they are, unless a class is called 0 or 1: from 0 to 1 if they are chances of a class.
    """
    if y is None:
        raise DataError("model_output='log_loss' needs the labels of the rows; pass y.")
    labels = np.asarray(y).ravel()
    if len(labels) != n_rows:
        raise DataError(f"y has {len(labels)} labels for {n_rows} rows; pass one for each row.")
    given = labels.tolist()
    if classes is not None and set(given) <= set(classes):
        number_of = {label: number for number, label in enumerate(classes)}
        return np.array([number_of[label] for label in given], dtype=np.float64).reshape(-1, 1)
    if classes is None or not {0, 1}.intersection(classes):
        least, most = (0.0, 1.0) if are_chances else (-np.inf, np.inf)
        numbers = [label if _is_number(label) and least <= label <= most else None for label in given]
        if None not in numbers:
            return np.array(numbers, dtype=np.float64).reshape(-1, 1)
        strange = given[numbers.index(None)]
    else:
        strange = next(label for label in given if label not in classes)
    known = "the model has no names of classes" if classes is None else f"the classes of the model are {classes}"
    chances = "numbers from 0 to 1" if are_chances else "numbers"
    cure = f"pass {chances}" if classes is None else "pass those"
    raise DataError(f"y has the label {strange!r}, and {known}; {cure}.")


def _is_number(label: Any) -> bool:
    return isinstance(label, (bool, int, float)) and bool(np.isfinite(label))


def _shown(X: Any) -> Any:
    """Return rows as the array that plots take."""
    if hasattr(X, "iloc") and getattr(X, "ndim", 0) == 2:
        return X.values
    return X.get_data() if hasattr(X, "get_data") and hasattr(X, "num_row") else X


def _check_sums(sums: np.ndarray, expected: np.ndarray) -> None:
    wrong = np.argwhere(~np.isclose(sums, expected, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True))
    if len(wrong):
        place = tuple(wrong[0])
        raise InternalError(
            f"the values of row {place[0]} add up to {sums[place]}, and its raw score is {expected[place]}. Please "
            "report this; check_additivity=False leaves out the check."
        )
