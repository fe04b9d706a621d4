"""save_period, resume and time_budget: a killed and resumed training gives the bytes of an uninterrupted one."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import xgboost
from cli_program import BUILD, Kauri

ROUNDS = 24
CONFIGURATIONS = {
    "exact": ["tree_method=exact", "max_depth=4"],
    "hist": ["tree_method=hist", "max_depth=4", "max_bin=16"],
    "sampled": ["tree_method=hist", "subsample=0.6", "colsample_bytree=0.7", "colsample_bynode=0.5", "seed=5"],
    "forest": ["tree_method=exact", "num_parallel_tree=3", "subsample=0.5", "max_depth=2"],
    "dart": ["booster=dart", "rate_drop=0.3", "skip_drop=0.3", "max_depth=3", "eta=0.7", "seed=9"],
    "dart stopping": ["booster=dart", "rate_drop=0.4", "eta=1", "early_stopping_rounds=6", "eval_metric=error"],
    "adaboost": ["booster=adaboost", "objective=binary:logitraw", "max_depth=2"],
    "gblinear": ["booster=gblinear", "updater=coord_descent", "feature_selector=random", "eta=0.5"],
    "gblinear stopping": ["booster=gblinear", "updater=shotgun", "eta=1", "early_stopping_rounds=3"],
    "stopping": ["tree_method=hist", "eta=1", "max_depth=2", "early_stopping_rounds=5"],
    "absolute error": ["objective=reg:absoluteerror", "max_depth=3"],
    "classes": ["objective=multi:softprob", "num_class=3", "subsample=0.7"],
    "ranking": ["objective=rank:ndcg", "lambdarank_unbiased=true", "lambdarank_pair_method=topk", "max_depth=3"],
    "random pairs": ["objective=rank:pairwise", "lambdarank_unbiased=true", "lambdarank_pair_method=mean", "seed=3"],
}


def write_table(kauri: Kauri, name: str) -> str:
    """Write training data with labels for the objective; return their path."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(240, 5)).round(3)
    score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.5, size=240)
    labels = np.digitize(score, [-0.5, 0.5]) if name in ("classes", "ranking", "random pairs") else score > 0
    query = [f" qid:{row // 12}" if name in ("ranking", "random pairs") else "" for row in range(240)]
    cells = [" ".join(f"{column}:{value}" for column, value in enumerate(row)) for row in X]
    lines = [f"{int(label)}{qid} {row}" for label, qid, row in zip(labels, query, cells, strict=True)]
    kauri.write("table.libsvm", "\n".join(lines) + "\n")
    return "table.libsvm?format=libsvm"


def training(kauri: Kauri, name: str, model: str, folder: str) -> list[str]:
    uri = write_table(kauri, name)
    (kauri.folder / folder).mkdir(exist_ok=True)
    defaults = [f"data={uri}", f"eval[test]={uri}", "objective=binary:logistic", "nthread=1", f"num_round={ROUNDS}"]
    return [*defaults, *CONFIGURATIONS[name], f"model_out={model}", f"model_dir={folder}", "save_period=5"]


