"""Results of explaining: values of every row, means over rows, and interactions without empty pairs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._data.categories import CategoryNames
from .._public import described, public
from .tables import table_of


def _output_number(names: list[Any] | None, which: Any) -> int:
    """Return the index of an output, given by its name (a class) or else its number."""
    if names is None:
        raise ParameterError("the explanation has one output; there is nothing to choose.")
    number = names.index(which) if which in names else which
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < len(names):
        raise ParameterError(f"there is no output {which!r}; choose one of {names}.")
    return int(number)


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class Explanation:
    """Contributions of features to the predictions of some rows: SHAP values, or similar ones.

    Attributes
    ----------
    values
        ``[n_rows, n_features]``; for interactions ``[n_rows, n_features, n_features]``, with the effect of a pair
        divided between its two cells. Several outputs add a last axis.
    base_values
        ``[n_rows]``, or ``[n_rows, n_outputs]``: the mean of the explained quantity, such as the margin, over the
        training data or the background.
    data
        ``[n_rows, n_features]``, NaN for missing values. Categories are numbers in the encoding of the rows' own frame:
        see `categories`.
    feature_names
        One per feature.
    output_names
        One per output if there are several, else None: the classes of a classifier, or numbers.
    kind
        The kind of values: ``"shapley"``, ``"approximate"``, ``"banzhaf"`` or ``"taylor"``.
    adds_up
        Whether each row's values and its base value sum to the explained quantity. False for Banzhaf values, for a
        selection of features, and for some methods of sampling.
    categories
        For each feature with named categories, their names: c in `data` is the c-th name. Another frame may order them
        differently.
    std_error
        Standard errors of values from sampled coalitions, in the shape of `values`. NaN if the method has no estimate
        (``"herding"``, ``"sbq"``, and ``"sobol"`` without a tolerance), or if the budget allows only one estimate; 0
        for exact values. Slightly too large for ``"orthogonal"`` with fewer than two complete sets of orders.
    n_evals
        ``[n_rows]``: number of coalitions evaluated for each row; for a game a single number.
    method
        The method of sampling.
    explains
        The quantity that values and base value sum to: ``"margin"``; from `explain` with another output ``"value"`` or
        ``"loss"``; ``"output"`` for a function, ``"worth"`` for a game.
    without_value
        Names of features without a number in `data`: groups of columns, and players.
    scale
        The meaning of a margin: ``"prediction"``; ``"log-odds"``; ``"log"``, the logarithm of the prediction;
        ``"score"``, of a class or in a ranking; empty if it is not known.
    class_name
        The class of the margin: the second of two classes, or the class chosen by `output`. None without classes.
    """

    values: np.ndarray
    base_values: np.ndarray
    data: np.ndarray
    feature_names: list[str]
    output_names: list[Any] | None = None
    kind: str = "shapley"
    adds_up: bool = True
    categories: dict[str, CategoryNames] = field(default_factory=dict)
    std_error: np.ndarray | None = None
    n_evals: np.ndarray | None = None
    method: str | None = None
    explains: str = "margin"
    without_value: list[str] = field(default_factory=list)
    scale: str = ""
    class_name: Any = None

    def __repr__(self) -> str:
        named = {"features": self.feature_names, "outputs": self.output_names, "categorical": list(self.categories)}
        return described(self, shape=self.shape, kind=self.kind, method=self.method, **named)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        return table_of(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    @property
    def is_interaction(self) -> bool:
        """True if the values belong to pairs of features."""
        return self.values.ndim - (self.output_names is not None) == 3

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Explanation:
        """Return the explanation of one row (without the axis of rows), a slice, a mask, or a list of row numbers."""
        chosen = {name: getattr(self, name) for name in ("values", "base_values", "data", "std_error", "n_evals")}
        return replace(self, **{name: of[rows] for name, of in chosen.items() if of is not None})

    def output(self, which: Any) -> Explanation:
        """Return the explanation of one output, by its name (a class) or else its number."""
        number = _output_number(self.output_names, which)
        chosen = {name: getattr(self, name) for name in ("values", "base_values", "std_error")}
        parts = {name: of[..., number] for name, of in chosen.items() if of is not None}
        class_name = None if self.output_names is None else self.output_names[number]
        return replace(self, **parts, output_names=None, class_name=class_name)

    def display_data(self) -> np.ndarray:
        """Return `data` as objects, with the names of categories instead of their numbers."""
        shown = self.data.astype(object)
        for feature, name in enumerate(self.feature_names):
            names = np.asarray(self.categories.get(name, []), dtype=object)
            cells = self.data[..., feature]
            is_named = (cells >= 0) & (cells < len(names))
            if len(names):
                named = np.asarray(names[np.where(is_named, cells, 0).astype(np.int64)], dtype=object)
                shown[..., feature] = np.where(is_named, named, cells)
        return shown

    def to_shap(self) -> Any:
        """Return a ``shap.Explanation``, which the plots of the package shap require. Needs that package."""
        import shap

        return shap.Explanation(
            self.values,
            base_values=self.base_values,
            data=self.data,
            display_data=self.display_data() if self.categories else None,
            feature_names=self.feature_names,
            output_names=self.output_names,
            error_std=self.std_error,
        )


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class GlobalImportance:
    """The mean over rows of the absolute contributions of each feature, or pair of features.

    Attributes
    ----------
    values
        ``[n_features]``; for interactions ``[n_features, n_features]``. Several outputs add a last axis.
    feature_names, output_names, kind
        As in `Explanation`.
    """

    values: np.ndarray
    feature_names: list[str]
    output_names: list[Any] | None = None
    kind: str = "shapley"

    def __repr__(self) -> str:
        return described(self, shape=self.shape, kind=self.kind, features=self.feature_names, outputs=self.output_names)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        return table_of(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values."""
        return self.values.shape

    def output(self, which: Any) -> GlobalImportance:
        """Return the importance for one output, by its name (a class) or else its number."""
        return replace(self, values=self.values[..., _output_number(self.output_names, which)], output_names=None)


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class SparseInteractions:
    """SHAP interactions of rows, without the pairs of features that interact in no tree.

    The entries of row r and output k are ``begin[r * n_outputs + k]`` up to ``begin[r * n_outputs + k + 1]``.

    Attributes
    ----------
    begin
        ``[n_rows * n_outputs + 1]``.
    first, second
        ``[n_entries]``: feature numbers with ``first <= second``; n_features is the bias.
    values
        ``[n_entries]``: half of a pair's effect, as in each of its two cells of the dense matrix.
    feature_names, output_names
        As in `Explanation`.
    """

    begin: np.ndarray
    first: np.ndarray
    second: np.ndarray
    values: np.ndarray
    feature_names: list[str]
    output_names: list[Any] | None = None

    def __repr__(self) -> str:
        named = {"features": self.feature_names, "outputs": self.output_names}
        return described(self, rows=len(self), entries=len(self.values), **named)

    @property
    def n_outputs(self) -> int:
        """The number of outputs."""
        return 1 if self.output_names is None else len(self.output_names)

    def __len__(self) -> int:
        return (len(self.begin) - 1) // self.n_outputs

    def _number(self, output: Any) -> int:
        return 0 if output is None and self.output_names is None else _output_number(self.output_names, output)

    def pairs(self, row: int, output: Any = None) -> list[tuple[str, str, float]]:
        """Return (feature, feature, value) for one row, in the order of the entries; the bias is called "bias"."""
        row = range(len(self))[row]
        block = row * self.n_outputs + self._number(output)
        names = [*self.feature_names, "bias"]
        entries = slice(self.begin[block], self.begin[block + 1])
        places = zip(self.first[entries], self.second[entries], self.values[entries])
        return [(names[first], names[second], float(value)) for first, second, value in places]

    def to_csr(self, output: Any = None) -> Any:
        """Return a SciPy CSR matrix of one output with one row for each row of the data.

        Its column ``first * (n_features + 1) + second`` is the cell (first, second) of the dense matrix's upper
        triangle.
        """
        from scipy.sparse import csr_matrix

        width = len(self.feature_names) + 1
        blocks = np.arange(len(self)) * self.n_outputs + self._number(output)
        counts = (self.begin[1:] - self.begin[:-1])[blocks]
        indptr = np.concatenate([[0], np.cumsum(counts)])
        entries = np.arange(indptr[-1]) + np.repeat(self.begin[blocks] - indptr[:-1], counts)
        columns = self.first[entries].astype(np.int64) * width + self.second[entries]
        matrix = csr_matrix((self.values[entries], columns, indptr), (len(self), width * width))
        matrix.sort_indices()
        return matrix
