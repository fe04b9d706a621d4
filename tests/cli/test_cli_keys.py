"""Keys without effect, and one key under two names: errors name the tasks that read it, or the clashing names."""

from __future__ import annotations

import csv

import pytest
from cli_program import DATA, Kauri

FMAP = DATA / "breast_cancer.features.txt"


def first_column(kauri: Kauri, name: str) -> list[str]:
    with (kauri.folder / name).open() as file:
        return [row[0] for row in csv.reader(file)]


def test_importance_has_the_names_of_the_map(trained: Kauri) -> None:
    trained.run("importance", "model.json", f"fmap={FMAP}")
    names = {line.split()[1] for line in FMAP.read_text().splitlines()}
    written = first_column(trained, "importance.csv")[1:]
    assert written
    assert set(written) <= names


def test_explanations_contributions_and_summaries_have_them(trained: Kauri) -> None:
    names = [line.split()[1] for line in FMAP.read_text().splitlines()]
    trained.run("explain", "model.json", trained.test_uri, f"fmap={FMAP}")
    assert (trained.folder / "explain.csv").read_text().splitlines()[0] == ",".join([*names, "bias"])
    trained.run("explain", "model.json", trained.test_uri, f"fmap={FMAP}", f"features={names[3]}")
    assert (trained.folder / "explain.csv").read_text().splitlines()[0] == f"{names[3]},bias"
    trained.run("pred", "model.json", trained.test_uri, f"fmap={FMAP}", "pred_contribs=1", "name_pred=c.csv")
    assert (trained.folder / "c.csv").read_text().splitlines()[0] == ",".join([*names, "bias"])
    trained.run("summary", trained.train_uri, f"fmap={FMAP}", "name_summary=s.csv")
    assert first_column(trained, "s.csv")[1:] == names


@pytest.mark.parametrize(
    ("arguments", "readers"),
    [
        (["evaluate", "model.json", "TEST", "fmap=f.txt"], "pred, dump, explain, importance, report, summary"),
        (["pred", "model.json", "TEST", "name_dump=d.txt"], "dump"),
        (["dump", "model.json", "num_round=3"], "train, cv"),
        (["importance", "model.json", "name_pred=p"], "pred, leaf"),
        (["leaf", "model.json", "TEST", "pred_margin=1"], "pred"),
        (["check", "model.json", "n_resamples=3"], "evaluate"),
        (["pred", "model.json", "TEST", "eval[a]=TEST"], "train, evaluate"),
        (["train", "TRAIN", "test:data=TEST"], "pred, explain, leaf, evaluate, report"),
        (["cv", "TRAIN", "save_period=1"], "train"),
    ],
)
def test_a_key_that_the_task_does_not_read(trained: Kauri, arguments: list[str], readers: str) -> None:
    places = {"TEST": trained.test_uri, "TRAIN": trained.train_uri}
    words = [places.get(word, word.replace("=TEST", f"={trained.test_uri}")) for word in arguments]
    error = trained.run(*words, status=1).err
    assert "does not read" in error
    assert f"of {readers}. Leave it out." in error


def test_a_file_may_be_for_several_tasks(trained: Kauri) -> None:
    trained.write(
        "all.conf",
        f"task = pred\nmodel_in = model.json\ntest:data = '{trained.test_uri}'\nnum_round = 3\nmax_depth = 2\n"
        "name_dump = d.txt\n",
    )
    trained.run("all.conf")
    trained.run("all.conf", "task=dump", "name_dump=e.txt")
    assert (trained.folder / "e.txt").exists()
    trained.write("wrong.conf", "task = dump\nmodel_in = model.json\nname_dumb = d.txt\n")
    assert "name_dumb" in trained.run("wrong.conf", status=1).err


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("eta=0.1", "learning_rate=0.2"),
        ("learning_rate=0.2", "eta=0.1"),
        ("lambda=1", "reg_lambda=2"),
        ("gamma=1", "min_split_loss=2"),
        ("seed=1", "random_state=2"),
    ],
)
def test_two_names_of_one_parameter(kauri: Kauri, one: str, other: str) -> None:
    error = kauri.run("train", kauri.train_uri, "num_round=1", one, other, status=1).err
    assert one in error
    assert other in error
    assert "two names" in error
    same = other.split("=")[0] + "=" + one.split("=")[1]
    kauri.run("train", kauri.train_uri, "num_round=1", one, same)


def test_two_names_in_one_file(kauri: Kauri) -> None:
    kauri.write("a.conf", f"data = '{kauri.train_uri}'\neta = 0.1\nlearning_rate = 0.2\n")
    assert "a.conf:3" in kauri.run("a.conf", status=1).err
    kauri.write("b.conf", f"data = '{kauri.train_uri}'\ntrain_path = '{kauri.test_uri}'\n")
    assert "two names" in kauri.run("b.conf", status=1).err