def kill_after(kauri: Kauri, arguments: list[str], n_lines: int) -> bool:
    """Kill the program without warning after some lines of metrics; return whether it was still running."""
    command = [str(BUILD / "bin" / "kauri"), *arguments]
    with subprocess.Popen(command, cwd=kauri.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for _ in range(n_lines):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        process.stdout.read()
    return process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_killed_and_resumed_equals_uninterrupted(kauri: Kauri, name: str) -> None:
    kauri.run(*training(kauri, name, "whole.ubj", "a"))
    rng = np.random.default_rng(len(name))
    arguments = [*training(kauri, name, "resumed.ubj", "b"), "resume=true"]
    killed = [kill_after(kauri, arguments, int(rng.integers(1, 9))) for _ in range(3)]
    assert any(killed)
    kauri.run(*arguments)
    assert (kauri.folder / "resumed.ubj").read_bytes() == (kauri.folder / "whole.ubj").read_bytes()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_resumed_from_every_checkpoint_equals_uninterrupted(kauri: Kauri, name: str) -> None:
    arguments = [*training(kauri, name, "model.ubj", "a"), "resume=true"]
    first = kauri.run(*arguments)
    whole = (kauri.folder / "model.ubj").read_bytes()
    lines = first.out.splitlines()
    for newest in sorted((kauri.folder / "a").glob("????.model"), reverse=True):
        (kauri.folder / "model.ubj").unlink()
        done = kauri.run(*arguments)
        assert newest.stem in done.err
        assert done.out.splitlines() == lines[int(newest.stem) :]
        assert (kauri.folder / "model.ubj").read_bytes() == whole
        for path in (kauri.folder / "a").glob("*.model"):  # the models saved from here on
            if path.name[:4] >= newest.stem:
                path.unlink()


def test_what_is_resumed_counts_from_model_in(kauri: Kauri) -> None:
    base = training(kauri, "sampled", "base.ubj", "base")
    kauri.run(*base, "num_round=4")
    arguments = [*training(kauri, "sampled", "model.ubj", "a"), "model_in=base.ubj", "num_round=11", "resume=true"]
    kauri.run(*arguments)
    whole = (kauri.folder / "model.ubj").read_bytes()
    assert [xgboost.Booster(model_file=str(path)).num_boosted_rounds() for path in checkpoints(kauri)] == [9, 14]
    done = kauri.run(*arguments)
    assert re.findall(r"^\[(\d+)\]", done.out, re.MULTILINE) == ["14"]
    assert (kauri.folder / "model.ubj").read_bytes() == whole


def checkpoints(kauri: Kauri) -> list[Path]:
    return sorted((kauri.folder / "a").glob("????.model"))


def test_more_rounds_go_on_from_the_last(kauri: Kauri) -> None:
    arguments = [*training(kauri, "hist", "model.ubj", "a"), "resume=true"]
    kauri.run(*arguments, "num_round=10")
    done = kauri.run(*arguments, "num_round=12")
    assert len(done.out.splitlines()) == 2
    kauri.run(*training(kauri, "hist", "whole.ubj", "b"), "num_round=12")
    assert (kauri.folder / "model.ubj").read_bytes() == (kauri.folder / "whole.ubj").read_bytes()


def test_a_finished_model_is_no_checkpoint(kauri: Kauri) -> None:
    arguments = [part for part in training(kauri, "stopping", "", "a") if part != "model_out="]
    kauri.run(*arguments, "resume=true")
    final = kauri.folder / "a" / f"{ROUNDS:04}.model"  # sliced to the best round, not the state after the last one
    whole = final.read_bytes()
    done = kauri.run(*arguments, "resume=true")
    assert final.name not in done.err.splitlines()[0]  # the checkpoint that it resumes from
    assert final.read_bytes() == whole
    attributes = xgboost.Booster(model_file=str(final)).attributes()
    assert attributes.keys() == {"best_iteration", "best_score"}


def test_threads_and_paths_may_change(kauri: Kauri) -> None:
    arguments = [*training(kauri, "sampled", "model.ubj", "a"), "resume=true"]
    kauri.run(*arguments)
    whole = (kauri.folder / "model.ubj").read_bytes()
    checkpoints(kauri)[-1].unlink()
    kauri.run(*arguments, "nthread=2", "verbosity=0", "model_out=other.ubj")
    assert (kauri.folder / "other.ubj").read_bytes() == whole


def test_other_parameters_are_refused(kauri: Kauri) -> None:
    arguments = [*training(kauri, "hist", "model.ubj", "a"), "resume=true"]
    kauri.run(*arguments)
    for change, words in (("learning_rate=0.2", "eta (not given, now '0.2')"), ("max_depth=5", "max_depth ('4', now")):
        error = kauri.run(*arguments, change, status=1).err
        assert words in error
        assert "0020.model" in error
    kauri.run(*arguments, "max_depth=5", "resume=false")


def test_damaged_checkpoints_are_named(kauri: Kauri) -> None:
    arguments = [*training(kauri, "hist", "model.ubj", "a"), "resume=true"]
    kauri.run(*arguments)
    newest = checkpoints(kauri)[-1]
    content = newest.read_bytes()
    newest.write_bytes(content[:200])
    assert newest.name in kauri.run(*arguments, status=1).err
    newest.write_bytes(content.replace(b'"rounds_without":', b'"rounds_with0ut":'))
    assert "is damaged; delete the file" in kauri.run(*arguments, status=1).err
    newest.unlink()
    kauri.run(*arguments)


DAMAGE = {
    "rounds": [-1, 0, 2**62, 2**63, 1.5, 19, 100, "20", None],
    "best_iteration": [-5, 20, 2**62, 1.5],
    "rounds_without": [-1, 20, 2**63 - 1, -(2**63), 0.5],
    "best_score": ["x", "", "nan", 5],
    "has_best_model": ["x"],
    "parameters": [5, []],
}


@pytest.mark.parametrize("member", DAMAGE)
def test_damaged_members_of_the_attribute_are_named(member: str, kauri: Kauri) -> None:
    arguments = [*training(kauri, "stopping", "model.ubj", "a"), "resume=true", "early_stopping_rounds=30"]
    kauri.run(*arguments, "num_round=20")
    newest = checkpoints(kauri)[-1]
    booster = xgboost.Booster(model_file=str(newest))
    state = json.loads(booster.attr("kauri_checkpoint"))
    for value in DAMAGE[member]:
        booster.set_attr(kauri_checkpoint=json.dumps({**state, member: value}))
        booster.save_model(newest)
        error = kauri.run(*arguments, status=1).err
        assert "the attribute kauri_checkpoint of " in error, (value, error)
        assert "is damaged" in error, (value, error)
        assert "delete the file to resume from an older one" in error
    newest.unlink()
    assert "resuming from" in kauri.run(*arguments).err


def test_a_checkpoint_under_another_name_is_refused(kauri: Kauri) -> None:
    arguments = [*training(kauri, "hist", "model.ubj", "a"), "resume=true"]
    kauri.run(*arguments, "num_round=10")
    newest = checkpoints(kauri)[-1]
    newest.rename(newest.with_name("0015.ubj"))
    error = kauri.run(*arguments, status=1).err
    assert "0015.ubj' is damaged (rounds is 10, and the model has 10 rounds)" in error


def test_rounds_of_model_in_are_not_counted(kauri: Kauri) -> None:
    whole = training(kauri, "hist", "first.ubj", "a")
    kauri.run(*whole, "num_round=4")
    go_on = [*training(kauri, "hist", "model.ubj", "b"), "model_in=first.ubj", "num_round=10"]
    kauri.run(*go_on)
    expected = (kauri.folder / "model.ubj").read_bytes()
    (kauri.folder / "b" / "0010.model").unlink()
    assert "resuming from" in kauri.run(*go_on, "resume=true").err
    assert (kauri.folder / "model.ubj").read_bytes() == expected


def test_what_a_kill_left_half_written_goes(kauri: Kauri) -> None:
    arguments = [*training(kauri, "hist", "model.ubj", "a"), "resume=true"]
    kauri.run(*arguments, "num_round=5")
    half = ["0005.model.new-12-0", "0005.best.model.new-7-0"]
    mine = ["5.model.new-1-0", "notes.model.new-1-0", "0005.json.new-1", "0005.model.new"]
    for name in half + mine:
        kauri.write(f"a/{name}", "half")
    kauri.run(*arguments)
    left = {path.name for path in (kauri.folder / "a").iterdir()}
    assert not left & set(half)
    assert left >= {*mine, "0020.model"}


def test_resume_needs_a_period(kauri: Kauri) -> None:
    arguments = training(kauri, "hist", "model.ubj", "a")
    assert "save_period is 0" in kauri.run(*arguments, "resume=true", "save_period=0", status=1).err


def test_updates_are_not_resumed(kauri: Kauri) -> None:
    base = training(kauri, "hist", "base.ubj", "a")
    kauri.run(*base)
    update = [*base, "model_in=base.ubj", "process_type=update", "updater=refresh", "resume=true"]
    assert "process_type=update" in kauri.run(*update, status=1).err


def test_time_budget_stops_after_a_whole_round(kauri: Kauri) -> None:
    arguments = [*training(kauri, "sampled", "model.ubj", "a"), "num_round=1000000", "resume=true"]
    began = time.monotonic()
    done = kauri.run(*arguments, "time_budget=0.3")
    assert time.monotonic() - began < 10
    rounds = len(done.out.splitlines())
    assert re.search(rf"time_budget=0.3: stopped after {rounds} of 1000000 rounds", done.err)
    short = (kauri.folder / "model.ubj").read_bytes()
    kauri.run(*training(kauri, "sampled", "whole.ubj", "b"), f"num_round={rounds}", "save_period=0")
    assert short == (kauri.folder / "whole.ubj").read_bytes()
    more = kauri.run(*arguments, f"num_round={rounds + 2}")
    assert len(more.out.splitlines()) == 2
    assert "time_budget='nan' is not valid" in kauri.run(*arguments, "time_budget=nan", status=1).err


def test_continuing_a_checkpoint_makes_a_plain_model(kauri: Kauri) -> None:
    kauri.run(*training(kauri, "hist", "model.ubj", "a"), "num_round=5")
    kauri.run(*training(kauri, "hist", "more.ubj", "b"), "model_in=a/0005.model", "num_round=1", "save_period=0")
    assert xgboost.Booster(model_file=str(kauri.folder / "more.ubj")).attributes() == {}
