"""Tasks of the command line that run in Python, after the program has parsed its keys (src/cli/python.cc)."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence

from .errors import KauriError
from .process import set_config

Settings = list[tuple[str, str]]


def settings_of(words: Sequence[str]) -> Settings:
    """Return the parameters in words of the form "name=value"."""
    return [(name, value) for name, _, value in (word.partition("=") for word in words)]


def verbosity_of(settings: Settings) -> int:
    """Return the verbosity in the settings."""
    return int(dict(settings).get("verbosity", 1))


def run(settings: Settings, work: Callable[[], None], installed_by: str) -> int:
    """Run a task and return the exit status. An error prints a line on standard error; Ctrl-C kills by its signal.

    Parameters
    ----------
    settings
        The parameters of the run; verbosity is set globally.
    work
        The task.
    installed_by
        The pip requirement to suggest if a module is missing.
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
        signal.raise_signal(signal.SIGINT)  # so the shell sees the reason, as it does for the program
    return 0


def say_written(what: str, path: str, settings: Settings) -> None:
    """Print on standard error where a file was written, unless verbosity is 0 or it is standard output."""
    if path != "stdout" and verbosity_of(settings) > 0:
        print(f"{what} written to {path!r}", file=sys.stderr)


def _refuse(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)
    return 1
