"""A session whose cluster says that it has two GPUs: which one does each worker of a training get?

    python gpus_program.py AMOUNT ADDRESS ADDRESS    AMOUNT: spark.task.resource.gpu.amount

Prints the devices of two workers, the number of workers that can train at once, and how a training ends; a machine
without a driver of NVIDIA's refuses the device.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import kauriboost as kb
import pyarrow as pa
from conftest import settings_of_tests
from kauriboost import spark as ks
from kauriboost._spark.gpus import device_of_task, profile_of_training
from kauriboost._spark.session import _slots
from pyspark.sql import SparkSession
from spark_problems import spark_home

GPUS = """#!/bin/sh
echo '{{"name": "gpu", "addresses": {addresses}}}'
"""


def device(batches: Any) -> Any:
    """Return the device of a task."""
    from pyspark import BarrierTaskContext

    context = BarrierTaskContext.get()
    found = device_of_task(context.resources(), context.partitionId())
    yield pa.RecordBatch.from_pydict({"device": [found]})


def main(amount: str, *addresses: str) -> None:
    """Run the session."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "gpus.sh"
        script.write_text(GPUS.format(addresses=json.dumps(addresses)))
        script.chmod(0o755)
        home = Path(folder) / "home"
        home.mkdir()
        os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", SPARK_HOME=spark_home(home))
        settings = {
            **settings_of_tests(),
            "spark.worker.resource.gpu.amount": "2",
            "spark.worker.resource.gpu.discoveryScript": str(script),
            "spark.executor.resource.gpu.amount": "2",
            "spark.task.resource.gpu.amount": amount,
        }
        session = SparkSession.builder.master("local-cluster[1,4,1024]").config(map=settings).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        frame = session.range(0, 100, 1, 2)
        frame.count()  # waits for the executor
        profile = profile_of_training(session)
        if addresses[0].isdecimal():
            devices = frame.mapInArrow(device, "device string", barrier=True, profile=profile).collect()
            print("devices", *sorted(row["device"] for row in devices))
        print("workers", _slots(session.sparkContext, profile))
        numbers = frame.selectExpr("cast(id as float) as x", "cast(id % 3 as double) as label")
        try:
            ks.KauriRegressor(features_col=["x"], device="cuda", num_workers=2, n_estimators=2).fit(numbers)
            print("trained")
        except kb.KauriError as error:
            print(type(error).__name__, error)
        session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
