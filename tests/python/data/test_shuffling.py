"""Random permutations."""

from __future__ import annotations

import kauriboost as kb
import numpy as np
import pytest


def test_is_a_permutation_named_by_its_seed() -> None:
    for n in (0, 1, 2, 31, 32, 1000):
        assert sorted(kb.shuffle(n, 5)) == list(range(n))
    whole = kb.shuffle(1000, seed=3)
    assert whole.dtype == np.int64
    assert np.array_equal(whole, kb.shuffle(1000, seed=3))
    assert not np.array_equal(whole, kb.shuffle(1000, seed=4))
    assert np.array_equal(whole[:17], kb.shuffle(1000, seed=3, count=17))


def test_is_the_one_of_the_library_for_any_threads() -> None:
    assert kb.shuffle(10).tolist() == [3, 0, 5, 7, 4, 6, 8, 9, 1, 2]
    before = kb.get_config()["nthread"]
    try:
        kb.set_config(nthread=1)
        one = kb.shuffle(100_000, 9)
        kb.set_config(nthread=3)
        assert np.array_equal(one, kb.shuffle(100_000, 9))
    finally:
        kb.set_config(nthread=before)


def test_first_elements_of_what_no_memory_holds() -> None:
    assert kb.shuffle(2**40, seed=1, count=3).tolist() == [820523266319, 248336609045, 909717095946]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"n": -1}, "n is -1"),
        ({"n": 2.5}, "n is 2.5"),
        ({"n": 3, "seed": -2}, "seed is -2"),
        ({"n": 3, "count": 4}, "count is 4, more than the 3 elements"),
        ({"n": 2**62, "count": 1}, "cannot shuffle 4611686018427387904 elements"),
    ],
)
def test_refuses(arguments: dict[str, int], words: str) -> None:
    with pytest.raises(kb.ParameterError, match=words):
        kb.shuffle(**arguments)
