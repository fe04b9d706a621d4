"""Trains, predicts, ranks and saves with xgboost.spark over Kauri's library, and compares with one process."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

import numpy as np
import pandas as pd
import xgboost
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession
from spark_problems import NUMBERS, in_pieces, rows
from xgboost.collective import Config
from xgboost.spark import SparkXGBClassifier, SparkXGBRanker, SparkXGBRegressor

N_ROWS, PIECES = 900, [500, 400]
SETTINGS = {"n_estimators": 5, "max_depth": 3, "num_workers": 2}
LOCAL = {"n_estimators": 5, "max_depth": 3}


def session_of_two() -> SparkSession:
    """Return a session whose two Python workers are processes of their own."""
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }
    session = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def raw(model: Any) -> bytes:
    return bytes(model.get_booster().save_raw("ubj"))


def check_regressor(table: pd.DataFrame, frame: Any) -> None:
    """Weights, rows to evaluate, early stopping, and a tracker in the driver."""
    stopping = {**LOCAL, "n_estimators": 40, "learning_rate": 0.6, "early_stopping_rounds": 2, "eval_metric": "rmse"}
    tracker = {"launch_tracker_on_driver": True, "coll_cfg": Config(tracker_host_ip="127.0.0.1", timeout=60)}
    columns = {"features_col": NUMBERS, "label_col": "score", "weight_col": "weight"}
    model = SparkXGBRegressor(
        **columns, validation_indicator_col="held", **{**stopping, "num_workers": 2}, **tracker
    ).fit(frame)
    learnt, held = table[~table["held"]], table[table["held"]]
    alone = xgboost.XGBRegressor(**stopping).fit(
        learnt[NUMBERS],
        learnt["score"],
        sample_weight=learnt["weight"],
        eval_set=[(held[NUMBERS], held["score"])],
        sample_weight_eval_set=[held["weight"]],
        verbose=False,
    )
    assert alone.best_iteration < 35
    assert model.get_booster().best_iteration == alone.best_iteration
    assert raw(model) == raw(alone)


def check_classifier(table: pd.DataFrame, frame: Any) -> None:
    """Vectors, three classes, probabilities, and a pipeline that is saved and loaded."""
    assembler = VectorAssembler(inputCols=NUMBERS, outputCol="features")
    classifier = SparkXGBClassifier(label_col="class", **SETTINGS)
    fitted = Pipeline(stages=[assembler, classifier]).fit(frame)
    with tempfile.TemporaryDirectory() as folder:
        fitted.write().overwrite().save(f"{folder}/pipeline")
        loaded = PipelineModel.load(f"{folder}/pipeline")
    alone = xgboost.XGBClassifier(**LOCAL).fit(table[NUMBERS].to_numpy(), table["class"])
    assert raw(loaded.stages[1]) == raw(fitted.stages[1]) == raw(alone)
    found = loaded.transform(frame).select("prediction", "probability").toPandas()
    probabilities = alone.predict_proba(table[NUMBERS].to_numpy())
    np.testing.assert_array_equal(found["prediction"], probabilities.argmax(axis=1))
    np.testing.assert_allclose(np.stack([each.toArray() for each in found["probability"]]), probabilities, rtol=1e-6)


def check_ranker(table: pd.DataFrame, frame: Any) -> None:
    """Queries, and SHAP values as a column."""
    columns = {"features_col": NUMBERS, "label_col": "class", "qid_col": "query", "pred_contrib_col": "shap"}
    model = SparkXGBRanker(**columns, **SETTINGS).fit(frame)
    alone = xgboost.XGBRanker(**LOCAL).fit(table[NUMBERS], table["class"], qid=table["query"])
    assert raw(model) == raw(alone)
    found = model.transform(frame).select("shap").toPandas()["shap"]
    shap = alone.get_booster().predict(xgboost.DMatrix(table[NUMBERS]), pred_contribs=True)
    np.testing.assert_allclose(np.stack(found), shap, rtol=1e-5, atol=1e-6)


def main() -> None:
    assert "KAURI_VERSION" in xgboost.build_info()
    table = rows(N_ROWS).drop(columns="tree")
    table["class"] = np.digitize(table["score"], [-0.5, 0.5])
    table["query"] = np.arange(N_ROWS) // 10  # each in one partition
    session = session_of_two()
    try:
        frame = in_pieces(session, table, PIECES).cache()
        check_regressor(table, frame)
        check_classifier(table, frame)
        check_ranker(table, frame)
    finally:
        session.stop()
    print("the executors work")


if __name__ == "__main__":
    main()
