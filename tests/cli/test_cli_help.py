"""--help, --version and the progress line."""

from __future__ import annotations

import fcntl
import os
import pty
import re
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


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_every_parameter(kauri: Kauri, option: str) -> None:
    done = kauri.run(option)
    listed = re.findall(r"^  (\S+) \([^()]*(?:\([^()]*\)[^()]*)*\)$", done.out, re.MULTILINE)  # on one or two lines
    assert set(NAMES) <= set(listed)
    assert "usage: kauri CONFIG" in done.out
    assert max(map(len, done.out.splitlines())) <= 120


def test_help_gives_type_bounds_default_and_meaning(kauri: Kauri) -> None:
    out = kauri.run("--help").out
    assert re.search(r"^  max_depth \(int, .*default 6\)\n      \w+", out, re.MULTILINE)
    assert re.search(r"^  task \([^)]*train[^)]*default train\)\n      \w+", out, re.MULTILINE)


def test_help_lists_the_registries(kauri: Kauri) -> None:
    out = kauri.run("--help").out
    for name in ("binary:logistic", "reg:squarederror", "multi:softprob", "exact", "hist", "gbtree", "logloss", "auc"):
        assert re.search(rf"^  {name}$", out, re.MULTILINE), name


def test_help_lists_every_key_of_data_that_a_reader_declares(kauri: Kauri) -> None:
    out = kauri.run("--help").out
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
    return dict(re.findall(r"^  (\w+) +(\S.*\.)$", kauri.run("help").out.split("\nTasks\n")[1], re.MULTILINE))


def keys_of(kauri: Kauri, task: str) -> list[str]:
    return re.findall(r"^  (\S+)$", kauri.run("help", task).out, re.MULTILINE)


def test_help_lists_the_tasks(kauri: Kauri) -> None:
    whole = kauri.run("--help").out
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
    ],
)
def test_help_of_a_task_has_the_keys_that_it_reads(kauri: Kauri, task: str) -> None:
    """The keys that the program refuses are exactly those that help leaves out."""
    whole = kauri.run("--help").out
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


def test_help_of_what_is_no_task(kauri: Kauri) -> None:
    assert "did you mean 'train'?" in kauri.run("help", "trian", status=1).err
    assert "one task" in kauri.run("help", "train", "cv", status=1).err
