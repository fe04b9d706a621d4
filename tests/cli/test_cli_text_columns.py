"""CSV files with columns of text that nobody declares: they are categories."""

from __future__ import annotations

import random

import kauriboost as kb
import numpy as np
import pytest
from cli_program import Kauri
from test_cli_text import JOBS, ROUNDS, auc_of, people

PARAMS = {"objective": "binary:logistic", "max_depth": 3, "max_cat_to_onehot": 4, "cat_smooth": 1}
KEYS_OF_NUMBERS = "format=csv&label_column=bought"


def train_on(kauri: Kauri, name: str, keys: str = KEYS_OF_NUMBERS, *more: str) -> bytes:
    options = [f"{key}={value}" for key, value in PARAMS.items()]
    kauri.run("train", f"{name}?{keys}", *options, "num_round=5", "model_out=model.json", *more)
    return (kauri.folder / "model.json").read_bytes()


def in_python(kauri: Kauri, data: kb.DMatrix) -> bytes:
    path = kauri.folder / "python.json"
    kb.train(PARAMS, data, 5, verbose_eval=False).save_model(path)
    return path.read_bytes()


def test_the_same_model_at_every_door(kauri: Kauri) -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    kauri.write("people.csv", people(400, 1, JOBS, ("0", "1")))
    expected = train_on(kauri, "people.csv")
    assert train_on(kauri, "people.csv", f"{KEYS_OF_NUMBERS}&categorical_columns=job") == expected
    frame = pd.read_csv(kauri.folder / "people.csv")
    label = frame.pop("bought").to_numpy()
    declared = frame.assign(job=frame.job.astype("category"))
    of_polars, of_arrow = pl.DataFrame(frame.to_dict("list")), pa.table(frame.to_dict("list"))
    for table in (frame, frame.astype({"job": object}), of_polars, of_arrow, declared):
        data = kb.DMatrix(table, label=label, feature_types=["q", "c"])  # the program's word for numbers
        assert in_python(kauri, data) == expected
    from_file = kb.DMatrix(f"{kauri.folder / 'people.csv'}?label_column=bought")
    assert from_file.feature_types == ["q", "c"]
    assert from_file.get_categories() == {"job": sorted(JOBS)}
    assert in_python(kauri, from_file) == expected


@pytest.mark.parametrize("keys", [KEYS_OF_NUMBERS, f"{KEYS_OF_NUMBERS}&categorical_columns=job"])
def test_the_order_of_first_appearance_never_matters(kauri: Kauri, keys: str) -> None:
    """The files to evaluate and to predict have other first rows, and lack some of the names."""
    lines = people(400, 1, JOBS, ("0", "1")).splitlines()
    kauri.write("people.csv", "\n".join(lines) + "\n")
    turned = [lines[0], *reversed(lines[1:])]
    kauri.write("turned.csv", "\n".join(turned) + "\n")
    assert train_on(kauri, "people.csv", keys) != b""
    places = {}
    for name in ("people", "turned"):
        kauri.run("pred", "model.json", f"{name}.csv?{keys}", f"name_pred={name}.txt")
        places[name] = (kauri.folder / f"{name}.txt").read_text().splitlines()
    assert places["turned"] == places["people"][::-1]
    some = [place for place, line in enumerate(lines[1:]) if JOBS[0] not in line][50:90]
    kauri.write("some.csv", "\n".join([lines[0], *(lines[1 + place] for place in reversed(some))]) + "\n")
    kauri.run("pred", "model.json", f"some.csv?{keys}", "name_pred=some.txt")
    assert (kauri.folder / "some.txt").read_text().splitlines() == [places["people"][place] for place in reversed(some)]
    assert auc_of(kauri, f"turned.csv?{keys}") == auc_of(kauri, f"people.csv?{keys}")
    options = [f"{key}={value}" for key, value in PARAMS.items()]
    evals = [f"eval[a]=people.csv?{keys}", f"eval[b]=turned.csv?{keys}", f"eval[c]=some.csv?{keys}"]
    last = kauri.run(
        "train", f"people.csv?{keys}", *options, *evals, "num_round=3", "model_out=other.json"
    ).out.splitlines()[-1]
    values = dict(part.rsplit(":", 1) for part in last.split("\t")[1:])
    assert values["a-logloss"] == values["b-logloss"]
    python = kb.Booster(model_file=str(kauri.folder / "model.json"))
    found = python.predict(kb.DMatrix(f"{kauri.folder / 'some.csv'}?{keys}"))
    assert np.allclose(found, [float(places["people"][place]) for place in reversed(some)], rtol=1e-5)


