"""Metrics that rank the rows of queries require queries in every report on a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(0)
SIZES = RNG.integers(3, 12, 60)
QID = np.repeat(np.arange(60), SIZES)
N = len(QID)
X = RNG.normal(size=(N, 3)).astype(np.float32)
Y = RNG.poisson(np.exp(0.7 * X[:, 0] + 0.4 * RNG.normal(size=60)[QID])).clip(0, 4)
FRAME = pd.DataFrame(X, columns=list("abc"))
RANKER = kb.KauriRanker(n_estimators=15, max_depth=3).fit(FRAME, Y, qid=QID)
BOOSTER = RANKER.get_booster()
WITH = kb.DMatrix(FRAME, label=Y, qid=QID)
FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "qid": (FRAME, {"y": Y, "qid": QID}),
    "group": (FRAME, {"y": Y, "group": SIZES}),
    "column": (FRAME.assign(qid=QID), {"y": Y}),
    "matrix": (WITH, {}),
    "matrix and qid": (kb.DMatrix(FRAME, label=Y), {"qid": QID}),
}


@pytest.mark.parametrize("model", [RANKER, BOOSTER], ids=["ranker", "booster"])
@pytest.mark.parametrize(("rows", "how"), FORMS.values(), ids=FORMS.keys())
def test_permutation_importance_orders_rows_within_their_queries(model: Any, rows: Any, how: dict[str, Any]) -> None:
    found = kb.permutation_importance(model, rows, n_repeats=1, **how)
    expected = float(BOOSTER.eval(WITH).rsplit(":", 1)[1])
    assert found.baseline == pytest.approx(expected, abs=1e-6)
    assert found.values.argmax() == 0


@pytest.mark.parametrize("model", [RANKER, BOOSTER], ids=["ranker", "booster"])
def test_without_queries_it_is_refused(model: Any, tmp_path: Path) -> None:
    with pytest.raises(kb.DataError, match="ranks the rows of each query, but the data have no queries"):
        kb.permutation_importance(model, FRAME, Y, n_repeats=1)
    with pytest.raises(kb.DataError, match="ranks the rows of each query, but the data have no queries"):
        kb.report(model, FRAME, tmp_path / "page.html", y=Y, n_trees=0)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.usefixtures("unrendered")
@pytest.mark.parametrize(("rows", "how"), FORMS.values(), ids=FORMS.keys())
def test_a_report_shows_the_metric_of_queries(rows: Any, how: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    kb.report(RANKER, rows, path, n_trees=0, n_features=1, n_rows=20, **how)
    expected = float(BOOSTER.eval(WITH).rsplit(":", 1)[1])
    assert f"{expected:.5g}" in path.read_text()


def test_all_rows_may_be_one_query() -> None:
    one = kb.permutation_importance(RANKER, FRAME, Y, group=[N], n_repeats=1)
    assert one.baseline == pytest.approx(float(BOOSTER.eval(kb.DMatrix(FRAME, label=Y)).rsplit(":", 1)[1]), abs=1e-6)


def test_metrics_of_single_rows_need_no_queries() -> None:
    assert kb.permutation_importance(RANKER, FRAME, Y, metric="rmse", n_repeats=1).metric == "rmse"


def test_queries_are_given_once() -> None:
    with pytest.raises(kb.ParameterError, match="the queries of the rows are given 2 times"):
        kb.permutation_importance(RANKER, FRAME.assign(qid=QID), Y, qid=QID)
