"""Categorical columns of text: `train.csv.feature_types` declares them."""

from __future__ import annotations

import random

import kauriboost as package
import pytest
from cli_program import Kauri

TYPES = ["c", "q", "c", "int"]
ROUNDS = 5


def rows_of(n_rows: int) -> list[list[int]]:
    """Return rows of a label, a column with few categories, a number, a column with many categories, and a number."""
    draw = random.Random(7)
    rows = []
    for _ in range(n_rows):
        few, number, many, other = draw.randrange(3), draw.randrange(100), draw.randrange(40), draw.randrange(9)
        label = (few == 1) != (many * 7 % 5 < 2) or number > 90
        rows.append([int(label), few, number, many, other])
    return rows


def write_data(kauri: Kauri, name: str, rows: list[list[int]]) -> str:
    """Write a text file in the format of its suffix; return its URI."""
    if name.endswith(".csv"):
        kauri.write(name, "".join(",".join(map(str, row)) + "\n" for row in rows))
        return f"{name}?label_column=0"
    lines = (f"{row[0]} " + " ".join(f"{i}:{value}" for i, value in enumerate(row[1:])) for row in rows)
    kauri.write(name, "\n".join(lines) + "\n")
    return name


@pytest.mark.parametrize("name", ["train.csv", "train.libsvm"])
@pytest.mark.parametrize("method", ["hist", "approx", "exact"])
def test_the_model_of_python(kauri: Kauri, name: str, method: str) -> None:
    rows = rows_of(600)
    uri = write_data(kauri, name, rows)
    kauri.write(f"{name}.feature_types", " ".join(TYPES))
    params = {"tree_method": method, "objective": "binary:logistic", "max_depth": 4, "max_cat_to_onehot": 4}
    options = [f"{key}={value}" for key, value in params.items()]
    kauri.run(f"data={uri}", *options, f"num_round={ROUNDS}", "model_out=model.json", "eval_train=1")
    features = [row[1:] for row in rows]
    labels = [row[0] for row in rows]
    for types in (TYPES, ["q", "q", "q", "int"]):
        data = package.DMatrix(features, label=labels, feature_types=types)
        booster = package.train(params, data, ROUNDS)
        booster.save_model(kauri.folder / "python.json")
        same = (kauri.folder / "model.json").read_bytes() == (kauri.folder / "python.json").read_bytes()
        assert same == (types is TYPES)
    from_text = package.DMatrix(str(kauri.folder / uri))
    assert from_text.feature_types == TYPES
    assert '"' not in kauri.run("task=pred", "model_in=model.json", f"test:data={uri}", "name_pred=stdout").out


@pytest.mark.parametrize("name", ["train.csv", "train.libsvm"])
def test_a_cache_has_them_as_well(kauri: Kauri, name: str) -> None:
    uri = write_data(kauri, name, rows_of(600))
    models = []
    for types in ("\n".join(TYPES), "q q q int"):
        kauri.write(f"{name}.feature_types", types)
        for data in (uri, uri + "#pages"):
            kauri.run(f"data={data}", "tree_method=hist", "max_bin=64", "model_out=model.json")
            models.append((kauri.folder / "model.json").read_bytes())
    assert models[0] == models[1] != models[2] == models[3]


@pytest.mark.parametrize("cache", ["", "#pages"])
def test_one_source_of_types(kauri: Kauri, cache: str) -> None:
    uri = write_data(kauri, "train.csv", rows_of(50)) + f"&categorical_columns=1{cache}"
    kauri.run(f"data={uri}", "tree_method=hist", "model_out=model.json")
    kauri.write("train.csv.feature_types", " ".join(TYPES))
    error = kauri.run(f"data={uri}", "tree_method=hist", status=1).err
    assert "train.csv.feature_types gives the types of columns that the data file has already" in error


def test_refusals(kauri: Kauri) -> None:
    rows = rows_of(50)

    def error(types: str, method: str = "hist", cache: str = "") -> str:
        uri = write_data(kauri, "train.csv", rows)
        kauri.write("train.csv.feature_types", types)
        return kauri.run(f"data={uri}{cache}", f"tree_method={method}", status=1).err

    for cache in ("", "#pages"):
        too_few = error("c q c", cache=cache)
        assert "train.csv.feature_types: feature_type has 3 values, but the data have 4 columns" in too_few
        assert "feature 1 has the unknown type 'numeric'" in error("c numeric c q", cache=cache)
        assert "train.csv.feature_types holds no types" in error(" \n", cache=cache)
    rows[3][1] = -1
    for method, cache in (("hist", ""), ("exact", ""), ("approx", ""), ("hist", "#pages")):
        assert "row 3 of the categorical column 0 is -1" in error("c q c q", method, cache)
    rows[3][1] = 1.5
    assert "categories are integers" in error("c q c q")


