"""Figures 5 and 6: orders from orthogonal points on the sphere."""

from __future__ import annotations

import kauriboost as kb
import numpy as np

from .claims import Sheet


def kendall(ranks: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return 1 - 2 (fraction of pairs in which two orders disagree), by definition, [n]. ranks, others: [n, d]."""
    first, second = np.triu_indices(ranks.shape[1], 1)
    of_ranks = np.sign(ranks[:, first].astype(np.int64) - ranks[:, second].astype(np.int64))
    of_others = np.sign(others[:, first].astype(np.int64) - others[:, second].astype(np.int64))
    return (of_ranks * of_others).mean(axis=1)


def dot(ranks: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the dot product of centred ranks, normalised to length 1."""
    centred = [table - (ranks.shape[1] - 1) / 2 for table in (ranks, others)]
    length = np.sqrt((centred[0] ** 2).sum(axis=1))
    return (centred[0] * centred[1]).sum(axis=1) / length**2


def bounds(tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounds of the product by theorem 2, up to O(1/d)."""
    low = 3 * tau - 2 + 4 * ((1 - tau) / 2) ** 1.5
    high = 3 * tau + 2 - 4 * ((1 + tau) / 2) ** 1.5
    return low, high


def pairs(ranks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of orders."""
    first, second = np.triu_indices(len(ranks), 1)
    return ranks[first], ranks[second]


def figure_5(sheet: Sheet) -> None:
    """Print histograms of Kendall's tau over pairs of orders of one batch, orthogonal and random. 10 players."""
    d, edges = 10, np.linspace(-1, 1, 21)
    taus: dict[str, list[np.ndarray]] = {"orthogonal": [], "mc": []}
    for seed in range(1, (20 if sheet.args.quick else 100) + 1):
        for method, found in taus.items():
            found.append(kendall(*pairs(kb.sample_orders(d, 2 * (d - 1), method, seed).ranks())))
    shares = {method: np.histogram(np.concatenate(found), edges)[0] for method, found in taus.items()}
    for low, high, *counts in zip(edges, edges[1:], *shares.values()):
        of_all = [count / shares["mc"].sum() for count in counts]
        sheet.line(f"tau {low:5.1f} to {high:4.1f}", *(f"{name} {100 * share:5.2f} % {'#' * round(150 * share):30}"
                   for name, share in zip(taus, of_all)))  # fmt: skip
    at_right_angles = np.concatenate(taus["orthogonal"])
    antipodes = at_right_angles == -1.0
    n_antipodes = len(taus["orthogonal"]) * (d - 1)
    sheet.require("every order has its reverse in the batch", bool(antipodes.sum() == n_antipodes))
    most = float(np.abs(at_right_angles[~antipodes]).max())
    sheet.require(f"no other tau is beyond 1/2 + 1/sqrt(d) = {0.5 + d**-0.5:.3f}: {most:.3f}", most <= 0.5 + d**-0.5)
    sheet.claim("taus of orthogonal pairs spread less than those of random pairs",
                bool(at_right_angles[~antipodes].std() < np.concatenate(taus["mc"]).std()))  # fmt: skip


def figure_6(sheet: Sheet) -> None:
    """Print the product of ranks against Kendall's tau, with its bounds. 15 players."""
    d, n = 15, 2000 if sheet.args.quick else 200_000
    rng = np.random.default_rng(1)
    start = np.arange(d, dtype=np.uint32)
    others = np.array([start[rng.permutation(d)] for _ in range(n)])
    near = n // 2  # half of the pairs differ by a few adjacent swaps, or are reversed, to fill the ends
    for i in range(near):
        others[i] = start if i % 2 == 0 else start[::-1]
        for at in rng.integers(0, d - 1, rng.integers(0, 40)):
            others[i, [at, at + 1]] = others[i, [at + 1, at]]
    ranks = np.broadcast_to(start, others.shape)
    tau, product = kendall(ranks, others), dot(ranks, others)
    low, high = bounds(tau)
    for begin in np.arange(-1, 1, 0.2):
        chosen = (tau >= begin) & (tau <= begin + 0.2)
        if chosen.any():
            seen = f"product {product[chosen].min():6.3f} to {product[chosen].max():6.3f}"
            allowed = f"bounds {low[chosen].min():6.3f} to {high[chosen].max():6.3f}"
            sheet.line(f"tau {begin:4.1f} to {begin + 0.2:4.1f}:", seen, allowed)
    beyond = float(max((low - product).max(), (product - high).max()))
    sheet.require(f"no pair lies outside of theorem 2's bounds by more than 1/d = {1 / d:.3f}: by {max(beyond, 0):.4f}",
                  beyond <= 1 / d)  # fmt: skip
