"""Copies of large arrays are equal to the original, for any partition into parts."""

from __future__ import annotations

import numpy as np
import pytest
from kauriboost._binding.copies import copy_of


@pytest.mark.parametrize("shape", [(3,), (2 << 20,), (1_000_003, 3), (1, 2_500_001, 1)])
def test_copy_is_the_same_and_apart(shape: tuple[int, ...]) -> None:
    source = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    copy = copy_of(source, threads=3)
    assert copy.shape == shape
    assert np.array_equal(copy, source)
    assert not np.shares_memory(copy, source)
