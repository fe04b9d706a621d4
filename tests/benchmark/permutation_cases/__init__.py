"""Tables and figures of "Sampling permutations for Shapley value estimation" (chapter 5 of the thesis)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python-package"))
