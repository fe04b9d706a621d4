"""Checks a wheel for Windows: its tag, its files, the libraries that they need, and the functions that kauri.dll shows.

python cmake/check_windows_wheel.py kauriboost-0.1.0-py3-none-win_amd64.whl
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HEADER = Path(__file__).resolve().parents[1] / "include" / "kauri" / "c_api.h"
TAG = "py3-none-win_amd64"
FILES = {"kauriboost/lib/kauri.dll", "kauriboost/bin/kauri.exe"}
# Every Windows since 10 has these.
OF_THE_SYSTEM = {"advapi32.dll", "kernel32.dll", "msvcrt.dll", "shell32.dll", "user32.dll", "ws2_32.dll"}
OF_THE_SYSTEM_TOO = "api-ms-win-core-"


def tables(file: Path) -> str:
    """Return what a file imports and exports."""
    command = ["x86_64-w64-mingw32-objdump", "-p", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def strange_libraries(file: Path) -> list[str]:
    """Return the libraries that a file needs and Windows lacks."""
    needed = [name.lower() for name in re.findall(r"DLL Name: (\S+)", tables(file))]
    return [name for name in needed if name not in OF_THE_SYSTEM and not name.startswith(OF_THE_SYSTEM_TOO)]


def functions_of_the_header() -> set[str]:
    """Return the names that c_api.h declares."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(re.findall(r"^KAURI_API\s[^;()]*?\b(\w+)\(", text, re.MULTILINE))


def shown_functions(library: Path) -> set[str]:
    """Return the names that a library exports."""
    table = tables(library).split("[Ordinal/Name Pointer] Table")[-1]
    return set(re.findall(r"^\s*\[\s*\d+\]\s+(?:\+base\[\s*\d+\]\s+)?(?:[0-9a-f]+\s+)?(\w+)$", table, re.MULTILINE))


def problems(wheel: Path, folder: Path) -> list[str]:
    """Unpack a wheel into the folder, and return what is wrong with it."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        names = set(archive.namelist())
    found = [] if wheel.name.endswith(f"-{TAG}.whl") else [f"its tag is not {TAG}"]
    binaries = {name for name in names if name.endswith((".dll", ".exe", ".so", ".dylib", ".pyd"))}
    if binaries != FILES:
        return [*found, f"it has {sorted(binaries)} instead of {sorted(FILES)}"]
    for name in sorted(FILES):
        found += [f"{name} needs {library}" for library in strange_libraries(folder / name)]
    declared, shown = functions_of_the_header(), shown_functions(folder / "kauriboost/lib/kauri.dll")
    found += [f"kauri.dll lacks {name}" for name in sorted(declared - shown)]
    found += [f"kauri.dll shows {name}, which c_api.h does not declare" for name in sorted(shown - declared)]
    return found


def main() -> None:
    """Check the wheel named on the command line."""
    wheel = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        found = problems(wheel, Path(folder))
    if found:
        sys.exit("\n".join(f"error: {wheel.name}: {problem}" for problem in found))
    print(f"{wheel.name}: {len(functions_of_the_header())} functions, no other libraries than Windows's")


if __name__ == "__main__":
    main()
