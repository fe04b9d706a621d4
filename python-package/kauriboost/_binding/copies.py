"""Copies of large arrays."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np

# Large arrays are copied in parts of this size.
_PART_BYTES = 2 << 20
_MOST_THREADS = 16


def copy_of(source: np.ndarray, threads: int) -> np.ndarray:
    """Return a copy of a C-contiguous array.

    Copying a large array mostly waits for the allocation of its pages, so several threads do it if they can be started.
    """
    if source.nbytes < 4 * _PART_BYTES or threads < 2:
        return source.copy()
    copy = np.empty_like(source)
    parts = source.nbytes // _PART_BYTES
    jobs = zip(np.array_split(copy.reshape(-1), parts), np.array_split(source.reshape(-1), parts))
    try:
        with ThreadPoolExecutor(min(parts, threads, _MOST_THREADS)) as pool:
            deque(pool.map(lambda job: np.copyto(*job), jobs), maxlen=0)
    except RuntimeError:  # no thread, or no further thread, can be started
        np.copyto(copy, source)
    return copy
