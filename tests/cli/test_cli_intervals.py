"""`kauri evaluate` and `report` compute the same intervals, through the library."""

from __future__ import annotations

import kauriboost as kb
import pytest
from cli_program import Kauri
from kauriboost._explaining.subject import Subject
from kauriboost._report.scores import scores_of


@pytest.mark.parametrize("seed", [0, 7])
def test_evaluate_and_report_agree(trained: Kauri, seed: int) -> None:
    metrics = ["logloss", "auc", "error"]
    words = [f"eval_metric={metric}" for metric in metrics]
    done = trained.run("evaluate", "model.json", trained.test_uri, f"seed={seed}", *words)
    booster = kb.Booster(model_file=str(trained.folder / "model.json"))
    scores = scores_of(Subject(booster, booster, (0, 0)), kb.DMatrix(trained.test_uri), metrics, seed)
    shown = [",".join(["test", one.name, *(f"{x:.6g}" for x in (one.value, *one.interval))]) for one in scores]
    assert done.out.splitlines()[1:] == shown


def test_ranking_needs_queries(kauri: Kauri) -> None:
    """The metrics of single rows need none."""
    kauri.write("rank.libsvm", "".join(f"{i % 3} qid:{i // 4 + 1} 1:{i % 9}\n" for i in range(80)))
    kauri.write("plain.libsvm", "".join(f"{i % 3} 1:{i % 9}\n" for i in range(80)))
    trained = kauri.run("train", "plain.libsvm", "objective=rank:ndcg", "num_round=1", status=1)
    assert "the data set has no query groups" in trained.err
    kauri.run("train", "rank.libsvm", "objective=rank:ndcg", "num_round=3", "model_out=rank.json")
    error = kauri.run("evaluate", "rank.json", "plain.libsvm", "eval_metric=ndcg@3", status=1).err
    assert "ndcg@3 ranks the rows of each query, but the data have no queries" in error
    kauri.run("evaluate", "rank.json", "plain.libsvm", "eval_metric=rmse")


def test_queries_are_drawn_whole(kauri: Kauri) -> None:
    rows = [f"{(i * 7) % 5 % 3} qid:{i // 4 + 1} 1:{i % 9} 2:{i % 5}" for i in range(80)]
    kauri.write("rank.libsvm", "\n".join(rows) + "\n")
    kauri.run("train", "rank.libsvm", "objective=rank:ndcg", "num_round=3", "model_out=rank.json")
    done = kauri.run("evaluate", "rank.json", "rank.libsvm", "eval_metric=ndcg@3")
    booster = kb.Booster(model_file=str(kauri.folder / "rank.json"))
    data = kb.DMatrix(str(kauri.folder / "rank.libsvm"))
    (one,) = scores_of(Subject(booster, booster, (0, 0)), data, ["ndcg@3"], 0)
    shown = ",".join(["test", one.name, *(f"{x:.6g}" for x in (one.value, *one.interval))])
    assert done.out.splitlines()[1:] == [shown]
    assert one.interval[0] <= one.value <= one.interval[1]
