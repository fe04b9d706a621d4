"""CSV files written by spreadsheets, pandas and R: quotes, missing values, labels and categories as text."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest
from cli_program import Kauri

KEYS = "format=csv&label_column=bought"
JOBS = ["clerk", "maid, cook", 'the "boss"', "smith"]
ROUNDS = ["objective=binary:logistic", "num_round=5", "max_depth=3", "model_out=model.json"]


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"') else text


def people(n_rows: int, seed: int, jobs: list[str], names: tuple[str, str] = ("no", "yes")) -> str:
    """Return a table in which buying depends on job and age."""
    draw = random.Random(seed)
    lines = ["age,job,bought"]
    for _ in range(n_rows):
        age, job = draw.randrange(20, 70), draw.choice(jobs)
        buys = (job in JOBS[:2]) != (age > 60)
        lines.append(f"{age if draw.random() > 0.1 else 'NA'},{quoted(job)},{names[buys]}")
    return "\n".join(lines) + "\n"


def auc_of(kauri: Kauri, *arguments: str) -> float:
    done = kauri.run("evaluate", "model.json", *arguments, "eval_metric=auc", "n_resamples=0")
    return float(done.out.splitlines()[1].split(",")[2])


def test_text_labels_and_categories(kauri: Kauri) -> None:
    kauri.write("people.csv", people(400, 1, JOBS))
    uri = f"people.csv?{KEYS}&categorical_columns=job"
    done = kauri.run("train", uri, *ROUNDS)
    assert "classes: 0 is 'no', 1 is 'yes'" in done.err
    assert auc_of(kauri, uri) > 0.9
    booster = kb.Booster(model_file=str(kauri.folder / "model.json"))
    assert json.loads(booster.attr("kauri_classes"))["values"] == ["no", "yes"]


def test_rows_to_predict_are_coded_by_name(kauri: Kauri) -> None:
    kauri.write("people.csv", people(400, 1, JOBS))
    kauri.run("train", f"people.csv?{KEYS}&categorical_columns=job", *ROUNDS)
    lines = people(60, 2, JOBS[1:]).splitlines()
    fewer = [line for line in lines if "clerk" not in line]
    kauri.write("fewer.csv", "\n".join(fewer) + "\n")
    assert auc_of(kauri, f"fewer.csv?{KEYS}&categorical_columns=job") > 0.9
    whole = "\n".join([*people(400, 1, JOBS).splitlines(), *fewer[1:]]) + "\n"
    kauri.write("whole.csv", whole)
    found = {}
    for name in ("fewer", "whole"):
        kauri.run("pred", "model.json", f"{name}.csv?{KEYS}&categorical_columns=job", f"name_pred={name}.txt")
        found[name] = (kauri.folder / f"{name}.txt").read_text().splitlines()
    assert found["whole"][400:] == found["fewer"]


def test_sets_of_evaluation_have_the_classes_of_training(kauri: Kauri) -> None:
    kauri.write("people.csv", people(300, 1, JOBS))
    yes = [line for line in people(300, 2, JOBS).splitlines() if line.endswith(("bought", "yes"))]
    kauri.write("yes.csv", "\n".join(yes) + "\n")
    keys = f"{KEYS}&categorical_columns=job"
    done = kauri.run("train", f"people.csv?{keys}", f"eval[yes]=yes.csv?{keys}", "eval_metric=error", *ROUNDS)
    assert float(done.out.splitlines()[-1].split(":")[1]) < 0.3  # a single class, yet it is class 1
    kauri.write("other.csv", people(30, 3, JOBS, ("no", "maybe")))
    error = kauri.run("evaluate", "model.json", f"other.csv?{keys}", status=1).err
    assert "the label 'maybe' is none of the classes that are known: 'no', 'yes'" in error


def test_text_labels_need_a_classification(kauri: Kauri) -> None:
    kauri.write("people.csv", people(60, 1, JOBS))
    uri = f"people.csv?{KEYS}&categorical_columns=job"
    assert "set objective=binary:logistic" in kauri.run("train", uri, "num_round=1", status=1).err
    assert "set objective=binary:logistic" in kauri.run("cv", uri, "num_round=1", status=1).err
    kauri.run("cv", uri, "num_round=1", "objective=binary:logistic")


def test_many_classes_by_name(kauri: Kauri) -> None:
    rows = "".join(f"{x},{('red', 'green', 'blue')[x % 3]}\n" for x in range(90))
    kauri.write("a.csv", "x,y\n" + rows)
    kauri.run("train", "a.csv?format=csv&label_column=y", "objective=multi:softprob", "num_class=3", "num_round=30")
    error = kauri.run("train", "a.csv?format=csv&label_column=y", "objective=binary:logistic", status=1).err
    assert "num_class=3" in error


def test_names_that_are_numbers_stay_names(kauri: Kauri) -> None:
    rows = [("17", 0), ("A1", 1), ("4", 1), ("B", 0)] * 30
    kauri.write("a.csv", "c,y\n" + "".join(f"{c},{y}\n" for c, y in rows))
    uri = "format=csv&label_column=y&categorical_columns=c"
    kauri.run("train", f"a.csv?{uri}", *ROUNDS, "min_child_weight=0")
    kauri.write("b.csv", "c,y\n4,1\n17,0\n")
    kauri.run("pred", "model.json", f"b.csv?{uri}", "name_pred=b.txt")
    four, seventeen = map(float, (kauri.folder / "b.txt").read_text().split())
    assert four > 0.5 > seventeen


def test_numbers_stay_the_numbers_of_their_categories(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("c,y\n3,1\n0,0\n,1\n")
    data = kb.DMatrix(f"{tmp_path / 'a.csv'}?label_column=y&categorical_columns=c")
    assert (data.num_row(), data.num_nonmissing()) == (3, 2)
    assert sorted(data.get_data().data.tolist()) == [0.0, 3.0]


@pytest.mark.parametrize(
    "word", ["NA", "N/A", "n/a", "NaN", "nan", "-nan", "NULL", "null", "None", "?", "#N/A", "<NA>", "", '"NA"', '""']
)
def test_missing_values(tmp_path: Path, word: str) -> None:
    (tmp_path / "a.csv").write_text(f"y,a,b\n1,{word},3\n0,2,{word}\n")
    data = kb.DMatrix(f"{tmp_path / 'a.csv'}?label_column=y")
    assert (data.num_row(), data.num_nonmissing()) == (2, 2)


def test_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"y","a, ""m2""" ,b\n"1", "2.5" ,3\n"0",4,"-5e-1"\n')
    data = kb.DMatrix(f"{tmp_path / 'a.csv'}?label_column=y")
    assert data.feature_names == ['a, "m2"', "b"]
    assert np.array_equal(data.get_label(), [1, 0])
    assert data.get_data().toarray().tolist() == [[2.5, 3.0], [4.0, -0.5]]


