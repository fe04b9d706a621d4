"""`kauri TASK FILE ...`: files after the name of a task replace keys."""

from __future__ import annotations

import re

import pytest
from cli_program import Kauri


def test_verify_takes_a_model_and_data(kauri: Kauri) -> None:
    kauri.train("receipt=true")
    long = kauri.run("task=verify", "model_in=model.json", f"data={kauri.train_uri}")
    assert "verified" in long.out
    assert kauri.run("verify", "model.json", kauri.train_uri) == long
    assert kauri.run("verify", "model.json", kauri.train_uri, "nthread=1") == long
    refused = kauri.run("verify", "model.json", kauri.test_uri, status=1)
    assert refused.err.startswith("error: model_in=model.json is not verified: ")


def test_every_task_has_a_form(kauri: Kauri) -> None:
    out = " ".join(kauri.run("help", "all").out.split())
    tasks = re.search(r" task \({(.*?)}", out)
    forms = re.search(r"stand for keys: (.*?);", out)
    assert tasks is not None
    assert forms is not None
    assert {form.split()[0] for form in forms[1].split(", ")} == set(tasks[1].split(", "))


def test_what_other_tasks_do_so(trained: Kauri) -> None:
    models = ["convert", "model.json", "model.ubj"]
    trained.run(*models)
    assert (trained.folder / "model.ubj").exists()
    long = trained.run("task=pred", "model_in=model.json", f"test:data={trained.test_uri}", "name_pred=stdout")
    assert trained.run("pred", "model.json", trained.test_uri, "name_pred=stdout") == long
    assert trained.run("pred", "name_pred=stdout", "model.ubj", trained.test_uri).out == long.out
    learnt = trained.run("train", trained.train_uri, "objective=binary:logistic", "model_out=again.json", "num_round=1")
    assert "again.json" in learnt.err
    assert "sound" in trained.run("check", "again.json").out


def test_a_configuration_file_of_such_a_name_has_a_folder(kauri: Kauri) -> None:
    kauri.train()
    kauri.write("check", "task = dump\nmodel_in = model.json\nname_dump = stdout\n")
    assert "leaf=" in kauri.run("./check").out
    assert "sound" in kauri.run("check", "model.json").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify"], "task=verify needs model_in=path."),
        (["verify", "model.json"], "task=verify needs data=path."),
        (["verify", "a", "b", "c"], "argument 'c' is one file too many: expected kauri verify model_in data"),
        (["check", "a", "b?x=1"], "argument 'b?x=1' is one file too many: expected kauri check model_in"),
        (["verfy", "a", "b"], "'verfy' is neither a task nor a configuration file; did you mean 'verify'?"),
        (["verify", "a", "max_dept=1"], "did you mean 'max_depth'?"),
        (["nothing_like_it"], "configuration file 'nothing_like_it'"),
    ],
)
def test_errors(kauri: Kauri, arguments: list[str], message: str) -> None:
    assert message in kauri.run(*arguments, status=1).err
