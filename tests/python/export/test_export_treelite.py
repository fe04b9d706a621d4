"""Checkpoints of Treelite: margins and leaves have the model's bits in its library, or the model is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import export_models as models
import kauriboost as kb
import numpy as np
import pytest
from kauriboost._binding.library import LIB, check
from kauriboost._binding.text import config, encode
from kauriboost._export.check import check_export, ulps
from kauriboost._export.treelite_checkpoint import build_treelite

treelite = pytest.importorskip("treelite")
gtil = pytest.importorskip("treelite.gtil")

FRACTIONS = "fraction for the category below it"
REFUSED = {
    "quantiles": "ascending order",
    "expectiles": "ascending order",
    "softmax": "set objective=multi:softprob",
    "missing": FRACTIONS,
    "ordered": FRACTIONS,
    "ordered missing": FRACTIONS,
    "ordered classes": FRACTIONS,
    "refused": "Treelite cannot refuse a row",
}
EXPORTED = [name for name in models.NAMES if name not in REFUSED]


def exported(booster: kb.Booster, folder: Path) -> treelite.Model:
    """Return the checkpoint of a booster, as Treelite reads it."""
    booster.export(folder / "model.tl")
    return treelite.Model.deserialize(folder / "model.tl")


def predicted(model: treelite.Model, rows: np.ndarray, **kind: bool) -> np.ndarray:
    """Return Treelite's predictions, a row for each."""
    return np.asarray(gtil.predict(model, rows, nthread=1, **kind)).reshape(len(rows), -1)


def new_rows(booster: kb.Booster, n_rows: int = 3000) -> tuple[np.ndarray, kb.DMatrix]:
    """Return rows that the model has not seen; columns of categories have unknown ones, fractions and huge numbers."""
    random = np.random.default_rng(5)
    rows = random.normal(size=(n_rows, 5)).astype(np.float32)
    types = ["q"] * 5
    if booster.get_categories():
        strange = np.array([-1, -0.5, -0.0, 0.5, 2.75, 2**24 - 1, 2**24, 2**24 + 2, 2**31, 2**32, 1e30])
        for column, size in ((3, 45), (4, 5)):
            rows[:, column] = np.where(
                random.random(n_rows) < 0.3, random.choice(strange, n_rows), random.integers(0, size, n_rows)
            )
        types[3:] = ["c", "c"]
    rows[random.random(rows.shape) < 0.2] = np.nan
    return rows, kb.DMatrix(rows, feature_types=types, feature_names=booster.feature_names)


@pytest.mark.parametrize("name", EXPORTED)
def test_treelite_computes_the_models_bits(name: str, tmp_path: Path) -> None:
    booster = models.model(name)
    model = exported(booster, tmp_path)
    assert (model.input_type, model.output_type) == ("float32", "float32")
    said = check_export(tmp_path / "model.tl", "treelite")
    count = said.partition(" 0 of ")[2].split()[0]
    assert f"({count} with the same bits)" in said
    rows, data = new_rows(booster)
    margins = booster.predict(data, output_margin=True).reshape(len(rows), -1)
    assert ulps(predicted(model, rows, pred_margin=True), margins).max() == 0
    values = booster.predict(data).reshape(len(rows), -1)
    np.testing.assert_allclose(predicted(model, rows), values, rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize("name", REFUSED)
def test_what_treelite_computes_otherwise_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "model.tl").write_text("old")
    with pytest.raises(kb.ParameterError, match=REFUSED[name]):
        models.model(name).export(tmp_path / "model.tl")
    assert (tmp_path / "model.tl").read_text() == "old"


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("softmax", {"objective": "multi:softprob"}),
        ("quantiles", {"objective": "reg:squarederror"}),
        ("missing", {"unseen_category": "xgboost"}),
    ],
)
def test_refused_models_have_a_cure(name: str, cure: dict[str, str], tmp_path: Path) -> None:
    booster = kb.Booster(model_file=models.model(name).save_raw())
    booster.set_param(cure)
    model = exported(booster, tmp_path)
    rows, data = new_rows(booster, 500)
    margins = booster.predict(data, output_margin=True).reshape(len(rows), -1)
    assert (predicted(model, rows, pred_margin=True) == margins).all()


def test_trees_follow_the_start_of_each_output(tmp_path: Path) -> None:
    booster = models.model("several targets")
    model = exported(booster, tmp_path)
    assert model.num_tree == 3 + len(booster.get_dump())
    rows, _ = new_rows(booster, 10)
    parts = np.asarray(gtil.predict_per_tree(model, rows, nthread=1)).reshape(len(rows), model.num_tree)
    starts = np.array(
        [
            float(cell)
            for cell in json.loads(booster.save_config())["learner"]["learner_model_param"]["base_score"]
            .strip("[]")
            .split(",")
        ],
        np.float32,
    )
    assert (parts[:, :3] == starts).all()


