"""Ranking from Python: the estimator, query groups, and errors without them."""

from __future__ import annotations

from pathlib import Path

import kauriboost as kb
import numpy as np
import pytest
from kauriboost.sklearn import KauriRanker
from sklearn.base import clone
from sklearn.metrics import ndcg_score

Ranking = tuple[np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    """Return features, relevance 0 to 3 and query ids of 40 queries of 5 to 24 rows."""
    random = np.random.default_rng(3)
    qid = np.repeat(np.arange(40), random.integers(5, 25, 40))
    features = random.normal(size=(len(qid), 6))
    score = features[:, 0] + 0.5 * features[:, 1] + 0.3 * random.normal(size=len(qid))
    return features, np.digitize(score, [0.0, 0.8, 1.5]), qid


def sizes(qid: np.ndarray) -> np.ndarray:
    return np.unique(qid, return_counts=True)[1]


def mean_ndcg(relevance: np.ndarray, scores: np.ndarray, qid: np.ndarray) -> float:
    values = []
    for query in np.unique(qid):
        rows = qid == query
        if relevance[rows].any():
            values.append(ndcg_score([2.0 ** relevance[rows] - 1], [scores[rows]], ignore_ties=True))
    return float(np.mean(values))


@pytest.mark.parametrize("objective", ["rank:ndcg", "rank:pairwise", "rank:map"])
@pytest.mark.parametrize("method", ["topk", "mean"])
def test_learns_the_order(ranking: Ranking, objective: str, method: str) -> None:
    X, y, qid = ranking
    relevance = (y > 1).astype(int) if objective == "rank:map" else y
    model = KauriRanker(objective=objective, n_estimators=20, max_depth=3, lambdarank_pair_method=method)
    scores = model.fit(X, relevance, qid=qid).predict(X)
    assert mean_ndcg(relevance, scores, qid) > 0.95
    assert mean_ndcg(relevance, X[:, 2], qid) < 0.8


def test_estimator_equals_train(ranking: Ranking) -> None:
    X, y, qid = ranking
    weight = np.linspace(0.5, 2.0, 40)
    model = KauriRanker(n_estimators=5, max_depth=3, lambdarank_num_pair_per_sample=8, ndcg_exp_gain=False)
    model.fit(X, y, group=sizes(qid), sample_weight=weight, eval_set=[(X, y)], eval_qid=[qid])
    params = {"objective": "rank:ndcg", "max_depth": 3, "lambdarank_num_pair_per_sample": 8, "ndcg_exp_gain": 0}
    booster = kb.train(params, kb.DMatrix(X, label=y, qid=qid, weight=weight), 5, verbose_eval=False)
    np.testing.assert_array_equal(model.predict(X), booster.predict(kb.DMatrix(X)))
    assert list(model.evals_result()["validation_0"]) == ["ndcg@8"]
    assert clone(model).get_params() == model.get_params()


def test_position_bias_survives_saving(ranking: Ranking, tmp_path: Path) -> None:
    """Training at once, and in two parts through a file, gives the same model."""
    X, y, qid = ranking
    params = {"objective": "rank:ndcg", "lambdarank_unbiased": 1, "max_depth": 3}
    data = kb.DMatrix(X, label=y, qid=qid)
    kb.train(params, data, 3, verbose_eval=False).save_model(tmp_path / "model.ubj")
    resumed = kb.train(params, data, 3, xgb_model=tmp_path / "model.ubj", verbose_eval=False)
    whole = kb.train(params, data, 6, verbose_eval=False)
    assert bytes(resumed.save_raw("json")) == bytes(whole.save_raw("json"))
    plain = kb.train({**params, "lambdarank_unbiased": 0}, data, 6, verbose_eval=False)
    assert not np.array_equal(plain.predict(data), whole.predict(data))


def test_score_is_the_metric_of_the_best_rounds(ranking: Ranking) -> None:
    X, y, qid = ranking
    model = KauriRanker(n_estimators=4, max_depth=3, eval_metric=["ndcg@3", "ndcg"]).fit(X, y, qid=qid)
    by_hand = model.get_booster().eval(kb.DMatrix(X, label=y, qid=qid))
    assert model.score(X, y, qid=qid) == float(by_hand.split("ndcg:")[1])
    assert model.score(X, y, group=sizes(qid)) == model.score(X, y, qid=qid)
    model = KauriRanker(n_estimators=30, learning_rate=1.0, max_depth=3, early_stopping_rounds=2)
    model.fit(X, y, qid=qid, eval_set=[(X, y)], eval_qid=[qid])
    assert model.best_iteration + 1 < model.get_booster().num_boosted_rounds()
    assert model.score(X, y, qid=qid) == pytest.approx(model.best_score)
    with pytest.raises(ValueError, match=r"pass group .* or qid"):
        model.score(X, y)


def test_without_queries(ranking: Ranking) -> None:
    X, y, qid = ranking
    with pytest.raises(ValueError, match=r"pass group .* or qid"):
        KauriRanker().fit(X, y)
    with pytest.raises(ValueError, match="eval_set has 1 pairs"):
        KauriRanker(n_estimators=1).fit(X, y, qid=qid, eval_set=[(X, y)], eval_qid=[])
    with pytest.raises(kb.DataError, match="no query groups"):
        kb.train({"objective": "rank:ndcg"}, kb.DMatrix(X, label=y), 1)
