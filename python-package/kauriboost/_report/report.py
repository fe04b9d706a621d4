"""The report on a model: how good it is, why it predicts what it does, its trees, parameters and data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._binding.errors import DataError, ParameterError
from .._data.matrix import DMatrix
from .._data.shuffling import shuffle
from .._explaining.subject import Queries, Subject, is_linear, subject_of
from .._markup.markup import Markup, block, heading, joined, paragraph
from .._model.files import require_writable, write_atomically
from .._plotting.metric import log_of, plot_metric
from .._plotting.tree_picture import plot_tree
from .page import Section, page
from .pictures import drawn, narrow_axes
from .quality import quality
from .subject import judged
from .summary import of_data, of_model
from .why import dependence, explained, importance, interactions, single_rows

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
    """Write a page about a model: how good it is, and why it predicts what it does.

    With labels, the page begins with metrics, their intervals and a baseline. Classes have a confusion matrix, ROC and
    precision-recall curves, calibration and a histogram; numbers have residuals; quantiles their coverage; rankings the
    labels by place; survival models the survival of thirds of the rows. SHAP values, partial dependence, interactions
    and three single rows follow, then learning curves, trees, parameters and columns.

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
        Names of metrics; by default the model's own and the usual ones. The intervals are 95 % bootstrap confidence
        intervals from 200 samples of the rows, or of whole queries; there are none for more than 100,000 rows or
        several targets.
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
    predictions = judged(asked, matrix)
    of = explained(model, _some_rows(matrix, choices), predictions)
    order = of.strongest()
    sections = [
        ("How good it is", "metrics", quality(asked, predictions, matrix, metrics, seed)),
        ("What matters", "importance", importance(of, matrix.num_row())),
        ("Effects of features", "dependence", dependence(of, order[:n_features])),
        ("Interactions", "interactions", interactions(of)),
        ("Three rows", "rows", single_rows(of, matrix)),
        ("Learning curves", "learning-curves", _curves(model, evaluations)),
        ("Trees", "trees", _trees(asked, n_trees)),
        ("Model", "model", of_model(asked)),
        ("Data", "data", of_data(asked, matrix, names, order)),
    ]
    shown = [Section(heading, place, body) for heading, place, body in sections if body.text]
    write_atomically(target, page(title, shown).encode("utf-8", "replace"))


def _some_rows(matrix: DMatrix, choices: _Choices) -> DMatrix:
    n_rows = matrix.num_row()
    if n_rows <= choices.n_rows:
        return matrix
    return matrix.slice(np.sort(shuffle(n_rows, choices.seed, choices.n_rows)), allow_groups=True)


def _curves(model: Any, evaluations: Any) -> Markup:
    """Return a plot for each evaluated metric."""
    if evaluations is None:
        if not getattr(model, "_evals_result", None):
            return Markup("")
        evaluations = model
    log = log_of(evaluations)
    metrics = list(dict.fromkeys(name for of_set in log.values() for name in of_set))
    pictures = [
        drawn(plot_metric(log, narrow_axes(), metric=metric), f"{metric} over the rounds") for metric in metrics
    ]
    return block("pictures", pictures)


def _trees(model: Subject, n_trees: int) -> Markup:
    booster = model.booster
    if is_linear(booster):
        return Markup("")
    dumps = booster.get_dump(dump_format="json")[:n_trees]
    parts = []
    for tree, dump in enumerate(dumps):
        n_nodes = dump.count('"nodeid"')
        parts.append(heading(f"Tree {tree}"))
        if n_nodes > _MOST_NODES:
            parts.append(paragraph(f"It has {n_nodes} nodes, more than a page can show; see plot_tree and get_dump."))
        else:
            parts.append(block("wide", [drawn(plot_tree(booster, tree_idx=tree), f"Tree {tree}")]))
    return joined(parts)
