"""Checkpoints of a training, and resuming from them."""

from __future__ import annotations

import json
import os
import pickle
import re
from pathlib import Path
from typing import Any, NamedTuple

from .._binding.errors import ModelError, ParameterError
from .._model.booster import Booster
from .._model.files import FolderLock, remove_leftover, require_writable, write_atomically
from .._public import public
from .callback import EvalsLog, TrainingCallback

_ATTRIBUTE = "kauri_checkpoint"  # attribute of a checkpoint's model: the rest of the training state
_MANY_ROUNDS = 10**9  # for the longest name of a checkpoint


class TrainingState(NamedTuple):
    """The state of a training, except the model."""

    epoch: int  # rounds done, excluding the rounds of a continued model
    history: dict[str, Any]  # the evaluations so far
    callbacks: list[list[Any]]  # [class name, state()] of each callback, in order
    params: dict[str, str]  # the parameters of the training


@public("kauriboost.callback")
class TrainingCheckPoint(TrainingCallback):
    """Saves the model every `interval` rounds, so that a killed training can be resumed.

    A resumed training gives the same model as an uninterrupted one, bit for bit. Checkpoints are ordinary model files;
    a file appears under its name only when it is complete. Only one training at a time may save checkpoints with a
    given name in a folder; another one is refused before its first round.

    Parameters
    ----------
    directory
        The folder of the files; it must exist.
    name
        Start of the file names: ``model_20.ubj`` is the model of 20 rounds.
    as_pickle
        Save pickled boosters, ``model_20.pkl``, which include their parameters. Resume only from files that you trust.
    interval
        Rounds from one checkpoint to the next.
    keep
        Number of latest checkpoints to keep; all by default. Older files with that name are deleted.
    resume
        Make `train` continue from the newest existing checkpoint. Pass parameters, data and number of rounds again;
        parameters that differ from the earlier ones are an error.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        name: str = "model",
        as_pickle: bool = False,
        interval: int = 100,
        keep: int | None = None,
        resume: bool = False,
    ) -> None:
        if interval < 1:
            raise ValueError(f"interval is {interval}; expected at least 1.")
        if keep is not None and keep < 1:
            raise ValueError(f"keep is {keep}; expected at least 1, or None for all.")
        self.directory = Path(directory)
        self.name = name
        self.as_pickle = as_pickle
        self.interval = interval
        self.keep = keep
        self.resume = resume
        self._before = 0  # rounds of the model that the training continues
        self._lock: FolderLock | None = None  # held during training

    def before_training(self, model: Booster) -> Booster:
        """Check the folder and lock it, so that errors occur now and not at the first checkpoint."""
        if not isinstance(model, Booster):
            raise TypeError("TrainingCheckPoint is for train(): cross-validation has no single model to save.")
        if not self.directory.is_dir():
            raise FileNotFoundError(f"the folder {os.fspath(self.directory)!r} of checkpoints does not exist.")
        require_writable(self._path(_MANY_ROUNDS))
        self._before = model.num_boosted_rounds()
        self.release()
        self._lock = FolderLock(self.directory, f"{self.name}.{self._extension()}")
        return model

    def release(self) -> None:
        """Unlock the folder for other trainings with this name; `train` calls this when it ends."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def is_due(self, epoch: int) -> bool:
        """Return whether to save a checkpoint after round `epoch`."""
        return (epoch + 1) % self.interval == 0

    def save(self, model: Booster, state: TrainingState) -> None:
        """Write a checkpoint; runs after the other callbacks have seen the round."""
        path = self._path(model.num_boosted_rounds())
        model.set_attr(**{_ATTRIBUTE: json.dumps(state._asdict())})
        try:
            if self.as_pickle:
                write_atomically(path, pickle.dumps(model))
            else:
                model.save_model(path)
        finally:
            model.set_attr(**{_ATTRIBUTE: None})
        if self.keep is not None:
            rounds = [n for n in self._saved() if n <= model.num_boosted_rounds()]
            for old in rounds[: -self.keep]:
                self._path(old).unlink(missing_ok=True)

    def load_newest(self, model: Booster, params: dict[str, str]) -> TrainingState | None:
        """Load the newest checkpoint into `model` and return its other state; None if there is no checkpoint.

        Raises
        ------
        ParameterError
            The checkpoint was made with other parameters, or `params` has ``process_type=update``.
        ModelError
            The file is damaged.
        """
        if params.get("process_type") == "update":
            raise ParameterError("process_type=update needs the whole model that it began with; set resume=False.")
        self._remove_half_written()
        for rounds in reversed(self._saved()):
            path = self._path(rounds)
            saved = self._read(path)
            text = saved.attr(_ATTRIBUTE)
            if text is None:
                continue
            state = _parse_state(text, path)
            _require_same(params, state.params, path)
            _require_rounds(state.epoch, saved.num_boosted_rounds() - self._before, path)
            saved.set_attr(**{_ATTRIBUTE: None})
            model.load_model(saved.save_raw())
            return state
        return None

    def _path(self, rounds: int) -> Path:
        return self.directory / f"{self.name}_{rounds}.{self._extension()}"

    def _extension(self) -> str:
        return "pkl" if self.as_pickle else "ubj"

    def _read(self, path: Path) -> Booster:
        try:
            return pickle.loads(path.read_bytes()) if self.as_pickle else Booster(model_file=path)
        except (ModelError, pickle.UnpicklingError, EOFError) as error:
            raise _damaged(path, str(error)) from error

    def _remove_half_written(self) -> None:
        """Delete files left by a process that was killed while saving a checkpoint."""
        for path in list(self.directory.iterdir()):
            whole, found, _ = path.name.partition(".new-")
            if found and self._pattern().fullmatch(whole):
                remove_leftover(path)

    def _pattern(self) -> re.Pattern[str]:
        return re.compile(rf"{re.escape(self.name)}_(0|[1-9]\d*)\.{self._extension()}")

    def _saved(self) -> list[int]:
        """Return the numbers of rounds of the existing checkpoints, ascending."""
        matches = [self._pattern().fullmatch(path.name) for path in self.directory.iterdir()]
        return sorted(int(match[1]) for match in matches if match)


def _damaged(path: Path, what: str) -> ModelError:
    return ModelError(f"the checkpoint {os.fspath(path)!r}: {what}. Delete the file to go on from an older one.")


def _parse_state(text: str, path: Path) -> TrainingState:
    try:
        return TrainingState(**json.loads(text))
    except (ValueError, TypeError) as error:
        raise _damaged(path, f"the attribute {_ATTRIBUTE} is damaged") from error


def _require_rounds(told: Any, rounds: int, path: Path) -> None:
    """Raise ModelError unless a checkpoint states the number of rounds that its training has added."""
    if told != rounds or rounds < 1:
        what = f"the attribute {_ATTRIBUTE} is damaged (epoch is {told!r}, and the training has added {rounds} rounds)"
        raise _damaged(path, what)


def _require_same(now: dict[str, str], before: dict[str, str], path: Path) -> None:
    for name in {**before, **now}:
        if before.get(name) != now.get(name):
            raise ParameterError(
                f"the checkpoint {os.fspath(path)!r} was made with {name}={before.get(name)}, not {now.get(name)}; "
                "give the same parameters, another directory, or resume=False."
            )


def restore_history(history: EvalsLog, saved: dict[str, Any]) -> None:
    """Put the evaluations of a checkpoint into `history`."""
    history.clear()
    history.update(saved)
