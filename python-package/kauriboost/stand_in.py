"""Import of Kauri under XGBoost's names."""

from __future__ import annotations

from ._tools.stand_in import install_as_xgboost, restored

__all__ = ["install_as_xgboost", "restored"]
