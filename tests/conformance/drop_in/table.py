"""Prints which scenarios pass over our library.

    .venv/bin/python tests/conformance/drop_in/table.py [PART_OF_NAME...]

Prints one line per scenario: its name, the results of XGBoost's package over XGBoost's library and over ours, and
whether they agree.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
from drop_in.comparison import difference
from drop_in.differences import DIFFERENCES
from drop_in.workers import ENVIRONMENT, environment_python, run_over_both, scenario_names


def main(parts: list[str]) -> int:
    """Run the scenarios whose names contain one of the parts, or all; return 0 if all pass or are explained."""
    python = environment_python()
    if python is None:
        print(f"not there; python tests/peers/environments.py {ENVIRONMENT}")
        return 2
    names = [name for name in scenario_names() if not parts or any(part in name for part in parts)]
    with tempfile.TemporaryDirectory() as folder:
        theirs, ours = run_over_both(python, names, Path(folder))
    found = {name: difference(theirs[name], ours[name]) for name in names}
    for name in names:
        passes = "yes" if found[name] is None else "explained" if name in DIFFERENCES else "NO"
        print(f"{name:60} {theirs[name]['outcome']:9} {ours[name]['outcome']:9} {passes}")
    failed = [name for name in names if found[name] is not None]
    for name in failed:
        print(f"\n{name}: {found[name]}" + (f"\n  explained: {DIFFERENCES[name]}" if name in DIFFERENCES else ""))
    print(f"\n{len(names) - len(failed)} of {len(names)} pass")
    return 0 if set(failed) <= set(DIFFERENCES) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
