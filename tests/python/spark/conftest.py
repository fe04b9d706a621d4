"""One Spark session for all tests: a cluster of two executors on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")
from spark_problems import spark_home

HERE = Path(__file__).resolve().parent
OF_SHORT_PROGRAMS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for Java, which then takes less time to start
PATH = os.pathsep.join([str(HERE), str(HERE.parents[2] / "python-package")])


def settings_of_tests() -> dict[str, str]:
    """Return the settings of a session whose connections are authenticated and encrypted."""
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.locality.wait": "0s",  # a task starts where there is room
        "spark.network.crypto.enabled": "true",
        "spark.authenticate": "true",
        "spark.authenticate.secret": "of the tests",
        "spark.driver.extraJavaOptions": OF_SHORT_PROGRAMS,
        "spark.executor.extraJavaOptions": OF_SHORT_PROGRAMS,
        "spark.executorEnv.PYTHONPATH": PATH,
        "spark.executorEnv.KAURI_LIBRARY": os.environ["KAURI_LIBRARY"],
        "spark.executorEnv.OMP_WAIT_POLICY": "passive",
    }


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Provide two executors with one core each."""
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    os.environ["SPARK_HOME"] = spark_home(tmp_path_factory.mktemp("spark"))
    builder = SparkSession.builder.master(os.environ.get("KAURI_SPARK_MASTER", "local-cluster[2,1,1024]"))
    for name, value in settings_of_tests().items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()
