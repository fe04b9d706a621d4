"""How good a model is, on its report: every number equals one that is computed independently."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest
from kauriboost._explaining.subject import Queries, objective_of, subject_of
from kauriboost._report.numbers import area, calibration, mean_by_place, precision_recall, roc, survival_curve
from kauriboost._report.scores import scores_of
from kauriboost._report.subject import judged
from kauriboost._report.why import _telling_rows

pytest.importorskip("matplotlib").use("Agg")
pytestmark = pytest.mark.usefixtures("unrendered")
RNG = np.random.default_rng(12)
N = 240
X = RNG.normal(size=(N, 4)).astype(np.float32)
SUM = X[:, 0] + X[:, 1] + RNG.normal(size=N)
LEVELS = np.digitize(SUM, [-0.7, 0.7])


def text_of(path: Path, model: Any, data: Any, **choices: Any) -> str:
    kb.report(model, data, path, n_features=1, n_trees=0, **choices)
    return path.read_text(encoding="utf-8")


def rows_of(text: str, first: str) -> list[list[str]]:
    """Return the cells of the table whose head begins with a text."""
    (found,) = [table for table in re.findall(r"<table>.*?</table>", text, re.DOTALL) if f">{first}</th>" in table]
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", found)][1:]


def train(objective: str, y: np.ndarray, **params: Any) -> tuple[kb.Booster, kb.DMatrix]:
    data = kb.DMatrix(X, label=y)
    return kb.train({"objective": objective, "max_depth": 2, **params}, data, 6, verbose_eval=False), data


def test_curves_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    is_true, weights = SUM > 0, RNG.random(N) + 0.1
    for scores in (RNG.random(N), np.round(RNG.random(N), 1)):  # without and with ties
        expected = metrics.roc_curve(is_true, scores, sample_weight=weights, drop_intermediate=False)
        curve = roc(is_true, scores, weights)
        np.testing.assert_allclose(curve, expected[:2], atol=1e-12)
        assert area(curve) == pytest.approx(metrics.roc_auc_score(is_true, scores, sample_weight=weights))
        precision, recall, _ = metrics.precision_recall_curve(is_true, scores, sample_weight=weights)
        found = precision_recall(is_true, scores, weights)
        np.testing.assert_allclose(found.x, recall[:-1][::-1], atol=1e-12)
        np.testing.assert_allclose(found.y, precision[:-1][::-1], atol=1e-12)


@pytest.mark.parametrize("decimals", [1, 6])
def test_calibration_by_brute_force(decimals: int) -> None:
    scores, is_true, weights = np.round(RNG.random(N), decimals), RNG.random(N) < 0.4, RNG.integers(1, 4, N) * 1.0
    found = calibration(is_true, scores, weights)
    edges = sorted({sorted(scores)[N // 10 * tenth - 1] for tenth in range(1, 10)})
    begin = -np.inf
    for place, end in enumerate([*edges, np.inf][: len(found.weight)]):
        rows = [row for row in range(N) if begin < scores[row] <= end]
        total = sum(weights[row] for row in rows)
        share = sum(weights[row] for row in rows if is_true[row]) / total
        assert found.weight[place] == pytest.approx(total)
        assert found.predicted[place] == pytest.approx(sum(weights[row] * scores[row] for row in rows) / total)
        assert found.observed[place] == pytest.approx(share)
        assert found.low[place] <= share <= found.high[place]
        begin = end
    assert found.weight.sum() == weights.sum()
    half = calibration(np.arange(100) < 50, np.full(100, 0.5), np.ones(100))
    assert (half.low[0], half.high[0]) == pytest.approx((0.4038, 0.5962), abs=1e-4)  # Wilson's, for 50 of 100


def test_survival_and_places_by_hand() -> None:
    curve = survival_curve(np.array([1.0, 2.0, 2.0, 3.0, 4.0]), np.array([True, True, False, True, False]))
    assert curve.x.tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_allclose(curve.y, [1, 0.8, 0.6, 0.3, 0.3])
    means = mean_by_place(np.array([0.0, 1.0, 2.0, 1.0]), np.array([1.0, 3.0, 2.0, 5.0]), np.array([0, 3, 4]), 5)
    np.testing.assert_allclose(means, [1, 2, 0])


def test_two_classes(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    names = np.where(SUM > 0, "sick <b>", "healthy")
    model = kb.KauriClassifier(n_estimators=6, max_depth=2).fit(X, names)
    text = text_of(tmp_path / "page.html", model, X, y=names)
    assert "<b>" not in text
    predicted = model.predict(X)
    wrong = np.mean(predicted != names)
    for cells, name in zip(rows_of(text, "true class"), ("healthy", "sick &lt;b&gt;"), strict=True):
        true = names == ("healthy" if name == "healthy" else "sick <b>")
        counts = [int(np.sum(true & (predicted == other))) for other in ("healthy", "sick <b>")]
        assert cells[0] == name
        assert [int(cell.split(" ")[0]) for cell in cells[1:]] == [*counts, true.sum()]
    least = min(np.mean(SUM > 0), np.mean(SUM <= 0))
    assert f"a wrong class for {100 * wrong:.2g} % of the rows" in text
    assert f"is wrong for {100 * least:.2g} %" in text
    scores = {cells[0][:-2]: cells[1:] for cells in rows_of(text, "metric")}
    assert list(scores) == ["logloss", "error", "auc", "aucpr"]
    share = np.mean(SUM > 0)
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert float(scores["logloss"][2]) == pytest.approx(entropy, rel=1e-4)
    assert float(scores["error"][2]) == pytest.approx(least, rel=1e-4)
    assert float(scores["auc"][2]) == 0.5
    from_file = kb.Booster(model_file=model.get_booster().save_raw())
    assert ">sick &lt;b&gt;<" in text_of(tmp_path / "b.html", from_file, kb.DMatrix(X, label=SUM > 0))  # the file knows


def test_intervals_are_those_of_the_library(tmp_path: Path) -> None:
    booster, data = train("binary:logistic", SUM > 0)
    shown = {
        cells[0][:-2]: cells[1:] for cells in rows_of(text_of(tmp_path / "p.html", booster, data, seed=3), "metric")
    }
    metrics = list(shown)
    for one in scores_of(subject_of(booster, None), data, metrics, 3):
        assert float(shown[one.name][0]) == pytest.approx(one.value, rel=1e-4)
        assert [float(end) for end in shown[one.name][1].split(" to ")] == pytest.approx(one.interval, rel=1e-3)


def test_many_classes(tmp_path: Path) -> None:
    y = np.arange(N) % 13
    booster, data = train("multi:softprob", y, num_class=13)
    table = rows_of(text_of(tmp_path / "page.html", booster, data), "true class")
    chosen = np.argmax(booster.predict(data), axis=1)
    assert [cells[0] for cells in table] == [*(f"class {number}" for number in range(10)), "others"]
    assert int(table[-1][-2].split(" ")[0]) == np.sum((y >= 10) & (chosen >= 10))
    assert int(table[2][4].split(" ")[0]) == np.sum((y == 2) & (chosen == 3))


def test_baselines_of_numbers(tmp_path: Path) -> None:
    booster, data = train("reg:squarederror", SUM)
    text = text_of(tmp_path / "page.html", booster, data)
    scores = {cells[0][:-2]: float(cells[3]) for cells in rows_of(text, "metric")}
    assert scores == pytest.approx({"rmse": SUM.std(), "mae": np.abs(SUM - SUM.mean()).mean(), "r2": 0}, rel=1e-3)
    assert text.count("Histogram of the residuals") == 2  # the caption and the alternative text


def test_quantiles_and_rankings(tmp_path: Path) -> None:
    booster, data = train("reg:quantileerror", SUM, quantile_alpha=[0.1, 0.9])
    table = rows_of(text_of(tmp_path / "page.html", booster, data), "quantile")
    shares = np.mean(SUM.astype(np.float32)[:, None] <= booster.predict(data), axis=0)
    assert [cells[2] for cells in table] == [f"{share:.1%}" for share in shares]
    data = kb.DMatrix(X, label=LEVELS, group=[12] * 20)
    ranker = kb.train({"objective": "rank:ndcg"}, data, 5, verbose_eval=False)
    text = text_of(tmp_path / "r.html", ranker, X, y=LEVELS, group=[12] * 20)
    scores = {cells[0][:-2]: cells[1:] for cells in rows_of(text, "metric")}
    assert list(scores) == ["ndcg@32", "ndcg@1", "ndcg@5", "ndcg@10"]
    assert all(float(cells[2]) < float(cells[0]) for cells in scores.values())
    assert "Labels by place" in text
    with pytest.raises(kb.DataError, match="have no queries"):
        kb.report(ranker, X, tmp_path / "no.html", y=LEVELS)


OTHERS: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
    "survival:cox": (np.exp(SUM) * np.where(X[:, 2] > 1, -1, 1), {}),
    "binary:hinge": (SUM > 0, {}),
    "multi:softmax": (LEVELS, {"num_class": 3}),
    "binary:logistic": (np.column_stack([SUM > 0, SUM > 1]), {}),
    "reg:squarederror": (np.column_stack([SUM, -SUM]), {}),
    "reg:expectileerror": (SUM, {"expectile_alpha": [0.2, 0.8]}),
    "count:poisson": (LEVELS, {}),
}


@pytest.mark.parametrize("objective", OTHERS)
def test_other_kinds_have_metrics_and_reasons(objective: str, tmp_path: Path) -> None:
    y, params = OTHERS[objective]
    booster, data = train(objective, y, **params)
    text = text_of(tmp_path / "page.html", booster, data)
    assert 'id="metrics"' in text
    assert text.count("<h3>Highest prediction") + text.count("<h3>Surest prediction") == 1
    assert ("<h3>Confusion matrix" in text) == (objective in ("binary:hinge", "multi:softmax"))
    assert "ROC" not in text  # without probabilities there is no curve


def test_the_three_rows() -> None:
    booster, data = train("binary:logistic", SUM > 0)
    of = judged(subject_of(booster, None), data)
    p = booster.predict(data)
    wrong = int(np.argmax(np.abs(p - (SUM > 0))))
    assert [row for row, _ in _telling_rows(of)] == [int(p.argmin()), int(p.argmax()), wrong]
    unlabelled = judged(subject_of(booster, None), kb.DMatrix(X))
    assert [what for _, what in _telling_rows(unlabelled)] == [
        f"{which} prediction" for which in ("Lowest", "Median", "Highest")
    ]


@pytest.mark.parametrize("is_loaded", [False, True])
@pytest.mark.parametrize("objective", ["binary:focal", "survival:aft", "reg:tweedie", "multi:softprob"])
def test_the_name_of_the_objective(objective: str, is_loaded: bool) -> None:
    booster = kb.Booster({"objective": objective, "num_class": 3 if "multi" in objective else 0})
    if is_loaded:
        trained, _ = train("count:poisson", LEVELS)
        booster, objective = kb.Booster(model_file=trained.save_raw()), "count:poisson"
    assert objective_of(booster) == objective == json.loads(booster.save_config())["learner"]["objective"]["name"]


def test_labels_come_with_queries() -> None:
    data = subject_of(train("reg:squarederror", SUM)[0], None).labelled(X, LEVELS, Queries(qid=np.arange(N) // 12))
    assert len(data.get_uint_info("group_ptr")) == 21
