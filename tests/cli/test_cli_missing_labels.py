"""Label tables from DMatrix.save_binary; NaN is a missing label on the command line, too."""

from __future__ import annotations

import json
import math

import kauriboost as kb
import numpy as np
import pytest
from cli_program import Kauri

RNG = np.random.default_rng(3)
X = RNG.normal(size=(400, 4)).astype(np.float32)
HIDDEN = RNG.random((400, 2)) < 0.4
Y = np.where(HIDDEN, np.nan, np.column_stack([X[:, 0] > 0, X[:, 1] * X[:, 2] > 0])).astype(np.float32)
PARAMS = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 3}


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
def test_a_table_trains_and_is_evaluated_as_from_python(kauri: Kauri, strategy: str) -> None:
    data = kb.DMatrix(X, label=Y)
    data.save_binary(kauri.folder / "table.bin")
    log: dict = {}
    params = {**PARAMS, "multi_strategy": strategy, "eval_metric": ["logloss", "auc"]}
    booster = kb.train(params, data, 5, evals=[(data, "train")], evals_result=log, verbose_eval=False)
    shared = [*(f"{name}={value}" for name, value in PARAMS.items()), f"multi_strategy={strategy}"]
    metrics = ["eval_metric=logloss", "eval_metric=auc"]
    kauri.run("data=table.bin", *shared, *metrics, "num_round=5", "model_out=model.json")
    learnt = json.loads((kauri.folder / "model.json").read_bytes())
    expected = json.loads(booster.save_raw("json"))
    assert learnt["learner"]["gradient_booster"] == expected["learner"]["gradient_booster"]
    test = ["task=evaluate", "model_in=model.json", "test:data=table.bin", "n_resamples=20", *metrics]
    kauri.run(*test, "name_evaluation=values.csv")
    lines = (kauri.folder / "values.csv").read_text().splitlines()[1:]
    for line, name in zip(lines, ("logloss", "auc")):
        _, metric, value, low, high = line.split(",")
        assert metric == name
        assert float(value) == pytest.approx(log["train"][name][-1], rel=1e-5)
        assert math.isfinite(float(low))
        assert float(low) <= float(value) <= float(high)


def test_one_column_takes_no_nan(kauri: Kauri) -> None:
    kauri.write("rows.csv", "1,2\nnan,3\n")
    done = kauri.run("data=rows.csv?label_column=0", "num_round=1", status=1)
    assert "labels must be given" in done.err
