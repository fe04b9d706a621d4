"""The models that 1, 2 and 4 Spark workers learn on five real sets, which must equal the models of one process.

    KAURI_DATA=FOLDER python tests/benchmark/cluster_spark.py [set ...]

The workers are executors of one local cluster, with one core each. Each number of workers gets the rows in other
partitions. The exit status is 1 if any pair of models differs by a byte.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from cluster_sets import LABEL, QUERY, ClusterSet, cluster_sets, model_of_one_process

PACKAGE = str(Path(__file__).resolve().parents[2] / "python-package")
PARTITIONS = {1: 3, 2: 2, 4: 7}  # by the number of workers


def cluster() -> Any:
    """Return a session with four executors."""
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
        "spark.executorEnv.PYTHONPATH": PACKAGE,
        "spark.executorEnv.KAURI_LIBRARY": os.environ.get("KAURI_LIBRARY", ""),
        "spark.executorEnv.OMP_WAIT_POLICY": "passive",
    }
    session = SparkSession.builder.master("local-cluster[4,1,1024]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def columns_of(each: ClusterSet) -> tuple[list[list[Any]], list[tuple[str, Any]]]:
    """Return the values of the columns of features, and their names and types."""
    from pyspark.ml.linalg import SparseVector, VectorUDT
    from pyspark.sql.types import FloatType, StringType

    if not hasattr(each.features, "tocsr"):
        values = [each.features[name].astype(object).where(each.features[name].notna(), None) for name in each.features]
        kinds = [FloatType() if dtype.kind == "f" else StringType() for dtype in each.features.dtypes]
        return [column.tolist() for column in values], list(zip(each.features.columns, kinds))
    rows = each.features.tocsr()
    rows.sort_indices()
    ends = zip(rows.indptr, rows.indptr[1:])
    vectors = [SparseVector(rows.shape[1], rows.indices[begin:end], rows.data[begin:end]) for begin, end in ends]
    return [vectors], [("features", VectorUDT())]


def frame_of(session: Any, each: ClusterSet, n_partitions: int) -> Any:
    """Return the rows, in their order, in this number of partitions."""
    from pyspark.sql.types import ArrayType, DoubleType, LongType, StructType

    values, fields = columns_of(each)
    values.append(each.label.tolist())
    fields.append((LABEL, ArrayType(DoubleType()) if each.label.ndim == 2 else DoubleType()))
    if each.query is not None:
        values.append(each.query.tolist())
        fields.append((QUERY, LongType()))
    schema = StructType()
    for name, kind in fields:
        schema = schema.add(name, kind)
    rows = session.sparkContext.parallelize(list(zip(*values)), n_partitions)
    return session.createDataFrame(rows, schema)


def model_of_workers(session: Any, each: ClusterSet, n_workers: int) -> bytes:
    """Return the bytes of the model that workers learn."""
    from kauriboost import spark as ks

    is_sparse = hasattr(each.features, "tocsr")
    how: dict[str, Any] = {"missing": 0.0, "enable_sparse_data_optim": True} if is_sparse else {}
    if not is_sparse:
        how["features_col"] = list(each.features.columns)
    if each.query is not None:
        how["qid_col"] = QUERY
    estimator = getattr(ks, each.estimator)(label_col=LABEL, num_workers=n_workers, **how, **each.params)
    model = estimator.fit(frame_of(session, each, PARTITIONS[n_workers]))
    return bytes(model.get_booster().save_raw())


def main() -> None:
    sets = cluster_sets(sys.argv[1:] or None)
    session, n_other = cluster(), 0
    print(f"{'set':<12}{'kind':<18}{'rows':>8}{'bytes':>10}  seconds and bytes by workers", flush=True)
    for each in sets:
        expected = model_of_one_process(each)
        line = f"{each.name:<12}{each.kind:<18}{np.shape(each.features)[0]:>8}{len(expected):>10}"
        for n_workers in PARTITIONS:
            begin = time.perf_counter()
            is_same = model_of_workers(session, each, n_workers) == expected
            n_other += not is_same
            line += f"  {n_workers}: {time.perf_counter() - begin:.1f} s {'same' if is_same else 'OTHER BYTES'}"
        print(line, flush=True)
    session.stop()
    sys.exit(1 if n_other else 0)


if __name__ == "__main__":
    main()
