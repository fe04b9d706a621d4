"""task=summary, compared with the package."""

from __future__ import annotations

import csv

import kauriboost as kb
import numpy as np
from cli_program import DATA, Kauri
from sklearn.datasets import load_svmlight_file

TRAIN = DATA / "breast_cancer.train.libsvm"


def rows_of(text: str) -> tuple[list[str], list[list[str]]]:
    header, *lines = csv.reader(text.splitlines())
    return header, lines


def test_is_that_of_the_package(kauri: Kauri) -> None:
    header, lines = rows_of(kauri.run("task=summary", f"data={TRAIN}?format=libsvm").out)
    summary = kb.summarize(load_svmlight_file(str(TRAIN), zero_based=True)[0])
    expected = summary.to_frame()
    assert header == ["column", *expected.columns]
    assert [line[0] for line in lines] == summary.names
    got = np.array([[float(cell) if cell else np.nan for cell in line[1:]] for line in lines])
    np.testing.assert_allclose(got, expected.to_numpy(), rtol=1e-8)


def test_takes_the_file_after_its_name_and_writes_one(kauri: Kauri) -> None:
    done = kauri.run(
        "summary", str(TRAIN), "name_summary=out.csv", "quantiles=0,0.5,1", "sketch=kll", "sketch_size=50", "nthread=2"
    )
    assert done.err == "summary of 30 columns written to 'out.csv'\n"
    header, lines = rows_of((kauri.folder / "out.csv").read_text())
    assert header[-4:] == ["rank_error", "0", "0.5", "1"]
    for line in lines:
        low, high = header.index("min"), header.index("max")
        assert (line[-3], line[-1]) == (line[low], line[high])
        assert 0 < float(line[-4]) < 0.2


def test_refusals(kauri: Kauri) -> None:
    assert "task=summary needs data=path" in kauri.run("task=summary", status=1).err
    data = f"data={TRAIN}"
    assert "'half' is no number" in kauri.run("task=summary", data, "quantiles=half", status=1).err
    assert "0.1 after 0.5" in kauri.run("task=summary", data, "quantiles=0.5,0.1", status=1).err
    assert "needs the range" in kauri.run("task=summary", data, "sketch=moments", "sketch_density=cosine", status=1).err
    assert "sketch" in kauri.run("task=summary", data, "sketch=reservoir", status=1).err