@pytest.mark.parametrize(
    ("text", "keys", "said"),
    [
        ("y,a\n0,2\n1,red\n", "label_column=y", "categorical_columns=a"),
        ("y,a\n0,2\n1,red\n", "label_column=y", "ignore_columns=a"),
        ("y,a\n0,2\n1,red\n", "label_column=y", "line 3: field 2, 'red', is not a number"),
        ("y,a\n1,red\n0,blue\n0,7\n", "label_column=y", "line 2: field 2, 'red', is not a number"),
        ("a;b\n1;2\n", "header=true", "line 1: field 1, 'a;b', is the whole line"),
        ("a;b\n1;2\n", "header=auto", "set delimiter=;"),
        ("a\tb\n1\t2\n", "header=auto", "set delimiter=\\t"),
        ("a,b\n1,2\n", "delimiter=;", "set delimiter=,"),
        ("y;a\n1;2\n", "label_column=y", "set delimiter=;"),
        ("y\ta\n1\t2\n", "label_column=y", "set delimiter=\\t"),
        (",y,a\n0,1,2\n", "label_column=y", "ignore_columns=0"),
        ('y,a\n1,"2\n0,1"\n', "label_column=y", "line 2: field 2 begins with a quote that is not closed"),
        ('y,a\n1,"2"3\n', "label_column=y", "text after its closing quote"),
        ("y,a\nyes,2\nno,1\n", "label_column=y", "labels of text are classes"),
        ("y,a\n1,inf\n", "label_column=y", "infinite"),
    ],
)
def test_errors_name_the_cure(tmp_path: Path, text: str, keys: str, said: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(kb.KauriError) as error:
        kb.DMatrix(f"{tmp_path / 'a.csv'}?{keys}")
    assert said in str(error.value)


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("y,\xe9\n1,2\n".encode("latin-1"))
    with pytest.raises(kb.KauriError, match="not UTF-8"):
        kb.DMatrix(f"{tmp_path / 'a.csv'}?label_column=y")


def test_an_index_without_a_name_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",y,a\n0,1,2\n1,0,3\n")
    assert kb.DMatrix(f"{tmp_path / 'a.csv'}?label_column=y&ignore_columns=0").feature_names == ["a"]


def test_data_without_labels_name_the_cure(kauri: Kauri) -> None:
    kauri.write("num.csv", "a,b\n1,2\n3,4\n")
    assert "label_column=NAME" in kauri.run("train", "num.csv", status=1).err


def test_a_cache_refuses_names_in_words(kauri: Kauri) -> None:
    kauri.write("people.csv", people(60, 1, JOBS, ("0", "1")))
    error = kauri.run("train", f"people.csv?{KEYS}&categorical_columns=job#c", "tree_method=hist", status=1).err
    assert "leave out the cache" in error


