"""Lazy frames of polars, which are collected at every door that takes frames."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kauriboost as kb
import numpy as np
import pytest

pl = pytest.importorskip("polars")

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "a": RNG.normal(size=120),
        "city": pl.Series(np.array(["Bonn", "Linz", "Oslo"])[RNG.integers(0, 3, 120)], dtype=pl.Categorical),
        "b": RNG.integers(0, 9, 120),
    }
)
LABELS = (FRAME["a"].to_numpy() > 0).astype(np.int64)
QID = np.repeat(np.arange(12), 10)
SMALL: dict[str, Any] = {"n_estimators": 4, "max_depth": 3, "n_jobs": 1}
MODEL = kb.KauriClassifier(**SMALL).fit(FRAME, LABELS)
MATRIX = kb.DMatrix(FRAME, label=LABELS)


def raw(model: Any) -> bytes:
    return bytes((model.booster if isinstance(model, kb.BestFit) else model.get_booster()).save_raw())


def column(values: np.ndarray) -> Any:
    return pl.DataFrame({"y": values}).get_column("y")


DOORS: dict[str, Callable[[Any], Any]] = {
    "DMatrix": lambda X: MODEL.get_booster().predict(kb.DMatrix(X)),
    "QuantileDMatrix": lambda X: kb.QuantileDMatrix(X, LABELS).get_quantile_cut()[1],
    "inplace_predict": lambda X: MODEL.get_booster().inplace_predict(X),
    "fit": lambda X: raw(kb.KauriClassifier(**SMALL).fit(X, LABELS)),
    "names": lambda X: kb.KauriClassifier(**SMALL).fit(X, LABELS).feature_names_in_.tolist(),
    "eval_set": lambda X: kb.KauriRegressor(**SMALL).fit(X, LABELS, eval_set=[(X, LABELS)]).evals_result(),
    "X_val": lambda X: kb.KauriRegressor(**SMALL).fit(X, LABELS, X_val=X, y_val=LABELS).evals_result(),
    "refit": lambda X: raw(kb.KauriClassifier(**SMALL).fit(X, LABELS).refit(X, LABELS)),
    "intervals": lambda X: kb.KauriRegressor(**SMALL).fit_intervals(X, LABELS, coverage=0.8).predict_interval(X),
    "predict": lambda X: MODEL.predict(X),
    "predict_proba": lambda X: MODEL.predict_proba(X),
    "decision_function": lambda X: MODEL.decision_function(X),
    "staged": lambda X: np.array(list(MODEL.staged_predict_proba(X))),
    "apply": lambda X: MODEL.apply(X),
    "score": lambda X: MODEL.score(X, LABELS),
    "ranker": lambda X: raw(kb.KauriRanker(**SMALL).fit(X.with_columns(qid=pl.Series(QID)), LABELS)),
    "ranks": lambda X: kb.KauriRanker(**SMALL).fit(X, LABELS, qid=QID).predict(X.with_columns(qid=pl.Series(QID))),
    "fit_best": lambda X: raw(kb.fit_best(X, LABELS, rounds_budget=3, nfold=2)),
    "BestFit.predict": lambda X: kb.fit_best(X, LABELS, rounds_budget=3, nfold=2).predict(X),
    "explain": lambda X: kb.explain(MODEL, X).values,
    "global_importance": lambda X: kb.global_importance(MODEL, X).values,
    "permutation_importance": lambda X: kb.permutation_importance(MODEL, X, LABELS).values,
    "partial_dependence": lambda X: kb.partial_dependence(MODEL, X, "a").mean,
    "summarize": lambda X: kb.summarize(X).quantiles,
}


@pytest.mark.parametrize("door", DOORS)
def test_a_lazy_frame_is_the_frame_that_it_computes(door: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected, found = DOORS[door](FRAME), DOORS[door](FRAME.lazy())
    np.testing.assert_equal(found, expected)


def test_the_query_runs_when_it_is_needed() -> None:
    query = FRAME.lazy().filter(pl.col("b") > 3).select("a", "city", (pl.col("b") * 1).alias("b"))
    np.testing.assert_array_equal(MODEL.predict_proba(query), MODEL.predict_proba(query.collect()))


def test_labels_weights_and_queries_may_be_lazy() -> None:
    def lazy(values: np.ndarray) -> Any:
        return pl.DataFrame({"y": values}).lazy()

    weights = RNG.uniform(0.5, 2, 120)
    expected = kb.DMatrix(FRAME, LABELS, weight=weights, qid=QID)
    found = kb.DMatrix(FRAME.lazy(), lazy(LABELS), weight=lazy(weights[:12]), qid=lazy(QID))
    np.testing.assert_array_equal(found.get_label(), expected.get_label())
    np.testing.assert_array_equal(found.get_group(), [10] * 12)
    with pytest.warns(UserWarning, match="column-vector"):
        model = kb.KauriClassifier(**SMALL).fit(FRAME, lazy(LABELS), X_val=FRAME.lazy(), y_val=lazy(LABELS))
    assert raw(model) == raw(MODEL)


def test_batches_may_be_lazy() -> None:
    class Batches(kb.DataIter):
        def __init__(self) -> None:
            super().__init__()
            self._done = False

        def next(self, input_data: Callable[..., None]) -> bool:
            if self._done:
                return False
            self._done = True
            input_data(data=FRAME.lazy(), label=LABELS)
            return True

        def reset(self) -> None:
            self._done = False

    np.testing.assert_array_equal(kb.DMatrix(Batches()).get_data().toarray(), MATRIX.get_data().toarray())


def test_a_report_takes_one(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    kb.report(MODEL, FRAME.lazy(), tmp_path / "report.html", y=LABELS)
    assert "city" in (tmp_path / "report.html").read_text()


def test_names_are_still_compared() -> None:
    with pytest.raises(kb.DataError, match="another order"):
        MODEL.predict(FRAME.lazy().select("b", "a", "city"))
    with pytest.raises(kb.DataError, match="unknown: 'z'"):
        MODEL.predict(FRAME.lazy().rename({"b": "z"}))
    np.testing.assert_array_equal(
        MODEL.predict(FRAME.lazy().select("b", "a", "city").select(MODEL.feature_names_in_.tolist())),
        MODEL.predict(FRAME),
    )
