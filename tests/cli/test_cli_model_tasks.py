"""importance, leaf, evaluate, convert and check, compared with the package and XGBoost."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
import xgboost
from cli_program import DATA, Kauri
from scipy.stats import rankdata
from sklearn.datasets import load_svmlight_file
from sklearn.metrics import log_loss, roc_auc_score

TYPES = ("weight", "gain", "cover", "total_gain", "total_cover")
ROWS, LABELS = load_svmlight_file(str(DATA / "breast_cancer.test.libsvm"), zero_based=True)


def lines_of(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("kind", TYPES)
def test_importance_is_that_of_the_peer(trained: Kauri, kind: str) -> None:
    done = trained.run("task=importance", "model_in=model.json", f"importance_type={kind}")
    header, *lines = lines_of(trained.folder / "importance.csv")
    assert header == ["feature", kind]
    got = {name: float(score) for name, score in lines}
    expected = xgboost.Booster(model_file=str(trained.folder / "model.json")).get_score(importance_type=kind)
    assert got.keys() == expected.keys()
    np.testing.assert_allclose([got[name] for name in expected], list(expected.values()), rtol=1e-5)
    assert list(got.values()) == sorted(got.values(), reverse=True)
    assert done.err == f"importance of {len(got)} features written to 'importance.csv'\n"


def test_importance_of_a_linear_model(kauri: Kauri) -> None:
    kauri.train("booster=gblinear")
    linear = ("task=importance", "model_in=model.json", "name_importance=stdout")
    lines = kauri.run(*linear, "importance_type=weight").out.splitlines()
    assert len(lines) == 31
    refused = kauri.run(*linear, status=1)
    assert "a linear booster has weight only" in refused.err


def test_leaves_are_those_of_the_peer(trained: Kauri) -> None:
    trained.run("task=leaf", "model_in=model.json", f"test:data={trained.test_uri}")
    got = np.loadtxt(trained.folder / "pred.txt", delimiter=",", dtype=int)
    booster = xgboost.Booster(model_file=str(trained.folder / "model.json"))
    np.testing.assert_array_equal(got, booster.predict(xgboost.DMatrix(ROWS), pred_leaf=True))
    trained.run("task=leaf", "model_in=model.json", f"test:data={trained.test_uri}", "iteration_end=2")
    first = np.loadtxt(trained.folder / "pred.txt", delimiter=",", dtype=int)
    np.testing.assert_array_equal(first, got[:, :2])


def evaluation(kauri: Kauri, *arguments: str) -> dict[tuple[str, str], list[float]]:
    done = kauri.run("task=evaluate", "model_in=model.json", *arguments)
    _, *lines = csv.reader(done.out.splitlines())
    return {(data, metric): [float(value) for value in values] for data, metric, *values in lines}


def test_a_set_is_evaluated_once(trained: Kauri) -> None:
    """B9: a configuration has eval[test], and test:data has the same name."""
    quick = ("n_resamples=0", "eval_metric=auc")
    test, train = trained.test_uri, trained.train_uri
    once = evaluation(trained, f"test:data={test}", *quick)
    assert list(once) == [("test", "auc")]
    assert evaluation(trained, f"test:data={test}", f"eval[test]={test}", *quick) == once
    both = evaluation(trained, f"test:data={test}", f"eval[test]={train}", *quick)
    assert list(both) == [("test:data", "auc"), ("test", "auc")]
    assert both["test:data", "auc"] == once["test", "auc"] != both["test", "auc"]
    absent = ("test:data=absent.csv", f"eval[test]={train}")
    assert "test:data=absent.csv" in trained.run("evaluate", "model.json", *absent, status=1).err


def area(labels: np.ndarray, predicted: np.ndarray) -> float:
    """Return the AUC by the ranks of the predictions; scikit-learn's takes a millisecond for its checks."""
    ranks = rankdata(predicted)
    n_ones = int(labels.sum())
    return float((ranks[labels == 1].sum() - n_ones * (n_ones + 1) / 2) / (n_ones * (len(labels) - n_ones)))


def mean_loss(labels: np.ndarray, predicted: np.ndarray) -> float:
    return float(-np.mean(np.log(np.where(labels == 1, predicted, 1 - predicted))))


def test_metrics_have_intervals(trained: Kauri) -> None:
    sets = (
        f"test:data={trained.test_uri}",
        f"eval[again]={trained.test_uri}",
        "eval_metric=auc",
        "eval_metric=logloss",
    )
    got = evaluation(trained, *sets)
    assert [*got] == [(data, metric) for data in ("test", "again") for metric in ("auc", "logloss")]
    predicted = np.array(trained.predict())
    assert got["test", "auc"][0] == pytest.approx(roc_auc_score(LABELS, predicted), abs=1e-6)
    assert got["test", "logloss"][0] == pytest.approx(log_loss(LABELS, predicted), rel=1e-5)
    assert got["test", "auc"] == got["again", "auc"]
    generator = np.random.default_rng(0)
    drawn = [generator.integers(0, len(LABELS), len(LABELS)) for _ in range(2000)]
    for metric, score in (("auc", area), ("logloss", mean_loss)):
        value, low, high = got["test", metric]
        assert low <= value <= high
        assert value == pytest.approx(score(LABELS, predicted), rel=1e-5)
        expected = np.quantile([score(LABELS[rows], predicted[rows]) for rows in drawn], [0.025, 0.975])
        np.testing.assert_allclose([low, high], expected, atol=0.2 * (expected[1] - expected[0]))


