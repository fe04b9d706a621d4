"""What callbacks are."""

from __future__ import annotations

from typing import Any, Union

from .._public import described_by_arguments, public

Score = Union[float, tuple[float, float]]  # of cross-validation: mean and standard deviation over the folds
EvalsLog = dict[str, dict[str, list[Score]]]


@public("kauriboost.callback")
class TrainingCallback:
    """Base of callbacks; each method may be overridden. ``True`` from a round's method stops the training.

    The model is a `Booster`, in cross-validation a `CvBooster`: a callback may be written for one of them alone.
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

        In cross-validation a value is a pair: mean and standard deviation over the folds.
        """
        return False

    def state(self) -> Any:
        """Return what a checkpoint must keep of this callback, as JSON can hold it; None: nothing."""
        return None

    def restore(self, state: Any) -> None:
        """Take over what `state` returned; runs after `before_training` when a training is resumed."""


def mean_of(score: Score) -> float:
    """Return the number that a score stands for."""
    return score[0] if isinstance(score, tuple) else score


def deviation_of(score: Score) -> float:
    """Return the standard deviation over the folds; 0 without folds."""
    return score[1] if isinstance(score, tuple) else 0.0
