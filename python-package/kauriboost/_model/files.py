"""Files that are replaced atomically, and folders that belong to one training at a time."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from pathlib import Path
from typing import IO

from .._binding.errors import FileError
from .system import MAY_DELETE_OPEN_FILES, NO_WAITING, keep_permissions, lock, may_live, open_no_link

_TRIAL_BYTES = 1 << 16
_LONGEST_NAME = 255  # bytes, the limit of common file systems
_TRIES = 1000  # attempts to find an unused name
_STALE_SECONDS = 60  # a living writer, also on another machine, has written within this time


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file beside `path`, sync it to disk and rename it. Links are followed, also dangling ones.

    Files that are not regular (a pipe, a device) are written to directly. After an error the old file is unchanged.
    Leftovers of killed processes beside `path` are deleted.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    target = _follow(path)
    _remove_stale(target)
    new, descriptor = _open_beside(target)
    try:
        with os.fdopen(descriptor, "wb") as file:
            _write(file, content)
            if target.exists():
                keep_permissions(file, target.stat().st_mode)
        new.replace(target)
    finally:
        new.unlink(missing_ok=True)


def require_writable(path: Path) -> None:
    """Fail now if `write_atomically` would fail later: writes a block beside `path` and removes it."""
    new: Path | None = None
    try:
        new, descriptor = _open_beside(_follow(path))
        with os.fdopen(descriptor, "wb") as file:
            _write(file, bytes(_TRIAL_BYTES))
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
    """Delete the leftover of a killed writer. A living writer holds a lock on its file, which then stays."""
    with contextlib.suppress(OSError):
        with os.fdopen(open_no_link(path, os.O_RDONLY | NO_WAITING), "rb") as file:
            lock(file)
            if MAY_DELETE_OPEN_FILES:
                path.unlink(missing_ok=True)
        if not MAY_DELETE_OPEN_FILES:
            path.unlink(missing_ok=True)


class FolderLock:
    """A lock on the files with one name in a folder; the lock ends with the process."""

    def __init__(self, directory: Path, name: str) -> None:
        place = directory / name
        self.path = place.with_name(_shortened(f".{place.name}", ".lock"))
        self.file: IO[str] | None = self._take(directory, name)

    def release(self) -> None:
        """Release the folder to others."""
        if self.file is None:
            return
        is_ours = _is_same(self.path, self.file)
        if is_ours and MAY_DELETE_OPEN_FILES:
            self.path.unlink(missing_ok=True)
        self.file.close()
        self.file = None
        if is_ours and not MAY_DELETE_OPEN_FILES:
            with contextlib.suppress(OSError):  # the next owner may have opened it already
                self.path.unlink(missing_ok=True)

    def _open(self, directory: Path, name: str) -> IO[str]:
        try:
            descriptor = open_no_link(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            reason = "it is a symbolic link" if error.errno == errno.ELOOP else os.strerror(error.errno or 0)
            raise FileError(
                f"the folder {os.fspath(directory)!r} of checkpoints named {name!r} cannot be locked for this "
                f"training: {os.fspath(self.path)!r}: {reason}. Give a folder that exists and can be "
                "written to, or delete the link."
            ) from error
        return os.fdopen(descriptor, "r+", encoding="ascii", errors="replace")

    def _take(self, directory: Path, name: str) -> IO[str]:
        while True:
            file = self._open(directory, name)
            try:
                lock(file)
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
            # otherwise the previous owner has deleted the locked file, and the lock protects nothing
            if _is_same(self.path, file):
                file.seek(0)
                file.truncate()
                file.write(str(os.getpid()))
                file.flush()
                return file
            file.close()


def _is_same(path: Path, file: IO[str]) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def _follow(path: Path) -> Path:
    """Return the target of links, even if it does not exist yet. Raises OSError for a cycle of links."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    return target


def _shortened(name: str, end: str) -> str:
    """Return `name` with `end`, shortened to the maximum length of a file name, but not within a character of UTF-8.

    Such a character has at most three bytes after its first one. A name in another code is cut at the maximum.
    """
    text, limit = os.fsencode(name), _LONGEST_NAME - len(end)
    if len(text) <= limit:
        return name + end
    size = next((size for size in range(limit, limit - 4, -1) if text[size] & 0xC0 != 0x80), limit)
    return os.fsdecode(text[:size]) + end


def _open_beside(path: Path) -> tuple[Path, int]:
    """Return a new file beside `path` and its descriptor. The library uses the same names for such files."""
    for number in range(_TRIES):
        new = path.with_name(_shortened(path.name, f".new-{os.getpid()}-{number}"))
        with contextlib.suppress(FileExistsError):
            return new, open_no_link(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))


def _remove_stale(path: Path) -> None:
    """Delete leftovers that killed processes of this machine left beside `path`."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(path.parent)):
            match = re.fullmatch(r"(.+)\.new-(\d{1,9})-\d+", entry.name, re.DOTALL)
            if (
                match
                and _shortened(path.name, entry.name[len(match[1]) :]) == entry.name
                and not may_live(int(match[2]))
            ):
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > _STALE_SECONDS:
                        remove_leftover(Path(entry.path))


def _write(file: IO[bytes], content: bytes) -> None:
    with contextlib.suppress(OSError):  # some file systems have no locks
        lock(file)
    file.write(content)
    file.flush()
    os.fsync(file.fileno())
