"""With any feature names, dumps are valid and tables find them; no dump has statistics without request."""

from __future__ import annotations

import json
from pathlib import Path

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest

STRANGE = ["tab\there", "line\nbreak\r\n", 'quote " and \\', "\\n", "\x01\x1f\x7f", "ü 木 🙂", " ", "{}:,"]


@pytest.fixture(params=STRANGE, ids=ascii)
def trained(request: pytest.FixtureRequest) -> tuple[kb.Booster, str]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    data = kb.DMatrix(X, X[:, 0] + X[:, 1] ** 2, feature_names=[request.param, "plain"])
    return kb.train({"max_depth": 3}, data, 3, verbose_eval=False), request.param


def splits(node: dict) -> set[str]:
    names = {node["split"]} if "split" in node else set()
    return names.union(*map(splits, node.get("children", [])))


@pytest.mark.parametrize("with_stats", [False, True])
def test_json(trained: tuple[kb.Booster, str], with_stats: bool, tmp_path: Path) -> None:
    booster, name = trained
    found = [splits(json.loads(tree)) for tree in booster.get_dump(dump_format="json", with_stats=with_stats)]
    assert set.union(*found) == {name, "plain"}
    booster.dump_model(tmp_path / "dump.json", dump_format="json", with_stats=with_stats)
    assert len(json.loads((tmp_path / "dump.json").read_text(encoding="utf-8"))) == 3


def test_tables_find_the_name(trained: tuple[kb.Booster, str]) -> None:
    booster, name = trained
    table = booster.trees_to_dataframe()
    n_splits = booster.get_score()
    assert (table["Feature"] == name).sum() == n_splits[name] > 0
    assert booster.get_split_value_histogram(name, as_pandas=False)[:, 1].sum() == n_splits[name]


def test_text_has_a_line_per_node(trained: tuple[kb.Booster, str]) -> None:
    booster, _ = trained
    plain = booster.copy()
    plain.feature_names = ["a", "plain"]
    for strange, usual in zip(booster.get_dump(with_stats=True), plain.get_dump(with_stats=True), strict=True):
        assert strange.count("\n") == usual.count("\n")
        assert strange.count("\t") == usual.count("\t")


def test_feature_maps_of_other_encodings(tmp_path: Path) -> None:
    X = np.arange(20.0).reshape(10, 2)
    booster = kb.train({"max_depth": 1}, kb.DMatrix(X, X[:, 0] > 8), 2, verbose_eval=False)
    (tmp_path / "latin1.fmap").write_bytes("0 größe q\n1 b q\n".encode("latin-1"))
    for form in ("text", "json", "dot"):
        for tree in booster.get_dump(tmp_path / "latin1.fmap", dump_format=form):
            assert "gr\ufffd\ufffde" in tree
    assert json.loads(booster.get_dump(tmp_path / "latin1.fmap", dump_format="json")[0])["split"] == "gr\ufffd\ufffde"
    assert list(booster.get_score(tmp_path / "latin1.fmap")) == [
        "gr\udcf6\udcdfe"
    ]  # the bytes of the file, as in the names
    for name in ("gr\udcf6\udcdfe", "gr\ufffd\ufffde"):
        found = booster.get_split_value_histogram(name, tmp_path / "latin1.fmap", as_pandas=False)
        assert found[:, 1].sum() == 2


@pytest.mark.parametrize("form", ["text", "json", "dot", 'dot:{"graph_attrs": {"rankdir": "LR"}}'])
@pytest.mark.parametrize("to_onehot", [1, 100])
def test_statistics_only_if_wanted(form: str, to_onehot: int) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"color": pd.Categorical(rng.choice(list("abcdef"), 200)), "x": rng.normal(size=200)})
    y = frame["color"].isin(["a", "c"]) + (frame["x"] > 0)
    params = {"max_depth": 3, "max_cat_to_onehot": to_onehot}
    booster = kb.train(params, kb.DMatrix(frame, y), 2, verbose_eval=False)
    for tree in booster.get_dump(dump_format=form):
        assert "color" in tree
        assert "gain" not in tree
        assert "cover" not in tree
    for tree in booster.get_dump(dump_format=form, with_stats=True):
        assert tree.count("gain") > 0
        assert tree.count("cover") > tree.count("gain")
