"""Callbacks that run around each round of training."""

from __future__ import annotations

import base64
import json
import logging
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from .._binding.errors import ModelError
from .._data.numbers import whole_number
from .._model.booster import Booster
from .._model.metrics import knows_metric
from .._public import public
from .callback import EvalsLog, TrainingCallback, mean_of
from .checkpoint import TrainingCheckPoint
from .cv_booster import AnyBooster
from .progress import EvaluationMonitor, ProgressBar

__all__ = [
    "EarlyStopping",
    "EvaluationMonitor",
    "LearningRateScheduler",
    "MaxTime",
    "ProgressBar",
    "TrainingCallback",
    "TrainingCheckPoint",
]

_logger = logging.getLogger("kauriboost")


@public("kauriboost.callback")
class LearningRateScheduler(TrainingCallback):
    """Sets the learning rate before each round.

    Parameters
    ----------
    learning_rates
        One rate per round, or a function from the round number, from 0, to its rate. The first rate applies to the
        first round, regardless of the parameters.
    """

    def __init__(self, learning_rates: Callable[[int], float] | Sequence[float]) -> None:
        if not callable(learning_rates) and not isinstance(learning_rates, Sequence):
            raise TypeError(
                f"learning_rates must be a function or a sequence of numbers, not {type(learning_rates).__name__}."
            )
        self.learning_rates = learning_rates

    def _rate(self, epoch: int) -> float:
        if callable(self.learning_rates):
            return self.learning_rates(epoch)
        if epoch >= len(self.learning_rates):
            raise ValueError(f"there are {len(self.learning_rates)} learning rates, none for round {epoch}; give more.")
        return self.learning_rates[epoch]

    def before_iteration(self, model: AnyBooster, epoch: int, evals_log: EvalsLog) -> bool:
        """Set the rate."""
        model.set_param("learning_rate", self._rate(epoch))
        return False


@public("kauriboost.callback")
class MaxTime(TrainingCallback):
    """Stops after the round in which the time limit has passed; the logger ``kauriboost`` says so.

    A `TrainingCheckPoint` in the same training saves that round too, so the next run can continue from there.

    Parameters
    ----------
    seconds
        The time limit, from the start of training.

    Attributes
    ----------
    stopped_after
        Number of rounds done at the time limit; None if it has not been reached.
    """

    def __init__(self, seconds: float) -> None:
        if not (isinstance(seconds, (int, float)) and seconds > 0) or math.isinf(seconds):
            raise ValueError(f"seconds is {seconds!r}; expected a number above 0.")
        self.seconds = seconds
        self.stopped_after: int | None = None
        self._started = 0.0

    def before_training(self, model: AnyBooster) -> AnyBooster:
        """Start the clock."""
        self._started = time.monotonic()
        self.stopped_after = None
        return model

    def after_iteration(self, model: AnyBooster, epoch: int, evals_log: EvalsLog) -> bool:
        """Stop if the time is over."""
        if time.monotonic() - self._started < self.seconds:
            return False
        self.stopped_after = epoch + 1
        _logger.warning("stopped after %d rounds: %g seconds are over", self.stopped_after, self.seconds)
        return True


