"""Display of a cluster training's evaluations in the client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._training.callback import EvalsLog
from .._training.progress import can_draw, display


class Progress:
    """Shows a bar on a terminal, else lines; see `verbose_eval` of `kauriboost.train`.

    Parameters
    ----------
    n_rounds
        Number of rounds to train.
    verbose_eval
        As for `kauriboost.train`.
    """

    def __init__(self, n_rounds: int, verbose_eval: bool | int) -> None:
        is_bar = verbose_eval is True and can_draw()
        self._callbacks: list[Any] = list(display(n_rounds, is_bar, int(verbose_eval)))  # callbacks get no model
        self._n_shown = 0
        for callback in self._callbacks:
            callback.before_training(None)

    def show(self, history: EvalsLog) -> None:
        """Show the new rounds."""
        n_rounds = max((len(values) for metrics in history.values() for values in metrics.values()), default=0)
        for epoch in range(self._n_shown, n_rounds):
            until = {
                data: {metric: values[: epoch + 1] for metric, values in metrics.items()}
                for data, metrics in history.items()
            }
            for callback in self._callbacks:
                callback.after_iteration(None, epoch, until)
        self._n_shown = max(self._n_shown, n_rounds)

    def end(self, reports: Sequence[str]) -> None:
        """Show the remaining state, and the messages of callbacks."""
        for callback in self._callbacks:
            callback.after_training(None)
        for report in reports:
            for callback in self._callbacks:
                callback.say(report)
