"""Common part of the readers of model files: reads a list of cases, writes margins or errors. Runs on Python 3.9."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Case = dict[str, Any]  # name, file, rows, feature_names, feature_types


def run(arguments: list[str], margins_of: Callable[[Path, Case], np.ndarray]) -> None:
    """Call `margins_of` for each case of the folder, and write the margins by name and the errors as JSON."""
    folder, out = Path(arguments[0]), arguments[1]
    margins, errors = {}, {}
    for case in json.loads((folder / "cases.json").read_text()):
        try:
            margins[case["name"]] = np.asarray(margins_of(folder, case), np.float64)
        except Exception as error:  # from any library; the test knows which files must be readable
            errors[case["name"]] = f"{type(error).__name__}: {error}"[:300]
    np.savez(folder / f"{out}.npz", **margins)
    (folder / f"{out}.json").write_text(json.dumps(errors))
