"""Spark's daemon of Python workers, with Kauri loaded before it forks them, so that a new worker begins at once."""

from __future__ import annotations

import kauriboost._spark.task
import pyspark.daemon

if __name__ == "__main__":
    assert kauriboost._spark.task
    pyspark.daemon.manager()
