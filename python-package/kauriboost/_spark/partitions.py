"""The partitions of a frame: whether they can be the tasks of a barrier stage as they are.

Spark runs a barrier stage only if all data in it have as many partitions as the stage has tasks, back to the last
shuffle. A frame that was united, or made of fewer partitions without a shuffle, is refused.
"""

from __future__ import annotations

from typing import Any


def as_computed(frame: Any) -> Any:
    """Return a frame with the same rows, whose shuffles run now, so that its partitions are known.

    Spark chooses the number of partitions after a shuffle by the data (adaptive execution). Where this version of Spark
    has no frames of computed rows, the frame itself is returned.
    """
    from py4j.protocol import Py4JError, Py4JJavaError

    rows = frame._jdf.queryExecution().toRdd()
    try:
        made = frame.sparkSession._jsparkSession.internalCreateDataFrame(rows, frame._jdf.schema(), False)
    except Py4JJavaError:
        raise
    except Py4JError:
        return frame
    return type(frame)(made, frame.sparkSession)


def are_tasks(frame: Any, n_tasks: int) -> bool:
    """Return whether Spark accepts the partitions of a frame of `as_computed` as the tasks of a barrier stage."""
    found = [frame._jdf.queryExecution().toRdd()]
    seen = set()
    while found:
        rows = found.pop()
        if rows.id() in seen:
            continue
        seen.add(rows.id())
        if rows.getNumPartitions() != n_tasks or rows.isBarrier():
            return False
        needs = rows.dependencies()
        for i in range(needs.size()):
            need = needs.apply(i)
            if not need.getClass().getName().endswith("ShuffleDependency"):
                found.append(need.rdd())
    return True
