"""task=report: the program executes the Python whose package draws the page."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import kauriboost as kb
import pytest
from cli_program import BUILD, Kauri

pytest.importorskip("matplotlib")


@pytest.fixture
def program(trained: Kauri) -> Kauri:
    """Return the program as started by the package's command."""
    return Kauri(trained.folder, environment={"KAURI_PYTHON": sys.executable})


def test_the_page_is_that_of_the_package(program: Kauri) -> None:
    done = program.run("report", "model.json", program.test_uri, "eval_metric=auc", "seed=3")
    assert (done.out, done.err) == ("", "report written to 'report.html'\n")
    page = (program.folder / "report.html").read_text()
    booster = kb.Booster(model_file=program.folder / "model.json")
    title = f"model.json on {program.test_uri.partition('?')[0]}"
    whole = program.folder / "whole.html"
    kb.report(booster, kb.DMatrix(program.test_uri), whole, metrics=["auc"], seed=3, title=title)
    assert page == whole.read_text()
    assert "auc" in page
    assert "logloss" not in page


def test_standard_output_and_silence(program: Kauri) -> None:
    arguments = ["task=report", "model_in=model.json", f"test:data={program.test_uri}"]
    shown = program.run(*arguments, "name_report=stdout")
    assert shown.out.lower().startswith("<!doctype html>")
    assert shown.err == ""
    silent = program.run(*arguments, "name_report=silent.html", "verbosity=0")
    assert (silent.out, silent.err) == ("", "")
    assert (program.folder / "silent.html").read_text() == shown.out


def test_modules_do_not_come_from_the_folder(program: Kauri) -> None:
    other = Kauri(program.folder / "other", environment=program.environment)
    other.folder.mkdir()
    other.write("numpy.py", "raise SystemExit('the wrong one')")
    other.run("report", "../model.json", program.test_uri)
    assert (other.folder / "report.html").exists()


def test_the_package_s_command_knows_its_python(program: Kauri) -> None:
    """This holds for any earlier value of KAURI_PYTHON."""
    done = subprocess.run(
        [sys.executable, "-c", "from kauriboost._binding.program import main; main()", "report", "model.json"],
        cwd=program.folder,
        env={**os.environ, "KAURI_PYTHON": "nowhere", "KAURI_LIBRARY": str(BUILD / "lib" / "libkauri.so")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "error: task=report needs test:data=path.\n"


ERRORS: dict[str, tuple[Callable[[Kauri], list[str]], str]] = {
    "no model": (lambda _: ["report", "name_report=r.html"], "task=report needs model_in=path."),
    "no rows": (lambda _: ["report", "model.json"], "task=report needs test:data=path."),
    "missing model": (lambda it: ["report", "missing.json", it.test_uri], "missing.json"),
    "missing rows": (lambda _: ["report", "model.json", "no.csv"], "test:data=no.csv: "),
    "parameter": (lambda it: ["report", "model.json", it.test_uri, "eval_metric=logloss2"], "logloss2"),
    "folder": (lambda it: ["report", "model.json", it.test_uri, "name_report=no/r.html"], "'no/r.html' does not exist"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors(program: Kauri, what: str) -> None:
    arguments, message = ERRORS[what]
    before = sorted(program.folder.iterdir())
    said = program.run(*arguments(program), status=1).err
    assert said.startswith("error: ")
    assert said.count("\n") == 1
    assert message in said
    assert sorted(program.folder.iterdir()) == before


def test_the_program_alone_says_what_it_needs(trained: Kauri) -> None:
    arguments = ["report", "model.json", trained.test_uri, "name_report=alone.html"]
    without = Kauri(trained.folder, environment={"KAURI_PYTHON": ""})
    said = without.run(*arguments, status=1).err
    assert "pip install 'kauriboost[plot]'" in said
    assert "KAURI_PYTHON" in said
    wrong = Kauri(trained.folder, environment={"KAURI_PYTHON": "/nowhere/python"})
    said = wrong.run(*arguments, status=1).err
    assert "KAURI_PYTHON='/nowhere/python' cannot be started: No such file or directory." in said
    assert not (trained.folder / "alone.html").exists()
