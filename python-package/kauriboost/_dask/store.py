"""Checkpoints of a training on a cluster, in a folder of the client or behind a URL."""

from __future__ import annotations

import os

from .._binding.errors import KauriError
from .._model.booster import Booster
from .._model.params import params_as_text
from .._training.checkpoint import TrainingCheckPoint
from .._training.training import NOT_TRAINED_FROM, Plan, Snapshot
from .remote import RemoteFolder, is_url


class Store:
    """Stores the newest snapshot, so that it outlives the client.

    Parameters
    ----------
    directory
        The folder, or its URL; None for no checkpoints.
    """

    def __init__(self, directory: str | os.PathLike[str] | None) -> None:
        self._remote = RemoteFolder(str(directory)) if is_url(directory) else None
        local = directory if self._remote is None else self._remote.local
        self._checkpoint = None if local is None else TrainingCheckPoint(local, keep=1, resume=True)
        self._is_saved = False

    def newest(self, plan: Plan) -> Snapshot | None:
        """Return the snapshot of an earlier training with the same parameters, if any."""
        if self._checkpoint is None:
            return None
        if self._remote is not None:
            self._remote.fetch()
        booster = Booster(model_file=plan.xgb_model)
        self._checkpoint.before_training(booster)
        told = params_as_text(plan.params, booster.feature_names)
        params = {name: text for name, text in told.items() if name not in NOT_TRAINED_FROM}
        try:
            state = self._checkpoint.load_newest(booster, params)
        except KauriError as error:
            raise type(error)(str(error).replace(os.fspath(self._checkpoint.directory), self._folder())) from error
        self._is_saved = state is not None
        return None if state is None else Snapshot(bytes(booster.save_raw()), state)

    def save(self, snapshot: Snapshot) -> None:
        """Store a snapshot, replacing the previous one."""
        if self._checkpoint is not None:
            self._checkpoint.save(Booster(model_file=bytearray(snapshot.model)), snapshot.state)
            if self._remote is not None:
                self._remote.send()
            self._is_saved = True

    def where(self) -> str:
        """Return the part of an error message that says which work was saved."""
        if self._checkpoint is None:
            return " The rounds that were done are lost; a `checkpoint_dir` would have kept them."
        folder = self._folder()
        kept = "the newest checkpoint is" if self._is_saved else "there is no checkpoint yet"
        return (
            f" In {folder!r} {kept}; the same call goes on from there." if self._is_saved else f" In {folder!r} {kept}."
        )

    def release(self) -> None:
        """Release the folder to other trainings."""
        if self._checkpoint is not None:
            self._checkpoint.release()
        if self._remote is not None:
            self._remote.close()

    def _folder(self) -> str:
        """Return the user's name of the folder."""
        directory = "" if self._checkpoint is None else os.fspath(self._checkpoint.directory)
        return directory if self._remote is None else self._remote.url
