"""The callbacks of one training, called in their order, and the evaluations that they get."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, TypeVar

from .._data.matrix import DMatrix
from .._model.booster import Booster
from .._model.metrics import CustomMetric, EvaluationSets
from .._public import public
from .callback import EvalsLog, Score, TrainingCallback, as_callback, name_of
from .callbacks import EarlyStopping, MaxTime
from .checkpoint import TrainingCheckPoint, TrainingState, restore_history
from .cv_booster import AnyBooster, CvBooster
from .progress import EvaluationMonitor, ProgressBar

_logger = logging.getLogger("kauriboost")
_B = TypeVar("_B", Booster, CvBooster)


@public("kauriboost.callback")
class CallbackContainer:
    """Runs the callbacks of one training and keeps its evaluations.

    Parameters
    ----------
    callbacks
        Callbacks in the order in which they run; checkpoints are saved after all of them.
    metric
        The user's custom metric.
    output_margin
        Whether the metric gets margins.
    params
        Parameters that must be the same in a resumed training.
    """

    def __init__(
        self,
        callbacks: Sequence[TrainingCallback],
        metric: CustomMetric | None,
        output_margin: bool,
        params: dict[str, str] | None = None,
    ) -> None:
        self.callbacks = list(map(as_callback, callbacks))
        self.history: EvalsLog = {}
        self._metric = metric
        self._output_margin = output_margin
        self._params = params or {}
        self._sets: tuple[Booster, EvaluationSets] | None = None  # of the last evaluation

    def before_training(self, model: _B) -> _B:
        """Run all callbacks."""
        for callback in self.callbacks:
            model = _same_kind(callback.before_training(model), model, callback, "before_training")
        return model

    def after_training(self, model: _B) -> _B:
        """Run all callbacks."""
        for callback in self.callbacks:
            model = _same_kind(callback.after_training(model), model, callback, "after_training")
        for report in self.reports(model):
            self._say(report)
        return model

    def reports(self, model: AnyBooster) -> list[str]:
        """Return messages about the end of training."""
        reports = [callback.report(model) for callback in self.callbacks if isinstance(callback, EarlyStopping)]
        return [report for report in reports if report]

    def _say(self, line: str) -> None:
        """Print a line below the evaluations, or log it if none are shown."""
        shown = [callback for callback in self.callbacks if isinstance(callback, (EvaluationMonitor, ProgressBar))]
        if shown:
            shown[0].say(line)
        else:
            _logger.info(line)

    def release(self) -> None:
        """Release the folders of checkpoints to other trainings, also after an error."""
        for checkpoint in self._checkpoints():
            checkpoint.release()

    def before_iteration(self, model: AnyBooster, epoch: int) -> bool:
        """Run all callbacks; return whether any of them wants to stop."""
        wishes = [callback.before_iteration(model, epoch, self.history) for callback in self.callbacks]
        return any(wishes)

    def after_iteration(self, model: AnyBooster, epoch: int, evals: Sequence[tuple[DMatrix, str]]) -> bool:
        """Evaluate, then run all callbacks; return whether any of them wants to stop."""
        self.evaluate(model, epoch, evals)
        wishes = [callback.after_iteration(model, epoch, self.history) for callback in self.callbacks]
        checkpoints = self._checkpoints()
        if checkpoints and isinstance(model, Booster):
            out_of_time = any(isinstance(callback, MaxTime) and callback.stopped_after for callback in self.callbacks)
            for checkpoint in checkpoints:
                if out_of_time or checkpoint.is_due(epoch):
                    checkpoint.save(model, self.state(epoch + 1))
        return any(wishes)

    def resume(self, model: Booster) -> int:
        """Load the newest checkpoint into `model` and restore the callbacks; return the number of rounds done.

        Returns 0 if no callback resumes, or if there is no checkpoint.
        """
        found = [checkpoint.load_newest(model, self._params) for checkpoint in self._checkpoints() if checkpoint.resume]
        states = [state for state in found if state is not None]
        if not states:
            return 0
        return self.restore(states[-1])

    def restore(self, state: TrainingState) -> int:
        """Restore evaluations and callbacks of an earlier training; return the number of rounds done."""
        restore_history(self.history, state.history)
        saved = list(state.callbacks)
        for callback in self.callbacks:
            name = name_of(callback)
            match = next((entry for entry in saved if entry[0] == name), None)
            if match is not None:
                saved.remove(match)
                callback.restore(match[1])
            if isinstance(callback, EarlyStopping):
                callback.require_at_most(state.epoch)
        return state.epoch

    def _checkpoints(self) -> list[TrainingCheckPoint]:
        return [callback for callback in self.callbacks if isinstance(callback, TrainingCheckPoint)]

    def state(self, epoch: int) -> TrainingState:
        """Return the state of the training, except the model, after `epoch` rounds."""
        states = [[name_of(callback), callback.state()] for callback in self.callbacks]
        return TrainingState(epoch, self.history, [entry for entry in states if entry[1] is not None], self._params)

    def evaluate(self, model: AnyBooster, epoch: int, evals: Sequence[tuple[DMatrix, str]]) -> None:
        """Append the evaluation of a round to the history."""
        for data, metric, score in self._evaluated(model, epoch, evals):
            self.history.setdefault(data, {}).setdefault(metric, []).append(score)

    def _evaluated(
        self, model: AnyBooster, epoch: int, evals: Sequence[tuple[DMatrix, str]]
    ) -> Sequence[tuple[str, str, Score]]:
        if not isinstance(model, Booster):
            return model._evaluate()
        if not evals:
            return []
        if self._sets is None or self._sets[0] is not model or self._sets[1].evals != tuple(evals):
            self._sets = (model, model._evaluation_of(evals))
        return model._evaluate_again(self._sets[1], epoch, self._metric, self._output_margin)


def _same_kind(model: Any, before: _B, callback: TrainingCallback, method: str) -> _B:
    if not isinstance(model, type(before)):
        raise TypeError(f"{name_of(callback)}.{method} must return the booster, not {type(model).__name__}.")
    return model
