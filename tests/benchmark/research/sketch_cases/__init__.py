"""Tables and figures of "An empirical study of moment estimators for quantile approximation" (chapter 3)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # for permutation_cases.claims
