"""Callbacks that report to Ray Tune and Ray Train from a training in one process."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import ray.train
import ray.tune

from .._model.booster import Booster
from .._public import public
from .._training.callback import EvalsLog, TrainingCallback
from .checkpoints import MODEL_FILE, booster_of, latest

Metrics = Optional[Union[str, Sequence[str], Mapping[str, str]]]


class _Reporting(TrainingCallback):
    """Common base of the callbacks.

    Parameters
    ----------
    metrics
        The metrics to report, such as ``"valid-logloss"``; or a mapping from the name to report to that name. All by
        default.
    filename
        The name of the model's file in a checkpoint.
    frequency
        Rounds from one checkpoint to the next; 0 for none during training.
    checkpoint_at_end
        Whether the model after training is a checkpoint.
    results_postprocessing_fn
        A function from the metrics to those that are reported.
    """

    def __init__(
        self,
        metrics: Metrics = None,
        filename: str = MODEL_FILE,
        frequency: int = 0,
        checkpoint_at_end: bool = True,
        results_postprocessing_fn: Callable[[dict[str, float]], dict[str, float]] | None = None,
    ) -> None:
        if isinstance(metrics, str):
            metrics = [metrics]
        self._metrics = metrics if metrics is None or isinstance(metrics, Mapping) else {name: name for name in metrics}
        self._filename, self._frequency, self._at_end = filename, int(frequency), checkpoint_at_end
        self._change = results_postprocessing_fn
        self._reported: dict[str, float] = {}
        self._saved_rounds = -1

    @classmethod
    def get_model(cls, checkpoint: Any, filename: str = MODEL_FILE) -> Booster:
        """Return the booster in a checkpoint that this callback has reported."""
        return booster_of(checkpoint, filename)

    def after_iteration(self, model: Any, epoch: int, evals_log: EvalsLog) -> bool:
        """Report the metrics of the round, and a checkpoint if it is due."""
        found = latest(evals_log)
        if self._metrics is not None:
            unknown = [name for name in self._metrics.values() if name not in found]
            if unknown:
                raise ValueError(
                    f"there is no metric {unknown[0]!r} to report; there are {', '.join(found) or 'none'}."
                )
            found = {told: found[name] for told, name in self._metrics.items()}
        self._reported = self._change(found) if self._change is not None else found
        self._send(model if self._frequency > 0 and (epoch + 1) % self._frequency == 0 else None)
        return False

    def after_training(self, model: Any) -> Any:
        """Report the model, unless the last round did so."""
        if self._at_end and model.num_boosted_rounds() != self._saved_rounds:
            self._send(model)
        return model

    def _send(self, model: Any) -> None:
        if model is None or not self._is_first():
            self._report(self._reported)
            return
        if not isinstance(model, Booster):
            raise TypeError("cross-validation has no single model for a checkpoint; set checkpoint_at_end=False.")
        with tempfile.TemporaryDirectory(prefix="kauriboost-") as folder:
            model.save_model(Path(folder, self._filename))
            self._report(self._reported, checkpoint=ray.train.Checkpoint.from_directory(folder))
        self._saved_rounds = model.num_boosted_rounds()

    def _is_first(self) -> bool:
        return True

    def _report(self, metrics: dict[str, float], **checkpoint: Any) -> None:
        raise NotImplementedError


@public("kauriboost.ray")
class TuneReportCheckpointCallback(_Reporting):
    """Reports metrics to Ray Tune after each round, and checkpoints; for `kauriboost.train` and estimators in a trial.

    Parameters
    ----------
    metrics, filename, frequency, checkpoint_at_end, results_postprocessing_fn
        As for ``ray.tune.integration.xgboost.TuneReportCheckpointCallback``: the metrics to report, as a list or from
        new to old names (all by default), the name of the model's file, the rounds from one checkpoint to the next (0
        for none during training), whether the model after training is a checkpoint, and a function of the metrics.
    """

    def _report(self, metrics: dict[str, float], **checkpoint: Any) -> None:
        ray.tune.report(metrics, **checkpoint)


@public("kauriboost.ray")
class RayTrainReportCallback(_Reporting):
    """Reports metrics to Ray Train after each round, and checkpoints; for a training loop of your own.

    `kauriboost.ray.train` and `kauriboost.ray.KauriTrainer` report by themselves.

    Parameters
    ----------
    metrics, filename, frequency, checkpoint_at_end, results_postprocessing_fn
        As for `TuneReportCheckpointCallback`.
    """

    def _is_first(self) -> bool:
        return ray.train.get_context().get_world_rank() in (0, None)

    def _report(self, metrics: dict[str, float], **checkpoint: Any) -> None:
        ray.train.report(metrics, **checkpoint)
