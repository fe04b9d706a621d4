"""A training as an object that can be started, continued and ended."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Union

from .._binding.library import LIB, check
from .._collective.collective import Collective
from .._data.matrix import DMatrix
from .._model.booster import Booster, Objective
from .._model.metrics import CustomMetric
from .._model.params import ParamsOrPairs, params_as_text
from .callback import EvalsLog, TrainingCallback
from .callback_container import CallbackContainer
from .checkpoint import TrainingState
from .ranks import TrainingRanks

InitialModel = Optional[Union[str, os.PathLike[str], bytes, bytearray, Booster]]

NOT_TRAINED_FROM = ("nthread", "n_jobs", "verbosity", "device")  # parameters that no model depends on


def require_model(model: Any) -> None:
    """Raise TypeError unless `model` is what training can go on from."""
    if model is not None and not isinstance(model, (str, os.PathLike, bytes, bytearray, Booster)):
        library = type(model).__module__.split(".")[0]
        raise TypeError(
            f"xgb_model is of type {library}.{type(model).__name__}; expected a Booster, the path of a "
            "model file, or its bytes. Give get_booster() of an estimator, and save_raw() of a Booster of "
            "XGBoost; models of other libraries can be explained (kauriboost.forests), but not trained further."
        )


@dataclass
class Plan:
    """The arguments of a training, except its data; see `kauriboost.train`."""

    params: ParamsOrPairs
    num_boost_round: int
    obj: Objective | None = None
    custom_metric: CustomMetric | None = None
    callbacks: Sequence[TrainingCallback] = field(default_factory=list)
    xgb_model: Any = None  # an InitialModel


class Snapshot(NamedTuple):
    """A training between two rounds. With it and the data, another process can continue to the same model."""

    model: bytes
    state: TrainingState


class Training:
    """The rounds of one booster.

    Parameters
    ----------
    plan
        The arguments of the training.
    dtrain
        Data to learn from.
    evals
        (data, name) pairs to evaluate after each round.
    collective
        The communicator with the other ranks, if the rows are spread over several.
    """

    def __init__(
        self,
        plan: Plan,
        dtrain: DMatrix,
        evals: Sequence[tuple[DMatrix, str]],
        collective: Collective | None = None,
    ) -> None:
        self._plan, self._data, self._evals = plan, dtrain, list(evals)
        self._ranks = TrainingRanks(collective)
        require_model(plan.xgb_model)
        self.booster = Booster(plan.params, [dtrain, *(data for data, _ in evals)], model_file=plan.xgb_model)
        self._before = self.booster.num_boosted_rounds()
        self._next = 0
        self._learns: Booster | None = None  # the booster that has seen the data
        texts = params_as_text(plan.params, self.booster.feature_names)
        told = {name: text for name, text in texts.items() if name not in NOT_TRAINED_FROM}
        is_margin = plan.obj is not None
        metric = self._ranks.metric(plan.custom_metric)
        self._callbacks = CallbackContainer(plan.callbacks, metric, output_margin=is_margin, params=told)

    @property
    def history(self) -> EvalsLog:
        """The evaluations so far."""
        return self._callbacks.history

    @property
    def reports(self) -> list[str]:
        """Messages of the callbacks at the end of training."""
        return self._callbacks.reports(self.booster)

    def begin(self, snapshot: Snapshot | None = None) -> None:
        """Prepare for the first round, or for the round after a snapshot."""
        self.booster = self._callbacks.before_training(self.booster)
        self._ranks.attach(self.booster)
        if snapshot is None:
            self._next = self._callbacks.resume(self.booster)
        else:
            self.booster.load_model(bytearray(snapshot.model))
            self._next = self._callbacks.restore(snapshot.state)

    def go_on(self, is_enough: Callable[[], bool] = lambda: False) -> bool:
        """Train rounds until all are done; return whether they are. `is_enough` may interrupt after any round."""
        try:
            while self._next < self._plan.num_boost_round:
                if self._is_wanted(self._callbacks.before_iteration(self.booster, self._next)):
                    break
                stop, pause = self._one_round(is_enough)
                if stop:
                    break
                if pause:
                    return self._next >= self._plan.num_boost_round
        except BaseException as error:
            self._ranks.fail(error)
            raise
        return True

    def _is_wanted(self, here: bool) -> bool:
        return self._ranks.agree(here)[0]

    def _one_round(self, is_enough: Callable[[], bool]) -> list[bool]:
        """Train a round; return whether to stop, and whether to pause."""
        epoch = self._next
        if epoch == 0:  # the first new round of a continued model
            self.booster.set_attr(best_iteration=None, best_score=None)
        self._learn(self._before + epoch)
        self._next += 1
        wants_stop = self._callbacks.after_iteration(self.booster, epoch, self._evals)
        return self._ranks.agree(wants_stop, is_enough())

    def _learn(self, iteration: int) -> None:
        """Train one round of the booster."""
        if self._learns is self.booster:
            self.booster._update_again(self._data, iteration, self._plan.obj)
            return
        self.booster.update(self._data, iteration, self._plan.obj)
        self._learns = self.booster

    def snapshot(self) -> Snapshot:
        """Return the state needed to continue elsewhere."""
        return Snapshot(bytes(self.booster.save_raw()), self._callbacks.state(self._next))

    def end(self) -> Booster:
        """Return the model, which is then independent of the other ranks.

        Raises CollectiveError if the ranks have not trained the same model.
        """
        check(LIB.KauriBoosterEndTraining(self.booster.handle))
        self._ranks.detach(self.booster)
        self.booster = self._callbacks.after_training(self.booster)
        return self.booster

    def release(self) -> None:
        """Release folders and other ranks, however the training ended."""
        self._callbacks.release()
        self._ranks.detach(self.booster)
