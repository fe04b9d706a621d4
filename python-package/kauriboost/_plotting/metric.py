"""The plot of a metric over the rounds of a training or a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._model.booster import Booster
from .._training.callback import EvalsLog, deviation_of, mean_of
from .parts import AS_WRITTEN, BLUE, GREY, LINES, RED, axes_for, number_text, short, signed

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
    ax = axes_for(ax, 7, 8, grid="y")
    for (data, scores), color in zip(shown.items(), _colors(list(shown))):
        means = np.array([mean_of(score) for score in scores])
        spread = np.array([deviation_of(score) for score in scores])
        rounds = np.arange(len(means))
        ax.plot(rounds, means, color=color, label=data, marker="o" if len(means) == 1 else None)
        if spread.any():
            ax.fill_between(rounds, means - spread, means + spread, color=color, alpha=0.15, linewidth=0)
    ends = _bounds([means for scores in shown.values() for means in map(mean_of, scores)], metric)
    _mark_best(ax, metric, means, color)
    _finish(ax, metric, list(shown), ends)
    return ax


def _bounds(means: list[float], metric: str) -> tuple[float, float]:
    """Return the values that the axis does not go beyond: 0 below a loss, 1 above a share."""
    known = [mean for mean in means if np.isfinite(mean)] or [np.inf, -np.inf]
    is_share = max(known) <= 1 and Booster().higher_is_better(metric)
    return 0.0 if min(known) >= 0 else -np.inf, 1.0 if is_share else np.inf


def _colors(names: list[str]) -> list[str]:
    """Return a colour for each data set: grey for the training rows if there are other sets."""
    first = [GREY] if len(names) > 1 else []
    colors = [*first, BLUE, RED, *LINES[1:]]
    return [colors[place % len(colors)] for place in range(len(names))]


def _mark_best(ax: Any, metric: str, means: np.ndarray, color: str) -> None:
    """Mark the best round of a data set, and write its number above the axes, where no curve is."""
    if np.isnan(means).all() or len(means) < 2:
        return
    best = int(np.nanargmax(means) if Booster().higher_is_better(metric) else np.nanargmin(means))
    ax.axvline(best, color=color, linewidth=0.8, linestyle=":", zorder=1)
    ax.plot([best], [means[best]], "o", color=color, markersize=5, clip_on=False, zorder=3)
    text = f"round {best}: {signed(number_text(means[best], 5))}"
    side = "left" if best < 0.25 * len(means) else "right" if best > 0.75 * len(means) else "center"
    about = {"textcoords": "offset points", "color": color, "fontsize": 9, "ha": side, "va": "bottom"}
    ax.annotate(text, (best, 1.0), (0, 3), xycoords=ax.get_xaxis_transform(), annotation_clip=False, **about)


def _finish(ax: Any, metric: str, names: list[str], bounds: tuple[float, float]) -> None:
    from matplotlib.ticker import MaxNLocator
    from matplotlib.transforms import ScaledTranslation

    ax.set_xlabel("round")
    ax.set_ylabel(metric, **AS_WRITTEN)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    low, high = ax.get_ylim()
    ax.set_ylim(max(low, bounds[0]), min(high, bounds[1]))
    lines = [line for line in ax.lines if line.get_label() in names]
    above = ax.transAxes + ScaledTranslation(0, 16 / 72, ax.figure.dpi_scale_trans)  # above the note
    place = {"loc": "lower right", "bbox_to_anchor": (1, 1), "bbox_transform": above, "borderaxespad": 0}
    shown = [short(name, 24) for name in names]
    place["ncols"] = 3 if sum(map(len, shown)) < 45 else 1
    for text, name in zip(ax.legend(lines, ["-"] * len(lines), frameon=False, **place).get_texts(), shown):
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
