"""Trains on house prices with a Spark cluster of two executors, kills one of them on the way, and compares the models.

usage: california.py [NAME]

NAME is another of the real data sets with one target in $KAURI_DATA, by default ../shared/data beside the project. The
script needs the packages of kauriboost[spark], and Java 17 or newer.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import kauriboost as kb

HERE = Path(__file__).resolve()
DATA = Path(os.environ.get("KAURI_DATA", HERE.parents[3] / "shared" / "data"))
PARAMS = {"n_estimators": 40, "max_depth": 6, "subsample": 0.8}
LOST_AFTER = 25  # rounds


class LoseAnExecutor(kb.callback.TrainingCallback):
    """Ends one executor, as a broken machine would. Spark starts another one and repeats the training."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch + 1 == LOST_AFTER:
            try:
                self.file.open("x").close()  # only one process can create the file
            except FileExistsError:
                return False
            parent = Path(f"/proc/{os.getppid()}/stat").read_text()
            os.kill(int(parent.rpartition(")")[2].split()[1]), signal.SIGKILL)
            time.sleep(60)  # until Spark ends this process, too
        return False


def timed(what: str, begin: float) -> None:
    print(f"{what:<44} {time.perf_counter() - begin:6.1f} s", flush=True)


def session() -> Any:
    """Return a session with two executors of one core."""
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    path = os.pathsep.join([str(HERE.parent), *filter(None, sys.path)])
    settings = {"spark.ui.enabled": "false", "spark.executorEnv.PYTHONPATH": path}
    if "KAURI_LIBRARY" in os.environ:
        settings["spark.executorEnv.KAURI_LIBRARY"] = os.environ["KAURI_LIBRARY"]
    made = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings).getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def main(name: str) -> None:
    sys.path.insert(0, str(DATA))
    import pandas as pd
    from load import load

    X, y, _ = load(name)
    print(f"{name}: {X.shape[0]} rows, {X.shape[1]} features")
    names = [f"x{i}" for i in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names)
    begin = time.perf_counter()
    alone = kb.KauriRegressor(**PARAMS).fit(table, y).get_booster().save_raw()
    timed("one process", begin)

    from california import LoseAnExecutor  # by its module's name, so that executors can import it
    from kauriboost import spark as ks

    spark = session()
    frame = spark.createDataFrame(table.assign(label=y))
    for what, callbacks in {
        "two executors": None,
        f"the same, one of them lost after {LOST_AFTER} rounds": [LoseAnExecutor(Path(tempfile.mkdtemp()) / "lost")],
    }.items():
        begin = time.perf_counter()
        regressor = ks.KauriRegressor(features_col=names, num_workers=2, callbacks=callbacks, **PARAMS)
        model = regressor.fit(frame)
        timed(what, begin)
        print("  the same bytes:", model.get_booster().save_raw() == alone)

    from pyspark.sql import functions as sql

    shap = (
        model.setParams(pred_contrib_col="shap").transform(frame).select(sql.posexplode(sql.transform("shap", sql.abs)))
    )
    means = shap.groupBy("pos").mean("col").toPandas().set_index("pos")["avg(col)"].drop(len(names))
    print("  features by the mean of their absolute SHAP values:", means.nlargest(3).index.tolist())
    spark.stop()


if __name__ == "__main__":
    if (DATA / "load.py").is_file():
        main(*(sys.argv[1:] or ["california"]))
    else:
        print(f"there are no real data sets at {DATA}; say where they are in KAURI_DATA, and start this again.")
