"""Help, --version and the progress line."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import termios

import pytest
from cli_program import BUILD, ROOT, Kauri

NAMES = [
    "task",
    "data",
    "test:data",
    "eval_train",
    "eval[NAME]",
    "num_round",
    "early_stopping_rounds",
    "save_period",
    "model_in",
    "model_out",
    "model_dir",
    "name_pred",
    "pred_margin",
    "pred_contribs",
    "kind",
    "name_explain",
    "iteration_begin",
    "iteration_end",
    "ntree_limit",
    "dump_stats",
    "dump_format",
    "name_dump",
    "fmap",
    "dsplit",
    "booster",
    "objective",
    "eta",
    "max_depth",
    "min_child_weight",
    "subsample",
    "colsample_bytree",
    "lambda",
    "alpha",
    "gamma",
    "max_bin",
    "tree_method",
    "device",
    "nthread",
    "seed",
    "eval_metric",
    "base_score",
    "verbosity",
]


LARGEST_SCREEN = 45  # lines of 80 characters


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["help"], ["help", "--help"], ["some.conf", "--help"]])
def test_help_fits_on_a_screen(kauri: Kauri, words: list[str]) -> None:
    out = kauri.run(*words).out
    assert len(out.splitlines()) <= LARGEST_SCREEN
    assert max(map(len, out.splitlines())) <= 80
    assert "usage: kauri TASK" in out
    assert "kauri help PARAMETER" in out
    for words_of_it in ("train DATA ", "convert MODEL NEW_MODEL ", "eta=0.3 ", "learning_rate", "max_depth=6 "):
        assert f"  {words_of_it}" in out or f" {words_of_it}" in out, words_of_it
    assert len(re.findall(r"^  kauri ", out, re.MULTILINE)) == 2  # the examples


def test_the_short_help_has_names_and_defaults_of_the_declarations(kauri: Kauri) -> None:
    whole = kauri.run("help", "all").out
    shown = kauri.run("help").out.split("parameters of train")[1].split("\n\n")[0]
    entries = re.findall(r"^  ([^\s=]+)(?:=(\S+))? +\S", shown, re.MULTILINE)
    assert len(entries) >= 12
    for name, default in entries:
        assert re.search(rf"^  {re.escape(name)} \([^)]*{f'default {default}' if default else ''}", whole, re.MULTILINE)


def test_the_examples_of_help_work(kauri: Kauri) -> None:
    kauri.write("houses.csv", "area,rooms,price\n" + "".join(f"{n},{n % 4},{n * 2}\n" for n in range(40)))
    kauri.write("new_houses.csv", "area,rooms\n" + "".join(f"{n},{n % 3}\n" for n in range(5)))
    commands = re.findall(r"^  kauri (.*)$", kauri.run("help").out, re.MULTILINE)
    for command in commands:
        done = kauri.run(*shlex.split(command))
    assert len(done.out.splitlines()) == 5
    assert (kauri.folder / "model.json").exists()


def test_help_lists_every_parameter(kauri: Kauri) -> None:
    done = kauri.run("help", "all")
    listed = re.findall(r"^  (\S+) \([^()]*(?:\([^()]*\)[^()]*)*\)$", done.out, re.MULTILINE)  # on one or two lines
    assert set(NAMES) <= set(listed)
    assert "kauri CONFIG [key=value ...]" in done.out
    assert max(map(len, done.out.splitlines())) <= 120


def test_help_gives_type_bounds_default_and_meaning(kauri: Kauri) -> None:
    out = kauri.run("help", "all").out
    assert re.search(r"^  max_depth \(int, .*default 6\)\n      \w+", out, re.MULTILINE)
    assert re.search(r"^  task \([^)]*train[^)]*default train\)\n      \w+", out, re.MULTILINE)


def test_help_lists_the_registries(kauri: Kauri) -> None:
    out = kauri.run("help", "all").out
    for name in ("binary:logistic", "reg:squarederror", "multi:softprob", "exact", "hist", "gbtree", "logloss", "auc"):
        assert re.search(rf"^  {name}$", out, re.MULTILINE), name


def test_help_lists_every_key_of_data_that_a_reader_declares(kauri: Kauri) -> None:
    out = kauri.run("help", "all").out
    tables = dict(re.findall(r"^Data keys of format=(\w+)\n((?:  .*\n)+)", out, re.MULTILINE))
    parsers = ROOT / "src" / "data" / "text"
    for name in ("csv", "libsvm"):
        declared = re.findall(r"DMLC_DECLARE_FIELD\((\w+)\)", (parsers / f"{name}_parser.h").read_text())
        assert declared
        assert re.findall(r"^  (\w+) \(", tables[name], re.MULTILINE) == declared
    assert set(tables) == {path.name.split("_")[0] for path in parsers.glob("*_parser.h")}
    formats = out.split("Data formats\n")[1].split("\n\n")[0]
    assert re.findall(r"^  (\w+)$", formats, re.MULTILINE) == ["libsvm", "csv", "binary"]


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_version(kauri: Kauri, option: str) -> None:
    lines = kauri.run(option).out.splitlines()
    assert re.fullmatch(r"kauri \d+\.\d+\.\d+", lines[0])
    assert lines[1].startswith("CUDA: ")


def on_terminal(kauri: Kauri, arguments: list[str], columns: int = 0) -> bytes:
    """Return the output on a terminal with this number of columns."""
    terminal, child_end = pty.openpty()
    fcntl.ioctl(child_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([str(BUILD / "bin" / "kauri"), *arguments], cwd=kauri.folder, stderr=child_end) as process:
        os.close(child_end)
        seen = b""
        while True:
            try:
                block = os.read(terminal, 4096)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            seen += block
        assert process.wait(timeout=60) == 0
    os.close(terminal)
    return seen


def test_progress_only_on_a_terminal(kauri: Kauri) -> None:
    arguments = [f"data={kauri.train_uri}", "objective=binary:logistic", "num_round=20", "model_out=m.json"]
    assert "rounds," not in kauri.run(*arguments).err
    seen = on_terminal(kauri, [*arguments, "verbosity=0"])
    assert re.search(rb"\[#*\.*\] \d+/20 rounds, .* left", seen)
    assert seen.endswith(b"\x1b[K")


@pytest.mark.parametrize("columns", [1, 2, 10, 20, 40, 60, 80, 200])
def test_progress_fits_into_the_terminal(kauri: Kauri, columns: int) -> None:
    """A line that wraps is not overwritten, and leaves its beginning behind each time."""
    arguments = [f"data={kauri.train_uri}", "objective=binary:logistic", "num_round=20", "model_out=m.json"]
    arguments.append("verbosity=0")  # only the progress
    lines = on_terminal(kauri, arguments, columns).split(b"\r\x1b[K")
    assert max(map(len, lines)) <= columns - 1
    assert (b"[" in b"".join(lines)) == (columns >= 40)
    assert any(b"/20 rounds" in line for line in lines) == (columns > 12)


def task_lines(kauri: Kauri) -> dict[str, str]:
    shown = kauri.run("help").out.split("\nTasks\n")[1].split("\n\n")[0]
    return dict(re.findall(r"^  (\w+)(?: [A-Z_]+)* +(\S.*\.)$", shown, re.MULTILINE))


def keys_of(kauri: Kauri, task: str) -> list[str]:
    return re.findall(r"^  (\S+)$", kauri.run("help", task).out, re.MULTILINE)


def test_help_lists_the_tasks(kauri: Kauri) -> None:
    whole = kauri.run("help", "all").out
    declared = re.search(r"^  task \({([^}]*)}", whole, re.MULTILINE)
    assert declared is not None
    lines = task_lines(kauri)
    assert sorted(lines) == sorted(re.findall(r"\w+", declared[1]))
    for name, line in lines.items():
        assert line in whole
        assert line in kauri.run("help", name).out


SAMPLES = {"kind": "contributions", "nfold": "2", "quantiles": "0.5", "fmap": "no.txt", "preset": "none"}


def sample(name: str, whole: str) -> str:
    """Return a valid value of a key."""
    choices = re.search(rf"^  {re.escape(name)} \({{(\w+)", whole, re.MULTILINE)
    is_number = re.search(rf"^  {re.escape(name)} \((?:int|float|double|long|boolean)", whole, re.MULTILINE)
    return SAMPLES.get(name) or (choices[1] if choices else "0" if is_number else "x")


@pytest.mark.parametrize(
    "task",
    [
        "train",
        "pred",
        "dump",
        "explain",
        "importance",
        "leaf",
        "evaluate",
        "convert",
        "check",
        "verify",
        "cv",
        "report",
        "summary",
        "export",
    ],
)
def test_help_of_a_task_has_the_keys_that_it_reads(kauri: Kauri, task: str) -> None:
    """The keys that the program refuses are exactly those that help leaves out."""
    whole = kauri.run("help", "all").out
    table = whole.split("\nCommand line\n")[1].split("\n\n")[0]
    names = [
        *re.findall(r"^  (\S+) \(", table, re.MULTILINE),
        "max_depth",
        "eta",
        "seed",
        "nthread",
        "eval_metric",
        "sketch",
    ]
    listed = keys_of(kauri, task)
    assert len(listed) == len(set(listed))
    needed = {"model_in": "m.json", "data": "d.libsvm", "test:data": "t.libsvm", "model_out": "o.json"}
    for name in names:
        if name == "task":
            continue
        given = {key: value for key, value in needed.items() if key in listed and (task, key) != ("cv", "model_in")}
        given["eval[e]" if name == "eval[NAME]" else name] = needed.get(name) or sample(name, whole)
        error = kauri.run(f"task={task}", *(f"{key}={value}" for key, value in given.items()), status=1).err
        assert ("does not read" in error) == (name not in listed), (name, error)


def test_a_task_alone_shows_its_keys(kauri: Kauri) -> None:
    for words in (["pred"], ["task=pred"]):
        error = kauri.run(*words, status=1).err
        assert kauri.run("help", "pred").out in error
        assert error.endswith("error: task=pred needs model_in=path.\n")


@pytest.mark.parametrize("words", [["train", "--help"], ["train", "-h"], ["--help", "train"], ["task=train", "--help"]])
def test_help_of_a_task_is_reached_by_flags(kauri: Kauri, words: list[str]) -> None:
    assert kauri.run(*words).out == kauri.run("help", "train").out
    assert kauri.run("pred", "model.json", "data.csv", "--help").out == kauri.run("help", "pred").out


TOPICS = {
    "eta": ["booster gbtree", "eta (float, >= 0, default 0.3)", "Also learning_rate.", "booster gblinear"],
    "learning_rate": ["eta (float, >= 0, default 0.3)"],
    "reg_lambda": ["lambda (float, >= 0, default 1)", "Also reg_lambda."],
    "max_depth": ["max_depth (int, [0, 1048576], default 6)", "Largest depth of a tree"],
    "test:data": ["test:data (string)", "Read by pred, explain, leaf, evaluate, report."],
    "train_path": ["data (string)", "Also train_path."],
    "eval[test]": ["eval[NAME] (string, repeatable)", "Read by train, evaluate."],
    "extra_trees": ["extra_trees (boolean, default false)"],
    "label_column": ["Data keys of format=csv", "label_column (string"],
    "objective": ["objective (string, default reg:squarederror)", "Objectives", "rank:ndcg", "binary:logistic"],
    "eval_metric": ["eval_metric (string)", "Metrics", "logloss"],
    "binary:logistic": ["Objectives", "binary:logistic"],
    "hist": ["Tree methods", "hist"],
    "seed_per_iteration": ["has no effect"],
}


@pytest.mark.parametrize("topic", TOPICS)
def test_help_of_a_parameter(kauri: Kauri, topic: str) -> None:
    out = kauri.run("help", topic).out
    for part in TOPICS[topic]:
        assert part in out
    assert kauri.run("--help", topic).out == out
    assert len(out.splitlines()) <= 90


UNKNOWN = {
    "trian": "did you mean 'train'?",
    "learning_rat": "did you mean 'learning_rate'?",
    "max_dept": "did you mean 'max_depth'?",
    "num_leaves": "use max_leaves, with grow_policy=lossguide.",
    "n_estimators": "num_round of the command line.",
    "binary:logistics": "did you mean 'binary:logistic'?",
    "something_else_entirely": "kauri help all lists everything.",
}


@pytest.mark.parametrize("topic", UNKNOWN)
def test_help_of_what_is_unknown(kauri: Kauri, topic: str) -> None:
    done = kauri.run("help", topic, status=1)
    assert done.out == ""
    assert done.err.startswith(f"error: help: '{topic}' is neither a task nor a parameter")
    assert UNKNOWN[topic] in done.err
    assert "one task" in kauri.run("help", "train", "cv", status=1).err


def test_no_parameter_is_repeated(kauri: Kauri) -> None:
    """Parameters that several components declare alike are listed once, with the names of all components."""
    out = kauri.run("help", "all").out
    entries = re.findall(r"^  (\S+ \(.*)\n((?: {6}.*\n)+)", out, re.MULTILINE)
    assert len(entries) > 100
    assert len(entries) == len(set(entries))
    assert "\ntree_method exact, hist, approx" in out
    assert "300000" not in out


def test_names_of_other_libraries_are_listed(kauri: Kauri) -> None:
    text = " ".join(kauri.run("help", "all").out.split())
    for part in ("num_leaves, num_leaf, ", "Other libraries' names of metrics", "binary_logloss, ", "use logloss."):
        assert part in text
