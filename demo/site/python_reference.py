"""Reference pages of the Python package, made from its docstrings and signatures."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """Related public names of one module; without `members`, all names in the module's `__all__`."""

    name: str
    title: str
    about: str
    module: str
    members: tuple[str, ...] = ()


PAGES = (
    Page("data", "data", "Training data, and rows to predict.", "kauriboost",
         ("DMatrix", "QuantileDMatrix", "ExtMemQuantileDMatrix", "DataIter", "DeviceArray", "summarize",
          "ColumnSummary", "shuffle", "shuffle_rows", "shuffle_uniformity", "ShuffleUniformity")),
    Page("training", "training and boosters", "Training, cross-validation, and models.", "kauriboost",
         ("train", "cv", "CvResult", "fit_best", "BestFit", "Attempt", "distill", "Distilled",
          "Distribution", "distribution_of",
          "train_quantiles", "refit", "Booster", "check", "ModelCheck", "add_receipt", "verify",
          "Verification")),
    Page("estimators", "estimators", "Estimators with scikit-learn's conventions.", "kauriboost.sklearn"),
    Page("callbacks", "callbacks", "Functions that training calls before and after each round.", "kauriboost.callback"),
    Page("explaining", "explanations", "SHAP values, importance and partial dependence.", "kauriboost",
         ("explain", "explain_function", "shapley_values", "explain_batches", "global_importance",
          "sparse_interactions", "explain_interactions", "permutation_importance", "partial_dependence",
          "dependence_curves", "h_statistic", "functional_anova", "accumulated_local_effects", "sample_orders",
          "Explanation", "GlobalImportance", "SparseInteractions", "SetInteractions", "PermutationImportance",
          "PartialDependence", "DependenceCurves", "InteractionStrengths", "FunctionalAnova", "Orders")),
    Page("forests", "forests of other libraries", "Other forests as boosters.", "kauriboost.forests"),
    Page("shap", "shap's interface", "Explanations with the signatures of shap.", "kauriboost.shap"),
    Page("plotting", "plots", "Plots with Matplotlib.", "kauriboost.plotting"),
    Page("dask", "Dask", "Training and prediction on the workers of a cluster.", "kauriboost.dask"),
    Page("spark", "Spark", "Training and prediction on the executors of a cluster.", "kauriboost.spark"),
    Page("ray", "Ray", "Training and prediction on the workers of a cluster.", "kauriboost.ray"),
    Page("collective", "workers", "Several processes or threads that train one model.", "kauriboost.collective",
         ("Collective", "MpiCollective", "rows_in_order_of_ranks", "thread_group")),
    Page("library", "settings and errors", "Settings, versions and exceptions of the whole package.", "kauriboost",
         ("build_info", "parameters", "config_context", "get_config", "set_config", "install_as_xgboost",
          "KauriError", "CollectiveError", "DataError", "DeviceError", "FileError", "InternalError", "ModelError",
          "OutOfMemoryError", "ParameterError")),
    Page("link", "beside XGBoost", "Kauri under an installed XGBoost.", "kauriboost.link", ("link", "unlink")),
)  # fmt: skip
MODULES = ("kauriboost", "kauriboost.sklearn", "kauriboost.callback", "kauriboost.plotting", "kauriboost.dask",
           "kauriboost.spark", "kauriboost.ray", "kauriboost.forests", "kauriboost.shap")  # fmt: skip


def members_of(page: Page) -> tuple[str, ...]:
    return page.members or tuple(importlib.import_module(page.module).__all__)


def undocumented() -> set[str]:
    """Return the public names that are on no page."""
    shown = {name for page in PAGES for name in members_of(page)} | {"callback"}  # a module, with a page of its own
    return {name for module in MODULES for name in importlib.import_module(module).__all__} - shown


def directive(page: Page, name: str) -> str:
    """Return the Sphinx directive that documents one class or function."""
    thing = getattr(importlib.import_module(page.module), name)
    if not inspect.isclass(thing):
        return f".. autofunction:: {page.module}.{name}\n"
    # Users know a class by its `__module__`, which is also the name in messages.
    bases = [base.__name__ for base in thing.__mro__ if not base.__module__.startswith("kauriboost")]
    lines = [f".. autoclass:: {thing.__module__}.{thing.__qualname__}", "   :members:"]
    return "\n".join([*lines, f"   :inherited-members: {', '.join(bases)}", ""])


def python_pages() -> dict[str, str]:
    """Return name below reference/ -> page in Markdown."""
    if missing := undocumented():
        raise ValueError(f"no page of the Python reference has {', '.join(sorted(missing))}: add them to PAGES")
    pages = {}
    for page in PAGES:
        directives = "\n".join(directive(page, name) for name in members_of(page))
        pages[f"python-{page.name}"] = f"# Python: {page.title}\n\n{page.about}\n\n```{{eval-rst}}\n{directives}```\n"
    return pages
