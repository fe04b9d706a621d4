"""shap's interface to tree explanations, computed by Kauri: ``import kauriboost.shap as shap``."""

from __future__ import annotations

from ._shap.explainer import TreeExplainer
from ._shap.peer import __getattr__ as __getattr__
from ._shap.trees import TreeModel

__all__ = ["TreeExplainer", "TreeModel"]
