"""Libraries that Kauri's needs and that not every system has: found where this process has them, to be carried along.

`libkauri.so` looks for them beside itself first (its search path is $ORIGIN), so that copies there are all it takes.
Those that a wheel carries have a checksum in their names, libhwy-0a1b2c3d.so.1.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_NEEDED = re.compile(
    rb"lib(?:dmlc|hwy)(?:-[0-9a-f]+)?\.so[.0-9]*(?=\0)"
)  # as the library names what it is to be loaded with
_MAPPED = re.compile(r"(/.*/lib(?:dmlc|hwy)(?:-[0-9a-f]+)?\.so[.0-9]*)$")


def names_needed_by(library: Path) -> set[str]:
    """Return the names of the libraries that a `libkauri.so` needs beside the compiler's and the system's own."""
    return {name.decode() for name in _NEEDED.findall(library.read_bytes())}


def find_companions(library: Path) -> dict[str, Path]:
    """Return where the libraries that this process runs `library` with are, by the names that it asks for.

    One that cannot be told, as where /proc is not mounted, is left out: the system has to have it.
    """
    folders = {Path(found).parent for found in _mapped_files()}
    found = {}
    for name in names_needed_by(library):
        places = [folder / name for folder in [library.parent, *sorted(folders)]]
        place = next((place for place in places if place.exists()), None)
        if place is not None:
            found[name] = place.resolve()
    return found


def _mapped_files() -> list[str]:
    try:
        lines = Path(f"/proc/{os.getpid()}/maps").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    return [match[1] for match in map(_MAPPED.search, lines) if match is not None]