def test_a_checkpoint_says_what_it_is(tmp_path: Path) -> None:
    booster = models.model("awkward names")
    said = exported(booster, tmp_path).attributes
    assert said["kauri.columns"] == booster.feature_names
    assert said["kauri.categories"][3] == list(booster.get_categories()[booster.feature_names[3]])
    assert said["kauri.objective"] == "reg:squarederror"
    assert "test rows with every threshold" in said["kauri.summary"]
    assert len(said["kauri.test"]["rows"]) == len(said["kauri.test"]["margins"]) > 20


def test_a_wrong_checkpoint_fails_its_test(tmp_path: Path) -> None:
    model = exported(models.model("binary:logistic"), tmp_path)
    leaves = model.get_tree_accessor(1).get_field("leaf_value")
    model.get_tree_accessor(1).set_field("leaf_value", leaves + np.float32(1e-3))
    model.serialize(tmp_path / "wrong.tl")
    with pytest.raises(kb.ModelError, match="test rows differ"):
        check_export(tmp_path / "wrong.tl", "treelite")


def test_tables_with_other_margins_are_refused(tmp_path: Path) -> None:
    models.model("binary:logistic").export(tmp_path / "model.tl.json")
    tables = json.loads((tmp_path / "model.tl.json").read_text())
    tables["start"][0] += 0.5
    with pytest.raises(kb.ModelError, match="computes other margins than the model for"):
        build_treelite(json.dumps(tables).encode())


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "treelite"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(kb.ParameterError, match=r"pip install 'treelite>=4.8'.*target=treelite_source"):
        models.model("stump").export(tmp_path / "model.tl")
    assert not (tmp_path / "model.tl").exists()
    models.model("stump").export(tmp_path / "model.tl.json")  # needs no library
    tables = json.loads((tmp_path / "model.tl.json").read_text())
    assert tables["tree_leaf"] == [0, 1, 2]
    (tmp_path / "model.tl").write_text("old")
    with pytest.raises(kb.ParameterError, match=r"pip install 'treelite>=4.8'"):
        check_export(tmp_path / "model.tl", "treelite")


def test_the_library_alone_writes_no_checkpoint(tmp_path: Path) -> None:
    handle = models.model("stump").handle
    for target in (None, "treelite"):
        with pytest.raises(kb.ParameterError, match=r"pip install 'treelite>=4.8'.*target=treelite_source writes"):
            check(LIB.KauriBoosterExport(handle, encode(tmp_path / "model.tl"), config(target=target)))


def test_contributions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(kb.ParameterError, match="does not compute contributions"):
        models.model("stump").export(tmp_path / "model.tl", contributions=True)


@pytest.mark.parametrize("change", [{"booster": "gblinear"}, {"linear_tree": True, "max_depth": 3}])
def test_what_is_no_sum_of_constants_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    rows = models.numbers()
    booster = kb.train({"nthread": 1, **change}, kb.DMatrix(rows, models.signal(rows)), 8)
    with pytest.raises(kb.ParameterError, match=r"gblinear has none|linear leaves"):
        booster.export(tmp_path / "model.tl")


def test_the_largest_categories(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    codes = random.choice([0, 1, 5, 2**24 - 2, 2**24 - 1], 400).astype(np.float32)
    label = 1.0 * (codes == 2**24 - 1) - (codes == 5) + random.random(400)
    booster = kb.train({"max_depth": 4, "nthread": 1}, kb.DMatrix(codes[:, None], label, feature_types=["c"]), 5)
    model = exported(booster, tmp_path)
    asked = np.array([[0], [2**24 - 2], [2**24 - 1], [2**24], [2**25]], np.float32)
    expected = booster.predict(kb.DMatrix(asked, feature_types=["c"]), output_margin=True)
    assert len(set(expected.tolist())) > 2
    assert (predicted(model, asked, pred_margin=True)[:, 0] == expected).all()


def test_a_call_that_fails_writes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    booster = models.model("binary:logistic")
    with pytest.raises(kb.ParameterError, match="target='treelite_source' has no test"):
        booster.export(tmp_path / "model.json", target="treelite_source", test=True)
    with pytest.raises(kb.ParameterError, match="target=treelite does not compute contributions"):
        booster.export(tmp_path / "model.tl", contributions=True)
    with pytest.raises(kb.FileError, match=r"cannot write .*An older file is unchanged"):
        booster.export(tmp_path / "no folder" / "model.tl")
    monkeypatch.delattr(treelite.Model, "attributes")
    with pytest.raises(kb.ParameterError, match=r"keeps no attributes of a model: pip install 'treelite>=4.8'"):
        booster.export(tmp_path / "model.tl")
    assert list(tmp_path.iterdir()) == []
