"""The program compares the columns of its files with the model's, for every task."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from cli_program import Kauri

DRAW = random.Random(5)
ROWS = [(DRAW.gauss(0, 1), DRAW.gauss(0, 1), DRAW.gauss(0, 1)) for _ in range(80)]
ROLES = "format=csv&label_column=y"
Door = Callable[[Kauri, str, int], str]


def write_csv(kauri: Kauri, name: str, columns: str, header: bool = True) -> str:
    """Write y and the given columns of a, b and c; other columns contain 1."""
    lines = [",".join(["y", *columns])] if header else []
    for a, b, c in ROWS:
        cells = {"y": int(a > b), "a": a, "b": b, "c": c}
        lines.append(",".join(str(cells.get(column, 1)) for column in ["y", *columns]))
    kauri.write(f"{name}.csv", "\n".join(lines) + "\n")
    return f"{name}.csv?" + (ROLES if header else "format=csv&label_column=0")


def write_libsvm(kauri: Kauri, name: str, width: int) -> str:
    """Write the first columns, and additional columns of 1."""
    lines = [f"{int(row[0] > row[1])} " + " ".join(f"{i}:{(*row, 1, 1)[i]}" for i in range(width)) for row in ROWS]
    kauri.write(f"{name}.libsvm", "\n".join(lines) + "\n")
    return f"{name}.libsvm"


def on_the_model(*words: str) -> Door:
    """Return a task on model.json, whose data are set by the last of the words."""
    *before, key = words

    def run(kauri: Kauri, uri: str, status: int) -> str:
        return kauri.run(*before, "model_in=model.json", f"{key}={uri}", status=status).err

    return run


DOORS: dict[str, Door] = {
    "pred": on_the_model("task=pred", "name_pred=out.txt", "test:data"),
    "contributions": on_the_model("task=pred", "pred_contribs=1", "name_pred=out.txt", "test:data"),
    "leaf": on_the_model("task=leaf", "name_pred=out.txt", "test:data"),
    "explain": on_the_model("task=explain", "name_explain=out.csv", "test:data"),
    "background": on_the_model("task=explain", "name_explain=out.csv", f"test:data=train.csv?{ROLES}", "background"),
    "explain sampled": on_the_model(
        "task=explain", "kind=sampled", "name_explain=out.csv", f"background=train.csv?{ROLES}", "test:data"
    ),
    "evaluate": on_the_model("task=evaluate", "name_evaluation=out.csv", "test:data"),
    "evaluate a set": on_the_model("task=evaluate", "name_evaluation=out.csv", "eval[other]"),
    "model_in": on_the_model("num_round=1", "model_out=out.json", "data"),
    "eval": on_the_model("num_round=1", "model_out=out.json", f"data=train.csv?{ROLES}", "eval[other]"),
    "update": on_the_model("num_round=1", "process_type=update", "updater=refresh", "model_out=out.json", "data"),
}
REFUSED = {
    "swapped": ("bac", "in another order: 'b' stands where the model has 'a'"),
    "missing": ("ac", "Lacking: 'b'. Give"),
    "foreign": ("abcz", "Unknown: 'z'. Give"),
    "others": ("zvw", "Lacking: 'a', 'b', 'c'; unknown: 'z', 'v', 'w'. Give"),
}


@pytest.fixture
def trained(kauri: Kauri) -> Kauri:
    kauri.run(
        f"data={write_csv(kauri, 'train', 'abc')}", "objective=binary:logistic", "num_round=3", "model_out=model.json"
    )
    return kauri


@pytest.mark.parametrize("door", DOORS)
def test_the_same_columns_are_taken(trained: Kauri, door: str) -> None:
    DOORS[door](trained, write_csv(trained, "same", "abc"), 0)


@pytest.mark.parametrize("cell", REFUSED)
@pytest.mark.parametrize("door", DOORS)
def test_other_columns_are_refused_by_name(trained: Kauri, door: str, cell: str) -> None:
    columns, message = REFUSED[cell]
    error = DOORS[door](trained, write_csv(trained, "other", columns), 1)
    assert "feature_names mismatch: " in error
    assert message in error
    assert not list(trained.folder.glob("out.*"))
    if "evaluate" in door or door in ("pred", "leaf", "explain", "background", "explain sampled"):
        assert f"={'other.csv?' + ROLES}: feature_names" in error  # the key and the file


def trains(door: str) -> bool:
    return door in ("model_in", "update")


@pytest.mark.parametrize("door", DOORS)
def test_columns_without_names_are_counted(trained: Kauri, door: str) -> None:
    DOORS[door](trained, write_csv(trained, "same", "abc", header=False), 0)
    for columns in ("ab", "abcz"):
        error = DOORS[door](trained, write_csv(trained, "other", columns, header=False), 1)
        assert f"{len(columns)} features, the {'booster' if trains(door) else 'model'} 3" in error


@pytest.mark.parametrize("door", [door for door in DOORS if not trains(door)])
def test_libsvm_text_may_lack_its_last_columns(trained: Kauri, door: str) -> None:
    for width in (3, 2):
        DOORS[door](trained, write_libsvm(trained, "narrow", width), 0)
    assert "5 features, the model 3" in DOORS[door](trained, write_libsvm(trained, "wide", 5), 1)


def test_what_libsvm_text_lacks_is_missing(trained: Kauri) -> None:
    for name in ("narrow", "empty"):
        uri = write_libsvm(trained, "narrow", 2) if name == "narrow" else "empty.csv?format=csv&label_column=0"
        trained.write("empty.csv", "".join(f"{int(a > b)},{a},{b},\n" for a, b, _ in ROWS))
        DOORS["pred"](trained, uri, 0)
        (trained.folder / "out.txt").rename(trained.folder / f"{name}.txt")
    narrow, empty = (
        [float(x) for x in (trained.folder / f"{name}.txt").read_text().split()] for name in ("narrow", "empty")
    )
    assert narrow == pytest.approx(empty, abs=1e-6)


def test_types_are_compared(trained: Kauri) -> None:
    trained.write(
        "codes.csv", "y,a,b,c\n" + "".join(f"{int(a > b)},{i % 3},{b},{c}\n" for i, (a, b, c) in enumerate(ROWS))
    )
    for door in ("pred", "leaf", "explain", "evaluate", "model_in", "eval"):
        error = DOORS[door](trained, f"codes.csv?{ROLES}&categorical_columns=a", 1)
        assert "column 0 ('a') holds numbers in the model, but categories" in error


def test_a_model_without_names_takes_those_it_goes_on_with(kauri: Kauri) -> None:
    kauri.run(f"data={write_csv(kauri, 'bare', 'abc', header=False)}", "num_round=1", "model_out=model.json")
    uri = write_csv(kauri, "train", "abc")
    kauri.run(f"data={uri}", "num_round=1", "model_in=model.json", "model_out=model.json")
    assert "another order" in DOORS["pred"](kauri, write_csv(kauri, "other", "bac"), 1)
    kauri.run(f"data={uri}", "num_round=0", "model_out=none.json")
    assert '"feature_names":["a","b","c"]' in (kauri.folder / "none.json").read_text().replace(" ", "")


def test_evaluation_sets_while_training(kauri: Kauri) -> None:
    uri = write_csv(kauri, "train", "abc")
    swapped = write_csv(kauri, "other", "bac")
    error = kauri.run(f"data={uri}", f"eval[bad]={swapped}", "num_round=2", "model_out=out.json", status=1).err
    assert "evaluation set 'bad' has the features of the model in another order" in error
    assert not (kauri.folder / "out.json").exists()
