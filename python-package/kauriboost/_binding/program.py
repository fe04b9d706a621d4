"""The command `kauri`, which runs the program installed beside the library."""

from __future__ import annotations

import os
import sys

from .library import find_library


def main() -> None:
    """Replace this process by the program, which then handles signals, standard streams and the exit status.

    For task=report the program starts this Python again, whose path it gets in KAURI_PYTHON.
    """
    program = find_library().resolve().parent.parent / "bin" / "kauri"
    if not program.exists():
        sys.exit(
            f"error: there is no program {os.fspath(program)!r}: the library of the package was installed without it."
            " Build the target kauri_cli, or install the package without KAURI_LIBRARY."
        )
    os.environ["KAURI_PYTHON"] = sys.executable
    os.execv(program, [os.fspath(program), *sys.argv[1:]])