@public("kauriboost.callback")
class EarlyStopping(TrainingCallback):
    """Stops when a metric has not improved for some rounds; sets best_iteration and best_score of the model.

    When it stops, a line names the best round. It is printed with the evaluations if these are shown, otherwise the
    logger ``kauriboost`` gets it.

    Parameters
    ----------
    rounds
        Number of rounds without improvement to allow.
    metric_name, data_name
        The metric and data set to watch; by default the last ones.
    maximize
        Whether larger is better. By default a built-in metric decides; for a custom metric smaller is better, and the
        logger ``kauriboost`` says so.
    save_best
        Return the model of the best round instead of the last. Cross-validation ignores this.
    min_delta
        The smallest change that counts as an improvement.

    Attributes
    ----------
    stopped_after
        Number of rounds done when it stopped; None if it has not stopped.
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
        rounds = whole_number(rounds, "early_stopping_rounds")
        if rounds < 1:
            raise ValueError(f"early stopping waits for {rounds} rounds; expected at least 1.")
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
        self.stopped_after: int | None = None
        self._best_line = ""
        self._best_model: bytes | None = None  # set if it cannot be sliced from the last model
        self._direction: tuple[str, bool] | None = None  # the watched metric, and whether larger values are better

    def before_training(self, model: AnyBooster) -> AnyBooster:
        """Reset the state and note the first round of a continued training."""
        self.starting_round = model.num_boosted_rounds()
        self.waited = 0
        self.best = None
        self.stopped_after = None
        self._best_model = None
        self._direction = None
        return model

    def _watched(self, evals_log: EvalsLog) -> tuple[str, str, float]:
        """Return the names of the watched data set and metric, and the latest value."""
        if not evals_log:
            raise ValueError(
                "early stopping needs data to watch; pass evals to train(), and to an estimator's fit() eval_set "
                "(or X_val and y_val), or validation_fraction=0.1 when it is made."
            )
        data_name = self.data_name or list(evals_log)[-1]
        if data_name not in evals_log:
            raise ValueError(f"early stopping watches {data_name!r}, but evals are {list(evals_log)}.")
        metrics = evals_log[data_name]
        metric = self.metric_name or list(metrics)[-1]
        if metric not in metrics:
            raise ValueError(f"early stopping watches {metric!r}, but metrics are {list(metrics)}.")
        return data_name, metric, mean_of(metrics[metric][-1])

    def _improves(self, model: AnyBooster, metric: str, value: float) -> bool:
        if self.best is None:
            if self.maximize is None:
                warn_of_own_metric(model, metric)
            return True
        maximize = self._rises(model, metric) if self.maximize is None else self.maximize
        return value - self.min_delta > self.best if maximize else self.best - self.min_delta > value

    def _rises(self, model: AnyBooster, metric: str) -> bool:
        if self._direction is None or self._direction[0] != metric:
            self._direction = (metric, model.higher_is_better(metric))
        return self._direction[1]

    def before_iteration(self, model: AnyBooster, epoch: int, evals_log: EvalsLog) -> bool:
        """Return whether early stopping had already ended the training that is resumed."""
        return 0 < self.rounds <= self.waited

    def after_iteration(self, model: AnyBooster, epoch: int, evals_log: EvalsLog) -> bool:
        """Compare the round with the best one so far; return whether to stop."""
        data_name, metric, value = self._watched(evals_log)
        if self._improves(model, metric, value):
            self.best = value
            self.waited = 0
            self._best_line = f"[{epoch + self.starting_round}]\t{data_name}-{metric}:{value:.6g}"
            model.set_attr(best_iteration=epoch + self.starting_round, best_score=value)
            if self.save_best and isinstance(model, Booster) and _later_rounds_change_earlier_ones(model):
                self._best_model = bytes(model.save_raw())
            return False
        self.waited += 1
        if self.waited >= self.rounds:
            self.stopped_after = epoch + 1
        return self.waited >= self.rounds

    def report(self, model: AnyBooster | None = None) -> str | None:
        """Return a message about the best round and the model after stopping; None if training has not stopped."""
        if self.stopped_after is None:
            return None
        found = f"early stopping after {self.stopped_after} rounds; the best is {self._best_line}"
        if not isinstance(model, Booster):
            return found
        if self.save_best:
            return f"{found}, with which the model ends"
        return (
            f"{found}. Booster.predict uses all {model.num_boosted_rounds()} rounds; pass "
            f"iteration_range=(0, {model.best_iteration + 1}) for the best, as estimators do by themselves."
        )

    def state(self) -> dict[str, Any]:
        """Return the best value so far, the rounds since then, and the best model if it is kept."""
        model = None if self._best_model is None else base64.b64encode(self._best_model).decode()
        return {"best": self.best, "waited": self.waited, "best_line": self._best_line, "best_model": model}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the value returned by `state`."""
        self.best, self.waited, self._best_line = state["best"], state["waited"], state.get("best_line", "")
        self._best_model = None if state["best_model"] is None else base64.b64decode(state["best_model"])

    def require_at_most(self, rounds: int) -> None:
        """Raise ModelError if the restored state claims to have waited for more rounds than were trained."""
        if isinstance(self.waited, int) and 0 <= self.waited <= rounds:
            return
        raise ModelError(
            f"the checkpoint is damaged: early stopping has waited {self.waited!r} of {rounds} rounds; delete the file "
            "to go on from an older one."
        )

    def after_training(self, model: AnyBooster) -> AnyBooster:
        """Cut the model off after the best round if `save_best` is True."""
        if not self.save_best or self.best is None or not isinstance(model, Booster):
            return model
        if self._best_model is not None:
            model.load_model(self._best_model)
            return model
        return model[: model.best_iteration + 1]


def warn_of_own_metric(model: AnyBooster, metric: str) -> None:
    """Warn that smaller values of a custom metric count as better."""
    first = model if isinstance(model, Booster) else model.boosters[0]
    if not knows_metric(first, metric):
        _logger.warning(
            "metric '%s' is not a built-in one, so smaller values of it count as better; pass maximize=True where "
            "larger values are better, or maximize=False to say nothing of it.",
            metric,
        )


def _later_rounds_change_earlier_ones(model: Booster) -> bool:
    """Return True for dart, which rescales earlier trees, and gblinear, which has no rounds to slice."""
    kind: str = json.loads(model.save_config())["learner"]["gradient_booster"]["name"]
    return kind not in ("gbtree", "adaboost")