def test_intervals_follow_from_the_seed(trained: Kauri) -> None:
    one = evaluation(trained, f"test:data={trained.test_uri}", "nthread=1")
    assert one == evaluation(trained, f"test:data={trained.test_uri}", "nthread=2")
    assert one != evaluation(trained, f"test:data={trained.test_uri}", "seed=3")
    none = evaluation(trained, f"test:data={trained.test_uri}", "n_resamples=0")
    assert none == {key: values[:1] for key, values in one.items()}


def test_queries_are_drawn_whole(kauri: Kauri) -> None:
    generator = np.random.default_rng(2)
    lines = []
    for query in range(12):
        for _ in range(int(generator.integers(2, 9))):
            feature = float(generator.normal())
            lines.append(f"{int(feature > 0.3)} qid:{query} 0:{feature:.4f} 1:{generator.normal():.4f}")
    kauri.write("ranked.libsvm", "\n".join(lines) + "\n")
    uri = f"{kauri.folder / 'ranked.libsvm'}?format=libsvm"
    kauri.run(f"data={uri}", "objective=rank:ndcg", "num_round=2", "model_out=model.json")
    value, low, high = evaluation(kauri, f"test:data={uri}", "eval_metric=ndcg")["test", "ndcg"]
    assert 0 < low <= value <= high <= 1


def test_several_classes_and_a_set_of_one_class(kauri: Kauri) -> None:
    kauri.train("objective=multi:softmax", "num_class=2")
    got = evaluation(kauri, f"test:data={kauri.test_uri}")
    value, low, high = got["test", "mlogloss"]
    assert 0 < low <= value <= high
    kauri.train()
    kauri.write("one.libsvm", "1 0:1\n1 0:2\n")
    alone = kauri.run("task=evaluate", "model_in=model.json", "test:data=one.libsvm?format=libsvm", "eval_metric=auc")
    assert alone.out.splitlines()[1] == "test,auc,nan,nan,nan"


def test_convert_changes_format_and_dialect(trained: Kauri) -> None:
    convert = ("task=convert", "model_in=model.json")
    done = trained.run(*convert, "model_out=model.ubj")
    assert done.err == "model of 5 rounds written to 'model.ubj'\n"
    trained.run("task=convert", "model_in=model.ubj", "model_out=again.json")
    assert (trained.folder / "again.json").read_bytes() == (trained.folder / "model.json").read_bytes()
    trained.run(*convert, "model_out=old.json", "model_dialect=1.7")
    assert json.loads((trained.folder / "old.json").read_text())["version"][0] == 1
    assert trained.predict() == trained.predict("model_in=old.json")
    assert "model_out=path" in trained.run(*convert, status=1).err
    assert "model.txt" in trained.run(*convert, "model_out=model.txt", status=1).err


def test_check_is_a_verdict(trained: Kauri) -> None:
    check = ("task=check", "model_in=model.json")
    said = "model.json: sound; gbtree of 5 rounds, 5 trees, 30 features, 1 output, objective binary:logistic\n"
    assert trained.run(*check).out == said
    whole = (trained.folder / "model.json").read_text()
    for wrong in ("", "{", whole[:-40], re.sub(r'"left_children":\s*\[1', '"left_children":[77', whole, count=1)):
        trained.write("wrong.json", wrong)
        done = trained.run("task=check", "model_in=wrong.json", status=1)
        assert done.out == ""
        assert re.fullmatch(r"error: .*'?wrong.json'?: .+\n", done.err)
    assert "missing.json" in trained.run("task=check", "model_in=missing.json", status=1).err


@pytest.mark.parametrize(
    ("task", "needed"),
    [
        ("importance", "model_in"),
        ("leaf", "model_in"),
        ("evaluate", "model_in"),
        ("convert", "model_in"),
        ("export", "model_in"),
        ("check", "model_in"),
    ],
)
def test_tasks_say_what_they_need(kauri: Kauri, task: str, needed: str) -> None:
    assert f"task={task} needs {needed}=path" in kauri.run(f"task={task}", status=1).err


def test_data_are_needed_for_leaves_and_metrics(trained: Kauri) -> None:
    model = "model_in=model.json"
    assert "task=leaf needs test:data=path" in trained.run("task=leaf", model, status=1).err
    assert "test:data=path or eval[NAME]=path" in trained.run("task=evaluate", model, status=1).err
