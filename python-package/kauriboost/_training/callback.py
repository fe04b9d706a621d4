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


# The methods that callbacks of XGBoost's packages and of its companions have.
_METHODS = ("before_training", "before_iteration", "after_iteration", "after_training")


class ForeignCallback(TrainingCallback):
    """A callback that does not derive from `TrainingCallback`; methods that it lacks do nothing."""

    def __init__(self, callback: Any) -> None:
        self.callback = callback
        saves = all(callable(getattr(callback, name, None)) for name in ("state", "restore"))
        for name in (*_METHODS, *(("state", "restore") if saves else ())):
            if callable(method := getattr(callback, name, None)):
                setattr(self, name, method)

    def __repr__(self) -> str:
        return repr(self.callback)


def as_callback(callback: Any) -> TrainingCallback:
    """Return an object with all methods of a callback. Raises TypeError for an object that has none of them."""
    if isinstance(callback, TrainingCallback):
        return callback
    if isinstance(callback, type):
        raise TypeError(f"callbacks must be objects, not classes; pass {callback.__name__}(...).")
    if not any(callable(getattr(callback, name, None)) for name in _METHODS):
        raise TypeError(
            f"callbacks must derive from TrainingCallback, or have one of its methods ({', '.join(_METHODS)}); "
            f"{type(callback).__name__} does not."
        )
    return ForeignCallback(callback)


def name_of(callback: TrainingCallback) -> str:
    """Return the name of a callback's class."""
    return type(callback.callback if isinstance(callback, ForeignCallback) else callback).__name__


def mean_of(score: Score) -> float:
    """Return the score, or its mean over the folds."""
    return score[0] if isinstance(score, tuple) else score


def deviation_of(score: Score) -> float:
    """Return the standard deviation over the folds; 0 without folds."""
    return score[1] if isinstance(score, tuple) else 0.0
