"""Differences between operating systems in working with files.

On Windows a file that is open can be neither deleted nor replaced, and every lock is on bytes of the file.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import IO, Any

# No link is followed, a program that this one starts does not have the file, and Windows changes no ends of lines.
_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NO_WAITING = getattr(os, "O_NONBLOCK", 0)
MAY_DELETE_OPEN_FILES = sys.platform != "win32"


def open_no_link(path: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
    """Open a file. A link in its place is the error ELOOP: in a shared folder, it may be somebody else's trap.

    Windows has no such call. There, this function looks first and opens later, and follows a link that is made between
    the two. Only accounts with a right of their own may make links there.
    """
    if not hasattr(os, "O_NOFOLLOW") and Path(path).is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    return os.open(path, flags | _FLAGS, mode)


if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 0x7FFFFFFF  # the library's TryLock takes the same one

    def lock(file: IO[Any]) -> None:
        """Lock an open file until it is closed. Raises BlockingIOError if another process has locked it."""
        descriptor = file.fileno()
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EDEADLK):
                raise BlockingIOError(error.errno, os.strerror(error.errno)) from error
            raise
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)

    def keep_permissions(file: IO[Any], mode: int) -> None:
        """Do nothing: a file has the access list of its folder."""

    def may_live(process: int) -> bool:
        """Return False: the lock on a file tells whether its writer lives. Signal 0 would interrupt it."""
        return False

else:
    import fcntl

    def lock(file: IO[Any]) -> None:
        """Lock an open file until it is closed. Raises BlockingIOError if another process has locked it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def keep_permissions(file: IO[Any], mode: int) -> None:
        """Give an open file the permissions of another."""
        os.fchmod(file.fileno(), mode & 0o7777)

    def may_live(process: int) -> bool:
        """Return whether this machine has a process of that number."""
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
        return True
