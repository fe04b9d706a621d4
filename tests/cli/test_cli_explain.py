"""task=explain: CSV and .npy agree, sum to the margins, and replace an old file only when complete."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest
import xgboost
from cli_program import Kauri
from sklearn.datasets import load_svmlight_file

N_TEST_ROWS = 113
N_FEATURES = 30


def explain(kauri: Kauri, name: str, *arguments: str) -> Path:
    kauri.run("task=explain", "model_in=model.json", f"test:data={kauri.test_uri}", f"name_explain={name}", *arguments)
    return kauri.folder / name


def read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    with path.open(newline="") as file:
        header, *lines = csv.reader(file)
    return header, lines


def peer(kauri: Kauri, **kind: bool) -> np.ndarray:
    features, _ = load_svmlight_file(kauri.test_uri.split("?")[0], zero_based=True)
    return xgboost.Booster(model_file=str(kauri.folder / "model.json")).predict(xgboost.DMatrix(features), **kind)


@pytest.fixture(scope="module")
def two_outputs(tmp_path_factory: pytest.TempPathFactory) -> Kauri:
    program = Kauri(tmp_path_factory.mktemp("outputs"))
    program.write("rows.libsvm", "".join(f"{row % 2} 0:{row % 2 + row % 7 / 10} 1:{row % 5}\n" for row in range(40)))
    program.train_uri = program.test_uri = "rows.libsvm?format=libsvm"
    program.train("objective=multi:softprob", "num_class=2")
    return program


def test_csv_is_npy_is_the_peer(trained: Kauri) -> None:
    table = np.load(explain(trained, "a.npy"))
    assert table.dtype == np.dtype("<f4")
    np.testing.assert_allclose(table, peer(trained, pred_contribs=True), atol=2e-5)
    np.testing.assert_allclose(table.sum(axis=1), trained.predict("pred_margin=1"), atol=2e-5)
    header, lines = read_csv(explain(trained, "a.csv"))
    assert header == [f"f{feature}" for feature in range(N_FEATURES)] + ["bias"]
    np.testing.assert_array_equal(np.array(lines, dtype=np.float32), table)


def test_rounds(trained: Kauri) -> None:
    part = np.load(explain(trained, "b.npy", "iteration_begin=1", "iteration_end=3"))
    margins = trained.predict("pred_margin=1", "iteration_begin=1", "iteration_end=3")
    np.testing.assert_allclose(part.sum(axis=1), margins, atol=2e-5)


def test_interactions(trained: Kauri) -> None:
    cube = np.load(explain(trained, "c.npy", "kind=interactions"))
    assert cube.shape == (N_TEST_ROWS, N_FEATURES + 1, N_FEATURES + 1)
    np.testing.assert_allclose(cube, peer(trained, pred_interactions=True), atol=5e-5)
    header, lines = read_csv(explain(trained, "c.csv", "kind=interactions"))
    names = [f"f{feature}" for feature in range(N_FEATURES)] + ["bias"]
    assert header == ["row", "feature", *names]
    assert [line[:2] for line in lines] == [[str(row), name] for row in range(N_TEST_ROWS) for name in names]
    np.testing.assert_array_equal(
        np.array([line[2:] for line in lines], dtype=np.float32), cube.reshape(-1, len(names))
    )


def test_approximate(trained: Kauri) -> None:
    table = np.load(explain(trained, "d.npy", "kind=approximate"))
    np.testing.assert_allclose(table, peer(trained, pred_contribs=True, approx_contribs=True), atol=2e-5)


@pytest.mark.parametrize("kind", ["banzhaf", "taylor"])
def test_kauris_own_kinds(trained: Kauri, kind: str) -> None:
    table = np.load(explain(trained, "own.npy", f"kind={kind}"))
    plain = np.load(explain(trained, "own_plain.npy"))
    is_pairs = kind == "taylor"
    assert table.shape == (N_TEST_ROWS, N_FEATURES + 1, N_FEATURES + 1)[: 2 + is_pairs]
    if is_pairs:
        np.testing.assert_allclose(table.sum(axis=(1, 2)), plain.sum(axis=1), atol=2e-5)
    else:
        assert 0.001 < np.abs(table - plain).max() < 0.5
    header, lines = read_csv(explain(trained, "own.csv", f"kind={kind}"))
    assert header[: 2 * is_pairs] == ["row", "feature"][: 2 * is_pairs]
    numbers = np.array([line[2 * is_pairs :] for line in lines], dtype=np.float32)
    np.testing.assert_array_equal(numbers, table.reshape(-1, N_FEATURES + 1))


@pytest.mark.parametrize("kind", ["contributions", "interactions"])
def test_some_features(trained: Kauri, kind: str) -> None:
    chosen = ["features=27,f3,0", f"kind={kind}"]
    whole = np.load(explain(trained, "f.npy", f"kind={kind}"))
    some = np.load(explain(trained, "g.npy", *chosen))
    places = [27, 3, 0, 30]
    np.testing.assert_array_equal(some, whole[:, places] if some.ndim == 2 else whole[:, places][:, :, places])
    assert read_csv(explain(trained, "g.csv", *chosen))[0][-4:] == ["f27", "f3", "f0", "bias"]


def test_features_by_their_own_names(two_outputs: Kauri) -> None:
    document = json.loads((two_outputs.folder / "model.json").read_text())
    document["learner"]["feature_names"] = ["1", "f1"]  # names have precedence over numbers
    two_outputs.write("named.json", json.dumps(document))
    whole = np.load(explain(two_outputs, "named_all.npy"))
    path = explain(two_outputs, "named.csv", "features=1", "model_in=named.json")
    header, lines = read_csv(path)
    assert header == ["row", "output", "1", "bias"]
    np.testing.assert_array_equal(np.array(lines, dtype=np.float32)[:, 2:].reshape(40, 2, 2), whole[:, :, [0, 2]])


@pytest.mark.parametrize("kind", ["contributions", "interactions", "banzhaf"])
def test_means(two_outputs: Kauri, kind: str) -> None:
    whole = np.load(explain(two_outputs, "h.npy", f"kind={kind}"))
    means = np.load(explain(two_outputs, "i.npy", f"kind={kind}", "reduce=mean_abs"))
    np.testing.assert_allclose(means, np.abs(whole).mean(axis=0, dtype=np.float64), rtol=1e-6)
    header, lines = read_csv(explain(two_outputs, "i.csv", f"kind={kind}", "reduce=mean_abs"))
    n_keys = 2 if kind == "interactions" else 1
    assert header == [*["output", "feature"][:n_keys], "f0", "f1", "bias"]
    assert [line[0] for line in lines] == ["0"] * (len(lines) // 2) + ["1"] * (len(lines) // 2)
    np.testing.assert_array_equal(np.array([line[n_keys:] for line in lines], dtype=np.float32), means.reshape(-1, 3))


def test_means_of_one_output(trained: Kauri) -> None:
    means = np.load(explain(trained, "j.npy", "reduce=mean_abs", "features=3,4"))
    assert means.shape == (3,)
    header, lines = read_csv(explain(trained, "j.csv", "reduce=mean_abs", "features=3,4"))
    assert header == ["f3", "f4", "bias"]
    np.testing.assert_array_equal(np.array(lines, dtype=np.float32), means[None])


def test_against_a_background(trained: Kauri) -> None:
    table = np.load(explain(trained, "k.npy", f"background={trained.train_uri}"))
    margins = trained.predict("pred_margin=1")
    np.testing.assert_allclose(table.sum(axis=1), margins, atol=2e-5)
    of_background = trained.predict("pred_margin=1", f"test:data={trained.train_uri}")
    np.testing.assert_allclose(table[:, -1], np.mean(of_background), atol=1e-5)
    assert np.abs(table - np.load(explain(trained, "l.npy"))).max() > 1e-3


def test_pairs_against_a_background(trained: Kauri) -> None:
    background = f"background={trained.train_uri}"
    for values, pairs in (("contributions", "interactions"), ("banzhaf", "banzhaf_interactions")):
        of_features = np.load(explain(trained, "v.npy", background, f"kind={values}"))
        of_pairs = np.load(explain(trained, "p.npy", background, f"kind={pairs}"))
        np.testing.assert_allclose(of_pairs.sum(axis=2), of_features, atol=2e-6)


def test_several_outputs(two_outputs: Kauri) -> None:
    table = np.load(explain(two_outputs, "a.npy"))
    assert table.shape == (40, 2, 3)
    np.testing.assert_allclose(table.sum(axis=-1).ravel(), two_outputs.predict("pred_margin=1"), atol=2e-5)
    header, lines = read_csv(explain(two_outputs, "a.csv"))
    assert header == ["row", "output", "f0", "f1", "bias"]
    assert [line[:2] for line in lines] == [[str(row), str(output)] for row in range(40) for output in range(2)]
    np.testing.assert_array_equal(np.array(lines, dtype=np.float32)[:, 2:], table.reshape(-1, 3))


def test_interactions_of_several_outputs(two_outputs: Kauri) -> None:
    cube = np.load(explain(two_outputs, "b.npy", "kind=interactions"))
    assert cube.shape == (40, 2, 3, 3)
    header, lines = read_csv(explain(two_outputs, "b.csv", "kind=interactions"))
    assert header == ["row", "output", "feature", "f0", "f1", "bias"]
    assert lines[4][:3] == ["0", "1", "f1"]
    numbers = np.array([line[3:] for line in lines], dtype=np.float32)
    np.testing.assert_array_equal(numbers, cube.reshape(-1, 3))


def test_more_rows_than_a_tile(kauri: Kauri) -> None:
    """4300 rows of 64^2 numbers exceed the 2^24 of a tile; sparse and dense rows take the same path."""
    rng = np.random.default_rng(3)
    values = rng.integers(0, 9, size=(4300, 3))
    kauri.write("wide.libsvm", "".join(f"{a > b:d} 0:{a} 1:{b} 62:{c}\n" for a, b, c in values))
    kauri.train_uri = kauri.test_uri = "wide.libsvm?format=libsvm"
    kauri.train("num_round=2", "max_depth=2")
    cube = np.load(explain(kauri, "a.npy", "kind=interactions"), mmap_mode="r")
    assert cube.shape == (4300, 64, 64)
    table = np.load(explain(kauri, "b.npy"))
    used = [0, 1, 62, 63]
    np.testing.assert_allclose(cube[:, used].sum(axis=2), table[:, used], atol=1e-5)
    np.testing.assert_allclose(table.sum(axis=1), kauri.predict("pred_margin=1"), atol=1e-5)


def test_stdout_is_csv(trained: Kauri) -> None:
    arguments = ["task=explain", "model_in=model.json", f"test:data={trained.test_uri}"]
    done = trained.run(*arguments, "name_explain=stdout")
    assert done.out == explain(trained, "e.csv").read_text()
    assert done.err == ""


def test_same_bytes_for_any_number_of_threads(trained: Kauri) -> None:
    files = {explain(trained, f"t{n}.npy", "kind=interactions", f"nthread={n}").read_bytes() for n in (1, 2, 5)}
    assert len(files) == 1


def test_an_old_file_is_replaced_only_by_a_whole_one(trained: Kauri) -> None:
    old = trained.write("old.csv", "precious")
    old.chmod(0o640)
    link = trained.folder / "link.csv"
    link.symlink_to("old.csv")
    before = sorted(path.name for path in trained.folder.iterdir())
    arguments = ["task=explain", "model_in=model.json", f"test:data={trained.test_uri}", "name_explain=link.csv"]
    trained.run(*arguments, "iteration_end=99", status=1)
    assert old.read_text() == "precious"
    assert sorted(path.name for path in trained.folder.iterdir()) == before
    explain(trained, "link.csv")
    assert link.is_symlink()
    assert old.read_text().startswith("f0,")
    assert old.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in trained.folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        (["name_explain=x.txt"], ["name_explain=x.txt", ".csv", ".npy"]),
        (["name_explain=.npy/x"], ["name_explain=.npy/x"]),
        (["name_explain=nowhere/x.npy"], ["nowhere/x.npy", "does not exist"]),
        (["kind=shap"], ["kind", "shap"]),
        (["reduce=sum"], ["reduce", "sum"]),
        (["features=f3,f1,3"], ["feature 3 is asked for twice"]),
        (["features=f30"], ["features", "'f30'", "did you mean 'f"]),
        (["features=30"], ["no feature 30", "30 features"]),
        (["features=1,,2"], ["no feature ''. Give", "commas"]),
        (["background=missing.libsvm?format=libsvm"], ["background=missing.libsvm"]),
        (["kind=approximate", "background=x.csv"], ["background=x.csv", "kind=contributions"]),
        (["model_in="], ["task=explain", "model_in"]),
        (["test:data="], ["task=explain", "test:data"]),
        (["model_in=missing.json"], ["missing.json"]),
        (["test:data=missing.libsvm?format=libsvm"], ["test:data=missing.libsvm"]),
        (["iteration_end=99"], ["99"]),
        (["name_explains=x.npy"], ["did you mean 'name_explain'"]),
    ],
)
def test_errors(trained: Kauri, arguments: list[str], fragments: list[str]) -> None:
    before = sorted(path.name for path in trained.folder.iterdir())
    base = ["task=explain", "model_in=model.json", f"test:data={trained.test_uri}"]
    done = trained.run(*base, *arguments, status=1)
    assert done.err.startswith("error: ")
    for fragment in fragments:
        assert fragment in done.err
    assert sorted(path.name for path in trained.folder.iterdir()) == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_disk_is_a_failure(trained: Kauri) -> None:
    (trained.folder / "full.csv").symlink_to("/dev/full")
    base = ["task=explain", "model_in=model.json", f"test:data={trained.test_uri}"]
    done = trained.run(*base, "name_explain=full.csv", status=1)
    assert "cannot write all" in done.err
    (trained.folder / "full.csv").unlink()


def test_sampled_values(trained: Kauri) -> None:
    how = ["kind=sampled", f"background={trained.test_uri}", "orders=antithetic", "n_orders=6"]
    table = np.load(explain(trained, "s.npy", *how, "name_errors=errors.npy"))
    np.testing.assert_allclose(table.sum(axis=1), trained.predict(), atol=2e-5)
    errors = np.load(trained.folder / "errors.npy")
    assert errors.shape == table.shape == (N_TEST_ROWS, N_FEATURES + 1)
    assert not errors[:, -1].any()
    assert (errors >= 0).all()
    header, lines = read_csv(explain(trained, "s.csv", *how))
    assert header[-1] == "bias"
    np.testing.assert_array_equal(np.array(lines, dtype=np.float32), table)


def test_sampled_margins_and_losses(trained: Kauri) -> None:
    how = ["kind=sampled", f"background={trained.test_uri}", "orders=orthogonal", "n_orders=4"]
    margins = np.load(explain(trained, "m.npy", *how, "explain_output=margin"))
    np.testing.assert_allclose(margins.sum(axis=1), trained.predict("pred_margin=1"), atol=2e-5)
    losses = np.load(explain(trained, "l.npy", *how, "explain_output=loss"))
    _, labels = load_svmlight_file(trained.test_uri.split("?")[0], zero_based=True)
    probability = np.array(trained.predict())
    expected = -np.log(np.where(labels == 1, probability, 1 - probability))
    np.testing.assert_allclose(losses.sum(axis=1), expected, rtol=1e-3, atol=1e-5)


def test_sampled_values_of_two_outputs(two_outputs: Kauri) -> None:
    table = np.load(explain(two_outputs, "o.npy", "kind=sampled", "background=rows.libsvm?format=libsvm"))
    assert table.shape == (40, 2, 3)
    np.testing.assert_allclose(table.sum(axis=2), np.reshape(two_outputs.predict(), (40, 2)), atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kind=sampled"], "needs background=path"),
        (["kind=sampled", "background=b", "features=f1"], "leave out features and reduce"),
        (["kind=sampled", "background=b", "reduce=mean_abs"], "leave out features and reduce"),
        (["kind=contributions", "name_errors=e.csv"], "for kind=sampled alone"),
        (["kind=sampled", "background=b", "orders=best"], "method is 'best'"),
        (["kind=sampled", "background=b", "name_errors=e.txt"], "name_errors=e.txt ends neither"),
    ],
)
def test_sampled_refusals(trained: Kauri, arguments: list[str], words: str) -> None:
    task = ["task=explain", "model_in=model.json", f"test:data={trained.test_uri}"]
    assert words in trained.run(*task, *arguments, status=1).err


def read_sets(path: Path) -> dict[tuple[str, str], float]:
    header, lines = read_csv(path)
    assert header == ["row", "features", "value"]
    return {(row, features): float(value) for row, features, value in lines}


def test_sets_of_features(trained: Kauri) -> None:
    pairs = np.load(explain(trained, "pairs.npy", "kind=interactions"))
    found = read_sets(explain(trained, "sets.csv", "kind=sets", "max_order=2"))
    for (row, features), value in found.items():
        places = [N_FEATURES] if features == "bias" else [int(name[1:]) for name in features.split(";")]
        cells = pairs[int(row), places[0], places[-1]]
        assert value == pytest.approx(cells * len(places), abs=2e-6)
    margins = trained.predict("pred_margin=1")
    triples = read_sets(explain(trained, "sets.csv", "kind=sets", "index=STII", "max_order=3"))
    sums = np.zeros(N_TEST_ROWS)
    for (row, _), value in triples.items():
        sums[int(row)] += value
    np.testing.assert_allclose(sums, margins, atol=2e-5)
    strongest = read_sets(explain(trained, "sets.csv", "kind=sets", "index=STII", "max_order=3", "strongest=2"))
    assert len(strongest) == 3 * N_TEST_ROWS
    assert all(triples[key] == value for key, value in strongest.items())


def test_names_with_semicolons_have_no_sets(kauri: Kauri) -> None:
    rows = [f"{i % 2},{i % 7},{i % 5}" for i in range(40)]
    kauri.write("train.csv", "\n".join(["y,a;b,c", *rows]) + "\n")
    uri = "train.csv?format=csv&label_column=y"
    kauri.run(f"data={uri}", "num_round=1", "model_out=model.json")
    task = ["task=explain", "model_in=model.json", f"test:data={uri}", "name_explain=sets.csv"]
    error = kauri.run(*task, "kind=sets", status=1).err
    assert "'a;b' has a semicolon in its name" in error
    assert not (kauri.folder / "sets.csv").exists()
    kauri.run(*task)


def test_sets_of_two_outputs(two_outputs: Kauri) -> None:
    header, lines = read_csv(explain(two_outputs, "sets.csv", "kind=sets", "index=BII"))
    assert header == ["row", "output", "features", "value"]
    assert [line[:3] for line in lines[:2]] == [["0", "0", "bias"], ["0", "0", "f0"]]
    assert {line[1] for line in lines} == {"0", "1"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["name_explain=x.npy"], "ends with .csv"),
        (["index=shap"], "k-SII"),
        (["max_order=0"], "max_order"),
        (["features=f1"], "leave out features and reduce"),
        (["background=x.csv"], "kind=contributions"),
    ],
)
def test_refusals_of_sets(trained: Kauri, arguments: list[str], words: str) -> None:
    base = ["task=explain", "kind=sets", "model_in=model.json", f"test:data={trained.test_uri}"]
    assert words in trained.run(*base, *arguments, status=1).err
