"""Files that are replaced whole, and folders that one training has for itself."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path
from typing import IO

from .._binding.errors import FileError

_TRIAL_BYTES = 1 << 16


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside `path`, bring it to the disk and rename it; links are followed, also to what is not there.

    What is not a regular file (a pipe, a device) is written to directly. After an error the old file is as it was.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    target = _follow(path)
    new = _beside(target)
    try:
        _write(new, content)
        if target.exists():
            new.chmod(target.stat().st_mode & 0o7777)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def require_writable(path: Path) -> None:
    """Fail now where `write_atomically` would fail later: a block is written beside `path` and removed."""
    new: Path | None = None
    try:
        new = _beside(_follow(path))
        _write(new, bytes(_TRIAL_BYTES))
    except OSError as error:
        raise FileError(
            f"cannot write {os.fspath(path)!r}: {os.strerror(error.errno or 0)}. Make room, or choose a folder that "
            "exists and can be written to, and a name that is short enough."
        ) from error
    finally:
        if new is not None:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)


def remove_leftover(path: Path) -> None:
    """Delete what a kill left of a file, unless its writer is alive: it holds a lock on the file."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file, contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)


class FolderLock:
    """A lock on the files of one name in a folder, which dies with the process."""

    def __init__(self, directory: Path, name: str) -> None:
        place = directory / name
        self.path = place.with_name(f".{place.name}.lock")
        self.file: IO[str] | None = self._take(directory, name)

    def release(self) -> None:
        """Let others have the folder."""
        if self.file is None:
            return
        if _is_same(self.path, self.file):
            self.path.unlink(missing_ok=True)
        self.file.close()
        self.file = None

    def _take(self, directory: Path, name: str) -> IO[str]:
        while True:
            file = self.path.open("a+", encoding="ascii")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                owner = file.read(32).strip()
                file.close()
                raise FileError(
                    f"the folder {os.fspath(directory)!r} of checkpoints named {name!r} is in use by another training"
                    f"{f' (process {owner})' if owner else ''}; wait until it ends, or give each training a folder "
                    "or a name of its own."
                ) from None
            except OSError as error:
                if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
                    raise
            if _is_same(self.path, file):  # its owner deletes the file when it is done: then this one is nobody's
                file.truncate(0)
                file.write(str(os.getpid()))
                file.flush()
                return file
            file.close()


def _is_same(path: Path, file: IO[str]) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _follow(path: Path) -> Path:
    """Return what links lead to, also where it is not there yet. Raises OSError for links in a circle."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    return target


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.new-{os.getpid()}")


def _write(new: Path, content: bytes) -> None:
    with new.open("wb") as file:
        with contextlib.suppress(OSError):  # not every file system has locks
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
