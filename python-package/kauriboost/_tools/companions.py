"""Libraries that libkauri.so needs and some systems lack; found in this process, to be copied with it.

`libkauri.so` first looks for them in its own folder (its search path is $ORIGIN), so copies there suffice. Libraries in
a wheel have a checksum in their names, libhwy-0a1b2c3d.so.1.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_NEEDED = re.compile(
    rb"lib(?:dmlc|hwy)(?:-[0-9a-f]+)?\.so[.0-9]*(?=\0)"
)  # the names in the library's list of dependencies
_MAPPED = re.compile(r"(/.*/lib(?:dmlc|hwy)(?:-[0-9a-f]+)?\.so[.0-9]*)$")


def names_needed_by(library: Path) -> set[str]:
    """Return the names of the libraries that a `libkauri.so` needs, except the compiler's and the system's."""
    return {name.decode() for name in _NEEDED.findall(library.read_bytes())}


def find_companions(library: Path) -> dict[str, Path]:
    """Return the paths of the libraries that this process loaded for `library`, by requested name.

    A library that cannot be located, for example because /proc is not mounted, is left out; the system must provide it.
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