def test_a_new_category_is_judged_by_its_column(kauri: Kauri) -> None:
    """The label depends on `size`, the first feature; no tree splits on `job`, the last one."""
    rows = [f"{i % 7},{i % 7},{('clerk', 'smith')[i % 2]}" for i in range(210)]
    kauri.write("a.csv", "y,size,job\n" + "\n".join(rows) + "\n")
    keys = "format=csv&label_column=y&categorical_columns=job"
    kauri.run("train", f"a.csv?{keys}", "num_round=2", "max_depth=3", "model_out=model.json")
    assert "job" not in kauri.run("importance", "model.json", "name_importance=stdout").out
    kauri.write("new.csv", "y,size,job\n1,1,clerk\n2,2,baker\n")
    for task in (["pred", "model.json"], ["evaluate", "model.json"], ["explain", "model.json"]):
        error = kauri.run(*task, f"new.csv?{keys}", status=1).err
        assert "row 1 of column 1 has the category 'baker', whose name the model does not know" in error


def program_with_python(kauri: Kauri) -> Kauri:
    return Kauri(kauri.folder, environment={"KAURI_PYTHON": sys.executable})


def test_best_names_the_classes(kauri: Kauri) -> None:
    kauri.write("people.csv", people(200, 1, JOBS))
    uri = f"people.csv?{KEYS}&categorical_columns=job"
    task = ["train", uri, "preset=best", "rounds_budget=20", "nfold=2", "model_out=model.json"]
    program = program_with_python(kauri)
    assert "set objective=binary:logistic" in program.run(*task, status=1).err
    done = program.run(*task, "objective=binary:logistic")
    assert "classes: 0 is 'no', 1 is 'yes'" in done.err
    booster = kb.Booster(model_file=str(kauri.folder / "model.json"))
    assert json.loads(booster.attr("kauri_classes")) == {"dtype": "U", "values": ["no", "yes"]}
    assert auc_of(kauri, uri) > 0.8
    assert "classes" not in program.run(*task, "objective=binary:logistic", "verbosity=0").err


def test_a_report_knows_the_classes(kauri: Kauri) -> None:
    kauri.write("people.csv", people(300, 1, JOBS))
    keys = f"{KEYS}&categorical_columns=job"
    kauri.run("train", f"people.csv?{keys}", *ROUNDS)
    yes = [line for line in people(300, 2, JOBS).splitlines() if line.endswith(("bought", "yes"))]
    kauri.write("yes.csv", "\n".join(yes) + "\n")
    program = program_with_python(kauri)
    task = ["report", "model.json", f"yes.csv?{keys}", "eval_metric=error", "name_report=page.html"]
    program.run(*task)
    page = (kauri.folder / "page.html").read_text()
    assert "label yes" in page
    assert "label no" not in page
    error = kauri.run("evaluate", "model.json", f"yes.csv?{keys}", "eval_metric=error", "n_resamples=0").out
    share = float(error.splitlines()[1].split(",")[2])
    assert f"{share:.5g}" in page  # a single class, yet it is class 1
    kauri.write("other.csv", people(30, 3, JOBS, ("no", "maybe")))
    refusal = program.run("report", "model.json", f"other.csv?{keys}", "name_report=page.html", status=1).err
    assert "the label 'maybe' is none of the classes that are known: 'no', 'yes'" in refusal


def test_a_model_of_numbers_takes_no_labels_of_text(kauri: Kauri) -> None:
    """Nothing says which number a text stands for. Predictions do not use labels."""
    kauri.write("numbers.csv", people(200, 1, JOBS, ("0", "1")))
    kauri.write("people.csv", people(200, 1, JOBS))
    keys = f"{KEYS}&categorical_columns=job"
    kauri.run("train", f"numbers.csv?{keys}", *ROUNDS)
    program = program_with_python(kauri)
    for task in (
        ["evaluate", "model.json", f"people.csv?{keys}"],
        ["report", "model.json", f"people.csv?{keys}", "name_report=page.html"],
        ["train", f"people.csv?{keys}", "model_in=model.json", "objective=binary:logistic", "model_out=more.json"],
        [
            "explain",
            "model.json",
            f"people.csv?{keys}",
            f"background=numbers.csv?{keys}",
            "kind=sampled",
            "explain_output=loss",
        ],
    ):
        error = program.run(*task, status=1).err
        assert "the labels are texts, as 'no', but the model was trained on numbers" in error
    kauri.run("pred", "model.json", f"people.csv?{keys}", "name_pred=with.txt")
    kauri.run("pred", "model.json", f"numbers.csv?{keys}", "name_pred=without.txt")
    assert (kauri.folder / "with.txt").read_text() == (kauri.folder / "without.txt").read_text()


def test_a_cache_takes_no_labels_of_text(kauri: Kauri) -> None:
    kauri.write("people.csv", people(60, 1, JOBS))
    uri = f"people.csv?{KEYS}&ignore_columns=job#c"
    error = kauri.run("train", uri, "tree_method=hist", "objective=binary:logistic", status=1).err
    assert "labels of text are classes" in error
    assert "number the classes from 0 in the file" in error
