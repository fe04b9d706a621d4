"""The command `kauri`, which runs the program installed beside the library."""

from __future__ import annotations

import os
import subprocess
import sys

from .library import find_library

_FILE_NAME = "kauri.exe" if sys.platform == "win32" else "kauri"


def main() -> None:
    """Replace this process by the program, which then handles signals, standard streams and the exit status.

    On Windows this process waits for the program, as there the shell goes on when a process is replaced.

    For task=report the program starts this Python again, whose path it gets in KAURI_PYTHON.
    """
    program = find_library().resolve().parent.parent / "bin" / _FILE_NAME
    if not program.exists():
        sys.exit(
            f"error: there is no program {os.fspath(program)!r}: the library of the package was installed without it."
            " Build the target kauri_cli, or install the package without KAURI_LIBRARY."
        )
    os.environ["KAURI_PYTHON"] = sys.executable
    if sys.platform == "win32":
        sys.exit(subprocess.call([os.fspath(program), *sys.argv[1:]]))
    os.execv(program, [os.fspath(program), *sys.argv[1:]])
