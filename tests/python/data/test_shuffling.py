"""Random permutations and rows in a random order."""

from __future__ import annotations

from typing import Any

import kauriboost as kb
import numpy as np
import pytest

ROWS = [
    np.arange(1000),
    np.arange(3000, dtype=np.float32).reshape(1000, 3),
    np.arange(24000, dtype=np.int16).reshape(1000, 2, 3, 4),
    np.arange(1000).astype("U7"),
    np.arange(1000).astype("S3"),
    np.arange(1000).astype("M8[s]"),
    np.arange(2000).astype(np.complex128).reshape(1000, 2),
    np.arange(1000) % 3 == 0,
    np.array([(i, i / 2) for i in range(1000)], dtype=[("number", "i4"), ("half", "f8")]),
    np.arange(5000, dtype=np.float32).reshape(1000, 5)[:, 2],
    np.arange(5000, dtype=np.float32).reshape(1000, 5)[:, 1:4],
    np.asfortranarray(np.arange(5000, dtype=np.float32).reshape(1000, 5)),
    np.arange(2000)[::-2],
    np.zeros((0, 3)),
    np.zeros((4, 0)),
    np.arange(1),
]


@pytest.mark.parametrize("rows", ROWS, ids=lambda rows: f"{rows.dtype.str}{rows.shape}{rows.strides}")
def test_rows_are_those_of_the_list(rows: np.ndarray) -> None:
    found = kb.shuffle_rows(rows, seed=5)
    expected = rows[kb.shuffle(len(rows), 5)]
    assert found.dtype == rows.dtype
    assert found.shape == rows.shape
    np.testing.assert_array_equal(found, expected)
    assert not np.shares_memory(found, rows)


def test_rows_go_where_they_are_wanted() -> None:
    rows = np.arange(3000, dtype=np.float32).reshape(1000, 3)
    table = np.full((1000, 5), -1, np.float32)
    out = table[:, 1:4]
    assert kb.shuffle_rows(rows, 2, out) is out
    np.testing.assert_array_equal(table[:, 1:4], rows[kb.shuffle(1000, 2)])
    assert (table[:, [0, 4]] == -1).all()


