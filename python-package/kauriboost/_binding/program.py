"""The command `kauri`: the program that stands beside the library."""

from __future__ import annotations

import os
import sys

from .library import find_library


def main() -> None:
    """Become the program: signals, standard streams and the exit status are its own.

    For task=report it becomes this Python again, which KAURI_PYTHON tells it.
    """
    program = find_library().resolve().parent.parent / "bin" / "kauri"
    if not program.exists():
        sys.exit(
            f"error: there is no program {os.fspath(program)!r}: the library of the package was installed without it."
            " Build the target kauri_cli, or install the package without KAURI_LIBRARY."
        )
    os.environ["KAURI_PYTHON"] = sys.executable
    os.execv(program, [os.fspath(program), *sys.argv[1:]])
