"""Numbers that say how good predictions are, beside the library's metrics: curves, bins and counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_Z = 1.959964  # the normal distribution's quantile for 95 %


class Curve(NamedTuple):
    """Points of a curve."""

    x: np.ndarray
    y: np.ndarray


class Calibration(NamedTuple):
    """For bins of predictions, ascending: mean prediction, observed share, its 95 % interval, and weight."""

    predicted: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray


def confusion(labels: np.ndarray, predicted: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the number of rows of each true class, by predicted class: ``[n_classes, n_classes]``."""
    cells = labels.astype(np.int64) * n_classes + predicted.astype(np.int64)
    return np.bincount(cells, minlength=n_classes * n_classes).reshape(n_classes, n_classes)


def _sums(is_true: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of true and of false rows at or above each distinct score, from the highest score."""
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(order) - 1)
    hits = np.cumsum(np.where(is_true, weights, 0.0)[order])[ends]
    return hits, np.cumsum(weights[order])[ends] - hits


def roc(is_true: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> Curve:
    """Return the share of true rows that are found, over the share of false rows that are taken for true."""
    hits, misses = _sums(is_true, scores, weights)
    return Curve(np.append(0.0, misses / misses[-1]), np.append(0.0, hits / hits[-1]))


def precision_recall(is_true: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> Curve:
    """Return the share of true rows among those found, over the share of true rows that are found."""
    hits, misses = _sums(is_true, scores, weights)
    return Curve(hits / hits[-1], hits / (hits + misses))


def area(curve: Curve) -> float:
    """Return the area under a curve, by trapezoids."""
    return float(np.sum(np.diff(curve.x) * (curve.y[1:] + curve.y[:-1]) / 2))


def calibration(is_true: np.ndarray, scores: np.ndarray, weights: np.ndarray, n_bins: int = 10) -> Calibration:
    """Return predicted and observed shares in bins with about equal numbers of rows; equal scores share a bin.

    The intervals are Wilson's (1927), with the effective number of rows of weighted bins.
    """
    last_of_bin = -(-len(scores) * np.arange(1, n_bins) // n_bins) - 1
    edges = np.unique(np.sort(scores)[last_of_bin])
    bins = np.searchsorted(edges, scores, side="left")
    weight = np.bincount(bins, weights)
    used = weight > 0
    total = weight[used]
    predicted = np.bincount(bins, weights * scores)[used] / total
    observed = np.bincount(bins, weights * is_true)[used] / total
    n = total**2 / np.bincount(bins, weights**2)[used]
    middle = (observed + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(observed * (1 - observed) / n + _Z**2 / (4 * n**2))
    return Calibration(predicted, observed, middle - half, middle + half, total)


def survival_curve(times: np.ndarray, is_event: np.ndarray) -> Curve:
    """Return the share of rows without an event up to each time, by the product limit (Kaplan, Meier 1958)."""
    moments = np.unique(times[is_event])
    at_risk = np.array([(times >= moment).sum() for moment in moments])
    events = np.array([(is_event & (times == moment)).sum() for moment in moments])
    shares = np.cumprod(1 - events / np.maximum(at_risk, 1))
    end = [times.max()] if len(times) else []
    return Curve(
        np.concatenate([[0.0], moments, end]), np.concatenate([[1.0], shares, [shares[-1] if len(shares) else 1.0]])
    )


def mean_by_place(labels: np.ndarray, scores: np.ndarray, queries: np.ndarray, n_places: int) -> np.ndarray:
    """Return the mean label of the rows at place 1, 2, ... by score; `queries` are the borders of the queries."""
    sums, counts = np.zeros(n_places), np.zeros(n_places)
    for begin, end in zip(queries[:-1], queries[1:]):
        order = np.argsort(-scores[begin:end], kind="stable")[:n_places]
        sums[: len(order)] += labels[begin:end][order]
        counts[: len(order)] += 1
    return sums[counts > 0] / counts[counts > 0]
