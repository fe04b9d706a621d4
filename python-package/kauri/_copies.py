"""Copies of large arrays."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np

# Large arrays are copied in parts of this size.
_PART_BYTES = 2 << 20
_THREADS = min(16, os.cpu_count() or 1)


def copy_of(source: np.ndarray) -> np.ndarray:
    """Return a copy of a C-contiguous array.

    Most of the time of a large one goes into finding pages for it: several threads wait for them at once.
    """
    if source.nbytes < 4 * _PART_BYTES:
        return source.copy()
    copy = np.empty_like(source)
    parts = source.nbytes // _PART_BYTES
    with ThreadPoolExecutor(min(parts, _THREADS)) as pool:
        jobs = zip(np.array_split(copy.reshape(-1), parts), np.array_split(source.reshape(-1), parts), strict=True)
        deque(pool.map(lambda job: np.copyto(*job), jobs), maxlen=0)
    return copy
