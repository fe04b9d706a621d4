"""XGBoost's own tracker and communicator in several processes, over Kauri's library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("xgboost_program.py")
# Packages that XGBoost imports if they are installed. Without them it starts in a quarter of the time.
OPTIONAL = ("dask", "distributed", "pandas", "pyarrow", "sklearn")


def test_three_processes(xgboost_on_kauri: Path) -> None:
    program = f"import sys\nsys.modules.update(dict.fromkeys({OPTIONAL}))\n"
    (xgboost_on_kauri / "sitecustomize.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": str(xgboost_on_kauri)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert "the group works" in done.stdout, done.stdout + done.stderr
