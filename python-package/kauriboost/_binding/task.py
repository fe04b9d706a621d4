"""A task of the command line that is done here, once the program has read its keys (src/cli/python.cc)."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence

from .errors import KauriError
from .process import set_config

Settings = list[tuple[str, str]]


def settings_of(words: Sequence[str]) -> Settings:
    """Return the parameters of words "name=value"."""
    return [(name, value) for name, _, value in (word.partition("=") for word in words)]


def verbosity_of(settings: Settings) -> int:
    """Return how much is said."""
    return int(dict(settings).get("verbosity", 1))


def run(settings: Settings, work: Callable[[], None], installed_by: str) -> int:
    """Work, and return the exit status: what goes wrong is a line on standard error. Ctrl-C ends the process by it.

    Parameters
    ----------
    settings
        The parameters of the run, of which verbosity is global.
    work
        What to do.
    installed_by
        What pip installs where a module is missing.
    """
    set_config(verbosity=verbosity_of(settings))
    try:
        work()
    except ModuleNotFoundError as error:
        return _refuse(f"this needs {error.name}: pip install '{installed_by}'.")
    except (KauriError, ValueError, OSError) as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        print("interrupted: nothing is written", file=sys.stderr)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)  # a shell sees why it ended, as of the program
    return 0


def say_written(what: str, path: str, settings: Settings) -> None:
    """Say where something went, on standard error, unless verbosity is 0 or it went to standard output."""
    if path != "stdout" and verbosity_of(settings) > 0:
        print(f"{what} written to {path!r}", file=sys.stderr)


def _refuse(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 1
