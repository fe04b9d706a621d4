"""The plot of a metric over the rounds of a training or a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._model.booster import Booster
from .._training.callback import EvalsLog, deviation_of, mean_of
from .parts import AS_WRITTEN, BLUE, GREY, LINES, RED, axes_for, number_text

_MEAN, _DEVIATION = "-mean", "-std"


def plot_metric(evaluations: Any, ax: Any = None, *, metric: str | None = None) -> Any:
    """Draw a metric of every data set over the rounds; a point marks the best round of the last data set.

    Parameters
    ----------
    evaluations
        The `evals_result` of `train`, the result of `cv` (a band shows the standard deviation over the folds), or an
        estimator fitted with an `eval_set`.
    ax
        Matplotlib axes to draw on; new ones by default.
    metric
        Its name; by default the last metric of the last data set, which early stopping watches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    log = log_of(evaluations)
    if not any(log.values()):
        raise ValueError("there are no evaluations to draw; train with evals=, or fit with eval_set=.")
    metric = list(log[list(log)[-1]])[-1] if metric is None else metric
    shown = {data: metrics[metric] for data, metrics in log.items() if metric in metrics}
    if not shown:
        known = list(dict.fromkeys(name for metrics in log.values() for name in metrics))
        raise ValueError(f"there is no metric {metric!r}; choose one of {known}.")
    ax = axes_for(ax, 7, 8)
    for (data, scores), color in zip(shown.items(), _colors(list(shown))):
        means = np.array([mean_of(score) for score in scores])
        spread = np.array([deviation_of(score) for score in scores])
        rounds = np.arange(len(means))
        ax.plot(rounds, means, color=color, label=data, marker="o" if len(means) == 1 else None)
        if spread.any():
            ax.fill_between(rounds, means - spread, means + spread, color=color, alpha=0.15, linewidth=0)
    _mark_best(ax, metric, means, color)
    _finish(ax, metric, list(shown))
    return ax


def _colors(names: list[str]) -> list[str]:
    """Return a colour for each data set: grey for the training rows if there are other sets."""
    first = [GREY] if len(names) > 1 else []
    colors = [*first, BLUE, RED, *LINES]
    return [colors[place % len(colors)] for place in range(len(names))]


def _mark_best(ax: Any, metric: str, means: np.ndarray, color: str) -> None:
    """Mark the best round of a data set with its number, on the side with more room."""
    if np.isnan(means).all() or len(means) < 2:
        return
    is_up = Booster().higher_is_better(metric)
    best = int(np.nanargmax(means) if is_up else np.nanargmin(means))
    ax.plot([best], [means[best]], "o", color=color, markersize=5)
    text = f"round {best}: {number_text(means[best], 5)}"
    on_left = best > 0.6 * len(means)
    offset = (-6 if on_left else 6, 9 if is_up else -9)
    place = {"ha": "right" if on_left else "left", "va": "bottom" if is_up else "top"}
    # another curve may run below the text
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
    about = {"textcoords": "offset points", "color": color, "fontsize": 9, "bbox": ground, **place}
    ax.annotate(text, (best, means[best]), offset, **about)
    ax.margins(y=0.14)


def _finish(ax: Any, metric: str, names: list[str]) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_xlabel("round")
    ax.set_ylabel(metric, **AS_WRITTEN)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.grid(axis="y", color="#e6e6e6")
    ax.set_axisbelow(True)
    lines = [line for line in ax.lines if line.get_label() in names]
    for text, name in zip(ax.legend(lines, ["-"] * len(lines), frameon=False).get_texts(), names):
        text.set(text=name, **AS_WRITTEN)  # a label passed to legend() may not begin with '_'


def log_of(evaluations: Any) -> EvalsLog:
    """Return evaluations by data set and metric from any supported object."""
    if hasattr(evaluations, "evals_result"):
        log: EvalsLog = evaluations.evals_result()
        return log
    if not isinstance(evaluations, Mapping) and not hasattr(evaluations, "columns"):
        raise TypeError(
            f"got {type(evaluations).__name__}; expected an evals_result, what cv() returned, or a fitted estimator."
        )
    columns = {str(name): evaluations[name] for name in evaluations}
    if not any(name.endswith(_MEAN) for name in columns):
        return columns
    return _log_of_folds({name: list(values) for name, values in columns.items()})


def _log_of_folds(columns: dict[str, list[float]]) -> EvalsLog:
    """Return the evaluations in the columns of a cross-validation table: train-rmse-mean, train-rmse-std, ..."""
    log: EvalsLog = {}
    for name in columns:
        if name.endswith(_MEAN):
            whole = name.removesuffix(_MEAN)
            data, _, metric = whole.partition("-")
            scores = zip(columns[name], columns.get(whole + _DEVIATION, [0.0] * len(columns[name])))
            log.setdefault(data, {})[metric] = [(float(mean), float(deviation)) for mean, deviation in scores]
    return log
