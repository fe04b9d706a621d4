"""Checkpoints of Ray Train: a model's file, and beside it the state with which another worker group goes on."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import NamedTuple

from ray.train import Checkpoint

from .._binding.errors import DataError, ModelError
from .._model.booster import Booster
from .._training.callback import EvalsLog, mean_of
from .._training.checkpoint import TrainingState
from .._training.training import Snapshot

MODEL_FILE = "model.ubj"  # the name that XGBoost's callback of Ray uses, too
_STATE_FILE, _LAST_FILE = "state.json", "last.ubj"


class Saved(NamedTuple):
    """A training in a checkpoint."""

    snapshot: Snapshot
    model: bytes  # differs from the snapshot's if the model of the best round was kept
    is_done: bool  # whether no round was left


def booster_of(checkpoint: Checkpoint, filename: str = MODEL_FILE) -> Booster:
    """Return the booster in a checkpoint."""
    with checkpoint.as_directory() as folder:
        return Booster(model_file=Path(folder, filename))


def write(folder: str, saved: Saved, fingerprint: str) -> None:
    """Write a checkpoint's files."""
    Path(folder, MODEL_FILE).write_bytes(saved.model)
    if saved.model != saved.snapshot.model:
        Path(folder, _LAST_FILE).write_bytes(saved.snapshot.model)
    state = {"fingerprint": fingerprint, "is_done": saved.is_done, "training": saved.snapshot.state._asdict()}
    Path(folder, _STATE_FILE).write_text(json.dumps(state), encoding="utf-8")


def read(checkpoint: Checkpoint, fingerprint: str) -> Saved:
    """Return the training in a checkpoint. Raises DataError for one of other rows or parameters."""
    with checkpoint.as_directory() as folder:
        try:
            state = json.loads(Path(folder, _STATE_FILE).read_text(encoding="utf-8"))
            model = Path(folder, MODEL_FILE).read_bytes()
            last = Path(folder, _LAST_FILE)
            snapshot = Snapshot(last.read_bytes() if last.exists() else model, TrainingState(**state["training"]))
            found, is_done = state["fingerprint"], bool(state["is_done"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"the checkpoint {checkpoint.path} is not one of kauriboost.ray.train, or is damaged: {error}. Choose "
                "another name for the run: RunConfig(name=...)."
            ) from error
    if found != fingerprint:
        raise DataError(
            f"the checkpoint {checkpoint.path} comes from a training with other rows or parameters, and Ray Train goes "
            "on from it because the run has the same name; choose another one: RunConfig(name=...)."
        )
    return Saved(snapshot, model, is_done)


def latest(history: EvalsLog) -> dict[str, float]:
    """Return the last value of each metric, under ``set-metric``, as XGBoost's callback of Ray names them."""
    return {
        f"{name}-{metric}": mean_of(values[-1])
        for name, metrics in history.items()
        for metric, values in metrics.items()
    }


def folder_for(saved: Saved, fingerprint: str) -> tempfile.TemporaryDirectory[str]:
    """Return a folder with a checkpoint, which exists as long as the returned object."""
    folder = tempfile.TemporaryDirectory(prefix="kauriboost-")
    write(folder.name, saved, fingerprint)
    return folder
