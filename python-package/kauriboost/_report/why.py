"""Why a model predicts what it does: importance, dependence, interactions, and single rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._data.matrix import DMatrix
from .._explaining.explain import explain, global_importance
from .._explaining.explanation import Explanation, GlobalImportance
from .._explaining.partial_dependence import partial_dependence
from .._explaining.subject import is_linear, subject_of
from .._markup.markup import Markup, block, heading, joined, paragraph
from .._plotting.dependence import plot_dependence
from .._plotting.explanations import plot_beeswarm, plot_contributions, plot_interactions, plot_waterfall
from .._plotting.partial import plot_partial_dependence
from .._plotting.parts import class_text, number_text, percent_text, quantity_of, short
from .pictures import drawn, narrow_axes
from .subject import Judged

_MOST_OUTPUTS = 3
_N_INTERACTING = 6  # features in the matrix of interactions
_MOST_ROWS_OF_PAIRS = 200
_MOST_FEATURES_OF_PAIRS = 500  # all pairs of more features take too much memory
_N_VALUES = 25


@dataclass(frozen=True)
class Explained:
    """The explained rows of a report, and the explanation with the names of the classes."""

    model: Any
    rows: DMatrix
    explanation: Explanation
    judged: Judged

    def outputs(self) -> list[tuple[str, Explanation]]:
        """Return name and explanation of the first outputs; a single output has no name."""
        if self.explanation.output_names is None:
            return [("", self.explanation)]
        names = self.explanation.output_names[:_MOST_OUTPUTS]
        return [(class_text(name), self.output(number)) for number, name in enumerate(names)]

    def output(self, number: int) -> Explanation:
        """Return the explanation of an output."""
        names = self.explanation.output_names
        return self.explanation if names is None else self.explanation.output(names[number])

    def strongest(self) -> list[int]:
        """Return the features ordered by mean absolute value over all outputs, strongest first."""
        strength = np.abs(self.explanation.values).mean(axis=0)
        strength = strength if strength.ndim == 1 else strength.mean(axis=1)
        return [int(feature) for feature in np.argsort(-strength, kind="stable")]


def explained(model: Any, rows: DMatrix, judged: Judged) -> Explained:
    """Return the explanation of some rows, with the names of the classes that the model knows."""
    found = explain(model, rows)
    if found.output_names is not None:
        known = judged.classes if judged.kind == "classes" else [f"output {name}" for name in found.output_names]
        found = replace(found, output_names=list(known))
    return Explained(model, rows, found, judged)


def importance(of: Explained, n_rows: int) -> Markup:
    """Return a swarm for each of the first outputs."""
    quantity = quantity_of(of.explanation)
    about = (
        f"A point for each of {len(of.explanation):,} of {n_rows:,} rows: its SHAP value is what the feature adds to"
    )
    about += f" the {quantity} of that row. The strongest features stand on top."
    n_outputs = len(of.explanation.output_names or [])
    if n_outputs > _MOST_OUTPUTS:
        about += f" The first {_MOST_OUTPUTS} of {n_outputs} outputs are shown."
    pictures = []
    for name, of_output in of.outputs():
        axes = plot_beeswarm(of_output, narrow_axes(min(13, of_output.values.shape[1])), size=6)
        pictures.append(drawn(axes, f"SHAP values of every row{f', {name}' if name else ''}", name))
    if not of.explanation.output_names:
        n_lines = min(13, of.explanation.values.shape[1])
        axes = plot_contributions(of.explanation, narrow_axes(n_lines))
        pictures.append(drawn(axes, "Mean strength of the features"))
    return joined([paragraph(about), block("pictures", pictures)])


def dependence(of: Explained, features: list[int]) -> Markup:
    """Return the contributions and the partial dependence of each feature, for the output that it moves most."""
    about = (
        "First what a feature adds to each row, over its value; then the prediction where this feature alone changes."
    )
    parts = [paragraph(about)]
    output = "margin" if of.judged.objective == "multi:softmax" else "value"
    for feature in features:
        if np.isnan(of.explanation.data[:, feature]).all():  # a feature without any value has no dependence
            continue
        number = _most_moved(of.explanation, feature)
        of_output = of.output(number)
        partial = partial_dependence(of.model, of.rows, feature, n_values=_N_VALUES, output=output)
        if partial.output_names is not None:
            partial = replace(partial.output(partial.output_names[number]), class_name=of_output.class_name)
        name = of.explanation.feature_names[feature]
        called = f"{name}{f', {class_text(of_output.class_name)}' if of.explanation.output_names else ''}"
        pictures = [
            drawn(plot_dependence(of_output, feature, narrow_axes()), f"SHAP values by {called}"),
            drawn(plot_partial_dependence(partial, narrow_axes()), f"Partial dependence on {called}"),
        ]
        parts += [heading(called), block("pictures", pictures)]
    return joined(parts)


def _most_moved(explanation: Explanation, feature: int) -> int:
    """Return the number of the output on which a feature has the largest mean effect."""
    if explanation.output_names is None:
        return 0
    return int(np.abs(explanation.values[:, feature]).mean(axis=0).argmax())


def interactions(of: Explained) -> Markup:
    """Return the matrix of the strongest interactions, in the mean over all outputs; empty for linear models."""
    n_features = of.explanation.values.shape[1]
    if n_features < 2 or is_linear(subject_of(of.model, None).booster) or n_features > _MOST_FEATURES_OF_PAIRS:
        return Markup("")
    rows = of.rows
    if rows.num_row() > _MOST_ROWS_OF_PAIRS:
        chosen = np.linspace(0, rows.num_row() - 1, _MOST_ROWS_OF_PAIRS).round().astype(np.int64)
        rows = rows.slice(np.unique(chosen), allow_groups=True)
    found = global_importance(of.model, rows, interactions=True)
    values = found.values if found.output_names is None else found.values.mean(axis=-1)
    axes = plot_interactions(GlobalImportance(values, found.feature_names), narrow_axes(9), max_display=_N_INTERACTING)
    about = "How much two features do together, beyond what each does alone (on the diagonal): the mean over "
    about += f"{rows.num_row():,} rows{' and all outputs' if found.output_names is not None else ''}."
    return joined([paragraph(about), block("pictures", [drawn(axes, "Mean interactions of the strongest features")])])


def single_rows(of: Explained, matrix: DMatrix) -> Markup:
    """Return waterfalls of three rows that stand for many."""
    judged = of.judged
    chosen = _telling_rows(judged)
    found = explain(of.model, matrix.slice(np.array([row for row, _ in chosen]), allow_groups=True))
    found = replace(found, output_names=of.explanation.output_names)
    cards = []
    for place, (row, what) in enumerate(chosen):
        output = int(judged.chosen()[row]) if judged.kind == "classes" else 0
        one = found[place] if found.output_names is None else found[place].output(found.output_names[output])
        axes = plot_waterfall(one, narrow_axes(9), max_display=8)
        picture = drawn(axes, f"How the features lead row {row} from the base value to its {quantity_of(one)}")
        cards.append(block("card", [heading(f"{what}: row {row}"), paragraph(_row_text(judged, row)), picture]))
    about = (
        "Each bar is what one value of the row adds, from the base value, the mean of the training rows, to this row."
    )
    return joined([paragraph(f"{about} Rows are counted from 0."), block("pictures", cards)])


def _telling_rows(judged: Judged) -> list[tuple[int, str]]:
    """Return different rows and why they are chosen; of equal rows, the first."""
    if judged.kind == "classes":
        sure = judged.predictions.max(axis=1)
        asked = [(-sure, "Surest prediction"), (sure, "Least sure prediction")]
    else:
        predicted = judged.predictions[:, -1 if judged.kind == "binary" else 0]
        asked = [(predicted, "Lowest prediction"), (-predicted, "Highest prediction")]
        if _losses(judged) is None:
            asked.insert(1, (np.abs(predicted - np.median(predicted)), "Median prediction"))
    if (losses := _losses(judged)) is not None:
        asked.append((-losses, "Most wrong prediction"))
    rows: dict[int, str] = {}
    for order, what in asked:
        rows.setdefault(int(np.argmin(order)), what)
    return list(rows.items())


def _losses(judged: Judged) -> np.ndarray | None:
    """Return how wrong each prediction is; None if that cannot be said of a single row."""
    if not judged.has_labels() or judged.labels.ndim != 1:
        return None
    if judged.is_of_classes():
        of_true = judged.predictions[np.arange(len(judged.labels)), judged.labels.astype(np.int64)]
        return np.asarray(1 - of_true)
    return np.abs(judged.labels - judged.predictions[:, 0]) if judged.kind == "regression" else None


def _row_text(judged: Judged, row: int) -> str:
    """Return the prediction of a row, beside its label."""
    if not judged.is_of_classes():
        text = f"Prediction {number_text(float(judged.predictions[row, 0]), 5)}"
        is_number = judged.has_labels() and judged.labels.ndim == 1 and judged.kind != "survival"
        return text + (f", true value {number_text(float(judged.labels[row]), 5)}." if is_number else ".")
    chosen = int(judged.chosen()[row])
    text = f"Predicted {short(judged.classes[chosen])}"
    if judged.has_probabilities:
        text += f" with probability {percent_text(float(judged.predictions[row, chosen]))}"
    return text + (
        f"; the true class is {short(judged.classes[int(judged.labels[row])])}." if judged.has_labels() else "."
    )
