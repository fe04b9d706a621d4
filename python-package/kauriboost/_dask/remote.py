"""Checkpoints in folders accessed through fsspec: object stores, cluster file systems, other machines."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import fsspec

_CHECKPOINT = re.compile(r"model_\d+\.ubj")  # the file names of TrainingCheckPoint


def is_url(directory: str | os.PathLike[str] | None) -> bool:
    """Return whether a folder is an fsspec URL: ``s3://bucket/folder``, ``file:///folder``, ``memory://folder``."""
    return isinstance(directory, str) and "://" in directory


class RemoteFolder:
    """A folder behind a URL, with a local copy of its checkpoints.

    A remote file appears under its name only when it is complete. Other trainings are not locked out, because object
    stores have no locks.

    Parameters
    ----------
    url
        URL of the folder, which is created if it does not exist. Its protocol needs a package that fsspec names, such
        as s3fs.

    Attributes
    ----------
    local
        The local folder, which exists until `close`.
    """

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        opened: tuple[Any, str] = fsspec.core.url_to_fs(self.url)
        self._files, self._root = opened
        self._files.makedirs(self._root, exist_ok=True)
        self._held = tempfile.TemporaryDirectory(prefix="kauriboost-")
        self.local = Path(self._held.name)

    def fetch(self) -> None:
        """Download the existing checkpoints."""
        for name in self._names():
            (self.local / name).write_bytes(self._files.cat_file(f"{self._root}/{name}"))

    def send(self) -> None:
        """Make the remote checkpoints equal to the local ones."""
        here = {path.name for path in self.local.iterdir() if _CHECKPOINT.fullmatch(path.name)}
        before = self._names()
        for name in sorted(here - before):
            with self._files.transaction, self._files.open(f"{self._root}/{name}", "wb") as file:
                file.write((self.local / name).read_bytes())
        for name in before - here:
            self._files.rm_file(f"{self._root}/{name}")

    def close(self) -> None:
        """Delete the local folder."""
        self._held.cleanup()

    def _names(self) -> set[str]:
        self._files.invalidate_cache(self._root)  # another client may have written
        names = (path.rsplit("/", 1)[-1] for path in self._files.ls(self._root, detail=False))
        return {name for name in names if _CHECKPOINT.fullmatch(name)}