def test_an_argument_overrides_the_file_under_another_name(kauri: Kauri) -> None:
    kauri.write("a.conf", f"data = '{kauri.train_uri}'\neta = 0.1\nnum_round = 2\n")
    kauri.run("a.conf", "learning_rate=0.7", "model_out=a.json")
    kauri.run("a.conf", "eta=0.7", "model_out=b.json")
    assert (kauri.folder / "a.json").read_bytes() == (kauri.folder / "b.json").read_bytes()


def test_one_name_for_the_same_data_is_evaluated_once(trained: Kauri) -> None:
    done = trained.run("evaluate", "model.json", trained.test_uri, f"eval[test]={trained.test_uri}", "n_resamples=0")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["data", "test"]


TASKS = ["pred", "leaf", "explain", "evaluate", "report", "dump", "importance", "convert", "check", "verify", "summary"]
TASKS += ["export"]
FILES = {
    "pred": ["MODEL", "TEST"],
    "leaf": ["MODEL", "TEST"],
    "explain": ["MODEL", "TEST"],
    "evaluate": ["MODEL", "TEST"],
    "report": ["MODEL", "TEST"],
    "verify": ["MODEL", "TEST"],
    "convert": ["MODEL", "other.json"],
    "export": ["MODEL", "other.c"],
    "summary": ["TEST"],
}
OUT = {"convert": ["model_out=other.json"], "export": ["model_out=other.c"]}
OF_TRAINING = ["max_depth=3", "eta=0.1", "learning_rate=0.1", "subsample=0.5", "max_delta_step=1", "tree_method=hist"]
OF_TRAINING += [
    "scale_pos_weight=2",
    "lambdarank_unbiased=1",
    "base_score=0.5",
    "rate_drop=0.1",
    "top_k=1",
    "booster=gbtree",
    "num_parallel_tree=2",
    "refresh_leaf=1",
]


def words_of(kauri: Kauri, task: str) -> list[str]:
    places = {"MODEL": "model.json", "TEST": kauri.test_uri}
    return [places.get(word, word) for word in FILES.get(task, ["MODEL"])]


@pytest.mark.parametrize("parameter", OF_TRAINING)
@pytest.mark.parametrize("task", TASKS)
def test_a_parameter_of_training_is_an_error_beside_a_task_that_learns_nothing(
    trained: Kauri, task: str, parameter: str
) -> None:
    error = trained.run(task, *words_of(trained, task), parameter, status=1).err
    assert f"task={task} does not read '{parameter.split('=')[0]}'; it is a key of train, cv. Leave it out." in error
    long = trained.run(f"task={task}", "model_in=m", "data=d", "test:data=t", "model_out=o", parameter, status=1).err
    assert "does not read" in long


@pytest.mark.parametrize("parameter", OF_TRAINING)
@pytest.mark.parametrize("task", ["train", "cv"])
def test_tasks_that_learn_read_it(kauri: Kauri, task: str, parameter: str) -> None:
    assert f"task={task} does not read" not in kauri.run(task, "absent.libsvm", parameter, status=1).err


@pytest.mark.parametrize("task", TASKS)
def test_a_training_configuration_serves_every_task(trained: Kauri, task: str) -> None:
    """XGBoost's scripts pass the training file and name another task in addition."""
    if task in ("verify", "report"):  # these need a receipt, and the Python package
        return
    lines = [f"{parameter.replace('=', ' = ')}\n" for parameter in OF_TRAINING if "learning_rate" not in parameter]
    trained.write("train.conf", f"data = '{trained.train_uri}'\ntest:data = '{trained.test_uri}'\n" + "".join(lines))
    model = [] if task == "summary" else ["model_in=model.json"]
    arguments = [f"task={task}", *model, *OUT.get(task, [])]
    trained.run("train.conf", *arguments)
    assert "does not read 'max_depth'" in trained.run("train.conf", *arguments, "max_depth=2", status=1).err


@pytest.mark.parametrize("task", ["pred", "leaf", "dump", "importance", "convert", "check", "summary", "verify"])
def test_metrics_are_for_tasks_that_score(trained: Kauri, task: str) -> None:
    error = trained.run(task, *words_of(trained, task), "eval_metric=auc", status=1).err
    assert "it is a key of train, explain, evaluate, cv, report." in error


def test_summaries_read_how_to_sketch_and_no_more(kauri: Kauri) -> None:
    kauri.run("summary", kauri.test_uri, "sketch=gk", "sketch_size=64", "name_summary=s.csv")
    assert "does not read 'max_bin'" in kauri.run("summary", kauri.test_uri, "max_bin=8", status=1).err
