"""The report on a model: parameters, data, quality, and the effects of the features."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.shuffling import shuffle
from .._explaining.explain import explain
from .._explaining.explanation import Explanation
from .._explaining.partial_dependence import partial_dependence
from .._explaining.subject import Queries, Subject, subject_of
from .._markup.markup import Markup, block, heading, joined, paragraph, table
from .._model.files import require_writable, write_atomically
from .._plotting.dependence import plot_dependence
from .._plotting.explanations import plot_beeswarm, plot_contributions
from .._plotting.metric import log_of, plot_metric
from .._plotting.partial import plot_partial_dependence
from .._plotting.parts import number_text
from .._plotting.tree_picture import plot_tree
from .page import page
from .pictures import drawn
from .scores import scores_of
from .summary import of_data, of_model

_MOST_OUTPUTS = 3
_MOST_NODES = 255  # largest tree that is drawn


@dataclass(frozen=True)
class _Choices:
    """The size of the report."""

    n_features: int
    n_trees: int
    n_rows: int
    seed: int

    def require(self) -> None:
        """Raise ParameterError for numbers below their minimum."""
        for name, least in (("n_features", 1), ("n_trees", 0), ("n_rows", 1)):
            if getattr(self, name) < least:
                raise ParameterError(f"{name} is {getattr(self, name)}; expected {least} or more.")


def report(
    model: Any,
    data: Any,
    path: str | os.PathLike[str],
    *,
    y: Any = None,
    qid: Any = None,
    group: Any = None,
    evaluations: Any = None,
    metrics: Sequence[str] | None = None,
    title: str = "Model report",
    n_features: int = 4,
    n_trees: int = 2,
    n_rows: int = 1000,
    seed: int = 0,
) -> None:
    """Write a page about a model: data, learning curves, metrics, importance, dependence, trees.

    The report is one HTML file with all pictures in it. It loads nothing and runs no script, and the same call writes
    the same bytes. Needs Matplotlib.

    Parameters
    ----------
    model
        A Booster, or a fitted estimator of `kauriboost.sklearn`.
    data
        Rows, preferably not used in training: a DMatrix, or data to make one from.
    path
        The file to write; it is replaced atomically.
    y
        The labels; by default the labels of the DMatrix. Without labels there are no metrics.
    qid, group
        The query of each row, ascending, ``[n_rows]``, or rows per query, in order, ``[n_queries]``. Pass neither if
        the data are a DMatrix with queries, or have a column ``qid`` that is not a feature of the model.
    evaluations
        For the learning curves: evaluations as for `plot_metric`. By default the evaluations of an estimator, if any.
    metrics
        Names of metrics; by default the model's own. Intervals cover 95 % of 200 resamples of the rows, or of whole
        queries; there are none for more than 100,000 rows or several targets.
    title
        Title of the page.
    n_features
        Number of features, strongest first, whose dependence is shown.
    n_trees
        Number of trees to draw, from the first one.
    n_rows
        Maximum number of rows to explain, sampled by `seed`.
    seed
        Selects the explained rows and the resamples.

    Raises
    ------
    ParameterError
        Numbers below their minimum, or an unknown metric.
    DataError
        Rows that do not fit the model, or no rows; no queries for a metric that needs them.
    FileError
        A path that cannot be written to; raised before anything is computed.
    """
    choices = _Choices(n_features, n_trees, n_rows, seed)
    choices.require()
    target = Path(path)
    require_writable(target)
    asked = subject_of(model, None)
    matrix = asked.labelled(data, y, Queries(qid, group))
    if matrix.num_row() == 0:
        raise DataError("a report needs rows; the data have none.")
    names = asked.names(None, matrix)
    explanation = explain(model, _some_rows(matrix, choices))
    order = _strongest(explanation)
    sections = [
        ("Model", of_model(asked)),
        ("Data", of_data(asked, matrix, names, order)),
        ("Learning curves", _curves(model, evaluations)),
        ("Metrics", _metrics(asked, matrix, metrics, seed)),
        ("Importance", _importance(explanation, matrix.num_row())),
        ("Dependence", _dependence(model, matrix, explanation, order[:n_features], choices)),
        ("Trees", _trees(asked, n_trees)),
    ]
    shown = [(name, body) for name, body in sections if body.text]
    write_atomically(target, page(title, shown).encode("utf-8", "replace"))


def _some_rows(matrix: DMatrix, choices: _Choices) -> DMatrix:
    n_rows = matrix.num_row()
    if n_rows <= choices.n_rows:
        return matrix
    return matrix.slice(np.sort(shuffle(n_rows, choices.seed, choices.n_rows)), allow_groups=True)


def _strongest(explanation: Explanation) -> list[int]:
    """Return the features ordered by mean absolute value over all outputs, strongest first."""
    strength = np.abs(explanation.values).mean(axis=0)
    strength = strength if strength.ndim == 1 else strength.mean(axis=1)
    return [int(feature) for feature in np.argsort(-strength, kind="stable")]


def _curves(model: Any, evaluations: Any) -> Markup:
    """Return a plot for each evaluated metric."""
    if evaluations is None:
        if not getattr(model, "_evals_result", None):
            return Markup("")
        evaluations = model
    log = log_of(evaluations)
    metrics = list(dict.fromkeys(name for of_set in log.values() for name in of_set))
    pictures = [drawn(plot_metric(log, metric=metric), f"{metric} over the rounds") for metric in metrics]
    return block("pictures", pictures)


def _metrics(model: Subject, data: DMatrix, metrics: Sequence[str] | None, seed: int) -> Markup:
    if len(data.get_label()) + len(data.get_float_info("label_lower_bound")) == 0:
        return Markup("")
    scores = scores_of(model, data, metrics, seed)
    lines = [
        [score.name, number_text(score.value, 5), *([""] * 2 if score.interval is None else _ends(score.interval))]
        for score in scores
    ]
    about = "Of the rows above. Intervals: 95 % of 200 resamples of the rows; they say nothing of other training rows."
    return joined([paragraph(about), table(["metric", "value", "from", "to"], lines)])


def _ends(interval: tuple[float, float]) -> list[str]:
    return [number_text(end, 5) for end in interval]


def _outputs(explanation: Explanation) -> list[tuple[str, Explanation]]:
    """Return heading and explanation of the first outputs; a single output has no heading."""
    if explanation.output_names is None:
        return [("", explanation)]
    return [
        (f"Output {name}", explanation.output(number))
        for number, name in enumerate(explanation.output_names[:_MOST_OUTPUTS])
    ]


def _importance(explanation: Explanation, n_rows: int) -> Markup:
    about = f"SHAP values of {len(explanation):,} of {n_rows:,} rows: what each feature adds to a row's margin."
    n_outputs = len(explanation.output_names or [])
    if n_outputs > _MOST_OUTPUTS:
        about += f" The first {_MOST_OUTPUTS} of {n_outputs} outputs are shown."
    parts = [paragraph(about)]
    for name, of_output in _outputs(explanation):
        what = f" of output {name}" if name else ""
        pictures = [
            drawn(plot_contributions(of_output), f"mean strength of the features{what}"),
            drawn(plot_beeswarm(of_output), f"SHAP values of every row{what}"),
        ]
        parts += [heading(name)] * bool(name) + [block("pictures", pictures)]
    return joined(parts)


def _dependence(
    model: Any, matrix: DMatrix, explanation: Explanation, features: list[int], choices: _Choices
) -> Markup:
    """Return for each feature its contributions to the rows, beside its partial dependence."""
    about = "On the left what a feature adds to the margin of each row; on the right the mean prediction where this "
    about += "feature alone changes, and single rows in grey."
    parts = [paragraph(about)]
    rows = _some_rows(matrix, choices)
    output = "margin" if _predicts_classes(model) else "value"
    for feature in features:
        if np.isnan(explanation.data[:, feature]).all():  # a feature without any value has no dependence
            continue
        partial = partial_dependence(model, rows, feature, n_values=25, output=output)
        for number, (name, of_output) in enumerate(_outputs(explanation)):
            of_partial = partial if partial.output_names is None else partial.output(number)
            called = f"{explanation.feature_names[feature]}{f', {name.lower()}' if name else ''}"
            pictures = [
                drawn(plot_dependence(of_output, feature), f"SHAP values by {called}"),
                drawn(plot_partial_dependence(of_partial), f"partial dependence on {called}"),
            ]
            parts += [heading(called), block("pictures", pictures)]
    return joined(parts)


def _predicts_classes(model: Any) -> bool:
    """Return whether predictions are class numbers."""
    config = json.loads(subject_of(model, None).booster.save_config())
    return str(config["learner"]["objective"]["name"]) == "multi:softmax"


def _trees(model: Subject, n_trees: int) -> Markup:
    booster = model.booster
    if json.loads(booster.save_config())["learner"]["gradient_booster"]["name"] == "gblinear":
        return Markup("")
    dumps = booster.get_dump(dump_format="json")[:n_trees]
    parts = []
    for tree, dump in enumerate(dumps):
        n_nodes = dump.count('"nodeid"')
        parts.append(heading(f"Tree {tree}"))
        if n_nodes > _MOST_NODES:
            parts.append(paragraph(f"It has {n_nodes} nodes, more than a page can show; see plot_tree and get_dump."))
        else:
            parts.append(block("wide", [drawn(plot_tree(booster, tree_idx=tree), f"tree {tree}")]))
    return joined(parts)
