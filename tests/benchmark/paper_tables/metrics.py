"""Metrics of test predictions, computed in float64 from their definitions, the same for every library."""

from __future__ import annotations

import numpy as np


def auc(labels: np.ndarray, scores: np.ndarray, _: np.ndarray | None = None) -> float:
    """Return the probability that a positive row scores above a negative one; ties count half."""
    values, rank_of = np.unique(scores, return_inverse=True)
    positive = np.bincount(rank_of, weights=labels, minlength=len(values))
    negative = np.bincount(rank_of, weights=1 - labels, minlength=len(values))
    below = np.cumsum(negative) - negative
    return float((positive * (below + negative / 2)).sum() / (positive.sum() * negative.sum()))


def rmse(labels: np.ndarray, predictions: np.ndarray, _: np.ndarray | None = None) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((labels.astype(float) - predictions.astype(float)) ** 2)))


def mlogloss(labels: np.ndarray, probabilities: np.ndarray, _: np.ndarray | None = None) -> float:
    """Return the mean of -log of the true class's probability."""
    chosen = probabilities[np.arange(len(labels)), labels.astype(int)].astype(float)
    return float(-np.log(np.maximum(chosen, 1e-16)).mean())


def ndcg_at_10(labels: np.ndarray, scores: np.ndarray, group: np.ndarray | None = None) -> float:
    """Return the mean over queries of DCG / ideal DCG of ten rows, gains 2^grade - 1; 1 if no grade is above 0."""
    ends = np.cumsum([len(labels)] if group is None else group)
    values = []
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        gains = 2.0 ** labels[begin:end] - 1
        discounts = 1 / np.log2(np.arange(min(10, len(gains))) + 2)
        ranked = gains[np.argsort(-scores[begin:end], kind="stable")][:10]
        ideal = np.sort(gains)[::-1][:10]
        best = float((ideal * discounts).sum())
        values.append(1.0 if best == 0 else float((ranked * discounts).sum()) / best)
    return float(np.mean(values))
