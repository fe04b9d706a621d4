"""The base class of callbacks."""

from __future__ import annotations

from typing import Any, Union

from .._public import described_by_arguments, public

Score = Union[float, tuple[float, float]]  # in cross-validation: mean and standard deviation over the folds
EvalsLog = dict[str, dict[str, list[Score]]]


@public("kauriboost.callback")
class TrainingCallback:
    """Base class of callbacks; any method may be overridden. A per-round method that returns ``True`` stops training.

    The model is a `Booster`, or in cross-validation a `CvBooster`. A callback may support only one of them.
    """

    def __repr__(self) -> str:
        return described_by_arguments(self)

    def before_training(self, model: Any) -> Any:
        """Run before the first round; returns the model to train."""
        return model

    def after_training(self, model: Any) -> Any:
        """Run after the last round; returns the model that training returns."""
        return model

    def before_iteration(self, model: Any, epoch: int, evals_log: EvalsLog) -> bool:
        """Run before round `epoch`."""
        return False

    def after_iteration(self, model: Any, epoch: int, evals_log: EvalsLog) -> bool:
        """Run after round `epoch`; `evals_log` holds its evaluation: data set -> metric -> values.

        A value of a cross-validation is a pair: mean and standard deviation over the folds.
        """
        return False

    def state(self) -> Any:
        """Return the state to save in a checkpoint, as JSON can hold it; None for no state."""
        return None

    def restore(self, state: Any) -> None:
        """Restore the value returned by `state`; runs after `before_training` when a training is resumed."""


def mean_of(score: Score) -> float:
    """Return the score, or its mean over the folds."""
    return score[0] if isinstance(score, tuple) else score


def deviation_of(score: Score) -> float:
    """Return the standard deviation over the folds; 0 without folds."""
    return score[1] if isinstance(score, tuple) else 0.0
