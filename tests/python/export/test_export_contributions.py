"""Contributions in exported C and WebAssembly: the library's, and additive."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from pathlib import Path

import export_models as models
import kauriboost as kb
import numpy as np
import pytest
from kauriboost import forests
from kauriboost._export.check import check_export

pytest.importorskip("wasmtime")
pytest.importorskip("ziglang")


def contributions_of_c(booster: kb.Booster, rows: np.ndarray, folder: Path) -> np.ndarray:
    """Compile the C file, run its test, and return what it computes for rows, as the library shapes it."""
    booster.export(folder / "model.c", contributions=True)
    library = folder / "model.so"
    strict = ["-std=c99", "-pedantic", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", "-DKAURI_TEST"]
    subprocess.run(["cc", *strict, "-o", library, folder / "model.c"], check=True)
    loaded = ctypes.CDLL(str(library))
    assert loaded.kauri_test() == 0
    call = loaded.kauri_contributions
    call.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    n_outputs = np.size(booster.predict(kb.DMatrix(rows[:1]), output_margin=True, validate_features=False))
    out = np.empty((len(rows), n_outputs, booster.num_features() + 1))
    rows = np.ascontiguousarray(rows, np.float32)
    for row, place in zip(rows, out):
        assert call(row.ctypes.data, place.ctypes.data) == 0
    return out


@pytest.mark.parametrize("name", ["binary:logistic", "softprob", "vector leaves", "dart", "forest", "stump"])
def test_contributions_of_c_are_the_librarys(name: str, tmp_path: Path) -> None:
    booster = models.model(name)
    rows = models.numbers(200)
    found = contributions_of_c(booster, rows, tmp_path)
    expected = booster.predict(kb.DMatrix(rows), pred_contribs=True).reshape(found.shape)
    margins = booster.predict(kb.DMatrix(rows), output_margin=True).reshape(found.shape[:2])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * max(1, np.abs(expected).max()))
    np.testing.assert_allclose(found.sum(axis=2), margins, rtol=0, atol=1e-6 * max(1, np.abs(margins).max()))


@pytest.mark.parametrize("name", ["refused", "one by one", "ordered missing"])
def test_contributions_of_categories_pass_their_test(name: str, tmp_path: Path) -> None:
    models.model(name).export(tmp_path / "model.c", contributions=True)
    assert " 0 of " in check_export(tmp_path / "model.c", "c")


def chain(n_levels: int, n_columns: int, cover: float) -> kb.Booster:
    """Return a tree whose right sides are one path. Each child has the share `cover` of its split's cover."""
    nodes = np.arange(2 * n_levels + 1)
    inner = (nodes % 2 == 0) & (nodes < 2 * n_levels)
    tree = forests.ForestTree(
        left=np.where(inner, nodes + 1, -1),
        right=np.where(inner, nodes + 2, -1),
        feature=np.where(inner, nodes // 2 % n_columns, 0),
        threshold=np.zeros(len(nodes), np.float32),
        default_left=inner,
        values=nodes * 0.5,
        cover=100 * cover ** ((nodes + 1) // 2),
    )
    return forests.from_trees([tree], n_columns)


@pytest.mark.parametrize("cover", [0.5, 0.4])
def test_covers_need_not_add_up(cover: float, tmp_path: Path) -> None:
    booster = chain(7, 3, cover)
    rows = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    booster.export(tmp_path / "model.c", contributions=True)
    assert ("#define KAURI_RIGHT_SHARE(split) (16777216U" in (tmp_path / "model.c").read_text()) == (cover == 0.5)
    found = contributions_of_c(booster, rows, tmp_path)[:, 0]
    expected = booster.predict(kb.DMatrix(rows), pred_contribs=True)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def test_paths_are_limited_by_the_stack(tmp_path: Path) -> None:
    with pytest.raises(kb.ParameterError, match=r"paths of 400 splits on 300 columns .*smaller max_depth"):
        chain(400, 300, 0.5).export(tmp_path / "model.c", contributions=True)
    assert not (tmp_path / "model.c").exists()


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_javascript_explains(tmp_path: Path) -> None:
    rows = models.numbers(300)
    label = np.digitize(models.signal(rows), [-1, 1])
    fitted = kb.KauriClassifier(n_estimators=6, max_depth=3).fit(rows, np.array(["low", "mid", "top"])[label])
    fitted.export(tmp_path / "model.wasm", contributions=True, test=True)
    cells = [[None if cell != cell else float(cell) for cell in row] for row in rows[:20]]
    (tmp_path / "rows.json").write_text(json.dumps(cells))
    (tmp_path / "run.mjs").write_text(
        "import { readFileSync } from 'node:fs';\nimport { loadModel } from './model.mjs';\n"
        "const model = await loadModel();\nif (model.classes.join() !== 'low,mid,top') throw new Error('classes');\n"
        "const rows = JSON.parse(readFileSync('rows.json'));\n"
        "console.log(JSON.stringify(rows.map((row) => model.contributions(row))));\n"
    )
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = fitted.get_booster().predict(kb.DMatrix(rows[:20]), pred_contribs=True)
    np.testing.assert_allclose(json.loads(done.stdout), expected, rtol=0, atol=1e-5)


def test_wrong_contributions_fail_the_test(tmp_path: Path) -> None:
    path = tmp_path / "model.c"
    models.model("binary:logistic").export(path, contributions=True)
    right = path.read_text()
    assert right.count("step->on_right ? KAURI") == 1
    path.write_text(right.replace("step->on_right ? KAURI", "!step->on_right ? KAURI"))
    with pytest.raises(kb.ModelError, match="test rows differ"):
        check_export(path, "c")


@pytest.mark.parametrize(
    ("name", "target", "words"),
    [
        ("dart", "onnx", "target=onnx does not compute contributions; expected one of c, wasm_source, wasm"),
        ("dart", "sqlite", "or leave contributions out"),
        ("ordered classes", "c", "categorical_encoding=ordered"),
    ],
)
def test_what_has_no_contributions_is_refused(name: str, target: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(kb.ParameterError, match=words):
        models.model(name).export(tmp_path / "model", target, contributions=True)


def test_counts_of_rows_are_covers(tmp_path: Path) -> None:
    rows = models.numbers(200)
    booster = kb.Booster(model_file=models.model("binary:logistic").save_raw())
    by_hessian = contributions_of_c(booster, rows, tmp_path)
    booster.count_rows(kb.DMatrix(models.numbers()))
    booster.set_param({"shap_cover": "count"})
    (tmp_path / "counts").mkdir()
    found = contributions_of_c(booster, rows, tmp_path / "counts")
    np.testing.assert_allclose(found[:, 0], booster.predict(kb.DMatrix(rows), pred_contribs=True), rtol=0, atol=1e-5)
    assert np.abs(found - by_hessian).max() > 1e-3
