"""The defaults of KauriClassifier and KauriRegressor, which take the place of XGBoost's where a parameter is not given.

They were chosen and confirmed on real data sets (tests/benchmark/quality.py); the guide's page on tuning has the table.
No setting was better than XGBoost's for rankings, so KauriRanker keeps those. So do `kauriboost.train`, the C interface
and the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ROUNDS = 200
ROUNDS_OF_XGBOOST = 100
# By the estimators' names; the booster also knows the second names.
OF_TREES: Mapping[str, Any] = {"learning_rate": 0.1, "reg_lambda": 5.0, "colsample_bynode": 0.5}
_SECOND_NAMES = {"learning_rate": "eta", "reg_lambda": "lambda"}
# Parameters that ask for another kind of training than boosting by new trees, one at a time, that all stay.
_OTHER_KINDS = ("updater", "process_type", "sample_type", "normalize_type", "rate_drop", "one_drop", "skip_drop")

_keeps_xgboosts = False


def keep_xgboosts() -> None:
    """Leave XGBoost's defaults in place, for this process, which imports Kauri as XGBoost."""
    global _keeps_xgboosts
    _keeps_xgboosts = True


def apply_to(params: Mapping[str, Any]) -> bool:
    """Return whether the defaults apply beside the given booster parameters.

    They do not apply to linear models, dart, boosted forests and updates of existing trees.
    """
    is_plain = params.get("booster", "gbtree") == "gbtree" and str(params.get("num_parallel_tree", 1)) == "1"
    return not _keeps_xgboosts and is_plain and not any(name in params for name in _OTHER_KINDS)


def beside(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of the parameters that are not given under one of their names."""
    return {
        name: value for name, value in OF_TREES.items() if name not in params and _SECOND_NAMES.get(name) not in params
    }
