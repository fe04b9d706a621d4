"""preset=best: the model that kauriboost.fit_best finds, and its cost."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import kauriboost as kb
import pytest
from cli_program import BUILD, Kauri

ARGUMENTS = ["preset=best", "objective=binary:logistic", "nthread=2", "model_out=best.json"]


@pytest.fixture
def program(kauri: Kauri) -> Kauri:
    """Return the program as started by the package's command."""
    return Kauri(kauri.folder, environment={"KAURI_PYTHON": sys.executable})


def test_the_model_is_that_of_the_package(program: Kauri) -> None:
    done = program.run("train", program.train_uri, *ARGUMENTS, "rounds_budget=40", "seed=3")
    params = {"objective": "binary:logistic", "nthread": 2, "seed": 3}
    found = kb.fit_best(kb.DMatrix(program.train_uri), params=params, rounds_budget=40, seed=3)
    assert (program.folder / "best.json").read_bytes() == bytes(found.booster.save_raw("json"))
    n_rounds = found.booster.num_boosted_rounds()
    assert done.err == f"model of {n_rounds} rounds written to 'best.json'\n"
    *tried, chosen = done.out.splitlines()
    without_time = re.compile(r" in [0-9.]+ s")
    assert [without_time.sub("", line) for line in tried] == [
        without_time.sub("", attempt.line()) for attempt in found.attempts
    ]
    assert chosen.startswith(f"logloss {found.score:.6g} of the mean, after 40 rounds in ")
    assert chosen.endswith(" s: 100% of setting 1")


def test_folds_metrics_and_silence(program: Kauri) -> None:
    more = ["nfold=2", "rounds_budget=12", "eval_metric=logloss", "eval_metric=auc", "eta=0.3", "model_dialect=2.1"]
    done = program.run("task=train", f"data={program.train_uri}", *ARGUMENTS, *more, "verbosity=0")
    params = {"objective": "binary:logistic", "eval_metric": ["logloss", "auc"], "eta": 0.3, "nthread": 2}
    found = kb.fit_best(kb.DMatrix(program.train_uri), params=params, rounds_budget=12, nfold=2)
    assert found.metric == "auc"
    assert (program.folder / "best.json").read_bytes() == bytes(found.booster.save_raw("json", dialect="2.1"))
    assert done.err == ""
    assert "eta=" not in done.out


ERRORS = {
    "rounds": (["num_round=20"], "num_round=20 does not go with preset=best"),
    "evaluation set": (["eval[test]=x.csv"], "eval[test]=x.csv does not go with preset=best"),
    "model to continue": (["model_in=model.json"], "model_in=model.json does not go with preset=best"),
    "task": (["task=cv"], "task=cv does not read 'preset'; it is a key of train"),
    "model": (["model_out="], "task=train with preset=best needs model_out=path."),
    "format": (["model_out=best.txt"], "best.txt"),
    "folder": (["model_out=no/best.json"], "'no/best.json' does not exist"),
    "data": (["data=missing.csv"], "data=missing.csv: "),
    "parameter": (["max_depth=-1"], "max_depth"),
    "booster": (["booster=gblinear"], "gblinear"),
    "preset": (["preset=worst"], "worst"),
    "budget": (["preset=none", "rounds_budget=5"], "rounds_budget=5 is for preset=best only"),
    "folds": (["nfold=1"], "nfold"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors(program: Kauri, what: str) -> None:
    arguments, message = ERRORS[what]
    said = program.run("train", program.train_uri, *ARGUMENTS, *arguments, status=1).err
    assert said.startswith("error: ")
    assert message in said
    assert said.count("\n") == 1
    assert not list(program.folder.iterdir())


def test_ctrl_c_ends_it_in_a_line(program: Kauri) -> None:
    command = [
        str(BUILD / "bin" / "kauri"),
        "train",
        program.train_uri,
        *ARGUMENTS,
        "rounds_budget=1000000",
        "nthread=1",
    ]
    environment = {**os.environ, **program.environment}
    with subprocess.Popen(
        command, cwd=program.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # one setting was tried
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err.decode()) == (-signal.SIGINT, "interrupted: nothing is written\n")
    assert not list(program.folder.iterdir())


def test_the_program_alone_says_what_it_needs(kauri: Kauri) -> None:
    alone = Kauri(kauri.folder, environment={"KAURI_PYTHON": ""})
    said = alone.run("train", kauri.train_uri, *ARGUMENTS, status=1).err
    assert "pip install 'kauriboost'" in said
    assert "KAURI_PYTHON" in said
