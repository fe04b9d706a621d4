"""Tables of measurements: losses by set, and for each group of sets the wins, mean ranks, tests and times."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from . import ranks
from .store import Line
from .tasks import ALL_CHOOSING, ALL_CONFIRMING, CHOOSING, CONFIRMING, UNSEEN

GROUPS = (
    ("the sets that choose", ALL_CHOOSING),
    ("the sets that confirm", ALL_CONFIRMING),
    ("all sets", (*ALL_CHOOSING, *ALL_CONFIRMING)),
)
# The groups of the table that is printed while a run goes on, which has the older sets only.
OLDER_GROUPS = (
    ("where settings are chosen", CHOOSING),
    ("where they are confirmed", CONFIRMING),
    ("unseen", UNSEEN),
    ("where they are confirmed, and unseen", (*CONFIRMING, *UNSEEN)),
)


@dataclass
class Means:
    """Means over splits of the sets on which all entrants were measured, on the same splits."""

    entrants: list[str]
    sets: list[str]
    losses: np.ndarray  # [n_sets, n_entrants]
    seconds: np.ndarray  # [n_sets, n_entrants]
    splits: np.ndarray  # [n_sets], how many splits the means are of

    def of(self, members: tuple[str, ...]) -> Means:
        """Return the means of some of the sets."""
        at = [row for row, name in enumerate(self.sets) if name in members]
        names = [self.sets[row] for row in at]
        return Means(self.entrants, names, self.losses[at], self.seconds[at], self.splits[at])


def means_of(lines: list[Line], entrants: list[str]) -> Means:
    """Return the means of all sets that each of the entrants has at least one split of, over their common splits."""
    by_set: dict[str, dict[int, dict[str, Line]]] = defaultdict(lambda: defaultdict(dict))
    for line in lines:
        if line["entrant"] in entrants and line.get("loss") is not None:
            by_set[line["set"]][line["split"]][line["entrant"]] = line
    order = [name for _, members in GROUPS[:2] for name in members]
    sets, losses, seconds, splits = [], [], [], []
    for name in sorted(by_set, key=lambda known: (order.index(known) if known in order else len(order), known)):
        common = [found for found in by_set[name].values() if len(found) == len(entrants)]
        if common:
            sets.append(name)
            losses.append([np.mean([found[entrant]["loss"] for found in common]) for entrant in entrants])
            seconds.append([np.mean([found[entrant]["seconds"] for found in common]) for entrant in entrants])
            splits.append(len(common))
    shape = (len(sets), len(entrants))
    return Means(
        entrants, sets, np.reshape(losses, shape), np.reshape(seconds, shape), np.array(splits, dtype=np.int64)
    )


def entrants_in(lines: list[Line], wanted: list[str]) -> list[str]:
    """Return the entrants' names, in the order of `wanted` if it has any."""
    known = list(dict.fromkeys(line["entrant"] for line in lines))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise ValueError(f"no measurement of {', '.join(unknown)}; there are {', '.join(known)}")
    return wanted or known


def _joined(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def losses_table(means: Means) -> list[str]:
    """Return the lines of a Markdown table of losses by set; the least loss is bold."""
    found = [_joined(["set", "splits", *means.entrants]), "|" + "---|" * (2 + len(means.entrants))]
    for name, splits, losses in zip(means.sets, means.splits, means.losses):
        texts = [f"{loss:.4f}" for loss in losses]
        least = f"{losses.min():.4f}"
        found.append(_joined([name, str(splits), *(f"**{text}**" if text == least else text for text in texts)]))
    return found


def group_table(what: str, means: Means, reference: str) -> list[str]:
    """Return the lines of a Markdown table of the entrants on a group of sets, the best mean rank first."""
    if len(means.sets) < 2 or len(means.entrants) < 2:
        return []
    at = means.entrants.index(reference)
    mean_ranks, wins = ranks.mean_ranks(means.losses), ranks.wins(means.losses)
    chances = ranks.wilcoxon(means.losses, at)
    better = (means.losses < means.losses[:, [at]]).sum(axis=0)
    excess = np.median(ranks.excess(means.losses), axis=0)
    times = np.exp(np.log(means.seconds / means.seconds[:, [at]]).mean(axis=0))
    headers = ["entrant", "mean rank", "wins", f"better than {reference} on", "Wilcoxon, Holm"]
    headers += ["above the best, median", f"time beside {reference}", "seconds in all"]
    found = [f"{what}: {len(means.sets)} sets", "", _joined(headers), "|" + "---|" * len(headers)]
    for entrant in np.argsort(mean_ranks, kind="stable"):
        own = entrant == at
        cells = [means.entrants[entrant], f"{mean_ranks[entrant]:.2f}", f"{wins[entrant]:g}"]
        cells += ["" if own else str(better[entrant]), "" if own else f"{chances[entrant]:.2g}"]
        cells += [f"{excess[entrant]:.1f} %", f"{times[entrant]:.2f}", f"{means.seconds[:, entrant].sum():.1f}"]
        found.append(_joined(cells))
    apart = ranks.critical_difference(len(means.entrants), len(means.sets))
    found += [
        "",
        f"Friedman's test: {ranks.friedman(means.losses):.2g}; critical difference of the ranks {apart:.2f}.",
        "",
    ]
    return found


def whole(lines: list[Line], wanted: list[str], reference: str) -> list[str]:
    """Return the lines of all tables."""
    entrants = entrants_in(lines, wanted)
    means = means_of(lines, entrants)
    found = [*losses_table(means), ""]
    for what, members in GROUPS:
        found += group_table(what, means.of(members), reference if reference in entrants else entrants[0])
    failed = [line for line in lines if line["entrant"] in entrants and line.get("loss") is None]
    found += [f"{line['set']}, {line['entrant']}, split {line['split']} failed: {line['failure']}" for line in failed]
    return found
