"""Tables of a report about the model and the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._binding.process import VERSION
from .._data.matrix import DMatrix
from .._data.tables import columns_of
from .._explaining.subject import Subject
from .._markup.markup import Markup, folded, joined, paragraph, table
from .._model.booster import Booster
from .._model.classes import classes_of
from .._model.facts import facts_of
from .._plotting.parts import number_text, short

_MOST_FEATURES = 50
_MOST_UNFOLDED = 12
_MOST_CLASSES = 30
_HEAD = ["feature", "values", "missing", "distinct", "lowest", "median", "mean", "highest"]


def of_model(model: Subject) -> Markup:
    """Return a table of facts about the model and of its given parameters."""
    lines = facts_of(model.booster)
    begin, end = model.rounds
    if (begin, end) != (0, 0):
        lines.append(("rounds used", f"{begin} to {end - 1}"))
    return table([], [*lines, ("made by", f"Kauri {VERSION}")], n_texts=2)


def of_data(model: Subject, data: DMatrix, names: list[str], features: list[int]) -> Markup:
    """Return tables of the labels and of the columns, limited to the first of `features`."""
    shown = features[:_MOST_FEATURES]
    known = data._categories_by(names)
    columns = columns_of(data, shown).T
    lines = [_column(names[feature], column, known.get(names[feature])) for feature, column in zip(shown, columns)]
    cells = data.num_row() * data.num_col()
    missing = 1 - data.num_nonmissing() / cells if cells else 0.0
    about = f"{data.num_row():,} rows, {data.num_col():,} features; {missing:.1%} of the cells are missing."
    if len(shown) < len(names):
        about += f" Below are the {len(shown)} strongest features."
    columns_table = table(_HEAD, lines, n_texts=2)
    if len(lines) > _MOST_UNFOLDED:
        columns_table = folded(f"Show the table of {len(lines)} features", columns_table)
    return joined([paragraph(about), *_labels(model, data), columns_table])


def _column(name: str, column: np.ndarray, categories: Any) -> list[str]:
    present = column[~np.isnan(column)]
    values, counts = np.unique(present, return_counts=True)
    kind = "numbers" if categories is None else _most_frequent(values, counts, categories)
    missing = f"{1 - len(present) / max(len(column), 1):.1%}"
    return [short(name, 60), kind, missing, f"{len(values):,}", *_statistics(present if categories is None else [])]


def _statistics(present: Any) -> list[str]:
    if len(present) == 0:
        return [""] * 4
    numbers = np.asarray(present, dtype=np.float64)
    found = (numbers.min(), np.median(numbers), numbers.mean(), numbers.max())
    return [number_text(float(number), 4) for number in found]


def _most_frequent(values: np.ndarray, counts: np.ndarray, categories: Any) -> str:
    order = np.argsort(-counts, kind="stable")[:3]
    codes = values[order].astype(np.int64)
    names = [short(str(categories[code]), 20) if code < len(categories) else str(code) for code in codes]
    total = max(counts.sum(), 1)
    return ", ".join(f"{name} {count / total:.0%}" for name, count in zip(names, counts[order]))


def _labels(model: Subject, data: DMatrix) -> list[Markup]:
    """Return a table of the labels: the number of rows of each class, or statistics."""
    labels = data.get_label()
    if labels.ndim != 1 or len(labels) == 0:
        return []
    classes = classes_of(model.given) if isinstance(model.given, Booster) else getattr(model.given, "classes_", None)
    values, counts = np.unique(labels, return_counts=True)
    if classes is None and len(values) > 2:
        return [table(["", *_HEAD[3:]], [["label", f"{len(values):,}", *_statistics(labels)]])]
    called = values if classes is None else np.asarray(classes)[values.astype(np.int64)]
    lines = [
        [f"label {short(str(name), 60)}", f"{count:,}", f"{count / len(labels):.1%}"]
        for name, count in zip(called[:_MOST_CLASSES].tolist(), counts)
    ]
    return [table(["", "rows", "share"], lines)]