def by_definition(n: int, seed: int) -> np.ndarray:
    """Compute swap-or-not as in its paper: i and (K - i) mod n swap if a bit of the larger one is set."""
    mask = 2**64 - 1

    def mixed(value: int) -> int:
        value = (value + 0x9E3779B97F4A7C15) & mask
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & mask
        value = (value ^ value >> 27) * 0x94D049BB133111EB & mask
        return value ^ value >> 31

    def combined(key: int, value: int) -> int:
        return mixed(key ^ mixed(value))

    def bits(key: int, counter: int) -> int:
        return mixed((key + counter * 0xD1342543DE82EF95) & mask)

    elements = list(range(n))
    for turn in range(16 + 2 * (n - 1).bit_length()):
        key = combined(combined(seed, 0x53574150), turn)
        total, of_pairs = bits(key, 0) % n, combined(key, 1)
        for i in range(n):
            j = (total - i) % n
            if i < j and bits(of_pairs, j // 64) >> j % 64 & 1:
                elements[i], elements[j] = elements[j], elements[i]
    return np.array(elements)


@pytest.mark.parametrize("n", [1, 2, 33, 300])
def test_in_place(n: int) -> None:
    rows = np.arange(3 * n).reshape(n, 3)
    expected = rows[by_definition(n, 7)]
    assert kb.shuffle_rows(rows, 7, out=rows) is rows
    np.testing.assert_array_equal(rows, expected)
    again = np.arange(3 * n).reshape(n, 3)
    kb.shuffle_rows(again[:], 7, out=again)  # another view of the same memory
    np.testing.assert_array_equal(again, expected)


def test_rows_do_not_depend_on_threads() -> None:
    rows = np.random.default_rng(0).integers(0, 9, (200_000, 3))
    expected, in_place = rows[kb.shuffle(len(rows), 9)], []
    for threads in (1, 3):
        with kb.config_context(nthread=threads):
            np.testing.assert_array_equal(kb.shuffle_rows(rows, 9), expected)
            in_place.append(kb.shuffle_rows(changed := rows.copy(), 9, out=changed))
    np.testing.assert_array_equal(*in_place)


class Announced:
    """Host memory declared as device memory."""

    def __init__(self, values: np.ndarray) -> None:
        self.__cuda_array_interface__ = {**values.__array_interface__, "stream": 1}


FIXED = np.zeros(3)
FIXED.flags.writeable = False
TABLE = np.zeros((6, 3))


@pytest.mark.parametrize(
    ("x", "out", "words"),
    [
        (np.array([None, 1]), None, "dtype object"),
        (np.float64(3), None, "no rows"),
        (np.zeros(3), np.zeros(4), r"shape \[3\], out \[4\]"),
        (np.zeros(3), np.zeros(3, np.float32), "float64, out float32"),
        (np.zeros(3), [0, 0, 0], "must be a NumPy array"),
        (np.zeros(3), FIXED, "can be written to"),
        (TABLE, np.zeros((6, 3), order="F"), "rows of out are not contiguous"),
        (TABLE[:5], TABLE[1:], "in and out overlap"),
        (np.zeros(3), Announced(np.zeros(3)), "out is in device memory, x is in host memory"),
        (Announced(np.zeros(3)), None, "for which no output array can be made; pass out"),
        (Announced(np.zeros(3)), np.zeros(3), "ndarray is not in the memory of a CUDA device"),
        (Announced(np.zeros(3)), Announced(np.zeros(4)), r"shape \[3\], out \[4\]"),
        (Announced(np.zeros(3)), Announced(np.zeros(3, np.int8)), "<f8, out"),
    ],
)
def test_refuses_rows(x: Any, out: Any, words: str) -> None:
    with pytest.raises(kb.DataError, match=words):
        kb.shuffle_rows(x, 0, out)


def test_refuses_frames_and_seeds() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(kb.DataError, match=r"x\.iloc\[kauriboost\.shuffle"):
        kb.shuffle_rows(pandas.DataFrame({"a": [1, 2]}))
    with pytest.raises(kb.ParameterError, match="seed is -1"):
        kb.shuffle_rows(np.zeros(3), -1)


@pytest.mark.parametrize("device", ["cpu", "tpu", "cuda:0,1"])
def test_refuses_devices(device: str) -> None:
    with pytest.raises((kb.ParameterError, kb.DeviceError), match=r"device"):
        kb.shuffle(3, device=device)


@pytest.mark.skipif(not kb.build_info()["USE_CUDA"], reason="no CUDA device")
def test_lists_on_a_device() -> None:
    for n, count in ((0, 0), (1000, 1000), (100_003, 500), (2**40, 100)):
        found = kb.shuffle(n, 3, count, device="cuda")
        assert found.dtype == np.int64
        np.testing.assert_array_equal(kb.device.to_host(found), kb.shuffle(n, 3, count))


@pytest.mark.skipif(not kb.build_info()["USE_CUDA"], reason="no CUDA device")
@pytest.mark.parametrize("module", ["cupy", "torch"])
def test_rows_on_a_device(module: str) -> None:
    library = pytest.importorskip(module)
    to_device = library.asarray if module == "cupy" else lambda values: library.as_tensor(values, device="cuda")
    host = (lambda values: values.get()) if module == "cupy" else (lambda values: values.cpu().numpy())
    for rows in (np.arange(1000), np.arange(3000, dtype=np.float32).reshape(1000, 3), np.arange(7, dtype=np.int8)):
        there = to_device(rows)
        np.testing.assert_array_equal(host(kb.shuffle_rows(there, 4)), kb.shuffle_rows(rows, 4))
        kb.shuffle_rows(there, 4, out=there)
        np.testing.assert_array_equal(host(there), kb.shuffle_rows(in_place := rows.copy(), 4, out=in_place))
    table = to_device(np.zeros((1000, 3), np.float32))
    kb.shuffle_rows(to_device(np.arange(1000, dtype=np.float32)), 4, out=table[:, 1])
    np.testing.assert_array_equal(host(table)[:, 1], kb.shuffle(1000, 4).astype(np.float32))


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
