"""task=cv: the same figures as kauriboost.cv."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from cli_program import Kauri

PARAMS = {"objective": "binary:logistic", "max_depth": 3, "eval_metric": ["auc", "logloss"]}
ARGUMENTS = ["objective=binary:logistic", "max_depth=3", "eval_metric=auc", "eval_metric=logloss"]


def table_of(text: str) -> dict[str, list[float]]:
    header, *lines = csv.reader(text.splitlines())
    columns = dict(zip(header, zip(*([float(cell) for cell in line] for line in lines))))
    assert list(columns.pop("round")) == list(range(len(lines)))
    return {name: list(values) for name, values in columns.items()}


def expect_same(kauri: Kauri, arguments: list[str], data: str, rounds: int = 6, **how: Any) -> dict[str, list[float]]:
    done = kauri.run("task=cv", f"data={data}", f"num_round={rounds}", *arguments)
    assert done.err == ""
    found = table_of(done.out)
    how = {"params": PARAMS, "as_pandas": False, **how}
    matrix = kb.DMatrix(data if data.startswith("/") else str(kauri.folder / data))
    expected = kb.cv(dtrain=matrix, num_boost_round=rounds, **how)
    assert list(found) == list(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=2e-6, atol=1e-6, err_msg=name)
    return found


def test_the_figures_of_the_package(kauri: Kauri) -> None:
    plain = expect_same(kauri, ARGUMENTS, kauri.train_uri)
    assert len(plain["test-auc-mean"]) == 6
    seeded = [*ARGUMENTS, "seed=7", "nfold=5", "subsample=0.6"]
    params = {**PARAMS, "seed": 7, "subsample": 0.6}
    other = expect_same(kauri, seeded, kauri.train_uri, params=params, seed=7, nfold=5)
    assert other != plain
    dealt = expect_same(kauri, [*ARGUMENTS, "stratified=true"], kauri.train_uri, stratified=True)
    assert dealt != plain
    dart = {**PARAMS, "booster": "dart", "rate_drop": 0.5}
    expect_same(kauri, [*ARGUMENTS, "booster=dart", "rate_drop=0.5"], kauri.train_uri, params=dart)


def test_early_stopping_ends_with_the_best_round(kauri: Kauri) -> None:
    arguments = [*ARGUMENTS, "eta=1", "early_stopping_rounds=2"]
    params = {**PARAMS, "eta": 1}
    found = expect_same(kauri, arguments, kauri.train_uri, 40, params=params, early_stopping_rounds=2)
    losses = found["test-logloss-mean"]
    assert len(losses) < 38
    assert losses.index(min(losses)) == len(losses) - 1
    patient = expect_same(kauri, [*arguments, "early_stopping_rounds=39"], kauri.train_uri, 4, params=params)
    assert len(patient["test-logloss-mean"]) == 4


def test_queries_and_weights_and_columns(kauri: Kauri) -> None:
    generator = np.random.default_rng(2)
    lines = ["y,w,q,a,b"]
    for query in range(17):
        for _ in range(int(generator.integers(2, 9))):
            feature = generator.normal()
            lines.append(f"{int(feature > 0.3)},{1 + query % 3},{query},{feature:.4f},{generator.normal():.4f}")
    kauri.write("rows.csv", "\n".join(lines) + "\n")
    roles = "rows.csv?label_column=y&weight_column=w&categorical_columns="
    weighted = roles.replace("&categorical_columns=", "&ignore_columns=q")
    expect_same(kauri, ARGUMENTS, weighted)
    ranked = "rows.csv?label_column=y&qid_column=q&ignore_columns=w"
    ranking = {"objective": "rank:ndcg", "eval_metric": "ndcg"}
    expect_same(kauri, ["objective=rank:ndcg", "eval_metric=ndcg"], ranked, params=ranking)
    refused = kauri.run("task=cv", f"data={ranked}", "objective=rank:ndcg", "stratified=1", status=1)
    assert "stratified=true does not go with query groups" in refused.err
    many = kauri.run("task=cv", f"data={ranked}", "objective=rank:ndcg", "nfold=18", status=1)
    assert "nfold is 18; expected 2 to 17, the number of query groups." in many.err


def test_into_a_file_and_for_any_number_of_threads(kauri: Kauri) -> None:
    base = ["task=cv", f"data={kauri.train_uri}", *ARGUMENTS, "num_round=3"]
    one = kauri.run(*base, "nthread=1").out
    done = kauri.run(*base, "nthread=2", "name_cv=folds.csv")
    assert done.out == ""
    assert done.err == "cross-validation of 3 rounds written to 'folds.csv'\n"
    assert (kauri.folder / "folds.csv").read_text() == one
    assert sorted(path.name for path in Path(kauri.folder).iterdir()) == ["folds.csv"]
    assert kauri.run(*base, "num_round=0").out == "round\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nfold=1"], "nfold is 1; expected 2 to "),
        (["nfold=-3"], "nfold is -3"),
        (
            ["model_in=model.json"],
            "task=cv: a model that goes on from model_in=model.json may have been trained on the test rows",
        ),
        (["name_cv=nowhere/folds.csv"], "the folder of the cross-validation 'nowhere/folds.csv' does not exist"),
        (["eta=-1"], "eta"),
        (["disable_default_eval_metric=1", "early_stopping_rounds=2"], "has no metric to watch"),
    ],
)
def test_what_is_refused(kauri: Kauri, arguments: list[str], says: str) -> None:
    done = kauri.run("task=cv", f"data={kauri.train_uri}", *arguments, "objective=binary:logistic", status=1)
    assert says in done.err
    assert done.out == ""
    assert not any(kauri.folder.iterdir())


def test_data_are_needed(kauri: Kauri) -> None:
    assert "task=cv needs data=path" in kauri.run("task=cv", status=1).err
    cached = f"data={kauri.train_uri}#cache"
    assert "the task needs the values" in kauri.run("task=cv", cached, "objective=binary:logistic", status=1).err
