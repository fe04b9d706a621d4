"""Ranking real queries with XGBoost's parameters: the same trees without random pairs, else equally good ones.

Needs the real data sets (`KAURI_DATA`, by default `../shared/data` beside the project) and is skipped without them.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

xgboost = pytest.importorskip("xgboost")

DATA = Path(os.environ.get("KAURI_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
if not (DATA / "load.py").is_file():
    pytest.skip(f"no real data sets at {DATA}", allow_module_level=True)
sys.path.insert(0, str(DATA))
from load import load  # noqa: E402

ROUNDS = 15
OBJECTIVES = ["rank:ndcg", "rank:pairwise", "rank:map"]
Queries = tuple[Any, Any]


load_once = functools.cache(load)


def queries(library: Any, objective: str) -> Queries:
    """Return training and test data; relevance is 0 and 1 for map."""
    features, labels, extras = load_once("lambdarank")
    parts = [(features, labels, extras["group"]), (extras["X_test"], extras["y_test"], extras["group_test"])]
    made = []
    for rows, relevance, group in parts:
        made.append(library.DMatrix(rows, label=relevance > 1 if objective == "rank:map" else relevance))
        made[-1].set_group(group)
    return made[0], made[1]


def train(library: Any, params: dict[str, Any], data: Queries) -> tuple[Any, float]:
    """Return the booster and the last ndcg@10 or map@10 on the test queries."""
    metric = "map@10" if params["objective"] == "rank:map" else "ndcg@10"
    result: dict = {}
    settings = {"max_depth": 5, "eta": 0.1, "eval_metric": metric, "nthread": 1, **params}
    booster = library.train(
        settings, data[0], ROUNDS, evals=[(data[1], "test")], evals_result=result, verbose_eval=False
    )
    return booster, result["test"][metric][-1]


@pytest.mark.parametrize("unbiased", [0, 1])
@pytest.mark.parametrize("method", ["exact", "hist"])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_best_places_grow_xgboosts_trees(objective: str, method: str, unbiased: int) -> None:
    params = {"objective": objective, "tree_method": method, "lambdarank_unbiased": unbiased}
    ours, our_metric = train(kb, params, queries(kb, objective))
    theirs, their_metric = train(xgboost, params, queries(xgboost, objective))
    assert ours.get_dump()[0].split(":leaf=")[0] == theirs.get_dump()[0].split(":leaf=")[0]
    assert our_metric == pytest.approx(their_metric, abs=0.005)
    data = queries(kb, objective)[1], queries(xgboost, objective)[1]
    first = [booster.predict(part, iteration_range=(0, 3)) for booster, part in zip((ours, theirs), data, strict=True)]
    np.testing.assert_allclose(first[0], first[1], atol=1e-6)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_random_partners_are_as_good(objective: str) -> None:
    """Random pairs differ, so metrics are means over numbers of partners, with a standard error of 0.006."""
    metrics = []
    for library in (kb, xgboost):
        data = queries(library, objective)
        settings = [
            {"lambdarank_pair_method": "mean", "lambdarank_num_pair_per_sample": n_pairs} for n_pairs in range(1, 13)
        ]
        values = [train(library, {"objective": objective, "tree_method": "hist", **each}, data)[1] for each in settings]
        metrics.append(float(np.mean(values)))
    assert metrics[0] > metrics[1] - 0.02, metrics


@pytest.mark.parametrize("unbiased", [0, 1])
def test_models_travel_both_ways(unbiased: int) -> None:
    data = {library.__name__: queries(library, "rank:ndcg") for library in (kb, xgboost)}
    params = {"objective": "rank:ndcg", "tree_method": "exact", "lambdarank_unbiased": unbiased, "ndcg_exp_gain": 0}
    for source, target in ((kb, xgboost), (xgboost, kb)):
        booster, _ = train(source, params, data[source.__name__])
        loaded = target.Booster(model_file=bytearray(booster.save_raw("json")))
        np.testing.assert_allclose(
            loaded.predict(data[target.__name__][1]), booster.predict(data[source.__name__][1]), atol=1e-6
        )
        objective = json.loads(loaded.save_raw("json"))["learner"]["objective"]
        assert objective["lambdarank_param"]["ndcg_exp_gain"] == "0"
        assert ("ti+" in objective) == bool(unbiased)
        loaded.update(data[target.__name__][0], 0)  # XGBoost counts the rounds of a session


def test_xgboost_loads_an_untrained_unbiased_model() -> None:
    params = {"objective": "rank:ndcg", "lambdarank_unbiased": 1}
    data = queries(kb, "rank:ndcg")[0]
    untrained = kb.train(params, data, 0)
    loaded = xgboost.Booster(model_file=bytearray(untrained.save_raw("json")))
    assert loaded.num_boosted_rounds() == 0
    loaded.update(queries(xgboost, "rank:ndcg")[0], 0)
    assert loaded.num_boosted_rounds() == 1
