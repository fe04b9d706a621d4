"""Interactions of sets of features of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._binding.errors import ParameterError
from .._binding.model_calls import call_interactions
from .._public import described, public
from .explanation import _output_number
from .subject import feature_numbers, subject_of


@public("kauriboost.explanation")
@dataclass(frozen=True, repr=False)
class SetInteractions:
    """Interactions of sets of features, for sets that occur together on a path of a tree; all others have none.

    As a sequence, it has one dictionary per row, from the names of a set's features to the set's value: see `row`. The
    entries of row r and output k are ``begin[r * n_outputs + k]`` up to ``begin[r * n_outputs + k + 1]``.

    Attributes
    ----------
    set_begin, members
        ``[n_sets + 1]`` and the features of all sets: set s has the features
        ``members[set_begin[s] : set_begin[s + 1]]``, in ascending order. Smaller sets come first.
    begin
        ``[n_rows * n_outputs + 1]``.
    sets, values
        ``[n_entries]``: the number of a set, and its interaction: the whole effect of a pair, not half of it.
    base_values
        ``[n_rows]``, or ``[n_rows, n_outputs]``: the mean margin over the training data, the value of the empty set.
    index, max_order
        As given to `explain_interactions`.
    is_complete
        Whether all sets that can interact have an entry; if not, only the strongest ones have.
    feature_names, output_names
        As in `Explanation`.
    """

    set_begin: np.ndarray
    members: np.ndarray
    begin: np.ndarray
    sets: np.ndarray
    values: np.ndarray
    base_values: np.ndarray
    index: str
    max_order: int
    is_complete: bool
    feature_names: list[str]
    output_names: list[Any] | None = None

    def __repr__(self) -> str:
        about = {"index": self.index, "max_order": self.max_order, "rows": len(self), "entries": len(self.values)}
        return described(self, **about, features=self.feature_names, outputs=self.output_names)

    @property
    def n_outputs(self) -> int:
        """The number of outputs."""
        return 1 if self.output_names is None else len(self.output_names)

    def __len__(self) -> int:
        return (len(self.begin) - 1) // self.n_outputs

    def __getitem__(self, row: int) -> dict[tuple[str, ...], float]:
        return self.row(row)

    def __iter__(self) -> Iterator[dict[tuple[str, ...], float]]:
        return (self.row(row) for row in range(len(self)))

    def _number(self, output: Any) -> int:
        if output is None and self.output_names is not None:
            raise ParameterError(
                f"there are the outputs {self.output_names}; choose one by output=, or take the interactions of one: "
                f"sets.output({self.output_names[0]!r})."
            )
        return 0 if output is None and self.output_names is None else _output_number(self.output_names, output)

    def _numbers_of(self, number: int) -> tuple[int, ...]:
        """Return the feature numbers of a set."""
        return tuple(self.members[self.set_begin[number] : self.set_begin[number + 1]].tolist())

    def _names_of(self, number: int) -> tuple[str, ...]:
        return tuple(self.feature_names[feature] for feature in self._numbers_of(number))

    def _entries(self, row: int, output: Any) -> slice:
        block = range(len(self))[row] * self.n_outputs + self._number(output)
        return slice(self.begin[block], self.begin[block + 1])

    def row(self, row: int, output: Any = None) -> dict[tuple[str, ...], float]:
        """Return the interactions of one row by the names of their features, in the order of the entries."""
        entries = self._entries(row, output)
        pairs = zip(self.sets[entries].tolist(), self.values[entries].tolist())
        return {self._names_of(number): value for number, value in pairs}

    def of_set(self, features: Sequence[str | int], output: Any = None) -> np.ndarray:
        """Return each row's interaction of one set of features, given by names or numbers in any order.

        The value is 0 if no tree makes the set interact, and NaN if the set is not among the strongest of a row.
        """
        given: list[Any] = [features] if isinstance(features, (str, int, np.integer)) else list(features)
        wanted = tuple(sorted(set(feature_numbers(given, self.feature_names))))
        if len(wanted) != len(given) or len(wanted) > self.max_order:
            raise ParameterError(
                f"the set is {given!r}; pass up to {self.max_order} different features, or compute larger sets by "
                "explain_interactions(..., max_order=...)."
            )
        output_number = self._number(output)
        found = np.full(len(self), 0.0 if self.is_complete else np.nan, dtype=self.values.dtype)
        number = next((s for s in range(len(self.set_begin) - 1) if self._numbers_of(s) == wanted), None)
        if number is None:
            return np.zeros_like(found)
        entries = np.flatnonzero(self.sets == number)
        block = np.searchsorted(self.begin, entries, side="right") - 1
        is_asked = block % self.n_outputs == output_number
        found[block[is_asked] // self.n_outputs] = self.values[entries[is_asked]]
        return found

    def output(self, which: Any) -> SetInteractions:
        """Return the interactions of one output, by its name (a class) or else its number."""
        number = _output_number(self.output_names, which)
        blocks = np.arange(len(self)) * self.n_outputs + number
        counts = (self.begin[1:] - self.begin[:-1])[blocks]
        begin = np.concatenate([[0], np.cumsum(counts)])
        entries = np.arange(begin[-1]) + np.repeat(self.begin[blocks] - begin[:-1], counts)
        parts = {"begin": begin, "sets": self.sets[entries], "values": self.values[entries]}
        return replace(self, **parts, base_values=self.base_values[:, number], output_names=None)

    def to_frame(self) -> Any:
        """Return a pandas data frame with one line per entry: row, output if there are several, features, value."""
        import pandas as pd

        names = np.empty(len(self.set_begin) - 1, dtype=object)
        names[:] = [self._names_of(number) for number in range(len(names))]
        block = np.repeat(np.arange(len(self.begin) - 1), np.diff(self.begin))
        columns: dict[str, Any] = {"row": block // self.n_outputs}
        if self.output_names is not None:
            columns["output"] = np.asarray(self.output_names, dtype=object)[block % self.n_outputs]
        return pd.DataFrame({**columns, "features": names[self.sets], "value": self.values})

    def to_shapiq(self, row: int, output: Any = None) -> Any:
        """Return a ``shapiq.InteractionValues`` of one row, for the plots of the package shapiq. Needs that package."""
        import shapiq

        entries = self._entries(row, output)
        base = float(self.base_values.reshape(len(self), -1)[row, self._number(output)])
        pairs = zip(self.sets[entries].tolist(), self.values[entries].tolist())
        return shapiq.InteractionValues(
            {(): base, **{self._numbers_of(number): value for number, value in pairs}},
            index=self.index,
            max_order=self.max_order,
            min_order=0,
            n_players=len(self.feature_names),
            estimated=False,
            baseline_value=base,
        )


def explain_interactions(
    model: Any,
    X: Any,
    *,
    index: str = "k-SII",
    max_order: int = 2,
    top_k: int | None = None,
    feature_names: Sequence[str] | None = None,
    iteration_range: tuple[int, int] | None = None,
) -> SetInteractions:
    """Explain sets of up to `max_order` features, without the sets that are zero for every row.

    Parameters
    ----------
    model, X, feature_names, iteration_range
        As for `explain`. The values have the same bits on the CPU and on a device.
    index
        The definition of an interaction, named as in the package shapiq. ``"k-SII"``: Shapley interactions that add up
        to the margin; order 2 has the values of ``explain(..., interactions=True)``. ``"SII"``: Shapley interactions,
        of which sets do not depend on `max_order`. ``"STII"``: Shapley-Taylor interactions. ``"FSII"``: the best
        approximation of the model by a sum over sets, "faithful". ``"BII"``: Banzhaf interactions. The values of a row
        and its base value add up to the margin for ``"k-SII"``, ``"STII"`` and ``"FSII"``.
    max_order
        The largest number of features of a set. The cost grows with the number of sets on a path.
    top_k
        Return only this number of sets per row and output, strongest first. By default all sets are returned.

    Raises
    ------
    ParameterError
        An unknown index; too many sets; a linear model.
    DataError
        Rows that do not fit the model.
    """
    if top_k is not None and (not _is_whole(top_k) or top_k < 1):
        raise ParameterError(f"top_k is {top_k!r}; expected a whole number of at least 1, or None for all.")
    if not _is_whole(max_order):
        raise ParameterError(f"max_order is {max_order!r}; expected a whole number, the features of the largest sets.")
    asked = subject_of(model, iteration_range)
    matrix = asked.matrix(X)
    names = asked.names(feature_names, matrix)
    settings = asked.settings(index=index, max_order=int(max_order), top_k=int(top_k or 0))
    cells = call_interactions(asked.booster.handle, matrix.handle, matrix.num_row(), settings)
    output_names = asked.output_names(cells.n_outputs)
    return SetInteractions(
        cells.set_begin,
        cells.members,
        cells.begin,
        cells.sets,
        cells.values,
        cells.base_values if output_names is None else cells.base_values.reshape(-1, cells.n_outputs),
        index,
        int(max_order),
        top_k is None,
        names,
        output_names,
    )


def _is_whole(number: Any) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)
