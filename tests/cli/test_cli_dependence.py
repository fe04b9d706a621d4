"""task=explain kind=dependence: the curves are the means of predictions of changed rows."""

from __future__ import annotations

import csv
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
import xgboost
from cli_program import Kauri
from sklearn.datasets import load_svmlight_file


def curves_of(path: Path) -> tuple[list[str], dict[tuple[str, ...], list[tuple[str, float]]]]:
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    return header, {
        key: [(line[-2], float(line[-1])) for line in part]
        for key, part in groupby(lines, lambda line: tuple(line[:-2]))
    }


def run(kauri: Kauri, name: str, *arguments: str) -> Path:
    base = ["task=explain", "kind=dependence", "model_in=model.json", f"test:data={kauri.test_uri}"]
    kauri.run(*base, f"name_explain={name}", *arguments)
    return kauri.folder / name


def test_curves(trained: Kauri) -> None:
    header, curves = curves_of(run(trained, "curves.csv"))
    assert header == ["feature", "from", "value"]
    assert len(curves) == 30
    rows = load_svmlight_file(trained.test_uri.split("?")[0], zero_based=True)[0].toarray()
    booster = xgboost.Booster(model_file=str(trained.folder / "model.json"))
    longest = max(curves, key=lambda key: len(curves[key]))
    assert curves[longest][0][0] == "-inf"
    assert curves[longest][-1][0] == "missing"
    sparse = np.where(rows == 0, np.nan, rows)  # libsvm text leaves zeros out, which are then missing
    for start, value in curves[longest]:
        place = {"-inf": -1e30, "missing": np.nan}.get(start)
        sparse[:, int(longest[0][1:])] = float(start) if place is None else place
        expected = booster.predict(xgboost.DMatrix(sparse), output_margin=True).mean(dtype=np.float64)
        assert value == pytest.approx(expected, abs=1e-5)
    some = curves_of(run(trained, "some.csv", f"features={longest[0]},0"))[1]
    assert list(some) == [longest, ("f0",)]
    assert (run(trained, "t1.csv", "nthread=1").read_bytes()) == run(trained, "t3.csv", "nthread=3").read_bytes()


def test_several_outputs(tmp_path_factory: pytest.TempPathFactory) -> None:
    program = Kauri(tmp_path_factory.mktemp("outputs"))
    program.write("rows.libsvm", "".join(f"{row % 2} 0:{row % 2 + row % 7 / 10} 1:{row % 5}\n" for row in range(40)))
    program.train_uri = program.test_uri = "rows.libsvm?format=libsvm"
    program.train("objective=multi:softprob", "num_class=2")
    header, curves = curves_of(run(program, "curves.csv"))
    assert header == ["output", "feature", "from", "value"]
    assert list(curves) == [("0", "f0"), ("1", "f0"), ("0", "f1"), ("1", "f1")]


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        (["reduce=mean_abs"], ["kind=dependence", "leave out reduce"]),
        (["name_explain=x.npy"], ["name_explain=x.npy", "give a .csv file"]),
        (["background=x.csv"], ["background=x.csv", "kind=contributions"]),
        (["features=f99"], ["'f99'"]),
        (["max_order=3"], ["max_order", "kind=sets"]),
        (["explain_output=loss"], ["explain_output=loss", "margins"]),
    ],
)
def test_errors(trained: Kauri, arguments: list[str], fragments: list[str]) -> None:
    base = ["task=explain", "kind=dependence", "model_in=model.json", f"test:data={trained.test_uri}"]
    done = trained.run(*base, *arguments, status=1)
    for fragment in fragments:
        assert fragment in done.err
