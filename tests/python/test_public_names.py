"""Public imports of the package are stable; the private modules behind them may change."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import kauriboost as kb
import pytest

PUBLIC = {
    "kauriboost": """
        Attempt BestFit Booster CollectiveError ColumnSummary CvResult DMatrix DataError DataIter DependenceCurves
        DeviceArray DeviceError Distilled Distribution Explanation ExtMemQuantileDMatrix FileError FunctionalAnova
        GlobalImportance InteractionStrengths InternalError KauriClassifier KauriDistribution KauriError
        KauriRFClassifier KauriRFRegressor KauriRanker KauriRegressor ModelCheck ModelError Orders OutOfMemoryError
        ParameterError PartialDependence
        PermutationImportance QuantileDMatrix SetInteractions ShuffleUniformity SparseInteractions Verification
        accumulated_local_effects add_receipt build_info callback check config_context cv dependence_curves distill
        distribution_of explain explain_batches explain_function explain_interactions fit_best functional_anova
        get_config global_importance h_statistic install_as_xgboost parameters partial_dependence
        permutation_importance plot_beeswarm plot_calibration
        plot_contributions plot_dependence plot_h_statistic plot_importance plot_interactions plot_metric
        plot_partial_dependence plot_tree plot_waterfall refit report sample_orders set_config shapley_values
        shuffle shuffle_rows shuffle_uniformity sparse_interactions summarize to_graphviz train
        train_quantiles verify
    """,
    "kauriboost.booster": """
        Booster CategoryNames CustomMetric DMatrix DataError Evaluation IterationRange Model Objective ParameterError
        ParamsOrPairs missing_value
    """,
    "kauriboost.callback": """
        CallbackContainer EarlyStopping EvaluationMonitor LearningRateScheduler MaxTime ProgressBar TrainingCallback
        TrainingCheckPoint
    """,
    "kauriboost.collective": "Collective CollectiveError MpiCollective rows_in_order_of_ranks thread_group",
    "kauriboost.constraints": "ParameterError by_index",
    "kauriboost.cv": """
        Booster CallbackContainer CustomMetric CvBooster CvResult DMatrix EarlyStopping EvalsLog Evaluation Folds
        Objective Preprocessing Settings TrainingCallback cv
    """,
    "kauriboost.dask": """
        DaskDMatrix DaskKauriClassifier DaskKauriRFClassifier DaskKauriRFRegressor DaskKauriRanker DaskKauriRegressor
        DaskQuantileDMatrix inplace_predict predict train
    """,
    "kauriboost.data": "ArrayLike CategoryNames DMatrix DataError DataIter create_from_iterator missing_value",
    "kauriboost.data_iter": "Batch DataError DataIter create_from_iterator",
    "kauriboost.device": "DataError DeviceArray array_in interface interface_members is_device_array predict to_host",
    "kauriboost.distill": "Distilled distill",
    "kauriboost.distribution": "Distribution distribution_of",
    "kauriboost.explain": """
        Booster DMatrix DataError DependenceCurves Explanation FunctionalAnova GlobalImportance InteractionStrengths
        ParameterError PartialDependence SetInteractions SparseInteractions accumulated_local_effects
        dependence_curves explain explain_batches explain_function explain_interactions functional_anova
        global_importance h_statistic partial_dependence shapley_values sparse_interactions
    """,
    "kauriboost.explanation": """
        CategoryNames DependenceCurves Explanation FunctionalAnova GlobalImportance InteractionStrengths
        ParameterError PartialDependence SetInteractions SparseInteractions
    """,
    "kauriboost.frame": "DataError split_value_histogram trees_to_dataframe",
    "kauriboost.link": "link unlink",
    "kauriboost.model": "Model ModelCheck check",
    "kauriboost.orders": "Orders ParameterError sample_orders",
    "kauriboost.permutation": """
        Booster DMatrix DataError Metric ParameterError PermutationImportance permutation_importance shuffle
    """,
    "kauriboost.plotting": """
        plot_beeswarm plot_calibration plot_contributions plot_dependence plot_h_statistic plot_importance
        plot_interactions plot_metric plot_partial_dependence plot_tree plot_waterfall report to_graphviz
    """,
    "kauriboost.forests": """
        ForestTree LoadedForest from_lightgbm from_sklearn from_trees load thresholds_of thresholds_of_doubles
    """,
    "kauriboost.quantile": """
        ArrayLike DMatrix DataError DataIter ExtMemQuantileDMatrix QuantileDMatrix create_from_iterator missing_value
    """,
    "kauriboost.shap": "TreeExplainer TreeModel",
    "kauriboost.shuffling": "DataError ParameterError ShuffleUniformity shuffle shuffle_rows shuffle_uniformity",
    "kauriboost.uniformity": "shuffle_uniformity",
    "kauriboost.spark": """
        KauriClassifier KauriClassifierModel KauriRanker KauriRankerModel KauriRegressor KauriRegressorModel
        TrainingSummary
    """,
    "kauriboost.ray": """
        KauriTrainer RayKauriClassifier RayKauriRanker RayKauriRegressor RayTrainReportCallback
        TuneReportCheckpointCallback predict sparse_column train
    """,
    "kauriboost.sklearn": """
        KauriClassifier KauriDistribution KauriRFClassifier KauriRFRegressor KauriRanker KauriRegressor
    """,
    "kauriboost.summary": "ColumnSummary DataError ParameterError summarize",
    "kauriboost.stand_in": "install_as_xgboost restored",
    "kauriboost.training": """
        Attempt BestFit Booster CallbackContainer CustomMetric DMatrix EarlyStopping Evals EvalsLog Objective
        ParamsOrPairs TrainingCallback Verification add_receipt fit_best refit train train_quantiles verify
    """,
}


@pytest.mark.parametrize("name", PUBLIC)
def test_names_of_a_module(name: str) -> None:
    module = importlib.import_module(name)
    assert sorted(module.__all__) == sorted(PUBLIC[name].split())
    assert all(hasattr(module, public) for public in module.__all__)


def test_no_other_module_is_public() -> None:
    found = {f"kauriboost.{module.name}" for module in pkgutil.iter_modules(kb.__path__)}
    assert {name for name in found if not name.startswith("kauriboost._")} == set(PUBLIC) - {"kauriboost"}
    assert kb.__version__


def test_classes_say_where_they_are_imported_from() -> None:
    for name in PUBLIC:
        module = importlib.import_module(name)
        for public in module.__all__:
            value = getattr(module, public)
            if isinstance(value, type) and value.__module__.startswith("kauriboost") and public != "Batch":
                assert getattr(importlib.import_module(value.__module__), public) is value
                assert value.__module__ in PUBLIC


@pytest.mark.parametrize("path", sorted(Path(kb.__path__[0]).glob("*.py")), ids=lambda path: path.stem)
def test_modules_outside_the_rooms_are_lists_of_names(path: Path) -> None:
    """These modules only import names. Exceptions are `_public`, which other modules use; the package itself and
    `dask`, which import estimators on first use; `spark`, with other names of its estimators; and `link` and
    `uniformity`, which are also programs."""
    body = ast.parse(path.read_text(encoding="utf-8")).body[1:]
    others = [node for node in body if not isinstance(node, (ast.ImportFrom, ast.Assign))]
    assert not others or path.stem in {"_public", "__init__", "dask", "link", "spark", "uniformity"}


def test_estimators_are_imported_when_asked_for() -> None:
    asked = "print('sklearn' in sys.modules)"
    program = f"import sys, kauriboost as kb; {asked}; kb.KauriClassifier; {asked}"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=Path(kb.__path__[0]).parent, stdout=subprocess.PIPE, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
    assert "KauriClassifier" in dir(kb)


def test_the_docstring_has_an_example_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_examples(kb.__doc__ or "")
    assert len(examples) > 4
    for example in examples:
        exec(example.source, globals())
    assert "Shapley" in (tmp_path / "report.html").read_text() or (tmp_path / "report.html").stat().st_size > 10000


def test_dir_shows_public_names_alone() -> None:
    names = [name for name in dir(kb) if not name.startswith("__")]
    assert names == sorted(kb.__all__)
    assert all(hasattr(kb, name) for name in names)
