"""What happens around each round of training."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any, TextIO

from .booster import Booster, CustomMetric
from .data import DMatrix

EvalsLog = dict[str, dict[str, list[float]]]

_MAXIMISED = ("auc", "aucpr", "pre", "map", "ndcg")


class TrainingCallback:
    """Base of callbacks; each method may be overridden. ``True`` from a round's method stops the training."""

    def before_training(self, model: Booster) -> Booster:
        """Run before the first round; returns the model to train."""
        return model

    def after_training(self, model: Booster) -> Booster:
        """Run after the last round; returns the model that training returns."""
        return model

    def before_iteration(self, model: Booster, epoch: int, evals_log: EvalsLog) -> bool:
        """Run before round `epoch`."""
        return False

    def after_iteration(self, model: Booster, epoch: int, evals_log: EvalsLog) -> bool:
        """Run after round `epoch`; `evals_log` holds its evaluation: data set -> metric -> values."""
        return False


class EarlyStopping(TrainingCallback):
    """Stops when a metric has not improved for some rounds; leaves best_iteration and best_score with the model.

    Parameters
    ----------
    rounds
        How many rounds without improvement to allow.
    metric_name, data_name
        What to watch; the last metric and the last data set if not given.
    maximize
        Whether larger is better; decided by the metric's name if not given.
    save_best
        Return the model of the best round instead of the last.
    min_delta
        The smallest change that counts as an improvement.
    """

    def __init__(
        self,
        *,
        rounds: int,
        metric_name: str | None = None,
        data_name: str | None = None,
        maximize: bool | None = None,
        save_best: bool = False,
        min_delta: float = 0.0,
    ) -> None:
        if min_delta < 0:
            raise ValueError(f"min_delta is {min_delta}; expected at least 0.")
        self.rounds = rounds
        self.metric_name = metric_name
        self.data_name = data_name
        self.maximize = maximize
        self.save_best = save_best
        self.min_delta = min_delta
        self.starting_round = 0
        self.waited = 0
        self.best: float | None = None

    def before_training(self, model: Booster) -> Booster:
        """Remember where a continued training starts."""
        self.starting_round = model.num_boosted_rounds()
        self.waited = 0
        self.best = None
        return model

    def _watched(self, evals_log: EvalsLog) -> tuple[str, float]:
        """Return the metric's name and its newest value."""
        if not evals_log:
            raise ValueError("early stopping needs data to watch; pass `evals` to train().")
        data_name = self.data_name or list(evals_log)[-1]
        if data_name not in evals_log:
            raise ValueError(f"early stopping watches {data_name!r}, but evals are {list(evals_log)}.")
        metrics = evals_log[data_name]
        metric = self.metric_name or list(metrics)[-1]
        if metric not in metrics:
            raise ValueError(f"early stopping watches {metric!r}, but metrics are {list(metrics)}.")
        return metric, metrics[metric][-1]

    def _improves(self, metric: str, value: float) -> bool:
        maximize = self.maximize
        if maximize is None:
            maximize = metric != "mape" and metric.startswith(_MAXIMISED)
        if self.best is None:
            return True
        return value - self.min_delta > self.best if maximize else self.best - self.min_delta > value

    def after_iteration(self, model: Booster, epoch: int, evals_log: EvalsLog) -> bool:
        """Compare with the best round so far."""
        metric, value = self._watched(evals_log)
        if self._improves(metric, value):
            self.best = value
            self.waited = 0
            model.set_attr(best_iteration=epoch + self.starting_round, best_score=value)
            return False
        self.waited += 1
        return self.waited >= self.rounds

    def after_training(self, model: Booster) -> Booster:
        """Cut the model off after the best round when `save_best` asks for it."""
        if not self.save_best or self.best is None:
            return model
        best_iteration, best_score = model.best_iteration, model.best_score
        model = model[: best_iteration + 1]
        model.set_attr(best_iteration=best_iteration, best_score=best_score)
        return model


