"""Spark's daemon of Python workers, which keeps account of the processor time of workers that have ended.

Spark's own daemon ignores the signal of an ended worker, and then Linux forgets how long the worker has computed.
`spark_compare.py` has Spark run this module instead (`spark.python.daemon.module`).
"""

from __future__ import annotations

import os

import pyspark.daemon


def reap(*_: object) -> None:
    """Take note of all workers that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    pyspark.daemon.SIG_IGN = reap
    pyspark.daemon.manager()
