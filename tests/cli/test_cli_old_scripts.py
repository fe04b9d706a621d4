"""Scripts for XGBoost's program: its sequences of tasks and names of files."""

from __future__ import annotations

import lzma
import os
from pathlib import Path

import kauriboost as kb
import pytest
from cli_program import ROOT, Kauri

DATA = Path(os.environ.get("KAURI_DATA", ROOT.parent / "shared" / "data"))

MUSHROOMS = """# trees, two rounds
booster = gbtree
objective = binary:logistic

eta = 1.0
gamma = 1.0
min_child_weight = 1   # a hessian
max_depth = 3

num_round = 2
save_period = 0
data = "agaricus.txt.train"
eval[test] = "agaricus.txt.test"
test:data = "agaricus.txt.test"
"""

MACHINES = """booster = gbtree
objective = reg:squarederror
eta = 1.0
gamma = 1.0
min_child_weight = 1
max_depth = 3
base_score = 0.5
num_round = 2
save_period = 1
data = "machine.txt.train"
eval[test] = "machine.txt.test"
test:data = "machine.txt.test"
"""

QUERIES = """objective="rank:pairwise"
eta = 0.1
gamma = 1.0
min_child_weight = 0.1
max_depth = 6
num_round = 4
save_period = 0
data = "rank.train"
eval[test] = "rank.test"
test:data = "rank.test"
"""


def unpack(kauri: Kauri, source: str, name: str) -> None:
    path = DATA / f"{source}.xz"
    if not path.exists():
        pytest.skip(f"needs {path}")
    kauri.write(name, lzma.decompress(path.read_bytes()))


def mushrooms(kauri: Kauri) -> None:
    for name in ("agaricus.txt.train", "agaricus.txt.test", "featmap.txt"):
        unpack(kauri, f"agaricus/{name}", name)
    kauri.write("mushroom.conf", MUSHROOMS)


def test_mushrooms(kauri: Kauri) -> None:
    mushrooms(kauri)
    done = kauri.run("mushroom.conf")
    assert [line.split("\t")[0] for line in done.out.splitlines()] == ["[0]", "[1]"]
    assert "is read as libsvm, by its first lines" in done.err
    assert (kauri.folder / "0002.model").read_bytes()[:1] == b"{"
    assert kb.Booster(model_file=str(kauri.folder / "0002.model")).num_boosted_rounds() == 2
    kauri.run("mushroom.conf", "task=pred", "model_in=0002.model")
    predictions = [float(line) for line in (kauri.folder / "pred.txt").read_text().splitlines()]
    labels = [float(line.split()[0]) for line in (kauri.folder / "agaricus.txt.test").read_text().splitlines()]
    assert len(predictions) == len(labels)
    wrong = sum((p > 0.5) != (y > 0.5) for p, y in zip(predictions, labels, strict=True))
    assert wrong / len(labels) < 0.03
    kauri.run("mushroom.conf", "task=dump", "model_in=0002.model", "name_dump=dump.raw.txt")
    assert "[f" in (kauri.folder / "dump.raw.txt").read_text()
    named = ["fmap=featmap.txt", "name_dump=dump.nice.txt", "dump_stats=1"]
    kauri.run("mushroom.conf", "task=dump", "model_in=0002.model", *named)
    text = (kauri.folder / "dump.nice.txt").read_text()
    assert "odor=" in text
    assert "gain=" in text


def test_training_goes_on_from_a_saved_model(kauri: Kauri) -> None:
    mushrooms(kauri)
    kauri.run("mushroom.conf", "model_dir=./", "save_period=1")
    assert (kauri.folder / "0001.model").exists()
    kauri.run("mushroom.conf", "model_in=0002.model", "num_round=2", "model_out=continue.model")
    assert kb.Booster(model_file=str(kauri.folder / "continue.model")).num_boosted_rounds() == 4
    margins = ["pred_margin=1", "ntree_limit=2", "name_pred=two.txt"]
    kauri.run("mushroom.conf", "task=pred", "model_in=continue.model", *margins)
    kauri.run("mushroom.conf", "task=pred", "model_in=0002.model", "pred_margin=1", "name_pred=first.txt")
    assert (kauri.folder / "two.txt").read_text() == (kauri.folder / "first.txt").read_text()


def test_machines(kauri: Kauri) -> None:
    unpack(kauri, "machine_cpu/machine.data", "machine.data")
    rows = [line.split(",") for line in (kauri.folder / "machine.data").read_text().split()]
    lines = [" ".join([row[8], *(f"{i}:{v}" for i, v in enumerate(row[2:8]))]) for row in rows if len(row) > 8]
    kauri.write("machine.txt.train", "\n".join(lines[::2]) + "\n")
    kauri.write("machine.txt.test", "\n".join(lines[1::2]) + "\n")
    kauri.write("machine.conf", MACHINES)
    kauri.run("machine.conf")
    for name in ("0001.model", "0002.model"):
        kauri.run("machine.conf", "task=pred", f"model_in={name}", f"name_pred={name}.txt")
    assert (kauri.folder / "0002.model.txt").read_text() != (kauri.folder / "0001.model.txt").read_text()


def test_queries(kauri: Kauri) -> None:
    for part in ("train", "test"):
        unpack(kauri, f"lambdarank/rank.{part}", f"rank.{part}")
        unpack(kauri, f"lambdarank/rank.{part}.query", f"rank.{part}.group")
    kauri.write("rank.conf", QUERIES)
    done = kauri.run("rank.conf")
    assert done.out.count("test-") == 4
    kauri.run("rank.conf", "task=pred", "model_in=0004.model")
    assert (kauri.folder / "pred.txt").read_text()


@pytest.mark.parametrize(
    ("text", "n_cols"),
    [
        ("1 0:2 3:1\n0 1:1\n", 4),
        ("1\n0 1:1 2:1\n", 3),
        ("1:0.5 1:1 2:1 # a comment\n", 3),
        ("2 qid:1 1:0.5 2:1\n", 3),
        ("1,2,3\n4,5,6\n", 3),
        ("a,b\n4,5\n", 2),
        ("\n\n1,2\n", 2),
    ],
)
def test_first_lines_tell_the_format(tmp_path: Path, text: str, n_cols: int) -> None:
    (tmp_path / "rows.txt").write_text(text)
    data = kb.DMatrix(str(tmp_path / "rows.txt"))
    assert data.num_col() == n_cols


@pytest.mark.parametrize("text", ["", "a b c\n", "1\n2\n", "1;2\n"])
def test_lines_that_tell_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "rows.txt").write_text(text)
    with pytest.raises(kb.KauriError, match="format"):
        kb.DMatrix(str(tmp_path / "rows.txt"))


def test_old_checkpoints_are_found(kauri: Kauri) -> None:
    whole = ["objective=binary:logistic", "num_round=4", "save_period=2"]
    kauri.run("train", kauri.train_uri, *whole, "model_out=whole.json")
    (kauri.folder / "0002.model").rename(kauri.folder / "0002.ubj")
    (kauri.folder / "0004.model").unlink()
    done = kauri.run("train", kauri.train_uri, *whole, "resume=1", "model_out=resumed.json")
    assert "0002.ubj" in done.err
    assert (kauri.folder / "resumed.json").read_bytes() == (kauri.folder / "whole.json").read_bytes()