def test_numbers_for_categories_are_refused(kauri: Kauri) -> None:
    """Files that declare numeric types are refused; a text without types is read with the model's types."""
    rows = rows_of(300)
    uri = write_data(kauri, "train.csv", rows)
    other = write_data(kauri, "other.csv", rows)
    kauri.write("train.csv.feature_types", " ".join(TYPES))
    kauri.run(f"data={uri}", "num_round=2", "model_out=model.json", "max_depth=4", f"eval[plain]={other}")
    tasks = [
        ["task=pred", f"test:data={other}", "name_pred=stdout"],
        ["task=pred", f"test:data={other}", "name_pred=stdout", "pred_contribs=true"],
        ["task=explain", f"test:data={other}", "name_explain=stdout"],
        ["task=explain", f"test:data={uri}", f"background={other}", "name_explain=stdout"],
        ["task=train", f"data={uri}", f"eval[other]={other}", "num_round=1", "model_out=next.json"],
    ]
    typed = [["model_in=model.json", *task] for task in tasks]
    for arguments in typed:
        kauri.run(*arguments)
    kauri.write("other.csv.feature_types", "c q q int")
    for arguments in typed:
        error = kauri.run(*arguments, status=1).err
        assert "column 2 holds categories in the model, but numbers (type 'q')" in error, arguments
    continued = ["model_in=model.json", f"data={other}", "num_round=1", "model_out=next.json"]
    assert "holds categories in the model, but numbers" in kauri.run(*continued, status=1).err
    (kauri.folder / "other.csv.feature_types").unlink()
    assert "but the training data have no feature types" in kauri.run(*continued, status=1).err


def test_dumps_for_people_name_categories(kauri: Kauri) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"town": pandas.Categorical(["Bern", "Ulm"] * 20)})
    booster = package.train({"max_cat_to_onehot": 1}, package.DMatrix(frame, [0, 1] * 20), 1)
    booster.save_model(kauri.folder / "model.json")
    dumps = {}
    for form in ("text", "json", "dot"):
        done = kauri.run("task=dump", "model_in=model.json", f"dump_format={form}", "name_dump=stdout")
        dumps[form], said = done.out, done.err
        assert said == ""
    name = "Bern" if "Bern" in dumps["text"] else "Ulm"
    assert f"[town:{{{name}}}]" in dumps["text"]
    assert f'label="town:{{{name}}}"' in dumps["dot"]
    assert name not in dumps["json"]
    assert kauri.run("task=dump", "model_in=model.json").err == "1 tree written to 'dump.txt'\n"


def test_importance_names_combinations(kauri: Kauri) -> None:
    """The program and the package have the same model with the same combined columns."""
    rows = rows_of(600)
    uri = write_data(kauri, "train.csv", rows)
    kauri.write("train.csv.feature_types", " ".join(TYPES))
    params = {"categorical_encoding": "ordered", "ordered_combination": "2", "objective": "binary:logistic"}
    options = [f"{key}={value}" for key, value in params.items()]
    kauri.run(f"data={uri}", *options, f"num_round={ROUNDS}", "model_out=model.json", "eval_train=1")
    data = package.DMatrix([row[1:] for row in rows], label=[row[0] for row in rows], feature_types=TYPES)
    scores = package.train(params, data, ROUNDS).get_score(importance_type="gain")
    assert "f0&f2" in scores
    task = ("task=importance", "model_in=model.json", "name_importance=stdout", "importance_type=gain")
    header, *lines = kauri.run(*task).out.splitlines()
    assert header == "feature,gain"
    assert {line.split(",")[0] for line in lines} == set(scores)
    refused = kauri.run("task=explain", "model_in=model.json", f"test:data={uri}", status=1)
    assert "combinations of categorical columns" in refused.err


def test_classes_have_a_column_each(kauri: Kauri) -> None:
    """The program and the package have the same model, whose columns are named in scores, dumps and refusals."""
    rows = [[(few + many) % 3, few, number, many, other] for _, few, number, many, other in rows_of(600)]
    uri = write_data(kauri, "train.csv", rows)
    kauri.write("train.csv.feature_types", " ".join(TYPES))
    params = {"categorical_encoding": "ordered", "objective": "multi:softprob", "num_class": "3"}
    options = [f"{key}={value}" for key, value in params.items()]
    kauri.run(f"data={uri}", *options, f"num_round={ROUNDS}", "model_out=model.json", "eval_train=1")
    data = package.DMatrix([row[1:] for row in rows], label=[row[0] for row in rows], feature_types=TYPES)
    booster = package.train(params, data, ROUNDS)
    booster.save_model(kauri.folder / "python.json")
    assert (kauri.folder / "model.json").read_bytes() == (kauri.folder / "python.json").read_bytes()
    task = ("task=importance", "model_in=model.json", "name_importance=stdout", "importance_type=gain")
    _, *lines = kauri.run(*task).out.splitlines()
    assert {line.split(",")[0] for line in lines} == set(booster.get_score(importance_type="gain"))
    assert "f2@1<" in kauri.run("task=dump", "model_in=model.json", "name_dump=stdout").out
    predicted = kauri.run("task=pred", "model_in=model.json", f"test:data={uri}", "name_pred=stdout").out
    assert len(predicted.split()) == 3 * len(rows)
    refused = kauri.run("task=explain", "model_in=model.json", f"test:data={uri}", status=1)
    assert "encodes a category by its share of each class" in refused.err
