"""Models that several workers learn from a data frame have the bytes of those that one process learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest
from kauriboost._spark.columns import Columns, placed, selected
from kauriboost._spark.partitions import are_tasks, as_computed
from spark_problems import N_ROWS, NUMBERS, in_pieces, rows

ks = pytest.importorskip("kauriboost.spark")
sql = pytest.importorskip("pyspark.sql.functions")
SHORT = {"n_estimators": 5, "max_depth": 4, "subsample": 0.8, "random_state": 1}
RAGGED = [1, 0, 1500, 99, 1000]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return rows()


@pytest.fixture(scope="module")
def frame(session: Any, table: pd.DataFrame) -> Any:
    return in_pieces(session, table, RAGGED).cache()


def raw(model: Any) -> bytes:
    return bytes(model.get_booster().save_raw())


def test_any_workers_and_partitions_give_the_bytes_of_one_process(
    session: Any, table: pd.DataFrame, frame: Any
) -> None:
    features = [*NUMBERS, "tree"]
    alone = kb.KauriClassifier(**SHORT).fit(table[features], table["label"], sample_weight=table["weight"])
    halves = in_pieces(session, table, [600, N_ROWS - 600])
    for n_workers, given, must_deal in (
        (1, frame, False),
        (2, frame, False),
        (2, halves, False),  # of which each worker has one
        (2, halves, True),
        (2, in_pieces(session, table, [N_ROWS]), False),
    ):
        columns = {"features_col": features, "weight_col": "weight", "force_repartition": must_deal}
        model = ks.KauriClassifier(num_workers=n_workers, **columns, **SHORT).fit(given)
        assert raw(model) == raw(alone), n_workers
    assert list(model.training_summary.train_objective_history) == ["logloss"]
    found = model.setParams(pred_contrib_col="shap").transform(frame).toPandas()
    np.testing.assert_array_equal(np.stack(found["probability"]), alone.predict_proba(table[features]).astype(float))
    np.testing.assert_array_equal(found["prediction"], alone.predict(table[features]))
    shap = alone.get_booster().predict(kb.DMatrix(table[features]), pred_contribs=True)
    np.testing.assert_array_equal(np.stack(found["shap"]), shap.astype(float))
    assert found["rawPrediction"][0][1] == -found["rawPrediction"][0][0]


def test_partitions_that_workers_can_read_as_they_are(session: Any, table: pd.DataFrame) -> None:
    two, four = in_pieces(session, table, [N_ROWS, 0]), in_pieces(session, table, [500, 1, 1500, 599])
    in_order = table.sort_values("x0")
    sorted_by_spark = four.repartitionByRange(2, "x0").sortWithinPartitions("x0")
    for given, is_read_in_place, right in (
        (two, True, table),
        (two.filter(two["x1"] > 0), True, table[table["x1"] > 0]),
        (sorted_by_spark, True, in_order),
        (four.coalesce(2), False, table),  # Spark refuses them in a barrier stage
        (four.coalesce(1).union(four.coalesce(1)), False, pd.concat([table, table])),
        (four, False, table),
    ):
        rows = as_computed(given)
        assert are_tasks(rows, 2) == is_read_in_place
        columns = Columns(NUMBERS, "score")
        plan = placed(given, columns, 2, False)._jdf.queryExecution().toString()
        assert ("Exchange" in plan) != is_read_in_place
        assert "Exchange" in placed(given, columns, 2, True)._jdf.queryExecution().toString()
        found = ks.KauriRegressor(features_col=NUMBERS, label_col="score", num_workers=2, **SHORT).fit(given)
        assert raw(found) == raw(kb.KauriRegressor(**SHORT).fit(right[NUMBERS], right["score"]))


def test_shuffles_of_a_frame_run_once(session: Any, table: pd.DataFrame) -> None:
    counted = session.sparkContext.accumulator(0)

    def count(batches: Any) -> Any:
        for batch in batches:
            counted.add(batch.num_rows)
            yield batch

    frame = in_pieces(session, table, [2000, 600]).select(*NUMBERS, "score")
    shuffled = frame.mapInArrow(count, frame.schema).repartition(3)
    for n_workers in (1, 2):  # dealt
        counted.value = 0
        ks.KauriRegressor(features_col=NUMBERS, label_col="score", num_workers=n_workers, n_estimators=1).fit(shuffled)
        assert counted.value == N_ROWS


def test_names_with_dots_and_errors_of_the_frame(session: Any, table: pd.DataFrame) -> None:
    names = {"x0": "sepal.length", "x1": "pe`tal", "score": "the.label", "tree": "a.tree"}
    frame = session.createDataFrame(table[["x0", "x1", "score", "tree", "weight"]].rename(columns=names).head(50))
    frame = frame.withColumn("sepal", sql.struct(sql.lit(7.0).alias("length")))
    given = Columns(["sepal.length", "pe`tal", "a.tree"], label="the.label", weight="weight")
    found = frame.select(*selected(frame, given)).toPandas()
    for name, column in zip(["x0", "x1", "score", "weight"], ["feature0", "feature1", "label", "weight"]):
        np.testing.assert_array_equal(found[column], table[name].head(50))
    failing = frame.withColumn("label", sql.expr("cast(raise_error('of my own') as double)"))
    with pytest.raises(Exception, match="of my own") as caught:
        ks.KauriRegressor(features_col=["sepal.length"], num_workers=1).fit(failing)
    assert not isinstance(caught.value, kb.KauriError)


def test_two_names_of_one_parameter(frame: Any) -> None:
    with pytest.raises(kb.ParameterError, match="eta"):
        ks.KauriRegressor(features_col=NUMBERS, label_col="score", learning_rate=0.1, eta=0.2).fit(frame)


def test_labels_of_text_are_refused(session: Any) -> None:
    frame = session.createDataFrame([(1.0, "a")], "x double, label string")
    with pytest.raises(kb.DataError, match="Make numbers of texts by StringIndexer"):
        ks.KauriClassifier(features_col=["x"]).fit(frame)


def test_held_out_rows_stop_the_training(table: pd.DataFrame, frame: Any) -> None:
    more = {**SHORT, "n_estimators": 60, "learning_rate": 0.5, "early_stopping_rounds": 2}
    given = {"featuresCol": NUMBERS, "labelCol": "score", "validationIndicatorCol": "held", "numWorkers": 2}
    model = ks.KauriRegressor(**given, **more).fit(frame)
    learnt, held = table[~table["held"]], table[table["held"]]
    alone = kb.KauriRegressor(**more)
    alone.fit(learnt[NUMBERS], learnt["score"], eval_set=[(held[NUMBERS], held["score"])])
    assert alone.best_iteration < 50
    assert raw(model) == raw(alone)
    assert model.training_summary.validation_objective_history == alone.evals_result()["validation_0"]


def test_queries_are_ordered_and_stay_together(table: pd.DataFrame, frame: Any) -> None:
    graded = frame.withColumn("grade", frame["label"] * 2)
    columns = {"features_col": NUMBERS, "label_col": "grade", "qid_col": "query", "weight_col": "weight"}
    model = ks.KauriRanker(**columns, num_workers=2, n_estimators=4, max_depth=3).fit(graded)
    ordered = table.sort_values("query", kind="stable")
    alone = kb.KauriRanker(n_estimators=4, max_depth=3)
    weights = ordered.groupby("query")["weight"].first()
    alone.fit(ordered[NUMBERS], ordered["label"] * 2, qid=ordered["query"], sample_weight=weights)
    assert raw(model) == raw(alone)
    found = model.transform(graded).select("prediction").toPandas()["prediction"]
    np.testing.assert_array_equal(found, alone.predict(table[NUMBERS]))


def test_vectors_and_several_targets(session: Any, table: pd.DataFrame) -> None:
    from pyspark.ml.linalg import Vectors, VectorUDT

    X = np.where(np.abs(table[NUMBERS]) < 0.7, 0, table[NUMBERS]).astype(np.float32)
    y = np.column_stack([table["score"], -table["label"]])
    vectors = [
        Vectors.dense(row) if i % 3 else Vectors.sparse(4, {int(j): float(row[j]) for j in np.flatnonzero(row)})
        for i, row in enumerate(X)
    ]
    given = list(zip(vectors, y.tolist()))
    from pyspark.sql.types import ArrayType, DoubleType, StructType

    kind = StructType().add("features", VectorUDT()).add("label", ArrayType(DoubleType()))
    frame = session.createDataFrame(given, kind).cache()
    model = ks.KauriRegressor(num_workers=2, **SHORT).fit(frame)
    alone = kb.KauriRegressor(**SHORT).fit(X, y)
    assert raw(model) == raw(alone)
    np.testing.assert_array_equal(
        np.stack(model.transform(frame).toPandas()["prediction"]), alone.predict(X).astype(float)
    )
    sparse = ks.KauriRegressor(num_workers=2, missing=0.0, enable_sparse_data_optim=True, **SHORT).fit(frame)
    assert raw(sparse) == raw(kb.KauriRegressor(missing=0.0, **SHORT).fit(X, y))


def test_pipelines_folds_and_files(session: Any, table: pd.DataFrame, frame: Any, tmp_path: Path) -> None:
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    classes = frame.withColumn("label", frame["label"] * 4 + 3)  # 3 and 7
    classifier = ks.KauriClassifier(n_estimators=3, num_workers=2)
    pipeline = Pipeline(stages=[VectorAssembler(inputCols=NUMBERS, outputCol="features"), classifier])
    fitted = pipeline.fit(classes)
    fitted.write().overwrite().save(str(tmp_path / "pipeline"))
    loaded = PipelineModel.load(str(tmp_path / "pipeline"))
    assert raw(loaded.stages[1]) == raw(fitted.stages[1])
    assert loaded.stages[1].classes_.tolist() == [3, 7]
    found = loaded.transform(classes).select("prediction").toPandas()["prediction"]
    alone = kb.KauriClassifier(n_estimators=3).fit(table[NUMBERS].to_numpy(), table["label"] * 4 + 3)
    np.testing.assert_array_equal(found, alone.predict(table[NUMBERS].to_numpy()))
    classifier.write().overwrite().save(str(tmp_path / "estimator"))
    again = ks.KauriClassifier.load(str(tmp_path / "estimator"))
    assert again.getOrDefault(again.n_estimators) == 3
    assert np.isnan(again.getOrDefault("missing"))
    with pytest.raises(kb.ModelError, match="the parameter objective has no form"):
        ks.KauriClassifier(objective=max).write().overwrite().save(str(tmp_path / "estimator"))
    assert ks.KauriClassifier.load(str(tmp_path / "estimator")).uid == again.uid
    with pytest.raises(kb.KauriError, match="holds a KauriClassifier"):
        ks.KauriRanker.load(str(tmp_path / "estimator"))
    estimator = ks.KauriClassifier(n_estimators=2, features_col=NUMBERS)
    grid = ParamGridBuilder().addGrid(estimator.max_depth, [1, 3]).build()
    how = {"evaluator": BinaryClassificationEvaluator(), "numFolds": 2, "parallelism": 2}
    search = CrossValidator(estimator=estimator, estimatorParamMaps=grid, **how)
    best = search.fit(frame)
    assert best.avgMetrics[1] > best.avgMetrics[0]
    assert best.bestModel.getOrDefault("max_depth") == 3


def test_whole_distributions_are_refused(frame: Any) -> None:
    with pytest.raises(ValueError, match="cannot have the objective dist:normal; take KauriDistribution"):
        ks.KauriRegressor(objective="dist:normal", features_col=NUMBERS, label_col="score").fit(frame)