def test_rows_whose_names_are_all_numbers(kauri: Kauri) -> None:
    rows = [("17", 0), ("A1", 1), ("4", 1), ("B", 0)] * 30
    kauri.write("a.csv", "c,y\n" + "".join(f"{c},{y}\n" for c, y in rows))
    error = kauri.run("train", "a.csv?format=csv&label_column=y", *ROUNDS, status=1).err
    assert "line 3: field 1, 'A1', is not a number" in error
    assert "categorical_columns=c" in error
    kauri.run("train", "a.csv?format=csv&label_column=y&categorical_columns=c", *ROUNDS, "min_child_weight=0")
    kauri.write("b.csv", "c,y\n4,1\n17,0\n")
    kauri.run("pred", "model.json", "b.csv?format=csv&label_column=y", "name_pred=b.txt")
    four, seventeen = map(float, (kauri.folder / "b.txt").read_text().split())
    assert four > 0.5 > seventeen


def test_text_columns_of_a_file_without_a_header(kauri: Kauri) -> None:
    lines = people(400, 1, JOBS, ("0", "1")).splitlines()
    kauri.write("people.csv", "\n".join(lines) + "\n")
    kauri.write("bare.csv", "\n".join(lines[1:]) + "\n")
    train_on(kauri, "people.csv")
    kauri.run("pred", "model.json", f"people.csv?{KEYS_OF_NUMBERS}", "name_pred=a.txt")
    train_on(kauri, "bare.csv", "format=csv&label_column=2")
    kauri.run("pred", "model.json", "bare.csv?format=csv&label_column=2", "name_pred=b.txt")
    assert (kauri.folder / "a.txt").read_bytes() == (kauri.folder / "b.txt").read_bytes()


def test_text_far_down_in_the_file(kauri: Kauri) -> None:
    """The first blocks of the file have no text in the column; names come from all blocks."""
    draw = random.Random(3)
    lines = ["x,late,early,bought"]
    for row in range(40000):
        late = "" if row < 30000 else draw.choice(["b", "a", "c"])
        lines.append(f"{draw.random():.6f},{late},{draw.choice(['u', 'v'])},{row % 2}")
    kauri.write("a.csv", "\n".join(lines) + "\n")
    data = kb.DMatrix(f"{kauri.folder / 'a.csv'}?label_column=bought")
    assert data.get_categories() == {"late": ["a", "b", "c"], "early": ["u", "v"]}
    assert data.feature_types == ["q", "c", "c"]
    lines[39000] = lines[39000].replace("," + lines[39000].split(",")[1], ",7", 1)
    kauri.write("b.csv", "\n".join(lines) + "\n")
    with pytest.raises(kb.DataError, match=r"line 30002: field 2, '[abc]', is not a number"):
        kb.DMatrix(f"{kauri.folder / 'b.csv'}?label_column=bought")


def test_identifiers_are_refused_in_words(kauri: Kauri) -> None:
    kauri.write("a.csv", "y,id,x\n" + "".join(f"{i % 2},p{i},{i}\n" for i in range(80)))
    error = kauri.run("train", "a.csv?format=csv&label_column=y", *ROUNDS, status=1).err
    for part in (
        "column 0 ('id') has 80 different texts, more than half as many as rows",
        "leave the column out",
        "categorical_columns",
    ):
        assert part in error
    assert "id" in kauri.run("cv", "a.csv?format=csv&label_column=y", "num_round=1", status=1).err
    kauri.run("train", "a.csv?format=csv&label_column=y&ignore_columns=id", *ROUNDS)
    kauri.run("train", "a.csv?format=csv&label_column=y&categorical_columns=id", *ROUNDS)
    kauri.run("pred", "model.json", "a.csv?format=csv&label_column=y")


def test_text_where_the_model_has_numbers(kauri: Kauri) -> None:
    kauri.write("a.csv", "y,x\n" + "".join(f"{i % 2},{i}\n" for i in range(80)))
    kauri.run("train", "a.csv?format=csv&label_column=y", *ROUNDS)
    kauri.write("b.csv", "y,x\n1,red\n0,blue\n")
    error = kauri.run("pred", "model.json", "b.csv?format=csv&label_column=y", status=1).err
    assert "column 0 ('x') holds numbers in the model, but categories" in error


def test_a_cache_refuses_undeclared_text(kauri: Kauri) -> None:
    kauri.write("people.csv", people(60, 1, JOBS, ("0", "1")))
    error = kauri.run("train", f"people.csv?{KEYS_OF_NUMBERS}#c", "tree_method=hist", status=1).err
    assert "line 2: field 2, " in error
    assert "texts are categories only if the whole file is read, without the cache" in error


def test_classes_and_texts_of_the_program_in_python(kauri: Kauri) -> None:
    import pandas as pd
    from kauriboost.sklearn import KauriClassifier

    kauri.write("people.csv", people(400, 1, JOBS))
    train_on(kauri, "people.csv")
    frame = pd.read_csv(kauri.folder / "people.csv")
    model = KauriClassifier()
    model.load_model(kauri.folder / "model.json")
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(frame[["age", "job"]], frame.bought) > 0.8
