"""Names of categories in dumps, for readers; tools for XGBoost's dumps still get numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import kauriboost as kb
import pytest

pd = pytest.importorskip("pandas")

TOWNS = ["Bern", 'Ost "1"', "Wien, AT", "Ulm"]
FRAME = pd.DataFrame(
    {
        "town": pd.Categorical(TOWNS * 30, categories=TOWNS),
        "size": pd.Categorical([10, 20, 40] * 40),
        "x": [0.5 * (i % 7) for i in range(120)],
    }
)
LABEL = FRAME["town"].cat.codes % 2 * 10 + FRAME["size"].cat.codes % 2 * 5 + FRAME["x"]


@pytest.fixture(scope="module")
def booster() -> kb.Booster:
    return kb.train({"max_depth": 3, "max_cat_to_onehot": 1}, kb.DMatrix(FRAME, LABEL), 2)


def test_numbers_unless_names_are_asked_for(booster: kb.Booster) -> None:
    assert re.search(r"\[town:\{[0-3](,[0-3])*\}\]", booster.get_dump()[0])
    assert "Ost" not in "".join(booster.get_dump(dump_format="json"))


def test_texts_and_graphs(booster: kb.Booster, tmp_path: Path) -> None:
    text = "".join(booster.get_dump(category_names=True))
    town = set(re.findall(r"\[town:\{(.*?)\}\]", text))
    assert town & {'Ost \\"1\\",Ulm', "Bern,Wien, AT"}
    assert set(re.findall(r"\[size:\{(.*?)\}\]", text)) & {"20", "10,40"}
    booster.dump_model(tmp_path / "dump.txt", category_names=True)
    assert 'Ost \\"1\\",Ulm' in (tmp_path / "dump.txt").read_text() or "Bern,Wien, AT" in text
    assert any(f"town:{{{names}}}" in graph for graph in booster.get_dump("", False, "dot", True) for names in town)


def test_json_and_frames(booster: kb.Booster) -> None:
    splits = {"town": set(), "size": set()}
    nodes = [json.loads(tree) for tree in booster.get_dump(dump_format="json", category_names=True)]
    while nodes:
        node = nodes.pop()
        nodes += node.get("children", [])
        if node.get("split") in splits:
            splits[node["split"]] |= set(node["split_condition"])
    assert splits["town"] <= set(TOWNS)
    assert splits["size"] <= {10, 20, 40}
    assert all(splits.values())
    frame = booster.trees_to_dataframe(category_names=True)
    shown = [names for names, feature in zip(frame["Category"], frame["Feature"], strict=True) if feature == "town"]
    assert all(set(names) <= set(TOWNS) for names in shown)
    numbers = booster.trees_to_dataframe()
    numbered = numbers["Category"][numbers["Feature"] == "town"]
    assert [len(names) for names in shown] == [len(names) for names in numbered]


def test_a_model_without_names(booster: kb.Booster) -> None:
    frame = kb.DMatrix([[0.0], [1.0], [2.0]] * 20, LABEL[:60], feature_types=["c"])
    plain = kb.train({"max_cat_to_onehot": 1}, frame, 1)
    assert plain.get_dump(category_names=True) == plain.get_dump()
