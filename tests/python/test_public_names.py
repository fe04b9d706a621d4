"""What programs import from the package stays where it is; the rooms behind it are nobody's business."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import kauri
import pytest

PUBLIC = {
    "kauri": """
        Booster DMatrix DataError DataIter DeviceArray DeviceError Explanation ExtMemQuantileDMatrix FileError
        GlobalImportance InternalError KauriError ModelError OutOfMemoryError ParameterError PermutationImportance
        QuantileDMatrix SparseInteractions build_info callback config_context cv explain explain_batches get_config
        global_importance parameters permutation_importance plot_beeswarm plot_contributions plot_dependence
        plot_importance plot_interactions plot_tree plot_waterfall set_config shuffle sparse_interactions to_graphviz
        train
    """,
    "kauri.booster": """
        Booster CategoryNames CustomMetric DMatrix DataError Evaluation IterationRange Model Objective ParameterError
        ParamsOrPairs missing_value
    """,
    "kauri.callback": """
        CallbackContainer EarlyStopping EvaluationMonitor LearningRateScheduler MaxTime ProgressBar TrainingCallback
        TrainingCheckPoint
    """,
    "kauri.constraints": "ParameterError by_index",
    "kauri.cv": """
        Booster CallbackContainer CustomMetric CvBooster DMatrix EarlyStopping EvalsLog Evaluation Folds Objective
        Preprocessing TrainingCallback cv
    """,
    "kauri.data": "ArrayLike CategoryNames DMatrix DataError DataIter create_from_iterator missing_value",
    "kauri.data_iter": "Batch DataError DataIter create_from_iterator",
    "kauri.dependence_plot": "Explanation plot_dependence",
    "kauri.device": "DataError DeviceArray array_in interface interface_members is_device_array predict to_host",
    "kauri.explain": """
        Booster DMatrix DataError Explanation GlobalImportance ParameterError SparseInteractions explain explain_batches
        global_importance sparse_interactions
    """,
    "kauri.explain_plots": """
        Explanation GlobalImportance plot_beeswarm plot_contributions plot_interactions plot_waterfall
    """,
    "kauri.explanation": "CategoryNames Explanation GlobalImportance ParameterError SparseInteractions",
    "kauri.frame": "DataError split_value_histogram trees_to_dataframe",
    "kauri.model": "Model",
    "kauri.permutation": """
        Booster DMatrix DataError Metric ParameterError PermutationImportance permutation_importance shuffle
    """,
    "kauri.plotting": """
        plot_beeswarm plot_contributions plot_dependence plot_importance plot_interactions plot_tree plot_waterfall
        to_graphviz
    """,
    "kauri.quantile": """
        ArrayLike DMatrix DataError DataIter ExtMemQuantileDMatrix QuantileDMatrix create_from_iterator missing_value
    """,
    "kauri.shuffling": "ParameterError shuffle",
    "kauri.sklearn": "KauriClassifier KauriRFClassifier KauriRFRegressor KauriRanker KauriRegressor",
    "kauri.training": """
        Booster CallbackContainer CustomMetric DMatrix EarlyStopping Evals EvalsLog Objective ParamsOrPairs
        TrainingCallback train
    """,
    "kauri.tree_plots": "Booster plot_tree to_graphviz",
}


@pytest.mark.parametrize("name", PUBLIC)
def test_names_of_a_module(name: str) -> None:
    module = importlib.import_module(name)
    assert sorted(module.__all__) == sorted(PUBLIC[name].split())
    assert all(hasattr(module, public) for public in module.__all__)


def test_no_other_module_is_public() -> None:
    found = {f"kauri.{module.name}" for module in pkgutil.iter_modules(kauri.__path__)}
    assert {name for name in found if not name.startswith("kauri._")} == set(PUBLIC) - {"kauri"}
    assert kauri.__version__


def test_classes_say_where_they_are_imported_from() -> None:
    for name in PUBLIC:
        module = importlib.import_module(name)
        for public in module.__all__:
            value = getattr(module, public)
            if isinstance(value, type) and value.__module__.startswith("kauri") and public != "Batch":
                assert getattr(importlib.import_module(value.__module__), public) is value
                assert value.__module__ in PUBLIC


@pytest.mark.parametrize("path", sorted(Path(kauri.__path__[0]).glob("*.py")), ids=lambda path: path.stem)
def test_modules_outside_the_rooms_are_lists_of_names(path: Path) -> None:
    """All that they do is import; `_public` alone has code, since the rooms stand on it."""
    body = ast.parse(path.read_text(encoding="utf-8")).body[1:]
    others = [node for node in body if not isinstance(node, (ast.ImportFrom, ast.Assign))]
    assert not others or path.stem == "_public"
