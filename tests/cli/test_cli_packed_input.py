"""Text packed by gzip, and text on standard input, give the same as the text in a file."""

from __future__ import annotations

import gzip
import os
import pty
import subprocess
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest
from cli_program import BUILD, DATA, Kauri

LIBSVM = (DATA / "breast_cancer.train.libsvm").read_bytes()
ROLES = "label_column=y&weight_column=times&categorical_columns=kind&ignore_columns=id"


def table() -> bytes:
    rng = np.random.default_rng(3)
    lines = ["id,y,size,kind,times"]
    for row in range(3000):
        size = rng.normal()
        lines.append(f"r{row},{int(size > 0.2)},{size:.5f},{rng.integers(5)},{rng.integers(1, 4)}")
    return ("\n".join(lines) + "\n").encode()


def model(kauri: Kauri, uri: str, given: bytes = b"") -> bytes:
    kauri.run(f"data={uri}", "objective=binary:logistic", "num_round=3", "model_out=m.json", given=given)
    return (kauri.folder / "m.json").read_bytes()


FILES = [("rows.csv", table(), ROLES), ("rows.libsvm", LIBSVM, "")]


@pytest.mark.parametrize(("name", "text", "query"), FILES, ids=["csv", "libsvm"])
def test_the_same_model(kauri: Kauri, name: str, text: bytes, query: str) -> None:
    kauri.write(name, text)
    expected = model(kauri, f"{name}?{query}" if query else name)
    half = text.index(b"\n", len(text) // 2) - 3  # in the middle of a line
    members = gzip.compress(text[:half]) + gzip.compress(b"") + gzip.compress(text[half:])
    for packed_name, bytes_ in [(f"{name}.gz", gzip.compress(text)), (f"two.{name}", members), ("odd", members)]:
        kauri.write(packed_name, bytes_)
        uri = packed_name if packed_name != "odd" else f"odd?format={name.split('.')[1]}&{query}".rstrip("&")
        assert model(kauri, f"{uri}?{query}" if query and "?" not in uri else uri) == expected, packed_name
    for path in ("-", "/dev/stdin"):
        uri = f"{path}?format={name.split('.')[1]}&{query}".rstrip("&")
        for given in (text, gzip.compress(text), members):
            assert model(kauri, uri, given) == expected


def test_files_beside_are_packed_or_not(kauri: Kauri) -> None:
    rows = len(LIBSVM.splitlines())
    weights = "\n".join(str(1 + row % 3) for row in range(rows)).encode()
    kauri.write("rows.libsvm", LIBSVM)
    kauri.write("rows.libsvm.weight", weights)
    expected = model(kauri, "rows.libsvm")
    kauri.write("more.libsvm.gz", gzip.compress(LIBSVM))
    kauri.write("more.libsvm.gz.weight", gzip.compress(weights))
    assert model(kauri, "more.libsvm.gz") == expected
    kauri.write("-.weight", b"no weights")  # belongs to a file with that name
    assert model(kauri, "-?format=libsvm", LIBSVM) == model(kauri, str(DATA / "breast_cancer.train.libsvm"))


def test_other_tasks_and_the_package(trained: Kauri) -> None:
    rows = (DATA / "breast_cancer.test.libsvm").read_bytes()
    expected = trained.predict()
    predict = ("task=pred", "model_in=model.json", "name_pred=stdout")
    done = trained.run(*predict, "test:data=-?format=libsvm", given=rows)
    assert [float(line) for line in done.out.splitlines()] == expected
    path = trained.write("rows.libsvm.gz", gzip.compress(rows))
    booster = kb.Booster(model_file=trained.folder / "model.json")
    np.testing.assert_allclose(booster.predict(kb.DMatrix(str(path))), expected, rtol=1e-6)


def test_what_is_refused(kauri: Kauri) -> None:
    packed = gzip.compress(LIBSVM)
    damaged = packed[:400] + bytes([packed[400] ^ 0xFF]) + packed[401:]
    for given, says in [
        (packed[:-100], "'standard input' is cut off"),
        (damaged, "'standard input' is not valid gzip"),
        (packed + b"more", "'standard input' is not valid gzip: incorrect header check after 2 bytes of its member 2"),
        (b"", "there is nothing on standard input; it can be read once"),
        (gzip.compress(b""), "there is nothing on standard input"),
        (b"1 0:x\n", "standard input, line 1"),
        (gzip.compress(b"1 0:1\n0 0:2\n1 0:x\n"), "standard input, line 3"),
    ]:
        done = kauri.run("data=-?format=libsvm", "num_round=1", status=1, given=given)
        assert says in done.err
        assert done.err.count("\n") == 1, done.err
    both = ["data=-?format=libsvm", "eval[test]=-?format=libsvm", "num_round=1"]
    assert "eval[test]=-?format=libsvm: there is nothing" in kauri.run(*both, status=1, given=LIBSVM).err
    assert "the format of '-' is not known" in kauri.run("data=-", status=1, given=LIBSVM).err
    cached = kauri.run("data=-?format=libsvm#cache", status=1, given=LIBSVM).err
    assert "standard input cannot be read part by part; unpack it into a file" in cached
    kauri.write("rows.libsvm.gz", packed)
    assert "which is gzip, cannot be read part" in kauri.run("data=rows.libsvm.gz#cache", status=1).err
    kauri.write("cut.libsvm.gz", packed[:-100])
    assert "data=cut.libsvm.gz: 'cut.libsvm.gz' is cut off" in kauri.run("data=cut.libsvm.gz", status=1).err


def test_a_bomb_ends_in_words(kauri: Kauri) -> None:
    zeros = gzip.compress(bytes(300 << 20), 1)
    assert len(zeros) < 3 << 20
    kauri.write("bomb.csv", zeros)
    assert "a line of more than 268435456 bytes; is it a text file?" in kauri.run("data=bomb.csv", status=1).err


def test_a_text_larger_than_memory_ends_in_words(kauri: Kauri) -> None:
    kauri.write("rows.csv.gz", gzip.compress(b"1,2,3,4\n" * (100 << 20 >> 3) * 8, 1))
    limited = f"ulimit -v 700000; exec {BUILD / 'bin' / 'kauri'} data=rows.csv.gz num_round=1 nthread=1"
    done = subprocess.run(["bash", "-c", limited], cwd=kauri.folder, capture_output=True, check=False, timeout=100)
    assert done.returncode == 1
    assert b"error: not enough memory" in done.stderr, done.stderr


def test_a_terminal_is_refused(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    command = [str(BUILD / "bin" / "kauri"), "data=-?format=csv"]
    done = subprocess.run(command, cwd=tmp_path, stdin=follower, capture_output=True, check=False, timeout=60)
    os.close(leader)
    os.close(follower)
    assert done.returncode == 1
    assert b"standard input is a terminal" in done.stderr
