"""What KAURI_UNITS joins compiles: demo/quickstart builds that way, and nothing else that the tests run."""

from __future__ import annotations

import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lint_sources import ROOT


def check(step: dict[str, str]) -> str:
    """Compile a unit without making code of it; the compiler's complaints."""
    command = re.sub(r" -o \S+", "", step["command"]) + " -fsyntax-only"
    done = subprocess.run(
        command,
        shell=True,
        cwd=step["directory"],
        env={**os.environ, "CCACHE_DISABLE": "1"},
        text=True,
        capture_output=True,
    )
    return done.stderr


def test_files_of_a_unit_share_no_names(tmp_path: Path) -> None:
    command = ["cmake", "--preset", "quickstart", "-B", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    steps = json.loads((tmp_path / "compile_commands.json").read_text())
    units = [step for step in steps if "/Unity/" in step["file"] and step["directory"] == str(tmp_path)]
    joined = sum(Path(unit["file"]).read_text().count("#include") for unit in units)
    assert joined > 4 * len(units) > 0  # or else nothing is gained
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [text for text in pool.map(check, units) if text]
    assert not complaints, (
        "cmake/KauriUnits.cmake joins files that do not go together: give what clashes another name.\n" + complaints[0]
    )
