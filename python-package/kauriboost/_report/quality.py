"""How good a model is: metrics beside a baseline, and pictures for each kind of prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._data.matrix import DMatrix
from .._explaining.subject import Subject
from .._markup.markup import Markup, block, heading, joined, matrix, paragraph, table
from .._plotting.parts import number_text, percent_text, short
from .baseline import about_baseline, baseline_of
from .charts import plot_calibration, plot_curves, plot_histograms, plot_places, plot_points, plot_steps
from .numbers import (
    Curve,
    area,
    calibration,
    confusion,
    mean_by_place,
    precision_recall,
    roc,
    survival_curve,
)
from .pictures import drawn, narrow_axes
from .scores import N_RESAMPLES, ScoredMetric, scores_of
from .subject import Judged

_MOST_CLASSES = 10  # in a confusion matrix
_MOST_CURVES = 6
_MOST_TARGETS = 3
_N_PLACES = 10
_ZERO = 1e-9  # a baseline nearer to 0 is a rounding error
_NAMES = {"mae": "The mean absolute error", "rmse": "The root mean squared error"}
_UP, _DOWN = "\N{UPWARDS ARROW}", "\N{DOWNWARDS ARROW}"
_CHANCE = Curve(np.array([0.0, 1.0]), np.array([0.0, 1.0]))


def quality(subject: Subject, model: Judged, data: DMatrix, metrics: Sequence[str] | None, seed: int) -> Markup:
    """Return the metrics and the pictures; empty without labels."""
    if not model.has_labels() and len(data.get_float_info("label_lower_bound")) == 0:
        return Markup("")
    scores = scores_of(subject, data, metrics, seed, model.extra_metrics())
    baseline = baseline_of(subject, model, data, [score.name for score in scores])
    parts = [_headline(model, scores, baseline), _table(scores, baseline), paragraph(_about(model, data, scores))]
    details = _DETAILS.get(model.kind)
    return joined([*parts, *(details(subject, model, data) if details else [])])


def _headline(model: Judged, scores: list[ScoredMetric], baseline: dict[str, float]) -> Markup:
    """Return a sentence that compares the most readable metric with the baseline."""
    values = {score.name: score.value for score in scores}
    error = next((name for name in ("error", "merror") if name in values), None)
    if error and model.is_of_classes():
        text = f"The model predicts a wrong class for {percent_text(values[error])} of the rows"
        text += f"; always choosing the most frequent class is wrong for {percent_text(baseline[error])}."
    else:
        name = "mae" if "mae" in values else scores[0].name
        text = f"{_NAMES.get(name, name)} is {number_text(values[name], 4)}"
        what = "in a random order" if model.kind == "ranking" else "without features"
        text += f"; {what} it is {number_text(baseline[name], 4)}."
    return paragraph(text, kind="headline")


def _table(scores: list[ScoredMetric], baseline: dict[str, float]) -> Markup:
    lines = [
        [
            f"{score.name} {_UP if score.is_up else _DOWN}",
            number_text(score.value, 5),
            "" if score.interval is None else " to ".join(number_text(end, 4) for end in score.interval),
            number_text(0.0 if abs(baseline[score.name]) < _ZERO else baseline[score.name], 5),
        ]
        for score in scores
    ]
    return table(["metric", "model", "95 % interval", "baseline"], lines)


def _about(model: Judged, data: DMatrix, scores: list[ScoredMetric]) -> str:
    text = f"Measured on {data.num_row():,} rows. {_UP} higher is better, {_DOWN} lower is better. "
    text += about_baseline(model)
    if scores[0].interval is None:
        return f"{text} There are no intervals for more than 100,000 rows or several targets."
    unit = "queries" if model.kind == "ranking" else "rows"
    return (
        f"{text} The intervals are 95 % bootstrap confidence intervals, from {N_RESAMPLES} samples of these {unit} "
        f"with replacement. They show how far the numbers would move with other test {unit}, not how the model "
        "would change with other training rows."
    )


def _of_binary(_: Subject, model: Judged, __: DMatrix) -> list[Markup]:
    """Return the confusion matrix, curves, calibration and predictions of two classes."""
    parts = _confusion_of(model)
    is_true, second = model.labels == 1, model.classes[1]
    if not model.has_probabilities or is_true.all() or not is_true.any():
        return parts
    scores = model.predictions[:, 1]
    groups = [(f"true class: {name}", scores[model.labels == label]) for label, name in enumerate(model.classes)]
    axes = plot_histograms(groups, narrow_axes(), f"predicted probability of {short(second)}")
    pictures = _curves_of(model, [1])
    pictures += [_calibration_of(model, is_true, scores, f"probability of {short(second)}")]
    pictures += [
        drawn(
            axes,
            f"Histogram of the predicted probabilities of {second}, for the rows of each true class",
            "Predictions",
        )
    ]
    return [*parts, heading("Ranking and calibration"), paragraph(_ABOUT_CURVES), block("pictures", pictures)]


_ABOUT_CURVES = (
    "ROC: a curve near the upper left corner separates the classes well; the dashed line is chance. "
    "Precision and recall: how many of the found rows are right, over how many of the right rows are found. "
    "Calibration: points on the dashed line mean that probabilities are what they say; bars are 95 % intervals."
)


def _of_classes(_: Subject, model: Judged, __: DMatrix) -> list[Markup]:
    """Return the confusion matrix, curves, calibration and predictions of several classes."""
    parts = _confusion_of(model)
    counts = np.bincount(model.labels.astype(np.int64), minlength=len(model.classes))
    drawable = np.flatnonzero((counts > 0) & (counts < len(model.labels)))
    if not model.has_probabilities or len(drawable) == 0:
        return parts
    largest = np.sort(drawable[np.argsort(-counts[drawable], kind="stable")[:_MOST_CURVES]])
    is_right = model.chosen() == model.labels
    rows = np.arange(len(model.labels))
    of_true = model.predictions[rows, model.labels.astype(np.int64)]
    axes = plot_histograms([("", of_true)], narrow_axes(), "predicted probability of the true class")
    pictures = _curves_of(model, largest.tolist())
    pictures += [_calibration_of(model, is_right, model.predictions.max(axis=1), "probability of the predicted class")]
    pictures += [drawn(axes, "Histogram of the probability that each row's true class was given", "Predictions")]
    about = "Each class stands against all others. " + _ABOUT_CURVES
    return [*parts, heading("Ranking and calibration"), paragraph(about), block("pictures", pictures)]


def _confusion_of(model: Judged) -> list[Markup]:
    """Return the confusion matrix; of many classes, the most frequent ones and all others together."""
    labels, chosen = model.labels.astype(np.int64), model.chosen()
    counts = np.bincount(labels, minlength=len(model.classes))
    shown, names = np.arange(len(counts)), list(model.classes)
    if len(counts) > _MOST_CLASSES:
        shown = np.sort(np.argsort(-counts, kind="stable")[:_MOST_CLASSES])
        names = [model.classes[label] for label in shown] + ["others"]
    place = np.full(len(counts), len(names) - 1)
    place[shown] = np.arange(len(shown))
    found = confusion(place[labels], place[chosen], len(names))
    shares = found / np.maximum(found.sum(axis=1, keepdims=True), 1)
    head = ["true class", *(short(name, 20) for name in names), "rows"]
    rows = [
        [short(name, 20), *(f"{count:,} ({share:.0%})" for count, share in zip(line, of_row)), f"{line.sum():,}"]
        for name, line, of_row in zip(names, found, shares)
    ]
    about = "Each line is a true class, each column a predicted class: numbers of rows, and shares of the true class."
    if model.kind == "binary":
        about += f" A row counts as {model.classes[1]} if its probability is above 50 %."
    return [heading("Confusion matrix"), paragraph(about), matrix(head, rows, [[*line, 0.0] for line in shares])]


def _curves_of(model: Judged, classes: list[int]) -> list[Markup]:
    """Return ROC curves and precision-recall curves of classes against all others."""
    rocs, recalls = [], []
    for number in classes:
        rows = (model.labels == number, model.predictions[:, number], model.weights)
        curve = roc(*rows)
        rocs.append((f"{short(model.classes[number], 12)} {area(curve):.3f}", curve))
        recalls.append((model.classes[number], precision_recall(*rows)))
    text = ", ".join(name for name, _ in rocs)
    axes = plot_curves(rocs, narrow_axes(), ("false positive rate", "true positive rate"), _CHANCE)
    found = [drawn(axes, f"ROC curve, with the area under it: {text}", "ROC curve")]
    axes = plot_curves(recalls, narrow_axes(), ("recall", "precision"), None)
    return [
        *found,
        drawn(axes, f"Precision over recall of {', '.join(name for name, _ in recalls)}", "Precision and recall"),
    ]


def _calibration_of(model: Judged, is_true: np.ndarray, scores: np.ndarray, what: str) -> Markup:
    found = calibration(is_true, scores, model.weights)
    axes = plot_calibration(found, narrow_axes(), (f"predicted {what}", "observed share"))
    return drawn(axes, f"Calibration: observed share over predicted {what}", "Calibration")


def _of_regression(_: Subject, model: Judged, __: DMatrix) -> list[Markup]:
    """Return predictions against labels, and residuals, for each of the first targets."""
    labels = model.labels.reshape(len(model.labels), -1).astype(np.float64)
    parts = [heading("Residuals"), paragraph("A residual is the true value minus the prediction.")]
    for target in range(min(labels.shape[1], _MOST_TARGETS)):
        truth, predicted = labels[:, target], model.predictions[:, target]
        residuals = truth - predicted
        limits = (residuals.min(), residuals.max()) if np.ptp(residuals) > 0 else (residuals[0] - 1, residuals[0] + 1)
        of_target = f", target {target}" if labels.shape[1] > 1 else ""
        against = plot_points(truth, predicted, narrow_axes(), ("true value", "prediction"), is_diagonal=True)
        spread = plot_points(predicted, residuals, narrow_axes(), ("prediction", "residual"), is_diagonal=False)
        counts = plot_histograms([("", residuals)], narrow_axes(), "residual", limits)
        pictures = [
            drawn(against, f"Predictions over true values{of_target}", f"Predictions and true values{of_target}"),
            drawn(spread, f"Residuals over predictions{of_target}", f"Residuals{of_target}"),
            drawn(counts, f"Histogram of the residuals{of_target}", f"Histogram of the residuals{of_target}"),
        ]
        parts += [block("pictures", pictures)]
    if labels.shape[1] > _MOST_TARGETS:
        parts.append(paragraph(f"The first {_MOST_TARGETS} of {labels.shape[1]} targets are shown."))
    return parts


def _of_quantiles(subject: Subject, model: Judged, _: DMatrix) -> list[Markup]:
    """Return the share of labels at or below the prediction of each quantile."""
    levels = subject.quantile_levels()
    if model.labels.ndim != 1 or len(levels) != model.predictions.shape[1]:
        return []
    lines = []
    for level, predicted in zip(levels, model.predictions.T):
        share = float(np.average(model.labels <= predicted, weights=model.weights))
        lines.append([f"{level:g}", f"{level:.1%}", f"{share:.1%}"])
    about = "Of a good model, as many labels lie at or below the predicted quantile as its level says."
    return [heading("Coverage"), paragraph(about), table(["quantile", "should be", "labels at or below"], lines)]


def _of_ranking(_: Subject, model: Judged, data: DMatrix) -> list[Markup]:
    """Return the mean label of the rows at each place."""
    queries = data.get_uint_info("group_ptr").astype(np.int64)
    if len(queries) < 2:
        return []
    means = mean_by_place(model.labels, model.predictions[:, 0], queries, _N_PLACES)
    axes = plot_places(means, float(model.labels.mean()), narrow_axes())
    about = "The bars should fall from left to right. The dashed line is the mean of all rows, as in a random order."
    picture = drawn(axes, f"Mean label by place, from {means[0]:.3g} at the first place to {means[-1]:.3g}")
    return [heading("Labels by place"), paragraph(about), block("pictures", [picture])]


def _of_survival(_: Subject, model: Judged, data: DMatrix) -> list[Markup]:
    """Return the observed survival of thirds of the rows, by their predictions."""
    if model.objective == "survival:cox":
        times, is_event = np.abs(model.labels).astype(np.float64), model.labels > 0
    else:
        low, high = (data.get_float_info(f"label_{end}_bound") for end in ("lower", "upper"))
        if len(low) == 0 or not np.all((high == low) | np.isinf(high)):
            return []
        times, is_event = low.astype(np.float64), high == low
    order = np.argsort(model.predictions[:, 0], kind="stable")
    what = "risk" if model.objective == "survival:cox" else "time"
    thirds = [(f"{name} {what}", rows) for name, rows in zip(("low", "middle", "high"), np.array_split(order, 3))]
    curves = [(name, survival_curve(times[rows], is_event[rows])) for name, rows in thirds if len(rows)]
    axes = plot_steps(curves, narrow_axes())
    about = f"The rows in thirds by their predicted {what}: the share of each without an event so far (Kaplan-Meier)."
    picture = drawn(axes, f"Observed survival of thirds of the rows by predicted {what}")
    return [heading("Survival by prediction"), paragraph(about), block("pictures", [picture])]


_DETAILS: dict[str, Callable[[Subject, Judged, DMatrix], list[Any]]] = {
    "binary": _of_binary,
    "classes": _of_classes,
    "regression": _of_regression,
    "quantiles": _of_quantiles,
    "ranking": _of_ranking,
    "survival": _of_survival,
}
