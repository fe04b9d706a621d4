#!/usr/bin/env python3
"""Tells whether every file that names Kauri's version names the same one, and whether it may be tagged.

    python cmake/versions.py              all files agree
    python cmake/versions.py --release    besides, the version has a date in CHANGELOG.md and in CITATION.cff

It prints the version, or what differs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NUMBER = r"(\d+\.\d+\.\d+)"
# Each file, and where it names the version; CMakeLists.txt leads.
PLACES = {
    "CMakeLists.txt": rf"^project\(kauri VERSION {NUMBER} ",
    "python-package/pyproject.toml": rf'^version = "{NUMBER}"$',
    "python-package/cuda/pyproject.toml": rf'^version = "{NUMBER}"$',
    "python-package/cuda/pyproject.toml, dependencies": rf'^dependencies = \["kauriboost=={NUMBER}"\]',
    "CITATION.cff": rf"^version: {NUMBER}$",
    "cmake/conda/recipe.yaml": rf"^  version: {NUMBER}$",
    "CHANGELOG.md": rf"^## {NUMBER}, ",
}
HEADING = re.compile(rf"^## {NUMBER}, (not released yet|\d{{4}}-\d\d-\d\d)$")
RELEASED = re.compile(r"^date-released: (\d{4}-\d\d-\d\d)$", re.MULTILINE)


def find_version(root: Path, place: str) -> str | None:
    """Return the first version that a file names in this place."""
    text = (root / place.partition(",")[0]).read_text(encoding="utf-8")
    found = re.search(PLACES[place], text, re.MULTILINE)
    return found[1] if found else None


def changes(root: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the versions of the changelog with their dates, and the headings that have another form."""
    lines = (root / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    headings = [(line, HEADING.match(line)) for line in lines if line.startswith("## ")]
    return [match.groups() for _, match in headings if match], [line for line, match in headings if not match]


def order_problems(entries: list[tuple[str, str]]) -> list[str]:
    """Return what is wrong with the order of versions and dates, newest first."""
    numbers = [tuple(int(part) for part in version.split(".")) for version, _ in entries]
    problems = [] if numbers == sorted(set(numbers), reverse=True) else ["CHANGELOG.md: versions are not newest first"]
    dates = [date for _, date in entries]
    if any(date == "not released yet" for date in dates[1:]):
        problems.append("CHANGELOG.md: only the newest version may be 'not released yet'")
    given = [date for date in dates if date != "not released yet"]
    if given != sorted(given, reverse=True):
        problems.append("CHANGELOG.md: dates are not newest first")
    return problems


def find_problems(root: Path, release: bool) -> list[str]:
    """Return what differs, in sentences."""
    version = find_version(root, "CMakeLists.txt")
    found = {place: find_version(root, place) for place in PLACES}
    problems = [
        f"{place}: {other} where CMakeLists.txt has {version}" for place, other in found.items() if other != version
    ]
    entries, odd = changes(root)
    problems += [f"CHANGELOG.md: '{line}' is no '## 1.2.3, not released yet' or '## 1.2.3, 2026-01-31'" for line in odd]
    problems += order_problems(entries)
    date = entries[0][1] if entries else "not released yet"
    cited = RELEASED.search((root / "CITATION.cff").read_text(encoding="utf-8"))
    if release and date == "not released yet":
        problems.append(f"CHANGELOG.md: {version} has no date; write '## {version}, ' and the day of the release")
    expected = None if date == "not released yet" else date
    if expected != (cited[1] if cited else None):
        problems.append(f"CITATION.cff: date-released is {cited[1] if cited else 'missing'}, CHANGELOG.md has '{date}'")
    return problems


def main() -> int:
    """Print the version or the problems."""
    problems = find_problems(ROOT, "--release" in sys.argv[1:])
    print("\n".join(problems) or find_version(ROOT, "CMakeLists.txt"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