class EvaluationMonitor(TrainingCallback):
    """Prints the evaluation of every `period`-th round, and of the last."""

    def __init__(self, period: int = 1) -> None:
        if period < 1:
            raise ValueError(f"period is {period}; expected at least 1.")
        self.period = period
        self._pending: str | None = None

    def after_iteration(self, model: Booster, epoch: int, evals_log: EvalsLog) -> bool:
        """Print, or keep the line in case this is the last round."""
        if not evals_log:
            return False
        line = "\t".join([f"[{epoch}]", *latest_values(evals_log, ".5f")])
        self._pending = None if epoch % self.period == 0 else line
        if self._pending is None:
            print(line)
        return False

    def after_training(self, model: Booster) -> Booster:
        """Print the last line."""
        if self._pending is not None:
            print(self._pending)
        self._pending = None
        return model


class ProgressBar(TrainingCallback):
    """One line on a terminal: rounds done, time left, and the newest evaluation.

    Parameters
    ----------
    total
        Rounds to come.
    stream
        Where to draw; standard error if not given.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total = total
        self.stream = sys.stderr if stream is None else stream
        self._started = 0.0
        self._drawn = 0.0
        self._line = ""  # on the screen
        self._newest = ""  # to be drawn

    def before_training(self, model: Booster) -> Booster:
        """Start the clock."""
        self._started = time.monotonic()
        self._drawn = 0.0
        return model

    def after_iteration(self, model: Booster, epoch: int, evals_log: EvalsLog) -> bool:
        """Draw, at most ten times a second."""
        now = time.monotonic()
        done = epoch + 1
        left = (now - self._started) / done * (self.total - done)
        filled = 24 * done // max(self.total, 1)
        values = "  ".join(latest_values(evals_log, ".4g"))
        line = f"{done}/{self.total} [{'#' * filled}{'.' * (24 - filled)}] {left:.0f} s left  {values}".rstrip()
        self._newest = line
        if now - self._drawn >= 0.1:
            self._draw()
            self._drawn = now
        return False

    def _draw(self) -> None:
        self.stream.write("\r" + self._newest.ljust(len(self._line)))
        self.stream.flush()
        self._line = self._newest

    def after_training(self, model: Booster) -> Booster:
        """Draw the last state and end the line."""
        if self._newest:
            self._draw()
            self.stream.write("\n")
            self.stream.flush()
        self._line = self._newest = ""
        return model


def latest_values(evals_log: EvalsLog, spec: str) -> list[str]:
    """Return "data-metric:value" of the newest evaluation."""
    newest = [(data, metric, values[-1]) for data, metrics in evals_log.items() for metric, values in metrics.items()]
    return [f"{data}-{metric}:{value:{spec}}" for data, metric, value in newest]


class CallbackContainer:
    """Runs the callbacks of one training and keeps its evaluations."""

    def __init__(self, callbacks: Sequence[TrainingCallback], metric: CustomMetric | None, output_margin: bool) -> None:
        for callback in callbacks:
            if not isinstance(callback, TrainingCallback):
                raise TypeError(f"callbacks must derive from TrainingCallback; {type(callback).__name__} does not.")
        self.callbacks = list(callbacks)
        self.history: EvalsLog = {}
        self._metric = metric
        self._output_margin = output_margin

    def before_training(self, model: Booster) -> Booster:
        """Run all."""
        for callback in self.callbacks:
            model = _booster(callback.before_training(model), callback, "before_training")
        return model

    def after_training(self, model: Booster) -> Booster:
        """Run all."""
        for callback in self.callbacks:
            model = _booster(callback.after_training(model), callback, "after_training")
        return model

    def before_iteration(self, model: Booster, epoch: int) -> bool:
        """Run all; whether one of them wants to stop."""
        wishes = [callback.before_iteration(model, epoch, self.history) for callback in self.callbacks]
        return any(wishes)

    def after_iteration(self, model: Booster, epoch: int, evals: Sequence[tuple[DMatrix, str]]) -> bool:
        """Evaluate, then run all; whether one of them wants to stop."""
        if evals:
            self._record(model.eval_set(evals, epoch, self._metric, self._output_margin))
        wishes = [callback.after_iteration(model, epoch, self.history) for callback in self.callbacks]
        return any(wishes)

    def _record(self, line: str) -> None:
        for entry in line.split("\t")[1:]:
            name, _, value = entry.rpartition(":")
            data, _, metric = name.partition("-")
            self.history.setdefault(data, {}).setdefault(metric, []).append(float(value))


def _booster(model: Any, callback: TrainingCallback, method: str) -> Booster:
    if not isinstance(model, Booster):
        raise TypeError(f"{type(callback).__name__}.{method} must return the booster, not {type(model).__name__}.")
    return model
